"""A server over HTTP as a process, and what it holds: memory, open files, threads."""

from __future__ import annotations

import re
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from http.client import HTTPConnection
from pathlib import Path

from running import OURS

STOPPING_SECONDS = 60
LAST_LINE = "Ctrl-C stops it"


@dataclass(frozen=True)
class Held:
    """What a process holds; memory in MB."""

    memory: float
    files: int
    threads: int


class HttpServer:
    """A server that runs; `port` is where."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        assert process.stderr is not None
        greeting = ""
        for line in process.stderr:
            greeting += line
            if line.startswith(LAST_LINE):
                break
        found = re.search(r"http://127\.0\.0\.1:(\d+)/mcp", greeting)
        if not found:
            raise SystemExit(f"The server did not start: {greeting}")
        self.port = int(found[1])
        self.said: list[str] = []
        threading.Thread(target=lambda: self.said.extend(process.stderr or ()), daemon=True).start()

    def held(self) -> Held:
        """What it holds now; Linux tells."""
        folder = Path("/proc", str(self._process.pid))
        status = dict(re.findall(r"^(\w+):\s+(\d+)", (folder / "status").read_text(), re.MULTILINE))
        files = len(list((folder / "fd").iterdir()))
        return Held(int(status["VmRSS"]) / 1024, files, int(status["Threads"]))

    def settled(self) -> Held:
        """What it holds once it has seen who closed a connection before: it answers after that."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=STOPPING_SECONDS)
        try:
            connection.request("GET", "/health")
            connection.getresponse().read()
            held = self.held()
            return replace(held, files=held.files - 1)
        finally:
            connection.close()


@contextmanager
def http_server(env: Mapping[str, str]) -> Iterator[HttpServer]:
    """A server of this environment, on a port that is free; stopped in the end."""
    command = (*OURS, "serve", "--http", "127.0.0.1:0")
    with subprocess.Popen(command, env=dict(env), cwd=env["HOME"], stderr=subprocess.PIPE, text=True) as process:
        try:
            yield HttpServer(process)
        finally:
            process.terminate()
            process.wait(STOPPING_SECONDS)
