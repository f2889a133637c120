"""Drafts and reads that the tests of the store share."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from prune_mcp.storage.codec import encode
from prune_mcp.storage.protocol import Store
from prune_mcp.storage.records import Output, SessionRecord

SESSION = "11111111-2222-3333-4444-555555555555"


def draft(call_id: str, text: str, entry: str = "entry") -> tuple[Output, bytes]:
    """A draft of one output and its body."""
    data = encode(text)
    return Output(0, call_id, entry, "", tool="Bash", key="ls", chars=len(text), size=len(data)), data


def archive(store: Store, *texts: str, session: str = SESSION) -> list[Output]:
    """Archive one output for each text in one transaction, under the call ids `call-<text's beginning>`."""
    with store.write() as writer:
        writer.session(SessionRecord(session))
        return writer.archive(session, [draft(f"call-{text[:20]}", text) for text in texts])


def large_text(mark: str) -> str:
    """A text whose body stands in a file of its own."""
    return f"{mark}: a line of a long log\n" * 5000


def asked(path: Path, question: str) -> list[tuple[object, ...]]:
    """What a store file answers to a question in SQL."""
    connection = sqlite3.connect(path)
    try:
        return connection.execute(question).fetchall()
    finally:
        connection.close()


def everything_in(store: Store) -> dict[str, tuple[object, ...]]:
    """All that the store says of each session."""
    return {record.id: (record, *records_of(store, record.id)) for record in store.sessions()}


def records_of(store: Store, session: str) -> tuple[object, ...]:
    """All that the store says of one session beside its own record."""
    return (
        store.outputs(session),
        store.blocks(session),
        store.flushes(session),
        store.facets(session),
        store.diagnostics(session),
    )


def files_below(folder: Path) -> dict[str, tuple[bytes, int]]:
    """The bytes and the time of change of every file below a folder, by name."""
    return {
        str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
