"""What is told when something is wrong: one message, clear to whoever never saw the inside of the program."""

from __future__ import annotations

import re
import subprocess

from mcp.types import CallToolResult, TextContent

# What no message may show: the insides of the program and of the libraries that it stands on.
INSIDES = re.compile(
    r"Traceback|\berrno|<class|0x[0-9a-f]{6}|\.py\b|sqlite3\.|nobody foresaw|Error executing|"
    r"\b(?:Type|Key|Value|Attribute|OS)Error|pydantic|validation error|Input should|unable to parse|input_value",
    re.IGNORECASE,
)
LONGEST = 800


def clear(message: str, *told: str) -> None:
    """One message of a few sentences, in our own words, that holds these."""
    assert not INSIDES.search(message), f"the message shows what is inside: {message}"
    assert message.count("\n") <= message.count("\nunknown: "), f"not one message: {message}"
    assert 20 < len(message) <= LONGEST, f"{len(message)} characters: {message}"
    missing = [words for words in told if words.lower() not in message.lower()]
    assert not missing, f"{missing} are not in the message: {message}"


def refusal(result: CallToolResult, *told: str) -> None:
    """The answer is an error with one clear message that holds these words."""
    assert result.is_error, f"no error: {result.content}"
    [block] = result.content
    assert isinstance(block, TextContent)
    clear(block.text, *told)


def failure(done: subprocess.CompletedProcess[str], code: int, *told: str) -> None:
    """The command failed with this code and one clear message, and printed nothing else."""
    assert done.returncode == code, (done.returncode, done.stderr)
    assert done.stdout == ""
    assert done.stderr.startswith("prune-mcp: "), done.stderr
    clear(done.stderr.rstrip("\n"), *told)
