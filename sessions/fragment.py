"""What one entry adds to the conversation: hosts split one response over several entries."""

from __future__ import annotations

from dataclasses import dataclass

from prune_mcp.sessions.model import Message


@dataclass(slots=True)
class Fragment(Message):
    """A message as far as one entry tells it.

    `entry`: the entry's index. `group`: the response it is part of, empty for none. `side`: it stands in an
    inline subagent's chain. `hidden`: it stands on a branch, but the host does not send it to the model.
    `barrier`: nothing before it is in the context any more.
    """

    entry: int = -1
    group: str = ""
    side: bool = False
    hidden: bool = False
    barrier: bool = False
