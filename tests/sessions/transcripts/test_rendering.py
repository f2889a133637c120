"""Views of transcripts as raw entries in the host's own format."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from prune_mcp.sessions.model import Place
from prune_mcp.sessions.reader import Reader
from prune_mcp.sessions.transcript import open_transcript
from prune_mcp.sessions.view import View
from tests.sessions.transcripts.writing import ClaudeFile, PiFile, image, text, thinking, tool_call, tool_use

pytestmark = pytest.mark.requirement("SES-CLAUDE", "SES-PI")


@pytest.fixture
def long_claude(claude: ClaudeFile) -> Reader:
    """Two exchanges with a call each, progress lines in between."""
    claude.prompt("first")
    claude.entry("progress", data={})
    claude.says(thinking("hm"), id="m1")
    claude.says("Reading.", tool_use("t1", "Read", path="a"), id="m1")
    claude.entry("progress", data={})
    claude.result("t1", "output one", futureField={"kept": 1})
    claude.says("Read it.", id="m2")
    claude.entry("system", subtype="turn_duration", durationMs=1)
    claude.prompt("second")
    claude.says(tool_use("t2", "Read", path="b"), id="m3")
    claude.result("t2", [text("output"), image(), text("two")])
    claude.says("Done.", id="m4")
    return open_transcript(claude.path)


@pytest.fixture
def long_pi(pi: PiFile) -> Reader:
    """Two exchanges with a call each."""
    pi.prompt("first")
    pi.says(tool_call("c1", path="a"), stop="toolUse")
    pi.result("c1", "output one")
    pi.says("Read it.")
    pi.entry("label", targetId="00000001", label="x")
    pi.prompt("second")
    pi.says({"type": "thinking", "thinking": "hm"}, tool_call("c2", path="b"), stop="toolUse")
    pi.result("c2", [text("output"), {"type": "image", "data": "aGk=", "mimeType": "image/png"}])
    pi.says("Done.")
    return open_transcript(pi.path)


def result_place(transcript: Reader, at: int) -> Place:
    return transcript.archive()[at].place


def walk(entries: list[dict[str, Any]], id: str, parent: str) -> list[str]:
    """The ids from the last entry up as far as parents are among the entries, then turned round."""
    by_id = {entry[id]: entry for entry in entries}
    path = []
    at = entries[-1][id]
    while at in by_id:
        path.append(at)
        at = by_id[at][parent]
    return path[::-1]


def test_an_empty_view_gives_the_entries_as_they_stand(long_claude: Reader, long_pi: Reader) -> None:
    for transcript in (long_claude, long_pi):
        rendered = list(transcript.render(View()))
        assert rendered == [transcript.raw(entry.index) for entry in transcript.entries]
        assert len(rendered) >= 8


def test_an_edit_changes_its_place_and_nothing_else(long_claude: Reader) -> None:
    plain = list(long_claude.render(View()))
    first, second = result_place(long_claude, 0), result_place(long_claude, 1)
    call = long_claude.messages[1].calls[0].place
    view = View(texts={first: "[stub 1]", second: "[stub 2]"}, arguments={call: {"path": "<cut>"}})
    expected = copy.deepcopy(plain)
    expected[3]["message"]["content"][0]["content"] = "[stub 1]"
    expected[7]["message"]["content"][0]["content"] = [text("[stub 2]")]
    expected[2]["message"]["content"][1]["input"] = {"path": "<cut>"}

    assert list(long_claude.render(view)) == expected
    assert list(long_claude.render(View())) == plain
    assert plain[3]["toolUseResult"] == {"stdout": "output one"}


def test_an_edit_of_pi_changes_its_place_and_nothing_else(long_pi: Reader) -> None:
    plain = list(long_pi.render(View()))
    second = result_place(long_pi, 1)
    call = long_pi.messages[1].calls[0].place
    expected = copy.deepcopy(plain)
    expected[6]["message"]["content"] = [text("[stub]")]
    expected[1]["message"]["content"][0]["arguments"] = {}

    assert list(long_pi.render(View(texts={second: "[stub]"}, arguments={call: {}}))) == expected


def test_notes_stand_as_text_in_place_of_calls_and_results(long_claude: Reader, long_pi: Reader) -> None:
    call, result = long_claude.messages[1].calls[0].place, result_place(long_claude, 0)
    rendered = list(long_claude.render(View(notes={call: "called", result: "answered"})))
    assert rendered[2]["message"]["content"] == [text("Reading."), text("called")]
    assert rendered[3]["message"]["content"] == [text("answered")]

    call, result = long_pi.messages[1].calls[0].place, result_place(long_pi, 0)
    rendered = list(long_pi.render(View(notes={call: "called", result: "answered"})))
    assert rendered[1]["message"]["content"] == [text("called")]
    assert (rendered[2]["message"]["role"], rendered[2]["message"]["content"]) == ("user", [text("answered")])


def test_stripped_thinking_goes_and_its_entry_with_it(long_claude: Reader, long_pi: Reader) -> None:
    rendered = list(long_claude.render(View(stripped={Place(1, 0)})))
    assert [entry["uuid"][:8] for entry in rendered][:3] == ["00000001", "00000004", "00000006"]
    assert rendered[1]["parentUuid"] == rendered[0]["uuid"]

    rendered = list(long_pi.render(View(stripped={Place(5, 0)})))
    assert [part["type"] for part in rendered[5]["message"]["content"]] == ["toolCall"]


def test_dropped_messages_vanish_and_the_rest_is_linked_over_them(long_claude: Reader) -> None:
    rendered = list(long_claude.render(View(dropped={1, 2}, inserted={0: ["summary"]})))
    synthetic = rendered[1]

    assert [entry["message"]["content"] for entry in rendered[:3]] == ["first", "summary", [text("Read it.")]]
    assert synthetic["parentUuid"] == rendered[0]["uuid"]
    assert rendered[2]["parentUuid"] == synthetic["uuid"]
    assert synthetic["type"] == "user"
    assert {synthetic[key] for key in ("sessionId", "cwd")} == {long_claude.session, "/home/user/app"}
    untouched = list(long_claude.render(View()))[5:]
    assert rendered[3:] == untouched


def test_dropped_messages_of_pi_vanish_and_the_rest_is_linked_over_them(long_pi: Reader) -> None:
    rendered = list(long_pi.render(View(dropped={1, 2}, inserted={0: ["one", "two"], 6: ["end"]})))

    assert walk(rendered, "id", "parentId")[0] == rendered[4]["id"], "the label stays between, as it did"
    assert walk(rendered[:4], "id", "parentId") == [entry["id"] for entry in rendered[:4]]
    assert [entry["message"]["content"] for entry in rendered[1:3]] == [[text("one")], [text("two")]]
    assert rendered[-2]["message"]["content"] == [text("end")]
    assert rendered[-1]["parentId"] == rendered[-2]["id"]


def test_texts_before_all_take_the_place_of_the_root(long_claude: Reader, long_pi: Reader) -> None:
    for transcript, id, parent in ((long_claude, "uuid", "parentUuid"), (long_pi, "id", "parentId")):
        rendered = list(transcript.render(View(dropped={0}, inserted={-1: ["preface"]})))
        assert rendered[0][parent] is None
        assert rendered[1][parent] == rendered[0][id]
        assert "preface" in str(rendered[0]["message"]["content"])


def test_inserted_entries_have_the_same_ids_on_every_run(long_claude: Reader) -> None:
    view = View(inserted={0: ["one", "one"], 3: ["one"]})
    again = open_transcript(long_claude.path)
    rendered = list(long_claude.render(view))

    assert rendered == list(again.render(view))
    ids = [entry["uuid"] for entry in rendered]
    assert len(set(ids)) == len(ids)


def test_everything_dropped_leaves_nothing(long_claude: Reader) -> None:
    assert list(long_claude.render(View(dropped=set(range(len(long_claude.messages)))))) == []


def test_version_1_of_pi_has_no_links_to_mend(tmp_path: Any) -> None:
    file = PiFile(tmp_path / "old.jsonl", version=1)
    file.prompt("first")
    file.turn("c1")
    file.says("Done.")
    transcript = open_transcript(file.path)
    rendered = list(transcript.render(View(dropped={1, 2}, inserted={0: ["summary"]})))

    assert [entry["message"]["role"] for entry in rendered] == ["user", "user", "assistant"]
    assert not any("id" in entry or "parentId" in entry for entry in rendered)


@pytest.mark.requirement("SES-PI")
def test_an_edited_context_of_pi_is_edited_where_the_replacement_stands(pi: PiFile) -> None:
    pi.prompt("go")
    pi.says(tool_call("c1"), stop="toolUse")
    target = pi.result("c1", "long output")
    pi.entry("context_edit", targetId=target, replacement={"content": "short"})
    pi.says("Done.")
    transcript = open_transcript(pi.path)
    place = transcript.messages[2].results[0].place
    rendered = list(transcript.render(View(texts={place: "[stub]"})))

    assert [entry["type"] for entry in rendered] == ["message", "message", "message", "context_edit", "message"]
    assert rendered[2] == transcript.raw(2)
    assert rendered[3]["replacement"] == {"content": "[stub]"}
    assert [entry["type"] for entry in transcript.render(View(dropped={1, 2}))] == ["message", "message"]
