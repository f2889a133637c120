"""Where settings come from: read by pydantic-settings, checked key by key, wrong ones named and left out."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import is_dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

from pydantic import BaseModel, BeforeValidator, Field, ValidationError, create_model
from pydantic_settings import BaseSettings, EnvSettingsSource, NoDecode, TomlConfigSettingsSource

from prune_mcp.engine.settings import PREFIX, Settings
from prune_mcp.pruning.options import PruneOptions
from prune_mcp.storage.home import in_the_way

# Below this an answer has no room for a header and a cursor, a request none for a call, a question none to ask.
LEAST = {"answer_chars": 1000, "max_body_bytes": 65536, "parallel": 1, "input_chars": 4000}
# Parts of a whole: more than all of it can never be met, and a percentage was meant.
SHARES = frozenset({"auto_budget_threshold", "budget_turn_delta"})

KeyPath = tuple[str, ...]


def read(env: Mapping[str, str], file: Path) -> tuple[dict[str, Any], list[str]]:
    """The valid keys of both sources merged deeply, the environment on top, and a sentence for each wrong one.

    `env` holds only variables that are meant as settings.
    """
    apart = read_apart(env, file)
    return _merged(apart.file, apart.environment), apart.wrong


class Apart(NamedTuple):
    """The valid keys of the environment and those of the file, each apart, and a sentence for each wrong one."""

    environment: dict[str, Any]
    file: dict[str, Any]
    wrong: list[str]


def read_apart(env: Mapping[str, str], file: Path) -> Apart:
    """The valid keys of both sources; `env` as for `read`."""
    above, wrong = _environment(env)
    below, more = _file(file)
    return Apart(above, below, wrong + more)


def _environment(env: Mapping[str, str]) -> tuple[dict[str, Any], list[str]]:
    known = {variable_of(path): path for path, kind in keys().items() if not is_dataclass(kind)}
    given = {name.upper(): value for name, value in env.items()}
    wrong = [_unknown(f"The environment variable {name}", name, known) for name in given if name not in known]
    source = EnvSettingsSource(_model(BaseSettings), env_prefix=PREFIX, env_nested_delimiter="__")
    source.env_vars = {name.lower(): value for name, value in given.items() if name in known}
    values, faults = _checked(source(), strict=False)
    return values, wrong + [
        f"The environment variable {variable_of(path)} {fault}" for path, fault in faults.items()
    ]


def _file(file: Path) -> tuple[dict[str, Any], list[str]]:
    try:
        if blocking := in_the_way(file):
            raise NotADirectoryError(f"{blocking} is no folder")
        if not file.is_file() and (file.exists() or file.is_symlink()):
            raise FileNotFoundError("it is no file, nor leads to one")
        given = TomlConfigSettingsSource(_model(BaseSettings), file)()
    except OSError as error:
        return {}, [
            f"The settings file {file} cannot be read ({error.strerror or error}); nothing in it counts until you "
            "can read it and its folder."
        ]
    except ValueError as error:
        return {}, [f"The settings file {file} cannot be read ({error}); nothing in it counts until it is mended."]
    known = {".".join(path): path for path in keys()}
    unknown = [path for path in _paths(given) if ".".join(path) not in known and _table(path[:-1])]
    wrong = [_unknown(f"In {file}, {'.'.join(path)}", ".".join(path), known) for path in unknown]
    for path in unknown:
        _remove(given, path)
    values, faults = _checked(given, strict=True)
    return values, wrong + [f"In {file}, {'.'.join(path)} {fault}" for path, fault in faults.items()]


def _checked(given: dict[str, Any], strict: bool) -> tuple[dict[str, Any], dict[KeyPath, str]]:
    """The keys whose values are valid, and for each other key what is wrong with it."""
    faults: dict[KeyPath, str] = {}
    while True:
        try:
            return _model(Table).model_validate(given, strict=strict).model_dump(exclude_unset=True), faults
        except ValidationError as error:
            for detail in error.errors(include_url=False):
                path = tuple(str(part) for part in detail["loc"])
                path = next(path[:n] for n in range(len(path), 0, -1) if path[:n] in keys())
                if path not in faults:
                    value = json.dumps(_remove(given, path), ensure_ascii=False, default=str)
                    faults[path] = f"must be {_takes(path)}, it is {value}; it does not count."


@cache
def keys() -> dict[KeyPath, Any]:
    """Every key and table that can be set, with its type; those of pruning stand among those of `Settings`."""
    own = {path: kind for path, kind in _keys(Settings) if path[0] != "prune"}
    return dict(_keys(PruneOptions)) | own


def _keys(options: type[Any], above: KeyPath = ()) -> Iterator[tuple[KeyPath, Any]]:
    for name, kind in get_type_hints(options).items():
        yield (*above, name), kind
        if is_dataclass(kind) and isinstance(kind, type):
            yield from _keys(kind, (*above, name))


class Table(BaseModel, extra="forbid"):
    """Keys to check; the fields are those of the dataclasses that hold the settings."""


@cache
def _model(base: type[BaseModel], table: KeyPath = ()) -> Any:
    """A model on `base` with the keys of one table, every one of which may be left out."""
    inner: dict[str, Any] = {
        path[-1]: (_model(Table, path) if is_dataclass(kind) else _checked_type(path, kind), None)
        for path, kind in keys().items()
        if path[:-1] == table
    }
    return create_model("Keys", __base__=base, **inner)


def _checked_type(path: KeyPath, kind: Any) -> Any:
    if kind is int:
        return Annotated[int, Field(ge=LEAST.get(path[-1], 0))]
    if kind is float:
        most = 1 if path[-1] in SHARES else None
        return Annotated[float, Field(ge=0, le=most, allow_inf_nan=False)]
    if get_origin(kind) is tuple:
        return Annotated[kind, NoDecode, BeforeValidator(_listed)]
    return kind


def _listed(value: Any) -> Any:
    """A list as it stands in TOML, or from the environment: as a JSON array, or as text with commas."""
    if isinstance(value, str) and value.lstrip().startswith("["):
        return _parsed(value)
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    return tuple(value) if isinstance(value, list) else value


def _parsed(text: str) -> Any:
    """The JSON array that a text is; the text itself, which is no list, where it is none."""
    try:
        return tuple(json.loads(text))
    except ValueError:
        return text


def _takes(path: KeyPath) -> str:
    """What a key takes, in words."""
    kind = keys()[path]
    if is_dataclass(kind):
        return "a table"
    if get_origin(kind) is Literal:
        return "one of " + ", ".join(repr(choice) for choice in get_args(kind))
    if get_origin(kind) is tuple:
        return "a list of texts"
    if kind is float:
        return "a share from 0 (off) to 1" if path[-1] in SHARES else "a number of at least 0"
    if kind is str:
        return "a text"
    return "true or false" if kind is bool else f"a whole number of at least {LEAST.get(path[-1], 0)}"


def _unknown(where: str, name: str, known: Mapping[str, KeyPath]) -> str:
    near = get_close_matches(name, known, 1, 0.5)
    return f"{where} is no setting{f'; did you mean {near[0]}?' if near else '.'} It does not count."


def variable_of(path: KeyPath) -> str:
    """The environment variable that sets a key."""
    return PREFIX + "__".join(path).upper()


def _paths(table: Mapping[str, Any], above: KeyPath = ()) -> Iterator[KeyPath]:
    for key, value in table.items():
        yield (*above, key)
        if isinstance(value, dict):
            yield from _paths(value, (*above, key))


def _table(path: KeyPath) -> bool:
    return not path or is_dataclass(keys().get(path))


def _remove(given: dict[str, Any], path: KeyPath) -> Any:
    for key in path[:-1]:
        given = given[key]
    return given.pop(path[-1])


def _merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Both tables in one; where both hold a key, `above` counts, and two tables merge."""
    merged = dict(below)
    for key, value in above.items():
        inner = merged.get(key)
        merged[key] = _merged(inner, value) if isinstance(inner, dict) and isinstance(value, dict) else value
    return merged
