"""A rollout whose content tells another id than its file's name is one session, and found by either."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.server.shell import Shell
from tests.sessions.codex.writing import SESSION, Rollout, rollout_path

pytestmark = pytest.mark.requirement("SES-CODEX", "SES-WHICH")

# As the header of the copy tells it.
OTHER = "0198aaaa-1111-7222-8333-444444444444"


@pytest.fixture
def shell(home: Path, tmp_path: Path) -> Shell:
    """Commands beside a copy of a rollout under another name, and another session."""
    copy = Rollout(rollout_path(home / ".codex"), OTHER)
    copy.prompt("where is the walrus?")
    copy.call("c1")
    copy.output("c1", "a walrus sings " * 400)
    copy.says("It sings.")
    Rollout(rollout_path(home / ".codex", SESSION[:-1] + "2"), SESSION[:-1] + "2").prompt("no walrus here")
    return Shell(home, tmp_path)


def test_there_is_one_id_wherever_it_is_told(shell: Shell) -> None:
    shell.run("prune", OTHER)
    rows = shell.json("sessions")
    assert [(row["id"], row["archived"]) for row in rows if row["outputs"]] == [(SESSION, True)]
    assert OTHER not in str(rows)
    for _ in range(2):
        hits = shell.json("search", "sings", "--session", OTHER)["hits"]
        assert {hit["session"] for hit in hits} == {SESSION}
        shell.run("index")


@pytest.mark.parametrize("indexed", [False, True])
def test_either_id_names_it(shell: Shell, indexed: bool) -> None:
    if indexed:
        shell.run("index")
    for id in (SESSION, OTHER, OTHER[:13]):
        assert shell.json("search", "sings", "--session", id)["hits"] != []
        (entry,) = (
            hit["entry"] for hit in shell.json("search", "walrus", "--session", id, "--role", "user")["hits"]
        )
        assert "walrus?" in shell.run("read", f"{entry}@{id}").stdout
        assert SESSION in shell.run("prune", id, "--json").stdout


def test_it_is_forgotten_by_either_id(shell: Shell) -> None:
    shell.run("index")
    shell.run("forget", OTHER, "--yes")
    assert {hit["session"] for hit in shell.json("search", "walrus")["hits"]} == {SESSION[:-1] + "2"}
