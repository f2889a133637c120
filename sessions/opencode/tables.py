"""What stands in opencode's database: sessions of version 1 as messages and parts, of version 2 as rows."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Any, NamedTuple

from prune_mcp.sessions.readonly import text

TABLES = "SELECT name FROM sqlite_master WHERE type = 'table'"
TOLD = "SELECT id, directory, parent_id, title, time_updated FROM {}"
COUNTS = "SELECT session_id, count(*), max(time_updated) FROM {} GROUP BY session_id"
COUNT = "SELECT count(*), max(time_updated) FROM {} WHERE session_id = ?"
MESSAGES = "SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id"
PARTS = "SELECT id, data FROM part WHERE message_id = ? ORDER BY id"
ROWS = "SELECT id, type, data FROM session_message WHERE session_id = ? ORDER BY {}"
NEWEST = "SELECT data FROM {} WHERE session_id = ? ORDER BY rowid DESC LIMIT ?"
NONE = (0, 0)


class Listed(NamedTuple):
    """A session as the database lists it.

    `stamp`: when it was updated (milliseconds since the epoch), then for its messages and for their parts how many
    there are, and when the latest was updated.
    """

    id: str
    folder: str
    parent: str
    title: str
    stamp: tuple[int, ...]

    @property
    def updated(self) -> int:
        """When anything of it was last updated, in milliseconds since the epoch."""
        return max(self.stamp[0], self.stamp[2], self.stamp[4])

    @property
    def pieces(self) -> int:
        """How many things it holds."""
        return self.stamp[3] or self.stamp[1]


class Tables:
    """The tables of a database. Version 2 takes the sessions of version 1 over, and leaves these where they are.

    Raises:
        sqlite3.Error: it is no database of opencode.
    """

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        self._names = {text(name) for (name,) in database.execute(TABLES)}

    def sessions(self) -> list[Listed]:
        """Every session, each once."""
        counts = {table: self._counts(table) for table in ("message", "part", "session_message")}
        found: dict[str, Listed] = {}
        for table in self._session_tables():
            for id, folder, parent, title, updated in self._database.execute(TOLD.format(table)):
                parts, rows = (counts["message"], counts["part"]), counts["session_message"].get(id, NONE)
                old = [each.get(id, NONE) for each in parts]
                stood = (rows, NONE) if self._in_rows(table, old[0][0], rows[0]) else old
                stamp = (_number(updated), *(number for pair in stood for number in pair))
                found[text(id)] = Listed(text(id), text(folder), text(parent), text(title), stamp)
        return list(found.values())

    def session(self, id: str) -> dict[str, Any] | None:
        """Everything that the database says of a session itself, by column; None where there is none."""
        for table in reversed(self._session_tables()):
            cursor = self._database.execute(f"SELECT * FROM {table} WHERE id = ?", (id,))
            if row := cursor.fetchone():
                return dict(zip((name for name, *_ in cursor.description), row, strict=True))
        return None

    def stamp(self, id: str) -> tuple[int, ...] | None:
        """What changes whenever a session does; None where there is none."""
        session = self.session(id)
        if session is None:
            return None
        tables = ("session_message",) if self.in_rows(id) else ("message", "part")
        counts = [self._database.execute(COUNT.format(table), (id,)).fetchone() for table in tables]
        return (_number(session.get("time_updated")), *(_number(number) for pair in counts for number in pair))

    def in_rows(self, id: str) -> bool:
        """Whether a session's messages stand as rows, as version 2 writes them."""
        table = "session_v2" if self._holds("session_v2", "id", id) else "session"
        old, rows = (self._holds(name, "session_id", id) for name in ("message", "session_message"))
        return self._in_rows(table, old, rows)

    def messages(self, id: str) -> Iterator[tuple[str, Any, Iterator[tuple[str, Any]]]]:
        """The messages of version 1: id, data, and the ids and data of their parts."""
        for name, data in self._database.execute(MESSAGES, (id,)):
            parts = ((text(part), said) for part, said in self._database.execute(PARTS, (text(name),)))
            yield text(name), data, parts

    def rows(self, id: str) -> Iterator[tuple[str, str, Any]]:
        """The messages of version 2: id, type and data."""
        columns = {text(name) for _, name, *_ in self._database.execute("PRAGMA table_info(session_message)")}
        order = "seq, id" if "seq" in columns else "time_created, id"
        for message, kind, data in self._database.execute(ROWS.format(order), (id,)):
            yield text(message), text(kind), data

    def newest(self, id: str, count: int) -> list[bytes]:
        """What was begun last in a session, as JSON: parts, or rows."""
        table = "session_message" if self.in_rows(id) else "part"
        found = self._database.execute(NEWEST.format(table), (id, count))
        return [data for (data,) in found if isinstance(data, bytes)]

    def _session_tables(self) -> list[str]:
        """The tables of sessions, the one that counts last; without any of them asking for one raises."""
        return [table for table in ("session", "session_v2") if table in self._names] or ["session"]

    def _counts(self, table: str) -> dict[Any, tuple[int, int]]:
        if table not in self._names:
            return {}
        told = self._database.execute(COUNTS.format(table))
        return {id: (_number(count), _number(latest)) for id, count, latest in told}

    def _holds(self, table: str, column: str, value: str) -> bool:
        if table not in self._names:
            return False
        query = f"SELECT 1 FROM {table} WHERE {column} = ? LIMIT 1"
        return self._database.execute(query, (value,)).fetchone() is not None

    def _in_rows(self, table: str, messages: int, rows: int) -> bool:
        return table == "session_v2" or (rows > 0 and messages == 0)


def _number(value: Any) -> int:
    return value if isinstance(value, int) else 0
