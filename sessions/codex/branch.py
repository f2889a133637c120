"""Which lines of a Codex rollout are in the model's context."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

from prune_mcp.sessions.branch import Branch
from prune_mcp.sessions.codex.fragments import Part
from prune_mcp.sessions.footing import Footing, Rewound, Stance
from prune_mcp.sessions.fragment import Fragment
from prune_mcp.sessions.ids import Ids
from prune_mcp.sessions.layout import Layout
from prune_mcp.sessions.model import Block, Message

# So many bytes of the newest prompts an old compaction kept beside its summary: 20,000 of Codex's tokens.
KEPT_BYTES = 80_000


class CodexBranch(Branch):
    """Lines in order; a rollback takes the newest turns out, a compaction everything before it.

    `compactions`: by the entry of each compaction the messages that it left. Old ones do not name them (None):
    they left their summary, and before it the newest prompts.
    """

    def __init__(self, text: Callable[[Block], str]) -> None:
        super().__init__(text)
        self.compactions: dict[int, list[Part] | None] = {}

    def roll_back(self, turns: int) -> None:
        """Leave so many of the newest turns behind, each from its prompt on."""
        for entry in self._upward(self.tip) if turns > 0 else ():
            fragment = self.fragments[entry]
            if not fragment.prompt or fragment.summary:
                continue
            self.tip = self.up[entry]
            self._stale = True
            turns -= 1
            if turns == 0:
                return
        if turns > 0 and self._footing and self._footing.entries:
            raise Rewound

    def footing(self, stance: Stance) -> Footing:
        """See `Branch.footing`; no line names another by its id."""
        return super().footing(stance._replace(known=0))

    def abandoned(self) -> set[int]:
        """The entries that a rollback left behind; what was compacted away is none of them."""
        return set(range(len(self.fragments))) - set(self._upward(self.tip))

    def _before(self, fragment: Fragment) -> int:
        return self.tip

    def _grow(self, fragment: Fragment) -> None:
        self.tip = fragment.entry
        if fragment.barrier:
            self._stale = True
        elif not self._stale:
            self.layout.add(fragment)

    def _new_layout(self) -> Layout:
        # The messages that a compaction left have ids that are no entry's.
        return ItemLayout(self.fragments, Ids(), self._text)

    def _lay_out(self) -> None:
        path = list(self._upward(self.tip))[::-1]
        latest = max((at for at, entry in enumerate(path) if entry in self.compactions), default=-1)
        if latest < 0:
            self.layout.extend(self.fragments[entry] for entry in path)
            return
        parts = self.compactions[path[latest]]
        if parts is not None:
            self._replace(path[latest], parts)
        else:
            self.layout.extend(self.fragments[entry] for entry in self._kept(path[:latest]))
            self.layout.add(self.fragments[path[latest]])
        self.layout.extend(self.fragments[entry] for entry in path[latest + 1 :])

    def _replace(self, entry: int, parts: list[Part]) -> None:
        """Put the messages that a compaction left into the layout."""
        fragment = self.fragments[entry]
        blocks = iter(fragment.blocks)
        for number, part in enumerate(parts):
            own = list(islice(blocks, part.blocks))
            id = f"{fragment.id}/{number}"
            self.layout.messages.append(Message(part.role, id, own, part.prompt, part.summary))
            self.layout.join(entry, len(self.layout.messages) - 1)

    def _kept(self, path: list[int]) -> list[int]:
        """The prompts that an old compaction kept."""
        kept: list[int] = []
        left = KEPT_BYTES
        for entry in reversed(path):
            fragment = self.fragments[entry]
            if fragment.role != "user" or not fragment.prompt or fragment.summary or fragment.hidden:
                continue
            kept.append(entry)
            left -= sum(block.size for block in fragment.blocks)
            if left <= 0:
                break
        return kept[::-1]


class ItemLayout(Layout):
    """Items of one response add up: none of them is a snapshot of another."""

    def _merge(self, fragment: Fragment) -> None:
        whole = self.messages[self._open]
        blocks = [*whole.blocks, *fragment.blocks]
        self.messages[self._open] = Message(whole.role, whole.id, blocks, stop=whole.stop)
        self.owner.append(self._open)
