"""`check` names what is damaged, whose it is and what brings it back; `--repair` brings that back, and no more."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from prune_mcp.storage.sqlite import open_store
from tests.care.conftest import Shell, exact
from tests.care.test_gc import noise
from tests.sessions.transcripts.writing import ClaudeFile, image, text, tool_use

pytestmark = pytest.mark.requirement("REC-LAST", "SRV-STORE")

NAME = "aa11-session"


@pytest.fixture
def kept(shell: Shell) -> Path:
    """The transcript of a pruned session with small and large outputs, an image and a failed call's arguments."""
    path = shell.session(NAME, *(noise(n, 90_000 if n % 2 else 3_000) for n in range(6)))
    file = ClaudeFile(path, NAME)
    file.count = 500
    file.prompt("go on", parent=None if not path.stat().st_size else "00000018-0000-4000-8000-000000000000")
    file.says(tool_use("failing", "Bash", command="make " + noise(70, 2_000)))
    file.result("failing", "Error: no\n" + noise(71, 4_000), is_error=True)
    file.says(tool_use("shot", "Screenshot"))
    file.result("shot", [text("a window"), image(noise(72, 2_000))])
    for number in range(4):
        file.turn(f"late-{number}", "ok")
    shell.run("prune", NAME)
    return path


def shas(shell: Shell) -> dict[str, str]:
    """The bodies of the session by what recovers through them."""
    store = open_store(shell.place)
    found = {f"t{output.ref}@{NAME}": output.sha for output in store.outputs(NAME)}
    found |= {f"t{ref}:{name}@{NAME}": sha for (ref, name), sha in store.facets(NAME).items()}
    found |= {f"b{block.number}@{NAME}": block.document for block in store.blocks(NAME)}
    store.close()
    return found


def spoil(shell: Shell, sha: str) -> None:
    """Damage one body, wherever it is kept."""
    for path in shell.place.data.glob(f"bodies/*/{sha}*"):
        path.write_bytes(path.read_bytes()[:-20])
    connection = sqlite3.connect(shell.place.data / "store.db")
    connection.execute("UPDATE bodies SET data = x'00' WHERE sha = ? AND data IS NOT NULL", (sha,))
    connection.commit()
    connection.close()


def test_what_is_whole_is_said_to_be_and_nothing_is_written(shell: Shell, kept: Path) -> None:
    shell.run("index")
    before = {path: path.read_bytes() for path in shell.place.data.rglob("*") if path.is_file()}
    checked = shell.json("check")
    assert checked["sound"]
    assert checked["bodies"] == len(set(shas(shell).values()))
    assert "All that is kept is whole." in shell.spawn("check").stdout
    after = {path: path.read_bytes() for path in shell.place.data.rglob("*") if path.is_file()}
    assert after == before


def test_every_damaged_body_is_named_with_what_brings_it_back_and_comes_back(shell: Shell, kept: Path) -> None:
    known = shas(shell)
    assert {ref.partition("@")[0].partition(":")[2] for ref in known} == {"", "args", "image1"}
    texts = [ref for ref in known if ref.startswith("t")]
    whole = exact(shell, NAME, "t1-t12", "t7:args")
    for ref in texts:
        spoil(shell, known[ref])
    checked = shell.json("check", code=1)
    assert not checked["sound"]
    assert sorted(ref for damage in checked["damages"] for ref in damage["refs"]) == sorted(texts)
    assert {damage["transcript"] for damage in checked["damages"]} == {str(kept)}
    assert {damage["repaired"] for damage in checked["damages"]} == {False}
    assert f"from {kept}, with --repair" in shell.run("check", code=1).stdout
    assert exact(shell, NAME, "t1-t12", "t7:args") != whole
    repaired = shell.json("check", "--repair")
    assert repaired["sound"]
    assert {damage["repaired"] for damage in repaired["damages"]} == {True}
    assert exact(shell, NAME, "t1-t12", "t7:args") == whole
    assert shell.json("check")["damages"] == []


def test_what_no_transcript_holds_is_said_to_be_lost_and_stays_damaged(shell: Shell, kept: Path) -> None:
    known = shas(shell)
    spoil(shell, known[f"t2@{NAME}"])
    kept.unlink()
    for arguments in ((), ("--repair",)):
        (damage,) = shell.json("check", *arguments, code=1)["damages"]
        assert (damage["refs"], damage["transcript"], damage["repaired"]) == ([f"t2@{NAME}"], "", False)
    assert "no transcript holds it" in shell.run("check", code=1).stdout


def test_a_transcript_of_another_session_in_its_place_mends_nothing(shell: Shell, kept: Path) -> None:
    spoil(shell, shas(shell)[f"t2@{NAME}"])
    other = shell.session("bb22-other", noise(1, 90_000))
    kept.write_bytes(other.read_bytes())
    (damage,) = shell.json("check", "--repair", code=1)["damages"]
    assert not damage["repaired"]


def test_records_that_do_not_fit_are_told_and_left(shell: Shell, kept: Path) -> None:
    connection = sqlite3.connect(shell.place.data / "store.db")
    connection.execute("UPDATE sessions SET next_ref = 2")
    connection.commit()
    connection.close()
    (damage,) = shell.json("check", "--repair", code=1)["damages"]
    assert damage["what"] == f"session {NAME}: an output has a number that was never given out"


@pytest.mark.parametrize("length", [0.5, 100])
def test_a_store_that_cannot_be_read_is_told_of_once_with_what_to_do(
    shell: Shell, kept: Path, length: float
) -> None:
    store = shell.place.data / "store.db"
    data = store.read_bytes()
    for path in shell.place.data.glob("store.db*"):
        path.unlink()
    store.write_bytes(data[: int(length * len(data)) if length < 1 else int(length)])
    (damage,) = shell.json("check", code=1)["damages"]
    told = shell.run("check", code=1).stdout
    for said in (damage["what"], told):
        assert said.count(str(store)) == said.count("move it away to start with an empty store") == 1
    assert "begin anew" not in told


def pack(shell: Shell) -> Path:
    (found,) = (shell.place.data / "history").glob("*.pack")
    return found


def spoil_middle(path: Path) -> None:
    data = bytearray(path.read_bytes())
    middle = len(data) // 2
    data[middle : middle + 8] = bytes(byte ^ 0xFF for byte in data[middle : middle + 8])
    path.write_bytes(data)


def test_damaged_text_of_the_history_is_read_anew_from_its_session(shell: Shell, kept: Path) -> None:
    shell.run("index")
    spoil_middle(pack(shell))
    (fault,) = shell.json("check", code=1)["history"]
    assert f"of session {NAME} is damaged" in fault["what"]
    assert not fault["lost"]
    assert "`prune-mcp check --repair` builds it anew." in shell.run("check", code=1).stdout
    repaired = shell.json("check", "--repair")
    assert (repaired["rebuilt"], repaired["history"], repaired["sound"]) == (True, [], True)
    assert shell.json("check")["sound"]


def test_damaged_text_of_a_session_that_is_gone_is_said_to_be_lost(shell: Shell, kept: Path) -> None:
    shell.run("index")
    kept.unlink()
    shell.run("index")
    spoil_middle(pack(shell))
    (fault,) = shell.json("check", code=1)["history"]
    assert fault["lost"]
    assert "It was the only copy." in shell.run("check", code=1).stdout
    assert not shell.json("check", "--repair", code=1)["sound"]
    (note,) = shell.json("check")["notes"]
    assert "passages of sessions that are gone were lost to damage" in note


def test_a_damaged_segment_is_built_anew(shell: Shell, kept: Path) -> None:
    shell.run("index")
    (segment,) = shell.place.cache.glob("index-*/*/*.seg")
    spoil_middle(segment)
    assert "is damaged in part" in shell.json("check", code=1)["history"][0]["what"]
    assert shell.json("check", "--repair")["sound"]
    assert shell.json("check")["sound"]


def test_a_home_without_anything_is_whole(shell: Shell) -> None:
    assert shell.json("check") == {
        "bodies": 0, "damages": [], "history": [], "rebuilt": False, "notes": [], "sound": True
    }  # fmt: skip
    assert not (shell.place.data / "store.db").exists()
