"""A segment that was damaged: it says so, or its answers are right; it never crashes."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from prune_mcp.search.segments.segment import Segment, SegmentDamaged
from tests.search.segments.build import held, row, write

DOCUMENTS = [
    (row(n % 3, n), {f"word{n % 40}": n % 300 + 1, f"only{n}": 1, "everywhere": n % 5 + 1}) for n in range(300)
]


def judge(path: Path) -> bool:
    """Whether a file is said to be damaged; if not, all that can be read of it is right."""
    try:
        segment = Segment(path)
        found = held(segment)
        totals = segment.total_length, list(segment.sizes), len(segment.lengths)
    except SegmentDamaged as error:
        return str(path) in str(error)
    sizes = [sum(counts.values()) for _, counts in DOCUMENTS]
    assert (found, totals) == (DOCUMENTS, (sum(sizes), sizes, len(DOCUMENTS)))
    return False


@pytest.fixture
def whole(tmp_path: Path) -> bytes:
    return write(tmp_path / "whole.seg", DOCUMENTS).path.read_bytes()


def test_no_changed_byte_changes_an_answer(tmp_path: Path, whole: bytes) -> None:
    path = tmp_path / "changed.seg"
    chance = random.Random(4)
    for at in [*range(300), *chance.sample(range(len(whole)), 300), *range(len(whole) - 60, len(whole))]:
        changed = bytearray(whole)
        changed[at] ^= 1 << chance.randrange(8)
        path.write_bytes(changed)
        said = judge(path)
        with pytest.raises(SegmentDamaged):
            Segment(path).check()
        assert said or at >= 300


def test_no_cut_file_opens(tmp_path: Path, whole: bytes) -> None:
    path = tmp_path / "cut.seg"
    for size in [*range(400), *range(400, len(whole), 97), len(whole) - 1]:
        path.write_bytes(whole[:size])
        with pytest.raises(SegmentDamaged):
            Segment(path)


@pytest.mark.parametrize("more", [b"\0", b"more" * 1000])
def test_no_longer_file_opens(tmp_path: Path, whole: bytes, more: bytes) -> None:
    path = tmp_path / "longer.seg"
    path.write_bytes(whole + more)
    with pytest.raises(SegmentDamaged, match="bytes instead of"):
        Segment(path)


@pytest.mark.parametrize("content", [b"", b"PRUNESEG", b"\0" * 5000, b"SQLite format 3\0" * 100])
def test_what_is_no_segment_does_not_open(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other.seg"
    path.write_bytes(content)
    with pytest.raises(SegmentDamaged):
        Segment(path)


def test_a_missing_file_and_a_folder_do_not_open(tmp_path: Path) -> None:
    for path in (tmp_path / "missing.seg", tmp_path):
        with pytest.raises(SegmentDamaged, match="cannot be opened"):
            Segment(path)


def test_another_version_does_not_open(tmp_path: Path, whole: bytes) -> None:
    path = tmp_path / "newer.seg"
    path.write_bytes(whole[:8] + bytes([whole[8] + 1]) + whole[9:])
    with pytest.raises(SegmentDamaged, match="of this version"):
        Segment(path)


def test_blocks_put_elsewhere_are_noticed_or_harmless(tmp_path: Path, whole: bytes) -> None:
    path = tmp_path / "shuffled.seg"
    chance = random.Random(7)
    for _ in range(150):
        changed = bytearray(whole)
        start, other = chance.sample(range(len(whole) - 64), 2)
        changed[start : start + 64] = whole[other : other + 64]
        path.write_bytes(changed)
        assert judge(path) or changed == whole


def test_a_sound_segment_passes_its_check(tmp_path: Path, whole: bytes) -> None:
    Segment(tmp_path / "whole.seg").check()
    assert not judge(tmp_path / "whole.seg")
