"""What one slice of a large output costs in tokens, through the server's own answers over stdio.

    python benchmarks/slices.py

A conversation reads a CSV of 500 rows, a file of 2,000 lines and a log of 1 MB. It is pruned through
`prune_context`; then one row, one function and one error are asked of `context_tree_query`, each as a model
would: by a pattern of what it looks for.
"""

from __future__ import annotations

import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from report import Table, publish
from stdio import OURS, Server
from tokenizer import PEER

from prune_mcp.sessions.tokens import text_tokens

COMMAND = "python benchmarks/slices.py"
LIMIT = 500
LOG_BYTES = 1_000_000


@dataclass(frozen=True)
class Slice:
    """What is looked for in one output, by which arguments, and a text that the answer must hold."""

    name: str
    output: str
    arguments: dict[str, Any]
    proof: str


def csv() -> str:
    """500 rows of orders under a header."""
    rows = [
        f"{10_000 + n},2026-03-{n % 28 + 1:02d},customer-{n * 7 % 311},{n * 37 % 900}.50,EUR,paid"
        for n in range(500)
    ]
    return "\n".join(["order,date,customer,amount,currency,state", *rows])


def source() -> str:
    """A Python file of 2,000 lines, ten to a function."""
    body = "\n".join(f"    step_{k} = apply(ledger, rate_{k}, step_{k - 1})" for k in range(1, 8))
    functions = (f"def settle_invoice_{n}(ledger, step_0):\n{body}\n    return step_7\n" for n in range(200))
    return "\n".join(functions)


def log() -> str:
    """A log of 1 MB with one error."""
    lines: list[str] = []
    size = 0
    while size < LOG_BYTES:
        number = len(lines)
        lines.append(
            f"2026-03-04T05:{number // 60 % 60:02d}:{number % 60:02d}Z INFO worker-{number % 16} job {number} done"
        )
        size += len(lines[-1]) + 1
    lines[len(lines) // 2] = (
        "2026-03-04T05:31:07Z ERROR worker-3 job 9137 failed: disk quota exceeded on volume-12"
    )
    return "\n".join(lines)


def slices() -> list[Slice]:
    """The three questions."""
    return [
        Slice("one row of a 500-row CSV", csv(), {"pattern": "^10347,"}, "10347,2026-03-12,customer-252,"),
        Slice(
            "one function of a 2,000-line file",
            source(),
            {"pattern": r"def settle_invoice_73\(", "context": 9},
            "def settle_invoice_73(",
        ),
        Slice("one error in a 1 MB log", log(), {"pattern": " ERROR "}, "disk quota exceeded on volume-12"),
    ]


def conversation(outputs: list[str]) -> list[dict[str, Any]]:
    """A prompt, one call for each output, and enough later turns that the outputs are pruned."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Look through the three files."}]
    for number, output in enumerate([*outputs, *(f"checked {n}" for n in range(4))]):
        call = {
            "type": "tool_use",
            "id": f"toolu_{number}",
            "name": "Bash",
            "input": {"command": f"cat file_{number}"},
        }
        messages.append({"role": "assistant", "content": [call]})
        answer = {"type": "tool_result", "tool_use_id": call["id"], "content": output}
        messages.append({"role": "user", "content": [answer]})
    return messages


def text_of(result: dict[str, Any]) -> str:
    """The text of a tool's answer; an error answer ends the benchmark."""
    text = "\n".join(part["text"] for part in result["content"] if part["type"] == "text")
    if result.get("isError"):
        raise SystemExit(text)
    return text


def answers(asked: list[Slice]) -> list[str]:
    """Prune the conversation and ask for each slice; returns the texts of the answers."""
    with tempfile.TemporaryDirectory(prefix="prune-mcp-slices-") as folder, Server(OURS, Path(folder)) as server:
        server.initialize()
        messages = conversation([one.output for one in asked])
        pruned = server.call("prune_context", messages=messages)["structuredContent"]
        refs = [ref_of(pruned["messages"], number) for number in range(len(asked))]
        pairs = zip(asked, refs, strict=True)
        session = pruned["session"]
        return [
            text_of(server.call("context_tree_query", refs=[ref], session=session, **one.arguments))
            for one, ref in pairs
        ]


def ref_of(messages: list[dict[str, Any]], number: int) -> str:
    """The ref that the view shows in place of the numbered output."""
    stub = str(messages[2 * number + 2]["content"])
    found = re.search(r"\bt\d+\b", stub)
    if found is None:
        raise SystemExit(f"The view shows no ref for output {number}: {stub[:300]}")
    return found[0]


def main() -> None:
    """Measure, print and commit the table."""
    asked = slices()
    found = answers(asked)
    for one, text in zip(asked, found, strict=True):
        if one.proof not in text:
            raise SystemExit(f"{one.name}: the answer does not hold {one.proof!r}: {text[:500]}")
    real = PEER.run(found)
    wholes = PEER.run([one.output for one in asked])
    rows = [
        (one.name, wholes["o200k"][n], text_tokens(text), real["o200k"][n], real["Claude 2"][n], LIMIT)
        for n, (one, text) in enumerate(zip(asked, found, strict=True))
    ]
    columns = ("asked for", "the whole output (o200k)", "answer, estimated", "o200k", "Claude 2", "limit")
    table = Table("Tokens of one slice, the answer whole", columns, rows)
    facts = {
        name: {"estimate": estimate, "o200k": o200k, "claude": claude}
        for name, _, estimate, o200k, claude, _ in rows
    }
    publish("slices", COMMAND, [table], {"slices": facts, "limit": LIMIT})


if __name__ == "__main__":
    main()
