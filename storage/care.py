"""Care of the SQLite store: its size, what nothing refers to, what is to be given up or forgotten."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterator, Sequence

from prune_mcp.storage import care_statements as sql
from prune_mcp.storage import statements
from prune_mcp.storage.access import Access
from prune_mcp.storage.bodies import RELEASED, BodyFile
from prune_mcp.storage.care_records import Fault, Forgotten, Garbage, Holder, KeptBody, StoreSize
from prune_mcp.storage.errors import StoreBusy
from prune_mcp.storage.keeper import BodyKeeper
from prune_mcp.storage.protocol import CareProgress
from prune_mcp.storage.rows import Row, given, kept
from prune_mcp.storage.sweep import Sweep, changing
from prune_mcp.storage.verify import Verifier


class SQLiteCare:
    """The `Care` of a store in SQLite. Where there is no store yet, it finds nothing and makes none."""

    def __init__(self, access: Access, bodies: BodyKeeper) -> None:
        self._access = access
        self._bodies = bodies
        self._sweep = Sweep(access, bodies)
        self._verifier = Verifier(access, bodies)

    @property
    def cut_short(self) -> bool:
        """Whether a forgetting was begun and not brought to its end: `resume` does that."""
        return self._sweep.cut_short

    def size(self) -> StoreSize:
        """How large the store is."""
        path = self._access.path
        with self._access.failures:
            parts = [path.with_name(path.name + suffix) for suffix in ("", "-wal")]
            database = sum(part.stat().st_size for part in parts if part.exists())
            files = sum(file.size for file in self._bodies.files.walk())
        return StoreSize(database, self._free(), files)

    def garbage(self) -> Garbage:
        """What nothing refers to. Reads only; what others are just writing may be among it."""
        if not self._access.path.exists():
            return Garbage()
        orphans = self._access.rows(sql.ORPHANS)
        dead = {sha for sha, *_ in orphans}
        with self._access.failures:
            files = list(self._bodies.files.walk())
            of_bodies = sum(file.size for file in files if file.sha in dead)
            idle = list(self._sweep.idle(file for file in files if file.sha not in dead))
        return _garbage(orphans, of_bodies, idle, self._free(), self._owns())

    def collect(self) -> Garbage:
        """Take away what nothing refers to, but for the free pages (`tidy`); returns what it was.

        Raises:
            StoreBusy: another process writes for too long; what was taken away until then was garbage.
            StoreError: the store cannot be written.
        """
        if not self._access.path.exists():
            return Garbage()
        with changing(self._access) as connection:
            orphans: list[Row] = connection.execute(sql.ORPHANS).fetchall()
            connection.execute(sql.DROP_ORPHANS)
        of_bodies = self._sweep.remove(sha for sha, _, length in orphans if length is None)
        mine = self._owns()
        gone = self._sweep.clear(mine)
        if not mine:
            gone += [file for file in self._sweep.idle(self._bodies.files.walk()) if file.sha]
        return _garbage(orphans, of_bodies, gone, 0, mine)

    def latest(self) -> dict[str, list[KeptBody]]:
        """The bodies by the latest written of the sessions that name them, without those given up already: giving
        up every session up to that one frees them."""
        found: dict[str, list[KeptBody]] = {}
        for session, sha, size, packing, length in self._access.rows(sql.LATEST):
            body = KeptBody(sha, size, self._on_disk(sha, packing, length))
            found.setdefault(given(session), []).append(body)
        return found

    def release(self, sessions: Sequence[str], shas: Collection[str]) -> int:
        """Give up those of these bodies that only these sessions name; returns the bytes on disk they took.

        Raises:
            StoreBusy, StoreError: as `collect`; a body is then given up whole, or whole as before.
        """
        wanted = set(shas)
        with changing(self._access) as connection:
            rows = [row for row in self._held(connection, sessions) if row[0] in wanted and row[2] != RELEASED]
            connection.executemany(sql.RELEASE, [(RELEASED, sha) for sha, *_ in rows])
        self._access.outdate()
        freed = sum(length or 0 for *_, length in rows)
        return freed + self._sweep.remove(sha for sha, *_, length in rows if length is None)

    def held(self, sessions: Sequence[str]) -> list[KeptBody]:
        """The bodies that these sessions name and no other does, without those given up already. Reads only."""
        rows = self._access.rows(sql.HELD, (self._keys(sessions),) * 6)
        return [KeptBody(sha, size, self._on_disk(sha, *how)) for sha, size, *how in rows if how[0] != RELEASED]

    def forget(self, sessions: Sequence[str]) -> Forgotten:
        """Take sessions out of the store with every body that no other session names, down to the last byte;
        what nothing named before goes as well: it may have been theirs.

        Raises:
            StoreBusy: another process reads or writes for too long. What is known of the sessions is gone then,
                bytes of it may not be: `resume` ends it.
            StoreError: the store cannot be written.
        """
        if not self._access.path.exists():
            return Forgotten()
        with changing(self._access) as connection:
            count = self._drop(connection, sessions)
            rows = connection.execute(sql.ORPHANS).fetchall()
            connection.execute(sql.DROP_ORPHANS)
            self._sweep.mark(sha for sha, _, length in rows if length is None)
        self._access.outdate()
        self.resume()
        return Forgotten(count, len(rows), sum(size for _, size, _ in rows))

    def resume(self) -> None:
        """Bring a forgetting that was cut short to its end.

        Raises:
            StoreBusy, StoreError: as `forget`.
        """
        if self._sweep.cut_short:
            self._sweep.remove(self._sweep.marked())
            # What a writer left behind that was killed may be of a forgotten session.
            self._sweep.clear(self._owns())
            self.tidy()
            self._sweep.unmark()

    def tidy(self) -> None:
        """Write the database anew without free pages, and empty its log: no byte of what was deleted stays.

        Raises:
            StoreBusy: another process uses the store for too long.
            StoreFull: there is no space for the second copy that this takes.
        """
        if not self._access.path.exists():
            return
        with changing(self._access):
            # A newer version is met before anything is written.
            pass
        with self._access.writing() as connection, self._access.failures:
            connection.execute("VACUUM")
            busy, *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if busy:
            raise StoreBusy(
                f"The log of the store {self._access.path} is read by another process for too long, so it cannot "
                "be emptied. Try again."
            )

    def faults(self, progress: CareProgress | None = None) -> Iterator[Fault]:
        """Everything in the store that is not as it was written. Reads every body."""
        yield from self._verifier.faults(progress)

    def holders(self, sha: str) -> list[Holder]:
        """Whose body this is."""
        return self._verifier.holders(sha)

    def mend(self, sha: str, data: bytes) -> None:
        """Keep the bytes of a known body anew.

        Raises:
            ValueError: they are not its bytes.
        """
        self._verifier.mend(sha, data)

    def _held(self, connection: sqlite3.Connection, sessions: Sequence[str]) -> list[Row]:
        return connection.execute(sql.HELD, (self._keys(sessions),) * 6).fetchall()

    def _drop(self, connection: sqlite3.Connection, sessions: Sequence[str]) -> int:
        keys: list[int] = json.loads(self._keys(sessions))
        for table in sql.OF_SESSION:
            connection.executemany(f"DELETE FROM {table} WHERE session = ?", [(key,) for key in keys])
        connection.executemany(sql.DROP_SESSION, [(key,) for key in keys])
        connection.executemany(sql.DISOWN, [(kept(session),) for session in sessions])
        return len(keys)

    def _keys(self, sessions: Sequence[str]) -> str:
        """The keys of those of the sessions that are known, as a JSON array."""
        found = [self._access.rows(statements.KEY, (kept(session),)) for session in sessions]
        return json.dumps([key for rows in found for (key,) in rows])

    def _owns(self) -> bool:
        rows = self._access.rows(statements.IDENTITY)
        with self._access.failures:
            return bool(rows) and self._bodies.owned_by(rows[0][0])

    def _free(self) -> int:
        """The bytes of the database's free pages."""
        counts = self._access.rows("SELECT freelist_count, page_size FROM pragma_freelist_count, pragma_page_size")
        return int(counts[0][0]) * int(counts[0][1]) if counts else 0

    def _on_disk(self, sha: str, packing: int, length: int | None) -> int:
        if length is not None:
            return length
        try:
            return self._bodies.files.path(sha, packing).stat().st_size
        except FileNotFoundError:
            return 0


def _garbage(orphans: list[Row], of_bodies: int, files: list[BodyFile], free: int, mine: bool) -> Garbage:
    """What was found, counted: orphans, whose files hold `of_bodies` bytes, and files without a body, which are
    another store's unless `mine`."""
    idle = [file.size for file in files if file.sha]
    unfinished = [file.size for file in files if not file.sha]
    return Garbage(
        bodies=len(orphans),
        body_bytes=sum(length or 0 for *_, length in orphans) + of_bodies,
        files=len(idle) if mine else 0,
        file_bytes=sum(idle) if mine else 0,
        unfinished=len(unfinished),
        unfinished_bytes=sum(unfinished),
        free_bytes=free,
        foreign=0 if mine else len(idle),
        foreign_bytes=0 if mine else sum(idle),
    )
