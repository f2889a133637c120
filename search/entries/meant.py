"""Which entry is meant, of those in the sessions that could be, and what to say where that is not to be told."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from difflib import get_close_matches

from prune_mcp.search.entries.entry_ref import SHORT, SHORTEST, EntryRef
from prune_mcp.search.entries.session_entries import SessionEntries
from prune_mcp.search.entries.session_names import SessionNames
from prune_mcp.search.find.question import SearchError

NEAR = 3
# Such an id is named in full, and not by its beginning.
_GOES_ON = re.compile(r"[.#]\d+$")


def meant_entry(wanted: EntryRef, sessions: Sequence[SessionEntries]) -> tuple[SessionEntries, str]:
    """The one entry that is meant, and whose it is.

    Raises:
        SearchError: there is none (what is near is named), or several (some are named).
    """
    found = [(entries, id) for entries in sessions for id in entries.parts if wanted.means_entry(id)]
    exactly = [(entries, id) for entries, id in found if id == wanted.entry]
    meant = {(entries.source.session, id): (entries, id) for entries, id in reversed(exactly or found)}
    by_name = {(session, id): one for (session, id), one in meant.items() if (session, _head(id)) not in meant}
    if len(by_name) == 1:
        return next(iter(by_name.values()))
    if by_name:
        named = ", ".join(f"{id}@{session}" for session, id in sorted(by_name)[:NEAR])
        raise SearchError(f"{wanted} could be {len(by_name)} entries. Name one in full: {named}.")
    known = [id for entries in sessions for id in entries.parts]
    raise SearchError(f"{sessions[0].source.session} has no entry {wanted.entry}. {_near(wanted.entry, known)}")


def unnamed(wanted: EntryRef, known: Collection[str]) -> str:
    """What there is to say where no session is named so: too little of several or of one, or nothing like it."""
    named = wanted.session.partition("/")[0]
    begun = sorted({parent for session in known if (parent := session.partition("/")[0]).startswith(named)})
    if not begun or len(named) >= SHORT:
        return f"There is no session {wanted.session}. {_near(wanted.session, sorted(known))}"
    names, rest = SessionNames(known), wanted.session[len(named) :]
    offer = ", ".join(str(replace(wanted, session=names.short(session) + rest)) for session in begun[:NEAR])
    if len(named) < SHORTEST:
        few = f"{named!r} is too short to name a session: give {SHORTEST} characters of its id or more"
        return f"{few}. {_begin(len(begun))} so: {offer}."
    return f"{_begin(len(begun))} with {named!r}. Name one by more of its id: {offer}."


def _begin(count: int) -> str:
    return "1 session begins" if count == 1 else f"{count} sessions begin"


def _head(id: str) -> str:
    """The id that a part of an entry (`ID.2`) or another of its id (`ID#2`) goes on from, "" for none."""
    head = _GOES_ON.split(id)[0]
    return head if head != id else ""


def _near(word: str, known: Sequence[str]) -> str:
    near = get_close_matches(word, known, NEAR, 0.5)
    return f"Near it: {', '.join(near)}." if near else "Search for its words to get its name."
