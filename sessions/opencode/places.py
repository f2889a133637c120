"""Where opencode keeps its sessions: in a database for each of its channels, before that in a tree of files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from prune_mcp.sessions.content import string
from prune_mcp.sessions.folders import entries, expanded, folders, is_file, json_files
from prune_mcp.sessions.jsontext import loads
from prune_mcp.sessions.opencode.tables import Tables
from prune_mcp.sessions.opencode.titles import given
from prune_mcp.sessions.readonly import DAMAGE, connect
from prune_mcp.sessions.session_file import SessionFile

HOST = "opencode"


@dataclass
class OpencodeFile(SessionFile):
    """A session whose folder and title are known without a look into it."""

    folder: str = ""
    name: str = ""

    @property
    def cwd(self) -> str:
        """See `SessionFile.cwd`."""
        return self.folder

    @property
    def title(self) -> str:
        """See `SessionFile.title`."""
        return self.name or super().title


def places(env: Mapping[str, str], home: Path, counts: Counter[str]) -> Iterator[SessionFile]:
    """Every session of opencode; see `discover`. What cannot be read as its database counts as `database`."""
    data = expanded(env.get("XDG_DATA_HOME") or "~/.local/share", home) / "opencode"
    known: set[str] = set()
    for path in _databases(env.get("OPENCODE_DB", ""), data, counts):
        for file in sessions_in(path, counts):
            known.add(file.inside)
            yield file
    for project in folders(data / "storage" / "session", counts):
        for entry in json_files(Path(project.path), counts):
            # What was taken over into the database goes on there.
            if entry.name.removesuffix(".json") not in known:
                yield from _in_tree(data / "storage", Path(entry.path), counts)


def sessions_in(database: Path, counts: Counter[str]) -> tuple[SessionFile, ...]:
    """Every session in a database; one that cannot be read counts as `database`."""
    try:
        return _rows(database, _stamp(database))
    except (OSError, *DAMAGE):
        counts["database"] += 1
        return ()


def _databases(named: str, data: Path, counts: Counter[str]) -> Iterator[Path]:
    """The host's databases: the one that its environment names, or one for each channel."""
    # A relative one stands in the data folder.
    folder = (data / named).parent if named else data
    for entry in entries(folder, counts):
        usual = entry.name == "opencode.db" or (entry.name.startswith("opencode-") and entry.name.endswith(".db"))
        if (Path(entry.path) == data / named if named else usual) and is_file(entry, counts):
            yield Path(entry.path)


def _stamp(database: Path) -> tuple[int, ...]:
    """What changes whenever anything in a database does."""
    stamp: tuple[int, ...] = ()
    for path in (database, database.with_name(f"{database.name}-wal")):
        try:
            status = path.stat()
        except FileNotFoundError:
            if path == database:
                raise
            continue
        stamp += (status.st_ino, status.st_size, status.st_mtime_ns)
    return stamp


@lru_cache(maxsize=8)
def _rows(database: Path, stamp: tuple[int, ...]) -> tuple[SessionFile, ...]:
    """The sessions in a database that has this stamp: nothing is read anew while it stays the same."""
    with connect(database) as connection:
        sessions = Tables(connection).sessions()
    # A session's size is told by its share of the pieces: to weigh them takes a second for each gigabyte.
    each = sum(stamp[1::3]) / max(1, sum(listed.pieces for listed in sessions))
    found = []
    for listed in sessions:
        latest, size = listed.updated / 1000, int(each * listed.pieces)
        file = OpencodeFile(HOST, str(database), latest, size, listed.id, inside=listed.id, stamp=listed.stamp)
        file.parent, file.folder, file.name = listed.parent, listed.folder, given(listed.title)
        found.append(file)
    return tuple(found)


def _in_tree(storage: Path, path: Path, counts: Counter[str]) -> Iterator[SessionFile]:
    """A session of the tree, which is one of those in it."""
    try:
        own = path.stat()
        info = loads(path.read_bytes())
    except (OSError, ValueError):
        counts["file"] += 1
        return
    messages = json_files(storage / "message" / path.stem, counts)
    newest = [Path(entry.path).stem for entry in messages[-1:]]
    parts = [entry for id in newest for entry in json_files(storage / "part" / id, counts)]
    try:
        found = [own, *(entry.stat() for entry in (*messages, *parts))]
    except OSError:
        counts["file"] += 1
        return
    told = info if isinstance(info, dict) else {}
    changed = max(status.st_mtime_ns for status in found)
    size = sum(status.st_size for status in found)
    stamp = (changed, len(found), size)
    inside = str(path.relative_to(storage))
    file = OpencodeFile(HOST, str(storage), changed / 1e9, size, path.stem, inside=inside, stamp=stamp)
    file.parent, file.folder = string(told.get("parentID")), string(told.get("directory"))
    file.name = given(string(told.get("title")))
    yield file
