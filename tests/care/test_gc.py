"""`gc`: told first, then just that; old outputs only for the asking, what is nowhere else only when agreed to."""

from __future__ import annotations

import random
import sqlite3
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from prune_mcp.engine.care.litter import STATES
from prune_mcp.engine.due.flush_state import FlushStates
from prune_mcp.storage.protocol import Store
from prune_mcp.storage.records import SessionRecord
from prune_mcp.storage.sqlite import open_store
from tests.care.conftest import LOG, Shell, age, exact

pytestmark = pytest.mark.requirement("SRV-STORE")


def noise(seed: int, size: int = 40_000) -> str:
    """A text that does not compress, of about so many characters."""
    return random.Random(seed).randbytes(size // 2).hex()


def grow_old(shell: Shell, session: str, days: int) -> None:
    """Let a session have been pruned last so many days ago."""
    then = datetime.now(UTC) - timedelta(days=days)
    connection = sqlite3.connect(shell.place.data / "store.db")
    updated = then.strftime("%Y-%m-%dT%H:%M:%SZ")
    assert connection.execute("UPDATE sessions SET updated = ? WHERE id = ?", (updated, session)).rowcount == 1
    connection.commit()
    connection.close()


def opened(shell: Shell) -> Store:
    return open_store(shell.place)


def sessions_of(answer: Any) -> list[str]:
    return [session["session"] for session in answer["sessions"]]


@pytest.fixture
def littered(shell: Shell) -> Shell:
    """A home with one pruned session, and of each kind of garbage some."""
    shell.session("kept-1", *(noise(n) for n in range(6)))
    shell.run("prune", "kept-1")
    store = opened(shell)
    with store.write() as writer:
        writer.session(SessionRecord("kept-1"))
        for number in range(3):
            writer.facet("kept-1", 1, "args", noise(100 + number, 90_000).encode())
    store.close()
    searches, history = shell.place.cache / "searches", shell.place.data / "history"
    (shell.place.data / "bodies" / "unfinished" / "tmpxyz").write_text("half")
    for path in (searches / "old.json", searches / "new.json", history / "catalog.sqlite.damaged-1"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("kept " * 100)
    age(searches / "old.json", 8)
    return shell


def test_what_a_dry_run_tells_is_what_then_goes_and_nothing_else(littered: Shell) -> None:
    before = exact(littered, "kept-1", "t1-t6")
    told = littered.json("gc", "--dry-run")
    assert told["dry_run"]
    garbage = told["garbage"]
    assert (garbage["bodies"], garbage["unfinished"], garbage["foreign"]) == (2, 1, 0)
    litter = [each["what"] for each in told["litter"]]
    assert sorted(litter) == ["catalogs set aside", "kept searches older than a week"]
    assert littered.json("gc", "--dry-run")["garbage"] == garbage
    done = littered.json("gc")
    assert done["garbage"] == garbage
    assert done["after"]["total"] < done["before"]["total"] - 90_000
    assert done["notes"] == []
    assert not (littered.place.cache / "searches" / "old.json").exists()
    assert (littered.place.cache / "searches" / "new.json").exists()
    assert exact(littered, "kept-1", "t1-t6") == before
    again = littered.json("gc")
    assert (again["garbage"]["bytes"], again["litter"], again["freed"]) == (0, [], 0)
    assert littered.json("check")["sound"]


def test_what_is_kept_of_sessions_that_nobody_asks_about_goes_after_a_month(shell: Shell) -> None:
    for name in ("old-1", "new-1"):
        shell.session(name, *(noise(n) for n in range(6)))
        shell.run("prune", name, "--when-due")
    old, new = (FlushStates(shell.place).path(name) for name in ("old-1", "new-1"))
    age(old, 31)
    age(new, 29)
    assert [each["what"] for each in shell.json("gc")["litter"]] == [STATES]
    assert (old.exists(), new.exists()) == (False, True)


def test_it_says_what_it_frees_before_and_after(littered: Shell) -> None:
    told = littered.run("gc", "--dry-run").stdout
    assert "would be freed; nothing was taken away (--dry-run)" in told
    assert "bodies that no record names" in told
    done = littered.spawn("gc").stdout
    assert done.startswith(told.partition("\n")[0])
    assert " freed: " in done
    assert "There is no garbage." in littered.run("gc").stdout


def test_old_outputs_that_transcripts_hold_are_given_up_for_the_asking_and_come_back_with_a_prune(
    shell: Shell,
) -> None:
    for number, name in enumerate(("old-session", "new-session")):
        shell.session(name, *(noise(10 * number + n, 90_000) for n in range(8)), "shared by both")
        shell.run("prune", name)
    grow_old(shell, "old-session", 100)
    before = exact(shell, "old-session", "t1-t9")
    assert sessions_of(shell.json("gc", "--older-than", "120d")) == []
    told = shell.json("gc", "--older-than", "90d", "--dry-run")
    assert sessions_of(told) == ["old-session"]
    assert told["sessions"][0]["held_bytes"] > 300_000
    assert exact(shell, "old-session", "t1-t9") == before
    done = shell.json("gc", "--older-than", "90d")
    assert done["released"] >= told["sessions"][0]["held_bytes"]
    assert done["before"]["total"] - done["after"]["total"] > 300_000
    shown = shell.run("show", "t1", "--session", "old-session", code=1)
    assert "given up to free space. Pruning its session again keeps it anew" in shown.stdout
    assert "status=given-up" in shown.stdout
    assert exact(shell, "old-session", "t9") == before[8:]
    assert len(exact(shell, "new-session", "t1-t9")) == 9
    assert shell.json("check")["sound"]
    assert sessions_of(shell.json("gc", "--older-than", "90d")) in ([], ["old-session"])
    shell.run("prune", "old-session")
    assert exact(shell, "old-session", "t1-t9") == before


def test_what_no_transcript_holds_goes_only_when_that_is_agreed_to(shell: Shell) -> None:
    path = shell.session("gone-session", *(noise(n) for n in range(8)))
    shell.run("prune", "gone-session")
    grow_old(shell, "gone-session", 100)
    path.unlink()
    before = exact(shell, "gone-session", "t1-t8")
    told = shell.json("gc", "--older-than", "90d")
    assert [(one["held_bytes"], one["lost_bytes"] > 100_000) for one in told["sessions"]] == [(0, True)]
    assert told["released"] == 0
    assert "are nowhere else and stay: say --yes" in shell.run("gc", "--older-than", "90d").stderr
    assert exact(shell, "gone-session", "t1-t8") == before
    done = shell.json("gc", "--older-than", "90d", "--yes")
    assert done["released"] > 100_000
    assert shell.run("show", "t1", "--session", "gone-session", code=1)


def test_a_transcript_that_no_longer_holds_an_output_is_no_copy_of_it(shell: Shell) -> None:
    shell.session("rewritten", *(noise(n) for n in range(8)))
    shell.run("prune", "rewritten")
    grow_old(shell, "rewritten", 100)
    before = exact(shell, "rewritten", "t1-t8")
    shell.session("rewritten", *(noise(n) for n in range(4)))
    shell.json("gc", "--older-than", "90d")
    assert [len(text) for text in exact(shell, "rewritten", "t1-t4")] == [0] * 4
    assert exact(shell, "rewritten", "t5-t8") == before[4:]


def test_to_quota_gives_up_the_oldest_until_it_fits_and_says_when_it_cannot(shell: Shell) -> None:
    for number in range(3):
        shell.session(f"session-{number}", *(noise(10 * number + n) for n in range(8)))
        shell.run("prune", f"session-{number}")
        grow_old(shell, f"session-{number}", 30 - number)
    total = shell.json("stats")["space"]["total"]
    quota: Any = {"PRUNE_MCP_QUOTA_BYTES": str(total - 100_000)}
    warned = shell.run("stats", **quota)
    assert "that quota_bytes allows. Nothing goes by itself" in warned.stderr
    assert sessions_of(shell.json("gc", **quota)) == []
    told = shell.json("gc", "--to-quota", "--dry-run", **quota)
    assert (sessions_of(told), told["short"]) == (["session-0"], 0)
    done = shell.json("gc", "--to-quota", **quota)
    assert done["after"]["over"] == 0
    assert len(exact(shell, "session-1", "t1-t8")) == 8
    assert sessions_of(shell.json("gc", "--to-quota", **quota)) == []
    least: Any = {"PRUNE_MCP_QUOTA_BYTES": "1000"}
    short = shell.json("gc", "--to-quota", code=1, **least)
    assert sessions_of(short)[-2:] == ["session-1", "session-2"]
    assert short["short"] > 0
    assert "The quota stays exceeded by" in shell.run("gc", "--to-quota", code=1, **least).stderr


def test_sessions_of_today_give_nothing_up_to_the_quota(shell: Shell) -> None:
    shell.session("today-1", *(noise(n) for n in range(8)))
    shell.run("prune", "today-1")
    assert sessions_of(shell.json("gc", "--to-quota", code=1, PRUNE_MCP_QUOTA_BYTES="1000")) == []
    assert len(exact(shell, "today-1", "t1-t8")) == 8


def test_without_a_quota_nothing_is_said_of_it(shell: Shell) -> None:
    shell.session("any-session", noise(1))
    shell.run("prune", "any-session")
    stats = shell.run("stats", PRUNE_MCP_QUOTA_BYTES="0")
    assert ("quota" in stats.stderr, " of " in stats.stdout.splitlines()[-1].partition("(")[0]) == (False, False)


def test_a_home_without_anything_has_no_garbage_and_gets_no_store(shell: Shell) -> None:
    assert "There is no garbage." in shell.run("gc").stdout
    assert shell.json("gc", "--to-quota", "--older-than", "1d")["freed"] == 0
    assert not (shell.place.data / "store.db").exists()


@pytest.mark.parametrize("word", ["soon", "90 parsecs", ""])
def test_an_age_that_is_none_is_refused_in_words(shell: Shell, word: str) -> None:
    assert "is no point in time; give a date" in shell.run("gc", "--older-than", word, code=2).stderr


def test_files_of_a_store_that_was_moved_away_stay_and_that_is_said(littered: Shell) -> None:
    before = exact(littered, "kept-1", "t1-t6")
    path = littered.place.data / "store.db"
    littered.run("gc")
    store = opened(littered)
    with store.write() as writer:
        writer.facet("kept-1", 2, "args", LOG.encode() * 20)
    store.close()
    for file in littered.place.data.glob("store.db*"):
        file.rename(file.with_name("aside" + file.name.removeprefix("store.db")))
    littered.session("another", "x")
    littered.run("prune", "another")
    done = littered.json("gc", code=1)
    assert done["garbage"]["foreign"] >= 1
    assert "belong to another store" in done["notes"][0]
    for file in littered.place.data.glob("store.db*"):
        file.unlink()
    for file in littered.place.data.glob("aside*"):
        file.rename(path.with_name("store.db" + file.name.removeprefix("aside")))
    assert exact(littered, "kept-1", "t1-t6") == before
    assert littered.json("check")["sound"]
