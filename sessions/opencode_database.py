"""opencode's database: one file for all sessions, read while the host may be writing to it."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from prune_mcp.sessions.damage import KINDS
from prune_mcp.sessions.document import Record
from prune_mcp.sessions.jsontext import loads_exactly
from prune_mcp.sessions.model import SessionError
from prune_mcp.sessions.opencode import Opencode
from prune_mcp.sessions.opencode_places import sessions_in
from prune_mcp.sessions.readonly import DAMAGE, connect, text, trouble
from prune_mcp.sessions.session_file import SessionFile, file_of

# What changes whenever a session does; rows are deleted as well.
STAMP = """
SELECT s.time_updated, (SELECT count(*) FROM message WHERE session_id = s.id),
  (SELECT max(time_updated) FROM message WHERE session_id = s.id),
  (SELECT count(*) FROM part WHERE session_id = s.id), (SELECT max(time_updated) FROM part WHERE session_id = s.id)
FROM session s WHERE s.id = ?
"""
MESSAGES = "SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id"
PARTS = "SELECT id, data FROM part WHERE message_id = ? ORDER BY id"
NEWEST = "SELECT data FROM part WHERE session_id = ? ORDER BY rowid DESC LIMIT ?"


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
        with trouble(self._database), connect(self._database) as database:
            return self._row(database, STAMP)

    def _records(self) -> Iterator[Record]:
        with trouble(self._database), connect(self._database) as database:
            info = self._info(database)
            yield from self._recorded(info, self._messages(database, info["id"]))

    def _glimpsed(self, lines: list[bytes]) -> Iterator[Record]:
        """The session, and its first messages where it has no title."""
        with trouble(self._database), connect(self._database) as database:
            info = self._info(database)
            for record in self._recorded(info, self._messages(database, info["id"])):
                if self._named or self._asked:
                    return
                yield record

    def _row(self, database: sqlite3.Connection, query: str) -> tuple[Any, ...]:
        row: tuple[Any, ...] | None = database.execute(query, (self._id,)).fetchone()
        if row is None:
            raise SessionError(self._missing(database))
        return row

    def _missing(self, database: sqlite3.Connection) -> str:
        newest = database.execute("SELECT id FROM session ORDER BY time_updated DESC LIMIT 3").fetchall()
        named = ", ".join(str(self._database / text(id)) for (id,) in newest)
        offer = f"name a session in it, such as {named}" if named else "there is none in it"
        if self._id:
            return f"There is no session {self._id!r} in {self._database}; {offer}."
        return f"{self._database} holds the sessions of all projects; {offer}."

    def _info(self, database: sqlite3.Connection) -> dict[str, Any]:
        """The session as the host exports it, as far as we need it."""
        fields = "id, directory, parent_id, title, revert"
        id, directory, parent, title, revert = self._row(database, f"SELECT {fields} FROM session WHERE id = ?")
        info = {"id": text(id), "directory": text(directory), "parentID": text(parent), "title": text(title)}
        return info | {"revert": self._value(revert) if revert is not None else None}

    def _messages(self, database: sqlite3.Connection, session: str) -> Iterator[dict[str, Any]]:
        for id, data in database.execute(MESSAGES, (session,)):
            info = self._value(data)
            if info is not None:
                message = {**info, "id": text(id), "sessionID": session}
                yield {"info": message, "parts": list(self._parts(database, session, text(id)))}

    def _parts(self, database: sqlite3.Connection, session: str, message: str) -> Iterator[dict[str, Any]]:
        for id, data in database.execute(PARTS, (message,)):
            if (part := self._value(data)) is not None:
                yield {**part, "id": text(id), "sessionID": session, "messageID": message}

    def _value(self, data: Any) -> dict[str, Any] | None:
        """The object that a column holds; anything else is counted."""
        try:
            value = loads_exactly(data if isinstance(data, bytes) else str(data).encode())
        except ValueError:
            self.skipped["torn"] += 1
            return None
        if isinstance(value, dict):
            return value
        self.skipped[KINDS[type(value)]] += 1
        return None


def newest_parts(file: SessionFile, count: int) -> list[bytes]:
    """The parts that were begun last, as JSON; none where the database cannot be read."""
    try:
        with connect(file.path) as database:
            return [data for (data,) in database.execute(NEWEST, (file.inside, count)) if isinstance(data, bytes)]
    except (OSError, *DAMAGE):
        return []
