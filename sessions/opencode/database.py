"""opencode's database: one file for all sessions, read while the host may be writing to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from prune_mcp.sessions.document import Record
from prune_mcp.sessions.model import SessionError
from prune_mcp.sessions.opencode.places import sessions_in
from prune_mcp.sessions.opencode.session import Opencode
from prune_mcp.sessions.opencode.tables import Tables
from prune_mcp.sessions.readonly import DAMAGE, connect, text, trouble
from prune_mcp.sessions.session_file import SessionFile, file_of

# Sessions named where another one was asked for.
NAMED = 3


class OpencodeDatabase(Opencode):
    """A session in the database; its address is the database's with the session's id behind it."""

    @classmethod
    def file_at(cls, path: Path) -> SessionFile:
        """See `Reader.file_at`."""
        for file in sessions_in(file_of(path), Counter()):
            if file.address == path:
                return file
        # That there is none, or what else is wrong, reading it tells.
        cls(path).refresh()
        raise SessionError(f"There is no session {path}; name another one.")

    @property
    def _database(self) -> Path:
        return file_of(Path(self.path))

    @property
    def _id(self) -> str:
        path = Path(self.path)
        return "" if path == self._database else path.name

    def _folder(self) -> Path:
        return self._database.parent

    def _look(self) -> tuple[object, ...]:
        with self._tables() as tables:
            stamp = tables.stamp(self._id)
            if stamp is None:
                raise SessionError(self._missing(tables))
            return stamp

    def _records(self) -> Iterator[Record]:
        with self._tables() as tables:
            yield from self._recorded(self._info(tables), self._messages(tables))

    def _glimpsed(self, lines: list[bytes]) -> Iterator[Record]:
        """The session, and its first messages where it has no title."""
        with self._tables() as tables:
            yield from self._until_named(self._recorded(self._info(tables), self._messages(tables)))

    @contextmanager
    def _tables(self) -> Iterator[Tables]:
        with trouble(self._database), connect(self._database) as database:
            yield Tables(database)

    def _missing(self, tables: Tables) -> str:
        newest = sorted(tables.sessions(), key=lambda listed: -listed.updated)[:NAMED]
        named = ", ".join(str(self._database / listed.id) for listed in newest)
        offer = f"name a session in it, such as {named}" if named else "there is none in it"
        if self._id:
            return f"There is no session {self._id!r} in {self._database}; {offer}."
        return f"{self._database} holds the sessions of all projects; {offer}."

    def _info(self, tables: Tables) -> dict[str, Any]:
        """The session as the host exports it, as far as we need it."""
        session = tables.session(self._id)
        if session is None:
            raise SessionError(self._missing(tables))
        names = {"id": "id", "directory": "directory", "parentID": "parent_id", "title": "title"}
        info: dict[str, Any] = {name: text(session.get(column)) for name, column in names.items()}
        # A fork goes on from another session as well.
        info["parentID"] = info["parentID"] or text(session.get("fork_session_id"))
        revert = session.get("revert")
        return info | {"revert": self._column(revert) if revert is not None else None}

    def _messages(self, tables: Tables) -> Iterator[dict[str, Any]]:
        if tables.in_rows(self._id):
            for id, kind, data in tables.rows(self._id):
                if (row := self._column(data)) is not None:
                    yield {**row, "id": id, "type": kind}
            return
        for id, data, parts in tables.messages(self._id):
            if (info := self._column(data)) is not None:
                found = ((part, self._column(said)) for part, said in parts)
                names = {"sessionID": self._id, "messageID": id}
                told = [{**said, "id": part, **names} for part, said in found if said is not None]
                yield {"info": {**info, "id": id, "sessionID": self._id}, "parts": told}

    def _column(self, data: Any) -> dict[str, Any] | None:
        """The object that a column holds; anything else is counted."""
        return self._value(data if isinstance(data, bytes) else str(data).encode())


def newest_parts(file: SessionFile, count: int) -> list[bytes]:
    """What was begun last in a session, as JSON; nothing where the database cannot be read."""
    try:
        with connect(file.path) as database:
            return Tables(database).newest(file.inside, count)
    except (OSError, *DAMAGE):
        return []
