"""What stands under the role `user` in Codex: what a person asked, and what the host put there."""

from __future__ import annotations

from typing import Any

# Before this line the editor tells what it shows; behind it the person speaks.
REQUEST = "## My request for Codex:"
AGENTS = "# AGENTS.md instructions"
EDITOR = ("# Context from my IDE setup", "# Files mentioned by the user", "# In app browser")
WARNINGS = (
    "Warning: The maximum number of unified exec processes",
    "Warning: apply_patch was requested via exec_command",
    "Warning: Your account was flagged",
)
# A compaction's summary as the host hands it to the model.
SUMMARY = "Another language model started to solve this problem and produced a summary"
# The elements that the host wraps its own words into.
WRAPPERS = frozenset(
    {
        "INSTRUCTIONS", "additional_context", "agent_message", "apps_instructions", "codex_internal_context",
        "collaboration_mode", "context_window", "environment_context", "goal_context", "hook_prompt", "image",
        "model_switch", "multi_agent_mode", "permissions", "personality_spec", "plugins", "proposed_plan_reminder",
        "realtime_conversation", "recommended_plugins", "skill", "skills_instructions", "subagent_notification",
        "subagents", "system-reminder", "token_budget", "turn_aborted", "user_action", "user_instructions",
        "user_shell_command",
    }
)  # fmt: skip
# Elements with a blank in their name end so.
ENDS = {"permissions": "</permissions instructions>"}


def own_words(text: str) -> str:
    """The text without what the host wrote in front of it, "" where all of it is the host's."""
    at = own_start(text)
    return text[at:].strip()


def own_start(text: str) -> int:
    """Where in a text the person's own words begin: its length where none of it is theirs."""
    at = _blank(text, 0)
    while (end := _host_text(text, at)) > at:
        at = _blank(text, end)
    return at


def is_summary(text: str) -> bool:
    """Whether a text is the summary of a compaction."""
    return text.lstrip().startswith(SUMMARY)


def is_prompt(parts: list[tuple[str, Any]]) -> bool:
    """Whether the parts of a user message, each a kind and a text, were asked: by words, or by something shown."""
    return any(kind == "image" or (kind == "text" and own_start(text) < len(text)) for kind, text in parts)


def _blank(text: str, at: int) -> int:
    """Where the first character stands that is not blank, from `at` on."""
    return len(text) - len(text[at:].lstrip())


def _host_text(text: str, at: int) -> int:
    """Where the host's text that begins at `at` ends; `at` itself where none begins there."""
    if text.startswith(AGENTS, at):
        return _after(text, "</INSTRUCTIONS>", at)
    if text.startswith("#", at) and (found := text.find(f"\n{REQUEST}", at)) >= 0:
        return found + 1 + len(REQUEST)
    if text.startswith(EDITOR, at):
        return len(text)
    if text.startswith(REQUEST, at):
        return at + len(REQUEST)
    if text.startswith(WARNINGS, at) or text.startswith("</image>", at):
        return len(text)
    if text.startswith("<", at):
        return _element(text, at)
    return at


def _element(text: str, at: int) -> int:
    name = text[at + 1 : at + 40].partition(">")[0].partition(" ")[0]
    if name not in WRAPPERS:
        return at
    if name == "image" and text.rstrip().endswith(">") and "\n" not in text[at:].strip():
        # The mark before an image stands in a text of its own, without its end.
        return len(text)
    return _after(text, ENDS.get(name, f"</{name}>"), at)


def _after(text: str, end: str, at: int) -> int:
    """Where the text behind `end` begins; what never ends is the host's to the last character."""
    found = text.find(end, at)
    return len(text) if found < 0 else found + len(end)
