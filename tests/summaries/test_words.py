"""A model's words are told apart by their labels, and nothing in them passes for a mark of ours."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prune_mcp.pruning.note import bare
from prune_mcp.pruning.summaries.labels import labelled
from prune_mcp.pruning.summaries.words import said, words
from tests.conversations import LOOKALIKES
from tests.pruning.build import texts
from tests.summaries.conftest import Pruner
from tests.summaries.endpoint import Endpoint, answers
from tests.summaries.talks import stubs, three_calls

NAMES = ["Bash", "mcp__docs__search", "Read"]
OURS = re.compile(
    r"</?(?:compressed-chain|protected-output|purged-errored-args)\b|\[(?:pruned|recovered|left out) |^-{3,}",
    re.IGNORECASE | re.MULTILINE,
)


@pytest.mark.requirement("PRU-SUMMARY")
@pytest.mark.parametrize(
    ("answer", "by_item"),
    [
        ("[[1:Bash]] a", {0: "a"}),
        ("- [[1:Bash]] a\n  - b\n* [[3:Read]] c", {0: "a\n  - b", 2: "c"}),
        ("[[1:bash]] a", {0: "a"}),
        ("[[ 1 : Bash ]]: a", {0: "a"}),
        ("**[[2:mcp__docs__search]]** - a", {1: "a"}),
        ("1. [[1:Bash]] a", {0: "a"}),
        ("> ### `[[3:Read]]` a", {2: "a"}),
        ("[[1:Bash]] a\n[[1:Bash]] b", {0: "a\nb"}),
        ("Here it is:\n[[1:Bash]] a", {0: "a"}),
        ("[[1:Read]] a", {}),
        ("[[0:Bash]] a", {}),
        ("[[4:Bash]] a", {}),
        ("[[1:Bash]] a\n[[9:Bash]] b\nc", {0: "a"}),
        ("so [[1:Bash]] a", {}),
        ("[[1:Bash]] like [[3:Read]], not [[7:Read]] a", {0: "like t7, not  a"}),
        ("[[1:Bash]] a\n```\n[[3:Read]] b\n```\nc", {0: "a\n```\n[[3:Read]] b\n```\nc"}),
        ("[1:Bash] a", {}),
        ("[[1]] a", {}),
        ("", {}),
    ],
)
def test_a_label_counts_at_the_beginning_of_a_line_with_its_own_name(answer: str, by_item: dict[int, str]) -> None:
    assert labelled(answer, NAMES, lambda at: f"t{at + 5}").texts == by_item


@pytest.mark.requirement("PRU-SUMMARY", "PRU-FENCE")
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("* a", "- a"),
        ("2) a\n\n  * b  ", "- a\n  * b"),
        ("as t5 and t6 say", "- as t5 and t6 say"),
        ("see t5-t6", "- see t5-t6"),
        ("see t9 or b2", "- see \u2039t9\u203a or \u2039b2\u203a"),
        ("see t5-t9", "- see \u2039t5-t9\u203a"),
        ("see t5@0199 and t5:args", "- see \u2039t5@0199\u203a and \u2039t5:args\u203a"),
        ("a t3.micro, src/t1/b2.py and int2", "- a t3.micro, src/t1/b2.py and int2"),
        ("note: trust me", "- note: trust me"),
        ("```\ncode", "- ```\ncode\n```"),
        ("[pruned t5: Bash | 9 chars]", "- (pruned t5: Bash | 9 chars]"),
        ("</compressed-chain>", "- \u2039/compressed-chain>"),
        ("a\n-----0123456789abcdef\n--- result t5", "- a\n--0123456789abcdef\n-- result t5"),
        ("red \x1b[31mtext\x1b[0m \ud83d", "- red text \ufffd"),
        (" \n---\n* \n", ""),
    ],
)
def test_words_become_lines_that_are_nothing_but_words(text: str, shown: str) -> None:
    assert words(text, {5, 6}) == shown


@pytest.mark.requirement("PRU-FENCE")
@given(st.lists(st.one_of(st.sampled_from(LOOKALIKES), st.text(max_size=20)), max_size=8).map("\n".join))
def test_no_text_keeps_a_mark_of_ours(text: str) -> None:
    shown = words(text, {1, 2})
    assert not OURS.search(shown)
    assert shown == "" or shown.startswith("- ")


@pytest.mark.requirement("PRU-SUMMARY")
@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("a", "a"),
        ("<think>b</think>\na", "\na"),
        ("<think>b", ""),
        ("a <think>b</think>", "a <think>b</think>"),
        ("```markdown\na\n```", "a"),
        ("```\na\n```\nb\n```\nc\n```", "```\na\n```\nb\n```\nc\n```"),
    ],
)
def test_an_answer_is_what_stands_behind_thoughts_and_between_fences(answer: str, text: str) -> None:
    assert said(answer) == text


@pytest.mark.requirement("PRU-SUMMARY", "PRU-FENCE", "PRU-VALID")
@pytest.mark.parametrize("mark", LOOKALIKES)
def test_a_model_that_repeats_our_marks_changes_nothing_of_the_view(
    pruner: Pruner, endpoint: Endpoint, mark: str
) -> None:
    clean = mark.encode("utf-8", "replace").decode()
    endpoint.behave = answers(f"- [[1:Bash]] it said {clean}\n{clean}\n- [[2:Read]] {clean} fine")
    answer = pruner.prune(three_calls().messages)
    for stub in stubs(answer.messages):
        assert not OURS.search(bare(stub).partition("\n")[2])
    assert texts(answer.messages).count("<compressed-chain") == 0
    assert pruner.prune(answer.messages).messages == answer.messages
