"""Output that Claude Code moved to a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from prune_mcp.sessions.transcript import open_transcript
from tests.sessions.transcripts.writing import SESSION, ClaudeFile, tool_use

pytestmark = pytest.mark.requirement("SES-PERSISTED")
WHOLE = "line\r\n" * 30_000 + "caf\u00e9 \u2028 end"


def moved(file: ClaudeFile, path: str) -> str | None:
    """What a transcript gives for an output whose preview names `path`."""
    preview = (
        f"<persisted-output>\nOutput too large (141KB). Full output saved to: {path}\n\nPreview (first 2KB):\nline"
    )
    file.prompt()
    file.says(tool_use("t1"))
    file.result("t1", preview)
    transcript = open_transcript(file.path)
    return transcript.persisted(transcript.archive()[0])


def results_folder(file: ClaudeFile) -> Path:
    folder = file.path.with_suffix("") / "tool-results"
    folder.mkdir(parents=True)
    (folder / "toolu_1.txt").write_bytes(WHOLE.encode())
    return folder


def test_the_whole_output_is_read_from_the_sessions_own_folder(claude: ClaudeFile) -> None:
    results_folder(claude)
    elsewhere = f"/home/OTHER/.claude/projects/-x/{SESSION}/tool-results/toolu_1.txt"
    assert moved(claude, elsewhere) == WHOLE


def test_the_path_may_stand_beside_the_output(claude: ClaudeFile) -> None:
    results_folder(claude)
    claude.prompt()
    claude.says(tool_use("t1"))
    claude.result("t1", "head of it", toolUseResult={"persistedOutputPath": "C:\\Users\\x\\toolu_1.txt"})
    transcript = open_transcript(claude.path)
    assert transcript.persisted(transcript.archive()[0]) == WHOLE


def test_no_other_folder_is_read(claude: ClaudeFile, tmp_path: Path) -> None:
    folder = results_folder(claude)
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    (folder.parent / "secret.txt").write_text("secret")
    (folder / "link.txt").symlink_to(secret)
    for path in (str(secret), "../secret.txt", "tool-results/../../secret.txt", f"{folder}/link.txt", "..", "."):
        assert moved(claude, path) is None, path


def test_a_folder_that_leads_elsewhere_is_not_read(claude: ClaudeFile, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "toolu_1.txt").write_text("secret")
    claude.path.with_suffix("").mkdir()
    (claude.path.with_suffix("") / "tool-results").symlink_to(other)
    assert moved(claude, "/x/tool-results/toolu_1.txt") is None


def test_a_missing_file_and_a_plain_output_give_nothing(claude: ClaudeFile) -> None:
    assert moved(claude, "/x/tool-results/toolu_2.txt") is None
    claude.turn("t2", "all of it, saved to: toolu_1.txt")
    transcript = open_transcript(claude.path)
    assert transcript.persisted(transcript.archive()[1]) is None
    assert transcript.persisted(transcript.messages[0].blocks[0]) is None


def test_a_subagents_output_stands_in_its_parents_folder(tmp_path: Path) -> None:
    parent = ClaudeFile(tmp_path / f"{SESSION}.jsonl")
    results_folder(parent)
    for place in (
        f"{SESSION}/subagents/agent-a1.jsonl",
        f"{SESSION}/subagents/workflows/r/agent-a2.jsonl",
        "agent-a3.jsonl",
    ):
        assert moved(ClaudeFile(tmp_path / place), "/x/tool-results/toolu_1.txt") == WHOLE
