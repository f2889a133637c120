"""One original out of the store: what it is, and its exact text, or why it cannot be had."""

from __future__ import annotations

from dataclasses import dataclass, field

from prune_mcp.engine.catalog import Catalog
from prune_mcp.engine.prune.document import render_document
from prune_mcp.engine.recovery.fence import inline
from prune_mcp.engine.recovery.refs import fold
from prune_mcp.engine.recovery.targets import Target
from prune_mcp.storage.codec import decode, digest, encode
from prune_mcp.storage.errors import BodyDamaged, BodyReleased
from prune_mcp.storage.records import Output

KINDS = {"chain": "closed-chain", "open": "open-chain", "collapse": "collapsed", "thinking": "thinking"}
NAMED = 40


@dataclass(slots=True)
class Original:
    """What a target is. `text` is None where it cannot be had; `notes` then say why and what to do.

    `total`: characters of the whole, as recorded where it cannot be had. `images`: names of its facets.
    """

    target: Target
    tool: str
    key: str
    status: str
    sha: str
    total: int
    text: str | None
    notes: list[str] = field(default_factory=list)
    images: list[str] = field(default_factory=list)


def read_original(catalog: Catalog, target: Target) -> Original:
    """The original that a target names; damage is told in it, not raised."""
    if target.kind == "b":
        return _block(catalog, target)
    output = catalog.outputs(target.session)[target.number]
    if target.facet.startswith("image"):
        return _image(catalog, target, output)
    return _text(catalog, target, output)


def _text(catalog: Catalog, target: Target, output: Output) -> Original:
    """An output's text, its call's arguments, or the whole of what the host cut."""
    sha = catalog.facets(target.session)[(output.ref, target.facet)] if target.facet else output.sha
    original = _of_output(target, output, sha)
    try:
        original.text = decode(catalog.store.body(sha))
    except BodyDamaged as error:
        return _damaged(catalog, original, error, output.entry)
    original.total = len(original.text)
    if not target.facet:
        names = catalog.facet_names(target.session, output.ref)
        original.images = [name for name in names if name.startswith("image")]
        original.notes += _beside(output, names)
    return original


def _image(catalog: Catalog, target: Target, output: Output) -> Original:
    """One image of an output; it has no text."""
    original = _of_output(target, output, catalog.facets(target.session)[(output.ref, target.facet)])
    original.text, original.total = "", 0
    original.images = [target.facet]
    return original


def _of_output(target: Target, output: Output, sha: str) -> Original:
    status = "error" if output.error else "ok"
    notes = [target.note] if target.note else []
    total = 0 if target.facet else output.chars
    return Original(target, output.tool, output.key, status, sha, total, None, notes)


def _beside(output: Output, names: list[str]) -> list[str]:
    """What a reader of an output's text should know of the rest of it."""
    notes = []
    if "full" in names:
        notes.append(f"the host cut this output; the whole of it is t{output.ref}:full")
    missing = output.images - sum(name.startswith("image") for name in names)
    if missing > 0:
        notes.append(f"{missing} of its {output.images} images were not kept")
    return notes


def _block(catalog: Catalog, target: Target) -> Original:
    """Everything that a block replaced, as one text."""
    block = catalog.blocks(target.session)[target.number]
    refs = fold("t", block.refs)
    key = ", ".join(refs[:NAMED]) + (f" and {len(refs) - NAMED} more" if len(refs) > NAMED else "")
    original = Original(target, KINDS[block.kind], key, "ok", block.document, 0, None)
    try:
        document = render_document(catalog, target.session, target.number)
    except BodyDamaged as error:
        original.notes.append(f"outputs in it that are kept apart: {key or 'none'}")
        return _damaged(catalog, original, error, block.start)
    original.text, original.total = document.text, len(document.text)
    original.sha = digest(encode(document.text))
    if document.damaged:
        original.status = "damaged-in-part"
        original.notes += document.damaged
    return original


def _damaged(catalog: Catalog, original: Original, error: BodyDamaged, entry: str) -> Original:
    """The original without its text, and what to do."""
    original.status = "given-up" if isinstance(error, BodyReleased) else "damaged"
    record = catalog.store.session(original.target.session)
    path = inline(record.path, 300) if record else ""
    held = (
        f"the host's transcript {path}, entry {inline(entry, 100)}," if path else "whoever passed the messages in"
    )
    original.notes.append(f"its kept text cannot be had: {inline(str(error), 600)} Also {held} may still hold it.")
    return original
