"""Every command refuses a store of a newer version in one sentence, and leaves it as it is."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from prune_mcp.storage.schema import MIGRATIONS
from prune_mcp.storage.sqlite import open_store
from tests.care.conftest import Shell
from tests.storage.examples import archive, large_text

pytestmark = pytest.mark.requirement("SRV-STORE")

NEWER = (*MIGRATIONS, ("ALTER TABLE sessions ADD COLUMN mood TEXT NOT NULL DEFAULT ''",))
OLD = Path(__file__).parent.parent / "storage" / "version_1"


def contents(shell: Shell) -> dict[str, bytes]:
    """The store's files by name."""
    data = shell.place.data
    return {
        str(path.relative_to(data)): path.read_bytes()
        for path in data.rglob("*")
        if path.is_file()
        and path.relative_to(data).parts[0] in ("store.db", "store.db-wal", "bodies", "forgetting")
    }


@pytest.fixture
def newer(shell: Shell) -> Shell:
    """A home whose store version 3 wrote, and a session to prune."""
    assert len(NEWER) == 3
    shell.session("aa11-session", *(f"output {number}" for number in range(6)))
    store = open_store(shell.place, migrations=NEWER)
    archive(store, "from the future", large_text("future"), session="aa11-session")
    store.close()
    return shell


@pytest.mark.parametrize(
    "command",
    [
        ("prune", "aa11-session"),
        ("tree", "aa11-session"),
        ("show", "t1"),
        ("sessions",),
        ("stats",),
        ("gc",),
        ("gc", "--dry-run"),
        ("gc", "--to-quota", "--yes"),
        ("check",),
        ("check", "--repair"),
        ("forget", "aa11-session", "--yes"),
    ],
)
def test_a_command_says_in_one_sentence_that_the_store_is_newer(newer: Shell, command: tuple[str, ...]) -> None:
    before = contents(newer)
    said = newer.run(*command, code=1)
    assert said.stdout == ""
    (sentence,) = said.stderr.strip().splitlines()
    store = newer.place.data / "store.db"
    assert sentence == (
        f"prune-mcp: The store {store} has version 3 and this prune-mcp knows versions up to 2: update prune-mcp "
        "to use it; nothing was read or written."
    )
    assert contents(newer) == before


def test_a_store_of_version_1_is_taken_over_by_whatever_uses_it_first(shell: Shell) -> None:
    shutil.copytree(OLD, shell.place.data)
    assert shell.json("stats")["total"]["net"] == 48_444 - 1_333 + 1_144 - 43
    assert shell.json("check")["sound"]
    shutil.rmtree(shell.place.data)
    shutil.copytree(OLD, shell.place.data)
    assert shell.json("gc")["garbage"]["foreign"] == 0
    assert shell.json("check")["sound"]
