"""How a view's edits look in the messages of a Gemini CLI session."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from prune_mcp.sessions.document_rendering import Edits, Raw
from prune_mcp.sessions.gemini.content import shares_of
from prune_mcp.sessions.gemini.pieces import Piece, response, result_parts
from prune_mcp.sessions.gemini.prompts import parts_of
from prune_mcp.sessions.model import Place
from prune_mcp.sessions.view import View

_GONE: Any = object()


class GeminiEdits(Edits):
    """Content stands in `content`, calls with their results in `toolCalls`. `answered`: see `shares_of`."""

    def __init__(self, answered: Collection[str]) -> None:
        self._answered = answered

    def id(self, raw: Raw) -> str:
        """See `Edits.id`."""
        return str(raw["id"])

    def edit(self, raw: Raw, shares: dict[int, int], dropped: set[int], view: View) -> Raw | None:
        """See `Edits.edit`."""
        page = _Page(raw)
        for number, share in enumerate(shares_of(raw, self._answered)):
            for at, piece in enumerate(share.pieces):
                place = Place(shares.get(number, -1), at)
                if number in dropped or place in view.stripped:
                    page.remove(piece)
                else:
                    page.change(piece, place, view)
        return page.written()

    def synthetic(self, text: str, pattern: Raw, digest: str) -> Raw:
        """See `Edits.synthetic`."""
        raw: Raw = {"id": _uuid(digest)}
        if "timestamp" in pattern:
            raw["timestamp"] = pattern["timestamp"]
        return raw | {"type": "user", "content": [{"text": text}]}


class _Page:
    """One message as it is written: its parts and calls, some gone, and notes behind them."""

    def __init__(self, raw: Raw) -> None:
        self._raw = raw
        self._whole = not isinstance(raw.get("content"), list)
        self._parts = list(parts_of(raw.get("content")))
        self._calls = list(raw["toolCalls"]) if isinstance(raw.get("toolCalls"), list) else []
        self._edited = False

    def remove(self, piece: Piece) -> None:
        """Leave a piece out. A call takes its result along; a result alone leaves its call open."""
        if piece.kind == "result" and piece.field == "toolCalls":
            if self._calls[piece.at] is not _GONE:
                self._put(piece, {**self._calls[piece.at], "result": None})
        else:
            self._put(piece, _GONE)

    def change(self, piece: Piece, place: Place, view: View) -> None:
        """Edit a piece as the view says."""
        if (note := view.notes.get(place)) is not None:
            self._put(piece, {"text": note} if piece.field == "content" else _GONE)
            if piece.field == "toolCalls":
                self._parts.append({"text": note})
                self._edited = True
        elif self._now(piece) is _GONE:
            return
        elif place in view.arguments:
            self._put(piece, self._called(piece, view.arguments[place]))
        elif (text := view.texts.get(place)) is not None:
            self._put(piece, _answered(piece, self._now(piece), text))

    def written(self) -> Raw | None:
        """The message, None where nothing of it is left."""
        parts = [part for part in self._parts if part is not _GONE]
        calls = [call for call in self._calls if call is not _GONE]
        if not parts and not calls:
            return None
        raw = dict(self._raw)
        if self._edited:
            single = self._whole and len(parts) < 2 and all(isinstance(part, str) for part in parts)
            raw["content"] = (parts or [""])[0] if single else parts
        if isinstance(raw.get("toolCalls"), list):
            raw["toolCalls"] = calls
        return raw

    def _called(self, piece: Piece, arguments: Any) -> Any:
        now = self._now(piece)
        if piece.field == "toolCalls":
            return {**now, "args": arguments}
        return {**now, "functionCall": {**now["functionCall"], "args": arguments}}

    def _now(self, piece: Piece) -> Any:
        """The piece's value as edited so far: a call and its result are one value."""
        return self._calls[piece.at] if piece.field == "toolCalls" else self._parts[max(piece.at, 0)]

    def _put(self, piece: Piece, value: Any) -> None:
        if piece.field == "toolCalls":
            self._calls[piece.at] = value
        else:
            self._parts[max(piece.at, 0)] = value
            self._edited = True


def _answered(piece: Piece, now: Any, text: str) -> Any:
    """A result with another text, under the same name; images are left out."""
    if piece.field == "content":
        return _responding(now, text)
    if isinstance(now["result"], str):
        return {**now, "result": text}
    answers = [part for part in result_parts(piece) if response(part) is not None]
    return {**now, "result": [_responding(answers[0], text)] if answers else [{"text": text}]}


def _responding(part: Any, text: str) -> Any:
    answer = dict(part["functionResponse"])
    answer.pop("parts", None)
    said = answer.get("response")
    key = "error" if isinstance(said, dict) and set(said) == {"error"} else "output"
    return {**part, "functionResponse": {**answer, "response": {key: text}}}


def _uuid(digest: str) -> str:
    return "-".join((digest[:8], digest[8:12], f"4{digest[13:16]}", f"8{digest[17:20]}", digest[20:32]))
