"""Every tool over every transport, in both eras: the same answers, errors, progress and cancelling."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.shared.exceptions import MCPError
from mcp.types import (
    INVALID_PARAMS,
    CallToolResult,
    PromptReference,
    ResourceTemplateReference,
    TextContent,
    TextResourceContents,
)

from tests.server.archived import LONG
from tests.server.conftest import Era, text_of
from tests.server.http.cases import ARCHIVED, CASES, SESSION, Case
from tests.server.http.gate import Gate
from tests.server.http.serving import Place, TransportName
from tests.server.transcripts import write_session

pytestmark = pytest.mark.requirement("SRV-ERAS")

# What each prompt is given, and what stands in it.
PROMPTS: dict[str, tuple[dict[str, str], str]] = {
    "prune": ({"note": "the walrus"}, 'prune_context with note="the walrus"'),
    "context": ({}, "context_usage"),
    "find": ({"query": "walrus", "project": "here"}, "history_search"),
    "collapse": ({"turns": "2"}, "collapse_turns with turns=2"),
    "status": ({}, "This is how prune-mcp stands"),
}
# What stands in each resource.
RESOURCES = {
    "prune://status": "sessions",
    f"prune://tree/{ARCHIVED}": "t1",
    f"prune://session/{SESSION}": "question 0",
    f"prune://entry/u0-2@{SESSION}": "a walrus sings",
    f"prune://ref/t1@{ARCHIVED}": LONG[:50],
}


def asked_of(tools: Collection[str]) -> list[Case]:
    """The cases of these tools, and those that are errors."""
    return [case for case in CASES if case.tool in tools or case.error]


def check(case: Case, result: CallToolResult) -> None:
    """Hold an answer against what is expected of it."""
    told = text_of(result)
    assert bool(result.is_error) == case.error, (case.name, told)
    assert [part for part in case.tells if part not in told] == [], (case.name, told)
    held = result.structured_content or {}
    assert {key: held.get(key) for key in case.holds} == case.holds, case.name


async def test_each_tool_answers_as_expected(place: Place, era: Era) -> None:
    async with place.client(era) as client:
        listed = [tool.name for tool in (await client.list_tools()).tools]
        for case in asked_of(listed):
            check(case, await client.call_tool(case.tool, case.arguments))


def test_no_tool_goes_without_a_case() -> None:
    from prune_mcp.server.app import make_server

    served = {tool.name for tool in anyio.run(make_server().list_tools)}
    assert served - {case.tool for case in CASES if not case.error} == set()


async def test_the_answers_are_the_same_whatever_brings_them(place: Place, library: Path, era: Era) -> None:
    stdio = Place("stdio", library)
    async with place.client(era) as here, stdio.client(era) as there:
        listed = [tool.name for tool in (await there.list_tools()).tools]
        for case in asked_of(listed):
            # What has been archived before is told in other words.
            await there.call_tool(case.tool, case.arguments)
            ours = await here.call_tool(case.tool, case.arguments)
            theirs = await there.call_tool(case.tool, case.arguments)
            assert not case.steady or ours.model_dump() == theirs.model_dump(), case.name


async def test_every_prompt_is_there_as_well(place: Place, era: Era) -> None:
    async with place.client(era) as client:
        assert [prompt.name for prompt in (await client.list_prompts()).prompts] == [*PROMPTS]
        for name, (arguments, tells) in PROMPTS.items():
            prompt = await client.get_prompt(name, arguments)
            content = prompt.messages[0].content
            assert isinstance(content, TextContent)
            assert tells in content.text, name
        with pytest.raises(MCPError, match="`turns` must be a whole number"):
            await client.get_prompt("collapse", {"turns": "all"})


async def test_every_resource_is_there_as_well(place: Place, era: Era) -> None:
    async with place.client(era) as client:
        assert [str(found.uri) for found in (await client.list_resources()).resources] == ["prune://status"]
        templates = (await client.list_resource_templates()).resource_templates
        assert {found.name for found in templates} == {"tree", "session", "entry", "ref"}
        for uri, tells in RESOURCES.items():
            (content,) = (await client.read_resource(uri)).contents
            assert isinstance(content, TextResourceContents)
            assert tells in content.text, uri
        with pytest.raises(MCPError, match="There is no session") as missing:
            await client.read_resource("prune://session/nowhere")
        assert missing.value.error.code == INVALID_PARAMS


async def test_every_completion_is_there_as_well(place: Place, era: Era) -> None:
    session, ref, find = (
        ResourceTemplateReference(type="ref/resource", uri="prune://session/{session}"),
        ResourceTemplateReference(type="ref/resource", uri="prune://ref/{ref}"),
        PromptReference(type="ref/prompt", name="find"),
    )
    async with place.client(era) as client:

        async def completed(of: Any, name: str, value: str) -> list[str]:
            return (await client.complete(of, {"name": name, "value": value})).completion.values

        assert await completed(session, "session", SESSION[:4]) == [SESSION]
        (full,) = await completed(ref, "ref", "t1@s-arch")
        (original,) = (await client.read_resource(f"prune://ref/{full}")).contents
        assert LONG[:10] in str(original)
        assert await completed(find, "project", "proj") == ["project"]
        assert await completed(find, "query", "w") == []


@pytest.mark.requirement("SRV-PROGRESS")
async def test_progress_reaches_the_client_while_the_work_goes_on(slow: Place, era: Era, gate: Gate) -> None:
    told: list[tuple[float, float | None, str | None]] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total, message))
        if len(told) == 1:
            await gate.started()
            gate.release()

    with anyio.fail_after(30):
        async with slow.client(era) as client:
            result = await client.call_tool("prune_context", {"session": SESSION}, progress_callback=hear)
    assert "released at last" in text_of(result)
    assert told[0] == (1, 2, "archiving outputs")


@pytest.mark.requirement("SRV-PROGRESS")
async def test_a_cancelled_call_ends_its_work_and_the_server_goes_on(slow: Place, era: Era, gate: Gate) -> None:
    with anyio.fail_after(30):
        async with slow.client(era) as client, anyio.create_task_group() as calls:
            calls.start_soon(client.call_tool, "prune_context", {"session": SESSION})
            await gate.started()
            calls.cancel_scope.cancel()
            with anyio.CancelScope(shield=True):
                await gate.ended()
                assert len((await client.list_tools()).tools) > 1


async def test_a_search_waits_for_no_prune(slow: Place, era: Era, gate: Gate) -> None:
    results: list[Any] = []

    async def prune() -> None:
        results.append(await client.call_tool("prune_context", {"session": SESSION}))

    with anyio.fail_after(30):
        async with slow.client(era) as client, anyio.create_task_group() as calls:
            calls.start_soon(prune)
            await gate.started()
            found = await client.call_tool("history_search", {"query": "walrus", "all": True})
            assert "a «walrus» sings" in text_of(found)
            assert results == []
            gate.release()
    assert "released at last" in text_of(results[0])


async def test_the_caller_over_http_is_never_guessed(
    transport: TransportName, place: Place, library: Path, era: Era
) -> None:
    live = write_session(library, "11fe0000-0000-4000-8000-000000000001", library, outputs=["now"])
    try:
        async with place.client(era) as client:
            pruned = await client.call_tool("prune_context", {"note": "whose?"})
            found = await client.call_tool("history_search", {"query": "walrus"})
    finally:
        live.unlink()
    if transport == "stdio":
        # The only session that is live where the server was started.
        assert pruned.structured_content is not None, text_of(pruned)
        assert pruned.structured_content["session"] == live.stem
        return
    assert pruned.is_error
    assert "is not guessed" in text_of(pruned)
    assert live.stem in text_of(pruned)
    assert "could not be told, so all were searched" in text_of(found)
    assert "a «walrus» sings" in text_of(found)


async def test_a_request_may_name_its_session_but_no_file_over_http(
    transport: TransportName, place: Place, library: Path, era: Era
) -> None:
    (path,) = library.glob(f".claude/projects/*/{SESSION}.jsonl")
    meta: Any = {"example.com/sessionId": SESSION}
    async with place.client(era) as client:
        told = await client.call_tool("prune_context", {"dry_run": True}, meta=meta)
        assert told.structured_content is not None, text_of(told)
        assert told.structured_content["session"] == SESSION
        by_path = [
            await client.call_tool("prune_context", {"session": str(path), "dry_run": True}),
            await client.call_tool("context_tree_query", {"session": str(path)}),
            await client.call_tool("prune_context", {"session": "/etc/hostname"}),
        ]
    if transport != "stdio":
        assert [result.is_error for result in by_path] == [True] * 3
        assert {text_of(result) for result in by_path} == {
            "Over HTTP a session is named by its id, or the beginning of one, and not by a path."
        }
    else:
        assert not by_path[0].is_error
