"""The plan of one prune: decide, compress, and keep the decisions, in one transaction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from prune_mcp.engine.memory import Memory, draft_record
from prune_mcp.engine.prune.document import write_document
from prune_mcp.engine.prune.spans import Kept, replaced, span_text
from prune_mcp.engine.prune.words import words
from prune_mcp.engine.summaries.summaries import Summaries
from prune_mcp.pruning.chains import Span, span_tokens, spans
from prune_mcp.pruning.decision import Decision
from prune_mcp.pruning.flush import flush
from prune_mcp.pruning.names import Seen
from prune_mcp.pruning.note import LEGEND, with_legend, with_note
from prune_mcp.pruning.resolve import resolve
from prune_mcp.pruning.situation import Situation
from prune_mcp.pruning.visible import add_blocks, add_stubs, visible
from prune_mcp.sessions.tokens import text_tokens, tokens
from prune_mcp.storage.errors import StoreError
from prune_mcp.storage.protocol import Store
from prune_mcp.storage.records import BlockKind, ChainBlock, Flush

# The states of outputs whose stubs say by themselves what they stand for, and can carry a note.
SHOWN = ("stub", "summary")
# What a block says of its words where its document has to tell.
UNCOUNTED = -1
REASONS: dict[BlockKind, str] = {
    "chain": "closed chains past the rolling window",
    "open": "old turns of a long or interrupted exchange",
}


@dataclass(slots=True)
class Plan:
    """What one prune decided: the flush, the new blocks with their spans, and every step's outcome.

    `seen`: the names in view once the plan applies.
    """

    decision: Decision
    seen: Seen
    note: str = ""
    blocks: list[ChainBlock] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    outcomes: list[dict[str, Any]] = field(default_factory=list)

    @property
    def empty(self) -> bool:
        """Whether nothing was decided that the store must keep."""
        return not self.decision.outputs and not self.blocks and not self.note


def decide(
    situation: Situation, memory: Memory, seen: Seen, note: str, keep: int, summaries: Summaries | None = None
) -> Plan:
    """Decide on outputs first, then on spans, over what the stubs leave; the newest `keep` turns stay. What
    `summaries` does not tell has a digest."""
    if summaries:
        summaries.begin(situation.conversation.session)
    summarize = summaries.of_outputs if summaries else None
    decision = flush(situation, seen, memory.record.flushes + 1, keep, summarize)
    add_stubs(seen, decision.outputs)
    plan = Plan(decision, seen, note, outcomes=list(decision.outcomes))
    after = with_decisions(situation, decision)
    dropped = resolve(after).dropped
    found = spans(after, dropped, keep)
    plan.outcomes.extend(found.outcomes)
    if found.spans:
        # A count of names can be large; the old one goes before the new one is made.
        del seen
        plan.seen, memory.seen = Seen(), None
        plan.seen = _rest(after, dropped.union(*(span.dropped for span in found.spans)), memory)
        _compress_all(after, found.spans, memory, plan, summaries)
    _explain(after, plan)
    if summaries:
        plan.outcomes.extend(summaries.told())
        decision.diagnostics.extend(summaries.diagnostics)
    return plan


def _explain(situation: Situation, plan: Plan) -> None:
    """Show the note in the newest stub of this prune that stays in view, else in its newest block; say in the
    oldest stub how refs are used, unless the view says so already."""
    gone = {index for span in plan.spans for index in span.dropped}
    shown = [output for index, _, output in situation.results() if index not in gone and output.stub]
    new = {output.ref: number for number, output in enumerate(plan.decision.outputs) if output.state in SHOWN}
    stubs = [output.ref for output in shown if output.ref in new]
    noted = bool(plan.note and stubs) and _reword(plan, new[stubs[-1]], lambda stub: with_note(stub, plan.note))
    if plan.note and not noted and plan.blocks:
        plan.blocks[-1] = replace(plan.blocks[-1], text=with_note(plan.blocks[-1].text, plan.note))
    elif plan.note and not noted:
        plan.outcomes.append({"step": "note", "reason": "kept, but nothing was replaced that could show it"})
    if stubs and not any(LEGEND in output.stub for output in shown):
        _reword(plan, new[stubs[0]], with_legend)


def _reword(plan: Plan, number: int, reword: Callable[[str], str]) -> bool:
    """Add a line to a stub, unless it would then not be smaller than its output; whether it was added."""
    output = plan.decision.outputs[number]
    stub = reword(output.stub)
    if text_tokens(stub) >= tokens(output.size, output.images):
        return False
    plan.decision.outputs[number] = replace(output, stub=stub)
    plan.seen.add(stub)
    return True


def with_decisions(situation: Situation, decision: Decision) -> Situation:
    """The situation once these outputs are decided."""
    decided = {output.ref: output for output in decision.outputs}
    outputs = {place: decided.get(output.ref, output) for place, output in situation.outputs.items()}
    return replace(situation, outputs=outputs, frontier=decision.frontier)


def _rest(situation: Situation, gone: set[int], memory: Memory) -> Seen:
    """The names in view once these messages are gone; earlier blocks count as shown."""
    seen = visible(situation, without=gone)
    add_blocks(seen, memory.blocks)
    return seen


def _compress_all(
    situation: Situation, spans: list[Span], memory: Memory, plan: Plan, summaries: Summaries | None
) -> None:
    """Make a block of each span, unless it would not be smaller than what it stands for.

    A span refused at first may be worth it once later blocks say its names; so that the next prune finds
    nothing left to try, refused ones are tried again until none is taken.
    """
    waiting, taken = spans, True
    while waiting and taken:
        refused = [span for span in waiting if not _compress(situation, span, memory, plan, summaries)]
        taken = len(refused) < len(waiting)
        waiting = refused
    for kind, reason in REASONS.items():
        _tell(situation, plan, kind, reason)
    if waiting:
        messages = sum(len(span.dropped) for span in waiting)
        refusal = {"step": "chain", "reason": "the block would not be smaller", "chains": len(waiting)}
        plan.outcomes.append({**refusal, "messages": messages})


def _compress(situation: Situation, span: Span, memory: Memory, plan: Plan, summaries: Summaries | None) -> bool:
    number = memory.record.next_block + len(plan.blocks)
    text, refs = span_text(situation, span, number, plan.seen)
    if text_tokens(text) >= span_tokens(situation, span):
        return False
    if summaries and (fused := summaries.of_range(situation, span)):
        shorter, _ = span_text(situation, span, number, plan.seen, fused)
        text = min(text, shorter, key=text_tokens)
    plan.seen.add(text)
    start, end = (situation.conversation.messages[index].id for index in (span.start, span.end))
    plan.blocks.append(ChainBlock(number, span.kind, start, end, text, "", refs, flush=plan.decision.number))
    plan.spans.append(span)
    return True


def _tell(situation: Situation, plan: Plan, kind: BlockKind, reason: str) -> None:
    """One outcome for all new blocks of a kind."""
    made = [(b, s) for b, s in zip(plan.blocks, plan.spans, strict=True) if b.kind == kind]
    if made:
        outcome = {
            "step": "chain",
            "reason": reason,
            "blocks": len(made),
            "messages": sum(len(span.dropped) for _, span in made),
            "outputs": sum(len(block.refs) for block, _ in made),
            "tokens_before": sum(span_tokens(situation, span) for _, span in made),
            "tokens_after": sum(text_tokens(block.text) for block, _ in made),
        }
        plan.outcomes.append(outcome)


class Overtaken(StoreError):
    """Another process decided on this session in the meantime; read the records again."""


def keep(store: Store, situation: Situation, memory: Memory, plan: Plan) -> None:
    """Keep the plan's decisions, or none of them.

    Raises:
        Overtaken: another process flushed this session since its records were read.
    """
    frontier = plan.decision.frontier
    if plan.empty and frontier == situation.frontier:
        return
    session = situation.conversation.session
    with store.write() as writer:
        record = writer.session(draft_record(situation.conversation))
        if (record.flushes, record.next_block) != (memory.record.flushes, memory.record.next_block):
            raise Overtaken(session)
        writer.decide(session, plan.decision.outputs)
        kept = []
        beside = Kept(store, session)
        for block, span in zip(plan.blocks, plan.spans, strict=True):
            # One document at a time: together they hold everything that a long session said.
            segments = replaced(situation, span, memory.outputs, beside)
            body = writer.body(write_document(segments))
            # What blocks say that this one takes in is theirs to count.
            counted = UNCOUNTED if block.blocks else words(segments)
            kept.append(writer.block(session, replace(block, document=body, words=counted)))
        flushed = writer.flush(session, Flush(0, outcomes=plan.outcomes, note=plan.note, frontier=frontier))
        writer.diagnose(session, plan.decision.diagnostics)
    memory.keep(plan.decision.outputs)
    memory.blocks.extend(kept)
    next_block = record.next_block + len(kept)
    memory.record = replace(record, frontier=frontier, flushes=flushed.number, next_block=next_block)
