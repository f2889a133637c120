"""Whether a tool's output in a Codex rollout tells of a failure: no flag beside it does."""

from __future__ import annotations

import re
from typing import Any

from prune_mcp.sessions.messages.openai_fields import parsed, reports_error

# What the shells put before an output: one line for each of these, then `Output:`.
_HEADER = r"(?:(?:Chunk ID|Wall time|Session ID|Original token count|Warning|Total output lines)[^\n]*\n)*"
_EXIT = re.compile(rf"{_HEADER}(?:Exit code: |Process exited with code )(-?\d+)")
_RUNNING = re.compile(rf"{_HEADER}Process running with session ID|Script running")
_DONE = re.compile("Script completed")
# Where what was printed begins, behind the header.
_OUTCOME = r"(?:Exit code: -?\d+|Process (?:exited with code|running with session ID) -?\d+)\n"
_PRINTED = re.compile(rf"{_HEADER}(?:{_OUTCOME}{_HEADER})?Output:\n?")
_FAILED = re.compile(
    r"Script failed|(?:tool call |execution )?error: |failed (?:to|for|in) |command timed out|aborted by user"
    r"|unsupported (?:custom tool )?call|(?:exec_command|write_stdin|apply_patch)(?: verification)? failed",
    re.IGNORECASE,
)


def failed(output: Any, text: str) -> bool | None:
    """Whether an output whose text this is failed, or None where it does not say."""
    if isinstance(output, dict) and isinstance(output.get("success"), bool):
        return output["success"] is False
    code = exit_code(text)
    if code is not None:
        return code != 0
    if _RUNNING.match(text) or _DONE.match(text):
        return False
    return True if _FAILED.match(text) or reports_error(text) else None


def exit_code(text: str) -> int | None:
    """The exit status that an output tells in front of what the command printed, or beside it as JSON."""
    if found := _EXIT.match(text):
        return int(found[1])
    recorded = wrapped(text)
    metadata = recorded.get("metadata") if recorded else None
    code = metadata.get("exit_code") if isinstance(metadata, dict) else None
    return code if type(code) is int else None


def wrapped(text: str) -> dict[str, Any] | None:
    """The object that an output's text is, where a shell wrapped what the command printed into JSON."""
    if not text.startswith('{"output":') and not (text.startswith("{") and '"metadata"' in text[-200:]):
        return None
    value = parsed(text)
    return value if isinstance(value, dict) and isinstance(value.get("output"), str) else None


def printed(text: str) -> str:
    """What a command printed, without what its shell told beside it."""
    if found := _PRINTED.match(text):
        return text[found.end() :]
    recorded = wrapped(text)
    return recorded["output"] if recorded else text


def running(text: str) -> bool:
    """Whether an output says that its command still runs."""
    return _RUNNING.match(text) is not None
