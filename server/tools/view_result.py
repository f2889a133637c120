"""The result of a tool that changes the view of a conversation: the answer as text, as a value, and messages."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from mcp_types import CallToolResult, ContentBlock, TextContent

from prune_mcp.server.unicode import clean

if TYPE_CHECKING:
    from mcp.server.mcpserver import Context

    from prune_mcp.engine.answers import PruneAnswer
    from prune_mcp.server.worker import Worker

A = TypeVar("A", bound="PruneAnswer")


def view_result(
    ctx: Context[Worker], answer: A, steps: Callable[[A], Sequence[str]], text: Callable[[A], str]
) -> CallToolResult:
    """The answer with its host and its next steps, as `steps` tells them; messages come once more as a text."""
    from prune_mcp.server.caller import client_host
    from prune_mcp.server.tools.prune_text import structured, tell_surrogates

    answer.host = answer.host or client_host(ctx)
    answer.next_steps += steps(answer)
    tell_surrogates(answer)
    value = clean(structured(answer))
    content: list[ContentBlock] = [TextContent(type="text", text=clean(text(answer)))]
    if "messages" in value:
        content.append(TextContent(type="text", text=json.dumps(value["messages"], ensure_ascii=False)))
    return CallToolResult(content=content, structured_content=value)
