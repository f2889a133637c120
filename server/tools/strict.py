"""Tools that refuse wrong arguments in our words, and answer a foreseen failure with its own message alone."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from typing import Any

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from mcp.server.mcpserver.tools import Tool
from mcp_types import ToolAnnotations
from pydantic import ValidationError

from prune_mcp.server.tools.schema import expected, lean

SHOWN_CHARS = 40
# The hints of a tool that only reads; hosts ask of no other whether it destroys or can be repeated.
READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)


class StrictTool(Tool):
    """A tool whose arguments are exactly those of its schema; an argument that is null counts as left out."""

    async def run(
        self, arguments: dict[str, Any], context: Context[Any, Any], convert_result: bool = False
    ) -> Any:
        """Run the tool.

        Raises:
            ToolError: wrong arguments, or a failure that the engine foresaw; the message is for the model.
            UnexpectedToolError: anything else; what it was goes to the log alone.
        """
        given = {name: value for name, value in arguments.items() if value is not None}
        self._refuse_unknown(given)
        try:
            return await super().run(given, context, convert_result)
        except ToolError as error:
            raise self._plain(error) from error.__cause__

    def _refuse_unknown(self, given: dict[str, Any]) -> None:
        known = list(self.parameters["properties"])
        for name in given:
            if name not in known:
                near = get_close_matches(name, known, 1, 0.5)
                meant = f"Did you mean `{near[0]}`? " if near else ""
                raise ToolError(
                    f"{self.name} has no parameter `{_short(name)}`. {meant}It takes {', '.join(known)}. "
                    "Nothing was done."
                )

    def _plain(self, error: ToolError) -> ToolError:
        """The same failure without the SDK's prefix and without the validator's text."""
        from prune_mcp.engine.recovery.fence import visible
        from prune_mcp.storage.ways_out import in_words

        cause = error.__cause__
        if isinstance(cause, ToolError):
            return cause
        if isinstance(cause, _foreseen()):
            return ToolError(visible(str(cause)))
        if isinstance(cause, OSError) and cause.errno:
            return ToolError(visible(in_words(cause)))
        if isinstance(cause, ValidationError) and not isinstance(error, UnexpectedToolError):
            return ToolError(self._refusal(cause))
        return UnexpectedToolError(
            f"{self.name} failed in a way nobody foresaw; the server's log (stderr) tells where. "
            "What was archived before is safe."
        )

    def _refusal(self, error: ValidationError) -> str:
        """One sentence for each wrong argument."""
        wrong: dict[str, str] = {}
        for detail in error.errors(include_url=False, include_context=False):
            name, *inner = detail["loc"]
            want = expected(self.parameters["properties"][str(name)])
            at = f"item {inner[0] + 1} of it is " if inner and isinstance(inner[0], int) else ""
            wrong.setdefault(str(name), f"`{name}` must be {want}, but {at or 'it is '}{_shown(detail['input'])}.")
        return " ".join([*wrong.values(), "Nothing was done."])


def strict_tool(fn: Callable[..., Any], **options: Any) -> Tool:
    """A strict tool made from a function, with a lean schema; options as for `Tool.from_function`."""
    tool = StrictTool.from_function(fn, structured_output=False, **options)
    tool.parameters = lean(tool.parameters)
    return tool


def _foreseen() -> tuple[type[Exception], ...]:
    from prune_mcp.engine.answers import EngineError
    from prune_mcp.engine.past import SearchError
    from prune_mcp.sessions.model import SessionError
    from prune_mcp.storage.errors import StoreError

    return EngineError, SearchError, SessionError, StoreError


def _short(text: str) -> str:
    from prune_mcp.engine.recovery.fence import inline

    return inline(text, SHOWN_CHARS)


def _shown(value: Any) -> str:
    """A wrong value in words, shortened."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'the text "{_short(value)}"'
    if isinstance(value, int | float):
        return f"the number {_short(str(value))}"
    return "a list" if isinstance(value, list) else "an object" if isinstance(value, dict) else "null"
