"""Care while others write, and writers while others care: nothing acknowledged is lost, no fault is made up."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from prune_mcp.storage.home import Home
from prune_mcp.storage.sqlite import open_store
from tests.storage.test_processes import acknowledged_in, begin, check_file, check_whole, let_go
from tests.storage.writing_process import COMMON, text

pytestmark = pytest.mark.requirement("SRV-STORE", "REC-LAST")

SCRIPT = Path(__file__).with_name("caring_process.py")
WRITES = 15


def care(place: Home, act: str) -> subprocess.Popen[str]:
    """A process that cares until its input ends; it has begun."""
    process = subprocess.Popen(
        [sys.executable, str(SCRIPT), str(place.data.parent), act],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    assert process.stdout.readline() == "ready\n"
    return process


@pytest.fixture
def place(tmp_path: Path) -> Home:
    """A home that does not exist yet."""
    return Home(tmp_path / "home/data", tmp_path / "home/cache", tmp_path / "home/config")


@pytest.mark.parametrize("acts", [("collect", "collect"), ("collect", "check")])
def test_writers_lose_nothing_to_those_who_collect_and_check_meanwhile(place: Home, acts: tuple[str, ...]) -> None:
    writers = [begin(place, f"w{number}", WRITES) for number in range(2)]
    carers = [care(place, act) for act in acts]
    for writer in writers:
        let_go(writer)
    said = [writer.communicate()[0] for writer in writers]
    told = [carer.communicate("")[0].splitlines() for carer in carers]
    assert [process.returncode for process in (*writers, *carers)] == [0] * 4
    assert [lines[:-1] for lines in told] == [[], []]
    acknowledged = [each for lines in said for each in acknowledged_in(lines.splitlines(keepends=True))]
    store = open_store(place)
    refs = {record.id: check_whole(store, record.id) for record in store.sessions()}
    assert list(store.care.faults()) == []
    store.close()
    assert all(refs[session][mark] == ref for session, ref, mark in acknowledged)
    assert len(acknowledged) > 2 * WRITES
    check_file(place)


def test_what_writers_share_with_a_session_that_gives_its_outputs_up_stays(place: Home) -> None:
    writers = [begin(place, f"w{number}", WRITES) for number in range(2)]
    carer = care(place, "release")
    for writer in writers:
        let_go(writer)
    for writer in writers:
        writer.communicate()
    carer.communicate("")
    assert [process.returncode for process in (*writers, carer)] == [0] * 3
    store = open_store(place)
    # Bodies that the common session names too were never given up.
    for output in store.outputs(COMMON):
        mark = output.call_id.removeprefix("call-")
        assert store.body(output.sha) == text(mark).encode()
    assert list(store.care.faults()) == []
    store.close()
