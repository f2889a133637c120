"""Prune: archive, decide, keep, render, measure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from prune_mcp.engine.forks import inherit
from prune_mcp.engine.memory import Memory, draft_record, remember
from prune_mcp.engine.prune.archive import Progress, archive, archive_calls
from prune_mcp.engine.prune.measure import Measure, measure, raw_tokens
from prune_mcp.engine.prune.plan import Overtaken, Plan, decide, keep, with_decisions
from prune_mcp.engine.prune.shown import shown_refs
from prune_mcp.engine.prune.sweep import Swept, swept
from prune_mcp.engine.prune.thoughts import keep_thoughts, show_thoughts
from prune_mcp.engine.summaries.summaries import Summaries, Unanswered
from prune_mcp.pruning.names import Seen
from prune_mcp.pruning.options import PruneOptions
from prune_mcp.pruning.pairing import pair
from prune_mcp.pruning.render import Rendered, render
from prune_mcp.pruning.resolve import resolve
from prune_mcp.pruning.situation import Situation, survey
from prune_mcp.pruning.visible import add_blocks, visible
from prune_mcp.sessions.messages.open import MessageConversation
from prune_mcp.sessions.model import Conversation
from prune_mcp.sessions.view import View
from prune_mcp.storage.codec import encode
from prune_mcp.storage.protocol import Store
from prune_mcp.storage.records import Diagnostic

# Another process may decide on the same session in between; each try starts from its decisions.
TRIES = 5


@dataclass(slots=True)
class Request:
    """What a caller asks of one prune. With `whole` nothing is expected to come after what is rendered: then a
    call of the newest turn that still waits for its result counts as an orphan too. `decide` decides in the place
    of a prune's own steps. `summaries`: what models wrote, and the questions to them that a try leaves open."""

    options: PruneOptions
    note: str = ""
    keep_turns: int | None = None
    dry_run: bool = False
    whole: bool = False
    progress: Progress | None = None
    decide: Callable[[Situation, Memory], Plan] | None = None
    summaries: Summaries | None = None

    @property
    def keep(self) -> int:
        """How many of the newest turns stay whole."""
        return self.options.keep_turns if self.keep_turns is None else self.keep_turns


@dataclass(slots=True)
class Pruned:
    """A prune as done: the view, what it weighs, and the plan behind it.

    `swept`: orphans were edited before, so the messages differ even where the view is empty.
    """

    situation: Situation
    rendered: Rendered
    measure: Measure
    plan: Plan
    refs: list[str]
    diagnostics: list[Diagnostic]
    swept: bool = False
    dry_run: bool = False

    @property
    def view(self) -> View:
        """The edits of what leaves: none in a dry run, whose refs do not all exist yet."""
        return View() if self.dry_run else self.rendered.view

    @property
    def edited(self) -> bool:
        """Whether what leaves differs from what came, or would without a dry run."""
        return self.swept or bool(self.rendered.view)


def prune_array(
    store: Store, conversation: MessageConversation, request: Request
) -> tuple[Pruned, list[Any] | dict[str, Any]]:
    """Prune messages passed in; returns them pruned, in their shape.

    Raises:
        StoreError: the store cannot be read or written.
    """
    memory = recall(store, conversation)
    clean = Swept(conversation) if request.dry_run else swept(store, conversation, memory, request.options)
    same = clean.conversation is conversation
    pruned, _ = prune(store, clean.conversation, memory if same else None, request)
    if not same:
        pruned.swept = True
        pruned.measure.before = raw_tokens(conversation)
        pruned.diagnostics[:0] = clean.diagnostics
    return pruned, clean.conversation.rebuild(clean.conversation.render(pruned.view))


def prune(
    store: Store, conversation: Conversation, memory: Memory | None, request: Request
) -> tuple[Pruned, Memory]:
    """Prune a conversation; `memory` is what an earlier prune of it left in this process.

    Raises:
        StoreError: the store cannot be read or written; what was acknowledged before is kept.
        Unanswered: `request.summaries` has open questions; outputs were archived, and nothing was decided.
    """
    for _ in range(TRIES):
        if memory is None or store.version() != memory.version:
            memory = recall(store, conversation)
        try:
            return _attempt(store, conversation, memory, request), memory
        except Overtaken:
            memory = None
    raise Overtaken(f"other processes keep pruning session {conversation.session}; try again in a moment")


def recall(store: Store, conversation: Conversation) -> Memory:
    """Read the session's records; a session that the store does not know yet is made known, or inherits."""
    record = store.session(conversation.session)
    if record is None:
        with store.write() as writer:
            record = writer.session(draft_record(conversation))
            inherit(writer, store, conversation)
        record = store.session(conversation.session) or record
    return remember(store, record)


def _attempt(store: Store, conversation: Conversation, memory: Memory, request: Request) -> Pruned:
    pairing = pair(conversation.messages, conversation.format)
    archive(store, conversation, memory, pairing, request.progress)
    if not request.whole:
        pairing.wait(conversation.messages)
    archive_calls(store, conversation, memory, [block for _, block in pairing.calls])
    frontier = memory.record.frontier
    outputs, blocks = memory.of_place(), memory.blocks
    situation = survey(conversation, outputs, blocks, frontier, request.options, pairing, memory.protected)
    if request.decide:
        plan = request.decide(situation, memory)
    else:
        seen = _seen(situation, memory)
        plan = decide(situation, memory, seen, request.note, request.keep, request.summaries)
    if request.summaries and request.summaries.opened():
        memory.seen = None
        raise Unanswered(memory)
    if not request.dry_run:
        keep(store, situation, memory, plan)
    memory.seen = None if request.dry_run or request.decide else plan.seen
    memory.seen_upto = max(0, len(conversation.messages) - 1)
    situation = _after(situation, plan, memory, request.dry_run)
    return _render(store, situation, memory, plan, request)


def _seen(situation: Situation, memory: Memory) -> Seen:
    """The names in view, counted on from the last prune of this conversation where there was one.

    The newest message of then may have grown since, so it is counted again.
    """
    if memory.seen is None:
        seen = visible(situation, without=resolve(situation).dropped)
        add_blocks(seen, memory.blocks)
    else:
        seen = visible(situation, seen=memory.seen, start=memory.seen_upto)
    return seen


def _after(situation: Situation, plan: Plan, memory: Memory, dry_run: bool) -> Situation:
    after = with_decisions(situation, plan.decision)
    blocks = [*memory.blocks, *plan.blocks] if dry_run else list(memory.blocks)
    return replace(after, blocks=blocks)


def _render(store: Store, situation: Situation, memory: Memory, plan: Plan, request: Request) -> Pruned:
    orphans = {place: memory.outputs[ref] for place, ref in memory.orphans.items()}
    rendered = render(situation, orphans)
    if request.dry_run:
        show_thoughts(situation, memory, rendered, memory.record.next_block + len(plan.blocks))
    else:
        _keep_arguments(store, situation, memory, rendered)
        situation = keep_thoughts(store, situation, memory, rendered)
    weight = measure(situation, rendered)
    if weight.after > weight.before and not rendered.view.notes:
        weight = _give_up(situation, rendered, weight)
    if not request.dry_run:
        _diagnose(store, situation, rendered)
    shown = Rendered(View(), rendered.resolved) if request.dry_run else rendered
    refs = shown_refs(situation, shown, memory.outputs)
    diagnostics = [*plan.decision.diagnostics, *rendered.diagnostics]
    return Pruned(situation, rendered, weight, plan, refs, diagnostics, dry_run=request.dry_run)


def _give_up(situation: Situation, rendered: Rendered, weight: Measure) -> Measure:
    """Leave everything as it came: what is said of little thinking can weigh more than all stubs save."""
    detail = f"original returned: the view would hold {weight.after:,} tokens instead of {weight.before:,}"
    rendered.diagnostics.append(Diagnostic("larger-view", "", detail))
    rendered.view, rendered.purged = View(), {}
    return measure(situation, rendered)


def _keep_arguments(store: Store, situation: Situation, memory: Memory, rendered: Rendered) -> None:
    """Keep the whole arguments of purged calls before a view without them leaves."""
    blocks = {b.place: b for m in situation.conversation.messages for b in m.calls} if rendered.purged else {}
    missing = [
        (blocks[place], output)
        for place, (output, _) in rendered.purged.items()
        if (output.ref, "args") not in memory.facets
    ]
    if not missing:
        return
    with store.write() as writer:
        for block, output in missing:
            data = encode(situation.conversation.text(block))
            writer.facet(situation.conversation.session, output.ref, "args", data)
    memory.facets.update((output.ref, "args") for _, output in missing)


def _diagnose(store: Store, situation: Situation, rendered: Rendered) -> None:
    if rendered.diagnostics:
        with store.write() as writer:
            writer.diagnose(situation.conversation.session, rendered.diagnostics)
