"""A call that names no session is about the session that made it, told by what stands on disk."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.types import Implementation

from prune_mcp.engine.engine import Engine
from prune_mcp.server import caller
from prune_mcp.server.app import make_server
from prune_mcp.sessions.session_file import SessionFile
from tests.server.conftest import Connect, FakeEngine, text_of
from tests.server.transcripts import call_entry, entry, write_session

pytestmark = pytest.mark.requirement("SES-WHICH")

ARGUMENTS = {"note": "find me", "keep_turns": 2}


@pytest.fixture
def here(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder the server was started in."""
    for name in ("CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CLAUDE_PROJECT_DIR"):
        monkeypatch.delenv(name, raising=False)
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


async def pruned_path(connect: Connect, fake: FakeEngine, **call: Any) -> Path:
    """The transcript that `prune_context` without a session reaches the engine with."""
    async with connect(fake.engine) as client:
        result = await client.call_tool("prune_context", ARGUMENTS, **call)
    assert not result.is_error, text_of(result)
    path = fake.calls[0][1]["path"]
    assert isinstance(path, Path)
    return path


async def refusal(connect: Connect, fake: FakeEngine) -> str:
    async with connect(fake.engine) as client:
        result = await client.call_tool("prune_context", ARGUMENTS)
    assert result.is_error
    return text_of(result)


async def test_the_session_that_holds_this_very_call_is_meant(
    connect: Connect, fake: FakeEngine, home: Path, here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_session(home, "s-host", here)
    write_session(home, "s-other", here, tail=call_entry("s-other", here, {"note": "another"}))
    elsewhere = tmp_path / "elsewhere"
    own = write_session(home, "s-own", elsewhere, tail=call_entry("s-own", elsewhere, ARGUMENTS))
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "s-host")
    assert await pruned_path(connect, fake) == own


async def test_a_host_may_write_the_call_a_moment_after_making_it(
    connect: Connect, fake: FakeEngine, home: Path, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = write_session(home, "s-own", here)
    write_session(home, "s-other", here)
    looks = []
    look = caller._live

    def live_then_written(files: list[SessionFile]) -> Any:
        found = look(files)
        looks.append(found)
        if len(looks) == 2:
            with own.open("a", encoding="utf-8") as file:
                file.write(call_entry("s-own", here, ARGUMENTS))
        return found

    monkeypatch.setattr(caller, "_live", live_then_written)
    assert await pruned_path(connect, fake) == own


@pytest.mark.parametrize(("client", "looks"), [("some-client", [3, 1, 1]), ("claude-code", [3, 3, 3])])
async def test_a_client_of_no_known_host_is_waited_for_in_vain_only_once(
    fake: FakeEngine, home: Path, here: Path, monkeypatch: pytest.MonkeyPatch, client: str, looks: list[int]
) -> None:
    monkeypatch.setattr(caller, "WAITS_SECONDS", (0.0, 0.0, 0.0))
    own = write_session(home, "s-own", here)
    looked: list[int] = []
    look = caller._live

    def counted(files: list[SessionFile]) -> list[SessionFile]:
        looked[-1] += 1
        return look(files)

    monkeypatch.setattr(caller, "_live", counted)
    name = Implementation(name=client, version="1")
    async with Client(make_server(lambda: fake.engine), mode="legacy", client_info=name) as connected:
        for _ in looks:
            looked.append(0)
            assert not (await connected.call_tool("prune_context", ARGUMENTS)).is_error
    assert looked == looks
    assert [values["path"] for told, values in fake.calls if told == "prune_transcript"] == [own] * 3


async def test_a_subagents_call_is_about_the_subagents_own_context(
    connect: Connect, fake: FakeEngine, home: Path, here: Path
) -> None:
    parent = write_session(home, "s-own", here)
    folder = parent.parent / "s-own" / "subagents"
    folder.mkdir(parents=True)
    agent = folder / "agent-a1.jsonl"
    first = entry("s-own", here, "u-0", None, {"role": "user", "content": "go"}, isSidechain=True, agentId="a1")
    agent.write_text(first + call_entry("s-own", here, ARGUMENTS), encoding="utf-8")
    assert await pruned_path(connect, fake) == agent


async def test_the_hosts_word_in_the_environment_or_the_request_counts_next(
    connect: Connect, fake: FakeEngine, home: Path, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = write_session(home, "s-one", here), write_session(home, "s-two", here)
    monkeypatch.setattr(caller, "WAITS_SECONDS", (0.0,))
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "s-two")
    assert await pruned_path(connect, fake) == second
    fake.calls.clear()
    assert await pruned_path(connect, fake, meta={"example.com/sessionId": "s-one"}) == first


async def test_the_only_live_session_of_the_folder_counts_last(
    connect: Connect, fake: FakeEngine, home: Path, here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(caller, "WAITS_SECONDS", (0.0,))
    live = write_session(home, "s-live", here)
    write_session(home, "s-old", here, age=3600)
    write_session(home, "s-elsewhere", tmp_path / "elsewhere")
    assert await pruned_path(connect, fake) == live


async def test_two_live_sessions_give_an_error_that_names_both(
    connect: Connect, fake: FakeEngine, home: Path, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(caller, "WAITS_SECONDS", (0.0,))
    write_session(home, "s-one", here)
    write_session(home, "s-two", here)
    told = await refusal(connect, fake)
    assert "s-one" in told
    assert "s-two" in told
    assert [name for name, _ in fake.calls if name != "close"] == []


async def test_without_a_live_session_the_error_names_the_three_newest(
    connect: Connect, fake: FakeEngine, home: Path, here: Path
) -> None:
    for age in range(1, 6):
        write_session(home, f"s-{age}", here, age=3600 * age)
    told = await refusal(connect, fake)
    assert [f"s-{age}" in told for age in range(1, 6)] == [True, True, True, False, False]


async def test_a_host_whose_sessions_cannot_be_read_is_told_so(fake: FakeEngine, home: Path, here: Path) -> None:
    write_session(home, "s-live", here)
    name = Implementation(name="claude-ai", version="1")
    async with Client(make_server(lambda: fake.engine), mode="legacy", client_info=name) as client:
        result = await client.call_tool("prune_context", ARGUMENTS)
    assert "Claude Desktop cannot be read" in text_of(result)


async def test_a_session_is_named_by_id_beginning_or_path(
    connect: Connect, fake: FakeEngine, home: Path, here: Path
) -> None:
    path = write_session(home, "s-named-in-full", here, age=90_000)
    async with connect(fake.engine) as client:
        for word in ("s-named-in-full", "s-nam", str(path)):
            assert not (await client.call_tool("prune_context", {"session": word})).is_error
        wrong = await client.call_tool("prune_context", {"session": "zzz"})
    assert [values["path"] for name, values in fake.calls if name == "prune_transcript"] == [path] * 3
    assert "There is no session 'zzz'" in text_of(wrong)


async def test_refs_are_those_of_the_callers_session_or_of_the_one_above_a_subagent(
    connect: Connect, home: Path, here: Path
) -> None:
    engine = Engine(os.environ)
    body = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "the output"}]}
    use = {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "Bash", "input": {}}]}
    for session in ("s-own", "s-other"):
        engine.prune_messages([{"role": "user", "content": session}, use, body], session=session)
    parent = write_session(home, "s-own", here)
    folder = parent.parent / "s-own" / "subagents"
    folder.mkdir(parents=True)
    query = {"refs": ["t1"]}
    line = call_entry("s-own", here, query, "context_tree_query")
    (folder / "agent-a1.jsonl").write_text(line, encoding="utf-8")
    async with connect(engine) as client:
        shown = await client.call_tool("context_tree_query", query)
        assert "the output" in text_of(shown)
        # Without the caller's session the bare ref could mean both.
        (folder / "agent-a1.jsonl").unlink()
        os.utime(parent, (1, 1))
        unclear = await client.call_tool("context_tree_query", query)
    assert unclear.is_error
    assert "s-other" in text_of(unclear)
