"""Small things to prune and to recover: message arrays, and outputs in a home's store."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from prune_mcp.storage.codec import digest, encode
from prune_mcp.storage.home import home as home_of
from prune_mcp.storage.records import Output, SessionRecord
from prune_mcp.storage.sqlite import open_store

LONE = "before \ud800 after"
LONG = "".join(f"line {number}: nothing of interest\n" for number in range(400))


def conversation(*outputs: str) -> list[dict[str, Any]]:
    """An Anthropic message array with one exchange and one tool result for each output."""
    messages: list[dict[str, Any]] = []
    for number, output in enumerate(outputs):
        call = {"type": "tool_use", "id": f"call{number}", "name": "Bash", "input": {"command": f"run {number}"}}
        result = {"type": "tool_result", "tool_use_id": f"call{number}", "content": output}
        messages += [
            {"role": "user", "content": f"question {number}"},
            {"role": "assistant", "content": [call]},
            {"role": "user", "content": [result]},
            {"role": "assistant", "content": [{"type": "text", "text": f"answer {number}"}]},
        ]
    return messages


def archived(home: Path, text: str, session: str = "s-lone") -> str:
    """A session in this home's store with one output, `t1`; returns the session's id."""
    store = open_store(home_of({"PRUNE_MCP_HOME": str(home / "prune-mcp")}))
    body = encode(text)
    output = Output(
        0, "call1", "e1", digest(body), norm=digest(body), tool="Bash", chars=len(text), size=len(body)
    )
    with store.write() as writer:
        writer.session(SessionRecord(session))
        writer.archive(session, [(output, body)])
    store.close()
    return session
