"""A client that nobody here wrote works with the server: fastmcp's, over stdio."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from mcp.types import TextContent

SAMPLE = Path(__file__).parents[1] / "samples" / "flaky-upload.jsonl"
SESSION = json.loads(SAMPLE.read_text(encoding="utf-8").splitlines()[-1])["sessionId"]


@pytest.fixture
def transport(home: Path) -> StdioTransport:
    folder = home / ".claude" / "projects" / "-home-dana-harbor"
    folder.mkdir(parents=True)
    (folder / f"{SESSION}.jsonl").write_bytes(SAMPLE.read_bytes())
    return StdioTransport(sys.executable, ["-m", "prune_mcp.server"], env=dict(os.environ), keep_alive=False)


@pytest.mark.requirement("SRV-ERAS")
async def test_fastmcps_client_lists_and_calls_both_tools(transport: StdioTransport) -> None:
    async with Client(transport) as client:
        assert {tool.name for tool in await client.list_tools()} >= {"prune_context", "context_tree_query"}
        pruned = await client.call_tool("prune_context", {"session": SESSION})
        assert pruned.structured_content is not None
        assert pruned.structured_content["tokens_after"] < pruned.structured_content["tokens_before"] / 2
        row = await client.call_tool(
            "context_tree_query", {"session": SESSION, "refs": ["t12"], "lines": "318:318"}
        )
        assert isinstance(row.content[0], TextContent)
        assert ",failed,8c41f0e" in row.content[0].text
