"""`prune-mcp config`: every setting with its value and where it came from, and what is wrong."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from prune_mcp.server.commands.console import out, out_json, say, table

if TYPE_CHECKING:
    from prune_mcp.engine.configuration import Configuration


def config(as_json: Annotated[bool, typer.Option("--json", help="All of it, as JSON.")] = False) -> int:
    """Show each setting, where it came from, and what is wrong.

    The exit code is 1 where something is wrong.
    """
    from prune_mcp.engine.configuration import configuration
    from prune_mcp.storage.home import home

    told = configuration(os.environ, home(os.environ))
    if as_json:
        folders = {name: str(getattr(told.home, name)) for name in ("data", "cache", "config")}
        settings = [asdict(setting) for setting in told.settings]
        out_json({"file": str(told.file), **folders, "settings": settings, "wrong": told.wrong})
    else:
        _tell(told)
    return 1 if told.wrong else 0


def _tell(told: Configuration) -> None:
    from prune_mcp.engine.settings import may_be_there

    there = "" if may_be_there(told.file) else " (not there: all defaults)"
    out(f"settings file: {told.file}{there}")
    out(f"data: {told.home.data}")
    out(f"cache: {told.home.cache}")
    rows = [
        (setting.key, json.dumps(setting.value, ensure_ascii=False), setting.where or "default")
        for setting in told.settings
    ]
    table(("setting", "value", "from"), rows, cut=("value", "from"))
    for sentence in told.wrong:
        say(sentence)
