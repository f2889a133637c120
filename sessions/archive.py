"""Every tool result of a transcript in file order, each with the name of the tool that was called."""

from __future__ import annotations

from array import array

from prune_mcp.sessions.fragment import Fragment
from prune_mcp.sessions.fragments import Fragments
from prune_mcp.sessions.ids import NONE, Ids
from prune_mcp.sessions.model import Block, Place


class Archive:
    """Results by order of reading; a result that comes before its call is named when the call arrives."""

    def __init__(self, fragments: Fragments) -> None:
        self._fragments = fragments
        self._entries = array("i")
        self._positions = array("i")
        self._calls = Ids()
        self._tools = Ids()
        self._tool_of = array("i")
        self._call_entries = array("i")
        self._call_positions = array("i")
        self._unnamed: dict[str, list[Place]] = {}

    def since(self, number: int) -> list[Block]:
        """The results from this number on."""
        return list(map(self._fragments.block, map(Place, self._entries[number:], self._positions[number:])))

    def called(self, call_id: str) -> Block | None:
        """The latest call of this id, wherever it stands."""
        number = self._calls.find(call_id)
        if number == NONE:
            return None
        return self._fragments.block(Place(self._call_entries[number], self._call_positions[number]))

    def take(self, fragment: Fragment) -> bool:
        """Take in the calls and results of an entry; whether that named results of earlier ones."""
        named = False
        for block in fragment.blocks:
            if block.kind == "call":
                named |= self._call(block)
            elif block.kind == "result":
                self._result(block)
        return named

    def _call(self, call: Block) -> bool:
        number, tool = self._calls.add(call.call_id), self._tools.add(call.tool)
        if number == len(self._tool_of):
            self._tool_of.append(tool)
            self._call_entries.append(call.place.entry)
            self._call_positions.append(call.place.at)
        else:
            self._tool_of[number] = tool
            self._call_entries[number], self._call_positions[number] = call.place
        waiting = self._unnamed.pop(call.call_id, ())
        for place in waiting:
            fragment = self._fragments[place.entry]
            fragment.blocks[max(place.at, 0)].tool = call.tool
            self._fragments[place.entry] = fragment
        return bool(waiting)

    def _result(self, result: Block) -> None:
        if not result.tool and (call := self._calls.find(result.call_id)) != NONE:
            result.tool = self._tools[self._tool_of[call]]
        if not result.tool:
            self._unnamed.setdefault(result.call_id, []).append(result.place)
        self._entries.append(result.place.entry)
        self._positions.append(result.place.at)
