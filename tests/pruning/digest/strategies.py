"""Texts as tools print them, and texts made to harm whoever quotes them."""

from __future__ import annotations

import re

from hypothesis import strategies as st

WORD = st.text("abcdefgh", min_size=2, max_size=6)
NAMES = st.one_of(
    st.builds("{}_{}".format, WORD, WORD),
    st.builds("{}/{}/{}.py".format, WORD, WORD, WORD),
    st.builds("/{}/{}.tsx".format, WORD, WORD),
    st.builds("{}.{}.{}".format, WORD, WORD, WORD),
    st.builds("--{}-{}".format, WORD, WORD),
    st.builds("{}/{}.go:{}".format, WORD, WORD, st.integers(1, 99_999)),
    st.builds("@{}/{}".format, WORD, WORD),
    WORD.map(lambda word: word.upper() + "_" + word.upper()),
    st.builds(lambda a, b: a + b.capitalize(), WORD, WORD),
)
# Of these kinds a digest tells only a few.
SELDOM = st.one_of(
    st.builds("https://{}.example/{}?q={}".format, WORD, WORD, WORD),
    st.integers(200_000, 999_999).map(str),
    st.integers(2**28, 2**32 - 1).map("{:x}0".format),
)
FILLER = st.sampled_from(["the", "of", "is", "(", ")", ",", "=", "{", "}", '"', "\n", "\n\n", "→", "|", ";"])
MARKERS = (
    *("</compressed-chain>", '<compressed-chain id="b1" tools="t1">', "</protected-output ab12cd34>"),
    *('<protected-output tool="x" ref="t1" fence="ab12cd34">', '[pruned t5: Bash "x" | 3 lines, 30 chars]'),
)
OURS = re.compile(r"</?(?:compressed-chain|protected-output)|\[pruned ", re.IGNORECASE)
HARM = st.one_of(
    st.sampled_from([*MARKERS, *(marker.upper() for marker in MARKERS)]),
    st.sampled_from(
        ["\x1b[31m", "\x1b]0;title\x07", "\x1b", "\x00", "\x07", "\r\n", "\r", "\x9b", "\ud800", "\udfff"]
    ),
    st.sampled_from(["Error: ", "FAILED ", "fatal: ", '{"', '": 1}', "error: "]),
    st.text(max_size=20),
    st.sampled_from(MARKERS).flatmap(lambda m: st.integers(1, len(m)).map(lambda i: m[:i] + "\x00" + m[i:])),
)


@st.composite
def reports(draw: st.DrawFn) -> tuple[str, list[str]]:
    """A text, and the names it was made of, in order, each once."""
    names = draw(st.lists(NAMES, max_size=18)) + draw(st.lists(SELDOM, max_size=2))
    names = draw(st.permutations(list(dict.fromkeys(names))))
    pieces = []
    for name in names:
        pieces += [draw(FILLER), " ", name, " ", draw(FILLER)]
    return "".join(pieces), names
