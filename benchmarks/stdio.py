"""A server process spoken to over stdio in bare JSON-RPC, so that the client's own cost stays small."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Any

OURS = (sys.executable, "-m", "prune_mcp.server")
EMPTY = (sys.executable, str(Path(__file__).parent / "bare_server.py"))

# They would let Python recompile every module at every start, or change how it writes.
UNWANTED = ("PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED", "PYTHONPROFILEIMPORTTIME")


def environment(home: Path) -> dict[str, str]:
    """The environment of a measured process: everything it writes, compiled modules too, goes under `home`."""
    kept = {name: value for name, value in os.environ.items() if name not in UNWANTED}
    return {**kept, "PRUNE_MCP_HOME": str(home / "data"), "PYTHONPYCACHEPREFIX": str(home / "compiled")}


class ServerFailed(Exception):
    """The server ended, or answered with an error."""


class Server:
    """One server process. Leaving the `with` block ends it; `errors` is the file that takes its stderr.

    `env`: its environment, where it is not to be that of a scratch home.
    """

    def __init__(
        self,
        command: Sequence[str],
        home: Path,
        errors: IO[bytes] | None = None,
        env: Mapping[str, str] | None = None,
    ) -> None:
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors or subprocess.DEVNULL,
            env=environment(home) if env is None else dict(env),
            cwd=home,
        )
        self.requests = 0

    def __enter__(self) -> Server:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self.end()

    def initialize(self) -> Any:
        """Shake hands, as every client does first."""
        about = {"name": "benchmark", "version": "1"}
        answer = self.ask("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=about)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer

    def ask(self, method: str, **params: Any) -> Any:
        """Send a request and return its result; notifications in between are passed over.

        Raises:
            ServerFailed: the server ended, or answered with an error.
        """
        self.requests += 1
        self._send({"jsonrpc": "2.0", "id": self.requests, "method": method, "params": params})
        assert self.process.stdout is not None
        for line in self.process.stdout:
            answer = json.loads(line)
            if answer.get("id") == self.requests:
                if "error" in answer:
                    raise ServerFailed(f"{method}: {answer['error']}")
                return answer["result"]
        raise ServerFailed(f"{method}: the server ended without an answer")

    def call(self, tool: str, **arguments: Any) -> Any:
        """Call a tool; returns its result object."""
        return self.ask("tools/call", name=tool, arguments=arguments)

    def _send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def end(self) -> float:
        """Kill the process if it still runs; returns the CPU seconds it used."""
        if self.process.returncode is not None:
            return 0.0
        self.process.kill()
        _, status, usage = os.wait4(self.process.pid, 0)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                stream.close()
        return usage.ru_utime + usage.ru_stime
