"""Summaries of other sessions: Claude Code wrote them at the head of a file, each with an entry of its session."""

from __future__ import annotations

import mmap
import os
import re
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from prune_mcp.sessions.folders import changed_at, entries, is_file
from prune_mcp.sessions.jsontext import loads
from prune_mcp.sessions.session_file import is_uuid

# Summaries stand in so many bytes at the start of a file; where the first of these have none, no others do.
HEAD, FIRST = 1 << 16, 1 << 12
# The entry that a summary names is the last one of its session, which stands in so many bytes at a file's end.
END = 1 << 15
# The newest sessions are read first, whichever folder they are in: one that was forgotten is looked through again.
FOLDERS = 256
SUMMARY = re.compile(rb'"type":\s?"summary"')
_ENTRY = re.compile(rb'"uuid":\s?"([^"\\]+)"')
_SESSION = re.compile(rb'"sessionId":\s?"([^"\\]+)"')


def summarized(path: Path, leaf: str) -> str | None:
    """The session of the entry that a summary in this transcript names: "" for its own, else the id of one beside
    it; None where that is not to be seen."""
    if _holds(path, leaf.encode("utf-8", "surrogatepass")):
        return ""
    return _ends(path.parent, changed_at(str(path.parent))).get(leaf)


def summaries_beside(path: Path) -> Mapping[str, str]:
    """By the entry that they name, the summaries at the heads of the transcripts in this one's folder."""
    return _heads(path.parent, changed_at(str(path.parent)))


@lru_cache(maxsize=FOLDERS)
def _ends(folder: Path, changed: int) -> dict[str, str]:
    """The session of each entry at the end of a transcript, as the folder was then; of copies the earliest."""
    found: dict[str, str] = {}
    for entry in _transcripts(folder):
        end = _read(entry.path, -END)
        told = _SESSION.findall(end)
        stem = entry.name.removesuffix(".jsonl")
        session = stem if is_uuid(stem) or not told else told[-1].decode("utf-8", "replace")
        for id in _ENTRY.findall(end):
            found.setdefault(id.decode("utf-8", "replace"), session)
    return found


@lru_cache(maxsize=FOLDERS)
def _heads(folder: Path, changed: int) -> dict[str, str]:
    """The summaries at the heads of transcripts, as the folder was then; the latest written counts."""
    found: dict[str, str] = {}
    for entry in _transcripts(folder):
        if SUMMARY.search(_read(entry.path, FIRST)):
            for line in _read(entry.path, HEAD).split(b"\n"):
                found.update(_summary(line))
    return found


def _summary(line: bytes) -> dict[str, str]:
    try:
        value = loads(line) if SUMMARY.search(line) else None
    except ValueError:
        return {}
    if type(value) is not dict or value.get("type") != "summary":
        return {}
    leaf, text = value.get("leafUuid"), value.get("summary")
    return {leaf: text} if type(leaf) is str and type(text) is str else {}


def _transcripts(folder: Path) -> list[os.DirEntry[str]]:
    """The transcripts in a folder, the earliest written first; none where it cannot be read."""
    unread: Counter[str] = Counter()
    found = [entry for entry in entries(folder, unread) if _is_transcript(entry.name) and is_file(entry, unread)]
    return sorted(found, key=lambda entry: changed_at(entry.path))


def _is_transcript(name: str) -> bool:
    return name.endswith(".jsonl") and not name.startswith("agent-")


def _read(path: str, size: int) -> bytes:
    """So many bytes of a file's start, of its end where that is negative; nothing where it cannot be read."""
    try:
        with Path(path).open("rb", buffering=0) as file:
            if size < 0:
                file.seek(max(0, os.fstat(file.fileno()).st_size + size))
            return file.read(abs(size))
    except OSError:
        return b""


def _holds(path: Path, id: bytes) -> bool:
    """Whether a transcript has an entry of this id."""
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return re.search(rb'"uuid":\s?"' + re.escape(id) + rb'"', data) is not None
    except (OSError, ValueError):
        return False
