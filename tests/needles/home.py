"""The synthetic home that holds every needle, and the search that is to find them."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import pytest

from prune_mcp.server.cli import run
from tests.needles.claude import claude_needles
from tests.needles.codex import codex_needles
from tests.needles.damage import damage_needles
from tests.needles.exports import export_needles
from tests.needles.gemini import gemini_needles
from tests.needles.needle import Needle
from tests.needles.opencode import opencode_needles
from tests.needles.pi import pi_needles

HOSTS = {
    "claude": claude_needles,
    "damage": damage_needles,
    "codex": codex_needles,
    "gemini": gemini_needles,
    "opencode": opencode_needles,
    "pi": pi_needles,
}
# When the files were written last, in seconds since the epoch: the evening of the made-up day.
WRITTEN = 1_770_145_200
# What would lead the search to other homes than the synthetic one.
VARIABLES = (
    "CLAUDE_CONFIG_DIR", "CLAUDE_CODE_SESSION_ID", "CLAUDE_PROJECT_DIR", "CODEX_HOME", "GEMINI_CLI_HOME",
    "XDG_DATA_HOME", "PI_CODING_AGENT_DIR", "PI_CODING_AGENT_SESSION_DIR",
)  # fmt: skip


class Home:
    """A home with needles in it. `folder` holds the hosts' files, `exports` what was brought in."""

    def __init__(self, root: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = root / "home"
        self.data = root / "data"
        self.needles = {name: write(self.folder).found for name, write in HOSTS.items()}
        self.exports, brought = export_needles(root / "exports")
        self.needles["exports"] = [needle for needles in brought for needle in needles.found]
        self._capsys = capsys
        self._put_down()

    def _put_down(self) -> None:
        """Make the files look as if nobody had written to them for a while."""
        for path in self.folder.rglob("*"):
            os.utime(path, (WRITTEN, WRITTEN))

    def command(self, *arguments: str, codes: Collection[int] = (0,)) -> Any:
        """What a command answers as JSON; it ends with one of these codes."""
        self._capsys.readouterr()
        code = run([*arguments, "--json"])
        told = self._capsys.readouterr()
        assert code in codes, told.err
        return json.loads(told.out)

    def bring(self) -> None:
        """Bring the exports in; some of their conversations are broken."""
        for path in self.exports:
            self.command("import", str(path), codes=(0, 1))

    def lose(self) -> None:
        """Take every source away, the exports' copies aside."""
        shutil.rmtree(self.folder)
        self.folder.mkdir()

    def wrong(self, needle: Needle, flags: frozenset[str] = frozenset()) -> list[str]:
        """What is wrong with the answer about a needle; nothing where it is found as it should be."""
        answer = self.command("search", needle.word)
        read = [self.command("read", hit["ref"]) for hit in answer["hits"]]
        told = [*_leaks(needle, json.dumps([answer, read])), *_differences(needle, answer["hits"], flags)]
        return told + [f"read {one}" for one in read if needle.word not in one["entries"][0]["text"]]


def _leaks(needle: Needle, told: str) -> list[str]:
    return [f"the answer holds the secret {secret[:6]}..." for secret in needle.hidden if secret in told]


def _differences(needle: Needle, hits: list[dict[str, Any]], flags: frozenset[str]) -> Iterator[str]:
    if len(hits) != 1:
        yield f"{len(hits)} hits: {[(hit['session'], hit['entry'], hit['role']) for hit in hits]}"
        return
    hit = hits[0]
    told = {"agent": hit["agent"], "role": hit["role"]}
    if told != {"agent": needle.agent, "role": needle.role}:
        yield str(told)
    if not hit["session"].startswith(needle.session):
        yield f"session {hit['session']}"
    if needle.tool and hit["tool"] != needle.tool:
        yield f"tool {hit['tool']!r}"
    if needle.word not in hit["snippet"]:
        yield f"snippet {hit['snippet']!r}"
    if not needle.flags | flags <= set(hit["flags"]):
        yield f"flags {hit['flags']}"
    if not needle.flags and "abandoned" in hit["flags"]:
        yield "abandoned"
    if len(hit["copies"]) != needle.copies:
        yield f"copies {hit['copies']}"
    if needle.time and hit["time"] != needle.time.replace(".000Z", "Z"):
        yield f"time {hit['time']}"
