"""The command line as people and scripts use it: real processes, exit codes, one message for each error."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from prune_mcp.engine.engine import Engine
from prune_mcp.server import cli
from prune_mcp.server.cli import COMMANDS
from prune_mcp.server.commands.examples import EXAMPLES
from tests.server.conftest import environment
from tests.server.shell import Shell
from tests.server.transcripts import write_session

LONG = "".join(f"line {number}: nothing of interest\n" for number in range(300))
LONE = f"a lone \ud800 in\n{LONG}"
OUTPUTS = [LONE if number == 7 else f"output {number}\n{LONG}" for number in range(12)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder that commands run in."""
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def session(home: Path, folder: Path) -> Path:
    """The newest session of the folder, among others."""
    write_session(home, "5e55-older", folder, outputs=["x"], age=9000)
    write_session(home, "e15e-where", folder.parent / "elsewhere", outputs=["x"])
    return write_session(home, "abcd-1234", folder, outputs=OUTPUTS, age=60)


@pytest.fixture
def shell(home: Path, folder: Path) -> Shell:
    return Shell(home, folder)


def test_prune_takes_the_newest_session_of_the_folder_and_names_it(shell: Shell, session: Path) -> None:
    before = session.read_bytes()
    done = shell.run("prune")
    assert "session abcd-1234 of claude-code, the newest of this folder" in done.stderr
    assert done.stdout.startswith("advisory (no-lever)")
    assert "/compact" in done.stdout
    assert session.read_bytes() == before


@pytest.mark.parametrize("word", ["abcd-1234", "abcd", "PATH"])
def test_a_session_is_named_by_id_beginning_or_path(shell: Shell, session: Path, word: str) -> None:
    answer = shell.json("prune", str(session) if word == "PATH" else word)
    assert answer["session"] == "abcd-1234"
    assert answer["tokens_after"] < answer["tokens_before"]


def test_prune_as_json_carries_the_entries_in_the_transcripts_format(shell: Shell, session: Path) -> None:
    answer = shell.json("prune")
    entries = [
        json.loads(line) for line in session.read_text(encoding="utf-8", errors="surrogatepass").splitlines()
    ]
    assert answer["effect"] == "advisory"
    assert {entry["sessionId"] for entry in answer["messages"]} == {"abcd-1234"}
    assert answer["messages"][0] == entries[0]
    assert answer["messages"][-1] == entries[-1]
    assert len(json.dumps(answer["messages"])) < len(json.dumps(entries)) / 2


def test_a_dry_run_records_no_decision(shell: Shell, session: Path) -> None:
    assert shell.json("prune", "--dry-run")["why"] == "dry-run"
    assert shell.json("tree")["pruned"] == 0


def test_options_reach_the_engine(shell: Shell, session: Path) -> None:
    answer = shell.json("prune", "--keep-turns", "2", "--note", "the flaky test")
    assert [one["keep_turns"] for one in answer["outcomes"] if one["step"] == "kept"] == [2]
    assert "the flaky test" in json.dumps(answer["messages"])


@pytest.mark.parametrize("shape", ["array", "body"])
def test_a_file_of_messages_comes_back_in_its_own_shape(shell: Shell, folder: Path, shape: str) -> None:
    messages: list[dict[str, Any]] = []
    for number in range(6):
        call = {"id": f"c{number}", "type": "function", "function": {"name": "Bash", "arguments": "{}"}}
        messages += [
            {"role": "user", "content": f"question {number}"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{number}", "content": f"{number}\n{LONG}"},
            {"role": "assistant", "content": f"answer {number}"},
        ]
    payload: Any = messages if shape == "array" else {"model": "m", "messages": messages}
    file = folder / "messages.json"
    file.write_text(json.dumps(payload), encoding="utf-8")
    answer = shell.json("prune", str(file))
    assert answer["effect"] == "applied"
    pruned = answer["messages"] if shape == "array" else answer["messages"]["messages"]
    assert len(json.dumps(pruned)) < 0.6 * len(json.dumps(messages))
    assert shell.json("show", "c1", "--session", answer["session"])[0]["text"] == f"1\n{LONG}"


@pytest.mark.requirement("REC-TREE")
@pytest.mark.requirement("SRV-STRICT")
def test_a_file_that_holds_no_messages_is_told_what_a_message_looks_like(shell: Shell, folder: Path) -> None:
    (folder / "numbers.json").write_text("[1, 2, 3]", encoding="utf-8")
    told = shell.run("prune", "./numbers.json", code=1).stderr
    assert '{"role": "user", "content": "..."}' in told
    assert "Name the format" not in told


@pytest.mark.requirement("SES-EXPORTS")
@pytest.mark.parametrize("command", ["prune", "collapse", "usage"])
@pytest.mark.parametrize("conversation", [{"mapping": {}, "title": "x"}, {"chat_messages": [], "uuid": "x"}])
def test_a_file_that_is_an_export_is_told_to_be_imported(
    shell: Shell, folder: Path, command: str, conversation: dict[str, object]
) -> None:
    (folder / "conversations.json").write_text(json.dumps([conversation]), encoding="utf-8")
    told = shell.run(command, "./conversations.json", code=1).stderr
    assert "conversations.json is an export: bring its conversations in with `prune-mcp import`" in told


def test_the_tree_tells_what_was_pruned(shell: Shell, session: Path) -> None:
    shell.run("prune")
    tree = shell.json("tree", "abcd")
    assert (tree["session"], tree["outputs"], tree["cursor"]) == ("abcd-1234", 12, None)
    plain = shell.run("tree")
    assert "12 outputs" in plain.stdout
    for row in tree["rows"]:
        assert row["ref"] in plain.stdout


@pytest.mark.requirement("REC-SURROGATE")
def test_show_gives_the_exact_text_as_json_and_valid_text_otherwise(shell: Shell, session: Path) -> None:
    shell.run("prune")
    [item] = shell.json("show", "t8")
    assert item["text"] == LONE
    assert [each["text"] for each in shell.json("show", "toolu_0", "t2", "--session", "abcd")] == OUTPUTS[:2]
    plain = shell.run("show", "t8").stdout
    assert LONE.replace("\ud800", "\ufffd") in plain


@pytest.mark.requirement("REC-SLICE")
def test_show_picks_lines_matches_and_pages(shell: Shell, session: Path) -> None:
    shell.run("prune")
    assert shell.json("show", "t1", "--lines", "2:3")[0]["text"].splitlines() == LONG.splitlines()[:2]
    assert shell.json("show", "t1", "--lines", "-2:")[0]["text"].splitlines()[-1] == LONG.splitlines()[-1]
    assert "line 123" in shell.json("show", "t1", "--grep", "line 123:", "--context", "1")[0]["text"]
    page = shell.json("show", "t1", "--offset", "3", "--limit", "5")[0]
    assert (page["text"], page["start"], page["end"]) == (OUTPUTS[0][3:8], 3, 8)


def test_known_refs_are_shown_beside_unknown_ones_and_the_code_says_so(shell: Shell, session: Path) -> None:
    shell.run("prune")
    done = shell.run("show", "t1", "t999", code=1)
    assert "output 0" in done.stdout
    assert "unknown: t999" in done.stderr


@pytest.mark.requirement("REC-LAST")
def test_a_damaged_output_is_told_and_the_code_says_so(shell: Shell, session: Path, home: Path) -> None:
    shell.run("prune")
    store = home / "prune-mcp" / "data" / "store.db"
    connection = sqlite3.connect(store)
    connection.execute("UPDATE bodies SET data = x'00' WHERE sha = (SELECT sha FROM outputs WHERE ref = 1)")
    connection.commit()
    connection.close()
    done = shell.run("show", "t1", "t2", code=1)
    assert f"in {store} is damaged" in done.stdout
    assert f"transcript {session}, entry u0-2, may still hold it" in done.stdout
    assert "output 1" in done.stdout
    assert [item["status"] for item in shell.json("show", "t1", "t2", code=1)] == ["damaged", "ok"]


def test_pruning_again_brings_back_bodies_that_went_missing(shell: Shell, session: Path, home: Path) -> None:
    large = write_session(home, "1a46-e000", shell.folder, outputs=["small\n", "large\n" * 20_000], age=90)
    shell.run("prune", "1a46")
    data = home / "prune-mcp" / "data"
    connection = sqlite3.connect(data / "store.db")
    connection.execute("DELETE FROM bodies WHERE data IS NOT NULL")
    connection.commit()
    connection.close()
    for file in (data / "bodies").rglob("*.z"):
        file.unlink()
    lost = shell.json("show", "t1", "t2", "--session", "1a46", code=1)
    assert [item["status"] for item in lost] == ["damaged", "damaged"]
    before = shell.json("tree", "1a46")
    shell.run("prune", str(large))
    items = shell.json("show", "t1", "t2", "--session", "1a46")
    assert [item["text"] for item in items] == ["small\n", "large\n" * 20_000]
    assert shell.json("tree", "1a46")["outputs"] == before["outputs"]


def test_a_bare_ref_of_several_sessions_is_that_of_the_folders_newest(
    shell: Shell, session: Path, folder: Path
) -> None:
    shell.run("prune")
    shell.run("prune", "e15e")
    done = shell.run("show", "t1")
    assert "abcd-1234" in done.stderr
    assert "output 0" in done.stdout
    shell.folder = folder.parent
    assert "could mean 2 sessions" in shell.run("show", "t1", code=1).stderr


@pytest.mark.requirement("REC-SLICE")
def test_a_pattern_without_a_match_is_said_and_the_code_says_so(shell: Shell, session: Path) -> None:
    shell.run("prune")
    done = shell.run("show", "t1", "--grep", "no such thing", code=1)
    assert done.stdout == ""
    assert "no line matches in t1 (301 lines searched)" in done.stderr


@pytest.mark.requirement("PRU-NOOP")
def test_a_session_without_tool_outputs_says_so(shell: Shell, home: Path, folder: Path) -> None:
    write_session(home, "only-talk", folder)
    assert "and no tool outputs." in shell.run("prune").stdout
    assert "no tool outputs" in shell.json("prune")["summary"]


def test_sessions_lists_those_of_the_hosts_and_of_the_store(shell: Shell, session: Path) -> None:
    shell.run("prune")
    session.unlink()
    rows = {row["id"]: row for row in shell.json("sessions")}
    assert set(rows) == {"abcd-1234", "5e55-older", "e15e-where"}
    assert rows["abcd-1234"]["pruned"] > 0
    plain = shell.run("sessions").stdout
    assert [id in plain for id in rows] == [True] * 3


def test_without_any_session_sessions_says_so(shell: Shell) -> None:
    assert "No sessions" in shell.run("sessions").stderr


@pytest.mark.requirement("SRV-STRICT")
@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["prun"], 2, "No such command 'prun'. Did you mean 'prune'?"),
        (["prune", "--keep-turns", "many"], 2, "--keep-turns"),
        (["prune", "--keep-turns", "-1"], 2, "--keep-turns"),
        (["prune", "--keepturns", "1"], 2, "--keep-turns"),
        (["show"], 2, "Missing argument"),
        (["prune", "nothing-like-it"], 1, "There is no session 'nothing-like-it'"),
        (["prune", "."], 1, "is a folder"),
        (["prune", "./empty.jsonl"], 1, "is empty"),
        (["prune", "./poem.jsonl"], 1, "is no session"),
        (["prune", "./poem.json"], 1, "is no JSON"),
        (["prune", "./missing.jsonl"], 1, "There is no file"),
        (["tree", "nothing-like-it"], 1, "no session 'nothing-like-it'"),
        (["show", "t1"], 1, "t1"),
        (["prune", "x" * 100_000], 1, "There is no session 'xxx"),
        (["tree", "~nobody-of-this-name"], 1, "no session '~nobody-of-this-name'"),
        (["show", "t1", "--session", "x" * 100_000], 1, "no session 'xxx"),
    ],
)
def test_an_error_is_one_message_with_its_exit_code(
    shell: Shell, folder: Path, arguments: list[str], code: int, told: str
) -> None:
    (folder / "empty.jsonl").touch()
    for name in ("poem.jsonl", "poem.json"):
        (folder / name).write_text("roses are red\n", encoding="utf-8")
    done = shell.run(*arguments, code=code)
    assert told in done.stderr
    assert done.stderr.startswith("prune-mcp: ")
    assert done.stdout == ""


@pytest.mark.requirement("SRV-STRICT")
@pytest.mark.requirement("SRV-STRICT")
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["prune", "--keep-turns", "many"], "'--keep-turns': it takes a whole number of at least 0, not 'many'"),
        (["prune", "--keep-turns=-1"], "'--keep-turns': it takes a whole number of at least 0, not '-1'"),
        (["show", "t1", "--context", "2.5"], "'--context': it takes a whole number of at least 0, not '2.5'"),
        (["show", "t1", "--offset", ""], "'--offset': it takes a whole number of at least 0, not ''"),
        (["show", "t1", "--limit", "0"], "'--limit': it takes a whole number of at least 1, not '0'"),
        (["show", "t1", "--limit", "9" * 5000], "at least 1, not '99999"),
    ],
)
def test_an_option_that_takes_a_number_says_so(shell: Shell, arguments: list[str], told: str) -> None:
    message = shell.run(*arguments, code=2).stderr
    assert told in message
    assert len(message) < 200


@pytest.mark.requirement("SRV-STRICT")
@pytest.mark.parametrize("command", ["prune", "tree", "show", "sessions"])
def test_every_number_of_a_command_is_parsed_by_us(shell: Shell, command: str) -> None:
    shown = shell.run(command, "--help").stdout
    assert [kind for kind in ("<int", "<float", "INTEGER", "FLOAT") if kind in shown] == []


def test_a_range_of_lines_that_makes_no_sense_is_refused(shell: Shell, session: Path) -> None:
    shell.run("prune")
    done = shell.run("show", "t1", "--lines", "nonsense", code=2)
    assert "'nonsense' is no range of lines" in done.stderr
    assert done.stdout == ""


@pytest.mark.requirement("SRV-STRICT")
def test_a_newer_store_is_refused_in_one_sentence_and_left_as_it_is(
    shell: Shell, session: Path, home: Path
) -> None:
    shell.run("prune")
    store = home / "prune-mcp" / "data" / "store.db"
    connection = sqlite3.connect(store)
    connection.execute("PRAGMA user_version = 9999")
    connection.close()
    before = store.read_bytes()
    for arguments in (["prune"], ["tree", "abcd"], ["show", "t1"]):
        assert "newer" in shell.run(*arguments, code=1).stderr
    assert store.read_bytes() == before


@pytest.mark.requirement("SRV-STRICT")
def test_a_store_folder_that_cannot_be_made_is_told(shell: Shell, session: Path, home: Path) -> None:
    (home / "file").touch()
    assert "PRUNE_MCP_HOME" in shell.run("prune", code=1, PRUNE_MCP_HOME=str(home / "file")).stderr


@pytest.mark.requirement("SRV-CONFIG")
def test_a_wrong_setting_is_told_and_stops_nothing(shell: Shell, session: Path) -> None:
    done = shell.run("prune", PRUNE_MCP_KEEP_TURN="1")
    assert "did you mean PRUNE_MCP_KEEP_TURNS?" in done.stderr


@pytest.mark.requirement("SRV-CONFIG")
def test_settings_that_cannot_be_kept_are_a_diagnostic_of_a_prune_and_no_message_of_their_own(
    shell: Shell, session: Path, home: Path
) -> None:
    kept = home / "prune-mcp" / "data" / "settings.json"
    kept.mkdir(parents=True)
    done = shell.run("prune", "abcd")
    assert done.stderr == ""
    assert f"note: settings: The resolved settings cannot be kept in {kept}" in done.stdout
    for command in (["tree", "abcd"], ["show", "t1"], ["sessions"]):
        assert "settings" not in shell.run(*command).stderr


def test_help_documents_the_exit_codes_and_every_command_has_a_description(shell: Shell) -> None:
    told = shell.run("--help").stdout
    assert "Exit codes" in told
    for command in ("prune", "tree", "show", "sessions"):
        assert command in told
        assert "--json" in shell.run(command, "--help").stdout


def test_the_help_tells_each_command_in_a_whole_line(shell: Shell) -> None:
    told = shell.run("--help").stdout
    assert "..." not in told.replace("[ARGS]...", "")
    assert all(re.search(rf"^  {name} +[A-Z].*\.$", told, re.MULTILINE) for name in COMMANDS)


@pytest.mark.parametrize("command", EXAMPLES)
def test_the_examples_in_a_help_name_options_that_there_are(shell: Shell, command: str) -> None:
    told = shell.run(command, "--help").stdout
    options, examples = told.split("Examples:")
    assert [line.strip() for line in examples.strip().splitlines()] == list(EXAMPLES[command])
    for name in re.findall(r"(?<!\S)--[\w-]+", examples):
        assert re.search(rf"^ .*{name}\b", options, re.MULTILINE), name


@pytest.mark.parametrize(
    ("arguments", "where"),
    [(("prune", "--kep-turns", "3"), "prune-mcp prune --help"), (("prun",), "`prune-mcp --help")],
)
def test_a_wrong_call_names_the_help_that_tells_the_usage(
    shell: Shell, arguments: tuple[str, ...], where: str
) -> None:
    assert f"{where}` tells the usage" in shell.run(*arguments, code=2).stderr


def test_a_word_that_is_no_choice_is_said_in_one_sentence(shell: Shell) -> None:
    told = shell.run("prune", "--summarize", "client", code=2).stderr
    assert "'client' is not one of 'endpoint'" in told
    assert "Value error" not in told


def test_a_reader_that_goes_away_is_no_error(shell: Shell, session: Path) -> None:
    shell.run("prune")
    read, write = os.pipe()
    os.close(read)
    process = subprocess.Popen(
        [sys.executable, "-m", "prune_mcp.server", "show", "t1-t8", "--json"],
        cwd=shell.folder,
        env=environment(shell.home),
        stdout=write,
        stderr=subprocess.PIPE,
        text=True,
    )
    os.close(write)
    _, told = process.communicate(timeout=30)
    assert told == ""


def test_ctrl_c_ends_a_command_quietly(
    session: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Engine, "prune_transcript", interrupted)
    monkeypatch.chdir(folder)
    assert cli.run(["prune", str(session)]) == 130
    assert capsys.readouterr().err.strip() == ""


def test_an_unforeseen_error_is_one_line_that_says_where(
    session: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Engine, "prune_transcript", lambda *_, **__: 1 / 0)
    assert cli.run(["prune", str(session)]) == 1
    told = capsys.readouterr().err
    assert "ZeroDivisionError" in told
    assert told.count("\n") == 1


def test_a_pipe_that_its_reader_left_is_told_by_the_exit_code(shell: Shell, session: Path) -> None:
    shell.run("prune")
    process = subprocess.Popen(
        [sys.executable, "-m", "prune_mcp.server", "show", "t1-t8", "--json"],
        cwd=shell.folder,
        env=environment(shell.home),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    process.stdout.close()
    _, told = process.communicate()
    assert (process.returncode, b"Traceback" in told) == (141, False), told
