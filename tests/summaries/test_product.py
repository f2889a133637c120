"""Summaries from the engine, the tool and the command line, with a real endpoint behind them."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio import to_thread
from mcp import Client

from prune_mcp.engine import Engine, Settings
from prune_mcp.engine.summaries.options import ModelOptions, SummaryOptions
from prune_mcp.server.app import make_server
from tests.pruning.build import Talk, call, log
from tests.server.conftest import environment
from tests.server.transcripts import write_session
from tests.summaries.conftest import KEY, SUMMARIZED, outcome
from tests.summaries.endpoint import Endpoint, Wire, answers, stalls
from tests.summaries.talks import stubs, three_calls


@pytest.fixture
def engine(env: dict[str, str], endpoint: Endpoint) -> Iterator[Engine]:
    """An engine whose settings name the endpoint."""
    model = ModelOptions(base_url=endpoint.url, model="main")
    engine = Engine(env, settings=Settings(summaries=SummaryOptions(endpoint=model, retries=0)))
    yield engine
    engine.close()


@pytest.mark.requirement("PRU-SUMMARY")
def test_the_engine_prunes_messages_with_summaries(engine: Engine, endpoint: Endpoint) -> None:
    messages = three_calls().messages
    answer = engine.prune_messages(messages, summarize="endpoint")
    assert outcome(answer, SUMMARIZED)["outputs"] == 3
    assert engine.prune_messages(messages, summarize="endpoint").messages == answer.messages
    assert engine.prune_messages(messages).messages == answer.messages
    assert len(endpoint.asked) == 1


@pytest.mark.requirement("PRU-SUMMARY")
def test_the_engine_prunes_a_growing_session_with_summaries(
    engine: Engine, endpoint: Endpoint, home: Path, tmp_path: Path
) -> None:
    outputs = [log(90, "first"), "ok", "ok", "ok"]
    path = write_session(home, "s-one", tmp_path, outputs=outputs)
    answer = engine.prune_transcript(path, summarize="endpoint", render=True)
    entries = list(answer.messages)
    assert outcome(answer, SUMMARIZED)["outputs"] == 1
    again = engine.prune_transcript(path, summarize="endpoint", render=True)
    assert list(again.messages) == entries
    write_session(home, "s-one", tmp_path, outputs=[*outputs, log(80, "second"), "ok", "ok", "ok"])
    engine.prune_transcript(path, summarize="endpoint")
    assert ["first step" in asked.prompt for asked in endpoint.asked] == [True, False]
    assert [output.state for output in engine.store.outputs("s-one")].count("summary") == 2


@pytest.mark.requirement("PRU-SUMMARY")
async def test_the_engine_asks_from_within_an_event_loop_too(engine: Engine) -> None:
    answer = engine.prune_messages(three_calls().messages, summarize="endpoint")
    assert outcome(answer, SUMMARIZED)["outputs"] == 3


@pytest.mark.requirement("PRU-SUMMARY")
def test_two_prunes_of_one_session_at_once_end_in_one_plan(engine: Engine, endpoint: Endpoint) -> None:
    messages, answered = three_calls().messages, answers()

    def behave(wire: Wire) -> None:
        endpoint.gathered.wait(20)
        answered(wire)

    endpoint.behave, endpoint.gathers = behave, 2
    found: list[Any] = []
    work = [
        threading.Thread(
            target=lambda: found.append(engine.prune_messages(messages, summarize="endpoint").messages)
        )
        for _ in range(2)
    ]
    for thread in work:
        thread.start()
    for thread in work:
        thread.join()
    assert found[0] == found[1]
    (record,) = engine.store.sessions()
    assert record.flushes == 1
    (usage,) = engine.store.model_usage(record.id)
    assert usage.calls == 2


@pytest.mark.requirement("SRV-PROGRESS", "SRV-ERAS")
@pytest.mark.parametrize("era", ["auto", "legacy"])
async def test_the_tool_tells_progress_and_other_calls_go_on(engine: Engine, endpoint: Endpoint, era: Any) -> None:
    told: list[str] = []
    begun = stalls("- [[1:Bash]] half")
    endpoint.behave = begun

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        told.append(message or "")

    async def ask(client: Client) -> None:
        arguments = {"messages": three_calls().messages, "summarize": "endpoint"}
        result = await client.call_tool("prune_context", arguments, progress_callback=hear)
        assert not result.is_error

    with anyio.fail_after(30):
        async with Client(make_server(lambda: engine), mode=era) as client, anyio.create_task_group() as calls:
            calls.start_soon(ask, client)
            assert await to_thread.run_sync(endpoint.begun.wait, 10)
            other = Talk().prompt("Other.").turn(call("Bash", log(90), command="b")).turns(4)
            result = await client.call_tool("prune_context", {"messages": other.messages})
            assert not result.is_error
            endpoint.released.set()
    assert "summary 1 of 1: 17 characters" in told


@pytest.mark.requirement("SRV-PROGRESS", "SRV-ERAS")
@pytest.mark.parametrize("era", ["auto", "legacy"])
async def test_a_cancelled_call_lets_go_of_the_endpoint_and_leaves_the_store_whole(
    engine: Engine, endpoint: Endpoint, era: Any
) -> None:
    gone = threading.Event()

    def behave(wire: Wire) -> None:
        wire.head()
        try:
            while not endpoint.released.wait(0.02):
                wire.piece("x")
        finally:
            gone.set()

    endpoint.behave = behave
    messages = three_calls().messages
    with anyio.fail_after(30):
        async with Client(make_server(lambda: engine), mode=era) as client:
            async with anyio.create_task_group() as calls:
                calls.start_soon(
                    client.call_tool, "prune_context", {"messages": messages, "summarize": "endpoint"}
                )
                assert await to_thread.run_sync(endpoint.begun.wait, 10)
                calls.cancel_scope.cancel()
            assert await to_thread.run_sync(gone.wait, 10)
            (record,) = engine.store.sessions()
            assert (record.flushes, record.frontier) == (0, 0)
            endpoint.behave = answers()
            result = await client.call_tool("prune_context", {"messages": messages, "summarize": "endpoint"})
    assert result.structured_content is not None
    assert all(" | summary]" in stub for stub in stubs(result.structured_content["messages"]))


@pytest.mark.requirement("PRU-SUMMARY", "SRV-CONFIG")
def test_the_command_takes_the_model_from_settings_and_the_key_from_the_environment(
    home: Path, tmp_path: Path, endpoint: Endpoint
) -> None:
    path = write_session(home, "s-one", tmp_path, outputs=[log(90), "ok", "ok", "ok"])
    ran = _run(
        home,
        path,
        PRUNE_MCP_SUMMARIES__ENDPOINT__BASE_URL=endpoint.url,
        PRUNE_MCP_SUMMARIES__ENDPOINT__MODEL="main",
        PRUNE_MCP_SUMMARIES__ENDPOINT__INPUT_PRICE="0.5",
        OPENAI_API_KEY=KEY,
    )
    answer = json.loads(ran.stdout)
    assert SUMMARIZED in [outcome["reason"] for outcome in answer["outcomes"]]
    assert endpoint.asked[0].headers["authorization"] == f"Bearer {KEY}"
    kept = b"".join(file.read_bytes() for file in (home / "prune-mcp").rglob("*") if file.is_file())
    assert KEY.encode() not in kept + ran.stdout + ran.stderr


@pytest.mark.requirement("PRU-SUMMARY")
def test_the_command_says_in_a_sentence_what_is_missing(home: Path, tmp_path: Path) -> None:
    path = write_session(home, "s-one", tmp_path, outputs=[log(90), "ok", "ok", "ok"])
    (found,) = json.loads(_run(home, path).stdout)["diagnostics"]
    assert found["detail"] == (
        "summaries: no model of api.openai.com is named; set summaries.endpoint.model. Digests stand instead."
    )


def _run(home: Path, path: Path, **env: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "prune_mcp.server", "prune", str(path), "--json", "--summarize", "endpoint"]
    return subprocess.run(command, env=environment(home) | env, capture_output=True, check=True, timeout=60)
