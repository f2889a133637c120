"""What one entry of a Claude Code transcript adds to the conversation."""

from __future__ import annotations

from sys import intern
from typing import Any

from prune_mcp.sessions.claude import prompts as claude_prompts
from prune_mcp.sessions.claude.blocks import blocks_of
from prune_mcp.sessions.claude.branch import Boundary
from prune_mcp.sessions.fragment import Fragment


def content_of(entry: dict[str, Any]) -> Any:
    """The content of an entry: a string, a list of parts, or something else where it says nothing."""
    kind = entry.get("type")
    if kind == "user" or kind == "assistant":
        message = entry.get("message")
        return message.get("content") if type(message) is dict else None
    if kind == "attachment":
        return claude_prompts.attached(entry.get("attachment"))
    return entry.get("content") if kind == "system" else None


def fragment_of(index: int, id: str, entry: dict[str, Any], content: Any) -> Fragment | None:
    """The entry's fragment, or None for an entry that says nothing and only links others."""
    kind = entry.get("type")
    if kind == "assistant":
        fragment = _assistant(index, id, entry, content)
    elif kind == "user":
        fragment = _user(index, id, entry, content)
    elif kind == "system":
        fragment = _system(index, id, entry, content)
    elif kind == "attachment":
        fragment = Fragment("user", id, blocks_of(index, content), entry=index)
        # What is typed while the model works becomes an attachment of the running turn.
        if fragment.blocks and entry["attachment"]["type"] == "queued_command":
            fragment.prompt = entry["attachment"].get("isMeta") is not True and claude_prompts.is_prompt(content)
    else:
        return None
    if not (fragment.blocks or fragment.barrier or kind == "user" or kind == "assistant"):
        return None
    fragment.side = entry.get("isSidechain") is True
    return fragment


def _assistant(index: int, id: str, entry: dict[str, Any], content: Any) -> Fragment:
    fragment = Fragment("assistant", id, blocks_of(index, content), entry=index)
    message = entry.get("message")
    if type(message) is dict:
        group, stop = message.get("id"), message.get("stop_reason")
        fragment.group = group if type(group) is str else ""
        fragment.stop = intern(stop) if type(stop) is str else ""
    # The host keeps the API's failures for the person to see, and leaves them out of what it sends. Its other
    # synthetic messages ("No response requested.") are sent, to keep the roles in turn.
    fragment.hidden = entry.get("isApiErrorMessage") is True
    return fragment


def _user(index: int, id: str, entry: dict[str, Any], content: Any) -> Fragment:
    fragment = Fragment("user", id, blocks_of(index, content), entry=index)
    if entry.get("isCompactSummary") is True:
        fragment.summary = fragment.prompt = True
    elif entry.get("isMeta") is not True and not any(block.kind == "result" for block in fragment.blocks):
        fragment.prompt = claude_prompts.is_prompt(content)
    return fragment


def _system(index: int, id: str, entry: dict[str, Any], content: Any) -> Fragment:
    subtype = entry.get("subtype")
    if subtype == "compact_boundary":
        return Fragment("system", id, entry=index, hidden=True, barrier=True)
    fragment = Fragment("system", id, blocks_of(index, content) if content else [], entry=index, hidden=True)
    if subtype == "local_command":
        # Of the host's own notices only this one is sent: what a local command printed, as the user's words.
        fragment.role = "user"
        fragment.hidden = False
    return fragment


def boundary_of(entry: dict[str, Any]) -> Boundary:
    """What a compaction boundary says of the entries around it."""
    metadata = entry.get("compactMetadata")
    kept = metadata.get("preservedSegment") if type(metadata) is dict else None
    kept = kept if type(kept) is dict else {}
    fields = (entry.get("logicalParentUuid"), kept.get("anchorUuid"), kept.get("headUuid"), kept.get("tailUuid"))
    return Boundary(*(field if type(field) is str else None for field in fields))


def same_shape(fragment: Fragment, other: Fragment) -> bool:
    """Whether two fragments with one uuid can be copies of one entry: the same kinds of blocks, the same calls."""
    shape = [(block.kind, block.call_id) for block in fragment.blocks]
    return fragment.role == other.role and shape == [(block.kind, block.call_id) for block in other.blocks]
