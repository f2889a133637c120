"""What a collapse does to messages: what stays, what the block says, what comes back, and what is refused."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from prune_mcp.engine import Engine
from prune_mcp.engine.answers import EngineError
from prune_mcp.engine.collapse.collapse import CollapseAnswer
from tests import validity
from tests.arrays import Call, Result, Turn, openai_chat, openai_responses
from tests.pruning.build import Talk, call, log, texts
from tests.sessions.transcripts.writing import ClaudeFile, tool_use

Make = Callable[..., Engine]
REPORT = log(30, "report")


def work(talk: Talk, name: str, turns: int = 3) -> Talk:
    """A finished exchange about a name: it reads a file, edits it and runs the tests."""
    talk.prompt(f"Fix {name}, please.")
    talk.turn(call("Read", log(40, name), file_path=f"/app/src/{name}.py"), text=f"I look at {name} first.")
    for number in range(turns - 2):
        changed = "The file has been updated."
        talk.turn(call("Edit", changed, file_path=f"/app/src/{name}.py", old_string=f"a{number}", new_string="b"))
    talk.turn(call("Bash", f"{REPORT}\n12 passed in 3.10s", command="cd /app && pytest -q"))
    return talk.answer(f"{name} is fixed.")


def collapse(engine: Engine, messages: Any, turns: int = 1, **more: Any) -> CollapseAnswer:
    return engine.collapse_messages(messages, turns=turns, format="anthropic", **more)


@pytest.mark.requirement("COL-BUILD", "PRU-VALID")
def test_a_finished_exchange_becomes_its_prompt_a_summary_and_its_answer(engine: Engine) -> None:
    messages = work(work(Talk(), "parser"), "upload").prompt("And now?").messages
    before = copy.deepcopy(messages)
    answer = collapse(engine, messages)
    assert messages == before
    assert validity.check_anthropic(answer.messages) == []
    assert (answer.effect, answer.why, answer.turns, answer.block) == ("applied", "messages-returned", 1, "b1")
    asked, closing, now = answer.messages[-3:]
    assert [part["text"] for part in asked["content"]] == ["Fix upload, please.", answer.text]
    assert closing == {"role": "assistant", "content": [{"type": "text", "text": "upload is fixed."}]}
    assert now == {"role": "user", "content": "And now?"}
    assert answer.messages[:-3] == messages[:8]
    assert answer.tokens_after < answer.tokens_before
    assert answer.prompts == ["Fix upload, please."]
    assert answer.text == (
        '<compressed-chain id="b1" tools="t4-t6">\n'
        "(context_tree_query brings back any [pruned tN] or block bN)\n"
        "collapsed: 1 finished exchange, 3 calls\n"
        "modified (1): /app/src/upload.py\n"
        "commands (1)\n"
        "checks (1):\n"
        "- pytest -q: passed (t6): 12 passed in 3.10s\n"
        "</compressed-chain>"
    )


@pytest.mark.requirement("COL-BUILD")
def test_several_exchanges_become_one_summary_and_keep_their_prompts_and_answers(engine: Engine) -> None:
    messages = work(work(work(Talk(), "parser"), "upload"), "header").messages
    answer = collapse(engine, messages, 2)
    assert validity.check_anthropic(answer.messages) == []
    assert answer.turns == 2
    assert answer.prompts == ["Fix upload, please.", "Fix header, please."]
    assert [message["role"] for message in answer.messages[8:]] == ["user", "assistant"] * 2
    assert answer.done["modified"] == {"count": 2, "shown": ["/app/src/upload.py", "/app/src/header.py"]}
    assert texts(answer.messages).count("<compressed-chain") == 1
    for said in ("Fix upload, please.", "upload is fixed.", "Fix header, please.", "header is fixed."):
        assert said in texts(answer.messages)


@pytest.mark.requirement("COL-BUILD")
def test_an_exchange_that_the_next_prompt_interrupted_tells_where_it_was_left_off(engine: Engine) -> None:
    talk = work(Talk(), "parser").prompt("Look for the leak.")
    talk.turn(call("Bash", REPORT, command="valgrind ./app"), text="I suspect the cache. Let me see.")
    messages = talk.prompt("Stop. Something else.").answer("Yes?").messages
    answer = collapse(engine, messages)
    assert validity.check_anthropic(answer.messages) == []
    assert "left off: I suspect the cache. Let me see." in answer.text
    assert (answer.said, answer.closed) == ("I suspect the cache. Let me see.", False)
    assert [part["text"] for part in answer.messages[-2]["content"]][0::2] == [
        "Look for the leak.",
        "Stop. Something else.",
    ]


@pytest.mark.requirement("COL-BUILD", "PRU-RECOVER")
def test_the_ref_brings_back_everything_also_after_a_restart(make_engine: Make) -> None:
    messages = work(Talk(), "upload").messages
    answer = collapse(make_engine(), messages)
    (item,) = make_engine().recover([answer.block], session=answer.session).items
    assert item.status == "ok"
    for text in ("I look at upload first.", log(40, "upload"), '"old_string":"a0"', REPORT, "12 passed in 3.10s"):
        assert text in item.text
    (output,) = make_engine().recover(["t3"], session=answer.session).items
    assert output.text == f"{REPORT}\n12 passed in 3.10s"


@pytest.mark.requirement("PRU-IDEM", "COL-BUILD")
def test_the_same_messages_give_the_same_bytes_in_any_store(make_engine: Make, tmp_path_factory: Any) -> None:
    messages = work(work(Talk(), "parser"), "upload").messages
    stores = (str(tmp_path_factory.mktemp("store")) for _ in range(2))
    made = [collapse(Engine({"PRUNE_MCP_HOME": store}), messages, 2) for store in stores]
    assert json.dumps(made[0].messages) == json.dumps(made[1].messages)
    assert made[0].text == made[1].text


@pytest.mark.requirement("PRU-IDEM", "COL-REFUSE")
def test_calling_again_takes_the_next_older_ones_until_nothing_is_left(engine: Engine) -> None:
    messages = work(work(Talk(), "parser"), "upload").messages
    first = collapse(engine, messages)
    second = collapse(engine, first.messages, session=first.session)
    assert (second.prompts, second.block) == (["Fix parser, please."], "b2")
    assert validity.check_anthropic(second.messages) == []
    third = collapse(engine, second.messages, session=first.session)
    assert (third.why, third.block, third.turns) == ("nothing-to-collapse", "", 0)
    assert third.messages == second.messages
    assert third.summary == "Nothing is left to collapse (passed over: 2 compressed already)."
    # The untouched history, sent again, shows the very same view.
    assert collapse(engine, messages, session=first.session).messages == second.messages


@pytest.mark.requirement("COL-BUILD")
def test_a_later_prune_shows_the_collapse_and_decides_nothing_on_what_it_stands_for(engine: Engine) -> None:
    messages = work(work(Talk(), "parser"), "upload").turns(0).messages
    collapsed = collapse(engine, messages, 2)
    grown = [*messages, *work(Talk(), "header").messages]
    pruned = engine.prune_messages(grown, format="anthropic", session=collapsed.session, keep_turns=0, note="why")
    assert validity.check_anthropic(pruned.messages) == []
    assert texts([{"content": collapsed.text}])[14:-3] in texts(pruned.messages)
    assert "note: why" in texts(pruned.messages)
    assert REPORT[:60] not in texts(pruned.messages[: len(collapsed.messages)])
    assert [output.state for output in engine.store.outputs(pruned.session)][:6] == ["whole"] * 6


@pytest.mark.requirement("COL-BUILD", "PRU-PROTECT")
def test_protected_output_stays_whole_behind_the_block(make_engine: Make) -> None:
    answer = collapse(make_engine(protected_tools=("Read",)), work(Talk(), "upload", 12).messages)
    assert '<protected-output tool="Read" ref="t1" fence="' in answer.text
    assert f"\n{log(40, 'upload')}\n</protected-output" in answer.text


@pytest.mark.requirement("COL-BUILD", "PRU-THINK")
def test_signed_thinking_goes_where_something_before_it_changed_and_comes_back_by_a_ref(engine: Engine) -> None:
    talk = Talk().prompt("Fix it.").turn(call("Bash", REPORT, command="make"), thinking="first thought of all")
    talk.answer("Done.", thinking="a closing thought").prompt("And?").answer("No.", thinking="a later thought")
    answer = collapse(engine, talk.messages)
    assert validity.check_anthropic(answer.messages) == []
    assert '"thinking"' not in texts(answer.messages)
    refs = [ref for ref in answer.refs if ref.startswith("b")]
    told = "".join(item.text for item in engine.recover(refs, session=answer.session).items)
    assert all(thought in told for thought in ("first thought of all", "a closing thought", "a later thought"))


@pytest.mark.requirement("COL-BUILD", "PRU-THINK")
def test_before_signed_thinking_of_an_open_exchange_the_collapse_waits_in_the_plan(engine: Engine) -> None:
    talk = work(Talk(), "upload").prompt("More.").turn(call("Bash", "ok", command="ls"), thinking="careful now")
    answer = collapse(engine, talk.messages)
    assert (answer.effect, answer.why, answer.block) == ("advisory", "thinking-bound", "b1")
    assert answer.messages == talk.messages
    assert "takes their place once that exchange is closed" in answer.summary
    talk.answer("Done.")
    closed = engine.prune_messages(talk.messages, format="anthropic", session=answer.session)
    assert '<compressed-chain id=\\"b1\\"' in texts(closed.messages)


@pytest.mark.requirement("COL-BUILD", "PRU-VALID")
def test_a_prompt_that_came_with_results_stays_when_they_go(engine: Engine) -> None:
    talk = work(Talk(), "upload")
    talk.messages[4]["content"].append({"type": "text", "text": "Hurry up, will you?"})
    messages = talk.messages
    assert messages[4]["content"][0]["type"] == "tool_result"
    answer = collapse(engine, messages)
    assert validity.check_anthropic(answer.messages) == []
    assert [part["text"] for part in answer.messages[0]["content"]] == [
        "Fix upload, please.",
        answer.text,
        "Hurry up, will you?",
    ]
    assert answer.done["calls"] == 3


@pytest.mark.requirement("COL-BUILD", "PRU-ORPHAN")
def test_a_call_that_was_never_answered_collapses_with_the_rest_of_its_session(
    engine: Engine, session: ClaudeFile
) -> None:
    session.prompt("Build it.")
    session.says("First this.", tool_use("c1", command="make all"))
    session.result("c1", REPORT)
    session.says(tool_use("lost", command="make test"))
    session.prompt("Never mind.")
    session.says("Fine.")
    answer = engine.collapse_transcript(session.path, render=True)
    view = list(answer.messages)
    assert validity.check_claude_code(view) == []
    assert [entry["message"]["content"] for entry in view] == [
        "Build it.",
        answer.text,
        "Never mind.",
        [{"type": "text", "text": "Fine."}],
    ]
    assert "- make all: passed (t1)" in answer.text
    assert "- make test: unknown\n" in answer.text
    (item,) = engine.recover([answer.block], session=answer.session).items
    assert '{"command":"make test"}' in item.text


@pytest.mark.requirement("COL-BUILD")
def test_unknown_fields_and_the_shape_of_a_request_body_stay(engine: Engine) -> None:
    messages = work(Talk(), "upload").messages
    messages[-1]["mine"] = {"kept": [1, None]}
    body = {"model": "m", "messages": messages, "max_tokens": 5, "other": {"x": 1}}
    answer = collapse(engine, body)
    assert {key: answer.messages[key] for key in ("model", "max_tokens", "other")} == {
        "model": "m",
        "max_tokens": 5,
        "other": {"x": 1},
    }
    assert answer.messages["messages"][-1]["mine"] == {"kept": [1, None]}


@pytest.mark.requirement("COL-BUILD", "PRU-VALID")
@pytest.mark.parametrize("format", ["openai-chat", "openai-responses"])
def test_the_other_wire_formats_collapse_the_same(engine: Engine, format: str) -> None:
    turns = [
        Turn("user", "Fix it."),
        Turn("assistant", "Looking.", calls=[Call("c1", "bash", {"command": "npm test"})]),
        Turn("results", results=[Result("c1", f"{REPORT}\nTests  2 failed | 3 passed (5)")]),
        Turn("assistant", "It fails, sorry."),
        Turn("user", "Why?"),
    ]
    made = {"openai-chat": openai_chat, "openai-responses": openai_responses}[format](turns)
    answer = engine.collapse_messages(made, format=format)
    check = {"openai-chat": validity.check_openai_chat, "openai-responses": validity.check_openai_responses}
    assert check[format](answer.messages) == []
    assert [message["role"] for message in answer.messages] == ["user", "user", "assistant", "user"]
    assert "- npm test: failed (t1): Tests  2 failed | 3 passed (5)" in answer.text.replace("Tests 2", "Tests  2")
    assert [message for message in answer.messages if message["role"] == "assistant"] == [made[-2]]


@pytest.mark.requirement("COL-BUILD")
@pytest.mark.parametrize("format", ["openai-chat", "openai-responses"])
@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        (REPORT, "unknown"),
        (f"{REPORT}\na.ts(3,1): error TS2304: no x", "failed"),
        (f"{REPORT}\n3 passed in 0.10s", "passed"),
        (f"Exit code: 0\nOutput:\n{REPORT}", "passed"),
    ],
)
def test_where_no_status_stands_beside_an_output_only_what_it_says_tells_how_a_run_ended(
    engine: Engine, format: str, said: str, outcome: str
) -> None:
    turns = [
        Turn("user", "Build it."),
        Turn("assistant", "So.", calls=[Call("c1", "bash", {"command": "npm run build"})]),
        Turn("results", results=[Result("c1", said)]),
        Turn("assistant", "Built."),
    ]
    made = {"openai-chat": openai_chat, "openai-responses": openai_responses}[format](turns)
    (check,) = engine.collapse_messages(made, format=format).done["checks"]["shown"]
    assert check["outcome"] == outcome


@pytest.mark.requirement("COL-BUILD")
def test_lists_are_cut_at_twelve_and_the_rest_is_counted(engine: Engine) -> None:
    talk = Talk().prompt("Touch everything.")
    for number in range(15):
        talk.turn(call("Write", "ok " * 50, content="x", file_path=f"/a/{number}.py"))
        talk.turn(call("Read", "text " * 50, file_path=f"/b/{number}"))
        talk.turn(call("Bash", "boom " * 30, command=f"rm /c/{number}", error=True))
    answer = collapse(engine, talk.answer("Done.").messages)
    for name in ("modified", "read", "failures"):
        assert answer.done[name]["count"] == 15
        assert len(answer.done[name]["shown"]) == 12
    assert answer.done["commands"]["other"] == {"count": 15, "shown": [f"rm /c/{n}" for n in range(3, 15)]}
    assert "modified (15, the last 12): /a/3.py; /a/4.py;" in answer.text
    assert "only read (15, the last 12): /b/3; " in answer.text
    assert "commands (15, the last 12 of 15): rm /c/3; " in answer.text
    assert "failed (15, the last 12):\n- t12 rm /c/3: boom" in answer.text


@pytest.mark.requirement("COL-BUILD")
def test_of_many_failures_those_that_found_nothing_give_way(engine: Engine) -> None:
    talk = Talk().prompt("Find it.")
    for number in range(10):
        talk.turn(call("Bash", f"boom {number} " * 30, command=f"rm /c/{number}", error=True))
        talk.turn(call("Bash", "exit code 1", command=f"grep {number} /b", error=True))
    answer = collapse(engine, talk.answer("Done.").messages)
    shown = [each["call"] for each in answer.done["failures"]["shown"]]
    assert shown == [*(f"rm /c/{n}" for n in range(9)), "grep 8 /b", "rm /c/9", "grep 9 /b"]
    assert "failed (20, 12 of them):\n- t1 rm /c/0: boom 0" in answer.text


@pytest.mark.requirement("COL-BUILD", "PRU-FENCE")
def test_what_the_session_says_can_neither_open_nor_close_our_block(engine: Engine) -> None:
    talk = Talk().prompt("Go.").turn(call("Bash", REPORT, command="echo '</compressed-chain>' > '[pruned t1: x'"))
    talk.turn(call("Bash", '</compressed-chain>\nError: <compressed-chain id="b9">', command="x", error=True))
    answer = collapse(engine, talk.answer("Done.").messages)
    assert answer.text.count("<compressed-chain") == answer.text.count("</compressed-chain>") == 1
    assert "[pruned t1: x" not in answer.text


@pytest.mark.requirement("COL-REFUSE")
@pytest.mark.parametrize(
    ("messages", "said"),
    [
        ([], "no prompt stands in this conversation"),
        ([{"role": "assistant", "content": "Hello."}], "no prompt stands in this conversation"),
        ([{"role": "user", "content": "Hi."}], "a prompt without an answer is work in flight"),
        (Talk().prompt("Hi.").turns(2).messages, "the only exchange is still open"),
        (Talk().prompt("Hi.").prompt("Are you there?").messages, "a prompt without an answer is work in flight"),
    ],
)
def test_nothing_finished_is_refused_in_plain_words(make_engine: Make, messages: Any, said: str) -> None:
    with pytest.raises(EngineError, match=said):
        make_engine().collapse_messages(messages, format="anthropic")


@pytest.mark.requirement("COL-REFUSE")
def test_an_open_exchange_is_never_collapsed_nor_what_stands_before_the_first_prompt(engine: Engine) -> None:
    opened = Talk()
    opened.messages.append({"role": "user", "content": []})
    talk = work(Talk(), "upload").prompt("Now this.").turn(call("Bash", REPORT, command="make"))
    answer = collapse(engine, talk.messages, 5)
    assert answer.turns == 1
    assert answer.messages[-3:] == talk.messages[-3:]
    assert "1 finished exchange of 5 asked for" in answer.summary


@pytest.mark.requirement("COL-REFUSE")
def test_exchanges_that_hold_nothing_worth_it_are_passed_over_and_counted(engine: Engine) -> None:
    talk = work(Talk(), "upload").prompt("Which file?").answer("upload.py").prompt("Hello?")
    talk.prompt("List.").turn(call("Bash", "a", command="ls")).answer("Just a.")
    answer = collapse(engine, talk.messages)
    assert answer.prompts == ["Fix upload, please."]
    assert "1 that a summary would not make smaller, 1 without an answer, 1 with nothing between" in answer.summary


@pytest.mark.requirement("COL-REFUSE")
def test_no_exchanges_at_all_cannot_be_asked_for(engine: Engine) -> None:
    with pytest.raises(EngineError, match="at least one exchange"):
        collapse(engine, work(Talk(), "upload").messages, 0)
