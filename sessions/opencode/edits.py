"""How a view's edits look in opencode's messages."""

from __future__ import annotations

from typing import Any

from prune_mcp.sessions.content import string
from prune_mcp.sessions.document_rendering import Edits, Raw
from prune_mcp.sessions.model import Place
from prune_mcp.sessions.opencode.content import shares_of, steps_of
from prune_mcp.sessions.opencode.parts import Piece, interrupted, state_of
from prune_mcp.sessions.opencode.rows import GONE, is_row, normal, with_parts
from prune_mcp.sessions.view import View


class OpencodeEdits(Edits):
    """A part is a text, a thought, or a call with its result. `cut`: see `shares_of`.

    Answers name the prompt they answer; where that vanishes they name the one before them that is there.
    """

    def __init__(self, cut: str) -> None:
        self._cut = cut
        self._gone: set[str] = set()
        self._asked = ""

    def id(self, raw: Raw) -> str:
        """See `Edits.id`."""
        return str(normal(raw)["info"]["id"])

    def edit(self, raw: Raw, shares: dict[int, int], dropped: set[int], view: View) -> Raw | None:
        """See `Edits.edit`."""
        message = normal(raw)
        parts = list(message["parts"])
        for number, share in enumerate(shares_of(message, self._cut)):
            for at, piece in enumerate(share.pieces):
                if parts[piece.at] is not GONE:
                    place = Place(shares.get(number, -1), at)
                    parts[piece.at] = _changed(piece, parts[piece.at], place, number in dropped, view)
        if is_row(raw):
            return with_parts(raw, message["parts"], parts)
        for _, step in steps_of(message, self._cut):
            # The marks around a request go with all that was said in it.
            if any(parts[at] is GONE for at in step) and not any(_says(parts[at]) for at in step):
                for at in step:
                    parts[at] = GONE
        left = [part for part in parts if part is not GONE]
        return {**raw, "parts": left} if left else None

    def synthetic(self, text: str, pattern: Raw, digest: str) -> Raw:
        """See `Edits.synthetic`."""
        if is_row(pattern):
            return _row(text, pattern, digest)
        like = pattern["info"]
        info: Raw = {"id": f"msg_{digest[:26]}", "role": "user"}
        info |= {key: like[key] for key in ("sessionID", "agent", "model") if key in like and _fits(key, like)}
        if isinstance(time := like.get("time"), dict) and "created" in time:
            info["time"] = {"created": time["created"]}
        part: Raw = {"id": f"prt_{digest[26:52]}", "messageID": info["id"], "type": "text", "text": text}
        if "sessionID" in info:
            part["sessionID"] = info["sessionID"]
        return {"info": info, "parts": [part | {"synthetic": True}]}

    def linked(self, raw: Raw, edited: Raw | None) -> Raw | None:
        """See `Edits.linked`."""
        if edited is None:
            self._gone.add(self.id(raw))
            return None
        if is_row(edited):
            return edited
        info = edited["info"]
        if info.get("role") == "user":
            self._asked = self.id(edited)
        elif string(info.get("parentID")) in self._gone and self._asked:
            return {**edited, "info": {**info, "parentID": self._asked}}
        return edited


def _row(text: str, pattern: Raw, digest: str) -> Raw:
    """A user's message of version 2."""
    return {"id": f"msg_{digest[:26]}", "type": "synthetic", "time": pattern.get("time"), "text": text}


def _changed(piece: Piece, part: Raw, place: Place, dropped: bool, view: View) -> Any:
    """The part with the view's edit of one of its pieces."""
    if dropped:
        return _opened(part) if piece.kind == "result" else GONE
    if place in view.stripped:
        return GONE
    if (note := view.notes.get(place)) is not None:
        return {key: part[key] for key in ("id", "sessionID", "messageID") if key in part} | _text(note)
    if place in view.arguments:
        return {**part, "state": {**state_of(part), "input": view.arguments[place]}}
    text = view.texts.get(place)
    return part if text is None else {**part, "state": _answered(state_of(part), text)}


def _answered(state: Raw, text: str) -> Raw:
    """The state of a tool that said something else; what was attached is left out."""
    if state.get("status") == "error":
        if interrupted(state) is None:
            return {**state, "error": text}
        return {**state, "metadata": {**state["metadata"], "output": text}}
    answered = {key: value for key, value in state.items() if key != "attachments"} | {"output": text}
    if isinstance(time := answered.get("time"), dict):
        answered["time"] = {key: value for key, value in time.items() if key != "compacted"}
    return answered


def _opened(part: Raw) -> Raw:
    """A tool that has not answered."""
    return {**part, "state": {"status": "pending", "input": state_of(part).get("input"), "raw": ""}}


def _text(text: str) -> Raw:
    return {"type": "text", "text": text}


def _says(part: Any) -> bool:
    return part is not GONE and isinstance(part, dict) and part.get("type") not in ("step-start", "step-finish")


def _fits(key: str, info: Raw) -> bool:
    """Whether a field of this message is one that a user's has as well: answers tell their model otherwise."""
    return key != "model" or isinstance(info[key], dict)
