"""The archived document of a block: everything the block replaced, and how it reads when it is recovered.

The body is a JSON list of segments. Results stand in it by ref alone; their texts are pulled from their own
bodies when the document is read.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from prune_mcp.engine.answers import UnknownRef
from prune_mcp.engine.catalog import Catalog
from prune_mcp.engine.recovery.fence import inline, word
from prune_mcp.storage.codec import decode, encode
from prune_mcp.storage.errors import BodyDamaged
from prune_mcp.storage.protocol import Store
from prune_mcp.storage.records import ChainBlock, Output

SegmentKind = Literal["user", "assistant", "thinking", "call", "result", "note"]
Place = tuple[SegmentKind, str, int | None]


@dataclass(frozen=True, slots=True)
class Segment:
    """One piece of what a block replaced, of the entry `entry`.

    `ref`: the output that a call led to or a result is (None: there is none). `text`: of a call its arguments;
    None for a result whose text is that of `ref`.
    """

    kind: SegmentKind
    entry: str
    ref: int | None = None
    tool: str = ""
    text: str | None = None


@dataclass(slots=True)
class Document:
    """A block's document as read; `damaged` says of which refs the kept text is damaged, and how."""

    text: str = ""
    damaged: list[str] = field(default_factory=list)


def write_document(segments: Iterable[Segment]) -> bytes:
    """The body that keeps these segments, exactly, lone surrogates included."""
    rows = [{"kind": s.kind, "entry": s.entry, "ref": s.ref, "tool": s.tool, "text": s.text} for s in segments]
    return encode(json.dumps(rows, ensure_ascii=False, separators=(",", ":")))


def load_document(data: bytes) -> list[Segment]:
    """The segments that a body keeps."""
    return [Segment(**row) for row in json.loads(decode(data))]


def read_document(store: Store, session: str, block: int) -> str:
    """Everything that a block replaced, as one text: each segment under a line that says what it is.

    Raises:
        UnknownRef: the session has no such block.
        BodyDamaged: the document's own body is damaged.
    """
    catalog = Catalog(store)
    if block not in catalog.blocks(session):
        raise UnknownRef(f"The session {session} has no block b{block}.")
    return render_document(catalog, session, block).text


def render_document(catalog: Catalog, session: str, block: int) -> Document:
    """A block's document as it reads, and what in it is damaged.

    A segment's line is `--- KIND` with its ref, tool, status or entry, and `chars=N`, the length of the text
    that follows, so that no text can pass for the next line. Blocks that the block took in and that its own
    segments do not repeat come first.

    Raises:
        BodyDamaged: the document's own body is damaged.
    """
    document = Document()
    pieces = list(_pieces(catalog, session, catalog.blocks(session)[block], document.damaged, set()))
    document.text = "\n".join(pieces)
    return document


def _pieces(
    catalog: Catalog, session: str, block: ChainBlock, damaged: list[str], taken: set[int]
) -> Iterator[str]:
    """Each segment with its line, those of inner blocks first."""
    taken.add(block.number)
    segments = load_document(catalog.store.body(block.document))
    own = _places(segments)
    for number in block.blocks:
        inner = catalog.blocks(session).get(number)
        if inner is not None and number not in taken:
            yield from _inner(catalog, session, inner, damaged, taken, own)
    for segment in segments:
        yield from _segment(catalog, session, segment, damaged)


def _inner(
    catalog: Catalog,
    session: str,
    block: ChainBlock,
    damaged: list[str],
    taken: set[int],
    own: set[Place],
) -> Iterator[str]:
    """A block that another took in; nothing where the segments of that one (`own`) say it all."""
    try:
        segments = load_document(catalog.store.body(block.document))
        if _places(segments) <= own:
            return
        pieces = list(_pieces(catalog, session, block, damaged, taken))
    except BodyDamaged as error:
        damaged.append(f"b{block.number}: {error}")
        yield f"--- block b{block.number} damaged"
        return
    yield f"--- block b{block.number}"
    yield from pieces
    yield f"--- end of block b{block.number}"


def _places(segments: list[Segment]) -> set[Place]:
    return {(segment.kind, segment.entry, segment.ref) for segment in segments}


def _segment(catalog: Catalog, session: str, segment: Segment, damaged: list[str]) -> Iterator[str]:
    output = catalog.outputs(session).get(segment.ref or 0)
    text = segment.text
    if segment.kind == "result" and text is None:
        text, status = _result(catalog, session, output, damaged)
    else:
        status = "error" if segment.kind == "result" and output is not None and output.error else ""
    text = text or ""
    fields = [
        f"--- {segment.kind}",
        f"t{segment.ref}" if segment.ref else "",
        word(segment.tool),
        status,
        "" if segment.ref else inline(segment.entry, 200),
        f"chars={len(text)}",
        _beside(catalog, session, segment),
    ]
    yield " ".join(each for each in fields if each)
    yield text


def _result(catalog: Catalog, session: str, output: Output | None, damaged: list[str]) -> tuple[str, str]:
    """The text of a result out of its own body, and its status."""
    if output is None:
        return "", "missing"
    try:
        text = decode(catalog.store.body(output.sha))
    except BodyDamaged as error:
        damaged.append(f"t{output.ref}: {error}")
        return "", "damaged"
    return text, "error" if output.error else "ok"


def _beside(catalog: Catalog, session: str, segment: Segment) -> str:
    """What else is kept of a result: its images, or the whole of what the host cut."""
    if segment.kind != "result" or not segment.ref:
        return ""
    names = [name for name in catalog.facet_names(session, segment.ref) if name != "args"]
    return f"also={','.join(f't{segment.ref}:{name}' for name in names)}" if names else ""
