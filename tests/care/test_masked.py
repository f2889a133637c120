"""A secret in a session's title, prompt and output is masked wherever the session is told of outside of itself."""

from __future__ import annotations

import json
from typing import Any

import pytest
from mcp import Client
from mcp.types import ResourceTemplateReference

from prune_mcp.engine.engine import Engine
from prune_mcp.server.app import make_server
from tests.care.conftest import Shell, exact
from tests.sessions.transcripts.writing import ClaudeFile, tool_use

pytestmark = pytest.mark.requirement("HIS-SECRET")

LEAKY = "dd44-leaky-session"
# Also where a title is cut in the middle of it.
SECRET = "k7Qz9fLm2XvB8nT4wRj6YpAc" * 3
PART = SECRET[:12]
TOLD = f"deploy with walrus API_TOKEN={SECRET}"
OUTPUT = f"walrus said\nDB_PASSWORD={SECRET}\n" + "".join(f"line {n}\n" for n in range(400))


@pytest.fixture
def leaky(shell: Shell) -> Shell:
    """A session with a secret everywhere, pruned and indexed, and one beside it."""
    shell.session("ee55-other-session", "an output of its own")
    file = ClaudeFile(shell.session(LEAKY), LEAKY)
    for number in range(6):
        file.prompt(TOLD, cwd=str(shell.folder))
        file.says(tool_use(f"leak-{number}", command=f"curl -u walrus:{SECRET} https://h/{number}"))
        file.result(f"leak-{number}", f"{number} {OUTPUT}")
        file.says(f"done {TOLD}")
    file.line({"type": "ai-title", "aiTitle": TOLD, "sessionId": LEAKY})
    shell.run("prune", LEAKY, "--note", TOLD)
    return shell


COMMANDS = (
    ("sessions",),
    ("tree", LEAKY),
    ("stats",),
    ("stats", LEAKY),
    ("usage", LEAKY),
    ("search", "walrus"),
    ("forget", LEAKY, "--dry-run"),
    ("gc", "--dry-run", "--older-than", "2100-01-01"),
    ("index", "--status"),
    ("check",),
    ("config",),
)


@pytest.mark.parametrize("indexed", [False, True], ids=["scanned", "indexed"])
def test_no_command_that_tells_of_sessions_tells_their_secrets(leaky: Shell, indexed: bool) -> None:
    if indexed:
        leaky.run("index")
    for command in COMMANDS:
        for form in ((), ("--json",)):
            told = leaky.run(*command, *form)
            assert PART not in told.stdout + told.stderr, command
    (hit, *_) = leaky.json("search", "walrus")["hits"]
    assert "walrus" in hit["snippet"]
    for shape in ((), ("--json",), ("--around", "3")):
        assert PART not in leaky.run("read", f"{hit['entry']}@{hit['session']}", *shape).stdout


CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("history_search", {"query": "walrus", "all": True}),
    ("context_tree_query", {"session": LEAKY}),
    ("context_usage", {"session": LEAKY}),
)


async def test_no_tool_resource_or_completion_tells_them(leaky: Shell) -> None:
    engine = Engine(leaky.env)
    told = []
    try:
        async with Client(make_server(lambda: engine)) as client:
            told += [repr(await client.call_tool(tool, arguments)) for tool, arguments in CALLS]
            for uri in ("prune://status", f"prune://tree/{LEAKY}", f"prune://session/{LEAKY}"):
                told.append(repr(await client.read_resource(uri)))
            for uri, name in (("prune://tree/{session}", "session"), ("prune://ref/{ref}", "ref")):
                reference = ResourceTemplateReference(uri=uri)
                told.append(repr(await client.complete(reference, {"name": name, "value": ""})))
    finally:
        engine.close()
    assert sum("walrus" in each for each in told) >= len(CALLS) + 2
    assert [each[:100] for each in told if PART in each] == []


def test_what_is_recovered_is_what_it_was(leaky: Shell) -> None:
    assert SECRET in json.dumps(exact(leaky, LEAKY, "t1", "t6"))
