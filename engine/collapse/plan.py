"""The plan of one collapse: which exchanges it takes, and the block that stands for what was done in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from prune_mcp.engine.answers import EngineError
from prune_mcp.engine.collapse.steps import said_last, steps
from prune_mcp.engine.collapse.usage import used
from prune_mcp.engine.memory import Memory
from prune_mcp.engine.prune.plan import Plan
from prune_mcp.engine.recovery.refs import fold
from prune_mcp.engine.usage.reported import Response, responses
from prune_mcp.pruning.activity.activity import activity
from prune_mcp.pruning.chains import Span, span_tokens
from prune_mcp.pruning.collapse import finished, refusal, span_of
from prune_mcp.pruning.collapse_block import Collapsed, collapse_text
from prune_mcp.pruning.decision import Decision
from prune_mcp.pruning.exchanges import Exchange
from prune_mcp.pruning.fence import protected_output
from prune_mcp.pruning.names import Seen
from prune_mcp.pruning.note import LEGEND, with_legend
from prune_mcp.pruning.resolve import Resolved, resolve, unique_ids
from prune_mcp.pruning.situation import Situation
from prune_mcp.sessions.model import Block
from prune_mcp.sessions.tokens import text_tokens
from prune_mcp.storage.records import ChainBlock

# Why an exchange is not taken, as said of it.
NOT_SMALLER = "that a summary would not make smaller"
UNCERTAIN = "that cannot be told from others"


@dataclass(slots=True)
class Draft:
    """A collapse in the making: its exchanges, what their block stands for and says, and why it cannot be."""

    exchanges: list[Exchange]
    span: Span
    told: Collapsed
    block: ChainBlock
    wrong: str = ""


@dataclass(slots=True)
class Collapse:
    """Decides, in place of a prune, to collapse the newest `turns` finished exchanges that still hold work.

    `draft`: what was decided, None where there was nothing left to collapse. `passed`: why other finished
    exchanges were passed over, in numbers of exchanges.
    """

    turns: int
    draft: Draft | None = None
    passed: dict[str, int] = field(default_factory=dict)
    _responses: list[Response] | None = None
    _ids: dict[str, int] = field(default_factory=dict)

    def decide(self, situation: Situation, memory: Memory) -> Plan:
        """The plan.

        Raises:
            EngineError: the conversation holds no finished exchange.
        """
        if sentence := refusal(situation):
            raise EngineError(sentence)
        self.draft, number = self._choose(situation, memory), memory.record.flushes + 1
        plan = Plan(Decision(number, frontier=situation.frontier), Seen())
        if self.draft:
            plan.blocks.append(replace(self.draft.block, flush=number))
            plan.spans.append(self.draft.span)
            plan.outcomes.append(_outcome(situation, self.draft))
        passed = self.passed.items()
        plan.outcomes += [{"step": "collapse", "reason": f"exchanges {why}", "exchanges": n} for why, n in passed]
        return plan

    def _choose(self, situation: Situation, memory: Memory) -> Draft | None:
        """The exchanges to take: each would be worth it alone, or stands between two that are."""
        resolved, number = resolve(situation), memory.record.next_block
        # A block stands where its first and last message can be told from all others.
        self._ids = unique_ids(situation)
        looked = self._looked(situation, resolved, number)
        taken = [at for at, (_, draft) in enumerate(looked) if draft and not draft.wrong]
        draft = looked[taken[0]][1] if taken else None
        inside = range(taken[0], taken[-1] + 1) if taken else range(0)
        if len(taken) > 1:
            exchanges = [each.exchanges[0] for at in reversed(inside) if (each := looked[at][1])]
            whole = self._draft(situation, resolved, exchanges, number)
            draft, inside = (draft, range(taken[0], taken[0] + 1)) if whole.wrong else (whole, inside)
        self.passed = dict(Counter(w for at, (w, each) in enumerate(looked) if w and not (each and at in inside)))
        return draft

    def _looked(self, situation: Situation, resolved: Resolved, number: int) -> list[tuple[str, Draft | None]]:
        """The finished exchanges, the newest first, until so many are found that are worth it; each with why it is
        passed over, and with what would stand for it where anything could."""
        looked: list[tuple[str, Draft | None]] = []
        left = self.turns
        for exchange, why in finished(situation, resolved):
            draft = None if why else self._draft(situation, resolved, [exchange], number)
            wrong = draft.wrong if draft else why
            looked.append((wrong, draft))
            left -= not wrong
            if not left:
                break
        return looked

    def _draft(self, situation: Situation, resolved: Resolved, exchanges: list[Exchange], number: int) -> Draft:
        span = span_of(situation, exchanges, resolved)
        told = self._told(situation, exchanges)
        results = [b for b in span.blocks(situation.conversation.messages) if b.kind == "result"]
        refs = [situation.outputs[block.place].ref for block in results]
        text = collapse_text(number, ",".join(fold("t", refs)), told, _moved(situation, results))
        text = text if _explained(situation) else with_legend(text)
        start, end = (situation.conversation.messages[index].id for index in (span.start, span.end))
        thinking = _thinking(situation, resolved, span)
        block = ChainBlock(number, "collapse", start, end, text, "", refs, thinking)
        draft = Draft(exchanges, span, told, block)
        if text_tokens(text) >= span_tokens(situation, span):
            draft.wrong = NOT_SMALLER
        elif not {start, end} <= self._ids.keys():
            draft.wrong = UNCERTAIN
        return draft

    def _told(self, situation: Situation, exchanges: Sequence[Exchange]) -> Collapsed:
        newest, conversation = exchanges[-1], situation.conversation
        if self._responses is None:
            self._responses = responses(conversation)
        return Collapsed(
            exchanges=len(exchanges),
            activity=activity(steps(situation, exchanges), conversation.cwd),
            said=said_last(situation, newest),
            closed=newest.final is not None,
            usage=used(self._responses, exchanges),
        )


def _thinking(situation: Situation, resolved: Resolved, span: Span) -> list[int]:
    """The blocks that stand for thinking of exchanges in the span, which the new one takes in."""
    starts = {each.start for each in situation.exchanges if span.start <= each.start <= span.end}
    ids = {situation.conversation.messages[index].id for index in starts.difference(resolved.documented)}
    return [block.number for block in situation.blocks if block.kind == "thinking" and block.start in ids]


def _moved(situation: Situation, results: Sequence[Block]) -> list[str]:
    """The protected outputs among the results, which stay whole behind the block."""
    moved = []
    for block in results:
        output = situation.outputs[block.place]
        if not output.stub and situation.protected(block) is not None:
            moved.append(protected_output(output.tool, output.ref, situation.conversation.text(block)))
    return moved


def _explained(situation: Situation) -> bool:
    """Whether the view says already how refs are used."""
    texts = [*(o.stub for o in situation.outputs.values()), *(b.text for b in situation.blocks)]
    return any(LEGEND in text for text in texts)


def _outcome(situation: Situation, draft: Draft) -> dict[str, object]:
    usage = draft.told.usage
    counted = (
        {"requests": usage.requests, "prompt_tokens": usage.prompt, "output_tokens": usage.output} if usage else {}
    )
    return {
        "step": "collapse",
        "reason": "finished exchanges as one summary",
        "exchanges": len(draft.exchanges),
        "messages": len(draft.span.dropped),
        "outputs": len(draft.block.refs),
        "tokens_before": span_tokens(situation, draft.span),
        "tokens_after": text_tokens(draft.block.text),
        **counted,
    }
