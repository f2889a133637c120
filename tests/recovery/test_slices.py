"""REC-SLICE: a part of an output by lines or by pattern, cheap and exact."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from prune_mcp.engine.answers import EngineError
from prune_mcp.engine.recovery.fence import shape
from prune_mcp.engine.recovery.recover import recover
from prune_mcp.sessions.tokens import text_tokens
from tests.recovery.shelf import Shelf, noise

pytestmark = pytest.mark.requirement("REC-SLICE")

CHEAP = 500
TEN = "".join(f"line {n}\n" for n in range(1, 11))


def picked(shelf: Shelf, **part: Any) -> str:
    """The text of the one output on the shelf that this part of it comes to."""
    (item,) = recover(shelf.store, ["t1"], **part).items
    return item.text


@pytest.mark.parametrize(
    ("lines", "first", "last"),
    [
        ("3:5", 3, 5),
        ("3-5", 3, 5),
        ("3..5", 3, 5),
        (" 3 : 5 ", 3, 5),
        ("5:3", 3, 5),
        (":2", 1, 2),
        ("0:2", 1, 2),
        ("9:", 9, 10),
        ("9:400", 9, 10),
        ("-2:", 9, 10),
        ("-400:", 1, 10),
        ("-3:-2", 8, 9),
        (":-9", 1, 2),
        ("7", 7, 7),
        ("-1", 10, 10),
        (":", 1, 10),
    ],
)
@pytest.mark.parametrize("end", ["", "\n"])
def test_lines_are_counted_from_1_with_both_ends_included(
    shelf: Shelf, lines: str, first: int, last: int, end: str
) -> None:
    whole = TEN.removesuffix("\n") + end
    shelf.put(whole)
    (item,) = recover(shelf.store, ["t1"], lines=lines).items
    assert item.text == "\n".join(whole.split("\n")[first - 1 : last])
    assert item.lines == f"{first}-{last}/10"
    assert whole[item.start : item.end] == item.text


def test_lines_past_the_end_are_nothing_and_say_how_many_there_are(shelf: Shelf) -> None:
    shelf.put(TEN)
    (item,) = recover(shelf.store, ["t1"], lines="40:50").items
    assert (item.text, item.lines) == ("", "0/10")
    assert "it has 10 lines" in item.note


@pytest.mark.parametrize("lines", ["a:b", "1:2:3", "1,2", "x", "1.5:2"])
def test_what_is_no_range_of_lines_is_refused_with_examples(shelf: Shelf, lines: str) -> None:
    shelf.put(TEN)
    with pytest.raises(EngineError, match=f"lines={lines!r} is no range.*120:150"):
        recover(shelf.store, ["t1"], lines=lines)


def test_a_line_is_what_ends_in_a_newline_and_nothing_else(shelf: Shelf) -> None:
    shelf.put("one\r\ntwo\x0bstill two\u2028still two\rstill two\nthree\r\n")
    assert picked(shelf, lines="2") == "two\x0bstill two\u2028still two\rstill two"
    assert picked(shelf, lines="3") == "three\r"
    assert picked(shelf, pattern="^three$") == "3:three\r"


def test_matching_lines_come_with_their_numbers_and_their_context(shelf: Shelf) -> None:
    shelf.put("".join(f"row {n}\n" for n in range(1, 31)))
    assert picked(shelf, pattern="row [59]$") == "5:row 5\n9:row 9"
    assert picked(shelf, pattern="row 5$", context=1) == "4-row 4\n5:row 5\n6-row 6"
    assert picked(shelf, pattern="row (1|4)$", context=1) == "1:row 1\n2-row 2\n3-row 3\n4:row 4\n5-row 5"
    assert picked(shelf, pattern="row (1|30)$", context=1) == "1:row 1\n2-row 2\n--\n29-row 29\n30:row 30"


def test_a_pattern_with_lines_looks_in_those_lines_alone(shelf: Shelf) -> None:
    shelf.put("".join(f"row {n}\n" for n in range(1, 31)))
    assert picked(shelf, pattern="row 1", lines="11:13") == "11:row 11\n12:row 12\n13:row 13"


@pytest.mark.parametrize("part", [{"pattern": "row"}, {"lines": "2:299"}, {"pattern": "row", "offset": 0}])
def test_with_lines_or_a_pattern_a_limit_bounds_the_answer_and_the_rest_comes_by_cursor(
    shelf: Shelf, part: dict[str, Any]
) -> None:
    shelf.put("".join(f"row {n}\n" for n in range(1, 301)))
    whole = picked(shelf, **part)
    answer = recover(shelf.store, ["t1"], limit=900, **part)
    pieces = [item.text for item in answer.items]
    while answer.cursor:
        assert sum(map(len, pieces[-1:])) < 900
        answer = recover(shelf.store, [], cursor=answer.cursor)
        pieces += [item.text for item in answer.items]
    assert len(pieces) > 2
    assert "".join(pieces) == whole


def test_a_limit_too_small_for_anything_still_shows_where_the_first_match_is(shelf: Shelf) -> None:
    shelf.put("".join(f"row {n}\n" for n in range(1, 301)))
    (item,) = recover(shelf.store, ["t1"], pattern="row 7", limit=1).items
    assert item.text.startswith("7:row 7\n")
    assert len(item.text) <= 200


def test_how_many_lines_match_of_how_many_is_said(shelf: Shelf) -> None:
    shelf.put("".join(f"row {n}\n" for n in range(1, 31)))
    (item,) = recover(shelf.store, ["t1"], pattern="row 1").items
    assert item.lines == "11-of-11-matching/30"
    assert (item.start, item.end) == (None, None)


@pytest.mark.parametrize(
    ("part", "searched"),
    [({}, "30 lines"), ({"lines": "2:6"}, "5 lines"), ({"lines": "7"}, "1 line"), ({"context": 2}, "30 lines")],
)
def test_without_a_match_the_answer_is_how_many_lines_were_searched(
    shelf: Shelf, part: dict[str, Any], searched: str
) -> None:
    shelf.put("".join(f"row {n}\n" for n in range(1, 31)))
    answer = recover(shelf.store, ["t1"], pattern="column", **part)
    assert shape(answer) == f"note: no line matches in t1 ({searched} searched)"


def test_without_a_match_a_pattern_that_is_no_regular_expression_is_still_told(shelf: Shelf) -> None:
    shelf.put(TEN)
    told, none = recover(shelf.store, ["t1"], pattern="foo(").notes
    assert "taken as plain text" in told
    assert none == "no line matches in t1 (10 lines searched)"


def test_of_many_outputs_only_those_with_a_match_are_shown_and_the_others_named(shelf: Shelf) -> None:
    for number in range(1, 9):
        shelf.put(f"needle {number}\n" if number in (3, 6) else "hay\n")
    answer = recover(shelf.store, ["t1-t8"], pattern="needle")
    assert [(item.ref, item.text) for item in answer.items] == [("t3", "1:needle 3"), ("t6", "1:needle 6")]
    assert answer.notes == ["no line matches in t1-t2, t4-t5, t7-t8 (6 lines searched)"]


@pytest.mark.parametrize("pattern", ["foo(", "[abc", "*ptr", "a{2}{3}{4})", "(?P<n>"])
def test_a_pattern_that_is_no_regular_expression_is_taken_as_plain_text(shelf: Shelf, pattern: str) -> None:
    shelf.put(f"before\nhere {pattern} it is\nafter\n")
    (item,) = recover(shelf.store, ["t1"], pattern=pattern).items
    assert item.text == f"2:here {pattern} it is"
    assert "plain text" in item.note


def test_a_pattern_that_python_would_warn_of_is_searched(shelf: Shelf) -> None:
    shelf.put("a[[b\nc\n")
    assert picked(shelf, pattern="[[]{2}b") == "1:a[[b"
    assert picked(shelf, pattern="([[]+)+b") == "1:a[[b"


def test_one_row_of_a_table_of_500_is_cheap(shelf: Shelf) -> None:
    rows = [
        f"{n},user{n}@example.org,{n * 7919 % 10007},2024-03-{n % 28 + 1:02},active,Some Street {n}"
        for n in range(500)
    ]
    shelf.put("\n".join(["id,mail,score,since,state,address", *rows]), tool="Read", key="data/users.csv")
    parts: list[dict[str, Any]] = [
        {"pattern": "^417,"},
        {"pattern": "user417@"},
        {"lines": "419"},
        {"lines": "419:419"},
    ]
    for part in parts:
        answer = recover(shelf.store, ["t1"], **part)
        assert rows[417] in shape(answer)
        assert text_tokens(shape(answer)) < CHEAP


def test_one_function_of_a_file_of_2000_lines_is_cheap(shelf: Shelf) -> None:
    body = "\n".join(f"    total_{n} = compute(total_{n - 1}, weights[{n}])" for n in range(18))
    functions = [f"def step_{n}(weights: list[float]) -> float:\n{body}\n    return total_17\n" for n in range(95)]
    shelf.put("\n".join(functions), tool="Read", key="src/steps.py")
    found = recover(shelf.store, ["t1"], pattern=r"def step_61\b")
    line = int(found.items[0].text.partition(":")[0])
    answer = recover(shelf.store, ["t1"], lines=f"{line}:{line + 19}")
    assert answer.items[0].text == functions[61].removesuffix("\n")
    assert text_tokens(shape(found)) < CHEAP
    assert text_tokens(shape(answer)) < CHEAP
    around = recover(shelf.store, ["t1"], pattern=r"def step_61\(.*\)", context=10)
    assert text_tokens(shape(around)) < CHEAP


@pytest.mark.parametrize("joint", ["\n", " "], ids=["in lines", "in one line"])
def test_one_error_in_a_log_of_1_mb_is_cheap(shelf: Shelf, joint: str) -> None:
    parts = noise(60_000).split("\n")
    error = "ERROR pool.c:211 connection to replica-3 refused (errno 111)"
    parts.insert(41_000, error)
    log = joint.join(parts)
    assert len(log) > 1_000_000
    shelf.put(log, key="kubectl logs api-7f")
    for pattern in ("ERROR", "ERROR.*errno", ".*ERROR.*", "(?i)error .+ refused"):
        answer = recover(shelf.store, ["t1"], pattern=pattern, context=2)
        assert error in answer.items[0].text
        assert text_tokens(shape(answer)) < CHEAP


def test_a_hit_in_a_line_of_1_mb_is_shown_with_its_offset_and_its_neighbourhood(shelf: Shelf) -> None:
    line = "".join(f"{n:07}," for n in range(130_000))
    whole = f"first\n{line}\nlast\n"
    shelf.put(whole)
    (item,) = recover(shelf.store, ["t1"], pattern="0100003").items
    found = re.fullmatch(r"2@(\d+)\[(\d+):(\d+)\]:(.*)", item.text)
    assert found is not None
    match, start, end = (int(found[group]) for group in (1, 2, 3))
    assert match == whole.index("0100003")
    assert start < match < end
    assert whole[start:end] == found[4]
    assert picked(shelf, offset=match, limit=7) == "0100003"


def test_a_long_line_beside_a_match_is_shown_as_far_as_it_says(shelf: Shelf) -> None:
    whole = "y" * 5_000 + "\nmatch\n"
    shelf.put(whole)
    text = picked(shelf, pattern="match", context=1)
    assert text == f"1-{'y' * 200}\n1-... 4800 more characters from offset 200 on\n2:match"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(
    pieces=st.lists(st.sampled_from(["needle", "x" * 40, "y" * 900, "\n", "z" * 11_000, "é"]), max_size=60),
    pattern=st.sampled_from(["needle", "need.e", "n[^x]*e", "(need)le", "needle|absent"]),
)
def test_every_line_with_a_match_is_found_and_each_match_stands_in_what_is_shown(
    shelf: Shelf, pieces: list[str], pattern: str
) -> None:
    whole = "".join(pieces)
    ref = shelf.put(whole).ref
    text = picked_of(shelf, ref, pattern)
    shown = [int(number) for number in re.findall(r"^(\d+)[@:]", text, re.MULTILINE)]
    assert sorted(set(shown)) == [n for n, line in enumerate(whole.split("\n"), 1) if "needle" in line]
    spans = [(int(a), int(b)) for a, b in re.findall(r"^\d+@\d+\[(\d+):(\d+)\]:", text, re.MULTILINE)]
    for start, end in spans:
        assert f"[{start}:{end}]:{whole[start:end]}" in text
    for match in re.finditer("needle", whole):
        line = whole[whole.rfind("\n", 0, match.start()) + 1 :].partition("\n")[0]
        assert len(line) <= 2_000 or any(start <= match.start() and match.end() <= end for start, end in spans)


@pytest.mark.parametrize("pattern", ["needle", "n.*?le", "(need|nood)le", r"\bneedle\b"])
def test_a_match_across_the_edge_of_what_is_searched_at_once_is_found(shelf: Shelf, pattern: str) -> None:
    for place in range(9_990, 10_012, 3):
        line = "-" * place + "needle" + "-" * 20_000
        ref = shelf.put(line).ref
        text = picked_of(shelf, ref, pattern)
        assert re.match(rf"1@{place}\[{place - 150}:{place + 156}\]:", text)


@pytest.mark.parametrize(("pattern", "hits"), [("-9$", 0), (r"[^9]9+\Z", 0), (r"9\b", 1), ("9(?!9)", 1)])
def test_the_edge_of_what_is_searched_at_once_is_no_end_of_the_line(shelf: Shelf, pattern: str, hits: int) -> None:
    for place in range(9_990, 10_012, 3):
        ref = shelf.put("-" * place + "9" * 3_000 + "-" * 9_000).ref
        found = re.findall(r"^1@(\d+)", picked_of(shelf, ref, pattern))
        assert found == [str(place + 2_999)] * hits


def picked_of(shelf: Shelf, ref: int, pattern: str) -> str:
    """The text of one of several outputs that the pattern comes to, empty where no line matches."""
    answer = recover(shelf.store, [f"t{ref}"], pattern=pattern, budget=10_000_000)
    return "".join(item.text for item in answer.items)


def test_a_pattern_without_danger_needs_no_process_and_any_other_says_if_it_has_none(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(*arguments: object, **options: object) -> None:
        raise OSError(11, "Resource temporarily unavailable")

    monkeypatch.setattr("prune_mcp.engine.recovery.grep.subprocess.Popen", none)
    shelf.put(noise(20_000) + "ERROR at step 7\n")
    for pattern in ("ERROR", "ERROR|FATAL", "ERROR.*7$", "^[A-Z]+ at", ".*ERROR", "(ERROR|FATAL) at", "steps? 7"):
        assert picked(shelf, pattern=pattern) == "20001:ERROR at step 7"
    with pytest.raises(EngineError, match="temporarily unavailable"):
        recover(shelf.store, ["t1"], pattern="(E+R+)+")


@pytest.mark.parametrize("pattern", [r"(a+)+$", r"(a|aa)+$", r"(?=(a+)+$)x", r"(a?){40}a{40}$", r"a*a*a*a*a*a*b"])
def test_no_pattern_can_hang_the_server(shelf: Shelf, pattern: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("prune_mcp.engine.recovery.grep.SECONDS", 0.5)
    shelf.put("a" * 1_900 + "!\n")
    with pytest.raises(EngineError, match="fewer repeats"):
        recover(shelf.store, ["t1"], pattern=pattern)


def test_a_pattern_with_many_repeats_still_finds_its_lines(shelf: Shelf) -> None:
    shelf.put("alpha=1 beta=2 gamma=3\n" * 3 + "alpha=1 gamma=3\n")
    assert picked(shelf, pattern=r"(\w+=\d+ ?){3}") == "\n".join(f"{n}:alpha=1 beta=2 gamma=3" for n in (1, 2, 3))
    assert picked(shelf, pattern=r"alpha.*gamma.*3.*$", lines="4") == "4:alpha=1 gamma=3"
