"""The settings: environment variables PRUNE_MCP_*, below them config.toml, below that the defaults.

A wrong key costs only itself: it is reported by name, and the next source below it counts.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

from prune_mcp.engine.http_options import HttpOptions
from prune_mcp.engine.summaries.options import SummaryOptions
from prune_mcp.engine.usage.options import UsageOptions
from prune_mcp.pruning.options import PruneOptions
from prune_mcp.pruning.trigger_options import TriggerOptions
from prune_mcp.storage.home import VARIABLE, Home, in_the_way

PREFIX = "PRUNE_MCP_"
FILE = "config.toml"
RESOLVED = "settings.json"
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings. `answer_chars`: characters of a whole answer before a cursor cuts it. `background_index`:
    whether a search has what is not indexed yet indexed by a process of its own. `quota_bytes`: what all that is
    kept may come to on disk before this is told; 0 for no quota."""

    prune: PruneOptions = field(default_factory=PruneOptions)
    answer_chars: int = 20_000
    background_index: bool = True
    quota_bytes: int = 5_000_000_000
    triggers: TriggerOptions = field(default_factory=TriggerOptions)
    usage: UsageOptions = field(default_factory=UsageOptions)
    summaries: SummaryOptions = field(default_factory=SummaryOptions)
    http: HttpOptions = field(default_factory=HttpOptions)


def load(env: Mapping[str, str], home: Home) -> tuple[Settings, list[str]]:
    """The settings in force, and one sentence for each key or file that does not count."""
    given = variables(env)
    file = home.config / FILE
    settings, wrong = Settings(), list[str]()
    if given or may_be_there(file):
        # Reading and checking sources takes a tenth of a second of imports; defaults need none of it.
        from prune_mcp.engine.setting_sources import read

        values, wrong = read(given, file)
        settings = from_keys(values)
    return settings, wrong


def keep(settings: Settings, home: Home) -> list[str]:
    """Keep the settings in force beside the store, if there is one, for commands that must start fast.

    Returns a sentence when that fails: it stops nothing.
    """
    path = home.data / RESOLVED
    data = json.dumps(to_keys(settings), sort_keys=True).encode()
    try:
        if not home.data.is_dir() or (path.exists() and path.read_bytes() == data):
            return []
        replace_file(path, data)
    except OSError as error:
        return [f"The resolved settings cannot be kept in {path} ({error.strerror}); this run is not affected."]
    return []


def may_be_there(file: Path) -> bool:
    """Whether reading a file can tell anything: its settings, or why it cannot be read."""
    try:
        return file.exists() or file.is_symlink() or in_the_way(file) is not None
    except OSError:
        return True


def resolved(home: Home) -> Settings:
    """The settings last kept, the defaults where none are kept or they cannot be read."""
    try:
        return from_keys(json.loads((home.data / RESOLVED).read_bytes()))
    except (OSError, ValueError, TypeError):
        return Settings()


def variables(env: Mapping[str, str]) -> dict[str, str]:
    """The variables of `env` that are settings, or would be if their names were right."""
    return {
        name: value
        for name, value in env.items()
        # The home is no setting but where settings stand; the test suite has a variable of its own.
        if name.upper().startswith(PREFIX) and name not in (VARIABLE, f"{PREFIX}TEST_SESSIONS")
    }


def from_keys(values: Mapping[str, Any]) -> Settings:
    """Settings from checked keys: those of pruning, and those of `Settings` itself, in one flat table."""
    own = {f.name for f in fields(Settings)} - {"prune"}
    pruning = {key: value for key, value in values.items() if key not in own}
    above = {key: value for key, value in values.items() if key in own}
    return replace(_build(Settings, above), prune=_build(PruneOptions, pruning))


def to_keys(settings: Settings) -> dict[str, Any]:
    """The flat table of keys as they stand in config.toml."""
    keys = asdict(settings)
    pruning: dict[str, Any] = keys.pop("prune")
    return pruning | keys


def _build(options: type[T], values: Mapping[str, Any]) -> T:
    hints = get_type_hints(options)
    made: dict[str, Any] = {}
    for name, value in values.items():
        kind = hints.get(name)
        if isinstance(kind, type) and is_dataclass(kind):
            made[name] = _build(kind, value)
        else:
            made[name] = tuple(value) if isinstance(value, list) else value
    return options(**made)


def replace_file(path: Path, data: bytes) -> None:
    """Write a file so that it is there as a whole, or as it was before.

    Raises:
        OSError: it cannot be written.
    """
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
