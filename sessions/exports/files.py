"""The files that an export consists of: one, those of a folder, or those inside a zip, each read as a stream."""

from __future__ import annotations

import os
import zipfile
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from prune_mcp.sessions.model import SessionError
from prune_mcp.sessions.tail import refuse_endless

CHUNK = 1 << 18
ENDINGS = (".json", ".traj", ".zip")
# Deflated text shrinks to a tenth or so, and to a thousandth where somebody made it for that.
MOST_GROWTH = 200
ALWAYS_FINE = 64 << 20
ZIP_MARKS = (b"PK\x03\x04", b"PK\x05\x06")
ZIP_FAULTS = (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError, ValueError)


class Unreadable(Exception):
    """A file that cannot be read to its end; the message says why."""


@dataclass(frozen=True, slots=True)
class ExportFile(ABC):
    """One file of an export. `name`: as it is shown, relative to what is imported; `size`: bytes; `mtime`: seconds
    since the epoch."""

    name: str
    size: int = 0
    mtime: float = 0.0

    @property
    def stem(self) -> str:
        """The file's own name, without its ending."""
        name = self.name.replace("\\", "/").rpartition("/")[2]
        return name.removesuffix(".json").removesuffix(".traj")

    @abstractmethod
    def _open(self) -> IO[bytes]:
        """The file, opened for reading."""

    def chunks(self) -> Iterator[bytes]:
        """The content, piece by piece.

        Raises:
            Unreadable: it is gone, closed or damaged; what came before is good.
        """
        try:
            with self._open() as file:
                while chunk := file.read(CHUNK):
                    yield chunk
        except ZIP_FAULTS as fault:
            raise Unreadable(f"cannot be read on ({_reason(fault)})") from fault


@dataclass(frozen=True, slots=True)
class Broken(ExportFile):
    """A file or folder that cannot even be opened."""

    why: str = ""

    def _open(self) -> IO[bytes]:
        raise Unreadable(self.why)


@dataclass(frozen=True, slots=True)
class PlainFile(ExportFile):
    """A file on disk."""

    path: Path = Path()

    def _open(self) -> IO[bytes]:
        return self.path.open("rb")


@dataclass(frozen=True, slots=True)
class Member(ExportFile):
    """A file inside a zip. Its name is only ever shown: nothing is unpacked to a place that it tells."""

    archive: Path = Path()
    packed: zipfile.ZipInfo = field(default_factory=zipfile.ZipInfo)

    def _open(self) -> IO[bytes]:
        if self.size > ALWAYS_FINE and self.size > MOST_GROWTH * self.packed.compress_size:
            raise Unreadable(f"would unpack to {self.size >> 20} MB, which no export does")
        with zipfile.ZipFile(self.archive) as opened:
            return opened.open(self.packed)


def files_of(path: Path) -> list[ExportFile]:
    """The files of an export that may hold conversations, by name.

    Raises:
        SessionError: there is nothing at this path, it cannot be read, or it is a damaged zip.
    """
    if path.is_dir():
        return list(_in_folder(path))
    refuse_endless(path)
    try:
        with path.open("rb") as file:
            zipped = file.read(4) in ZIP_MARKS
        return _in_zip(path, "") if zipped else [_plain(path.name, path)]
    except FileNotFoundError:
        raise SessionError(f"There is no file {path}; name an export that is there.") from None
    except OSError as error:
        raise SessionError(f"{path} cannot be read ({error.strerror}).") from None


def _in_folder(folder: Path) -> Iterator[ExportFile]:
    closed: list[OSError] = []
    for root, folders, names in os.walk(folder, onerror=closed.append):
        folders.sort()
        for name in sorted(names):
            if name.lower().endswith(ENDINGS) and not name.startswith("."):
                yield from _in_folder_found(folder, Path(root, name))
    for error in closed:
        yield Broken(str(error.filename), why=f"cannot be read ({error.strerror})")


def _in_folder_found(folder: Path, path: Path) -> list[ExportFile]:
    shown = path.relative_to(folder).as_posix()
    try:
        refuse_endless(path)
        return _in_zip(path, f"{shown}: ") if path.suffix.lower() == ".zip" else [_plain(shown, path)]
    except SessionError as error:
        return [Broken(shown, why=str(error))]
    except OSError as error:
        return [Broken(shown, why=f"cannot be read ({error.strerror})")]


def _plain(shown: str, path: Path) -> ExportFile:
    status = path.stat()
    return PlainFile(shown, status.st_size, status.st_mtime, path)


def _in_zip(path: Path, before: str) -> list[ExportFile]:
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
    except ZIP_FAULTS as fault:
        reason = _reason(fault)
        raise SessionError(f"{path} is no whole zip ({reason}); download the export again.") from fault
    _refuse_bomb(path, members)
    found = [member for member in members if not member.is_dir() and _worth_reading(member.filename)]
    found.sort(key=lambda member: member.filename)
    mtime = path.stat().st_mtime
    return [Member(before + member.filename, member.file_size, mtime, path, member) for member in found]


def _worth_reading(name: str) -> bool:
    """Whether a member may hold conversations; other systems put their own notes beside the files."""
    base = name.replace("\\", "/").rpartition("/")[2]
    return base.lower().endswith((".json", ".traj")) and not base.startswith(".") and "__MACOSX" not in name


def _refuse_bomb(path: Path, members: list[zipfile.ZipInfo]) -> None:
    """Members may share their bytes, so that each alone looks fine."""
    size, packed = sum(member.file_size for member in members), path.stat().st_size
    if size > ALWAYS_FINE and size > MOST_GROWTH * packed:
        raise SessionError(
            f"{path} would unpack from {packed >> 10} kB to {size >> 20} MB, as no export does; it was left alone."
        )


def _reason(fault: BaseException) -> str:
    return (fault.strerror if isinstance(fault, OSError) else "") or str(fault) or type(fault).__name__
