"""The tree of a transcript's entries, and the branch of it that the host would continue."""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from prune_mcp.sessions.footing import Footing, Rewound, Stance, mark_of
from prune_mcp.sessions.fragment import Fragment
from prune_mcp.sessions.fragments import Fragments
from prune_mcp.sessions.ids import NONE, Ids
from prune_mcp.sessions.layout import Layout
from prune_mcp.sessions.model import Block, Entry

# What stands for an id that is not there; silent ids count down from SILENT, which is one below no entry.
UNKNOWN = -1
SILENT = -3
NO_JUMPS: Mapping[int, int] = MappingProxyType({})


class Branch(ABC):
    """Entries linked to their parents. `fragments` and `up` run parallel to the transcript's entries.

    `ids` holds the ids of entries and of the silent ones that only link others. `up` is the nearest ancestor that
    says something (-1: none). `tip` is the entry the host would continue.
    `layout` is kept up to date entry by entry while entries continue the tip, and made anew otherwise.
    """

    def __init__(self, text: Callable[[Block], str]) -> None:
        self.ids = Ids()
        self.fragments = Fragments(self.ids)
        self.up = array("i")
        self.tip = -1
        self._text = text
        self.layout = self._new_layout()
        # By the number of an id: the entry, or for a silent one SILENT less the entry above it.
        self._stands = array("i")
        self._orphans: dict[str, list[int]] = {}
        # Ids that entries named as their parents before these were there, if ever, with the first such entry.
        self._missed: dict[str, int] = {}
        self._stale = False
        # Where reading was taken up again: what stood before, and how many fragments and ids stand for that.
        self._footing: Footing | None = None
        self._first = 0
        self._seeds = 0

    def stand_on(self, footing: Footing) -> None:
        """Begin behind entries that were read before, the last of which stands for all of them.

        From then on whatever reaches back behind it raises `Rewound`.
        """
        if footing.last:
            self.add(footing.last, None, Fragment("system", footing.last, entry=0, side=footing.side, hidden=True))
        for id in footing.ties:
            self._stand(id, SILENT if footing.last else SILENT - UNKNOWN)
        self._first, self._seeds = len(self.fragments), len(self._stands)
        self._footing = footing

    def stance(self, entry: Entry, group: str) -> Stance:
        """How an entry stands that was just added; `group`: the response that was open before it."""
        hangs = entry.parent, self._logical(entry.index)
        ties = [id for id in hangs if id and self.ids.find(id) != NONE]
        return Stance(entry.index, self._under(entry.index), self.ids.find(entry.id), group, ties)

    def footing(self, stance: Stance) -> Footing:
        """What reading can be taken up on again at an entry that stood so."""
        last = self.fragments[stance.above] if stance.above >= 0 else None
        known = {mark_of(self.ids[number]) for number in range(stance.known)}
        known.update(mark_of(id) for id, child in self._missed.items() if child < stance.entry)
        before = self._footing.entries if self._footing else 0
        return Footing(
            before + stance.entry - self._first,
            last.id if last else "",
            self.fragments[stance.entry].side,
            stance.group,
            stance.ties,
            self._footing.known | known if self._footing else frozenset(known),
        )

    def unlaid(self) -> None:
        """Lay out nothing: only the tree is wanted."""
        self._stale = True

    def find(self, id: str) -> int | None:
        """The entry with this id, if it says something and was read since reading began."""
        number = self.ids.find(id)
        stands = UNKNOWN if number == NONE else self._stands[number]
        return stands if stands >= self._first else None

    def knows(self, id: str) -> bool:
        """Whether an entry with this id was taken in."""
        return self.ids.find(id) != NONE or self._stood_before(id)

    def silent(self, id: str, parent: str | None) -> None:
        """An entry that says nothing and only links others to its parent."""
        self._stand(id, SILENT - self._above(parent))

    def add(self, id: str, parent: str | None, fragment: Fragment) -> None:
        """Take in the fragment of the next entry. An empty `parent` is one that the entry does not tell."""
        stands = self._where(parent)
        up = _above(stands)
        if stands == UNKNOWN and parent is not None:
            up = self._before(fragment)
            if parent:
                self._orphans.setdefault(parent, []).append(fragment.entry)
                self._missed.setdefault(parent, fragment.entry)
        if self._footing:
            self._check_ground(self._footing, up, fragment)
        self._stand(id, fragment.entry)
        self.fragments.append(fragment)
        self.up.append(up)
        for child in self._orphans.pop(id, ()):
            self.up[child] = fragment.entry
            self._stale = True
        self._grow(fragment)

    def replace(self, parent: str | None, fragment: Fragment) -> None:
        """A later copy of an entry counts instead of the earlier one, in that one's place."""
        above = self._above(parent)
        if (parent is None or self.knows(parent)) and fragment.entry not in self._upward(above):
            self.up[fragment.entry] = above
        self.fragments[fragment.entry] = fragment
        self._stale = True

    def changed(self) -> None:
        """A fragment already taken in says something else now."""
        self._stale = True

    def settle(self) -> None:
        """Make the layout anew if the last entries did more than continue it."""
        if self._stale:
            self.layout = self._new_layout()
            self._lay_out()
            self._stale = False

    def _logical(self, entry: int) -> str | None:
        """The id of the entry that one comes after which names no parent, where it tells that otherwise."""
        return None

    def _under(self, entry: int) -> int:
        """The entry that one comes after, also where that is not its parent."""
        return self.up[entry]

    def _stood_before(self, id: str) -> bool:
        """Whether an id is from before the place where reading was taken up again."""
        return self._footing is not None and mark_of(id) in self._footing.known

    def _check_ground(self, footing: Footing, up: int, fragment: Fragment) -> None:
        """Only what opens an exchange may stand on what was read before, and the entry that reading began at."""
        opens = fragment.prompt or fragment.barrier or fragment.entry == self._first
        goes_on = fragment.group != "" and fragment.group == footing.group
        if (0 <= up < self._first and not opens) or goes_on or (footing.side and not fragment.side):
            raise Rewound

    def _above(self, parent: str | None) -> int:
        return _above(self._where(parent))

    def _where(self, id: str | None) -> int:
        """The entry with this id, for a silent one `SILENT` less the entry above it, else `UNKNOWN`."""
        number = NONE if id is None else self.ids.find(id)
        if number != NONE:
            return self._stands[number]
        if id and self._stood_before(id):
            raise Rewound
        return UNKNOWN

    def _stand(self, id: str, where: int) -> None:
        """Note where an id stands; a silent one does not take the place of an entry with the same id."""
        number = self.ids.add(id)
        if number == len(self._stands):
            if self._footing and self._stood_before(id):
                raise Rewound
            self._stands.append(where)
        elif number < self._seeds:
            raise Rewound
        elif where >= 0 or self._stands[number] < 0:
            self._stands[number] = where

    def _new_layout(self) -> Layout:
        return Layout(self.fragments, self.ids, self._text)

    def _upward(self, start: int, jumps: Mapping[int, int] = NO_JUMPS) -> Iterator[int]:
        """The entries from `start` up to the root, each once; `jumps` names other parents than their own."""
        seen = set()
        while start >= 0 and start not in seen:
            seen.add(start)
            yield start
            start = jumps.get(start, self.up[start])

    @abstractmethod
    def _before(self, fragment: Fragment) -> int:
        """The entry taken for the parent of a fragment whose own parent is not in the file."""

    @abstractmethod
    def _grow(self, fragment: Fragment) -> None:
        """Move the tip, and add the fragment to the layout or call that stale."""

    @abstractmethod
    def _lay_out(self) -> None:
        """Fill the empty layout with the active branch."""

    def sidechain(self) -> set[int]:
        """The entries of subagents that stand inline in another session's file."""
        return set()

    @abstractmethod
    def abandoned(self) -> set[int]:
        """The entries that a rewind left behind."""


def _above(stands: int) -> int:
    return stands if stands >= UNKNOWN else SILENT - stands
