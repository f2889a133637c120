"""A session in a store to which a test adds outputs, facets, blocks and flushes."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from prune_mcp.engine.prune.document import Segment, write_document
from prune_mcp.storage.codec import encode
from prune_mcp.storage.home import Home
from prune_mcp.storage.protocol import Store
from prune_mcp.storage.records import ChainBlock, Flush, Output, SessionRecord


class Shelf:
    """One session of a store."""

    def __init__(self, store: Store, session: str = "alpha-session") -> None:
        self.store = store
        self.session = session
        self._entries = 0

    def put(
        self, text: str, tool: str = "Bash", key: str = "", call_id: str = "", error: bool = False, images: int = 0
    ) -> Output:
        """Archive one output."""
        self._entries += 1
        entry = f"entry-{self._entries}"
        body = encode(text)
        draft = Output(
            0, call_id or f"call_{self.session}_{self._entries}", entry, "", tool=tool, key=key, error=error,
            chars=len(text), size=len(body), lines=len(text.splitlines()), images=images,
        )  # fmt: skip
        self.known()
        with self.store.write() as writer:
            return writer.archive(self.session, [(draft, body)])[0]

    def facet(self, ref: int, name: str, text: str) -> None:
        """Keep something beside an output."""
        with self.store.write() as writer:
            writer.facet(self.session, ref, name, encode(text))

    def image(self, ref: int, number: int, data: str, media_type: str = "image/png") -> None:
        """Keep an image beside an output."""
        self.facet(ref, f"image{number}", json.dumps({"media_type": media_type, "data": data}))

    def known(self) -> None:
        """Make the session known to the store."""
        with self.store.write() as writer:
            writer.session(SessionRecord(self.session, path=f"/gone/{self.session}.jsonl", title="Fix the build"))

    def block(
        self,
        segments: list[Segment],
        refs: list[int],
        blocks: list[int] | None = None,
        text: str = "<block>",
        flush: int = 0,
    ) -> ChainBlock:
        """Keep a block with its document."""
        self.known()
        with self.store.write() as writer:
            document = writer.body(write_document(segments))
            block = ChainBlock(0, "chain", "m1", "m9", text, document, refs, blocks or [], flush)
            return writer.block(self.session, block)

    def flush(self, stubs: dict[int, str], note: str = "") -> int:
        """One flush that stubs these outputs; returns its number."""
        outputs = {output.ref: output for output in self.store.outputs(self.session)}
        with self.store.write() as writer:
            number = writer.flush(self.session, Flush(0, note=note)).number
            decided = [replace(outputs[ref], state="stub", stub=stub, flush=number) for ref, stub in stubs.items()]
            writer.decide(self.session, decided)
        return number


def damage(place: Home, sha: str) -> None:
    """Overwrite the middle of a large body's file."""
    (path,) = place.data.glob(f"bodies/*/{sha}*")
    _spoil(path)


def _spoil(path: Path) -> None:
    data = bytearray(path.read_bytes())
    middle = len(data) // 2
    data[middle : middle + 8] = b"\0" * 8
    path.write_bytes(data)


def noise(lines: int, salt: int = 0) -> str:
    """Text of so many lines, none of them like another, that does not compress to nothing."""
    return "".join(
        f"{n} {(n * 2654435761 + salt) % 2**32:08x} {(n * 40503 + salt) % 9973}\n" for n in range(lines)
    )
