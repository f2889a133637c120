"""Rollouts that hypothesis makes up: turns of all kinds, told twice or once, compacted, rolled back, damaged."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from hypothesis import strategies as st

from tests.sessions.codex.writing import Rollout, message, shell

Step = Callable[[Rollout, str], None]


def _prompt(rollout: Rollout, word: str) -> None:
    rollout.prompt(f"do {word}")


def _prompt_event_first(rollout: Rollout, word: str) -> None:
    rollout.event("user_message", message=f"do {word}")
    rollout.turn()
    rollout.prompt(f"do {word}", event=False)


def _answer(rollout: Rollout, word: str) -> None:
    rollout.says(f"answer {word}")


def _only_event(rollout: Rollout, word: str) -> None:
    rollout.event("agent_message", message=f"event {word}")


def _think(rollout: Rollout, word: str) -> None:
    summary = [{"type": "summary_text", "text": f"thought {word}"}]
    rollout.item({"type": "reasoning", "summary": summary, "encrypted_content": "gAAAA"})


def _call(rollout: Rollout, word: str) -> None:
    rollout.call(f"call_{word}", cmd=f"run {word}")
    rollout.output(f"call_{word}", shell(f"output {word} " + "line\n" * 400, len(word) % 2))


def _parallel(rollout: Rollout, word: str) -> None:
    for name in ("a", "b"):
        rollout.call(f"call_{name}_{word}", cmd=f"run {name} {word}")
    for name in ("b", "a"):
        rollout.output(f"call_{name}_{word}", shell(f"output {name} {word}"))


def _unanswered(rollout: Rollout, word: str) -> None:
    rollout.call(f"open_{word}", cmd=f"open {word}")


def _orphan(rollout: Rollout, word: str) -> None:
    rollout.output(f"lost_{word}", f"orphan {word}")


def _patch(rollout: Rollout, word: str) -> None:
    rollout.item(
        {"type": "custom_tool_call", "name": "apply_patch", "call_id": f"p_{word}", "input": f"patch {word}"}
    )
    rollout.item({"type": "custom_tool_call_output", "call_id": f"p_{word}", "output": f"patched {word}"})


def _search(rollout: Rollout, word: str) -> None:
    rollout.item(
        {"type": "web_search_call", "status": "completed", "action": {"type": "search", "query": f"query {word}"}}
    )


def _turn(rollout: Rollout, word: str) -> None:
    rollout.turn()


def _done(rollout: Rollout, word: str) -> None:
    rollout.done()


def _context(rollout: Rollout, word: str) -> None:
    rollout.item(message("user", f"<environment_context>{word}</environment_context>"))


def _compact(rollout: Rollout, word: str) -> None:
    rollout.compacted(f"summary {word}", f"kept {word}")


def _compact_old(rollout: Rollout, word: str) -> None:
    rollout.compacted(f"summary {word}", history=False)


def _compact_whole(rollout: Rollout, word: str) -> None:
    left = [
        message("user", f"kept {word}"),
        {"type": "reasoning", "summary": [], "encrypted_content": "gAAAA"},
        {
            "type": "function_call",
            "name": "shell",
            "arguments": json.dumps({"n": word}),
            "call_id": f"left_{word}",
        },
        {"type": "function_call_output", "call_id": f"left_{word}", "output": f"left {word} " + "line\n" * 400},
        message("user", f"summary {word}"),
    ]
    rollout.line("compacted", {"message": f"summary {word}", "replacement_history": left})


def _roll_back(rollout: Rollout, word: str) -> None:
    rollout.event("thread_rolled_back", num_turns=1 + len(word) % 2)


def _noise(rollout: Rollout, word: str) -> None:
    rollout.write(b'null\n{"timestamp": "torn\n\0\0\0\n42\n')
    rollout.event("token_count", info=None)


STEPS: list[Step] = [
    _prompt,
    _prompt,
    _prompt_event_first,
    _answer,
    _answer,
    _only_event,
    _think,
    _call,
    _call,
    _parallel,
    _unanswered,
    _orphan,
    _patch,
    _search,
    _turn,
    _turn,
    _done,
    _context,
    _compact,
    _compact_old,
    _compact_whole,
    _roll_back,
    _noise,
]

# What each step says that nothing else does, with its word.
PHRASES: dict[Step, tuple[str, ...]] = {
    _prompt: ("do",),
    _prompt_event_first: ("do",),
    _answer: ("answer",),
    _only_event: ("event",),
    _think: ("thought",),
    _call: ("cmd: run", "output"),
    _parallel: ("cmd: run a", "cmd: run b", "output a", "output b"),
    _unanswered: ("cmd: open",),
    _orphan: ("orphan",),
    _patch: ("patch", "patched"),
    _search: ("query",),
    _compact: ("summary",),
    _compact_old: ("summary",),
    _compact_whole: ("summary",),
}

stories = st.lists(st.sampled_from(range(len(STEPS))), min_size=1, max_size=25)


def write(path: Path, story: list[int]) -> Rollout:
    """Write the rollout of a story; step n speaks of the word `wn`."""
    path.unlink(missing_ok=True)
    rollout = Rollout(path)
    rollout.turn()
    for number, step in enumerate(story):
        STEPS[step](rollout, f"w{number}w")
    return rollout


def phrases(story: list[int]) -> list[str]:
    """What the rollout of a story says, each phrase once."""
    said = ((PHRASES.get(STEPS[step], ()), number) for number, step in enumerate(story))
    return [f"{phrase} w{number}w" for spoken, number in said for phrase in spoken]
