"""On a full disk indexing fails with a clear word, keeps what was committed, and the index stays usable."""

from __future__ import annotations

import errno
import random
from typing import NoReturn

import pytest

from prune_mcp.search.indexing.forget import forget
from prune_mcp.search.indexing.rebuild import rebuild
from prune_mcp.search.segments.segment_file import SegmentFileWriter
from prune_mcp.storage.errors import StoreFull
from tests.search.indexing.machine import Machine, assert_complete, filled, rest
from tests.storage.test_full_disk import no_file_over


def noisy(machine: Machine, number: int) -> None:
    """A session whose output hardly compresses."""
    session = filled(machine, number)
    for turn in range(4):
        session.turn(f"call-{turn}", random.Random(number * 100 + turn).randbytes(15_000).hex())
    session.prompt("The end")
    rest(session.path, seconds=10_000 + number)


@pytest.mark.requirement("HIS-MANY")
@pytest.mark.parametrize("limit", [0, 100, 5_000, 40_000, 120_000, 200_000])
def test_a_full_disk_costs_the_slice_and_nothing_else(machine: Machine, limit: int) -> None:
    for number in range(1, 5):
        noisy(machine, number)
    with no_file_over(limit), pytest.raises(StoreFull, match="Free disk space"):
        machine.update(slice_bytes=50_000)
    with no_file_over(limit):
        assert_complete(machine.index, machine.files())
    machine.update()
    assert machine.index.pending(machine.files()) == []
    assert_complete(machine.index, machine.files())


@pytest.mark.parametrize("limit", [0, 100, 5_000, 20_000])
def test_a_full_disk_leaves_the_index_as_it_was_when_it_is_rebuilt_or_something_forgotten(
    machine: Machine, limit: int
) -> None:
    for number in range(1, 5):
        noisy(machine, number)
    machine.update()
    with no_file_over(limit):
        with pytest.raises(StoreFull):
            rebuild(machine.index, machine.files())
        with pytest.raises(StoreFull):
            forget(machine.index, lambda source: source.number == 1)
    assert machine.index.view().damaged == ()
    assert len(machine.index.view().sources) == 4
    forget(machine.index, lambda source: source.number == 1)
    assert len(machine.index.view().sources) == 3


def test_what_is_told_of_a_full_disk_names_the_folder_of_the_cache_where_that_is_full(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(writer: SegmentFileWriter, block: bytes) -> NoReturn:
        raise OSError(errno.ENOSPC, "No space left on device")

    noisy(machine, 1)
    noisy(machine, 2)
    machine.update()
    noisy(machine, 3)
    cache = str(machine.home.cache)
    with monkeypatch.context() as patched:
        patched.setattr(SegmentFileWriter, "append", full)
        with pytest.raises(StoreFull, match=cache):
            machine.update()
        with pytest.raises(StoreFull, match=cache):
            rebuild(machine.index, machine.files())
        with pytest.raises(StoreFull, match=cache):
            forget(machine.index, lambda source: source.number == 1)
    machine.update()
    assert machine.index.pending(machine.files()) == []
