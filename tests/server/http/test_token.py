"""Tokens on the command line and on the disk."""

from __future__ import annotations

import re
import stat
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from prune_mcp.server.http.token import Tokens
from prune_mcp.storage.home import home as home_of
from tests.server.shell import Shell

pytestmark = pytest.mark.requirement("SRV-HTTP")


@pytest.fixture
def shell(home: Path) -> Shell:
    return Shell(home, home)


@pytest.fixture
def tokens(home: Path) -> Tokens:
    return Tokens(home_of({"PRUNE_MCP_HOME": str(home / "prune-mcp")}))


def test_a_token_is_shown_once_and_kept_as_a_hash(shell: Shell, tokens: Tokens) -> None:
    done = shell.run("token", "make", "laptop")
    token = done.stdout.strip()
    assert re.fullmatch(r"prune_mcp_[A-Za-z0-9_-]{43}", token)
    assert "not shown again" in done.stderr
    kept = [path for path in (shell.home / "prune-mcp").rglob("*") if path.is_file()]
    assert [path.name for path in kept] == [sha256(token.encode()).hexdigest()]
    assert token not in kept[0].read_text()
    assert tokens.id_of(token) == kept[0].name
    assert tokens.id_of(token[:-1]) == "" == tokens.id_of("") == tokens.id_of("\ud800")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
def test_only_the_user_may_read_it(shell: Shell, tokens: Tokens) -> None:
    shell.run("token")
    (kept,) = tokens.folder.iterdir()
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert stat.S_IMODE(tokens.folder.stat().st_mode) == 0o700


def test_the_command_alone_makes_the_first_one_and_then_lists(shell: Shell) -> None:
    assert shell.run("token").stdout.startswith("prune_mcp_")
    listed = shell.run("token").stdout
    assert listed.split()[:3] == ["id", "name", "made"]
    assert "prune_mcp_" not in listed
    again = shell.run("token", "list")
    assert again.stdout == listed
    assert "`prune-mcp token make NAME` makes another" in again.stderr


def test_each_token_is_another_and_goes_by_its_name_or_its_id(shell: Shell, tokens: Tokens) -> None:
    made = [shell.run("token", "make", name).stdout.strip() for name in ("one", "two", "three")]
    assert len(set(made)) == 3
    ids = {token.name: token.id for token in tokens.all()}
    shell.run("token", "revoke", "two")
    shell.run("token", "revoke", ids["three"])
    assert [bool(tokens.id_of(token)) for token in made] == [True, False, False]
    assert "called one already" in shell.run("token", "make", "one", code=1).stderr


def test_revoking_without_a_name_means_the_only_one(shell: Shell, tokens: Tokens) -> None:
    assert "no token to revoke" in shell.run("token", "revoke", code=1).stderr
    for name in ("one", "two"):
        shell.run("token", "make", name)
    undecided = shell.run("token", "revoke", code=1)
    assert "name one of these" in undecided.stderr
    assert "two" in undecided.stdout
    assert len(tokens.all()) == 2
    shell.run("token", "revoke", "all")
    shell.run("token", "make", "three")
    shell.run("token", "revoke")
    assert tokens.all() == []


def test_a_word_that_is_no_verb_is_told_what_to_type(shell: Shell, tokens: Tokens) -> None:
    told = shell.run("token", "laptop", code=2).stderr
    assert "'laptop' is none of make, list, revoke" in told
    assert "`prune-mcp token make laptop`" in told
    assert "takes no name" in shell.run("token", "list", "laptop", code=2).stderr
    assert tokens.all() == []


@pytest.mark.parametrize("name", ["all", "x" * 61, "two\nlines", "\x1b[2J"])
def test_a_name_that_could_not_be_told_apart_or_shown_is_refused(shell: Shell, tokens: Tokens, name: str) -> None:
    assert "printable characters" in shell.run("token", "make", name, code=1).stderr
    assert tokens.all() == []


def test_a_damaged_file_still_counts_and_can_be_revoked(shell: Shell, tokens: Tokens) -> None:
    token = shell.run("token", "make", "laptop").stdout.strip()
    (kept,) = tokens.folder.iterdir()
    kept.write_bytes(b"{")
    assert tokens.id_of(token) == kept.name
    shell.run("token", "revoke", kept.name[:8])
    assert tokens.id_of(token) == ""
