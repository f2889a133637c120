"""What a digest keeps of an output, and what can never be in one."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prune_mcp.pruning.digest import MOST_ROOM, digest
from prune_mcp.pruning.errors.lines import error_lines
from prune_mcp.pruning.errors.parts import LONGEST
from prune_mcp.pruning.names import Seen, names
from prune_mcp.pruning.stub import stub
from tests.pruning.digest.strategies import HARM, OURS, reports


def said(text: str) -> Seen:
    """What a reader of a stub with this digest knows."""
    seen = Seen()
    seen.add(stub(1, "Bash", "", False, 1, 1, 0, text))
    return seen


@pytest.mark.requirement("PRU-DIGEST")
@given(reports())
def test_every_name_is_told(report: tuple[str, list[str]]) -> None:
    text, _ = report
    told = digest(text, Seen(), tool="Bash")
    assert said(told).missing(names(text)) == []


@pytest.mark.requirement("PRU-DIGEST")
@given(reports(), st.data())
def test_a_name_in_view_is_not_told_again(report: tuple[str, list[str]], data: st.DataObject) -> None:
    text, put_in = report
    known = data.draw(st.sets(st.sampled_from(put_in)) if put_in else st.just(set()))
    seen = Seen()
    seen.add_names(known)
    told = digest(text, seen, tool="Read")
    fresh = [name for name in names(text) if name not in known]
    assert said(told).missing(fresh) == []
    assert set(known) - set(said(told).missing(known)) == set()


@given(reports())
def test_what_is_told_counts_as_said(report: tuple[str, list[str]]) -> None:
    text, _ = report
    seen = Seen()
    first = digest(text, seen, tool="Read")
    assert seen.missing(names(text)) == []
    assert digest(text, seen, tool="Read") == "" or first == ""


@pytest.mark.requirement("PRU-DIGEST")
@given(st.lists(st.sampled_from(["ERROR a{}", "fatal: b{}", "plain {}", "x.c:1:2: error: c{}"])), st.booleans())
def test_every_error_line_is_told_where_it_first_occurs(forms: list[str], error: bool) -> None:
    text = "\n".join(form.format(number) for number, form in enumerate(forms))
    told = digest(text, Seen(), tool="Bash", error=error).split("\n")
    for line, count in error_lines(text).items():
        assert (f"{line} (×{count})" if count > 1 else line) in told


def test_error_lines_stand_first() -> None:
    text = (
        "\n".join(f"step {n} of src/app/part_{n}.py" for n in range(50))
        + "\nValueError: bad value\n3 passed, 1 failed"
    )
    assert digest(text, Seen(), tool="Bash").split("\n")[0] == "ValueError: bad value"


def test_error_lines_told_before_are_counted_and_the_first_still_says_what_failed() -> None:
    seen = Seen()
    text = "error: one\nerror: two\nerror: three"
    assert digest(text, seen, tool="Bash", error=True) == text
    again = digest(text + "\nerror: four", seen, tool="Bash", error=True)
    assert again == "error: one\nerror: four\nand 2 error lines as before"


def test_one_error_line_told_before_is_counted_in_the_singular() -> None:
    seen = Seen()
    digest("error: one\nerror: two", seen, tool="Bash", error=True)
    assert digest("error: one\nerror: two", seen, tool="Bash").endswith("\nand 1 error line as before")


def test_a_failed_call_without_an_error_line_tells_how_it_ends() -> None:
    text = "Exit code 1\nchecking one\nchecking two\nchecking three\nchecking four\n\n3 files to format\n---\n"
    assert digest(text, Seen(), tool="Bash", error=True).split("\n") == [
        *("Exit code 1", "checking three", "checking four", "3 files to format"),
    ]
    assert digest("\n  nothing to see\n\n", Seen(), tool="Bash", error=True) == "nothing to see"
    assert len(digest("word " * 9000, Seen(), tool="Bash", error=True)) <= LONGEST


@pytest.mark.parametrize(
    "text",
    [
        *(
            "Randomized with seed 568901",
            "Running ExUnit with seed: 568901, max 32",
            "took 12345 ms",
            "in 123.456 s",
        ),
        *("create mode 100644 a.b", "chmod 0755 a.b"),
    ],
)
def test_numbers_that_only_time_or_seed_a_run_or_are_a_mode_are_not_told(text: str) -> None:
    assert not re.search("568901|12345|123.456|100644|0755", digest(text, Seen(), tool="Bash"))


def test_files_of_one_folder_share_a_line_with_their_places() -> None:
    text = "src/app/main.py:3: x\nsrc/app/main.py:40: y\nsrc/app/test_main.py\nlib/one.go\n"
    assert digest(text, Seen(), tool="Grep") == "names: lib/one.go\nsrc/app: main.py:3,40 test_main.py"


def test_all_other_names_share_one_line() -> None:
    text = "x = load_config(MAX_SIZE)  # 3f9a1c2e at 8080 in lib/one.go\n"
    assert digest(text, Seen(), tool="Read") == "names: lib/one.go load_config MAX_SIZE 3f9a1c2e 8080"


def test_a_test_run_tells_its_counts() -> None:
    text = (
        "\n".join("." * 60 for _ in range(20))
        + "\n\n================ 117 passed, 3 skipped in 4.21s ================\n"
    )
    assert digest(text, Seen(), tool="Bash") == "117 passed, 3 skipped in 4.21s"


def test_a_report_without_counts_tells_its_last_line() -> None:
    text = "doing this and that\n" * 40 + "nothing to commit, working tree clean\n"
    assert digest(text, Seen(), tool="Bash") == "nothing to commit, working tree clean"


def test_json_tells_its_keys_a_table_its_header_a_diff_its_files() -> None:
    assert (
        digest('{"name": "x", "deps": [1, 2], "on": true}', Seen(), tool="Bash") == "json object: name deps[2] on"
    )
    assert (
        digest('[{"id": 1, "ok": true}, {"id": 2}]', Seen(), tool="Bash")
        == "json array of 2, each an object: id ok"
    )
    table = "id,name,amount\n" + "".join(f"{n},ann,{n}\n" for n in range(60))
    assert digest(table, Seen(), tool="Read") == "table of 60 rows: id,name,amount"
    diff = "diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,2 @@\n-one\n+two\n+three\n four\n"
    assert digest(diff, Seen(), tool="Bash").startswith("diff: x.py +2 -1")


def test_names_in_great_numbers_are_told_by_their_ends_and_counted() -> None:
    text = "\n".join(f"request req-{n:06d}a done" for n in range(1000))
    told = digest(text, Seen(), tool="Read")
    assert told.startswith("names: req-000000a req-000001a ")
    assert told.endswith(" req-000998a req-000999a\nand 980 more names")
    assert len(told) < 300


@pytest.mark.parametrize(
    "form",
    [
        *("{}7041", "1.2{}", "3f9a1c{}e", "550e8400-e29b-41d4-a716-{}46655440000"),
        *("https://example.org/{}", "node_modules/lib/{}a.js", "/srv/build/x-{}/y.js"),
    ],
)
def test_of_numbers_ids_addresses_and_made_files_only_a_few_are_told(form: str) -> None:
    found = [form.format(number) for number in range(1, 10)]
    told = digest(" and ".join([*found, "load_config"]), Seen(), tool="Read")
    assert said(told).missing([*found, "load_config"]) == found[3:-1]
    assert told.endswith("\nand 5 more names")


def test_where_the_room_is_too_small_the_shortest_names_are_told() -> None:
    short = [f"{a}{b}_x" for a in "abcdefgh" for b in "abcdefgh"]
    long = [name * 8 for name in short]
    told = digest("\n".join(name for pair in zip(long, short, strict=True) for name in pair), Seen(), tool="Read")
    assert said(told).missing(short) == []
    assert len(said(told).missing(long)) > len(long) / 2


def test_a_digest_of_names_alone_stays_within_its_room() -> None:
    words = [
        a + b + "_" + c
        for a in "abcdefghij"
        for b in "abcdefghijklmnop"
        for c in ("one", "two", "red", "blue") * 9
    ]
    text = " ".join(f"{word}{chr(97 + n % 26)}{chr(97 + n // 26 % 26)}" for n, word in enumerate(words))
    told = digest(text, Seen(), tool="Read")
    assert len(told) < MOST_ROOM + 100
    assert len(told) < len(text) / 3
    assert re.search(r"and \d+ more names$", told)


@pytest.mark.requirement("PRU-FENCE")
@given(st.lists(HARM).map("".join), st.booleans())
def test_no_output_can_close_a_block_or_pass_for_a_stub(text: str, error: bool) -> None:
    told = digest(text, Seen(), tool="Bash", error=error)
    assert not OURS.search(told)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]", told)


@given(st.lists(HARM).map("".join))
def test_the_same_text_has_the_same_digest(text: str) -> None:
    assert digest(text, Seen(), tool="Bash") == digest(text, Seen(), tool="Bash")


@pytest.mark.parametrize(
    "text",
    [
        *("a" * 300_000, "." * 300_000, "/" * 300_000, "a:1:1: x " * 30_000, "error " * 50_000, "://" * 100_000),
        *("\x1b[" * 100_000, "[" * 300_000, "</a" * 100_000, "A." * 100_000 + "rror", "\\n" * 100_000),
    ],
    ids=range(11),
)
def test_one_line_made_to_cost_time_is_digested_in_little_room(text: str) -> None:
    assert len(digest(text, Seen(), tool="Bash")) < 1000


def test_one_error_in_a_large_log_is_told() -> None:
    lines = [f"2026-01-02T03:04:05Z INFO request {n} took {n % 90} ms" for n in range(15_000)]
    lines[9_000] = "2026-01-02T03:04:05Z ERROR worker failed: DatabaseTimeout (E4711)"
    told = digest("\n".join(lines), Seen(), tool="Bash")
    assert told.split("\n")[0] == lines[9_000]
    assert len(told) < 1000
