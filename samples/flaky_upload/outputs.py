"""The long outputs of the session: test runs, logs, tables, builds. Each is made from its own seed."""

from __future__ import annotations

import json
from random import Random

MODULES = ("buckets", "journal", "chunks", "http", "digest", "expiry", "limits", "config", "auth", "metrics")
SUBJECTS = ("an empty file", "a large file", "a renamed bucket", "a second client", "a full disk", "a slow client")
HABITS = ("is stored once", "is refused", "keeps its order", "survives a restart", "is logged", "frees its space")

FAILURE = """\
_______________ test_resume_after_dropped_chunk[{run}-40] _______________

uploads = <harbor.uploads.Uploads object at 0x7f3c5a1e8d10>, port = {port}

    async def test_resume_after_dropped_chunk(uploads: Uploads, port: int) -> None:
        upload = uploads.create("video.bin", len(BODY))
        path = f"/uploads/{{upload.id}}"
        async with Client(port) as client:
            await client.send_half(path, BODY, 0)
        async with Client(port) as client:
            _, state = await client.send("GET", path)
            start = int(str(state["offset"]))
            status, answer = await client.send("PATCH", path, BODY[start:], upload_offset=str(start))
>           assert status == 204, answer
E           AssertionError: {{'error': 'offset mismatch for {id}: expected {expected}, got {got}'}}
E           assert 409 == 204

tests/test_uploads.py:143: AssertionError
------------------------------ Captured log call ------------------------------
INFO     harbor.uploads:uploads.py:251 upload {id}: created video.bin, 262144 bytes
INFO     harbor.uploads:uploads.py:291 upload {id}: resumed at {got}
WARNING  harbor.uploads:uploads.py:300 upload {id}: connection lost at {expected}: client closed early
INFO     harbor.http:http.py:139 GET /uploads/{id} 200
INFO     harbor.http:http.py:139 PATCH /uploads/{id} 409
"""


def heading(text: str) -> str:
    """A line across the page, as pytest draws it."""
    return f" {text} ".center(80, "=")


def session_start(collected: int) -> list[str]:
    """The first lines of a test run."""
    return [
        heading("test session starts"),
        "platform linux -- Python 3.11.9, pytest-8.3.4, pluggy-1.5.0 -- /home/dana/harbor/.venv/bin/python",
        "cachedir: .pytest_cache",
        "rootdir: /home/dana/harbor",
        "configfile: pyproject.toml",
        "plugins: anyio-4.8.0, repeat-0.9.3, timeout-2.3.1",
        f"collected {collected} items",
        "",
    ]


def suite(seed: str, count: int) -> list[str]:
    """Names of the project's other tests."""
    random = Random(seed)
    names = []
    for number in range(count):
        subject, habit = random.choice(SUBJECTS), random.choice(HABITS)
        words = f"{subject} {habit}".replace(" ", "_")
        names.append(
            f"tests/test_{MODULES[number * len(MODULES) // count]}.py::test_{words}[{random.randrange(64)}]"
        )
    return names


def repeated_run(seed: str, failing: dict[int, tuple[int, int]], others: int) -> str:
    """A verbose run of the suite with the flaky test repeated forty times.

    `failing`: by run, the offset that the service expected and the one that the client sent.
    """
    random = Random(seed)
    repeats = [f"tests/test_uploads.py::test_resume_after_dropped_chunk[{run}-40]" for run in range(1, 41)]
    names = suite("suite", others) + repeats
    lines = session_start(len(names))
    broken = {f"tests/test_uploads.py::test_resume_after_dropped_chunk[{run}-40]" for run in failing}
    for number, name in enumerate(names, 1):
        word = "FAILED" if name in broken else "PASSED"
        lines.append(f"{name} {word} [{100 * number // len(names):3}%]")
    if failing:
        lines += ["", heading("FAILURES")]
    for run, (expected, got) in failing.items():
        id, port = f"{random.getrandbits(64):016x}", random.randrange(32768, 60999)
        lines += FAILURE.format(run=run, port=port, id=id, expected=expected, got=got).split("\n")
    seconds = random.randrange(2100, 3900) / 100
    if failing:
        lines.append(heading("short test summary info"))
        lines += [f"FAILED {name} - AssertionError: offset mismatch" for name in sorted(broken)]
        lines.append(heading(f"{len(failing)} failed, {len(names) - len(failing)} passed in {seconds}s"))
    else:
        lines.append(heading(f"{len(names)} passed in {seconds}s"))
    return "\n".join(lines)


def server_log(count: int) -> str:
    """The service's own log of the red build: ordinary traffic, two offset mismatches, one slow sync."""
    random = Random("server log")
    open_uploads = [f"{random.getrandbits(64):016x}" for _ in range(24)]
    second, lines = 36_004.0, []
    for number in range(count):
        second += random.randrange(3, 90) / 1000
        clock = f"{int(second // 3600):02}:{int(second // 60 % 60):02}:{second % 60:06.3f}"
        id, offset = random.choice(open_uploads), 65536 * random.randrange(1, 64)
        if number in (count // 3, count * 5 // 6):
            mismatch = f"offset mismatch: expected {offset + 65536}, got {offset}"
            text = f"ERROR harbor.http PATCH /uploads/{id} 409 {mismatch}"
        elif number == count // 3 - 4:
            text = f"WARNING harbor.uploads upload {id}: fsync took 412 ms on /var/lib/harbor/partial"
        elif random.random() < 0.07:
            lost = f"connection lost at {offset}: client closed with 65536 bytes to come"
            text = f"WARNING harbor.uploads upload {id}: {lost}"
        elif random.random() < 0.25:
            text = f"INFO harbor.uploads upload {id}: resumed at {offset}"
        else:
            text = f"INFO harbor.http PATCH /uploads/{id} 204 {offset} bytes in {random.randrange(2, 40)} ms"
        lines.append(f"2026-03-16T{clock}Z {text}")
    return "\n".join(lines) + "\n"


def timings(seed: str, rows: int, factor: float) -> str:
    """A table of test timings as CI uploads it."""
    random = Random(seed)
    lines = ["run,test,worker,setup_ms,call_ms,teardown_ms,outcome,commit"]
    for number, name in enumerate(suite("timed", rows), 1):
        call = round(random.randrange(4, 900) * factor, 1)
        outcome = "failed" if number in (317, 402) and factor == 1 else "passed"
        worker, setup, teardown = f"gw{number % 4}", random.randrange(1, 40), random.randrange(1, 15)
        lines.append(f"{4100 + number // 100},{name[6:]},{worker},{setup},{call},{teardown},{outcome},8c41f0e")
    return "\n".join(lines) + "\n"


def metrics() -> str:
    """The service's metrics at the end of the red build."""
    random = Random("metrics")
    endpoints = [
        {
            "route": f"{method} {path}",
            "count": random.randrange(40, 9000),
            "errors": {"409": 2} if method == "PATCH" and path == "/uploads/ID" else {},
            "latency_ms": dict(
                zip(("p50", "p90", "p99"), sorted(random.choices(range(2, 190), k=3)), strict=True)
            ),
            "buckets": [random.randrange(0, 400) for _ in range(16)],
        }
        for method in ("GET", "PATCH", "POST", "DELETE")
        for path in ("/uploads/ID", "/uploads/ID/finish", "/buckets/NAME", "/health")
    ]
    body = {
        "build": "4103",
        "host": "runner-7",
        "uploads": {"created": 1204, "done": 1187, "expired": 9, "resumed": 311},
        "disk": {"fsync_p50_ms": 3.1, "fsync_p99_ms": 187.0, "fsync_max_ms": 412.6},
        "endpoints": endpoints,
    }
    return json.dumps(body, indent=2)


def listing(folders: int) -> str:
    """A recursive listing of the project's folder."""
    random = Random("listing")
    lines = [
        ".:",
        "CHANGELOG.md",
        "Dockerfile",
        "README.md",
        "ci-artifacts",
        "harbor",
        "pyproject.toml",
        "tests",
        "",
    ]
    for folder in ("harbor", "tests", "tests/data", *(f"tests/data/case-{n:02}" for n in range(folders))):
        lines.append(f"./{folder}:")
        if folder.startswith("tests/data/"):
            lines += [f"part-{n:03}-{random.getrandbits(32):08x}.bin" for n in range(random.randrange(6, 14))]
        elif folder != "tests/data":
            lines += [f"{'test_' if folder == 'tests' else ''}{module}.py" for module in (*MODULES, "uploads")]
        lines.append("")
    return "\n".join(lines)


def image_build(*, fails: bool) -> str:
    """A plain-progress image build; the failing one misses a tool in the new base image."""
    random = Random("image")
    packages = (
        "anyio",
        "build",
        "certifi",
        "click",
        "h11",
        "httpcore",
        "idna",
        "packaging",
        "pyproject-hooks",
        "wheel",
    )
    lines = ['#0 building with "default" instance using docker driver', "", "#1 [internal] load build definition"]
    for step, title in enumerate(
        ("load metadata", "[build 1/5] FROM", "[build 2/5] WORKDIR /src", "[build 3/5] COPY"), 2
    ):
        lines.append(f"#{step} {title} python:3.13-slim-trixie@sha256:{random.getrandbits(256):064x}")
        lines += [
            f"#{step} sha256:{random.getrandbits(256):064x} {n * 3.5:.2f}MB / 28.00MB {n / 10:.1f}s"
            for n in range(9)
        ]
        lines += [f"#{step} DONE {random.randrange(1, 90) / 10}s", ""]
    for number, package in enumerate(packages * 6):
        size = random.randrange(20, 900)
        lines.append(f"#6 {2 + number * 0.21:.3f} Collecting {package}")
        lines.append(
            f"#6 {2.1 + number * 0.21:.3f}   Downloading {package}-{number % 7}.{number % 5}.whl ({size} kB)"
        )
    if fails:
        lines += [
            "#6 14.92 error: command 'gcc' failed: No such file or directory",
            "#6 14.93 ERROR: Failed building wheel for xxhash",
            '#6 ERROR: process "/bin/sh -c pip install build" did not complete successfully: exit code: 1',
            "------",
            "Dockerfile:5",
            "ERROR: failed to solve: process did not complete successfully: exit code: 1",
        ]
    else:
        lines += [
            "#6 DONE 16.1s",
            "",
            "#9 exporting to image",
            f"#9 writing image sha256:{random.getrandbits(256):064x}",
        ]
        lines += ["#9 naming to docker.io/library/harbor:dev", "#9 DONE 0.4s"]
    return "\n".join(lines)
