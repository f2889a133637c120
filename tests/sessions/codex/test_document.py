"""Rollouts of the first Codex: one JSON object that is written anew as the session goes on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prune_mcp.sessions.discover import discover
from prune_mcp.sessions.transcript import open_transcript
from prune_mcp.sessions.view import View
from tests.server.shell import Shell
from tests.sessions.codex.telling import spoken
from tests.sessions.codex.writing import SESSION, Rollout, message
from tests.sessions.damage import CHANGES, change, read_everything
from tests.sessions.transcripts.reading import outputs, prompts, said

pytestmark = pytest.mark.requirement("SES-CODEX")

HEADER = {"timestamp": "2025-05-20T10:00:00.000Z", "id": SESSION, "instructions": "Be brief."}


def exchange(number: int, size: int = 20) -> list[dict[str, Any]]:
    """What a person asked, a command with its output, and an answer, as the API has them."""
    output = json.dumps(
        {"output": f"lïne of {number}\n" * size, "metadata": {"exit_code": 0, "duration_seconds": 0.1}}
    )
    call = {"command": ["bash", "-lc", f"run {number}"], "workdir": "/home/user/app"}
    return [
        message("user", f"question {number}"),
        {"id": f"rs_{number}", "type": "reasoning", "summary": [{"type": "summary_text", "text": "Hm."}]},
        {
            "id": f"fc_{number}",
            "type": "function_call",
            "name": "shell",
            "arguments": json.dumps(call),
            "call_id": f"c{number}",
            "status": "completed",
        },
        {"type": "function_call_output", "call_id": f"c{number}", "output": output},
        {"id": f"msg_{number}", **message("assistant", f"answer {number}"), "status": "completed"},
    ]


def write(path: Path, items: list[dict[str, Any]], indent: int | None = 2, **header: Any) -> Path:
    """The file of a session with these items."""
    path.parent.mkdir(parents=True, exist_ok=True)
    value = {"session": HEADER | header, "items": items}
    path.write_text(json.dumps(value, indent=indent, ensure_ascii=False), encoding="utf-8")
    return path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where such a session stands."""
    return tmp_path / ".codex" / "sessions" / f"rollout-2025-05-20-{SESSION}.json"


@pytest.mark.parametrize("indent", [2, None])
def test_it_says_what_a_rollout_of_lines_with_its_items_says(
    tmp_path: Path, path: Path, indent: int | None
) -> None:
    items = [*exchange(1), *exchange(2)]
    write(path, items, indent)
    lines = Rollout(tmp_path / "rollout-lines.jsonl", bare=True)
    for item in items:
        lines.item(item)
    old, new = open_transcript(path), open_transcript(lines.path)
    assert said(old) == said(new) != []
    assert spoken(path) == spoken(lines.path)
    assert outputs(old) == outputs(new)
    assert [old.arguments(call) for each in old.messages for call in each.calls] == [
        {"command": ["bash", "-lc", f"run {number}"], "workdir": "/home/user/app"} for number in (1, 2)
    ]
    assert prompts(old) == ["question 1", "question 2"]
    stubs = View(texts={block.place: "[stub]" for block in old.archive()})
    assert list(old.render(stubs)) == list(new.render(stubs))
    assert list(old.render(View())) == items
    assert not old.skipped


@pytest.mark.requirement("SES-WHICH")
def test_it_is_found_where_it_stands(tmp_path: Path, path: Path) -> None:
    write(path, exchange(1))
    (file,) = discover({}, tmp_path)
    assert (file.host, file.id, file.title) == ("codex", SESSION, "question 1")
    (path.parent / "notes.json").write_text("{}")
    assert len(list(discover({}, tmp_path))) == 1


def test_a_header_without_instructions_and_one_longer_than_what_tells_the_format(path: Path) -> None:
    write(path, exchange(1))
    path.write_text(path.read_text().replace(',\n    "instructions": "Be brief."', ""))
    assert open_transcript(path).entries[0].time == HEADER["timestamp"]
    write(path, exchange(1), instructions="long " * 50_000)
    assert prompts(open_transcript(path)) == ["question 1"]


def test_what_was_read_keeps_its_ids_as_the_session_goes_on(path: Path) -> None:
    session = open_transcript(write(path, exchange(1)))
    before = [entry.id for entry in session.entries]
    write(path, [*exchange(1), *exchange(2)])
    session.refresh()
    assert [entry.id for entry in session.entries][: len(before)] == before
    assert prompts(session) == ["question 1", "question 2"]
    assert session.refresh() == 0


@pytest.mark.requirement("SES-DAMAGE")
def test_damage_costs_the_item_that_it_stands_in(path: Path) -> None:
    data = write(path, [*exchange(1), *exchange(2)]).read_bytes()
    whole = spoken(path)
    torn = data.index(b"question 2")
    path.write_bytes(data[:torn] + b'"' + data[torn:])
    assert spoken(path) == [told for told in whole if "question 2" not in told[1]]
    assert open_transcript(path).skipped == {"torn": 1}
    path.write_bytes(data[:torn])
    assert [text for _, text in spoken(path) if "answer" in text] == ["answer 1"]
    assert open_transcript(path).skipped == {"torn": 1}


@pytest.mark.requirement("SES-DAMAGE")
@settings(max_examples=50)
@given(CHANGES, st.integers(0, 3000), st.binary(max_size=3))
def test_whatever_stands_where_it_is_read(
    tmp_path_factory: pytest.TempPathFactory, changes: Any, at: int, junk: bytes
) -> None:
    value: Any = {"session": dict(HEADER), "items": [*exchange(1, 1), *exchange(2, 1)]}
    change(value, changes)
    path = tmp_path_factory.mktemp("odd") / f"rollout-2025-05-20-{SESSION}.json"
    path.write_text(json.dumps(value, indent=2))
    read_everything(path)
    path.write_bytes(path.read_bytes()[:at] + junk + path.read_bytes()[at:])
    read_everything(path)


@pytest.mark.requirement("HIS-FIND")
def test_it_is_pruned_recovered_searched_and_indexed_like_any_session(tmp_path: Path, path: Path) -> None:
    write(path, [item for number in range(12) for item in exchange(number, 400)])
    shell = Shell(tmp_path, tmp_path)
    assert "% less" in shell.run("prune", SESSION).stdout
    assert "exit_code" in shell.run("show", "t2").stdout
    for _ in range(2):
        hits = shell.json("search", '"answer 7"')["hits"]
        assert [(hit["session"], hit["role"]) for hit in hits] == [(SESSION, "assistant")]
        shell.run("index")
    assert shell.json("index", "--status")["agents"]["codex"]["sources"] == 1
    assert "tool results" in shell.run("usage", SESSION).stdout
