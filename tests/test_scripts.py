"""What people meet first: the scripts, the pages, the sample session."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SAMPLE = ROOT / "samples" / "flaky-upload.jsonl"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FOLDERS = ("sessions", "pruning", "storage", "search", "engine", "server", "samples", "scripts", "tests", "docs")
# What examples of a query speak of.
MADE_UP = {"upload_test.py"}
SCRIPTS = [*sorted((ROOT / "scripts").iterdir()), ROOT / ".ci" / "run"]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_a_script_is_executable_and_parses(script: Path) -> None:
    assert script.stat().st_mode & stat.S_IXUSR
    subprocess.run(["sh", "-n", script], check=True)


def test_the_readme_names_the_test_command_that_ci_runs() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "scripts/test" in readme
    assert "scripts/test" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_every_file_that_a_page_names_is_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    named = [ROOT / path for path in re.findall(rf"`((?:{'|'.join(FOLDERS)})/[\w./-]*)`", text)]
    linked = [page.parent / path for path in re.findall(r"\]\(([\w./-]+)(?:#[\w-]+)?\)", text)]
    assert [str(path) for path in named + linked if not path.exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_every_module_that_a_page_names_is_there(page: Path) -> None:
    named = re.findall(r"`(\w+\.py)`", page.read_text(encoding="utf-8"))
    there = {path.name for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")}
    assert [name for name in named if name not in there | MADE_UP] == []


def test_the_sample_is_what_its_generator_writes() -> None:
    made = subprocess.run(
        [sys.executable, "-m", "samples.flaky_upload"], cwd=ROOT, check=True, capture_output=True
    )
    assert made.stdout == SAMPLE.read_bytes()


def test_the_sample_is_a_session_of_several_exchanges_with_much_tool_output() -> None:
    messages = [json.loads(line).get("message", {}) for line in SAMPLE.read_text(encoding="utf-8").splitlines()]
    prompts = [message for message in messages if isinstance(message.get("content"), str)]
    blocks = [block for message in messages for block in message.get("content", []) if isinstance(block, dict)]
    results = [block["content"] for block in blocks if block["type"] == "tool_result"]
    assert len(prompts) >= 6
    assert sum(map(len, results)) > 200_000


def test_the_demo_prunes_the_sample_and_recovers_it(home: Path) -> None:
    environment = {**os.environ, "TMPDIR": str(home)}
    command = [sys.executable, str(ROOT / "samples" / "demo.py")]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "equal to the original byte for byte" in run.stdout
    assert "(applied)" in run.stdout
    clients = (ROOT / "docs" / "clients.md").read_text(encoding="utf-8")
    assert re.findall(r"[\d,]+ tokens before", clients)[0] in run.stdout
    assert list(home.iterdir()) == []
