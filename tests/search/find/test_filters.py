"""Filters: what they let pass, and what is said where they match nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from prune_mcp.search.find.question import QuestionWrong
from prune_mcp.sessions.exports.bring import import_export
from prune_mcp.sessions.exports.imported import IMPORTS
from prune_mcp.storage.home import home
from tests.search.find.past import Past
from tests.sessions.transcripts.writing import SESSION, PiFile, text, thinking, tool_use

pytestmark = pytest.mark.requirement("HIS-FILTER")


def test_each_role_is_found_alone(past: Past) -> None:
    file = past.session()
    file.prompt("a needle asked for")
    file.says(thinking("a needle thought of"))
    file.says("a needle answered")
    file.says(tool_use("c1", "Bash", command="grep needle"))
    file.result("c1", "a needle put out")
    file.compact("a needle summed up")
    for role in ("user", "thinking", "assistant", "call", "result", "summary"):
        assert [hit.role for hit in past.ask("needle", role=role).hits] == [role]
    assert {hit.role for hit in past.ask("needle", role="tool").hits} == {"call", "result"}
    assert {hit.role for hit in past.ask("needle", role="USER").hits} == {"user"}


def test_an_unknown_role_is_refused_in_words_that_name_the_roles(past: Past) -> None:
    past.says("needle")
    with pytest.raises(QuestionWrong, match=r"no role 'robot'.* assistant"):
        past.ask("needle", role="robot")


def test_a_time_that_ends_before_it_begins_is_refused(past: Past) -> None:
    past.says("needle")
    with pytest.raises(QuestionWrong, match="`since` is later than `until`"):
        past.ask("needle", since=2e9, until=1e9)


def test_a_tool_is_found_by_its_name_in_any_case_and_without_its_server(past: Past) -> None:
    file = past.session()
    file.prompt("go")
    file.says(tool_use("c1", "Bash", command="needle one"))
    file.says(tool_use("c2", "mcp__github__create_issue", title="needle two"))
    assert [hit.tool for hit in past.ask("needle", tool="bash").hits] == ["Bash"]
    for name in ("create_issue", "mcp__github__create_issue", "CREATE_ISSUE"):
        assert [hit.tool for hit in past.ask("needle", tool=name).hits] == ["mcp__github__create_issue"]
    assert past.ask("needle", tool="create").hits == []


def test_an_unknown_tool_names_the_nearest(past: Past) -> None:
    file = past.session()
    file.prompt("go")
    file.turn("c1", "needle", "WebFetch")
    assert any("WebFetch" in note for note in past.ask("needle", tool="webfetsh").notes)


@pytest.mark.parametrize("project", ["/home/user/app", "app", "APP", "user/app", "/home/user/app/", "/home/user"])
def test_a_project_is_found_by_its_path_its_name_or_a_part(past: Past, project: str) -> None:
    (wanted,) = past.says("needle here")
    other = past.session(2, "-home-else-web")
    other.prompt("needle there", cwd="/home/else/web")
    assert past.entries("needle", project=project) == [wanted]
    assert len(past.entries("needle")) == 2


def test_an_unknown_project_names_the_nearest(past: Past) -> None:
    past.says("needle")
    found = past.ask("needle", project="apq")
    assert found.hits == []
    assert any("'apq'" in note and "app" in note for note in found.notes)


def test_a_time_before_all_others_finds_nothing(past: Past) -> None:
    past.says("needle")
    assert past.entries("needle", until=-631_152_000.0) == []


def test_an_agent_is_found_by_its_name_or_a_part(past: Past) -> None:
    (claude,) = past.says("needle of one")
    pi = PiFile(past.machine.user / ".pi" / "agent" / "sessions" / "--home-user-app--" / f"x_{SESSION}.jsonl")
    other = pi.message("user", [text("needle of another")])
    assert past.entries("needle", agent="claude-code") == [claude]
    assert past.entries("needle", agent="claude") == [claude]
    assert past.entries("needle", agent="pi") == [other]
    found = past.ask("needle", agent="codx")
    assert found.hits == []
    assert any("agent" in note and "'codx'" in note for note in found.notes)


def test_an_agent_whose_name_is_a_part_of_anothers_is_found_alone(past: Past, tmp_path: Path) -> None:
    said = [{"role": "user", "content": "A needle here."}], [{"role": "user", "content": "A needle there."}]
    (tmp_path / "one.traj").write_text(json.dumps({"trajectory": [], "history": said[0]}))
    mini = {"info": {}, "trajectory_format": "mini-swe-agent-1.1", "messages": said[1]}
    (tmp_path / "two.traj.json").write_text(json.dumps(mini))
    for export in ("one.traj", "two.traj.json"):
        import_export(tmp_path / export, home(past.machine.env).data / IMPORTS)
    for agent in ("swe-agent", "SWE-agent", "mini-swe-agent"):
        assert [hit.agent for hit in past.ask("needle", agent=agent).hits] == [agent.lower()]
    assert {hit.agent for hit in past.ask("needle", agent="swe").hits} == {"swe-agent", "mini-swe-agent"}


def test_time_limits_what_is_found_to_the_second(past: Past) -> None:
    file = past.session()
    file.prompt("go", timestamp="2025-10-01T00:00:00Z")
    times = ["2025-10-31T23:59:59Z", "2025-11-01T00:00:00Z", "2025-11-15T12:00:00Z", "2025-12-01T00:00:00Z"]
    said = [file.says(f"needle {n}", timestamp=time) for n, time in enumerate(times)]
    november = 1_761_955_200.0
    fifteenth = november + 14.5 * 86_400
    assert set(past.entries("needle", since=november)) == set(said[1:])
    assert set(past.entries("needle", until=november - 1)) == {said[0]}
    assert past.entries("needle", since=fifteenth, until=fifteenth) == [said[2]]
    assert set(past.entries("needle", since=november, until=fifteenth)) == {said[1], said[2]}


def test_a_session_is_found_by_the_beginning_of_its_id_without_its_subagents(past: Past) -> None:
    file = past.session()
    wanted = file.prompt("needle of the session")
    past.says("needle elsewhere", number=2)
    subagent = file.path.with_suffix("") / "subagents" / "agent-a1.jsonl"
    subagent.parent.mkdir(parents=True)
    child = type(file)(subagent, file.session)
    inside = child.prompt(
        "needle of the subagent", isSidechain=True, agentId="a1", uuid="a1a1a1a1-0000-4000-8000-000000000000"
    )
    assert past.entries("needle", session=file.session[:8]) == [wanted]
    assert past.entries("needle", session=f"{file.session[:8]}/agent-a1") == [inside]
    found = past.ask("needle", session="ffffffff")
    assert found.hits == []
    assert any("'ffffffff'" in note for note in found.notes)


def test_filters_together_narrow_down(past: Past) -> None:
    file = past.session()
    file.prompt("needle asked", timestamp="2025-10-01T00:00:00Z")
    wanted = file.prompt("needle asked again", timestamp="2025-11-02T00:00:00Z")
    file.says("needle said", timestamp="2025-11-03T00:00:00Z")
    assert past.entries("needle", role="user", since=1_761_955_200.0, project="app", agent="claude") == [wanted]


def test_a_session_may_be_named_by_very_little_where_only_one_begins_so(past: Past) -> None:
    file = past.session()
    wanted = file.prompt("needle here")
    few = file.session[:4]
    assert past.entries("needle", session=few) == [wanted]
    assert past.entries("needle", session=few[:3]) == []
    assert past.read(f"{wanted}@{few}").entries[0].entry == wanted


def test_a_session_named_by_too_little_is_not_guessed(past: Past) -> None:
    sessions = [past.session(number) for number in (1, 2)]
    for file in sessions:
        file.prompt(f"needle of {file.session}")
    few = sessions[0].session[:4]
    found = past.ask("needle", session=few)
    assert found.hits == []
    assert any(f"2 sessions begin with {few!r}" in note for note in found.notes)
