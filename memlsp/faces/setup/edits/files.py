"""Reading and writing other programs' files: a write changes nothing but the text."""

from __future__ import annotations

import codecs
import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path

from attrs import frozen

from memlsp.model.errors import Refused, UnreadableSource

_LARGEST = 8_000_000


@frozen
class FileText:
    """A file's bytes and its text; line ends are left in the text as they are."""

    data: bytes
    text: str
    mark: bool

    def encoded(self, text: str) -> bytes:
        """The bytes of a new text, with this file's byte order mark."""
        return (codecs.BOM_UTF8 if self.mark else b"") + text.encode("utf-8")


NEW = FileText(b"", "", mark=False)


def read(path: Path) -> FileText | None:
    """Read a file; None when there is none. Raises UnreadableSource, with one line, for one that must not be edited."""
    try:
        info = path.stat()
        if not stat.S_ISREG(info.st_mode):
            raise UnreadableSource("is no ordinary file")
        if info.st_size > _LARGEST:
            raise UnreadableSource(f"is larger than {_LARGEST // 1_000_000} MB")
        data = path.read_bytes()
    except FileNotFoundError:
        if path.is_symlink():
            raise UnreadableSource(f"is a link to {os.readlink(path)}, which does not exist") from None  # noqa: PTH115
        return None
    except NotADirectoryError:
        raise UnreadableSource("lies below something that is no folder") from None
    except PermissionError:
        raise UnreadableSource("may not be read") from None
    except OSError as error:
        raise UnreadableSource(f"cannot be read: {error.strerror}") from error
    mark = data.startswith(codecs.BOM_UTF8)
    try:
        text = data[len(codecs.BOM_UTF8) if mark else 0 :].decode("utf-8")
    except UnicodeDecodeError:
        raise UnreadableSource("is not UTF-8") from None
    return FileText(data, text, mark)


def demand_writable(path: Path) -> None:
    """Raises Refused when the file, or the folder it would be made in, may not be written."""
    place = path
    while not place.exists() and place != place.parent:
        place = place.parent
    # root may write every file; the mode says whether its owner wants that
    if not os.access(place, os.W_OK) or (place.is_file() and not place.stat().st_mode & 0o222):
        raise Refused("is read-only" if place == path else f"lies in a folder that may not be written: {place}")


def write(path: Path, data: bytes, expected: bytes | None) -> list[Path]:
    """Replace the file atomically, through links and with its mode; return the folders that were made. Raises Refused
    when its bytes are not the `expected` ones (None: no file), and OSError."""
    real = path.resolve()
    made = [place for place in real.parents if not place.exists()]
    real.parent.mkdir(parents=True, exist_ok=True)
    present = real.read_bytes() if real.exists() else None
    if present != expected:
        raise Refused(f"{path} was changed meanwhile", "run the command again")
    if present is not None and real.stat().st_nlink > 1:
        real.write_bytes(data)  # a hard link: a new file would separate the two names
        return made
    mode = stat.S_IMODE(real.stat().st_mode) if present is not None else 0o666
    spare, handle = _spare(real, mode)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if present is not None:
            spare.chmod(mode)
            _keep_owner(real, spare)
        spare.replace(real)
    except BaseException:
        with suppress(OSError):
            spare.unlink()
        raise
    return made


def write_private(path: Path, data: bytes) -> None:
    """Write a file of our own that only its owner may read, in folders that only their owner may read."""
    missing = [place for place in path.parents if not place.exists()]
    for place in reversed(missing):  # with `parents` only the last one gets the mode
        place.mkdir(mode=0o700, exist_ok=True)
    spare, handle = _spare(path, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
    spare.replace(path)


def remove(path: Path) -> None:
    """Delete the file, and a link that leads to it."""
    real = path.resolve()
    real.unlink(missing_ok=True)
    if path.is_symlink():
        path.unlink()


def _spare(path: Path, mode: int) -> tuple[Path, int]:
    spare = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    return spare, os.open(spare, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)


def _keep_owner(old: Path, new: Path) -> None:
    if hasattr(os, "chown"):
        info = old.stat()
        with suppress(OSError):
            os.chown(new, info.st_uid, info.st_gid)
