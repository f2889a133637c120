"""The settings as they are in force: each key's value, where it came from, and what is wrong with the sources."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from pathlib import Path
from typing import Any, Literal

from prune_mcp.engine.masked import masked
from prune_mcp.engine.setting_sources import KeyPath, keys, read_apart, variable_of
from prune_mcp.engine.settings import FILE, Settings, load, to_keys, variables
from prune_mcp.engine.summaries.key import address_fault
from prune_mcp.engine.usage.windows import models
from prune_mcp.storage.home import Home

TABLE = re.compile(r"\s*\[\s*([\w.\s\"'-]+?)\s*\]\s*(?:#.*)?")
KEY = re.compile(r"\s*([\w.\s\"'-]+?)\s*=")


@dataclass(frozen=True, slots=True)
class Setting:
    """One key (`table.key`) with its value. `where`: the variable, or the file and, where it is easily told, the
    line, that set it; "" for a default."""

    key: str
    value: Any
    source: Literal["environment", "file", "default"]
    where: str


@dataclass(frozen=True, slots=True)
class Configuration:
    """Every setting, in the order of the keys; the settings file, which may not be there; the folders; and a
    sentence for each thing that is wrong and does not count."""

    file: Path
    home: Home
    settings: list[Setting]
    wrong: list[str]


def configuration(env: Mapping[str, str], home: Home) -> Configuration:
    """The settings that this environment and home give. Writes nothing."""
    file = home.config / FILE
    apart = read_apart(variables(env), file)
    settings, wrong = load(env, home)
    values = to_keys(settings)
    text = _text(file) if apart.file else ""
    told = []
    for path, kind in keys().items():
        if is_dataclass(kind):
            continue
        key, value = ".".join(path), _at(values, path)
        if _has(apart.environment, path):
            told.append(Setting(key, _shown(value), "environment", variable_of(path)))
        elif _has(apart.file, path):
            line = line_of(text, path)
            told.append(Setting(key, _shown(value), "file", f"{file}:{line}" if line else str(file)))
        else:
            told.append(Setting(key, value, "default", ""))
    return Configuration(file, home, told, wrong + _misfits(settings, told, file))


def _shown(value: Any) -> Any:
    """A value as it was set; a secret that does not belong there, as a password in an address, is not repeated."""
    return masked(value) if isinstance(value, str) else value


def _misfits(settings: Settings, told: Sequence[Setting], file: Path) -> list[str]:
    """A sentence for each value that is of the right type and means nothing, with what set it."""
    summaries = settings.summaries
    faults = list(models(settings.usage).wrong)
    for key, base_url in (("endpoint", summaries.endpoint.base_url), ("fallback", summaries.fallback.base_url)):
        if base_url and (fault := address_fault(base_url)):
            faults.append((f"summaries.{key}.base_url", f"is of no use: {fault}"))
    places = {
        setting.key: f"The environment variable {setting.where}"
        if setting.source == "environment"
        else f"In {file}, {setting.key}"
        for setting in told
    }
    return [f"{places[key]} {fault}" for key, fault in faults]


def line_of(text: str, path: KeyPath) -> int:
    """The line of a TOML file, counted from 1, that sets a key; 0 where it is not easily told."""
    table: tuple[str, ...] = ()
    for number, line in enumerate(text.splitlines(), 1):
        if head := TABLE.fullmatch(line):
            table = _parts(head[1])
        elif (key := KEY.match(line)) and table + _parts(key[1]) == path:
            return number
    return 0


def _parts(dotted: str) -> tuple[str, ...]:
    return tuple(part.strip().strip("\"'") for part in dotted.split("."))


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


def _has(values: Mapping[str, Any], path: KeyPath) -> bool:
    for part in path:
        if not isinstance(values, Mapping) or part not in values:
            return False
        values = values[part]
    return True


def _at(values: Mapping[str, Any], path: KeyPath) -> Any:
    found: Any = values
    for part in path:
        found = found[part]
    return found
