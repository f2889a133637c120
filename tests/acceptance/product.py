"""The product as its users have it: the command line and the server, as processes with a home of their own."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters
from mcp.types import CallToolResult, ImageContent, TextContent

from tests.acceptance.answers import Item, read_answer

NOT_SHOWN = "images not shown here: "
PROGRAM = [sys.executable, "-m", "prune_mcp.server"]


@dataclass
class Product:
    """prune-mcp for one user: a home folder, settings by variable, and how the program is started."""

    home: Path
    variables: Mapping[str, str] = field(default_factory=dict)
    program: Sequence[str] = tuple(PROGRAM)

    @property
    def store(self) -> Path:
        """The file of its store."""
        return self.home / "prune-mcp" / "data" / "store.db"

    @property
    def environment(self) -> dict[str, str]:
        """The environment of its processes, without the host that runs these tests."""
        kept = ("PATH", "SYSTEMROOT", "TEMP", "LANG", "LD_LIBRARY_PATH")
        own = {
            "HOME": str(self.home),
            "USERPROFILE": str(self.home),
            "PRUNE_MCP_HOME": str(self.home / "prune-mcp"),
        }
        return {name: os.environ[name] for name in kept if name in os.environ} | own | dict(self.variables)

    def run(self, *arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
        """One command of the command line, as it ends."""
        return subprocess.run(
            [*self.program, *arguments],
            cwd=self.home,
            env=self.environment,
            capture_output=True,
            encoding="utf-8",
            timeout=120,
            check=False,
            **options,
        )

    def json(self, *arguments: str) -> Any:
        """What a command that succeeds prints as JSON."""
        done = self.run(*arguments, "--json")
        assert done.returncode == 0, f"prune-mcp {' '.join(arguments)} ended with {done.returncode}: {done.stderr}"
        return json.loads(done.stdout)

    @asynccontextmanager
    async def serve(self) -> AsyncIterator[Server]:
        """A server over stdio, and a client connected to it."""
        command, *arguments = self.program
        parameters = StdioServerParameters(command=command, args=arguments, env=self.environment)
        async with Client(parameters) as client:
            yield Server(client)


class Server:
    """A running server, as a client sees it."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def call(self, tool: str, **arguments: Any) -> CallToolResult:
        """The answer of a tool, also where it is an error."""
        return await self.client.call_tool(tool, arguments)

    async def prune(self, **arguments: Any) -> dict[str, Any]:
        """The structured answer of `prune_context`."""
        result = await self.call("prune_context", **arguments)
        assert not result.is_error, text_of(result)
        answer: dict[str, Any] | None = result.structured_content
        assert answer is not None
        return answer

    async def query(self, **arguments: Any) -> str:
        """The text of `context_tree_query`."""
        result = await self.call("context_tree_query", **arguments)
        assert not result.is_error, text_of(result)
        return text_of(result)

    async def fetch(self, session: str, refs: Sequence[str]) -> dict[str, Item]:
        """Every ref whole, by ref; cursors are followed until nothing is left."""
        items: dict[str, Item] = {}
        arguments: dict[str, Any] = {"refs": [*refs], "session": session}
        while refs and arguments:
            result = await self.call("context_tree_query", **arguments)
            assert not result.is_error, text_of(result)
            before = set(items)
            cursor = read_answer(text_of(result), items)
            if images_of(result) or NOT_SHOWN in text_of(result):
                for ref in items.keys() - before:
                    items[ref].images = await self._images(session, ref)
            arguments = {"cursor": cursor} if cursor else {}
        for item in items.values():
            item.check()
        return items

    async def _images(self, session: str, ref: str) -> list[str]:
        """The images of one output: an answer about it alone has the first, and names the rest."""
        result = await self.call("context_tree_query", refs=[ref], session=session, limit=1)
        images = images_of(result)
        for name in re.findall(rf"\b{ref}:image\d+", text_of(result).partition(NOT_SHOWN)[2]):
            images += images_of(await self.call("context_tree_query", refs=[name], session=session))
        return images


def images_of(result: CallToolResult) -> list[str]:
    """The base64 data of an answer's images."""
    return [block.data for block in result.content if isinstance(block, ImageContent)]


def text_of(result: CallToolResult) -> str:
    """The first text of an answer."""
    block = result.content[0]
    assert isinstance(block, TextContent)
    return block.text
