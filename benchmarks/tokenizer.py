"""Our token estimator (3.2 UTF-8 bytes a token) against real tokenizers, by kind of text.

    python benchmarks/tokenizer.py [FOLDER]

Texts are the tool results of the sessions of FOLDER (default: PRUNE_MCP_TEST_SESSIONS), the assistant's prose,
what reading tools returned, whole pruned views of ours, and Chinese, Japanese and Korean. Only texts of at
least 50 tokens count one by one, since of shorter ones an error of one token says nothing.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import ours
from corpus import Message, agent_sessions, blocks_of, session_folder, trajectories
from environments import Peer
from report import Table, publish
from scoring import result_text, visible

from prune_mcp.sessions.tokens import text_tokens, utf8_size

COMMAND = "python benchmarks/tokenizer.py FOLDER"
PEER = Peer("tokenizers", ("bpe-openai==0.1.4", "anthropic==0.38.0"), "tokenizer_counts.py")
LEAST_TOKENS = 50
READING_TOOLS = ("Read", "read")
CJK_SAMPLE = Path(__file__).parent / "cjk.txt"


@dataclass(frozen=True)
class Text:
    """One text and the kind it is counted under."""

    kind: str
    text: str


def main() -> None:
    """Measure, print and commit the table."""
    parser = argparse.ArgumentParser(description="The token estimator against real tokenizers.")
    parser.add_argument("folder", nargs="?", help="sessions, laid out like a home folder")
    texts = list(collect(session_folder(parser.parse_args().folder)))
    counts = PEER.run([text.text for text in texts])
    tables, facts = [], {}
    for tokenizer, real in counts.items():
        rows = [row(kind, texts, real) for kind in dict.fromkeys(text.kind for text in texts)]
        columns = (
            "kind",
            "texts",
            "bytes per token",
            "of the sum %",
            "median error %",
            "10th %",
            "90th %",
            "worst, either way %",
        )
        tables.append(Table(f"Estimate against {tokenizer}", columns, [tuple(one.values()) for one in rows]))
        facts[tokenizer] = rows
    publish("tokenizer", COMMAND, tables, {"tokenizer": facts})


def collect(folder: Path) -> Iterator[Text]:
    """All texts, cleaned of what is not valid Unicode."""
    for session in (*agent_sessions(folder), *trajectories(folder)):
        for kind, text in session_texts(session.messages):
            yield Text(kind, text.encode("utf-8", "replace").decode())
    for paragraph in CJK_SAMPLE.read_text(encoding="utf-8").split("\n\n"):
        yield Text("Chinese, Japanese, Korean", paragraph)


def session_texts(messages: list[Message]) -> Iterator[tuple[str, str]]:
    """The texts of one session by kind, and its view as we prune it."""
    reading: set[str] = set()
    for message in messages:
        for block in blocks_of(message):
            if block.get("type") == "tool_use" and block["name"] in READING_TOOLS:
                reading.add(block["id"])
            elif block.get("type") == "tool_result":
                yield ("files read" if block["tool_use_id"] in reading else "other results"), result_text(block)
            elif block.get("type") == "text" and message["role"] == "assistant":
                yield "prose", block["text"]
    view = ours.view(messages, ours.CONFIGURATIONS[ours.DEFAULT])
    yield "our pruned views", "\n".join(text for message in view for _, text in visible(message))


def row(kind: str, texts: list[Text], real: list[int]) -> dict[str, str | int | float]:
    """The figures of one kind: errors are of the estimate, in percent of the real count."""
    pairs = [(text.text, count) for text, count in zip(texts, real, strict=True) if text.kind == kind]
    errors = [100 * (text_tokens(text) / count - 1) for text, count in pairs if count >= LEAST_TOKENS]
    tenths = statistics.quantiles(errors, n=10) if len(errors) > 1 else errors * 9
    counted = sum(count for _, count in pairs)
    return {
        "kind": kind,
        "texts": len(errors),
        "bytes per token": f"{sum(utf8_size(text) for text, _ in pairs) / counted:.2f}",
        "of the sum": round(100 * (sum(text_tokens(text) for text, _ in pairs) / counted - 1), 1),
        "median": round(statistics.median(errors), 1),
        "tenth": round(tenths[0], 1),
        "ninetieth": round(tenths[-1], 1),
        "worst": round(max(max(errors), -min(errors)), 1),
    }


if __name__ == "__main__":
    main()
