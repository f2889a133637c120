"""A conversation that is pruned and archived, to be asked for whatever happens afterwards."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from typing import Any

from tests.acceptance.answers import Item
from tests.acceptance.product import Product, Server


@dataclass
class Kept:
    """What was archived: the session, and the text of each of its outputs by ref."""

    session: str
    outputs: dict[str, str]

    async def assert_there(self, server: Server) -> None:
        """Every output comes back whole from this server."""
        assert_same(self, await server.fetch(self.session, [*self.outputs]))


def assert_same(kept: Kept, items: dict[str, Item]) -> None:
    """The items are the outputs that were kept, byte for byte."""
    assert {ref: item.text for ref, item in items.items()} == kept.outputs


def conversation(topic: str, outputs: list[str]) -> list[dict[str, Any]]:
    """An Anthropic message array with one exchange for each output."""
    messages: list[dict[str, Any]] = []
    for number, output in enumerate(outputs):
        id = f"toolu_{topic}_{number}"
        call = {"type": "tool_use", "id": id, "name": "Bash", "input": {"command": f"{topic} {number}"}}
        messages += [
            {"role": "user", "content": f"Question {number} about {topic}?"},
            {"role": "assistant", "content": [call]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": output}]},
            {"role": "assistant", "content": [{"type": "text", "text": f"Answer {number}."}]},
        ]
    return messages


def texts(topic: str, count: int = 8, size: int = 4_000) -> list[str]:
    """Outputs of about `size` characters that hardly compress."""
    chance = random.Random(topic)
    return [f"{topic} {number}\n" + chance.randbytes(size // 2).hex() for number in range(count)]


def keep(product: Product, topic: str) -> Kept:
    """Prune a conversation on the command line; its outputs are t1, t2, ... in order."""
    outputs = texts(topic)
    file = product.home / f"{topic}.json"
    file.write_text(json.dumps(conversation(topic, outputs)), encoding="utf-8")
    session = product.json("prune", str(file))["session"]
    return Kept(session, {f"t{number}": output for number, output in enumerate(outputs, 1)})
