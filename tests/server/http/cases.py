"""What each tool is asked on every transport and in both eras, and what its answer must tell: a line for each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.server.archived import LONE as LONE_TEXT
from tests.server.archived import LONG, archived, conversation
from tests.server.transcripts import write_session

SESSION, ARCHIVED, LONE = "5e551000-0000-4000-8000-000000000001", "s-archived", "s-lone"
MESSAGES = conversation(*[f"{number}\n{LONG}" for number in range(6)])


@dataclass(frozen=True)
class Case:
    """A call; `tells` stands in the text of its answer, `holds` in its structure.

    `steady`: the same call again is answered the same.
    """

    name: str
    tool: str
    arguments: dict[str, Any]
    tells: Sequence[str] = ()
    holds: dict[str, Any] = field(default_factory=dict)
    error: bool = False
    steady: bool = True


CASES = (
    Case("prune messages", "prune_context", {"messages": MESSAGES}, ["applied"], {"why": "messages-returned"}),
    Case("prune a session", "prune_context", {"session": SESSION}, ["/compact"], {"session": SESSION}),
    Case("the tree", "context_tree_query", {"session": ARCHIVED}, [f"session {ARCHIVED}", "t1"]),
    Case("an original", "context_tree_query", {"session": ARCHIVED, "refs": ["t1"], "lines": ":2"}, [LONG[:50]]),
    Case("a lone surrogate", "context_tree_query", {"session": LONE, "refs": ["t1"]}, ["before \ufffd after"]),
    Case("a search", "history_search", {"query": "walrus", "all": True}, ["a «walrus» sings", "u0-2@"]),
    Case("an entry", "history_read", {"entry": f"u0-2@{SESSION}"}, ["a walrus sings"]),
    Case("collapse messages", "collapse_turns", {"messages": MESSAGES}, ["applied", "collapse"], steady=False),
    Case("collapse a session", "collapse_turns", {"session": SESSION}, ["advisory", SESSION], steady=False),
    Case("the use of messages", "context_usage", {"messages": MESSAGES}, ["tokens in the context", "Bash"]),
    Case("the use of a session", "context_usage", {"session": SESSION}, [SESSION, "tokens in the context"]),
    Case("no such parameter", "history_search", {"query": "x", "limt": 3}, ["Did you mean `limit`?"], error=True),
    Case("a wrong value", "history_search", {"query": "x", "limit": 0}, ["`limit` must be"], error=True),
    Case("no such session", "prune_context", {"session": "nowhere"}, ["There is no session"], error=True),
    Case("no such ref", "context_tree_query", {"refs": ["t9"], "session": ARCHIVED}, ["t9"], error=True),
    Case("no such tool", "no_tool", {}, ["no_tool"], error=True),
)


def write_home(home: Path) -> None:
    """The sessions and the store that the cases are about; nothing of it is live."""
    home.mkdir()
    folder = home / "project"
    folder.mkdir()
    write_session(home, SESSION, folder, outputs=["a walrus sings", *[LONG] * 5], age=90_000)
    write_session(home, "s-other", folder, outputs=["nothing"], age=90_001)
    archived(home, LONE_TEXT, LONE)
    archived(home, LONG, ARCHIVED)
