"""A forgetting that is killed on its way.

Arguments: where (a function, as `module:name`, before which the process kills itself), then the command's.
"""

from __future__ import annotations

import os
import signal
import sys
from importlib import import_module
from typing import Any


def killed(*arguments: Any, **options: Any) -> None:
    """As `kill -9` from outside; Windows knows no such signal and ends it as well."""
    os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))


def main(where: str, *command: str) -> int:
    """Run the command until it comes to that function."""
    from prune_mcp.server import cli

    module, _, names = where.partition(":")
    *owners, name = names.split(".")
    owner: Any = import_module(module)
    for each in owners:
        owner = getattr(owner, each)
    setattr(owner, name, killed)
    return cli.run(list(command))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
