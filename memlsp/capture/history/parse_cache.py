"""A disk cache of what was read from blobs and commits, which makes the second history of a symbol fast.

Git objects never change, so entries are keyed by object ids and a fingerprint of the program that read them, and never
become invalid. The cache stores bytes only, is bounded, and is deleted when damaged. It holds no definition in which
redaction finds a secret.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from memlsp.store.core.derived_rows import DerivedRows
from memlsp.version import VERSION

_LARGEST = 64_000_000  # bytes on disk for one workspace; those stored first go first
_ENTRY = 500_000  # bytes; what is larger is not kept


class ParseCache:
    """The cache of one workspace, in `folder`/parses, for any thread and several processes. Never raises: unreadable
    entries count as absent, and failed writes are dropped."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "parses"
        self._rows = DerivedRows(self._folder / "rows.db", _LARGEST)

    def get(self, key: str) -> bytes | None:
        """The entry that this version of the program put under a key."""
        found = self._rows.read(_program(), [key]).get(key)
        if not isinstance(found, bytes) or found[:_SEAL] != _seal(key, found[_SEAL:]):
            return None
        return found[_SEAL:]

    def put(self, entries: Mapping[str, bytes]) -> None:
        """Write entries in one transaction."""
        small = {key: _seal(key, value) + value for key, value in entries.items() if len(value) <= _ENTRY}
        with suppress(OSError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            for former in self._folder.glob("cache.db*"):  # of an earlier release
                former.unlink()
        if small:
            self._rows.write(_program(), small)

    def clear(self) -> None:
        """Delete everything, on disk too."""
        self._rows.clear()
        shutil.rmtree(self._folder, ignore_errors=True)

    def close(self) -> None:
        """Close the file until it is needed again."""
        self._rows.close()


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
