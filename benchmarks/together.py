"""Servers and a command line on one index while sessions grow, one of them killed every few seconds.

Every answer is held to what was written when it was asked for.
"""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import anyio
from anyio.abc import Process
from growing import Claude, Codex, Hosts
from mcp import Client, StdioServerParameters
from mcp.types import TextContent

from prune_mcp.search.indexing.lock import WriterLock
from prune_mcp.search.paths import Paths
from prune_mcp.storage.home import home as home_of

SERVERS = 4
# A server that first writes down which process it is, so that it can be killed.
START = """import os, runpy, sys
open(sys.argv.pop(), "w").write(str(os.getpid()))
runpy.run_module("prune_mcp.server", run_name="__main__")"""
COMMAND = (sys.executable, "-m", "prune_mcp.server")
KILL = getattr(signal, "SIGKILL", signal.SIGTERM)
VICTIMS = ("server", "indexer", "server", "command")
HITS = re.compile(r"^\d+\. \S+@\S+", re.MULTILINE)
NOT_COVERED = "not searched"
OTHERS = ("the", '"the file"', "test*", "error function", "value -zyxq000001")
# An answer that takes longer than this many seconds never comes.
PATIENCE = 60.0
PAUSE = 0.02


@dataclass
class Told:
    """What happened. `faults`: sentences, one for each answer that was wrong or did not come. `uncovered`: answers
    that said themselves that they did not cover all. `seconds`: of each search over MCP."""

    faults: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    commands: Counter[str] = field(default_factory=Counter)
    kills: Counter[str] = field(default_factory=Counter)
    found: int = 0
    uncovered: int = 0


class Together:
    """Runs it all on the sessions of `hosts`, in the home and with the settings of `env`."""

    def __init__(self, hosts: Hosts, env: dict[str, str], folder: Path, seed: int = 7) -> None:
        self.told = Told()
        self._hosts = hosts
        self._env = env
        self._folder = folder
        self._random = Random(seed)
        self._end = 0.0
        self._doomed: set[int] = set()
        self._servers = [0] * SERVERS
        self._command: Process | None = None

    async def run(self, seconds: float, every: float, deleted: Sequence[Path]) -> None:
        """Go on for so many seconds; every `every` seconds one process is killed and, in the middle, files go."""
        self._end = time.monotonic() + seconds
        async with anyio.create_task_group() as tasks:
            for kind in (Claude, Codex):
                tasks.start_soon(self._hosts.write, kind, self._over)
            tasks.start_soon(self._hosts.rewrite, self._over)
            for number in range(SERVERS):
                tasks.start_soon(self._serve, number)
            tasks.start_soon(self._commands)
            tasks.start_soon(self._kill, every)
            await anyio.sleep(seconds / 2)
            for path in deleted:
                path.unlink()

    def _over(self) -> bool:
        return time.monotonic() >= self._end

    async def _serve(self, number: int) -> None:
        """One server after the other, each asked until it is killed or all is over."""
        while not self._over():
            noted = self._folder / f"server-{number}"
            parameters = StdioServerParameters(
                command=sys.executable, args=["-c", START, str(noted)], env=self._env, cwd=self._folder
            )
            try:
                async with Client(parameters, read_timeout_seconds=PATIENCE) as client:
                    self._servers[number] = int(noted.read_text())
                    while not self._over():
                        await self._ask(client)
                        await anyio.sleep(PAUSE)
            except Exception as error:
                if self._servers[number] not in self._doomed:
                    self.told.faults.append(f"Server {number}: {error!r}")
            self._servers[number] = 0

    async def _ask(self, client: Client) -> None:
        needle = self._needle()
        query = needle if self._random.random() < 0.6 else self._random.choice(OTHERS)
        begun = time.monotonic()
        answer = await client.call_tool("history_search", {"query": query, "all": True})
        self.told.seconds.append(time.monotonic() - begun)
        text = "\n".join(part.text for part in answer.content if isinstance(part, TextContent))
        if answer.is_error:
            self.told.faults.append(f"{query}: {text}")
        elif query == needle:
            self._hold(needle, len(HITS.findall(text)), NOT_COVERED in text, text)

    def _needle(self) -> str:
        """One of the needles that stand; often one of the newest."""
        standing = self._hosts.needles.all
        return self._random.choice(standing[-5:] if self._random.random() < 0.5 else standing)

    def _hold(self, needle: str, hits: int, uncovered: bool, text: str) -> None:
        """A needle that stood all the while is found once, unless the answer says what it left out."""
        if needle not in self._hosts.needles:
            return
        self.told.found += hits == 1
        if hits == 0 and uncovered:
            self.told.uncovered += 1
        elif hits != 1:
            self.told.faults.append(f"{needle} was found {hits} times: {text}")

    async def _commands(self) -> None:
        """Index and search by command, in turns."""
        while not self._over():
            await self._run("index", "--json")
            needle = self._needle()
            said = await self._run("search", "--json", needle)
            if said:
                found = json.loads(said)
                self._hold(needle, len(found["hits"]), found["pending"] > 0, said)

    async def _run(self, *arguments: str) -> str:
        """What a command says; "" where it was killed."""
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
            process = await anyio.open_process(
                [*COMMAND, *arguments], stdin=None, stdout=out, stderr=errors, env=self._env, cwd=self._folder
            )
            self._command = process
            with anyio.move_on_after(PATIENCE) as wait:
                await process.wait()
            self._command = None
            if wait.cancelled_caught:
                process.kill()
                await process.wait()
            out.seek(0)
            errors.seek(0)
            said, wrong = out.read().decode(), errors.read().decode()
        if process.pid in self._doomed:
            return ""
        self.told.commands[arguments[0]] += 1
        busy = arguments[0] == "index" and process.returncode == 1 and json.loads(said)["busy"]
        if process.returncode != 0 and not busy:
            self.told.faults.append(f"{' '.join(arguments)}: exit code {process.returncode}: {wrong}{said}")
            return ""
        return said

    async def _kill(self, every: float) -> None:
        """Kill one after the other; what is no longer there when it is its turn is spared."""
        turn = 0
        await anyio.sleep(every)
        while not self._over():
            victim = VICTIMS[turn % len(VICTIMS)]
            pid = self._pid(victim, turn)
            killed = pid > 0 and self._killed(pid)
            if killed:
                self.told.kills[victim] += 1
            turn += 1
            await anyio.sleep(every if killed else PAUSE)

    def _killed(self, pid: int) -> bool:
        """Kill a process; False where it has ended by itself just now."""
        self._doomed.add(pid)
        try:
            os.kill(pid, KILL)
        except ProcessLookupError:
            self._doomed.discard(pid)
            return False
        return True

    def _pid(self, victim: str, turn: int) -> int:
        if victim == "server":
            return self._servers[turn // 2 % SERVERS]
        if victim == "command":
            return self._command.pid if self._command and self._command.returncode is None else 0
        holder = WriterLock(Paths(home_of(self._env)).history).holder()
        named = re.match(r"Process (\d+)", holder)
        return int(named[1]) if named else 0
