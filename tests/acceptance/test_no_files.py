"""Pipes and devices in a file's place are refused at once: to read one could take for ever, or all memory."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.acceptance.kept import Kept
from tests.acceptance.product import Product
from tests.acceptance.told import failure, refusal

pytestmark = [
    pytest.mark.requirement("SRV-STRICT"),
    pytest.mark.skipif(os.name == "nt", reason="Windows has no such files"),
]


def pipe(path: Path) -> None:
    os.mkfifo(path)


def endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


@pytest.mark.parametrize("make", [pipe, endless])
async def test_what_is_no_file_is_refused_where_one_is_named(
    product: Product, kept: Kept, make: Callable[[Path], None]
) -> None:
    path = product.home / "session.jsonl"
    make(path)
    for command in ("prune", "collapse", "usage", "import"):
        failure(product.run(command, str(path)), 1, "session.jsonl", "a pipe, a socket or a device")
    async with product.serve() as server:
        for tool in ("prune_context", "collapse_turns", "context_usage"):
            refusal(await server.call(tool, session=str(path)), "session.jsonl", "a pipe, a socket or a device")
        await kept.assert_there(server)


@pytest.mark.parametrize("name", ["conversations.json", "export.zip"])
def test_in_a_folder_of_exports_it_is_passed_over(product: Product, name: str) -> None:
    folder = product.home / "export"
    folder.mkdir()
    pipe(folder / name)
    done = product.run("import", str(folder))
    assert done.returncode == 1
    assert f"{name} is a pipe, a socket or a device" in done.stdout + done.stderr
