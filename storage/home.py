"""The user's folders: where data, cache and settings stand, and how a private folder is made."""

from __future__ import annotations

import errno
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from prune_mcp.storage.errors import StoreError, StoreFull

VARIABLE = "PRUNE_MCP_HOME"
NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@dataclass(frozen=True, slots=True)
class Home:
    """The folders of one user: `data` (the store), `cache` (what can be built anew), `config` (settings).

    Naming a home touches no disk; each folder is made when something is first written to it.
    """

    data: Path
    cache: Path
    config: Path


def home(env: Mapping[str, str]) -> Home:
    """The home that PRUNE_MCP_HOME names in `env` (data/, cache/ and config/ below it), else the platform's.

    Raises:
        StoreError: it begins with the home of a user who has none that is known.
    """
    root = env.get(VARIABLE, "")
    try:
        if root:
            base = Path(root).expanduser().absolute()
            return Home(data=base / "data", cache=base / "cache", config=base / "config")
        from platformdirs import PlatformDirs

        folders = PlatformDirs("prune-mcp", appauthor=False)
        return Home(
            data=folders.user_data_path.absolute(),
            cache=folders.user_cache_path.absolute(),
            config=folders.user_config_path.absolute(),
        )
    except RuntimeError as error:
        # Of a number that is no user of this system, as containers have them, no home is known.
        where = f"{VARIABLE} is {root}, and that user's home folder" if root else "This user's home folder"
        raise StoreError(f"{where} is not known. Set {VARIABLE} to an absolute path, and HOME too.") from error


def user_folder(env: Mapping[str, str]) -> Path:
    """The user's own folder, in which the hosts keep their sessions.

    Raises:
        StoreError: none is known.
    """
    try:
        return Path(env.get("HOME") or Path.home())
    except RuntimeError as error:
        raise StoreError("This user's home folder is not known. Set HOME to an absolute path.") from error


def in_the_way(path: Path) -> Path | None:
    """What stands where a folder above `path` should be and is no folder; None where nothing does."""
    for above in path.parents:
        # What cannot be looked at, in a closed folder or under a name too long, is not what stands in the way.
        with suppress(OSError):
            if above.exists() or above.is_symlink():
                return None if above.is_dir() else above
    return None


def no_folder(path: Path) -> StoreError:
    """The error about something that stands at `path`, in a folder's place."""
    return StoreError(
        f"{path} stands where prune-mcp needs a folder and is none. Move it away, or put the folder back in its "
        f"place, or set {VARIABLE} to a folder you can write to."
    )


def private_folder(path: Path) -> bool:
    """Make `path` and each missing parent with mode 0700; a folder that is there stays as it is.

    Returns whether it was made now.

    Raises:
        StoreFull: the disk is full.
        StoreError: the folder cannot be made.
    """
    try:
        if path.is_dir():
            return False
        if not path.parent.is_dir():
            private_folder(path.parent)
        path.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        if blocking := in_the_way(path / "file"):
            raise no_folder(blocking) from error
        kind = StoreFull if error.errno in NO_SPACE else StoreError
        raise kind(
            f"The folder {path} cannot be made ({error.strerror}). Make its parent writable, or set {VARIABLE} "
            "to a folder you can write to."
        ) from error
    return True
