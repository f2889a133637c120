"""Output that Claude Code moved to a file: found by name, and only in the folder that is the session's own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

MARK = "<persisted-output>"
_SAVED = re.compile(r"saved to: *(.+)")
# Nothing that was ever in a tool's output is larger; what is cannot be one.
LIMIT = 256 << 20


def saved_name(text: str) -> str:
    """The path that a preview names, or "" for a text that is no preview."""
    found = _SAVED.search(text, 0, 4096) if text.startswith(MARK) else None
    return found[1].strip() if found else ""


def read_saved(transcript: Path, session: str, path: str) -> str | None:
    """The text of a moved output, or None where there is no such file.

    Whatever folders `path` names, only its last part counts, and no link is followed out of the session's own
    folder.
    """
    return read_from(_folders(transcript.parent.resolve() / transcript.name, session), path)


def read_from(folders: Iterable[Path], path: str) -> str | None:
    """The text of the file in one of these folders that is called as the path's last part, or None for none.

    `folders` hold no links; no link is followed out of them.
    """
    name = re.split(r"[\\/]", path)[-1]
    if name in ("", ".", "..") or "\0" in name:
        return None
    for folder in folders:
        file = folder / name
        try:
            if file.resolve() == file and file.stat().st_size <= LIMIT:
                return file.read_bytes().decode("utf-8", "surrogateescape")
        except OSError:
            continue
    return None


def _folders(transcript: Path, session: str) -> Iterator[Path]:
    """Where the host keeps a session's moved outputs; a subagent's stand with its parent's."""
    yield transcript.with_suffix("") / "tool-results"
    parent = session.partition("/")[0]
    if parent and not re.search(r"[\\/\0]|^\.+$", parent):
        yield transcript.parent / parent / "tool-results"
    for folder in transcript.parents:
        if folder.name == "subagents":
            yield folder.parent / "tool-results"
