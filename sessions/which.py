"""Which session is meant: by its id or path, by the host's own word, or as the only live one of a folder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import nlargest
from itertools import islice
from operator import attrgetter
from pathlib import Path
from stat import S_ISREG
from typing import Any

from prune_mcp.sessions.beginnings import SHORT, begins
from prune_mcp.sessions.discover import discover, each_once
from prune_mcp.sessions.model import SessionError
from prune_mcp.sessions.session_file import SessionFile, is_uuid

# The variables in which hosts tell their children the session.
TOLD_BY = ("CLAUDE_CODE_SESSION_ID", "CODEX_THREAD_ID")
LIVE_SECONDS = 600
NAMED_ON_FAILURE = 3
# Of so many of the newest, subagents among them, those are chosen at first.
LOOKED_AT_ON_FAILURE = 40
NAMED_CHARS = 100


def locate(word: str, env: Mapping[str, str], home: Path, imports: Path | None = None) -> SessionFile:
    """The session that a person names: by path, id, or an id's beginning; `imports`: see `discover`.

    What was imported of a session that its host still has is named by its path alone.

    Raises:
        SessionError: there is none (the newest are named), or several (all are named).
    """
    if path := as_path(word):
        return session_at(path)
    files = list(discover(env, home, imports=imports))
    found = _with_id(word, files) or _beginning(word, files) or also_called(word, files)
    found = each_once(_without_copies(found, imports) if imports else found)
    if len(found) == 1:
        return found[0]
    named = repr(word[:NAMED_CHARS])
    if found:
        raise SessionError(f"Several sessions begin with {named}; name one in full: {_listed(found)}.")
    raise SessionError(f"There is no session {named}. {_offer(files)}")


def as_path(word: str) -> Path | None:
    """The word as a path, None where it is none: subagents' ids have a slash as well."""
    try:
        path = Path(word).expanduser()
        found = _is_file(path) or _is_file(path.parent)
    except (OSError, RuntimeError, ValueError):
        # Too long for a name, the home of nobody, a NUL: no file can be called so.
        return None
    looks_so = word.endswith(".jsonl") or word.startswith((".", "~")) or path.is_absolute()
    return path if looks_so or found else None


def _is_file(path: Path) -> bool:
    """Whether a file is there; `Path.is_file` takes a name that can be none for one that is not there."""
    try:
        return S_ISREG(path.stat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except PermissionError:
        # Reading it will say that its folder is closed.
        return True


def session_at(path: Path) -> SessionFile:
    """The session at an address; see `SessionFile.address`.

    Raises:
        SessionError: the file is missing, a folder, unreadable or no session.
    """
    from prune_mcp.sessions.hosts import reader_for

    return reader_for(path).file_at(path)


def current(
    env: Mapping[str, str],
    cwd: Path,
    files: Sequence[SessionFile],
    now: float,
    meta: Mapping[str, Any] | None = None,
) -> SessionFile:
    """The session among `files` that a server was started for: the host's word for it, else the only live one.

    `meta` is a request's `_meta`, `now` the time in seconds since the epoch; live is what was written in the
    last ten minutes in `CLAUDE_PROJECT_DIR`, or in `cwd`.

    Raises:
        SessionError: none is live (the newest are named), or several are (all are named).
    """
    if told := _told(env, meta, files):
        return told
    folder = Path(env.get("CLAUDE_PROJECT_DIR") or cwd)
    live = each_once([file for file in files if _is_live(file, now) and file.stands_in(folder)])
    if len(live) == 1:
        return live[0]
    if live:
        raise SessionError(f"Several sessions are live in {folder}; name one of them: {_listed(live)}.")
    raise SessionError(f"No session is live in {folder}. {_offer(files)}")


def named_by_request(meta: Mapping[str, Any], files: Sequence[SessionFile]) -> SessionFile:
    """The session among `files` that a request's `_meta` names, for callers of whom this machine knows nothing.

    Raises:
        SessionError: it names none (the newest are named).
    """
    if told := _told({}, meta, files):
        return told
    raise SessionError(f"Which session calls is not guessed for callers over the network. {_offer(files)}")


def newest(cwd: Path, env: Mapping[str, str], home: Path) -> SessionFile:
    """The session of this folder that was written last, subagents aside.

    Raises:
        SessionError: there is none (the newest elsewhere are named).
    """
    files = list(discover(env, home))
    for file in _by_age(files):
        if file.stands_in(cwd):
            return file
    raise SessionError(f"There is no session of {cwd}. {_offer(files)}")


def _with_id(id: str, files: Iterable[SessionFile]) -> list[SessionFile]:
    """The sessions with this very id; a file's content is looked at only where no place tells it."""
    told = [file for file in files if file.named == id] if id else []
    return told or [file for file in files if not file.named and file.id == id]


def _without_copies(files: Sequence[SessionFile], imports: Path) -> list[SessionFile]:
    """Those of the files that are no imported copy of another."""
    own = {(file.host, file.id) for file in files if imports not in file.path.parents}
    return [file for file in files if imports not in file.path.parents or (file.host, file.id) not in own]


def also_called(word: str, files: Iterable[SessionFile]) -> list[SessionFile]:
    """The sessions whose content tells another id than their file's name, which is this one or begins so."""
    return [file for file in files if begins(file.also, word)] if len(word) >= SHORT else []


def _beginning(word: str, files: Iterable[SessionFile]) -> list[SessionFile]:
    return [file for file in files if begins(file.id, word)] if word else []


def _told(
    env: Mapping[str, str], meta: Mapping[str, Any] | None, files: Sequence[SessionFile]
) -> SessionFile | None:
    """The session the host itself names, in the request or in the server's environment."""
    words = [value for key, value in (meta or {}).items() if _names_session(key) and isinstance(value, str)]
    own = next((env[name] for name in TOLD_BY if env.get(name)), "")
    for word in [*words, own] if own else words:
        for file in _with_id(word, files) or (also_called(word, files) if is_uuid(word) else ()):
            return file
    if own:
        raise SessionError(f"The host names session {own!r}, which is not on disk (yet). {_offer(files)}")
    return None


def _names_session(key: str) -> bool:
    return key.lower().replace("_", "").replace("-", "").endswith(("sessionid", "threadid"))


def _is_live(file: SessionFile, now: float) -> bool:
    return now - file.mtime <= LIVE_SECONDS and not file.subagent


def _by_age(files: Iterable[SessionFile]) -> Iterator[SessionFile]:
    """The latest written first, subagents aside; whether it is one may only be told from a file's start."""
    by_age = sorted(files, key=lambda file: (-file.mtime, file.filename))
    return (file for file in by_age if not file.subagent)


def _offer(files: Sequence[SessionFile]) -> str:
    # Whoever asks may have thousands, and may not even want to know.
    recent = nlargest(LOOKED_AT_ON_FAILURE, files, key=attrgetter("mtime"))
    newest_three = list(islice(_by_age(recent), NAMED_ON_FAILURE))
    if len(newest_three) < NAMED_ON_FAILURE:
        newest_three = list(islice(_by_age(files), NAMED_ON_FAILURE))
    if not newest_three:
        return "No session of a host that we read was found here; give a session file's path."
    return f"Name a session; the newest are {_listed(newest_three)}."


def _listed(files: Sequence[SessionFile]) -> str:
    """The sessions by their ids; where one has the id of another as well, by their paths."""
    ids = Counter(file.id for file in files)
    named = ((file.id if ids[file.id] == 1 else file.address, file) for file in files)
    return ", ".join(f"{name} ({file.host}, {file.cwd or file.path.parent})" for name, file in named)
