"""Real sessions pruned end to end: the views are valid, and every byte they leave out comes back over stdio."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any

import anyio
import pytest
from anyio import to_thread

from tests import arrays
from tests.acceptance.left_out import View, missing_outputs, missing_words
from tests.acceptance.pieces import pieces
from tests.acceptance.product import Product, Server
from tests.acceptance.subjects import (
    SAMPLE,
    Array,
    Transcript,
    awkward,
    message_arrays,
    messages_of,
    transcripts,
)
from tests.acceptance.views import Running, added_faults, told

pytestmark = pytest.mark.requirement("PRU-RECOVER", "PRU-VALID", "REC-LAST")

# Prunes nothing: what the model sees without us.
NOTHING = {
    "PRUNE_MCP_KEEP_TURNS": "1000000",
    "PRUNE_MCP_MIN_BATCH_CHARS": "1000000000",
    "PRUNE_MCP_SPILL_THRESHOLD": "1000000000",
    "PRUNE_MCP_DEDUP_BY_CONTENT_HASH": "false",
    "PRUNE_MCP_CHAIN_COMPRESSION__ENABLED": "false",
    "PRUNE_MCP_OPEN_CHAIN__ENABLED": "false",
    "PRUNE_MCP_PURGE_ERRORS__ENABLED": "false",
}
DONE = [("applied", "messages-returned"), ("applied", "nothing-to-prune"), ("advisory", "thinking-bound")]


@pytest.fixture(scope="module")
def unpruned(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Transcript], list[Any]]:
    """The entries of a session that the model sees without us."""
    product = Product(tmp_path_factory.mktemp("nothing"), NOTHING)

    @cache
    def entries(transcript: Transcript) -> list[Any]:
        lines = transcript.lines()
        answer = product.json("prune", str(transcript.path))
        return [in_file(entry, lines) for entry in answer["messages"]]

    return entries


@pytest.mark.parametrize("transcript", [pytest.param(each, id=each.name) for each in transcripts()])
async def test_a_session_on_disk_is_pruned_to_a_valid_view_and_comes_back_whole(
    running: Running, unpruned: Callable[[Transcript], list[Any]], transcript: Transcript
) -> None:
    before = transcript.path.read_bytes()
    answer = await running.server.prune(session=str(transcript.path))
    shown, raw = await both(
        partial(running.product.json, "prune", str(transcript.path)), partial(unpruned, transcript)
    )
    assert shown["session"] == answer["session"]
    # A call at the very end may still get its result: only a view that leaves us has to do without it.
    assert answer["refs"] == [ref for ref in shown["refs"] if ref in answer["refs"] or not ref.endswith(":args")]
    view = View(pieces(transcript.format, raw), pieces(transcript.format, shown["messages"]))
    assert_valid(transcript.format, raw, shown["messages"], view)
    await assert_recovered(running.server, shown, view)
    await assert_the_rest_comes_back(running.server, answer["session"], transcript, view)
    assert transcript.path.read_bytes() == before


@pytest.mark.parametrize("array", [pytest.param(each, id=each.name) for each in message_arrays()])
async def test_a_message_array_is_pruned_to_a_valid_one_and_comes_back_whole(
    running: Running, array: Array
) -> None:
    payload = array.payload()
    answer = await running.server.prune(messages=payload)
    assert (answer["effect"], answer["why"]) in DONE
    assert type(answer["messages"]) is type(payload)
    raw, pruned = messages_of(payload), messages_of(answer["messages"])
    view = View(pieces(array.format, raw), pieces(array.format, pruned))
    assert_valid(array.format, raw, pruned, view)
    await assert_recovered(running.server, answer, view)


async def test_images_that_come_later_with_the_same_text_are_left_out_and_come_back(running: Running) -> None:
    messages = arrays.anthropic(awkward("Look at what comes twice."))
    await running.server.prune(messages=[without_images(message) for message in messages])
    answer = await running.server.prune(messages=messages)
    view = View(pieces("anthropic", messages), pieces("anthropic", answer["messages"]))
    assert any(output.images for output in view.outputs())
    await assert_recovered(running.server, answer, view)


def without_images(message: dict[str, Any]) -> dict[str, Any]:
    """The message as a program sends it that keeps no images."""
    content = [{**part} for part in message["content"]]
    for part in content:
        if isinstance(part.get("content"), list):
            part["content"] = [inner for inner in part["content"] if inner["type"] != "image"]
    return message | {"content": content}


async def test_an_output_that_is_missing_or_changed_by_one_character_is_told(running: Running) -> None:
    payload = Array(SAMPLE, "anthropic").payload()
    answer = await running.server.prune(messages=payload)
    view = View(pieces("anthropic", payload), pieces("anthropic", answer["messages"]))
    items = await running.server.fetch(answer["session"], view.refs())
    assert len(view.outputs()) > 20
    assert (missing_outputs(view, items), missing_words(view, items)) == ([], [])
    for ref in [ref for ref in items if re.fullmatch(r"t\d+", ref)]:
        changed = replace(items[ref], text=f"{items[ref].text[:-1]}\0")
        assert len(missing_outputs(view, items | {ref: changed})) == 1
    blocks = [ref for ref in items if ref.startswith("b")]
    assert blocks
    for ref in blocks:
        assert missing_words(view, {other: item for other, item in items.items() if other != ref})


async def both(*works: Callable[[], Any]) -> list[Any]:
    """What each of several works in processes of their own comes to, done at once."""
    results: list[Any] = [None] * len(works)

    async def do(place: int) -> None:
        results[place] = await to_thread.run_sync(works[place])

    async with anyio.create_task_group() as tasks:
        for place in range(len(works)):
            tasks.start_soon(do, place)
    return results


def in_file(entry: Any, lines: Sequence[Any]) -> Any:
    """The line of the file that an entry is; one whose orphan was noted is known by its id."""
    if entry in lines:
        return entry
    [line] = [line for line in lines if isinstance(line, dict) and entry["uuid"] == line.get("uuid")]
    assert "[left out t" in json.dumps(entry), (
        f"an entry was changed with nothing to prune: {json.dumps(entry)[:400]}"
    )
    return line


def assert_valid(format: str, raw: Sequence[Any], pruned: Sequence[Any], view: View) -> None:
    """Nothing is wrong with the view that was not wrong before, and no signed thinking follows a change."""
    added = added_faults(format, raw, pruned)
    assert not added, f"faults that pruning brought: {added}"
    signed = [piece for piece in view.pruned[view.first_change() :] if piece.signed]
    assert not signed, f"{len(signed)} pieces of signed thinking stand behind a changed prefix"


async def assert_recovered(server: Server, answer: dict[str, Any], view: View) -> None:
    """Everything that the view leaves out comes back through the refs that it prints."""
    printed = view.refs()
    assert set(printed) == set(answer["refs"]), "the answer's refs are not those of the view"
    items = await server.fetch(answer["session"], printed)
    assert set(items) == set(printed)
    missing = missing_outputs(view, items)
    assert not missing, told("outputs", missing, len(view.outputs()))
    lost = missing_words(view, items)
    assert not lost, told("texts and arguments", lost, view.left_out.total() - len(view.outputs()))


async def assert_the_rest_comes_back(server: Server, session: str, transcript: Transcript, view: View) -> None:
    """Outputs that were not in the context at all, from before a compaction or of another branch, come back by
    their tool-call ids; those that have none by the refs that the tree names."""
    rest = {piece for piece in pieces(transcript.format, transcript.lines()) if piece.kind == "result"} - {
        *view.raw
    }
    refs = sorted({piece.id for piece in rest if piece.id})
    if any(not piece.id for piece in rest):
        refs += re.findall(r"\bt\d+(?:-t\d+)?\b", await server.query(session=session))
    items = await server.fetch(session, refs)
    brought = {(item.text, tuple(item.images)) for item in items.values()}
    missing = [f"{piece.id}: {piece.text[:100]!r}" for piece in rest if (piece.text, piece.images) not in brought]
    assert not missing, told("outputs out of the context", missing, len(rest))
