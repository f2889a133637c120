"""Examples of how commands are called, for the end of their help."""

from __future__ import annotations

EXAMPLES = {
    "prune": (
        "prune-mcp prune --dry-run",
        "prune-mcp prune 5d0c7a52 --keep-turns 5 --note 'the API stays as it is'",
        "prune-mcp prune 5d0c7a52 --when-due",
        "prune-mcp prune request.json --json > pruned.json",
    ),
    "collapse": ("prune-mcp collapse 5d0c7a52 --turns 3",),
    "show": (
        "prune-mcp show t5 b2",
        "prune-mcp show t5@5d0c7a52 --lines 120:150",
        "prune-mcp show t5-t9 --grep 'Error|FAILED' --context 2",
    ),
    "search": (
        "prune-mcp search upload retry",
        "prune-mcp search '\"offset mismatch\" -flaky'",
        "prune-mcp search upload --project . --role result --since 3d",
    ),
    "read": ("prune-mcp read d43ea07a@9a9eadc8 --around 2",),
    "forget": (
        "prune-mcp forget 5d0c7a52",
        "prune-mcp forget '/home/dana/harbor*' --dry-run",
    ),
    "gc": ("prune-mcp gc --older-than 90d --dry-run",),
    "serve": (
        "prune-mcp serve --http",
        "prune-mcp serve --http 0.0.0.0:7786 --allow-host tools.example.org",
    ),
    "token": (
        "prune-mcp token make laptop",
        "prune-mcp token revoke laptop",
    ),
}


def epilog(command: str, rich: bool) -> str | None:
    """The examples of a command, a line each, as help that is drawn by rich or plainly keeps them apart."""
    lines = EXAMPLES.get(command)
    if not lines:
        return None
    return "\n\n".join(("Examples:", *lines)) if rich else "\b\n" + "\n".join(("Examples:", *lines))
