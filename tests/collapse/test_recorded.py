"""Every recorded session collapsed, on disk and as arrays: valid, complete, and true to the raw entries."""

from __future__ import annotations

import copy
import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from prune_mcp.engine import Engine
from prune_mcp.engine.answers import EngineError
from prune_mcp.engine.collapse.collapse import CollapseAnswer
from tests import validity
from tests.arrays import FORMATS, array
from tests.collapse.raw_count import Count, count, count_swe_agent, rooted

Make = Callable[..., Engine]
EVERYTHING = 10**6
CHECKS: dict[str, Callable[[Any], list[str]]] = {
    "claude-code": validity.check_claude_code,
    "pi": validity.check_pi,
    "codex": validity.check_codex,
    "anthropic": validity.check_anthropic,
    "openai-chat": validity.check_openai_chat,
    "openai-responses": validity.check_openai_responses,
}
# A refusal says that nothing is finished; these sessions hold one exchange that was still going on.
REFUSED = {"small.jsonl", "rollout-2026-01-02T00-00-00-00000000-0000-7000-8000-000000000001.jsonl"}
# In the finished exchanges of these nothing was done.
IDLE = re.compile(r"agent-acompact-\w+\.jsonl|agent-test-hash-\d+\.jsonl|turn-1\.jsonl")


def recorded(folder: Path) -> Iterator[Path]:
    """The session files."""
    for part, names in (("home", "*.jsonl"), ("home", "*.json"), ("growing", "*.jsonl"), ("messages", "*.traj*")):
        yield from sorted((folder / part).rglob(names))


@pytest.mark.requirement("COL-BUILD", "COL-REFUSE", "SES-READONLY")
def test_every_recorded_session_collapses_to_a_valid_view_whose_facts_are_those_of_its_raw_entries(
    shared_sessions: Path, make_engine: Make
) -> None:
    engine = make_engine(thinking="strip")
    collapsed: Counter[str] = Counter()
    for path in recorded(shared_sessions):
        raw = path.read_bytes()
        before = list(engine.prune_transcript(path, dry_run=True, render=True).messages)
        try:
            answer = engine.collapse_transcript(path, turns=EVERYTHING, render=True)
        except EngineError:
            assert path.name in REFUSED
            continue
        assert path.read_bytes() == raw
        assert path.name not in REFUSED
        assert (answer.why == "nothing-to-collapse") == bool(IDLE.fullmatch(path.name)), path
        if not answer.block:
            continue
        assert (answer.effect, answer.why) == ("advisory", "no-lever"), path
        after = list(answer.messages)
        session = engine.store.session(answer.session)
        assert session is not None
        check = CHECKS.get(session.format)
        assert not check or set(check(after)) <= set(check(before)), path
        if session.format == "swe-agent":
            want = count_swe_agent(json.loads(raw)["trajectory"])
        else:
            want = count(gone(before, after), session.format, session.cwd)
        facts_hold(answer, want, session.cwd)
        collapsed[session.format] += 1
    assert set(collapsed) == {"claude-code", "pi", "codex", "gemini", "mini-swe-agent", "swe-agent"}


@pytest.mark.requirement("COL-BUILD", "PRU-VALID", "PRU-RECOVER")
@pytest.mark.parametrize("format", FORMATS)
def test_every_recorded_session_as_an_array_collapses_to_a_valid_one_and_loses_nothing(
    shared_sessions: Path, make_engine: Make, format: str
) -> None:
    engine = make_engine()
    collapsed = 0
    for path in sorted((shared_sessions / "home").rglob("*.jsonl")):
        if ".codex" in path.parts:
            continue
        messages = array(path, format)
        unchanged = copy.deepcopy(messages)
        try:
            answer = engine.collapse_messages(messages, turns=EVERYTHING, format=format, session=path.stem)
        except EngineError:
            continue
        assert messages == unchanged
        assert set(CHECKS[format](answer.messages)) <= set(CHECKS[format](messages)), path
        if answer.why != "messages-returned" or not answer.block:
            continue
        taken = gone(messages, answer.messages)
        want = count(taken, format)
        assert (answer.done["calls"], answer.done["commands"]["count"]) == (want.calls, want.commands), path
        if format == "anthropic":
            assert answer.done["failures"]["count"] == want.failures, path
        kept, view = document(engine, answer), dumped(answer.messages)
        assert [text for text in said(taken) if text not in view and not is_kept(text, kept)] == [], path
        collapsed += 1
    assert collapsed > 10


@pytest.mark.requirement("COL-BUILD", "PRU-VALID", "PRU-RECOVER")
def test_every_output_of_a_session_pruned_and_collapsed_in_turns_comes_back_to_the_byte(
    shared_sessions: Path, make_engine: Make
) -> None:
    engine = make_engine()
    for path in recorded(shared_sessions):
        before = list(engine.prune_transcript(path, dry_run=True, render=True).messages)
        if path.name in REFUSED:
            continue
        engine.prune_transcript(path, keep_turns=0)
        engine.collapse_transcript(path, turns=2)
        session = engine.collapse_transcript(path, turns=EVERYTHING).session
        after = list(engine.prune_transcript(path, keep_turns=0, render=True).messages)
        known = engine.store.session(session)
        check = CHECKS.get(known.format) if known else None
        assert not check or set(check(after)) <= set(check(before)), path
        for output in engine.store.outputs(session):
            (item,) = engine.recover([f"t{output.ref}"], session=session, budget=10**9).items
            assert hashlib.sha256(item.text.encode("utf-8", "surrogatepass")).hexdigest() == output.sha, path
        for block in engine.store.blocks(session):
            (item,) = engine.recover([f"b{block.number}"], session=session, budget=10**9).items
            assert item.status == "ok"


def facts_hold(answer: CollapseAnswer, want: Count, cwd: str) -> None:
    """The answer tells what was counted in the raw entries; of long lists what it shows is among that."""
    done = answer.done
    assert (done["calls"], done["commands"]["count"]) == (want.calls, want.commands), answer.session
    assert done["failures"]["count"] == want.failures, answer.session
    assert done["checks"]["count"] == len(done["checks"]["shown"]), answer.session
    assert sum(check["runs"] for check in done["checks"]["shown"]) == want.checks, answer.session
    for told, files in (("modified", want.modified), ("read", want.read)):
        assert done[told]["count"] == len(files), (answer.session, told, files)
        assert {rooted(path, cwd) for path in done[told]["shown"]} <= files
        assert len(done[told]["shown"]) == min(12, len(files))
    assert done["commits"]["count"] == len(want.commits)
    assert {commit["id"] for commit in done["commits"]["shown"]} <= want.commits


def gone(before: Sequence[Any], after: Sequence[Any]) -> list[Any]:
    """The entries that a view leaves out, or has cut results from; one whose call became text is none, for that
    call had no result."""
    left = Counter(map(dumped, after))
    stays = {entry["uuid"] for entry in after if "uuid" in entry}
    taken = []
    for entry in before:
        key = dumped(entry)
        if left[key]:
            left[key] -= 1
        elif not (entry.get("uuid") in stays and '"tool_use"' in key):
            taken.append(entry)
    return taken


def said(entries: Sequence[Any]) -> list[str]:
    """Every text of some length in entries, as JSON escapes it."""
    return re.findall(r'"(?:content|text|output|arguments)": "((?:\\.|[^"\\]){40,})"', dumped(entries))


def is_kept(escaped: str, document: str) -> bool:
    """Whether a document holds a text, as it is or inside the JSON of arguments."""
    text = json.loads(f'"{escaped}"')
    return text in document or json.dumps(text, ensure_ascii=False)[1:-1] in document


def document(engine: Engine, answer: CollapseAnswer) -> str:
    """Everything that the block's ref brings back."""
    (item,) = engine.recover([answer.block], session=answer.session, budget=10**9).items
    assert item.status == "ok"
    return item.text


def dumped(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
