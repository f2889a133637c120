"""The upload service over HTTP: a small router on asyncio streams, one handler for each request."""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from http import HTTPStatus

from harbor.uploads import UploadError, Uploads

log = logging.getLogger("harbor.http")

READ_SIZE = 65536
HEADER_LIMIT = 16384

Handler = Callable[["Request", Uploads], Awaitable["Response"]]


@dataclass
class Request:
    """One request; the body is read as it comes."""

    method: str
    path: str
    headers: dict[str, str]
    reader: asyncio.StreamReader
    match: re.Match[str] | None = None

    @property
    def length(self) -> int:
        """The announced length of the body in bytes."""
        return int(self.headers.get("content-length", "0"))

    @property
    def offset(self) -> int:
        """Where a chunk starts, as the client says."""
        return int(self.headers.get("upload-offset", "0"))

    async def chunks(self) -> AsyncIterator[bytes]:
        """The body in pieces.

        Raises:
            ConnectionError: the client went away before all of it had come.
        """
        left = self.length
        while left:
            data = await self.reader.read(min(READ_SIZE, left))
            if not data:
                raise ConnectionResetError(f"client closed with {left} bytes to come")
            left -= len(data)
            yield data

    async def json(self) -> dict[str, object]:
        """The body as a JSON object."""
        return dict(json.loads(b"".join([chunk async for chunk in self.chunks()])))


@dataclass
class Response:
    """What goes back to the client."""

    status: HTTPStatus
    body: dict[str, object] | None = None
    headers: dict[str, str] | None = None

    def encode(self) -> bytes:
        """The response in wire form."""
        payload = b"" if self.body is None else json.dumps(self.body).encode()
        lines = [f"HTTP/1.1 {self.status.value} {self.status.phrase}", f"content-length: {len(payload)}"]
        lines += [f"{name}: {value}" for name, value in (self.headers or {}).items()]
        return "\r\n".join([*lines, "", ""]).encode() + payload


async def create(request: Request, uploads: Uploads) -> Response:
    """POST /uploads: start an upload."""
    wanted = await request.json()
    upload = uploads.create(str(wanted["name"]), int(str(wanted["size"])), str(wanted.get("bucket", "default")))
    return Response(HTTPStatus.CREATED, upload.describe(), {"location": f"/uploads/{upload.id}"})


async def append(request: Request, uploads: Uploads) -> Response:
    """PATCH /uploads/ID: go on with an upload at the offset that the request names."""
    assert request.match is not None
    offset = await uploads.stream(request.match["id"], request.offset, request.chunks())
    return Response(HTTPStatus.NO_CONTENT, headers={"upload-offset": str(offset)})


async def resume(request: Request, uploads: Uploads) -> Response:
    """GET /uploads/ID: where to go on."""
    assert request.match is not None
    return Response(HTTPStatus.OK, await uploads.resume(request.match["id"]))


async def finish(request: Request, uploads: Uploads) -> Response:
    """POST /uploads/ID/finish: check the digest and publish."""
    assert request.match is not None
    wanted = await request.json()
    path = await uploads.finish(request.match["id"], str(wanted["sha256"]))
    return Response(HTTPStatus.OK, {"path": path.name})


async def abort(request: Request, uploads: Uploads) -> Response:
    """DELETE /uploads/ID: give it up."""
    assert request.match is not None
    await uploads.abort(request.match["id"])
    return Response(HTTPStatus.NO_CONTENT)


ROUTES: list[tuple[str, re.Pattern[str], Handler]] = [
    ("POST", re.compile(r"/uploads"), create),
    ("PATCH", re.compile(r"/uploads/(?P<id>[0-9a-f]{16})"), append),
    ("GET", re.compile(r"/uploads/(?P<id>[0-9a-f]{16})"), resume),
    ("POST", re.compile(r"/uploads/(?P<id>[0-9a-f]{16})/finish"), finish),
    ("DELETE", re.compile(r"/uploads/(?P<id>[0-9a-f]{16})"), abort),
]


async def dispatch(request: Request, uploads: Uploads) -> Response:
    """Find the handler of a request and turn its errors into responses."""
    for method, pattern, handler in ROUTES:
        request.match = pattern.fullmatch(request.path)
        if request.match and method == request.method:
            try:
                return await handler(request, uploads)
            except UploadError as error:
                return Response(HTTPStatus(error.status), {"error": str(error)})
    return Response(HTTPStatus.NOT_FOUND, {"error": f"no route for {request.method} {request.path}"})


async def serve_one(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, uploads: Uploads) -> None:
    """Serve one connection until the client closes it."""
    try:
        while request := await read_request(reader):
            response = await dispatch(request, uploads)
            log.info("%s %s %d", request.method, request.path, response.status.value)
            writer.write(response.encode())
            await writer.drain()
    except ConnectionError as error:
        log.warning("connection lost: %s", error)
    finally:
        writer.close()


async def read_request(reader: asyncio.StreamReader) -> Request | None:
    """The head of the next request, or None at the end of the connection."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    first, *rest = head.decode("latin-1").strip().split("\r\n")
    method, path, _ = first.split(" ", 2)
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in rest)}
    return Request(method, path, headers, reader)
