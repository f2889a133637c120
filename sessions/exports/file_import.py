"""The import of one file of an export: each conversation in it is kept, or told with the reason why not."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from prune_mcp.sessions.exports.files import ExportFile, Unreadable
from prune_mcp.sessions.exports.keep import Imports, Outcome
from prune_mcp.sessions.exports.kinds import Kept, Unknown, kept_as
from prune_mcp.sessions.exports.report import Fault, ImportReport
from prune_mcp.sessions.exports.stream import Value, Values
from prune_mcp.sessions.jsontext import loads
from prune_mcp.sessions.model import SessionError
from prune_mcp.sessions.partial import partial, standing

# An array of a million numbers is told by its first elements.
UNKNOWN_TOLD = 20
# How a conversation begins behind another one; a torn one may have swallowed those behind it.
_BEHIND = re.compile(r'(?<=,)\s*\{\s*"(?:uuid|id|title|name|conversation_id|create_time|account)"\s*:')
_BLANK = b" \t\r\n\xef\xbb\xbf"


class FileImport:
    """One file on its way among the imports; what comes of it goes into the report."""

    def __init__(self, file: ExportFile, imports: Imports, report: ImportReport) -> None:
        self._file = file
        self._imports = imports
        self._report = report
        self._values = Values()
        self._unknown: list[Fault] = []
        self._found = self._cut = False
        self._read = 0

    def run(self) -> Iterator[int]:
        """Import the file; tells now and then how many of its bytes are read.

        Raises:
            OSError: a conversation cannot be written.
        """
        try:
            for value in self._values.split(self._chunks()):
                self._take(value)
                yield self._read
        except Unreadable as fault:
            self._cut = True
            self._bad(self._file.name, str(fault))
        self._finish()

    def _chunks(self) -> Iterator[bytes]:
        for chunk in self._file.chunks():
            if not self._read and chunk.lstrip(_BLANK)[:1] not in (b"[", b"{"):
                self._unknown.append(Fault(self._file.name, "is no JSON"))
                return
            self._read += len(chunk)
            yield chunk

    def _take(self, value: Value) -> None:
        where = f"{self._file.name}, conversation {value.number}"
        if value.damage:
            self._cut = not self._values.ended
            self._damaged(where, value)
            return
        try:
            self._keep(where, value.data)
        except Unknown as unknown:
            if len(self._unknown) < UNKNOWN_TOLD:
                self._unknown.append(Fault(where, str(unknown)))
        except SessionError as fault:
            self._bad(where, str(fault))
        except ValueError as fault:
            self._damaged(where, value._replace(damage=f"is no valid JSON ({fault})"))

    def _keep(self, where: str, data: bytes) -> None:
        kept = kept_as(loads(data), self._file.stem)
        self._count(self._imports.keep(kept, data, self._file.mtime))
        if kept.flaw:
            self._report.flawed.append(Fault(where, kept.flaw))

    def _damaged(self, where: str, value: Value) -> None:
        """Keep what a damaged value still holds: the beginning of a file that is one session, and whole
        conversations behind a torn one."""
        text = value.data.decode("utf-8", "surrogateescape")
        if not self._values.listed and (kept := _still(partial(text), self._file.stem)):
            self._report.flawed.append(Fault(where, f"{value.damage}; what stands before is kept"))
            self._count(self._imports.keep(kept, value.data, self._file.mtime, whole=False))
            return
        self._bad(where, value.damage)
        for found in standing(text[1:], _BEHIND, lambda found: _still(found, "") is not None):
            # In escapes, since the text may hold what is no UTF-8.
            self._keep(f"{where}, in what follows", json.dumps(found, separators=(",", ":")).encode())

    def _count(self, outcome: Outcome) -> None:
        self._found = True
        setattr(self._report, outcome, getattr(self._report, outcome) + 1)

    def _bad(self, where: str, why: str) -> None:
        self._found = True
        self._report.bad.append(Fault(where, why))

    def _finish(self) -> None:
        """Values of no known kind are bad beside conversations; alone they tell what the file is."""
        if self._found:
            self._report.bad += self._unknown
            if not (self._values.ended or self._cut):
                self._bad(self._file.name, "ends before its end")
        elif self._unknown:
            self._report.passed_over.append(Fault(self._file.name, self._unknown[0].why))
        else:
            self._report.passed_over.append(Fault(self._file.name, "is empty"))


def _still(value: Any, name: str) -> Kept | None:
    """How a value is kept that may be damaged, None where it is no conversation."""
    try:
        return kept_as(value, name)
    except SessionError:
        return None
