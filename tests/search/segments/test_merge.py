"""Segments made into one."""

from __future__ import annotations

import tempfile
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prune_mcp.search.segments.merge import merge
from prune_mcp.search.segments.segment import Segment, SegmentDamaged
from tests.search.segments.build import DOCUMENTS, Document, held, row, write


@given(st.lists(DOCUMENTS, max_size=4), st.sets(st.integers(1, 6)))
def test_a_merged_segment_is_as_if_written_at_once(groups: list[list[Document]], dropped: set[int]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        segments = [write(folder / f"{n}.seg", documents) for n, documents in enumerate(groups)]
        merge(segments, folder / "merged.seg", lambda source: source not in dropped)
        kept = [document for documents in groups for document in documents if document[0].source not in dropped]
        assert held(Segment(folder / "merged.seg")) == kept
        assert (folder / "merged.seg").read_bytes() == write(folder / "once.seg", kept).path.read_bytes()


def test_long_lists_and_many_leaves_are_joined(tmp_path: Path) -> None:
    documents = [
        (row(n % 4), {"all": n % 300 + 1, f"w{n % 97}": n % 500 + 1, f"only{n}": 2, "z": n + 1})
        for n in range(7000)
    ]
    bounds = [0, 300, 3000, 3001, 7000]
    segments = [
        write(tmp_path / f"{n}.seg", documents[start:end]) for n, (start, end) in enumerate(pairwise(bounds))
    ]
    merge(segments, tmp_path / "all.seg", lambda source: True)
    assert (tmp_path / "all.seg").read_bytes() == write(tmp_path / "once.seg", documents).path.read_bytes()
    merge(segments, tmp_path / "some.seg", lambda source: source != 2)
    assert held(Segment(tmp_path / "some.seg")) == [document for document in documents if document[0].source != 2]


def test_each_source_is_asked_about_once_in_a_segment(tmp_path: Path) -> None:
    asked: list[int] = []

    def keep(source: int) -> bool:
        asked.append(source)
        return True

    segment = write(tmp_path / "one.seg", [(row(n % 3), {"word": 1}) for n in range(50)])
    merge([segment], tmp_path / "merged.seg", keep)
    assert sorted(asked) == [0, 1, 2]


def test_a_damaged_segment_stops_the_merge_and_leaves_nothing(tmp_path: Path) -> None:
    documents = [(row(), {f"word{n}": 1}) for n in range(600)]
    sound = write(tmp_path / "sound.seg", documents)
    data = bytearray(sound.path.read_bytes())
    data[1000] ^= 255
    (tmp_path / "damaged.seg").write_bytes(data)
    with pytest.raises(SegmentDamaged, match=r"damaged\.seg"):
        merge([sound, Segment(tmp_path / "damaged.seg")], tmp_path / "merged.seg", lambda source: True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["damaged.seg", "sound.seg"]
