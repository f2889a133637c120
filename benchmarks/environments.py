"""Virtual environments of their own for what is measured beside us, made once and kept outside the repository."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import venv
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CACHE_VARIABLE = "PRUNE_MCP_BENCHMARK_CACHE"
SCRIPTS = Path(__file__).parent / "peers"


@dataclass(frozen=True)
class Peer:
    """A package from the registry: what pip installs, and the script that its Python runs."""

    name: str
    requirements: tuple[str, ...]
    script: str

    def run(self, items: Any) -> Any:
        """Hand `items` (JSON) to the script in the peer's environment and return what it wrote.

        Raises:
            PeerFailed: the environment cannot be made, or the script failed.
        """
        python = environment(self)
        with tempfile.TemporaryDirectory(prefix="prune-mcp-benchmark-") as folder:
            source, target = Path(folder, "in.json"), Path(folder, "out.json")
            source.write_text(json.dumps(items), encoding="utf-8")
            command = [str(python), str(SCRIPTS / self.script), str(source), str(target)]
            _checked(command, f"{self.name} failed on its inputs")
            return json.loads(target.read_bytes())


class PeerFailed(Exception):
    """A peer could not be installed or run; the message ends with what it said."""


def cache_folder() -> Path:
    """Where environments are kept: the variable's folder, else one in the user's cache folder."""
    named = os.environ.get(CACHE_VARIABLE)
    return Path(named) if named else Path.home() / ".cache" / "prune-mcp-benchmarks"


def environment(peer: Peer) -> Path:
    """The Python of the peer's environment, which is made when it is not there yet."""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    key = hashlib.sha256(" ".join((version, *peer.requirements)).encode()).hexdigest()[:12]
    folder = cache_folder() / f"{peer.name}-{key}"
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    done = folder / "installed"
    if not done.exists():
        print(f"installing {' '.join(peer.requirements)} ...", file=sys.stderr)
        venv.create(folder, with_pip=True, clear=True)
        install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        _checked([*install, *peer.requirements], f"{peer.name} cannot be installed")
        done.touch()
    return python


def _checked(command: list[str], failure: str) -> None:
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        raise PeerFailed(f"{failure}: {done.stdout[-2000:]}")
