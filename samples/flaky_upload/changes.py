"""The edits that the session makes, and its short outputs."""

from __future__ import annotations

GIT_LOG = """\
8c41f0e (HEAD -> fix/flaky-resume, origin/main) Sweep expired uploads once a minute
b7720da Answer 204 to DELETE while a chunk is being written
31c9ee4 Log the offset at which a connection was lost
f00ba12 Open the journal in WAL mode
5a1d883 Refuse a chunk that would grow an upload past its size
e94b6c7 Name the bucket in the journal
0d3f5aa Resume uploads
77be210 Sync partial files before the offset moves
c2a90f1 Move finished uploads with one rename
9e6d4b8 Check the digest in a thread
4f4c7e3 Keep open uploads over a restart
1b2a0c9 First service with buckets"""

ARTIFACTS = """\
total 108
drwxr-xr-x 2 dana dana  4096 Mar 16 18:20 .
drwxr-xr-x 9 dana dana  4096 Mar 17 09:10 ..
-rw-r--r-- 1 dana dana  6807 Mar 16 18:20 metrics.json
-rw-r--r-- 1 dana dana 48115 Mar 16 18:20 server.log
-rw-r--r-- 1 dana dana 43340 Mar 16 18:20 timings.csv"""

COMPARED = """\
tests compared: 500
median call_ms: 431.0 -> 413.8
slower by more than 20 %: 0
failed before, passed now: 2 (rows 317, 402)"""

COMMIT = """\
[fix/flaky-resume 41d7c90] Let a resumed upload take over
 CHANGELOG.md          |  6 ++++++
 Dockerfile            |  7 ++++---
 harbor/uploads.py     | 31 ++++++++++++++++++++++++-------
 tests/test_uploads.py | 16 ++++++++++++++++
 4 files changed, 50 insertions(+), 10 deletions(-)"""

CHANGELOG = """\
# Changelog

## 0.9.3 - unreleased
- `GET /uploads/ID` waits for a chunk that is being written and takes the upload over: chunks of the connection
  that was lost are answered with 409. A resumed client no longer meets an offset mismatch.
- The image is built on Python 3.13.
"""

IMPORTS = "import json\nfrom collections.abc import AsyncIterator\nfrom pathlib import Path\n"
IMPORTS_WITH_THREADS = IMPORTS.replace("import json\n", "import json\nimport threading\n")

TOO_LARGE = "class TooLarge(UploadError):\n"
SUPERSEDED = f'''\
class Superseded(UploadError):
    """A chunk of a connection whose upload was resumed by another."""

    status = 409


{TOO_LARGE}'''

RESUME = """\
        upload = self.get(id)
        upload.touched = time.time()
        log.info("upload %s: resumed at %d", upload.id, upload.offset)
        return upload.describe()
"""

RESUME_WAITS = """\
        upload = self.get(id)
        async with upload.lock:
            if upload.pending is not None:
                await asyncio.wait([upload.pending])
            upload.touched = time.time()
            log.info("upload %s: resumed at %d", upload.id, upload.offset)
            return upload.describe()
"""

RESUME_TAKES_OVER = RESUME_WAITS.replace(
    "            upload.touched = time.time()\n",
    "            upload.epoch += 1\n            upload.touched = time.time()\n",
)

FIELD = "    pending: asyncio.Future[int] | None = field(default=None, repr=False)\n"
FIELD_WITH_EPOCH = f"{FIELD}    epoch: int = field(default=0, repr=False)\n"

STREAM = """\
        try:
            async for chunk in chunks:
                offset = await self.append(id, offset, chunk)
"""
STREAM_WITH_EPOCH = """\
        epoch = self.get(id).epoch
        try:
            async for chunk in chunks:
                offset = await self.append(id, offset, chunk, epoch=epoch)
"""

APPEND = """\
    async def append(self, id: str, offset: int, data: bytes) -> int:
        \"\"\"Store one chunk and return the offset to go on at.\"\"\"
        upload = self.get(id)
        if len(data) > CHUNK_LIMIT:
            raise TooLarge(f"chunk of {len(data)} bytes, the limit is {CHUNK_LIMIT}")
        async with upload.lock:
"""
APPEND_WITH_EPOCH = """\
    async def append(self, id: str, offset: int, data: bytes, *, epoch: int | None = None) -> int:
        \"\"\"Store one chunk and return the offset to go on at.\"\"\"
        upload = self.get(id)
        if len(data) > CHUNK_LIMIT:
            raise TooLarge(f"chunk of {len(data)} bytes, the limit is {CHUNK_LIMIT}")
        async with upload.lock:
            if epoch is not None and epoch != upload.epoch:
                raise Superseded(f"upload {id} was resumed by another connection")
"""

# What the model believed the file to hold: close to it, and not equal.
STALE_BLOCK = (
    APPEND.replace("one chunk", "a chunk")
    + """\
            if offset != upload.offset:
                raise OffsetMismatch(id, upload.offset, offset)
            if offset + len(data) > upload.size:
                raise TooLarge(f"upload {id} would grow past its {upload.size} bytes")
            upload.pending = self.flush(upload, offset, data)
            return await asyncio.shield(upload.pending)

    async def resume(self, id: str) -> dict[str, object]:
        \"\"\"Where a client that lost its connection goes on.\"\"\"
"""
    + RESUME
)

PARALLEL_TEST = "async def test_parallel_uploads_do_not_mix(uploads: Uploads) -> None:\n"

SLOW_DISK_TEST = """\
async def test_resume_waits_for_a_chunk_on_a_slow_disk(uploads: Uploads, monkeypatch: pytest.MonkeyPatch) -> None:
    upload = uploads.create("video.bin", len(BODY))
    started, go_on, write = threading.Event(), threading.Event(), uploads.store.write

    def slow_write(*args: object) -> int:
        started.set()
        go_on.wait()
        return write(*args)

    monkeypatch.setattr(uploads.store, "write", slow_write)
    sending = asyncio.create_task(uploads.append(upload.id, 0, BODY[:BLOCK]))
    await asyncio.to_thread(started.wait)
    resuming = asyncio.create_task(uploads.resume(upload.id))
    go_on.set()
    assert (await resuming)["offset"] == await sending


"""
