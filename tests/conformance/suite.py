"""The protocol's own conformance suite: installed from npm once, run one scenario at a time."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# Versions are exact: a new one may ask for something new. The suite wants a newer node than many machines have.
PACKAGES = {"node": "22.23.3", "@modelcontextprotocol/conformance": "0.2.0-alpha.12"}
FOLDER = Path(__file__).parents[2] / "build" / "conformance"
SECONDS = 120


class NoNpm(Exception):
    """There is no npm on this machine, which the suite comes from."""


@dataclass(frozen=True)
class Suite:
    """The suite as installed in a folder."""

    folder: Path

    def run(self, url: str, scenario: str, version: str, results: Path) -> list[dict[str, Any]]:
        """The checks of one scenario against a server, each with `id`, `status` and maybe `errorMessage`."""
        modules = self.folder / "node_modules"
        done = subprocess.run(
            [
                *(
                    modules / ".bin" / "node",
                    modules / "@modelcontextprotocol" / "conformance" / "dist" / "index.js",
                ),
                *("server", "--url", url, "--scenario", scenario, "--spec-version", version, "-o", results),
            ],
            capture_output=True,
            encoding="utf-8",
            timeout=SECONDS,
        )
        found = list(results.glob("*/checks.json"))
        assert len(found) == 1, done.stdout[-2000:] + done.stderr[-2000:]
        checks: list[dict[str, Any]] = json.loads(found[0].read_bytes())
        return checks


def install() -> Suite:
    """The suite, installed where the repository builds.

    Raises:
        NoNpm: it is not installed, and nothing could install it.
    """
    wanted = [f"{name}@{version}" for name, version in PACKAGES.items()]
    done = FOLDER / "installed"
    if not (done.exists() and done.read_text() == " ".join(wanted)):
        npm = shutil.which("npm")
        if npm is None:
            raise NoNpm
        FOLDER.mkdir(parents=True, exist_ok=True)
        command = [npm, "install", "--prefix", str(FOLDER), "--no-save", "--no-fund", "--no-audit", *wanted]
        installed = subprocess.run(command, capture_output=True, encoding="utf-8")
        assert installed.returncode == 0, installed.stderr[-500:]
        done.write_text(" ".join(wanted))
    return Suite(FOLDER)
