"""Each needle of the synthetic home is found once, where it stands: scanned, indexed, after its source is gone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.needles.damage import KEYS
from tests.needles.home import HOSTS, VARIABLES, Home

pytestmark = pytest.mark.requirement("HIS-FIND")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Home:
    """The home, its exports brought in, nothing indexed."""
    for variable in VARIABLES:
        monkeypatch.delenv(variable, raising=False)
    home = Home(tmp_path, capsys)
    monkeypatch.setenv("HOME", str(home.folder))
    monkeypatch.setenv("PRUNE_MCP_HOME", str(home.data))
    monkeypatch.setenv("PRUNE_MCP_BACKGROUND_INDEX", "false")
    # What a scan finds is asked here, not how much of it a busy machine gets done in time.
    monkeypatch.setattr("prune_mcp.engine.past.SCAN_SECONDS", 60.0)
    monkeypatch.chdir(home.folder)
    home.bring()
    return home


def wrong(home: Home, hosts: list[str], flags: frozenset[str] = frozenset()) -> dict[str, list[str]]:
    """What is wrong with any needle of these hosts, by its name."""
    found = {f"{host} {needle.name}": home.wrong(needle, flags) for host in hosts for needle in home.needles[host]}
    return {name: told for name, told in found.items() if told}


ALL = [*HOSTS, "exports"]


def test_there_is_a_needle_for_each_known_trap(home: Home) -> None:
    words = [needle.word for host in ALL for needle in home.needles[host]]
    assert len(set(words)) == len(words) > 100


@pytest.mark.requirement("HIS-FRESH", "HIS-SECRET", "HIS-COPIES", "SES-DAMAGE")
def test_each_needle_is_found_once_before_anything_is_indexed(home: Home) -> None:
    assert wrong(home, ALL) == {}


@pytest.mark.requirement("HIS-SECRET", "HIS-COPIES", "SES-DAMAGE")
def test_each_needle_is_found_once_when_all_is_indexed(home: Home) -> None:
    home.command("index")
    assert wrong(home, ALL) == {}
    kept = b"".join(path.read_bytes() for path in home.data.rglob("*") if path.is_file())
    assert [kind for kind, key in KEYS.items() if key.encode() in kept] == []


@pytest.mark.requirement("HIS-GONE")
def test_each_needle_is_found_once_after_its_source_is_gone(home: Home) -> None:
    home.command("index")
    home.lose()
    assert wrong(home, list(HOSTS), frozenset({"gone"})) == {}
    assert wrong(home, ["exports"]) == {}
