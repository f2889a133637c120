"""A PDF weighs what its pages do, in whatever form a provider or a host has it, and not its base64."""

from __future__ import annotations

import json
import zlib
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest

from prune_mcp.sessions.pdf import pages
from prune_mcp.sessions.tokens import PAGE_TOKENS
from tests.usage.conftest import Weigh, parts_of, tokens_of
from tests.usage.whole import assert_sums, size
from tests.usage.writing import Claude, text

pytestmark = pytest.mark.requirement("USE-ROWS")


def pdf(count: int, packed: bool = False) -> str:
    """A PDF of so many pages as base64, its objects in the open or packed, with much that is no page."""
    objects = b"".join(b"%d 0 obj\n<< /Type /Page /Parent 1 0 R >>\nendobj\n" % (n + 2) for n in range(count))
    if packed:
        objects = b"9 0 obj\n<< /Type /ObjStm /Filter /FlateDecode >>\nstream\n" + zlib.compress(objects)
        objects += b"\nendstream\nendobj\n"
    noise = b"8 0 obj\n<< /Length 60000 >>\nstream\n" + bytes(60_000) + b"\nendstream\nendobj\n"
    return b64encode(b"%PDF-1.7\n1 0 obj\n<< /Type /Pages >>\nendobj\n" + objects + noise + b"%%EOF").decode()


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("count", [1, 3, 40])
def test_pages_are_counted_also_where_they_are_packed(count: int, packed: bool) -> None:
    assert pages(pdf(count, packed)) == count


def test_a_pdf_that_hides_its_pages_counts_by_its_length_and_any_at_least_one() -> None:
    hidden = b64encode(b"%PDF-1.7\n" + bytes(120_000)).decode()
    assert pages(hidden) == 2
    assert pages("JVBERi0") == pages("JVBERi0x!") == 1


DATA = pdf(4)
ANTHROPIC = {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": DATA}}
ADDRESS = f"data:application/pdf;base64,{DATA}"
CHAT = {"type": "file", "file": {"filename": "a.pdf", "file_data": ADDRESS}}
RESPONSES = {"type": "input_file", "filename": "a.pdf", "file_data": ADDRESS}
ITEM = {"type": "message", "role": "user", "content": [RESPONSES]}
GOOGLE = {"inlineData": {"mimeType": "application/pdf", "data": DATA}}


@pytest.mark.parametrize(
    ("messages", "format"),
    [
        ([{"role": "user", "content": [ANTHROPIC]}], "anthropic"),
        ([{"role": "user", "content": [CHAT]}], "openai-chat"),
        ([ITEM], "openai-responses"),
    ],
)
def test_a_document_of_each_provider_weighs_its_pages(messages: Any, format: str, weigh: Weigh) -> None:
    answer = weigh(messages, format)
    assert_sums(answer)
    assert set(tokens_of(answer)) == {"other"}
    assert 4 * PAGE_TOKENS < answer.total < 4 * PAGE_TOKENS + 60


def test_documents_in_transcripts_weigh_their_pages(tmp_path: Path, weigh: Weigh) -> None:
    session = Claude().add({"role": "user", "content": [ANTHROPIC, text("Read it.")]})
    answer = weigh(session.write(tmp_path))
    assert 4 * PAGE_TOKENS < parts_of(answer, "other")["document"] < 4 * PAGE_TOKENS + 60
    messages = [{"id": "1", "timestamp": "t", "type": "user", "content": [{"text": "Read it."}, GOOGLE]}]
    path = tmp_path / "session-1.json"
    path.write_text(json.dumps({"sessionId": "g1", "projectHash": "h", "messages": messages}))
    assert 4 * PAGE_TOKENS < tokens_of(weigh(path))["other"] < 4 * PAGE_TOKENS + 60


def test_a_result_with_a_pdf_weighs_its_pages_and_is_kept_whole(tmp_path: Path, weigh: Weigh) -> None:
    session = Claude().asks("Fetch it.").runs("Fetch", {"url": "x"}, [text("here"), ANTHROPIC])
    answer = weigh(session.write(tmp_path))
    assert_sums(answer)
    assert 4 * PAGE_TOKENS < parts_of(answer, "results")["Fetch"] < 4 * PAGE_TOKENS + 60
    assert answer.items[0].tokens == parts_of(answer, "results")["Fetch"]


def test_base64_that_a_tool_printed_is_text(tmp_path: Path, weigh: Weigh) -> None:
    session = Claude().asks("Print it.").runs("Bash", {"command": "base64 a.pdf"}, [text(DATA)])
    assert parts_of(weigh(session.write(tmp_path)), "results") == {"Bash": size(DATA)}
