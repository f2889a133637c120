"""Collapse: the newest finished exchanges as one summary of what was done in them, built without a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from prune_mcp.engine.answers import EngineError, PruneAnswer
from prune_mcp.engine.collapse.plan import Collapse
from prune_mcp.engine.memory import Memory
from prune_mcp.engine.prune.prune import Pruned, Request, prune, prune_array
from prune_mcp.engine.prune.shape import shape
from prune_mcp.engine.recovery.fence import counted
from prune_mcp.pruning.activity.activity import Activity
from prune_mcp.pruning.activity.failures import telling
from prune_mcp.pruning.activity.labels import one_line
from prune_mcp.pruning.collapse_block import MOST, Collapsed, newest, times
from prune_mcp.pruning.exchanges import Exchange
from prune_mcp.pruning.situation import Situation
from prune_mcp.sessions.messages.open import MessageConversation
from prune_mcp.sessions.model import Conversation
from prune_mcp.storage.protocol import Store

NOTHING = "nothing-to-collapse"
PROMPT_CHARS, SAID_CHARS = 100, 1000


@dataclass(slots=True)
class CollapseAnswer(PruneAnswer):
    """What one collapse did; see `PruneAnswer`, and `why` may be `nothing-to-collapse`.

    `turns`: the exchanges that were collapsed. `block`: the ref that brings back everything they held, `text` what
    stands for it in the view. `closed`: whether the last one ended in an answer, which stays. `prompts`: how they
    began. `done`: what was done in them; of each list its `count`, and of its items the newest twelve (`shown`).
    `said`: the assistant's last text, cut when long. `usage`: what the provider counted (None: the source does not
    tell).
    """

    turns: int = 0
    block: str = ""
    text: str = ""
    closed: bool = False
    prompts: list[str] = field(default_factory=list)
    done: dict[str, Any] = field(default_factory=dict)
    said: str = ""
    usage: dict[str, int] | None = None


def collapse_messages(
    store: Store,
    conversation: MessageConversation,
    request: Request,
    turns: int = 1,
    settings_wrong: Sequence[str] = (),
) -> CollapseAnswer:
    """Collapse messages passed in; the answer's `messages` has their shape.

    Raises:
        EngineError: the messages hold no finished exchange.
        StoreError: the store cannot be read or written.
    """
    collapse = _collapse(turns)
    request = replace(request, decide=collapse.decide)
    pruned, messages = prune_array(store, conversation, request)
    answer = _answer(pruned, request, collapse, settings_wrong)
    answer.messages = messages
    return answer


def collapse_session(
    store: Store,
    conversation: Conversation,
    memory: Memory | None,
    request: Request,
    turns: int = 1,
    settings_wrong: Sequence[str] = (),
) -> tuple[CollapseAnswer, Pruned, Memory]:
    """Collapse exchanges of a session on disk: the block is recorded in its plan, the file stays as it is.

    `memory` is what an earlier prune of it left in this process; the new one comes back, with the view.

    Raises:
        EngineError: the session holds no finished exchange.
        SessionError: its source changed while it was read.
        StoreError: the store cannot be read or written.
    """
    collapse = _collapse(turns)
    request = replace(request, decide=collapse.decide)
    pruned, memory = prune(store, conversation, memory, request)
    return _answer(pruned, request, collapse, settings_wrong), pruned, memory


def _collapse(turns: int) -> Collapse:
    if turns < 1:
        raise EngineError(f"turns={turns}: name at least one exchange to collapse.")
    return Collapse(turns)


def _answer(pruned: Pruned, request: Request, collapse: Collapse, settings_wrong: Sequence[str]) -> CollapseAnswer:
    told = shape(pruned, request, settings_wrong)
    answer = CollapseAnswer(**{each.name: getattr(told, each.name) for each in fields(PruneAnswer)})
    draft = collapse.draft
    if draft is None:
        answer.why = NOTHING if answer.why != "thinking-bound" else answer.why
        answer.summary = f"Nothing is left to collapse{_passed(collapse.passed)}."
        return answer
    answer.turns, answer.block, answer.text = len(draft.exchanges), f"b{draft.block.number}", draft.block.text
    answer.prompts = [_prompt(pruned.situation, exchange) for exchange in draft.exchanges]
    answer.done, answer.said = _done(draft.told.activity), _said(draft.told)
    answer.closed = draft.told.closed
    answer.usage = asdict(draft.told.usage) if draft.told.usage else None
    answer.summary = _summary(answer, collapse)
    return answer


def _prompt(situation: Situation, exchange: Exchange) -> str:
    """How a prompt begins."""
    message = situation.conversation.messages[exchange.start]
    texts = (situation.conversation.text(block) for block in message.blocks if block.kind == "text")
    return one_line(next((text for text in texts if text.strip()), ""), PROMPT_CHARS)


def _said(told: Collapsed) -> str:
    return told.said if len(told.said) <= SAID_CHARS else f"{told.said[:SAID_CHARS]}..."


def _done(done: Activity) -> dict[str, Any]:
    """What was done, as a JSON value: lists with their count and their newest items."""
    ran = [times(label, count) for label, count in done.ran.items()]
    return {
        "calls": done.calls,
        "modified": _listed(done.modified),
        "read": _listed(done.read),
        "commands": {"count": done.commands, "looked": done.looked, "other": _listed(ran)},
        "others": _listed([times(tool, count) for tool, count in done.others.items()]),
        "checks": _listed([asdict(check) for check in done.checks]),
        "failures": {
            "count": len(done.failures),
            "shown": [asdict(each) for each in telling(done.failures, MOST)],
        },
        "commits": _listed([asdict(commit) for commit in done.commits]),
    }


def _listed(items: list[Any]) -> dict[str, Any]:
    return {"count": len(items), "shown": newest(items)}


def _summary(answer: CollapseAnswer, collapse: Collapse) -> str:
    asked = f" of {collapse.turns} asked for" if answer.turns < collapse.turns else ""
    done = f"{counted(answer.turns, 'finished exchange')}{asked}"
    passed = _passed(collapse.passed)
    if answer.why == "thinking-bound" and answer.effect == "advisory":
        return (
            f"{done} recorded as {answer.block}{passed}. Nothing is edited before signed thinking of the open "
            "exchange: the summary takes their place once that exchange is closed."
        )
    saved = answer.tokens_before - answer.tokens_after
    return (
        f"{done} collapsed to {answer.block}{passed}: {answer.tokens_before:,} tokens before, "
        f"{answer.tokens_after:,} after, {saved:,} less."
    )


def _passed(passed: dict[str, int]) -> str:
    """Which exchanges were passed over."""
    told = [f"{count:,} {reason}" for reason, count in passed.items()]
    return f" (passed over: {', '.join(told)})" if told else ""
