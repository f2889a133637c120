"""Which reader an exported conversation or a trajectory needs, told from how its object begins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from prune_mcp.sessions.reader import Reader

KNOWLEDGE = ("docs", "prompt_template", "conversations_memory", "project_memories")
# What mini-swe-agent writes first: the end of the run, which may be longer than what was read of the file.
RUN = ("exit_status", "submission", "model_stats", "mini_version")
STEPS = ("history", "trajectory")


def reader_of_export(value: dict[str, Any]) -> type[Reader] | None:
    """The reader of an object that may be there only as far as it was read, None for one of no kind of ours."""
    if isinstance(value.get("chat_messages"), list):
        from prune_mcp.sessions.exports.claude_ai import ClaudeAi

        return ClaudeAi
    if isinstance(value.get("mapping"), dict):
        from prune_mcp.sessions.exports.chatgpt import ChatGpt

        return ChatGpt
    if any(isinstance(value.get(key), list) for key in STEPS):
        from prune_mcp.sessions.trajectories.swe_agent import SweAgent

        return SweAgent
    if _is_mini_swe(value):
        from prune_mcp.sessions.trajectories.mini_swe import MiniSwe

        return MiniSwe
    if any(key in value for key in KNOWLEDGE):
        from prune_mcp.sessions.exports.claude_ai_knowledge import ClaudeAiKnowledge

        return ClaudeAiKnowledge
    return None


def is_export(head: bytes) -> bool:
    """Whether a file that begins so may hold many conversations: an array, or a zip."""
    return head.startswith((b"[", b"PK"))


def _is_mini_swe(value: dict[str, Any]) -> bool:
    info = value.get("info")
    if str(value.get("trajectory_format")).startswith("mini-swe-agent"):
        return True
    return isinstance(info, dict) and any(key in info for key in RUN)
