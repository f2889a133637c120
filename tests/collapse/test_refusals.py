"""What the tool and the command say where nothing, or less than was asked for, can be collapsed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from tests.pruning.build import Talk, call, log
from tests.server.conftest import text_of
from tests.server.shell import Shell
from tests.server.transcripts import write_session

REPORT = log(60, "report")
OPEN = Talk().prompt("Go.").turn(call("Bash", REPORT, command="make"))
SMALL = Talk().prompt("List.").turn(call("Bash", "a", command="ls")).answer("Just a.")
NOTHING = "nothing-to-collapse"


def finished() -> Talk:
    return Talk().prompt("Fix it.").turn(call("Bash", REPORT, command="make")).answer("Fixed.")


# Messages that are refused, and how the refusal goes.
REFUSED: list[tuple[list[dict[str, Any]], str]] = [
    (OPEN.messages, "the only exchange is still open. It can be collapsed once it has ended"),
    ([{"role": "user", "content": "Hi."}], "a prompt without an answer is work in flight"),
    ([{"role": "assistant", "content": "Hi."}], "no prompt stands in this conversation"),
]
# Messages that come back as they are, and what is said of them.
LEFT: list[tuple[list[dict[str, Any]], str]] = [
    (SMALL.messages, "Nothing is left to collapse (passed over: 1 that a summary would not make smaller)."),
    (Talk().prompt("Hi.").answer("Yes?").messages, "(passed over: 1 with nothing between prompt and answer)."),
]


@pytest.mark.requirement("COL-REFUSE", "PRU-EFFECT")
async def test_the_tool(command: StdioServerParameters, home: Path, tmp_path: Path) -> None:
    write_session(home, "abcd-1234", tmp_path, outputs=[REPORT])
    async with Client(command) as client:
        for messages, said in REFUSED:
            result = await client.call_tool("collapse_turns", {"messages": messages})
            assert result.is_error
            assert said in text_of(result)
        for messages, said in LEFT:
            result = await client.call_tool("collapse_turns", {"messages": messages})
            answer = result.structured_content or {}
            assert (answer["why"], answer["turns"], answer["block"]) == (NOTHING, 0, "")
            assert answer["messages"] == messages
            assert answer["summary"] in text_of(result)
            assert said in answer["summary"]
        more = await client.call_tool("collapse_turns", {"messages": finished().messages, "turns": 5})
        assert "1 finished exchange of 5 asked for collapsed to b1" in text_of(more)
        # The newest exchange, which goes on, stays; so does its prompt.
        going_on = [*Talk().prompt("Build.").turn(call("Bash", REPORT)).answer("Built.").messages, *OPEN.messages]
        newest = (await client.call_tool("collapse_turns", {"messages": going_on})).structured_content or {}
        assert newest["prompts"] == ["Build."]
        assert newest["messages"][-len(OPEN.messages) :] == OPEN.messages
        unknown = await client.call_tool("collapse_turns", {"session": "nowhere"})
        assert unknown.is_error
        assert "There is no session 'nowhere'" in text_of(unknown)
        await client.call_tool("collapse_turns", {"session": "abcd"})
        again = await client.call_tool("collapse_turns", {"session": "abcd"})
        assert "Nothing is left to collapse (passed over: 1 compressed already, 1 without an answer)." in text_of(
            again
        )
        assert (again.structured_content or {})["effect"] == "advisory"


@pytest.mark.requirement("COL-REFUSE", "PRU-EFFECT")
def test_the_command(home: Path, tmp_path: Path) -> None:
    shell = Shell(home, tmp_path)
    talk = tmp_path / "talk.json"
    for messages, said in REFUSED:
        talk.write_text(json.dumps(messages), encoding="utf-8")
        assert said in shell.run("collapse", "talk.json", code=1).stderr
    for messages, said in LEFT:
        talk.write_text(json.dumps(messages), encoding="utf-8")
        answer = shell.json("collapse", "talk.json")
        assert (answer["why"], answer["messages"]) == (NOTHING, messages)
        assert said in answer["summary"]
    talk.write_text(json.dumps(finished().messages), encoding="utf-8")
    assert (
        "1 finished exchange of 5 asked for collapsed to b1"
        in shell.run("collapse", "talk.json", "--turns", "5").stdout
    )
    assert "at least 1, not '0'" in shell.run("collapse", "talk.json", "--turns", "0", code=2).stderr
    assert "There is no session 'nowhere'" in shell.run("collapse", "nowhere", code=1).stderr
    write_session(home, "abcd-1234", tmp_path, outputs=[REPORT])
    assert "collapsed to b1" in shell.run("collapse", "abcd").stdout
    again = shell.run("collapse", "abcd").stdout
    assert again.startswith(
        f"advisory ({NOTHING})\nNothing is left to collapse (passed over: 1 compressed already, 1 without"
    )
