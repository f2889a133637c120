"""The generated home has the shape of recorded sessions, and is the same each time."""

from __future__ import annotations

from pathlib import Path

import pytest
from home import write_home
from shape import Shape, shape

TOLERANCE = 0.2
MEGABYTES = 40


@pytest.fixture(scope="module")
def recorded(shared_sessions: Path) -> Shape:
    return shape(shared_sessions)


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Shape:
    folder = tmp_path_factory.mktemp("home")
    write_home(folder, MEGABYTES)
    return shape(folder)


def close(one: float, other: float) -> bool:
    return abs(one - other) <= TOLERANCE * other


def test_models_see_the_same_share_of_what_stands_in_transcripts(generated: Shape, recorded: Shape) -> None:
    assert close(generated.visible, recorded.visible)


def test_a_megabyte_of_text_has_as_many_different_words(generated: Shape, recorded: Shape) -> None:
    assert close(generated.terms, recorded.terms)


def test_entries_and_results_are_as_long_at_each_quantile(generated: Shape, recorded: Shape) -> None:
    far = {
        (kind, share): (size, known[share])
        for kind, sizes, known in (
            ("texts", generated.texts, recorded.texts),
            ("results", generated.results, recorded.results),
        )
        for share, size in sizes.items()
        if not close(size, known[share])
    }
    assert far == {}


def test_results_are_as_large_a_share_of_all_text(generated: Shape, recorded: Shape) -> None:
    assert close(generated.results_share, recorded.results_share)


def test_a_seed_gives_the_same_bytes_each_time(tmp_path: Path) -> None:
    for name in ("one", "other"):
        write_home(tmp_path / name, 1, seed=3)
    write_home(tmp_path / "third", 1, seed=4)

    one, other, third = (
        {path.relative_to(tmp_path / name): path.read_bytes() for path in (tmp_path / name).rglob("*.jsonl")}
        for name in ("one", "other", "third")
    )
    assert one == other
    assert one.keys().isdisjoint(third.keys())


def test_a_home_holds_both_hosts_subagents_forks_and_compactions(tmp_path: Path) -> None:
    write_home(tmp_path, 20)

    names = [str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.jsonl")]
    lines = b"".join(path.read_bytes() for path in tmp_path.rglob("*.jsonl"))
    assert any(name.startswith(".codex") for name in names)
    assert any("subagents" in name for name in names)
    assert b'"subtype":"compact_boundary"' in lines
    uuids = [line.split(b'"uuid":"', 1)[1][:36] for line in lines.split(b"\n") if b'"uuid":"' in line]
    assert len(set(uuids)) < len(uuids)
