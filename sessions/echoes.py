"""Whether a call asks us ourselves: what comes back was said elsewhere before."""

from __future__ import annotations

import re

OURS = (
    "history_search",
    "history_read",
    "context_tree_query",
    "prune_context",
    "collapse_turns",
    "context_usage",
)
SHELLS = frozenset(
    {
        "bash", "sh", "shell", "exec", "exec_command", "shell_command", "local_shell", "local_shell_call",
        "run_shell_command", "container.exec", "execute", "terminal", "run_command", "powershell", "pwsh",
    }
)  # fmt: skip
# `prune-mcp` where a command begins, behind a folder or a runner, with its options before the subcommand.
_COMMAND = re.compile(r"(?:^|[\s/;&|('\"])prune-mcp(?:\.exe)?\s+(?:-\S+\s+)*(?:search|read|show|tree)\b")


def asks_us(tool: str, arguments: str) -> bool:
    """Whether a call searches history or recovers what was pruned; hosts put prefixes of their own to names."""
    return tool.endswith(OURS) or (tool.lower() in SHELLS and runs_us(arguments))


def runs_us(command: str) -> bool:
    """Whether a shell command runs our own command line to search, read or recover."""
    return "prune-mcp" in command and _COMMAND.search(command) is not None
