"""Where the user has no home folder, or the folder of work was deleted, one message says so, or all goes on."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence

import pytest

from tests.acceptance.kept import Kept
from tests.acceptance.product import PROGRAM, Product
from tests.acceptance.told import failure, refusal

pytestmark = [
    pytest.mark.requirement("SRV-STRICT"),
    pytest.mark.skipif(os.name == "nt", reason="about users and folders as POSIX has them"),
]
COMMANDS = [("sessions",), ("search", "walrus"), ("prune",), ("index",), ("tree", "s-one")]


def unknown_user() -> list[str]:
    """The program for a number that is no user of this system, as in a container."""
    prefix = ["env", "-u", "HOME", "setpriv", "--reuid=54321", "--clear-groups"]
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("only a superuser can become a user that there is not")
    reads = subprocess.run(
        [*prefix, sys.executable, "-c", "import prune_mcp.server"], check=False, capture_output=True
    )
    if reads.returncode:
        pytest.skip("such a user may not read the program here")
    return [*prefix, *PROGRAM]


def in_a_deleted_folder() -> list[str]:
    """The program in a folder that is taken away before it starts."""
    gone = "os.mkdir('gone'); os.chdir('gone'); os.rmdir('../gone')"
    return [sys.executable, "-c", f"import os, sys; {gone}; os.execv(sys.argv[1], sys.argv[1:])", *PROGRAM]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_user_without_a_home_is_told_to_set_one(product: Product, command: Sequence[str]) -> None:
    product.program, product.variables = unknown_user(), {"PRUNE_MCP_HOME": ""}
    failure(product.run(*command), 1, "home folder", "Set", "HOME")


@pytest.mark.parametrize("command", COMMANDS[:3], ids=" ".join)
def test_so_is_one_who_has_a_store(product: Product, command: Sequence[str]) -> None:
    product.program, product.variables = unknown_user(), {"PRUNE_MCP_HOME": "/no-such-folder"}
    failure(product.run(*command), 1, "home folder", "Set HOME")


def test_a_store_in_the_home_of_a_user_that_there_is_not_is_refused(product: Product) -> None:
    product.variables = {"PRUNE_MCP_HOME": "~no-such-user/store"}
    failure(product.run("search", "walrus"), 1, "PRUNE_MCP_HOME is ~no-such-user/store", "absolute path")


def test_a_store_under_too_long_a_name_is_refused(product: Product) -> None:
    product.variables = {"PRUNE_MCP_HOME": str(product.home / ("x" * 256))}
    done = product.run("index")
    assert done.returncode == 1
    assert "File name too long" in done.stderr
    assert "Traceback" not in done.stderr


async def test_in_a_folder_that_was_deleted_all_goes_on_but_what_needs_it(product: Product, kept: Kept) -> None:
    product.program = in_a_deleted_folder()
    for command in (("sessions",), ("search", "walrus"), ("show", f"t1@{kept.session}")):
        done = product.run(*command)
        assert done.returncode == 0, done.stderr
    failure(product.run("prune"), 1, "There is no session of")
    async with product.serve() as server:
        await kept.assert_there(server)
        assert not (await server.call("history_search", query="walrus")).is_error
        refusal(await server.call("prune_context"), "session")
    product.variables = {"PRUNE_MCP_HOME": "store"}
    failure(product.run("sessions"), 1, "started in is gone")
