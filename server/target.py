"""What a command or a call works on: the engine, and the session that its arguments name."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prune_mcp.server.commands.console import say

if TYPE_CHECKING:
    from prune_mcp.engine.answers import PruneAnswer
    from prune_mcp.engine.engine import Engine
    from prune_mcp.sessions.session_file import SessionFile


# What stands for the engine's advice to name a format, which neither a tool nor a command takes.
MESSAGES = (
    "Give the list as Anthropic Messages, OpenAI Chat Completions or OpenAI Responses take it, all of one kind: "
    'each message an object such as {"role": "user", "content": "..."}.'
)


@contextmanager
def command_engine() -> Iterator[Engine]:
    """An engine for one command; what is wrong with the settings is said on stderr.

    That they cannot be kept is left to the diagnostics: whatever else the command tells comes of the same cause.
    """
    from prune_mcp.engine.engine import Engine
    from prune_mcp.engine.settings import keep, load
    from prune_mcp.storage.home import home

    place = home(os.environ)
    settings, wrong = load(os.environ, place)
    for sentence in wrong:
        say(f"prune-mcp: {sentence}")
    engine = Engine(os.environ, settings=settings, settings_wrong=keep(settings, place))
    try:
        yield engine
    finally:
        engine.close()


def source(word: str | None) -> Path:
    """The transcript or the file of messages that `word` names; without one the newest session of this folder.

    Raises:
        SessionError: there is none, or several could be meant.
    """
    from prune_mcp.sessions.which import as_path

    if word is None:
        return newest_here().address
    path = as_path(word)
    return path if path and holds_messages(path) else located(word).address


def prune_messages(engine: Engine, payload: Any, **options: Any) -> PruneAnswer:
    """The engine's answer to a message array or a request body; options as for its `prune_messages`.

    Raises:
        SessionError: it is no conversation that can be read; the message says what one looks like.
    """
    with plain_advice():
        return engine.prune_messages(payload, **options)


@contextmanager
def plain_advice() -> Iterator[None]:
    """Have an error about messages say what messages look like, where it would have their format named."""
    from prune_mcp.sessions.messages.recognition import NAME_IT
    from prune_mcp.sessions.model import SessionError

    try:
        yield
    except SessionError as error:
        raise SessionError(str(error).replace(NAME_IT, MESSAGES)) from error


def loaded(path: Path) -> Any:
    """The JSON value in a file of messages.

    Raises:
        EngineError: it holds none, or conversations that have to be imported.
    """
    from prune_mcp.engine.answers import EngineError
    from prune_mcp.sessions.exports.readers import reader_of_export

    try:
        value = json.loads(path.read_bytes())
        first = value[0] if isinstance(value, list) and value else None
        if isinstance(first, dict) and not first.keys() & {"role", "type"} and reader_of_export(first):
            raise EngineError(
                f"{path} is an export: bring its conversations in with `prune-mcp import`, then name one of them."
            )
        return value
    except (ValueError, RecursionError) as error:
        raise EngineError(f"{path} is no JSON ({error}); give a message array or a request body.") from error


def holds_messages(path: Path) -> bool:
    """Whether a file is meant as one JSON value, a message array or a request body, and not as a session."""
    from prune_mcp.sessions.hosts import FIRST_CHUNK, begins_session

    if path.suffix == ".jsonl" or not path.is_file():
        return False
    with path.open("rb") as file:
        head = file.read(FIRST_CHUNK)
    return head.lstrip().startswith(b"[") or (path.suffix == ".json" and not begins_session(head))


def session_id(word: str) -> str:
    """The id of the session that `word` names, by a path or as it stands: the store may know more than the disk.

    Raises:
        SessionError: it is a path to no session.
    """
    from prune_mcp.sessions.which import as_path

    return located(word).id if as_path(word) else word


def newest_here() -> SessionFile:
    """The newest session of this folder, named on stderr.

    Raises:
        SessionError: there is none.
    """
    from prune_mcp.sessions.which import newest
    from prune_mcp.storage.home import user_folder

    found = newest(here(), os.environ, user_folder(os.environ))
    say(f"session {found.id} of {found.host}, the newest of this folder")
    return found


def here() -> Path:
    """The folder that this was started in; what it was called, where it was deleted since."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        return Path(os.environ.get("PWD", os.sep))


def located(word: str) -> SessionFile:
    """The session that a person or a call names, by path, id or an id's beginning; imported ones are among them.

    Raises:
        SessionError: there is none (the newest are named), or several (all are named).
    """
    from prune_mcp.sessions.exports.imported import IMPORTS
    from prune_mcp.sessions.which import locate
    from prune_mcp.storage.home import home, user_folder

    return locate(word, os.environ, user_folder(os.environ), home(os.environ).data / IMPORTS)
