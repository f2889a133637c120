"""A database to write into, and a session in each of the forms there are."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.sessions.opencode.writing import Database, export, tree

Place = Callable[..., Path]


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """The host's database, in use by the host."""
    made = Database(tmp_path)
    yield made
    made.close()


@pytest.fixture(params=["database", "tree", "export"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """Puts a session down in one of the forms; returns its address. `fields` are those of an export's `info`."""

    def put(*messages: dict[str, Any], **fields: Any) -> Path:
        if request.param == "tree":
            return tree(tmp_path, *messages, **fields)
        if request.param == "export":
            return export(tmp_path / "exported.json", *messages, **fields)
        database: Database = request.getfixturevalue("database")
        names = {"parentID": "parent_id"}
        row = {names.get(key, key): json.dumps(v) if isinstance(v, dict) else v for key, v in fields.items()}
        return database.session(row.pop("id", "ses_5e551014main"), *messages, **row)

    return put
