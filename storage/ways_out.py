"""What the operating system says of a file, in words that tell what to do about it."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from prune_mcp.storage.home import NO_SPACE, VARIABLE, in_the_way, no_folder


def in_words(error: OSError, where: str = "") -> str:
    """What failed, at which file (`where`, if the error does not name it), and what to do about it."""
    name = _text(error.filename) or where or "A file"
    if error.filename and error.errno not in NO_SPACE and (blocking := in_the_way(Path(name))):
        return str(no_folder(blocking))
    if error.errno == errno.ENOENT and not error.filename and not where:
        return "The folder that prune-mcp was started in is gone: start it in one that is there."
    if error.errno == errno.ENOENT and Path(name).is_symlink():
        return f"{name} is a link to what is not there: put that back, or take the link away."
    tried = "written" if error.errno in NO_SPACE else "read or written"
    return f"{name} cannot be {tried} ({error.strerror or error}). {WAYS_OUT.get(error.errno or 0, ELSE)}"


def _text(filename: object) -> str:
    """The name that an error tells, which may be of bytes or a descriptor's number."""
    return os.fsdecode(filename) if isinstance(filename, str | bytes) else ""


ROOM = "Free disk space and try again."
RIGHTS = f"Give yourself read and write rights on it, or set {VARIABLE} to a folder you can write to."
FILES = "Close programs, or let this one open more files (`ulimit -n`)."
ELSE = "Try again; if that fails as well, check the disk it stands on."
# What to do, by what the system says.
WAYS_OUT = {
    **dict.fromkeys(NO_SPACE, ROOM),
    **dict.fromkeys((errno.EACCES, errno.EPERM, errno.EROFS), RIGHTS),
    **dict.fromkeys((errno.EMFILE, errno.ENFILE), FILES),
    errno.EISDIR: "A folder stands in its place: move that away.",
    errno.ENOENT: "It was moved or deleted meanwhile: try again.",
    errno.ELOOP: "A symbolic link there leads back to itself: put what it stood for in its place.",
    errno.ENAMETOOLONG: "Give a shorter name.",
}
