"""The tool `collapse_turns` over real stdio, in both eras, and in the words it refuses with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from tests import validity
from tests.pruning.build import Talk, call, log
from tests.server.conftest import Era, text_of
from tests.server.transcripts import write_session

REPORT = log(60, "report")
ERAS: tuple[Era, ...] = ("auto", "legacy")


def finished(name: str = "upload") -> Talk:
    talk = Talk().prompt(f"Fix {name}.").turn(call("Edit", f"{name} {REPORT}", file_path=f"/app/{name}.py"))
    return talk.turn(call("Bash", f"{REPORT}\n3 passed in 0.10s", command="pytest")).answer(f"{name} is fixed.")


def open_one() -> list[dict[str, Any]]:
    return Talk().prompt("Go.").turn(call("Bash", REPORT, command="make")).messages


@pytest.mark.requirement("COL-BUILD", "SRV-ERAS", "PRU-RECOVER")
@pytest.mark.parametrize("era", ERAS)
async def test_a_client_of_either_era_collapses_and_recovers(command: StdioServerParameters, era: Era) -> None:
    messages = finished().prompt("And now?").messages
    async with Client(command, mode=era) as client:
        result = await client.call_tool("collapse_turns", {"messages": messages})
        answer = result.structured_content
        assert answer is not None, text_of(result)
        assert (answer["effect"], answer["why"], answer["turns"]) == ("applied", "messages-returned", 1)
        assert validity.check_anthropic(answer["messages"]) == []
        assert len(answer["messages"]) == 3
        assert json.loads(getattr(result.content[1], "text", "")) == answer["messages"]
        told = text_of(result)
        for part in ("effect", "why", "summary", "session", "text", "said"):
            assert answer[part] in told
        assert all(step in told for step in answer["next_steps"])
        recovered = await client.call_tool("context_tree_query", {"refs": ["b1"], "session": answer["session"]})
        assert f"upload {REPORT}" in text_of(recovered)


@pytest.mark.requirement("COL-BUILD", "PRU-EFFECT", "SES-READONLY")
@pytest.mark.parametrize("era", ERAS)
async def test_a_session_on_disk_gets_the_collapse_into_its_plan_with_the_honest_effect(
    command: StdioServerParameters, era: Era, home: Path, tmp_path: Path
) -> None:
    path = write_session(home, "abcd-1234", tmp_path, outputs=[f"{number}\n{REPORT}" for number in range(4)])
    before = path.read_bytes()
    async with Client(command, mode=era) as client:
        result = await client.call_tool("collapse_turns", {"session": "abcd", "turns": 2})
        answer = result.structured_content
        assert answer is not None, text_of(result)
        assert (answer["effect"], answer["why"], answer["turns"]) == ("advisory", "no-lever", 2)
        assert answer["prompts"] == ["question 2", "question 3"]
        assert "messages" not in answer
        assert any("/compact" in step for step in answer["next_steps"])
        pruned = await client.call_tool("prune_context", {"session": "abcd"})
        assert pruned.structured_content is not None
        assert "b1" in pruned.structured_content["refs"]
        again = await client.call_tool("collapse_turns", {"session": "abcd", "turns": 9})
        assert again.structured_content is not None
        assert again.structured_content["prompts"] == ["question 0", "question 1"]
        last = await client.call_tool("collapse_turns", {"session": "abcd"})
        assert last.structured_content is not None
        assert (last.structured_content["why"], last.structured_content["next_steps"]) == (
            "nothing-to-collapse",
            [],
        )
    assert path.read_bytes() == before


@pytest.mark.requirement("COL-REFUSE", "SRV-STRICT")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"messages": open_one()}, "There is nothing to collapse: the only exchange is still open."),
        ({"messages": [{"role": "user", "content": "Hi."}]}, "a prompt without an answer is work in flight"),
        ({"messages": [{"role": "assistant", "content": "Hi."}]}, "no prompt stands in this conversation"),
        ({"messages": finished().messages, "turns": 0}, "`turns` must be a whole number of at least 1"),
        ({"messages": finished().messages, "turn": 2}, "Did you mean `turns`?"),
        ({"messages": {"model": "m"}}, "The request body has neither `messages` nor `input`"),
        ({"session": "nowhere"}, "There is no session 'nowhere'"),
    ],
)
async def test_what_cannot_be_collapsed_is_refused_in_plain_words(
    command: StdioServerParameters, arguments: dict[str, Any], said: str
) -> None:
    async with Client(command) as client:
        result = await client.call_tool("collapse_turns", arguments)
        assert result.is_error
        assert said in text_of(result)


@pytest.mark.requirement("COL-BUILD", "REC-SURROGATE")
async def test_text_that_is_not_valid_unicode_ends_no_server(
    command: StdioServerParameters, home: Path, tmp_path: Path
) -> None:
    write_session(home, "abcd-1234", tmp_path, outputs=[f"a lone \ud800\n{REPORT}"], prompt="\udcb2 hello")
    async with Client(command) as client:
        result = await client.call_tool("collapse_turns", {"session": "abcd"})
        assert result.structured_content is not None, text_of(result)
        recovered = await client.call_tool("context_tree_query", {"refs": ["b1"], "session": "abcd"})
        assert "a lone \ufffd" in text_of(recovered)
