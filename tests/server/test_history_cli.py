"""Past sessions on the command line: searched, read, indexed, brought in, forgotten."""

from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path

import pytest

from tests.server.shell import Shell
from tests.server.transcripts import write_session

HIT = {
    "session", "entry", "ref", "agent", "project", "title", "time", "role", "tool", "snippet", "marks",
    "copies", "copy_count", "flags",
}  # fmt: skip

CONVERSATION = "c0ffee00-0000-4000-8000-000000000001"


@pytest.fixture
def shell(home: Path, tmp_path: Path) -> Shell:
    """Commands in a folder of two sessions that were written long ago."""
    folder = tmp_path / "project"
    folder.mkdir()
    write_session(home, "s-one", folder, outputs=["a walrus sings"], prompt="where is the walrus?", age=9000)
    write_session(home, "s-two", folder, outputs=["nothing here"], age=9000)
    return Shell(home, folder)


@pytest.mark.requirement("HIS-FIND", "SES-DAMAGE")
@pytest.mark.parametrize(
    "time",
    ["9999-12-31T23:59:59-14:00", "9999-12-31T23:59:59Z", "0001-01-01T00:00:00+14:00", "0001-01-01T00:00:00Z"],
)
@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Pacific/Pago_Pago"])
def test_times_at_the_ends_of_time_cost_no_search(shell: Shell, time: str, zone: str) -> None:
    path = next(shell.home.rglob("s-one.jsonl"))
    path.write_text(path.read_text(encoding="utf-8").replace("2026-01-01T00:00:00Z", time), encoding="utf-8")
    for _ in range(2):
        assert {hit["session"] for hit in shell.json("search", "walrus")["hits"]} == {"s-one"}
        assert "walrus" in shell.run("search", "walrus", TZ=zone).stdout
        assert "walrus" in shell.run("read", "u0-2@s-one", TZ=zone).stdout
        shell.run("index")


@pytest.mark.requirement("HIS-FIND", "HIS-FRESH")
def test_a_search_needs_no_index_and_says_so(shell: Shell) -> None:
    done = shell.run("search", "walrus")
    assert "u0-2@s-one result Bash" in done.stdout
    assert "a «walrus» sings" in done.stdout
    assert "There is no index yet" in done.stderr


@pytest.mark.requirement("HIS-FRESH")
def test_a_search_goes_on_when_the_cache_was_cleared_and_says_how_to_mend_it(shell: Shell) -> None:
    shell.run("index")
    shutil.rmtree(shell.home / "prune-mcp" / "cache")
    done = shell.run("search", "walrus")
    assert "a «walrus» sings" in done.stdout
    assert "prune-mcp index" in done.stderr
    assert "built anew" in shell.run("index").stderr
    assert "lacks" not in shell.run("search", "walrus").stderr


def test_a_search_as_json_has_hits_cursor_and_notes(shell: Shell) -> None:
    answer = shell.json("search", "walrus", "--role", "user")
    assert set(answer) >= {"hits", "cursor", "notes"}
    (hit,) = answer["hits"]
    assert set(hit) == HIT
    assert (hit["session"], hit["entry"], hit["role"]) == ("s-one", "u-0", "user")
    assert hit["time"] == "2026-01-01T00:00:00Z"
    assert hit["marks"] == [[13, 19]]
    assert hit["snippet"] == "where is the walrus?"


def test_words_that_were_quoted_in_the_shell_are_a_phrase(shell: Shell) -> None:
    assert [hit["role"] for hit in shell.json("search", "walrus sings", "nothing")["hits"]] != []
    found = shell.json("search", "walrus sings", "nowhere")["hits"]
    assert [hit["ref"] for hit in found] == ["u0-2@s-one"]


def test_nothing_found_is_said_and_no_error(shell: Shell) -> None:
    done = shell.run("search", "zebra")
    assert "Nothing was found." in done.stderr
    assert done.stdout == ""


def test_an_empty_question_and_a_wrong_time_are_refused_in_words(shell: Shell) -> None:
    assert "soon" in shell.run("search", "x", "--since", "soon", code=2).stderr
    assert shell.run("search", "", code=2).stderr != ""


@pytest.mark.requirement("HIS-PAGE")
def test_an_entry_is_read_whole_alone_or_with_neighbours(shell: Shell) -> None:
    assert "a walrus sings" in shell.run("read", "u0-2@s-one").stdout
    answer = shell.json("read", "u0-2@s-one", "--around", "1")
    assert [entry["entry"] for entry in answer["entries"]] == ["u0-1", "u0-2", "u0-3"]
    assert "s-nine" in shell.run("read", "u0-2@s-nine", code=1).stderr


def test_indexing_tells_what_it_did_and_how_the_index_stands(shell: Shell) -> None:
    assert shell.json("index")["files"] == 2
    assert "Everything was indexed already." in shell.run("index").stdout
    status = shell.json("index", "--status")
    assert status["agents"]["claude-code"]["sources"] == 2
    assert status["pending"] == 0
    assert "claude-code" in shell.run("index", "--status").stdout
    assert shell.json("index", "--rebuild")["busy"] == ""
    again = shell.run("index", "--rebuild").stdout
    assert again.startswith("2 files read again in ")
    assert again.endswith("; new in them: 0 passages\n")
    assert [hit["ref"] for hit in shell.json("search", "sings")["hits"]] == ["u0-2@s-one"]


@pytest.mark.requirement("SES-DAMAGE")
def test_what_could_not_be_read_of_a_session_is_told_by_the_status_and_beside_its_entries(shell: Shell) -> None:
    (path,) = (path for path in shell.home.rglob("*.jsonl") if "s-one" in path.name)
    with path.open("ab") as file:
        file.write(b'{"type": "us\n')
    assert "1 torn line" in shell.run("read", "u-0@s-one", "--around", "1").stderr
    shell.run("index")
    assert f"left out: {path}: 1 torn line\n" in shell.run("index", "--status").stdout
    assert [one["kinds"] for one in shell.json("index", "--status")["left_out"]] == [{"torn": 1}]
    assert "1 torn line" in shell.run("read", "u-0@s-one", "--around", "1").stderr
    assert "torn" not in shell.run("read", "u-0@s-one").stderr


@pytest.mark.requirement("HIS-GONE")
def test_what_is_forgotten_is_found_no_more_and_comes_back_when_asked_for(shell: Shell) -> None:
    shell.run("index")
    refused = shell.run("forget", "s-one", code=1)
    assert "say --yes" in refused.stderr
    assert shell.json("search", "walrus")["hits"] != []
    assert "2 sessions" not in shell.run("forget", "s-one", "--yes").stdout
    assert shell.json("search", "walrus")["hits"] == []
    shell.run("index")
    assert shell.json("search", "walrus")["hits"] == []
    shell.run("forget", "s-one", "--undo")
    assert shell.json("search", "walrus")["hits"] != []
    assert "Nothing is known" in shell.run("forget", "nobody", code=1).stderr


@pytest.mark.requirement("SES-EXPORTS")
def test_an_export_is_brought_in_and_found(shell: Shell, tmp_path: Path) -> None:
    said = [
        {"uuid": "m-1", "sender": "human", "text": "feed the walrus", "content": [], "created_at": "2026-02-03"}
    ]
    conversation = {
        "uuid": CONVERSATION,
        "name": "Zoo",
        "created_at": "2026-02-03T08:00:00Z",
        "chat_messages": said,
    }
    export = tmp_path / "export.zip"
    with zipfile.ZipFile(export, "w") as archive:
        archive.writestr("conversations.json", json.dumps([conversation]))
    assert "1 conversation added" in shell.run("import", str(export)).stdout
    assert shell.json("import", str(export))["unchanged"] == 1
    hits = shell.json("search", "feed", "--agent", "claude.ai")["hits"]
    assert [(hit["session"], hit["title"]) for hit in hits] == [(CONVERSATION, "Zoo")]
    assert "can be imported" in shell.run("import", str(shell.folder), code=1).stderr


def test_a_word_like_an_option_is_found_in_the_quotes_that_its_refusal_names(shell: Shell) -> None:
    assert "'\"--sings\"'" in shell.run("search", "--sings", code=2).stderr
    assert [hit["ref"] for hit in shell.json("search", '"--sings"')["hits"]] == ["u0-2@s-one"]
