"""Summaries by the model of the client (MCP sampling), where a caller wants them and it is offered.

In the 2026 era a question rides on the answer of a call, and the client makes the call again with the reply; in
the earlier one it goes out while the call waits. There are at most two: what came of the outputs, and what becomes
of ranges that hold several summaries.
"""

from __future__ import annotations

from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal
from weakref import WeakKeyDictionary

import anyio
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.resolve import Resolve, Sample
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from mcp_types import (
    CreateMessageRequest,
    CreateMessageResult,
    CreateMessageResultWithTools,
    SamplingMessage,
    TextContent,
)
from mcp_types.version import is_version_at_least
from pydantic import ValidationError

from prune_mcp.server.tools.prune_call import PruneCall, find_path
from prune_mcp.server.worker import Worker

if TYPE_CHECKING:
    from prune_mcp.engine.summaries.client import ClientModel, Step
    from prune_mcp.engine.summaries.run import Summarize

Wanted = Literal["client", "endpoint"] | None

# The first revision in which a question rides on the answer of a call.
RIDES = "2026-07-28"
REPLIES = (CreateMessageResult, CreateMessageResultWithTools)
MOST_TOKENS = 4000
# Calls whose client is still to reply; the oldest of more is forgotten, and asks anew.
MOST_WAITING = 16
# Seconds between two signs of life to a client whose own model keeps a call waiting.
SIGN_SECONDS = 5.0

_waiting: WeakKeyDictionary[Worker, OrderedDict[str, ClientModel]] = WeakKeyDictionary()


@dataclass(slots=True)
class Consultation:
    """A call whose client's model is asked."""

    call: PruneCall
    model: ClientModel


async def consult(
    ctx: Context[Worker],
    path: Annotated[Any, Resolve(find_path)],
    session: str,
    messages: Any,
    keep_turns: int | None,
    dry_run: bool,
    summarize: Wanted,
) -> Any:
    """The consultation of the client's model for this call, begun or gone on with; None where nobody is asked."""
    if summarize != "client" or dry_run or not offered(ctx):
        return None
    call = PruneCall(path, session, messages, keep_turns)
    model = _of(ctx).get(call.key) if ctx.request_state else None
    return Consultation(call, model or await _begun(ctx, call))


async def ask_outputs(ctx: Context[Worker], consulted: Annotated[Any, Resolve(consult)]) -> Sample | Any:
    """Ask what came of the outputs; the reply, or None where there is nothing to ask."""
    return await _asked(ctx, consulted.model, "outputs") if consulted else None


async def ask_ranges(
    ctx: Context[Worker],
    consulted: Annotated[Any, Resolve(consult)],
    outputs: Annotated[Any, Resolve(ask_outputs)],
) -> Sample | Any:
    """Ask what becomes of ranges that hold several summaries, once there are those of the outputs."""
    if consulted is None:
        return None
    if not consulted.model.replied("outputs"):
        _take(consulted.model, "outputs", outputs)
        await _look(ctx, consulted.call, consulted.model, "ranges")
    return await _asked(ctx, consulted.model, "ranges")


def written(
    ctx: Context[Worker], call: PruneCall, summarize: Wanted, consulted: Consultation | None, ranges: Any
) -> Summarize:
    """What the engine is to do about summaries, now that the client has replied to whatever it was asked."""
    if summarize != "client":
        return summarize
    from prune_mcp.engine.summaries.summaries import unasked

    if consulted is None:
        return unasked("this client offers no model for summaries", call.dry_run)
    _of(ctx).pop(call.key, None)
    _take(consulted.model, "ranges", ranges)
    consulted.model.summaries.closed = True
    return consulted.model.summaries


def offered(ctx: Context[Worker]) -> bool:
    """Whether the client says that its model can be asked, and there is a way to ask."""
    capabilities = ctx.client_capabilities
    if capabilities is None or capabilities.sampling is None:
        return False
    return _rides(ctx) or ctx.session.can_send_request


def _rides(ctx: Context[Worker]) -> bool:
    return ctx.protocol_version is not None and is_version_at_least(ctx.protocol_version, RIDES)


def _of(ctx: Context[Worker]) -> OrderedDict[str, ClientModel]:
    """The models of this server's calls that wait for a reply."""
    return _waiting.setdefault(ctx.request_context.lifespan_context, OrderedDict())


async def _begun(ctx: Context[Worker], call: PruneCall) -> ClientModel:
    """A model for this call, with the question that it opens with."""
    from prune_mcp.engine.summaries.client import ClientModel

    worker, waiting = ctx.request_context.lifespan_context, _of(ctx)
    model = ClientModel.wanted(await worker.run(lambda engine: engine.settings.summaries))
    await _look(ctx, call, model, "outputs")
    before = waiting.pop(call.key, None)
    if before and not ctx.request_state and before.prompt("outputs") == model.prompt("outputs"):
        # In the newer era a refusal ends the call inside the client, so that nobody hears of it but so.
        model.refuse("the client's model was asked this before and gave no reply")
    elif _rides(ctx):
        waiting[call.key] = model
    while len(waiting) > MOST_WAITING:
        waiting.popitem(last=False)
    return model


async def _look(ctx: Context[Worker], call: PruneCall, model: ClientModel, step: Step) -> None:
    """See what a prune would ask at this point; nothing is decided."""
    from prune_mcp.engine.summaries.summaries import Unanswered

    with suppress(Unanswered):
        await call.run(ctx, model.summaries, dry_run=True)
    model.find(step)


async def _asked(ctx: Context[Worker], model: ClientModel, step: Step) -> Any:
    """The question for the SDK to ask, or in the earlier era the reply, a reason why there is none, or None."""
    if model.refused:
        return model.refused
    prompt = model.prompt(step)
    if not prompt:
        return None
    if _rides(ctx):
        return _riding(ctx, model, step, prompt)
    sample = _sample(prompt)
    timeout = model.summaries.options.max_timeout_ms / 1000 or None
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_give_signs, ctx)
        reply = await _sent(ctx, sample, timeout)
        tasks.cancel_scope.cancel()
    return reply


def _riding(ctx: Context[Worker], model: ClientModel, step: Step, prompt: str) -> Sample | str:
    """The question that rides on the answer of the call, or why there is none: it did, and came back without a
    reply."""
    replies = (ctx.input_responses or {}).values()
    if model.waits_for(step) and not any(isinstance(reply, REPLIES) for reply in replies):
        model.refuse("the client made the call again without its model's reply")
        return model.refused
    model.ask(step)
    return _sample(prompt)


def _sample(prompt: str) -> Sample:
    message = SamplingMessage(role="user", content=TextContent(type="text", text=prompt))
    return Sample([message], max_tokens=MOST_TOKENS)


async def _sent(ctx: Context[Worker], sample: Sample, timeout: float | None) -> CreateMessageResult | str:
    """The reply to a question that goes out while the call waits, or why there is none."""
    try:
        reply: CreateMessageResult = await ctx.session.send_request(
            CreateMessageRequest(params=sample.params),
            CreateMessageResult,
            request_read_timeout_seconds=timeout,
            metadata=ServerMessageMetadata(related_request_id=ctx.request_id),
        )
        return reply
    except MCPError as refused:
        return f"the client's model was not to be had ({refused})"
    except ValidationError:
        return "the client's reply is none"


async def _give_signs(ctx: Context[Worker]) -> None:
    """Let the client know now and then that its call is not forgotten."""
    told = 0
    while True:
        told += 1
        await ctx.report_progress(told, None, "waiting for the client's model")
        await anyio.sleep(SIGN_SECONDS)


def _take(model: ClientModel, step: Step, reply: Any) -> None:
    """Hand a reply over to the model's step."""
    if isinstance(reply, CreateMessageResult):
        text = reply.content.text if isinstance(reply.content, TextContent) else ""
        model.reply(step, text, cut=reply.stop_reason == "maxTokens")
    elif isinstance(reply, str):
        model.refuse(reply)
    else:
        model.skip(step)
