"""Sessions pruned again and again while they grow: what was pruned once comes back ever after."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from tests import arrays
from tests.acceptance.answers import Item
from tests.acceptance.left_out import PURGED, View, missing_outputs, missing_words
from tests.acceptance.pieces import Piece, pieces
from tests.acceptance.product import Product, Server
from tests.acceptance.subjects import Transcript, transcripts
from tests.acceptance.views import Running, added_faults, told
from tests.arrays import Call, Result, Turn

pytestmark = pytest.mark.requirement("PRU-RECOVER", "PRU-VALID", "REC-LAST")

STEPS = 3
# Shorter ones have not the time to grow.
LEAST_LINES = 100
LONG = [each for each in transcripts() if len(each.lines()) >= LEAST_LINES]


@pytest.mark.parametrize("transcript", [pytest.param(each, id=each.name) for each in LONG])
async def test_every_output_of_a_session_that_grows_comes_back_after_each_prune(
    running: Running, transcript: Transcript
) -> None:
    whole = transcript.path.read_bytes()
    growing = running.product.home / f"growing-{transcript.path.name}"
    kept: dict[str, Item] = {}
    for step in range(1, STEPS + 1):
        growing.write_bytes(whole[: len(whole) * step // STEPS])
        answer = await running.server.prune(session=str(growing))
        outputs = [ref for ref in answer["refs"] if ref.startswith("t")]
        items = await running.server.fetch(answer["session"], [*{**kept, **dict.fromkeys(outputs)}])
        changed = [ref for ref, item in kept.items() if items[ref].text != item.text]
        assert not changed, f"after {step - 1} prunes other texts came back for {changed}"
        kept = items
    said = {(piece.text, piece.images) for piece in pieces(transcript.format, transcript.lines())}
    assert all((item.text, tuple(item.images)) in said for ref, item in kept.items() if ":" not in ref)


@pytest.mark.parametrize("format", arrays.FORMATS)
@pytest.mark.parametrize("transcript", [pytest.param(each, id=each.name) for each in LONG])
async def test_a_caller_that_goes_on_with_the_pruned_messages_loses_nothing(
    running: Running, transcript: Transcript, format: str
) -> None:
    turns = [Turn("user", f"{transcript.name} as {format}."), Turn("assistant", "Go ahead.")]
    turns += arrays.session_turns(transcript.path)
    said: list[Any] = []
    sent: list[Any] = []
    session: dict[str, str] = {}
    for part in parts(turns):
        new = arrays.FORMATS[format](part)
        said, sent = said + new, sent + new
        answer = await running.server.prune(messages=sent, **session)
        session = {"session": answer["session"]}
        view = View(pieces(format, said), pieces(format, answer["messages"]))
        assert not added_faults(format, said, answer["messages"])
        assert_no_stale_thinking(pieces(format, sent), view.pruned)
        await assert_recovered(running.server, answer, view)
        sent = answer["messages"]


def parts(turns: list[Turn]) -> Iterator[list[Turn]]:
    """The turns in a few pieces, each of which begins with a prompt."""
    prompts = [at for at, turn in enumerate(turns) if turn.role == "user" and turns[at - 1].role == "assistant"]
    starts = sorted({0, *(prompts[len(prompts) * step // STEPS] for step in range(1, STEPS) if prompts)})
    for start, end in zip(starts, [*starts[1:], len(turns)], strict=True):
        yield turns[start:end]


def assert_no_stale_thinking(before: list[Piece], after: list[Piece]) -> None:
    """No signed thinking stands behind what this prune changed."""
    signed = [piece for piece in after[View(before, after).first_change() :] if piece.signed]
    assert not signed, f"{len(signed)} pieces of signed thinking stand behind a changed prefix"


async def assert_recovered(server: Server, answer: dict[str, Any], view: View) -> None:
    """Everything left out by now comes back, through the refs in view and those in the blocks they bring."""
    printed = view.refs()
    assert set(answer["refs"]) <= set(printed), "the answer names refs that the view does not show"
    items = await server.fetch(answer["session"], printed)
    inner = {ref for item in items.values() if item.ref.startswith("b") for ref in PURGED.findall(item.text)}
    items |= await server.fetch(answer["session"], sorted(inner - set(items)))
    missing = missing_outputs(view, items)
    assert not missing, told("outputs", missing, len(view.outputs()))
    lost = missing_words(view, items)
    assert not lost, told("texts and arguments", lost, view.left_out.total() - len(view.outputs()))


EXCHANGES = 8


def image(number: int) -> tuple[str, str]:
    """An image that differs from any other."""
    return "image/png", base64.b64encode(b"\x89PNG" + bytes([number]) * 30).decode()


def exchange(number: int, id: str) -> list[Turn]:
    """A prompt, three calls of which one brings an image and one fails, in the same words each time, an answer."""
    calls = [
        Call(f"{id}a", "Bash", {"command": f"run {number}"}),
        Call(f"{id}b", "screenshot", {}),
        Call(f"{id}c", "Write", {"path": "a.txt", "content": f"line {number}\n" * 200}),
    ]
    results = [
        Result(f"{id}a", f"row {number}\n" * 300),
        Result(f"{id}b", "Screenshot taken.", [image(number)]),
        Result(f"{id}c", "Error: EROFS: read-only file system", error=True),
    ]
    asked = [Turn("user", f"Question {number}?"), Turn("assistant", calls=calls)]
    return [*asked, Turn("results", results=results), Turn("assistant", f"Answer {number}.")]


async def sent_on(server: Server, begins: str, ids: Sequence[str]) -> tuple[dict[str, Any], View]:
    """Exchange after exchange pruned, each time what came back is sent on; the last answer and its view."""
    said = arrays.anthropic([Turn("user", begins), Turn("assistant", "Go ahead.")])
    sent: Any = said
    session: dict[str, str] = {}
    for number, id in enumerate(ids):
        new = arrays.anthropic(exchange(number, id))
        said = said + new
        answer = await server.prune(messages=sent + new, **session)
        session, sent = {"session": answer["session"]}, answer["messages"]
    return answer, View(pieces("anthropic", said), pieces("anthropic", sent))


OWN_IDS = [f"call_{number}" for number in range(EXCHANGES)]


async def test_what_differs_in_its_ids_alone_comes_back_each_by_its_own_ref(running: Running) -> None:
    answer, view = await sent_on(running.server, "Ids that differ.", OWN_IDS)
    await assert_recovered(running.server, answer, view)


async def test_a_call_id_used_again_with_the_same_words_comes_back_each_by_its_own_ref(running: Running) -> None:
    answer, view = await sent_on(running.server, "Ids used again.", ["call"] * EXCHANGES)
    await assert_recovered(running.server, answer, view)


async def test_the_answer_names_the_refs_of_arguments_purged_before(product: Product) -> None:
    async with product.serve() as server:
        answer, view = await sent_on(server, "Refs that stand.", OWN_IDS)
    assert any(ref.endswith(":args") for ref in view.refs())
    assert set(answer["refs"]) == set(view.refs())


async def test_a_block_brings_back_the_arguments_of_calls_that_were_purged_before(product: Product) -> None:
    async with product.serve() as server:
        answer, view = await sent_on(server, "Blocks of purged calls.", OWN_IDS)
        items = await server.fetch(answer["session"], view.refs())
    assert missing_words(view, items) == []
