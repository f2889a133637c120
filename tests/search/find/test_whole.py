"""What stands in one piece: many texts at once are ruled out by their bytes, but none that holds it."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prune_mcp.search.find.frame_texts import FrameTexts
from prune_mcp.search.find.places import Text
from prune_mcp.search.find.query import parse
from prune_mcp.search.find.spelling import pieces
from prune_mcp.search.find.whole import Whole, name
from prune_mcp.search.words import fold
from prune_mcp.storage.codec import encode

pytestmark = pytest.mark.requirement("HIS-QUERY")

NAMES = ["upload retry", "src/upload.py", "uploadRetry", "\u6570\u636e\u5e93", "caf\u00e9.bar", "na\u00efve up*"]
PIECES = [
    "upload",
    "Retry",
    "UPLOAD",
    "src",
    "py",
    "/",
    ".",
    " ",
    "_",
    "\\n",
    "\x1b[31m",
    "\x1b[0m",
    "\x1b[",
    "\u0301",
]
PIECES += [
    "\u6570\u636e\u5e93",
    "cafe",
    "caf\u00e9",
    "\u00fcpload",
    "\uff35pload",
    "bar",
    "naive",
    "\u212a",
    "\ud800",
    "\u200d",
]
# It makes an emoji of what is before it.
EMOJI = "\ufe0f"


def whole(text: str) -> Whole:
    clause = parse(f'"{text}"').clauses[0]
    return name(clause, 0, pieces(clause))


@settings(max_examples=500, deadline=None)
@given(texts=st.lists(st.lists(st.sampled_from(PIECES) | st.characters(), max_size=8).map("".join), max_size=4))
def test_texts_in_a_row_are_not_ruled_out_where_one_holds_it(texts: list[str]) -> None:
    together = b"".join(map(encode, texts))
    for one in map(whole, NAMES):
        if any(one.stands_in(Text(text)) for text in texts):
            assert one.may_stand_in(FrameTexts(together))


def test_every_character_that_is_ascii_when_folded_is_seen_to() -> None:
    chars = {chr(n): fold(chr(n)) for n in range(128, sys.maxunicode + 1)}
    plain = {char: folded for char, folded in chars.items() if folded.isascii() and char != EMOJI}
    words = [(char, folded) for char, folded in plain.items() if folded.isalnum() or not folded]
    missed = [
        char
        for char, folded in words
        if not Whole(((f"a{folded}b", "c"),), whole("a c").sought).may_stand_in(FrameTexts(encode(f"a{char}b c")))
    ]
    assert len(words) > 1000
    assert missed == []


def test_most_texts_are_ruled_out() -> None:
    held = encode("upload the retry \u2192 caf\u00e9 \x1b[31mupload\x1b[0m, then retry")
    assert not whole("upload retry").may_stand_in(FrameTexts(held))
    assert whole("then retry").may_stand_in(FrameTexts(held))
