"""Bringing in exported conversations: read as a stream, kept one by one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from prune_mcp.sessions.exports.file_import import FileImport
from prune_mcp.sessions.exports.files import ExportFile, files_of
from prune_mcp.sessions.exports.keep import Imports
from prune_mcp.sessions.exports.kinds import IMPORTABLE
from prune_mcp.sessions.exports.report import ImportReport
from prune_mcp.sessions.model import SessionError

__all__ = ["ImportReport", "Progress", "import_export"]

# Bytes done, bytes in all, and which file is being read.
Progress = Callable[[float, float, str], None]


def import_export(path: Path, folder: Path, progress: Progress | None = None) -> ImportReport:
    """Keep every conversation of an export in `folder`, one file for each, and refresh those kept before.

    `path`: see `IMPORTABLE`. No more than one conversation is held at a time.

    Raises:
        SessionError: there is no such file, nothing in it can be imported (the message says what was seen), or
            the folder cannot be written.
    """
    files = files_of(path)
    imports, report = Imports(folder), ImportReport()
    try:
        _import(files, imports, report, progress)
        imports.sync()
    except OSError as error:
        raise SessionError(
            f"Nothing more can be kept in {folder} ({error.strerror}). Make room there, or give yourself write "
            "rights, and import again: what is kept already stays."
        ) from error
    if not (report.kept or report.bad):
        seen = "; ".join(f"{fault.where} {fault.why}" for fault in report.passed_over[:3])
        raise SessionError(
            f"Nothing in {path} can be imported: {seen or 'it holds no json file'}. What can be: {IMPORTABLE}."
        )
    return report


def _import(files: list[ExportFile], imports: Imports, report: ImportReport, progress: Progress | None) -> None:
    total, done = float(sum(file.size for file in files)), 0.0
    for file in files:
        for read in FileImport(file, imports, report).run():
            if progress is not None:
                progress(done + read, total, file.name)
        done += file.size
