"""What a Claude Code transcript says: each text once, under the role of whoever speaks."""

from __future__ import annotations

import json
from base64 import b64encode
from typing import Any

import pytest

from tests.sessions.history.told import holding, only, passages, told
from tests.sessions.transcripts.writing import SESSION, ClaudeFile, image, moment, text, thinking, tool_use

pytestmark = pytest.mark.requirement("SES-CLAUDE", "HIS-FIND")


def test_prompts_thoughts_answers_calls_and_results_are_told_in_order(claude: ClaudeFile) -> None:
    claude.prompt("why is it slow?")
    claude.says(thinking("perhaps the cache"), id="m1")
    claude.says("Let me look.", id="m1")
    claude.says(tool_use("t1", "Bash", command="grep -n 'lock\\|wait' a.py\necho \"done\""), id="m1")
    claude.result("t1", "7: lock()")
    claude.result("t2", [text("one"), image(), text("two")])

    assert told(claude.path) == [
        ("user", "why is it slow?"),
        ("thinking", "perhaps the cache"),
        ("assistant", "Let me look."),
        ("call", "command: grep -n 'lock\\|wait' a.py\necho \"done\""),
        ("result", "7: lock()"),
        ("result", "one\ntwo"),
    ]


def test_a_passage_names_its_entry_place_tool_and_time(claude: ClaudeFile) -> None:
    claude.prompt("go")
    call = claude.says("Now.", tool_use("t1", "Read", file_path="a.py"))
    result = claude.result("t1", "found words", is_error=True)

    spoken = only(claude.path, "a.py")
    assert (spoken.entry, spoken.at, spoken.tool, spoken.error) == (call, 1, "Read", False)
    answer = only(claude.path, "found words")
    assert (answer.entry, answer.at, answer.tool, answer.error) == (result, 0, "Read", True)
    assert answer.time == 1767225603.0
    assert answer.time - spoken.time == 1.0


def test_what_stands_without_a_time_has_that_of_the_entry_before(claude: ClaudeFile) -> None:
    claude.line({"type": "summary", "summary": "first of all", "leafUuid": "x"})
    claude.prompt("go")
    claude.prompt("again", timestamp=None)
    claude.line({"type": "custom-title", "customTitle": "Named"})

    assert {passage.time for passage in passages(claude.path)} == {1767225601.0}


def test_thoughts_and_texts_without_words_are_left_out(claude: ClaudeFile) -> None:
    claude.says(thinking(""), {"type": "redacted_thinking", "data": "c2VjcmV0"}, text(" \n"), image())
    claude.prompt([image()])

    assert told(claude.path) == []


def test_a_call_without_arguments_is_told_by_its_tool(claude: ClaudeFile) -> None:
    claude.says(tool_use("t1", "TodoRead"))
    assert told(claude.path) == [("call", "TodoRead")]


def test_arguments_tell_every_field_and_no_escapes(claude: ClaudeFile) -> None:
    todos = [{"content": 'caf\u00e9 "first"', "done": False}, {"content": "tab\there", "done": True}]
    claude.says(tool_use("t1", "TodoWrite", todos=todos, count=2, note=None, nested={"deep": {"er": ["x", "y"]}}))

    assert told(claude.path) == [
        (
            "call",
            'todos.content: caf\u00e9 "first"\ntodos.done: false\ntodos.content: tab\there\ntodos.done: true\n'
            "count: 2\nnested.deep.er: x\nnested.deep.er: y",
        )
    ]


def test_documents_are_told_as_text_and_never_as_data(claude: ClaudeFile) -> None:
    plain = {"type": "text", "media_type": "text/plain", "data": "the plain words"}
    pdf = {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0xLjcK" * 9}
    claude.prompt([{"type": "document", "source": plain}, {"type": "document", "title": "a.pdf", "source": pdf}])
    claude.result("t1", [{"type": "document", "source": {"type": "content", "content": [text("inside")]}}])
    claude.result("t2", [{"type": "tool_reference", "tool_name": "mcp__db__query"}])

    assert told(claude.path) == [
        ("user", "the plain words"),
        ("user", "a.pdf"),
        ("result", "inside"),
        ("result", "mcp__db__query"),
    ]


@pytest.mark.parametrize("media", ["text/plain", "TEXT/markdown; charset=utf-8", "application/json"])
def test_documents_of_text_in_base64_are_told_decoded(claude: ClaudeFile, media: str) -> None:
    def document(data: str) -> dict[str, Any]:
        return {"type": "document", "source": {"type": "base64", "media_type": media, "data": data}}

    data = b64encode("on fer\u00e9 times".encode()).decode()
    claude.prompt([document(data)])
    claude.result("t1", [document(data[:10]), document("not base64 \u00e9")])

    assert told(claude.path) == [("user", "on fer\u00e9 times"), ("result", "on fer")]


def test_what_part_of_the_context_was_collapsed_to_is_a_summary(claude: ClaudeFile) -> None:
    summary = {
        "summary": "Ferries run hourly.",
        "summaryContent": '<collapsed id="1">Ferries run hourly.</collapsed>',
    }
    claude.prompt("go")
    claude.line({"type": "marble-origami-commit", "sessionId": SESSION, "collapseId": "1", **summary})
    claude.line({"type": "tag", "sessionId": SESSION, "tag": "timetables"})

    assert told(claude.path)[1:] == [("summary", "Ferries run hourly."), ("title", "timetables")]


def test_what_was_cleared_from_the_context_is_told_where_it_stands_and_only_there(claude: ClaudeFile) -> None:
    claude.prompt("go")
    claude.turn("t1", "the whole output")
    replaced = {"kind": "tool-result", "toolUseId": "t1", "replacement": "<persisted-output>the whole"}
    claude.line({"type": "content-replacement", "sessionId": SESSION, "replacements": [replaced]})
    content = "Context microcompacted"
    metadata = {"trigger": "auto", "compactedToolIds": ["t1"]}
    claude.entry("system", subtype="microcompact_boundary", content=content, microcompactMetadata=metadata)

    assert told(claude.path)[-2:] == [("result", "the whole output"), ("machine", content)]


def test_tools_that_the_api_runs_are_calls_and_results(claude: ClaudeFile) -> None:
    found = {
        "type": "web_search_result",
        "title": "Tides",
        "url": "https://x.invalid",
        "encrypted_content": "Zm9v",
    }
    claude.says(
        {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "tide tables"}},
        {"type": "web_search_tool_result", "tool_use_id": "s1", "content": [found]},
    )
    call, result = passages(claude.path)

    assert (call.role, call.tool, "tide tables" in call.text) == ("call", "web_search", True)
    assert (result.role, result.text) == ("result", "Tides\nhttps://x.invalid")


def test_strings_among_the_parts_of_a_content_are_told(claude: ClaudeFile) -> None:
    claude.prompt(["bare words", text("and more")])
    assert told(claude.path) == [("user", "bare words"), ("user", "and more")]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (
            "<command-message>init is running</command-message>\n<command-name>/init</command-name>",
            [("user", "/init")],
        ),
        (
            "<command-name>/fix</command-name><command-message>fix</command-message>"
            "<command-args>the </b> tag</command-args>",
            [("user", "/fix the </b> tag")],
        ),
        ("<local-command-stdout>Set model</local-command-stdout>", [("machine", "Set model")]),
        ("Caveat: The messages below were generated by the user", [("machine", "Caveat")]),
        ("<bash-input>ls</bash-input>", [("machine", "ls")]),
        ("<bash-stdout>a.py</bash-stdout><bash-stderr></bash-stderr>", [("machine", "a.py")]),
        ("<user-memory-input>use tabs</user-memory-input>", [("user", "#use tabs")]),
        ("<task-notification>done</task-notification>", [("machine", "done")]),
        ("<teammate-message from='x'>hello</teammate-message>", [("machine", "hello")]),
        ("[Request interrupted by user for tool use]", [("machine", "interrupted")]),
        ("Stop hook feedback:\nrun the tests", [("machine", "run the tests")]),
        ("<system-reminder>be brief</system-reminder>", [("machine", "be brief")]),
        (
            "<system-reminder>a</system-reminder>\nmy words",
            [("user", "my words"), ("machine", "<system-reminder>a")],
        ),
        (
            "my words\n<system-reminder>b</system-reminder>\n",
            [("user", "my words"), ("machine", "<system-reminder>b")],
        ),
        (
            "<ide_opened_file>x.py</ide_opened_file><ide_selection>y</ide_selection> fix <b>this</b>",
            [("user", "fix <b>this</b>"), ("machine", "<ide_opened_file>x.py")],
        ),
        ("<div>my markup</div>", [("user", "<div>my markup</div>")]),
        ("tell me what <system-reminder> means", [("user", "tell me what <system-reminder> means")]),
    ],
)
def test_the_persons_words_are_told_apart_from_the_hosts(
    claude: ClaudeFile, content: str, expected: list[tuple[str, str]]
) -> None:
    claude.prompt(content)
    found = passages(claude.path)

    assert [passage.role for passage in found] == [role for role, _ in expected]
    assert all(words in passage.text for passage, (_, words) in zip(found, expected, strict=True))
    assert len({(passage.entry, passage.at) for passage in found}) == len(found)
    own = [passage.text for passage in found if passage.role == "user"]
    assert own in ([], [expected[0][1]])


def test_what_the_host_or_another_agent_says_in_the_persons_place_is_machine_text(claude: ClaudeFile) -> None:
    claude.prompt([text("the skill's body")], isMeta=True, sourceToolUseID="t1")
    claude.prompt("from a peer", origin={"kind": "peer", "from": "other"})
    claude.says("API Error: overloaded", isApiErrorMessage=True)
    claude.entry("system", subtype="informational", content="switched the model")
    claude.entry("system", subtype="away_summary", content="You were away. (disable recaps in /config)")
    claude.entry("system", subtype="api_error", error={"message": "rate limited", "status": 429})
    claude.entry("system", subtype="stop_hook_summary", hookErrors=["the hook failed"], hookCount=1)
    claude.entry("system", subtype="turn_duration", durationMs=12)

    assert told(claude.path) == [
        ("machine", "the skill's body"),
        ("machine", "from a peer"),
        ("machine", "API Error: overloaded"),
        ("machine", "switched the model"),
        ("machine", "You were away."),
        ("machine", "rate limited"),
        ("machine", "the hook failed"),
    ]
    assert [passage.error for passage in passages(claude.path)] == [False, False, True, False, False, True, True]


def test_local_commands_are_told_as_typed_with_what_they_put_out(claude: ClaudeFile) -> None:
    claude.entry("system", subtype="local_command", content="<command-name>/usage</command-name>")
    claude.entry("system", subtype="local_command", content="<local-command-stdout>12 %</local-command-stdout>")

    assert [(role, "12 %" in words) for role, words in told(claude.path)] == [("user", False), ("machine", True)]
    assert told(claude.path)[0][1] == "/usage"


@pytest.mark.requirement("SES-COMPACT")
def test_compaction_summaries_are_summaries_and_what_went_before_stays(claude: ClaudeFile) -> None:
    claude.prompt("the old question")
    claude.compact("This session is being continued. We fixed the crane.")
    claude.says("going on")
    claude.says("The crane was fixed, and the winch.", isCompactSummary=True)

    assert told(claude.path) == [
        ("user", "the old question"),
        ("summary", "This session is being continued. We fixed the crane."),
        ("assistant", "going on"),
        ("summary", "The crane was fixed, and the winch."),
    ]
    assert not any(passage.abandoned for passage in passages(claude.path))


def test_the_agent_that_compacts_is_asked_by_the_host_and_answers_a_summary(claude: ClaudeFile) -> None:
    claude.prompt("Your task is to create a detailed summary.", agentId="acompact-1f")
    claude.says("We fixed the crane.", agentId="acompact-1f")

    assert told(claude.path) == [
        ("machine", "Your task is to create a detailed summary."),
        ("summary", "We fixed the crane."),
    ]


def test_titles_are_told_once_each(claude: ClaudeFile) -> None:
    leaf = claude.prompt("go")
    for _ in range(3):
        claude.line({"type": "summary", "summary": "About cranes", "leafUuid": leaf})
        claude.line({"type": "summary", "summary": "About birds", "leafUuid": "of another session"})
        claude.line({"type": "ai-title", "aiTitle": "Cranes"})
        claude.line({"type": "agent-name", "agentName": "rigger"})
    claude.line({"type": "custom-title", "customTitle": "My cranes"})
    claude.line({"type": "pr-link", "prUrl": "https://x.invalid/pull/7"})

    assert told(claude.path)[1:] == [
        ("title", "About cranes"),
        ("summary", "Summary of another session: About birds"),
        ("title", "Cranes"),
        ("title", "rigger"),
        ("title", "My cranes"),
        ("machine", "https://x.invalid/pull/7"),
    ]


def test_attachments_are_told_with_all_their_text(claude: ClaudeFile) -> None:
    def attach(kind: str, **fields: Any) -> None:
        claude.entry("attachment", attachment={"type": kind, **fields})

    attach("queued_command", prompt="and this too", commandMode="prompt")
    attach("queued_command", prompt=[text("and that"), image()])
    attach("queued_command", prompt="<task-notification>over</task-notification>", commandMode="task-notification")
    attach("queued_command", prompt="said a peer", origin={"kind": "peer", "body": "said a peer"})
    attach("queued_command", prompt="from a peer:", origin={"kind": "peer", "body": "its own words"})
    attach("file", filename="b.py", content={"type": "text", "file": {"filePath": "b.py", "content": "b = 1"}})
    attach("file", filename="c.png", content={"type": "image", "file": {"base64": "aGk=", "originalSize": 2}})
    attach("edited_text_file", filename="d.py", snippet="7\u2192d = 2")
    attach("hook_additional_context", content=["lint: fine"], hookName="PostToolUse:Edit", toolUseID="t1")
    attach("hook_success", content="", stdout="formatted", stderr="", command="fmt", exitCode=0)
    attach("todo_reminder", content=[{"content": "call the pilot", "status": "pending"}], itemCount=1)
    attach("unheard_of", words={"deeply": ["hidden words"]})

    assert told(claude.path) == [
        ("user", "and this too"),
        ("user", "and that"),
        ("machine", "<task-notification>over</task-notification>"),
        ("machine", "said a peer"),
        ("machine", "from a peer:\nits own words"),
        ("machine", "b.py\nb = 1"),
        ("machine", "c.png"),
        ("machine", "d.py\n7\u2192d = 2"),
        ("machine", "lint: fine"),
        ("machine", "formatted"),
        ("machine", "call the pilot\npending"),
        ("machine", "hidden words"),
    ]


def test_what_was_queued_is_told_once(claude: ClaudeFile) -> None:
    def queue(content: Any, operation: str = "enqueue") -> None:
        line = {"type": "queue-operation", "operation": operation, "timestamp": moment(50), "sessionId": SESSION}
        claude.line(line if content is None else line | {"content": content})

    claude.prompt("begin")
    queue("came up as a prompt")
    queue([text("came up with another")])
    queue("was steered in and removed")
    queue("came up in the running turn")
    queue("<task-notification>never told</task-notification>")
    claude.turn("t1")
    claude.entry("attachment", attachment={"type": "queued_command", "prompt": "came up in the running turn"})
    queue(None, "remove")
    claude.says("Done.")
    claude.prompt("came up as a prompt\ncame up with another")

    found = passages(claude.path)
    for words in ("came up as a prompt", "came up with another", "was steered in", "in the running turn"):
        assert [passage.role for passage in holding(found, words)] == ["user"], words
    assert [passage.role for passage in holding(found, "never told")] == ["machine"]
    assert holding(found, "steered")[0].time == 1767225650.0


@pytest.mark.parametrize("shell", ["bash", "powershell"])
def test_output_of_a_command_that_was_broken_off_is_told_from_its_progress(claude: ClaudeFile, shell: str) -> None:
    def progress(call: str, output: str) -> None:
        data = {"type": f"{shell}_progress", "output": output[-9:], "fullOutput": output, "elapsedTimeSeconds": 2}
        claude.entry("progress", data=data, parentToolUseID=call, toolUseID="bash-progress-0")

    claude.prompt("go")
    claude.says(tool_use("t1", command="make"), tool_use("t2", command="sleep"))
    progress("t1", "compiling")
    progress("t2", "waiting")
    progress("t2", "waiting and waiting")
    claude.result("t1", "compiling\nlinked")
    claude.entry("progress", data={"type": "hook_progress", "hookName": "Stop", "command": "hook.sh"})

    assert told(claude.path)[3:] == [("result", "compiling\nlinked"), ("result", "waiting and waiting")]


@pytest.mark.parametrize("kind", ["agent_progress", "skill_progress"])
@pytest.mark.parametrize("has_file", [True, False])
def test_messages_of_a_subagent_are_told_where_they_stand_in_no_other_file(
    claude: ClaudeFile, has_file: bool, kind: str
) -> None:
    claude.prompt("go")
    if has_file:
        agent = ClaudeFile(claude.path.with_suffix("") / "subagents" / "agent-a1.jsonl")
        agent.prompt("look into it", isSidechain=True)
    message = {"type": "user", "message": {"role": "user", "content": [text("look into it")]}, "uuid": "u1"}
    claude.entry("progress", data={"type": kind, "agentId": "a1", "message": message})
    found = holding(passages(claude.path), "look into it")

    assert [passage.side for passage in found] == ([] if has_file else [True])


@pytest.mark.requirement("SES-PERSISTED")
def test_moved_output_is_told_whole_in_place_of_its_preview(claude: ClaudeFile) -> None:
    folder = claude.path.with_suffix("") / "tool-results"
    folder.mkdir(parents=True)
    (folder / "b1.txt").write_bytes("the end of a long output \u00e9".encode() + b"\xff")
    preview = f"<persisted-output>\nOutput too large. Full output saved to: {folder}/b1.txt\n\nPreview:\nthe\n"
    claude.turn("t1", preview)
    gone = preview.replace("b1.txt", "gone.txt")
    claude.result("t2", gone, toolUseResult={"stdout": "x" * 500 + "kept beside", "stderr": ""})
    claude.result("t3", gone, toolUseResult={"stdout": ""})

    results = [passage.text for passage in passages(claude.path) if passage.role == "result"]
    assert results == ["the end of a long output \u00e9\ufffd", "x" * 500 + "kept beside", gone]


def test_the_structured_copy_of_a_result_is_not_told_again(claude: ClaudeFile) -> None:
    claude.turn("t1", "plain")
    claude.result("t2", "edited", toolUseResult={"originalFile": "the whole file", "structuredPatch": []})
    assert holding(passages(claude.path), "the whole file") == []


@pytest.mark.requirement("SES-MERGE")
def test_snapshots_of_a_growing_response_are_told_once(claude: ClaudeFile) -> None:
    claude.prompt("go")
    claude.says(thinking("let"), id="m1")
    claude.says(thinking("let me think"), text("I"), id="m1")
    claude.says(thinking("let me think"), text("I see"), tool_use("t1", command=""), id="m1")
    last = claude.says(thinking("let me think"), text("I see it."), tool_use("t1", command="ls"), id="m1")
    claude.result("t1", "a.py")
    claude.says("I see it.", id="m2")

    found = passages(claude.path)[1:]
    assert [(passage.role, passage.text) for passage in found] == [
        ("thinking", "let me think"),
        ("assistant", "I see it."),
        ("call", "command: ls"),
        ("result", "a.py"),
        ("assistant", "I see it."),
    ]
    assert [passage.entry for passage in found[:3]] == [last] * 3


@pytest.mark.requirement("SES-MERGE")
def test_a_repeated_uuid_is_told_once_and_another_text_under_it_as_well(claude: ClaudeFile) -> None:
    first = claude.prompt("said once")
    other = claude.prompt("one version")
    claude.prompt("said once", uuid=first, parent=None, gitBranch="b")
    claude.prompt("another version", uuid=other, parent=first)
    claude.prompt([text("a third"), text("in two parts")], uuid=other, parent=first)
    found = passages(claude.path)

    assert [passage.text for passage in found] == [
        *("said once", "one version", "another version", "a third", "in two parts")
    ]
    assert [passage.entry for passage in found] == [first, other, f"{other}#2", f"{other}#3", f"{other}#3"]


@pytest.mark.requirement("SES-TREE")
def test_abandoned_branches_and_inline_subagents_are_marked(claude: ClaudeFile) -> None:
    start = claude.prompt("go")
    claude.says("Ready.")
    answer = claude.tip
    claude.prompt("the wrong way")
    claude.turn("t1", "wasted")
    claude.prompt("the right way", parent=answer)
    call = claude.says(tool_use("t2", "Task", prompt="explore"))
    claude.prompt("explore", parent=None, isSidechain=True)
    claude.says("explored", isSidechain=True)
    claude.result("t2", "explored well", parent=call)
    del start

    found = passages(claude.path)
    assert {passage.text for passage in found if passage.abandoned} == {"the wrong way", "Bash", "wasted"}
    assert {passage.text for passage in found if passage.side} == {"explore", "explored"}


def test_places_are_unique_in_a_session(claude: ClaudeFile) -> None:
    same = claude.prompt([text("a"), text("<system-reminder>r</system-reminder> b")])
    claude.prompt([text("c"), text("d"), text("e")], uuid=same)
    claude.entry("user", uuid=None, message={"role": "user", "content": "no id"})
    claude.line({"type": "user", "message": {"role": "user", "content": "nor here"}})
    claude.line({"type": "ai-title", "aiTitle": "T"})
    found = passages(claude.path)

    assert len(found) == 9
    assert len({(passage.entry, passage.at) for passage in found}) == 9


@pytest.mark.requirement("SES-DAMAGE")
def test_a_half_character_stands_as_one_that_says_so(claude: ClaudeFile) -> None:
    claude.write(json.dumps({"type": "user", "sessionId": SESSION, "uuid": "u\ud800"}).encode()[:-1])
    claude.write(b',"message":{"role":"user","content":"half \\ud83d and caf\xe9"}}\n')
    claude.says(tool_use("t\udc80", "Ba\ud83dsh", command="echo \udcff"))
    found = passages(claude.path)

    assert [passage.text for passage in found] == ["half \ufffd and caf\ufffd", "command: echo \ufffd"]
    assert (found[0].entry, found[1].tool) == ("u\ufffd", "Ba\ufffdsh")
    for passage in found:
        (passage.text + passage.entry + passage.tool).encode()


def test_what_an_entry_said_before_another_took_its_place_is_told_once(claude: ClaudeFile) -> None:
    same = claude.prompt("one")
    for words in ("two", "one", [text("three")], "one", "two", "four"):
        claude.prompt(words, parent=None, uuid=same)
    found = [(passage.entry, passage.text) for passage in passages(claude.path)]
    assert found == [(same, "one"), (f"{same}#2", "two"), (f"{same}#4", "three"), (f"{same}#7", "four")]
