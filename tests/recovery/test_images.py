"""REC-IMAGE: images come back as images, or are named."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from prune_mcp.engine.recovery.fence import shape
from prune_mcp.engine.recovery.recover import recover
from prune_mcp.storage.codec import digest, encode
from prune_mcp.storage.home import Home
from tests.recovery.shelf import Shelf, damage, noise

pytestmark = pytest.mark.requirement("REC-IMAGE")


def picture(number: int, size: int = 60) -> str:
    """The base64 of some bytes."""
    return base64.b64encode(bytes([number]) * size).decode()


def put(shelf: Shelf, count: int, size: int = 60, text: str = "a page") -> None:
    """One output with so many images."""
    ref = shelf.put(text, images=count).ref
    for number in range(1, count + 1):
        shelf.image(ref, number, picture(number, size), f"image/x{number}")


def test_an_output_comes_with_its_images_in_order(shelf: Shelf) -> None:
    put(shelf, 3)
    (item,) = recover(shelf.store, ["t1"]).items
    assert item.text == "a page"
    assert item.images == [(f"image/x{number}", picture(number)) for number in (1, 2, 3)]


def test_one_image_can_be_asked_for(shelf: Shelf) -> None:
    put(shelf, 12)
    for number in (2, 12):
        (item,) = recover(shelf.store, [f"t1:image{number}"]).items
        assert (item.ref, item.text) == (f"t1:image{number}", "")
        assert item.images == [(f"image/x{number}", picture(number))]


def test_images_past_the_bound_of_an_answer_are_named(shelf: Shelf) -> None:
    put(shelf, 10)
    put(shelf, 2)
    answer = recover(shelf.store, ["t1", "t2"])
    assert [len(item.images) for item in answer.items] == [8, 0]
    assert "t1:image9, t1:image10" in shape(answer)
    assert "t2:image1, t2:image2" in shape(answer)


def test_a_large_image_comes_alone_and_beside_others_is_named(shelf: Shelf) -> None:
    put(shelf, 2, size=7_000_000)
    (item,) = recover(shelf.store, ["t1"]).items
    assert [media for media, _ in item.images] == ["image/x1"]
    assert "t1:image2" in item.note
    (second,) = recover(shelf.store, ["t1:image2"]).items
    assert second.images == [("image/x2", picture(2, 7_000_000))]


@pytest.mark.parametrize("part", [{"lines": "1"}, {"pattern": "page"}, {"offset": 1}])
def test_a_part_of_an_output_names_its_images(shelf: Shelf, part: dict[str, Any]) -> None:
    put(shelf, 2)
    (item,) = recover(shelf.store, ["t1"], **part).items
    assert item.images == []
    assert "images not shown here: t1:image1, t1:image2" in item.note


def test_images_come_with_the_first_page_alone(shelf: Shelf) -> None:
    put(shelf, 1, text=noise(2_000))
    first = recover(shelf.store, ["t1"])
    rest = recover(shelf.store, [], cursor=first.cursor)
    assert [len(answer.items[0].images) for answer in (first, rest)] == [1, 0]


def test_images_that_were_not_kept_are_counted(shelf: Shelf) -> None:
    shelf.put("text", images=2)
    shelf.image(1, 1, picture(1))
    (item,) = recover(shelf.store, ["t1"]).items
    assert "1 of its 2 images were not kept" in item.note


@pytest.mark.requirement("REC-LAST")
def test_a_damaged_image_costs_itself_alone(shelf: Shelf, place: Home) -> None:
    put(shelf, 1)
    noisy = base64.b64encode(noise(9_000).encode()).decode()
    shelf.image(1, 2, noisy)
    damage(place, digest(encode(f'{{"media_type": "image/png", "data": "{noisy}"}}')))
    (item,) = recover(shelf.store, ["t1"]).items
    assert (item.text, len(item.images)) == ("a page", 1)
    assert "t1:image2 cannot be had" in item.note
