"""What was archived outlives the server, however it ends, the transcript, and damage to the rest of the store."""

from __future__ import annotations

import hashlib
import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.kept import Kept, conversation, texts
from tests.acceptance.left_out import View, missing_outputs, missing_words
from tests.acceptance.pieces import pieces
from tests.acceptance.pipe import pipe
from tests.acceptance.product import Product, Server
from tests.acceptance.subjects import SAMPLE, Transcript

pytestmark = pytest.mark.requirement("REC-LAST", "PRU-RECOVER")

ROUNDS = 5
PRUNES = 12


@pytest.fixture
def transcript(product: Product) -> Transcript:
    """A session on disk."""
    path = product.home / "session.jsonl"
    shutil.copy(SAMPLE, path)
    return Transcript(path, "claude-code")


async def test_after_kill_9_in_the_middle_of_prunes_every_ref_comes_back_without_the_transcript(
    product: Product, transcript: Transcript
) -> None:
    shown = product.json("prune", str(transcript.path))
    view = View(pieces("claude-code", transcript.lines()), pieces("claude-code", shown["messages"]))
    kept = [made for number in range(ROUNDS) for made in killed(product, transcript, number)]
    transcript.path.unlink()
    async with product.serve() as server:
        items = await server.fetch(shown["session"], view.refs())
        assert (missing_outputs(view, items), missing_words(view, items)) == ([], [])
        for each in kept:
            await each.assert_there(server)
    assert len(kept) >= ROUNDS, "the servers were killed before they had done anything"


def killed(product: Product, transcript: Transcript, number: int) -> list[Kept]:
    """What a server had archived and told of when it was killed; it was asked to prune on and on."""
    chance = random.Random(number)
    outputs = [texts(f"round {number} prune {prune}", 4, 90_000) for prune in range(PRUNES)]
    with pipe(product) as server:
        answers = server.answers()
        server.prune(1, messages=conversation(f"{number}-0", outputs[0]))
        acknowledged = dict([next(answers)])
        for prune in range(1, PRUNES):
            server.prune(prune + 1, messages=conversation(f"{number}-{prune}", outputs[prune]))
            server.prune(100 + prune, session=str(transcript.path), keep_turns=chance.randrange(3))
        acknowledged |= dict(next(answers) for _ in range(chance.randrange(PRUNES)))
        for _ in range(chance.randrange(300_000)):
            pass
        server.kill()
        acknowledged |= dict(answers)
    assert not any(answer.get("isError") for answer in acknowledged.values())
    return [of_answer(answer, outputs[id - 1]) for id, answer in acknowledged.items() if id < 100]


def of_answer(answer: dict[str, Any], outputs: list[str]) -> Kept:
    """What an answer says was archived."""
    refs = [f"t{number}" for number in range(1, len(outputs) + 1)]
    return Kept(answer["structuredContent"]["session"], dict(zip(refs, outputs, strict=True)))


async def test_a_prune_that_was_killed_is_done_anew_and_loses_nothing(product: Product) -> None:
    messages = conversation("again", texts("again", size=90_000))
    with pipe(product) as server:
        for id in range(1, 6):
            server.prune(id, messages=messages, keep_turns=6 - id)
        next(server.answers())
    async with product.serve() as client:
        answer = await client.prune(messages=messages)
        view = View(pieces("anthropic", messages), pieces("anthropic", answer["messages"]))
        items = await client.fetch(answer["session"], view.refs())
        assert len(view.outputs()) > 4
        assert (missing_outputs(view, items), missing_words(view, items)) == ([], [])


async def test_two_clients_at_once_bring_back_what_either_pruned(product: Product, kept: Kept) -> None:
    outputs = texts("second")
    async with product.serve() as first, product.serve() as second:
        await kept.assert_there(first)
        answer = await second.prune(messages=conversation("second", outputs))
        refs = {f"t{number}": output for number, output in enumerate(outputs, 1)}
        await Kept(answer["session"], refs).assert_there(first)
        await kept.assert_there(second)


def flip(path: Path) -> None:
    """One bit of it is another."""
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def halve(path: Path) -> None:
    """Its end is missing."""
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def empty(path: Path) -> None:
    """Nothing is left in it."""
    path.write_bytes(b"")


@pytest.mark.parametrize("damage", [flip, halve, empty, Path.unlink])
async def test_a_damaged_file_of_the_store_is_told_shortens_nothing_and_is_mended_by_a_good_copy(
    product: Product, damage: Callable[[Path], None]
) -> None:
    outputs = texts("large", size=200_000)
    async with product.serve() as server:
        answer = await server.prune(messages=conversation("large", outputs))
        body = body_of(product, outputs[2])
        good = body.read_bytes()
        damage(body)
        whole = {f"t{number}": output for number, output in enumerate(outputs, 1) if number != 3}
        await Kept(answer["session"], whole).assert_there(server)
        await assert_told_as_damaged(server, answer["session"], outputs[2])
        [row] = json.loads(product.run("show", "t3", "--session", answer["session"], "--json").stdout)
        assert (row["status"], row["text"]) == ("damaged", "")
        body.write_bytes(good)
        await Kept(answer["session"], {"t3": outputs[2]}).assert_there(server)


def test_show_ends_with_a_code_when_nothing_comes_back(product: Product) -> None:
    outputs = texts("large", size=200_000)
    session = product.json("prune", messages_file(product, outputs))["session"]
    body_of(product, outputs[2]).unlink()
    assert product.run("show", "t3", "--session", session).returncode == 1


async def assert_told_as_damaged(server: Server, session: str, output: str) -> None:
    """Whatever is asked of t3, nothing of it comes, and the answer says why and what to do."""
    parts: list[dict[str, Any]] = [{}, {"lines": ":1"}, {"pattern": "large"}, {"offset": 5, "limit": 10}]
    for part in parts:
        text = await server.query(refs=["t3"], session=session, **part)
        assert "status=damaged" in text
        assert "chars=none/" in text
        assert output[:40] not in text
        assert "A good copy put back there mends it" in text


def body_of(product: Product, output: str) -> Path:
    """The store's file of a large output, which is named by its sha256."""
    name = hashlib.sha256(output.encode()).hexdigest()
    [path] = product.store.parent.rglob(f"{name}*")
    return path


def messages_file(product: Product, outputs: list[str]) -> str:
    """The same conversation as a file."""
    file = product.home / "messages.json"
    file.write_text(json.dumps(conversation("large", outputs)), encoding="utf-8")
    return str(file)
