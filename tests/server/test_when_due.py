"""`prune --when-due`: a hook or a script asks, and prunes only where a trigger of the settings is met."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.server.conftest import environment
from tests.server.shell import Shell
from tests.server.test_imports import COMMAND
from tests.server.transcripts import entry, exchange, write_session

pytestmark = pytest.mark.requirement("PRU-BATCH")

LONG = "".join(f"line {number}: nothing of interest\n" for number in range(300))
SESSION = "abcd-1234"
DUE = "due (message-end): the exchange ended with 9 unpruned tool results\n"
DONE = "not due: no tool result is left that a prune would decide on\n"
REMINDER = (
    "9 unpruned tool results in this context. When a piece of work is finished, call prune_context to shorten "
    "them; not after single or trivial calls."
)
# Runs the hook, then tells every file that was opened and every folder that was listed.
OPENING = """
import sys
from prune_mcp.server.cli import run
touched = []
looks = ("open", "os.scandir", "os.listdir")
sys.addaudithook(lambda name, told: touched.append(str(told[0])) if name in looks else None)
run(["prune", "--hook"])
print("\\n".join(touched))
"""
NO_VARIABLES: Mapping[str, str] = {}
ON_DEMAND = {
    "PRUNE_MCP_TRIGGERS__PRUNE_ON": "on-demand",
    "PRUNE_MCP_TRIGGERS__AUTO_BUDGET_THRESHOLD": "0",
    "PRUNE_MCP_TRIGGERS__BUDGET_TURN_DELTA": "0",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def session(home: Path, folder: Path) -> Path:
    """Twelve finished exchanges with one output each."""
    return write_session(home, SESSION, folder, outputs=[f"output {n}\n{LONG}" for n in range(12)])


@pytest.fixture
def shell(home: Path, folder: Path) -> Shell:
    return Shell(home, folder)


def hooked(
    shell: Shell, given: Any, *options: str, code: int = 0, variables: Mapping[str, str] = NO_VARIABLES
) -> tuple[str, str]:
    """What `prune --hook` writes to stdout and to stderr for this input."""
    done = subprocess.run(
        [sys.executable, "-m", "prune_mcp.server", "prune", "--hook", *options],
        cwd=shell.folder,
        env={**environment(shell.home), **variables},
        input=given if isinstance(given, str) else json.dumps(given),
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout, done.stderr


def test_it_prunes_when_due_and_then_says_why_not(shell: Shell, session: Path) -> None:
    told = shell.run("prune", str(session), "--when-due").stdout
    assert told.startswith(DUE + "advisory (no-lever)")
    assert shell.json("tree", SESSION)["pruned"] == 9
    again = shell.run("prune", str(session), "--when-due")
    assert (again.stdout, again.stderr) == (DONE, "")
    with session.open("a", encoding="utf-8") as file:
        file.writelines(exchange(SESSION, shell.folder, 12, f"output 12\n{LONG}"))
    told = shell.run("prune", SESSION, "--when-due").stdout
    assert told.startswith("due (message-end): the exchange ended with 1 unpruned tool result\n")


def test_as_json_it_tells_what_was_looked_at(shell: Shell, session: Path) -> None:
    due = shell.json("prune", SESSION, "--when-due")
    assert due["trigger"]["due"] is True
    assert due["trigger"]["label"] == "message-end"
    assert (due["trigger"]["unpruned_results"], due["trigger"]["moment"]) == (9, "exchange")
    assert due["effect"] == "advisory"
    assert due["messages"][-1]["uuid"] == "u11-3"
    not_due = shell.json("prune", SESSION, "--when-due")
    assert list(not_due) == ["trigger"]
    assert not_due["trigger"]["due"] is False
    assert not_due["trigger"]["reason"] == DONE.removeprefix("not due: ").strip()


def test_a_dry_run_tells_and_counts_for_nothing(shell: Shell, session: Path) -> None:
    for _ in range(2):
        assert shell.run("prune", SESSION, "--when-due", "--dry-run").stdout.startswith(DUE + "advisory (dry-run)")
    assert shell.json("tree", SESSION)["pruned"] == 0
    assert not (shell.home / "prune-mcp" / "cache").exists()


def test_how_many_turns_are_kept_counts_for_what_is_due(shell: Shell, session: Path) -> None:
    assert "12 unpruned" in shell.run("prune", SESSION, "--when-due", "--dry-run", "--keep-turns", "0").stdout
    assert shell.run("prune", SESSION, "--when-due", "--keep-turns", "12").stdout == DONE


def test_the_reminder_is_all_it_prints_and_prunes_nothing(shell: Shell, session: Path) -> None:
    for _ in range(2):
        assert shell.run("prune", SESSION, "--reminder").stdout == REMINDER + "\n"
    assert shell.run("prune", SESSION, "--reminder", PRUNE_MCP_TRIGGERS__REMIND_UNPRUNED_COUNT="no").stdout == ""
    assert shell.json("prune", SESSION, "--reminder")["trigger"]["reminder"] == REMINDER
    assert not (shell.home / "prune-mcp" / "data" / "store.db").exists()


def test_with_both_the_model_is_reminded_where_no_prune_is_due(shell: Shell, session: Path) -> None:
    told = shell.run("prune", SESSION, "--when-due", "--reminder", code=0, **ON_DEMAND)
    assert (told.stdout, told.stderr) == (REMINDER + "\n", "not due: the settings leave pruning to demand\n")
    assert shell.run("prune", SESSION, "--when-due", "--reminder").stdout.startswith(DUE)
    assert shell.run("prune", SESSION, "--when-due", "--reminder").stdout == ""


def test_a_file_of_messages_can_be_due(shell: Shell, folder: Path) -> None:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
    for number in range(6):
        call = {"id": f"c{number}", "type": "function", "function": {"name": "Bash", "arguments": "{}"}}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"c{number}", "content": f"{number}\n{LONG}"})
    file = folder / "messages.json"
    file.write_text(json.dumps(messages), encoding="utf-8")
    assert shell.json("prune", str(file), "--when-due")["trigger"]["due"] is False
    messages.append({"role": "assistant", "content": "done"})
    file.write_text(json.dumps(messages), encoding="utf-8")
    answer = shell.json("prune", str(file), "--when-due")
    assert (answer["trigger"]["label"], answer["effect"]) == ("message-end", "applied")
    file.write_text(json.dumps(answer["messages"]), encoding="utf-8")


@pytest.mark.parametrize("event", ["Stop", "UserPromptSubmit"])
def test_as_a_hook_it_prunes_at_the_end_of_an_exchange_and_answers_nothing(
    shell: Shell, session: Path, event: str
) -> None:
    given = {"session_id": SESSION, "transcript_path": str(session), "hook_event_name": event}
    out, said = hooked(shell, given, "--reminder")
    assert (out, said.startswith(DUE)) == ("", True)
    assert shell.json("tree", SESSION)["pruned"] == 9
    assert hooked(shell, given, "--reminder") == ("", DONE)


def test_as_a_hook_within_an_exchange_it_goes_by_usage_alone(shell: Shell, session: Path) -> None:
    given = {"transcript_path": str(session), "hook_event_name": "PostToolUse"}
    out, said = hooked(shell, given)
    assert (out, said) == ("", "not due: the exchange goes on; how much of the window is used is not known\n")
    window = {"PRUNE_MCP_USAGE__CONTEXT_WINDOW": "10000"}
    assert hooked(shell, given, variables=window)[1].startswith(
        "not due: the exchange goes on; nothing that a prune"
    )
    with session.open("a", encoding="utf-8") as file:
        file.writelines(exchange(SESSION, shell.folder, 12, f"output 12\n{LONG}"))
    assert hooked(shell, given, variables=window)[1].startswith("due (budget): the context holds ")


def test_as_a_hook_of_a_session_that_is_loaded_what_was_left_counts(shell: Shell, session: Path) -> None:
    given = {"transcript_path": str(session), "hook_event_name": "PostToolUse"}
    hooked(shell, given)
    window = {"PRUNE_MCP_USAGE__CONTEXT_WINDOW": "10000"}
    out, said = hooked(shell, given | {"hook_event_name": "SessionStart", "source": "resume"}, variables=window)
    assert (out, said.startswith("due (rearmed): ")) == ("", True)


@pytest.mark.parametrize(
    ("event", "told"),
    [("SessionStart", True), ("UserPromptSubmit", True), ("PostToolUse", True), ("Stop", False)],
)
def test_as_a_hook_it_gives_the_model_the_reminder_where_the_event_takes_one(
    shell: Shell, session: Path, event: str, told: bool
) -> None:
    given = {"transcript_path": str(session), "hook_event_name": event}
    out, _ = hooked(shell, given, "--reminder", variables=ON_DEMAND)
    answer = {"hookSpecificOutput": {"hookEventName": event, "additionalContext": REMINDER}}
    assert out == (json.dumps(answer) + "\n" if told else "")
    assert hooked(shell, given, variables=ON_DEMAND)[0] == ""


def test_a_hook_can_name_the_session_by_its_id_alone(shell: Shell, session: Path) -> None:
    given = {"session_id": SESSION, "transcript_path": None, "hook_event_name": "Stop"}
    assert hooked(shell, given)[1].startswith(DUE)


def test_a_session_without_a_transcript_yet_is_not_due(shell: Shell, home: Path) -> None:
    given = {"transcript_path": str(home / "new.jsonl"), "hook_event_name": "UserPromptSubmit"}
    assert hooked(shell, given) == ("", f"not due: there is no {home / 'new.jsonl'} yet\n")


@pytest.mark.parametrize(
    ("given", "options", "told"),
    [
        ("", (), "The hook's input on stdin is no JSON"),
        ("[]", (), "names no session"),
        ('{"hook_event_name": "Stop"}', (), "it has neither transcript_path nor session_id"),
        ('{"session_id": "nobody"}', (), "nobody"),
        ("{}", ("abcd",), "--hook takes the session from stdin"),
        ("{}", ("--json",), "--hook takes the session from stdin"),
    ],
)
def test_a_hook_that_fails_never_ends_with_the_code_that_stops_its_host(
    shell: Shell, given: str, options: tuple[str, ...], told: str
) -> None:
    out, said = hooked(shell, given, *options, code=1)
    assert (out, told in said, said.count("\n")) == ("", True, 1)


def test_where_nothing_is_due_nothing_that_prunes_is_loaded(shell: Shell, session: Path) -> None:
    shell.run("prune", SESSION, "--when-due")
    done = subprocess.run(
        [sys.executable, "-c", COMMAND, "prune", str(session), "--when-due"],
        env=environment(shell.home),
        capture_output=True,
        text=True,
        check=True,
    )
    told, _, modules = done.stdout.partition("=====\n")
    assert told == DONE
    names = set(modules.split())
    unwanted = (
        "engine.prune.prune",
        "engine.prune.archive",
        "pruning.flush",
        "pruning.digest",
        "pruning.names",
        "search.find.find",
    )
    assert not {f"prune_mcp.{name}" for name in unwanted} & names
    assert not {"mcp", "pydantic_settings", "rich", "whoosh", "zstandard"} & names


def test_as_a_hook_it_opens_no_other_session(shell: Shell, session: Path, home: Path) -> None:
    write_session(home, "0ther", shell.folder.parent / "elsewhere", outputs=["x"])
    given = {"transcript_path": str(session), "hook_event_name": "Stop"}
    done = subprocess.run(
        [sys.executable, "-c", OPENING],
        env=environment(shell.home),
        input=json.dumps(given),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr.startswith(DUE)
    assert {path for path in done.stdout.splitlines() if "/.claude" in path} == {str(session)}


def test_a_call_that_still_waits_keeps_the_exchange_from_having_ended(shell: Shell, session: Path) -> None:
    use = {"type": "tool_use", "id": "toolu_waits", "name": "Bash", "input": {}}
    with session.open("a", encoding="utf-8") as file:
        file.write(entry(SESSION, shell.folder, "u-p", "u11-3", {"role": "user", "content": "once more"}))
        waiting = {"role": "assistant", "id": "m-w", "content": [use]}
        file.write(entry(SESSION, shell.folder, "u-w", "u-p", waiting))
    given = {"transcript_path": str(session), "hook_event_name": "Stop"}
    assert hooked(shell, given)[1].startswith("not due: the exchange goes on, 1 call without a result; ")
