"""What is done to each connection to SQLite, whoever opens it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock


@contextmanager
def every_connection(prepare: Callable[[sqlite3.Connection], object]) -> Iterator[None]:
    """Prepare each connection that is opened meanwhile."""
    connect: Callable[..., sqlite3.Connection] = sqlite3.connect

    def prepared(*where: Any, **how: Any) -> sqlite3.Connection:
        connection = connect(*where, **how)
        prepare(connection)
        return connection

    with mock.patch.object(sqlite3, "connect", prepared):
        yield
