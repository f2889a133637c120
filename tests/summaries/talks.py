"""Conversations whose outputs are worth a summary."""

from __future__ import annotations

from tests.pruning.build import JSON, Talk, call, log, results

FAILURE = "ERROR: upload of part 7 failed in harbor/uploads.py:88"


def three_calls() -> Talk:
    """One exchange with three long outputs, the last one of a failed call, and four short turns after it."""
    talk = Talk().prompt("Why does the upload fail?")
    talk.turn(
        call("Bash", log(200), command="pytest -q"),
        call("Read", log(90, "reader"), file_path="/app/harbor/uploads.py"),
        text="First I look at the tests.",
    )
    talk.turn(call("Bash", f"{log(120, 'build')}\n{FAILURE}", command="make upload", error=True))
    return talk.turns(4)


def exchanges(count: int, lines: int = 60) -> Talk:
    """Finished exchanges with one long output each, and an open one with four short turns."""
    talk = Talk()
    for number in range(count):
        talk.prompt(f"Do step {number}.")
        talk.turn(call("Bash", log(lines, f"step{number}"), command=f"run step {number}"))
        talk.answer(f"Step {number} is done.")
    return talk.prompt("And now?").turns(4)


def stubs(messages: list[JSON]) -> list[str]:
    """The stubs in view, in order."""
    found = [content for content in results(messages).values() if isinstance(content, str)]
    return [content for content in found if content.startswith("[pruned ")]
