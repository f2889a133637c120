"""The ledger: what pruning a session saved, what that cost, and what recoveries took back.

All but the recoveries and the models' usage is told by the records of the plan themselves, so that nothing is
charged twice, and nothing stays charged that the plan no longer holds.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields

from prune_mcp.engine.answers import RecoverAnswer
from prune_mcp.engine.prune.words import counting, words_of
from prune_mcp.engine.recovery.fence import shape_item
from prune_mcp.engine.summaries.usage import together
from prune_mcp.pruning.note import bare
from prune_mcp.pruning.options import ErrorOptions
from prune_mcp.pruning.purge import shrink
from prune_mcp.sessions.content import compact_json
from prune_mcp.sessions.tokens import IMAGE_TOKENS, text_tokens, tokens, utf8_size
from prune_mcp.storage.codec import decode
from prune_mcp.storage.errors import BodyDamaged, StoreError
from prune_mcp.storage.protocol import Store
from prune_mcp.storage.records import ChainBlock, ModelUsage, Output, Recoveries

# Seconds: a recovery does not wait longer to be charged.
WAIT = 0.5


@dataclass(slots=True)
class Ledger:
    """What the plan of one or more sessions comes to, in estimated tokens.

    `left_out`: originals that the plan leaves out of the view. `stubs`, `digests`, `summaries`, `blocks`: what
    stands for them; a digest is what a stub says below its header, a summary the same out of a model.
    `recovered`: what recoveries brought back, in so many `recoveries`. `uncounted`: what is damaged and cannot
    tell its size.
    """

    left_out: int = 0
    stubs: int = 0
    digests: int = 0
    summaries: int = 0
    blocks: int = 0
    recovered: int = 0
    recoveries: int = 0
    uncounted: int = 0
    usage: dict[str, ModelUsage] = field(default_factory=dict)

    @property
    def spent(self) -> int:
        """What stands for the originals."""
        return self.stubs + self.digests + self.summaries + self.blocks

    @property
    def net(self) -> int:
        """What is saved in the end."""
        return self.left_out - self.spent - self.recovered

    def add(self, other: Ledger) -> None:
        """Add another session's."""
        for each in fields(self):
            if each.name != "usage":
                setattr(self, each.name, getattr(self, each.name) + getattr(other, each.name))
        usages = together([*self.usage.values(), *other.usage.values()])
        self.usage = {usage.model: usage for usage in usages}


def ledger(store: Store, session: str, purged: ErrorOptions | None = None) -> Ledger:
    """One session's ledger; `purged`: how arguments of failed calls are shown, the default way if None.

    Raises:
        StoreError: the store cannot be read.
    """
    told = Ledger()
    blocks = {block.number: block for block in counting(store.blocks(session))}
    covered = {ref for block in blocks.values() for ref in block.refs}
    outputs = store.outputs(session)
    for output in outputs:
        if output.ref in covered or output.stub:
            told.left_out += tokens(output.size, output.images)
        if output.ref not in covered:
            _spend(told, output)
    _count_blocks(store, told, blocks)
    _count_arguments(store, told, session, [o for o in outputs if o.error and o.ref not in covered], purged)
    recovered = store.recoveries(session)
    told.recovered, told.recoveries = recovered.tokens, recovered.count
    told.usage = {usage.model: usage for usage in store.model_usage(session)}
    return told


def charge_recovery(store: Store, answer: RecoverAnswer) -> None:
    """Charge what an answer brings back, header and fence included, to each item's session.

    Recovering never fails for that: where the store cannot be written now, the answer says so.
    """
    brought: dict[str, Recoveries] = {}
    several = len({item.session for item in answer.items}) > 1
    for item in answer.items:
        before = brought.get(item.session, Recoveries())
        weight = text_tokens(shape_item(item, several)) + IMAGE_TOKENS * len(item.images)
        brought[item.session] = Recoveries(before.count + 1, before.tokens + weight)
    if not brought:
        return
    try:
        with store.write(wait=WAIT) as writer:
            for session, recovered in brought.items():
                writer.charge_recovery(session, recovered)
    except StoreError:
        answer.notes.append("this recovery is not counted in the ledger: the store cannot be written now")


def _spend(told: Ledger, output: Output) -> None:
    """Charge what stands for one output: its header, and what is said below."""
    said = bare(output.stub)
    below = text_tokens(said) - text_tokens(said.partition("\n")[0])
    told.stubs += text_tokens(output.stub) - below
    if output.state == "summary":
        told.summaries += below
    else:
        told.digests += below


def _count_blocks(store: Store, told: Ledger, blocks: Mapping[int, ChainBlock]) -> None:
    """Charge the blocks that stand in the view, and count what each of all replaced."""
    inside = {number for block in blocks.values() for number in block.blocks if number != block.number}
    for block in blocks.values():
        if block.number not in inside:
            told.blocks += text_tokens(block.text)
        try:
            told.left_out += block.words if block.words >= 0 else words_of(store, blocks, block)
        except BodyDamaged:
            told.uncounted += 1


def _count_arguments(
    store: Store, told: Ledger, session: str, failed: list[Output], purged: ErrorOptions | None
) -> None:
    """Count the arguments of failed calls that the view shows shrunk."""
    options = purged or ErrorOptions()
    if not failed or not options.enabled:
        return
    facets = store.facets(session)
    for output in failed:
        sha = facets.get((output.ref, "args"))
        if sha is None:
            continue
        try:
            whole = decode(store.body(sha))
        except BodyDamaged:
            told.uncounted += 1
            continue
        shown = compact_json(shrink(json.loads(whole), options.max_string_chars, f"t{output.ref}:args"))
        name = utf8_size(output.tool)
        told.left_out += tokens(name + utf8_size(whole))
        told.stubs += tokens(name + utf8_size(shown))
