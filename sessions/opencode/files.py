"""opencode's sessions in files: one that was exported, and the tree of files it kept before its database."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from prune_mcp.sessions.damage import KINDS
from prune_mcp.sessions.document import Record
from prune_mcp.sessions.folders import json_files, stamp_of
from prune_mcp.sessions.jsontext import BLANK, loads_exactly
from prune_mcp.sessions.opencode.session import Opencode, is_message
from prune_mcp.sessions.partial import partial, standing

_BEGINS = re.compile(r'\{\s*"info"\s*:')


class OpencodeExport(Opencode):
    """A session as `opencode export` writes it: one object with `info` and `messages`."""

    def _folder(self) -> Path:
        return Path(self.path).parent

    def _records(self) -> Iterator[Record]:
        yield from self._glimpsed([self._data()])

    def _glimpsed(self, lines: list[bytes]) -> Iterator[Record]:
        data = b"\n".join(lines).strip(BLANK)
        try:
            value = loads_exactly(data)
            messages = self._whole(value.get("messages")) if isinstance(value, dict) else iter(())
        except ValueError:
            # What stands whole in a damaged file.
            self.skipped["torn"] += 1
            text = data.decode("utf-8", "surrogateescape")
            value, messages = partial(text), standing(text, _BEGINS, is_message)
        info = value.get("info") if isinstance(value, dict) else None
        yield from self._recorded(info if isinstance(info, dict) else {}, messages)

    def _whole(self, messages: Any) -> Iterator[dict[str, Any]]:
        for message in messages if isinstance(messages, list) else ():
            if is_message(message):
                yield message
            else:
                self.skipped[KINDS.get(type(message), "unknown")] += 1


class OpencodeTree(Opencode):
    """A session in the tree: its own file, and those of its messages and their parts in folders beside."""

    @property
    def _storage(self) -> Path:
        return Path(self.path).parent.parent.parent

    def _folder(self) -> Path:
        return self._storage.parent

    def _look(self) -> tuple[object, ...]:
        found = [*super()._look()]
        counts: Counter[str] = Counter()
        for message in json_files(self._storage / "message" / Path(self.path).stem, counts):
            folder = self._storage / "part" / message.name.removesuffix(".json")
            for file_at in (message, *json_files(folder, counts)):
                # One that is gone by now is missing here, which tells it as well.
                with suppress(OSError):
                    found += stamp_of(file_at.stat())
        return tuple(found)

    def _records(self) -> Iterator[Record]:
        info = self._value(self._data().strip(BLANK))
        yield from self._recorded(info or {}, self._messages())

    def _glimpsed(self, lines: list[bytes]) -> Iterator[Record]:
        info = partial(b"\n".join(lines).decode("utf-8", "surrogateescape"))
        return self._until_named(self._recorded(info if isinstance(info, dict) else {}, self._messages()))

    def _messages(self) -> Iterator[dict[str, Any]]:
        for entry in json_files(self._storage / "message" / Path(self.path).stem, self.skipped):
            info = self._loaded(entry)
            if info is not None and isinstance(info.get("id"), str):
                # What names a folder is a name, not a way to another place.
                name = entry.name.removesuffix(".json")
                parts = map(self._loaded, json_files(self._storage / "part" / name, self.skipped))
                yield {"info": info, "parts": [part for part in parts if part is not None]}

    def _loaded(self, entry: os.DirEntry[str]) -> dict[str, Any] | None:
        try:
            return self._value(Path(entry.path).read_bytes().strip(BLANK))
        except OSError:
            self.skipped["file"] += 1
            return None
