"""Resumable uploads: chunks arrive in order, survive a dropped connection, and are checked at the end.

An upload is created with its full size, then filled by chunks that each name the offset they start at. A
client that lost its connection asks where to go on (`resume`) and sends the rest. `finish` compares the
SHA-256 of the stored bytes with the client's and moves the file into the bucket.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import logging
import os
import secrets
import sqlite3
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

log = logging.getLogger("harbor.uploads")

CHUNK_LIMIT = 8 * 1024 * 1024
IDLE_LIMIT = 3600.0
SWEEP_EVERY = 60.0

State = Literal["open", "finishing", "done", "aborted", "expired"]


class UploadError(Exception):
    """An upload request that cannot be served; `status` is the HTTP status to answer with."""

    status = 400


class UnknownUpload(UploadError):
    """No upload has this id, or it has expired."""

    status = 404


class OffsetMismatch(UploadError):
    """A chunk does not start where the stored bytes end."""

    status = 409

    def __init__(self, upload: str, expected: int, got: int) -> None:
        super().__init__(f"offset mismatch for {upload}: expected {expected}, got {got}")
        self.expected = expected
        self.got = got


class TooLarge(UploadError):
    """A chunk or a whole upload is over its limit."""

    status = 413


class DigestMismatch(UploadError):
    """The stored bytes are not what the client says it sent."""

    status = 422


@dataclass
class Upload:
    """One upload as the service knows it. `offset` counts the bytes that are safely stored."""

    id: str
    name: str
    size: int
    bucket: str
    offset: int = 0
    state: State = "open"
    created: float = field(default_factory=time.time)
    touched: float = field(default_factory=time.time)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock, repr=False)
    pending: asyncio.Future[int] | None = field(default=None, repr=False)

    @property
    def complete(self) -> bool:
        """Whether every byte has arrived."""
        return self.offset == self.size

    def describe(self) -> dict[str, object]:
        """What clients are told about this upload."""
        return {
            "id": self.id,
            "name": self.name,
            "size": self.size,
            "offset": self.offset,
            "state": self.state,
            "expires": round(self.touched + IDLE_LIMIT),
        }


class Journal:
    """Uploads on disk, so that a restart of the service loses none of them."""

    SCHEMA = """
        create table if not exists uploads (
            id text primary key, name text not null, size integer not null, bucket text not null,
            offset integer not null default 0, state text not null, created real not null, touched real not null
        );
        create index if not exists uploads_by_state on uploads (state, touched);
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self.db.execute("pragma journal_mode = wal")
        self.db.execute("pragma synchronous = normal")
        self.db.executescript(self.SCHEMA)

    def save(self, upload: Upload) -> None:
        """Write an upload's present state."""
        self.db.execute(
            "insert into uploads values (?, ?, ?, ?, ?, ?, ?, ?)"
            " on conflict (id) do update set offset = excluded.offset, state = excluded.state,"
            " touched = excluded.touched",
            (
                upload.id,
                upload.name,
                upload.size,
                upload.bucket,
                upload.offset,
                upload.state,
                upload.created,
                upload.touched,
            ),
        )

    def open_uploads(self) -> Iterator[Upload]:
        """Every upload that a client may still go on with."""
        query = "select id, name, size, bucket, offset, state, created, touched from uploads where state = 'open'"
        for row in self.db.execute(query):
            yield Upload(*row)

    def forget_before(self, moment: float) -> int:
        """Delete finished uploads last touched before `moment`; returns how many."""
        cursor = self.db.execute("delete from uploads where state != 'open' and touched < ?", (moment,))
        return cursor.rowcount

    def close(self) -> None:
        """Close the database."""
        self.db.close()


class ChunkStore:
    """The bytes of unfinished uploads, one file each, and of finished ones in their buckets."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.partial = root / "partial"
        self.partial.mkdir(parents=True, exist_ok=True)

    def path(self, upload: Upload) -> Path:
        """Where the bytes of an unfinished upload are."""
        return self.partial / f"{upload.id}.part"

    def write(self, upload: Upload, offset: int, data: bytes) -> int:
        """Store a chunk and return the offset after it; the file is synced before this returns."""
        path = self.path(upload)
        with path.open("r+b" if path.exists() else "w+b") as file:
            file.seek(offset)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        return offset + len(data)

    def digest(self, upload: Upload) -> str:
        """The SHA-256 of the stored bytes, as hex."""
        digest = hashlib.sha256()
        with self.path(upload).open("rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
        return digest.hexdigest()

    def publish(self, upload: Upload) -> Path:
        """Move a complete upload into its bucket; an existing file of that name is replaced at once."""
        target = self.root / "buckets" / upload.bucket / upload.name
        target.parent.mkdir(parents=True, exist_ok=True)
        self.path(upload).replace(target)
        return target

    def discard(self, upload: Upload) -> None:
        """Delete what was stored of an upload."""
        self.path(upload).unlink(missing_ok=True)

    def orphans(self, known: set[str]) -> list[Path]:
        """Partial files that belong to no upload."""
        return sorted(path for path in self.partial.glob("*.part") if path.stem not in known)


class Uploads:
    """The uploads of one service: creation, chunks, resuming, finishing, expiry."""

    def __init__(self, root: Path, *, limit: int = 5 * 1024**3) -> None:
        root.mkdir(parents=True, exist_ok=True)
        self.limit = limit
        self.store = ChunkStore(root)
        self.journal = Journal(root / "uploads.db")
        self.uploads = {upload.id: upload for upload in self.journal.open_uploads()}
        self.sweeper: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Uploads:
        self.recover()
        self.sweeper = asyncio.create_task(self.sweep_forever())
        return self

    async def __aexit__(self, *_: object) -> None:
        if self.sweeper is not None:
            self.sweeper.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self.sweeper
        waiting = [upload.pending for upload in self.uploads.values() if upload.pending is not None]
        await asyncio.gather(*waiting, return_exceptions=True)
        self.journal.close()

    def recover(self) -> None:
        """Bring the journal and the partial files into line after a restart."""
        for upload in self.uploads.values():
            path = self.store.path(upload)
            stored = path.stat().st_size if path.exists() else 0
            if stored < upload.offset:
                log.warning("upload %s: journal says %d, file holds %d", upload.id, upload.offset, stored)
                upload.offset = stored
                self.journal.save(upload)
        for path in self.store.orphans(set(self.uploads)):
            log.info("removing orphan %s", path.name)
            path.unlink(missing_ok=True)

    def get(self, id: str) -> Upload:
        """The upload with this id."""
        upload = self.uploads.get(id)
        if upload is None or upload.state in ("aborted", "expired"):
            raise UnknownUpload(f"no upload {id}")
        return upload

    def create(self, name: str, size: int, bucket: str = "default") -> Upload:
        """Start an upload of `size` bytes."""
        if size < 0 or size > self.limit:
            raise TooLarge(f"{name}: {size} bytes, the limit is {self.limit}")
        if not name or "/" in name or name.startswith("."):
            raise UploadError(f"not a file name: {name!r}")
        upload = Upload(secrets.token_hex(8), name, size, bucket)
        self.uploads[upload.id] = upload
        self.journal.save(upload)
        log.info("upload %s: created %s, %d bytes", upload.id, name, size)
        return upload

    async def append(self, id: str, offset: int, data: bytes) -> int:
        """Store one chunk and return the offset to go on at."""
        upload = self.get(id)
        if len(data) > CHUNK_LIMIT:
            raise TooLarge(f"chunk of {len(data)} bytes, the limit is {CHUNK_LIMIT}")
        async with upload.lock:
            if offset != upload.offset:
                raise OffsetMismatch(id, upload.offset, offset)
            if offset + len(data) > upload.size:
                raise TooLarge(f"upload {id} would grow past its {upload.size} bytes")
            upload.pending = self.flush(upload, offset, data)
            return await asyncio.shield(upload.pending)

    def flush(self, upload: Upload, offset: int, data: bytes) -> asyncio.Future[int]:
        """Write a chunk in a thread; the upload's offset moves once the bytes are on disk."""
        loop = asyncio.get_running_loop()
        future = loop.run_in_executor(None, self.store.write, upload, offset, data)
        future.add_done_callback(lambda done: self.flushed(upload, done))
        return future

    def flushed(self, upload: Upload, done: asyncio.Future[int]) -> None:
        """Take note of a written chunk, or of the failure to write it."""
        upload.pending = None
        if done.cancelled():
            return
        if (error := done.exception()) is not None:
            log.error("upload %s: chunk not stored: %s", upload.id, error)
            return
        upload.offset = done.result()
        upload.touched = time.time()
        self.journal.save(upload)
        log.debug("upload %s: %d of %d", upload.id, upload.offset, upload.size)

    async def resume(self, id: str) -> dict[str, object]:
        """Where a client that lost its connection goes on."""
        upload = self.get(id)
        upload.touched = time.time()
        log.info("upload %s: resumed at %d", upload.id, upload.offset)
        return upload.describe()

    async def stream(self, id: str, offset: int, chunks: AsyncIterator[bytes]) -> int:
        """Store chunks as they come in; what arrived before the stream broke stays stored."""
        try:
            async for chunk in chunks:
                offset = await self.append(id, offset, chunk)
        except ConnectionError as error:
            log.warning("upload %s: connection lost at %d: %s", id, offset, error)
            raise
        return offset

    async def finish(self, id: str, digest: str) -> Path:
        """Check an upload against the client's digest and move it into its bucket."""
        upload = self.get(id)
        async with upload.lock:
            if upload.pending is not None:
                await asyncio.shield(upload.pending)
            if not upload.complete:
                raise UploadError(f"upload {id} has {upload.offset} of {upload.size} bytes")
            upload.state = "finishing"
            stored = await asyncio.to_thread(self.store.digest, upload)
            if stored != digest.lower():
                upload.state = "open"
                raise DigestMismatch(f"upload {id}: stored {stored}, client says {digest}")
            path = await asyncio.to_thread(self.store.publish, upload)
            self.close(upload, "done")
            log.info("upload %s: done, %s", upload.id, path)
            return path

    async def abort(self, id: str) -> None:
        """Give an upload up and delete its bytes."""
        upload = self.get(id)
        async with upload.lock:
            if upload.pending is not None:
                await asyncio.wait([upload.pending])
            self.store.discard(upload)
            self.close(upload, "aborted")

    def close(self, upload: Upload, state: State) -> None:
        """Record an upload's final state; it is no longer held in memory."""
        upload.state = state
        upload.touched = time.time()
        self.journal.save(upload)
        self.uploads.pop(upload.id, None)

    async def sweep(self, now: float) -> list[str]:
        """Expire uploads that nobody has touched for an hour; returns their ids."""
        idle = [upload for upload in self.uploads.values() if now - upload.touched > IDLE_LIMIT]
        for upload in idle:
            async with upload.lock:
                self.store.discard(upload)
                self.close(upload, "expired")
                log.info("upload %s: expired at %d of %d", upload.id, upload.offset, upload.size)
        self.journal.forget_before(now - 30 * 86400)
        return [upload.id for upload in idle]

    async def sweep_forever(self) -> None:
        """Sweep once a minute until cancelled."""
        while True:
            await asyncio.sleep(SWEEP_EVERY)
            try:
                await self.sweep(time.time())
            except OSError:
                log.exception("sweep failed")
