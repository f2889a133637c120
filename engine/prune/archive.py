"""Archive first: every tool output of a conversation is in the store, with a ref, before any decision about it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import orjson

from prune_mcp.engine.memory import Memory, draft_record
from prune_mcp.engine.prune.occurrences import Matcher, by_call
from prune_mcp.pruning.equality import equality_hash
from prune_mcp.pruning.pairing import Pairing
from prune_mcp.pruning.stub import key_argument
from prune_mcp.sessions.model import Block, Conversation, Place
from prune_mcp.storage.codec import digest, encode
from prune_mcp.storage.protocol import Store, Writer
from prune_mcp.storage.records import Output

Progress = Callable[[float, float, str], None]
# Outputs are written in slices of about this many bytes, so that a long transcript is never held in memory.
SLICE_BYTES = 8 * 1024 * 1024


@dataclass(slots=True)
class Draft:
    """An output on its way into the store: where it stands, its record, its body, and what goes beside it."""

    place: Place
    output: Output
    body: bytes
    facets: list[tuple[str, bytes]] = field(default_factory=list)


def archive(
    store: Store,
    conversation: Conversation,
    memory: Memory,
    pairing: Pairing,
    progress: Progress | None = None,
) -> None:
    """Bring every result that is not yet in the store there, in slices; each slice is kept whole."""
    blocks = conversation.archive(memory.archived)
    if not blocks:
        return
    matcher = Matcher(conversation, memory)
    drafts: list[Draft] = []
    size = 0
    for number, block in enumerate(blocks):
        draft = _draft(conversation, memory, matcher, pairing.call_of, block)
        if draft is not None:
            drafts.append(draft)
            size += len(draft.body)
        if size >= SLICE_BYTES:
            _write(store, conversation, memory, drafts)
            drafts, size = [], 0
            if progress is not None:
                progress(number + 1, len(blocks), "archiving outputs")
    _write(store, conversation, memory, drafts)
    memory.archived += len(blocks)


def archive_calls(store: Store, conversation: Conversation, memory: Memory, calls: Sequence[Block]) -> None:
    """Give each call without a result a record of its own, its arguments beside it."""
    drafts = []
    missing = [block for block in calls if block.place not in memory.orphans]
    outputs = by_call(memory) if missing else {}
    for block in missing:
        entry = conversation.entries[block.place.entry].id
        empty = digest(b"")
        known = [o for o in outputs.get(block.call_id, ()) if o.entry == entry and o.sha == empty]
        if known:
            memory.orphans[block.place] = known[0].ref
            continue
        key = key_argument(block.tool, conversation.arguments(block))
        output = Output(0, block.call_id, entry, empty, norm=empty, tool=block.tool, key=key)
        arguments = encode(conversation.text(block))
        drafts.append(Draft(block.place, output, b"", [("args", arguments)]))
    _write(store, conversation, memory, drafts, orphans=True)


def _draft(
    conversation: Conversation, memory: Memory, matcher: Matcher, calls: dict[Place, Block], block: Block
) -> Draft | None:
    text = conversation.text(block)
    body = encode(text)
    sha = digest(body)
    images = conversation.images(block) if block.images else []
    norm = equality_hash(text, sha, images)
    known, entry = matcher.match(block, sha, norm, text)
    if known is not None:
        matcher.claim(block.place, known)
        # What the store lost of a known output is written anew while the conversation still has it.
        return Draft(block.place, known, body) if sha in memory.missing else None
    call = calls.get(block.place) or conversation.called(block)
    output = Output(
        ref=0,
        call_id=block.call_id,
        entry=entry,
        sha=sha,
        norm=norm,
        tool=block.tool or (call.tool if call is not None else ""),
        key=key_argument(call.tool, conversation.arguments(call)) if call is not None else "",
        error=block.error,
        chars=block.chars,
        size=block.size,
        lines=_lines(text),
        images=block.images,
    )
    return Draft(block.place, output, body, _facets(conversation, block, images))


def _lines(text: str) -> int:
    return text.count("\n") + (not text.endswith("\n")) if text else 0


def image_body(media_type: str, data: str) -> bytes:
    """The body that keeps an image; `data` is base64."""
    return orjson.dumps({"media_type": media_type, "data": data})


def _facets(
    conversation: Conversation, block: Block, images: Sequence[tuple[str, str]]
) -> list[tuple[str, bytes]]:
    facets = [
        (f"image{number}", image_body(media_type, data)) for number, (media_type, data) in enumerate(images, 1)
    ]
    full = conversation.persisted(block)
    if full is not None:
        facets.append(("full", encode(full)))
    return facets


def _write(
    store: Store, conversation: Conversation, memory: Memory, drafts: list[Draft], orphans: bool = False
) -> None:
    if not drafts:
        return
    with store.write() as writer:
        writer.session(draft_record(conversation))
        kept = writer.archive(conversation.session, [(draft.output, draft.body) for draft in drafts])
        for draft, output in zip(drafts, kept, strict=True):
            _keep_facets(writer, conversation.session, draft, output)
    memory.keep(kept)
    memory.missing.difference_update(output.sha for output in kept)
    places = memory.orphans if orphans else memory.places
    for draft, output in zip(drafts, kept, strict=True):
        places[draft.place] = output.ref
        memory.facets.update((output.ref, name) for name, _ in draft.facets)


def _keep_facets(writer: Writer, session: str, draft: Draft, output: Output) -> None:
    for name, data in draft.facets:
        writer.facet(session, output.ref, name, data)
