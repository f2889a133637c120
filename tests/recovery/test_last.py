"""REC-LAST: recovery needs the store alone, works from any process, and never passes a part for the whole."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from prune_mcp.engine.recovery.fence import shape
from prune_mcp.engine.recovery.recover import recover
from prune_mcp.storage.home import Home
from prune_mcp.storage.sqlite import open_store
from tests.recovery.shelf import Shelf, damage, noise

pytestmark = pytest.mark.requirement("REC-LAST")

READER = """
import json, sys
from pathlib import Path
from prune_mcp.engine.recovery.recover import recover
from prune_mcp.storage.home import home
from prune_mcp.storage.sqlite import open_store

store = open_store(home({"PRUNE_MCP_HOME": sys.argv[1]}))
answer = recover(store, json.loads(sys.argv[2]), cursor=json.loads(sys.argv[3]), budget=1_000_000)
print(json.dumps([item.text for item in answer.items]))
"""


def read_elsewhere(place: Home, refs: list[str], cursor: str | None = None) -> list[str]:
    """The texts that another process recovers."""
    command = [sys.executable, "-c", READER, str(place.data.parent), json.dumps(refs), json.dumps(cursor)]
    texts = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    assert isinstance(texts, list)
    return texts


def test_another_process_recovers_with_only_the_store(shelf: Shelf, place: Home) -> None:
    text = noise(5_000) + "\ud83d"
    shelf.put(text)
    assert read_elsewhere(place, ["t1"]) == [text]


def test_another_process_goes_on_where_a_cursor_ends(shelf: Shelf, place: Home) -> None:
    text = noise(5_000)
    shelf.put(text)
    first = recover(shelf.store, ["t1"])
    assert first.items[0].text + "".join(read_elsewhere(place, [], first.cursor)) == text


def test_a_store_opened_anew_recovers_the_same(shelf: Shelf, place: Home) -> None:
    shelf.put(noise(5_000), key="make")
    before = recover(shelf.store, ["t1"])
    shelf.store.close()
    again = open_store(place)
    assert recover(again, ["t1"]) == before
    again.close()


def test_a_damaged_body_is_reported_with_what_to_do_and_the_others_come(shelf: Shelf, place: Home) -> None:
    lost = shelf.put(noise(5_000), key="make")
    shelf.put("whole")
    damage(place, lost.sha)
    answer = recover(shelf.store, ["t1", "t2"])
    first, second = answer.items
    assert (first.status, first.text, first.start, first.sha) == ("damaged", "", None, lost.sha)
    assert "cannot be had" in first.note
    (path,) = place.data.glob(f"bodies/*/{lost.sha}*")
    assert f"in {path} is damaged" in first.note
    assert "all other bodies are unaffected" in first.note
    assert "transcript /gone/alpha-session.jsonl, entry entry-1, may still hold it" in first.note
    assert second.text == "whole"
    assert 't1 Bash "make" status=damaged chars=none/' in shape(answer)


def test_a_missing_body_is_reported_for_every_kind_of_question(shelf: Shelf, place: Home) -> None:
    lost = shelf.put(noise(5_000))
    (path,) = place.data.glob(f"bodies/*/{lost.sha}*")
    path.unlink()
    for part in ({}, {"lines": "1:2"}, {"pattern": "7"}, {"offset": 10}):
        (item,) = recover(shelf.store, ["t1"], **part).items
        assert (item.status, item.text) == ("damaged", "")
    assert [i.status for i in recover(shelf.store, ["t1", shelf.put("a").call_id], pattern="a").items] == [
        "damaged",
        "ok",
    ]


def test_a_text_that_is_damaged_between_two_pages_is_not_gone_on_with_as_if_whole(
    shelf: Shelf, place: Home
) -> None:
    lost = shelf.put(noise(5_000))
    cursor = recover(shelf.store, ["t1"]).cursor
    damage(place, lost.sha)
    (item,) = recover(shelf.store, [], cursor=cursor).items
    assert (item.status, item.text) == ("damaged", "")


def test_an_empty_output_is_whole_and_not_damaged(shelf: Shelf) -> None:
    shelf.put("")
    (item,) = recover(shelf.store, ["t1"]).items
    assert (item.status, item.text, item.start, item.end, item.total) == ("ok", "", 0, 0, 0)
