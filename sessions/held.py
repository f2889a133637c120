"""Records of a session that is read whole, kept as they were read: what they were read from may be rewritten."""

from __future__ import annotations

import marshal
from array import array
from contextlib import ExitStack
from hashlib import blake2b
from tempfile import SpooledTemporaryFile
from typing import Any
from weakref import finalize

# More than this many bytes stand in an unnamed file on disk.
IN_MEMORY = 32 << 20


class Held:
    """Records by number, each a JSON value; `digests` tells which are equal."""

    def __init__(self) -> None:
        with ExitStack() as files:
            self._file = files.enter_context(SpooledTemporaryFile(max_size=IN_MEMORY))
            finalize(self, files.pop_all().close)
        self._ends = array("Q", [0])
        self.digests: list[bytes] = []

    def __len__(self) -> int:
        """How many records there are."""
        return len(self.digests)

    def __getitem__(self, number: int) -> Any:
        """The record with this number: a new object each time."""
        self._file.seek(self._ends[number])
        return marshal.loads(self._file.read(self.size(number)))

    def size(self, number: int) -> int:
        """About how many bytes a record takes."""
        return self._ends[number + 1] - self._ends[number]

    def add(self, record: Any) -> None:
        """Add a record.

        Raises:
            ValueError: it is nested too deeply.
        """
        # JSON would not hold lone surrogates exactly. Later versions write equal values in several ways.
        data = marshal.dumps(record, 2)
        self._file.seek(self._ends[-1])
        self._file.write(data)
        self._ends.append(self._ends[-1] + len(data))
        self.digests.append(blake2b(data, digest_size=16).digest())
