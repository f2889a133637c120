"""Sessions of each host collapsed: its own tools are known, its own counts of tokens are carried along."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from prune_mcp.engine import Engine
from prune_mcp.engine.collapse.collapse import CollapseAnswer
from prune_mcp.pruning.options import OpenChainOptions
from tests import validity
from tests.pruning.build import log
from tests.sessions.codex.writing import Rollout, rollout_path, shell
from tests.sessions.gemini.writing import GeminiFile
from tests.sessions.gemini.writing import asks as gemini_asks
from tests.sessions.gemini.writing import call as gemini_call
from tests.sessions.gemini.writing import says as gemini_says
from tests.sessions.opencode.writing import Database, step, tool
from tests.sessions.opencode.writing import asks as opencode_asks
from tests.sessions.opencode.writing import says as opencode_says
from tests.sessions.trajectories.build import acts, observed, run, save
from tests.sessions.transcripts.writing import ClaudeFile, PiFile, tool_call, tool_use

REPORT = log(60, "report")
PASSED = f"{REPORT}\n3 passed in 0.20s"


def collapsed(engine: Engine, path: Path) -> tuple[CollapseAnswer, list[Any]]:
    before = path.read_bytes() if path.is_file() else b""
    answer = engine.collapse_transcript(path, render=True)
    view = list(answer.messages)
    assert (answer.effect, answer.why, answer.block) == ("advisory", "no-lever", "b1")
    assert not before or path.read_bytes() == before
    return answer, view


def check_line(answer: CollapseAnswer) -> str:
    (check,) = answer.done["checks"]["shown"]
    return f"{check['label']}: {check['outcome']}"


@pytest.mark.requirement("COL-BUILD", "COL-USAGE", "SES-READONLY")
def test_claude_code(engine: Engine, session: ClaudeFile) -> None:
    session.prompt("Fix it.")
    session.says("First a look.", tool_use("c1", "Read", file_path="/home/user/app/a.py"), id="one")
    session.result("c1", REPORT)
    session.says(tool_use("c2", "Edit", file_path="/home/user/app/a.py"), id="two")
    session.says(tool_use("c3", command="pytest"), id="two")
    session.result("c2", "ok")
    session.result("c3", PASSED)
    session.says("Fixed.")
    answer, view = collapsed(engine, session.path)
    assert validity.check_claude_code(view) == []
    assert [entry["message"]["content"] for entry in view[:2]] == ["Fix it.", answer.text]
    assert answer.done["modified"]["shown"] == ["a.py"]
    assert check_line(answer) == "pytest: passed"
    # Two lines of one response were counted once.
    assert answer.usage == {"requests": 3, "prompt": 9, "cached": 0, "output": 15}
    assert answer.text.count("used: 3 requests, 9 tokens in, 15 out") == 1
    (outcome,) = [each for each in answer.outcomes if each.get("outputs")]
    assert (outcome["requests"], outcome["prompt_tokens"], outcome["output_tokens"]) == (3, 9, 15)
    assert engine.store.flushes(answer.session)[-1].outcomes[0] == outcome


@pytest.mark.requirement("COL-BUILD", "COL-USAGE")
def test_pi(engine: Engine, pi_session: PiFile) -> None:
    def says(*parts: Any, stop: str) -> None:
        used = {"input": 100, "output": 20, "cacheRead": 50, "cacheWrite": 5, "totalTokens": 175}
        pi_session.message("assistant", list(parts), stopReason=stop, model="m", provider="p", usage=used)

    pi_session.prompt("Fix it.")
    says(tool_call("c1", "edit", path="a.py", oldText="x", newText="y"), stop="toolUse")
    pi_session.result("c1", REPORT, "edit")
    says(tool_call("c2", command="npm test"), stop="toolUse")
    pi_session.result("c2", f"{REPORT}\nTests  1 failed (1)", error=True)
    says({"type": "text", "text": "It fails."}, stop="stop")
    answer, view = collapsed(engine, pi_session.path)
    assert validity.check_pi(view) == []
    assert answer.done["modified"]["shown"] == ["a.py"]
    assert check_line(answer) == "npm test: failed"
    assert answer.usage == {"requests": 3, "prompt": 465, "cached": 150, "output": 60}


@pytest.mark.requirement("COL-BUILD")
def test_calls_that_a_call_of_pi_made_count_by_what_they_did(engine: Engine, pi_session: PiFile) -> None:
    made = [
        {"id": "n1", "name": "read", "arguments": {"path": "a.py"}, "status": "ok"},
        {"id": "n2", "name": "edit", "arguments": {"path": "b.py", "edits": []}, "status": "ok"},
        {
            "id": "n3",
            "name": "bash",
            "arguments": {"command": "npm test"},
            "status": "error",
            "error": "exit code 1",
        },
        {"id": "n4", "name": "write", "arguments": {"path": "c.py"}, "status": "unfinished"},
        {"id": "n5", "name": "write", "argumentsBytes": 90_000, "status": "ok"},
        "torn",
    ]
    pi_session.prompt("Fix it.")
    pi_session.says(tool_call("c1", "codemode", code="..."), stop="toolUse")
    pi_session.message(
        "toolResult",
        [{"type": "text", "text": REPORT}],
        toolCallId="c1",
        toolName="codemode",
        isError=False,
        nestedCalls={"calls": made, "complete": True},
    )
    pi_session.says("Done.")
    answer, _ = collapsed(engine, pi_session.path)
    done = answer.done
    assert (done["calls"], done["commands"]["count"], done["others"]["shown"]) == (1, 1, ["codemode"])
    assert (done["modified"]["shown"], done["read"]["shown"]) == (["b.py"], ["a.py"])
    assert check_line(answer) == "npm test: failed"
    assert [each["call"] for each in done["failures"]["shown"]] == ["npm test"]


@pytest.mark.requirement("COL-BUILD", "COL-USAGE")
@pytest.mark.parametrize("packed", [False, True])
def test_codex(engine: Engine, tmp_path: Path, packed: bool) -> None:
    rollout = Rollout(rollout_path(tmp_path))

    def counts(prompt: int, output: int, total: int) -> None:
        used = {"input_tokens": prompt, "cached_input_tokens": 10, "output_tokens": output}
        info = {"last_token_usage": used, "total_token_usage": {"total_tokens": total}}
        rollout.event("token_count", info=info, rate_limits=None)

    rollout.turn()
    rollout.prompt("Fix it.")
    rollout.item({"type": "custom_tool_call", "name": "apply_patch", "call_id": "c1", "input": "*** Begin Patch\n"
                  "*** Update File: a.py\n@@\n-x\n+y\n*** End Patch"})  # fmt: skip
    rollout.item({"type": "custom_tool_call_output", "call_id": "c1", "output": "Done!"})
    counts(100, 5, 105)
    rollout.call("c2", cmd="pytest -q", workdir="/home/user/app")
    rollout.output("c2", shell(PASSED))
    counts(200, 7, 312)
    counts(200, 7, 312)
    rollout.call("c3", cmd="cat README.md", workdir="/home/user/app/docs")
    rollout.output("c3", shell(REPORT))
    rollout.says("Fixed.")
    counts(300, 9, 621)
    rollout.turn()
    rollout.prompt("And now?")
    rollout.says("Nothing.")
    counts(5000, 5000, 9999)
    answer, view = collapsed(engine, rollout.packed() if packed else rollout.path)
    assert validity.check_codex([line for line in view if line["type"] == "response_item"]) == []
    assert (answer.done["modified"]["shown"], answer.done["read"]["shown"]) == (["a.py"], ["docs/README.md"])
    assert check_line(answer) == "pytest -q: passed"
    assert answer.usage == {"requests": 3, "prompt": 600, "cached": 30, "output": 21}


@pytest.mark.requirement("COL-BUILD", "COL-USAGE")
def test_gemini(engine: Engine, tmp_path: Path) -> None:
    edit = gemini_call("c1", REPORT, "replace", args={"file_path": "a.py", "old_string": "x"})
    test = gemini_call("c2", PASSED, args={"command": "pytest"})
    tokens = {"input": 40, "output": 4, "cached": 30, "thoughts": 2, "tool": 0, "total": 46}
    path = GeminiFile(tmp_path).whole(
        [
            gemini_asks(1, "Fix it."),
            gemini_says(2, "", edit, test, tokens=tokens),
            gemini_says(3, "Fixed.", tokens=tokens),
        ]
    )
    answer, view = collapsed(engine, path)
    assert [entry["content"] for entry in view if entry.get("type") == "gemini"] == ["Fixed."]
    assert answer.done["modified"]["shown"] == ["a.py"]
    assert check_line(answer) == "pytest: passed"
    assert answer.usage is not None
    assert (answer.usage["requests"], answer.usage["prompt"], answer.usage["cached"]) == (2, 80, 60)


@pytest.mark.requirement("COL-BUILD", "COL-USAGE")
def test_opencode(engine: Engine, tmp_path: Path) -> None:
    database = Database(tmp_path)
    used = {"input": 10, "output": 3, "reasoning": 1, "cache": {"read": 20, "write": 5}}
    edit = tool("c1", REPORT, "edit", input={"filePath": "/home/user/app/a.py", "oldString": "x"})
    test = tool("c2", PASSED, input={"command": "go test ./..."})
    path = database.session(
        "ses_1",
        opencode_asks(1, "Fix it."),
        opencode_says(2, step(), edit, test, step("finish") | {"tokens": used}, tokens=used),
        opencode_says(3, "Fixed.", tokens=used),
    )
    answer, _ = collapsed(engine, path)
    database.close()
    assert answer.done["modified"]["shown"] == ["a.py"]
    assert check_line(answer) == "go test ./...: passed"
    assert answer.usage == {"requests": 2, "prompt": 70, "cached": 40, "output": 8}


@pytest.mark.requirement("COL-BUILD", "COL-USAGE")
def test_a_run_that_was_recorded_whole_is_finished_though_it_ends_in_a_call(
    engine: Engine, tmp_path: Path
) -> None:
    used = {"response": {"usage": {"prompt_tokens": 50, "completion_tokens": 6}}}
    edit = acts("cat <<'EOF' > a.py\nx = 1\nEOF", extra=used)
    path = save(tmp_path, run(edit, observed(REPORT), acts("pytest", extra=used), observed(PASSED)))
    answer, _ = collapsed(engine, path)
    assert answer.done["modified"]["shown"] == ["a.py"]
    assert check_line(answer) == "pytest: passed"
    assert answer.usage == {"requests": 2, "prompt": 100, "cached": 0, "output": 12}


@pytest.mark.requirement("COL-USAGE")
def test_messages_that_tell_nothing_of_tokens_carry_no_usage(engine: Engine, session: ClaudeFile) -> None:
    session.prompt("Go.")
    session.turn("c1", REPORT)
    session.says("Done.")
    messages = [
        {"role": e["message"]["role"], "content": e["message"]["content"]} for e in entries(engine, session)
    ]
    answer = engine.collapse_messages(messages, format="anthropic")
    assert answer.usage is None
    assert "used:" not in answer.text


@pytest.mark.requirement("COL-BUILD", "PRU-IDEM", "SES-LIVE")
def test_a_collapse_stays_while_the_session_grows_and_after_a_restart(
    make_engine: Callable[..., Engine], session: ClaudeFile
) -> None:
    for number in range(2):
        session.prompt(f"Task {number}.")
        session.turn(f"c{number}", f"{number} {REPORT}")
        session.says(f"Done with {number}.")
    live = make_engine()
    answer = live.collapse_transcript(session.path, turns=2)
    session.prompt("Task 3.")
    session.turn("c3", f"3 {REPORT}")
    grown = list(live.prune_transcript(session.path, render=True).messages)
    assert validity.check_claude_code(grown) == []
    assert sum(answer.text in str(entry["message"]["content"]) for entry in grown) == 1
    assert list(make_engine().prune_transcript(session.path, render=True).messages) == grown
    (item,) = make_engine().recover(["b1"], session=answer.session).items
    assert f"0 {REPORT}" in item.text
    assert f"1 {REPORT}" in item.text


@pytest.mark.requirement("COL-BUILD", "PRU-RECOVER")
def test_a_collapse_takes_what_an_earlier_prune_left_of_an_exchange(
    make_engine: Callable[..., Engine], session: ClaudeFile
) -> None:
    engine = make_engine(open_chain=OpenChainOptions(keep_turns=4, min_tokens=100))
    session.prompt("A long task.")
    for number in range(30):
        session.turn(f"c{number}", f"{number} {log(90, f'part_{number}')}")
    engine.prune_transcript(session.path)
    session.says("Done.")
    answer = engine.collapse_transcript(session.path, render=True)
    view = list(answer.messages)
    assert validity.check_claude_code(view) == []
    assert answer.done["calls"] == 30
    blocks = engine.store.blocks(answer.session)
    assert [block.kind for block in blocks] == ["open", "collapse"]
    assert [entry["message"]["content"] for entry in view[1:3]] == [block.text for block in blocks]
    assert len(view) == 4
    told = "".join(item.text for item in engine.recover(["b1", "b2"], budget=10**9).items)
    assert all(f"{number} {log(90, f'part_{number}')}" in told for number in range(30))


@pytest.mark.requirement("COL-REFUSE")
def test_an_exchange_whose_prompt_has_the_id_of_another_message_is_passed_over(
    engine: Engine, pi_session: PiFile
) -> None:
    for number in range(2):
        pi_session.prompt(f"Task {number}.")
        pi_session.turn(f"c{number}", f"{number} {REPORT}")
        pi_session.says("Done.")
    lines = pi_session.path.read_bytes()
    # The second prompt says that it is the first answer.
    pi_session.path.write_bytes(lines.replace(b'"id": "00000005"', b'"id": "00000002"'))
    answer = engine.collapse_transcript(pi_session.path, turns=2)
    assert "that cannot be told from others" in answer.summary


def entries(engine: Engine, session: ClaudeFile) -> list[Any]:
    return list(engine.prune_transcript(session.path, dry_run=True, render=True).messages)
