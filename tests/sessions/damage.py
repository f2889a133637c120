"""Damage to sessions: odd values in the place of others, and a reading that must go through all the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from prune_mcp.sessions.history import read_history
from prune_mcp.sessions.model import SessionError
from prune_mcp.sessions.transcript import open_transcript
from prune_mcp.sessions.view import View
from tests.sessions.history.told import session_file
from tests.sessions.transcripts.reading import picture

ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.just("\ud83d"),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
# What `change` does, one after the other.
CHANGES = st.lists(st.tuples(st.integers(0), ODD), min_size=1, max_size=4)


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in a value, as what holds it and its key."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in list(items):
        yield value, key
        yield from places(inner)


def change(value: Any, changes: Sequence[tuple[int, Any]]) -> None:
    """Put odd values in the place of others, each at the place of a number."""
    for number, odd in changes:
        there = list(places(value))
        holder, key = there[number % len(there)]
        holder[key] = odd


def read_everything(path: Path) -> None:
    """Read a session in every way there is."""
    try:
        session = open_transcript(path)
    except SessionError:
        return
    picture(session)
    for message in session.messages:
        for block in message.blocks:
            session.images(block)
            if block.kind == "call":
                session.arguments(block)
            session.persisted(block)
    stubs = {block.place: "stub" for block in session.archive()}
    notes = {block.place: "note" for message in session.messages for block in message.calls}
    shown = range(len(session.messages))
    for view in (
        View(),
        View(texts=stubs),
        View(notes=notes, dropped=set(shown[::3])),
        View(inserted={-1: ["x"]}),
    ):
        list(session.render(view))
    # A session in a database has an address that is no file.
    if path.is_file():
        history = read_history(session_file(path))
        told = [(passage.entry, passage.at) for passage in [*history.passages(), *history.rest()]]
        assert len(set(told)) == len(told)
