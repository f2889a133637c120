"""Outputs that Gemini CLI moved to files of the project."""

from __future__ import annotations

from pathlib import Path

import pytest

from prune_mcp.sessions.transcript import open_transcript
from tests.sessions.gemini.writing import SESSION, GeminiFile, asks, call, header, says

pytestmark = pytest.mark.requirement("SES-GEMINI", "SES-PERSISTED")

CUT = "Output too large. Showing first 8,000 and last 32,000 characters. For full output see: {}\nOutput: begins"
MASKED = (
    "<tool_output_masked>\n[Tool output (1.00MB, 9 lines) masked. Full output saved to: {}]\n</tool_output_masked>"
)


def persisted(gemini: GeminiFile, preview: str) -> str | None:
    session = open_transcript(gemini.write([header(), asks(1, "go"), says(2, "", call("c1", preview))]))
    return session.persisted(session.archive()[0])


@pytest.mark.parametrize("preview", [CUT, MASKED, f"<tool_output_masked>\n{CUT}\n</tool_output_masked>"])
@pytest.mark.parametrize("folder", [f"session-{SESSION}", ""])
def test_an_output_that_was_moved_is_read_from_its_file(gemini: GeminiFile, preview: str, folder: str) -> None:
    moved = gemini.project / "tool-outputs" / folder / "shell_c1.txt"
    moved.parent.mkdir(parents=True)
    moved.write_bytes(b"the whole output \xff")
    assert persisted(gemini, preview.format("/elsewhere/" + moved.name)) == "the whole output \udcff"


@pytest.mark.parametrize("name", ["missing.txt", "..", "", "../../../secret.txt", "link.txt"])
def test_nothing_outside_of_its_folder_is_read(gemini: GeminiFile, tmp_path: Path, name: str) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    outputs = gemini.project / "tool-outputs"
    outputs.mkdir()
    (outputs / "link.txt").symlink_to(tmp_path / "secret.txt")
    assert persisted(gemini, CUT.format(name)) is None


def test_what_only_mentions_a_moved_output_was_not_moved(gemini: GeminiFile) -> None:
    assert persisted(gemini, "I read: Full output saved to: x.txt") is None
