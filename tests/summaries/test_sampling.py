"""The client's own model: asked where the caller wants it and the client offers it, in both eras."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal

import anyio
import fastmcp
import pytest
from anyio import to_thread
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp.types import (
    CallToolResult,
    CreateMessageRequestParams,
    CreateMessageResult,
    ElicitResult,
    ErrorData,
    ImageContent,
    InputRequiredResult,
    TextContent,
)

from prune_mcp.engine import Engine, Settings
from prune_mcp.engine.summaries.options import SummaryOptions
from prune_mcp.pruning.options import ChainOptions
from prune_mcp.server.app import make_server
from prune_mcp.storage.records import ModelUsage
from tests.conversations import PIXEL
from tests.pruning.build import JSON, Talk, call, log
from tests.server.http.serving import Place, served
from tests.server.transcripts import write_session
from tests.summaries.endpoint import LABEL, bullet
from tests.summaries.talks import stubs, three_calls

Era = Literal["auto", "legacy"]
Reply = CreateMessageResult | ErrorData

BY_TURN_OPTIONS: dict[str, Any] = {
    "keep_turns": 1,
    "batching_mode": "turn",
    "chain_compression": ChainOptions(rolling_window=0),
}
LENGTH = ", and more of it at a length that nobody needs twice"


@pytest.fixture(params=["auto", "legacy"])
def era(request: pytest.FixtureRequest) -> Era:
    """The protocol's two eras."""
    era: Era = request.param
    return era


class Model:
    """A client's model: keeps what it is asked, and answers with `write`, by default a bullet for each label."""

    def __init__(self, write: Callable[[str], str] | None = None, stop: str = "endTurn") -> None:
        self.asked: list[str] = []
        self._write = write or (lambda prompt: "\n".join(map(bullet, labels(prompt))))
        self._stop = stop

    async def __call__(self, context: Any, params: CreateMessageRequestParams) -> Reply:
        content = params.messages[0].content
        assert isinstance(content, TextContent)
        self.asked.append(content.text)
        said = TextContent(type="text", text=self._write(content.text))
        return CreateMessageResult(role="assistant", content=said, model="host-model", stop_reason=self._stop)


def labels(prompt: str) -> list[str]:
    """The labels that a prompt gives its items."""
    return [found[0] for found in LABEL.finditer(prompt)]


def long_bullets(prompt: str) -> str:
    """A long bullet for each label of a prompt."""
    return "\n".join(bullet(label) + LENGTH for label in labels(prompt))


def two_summaries() -> Talk:
    """The beginning of an exchange with two outputs of two turns."""
    return (
        Talk().prompt("Go.").turn(call("Bash", log(90), command="a")).turn(call("Read", log(80, "b"), path="/b"))
    )


@asynccontextmanager
async def connected(engine: Engine, era: Era, model: Any) -> AsyncIterator[Client]:
    """A client of this era whose model is `model`; None: it offers none."""
    async with Client(make_server(lambda: engine), mode=era, sampling_callback=model) as client:
        yield client


async def pruned(client: Client, messages: list[JSON], **arguments: Any) -> JSON:
    """What the tool answers."""
    result = await client.call_tool("prune_context", {"messages": messages, "summarize": "client", **arguments})
    assert not result.is_error
    answer: JSON | None = result.structured_content
    assert answer is not None
    return answer


def summarised(answer: JSON) -> list[str]:
    """The stubs that hold a model's words."""
    return [stub for stub in stubs(answer["messages"]) if " | summary]" in stub]


@pytest.fixture
def engine(make_engine: Callable[..., Engine]) -> Engine:
    return make_engine()


@pytest.mark.requirement("PRU-SUMMARY", "SRV-ERAS")
async def test_the_clients_model_is_asked_once_for_all_outputs(engine: Engine, era: Era) -> None:
    model = Model()
    async with connected(engine, era, model) as client:
        answer = await pruned(client, three_calls().messages)
        assert [labels(prompt) for prompt in model.asked] == [["[[1:Bash]]", "[[2:Read]]", "[[3:Bash]]"]]
        assert len(summarised(answer)) == 3
        again = await pruned(client, answer["messages"])
    assert again["messages"] == answer["messages"]
    assert len(model.asked) == 1
    assert engine.store.model_usage(answer["session"]) == [ModelUsage("client")]
    assert {"step": "summary", "reason": "asked client", "requests": 1} in answer["outcomes"]


@pytest.mark.requirement("PRU-SUMMARY", "SRV-ERAS")
async def test_a_session_on_disk_is_summarised_by_the_client_too(
    engine: Engine, era: Era, home: Path, tmp_path: Path
) -> None:
    path = write_session(home, "s-one", tmp_path, outputs=[log(90), log(80, "other"), "ok"])
    model = Model()
    async with connected(engine, era, model) as client:
        arguments = {"session": str(path), "summarize": "client", "keep_turns": 0}
        result = await client.call_tool("prune_context", arguments)
        assert not result.is_error
        await client.call_tool("prune_context", arguments)
    assert len(model.asked) == 1
    assert {output.state for output in engine.store.outputs("s-one")} >= {"summary"}


@pytest.mark.requirement("PRU-SUMMARY", "SRV-ERAS")
async def test_nobody_is_asked_unless_the_caller_wants_it(engine: Engine, era: Era) -> None:
    model = Model()
    async with connected(engine, era, model) as client:
        await client.call_tool("prune_context", {"messages": three_calls().messages})
        answer = await pruned(
            client, Talk().prompt("New.").turn(call("A", log(90))).turns(4).messages, dry_run=True
        )
    assert model.asked == []
    assert "a dry run asks no model" in [outcome["reason"] for outcome in answer["outcomes"]]


@pytest.mark.requirement("PRU-SUMMARY", "SRV-ERAS")
async def test_a_client_without_a_model_gets_digests_and_is_told(engine: Engine, era: Era) -> None:
    async with connected(engine, era, None) as client:
        answer = await pruned(client, three_calls().messages)
    assert len(stubs(answer["messages"])) == 3
    assert summarised(answer) == []
    (found,) = answer["diagnostics"]
    assert found["detail"] == "this client offers no model for summaries; digests stand instead"


async def refuses(context: Any, params: CreateMessageRequestParams) -> Reply:
    """The person says no."""
    return ErrorData(code=-1, message="the person said no")


@pytest.mark.requirement("PRU-SUMMARY", "SRV-ERAS")
async def test_where_a_refusal_reaches_the_server_digests_stand(engine: Engine) -> None:
    async with connected(engine, "legacy", refuses) as client:
        answer = await pruned(client, three_calls().messages)
    assert len(stubs(answer["messages"])) == 3
    assert summarised(answer) == []
    assert "the person said no" in answer["diagnostics"][0]["detail"]
    assert engine.store.model_usage(answer["session"]) == []


@pytest.mark.requirement("PRU-SUMMARY", "SRV-ERAS")
async def test_a_refusal_that_ends_the_call_in_the_client_leaves_the_store_as_it_was(engine: Engine) -> None:
    async with connected(engine, "auto", refuses) as client:
        with pytest.raises(MCPError, match="the person said no"):
            await client.call_tool("prune_context", {"messages": three_calls().messages, "summarize": "client"})
        (record,) = engine.store.sessions()
        assert (record.flushes, record.frontier) == (0, 0)
        answer = await client.call_tool("prune_context", {"messages": three_calls().messages})
    assert answer.structured_content is not None
    assert len(stubs(answer.structured_content["messages"])) == 3


@pytest.mark.requirement("PRU-SUMMARY", "SRV-ERAS")
async def test_the_same_call_after_a_refusal_asks_nobody_and_ends_with_digests(engine: Engine) -> None:
    model = Model()
    async with connected(engine, "auto", refuses) as client:
        with pytest.raises(MCPError, match="the person said no"):
            await pruned(client, three_calls().messages)
        answer = await pruned(client, three_calls().messages)
    assert len(stubs(answer["messages"])) == 3
    assert summarised(answer) == []
    (found,) = answer["diagnostics"]
    assert found["detail"] == "the client's model was asked this before and gave no reply; digests stand instead"
    async with connected(engine, "auto", model) as client:
        other = Talk().prompt("Other.").turn(call("Bash", log(90), command="b")).turns(4)
        assert len(summarised(await pruned(client, other.messages))) == 1


@pytest.mark.requirement("PRU-SUMMARY", "SRV-ERAS")
async def test_what_came_in_after_a_refusal_is_asked_about(engine: Engine) -> None:
    talk = three_calls()
    answers: list[Callable[[Any, CreateMessageRequestParams], Awaitable[Reply]]] = [refuses, Model()]

    async def at_first_refuses(context: Any, params: CreateMessageRequestParams) -> Reply:
        return await answers.pop(0)(context, params)

    async with connected(engine, "auto", at_first_refuses) as client:
        with pytest.raises(MCPError, match="the person said no"):
            await pruned(client, talk.messages)
        talk.turn(call("Bash", log(90, "later"), command="later")).turns(4)
        assert len(summarised(await pruned(client, talk.messages))) == 4


@pytest.mark.requirement("PRU-SUMMARY", "SRV-ERAS")
@pytest.mark.parametrize("declined", [True, False])
async def test_a_call_that_comes_back_without_a_reply_ends_with_digests(engine: Engine, declined: bool) -> None:
    arguments = {"messages": three_calls().messages, "summarize": "client"}
    async with connected(engine, "auto", Model()) as client:
        first = await client.session.call_tool("prune_context", arguments, allow_input_required=True)
        assert isinstance(first, InputRequiredResult)
        assert first.input_requests is not None
        (key,) = first.input_requests
        answer = await client.session.call_tool(
            "prune_context",
            arguments,
            input_responses={key: ElicitResult(action="decline")} if declined else None,
            request_state=first.request_state,
            allow_input_required=True,
        )
    assert isinstance(answer, CallToolResult)
    assert answer.structured_content is not None
    assert len(stubs(answer.structured_content["messages"])) == 3
    (found,) = answer.structured_content["diagnostics"]
    assert found["detail"].startswith("the client made the call again without its model's reply")


@pytest.mark.requirement("PRU-SUMMARY", "PRU-FUSE")
async def test_who_refuses_the_first_question_is_not_asked_a_second(make_engine: Callable[..., Engine]) -> None:
    asked = 0

    async def refuses_all(context: Any, params: CreateMessageRequestParams) -> Reply:
        nonlocal asked
        asked += 1
        return await refuses(context, params)

    engine = make_engine(**BY_TURN_OPTIONS)
    talk = two_summaries().turns(2)
    async with connected(engine, "legacy", Model(long_bullets)) as client:
        await pruned(client, talk.messages)
    talk.answer("Done.").prompt("More.").turn(call("Bash", log(90, "c"), command="c")).turns(2)
    async with connected(engine, "legacy", refuses_all) as client:
        await pruned(client, talk.messages)
    assert asked == 1


@pytest.mark.requirement("PRU-SUMMARY")
async def test_a_client_that_does_not_reply_in_time_is_not_waited_for(env: dict[str, str]) -> None:
    hung = anyio.Event()

    async def hangs(context: Any, params: CreateMessageRequestParams) -> Reply:
        hung.set()
        await anyio.sleep_forever()
        raise AssertionError

    engine = Engine(env, settings=Settings(summaries=SummaryOptions(max_timeout_ms=200)))
    with anyio.fail_after(20):
        async with connected(engine, "legacy", hangs) as client:
            answer = await pruned(client, three_calls().messages)
    engine.close()
    assert hung.is_set()
    assert summarised(answer) == []
    assert answer["diagnostics"][0]["key"] == "client"


@pytest.mark.requirement("PRU-SUMMARY", "SRV-ERAS")
@pytest.mark.parametrize(
    ("model", "cause"),
    [
        (Model(lambda _: "I would rather not."), "unlabelled"),
        (Model(lambda _: " "), "blank"),
        (Model(stop="maxTokens"), "cut"),
    ],
)
async def test_a_reply_of_no_use_leaves_the_digests_and_is_charged(
    engine: Engine, era: Era, model: Model, cause: str
) -> None:
    async with connected(engine, era, model) as client:
        answer = await pruned(client, three_calls().messages)
    assert [found["key"] for found in answer["diagnostics"]] == [cause]
    assert len(stubs(answer["messages"])) == 3
    assert summarised(answer) == []
    assert engine.store.model_usage(answer["session"]) == [ModelUsage("client")]


@pytest.mark.requirement("PRU-SUMMARY", "SRV-ERAS")
async def test_a_reply_that_is_no_text_is_of_no_use(engine: Engine, era: Era) -> None:
    async def draws(context: Any, params: CreateMessageRequestParams) -> Reply:
        image = ImageContent(type="image", data=PIXEL[1], mime_type=PIXEL[0])
        return CreateMessageResult(role="assistant", content=image, model="painter")

    async with connected(engine, era, draws) as client:
        answer = await pruned(client, three_calls().messages)
    assert [found["key"] for found in answer["diagnostics"]] == ["blank"]


@pytest.mark.requirement("PRU-FUSE", "SRV-ERAS")
async def test_ranges_are_the_second_question(make_engine: Callable[..., Engine], era: Era) -> None:
    def write(prompt: str) -> str:
        if labels(prompt) == ["[[1:range]]"]:
            return "- [[1:range]] Both say that all is well (t1, t2)."
        return long_bullets(prompt)

    messages = two_summaries().answer("Done.").prompt("And now?").turns(2).messages
    model, engine = Model(write), make_engine(**BY_TURN_OPTIONS)
    async with connected(engine, era, model) as client:
        answer = await pruned(client, messages)
        again = await pruned(client, answer["messages"])
    assert [labels(prompt)[-1] for prompt in model.asked] == ["[[2:Read]]", "[[1:range]]"]
    assert "summary:\\n- Both say that all is well (t1, t2).\\n" in str(answer["messages"]).replace("\n", "\\n")
    assert again["messages"] == answer["messages"]
    assert engine.store.model_usage(answer["session"]) == [ModelUsage("client", 2)]


@pytest.mark.requirement("PRU-SUMMARY", "SRV-ERAS")
async def test_of_more_than_fits_one_question_the_newest_outputs_are_asked_about(
    make_engine: Callable[..., Engine], env: dict[str, str], era: Era
) -> None:
    talk = Talk().prompt("Read all.")
    for number in range(12):
        talk.turn(call("Read", log(100, f"file{number:02}"), file_path=f"/app/f{number}.py"))
    model = Model()
    engine = Engine(env, settings=Settings(summaries=SummaryOptions(input_chars=6000)))
    async with connected(engine, era, model) as client:
        answer = await pruned(client, talk.turns(4).messages)
    engine.close()
    (prompt,) = model.asked
    assert len(labels(prompt)) == 6
    assert "file11 step 0000" in prompt
    assert "file05 step" not in prompt
    assert len(summarised(answer)) == 6
    assert len(stubs(answer["messages"])) == 12


@pytest.mark.requirement("PRU-SUMMARY", "SRV-ERAS")
async def test_what_another_process_decides_while_the_client_thinks_stands(
    make_engine: Callable[..., Engine], era: Era
) -> None:
    messages = three_calls().messages
    other = make_engine()

    def write(prompt: str) -> str:
        other.prune_messages(messages)
        return "\n".join(map(bullet, labels(prompt)))

    async with connected(make_engine(), era, Model(write)) as client:
        answer = await pruned(client, messages)
    assert summarised(answer) == []
    assert answer["messages"] == other.prune_messages(messages).messages


@pytest.mark.requirement("PRU-SUMMARY")
async def test_clients_that_prune_at_once_get_their_own_words(engine: Engine, era: Era) -> None:
    talks = {word: Talk().prompt(f"Go {word}.").turn(call("Bash", log(90, word), command=word)) for word in "abc"}
    asked, all_asked = set(), anyio.Event()

    async def prune(word: str) -> None:
        async def write(context: Any, params: CreateMessageRequestParams) -> Reply:
            asked.add(word)
            if len(asked) == len(talks):
                all_asked.set()
            await all_asked.wait()
            return await Model(lambda prompt: f"- [[1:Bash]] seen: {prompt.count(f'{word} step')}")(
                context, params
            )

        async with connected(engine, era, write) as client:
            answer = await pruned(client, talks[word].turns(4).messages)
        assert summarised(answer)[0].endswith("- seen: 90")

    with anyio.fail_after(30):
        async with anyio.create_task_group() as calls:
            for word in talks:
                calls.start_soon(prune, word)


@pytest.mark.requirement("PRU-SUMMARY", "SRV-PROGRESS")
async def test_the_client_is_told_that_its_model_is_awaited(engine: Engine) -> None:
    told: list[str | None] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        told.append(message)

    async with connected(engine, "legacy", Model()) as client:
        arguments = {"messages": three_calls().messages, "summarize": "client"}
        await client.call_tool("prune_context", arguments, progress_callback=hear)
    assert "waiting for the client's model" in told


@pytest.mark.requirement("PRU-SUMMARY", "SRV-PROGRESS")
async def test_other_calls_go_on_while_the_client_thinks(engine: Engine) -> None:
    asked, free = anyio.Event(), anyio.Event()

    async def thinks(context: Any, params: CreateMessageRequestParams) -> Reply:
        asked.set()
        await free.wait()
        return await Model()(context, params)

    with anyio.fail_after(20):
        async with connected(engine, "legacy", thinks) as client, anyio.create_task_group() as calls:
            calls.start_soon(pruned, client, three_calls().messages)
            await asked.wait()
            other = Talk().prompt("Other.").turn(call("Bash", log(90), command="b")).turns(4)
            result = await client.call_tool("prune_context", {"messages": other.messages})
            assert not result.is_error
            free.set()


@pytest.mark.requirement("PRU-SUMMARY", "SRV-ERAS")
@pytest.mark.parametrize("offers", [True, False])
async def test_fastmcps_client_is_asked_as_well(engine: Engine, era: Era, offers: bool) -> None:
    asked: list[str] = []

    async def write(messages: Any, params: Any, context: Any) -> str:
        prompt = str(messages[0].content.text)
        asked.append(prompt)
        return "\n".join(map(bullet, labels(prompt)))

    handler = write if offers else None
    async with fastmcp.Client(make_server(lambda: engine), sampling_handler=handler, mode=era) as client:
        arguments = {"messages": three_calls().messages, "summarize": "client"}
        result = await client.call_tool("prune_context", arguments)
    assert result.structured_content is not None
    assert (len(asked), len(summarised(result.structured_content))) == ((1, 3) if offers else (0, 0))


@pytest.mark.requirement("PRU-SUMMARY", "SRV-ERAS")
async def test_a_refusal_in_fastmcps_client_ends_in_digests_as_well(engine: Engine, era: Era) -> None:
    async def write(messages: Any, params: Any, context: Any) -> str:
        raise ValueError("the person said no")

    arguments = {"messages": three_calls().messages, "summarize": "client"}
    async with fastmcp.Client(make_server(lambda: engine), sampling_handler=write, mode=era) as client:
        if era == "auto":
            with pytest.raises(Exception, match="the person said no"):
                await client.call_tool("prune_context", arguments)
        result = await client.call_tool("prune_context", arguments)
    assert result.structured_content is not None
    assert len(stubs(result.structured_content["messages"])) == 3
    assert [found["key"] for found in result.structured_content["diagnostics"]] == ["client"]


@pytest.fixture(params=["stdio", "streamable", "sse"])
def place(request: pytest.FixtureRequest, home: Path) -> Iterator[Place]:
    """A server of its own in a scratch home, by each transport."""
    if request.param == "stdio":
        yield Place("stdio", home)
        return
    with served(home) as server:
        yield Place(request.param, home, server)


@pytest.mark.requirement("PRU-SUMMARY", "SRV-ERAS", "SRV-HTTP")
@pytest.mark.parametrize("offers", [True, False])
async def test_the_clients_model_is_asked_over_every_transport(place: Place, era: Era, offers: bool) -> None:
    model = Model()
    with anyio.fail_after(60):
        async with place.client(era, sampling_callback=model if offers else None) as client:
            answer = await pruned(client, three_calls().messages)
    assert (len(model.asked), len(summarised(answer))) == ((1, 3) if offers else (0, 0))
    assert len(stubs(answer["messages"])) == 3


@pytest.mark.requirement("PRU-SUMMARY", "SRV-STRICT")
async def test_another_word_for_whom_to_ask_is_refused(engine: Engine, era: Era) -> None:
    async with connected(engine, era, Model()) as client:
        result = await client.call_tool("prune_context", {"messages": [], "summarize": "server"})
    assert result.is_error
    assert isinstance(result.content[0], TextContent)
    assert "`summarize` must be" in result.content[0].text


@pytest.mark.requirement("SRV-PROGRESS")
async def test_a_cancelled_call_lets_go_of_the_client(engine: Engine) -> None:
    asked = threading.Event()

    async def hangs(context: Any, params: CreateMessageRequestParams) -> Reply:
        asked.set()
        await anyio.sleep_forever()
        raise AssertionError

    with anyio.fail_after(20):
        async with connected(engine, "legacy", hangs) as client:
            async with anyio.create_task_group() as calls:
                calls.start_soon(pruned, client, three_calls().messages)
                assert await to_thread.run_sync(asked.wait, 10)
                calls.cancel_scope.cancel()
            result = await client.call_tool("prune_context", {"messages": three_calls().messages})
    assert not result.is_error
