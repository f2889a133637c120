"""Which tokens are names, and what counts as said."""

from __future__ import annotations

import json
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prune_mcp.pruning.names import Seen, names
from prune_mcp.pruning.stub import stub
from tests.pruning.digest.strategies import HARM, reports


@pytest.mark.parametrize(
    "name",
    [
        *("src/app/main.py", "/etc/hosts", "~/.config/app.toml", "../up/one.txt", "C:\\Users\\me\\notes.txt"),
        *("https://example.org/a/b?x=1&y=2#top", "postgres://db.internal:5432/app", "someone@example.org"),
        *(
            "snake_case",
            "camelCase",
            "PascalCase",
            "MAX_RETRIES",
            "HTTP",
            "kebab-case",
            "pkg.module.attr",
            "__init__",
        ),
        *("std::vec", "@scope/pkg", "--dry-run", ".gitignore", "npm:test", "v1.2.3", "2.31.0", "E0308", "TS2345"),
        *("3f9a1c2", "550e8400-e29b-41d4-a716-446655440000", "0xdeadbeef", "8080", "main.py:12", "größe_max"),
        *("docs/说明.md", "127.0.0.1:8000"),
    ],
)
def test_what_is_referred_to_by_its_letters_is_a_name(name: str) -> None:
    for text in (name, f"see {name}.", f'"{name}", then', f"({name})", f"\x1b[1m{name}\x1b[0m"):
        assert names(text) == [name]


@pytest.mark.parametrize(
    "text",
    [
        *(
            "The quick brown fox.",
            "a 12 b 345",
            "......F....",
            "-----",
            "2026-01-02T03:04:05.678Z",
            "10:44:03",
            "0.13s",
        ),
        *("17/60 done", "____", "e", "", "Hello, World!", "</button>", "== ok ==", "x" * 400, "1200ms"),
        "drwxr-xr-x 2 me me 12 .",
    ],
)
def test_plain_words_times_and_decoration_are_no_names(text: str) -> None:
    assert names(text) == []


def test_names_come_once_in_order_of_first_occurrence() -> None:
    assert names("bb_2 aa_1 bb_2 cc_3 aa_1") == ["bb_2", "aa_1", "cc_3"]


def test_line_number_columns_are_told_by_their_ends() -> None:
    numbered = "\n".join(f"{number}\tplain words" for number in range(1000, 1400))
    assert names(numbered) == ["1000", "1399"]


def test_what_escapes_and_closing_tags_leave_sticks_to_no_name() -> None:
    assert names(json.dumps({"text": "one\nsnake_case\tcamelCase"})) == ["snake_case", "camelCase"]
    assert names("<table></table></my-part>") == []


def test_encoded_data_holds_no_names() -> None:
    line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKjMzEf"
    assert names(f"key:\n{line}\n") == []


def test_a_column_after_a_line_is_left_out() -> None:
    assert names("src/a.c:12:34: error") == ["src/a.c:12"]


@given(reports())
def test_every_name_put_into_a_text_is_found(report: tuple[str, list[str]]) -> None:
    text, put_in = report
    found = names(text)
    assert set(put_in) <= set(found)
    assert len(found) == len(set(found))


@given(st.lists(HARM).map("".join))
def test_any_text_has_names_that_can_be_printed(text: str) -> None:
    for name in names(text):
        assert name == "".join(name.split())
        assert name.encode("utf-8").decode("utf-8") == name
        assert "<" not in name
        assert "[" not in name


def test_seen_holds_what_was_added_and_nothing_else() -> None:
    seen = Seen()
    seen.add("open src/app/main.py")
    seen.add_names(["a_1"])
    assert "src/app/main.py" in seen
    assert "a_1" in seen
    assert seen.missing(["a_1", "b_2", "src/app/main.py", "c_3"]) == ["b_2", "c_3"]


def test_seen_goes_on_past_what_it_keeps_at_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Seen, "RECENT", 50)
    seen = Seen()
    for number in range(400):
        seen.add_names([f"name_{number}"])
    assert seen.missing(f"name_{number}" for number in range(500)) == [f"name_{n}" for n in range(400, 500)]


def test_names_beyond_those_at_hand_take_some_bytes_each(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Seen, "RECENT", 1 << 12)
    tracemalloc.start()
    seen = Seen()
    for start in range(0, 100_000, 1000):
        seen.add_names(f"name_{number}" for number in range(start, start + 1000))
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held < 2_000_000
    assert "name_99999" in seen


def test_what_is_remembered_of_texts_stays_within_bounds() -> None:
    tracemalloc.start()
    for start in range(0, 300_000, 1000):
        names(" ".join(f"name_{number}" for number in range(start, start + 1000)))
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held < 8_000_000
    text = "open src/app/main.py"
    assert names(text) is names("".join(list(text)))


def test_a_stub_says_grouped_paths_whole() -> None:
    seen = Seen()
    seen.add(stub(1, "Bash", "ls", False, 100, 5, 0, "src/app: main.py test.py:3,40\npaths: lib/x.go\nnames: a_b"))
    said = ["src/app/main.py", "src/app/test.py:3", "src/app/test.py:40", "lib/x.go", "a_b"]
    assert seen.missing([*said, "src/app/other.py"]) == ["src/app/other.py"]
