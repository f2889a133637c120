"""Servers over HTTP as processes of their own, and clients of each transport."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, Literal

from mcp import Client, StdioServerParameters
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from tests.server.conftest import Era, environment

TransportName = Literal["stdio", "streamable", "sse"]
PROGRAM = ("-m", "prune_mcp.server", "serve")
LAST_LINE = "Ctrl-C stops it"
STOPPED_WITHIN = 30


@dataclass
class Answer:
    """An answer in plain HTTP."""

    status: int
    headers: dict[str, str]
    body: bytes


class Served:
    """A server over HTTP that runs; `greeting` is what it told on stderr when it started."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.greeting = "".join(_greeting(process))
        found = re.search(r"http://\S+?:(\d+)", self.greeting)
        assert found, self.greeting
        self.port = int(found[1])
        self.url = f"http://127.0.0.1:{self.port}"

    def request(self, method: str = "POST", path: str = "/mcp", body: Any = b"{}", **headers: str) -> Answer:
        """Answer to a request with these headers, `_` standing for a hyphen; the connection is then closed.

        `body`: bytes, or an iterable of them that goes in chunks.
        """
        sent = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection = HTTPConnection("127.0.0.1", self.port, timeout=STOPPED_WITHIN)
        try:
            connection.request(
                method, path, body if method == "POST" else None, sent, encode_chunked=not isinstance(body, bytes)
            )
            answer = connection.getresponse()
            told = {name.lower(): value for name, value in answer.getheaders()}
            return Answer(answer.status, told, answer.read())
        finally:
            connection.close()

    def stop(self, how: signal.Signals) -> None:
        """Tell it to stop, and wait until it has."""
        self.process.send_signal(how)
        self.process.wait(STOPPED_WITHIN)


def _greeting(process: subprocess.Popen[str]) -> Iterator[str]:
    assert process.stderr is not None
    for line in process.stderr:
        yield line
        if line.startswith(LAST_LINE):
            return


@contextmanager
def served(
    home: Path,
    *options: str,
    program: Sequence[str] = PROGRAM,
    address: str = "127.0.0.1:0",
    code: int = 0,
    says: str = "",
) -> Iterator[Served]:
    """A server in a scratch home; it must end with this exit code, and say just this after its greeting."""
    process = subprocess.Popen(
        [sys.executable, *program, "--http", address, *options],
        env=environment(home),
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield Served(process)
    finally:
        process.terminate()
        _, said = process.communicate(timeout=STOPPED_WITHIN)
    assert process.returncode == code, said
    assert re.fullmatch(says, said), said


@dataclass
class Place:
    """Where clients of one transport reach the server: a home's own process, or one that serves HTTP."""

    transport: TransportName
    home: Path
    http: Served | None = None
    program: Sequence[str] = PROGRAM

    @asynccontextmanager
    async def client(self, era: Era = "auto", token: str = "", **options: Any) -> AsyncIterator[Client]:
        """A client that is connected."""
        headers = {"Authorization": f"Bearer {token}"} if token else None
        if self.http is None:
            command = StdioServerParameters(
                command=sys.executable, args=[*self.program], env=environment(self.home), cwd=self.home
            )
            async with Client(command, mode=era, **options) as client:
                yield client
        elif self.transport == "sse":
            async with Client(sse_client(f"{self.http.url}/sse", headers), mode=era, **options) as client:
                yield client
        else:
            async with create_mcp_http_client(headers=headers) as http:
                transport = streamable_http_client(f"{self.http.url}/mcp", http_client=http)
                async with Client(transport, mode=era, **options) as client:
                    yield client
