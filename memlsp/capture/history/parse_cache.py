"""A disk cache of what was read from blobs and commits, which makes the second history of a symbol fast.

Git objects never change, so entries are keyed by object ids and a fingerprint of the program that read them, and never
become invalid. The cache stores bytes only (its `Disk` cannot unpickle), is bounded, and is deleted when damaged. It
holds no definition in which redaction finds a secret.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import threading
from collections.abc import Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

from memlsp.version import VERSION

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

_LARGEST = 64_000_000  # bytes on disk for one workspace; those stored first go first
_PATIENCE = 0.2  # seconds to wait for another process that writes
_ENTRY = 500_000  # bytes; what is larger is not kept


class _Opened(Protocol):
    """The used part of `diskcache.Cache`."""

    def get(self, key: str) -> object: ...

    def set(self, key: str, value: bytes) -> bool: ...

    def transact(self) -> AbstractContextManager[None]: ...

    def close(self) -> None: ...


class ParseCache:
    """The cache of one workspace, in `folder`/parses, for any thread and several processes. Never raises: unreadable
    entries count as absent, and failed writes are dropped."""

    NAME = "parses"
    """Of its folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / self.NAME
        self._lock = threading.Lock()
        self._opened: _Opened | None = None
        self._broken = False

    def get(self, key: str) -> bytes | None:
        """The entry that this version of the program put under a key."""
        opened = self._open()
        if opened is None:
            return None
        try:
            found = opened.get(self.full(key))
        except Exception as error:  # noqa: BLE001 - whatever is wrong with a cache, the answer is to go without
            self._failed(error)
            return None
        if not isinstance(found, bytes) or found[:_SEAL] != _seal(key, found[_SEAL:]):
            return None
        return found[_SEAL:]

    def put(self, entries: Mapping[str, bytes]) -> None:
        """Write entries in one transaction."""
        opened = self._open() if entries else None
        if opened is None:
            return
        try:
            with opened.transact():
                for key, value in entries.items():
                    if len(value) <= _ENTRY:
                        opened.set(self.full(key), _seal(key, value) + value)
        except Exception as error:  # noqa: BLE001 - as above
            self._failed(error)

    def rest(self) -> None:
        """Close the file in this thread until it is needed again."""
        with self._lock:
            opened = self._opened
        if opened is not None:
            opened.close()  # diskcache opens it again by itself

    def clear(self) -> None:
        """Delete everything, on disk too."""
        self.close()
        shutil.rmtree(self._folder, ignore_errors=True)
        self._broken = False

    def close(self) -> None:
        """Close the file. The cache may be used again afterwards."""
        with self._lock:
            opened, self._opened = self._opened, None
        if opened is not None:
            opened.close()

    def full(self, key: str) -> str:
        """The stored key: the fingerprint of the program and the key."""
        return f"{_program()}:{key}"

    def _open(self) -> _Opened | None:
        with self._lock:
            if self._opened is None and not self._broken:
                self._opened = _opened(self._folder)
                self._broken = self._opened is None
            return self._opened

    def _failed(self, error: Exception) -> None:
        """Ignore a busy cache; delete a damaged one, and work without it from now on."""
        from diskcache import Timeout  # late: only where the cache is in use

        if isinstance(error, Timeout) or _is_busy(error):
            return
        self.close()
        self._broken = True
        if not isinstance(error, OSError):
            shutil.rmtree(self._folder, ignore_errors=True)


def _opened(folder: Path) -> _Opened | None:
    """The cache in `folder`, made anew when it cannot be opened; None when that fails too."""
    for _ in range(2):
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            # Made by us first, for SQLite gives its other files the rights of this one.
            os.close(os.open(folder / "cache.db", os.O_RDWR | os.O_CREAT, 0o600))
            return _cache(folder)
        except Exception as error:  # noqa: BLE001 - as above
            if isinstance(error, (OSError, ImportError)) or _is_busy(error):
                return None
            shutil.rmtree(folder, ignore_errors=True)
    return None


def _is_busy(error: Exception) -> bool:
    return "locked" in str(error)  # SQLite's word when another process writes


def _cache(folder: Path) -> _Opened:
    import diskcache  # late: cached histories do not need it

    class Bytes(diskcache.Disk):
        """Keys are text and values are bytes; anything else in the file counts as absent."""

        def put(self, key: object) -> tuple[str, bool]:  # pyright: ignore[reportIncompatibleMethodOverride]
            if not isinstance(key, str):
                raise TypeError("a key is text")
            return key, True

        def get(self, key: object, raw: object) -> str:  # noqa: ARG002 - the signature is diskcache's
            return key if isinstance(key, str) else ""

        def store(  # pyright: ignore[reportIncompatibleMethodOverride]
            self,
            value: object,
            read: object,  # noqa: ARG002
            key: object = None,  # noqa: ARG002
        ) -> tuple[int, int, None, memoryview]:
            if not isinstance(value, bytes):
                raise TypeError("a value is bytes")
            return 0, _RAW, None, memoryview(value)

        def fetch(self, mode: int, filename: object, value: object, read: object) -> bytes | None:  # noqa: ARG002
            return value if mode == _RAW and isinstance(value, bytes) else None

    opened = diskcache.Cache(
        str(folder),
        timeout=_PATIENCE,  # pyright: ignore[reportArgumentType] - seconds, for SQLite
        disk=Bytes,
        size_limit=_LARGEST,
        cull_limit=50,
        statistics=0,
        tag_index=0,
        eviction_policy="least-recently-stored",
        sqlite_cache_size=512,
        sqlite_mmap_size=0,
    )
    return cast("_Opened", opened)


_RAW = 1
_SEAL = 8  # bytes


def _seal(key: str, value: bytes) -> bytes:
    return hashlib.blake2b(
        value, digest_size=_SEAL, key=hashlib.blake2b(key.encode(), digest_size=32).digest()
    ).digest()


@cache
def _program() -> str:
    """A fingerprint of the code that reads source: our own modules and the grammars."""
    digest = hashlib.blake2b(VERSION.encode(), digest_size=8)
    here = Path(__file__).resolve().parents[2]
    for source in sorted([*here.glob("code/**/*.py"), *here.glob("model/*.py"), *here.glob("capture/**/*.py")]):
        digest.update(source.read_bytes())
    for package in ("tree-sitter", *_GRAMMARS):
        try:
            digest.update(f"{package} {version(package)}".encode())
        except PackageNotFoundError:
            continue
    return digest.hexdigest()


_GRAMMARS = tuple(
    f"tree-sitter-{name}"
    for name in (
        "bash", "c", "c-sharp", "cpp", "go", "java", "javascript", "kotlin", "php", "python", "ruby", "rust",
        "typescript",
    )
)  # fmt: skip
