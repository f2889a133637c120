"""A server whose prompts, resources and completions are made when a client first asks for any of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from mcp_types import CompleteRequestParams, CompleteResult

from prune_mcp.server.stdio import StdioServer

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext
    from mcp.server.lowlevel.helper_types import ReadResourceContents
    from mcp.server.mcpserver import Context
    from mcp_types import GetPromptResult, InputRequiredResult, Prompt, Resource, ResourceTemplate
    from pydantic import AnyUrl

    from prune_mcp.server.worker import Worker


class LateOffers(StdioServer):
    """The server with all it offers; `worker` does its work. Options as for the SDK's `MCPServer`."""

    def __init__(self, name: str, worker: Worker, **options: Any) -> None:
        super().__init__(name, lifespan=lambda _: worker.entered(), **options)
        self.worker = worker
        self._made = False
        self._lowlevel_server.add_request_handler("completion/complete", CompleteRequestParams, complete_late)

    async def list_prompts(self) -> list[Prompt]:
        """The prompts."""
        await self._make()
        return await super().list_prompts()

    async def get_prompt(
        self, name: str, arguments: dict[str, Any] | None = None, context: Context[Worker, Any] | None = None
    ) -> GetPromptResult | InputRequiredResult:
        """A prompt in words.

        Raises:
            MCPError: there is none of this name, or it takes other arguments.
        """
        from prune_mcp.server.prompts import refuse_wrong

        refuse_wrong(await self.list_prompts(), name, arguments or {})
        return await super().get_prompt(name, arguments, context)

    async def list_resources(self) -> list[Resource]:
        """The resources that have no parameters."""
        await self._make()
        return await super().list_resources()

    async def list_resource_templates(self) -> list[ResourceTemplate]:
        """The resources that have parameters."""
        await self._make()
        return await super().list_resource_templates()

    async def read_resource(
        self, uri: AnyUrl | str, context: Context[Worker, Any] | None = None
    ) -> Iterable[ReadResourceContents] | InputRequiredResult:
        """A resource's content."""
        await self._make()
        return await super().read_resource(uri, context)

    async def _make(self) -> None:
        if self._made:
            return
        from prune_mcp.server.prompts import prompts
        from prune_mcp.server.resources import add_resources

        tools = {tool.name for tool in await self.list_tools()}
        if not self._made:
            self._made = True
            add_resources(self, self.worker)
            for prompt in prompts(tools):
                self.add_prompt(prompt)


async def complete_late(ctx: ServerRequestContext[Worker], params: CompleteRequestParams) -> CompleteResult:
    """What goes on from the beginning of an argument."""
    from prune_mcp.server.completions import complete

    return CompleteResult(completion=await complete(ctx.lifespan_context, params.argument, params.context))
