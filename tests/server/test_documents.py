"""The tools and commands on sessions that are documents: Gemini CLI's, and those inside opencode's database."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from prune_mcp.engine.engine import Engine
from prune_mcp.server.cli import run
from tests.pruning.build import log
from tests.server.conftest import Connect, FakeEngine, text_of
from tests.sessions.gemini import writing as gemini
from tests.sessions.opencode import writing as opencode

pytestmark = pytest.mark.requirement("SES-GEMINI", "SES-OPENCODE")

OUTPUTS = [log(60, f"part_{number}.py") for number in range(8)]
NOTE = {"note": "find me"}
Write = Callable[[], tuple[str, Path]]


def gemini_talk() -> list[dict[str, Any]]:
    """An exchange with outputs, and at its end our own call that still runs."""
    steps = [gemini.says(n, "", gemini.call(f"c{n}", output)) for n, output in enumerate(OUTPUTS, 2)]
    own = gemini.call("own", name="prune-mcp__prune_context", args=NOTE, status="executing")
    return [gemini.asks(1, "go"), *steps, gemini.says(20, "", own)]


@pytest.fixture(params=["gemini lines", "gemini whole", "opencode"])
def write(request: pytest.FixtureRequest, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Writes a live session of this folder; its id and its address."""
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)

    def written() -> tuple[str, Path]:
        if request.param == "opencode":
            return opencode.SESSION, _opencode(home, folder)
        file = gemini.GeminiFile(home, ending="jsonl" if "lines" in request.param else "json")
        (file.project / ".project_root").write_text(str(folder))
        if "lines" in request.param:
            return gemini.SESSION, file.write([gemini.header(), *gemini_talk()])
        return gemini.SESSION, file.whole(gemini_talk())

    return written


def _opencode(home: Path, folder: Path) -> Path:
    database = opencode.Database(home)
    steps = [opencode.says(n, opencode.tool(f"c{n}", output)) for n, output in enumerate(OUTPUTS, 2)]
    own = opencode.says(20, opencode.tool("own", name="prune-mcp_prune_context", input=NOTE))
    now = {"directory": str(folder), "time_updated": int(time.time() * 1000)}
    address = database.session(opencode.SESSION, opencode.asks(1, "go"), *steps, own, **now)
    database.close()
    return address


async def test_the_tools_prune_a_session_by_its_id_and_bring_it_back(connect: Connect, write: Write) -> None:
    id, _ = write()
    engine = Engine(os.environ)
    async with connect(engine) as client:
        pruned = await client.call_tool("prune_context", {"session": id[:12], "keep_turns": 1})
        assert not pruned.is_error, text_of(pruned)
        answer = cast(dict[str, Any], pruned.structured_content)
        assert (answer["session"], answer["effect"]) == (id, "advisory")
        assert answer["tokens_after"] < answer["tokens_before"]
        tree = await client.call_tool("context_tree_query", {"session": id})
        assert "t1" in text_of(tree)
        found = await client.call_tool("context_tree_query", {"refs": ["t2"], "session": id})
        assert OUTPUTS[1].splitlines()[30] in text_of(found)
    engine.close()


async def test_a_call_without_a_session_is_about_the_one_that_made_it(
    connect: Connect, fake: FakeEngine, write: Write, home: Path
) -> None:
    _, address = write()
    gemini.GeminiFile(home, "elsewhere", "5e551014-0000-4000-8000-0000000000ff").write(
        [gemini.header("5e551014-0000-4000-8000-0000000000ff"), gemini.asks(1, "another live one")]
    )
    async with connect(fake.engine) as client:
        result = await client.call_tool("prune_context", NOTE)
    assert not result.is_error, text_of(result)
    assert fake.calls[0][1]["path"] == address


def test_the_commands_work_on_a_session(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    id, address = write()

    def told(*arguments: str) -> Any:
        capsys.readouterr()
        assert run([*arguments, "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    for words in ([id], [str(address)], []):
        answer = told("prune", *words, "--keep-turns", "1")
        assert answer["session"] == id
    assert [row["id"] for row in told("sessions")] == [id]
    assert "t1" in json.dumps(told("tree", id))
    shown = told("show", "t3", "--session", id)
    assert OUTPUTS[2] in json.dumps(shown, ensure_ascii=False).replace("\\n", "\n")
