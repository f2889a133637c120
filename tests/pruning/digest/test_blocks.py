"""What stands for a compressed span."""

from __future__ import annotations

import re
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prune_mcp.pruning.blocktext import MOST_CONCLUSIONS, MOST_FAILURES, MOST_KEYS, Piece, block_text
from prune_mcp.pruning.fence import fence, protected_output
from prune_mcp.pruning.names import Seen, names
from tests.pruning.digest.strategies import HARM, OURS, reports

Kind = Literal["text", "call", "result"]


def piece(kind: Kind, text: str, *rest: Any, **more: Any) -> Piece:
    return Piece(kind, lambda: text, *rest, **more)


def bash(ref: int, command: str, output: str = "ok", error: bool = False) -> list[Piece]:
    return [
        piece("call", f'{{"command":"{command}"}}', ref, "Bash", command),
        piece("result", output, ref, "Bash", command, error),
    ]


def read(ref: int, path: str, output: str, protected: bool = False) -> list[Piece]:
    return [
        piece("call", f'{{"path":"{path}"}}', ref, "Read", path),
        piece("result", output, ref, "Read", path, protected=protected),
    ]


@pytest.mark.requirement("PRU-CHAIN")
def test_a_block_lists_calls_failures_conclusions_and_names() -> None:
    pieces = [
        piece("text", "Let me look."),
        *read(5, "src/app.py", "def load_config(): ..."),
        *bash(6, "npm test", "TypeError: x is undefined\nat src/view.ts:12", error=True),
        piece("text", "Great! The view reads the store before it is filled.\nI'll fix that."),
        *bash(7, "npm test", "all fine"),
        *bash(8, "git status"),
    ]
    assert block_text(2, pieces, Seen()).split("\n") == [
        '<compressed-chain id="b2" tools="t5,t6,t7,t8">',
        "4 calls (! failed)",
        "Bash: t6!,t7 npm test; t8 git status",
        "Read: t5 src/app.py",
        "t6 failed: TypeError: x is undefined",
        "said:",
        "- The view reads the store before it is filled.",
        "names: src/view.ts:12 load_config",
        "</compressed-chain>",
    ]


def test_long_lists_are_cut_and_counted() -> None:
    pieces = [piece for ref in range(1, 101) for piece in bash(ref, f"run {ref}", f"error: no {ref}", error=True)]
    pieces += [piece("text", f"The cause of failure number {ref} is the wrong order.") for ref in range(100)]
    lines = block_text(1, pieces, Seen()).split("\n")
    assert lines[1].startswith("100 calls")
    assert lines[2].count(";") == MOST_KEYS
    assert lines[2].endswith(f"; and {100 - MOST_KEYS} more")
    assert sum(" failed: " in line for line in lines) == MOST_FAILURES
    assert f"and {100 - MOST_FAILURES} more failed calls" in lines
    said = [line for line in lines if line.startswith("- ")]
    assert len(said) == MOST_CONCLUSIONS
    assert said[-1] == "- The cause of failure number 99 is the wrong order."


@given(reports(), reports(), reports())
def test_a_block_says_every_name_it_replaces_that_nothing_else_says(
    argument: tuple[str, list[str]], output: tuple[str, list[str]], known: tuple[str, list[str]]
) -> None:
    seen = Seen()
    seen.add_names(known[1])
    pieces = [piece("call", argument[0], 1, "Bash", ""), piece("result", output[0], 1, "Bash", "")]
    told = Seen()
    told.add_names(known[1])
    told.add(block_text(1, pieces, seen))
    assert told.missing(names(argument[0]) + names(output[0])) == []


@pytest.mark.requirement("PRU-PROTECT", "PRU-FENCE")
@given(st.lists(HARM).map("".join), st.lists(HARM).map("".join))
def test_protected_output_moves_out_verbatim_behind_its_own_fence(text: str, tool: str) -> None:
    pieces = [*bash(1, "ls"), piece("result", text, 2, tool, "x.md", protected=True)]
    chain, _, moved = block_text(1, pieces, Seen()).partition("\n</compressed-chain>\n")
    assert not OURS.search(chain.split("\n", 1)[1])
    found = re.fullmatch(
        r'<protected-output tool="[^"\n<>]*" ref="t2" fence="([0-9a-f]{8})">\n(.*)\n</protected-output \1>',
        moved,
        re.S,
    )
    assert found
    assert found[2] == text
    assert found[1] not in text


@pytest.mark.requirement("PRU-FENCE")
@given(*[st.lists(HARM).map("".join)] * 4)
def test_nothing_replaced_can_close_the_block(said: str, key: str, tool: str, output: str) -> None:
    pieces = [
        piece("text", said),
        piece("call", output, 1, tool, key),
        piece("result", output, 1, tool, key, error=True),
    ]
    opening, *body, closing = block_text(3, pieces, Seen()).split("\n")
    assert (opening, closing) == ('<compressed-chain id="b3" tools="t1">', "</compressed-chain>")
    assert not any(OURS.search(line) for line in body)
    assert not any(re.search("[\x00-\x08\x0b-\x1f\ud800-\udfff]", line) for line in body)


def test_a_fence_that_occurs_in_the_text_is_not_taken() -> None:
    plain = fence("text")
    text = "text"
    while fence(text) == plain:
        text += plain
    for quoted in (f"text {fence('text')}", text, fence(text) + text):
        assert fence(quoted) not in quoted
    assert protected_output("Read", 1, "text") == protected_output("Read", 1, "text")
