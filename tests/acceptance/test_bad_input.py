"""Bad input is told in one clear message that says what to do; the server lives on, and nothing is lost."""

from __future__ import annotations

import os
import shutil
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.kept import Kept, keep
from tests.acceptance.product import Product, Server
from tests.acceptance.subjects import SAMPLE
from tests.acceptance.told import failure, refusal

pytestmark = pytest.mark.requirement("SRV-STRICT")

PRUNE, QUERY = "prune_context", "context_tree_query"


@dataclass
class Running:
    """One server for many bad calls, and what must outlive them all."""

    product: Product
    server: Server
    kept: Kept
    files: Path

    def named(self, value: Any) -> Any:
        """A test's argument with this session and this folder put in."""
        if isinstance(value, str):
            return value.replace("SESSION", self.kept.session).replace("FILES", str(self.files))
        return value


@pytest.fixture(scope="module")
async def running(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Running]:
    """The server, with a session on disk and a conversation archived before."""
    product = Product(tmp_path_factory.mktemp("home"))
    project = product.home / ".claude" / "projects" / "-home-dana-harbor"
    project.mkdir(parents=True)
    session = project / "5d0c7a52-1f0e-4b7e-9a63-0f4e6f2b8c11.jsonl"
    shutil.copy(SAMPLE, session)
    # Not live any more, so that no call waits for its own line in it.
    os.utime(session, (0, 0))
    kept = keep(product, "earlier")
    async with product.serve() as server:
        yield Running(product, server, kept, make_files(product.home / "files"))


def make_files(folder: Path) -> Path:
    """A folder of files that are no sessions and no messages."""
    (folder / "folder").mkdir(parents=True)
    (folder / "poem.json").write_text("roses are red\n", encoding="utf-8")
    (folder / "number.json").write_text("17\n", encoding="utf-8")
    (folder / "empty.jsonl").touch()
    (folder / "blank.jsonl").write_text("\n\n  \n", encoding="utf-8")
    (folder / "poem.jsonl").write_text("roses are red\nviolets are blue\n", encoding="utf-8")
    (folder / "other.jsonl").write_text('{"a": 1}\n{"b": [2]}\n', encoding="utf-8")
    (folder / "binary.jsonl").write_bytes(bytes(range(256)) * 64)
    return folder


SESSIONS: list[tuple[str, list[str]]] = [
    ("nothing-like-it", ["no session 'nothing-like-it'", "5d0c7a52"]),
    ("FILES/missing.jsonl", ["missing.jsonl", "no file"]),
    ("FILES/folder", ["folder", "name"]),
    ("FILES/empty.jsonl", ["empty.jsonl", "is empty"]),
    ("FILES/blank.jsonl", ["blank.jsonl", "no session"]),
    ("FILES/poem.jsonl", ["poem.jsonl", "no session"]),
    ("FILES/other.jsonl", ["other.jsonl", "no session"]),
    ("FILES/binary.jsonl", ["binary.jsonl", "no session"]),
]


@pytest.mark.parametrize(("session", "told"), SESSIONS)
async def test_what_is_no_session_is_refused_and_nothing_is_lost(
    running: Running, session: str, told: list[str]
) -> None:
    word = running.named(session)
    refusal(await running.server.call(PRUNE, session=word), *told)
    failure(running.product.run("prune", word), 1, *told)
    await running.kept.assert_there(running.server)


CALLS: list[tuple[str, dict[str, Any], list[str]]] = [
    (QUERY, {"refs": ["t999"], "session": "SESSION"}, ["t999", "t8"]),
    (QUERY, {"refs": ["b1"], "session": "SESSION"}, ["b1"]),
    (QUERY, {"refs": ["toolu_earlier_77"], "session": "SESSION"}, ["toolu_earlier_77", "toolu_earlier_7"]),
    (QUERY, {"refs": ["t1@nowhere"]}, ["t1@nowhere"]),
    (QUERY, {"refs": ["t1:image1"], "session": "SESSION"}, ["t1:image1"]),
    (QUERY, {"refs": ["that log"], "session": "SESSION"}, ["that", "log", "the tree lists them"]),
    (QUERY, {"refs": ["t1"], "session": "nothing-like-it"}, ["nothing-like-it"]),
    (QUERY, {"session": "nothing-like-it"}, ["nothing-like-it"]),
    (QUERY, {"refs": 5}, ["`refs` must be a list of texts", "the number 5"]),
    (QUERY, {"refs": [["t1"]]}, ["`refs` must be a list of texts"]),
    (QUERY, {"refs": ["t1"], "lines": "some", "session": "SESSION"}, ["'some' is no range of lines", "A:B"]),
    (QUERY, {"refs": ["t1"], "offset": -1}, ["`offset` must be a whole number of at least 0"]),
    (QUERY, {"refs": ["t1"], "limit": "9"}, ["`limit` must be a whole number of at least 1", 'the text "9"']),
    (QUERY, {"cursor": "refs-AAAA"}, ["cursor", "Copy it whole"]),
    (QUERY, {"cursor": "page 2"}, ["cursor"]),
    (QUERY, {"pattern": "ERROR"}, ["`pattern`", "`refs`"]),
    (QUERY, {"ref": "t1"}, ["no parameter `ref`", "`refs`"]),
    (PRUNE, {"sesion": "x"}, ["no parameter `sesion`", "`session`"]),
    (PRUNE, {"session": 7}, ["`session` must be a text", "the number 7"]),
    (PRUNE, {"keep_turns": "3"}, ["`keep_turns` must be a whole number"]),
    (PRUNE, {"keep_turns": -1}, ["`keep_turns` must be a whole number of at least 0"]),
    (PRUNE, {"dry_run": "yes"}, ["`dry_run` must be true or false"]),
    (PRUNE, {"note": {"a": 1}}, ["`note` must be a text"]),
    (PRUNE, {"messages": 5}, ["`messages` must be a list"]),
    (PRUNE, {"messages": [1, 2, 3]}, ["message", "int", "anthropic"]),
    (PRUNE, {"messages": {"model": "m"}}, ["messages"]),
]


@pytest.mark.parametrize(
    ("tool", "arguments", "told"), [pytest.param(*call, id=f"{call[0]} {call[1]}") for call in CALLS]
)
async def test_a_call_that_makes_no_sense_is_refused_and_nothing_is_lost(
    running: Running, tool: str, arguments: dict[str, Any], told: list[str]
) -> None:
    given = {name: running.named(value) for name, value in arguments.items()}
    refusal(await running.server.call(tool, **given), *told)
    await running.kept.assert_there(running.server)


COMMANDS: list[tuple[list[str], int, list[str]]] = [
    (["prun"], 2, ["'prun'", "'prune'"]),
    (["prune", "--keep-turns", "many"], 2, ["--keep-turns", "--help"]),
    (["prune", "--keepturns", "3"], 2, ["--keepturns", "--keep-turns"]),
    (["prune", "FILES/poem.json"], 1, ["poem.json", "no JSON"]),
    (["prune", "FILES/number.json"], 1, ["messages"]),
    (["show"], 2, ["REFS", "--help"]),
    (["show", "t1", "--lines", "some"], 2, ["'some' is no range of lines"]),
    (["show", "t999"], 1, ["t999", "t8"]),
    (["show", "t1", "--session", "nothing-like-it"], 1, ["nothing-like-it"]),
    (["tree", "nothing-like-it"], 1, ["nothing-like-it"]),
    (["tree", "FILES/poem.jsonl"], 1, ["poem.jsonl", "no session"]),
]


@pytest.mark.parametrize(("arguments", "code", "told"), COMMANDS)
async def test_a_command_that_makes_no_sense_ends_with_a_code_and_one_message(
    running: Running, arguments: list[str], code: int, told: list[str]
) -> None:
    failure(running.product.run(*map(running.named, arguments)), code, *told)
