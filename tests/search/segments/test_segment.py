"""A segment: what was written is what is read."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given

from prune_mcp.search.segments.lengths import LENGTHS
from prune_mcp.search.segments.postings import MOST_DOCS
from prune_mcp.search.segments.segment import Segment
from prune_mcp.search.segments.segment_writer import SegmentWriter
from tests.search.segments.build import DOCUMENTS, Document, held, row, write


@given(DOCUMENTS)
def test_a_segment_gives_back_every_document(documents: list[Document]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        segment = write(Path(folder) / "one.seg", documents)
        sizes = [sum(counts.values()) for _, counts in documents]
        assert held(segment) == documents
        assert segment.docs == len(documents)
        assert segment.total_length == sum(sizes)
        assert list(segment.sizes) == sizes
        assert segment.posting_count == sum(len(counts) for _, counts in documents)
        segment.check()


def test_terms_come_in_order(tmp_path: Path) -> None:
    words = ["b", "a", "é", "锁", "ab", "🎉", "z", "_"]
    segment = write(tmp_path / "one.seg", [(row(), dict.fromkeys(words, 1))])
    assert [term for term, _ in segment.term_frequencies()] == sorted(words)
    assert [term for term, _ in segment.term_frequencies("b")] == sorted(word for word in words if word >= "b")


def test_a_dictionary_of_many_leaves_finds_every_term_and_no_other(tmp_path: Path) -> None:
    terms = [f"t{n}" for n in range(0, 6000, 2)]
    segment = write(tmp_path / "one.seg", [(row(), {term: n % 7 + 1}) for n, term in enumerate(terms)])
    assert segment.terms == len(terms)
    for n, term in enumerate(terms):
        ids, often = segment.postings(term)
        assert (list(ids), list(often)) == ([n], [n % 7 + 1])
    assert not any(
        segment.frequency(term) for term in ("t1", "t5999", "", "a", "zzz", "t", "t00", "t0\nt10", "\ud83d")
    )
    assert not any(segment.postings("t1"))


@pytest.mark.parametrize("docs", [1, 254, 255, 256, 257, 2047, 2048, 2049, 5000])
def test_a_list_of_any_length_is_read_whole_and_by_blocks(tmp_path: Path, docs: int) -> None:
    documents = [(row(), {"all": n % 300 + 1, "rest": 1} if n % 3 else {"rest": 1}) for n in range(docs)]
    segment = write(tmp_path / "one.seg", documents)
    assert held(segment) == documents
    ids, often = segment.postings("rest")
    postings = segment.posting_list("rest")
    blocks = [postings.block(n) for n in range(len(postings.lasts))]
    assert postings.docs == docs == len(ids)
    assert [doc for block, _ in blocks for doc in block] == list(ids)
    assert [times for _, block in blocks for times in block] == list(often)
    assert list(postings.lasts) == [block[-1] for block, _ in blocks]


def test_a_block_tells_the_most_often(tmp_path: Path) -> None:
    segment = write(tmp_path / "one.seg", [(row(), {"word": 7 if n == 3000 else 2}) for n in range(5000)])
    assert list(segment.posting_list("word").highest) == [2, 7, 2]


def test_a_prefix_brings_the_most_frequent_terms(tmp_path: Path) -> None:
    documents = [(row(), {"comma": 1, "command": 1, "other": 1}), (row(), {"command": 3, "common": 1, "con": 1})]
    segment = write(tmp_path / "one.seg", documents)
    assert segment.expand("com", 10) == {"command": 2, "comma": 1, "common": 1}
    assert segment.expand("com", 1) == {"command": 2}
    assert segment.expand("nothing", 10) == {}


def test_lengths_are_near_and_never_below(tmp_path: Path) -> None:
    sizes = [0, 1, 9, 10, 11, 500, 50_000]
    segment = write(tmp_path / "one.seg", [(row(), {"word": size} if size else {}) for size in sizes])
    near = [LENGTHS[code] for code in segment.lengths]
    assert near[:4] == [0, 1, 9, 10]
    assert all(size <= length <= size * 1.034 + 1 for size, length in zip(sizes, near, strict=True))
    assert (LENGTHS[segment.shortest], LENGTHS[segment.longest]) == (near[0], near[-1])


def test_an_empty_segment_holds_nothing(tmp_path: Path) -> None:
    segment = write(tmp_path / "one.seg", [])
    assert (segment.docs, segment.terms, segment.total_length) == (0, 0, 0)
    assert not any(segment.postings("word"))
    assert list(segment.term_frequencies()) == []
    assert list(segment.sources) == list(segment.lengths) == []


def test_a_writer_tells_how_much_it_holds() -> None:
    writer = SegmentWriter()
    writer.add(row(), {"a": 1, "b": 2})
    writer.add(row(), {"a": 300})
    assert (len(writer), writer.postings) == (2, 3)


def test_a_segment_stays_far_below_the_size_of_its_text(tmp_path: Path) -> None:
    sources = sorted(Path(__file__).parents[3].rglob("search/*.py"))
    from prune_mcp.search.words import counts

    texts = [path.read_text(encoding="utf-8") for path in sources]
    pieces = [text[at : at + 600] for text in texts for at in range(0, len(text), 600)]
    segment = write(tmp_path / "one.seg", [(row(time=n), counts(piece)) for n, piece in enumerate(pieces)])
    assert segment.path.stat().st_size < sum(map(len, pieces)) / 2


def test_a_segment_is_whole_or_not_there(tmp_path: Path) -> None:
    (tmp_path / "taken.seg" / "by").mkdir(parents=True)
    with pytest.raises(OSError, match="taken"):
        write(tmp_path / "taken.seg", [(row(), {"word": 1})])
    assert [path.name for path in tmp_path.iterdir()] == ["taken.seg"]


def test_a_segment_replaces_one_of_the_same_name(tmp_path: Path) -> None:
    old = write(tmp_path / "one.seg", [(row(), {"old": 1})])
    new = write(tmp_path / "one.seg", [(row(), {"new": 1})])
    assert (old.frequency("old"), new.frequency("old"), new.frequency("new")) == (1, 0, 1)
    assert [path.name for path in tmp_path.iterdir()] == ["one.seg"]


def test_a_segment_refuses_more_documents_than_it_can_number(monkeypatch: pytest.MonkeyPatch) -> None:
    assert MOST_DOCS > 1_000_000
    monkeypatch.setattr("prune_mcp.search.segments.segment_writer.MOST_DOCS", 1)
    writer = SegmentWriter()
    writer.add(row(), {"word": 1})
    with pytest.raises(OverflowError):
        writer.add(row(), {"word": 1})


def test_searching_a_segment_loads_no_whoosh(tmp_path: Path) -> None:
    write(tmp_path / "one.seg", [(row(), {"word": 2})])
    code = (
        "import sys; from pathlib import Path; from prune_mcp.search.segments.segment import Segment; "
        "from prune_mcp.search.words import stand_for; "
        "print(Segment(Path(sys.argv[1])).postings(*stand_for('Word')), 'whoosh' in sys.modules)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "one.seg")], capture_output=True, text=True, check=True
    )
    assert ran.stdout.strip() == "([0], b'\\x02') False"


def test_one_segment_serves_several_threads(tmp_path: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    documents = [(row(), {f"w{n % 50}": 1, f"v{n}": 1, "all": n % 9 + 1}) for n in range(3000)]
    path = write(tmp_path / "one.seg", documents).path
    segment = Segment(path)
    with ThreadPoolExecutor(4) as threads:
        assert all(found == documents for found in threads.map(lambda _: held(segment), range(8)))
