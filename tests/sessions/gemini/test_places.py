"""Finding Gemini CLI's sessions: forms, subagents, and which folder a project is."""

from __future__ import annotations

import json
from collections import Counter
from hashlib import sha256
from pathlib import Path

import pytest

from prune_mcp.sessions.discover import discover
from prune_mcp.sessions.own_call import holds_call
from prune_mcp.sessions.transcript import open_transcript
from prune_mcp.sessions.which import current, locate, newest
from tests.sessions.gemini.writing import SESSION, GeminiFile, asks, call, header, line, says

pytestmark = pytest.mark.requirement("SES-GEMINI")

CHILD = "5e551014-0000-4000-8000-00000000000c"


def found(home: Path, env: dict[str, str] | None = None) -> list[str]:
    return sorted(file.id for file in discover(env or {}, home))


def test_each_session_is_found_once_and_nothing_else_is(
    tmp_path: Path, gemini: GeminiFile, old: GeminiFile
) -> None:
    gemini.write([header(), asks(1, "go")])
    old.whole([asks(1, "before it was resumed")])
    child = gemini.path.parent / SESSION / f"{CHILD}.jsonl"
    child.parent.mkdir()
    child.write_text(line(header(CHILD, kind="subagent")) + line(asks(1, "look")))
    for name in ("logs.json", "checkpoint-x.json", "session-a.jsonl.unreadable-17", "session-b.jsonl.tmp-3"):
        (gemini.path.parent / name).write_text("{}")
    (gemini.project / "logs.json").write_text("[]")
    (gemini.path.parent / "session-2026-empty.jsonl").write_text("")
    counts: Counter[str] = Counter()
    files = {file.id: file for file in discover({}, tmp_path, counts)}
    assert sorted(files) == sorted([SESSION, CHILD])
    assert (files[SESSION].path, files[SESSION].title) == (gemini.path, "go")
    assert (files[CHILD].parent, files[CHILD].subagent, files[SESSION].subagent) == (SESSION, True, False)
    assert open_transcript(child).parent == SESSION
    assert counts == Counter(empty=1)


def test_the_environment_says_where_the_host_keeps_them(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    GeminiFile(elsewhere).write([header(), asks(1, "go")])
    assert found(tmp_path) == []
    assert found(tmp_path, {"GEMINI_CLI_HOME": str(elsewhere)}) == [SESSION]


@pytest.mark.parametrize("how", ["marker", "registry", "registered hash", "directories"])
def test_the_folder_of_a_session_is_found(tmp_path: Path, how: str) -> None:
    work = tmp_path / "work-here"
    work.mkdir()
    hashed = sha256(str(work).encode()).hexdigest()
    file = GeminiFile(tmp_path, project=hashed if how == "registered hash" else "work-here")
    file.write([header() | ({"directories": [str(work)]} if how == "directories" else {}), asks(1, "go")])
    if how == "marker":
        (file.project / ".project_root").write_text(f"{work}\n")
    elif how != "directories":
        (tmp_path / ".gemini" / "projects.json").write_text(json.dumps({"projects": {str(work): "work-here"}}))
    assert open_transcript(file.path).cwd == str(work)
    assert next(discover({}, tmp_path)).cwd == str(work)
    if how != "directories":
        assert newest(work, {}, tmp_path).path == file.path


def test_a_hash_tells_the_folder_it_was_made_from(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    file = GeminiFile(tmp_path, project=sha256(str(work).encode()).hexdigest())
    file.write([header(), asks(1, "go")])
    session = next(discover({}, tmp_path))
    assert (session.stands_in(work), session.stands_in(tmp_path), session.cwd) == (True, False, "")
    live = list(discover({}, tmp_path))
    assert current({}, work, live, session.mtime + 1).path == file.path


@pytest.mark.parametrize("registry", ["", "[]", "{", '{"projects": []}', '{"projects": {"/x": ["odd"]}}'])
def test_an_odd_registry_costs_nothing_but_the_folder(tmp_path: Path, gemini: GeminiFile, registry: str) -> None:
    gemini.write([header(), asks(1, "go")])
    (tmp_path / ".gemini" / "projects.json").write_text(registry)
    assert next(discover({}, tmp_path)).cwd == ""


def test_an_old_large_session_is_known_by_its_start_and_its_end(tmp_path: Path, old: GeminiFile) -> None:
    old.whole([asks(1, "first"), says(2, "x" * 400_000), asks(3, "last")], summary="The long one")
    file = next(discover({}, tmp_path))
    assert (file.id, file.title) == (SESSION, "The long one")
    old.whole([asks(1, "first"), says(2, "x" * 400_000)], indent=None)
    file = next(discover({}, tmp_path))
    assert (file.id, file.title) == (SESSION, "first")


def test_a_session_is_named_by_id_and_by_path(tmp_path: Path, gemini: GeminiFile) -> None:
    gemini.write([header(), asks(1, "go")])
    assert locate(SESSION[:30], {}, tmp_path).path == gemini.path
    named = locate(str(gemini.path), {}, tmp_path)
    assert (named.host, named.id) == ("gemini", SESSION)


def test_a_call_that_still_runs_is_known_for_the_callers_own() -> None:
    waiting = says(2, "", call("c1", name="prune-mcp__prune_context", args={"note": "x"}, status="executing"))
    done = says(2, "", call("c1", "done", name="prune-mcp__prune_context", args={"note": "x"}))
    tail = (line(header()) + line(asks(1, "go")) + line(waiting)).encode()
    assert holds_call(tail, "prune_context", {"note": "x"})
    assert not holds_call(tail, "prune_context", {"note": "y"})
    assert not holds_call(tail, "history_search", {"note": "x"})
    assert not holds_call(tail + line(done).encode(), "prune_context", {"note": "x"})
