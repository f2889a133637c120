"""One reading of a file beside what is in of it already: only what comes after that is to be taken."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import orjson

from prune_mcp.search.packs.frame import Kept, keep
from prune_mcp.search.secrets.masking import mask
from prune_mcp.sessions.history import History, Mark, read_history
from prune_mcp.sessions.model import SessionError, SourceChanged
from prune_mcp.sessions.passage import Passage
from prune_mcp.sessions.session_file import SessionFile


class Differs(Exception):
    """What the file says is not what is in of it, with something after it."""


class Unreadable(Exception):
    """The file cannot be read, or not to its end; the message says why. `changed`: it changed meanwhile."""

    def __init__(self, reason: str, changed: bool = False) -> None:
        super().__init__(reason)
        self.changed = changed


class Reading:
    """A file read from the start, or from `mark` on. `settled`: what may still change is taken as well.

    Of the passages behind the new mark, `held` count those that were taken or in already; `waiting`: whether there
    are others. These, `mark` and what `history` says hold in the end.

    Raises:
        Unreadable: the file cannot be read.
    """

    def __init__(self, file: SessionFile, mark: Mark | None, settled: bool) -> None:
        self.held = 0
        self.waiting = False
        self._settled = settled
        self._behind = False
        try:
            self.history: History = read_history(file, mark)
        except Exception as error:
            raise _unreadable(error) from error
        self._passages = self._all()

    def beyond(self, stored: Iterable[Kept]) -> Iterator[tuple[Kept, bytes]]:
        """The passages that come after the stored ones, with their texts, masked and in UTF-8.

        Raises:
            Differs: it does not begin with the stored ones; told before the first is given.
            Unreadable: it cannot be read any further.
        """
        for known in stored:
            passage = next(self._passages, None)
            if passage is None or keep(passage, mask(passage.text))[0] != known:
                raise Differs
            self.held += self._behind
        for passage in self._passages:
            if self._behind and not self._settled:
                self.waiting = True
                continue
            self.held += self._behind
            yield keep(passage, mask(passage.text))

    def _all(self) -> Iterator[Passage]:
        # Only what the reader itself raises comes by here: no file can stop more than its own reading.
        try:
            yield from self.history.passages()
            self.mark = masked(self.history.mark())
            self._behind = True
            yield from self.history.rest()
        except Exception as error:
            raise _unreadable(error) from error


def masked(mark: Mark) -> Mark:
    """A mark without the secrets that its state may repeat from the session."""
    state = mark.state
    if not state:
        return mark
    try:
        value = orjson.loads(state)
    except ValueError:
        return replace(mark, state=mask(state))
    clean = _masked(value)
    return mark if clean == value else replace(mark, state=orjson.dumps(clean).decode())


def _masked(value: Any) -> Any:
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, list):
        return [_masked(item) for item in value]
    if isinstance(value, dict):
        return {mask(key): _masked(item) for key, item in value.items()}
    return value


def _unreadable(error: Exception) -> Unreadable:
    reason = str(error) if isinstance(error, SessionError) else f"{type(error).__name__}: {error}"
    return Unreadable(reason, isinstance(error, SourceChanged))
