"""Uploads through the service's own classes and over a real socket."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from harbor import http
from harbor.uploads import CHUNK_LIMIT, DigestMismatch, OffsetMismatch, TooLarge, UnknownUpload, UploadError, Uploads

BLOCK = 65536
BODY = bytes(range(256)) * 1024


@pytest.fixture
async def uploads(tmp_path: Path) -> AsyncIterator[Uploads]:
    async with Uploads(tmp_path / "data") as service:
        yield service


class Client:
    """A client that speaks just enough HTTP, and can drop its connection in the middle of a chunk."""

    def __init__(self, port: int) -> None:
        self.port = port

    async def __aenter__(self) -> Client:
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        return self

    async def __aexit__(self, *_: object) -> None:
        self.writer.close()

    async def send(
        self, method: str, path: str, body: bytes = b"", **headers: str
    ) -> tuple[int, dict[str, object]]:
        head = [f"{method} {path} HTTP/1.1", f"content-length: {len(body)}"]
        head += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        self.writer.write("\r\n".join([*head, "", ""]).encode() + body)
        await self.writer.drain()
        return await self.answer()

    async def send_half(self, path: str, body: bytes, offset: int) -> None:
        head = f"PATCH {path} HTTP/1.1\r\ncontent-length: {len(body)}\r\nupload-offset: {offset}\r\n\r\n"
        self.writer.write(head.encode() + body[: len(body) // 2])
        await self.writer.drain()
        self.writer.transport.abort()

    async def answer(self) -> tuple[int, dict[str, object]]:
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode()
        status = int(head.split(" ", 2)[1])
        length = next(int(line.split(":")[1]) for line in head.split("\r\n") if line.startswith("content-length"))
        payload = await self.reader.readexactly(length)
        return status, json.loads(payload) if payload else {}


@pytest.fixture
async def port(uploads: Uploads) -> AsyncIterator[int]:
    server = await asyncio.start_server(lambda r, w: http.serve_one(r, w, uploads), "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]


async def test_chunks_in_order_make_the_file(uploads: Uploads) -> None:
    upload = uploads.create("photo.bin", len(BODY))
    for start in range(0, len(BODY), BLOCK):
        await uploads.append(upload.id, start, BODY[start : start + BLOCK])
    path = await uploads.finish(upload.id, hashlib.sha256(BODY).hexdigest())
    assert path.read_bytes() == BODY


async def test_a_chunk_at_the_wrong_offset_is_refused(uploads: Uploads) -> None:
    upload = uploads.create("photo.bin", len(BODY))
    await uploads.append(upload.id, 0, BODY[:BLOCK])
    with pytest.raises(OffsetMismatch) as caught:
        await uploads.append(upload.id, 0, BODY[:BLOCK])
    assert caught.value.expected == BLOCK


async def test_a_chunk_over_the_limit_is_refused(uploads: Uploads) -> None:
    upload = uploads.create("photo.bin", CHUNK_LIMIT + 1)
    with pytest.raises(TooLarge):
        await uploads.append(upload.id, 0, bytes(CHUNK_LIMIT + 1))


async def test_an_upload_cannot_grow_past_its_size(uploads: Uploads) -> None:
    upload = uploads.create("photo.bin", 10)
    with pytest.raises(TooLarge):
        await uploads.append(upload.id, 0, bytes(11))


async def test_a_wrong_digest_keeps_the_upload_open(uploads: Uploads) -> None:
    upload = uploads.create("photo.bin", 3)
    await uploads.append(upload.id, 0, b"abc")
    with pytest.raises(DigestMismatch):
        await uploads.finish(upload.id, "0" * 64)
    assert upload.state == "open"


async def test_an_incomplete_upload_cannot_finish(uploads: Uploads) -> None:
    upload = uploads.create("photo.bin", 10)
    await uploads.append(upload.id, 0, b"abc")
    with pytest.raises(UploadError, match="3 of 10"):
        await uploads.finish(upload.id, hashlib.sha256(b"abc").hexdigest())


async def test_an_aborted_upload_is_gone(uploads: Uploads) -> None:
    upload = uploads.create("photo.bin", 10)
    await uploads.abort(upload.id)
    with pytest.raises(UnknownUpload):
        await uploads.resume(upload.id)


async def test_a_restart_keeps_open_uploads(tmp_path: Path) -> None:
    async with Uploads(tmp_path / "data") as first:
        upload = first.create("photo.bin", len(BODY))
        await first.append(upload.id, 0, BODY[:BLOCK])
    async with Uploads(tmp_path / "data") as second:
        assert (await second.resume(upload.id))["offset"] == BLOCK


async def test_idle_uploads_expire(uploads: Uploads) -> None:
    upload = uploads.create("photo.bin", 10)
    assert await uploads.sweep(upload.touched + 3601) == [upload.id]
    with pytest.raises(UnknownUpload):
        uploads.get(upload.id)


async def test_resume_after_dropped_chunk(uploads: Uploads, port: int) -> None:
    upload = uploads.create("video.bin", len(BODY))
    path = f"/uploads/{upload.id}"
    async with Client(port) as client:
        await client.send_half(path, BODY, 0)
    async with Client(port) as client:
        _, state = await client.send("GET", path)
        start = int(str(state["offset"]))
        status, answer = await client.send("PATCH", path, BODY[start:], upload_offset=str(start))
        assert status == 204, answer
        digest = json.dumps({"sha256": hashlib.sha256(BODY).hexdigest()}).encode()
        status, answer = await client.send("POST", f"{path}/finish", digest)
    assert status == 200, answer


async def test_parallel_uploads_do_not_mix(uploads: Uploads) -> None:
    bodies = [bytes([n]) * BLOCK * 2 for n in range(8)]
    created = [uploads.create(f"part-{n}.bin", BLOCK * 2) for n in range(8)]
    for start in (0, BLOCK):
        await asyncio.gather(
            *(
                uploads.append(upload.id, start, body[start : start + BLOCK])
                for upload, body in zip(created, bodies, strict=True)
            )
        )
    for upload, body in zip(created, bodies, strict=True):
        path = await uploads.finish(upload.id, hashlib.sha256(body).hexdigest())
        assert path.read_bytes() == body
