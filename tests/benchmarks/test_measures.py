"""The measures themselves: what counts as a fact, as in view, as saved; and the generated transcript."""

from __future__ import annotations

import json
import statistics
from pathlib import Path
from typing import Any

import pytest
import recall
from corpus import agent_sessions, claude_code, count_results, valid_array
from generate import write_transcript
from report import Table, quoted
from scoring import PATTERNS, Score, cut_points, facts, score, total

IDENTIFIERS = PATTERNS["identifiers"]


def said(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": [{"type": "text", "text": text}]}


def called(id: str) -> dict[str, Any]:
    return {"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": "Bash", "input": {}}]}


def result(id: str, text: str) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": text}]}


def asked(text: str) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "text", "text": text}]}


def test_the_providers_clearing_scores_what_was_measured_before(shared_sessions: Path) -> None:
    sessions = agent_sessions(shared_sessions)
    cuts = [recall.Cut(session, at) for session in sessions for at in cut_points(session.messages)]
    cleared = recall.scored(cuts, [recall.cleared(cut.past) for cut in cuts], "identifiers")
    assert recall.figures(cleared) == {"saving": 60.8, "all": 70.2, "only": 13.2}


def test_a_fact_is_a_path_a_name_or_a_number_of_at_least_six_characters() -> None:
    found = facts("see src/app.py, max_retries, parseLine and 12345678, not a_b or word", IDENTIFIERS)
    assert found == {"src/app.py", "max_retries", "parseLine", "12345678"}


def test_facts_are_what_results_told_and_the_assistant_uses_later() -> None:
    full = [asked("fix user_named"), called("a"), result("a", "told_once told_twice user_named never_used")]
    future = [said("told_once and told_twice and user_named and made_up_now")]
    assert score(full, future, full, IDENTIFIERS) == Score(3, 3, 2, 2, full=58, view=58)


def test_a_path_counts_as_in_view_when_its_folder_and_name_stand_in_one_block() -> None:
    full = [asked("go"), called("a"), result("a", "src/deep/module.py")]
    future = [said("src/deep/module.py")]
    assert score(full, future, [asked("src/deep: module.py")], IDENTIFIERS).kept == 1
    assert score(full, future, [asked("src/deep"), said("module.py")], IDENTIFIERS).kept == 0


def test_the_saving_counts_everything_a_view_adds() -> None:
    full = [asked("go"), called("a"), result("a", "x" * 96)]
    view = [asked("go"), called("a"), result("a", "[stub]"), asked("y" * 70)]
    assert score(full, [], view, IDENTIFIERS).saving == pytest.approx(20.0)


def test_scores_add_up_before_shares_are_taken() -> None:
    both = total([Score(1, 1, 0, 0, 100, 50), Score(3, 0, 2, 1, 300, 50)])
    assert (both.saving, both.all_in_view, both.only_in_view) == (75.0, 25.0, 50.0)


def test_an_array_starts_with_a_user_and_pairs_each_call_with_one_result() -> None:
    messages = [
        said("hello"),
        asked("go"),
        called("a"),
        called("b"),
        result("b", "1"),
        result("b", "2"),
        called("c"),
    ]
    assert valid_array(messages) == [
        asked("go"),
        {"role": "assistant", "content": called("b")["content"]},
        result("b", "1"),
    ]


def test_clearing_keeps_the_newest_three_results() -> None:
    messages = [asked("go")]
    for number in range(5):
        messages += [called(str(number)), result(str(number), f"output {number}")]
    texts = [
        m["content"][0]["content"] for m in recall.cleared(messages) if m["content"][0]["type"] == "tool_result"
    ]
    assert texts == ["[cleared]", "[cleared]", "output 2", "output 3", "output 4"]


def test_a_generated_transcript_is_the_same_every_time_and_shaped_like_a_real_one(tmp_path: Path) -> None:
    once, again = tmp_path / "once.jsonl", tmp_path / "again.jsonl"
    for path in (once, again):
        write_transcript(path, 6_000_000)
    assert once.read_bytes() == again.read_bytes()
    entries = [json.loads(line) for line in once.read_bytes().splitlines()]
    kinds = [entry["type"] for entry in entries]
    assert 0.35 < kinds.count("progress") / len(kinds) < 0.55
    results = [
        len(block["content"])
        for entry in entries
        if entry["type"] == "user" and isinstance(entry["message"]["content"], list)
        for block in entry["message"]["content"]
    ]
    assert count_results(claude_code(once)) >= len(results) - 4
    assert 120 < statistics.median(results) < 240
    largest = sorted(results)[-len(results) // 10 :]
    assert 0.65 < sum(largest) / sum(results) < 0.85


def test_a_table_is_quoted_between_its_markers_only() -> None:
    page = (
        "before\n<!-- results: cost -->\nold\n<!-- end -->\nafter\n<!-- results: other -->\nkept\n<!-- end -->\n"
    )
    made = quoted(page, "cost", Table("Cost", ("what", "ratio"), [("first", 1.25)]).markdown())
    assert made == (
        "before\n<!-- results: cost -->\n**Cost**\n\n| what | ratio |\n| --- | ---: |\n| first | 1.2 |\n"
        "<!-- end -->\nafter\n<!-- results: other -->\nkept\n<!-- end -->\n"
    )
