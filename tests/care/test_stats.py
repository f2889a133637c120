"""`stats`: a table of sessions, the newest first, and all of them in all; one session line by line; JSON."""

from __future__ import annotations

import pytest

from prune_mcp.storage.records import ModelUsage
from prune_mcp.storage.sqlite import open_store
from tests.care.conftest import Shell

pytestmark = pytest.mark.requirement("SRV-STORE")


@pytest.fixture
def pruned(shell: Shell) -> Shell:
    """Three sessions, the last of which asked a model."""
    for name in ("aa11-first", "bb22-second", "cc33-third"):
        shell.session(name, *(f"output {number} of {name}" for number in range(8)), title=f"work on {name}")
        shell.run("prune", name)
    store = open_store(shell.place)
    with store.write() as writer:
        writer.charge_model("cc33-third", ModelUsage("small-model", 3, 4000, 200, 0.0125))
    store.close()
    return shell


def rows(text: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines() if line]


def test_sessions_are_listed_the_newest_first_and_summed_in_all(pruned: Shell) -> None:
    told = pruned.json("stats")
    assert [each["session"] for each in told["sessions"]] == ["cc33-third", "bb22-second", "aa11-first"]
    nets = [each["ledger"]["net"] for each in told["sessions"]]
    assert min(nets) > 5000
    assert told["total"]["net"] == sum(nets) == told["total"]["left_out"] - told["total"]["spent"]
    table = rows(pruned.spawn("stats").stdout)
    assert table[0] == ["session", "age", "left", "out", "spent", "recovered", "net", "calls", "cost", "title"]
    assert [row[0] for row in table[1:4]] == ["cc33-third", "bb22-second", "aa11-first"]
    in_all = f"in all {told['total']['left_out']:,} {told['total']['spent']:,} 0 {sum(nets):,} 3 $0.0125"
    assert " ".join(table[4]) == in_all
    assert ["small-model", "3", "4,000", "200", "$0.0125"] in table


def test_a_long_list_is_cut_and_the_sum_is_of_all(pruned: Shell) -> None:
    table = rows(pruned.run("stats", "--limit", "1").stdout)
    assert [row[0] for row in table[1:3]] == ["cc33-third", "in"]
    assert " ".join(table[3]) == "and 2 older sessions; --limit lists more"
    assert table[2] == rows(pruned.run("stats").stdout)[4]


def test_one_session_is_told_line_by_line(pruned: Shell) -> None:
    (told,) = pruned.json("stats", "bb22")["sessions"]
    lines = pruned.run("stats", "bb22").stdout
    assert ["net", f"{told['ledger']['net']:,}"] in rows(lines)
    assert "1 prune, the last on 20" in lines
    assert "recovered again (0 times)" in lines
    assert "aa11" not in lines
    assert "no session 'dd44'" in pruned.run("stats", "dd44", code=1).stderr


def test_what_a_tool_brings_back_is_taken_off_and_what_a_person_looks_at_is_not(pruned: Shell) -> None:
    from prune_mcp.engine.recovery.recover import recover

    before = pruned.json("stats", "bb22")["total"]
    store = open_store(pruned.place)
    recover(store, ["t1"], session="bb22-second")
    store.close()
    after = pruned.json("stats", "bb22")["total"]
    assert after["recoveries"] == 1
    assert after["net"] == before["net"] - after["recovered"] < before["net"]


def test_space_on_disk_is_told_by_part(pruned: Shell) -> None:
    pruned.run("index")
    last = pruned.run("stats").stdout.splitlines()[-1]
    assert last.startswith("kept on disk: ")
    assert " of 5.00 GB (" in last
    assert all(part in last for part in ("archived outputs", "text of past sessions", "search index"))


def test_a_home_without_anything_says_so(shell: Shell) -> None:
    said = shell.run("stats")
    assert "Nothing was pruned yet." in said.stderr
    assert said.stdout == "kept on disk: 0 B of 5.00 GB\n"
