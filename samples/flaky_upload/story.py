"""The session itself: seven exchanges that find, fix and ship the cause of a flaky upload test."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from samples.flaky_upload import changes, outputs
from samples.flaky_upload.transcript import CWD, SESSION, Transcript
from samples.flaky_upload.workspace import Answer, Workspace, shell


class Step(NamedTuple):
    """One tool call, what answers it, and how long that takes."""

    tool: str
    arguments: dict[str, Any]
    answer: Callable[[], Answer]
    seconds: float = 0.4


class Story:
    """Plays the session into a transcript."""

    def __init__(self) -> None:
        self.log = Transcript()
        self.work = Workspace()

    def turn(self, *steps: Step, say: str = "", think: str = "") -> None:
        """One response of the model with its tool calls, and their results."""
        blocks = [self.log.thinking(think)] if think else []
        if say:
            blocks.append({"type": "text", "text": say})
        ids = [self.log.name("toolu") for _ in steps]
        calls = [
            {"type": "tool_use", "id": id, "name": step.tool, "input": step.arguments}
            for id, step in zip(ids, steps, strict=True)
        ]
        uuids = self.log.response([*blocks, *calls], "tool_use")[len(blocks) :]
        for id, step, source in zip(ids, steps, uuids, strict=True):
            answer = step.answer()
            self.log.result(id, source, answer.text, answer.detail, error=answer.error, seconds=step.seconds)

    def bash(self, command: str, what: str, output: str, *, code: int = 0, seconds: float = 1.0) -> Step:
        """A command."""
        arguments = {"command": command, "description": what}
        return Step("Bash", arguments, lambda: shell(output, code=code), seconds)

    def read(self, path: str, start: int = 1, count: int = 2000) -> Step:
        """A read of a file, or of some lines of it."""
        arguments: dict[str, Any] = {"file_path": f"{CWD}/{path}"}
        if start > 1 or count < 2000:
            arguments |= {"offset": start, "limit": count}
        return Step("Read", arguments, lambda: self.work.read(path, start, count))

    def edit(self, path: str, old: str, new: str) -> Step:
        """A replacement in a file."""
        arguments = {"file_path": f"{CWD}/{path}", "old_string": old, "new_string": new, "replace_all": False}
        return Step("Edit", arguments, lambda: self.work.edit(path, old, new))

    def grep(self, pattern: str, context: int = 0) -> Step:
        """A search through the project."""
        arguments = {"pattern": pattern, "output_mode": "content", "-n": True, "-C": context}
        return Step("Grep", arguments, lambda: self.work.grep(pattern, context=context))

    def play(self) -> Transcript:
        """The whole session."""
        self.log.aside(type="ai-title", aiTitle="Fix the flaky resume test", sessionId=SESSION)
        for exchange in (
            self.look_around,
            self.reproduce,
            self.read_artifacts,
            self.first_fix,
            self.second_fix,
            self.build_image,
            self.check_and_commit,
        ):
            exchange()
        return self.log

    def look_around(self) -> None:
        """Exchange 1: the question, and a first look at code and tests."""
        self.log.prompt(
            "test_resume_after_dropped_chunk in tests/test_uploads.py fails about once in fifteen CI runs. "
            "Please find out why. I don't want a retry or a sleep in the test, I want the cause."
        )
        self.turn(
            self.bash(
                "git status --short && git log --oneline -12", "Show the state of the repository", changes.GIT_LOG
            ),
            self.bash("ls -R .", "List all files", outputs.listing(22)),
            say="I'll start with the state of the repository and the test itself.",
            think="A test that fails one time in fifteen smells like a race between the dropped connection's "
            "handler and the resume request. I need the test, the service and the HTTP layer.",
        )
        self.turn(self.read("tests/test_uploads.py"), self.read("harbor/uploads.py"))
        self.turn(self.read("harbor/http.py"), self.grep(r"\.offset|pending", context=2))
        self.log.answer(
            "The test drops a connection in the middle of a chunk and asks at once where to go on. `resume()` "
            "returns `upload.offset` without looking at `upload.pending`: a chunk that is being written in the "
            "executor moves the offset a moment later, and the client then sends from an offset that is already "
            "stale. I'd like to see it fail here before I change anything."
        )

    def reproduce(self) -> None:
        """Exchange 2: the failure, seen."""
        self.log.prompt(
            "Makes sense. Run it repeatedly together with the rest of the suite until it fails, and show me."
        )
        self.turn(
            self.bash(
                "python -m pytest -v --count 40 -k 'resume_after or not uploads'",
                "Run the suite with the flaky test forty times",
                outputs.repeated_run("first run", {14: (131072, 65536), 33: (196608, 131072)}, 230),
                code=1,
                seconds=38,
            ),
        )
        self.turn(
            self.bash(
                "nproc; uname -r; df -h . | tail -1", "Machine facts", "8\n6.8.0-45-generic\n/dev/nvme0n1p2  468G"
            ),
            self.read("tests/test_uploads.py", 134, 15),
        )
        self.log.answer(
            "Two of forty runs fail, both with `409 offset mismatch`: the service expected 131072 and got 65536 "
            "in run 14, 196608 and 131072 in run 33. The stale offset is always exactly one 64 KiB read behind."
        )

    def read_artifacts(self) -> None:
        """Exchange 3: what the build server kept."""
        self.log.prompt("The artifacts of the last red build are in ci-artifacts/. Does it look the same there?")
        self.work.files["ci-artifacts/server.log"] = outputs.server_log(480)
        self.work.files["ci-artifacts/timings.csv"] = outputs.timings("red build", 500, 1)
        self.turn(
            self.bash("ls -la ci-artifacts", "List the artifacts", changes.ARTIFACTS),
            self.read("ci-artifacts/server.log"),
        )
        self.turn(
            self.read("ci-artifacts/timings.csv"),
            self.bash("cat ci-artifacts/metrics.json", "Show the metrics", outputs.metrics()),
            self.grep(r"offset mismatch|fsync took"),
        )
        self.log.answer(
            "Yes. server.log has two 409s with the same one-read gap, and four lines before the first of them "
            "an fsync that took 412 ms: the slower the disk, the wider the window. metrics.json agrees (fsync "
            "p99 187 ms, max 412.6 ms), and timings.csv marks rows 317 and 402 as failed. So the cause is the "
            "one I suspected, made likelier by the runner's slow disk.",
            thinking="The gap in the artifacts equals the read size, so both point to the same race.",
        )

    def first_fix(self) -> None:
        """Exchange 4: an edit that misses, one that lands, and a run that still fails once."""
        self.log.prompt("Good. Fix it in resume(), and add a test that fails every time without the fix.")
        self.turn(self.read("harbor/uploads.py", 245, 62))
        self.turn(
            self.edit("harbor/uploads.py", changes.STALE_BLOCK, changes.RESUME_WAITS),
            say="`resume()` has to wait for the chunk that is being written, under the upload's lock.",
        )
        self.turn(self.edit("harbor/uploads.py", changes.RESUME, changes.RESUME_WAITS))
        self.turn(
            self.read("harbor/uploads.py", 245, 62),
            self.edit("tests/test_uploads.py", changes.IMPORTS, changes.IMPORTS_WITH_THREADS),
            self.edit(
                "tests/test_uploads.py", changes.PARALLEL_TEST, changes.SLOW_DISK_TEST + changes.PARALLEL_TEST
            ),
        )
        self.turn(
            self.bash(
                "python -m pytest -v --count 40 -k 'resume_after or not uploads'",
                "Run the suite with the flaky test forty times",
                outputs.repeated_run("second run", {27: (196608, 131072)}, 230),
                code=1,
                seconds=36,
            )
        )
        self.log.answer(
            "Better, but not done: one of forty still fails. Waiting for the chunk under way is not enough, "
            "because the old connection's handler has more data buffered and appends the next 64 KiB right after "
            "`resume()` has answered. The old stream must lose the right to write once somebody resumes."
        )

    def second_fix(self) -> None:
        """Exchange 5: the whole fix."""
        self.log.prompt("Right, then let resume() take the upload over. How would you do it?")
        self.turn(self.read("harbor/uploads.py", 245, 62))
        self.turn(
            self.edit("harbor/uploads.py", changes.FIELD, changes.FIELD_WITH_EPOCH),
            self.edit("harbor/uploads.py", changes.TOO_LARGE, changes.SUPERSEDED),
            self.edit("harbor/uploads.py", changes.RESUME_WAITS, changes.RESUME_TAKES_OVER),
            self.edit("harbor/uploads.py", changes.STREAM, changes.STREAM_WITH_EPOCH),
            self.edit("harbor/uploads.py", changes.APPEND, changes.APPEND_WITH_EPOCH),
            think="An epoch counter: resume() adds one under the lock, stream() remembers the one it started "
            "with, append() refuses chunks of an older one. That closes the window without any timing.",
            say="With an epoch: `resume()` adds one under the lock, and chunks of an older epoch are refused.",
        )
        self.turn(self.read("harbor/uploads.py"))
        self.turn(
            self.bash(
                "python -m pytest -v --count 40 -k 'resume_after or not uploads'",
                "Run the suite with the flaky test forty times",
                outputs.repeated_run("third run", {}, 230),
                seconds=35,
            )
        )
        self.log.answer(
            "All 270 pass. `Upload` has an `epoch`; `resume()` waits for the chunk under way, adds one to it and "
            "only then reads the offset; `append()` refuses a chunk of an older epoch with `Superseded` (409)."
        )

    def build_image(self) -> None:
        """Exchange 6: an aside about the container image."""
        self.log.prompt(
            "While that is fresh: move the image to Python 3.13 on trixie and check that it still builds."
        )
        self.turn(self.read("Dockerfile"))
        self.turn(
            self.edit(
                "Dockerfile", "FROM python:3.11-slim-bookworm AS build", "FROM python:3.13-slim-trixie AS build"
            ),
            self.edit("Dockerfile", "FROM python:3.11-slim-bookworm\n", "FROM python:3.13-slim-trixie\n"),
        )
        command = "docker build --progress=plain -t harbor:dev ."
        self.turn(self.bash(command, "Build the image", outputs.image_build(fails=True), code=1, seconds=19))
        self.turn(
            self.edit(
                "Dockerfile",
                "RUN pip install --no-cache-dir build &&",
                "RUN apt-get update && apt-get install -y gcc\nRUN pip install --no-cache-dir build &&",
            ),
            self.bash(command, "Build the image again", outputs.image_build(fails=False), seconds=24),
        )
        self.log.answer(
            "The new base image has no compiler and xxhash has no wheel for it, so the build stage now installs "
            "gcc; the final stage does not. The image builds."
        )

    def check_and_commit(self) -> None:
        """Exchange 7: timings compared, change logged, committed."""
        self.log.prompt("Compare the timings with the red build, then write the changelog entry and commit.")
        self.work.files["build/timings.csv"] = outputs.timings("red build", 500, 0.96)
        self.turn(self.read("build/timings.csv", count=200), self.read("harbor/uploads.py"))
        self.turn(
            self.bash(
                "python tools/compare.py ci-artifacts/timings.csv build/timings.csv", "Compare", changes.COMPARED
            ),
            self.read("CHANGELOG.md"),
        )
        self.turn(
            self.edit("CHANGELOG.md", "# Changelog\n", changes.CHANGELOG),
            self.bash(
                "git commit -am 'Let a resumed upload take over' && git diff --stat HEAD~",
                "Commit",
                changes.COMMIT,
            ),
        )
        self.log.answer(
            "Committed as 41d7c90. The median call time went from 431.0 to 413.8 ms, no test got slower by more "
            "than its usual noise, and the changelog says what clients notice: a chunk of a connection that was "
            "taken over is answered with 409 `superseded`."
        )
