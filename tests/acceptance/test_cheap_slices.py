"""The part of a large output that is needed costs next to nothing, asked for as a model would ask."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import pytest

from tests.acceptance.left_out import STUB
from tests.acceptance.pieces import pieces
from tests.acceptance.product import Product, Server

pytestmark = pytest.mark.requirement("REC-SLICE")

TOKENS = 500
# No tokenizer takes more tokens for such text: numbers, hashes and code come to about three bytes a token.
LEAST_BYTES_PER_TOKEN = 2
ROW = "10347,2026-03-12,customer-252,239.50,EUR,disputed"
FUNCTION = "def settle_invoice_73(ledger, step_0):"
ERROR = "2026-03-04T05:31:07Z ERROR worker-3 job 9137 failed: disk quota exceeded on volume-12"


def table() -> str:
    """A CSV of 500 rows."""
    rows = [f"{10_000 + n},2026-03-{n % 28 + 1:02},customer-{n % 311},{n % 900}.50,EUR,paid" for n in range(500)]
    rows[347] = ROW
    return "\n".join(["order,date,customer,amount,currency,state", *rows])


def numbered(text: str) -> str:
    """A text as the tool shows it that reads files: each line behind its number."""
    return "\n".join(f"{number:>6}→{line}" for number, line in enumerate(text.split("\n"), 1))


def source() -> str:
    """A Python file of 2,000 lines, ten to a function."""
    body = "\n".join(f"    step_{k} = rate_{k} * step_{k - 1}" for k in range(1, 8))
    return "\n".join(f"def settle_invoice_{n}(ledger, step_0):\n{body}\n    return step_7\n" for n in range(200))


def log(joint: str) -> str:
    """A log of more than 1 MB with one error."""
    clock = (f"2026-03-04T05:{n // 60 % 60:02}:{n % 60:02}Z" for n in range(20_000))
    lines = [f"{at} INFO worker-{n % 16} job {n} done, nothing to report" for n, at in enumerate(clock)]
    lines[9_137] = ERROR
    return joint.join(lines)


OUTPUTS = {
    "cat orders.csv": table(),
    "read orders.csv": numbered(table()),
    "cat settle.py": source(),
    "cat worker.log": log("\n"),
    "cat worker.json": log(" "),
}


@dataclass
class Pruned:
    """A conversation in which all these outputs gave way to stubs; their refs by what was run."""

    server: Server
    session: str
    refs: dict[str, str]

    async def ask(self, run: str, **part: Any) -> str:
        """A part of one output."""
        return await self.server.query(refs=[self.refs[run]], session=self.session, **part)


@pytest.fixture(scope="module")
async def pruned(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Pruned]:
    """One server, the conversation pruned through it."""
    async with Product(tmp_path_factory.mktemp("slices")).serve() as server:
        answer = await server.prune(messages=conversation())
        yield Pruned(server, answer["session"], refs_of(answer["messages"]))


def conversation() -> list[dict[str, Any]]:
    """One call for each output, and enough later turns that they give way."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "What became of order 10347?"}]
    for number, (run, output) in enumerate([*OUTPUTS.items(), *((f"look {n}", "Nothing.") for n in range(4))]):
        call = {"type": "tool_use", "id": f"toolu_{number}", "name": "Bash", "input": {"command": run}}
        messages.append({"role": "assistant", "content": [call]})
        result = {"type": "tool_result", "tool_use_id": call["id"], "content": output}
        messages.append({"role": "user", "content": [result]})
    return messages


def refs_of(messages: list[dict[str, Any]]) -> dict[str, str]:
    """The refs of the stubs that stand in place of the outputs."""
    shown = [STUB.match(piece.text) for piece in pieces("anthropic", messages) if piece.kind == "result"]
    return {run: stub[1] for run, stub in zip(OUTPUTS, shown, strict=False) if stub}


def tokens(*answers: str) -> int:
    """The most tokens that these answers can take, all that stands around the text included."""
    return sum(len(answer.encode()) for answer in answers) // LEAST_BYTES_PER_TOKEN


async def test_every_large_output_gives_way_to_a_stub(pruned: Pruned) -> None:
    assert set(pruned.refs) == set(OUTPUTS)
    assert len(table().split("\n")) == 501
    assert len(source().split("\n")) == 2_000
    assert len(log("\n")) > 1_000_000


@pytest.mark.parametrize(
    ("run", "part"),
    [
        ("cat orders.csv", {"pattern": "10347"}),
        ("cat orders.csv", {"pattern": "^10347,"}),
        ("cat orders.csv", {"pattern": "order 10347|^10347,.*"}),
        ("cat orders.csv", {"pattern": ",disputed$"}),
        ("cat orders.csv", {"pattern": "10347", "context": 1}),
        ("cat orders.csv", {"lines": "349"}),
        ("cat orders.csv", {"lines": "348:350"}),
        ("read orders.csv", {"pattern": "10347,"}),
        ("read orders.csv", {"lines": "349:349"}),
    ],
)
async def test_one_row_of_a_table_of_500_rows_costs_under_500_tokens(
    pruned: Pruned, run: str, part: dict[str, Any]
) -> None:
    answer = await pruned.ask(run, **part)
    assert ROW in answer
    assert tokens(answer) < TOKENS


@pytest.mark.parametrize(
    "part",
    [
        {"pattern": r"def settle_invoice_73\(", "context": 8},
        {"pattern": "def settle_invoice_73(", "context": 8},
        {"pattern": "settle_invoice_73", "context": 8},
        {"lines": "731:739"},
    ],
)
async def test_one_function_of_a_file_of_2000_lines_costs_under_500_tokens(
    pruned: Pruned, part: dict[str, Any]
) -> None:
    answer = await pruned.ask("cat settle.py", **part)
    for line in source().split("\n")[730:739]:
        assert line in answer
    assert tokens(answer) < TOKENS


async def test_finding_a_function_and_then_reading_its_lines_costs_under_500_tokens(pruned: Pruned) -> None:
    found = await pruned.ask("cat settle.py", pattern="def settle_invoice_73")
    at = re.search(r"^(\d+):" + re.escape(FUNCTION), found, re.MULTILINE)
    assert at is not None, found
    body = await pruned.ask("cat settle.py", lines=f"{at[1]}:{int(at[1]) + 8}")
    assert "\n".join(source().split("\n")[730:739]) in body
    assert tokens(found, body) < TOKENS


@pytest.mark.parametrize("run", ["cat worker.log", "cat worker.json"], ids=["in lines", "in one line"])
@pytest.mark.parametrize(
    "part",
    [
        {"pattern": "ERROR"},
        {"pattern": "(?i)error"},
        {"pattern": ".*(ERROR|FATAL).*"},
        {"pattern": r"\berror\b|ERROR", "context": 2},
        {"pattern": "job 9137 failed"},
        {"pattern": "disk quota exceeded"},
    ],
)
async def test_one_error_in_a_log_of_1_mb_costs_under_500_tokens(
    pruned: Pruned, run: str, part: dict[str, Any]
) -> None:
    answer = await pruned.ask(run, **part)
    assert ERROR in answer
    assert tokens(answer) < TOKENS
