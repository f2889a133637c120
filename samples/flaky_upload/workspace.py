"""The made-up project's files and the host's tools over them: what a read, an edit or a search would answer."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple

from samples.flaky_upload.transcript import CWD

PROJECT = Path(__file__).parent / "project"


class Answer(NamedTuple):
    """A tool's answer: what the model sees, and the structured copy that only the host keeps."""

    text: str
    detail: Any
    error: bool = False


class Workspace:
    """The files by their path under the project's folder."""

    def __init__(self) -> None:
        self.files = {
            path.relative_to(PROJECT).as_posix(): path.read_text(encoding="utf-8")
            for path in sorted(PROJECT.rglob("*"))
            if path.is_file() and "cache" not in path.as_posix()
        }

    def read(self, path: str, start: int = 1, count: int = 2000) -> Answer:
        """Lines of a file, numbered."""
        lines = self.files[path].split("\n")
        total = len(lines)
        picked = lines[start - 1 : start - 1 + count]
        text = "\n".join(f"{number:6}→{line}" for number, line in enumerate(picked, start))
        file = {
            "filePath": f"{CWD}/{path}",
            "content": "\n".join(picked),
            "numLines": len(picked),
            "startLine": start,
            "totalLines": total,
        }
        return Answer(text, {"type": "text", "file": file})

    def edit(self, path: str, old: str, new: str) -> Answer:
        """Replace a text that must occur once."""
        before = self.files[path]
        if before.count(old) != 1:
            message = f"String to replace not found in file.\nString: {old}"
            return Answer(f"<tool_use_error>{message}</tool_use_error>", f"Error: {message}", error=True)
        self.files[path] = before.replace(old, new)
        line = before[: before.index(old)].count("\n") + 1
        detail = {
            "filePath": f"{CWD}/{path}",
            "oldString": old,
            "newString": new,
            "originalFile": before,
            "structuredPatch": [patch(line, old, new)],
            "userModified": False,
            "replaceAll": False,
        }
        return Answer(f"The file {CWD}/{path} has been updated successfully.", detail)

    def write(self, path: str, text: str) -> Answer:
        """Make a file."""
        self.files[path] = text
        detail = {"type": "create", "filePath": f"{CWD}/{path}", "content": text, "structuredPatch": []}
        return Answer(f"File created successfully at: {CWD}/{path}", detail)

    def grep(self, pattern: str, *, context: int = 0) -> Answer:
        """Lines that match in any file, with lines around them."""
        found: list[str] = []
        for path, text in self.files.items():
            lines = text.split("\n")
            hits = [number for number, line in enumerate(lines) if re.search(pattern, line)]
            near = {n for hit in hits for n in range(hit - context, hit + context + 1) if 0 <= n < len(lines)}
            found += [f"{path}{':' if n in hits else '-'}{n + 1}:{lines[n]}" for n in sorted(near)]
        text = "\n".join(found)
        detail = {"mode": "content", "numFiles": 0, "filenames": [], "content": text, "numLines": len(found)}
        return Answer(text, detail)


def patch(line: int, old: str, new: str) -> dict[str, Any]:
    """The host's structured form of one edit."""
    removed, added = old.split("\n"), new.split("\n")
    return {
        "oldStart": line,
        "oldLines": len(removed),
        "newStart": line,
        "newLines": len(added),
        "lines": [*(f"-{text}" for text in removed), *(f"+{text}" for text in added)],
    }


def shell(text: str, *, code: int = 0) -> Answer:
    """A command's answer."""
    if code:
        return Answer(f"Exit code {code}\n{text}", f"Error: Exit code {code}\n{text}", error=True)
    detail = {"stdout": text, "stderr": "", "interrupted": False, "isImage": False, "noOutputExpected": False}
    return Answer(text, detail)
