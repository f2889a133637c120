"""Prunes the sample session over MCP and shows what came of it; works in a scratch home that it removes."""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters
from mcp.types import TextContent

SAMPLE = Path(__file__).with_name("flaky-upload.jsonl")
SESSION = "5d0c7a52-1f0e-4b7e-9a63-0f4e6f2b8c11"
WIDTH = 160


def title(text: str) -> None:
    """Print a heading."""
    print(f"\n\033[1m{text}\033[0m\n" if sys.stdout.isatty() else f"\n== {text}\n")


def show(text: str, lines: int = 14) -> None:
    """Print a text indented, long lines and the middle of long texts left out."""
    rows = text.rstrip("\n").split("\n")
    if len(rows) > lines:
        rows = [*rows[: lines - 4], f"... ({len(rows) - lines + 1} lines not shown here) ...", *rows[-3:]]
    for row in rows:
        print(f"    {row if len(row) <= WIDTH else row[: WIDTH - 1] + '…'}")


def install(home: Path) -> None:
    """Put the sample where Claude Code would have left it."""
    folder = home / ".claude" / "projects" / "-home-dana-harbor"
    folder.mkdir(parents=True)
    (folder / f"{SESSION}.jsonl").write_bytes(SAMPLE.read_bytes())


def history() -> list[dict[str, Any]]:
    """The sample as the message list that a program of one's own would send to the model."""
    messages: list[dict[str, Any]] = []
    last = ""
    for line in SAMPLE.read_text(encoding="utf-8").splitlines():
        message = json.loads(line).get("message")
        if not message:
            continue
        role, content, response = message["role"], message["content"], message.get("id", "")
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        if messages and messages[-1]["role"] == role and response == last:
            messages[-1]["content"].extend(blocks)
        else:
            messages.append({"role": role, "content": list(blocks)})
        last = response
    return messages


def outputs(messages: list[dict[str, Any]]) -> dict[str, str]:
    """The text of each tool output by its call's id."""
    blocks = [block for message in messages for block in message["content"] if isinstance(block, dict)]
    return {b["tool_use_id"]: as_text(b["content"]) for b in blocks if b["type"] == "tool_result"}


def as_text(content: str | list[dict[str, str]]) -> str:
    """A tool result's content as one text."""
    return content if isinstance(content, str) else "\n".join(part["text"] for part in content)


def call_of(messages: list[dict[str, Any]], words: str) -> str:
    """The id of the first tool call whose arguments hold these words."""
    blocks = [block for message in messages for block in message["content"] if isinstance(block, dict)]
    return next(str(b["id"]) for b in blocks if b["type"] == "tool_use" and words in json.dumps(b["input"]))


class Failed(Exception):
    """The server did not do what this tour shows."""


class Server:
    """The running server, as a client sees it."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def ask(self, tool: str, **arguments: Any) -> tuple[str, dict[str, Any]]:
        """Call a tool; returns its text and its structured answer."""
        result = await self.client.call_tool(tool, arguments)
        text = "\n".join(part.text for part in result.content if isinstance(part, TextContent))
        if result.is_error:
            raise Failed(f"{tool}: {text}")
        return text, result.structured_content or {}

    async def whole(self, ref: str) -> str:
        """One output, all its pages joined."""
        text, total = "", 1
        while len(text) < total:
            page, _ = await self.ask(
                "context_tree_query", refs=[ref], session=SESSION, offset=len(text), limit=9_000
            )
            total = int(page.split(" chars=", 1)[1].split(" ", 1)[0].partition("/")[2])
            text += between_fences(page)
        return text


def between_fences(answer: str) -> str:
    """The text of a one-item answer: what stands between its two fence lines."""
    _, fence, rest = answer.split("\n", 2)
    return rest.rpartition(f"\n{fence}")[0]


async def run(home: Path) -> None:
    """The tour."""
    install(home)
    original = history()
    before = outputs(original)
    environment = {"HOME": str(home), "USERPROFILE": str(home), "PRUNE_MCP_HOME": str(home / "prune-mcp")}
    command = StdioServerParameters(command=sys.executable, args=["-m", "prune_mcp.server"], env=environment)
    async with Client(command) as client:
        server = Server(client)
        title("The session: seven exchanges that fix a flaky upload test")
        tools = [tool.name for tool in (await client.list_tools()).tools]
        size = sum(map(len, before.values()))
        print(f"    {len(original)} messages, {len(before)} tool outputs, {size:,} characters in them")
        print(f"    server tools: {', '.join(tools)}")
        await prune_on_disk(server)
        await prune_in_hand(server, original, before)
        await recover(server, original, before)
    print()


async def prune_on_disk(server: Server) -> None:
    """What a model does: prune the transcript that its host keeps, and look at the tree."""
    title("prune_context: the transcript on disk")
    text, _ = await server.ask("prune_context", session=SESSION)
    show(text, 24)
    title("context_tree_query without refs: what was pruned")
    text, _ = await server.ask("context_tree_query", session=SESSION)
    show(text, 30)


async def prune_in_hand(server: Server, original: list[dict[str, Any]], before: dict[str, str]) -> None:
    """What a program does that holds the messages: send the pruned ones in their place."""
    title("prune_context with messages: they come back pruned")
    _, answer = await server.ask("prune_context", messages=original)
    print(f"    {answer['tokens_before']:,} tokens before, {answer['tokens_after']:,} after ({answer['effect']})")
    after = outputs(answer["messages"])
    build = call_of(original, "docker build")
    title(f"The failed image build before ({len(before[build]):,} characters) and after ({len(after[build]):,})")
    show(before[build], 9)
    print()
    show(after[build], 24)


async def recover(server: Server, original: list[dict[str, Any]], before: dict[str, str]) -> None:
    """Bring one output back whole, and two rows out of a table."""
    run = call_of(original, "--count 40")
    title("context_tree_query with a ref: the failing test run, whole")
    text = await server.whole(run)
    show(text)
    if text != before[run]:
        raise Failed("The recovered output differs from the original.")
    print(f"\n    {len(text):,} characters, equal to the original byte for byte")
    table = call_of(original, "ci-artifacts/timings.csv")
    title("context_tree_query with a pattern: the failed rows out of 500")
    text, _ = await server.ask("context_tree_query", refs=[table], session=SESSION, pattern=",failed,")
    show(text)
    print(f"\n    {len(text):,} of {len(before[table]):,} characters")


def main() -> int:
    """Run the tour; returns 1 when something in it failed."""
    code = 0
    with tempfile.TemporaryDirectory(prefix="prune-mcp-demo-") as folder:
        try:
            asyncio.run(run(Path(folder)))
        except* Failed as failures:
            print(f"\n{first(failures)}", file=sys.stderr)
            code = 1
    return code


def first(error: BaseException) -> BaseException:
    """The innermost first error of a group."""
    return first(error.exceptions[0]) if isinstance(error, BaseExceptionGroup) else error


if __name__ == "__main__":
    sys.exit(main())
