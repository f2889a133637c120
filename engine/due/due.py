"""Whether a session is due to be pruned: what the triggers look at, measured over the session as it is now.

Nothing is archived and nothing decided: what the store's plan says of each output is held beside the session.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from prune_mcp.engine.due.flush_state import FlushState, mark
from prune_mcp.engine.usage.options import UsageOptions
from prune_mcp.engine.usage.reported import Reported, reported
from prune_mcp.engine.usage.windows import models
from prune_mcp.pruning.candidates import undecided
from prune_mcp.pruning.decision import Candidate
from prune_mcp.pruning.options import PruneOptions
from prune_mcp.pruning.pairing import pair
from prune_mcp.pruning.situation import Situation, survey
from prune_mcp.pruning.trigger_options import TriggerOptions
from prune_mcp.pruning.triggers import Moment, Trigger, TriggerState, Usage, reminder, should_flush, why_not
from prune_mcp.sessions.model import Block, Conversation, Message, Place
from prune_mcp.sessions.tokens import tokens
from prune_mcp.storage.protocol import Store
from prune_mcp.storage.records import Output, SessionRecord


@dataclass(frozen=True, slots=True)
class DueRequest:
    """What a caller asks, and what it knows better than the session tells: `moment`, `tokens` in the context and
    the model's `window` (None: as the session tells), `model` ("": the same). `reloaded`: the session was just
    started or loaded, or went to another branch. `looking`: all that could be pruned counts as new, whatever was
    asked before."""

    prune: PruneOptions = field(default_factory=PruneOptions)
    triggers: TriggerOptions = field(default_factory=TriggerOptions)
    usage: UsageOptions = field(default_factory=UsageOptions)
    keep_turns: int | None = None
    moment: Moment | None = None
    tokens: int | None = None
    window: int | None = None
    model: str = ""
    reloaded: bool = False
    looking: bool = False


@dataclass(slots=True)
class Due:
    """Whether to prune a session now. `trigger`: what is met, None for nothing; `reason`: its sentence, or why
    nothing is met. `usage`: what was looked at. `reminder`: what to tell a model that prunes by itself, "" for
    nothing. `notes`: what could not be kept of this asking."""

    session: str
    trigger: Trigger | None
    reason: str
    usage: Usage
    reminder: str
    notes: list[str] = field(default_factory=list)


def due(
    store: Store, conversation: Conversation, kept: FlushState | None, request: DueRequest
) -> tuple[Due, FlushState]:
    """Whether to prune a conversation now, and the state to keep until it is asked again; `kept` is that of the
    last time.

    Raises:
        SessionError: its source changed while it was read.
        StoreError: the store cannot be read.
    """
    situation = _situation(store, conversation, request.prune)
    keep = request.prune.keep_turns if request.keep_turns is None else request.keep_turns
    pending = undecided(situation, keep)
    if request.looking and kept:
        kept = replace(kept, newest="")
    state, new = _since(situation, pending, kept, request.reloaded)
    usage = _usage(situation, pending, new, request)
    trigger = should_flush(usage, state, request.triggers)
    reason = trigger.reason if trigger else why_not(usage, state, request.triggers)
    told = Due(conversation.session, trigger, reason, usage, reminder(len(pending), request.triggers))
    return told, FlushState(state.passed(usage), _newest(situation, keep))


def _situation(store: Store, conversation: Conversation, options: PruneOptions) -> Situation:
    pairing = pair(conversation.messages, conversation.format)
    pairing.wait(conversation.messages)
    record = _record(store, conversation)
    blocks = store.blocks(conversation.session)
    outputs = _outputs(store, conversation, record)
    return survey(conversation, outputs, blocks, record.frontier, options, pairing)


def _record(store: Store, conversation: Conversation) -> SessionRecord:
    """What the store knows of the session; of a copy that it does not know yet, what that will inherit."""
    record = store.session(conversation.session)
    if record is None and conversation.path:
        from prune_mcp.engine.forks import source_of

        source = source_of(store, conversation)
        record = store.session(source[0]) if source else None
    return record or SessionRecord(conversation.session)


def _outputs(store: Store, conversation: Conversation, record: SessionRecord) -> dict[Place, Output]:
    """What the plan says of each result; one that is not archived yet counts as it would once it is."""
    find = _by_entry if conversation.path else _by_content
    known = find(store, conversation, record)
    found: dict[Place, Output] = {}
    for number, block in enumerate(block for message in conversation.messages for block in message.results):
        output = known(block)
        found[block.place] = output or Output(
            record.next_ref + number,
            block.call_id,
            "",
            "",
            chars=block.chars,
            size=block.size,
            images=block.images,
        )
    return found


def _by_entry(store: Store, conversation: Conversation, record: SessionRecord) -> Callable[[Block], Output | None]:
    """Results of a transcript by the entries they stand in: none of their texts need be read."""
    known = {(output.call_id, output.entry): output for output in store.outputs(record.id)}
    return lambda block: known.get((block.call_id, conversation.entries[block.place.entry].id))


def _by_content(
    store: Store, conversation: Conversation, record: SessionRecord
) -> Callable[[Block], Output | None]:
    """Results of messages passed in by what they say, as when they are archived."""
    from prune_mcp.engine.memory import Memory
    from prune_mcp.engine.prune.occurrences import Matcher
    from prune_mcp.pruning.equality import equality_hash
    from prune_mcp.storage.codec import digest, encode

    memory = Memory(record, blocks=store.blocks(record.id))
    memory.keep(store.outputs(record.id))
    matcher = Matcher(conversation, memory)

    def known(block: Block) -> Output | None:
        text = conversation.text(block)
        sha = digest(encode(text))
        norm = equality_hash(text, sha, conversation.images(block) if block.images else ())
        output, _ = matcher.match(block, sha, norm, text)
        if output is not None:
            matcher.claim(block.place, output)
        return output

    return known


def _since(
    situation: Situation, pending: Sequence[Candidate], kept: FlushState | None, reloaded: bool
) -> tuple[TriggerState, int]:
    """The triggers' state now, and how many of the pending results could not be pruned at the last asking.

    Where the result that was the newest then is gone, the session was compacted or went to another branch.
    """
    if kept is None and not reloaded:
        return TriggerState(), len(pending)
    order = {block.place: number for number, (_, block, _) in enumerate(situation.results())}
    last = -1
    if kept and kept.newest:
        marked = (order[b.place] for _, b, _ in situation.results() if mark(b.call_id) == kept.newest)
        last = max(marked, default=-1)
        reloaded = reloaded or last < 0
    if reloaded or kept is None:
        return TriggerState.reloaded(len(pending)), 0
    return kept.trigger, sum(order[candidate.block.place] > last for candidate in pending)


def _newest(situation: Situation, keep: int) -> str:
    """The mark of the newest result that is older than the newest `keep` turns, "" for none."""
    old = [block for index, block, _ in situation.results() if situation.ages[index] >= keep]
    return mark(old[-1].call_id) if old else ""


def _usage(situation: Situation, pending: Sequence[Candidate], new: int, request: DueRequest) -> Usage:
    conversation = situation.conversation
    told = reported(conversation)
    window = request.window
    if window is None:
        name = request.model or told.model
        window = models(request.usage).window(name, told.window)[0] or 0
    return Usage(
        tokens=_tokens(conversation, told) if request.tokens is None else request.tokens,
        window=window,
        moment=request.moment or _moment(situation),
        new_results=new,
        unpruned_results=len(pending),
        gap_tokens=sum(tokens(each.output.size, each.output.images) for each in pending),
        waiting_calls=len(situation.pairing.waiting),
    )


def _moment(situation: Situation) -> Moment:
    """What a session says by itself: an exchange has ended where its newest one is answered."""
    ended = situation.exchanges and not situation.exchanges[-1].open and not situation.pairing.waiting
    return "exchange" if ended else "turn"


def _tokens(conversation: Conversation, told: Reported) -> int | None:
    """The provider's newest count with an estimate of what came after, else the estimate of all.

    Right after a compaction neither is of use: the next count would look as if the context had grown by all that
    the estimates do not hold.
    """
    messages = conversation.messages
    if told.last is not None:
        return told.last.prompt + told.last.output + _estimate(messages[told.last.message + 1 :])
    if conversation.path and any(message.summary for message in messages):
        return None
    return _estimate(messages)


def _estimate(messages: Iterable[Message]) -> int:
    return sum(tokens(block.size, block.images) for message in messages for block in message.blocks)
