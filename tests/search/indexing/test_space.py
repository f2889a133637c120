"""Small segments do not pile up, and what is dead gives its space back; readers notice nothing of either."""

from __future__ import annotations

import pytest

from prune_mcp.search.index import Index
from prune_mcp.search.indexing import merging, rewriting
from prune_mcp.search.indexing.merging import MANY
from prune_mcp.search.packs.frame import FrameDamaged
from prune_mcp.search.segments.segment import SegmentDamaged
from tests.search.indexing.machine import Machine, all_rows, assert_complete, filled, rest


def grow(machine: Machine, times: int) -> int:
    """Index a session again and again while it grows; returns how many segments there were at most."""
    most = 0
    session = machine.session(1)
    for number in range(times):
        session.prompt(f"question {number}")
        session.says(f"answer {number}")
        rest(session.path)
        machine.update()
        most = max(most, len(machine.index.view().shards["2026-01"]))
    return most


def rewrite(machine: Machine, times: int, size: int = 1) -> None:
    """Index a session again and again while each time it says something else."""
    for number in range(times):
        session = machine.session(2)
        session.path.write_bytes(b"")
        for turn in range(3):
            session.prompt(f"Version {number}, {turn}: " + f"{number * turn:x} " * size)
        rest(session.path)
        machine.update()


def test_many_small_segments_become_one(machine: Machine) -> None:
    assert MANY - 1 <= grow(machine, 3 * MANY) <= MANY
    assert_complete(machine.index, machine.files())


@pytest.mark.requirement("HIS-MANY")
def test_a_view_taken_before_segments_are_merged_is_read_to_its_end(machine: Machine) -> None:
    grow(machine, MANY)
    reader = Index(machine.home)
    view = reader.view()
    grow(machine, MANY)
    assert len(reader.view().shards["2026-01"]) <= MANY
    assert len({reader.text(shard, row) for shard, row in all_rows(view)}) == 2 * MANY
    reader.close()


def test_rows_of_dead_sources_go_when_segments_are_merged(machine: Machine) -> None:
    rewrite(machine, 3 * MANY)
    assert len(all_rows(machine.index.view())) <= 3 * MANY
    assert_complete(machine.index, machine.files())


def test_a_shard_of_mostly_dead_rows_is_merged_before_it_has_many_segments(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(merging, "DEAD_ROWS", 5)
    rewrite(machine, 4)
    assert len(all_rows(machine.index.view())) <= 9
    assert_complete(machine.index, machine.files())


def test_a_pack_that_is_mostly_free_is_written_anew(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rewriting, "FREE_BYTES", 2_000)
    rest(filled(machine, 1).path)
    sizes = []
    for _ in range(5):
        rewrite(machine, 3, size=500)
        (pack,) = machine.home.data.rglob("*.pack")
        sizes.append(pack.stat().st_size)
        assert_complete(machine.index, machine.files())
    assert max(sizes) < 3 * min(sizes)
    assert pack.name != "2026-01.1.pack"


@pytest.mark.requirement("HIS-MANY")
def test_a_reader_finds_its_texts_in_a_pack_that_was_written_anew_or_is_told_to_look_again(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rewriting, "FREE_BYTES", 1_000)
    kept = filled(machine, 1).path
    rest(kept)
    rewrite(machine, 1, size=500)
    reader = Index(machine.home)
    view = reader.view()
    texts = {row: reader.text(shard, row) for shard, row in all_rows(view)}
    rewrite(machine, 8, size=500)
    reader.close()
    told = 0
    for shard, row in all_rows(view):
        try:
            assert reader.text(shard, row) == texts[row]
        except FrameDamaged:
            told += 1
    assert told > 0
    again = reader.view()
    assert all(reader.text(shard, row) for shard, row in all_rows(again) if row.source in again.sources)
    reader.close()


@pytest.mark.parametrize("part", [0.05, 0.5, 0.9])
def test_a_segment_that_is_damaged_inside_is_noticed_and_built_anew_before_its_rows_are_merged(
    machine: Machine, part: float
) -> None:
    grow(machine, MANY)
    (segment, *_) = sorted(machine.home.cache.rglob("*.seg"))
    data = bytearray(segment.read_bytes())
    at = int(len(data) * part)
    data[at : at + 8] = bytes(byte ^ 0xFF for byte in data[at : at + 8])
    segment.write_bytes(data)
    machine.index.close()
    grow(machine, 2)
    machine.update()
    discard_damaged(machine)
    machine.update()
    assert_complete(machine.index, machine.files())


def discard_damaged(machine: Machine) -> None:
    """Discard the segments that are damaged, as a search does that comes upon one."""
    for segments in machine.index.view().shards.values():
        for segment in segments:
            try:
                segment.check()
            except SegmentDamaged:
                machine.index.discard(segment.path)
