"""Conversations of claude.ai: blocks before flattened text, attachments, branches, calls and what answers them."""

from __future__ import annotations

from typing import Any

import pytest

from prune_mcp.sessions.transcript import open_transcript
from prune_mcp.sessions.view import View
from tests.sessions.exports.build import ROOT, UNSUPPORTED, Imports, chat, said, shape, spoken, uuid

pytestmark = pytest.mark.requirement("SES-EXPORTS")


def tool_use(name: str, id: str | None = None, **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "name": name, "input": arguments} | ({} if id is None else {"id": id})


def tool_result(name: str, text: str, id: str | None = None, **more: Any) -> dict[str, Any]:
    result = {"type": "tool_result", "name": name, "content": [{"type": "text", "text": text}]} | more
    return result if id is None else result | {"tool_use_id": id}


def test_the_blocks_are_read_and_the_placeholder_for_them_is_not(imports: Imports) -> None:
    flattened = f"Let me look.\n{UNSUPPORTED}\n\nFound it."
    blocks = [
        {"type": "text", "text": "Let me look."},
        tool_use("web_search", "toolu_1", query="teapots"),
        tool_result("web_search", "A teapot page", "toolu_1"),
        {"type": "text", "text": "Found it."},
    ]
    answer = said("assistant", flattened, content=blocks)
    passages = imports.passages([chat(1, said("human", "Find teapots"), answer)])
    assert spoken(passages) == [
        ("title", "Chat 1"),
        ("user", "Find teapots"),
        ("assistant", "Let me look."),
        ("call", "query: teapots"),
        ("result", "A teapot page"),
        ("assistant", "Found it."),
    ]


def test_the_flattened_text_counts_where_no_block_says_anything(imports: Imports) -> None:
    answer = said("assistant", f"Before.\n\n{UNSUPPORTED}\n\nAfter.", content=[{"type": "token_budget"}])
    assert spoken(imports.passages([chat(1, said("human", "Q"), answer)]))[-1] == (
        "assistant",
        "Before.\n\nAfter.",
    )


def test_a_message_of_nothing_but_placeholders_says_nothing(imports: Imports) -> None:
    answer = said("assistant", f"{UNSUPPORTED}\n\n\n{UNSUPPORTED}", content=[])
    assert spoken(imports.passages([chat(1, said("human", "Q"), answer)])) == [("title", "Chat 1"), ("user", "Q")]


@pytest.mark.parametrize("content", [[], [{"type": "text", "text": ""}], None])
def test_a_message_that_is_all_attachment_is_the_persons_words(imports: Imports, content: Any) -> None:
    pasted = {"file_name": "paste.txt", "file_type": "txt", "file_size": 3, "extracted_content": "the long paste"}
    message = said("human", "", content=content, attachments=[pasted])
    assert ("user", "paste.txt\nthe long paste") in spoken(imports.passages([chat(1, message)]))
    session = open_transcript(imports.files()[0].path)
    assert session.messages[0].prompt


def test_names_of_other_files_are_found(imports: Imports) -> None:
    message = said("human", "See this", files=[{"file_name": "plan.png", "file_uuid": "x"}])
    assert spoken(imports.passages([chat(1, message)]))[1:] == [("user", "See this"), ("user", "plan.png")]


def test_other_spellings_of_the_person_are_known(imports: Imports) -> None:
    first = said("human", "Hello")
    del first["sender"]
    session = imports.read([chat(1, first | {"role": "user"}, said("system", "Be kind"))])
    assert [(message.role, message.prompt) for message in session.messages] == [("user", True), ("system", False)]


def branching() -> list[dict[str, Any]]:
    return [
        said("human", "First question", "q1", ROOT, created_at="2025-01-01T00:00:00Z"),
        said("assistant", "First try", "a1", "q1", created_at="2025-01-01T00:00:01Z"),
        said("assistant", "Second try", "a2", "q1", created_at="2025-01-01T00:01:00Z"),
        said("human", "Go on", "q2", "a2", created_at="2025-01-01T00:02:00Z"),
        said("assistant", "Gone on", "a3", "q2", created_at="2025-01-01T00:03:00Z"),
    ]


def test_the_newest_branch_is_the_conversation_and_others_are_flagged(imports: Imports) -> None:
    passages = imports.passages([chat(1, *branching())])
    assert [(passage.text, passage.abandoned) for passage in passages[1:]] == [
        ("First question", False),
        ("First try", True),
        ("Second try", False),
        ("Go on", False),
        ("Gone on", False),
    ]
    session = open_transcript(imports.files()[0].path)
    assert [text for _, [(_, text)] in shape(session)] == ["First question", "Second try", "Go on", "Gone on"]


def test_the_leaf_that_an_exporter_names_is_taken(imports: Imports) -> None:
    session = imports.read([chat(1, *branching(), current_leaf_message_uuid="a1")])
    assert [text for _, [(_, text)] in shape(session)] == ["First question", "First try"]


def test_a_branch_regenerated_last_is_the_newest_wherever_it_stands(imports: Imports) -> None:
    first, *rest = branching()
    rest[0]["created_at"] = "2025-02-01T00:00:00Z"
    assert [text for _, [(_, text)] in shape(imports.read([chat(1, first, *rest)]))] == [
        "First question",
        "First try",
    ]


@pytest.mark.parametrize("root", [ROOT, "00000000-0000-0000-0000-000000000000"])
def test_a_first_prompt_asked_anew_leaves_the_first_behind(imports: Imports, root: str) -> None:
    messages = [said("human", "First", "q1", root), said("assistant", "One", "a1", "q1")]
    messages += [said("human", "Again", "q2", root), said("assistant", "Two", "a2", "q2")]
    session = imports.read([chat(1, *messages)])
    assert [text for _, [(_, text)] in shape(session)] == ["Again", "Two"]


@pytest.mark.parametrize("parent", [None, "gone-0001", 7])
def test_a_parent_that_is_not_there_leaves_nothing_behind(imports: Imports, parent: Any) -> None:
    messages = [said("human", f"Message {n}", f"m{n}") for n in range(4)]
    for message in messages:
        message["parent_message_uuid"] = parent
    session = imports.read([chat(1, *messages)])
    assert len(session.messages) == 4
    assert not session.abandoned


def test_results_are_messages_of_their_own_and_answer_their_calls(imports: Imports) -> None:
    blocks = [
        {"type": "thinking", "thinking": "I should search."},
        tool_use("search", "c1", q="one"),
        tool_use("search", "c2", q="two"),
        tool_result("search", "second", "c2"),
        tool_result("search", "first", "c1", is_error=True),
        {"type": "text", "text": "Done."},
    ]
    session = imports.read([chat(1, said("human", "Q"), said("assistant", "", "answer-1", content=blocks))])
    assert [(m.role, [b.kind for b in m.blocks]) for m in session.messages] == [
        ("user", ["text"]),
        ("assistant", ["thinking", "call", "call"]),
        ("user", ["result", "result"]),
        ("assistant", ["text"]),
    ]
    results = session.archive()
    assert [(b.call_id, b.tool, b.error, session.text(b)) for b in results] == [
        ("c2", "search", False, "second"),
        ("c1", "search", True, "first"),
    ]
    assert [session.arguments(call) for result in results if (call := session.called(result))] == [
        {"q": "two"},
        {"q": "one"},
    ]
    assert len({entry.id for entry in session.entries}) == len(session.entries)


def test_calls_without_ids_are_answered_in_their_order(imports: Imports) -> None:
    blocks = [tool_use("a", x=1), tool_use("b", x=2), tool_result("b", "of b"), tool_result("a", "of a")]
    session = imports.read([chat(1, said("human", "Q"), said("assistant", "", content=blocks))])
    answered = {session.text(result): session.called(result) for result in session.archive()}
    assert {text: call and session.arguments(call) for text, call in answered.items()} == {
        "of b": {"x": 2},
        "of a": {"x": 1},
    }


def test_search_results_read_by_their_fields(imports: Imports) -> None:
    page = {"type": "knowledge", "title": "Teapots", "url": "https://pots.example", "text": "line one\nline two"}
    blocks = [tool_use("web_search", "c", query="q"), tool_result("web_search", "", "c", content=[page])]
    passages = imports.passages([chat(1, said("human", "Q"), said("assistant", "", content=blocks))])
    result = next(passage.text for passage in passages if passage.role == "result")
    assert "line one\nline two" in result
    assert {"Teapots", "https://pots.example"} <= set(result.split("\n"))


@pytest.mark.parametrize(
    "block",
    [
        {"type": "thinking", "thinking": "deep thought"},
        {"type": "thinking", "thinking": "", "summaries": [{"summary": "deep thought"}]},
    ],
)
def test_thinking_is_read_or_else_its_summaries(imports: Imports, block: dict[str, Any]) -> None:
    passages = imports.passages([chat(1, said("human", "Q"), said("assistant", "", content=[block]))])
    assert spoken(passages)[-1] == ("thinking", "deep thought")


def test_voice_notes_are_text_and_markers_say_nothing(imports: Imports) -> None:
    blocks = [
        {"type": "voice_note", "title": "Memo", "text": "spoken words"},
        {"type": "token_budget", "remaining": 10},
        {"type": "flag", "flag": "x"},
        {"type": "something_new", "inner": [1]},
        "a bare string",
    ]
    passages = imports.passages([chat(1, said("human", "", content=blocks))])
    assert spoken(passages)[1:] == [("user", "Memo\nspoken words"), ("user", "a bare string")]


def test_the_summary_and_the_title_are_found(imports: Imports) -> None:
    passages = imports.passages([chat(1, said("human", "Q"), summary="They spoke of tea.")])
    assert spoken(passages) == [("title", "Chat 1"), ("summary", "They spoke of tea."), ("user", "Q")]
    assert imports.files()[0].title == "Chat 1"


def test_a_chat_without_a_name_is_called_by_its_first_prompt(imports: Imports) -> None:
    file = imports.only([chat(1, said("human", "How do I brew?"), name="")])
    assert (file.id, file.title) == (uuid(1), "How do I brew?")


def test_times_are_the_messages_own(imports: Imports) -> None:
    messages = [
        said("human", "Q", created_at="2025-01-02T03:04:05Z"),
        said("assistant", "A", created_at="/dev/null"),
    ]
    assert [passage.time for passage in imports.passages([chat(1, *messages)])[1:]] == [1735787045.0, 1735787045.0]


def test_an_empty_view_gives_back_equal_messages(imports: Imports) -> None:
    messages = [*branching(), said("human", "Later", "q9", "a3", unknown={"field": [1]})]
    session = imports.read([chat(1, *messages)])
    assert list(session.render(View())) == [m for m in messages if m["uuid"] != "a1"]


def test_a_conversation_without_messages_is_kept_for_its_name(imports: Imports) -> None:
    assert spoken(imports.passages([chat(1) | {"chat_messages": []}])) == [("title", "Chat 1")]


def test_documents_and_instructions_of_a_project_are_found(imports: Imports) -> None:
    project = {
        "uuid": uuid(5),
        "name": "Garden",
        "description": "All about beds",
        "prompt_template": "Answer as a gardener.",
        "created_at": "2025-01-02T03:04:05Z",
        "docs": [{"uuid": "doc-1", "filename": "soil.md", "content": "Loam is best."}],
    }
    passages = imports.passages(project, "projects/5.json")
    assert spoken(passages) == [
        ("title", "Garden"),
        ("user", "All about beds"),
        ("user", "Answer as a gardener."),
        ("machine", "soil.md\nLoam is best."),
    ]


def test_memories_are_summaries(imports: Imports) -> None:
    memories = [
        {"conversations_memory": "Likes tea.", "project_memories": {"p1": "Grows leeks."}, "account_uuid": uuid(6)}
    ]
    assert spoken(imports.passages(memories, "memories.json"))[1:] == [
        ("summary", "Likes tea."),
        ("summary", "Grows leeks."),
    ]


def test_two_messages_under_one_id_are_both_read(imports: Imports) -> None:
    session = imports.read([chat(1, said("human", "One", "same"), said("assistant", "Two", "same"))])
    assert [text for _, [(_, text)] in shape(session)] == ["One", "Two"]
    assert len({message.id for message in session.messages}) == 2
