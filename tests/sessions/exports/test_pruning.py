"""Pruning conversations from exports: views in the host's own format, and every output back byte for byte."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from prune_mcp.engine import Engine
from prune_mcp.pruning.options import ChainOptions, OpenChainOptions
from prune_mcp.sessions.transcript import open_transcript
from prune_mcp.sessions.view import View
from tests.pruning.build import log
from tests.sessions.exports.build import ROOT, Imports, chat, said, says, thread
from tests.validity_exports import added_faults

pytestmark = pytest.mark.requirement("SES-EXPORTS")

Make = Callable[..., Engine]
STUB = re.compile(r"\[pruned t\d+: ")


def long_thread(runs: int = 12) -> dict[str, Any]:
    """A conversation with that many runs of code, in exchanges of three; every fifth has two outputs."""
    messages = []
    for number in range(runs):
        if number % 3 == 0:
            messages.append(says("user", f"Question {number}"))
        text = {"content_type": "code", "language": "python", "text": f"run_{number}()"}
        messages.append(says("assistant", text, "python"))
        for part in range(2 if number % 5 == 0 else 1):
            content = {"content_type": "execution_output", "text": log(60, f"out_{number}_{part}.py") + "\ud83d"}
            messages.append(says("tool", content, name="python"))
        if number % 3 == 2:
            messages.append(says("assistant", f"Answer {number}"))
    messages.append(says("tool", {"content_type": "text", "parts": [log(40, "uncalled.py")]}, name="file_search"))
    return thread(1, *messages, says("assistant", "The end."))


def long_chat(runs: int = 12) -> dict[str, Any]:
    """The same in claude.ai's form, three runs in one answer, and in each an artifact that nothing answers."""
    messages: list[dict[str, Any]] = []
    parent = ROOT
    for number in range(0, runs, 3):
        ask = said("human", f"Question {number}", f"ask-{number:04}", parent)
        blocks: list[dict[str, Any]] = [{"type": "text", "text": f"Looking {number}."}]
        for run in range(number, number + 3):
            blocks.append({"type": "tool_use", "name": "search", "input": {"query": f"q{run}"}})
            page = {"type": "knowledge", "title": f"page {run}", "text": log(60, f"page_{run}.py")}
            blocks.append({"type": "tool_result", "name": "search", "content": [page]})
        blocks += [{"type": "tool_use", "name": "artifacts", "input": {"content": "text " * 50}}]
        blocks.append({"type": "text", "text": f"Answer {number}."})
        flat = f"Looking {number}.\n\nAnswer {number}."
        messages += [ask, said("assistant", flat, f"answer-{number:04}", f"ask-{number:04}", content=blocks)]
        parent = f"answer-{number:04}"
    return chat(1, *messages)


@pytest.fixture(params=["chatgpt", "claude.ai"])
def kept(request: pytest.FixtureRequest, imports: Imports) -> Path:
    """A conversation kept from an export, with much to prune."""
    data = json.dumps([long_thread() if request.param == "chatgpt" else long_chat()]).encode()
    return imports.only(data).path


AGGRESSIVE = {
    "keep_turns": 1,
    "chain_compression": ChainOptions(rolling_window=0),
    "open_chain": OpenChainOptions(keep_turns=1, min_tokens=200),
}


@pytest.fixture(params=[{"keep_turns": 1}, AGGRESSIVE], ids=["stubs", "chains"])
def options(request: pytest.FixtureRequest) -> dict[str, Any]:
    """How much is pruned."""
    return dict(request.param)


def pruned(engine: Engine, path: Path) -> list[dict[str, Any]]:
    return list(engine.prune_transcript(path, render=True).messages)


def whole(path: Path, messages: list[dict[str, Any]]) -> bytes:
    """The conversation with these messages or nodes in place of its own."""
    conversation = json.loads(path.read_bytes())
    if "mapping" in conversation:
        mapping = {node["id"]: node | {"children": []} for node in messages}
        return json.dumps([conversation | {"mapping": mapping, "current_node": messages[-1]["id"]}]).encode()
    return json.dumps([conversation | {"chat_messages": messages}]).encode()


def test_every_output_comes_back_byte_for_byte(kept: Path, make_engine: Make, options: dict[str, Any]) -> None:
    session = open_transcript(kept)
    originals = [session.text(result) for result in session.archive()]
    assert originals
    pruned(make_engine(**options), kept)
    engine = make_engine()
    recovered = [
        engine.recover([f"t{ref}"], session=session.session, budget=10**6).items[0].text
        for ref in range(1, len(originals) + 1)
    ]
    assert recovered == originals


def test_a_view_is_a_conversation_of_the_same_host(
    kept: Path, make_engine: Make, options: dict[str, Any], tmp_path: Path
) -> None:
    messages = pruned(make_engine(**options), kept)
    assert STUB.search(json.dumps(messages)) or "<compressed-chain" in json.dumps(messages)
    again, before = Imports(tmp_path / "again").read(whole(kept, messages)), open_transcript(kept)
    assert list(again.render(View())) == [m | {"children": []} if "children" in m else m for m in messages]
    assert list(added_faults(before.format, list(before.render(View())), messages)) == []
    assert again.abandoned == set()
    uncalled = [result for result in again.archive() if again.called(result) is None]
    assert len(uncalled) == sum(before.called(result) is None for result in before.archive())
    prompts = [before.text(b) for m in before.messages if m.prompt for b in m.blocks]
    assert [
        text for m in again.messages if m.prompt for b in m.blocks if (text := again.text(b)) in prompts
    ] == prompts


def test_a_view_is_smaller_and_the_same_again(kept: Path, make_engine: Make, options: dict[str, Any]) -> None:
    answer = make_engine(**options).prune_transcript(kept, render=True)
    first = list(answer.messages)
    assert answer.tokens_after < answer.tokens_before
    assert pruned(make_engine(**options), kept) == first


def test_calls_that_nothing_answers_are_no_fault_and_stay(imports: Imports, make_engine: Make) -> None:
    artifact = {"type": "tool_use", "name": "artifacts", "input": {"content": "the text " * 300}}
    messages = [
        said("human", "Write", "ask-1", ROOT),
        said("assistant", "Here.", "a-1", "ask-1", content=[artifact]),
    ]
    path = imports.only([chat(1, *messages)]).path
    answer = make_engine().prune_transcript(path, render=True)
    assert list(answer.messages) == messages
    assert answer.diagnostics == []


def test_nothing_to_prune_gives_back_equal_nodes(imports: Imports, make_engine: Make) -> None:
    conversation = thread(1, says("user", "Q"), says("assistant", "A"))
    path = imports.only([conversation]).path
    assert pruned(make_engine(), path) == list(conversation["mapping"].values())[1:]


def test_the_kept_file_stays_as_it_is(kept: Path, make_engine: Make) -> None:
    before = kept.read_bytes(), kept.stat().st_mtime_ns
    pruned(make_engine(keep_turns=1), kept)
    assert (kept.read_bytes(), kept.stat().st_mtime_ns) == before


def test_a_conversation_imported_again_keeps_the_refs_of_what_it_had(imports: Imports, make_engine: Make) -> None:
    imports.take(json.dumps([long_thread(6)]).encode())
    path = imports.files()[0].path
    first = make_engine(keep_turns=1).prune_transcript(path)
    later = long_thread(12) | {"update_time": 1851064999.0}
    assert imports.take(json.dumps([later]).encode()).updated == 1
    engine = make_engine(keep_turns=1)
    second = engine.prune_transcript(path)
    session = open_transcript(path)
    refs = [ref for ref in first.refs if ref.startswith("t")]
    assert refs
    texts = {session.text(result) for result in session.archive()}
    assert {engine.recover([ref], session=second.session).items[0].text for ref in refs} <= texts
