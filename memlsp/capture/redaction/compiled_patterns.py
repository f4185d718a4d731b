"""Regular expressions that are compiled once for an installation, not once for a process.

The hook is a new process for every observation. Importing `re` and compiling the doorway's patterns would take it some
100 ms, more than it may use altogether; so what the compiler makes of them is kept beside the bytecode, in
`__pycache__`, and read from there without `re`. An entry is found by the text of its pattern, so one that was changed
is compiled anew and can never be answered by the old one. Everything else (another Python, a damaged file, a folder
that cannot be written) leads to `re`, slower and with the same result.
See docs/decisions/0013-compiled-patterns-are-kept.md.
"""

from __future__ import annotations

import marshal
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable
    from typing import Any

_LAYOUT = 1
# What the flags of `re` are worth: the enum that names them comes with `re` itself.
IGNORECASE = 2
DOTALL = 16


class _Lazy:
    """A pattern that is compiled when it is first asked something; from then on its methods are the compiled ones'."""

    __slots__ = ("findall", "finditer", "flags", "fullmatch", "match", "pattern", "search", "shelf", "split", "sub")

    def __init__(self, shelf: Shelf, pattern: str, flags: int) -> None:
        self.shelf = shelf
        self.pattern = pattern
        self.flags = flags

    def __getattr__(self, name: str) -> object:
        compiled = self.shelf.compiled(self.pattern, self.flags)
        for method in ("findall", "finditer", "fullmatch", "match", "search", "split", "sub"):
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


class Shelf:
    """The patterns of some modules, kept together in one file of at most a few hundred kilobytes.

    The file is written by the first process that had to compile (`keep`), whole, and read by all that follow.
    """

    def __init__(self, name: str, folder: str | None = None) -> None:
        tag: str | None = getattr(sys.implementation, "cache_tag", None)
        known = tag is not None and sys.implementation.name == "cpython"
        self._file = f"{name}.{tag}.patterns" if known else ""  # another implementation keeps nothing
        self._folder = folder
        self.patterns: list[tuple[str, int]] = []
        self._facts: dict[str, Any] = {}
        self._kept: dict[object, Any] | None = None
        self.missed = False

    def pattern(self, pattern: str, flags: int = 0) -> re.Pattern[str]:
        """Like `re.compile`, but nothing is done before the first use."""
        self.patterns.append((pattern, flags))
        lazy: Any = _Lazy(self, pattern, flags)
        return lazy

    def fact(self, key: str, make: Callable[[], Any]) -> Any:
        """What `make` answered when it was last asked for `key`: a value of plain tuples, texts and numbers."""
        if key not in self._facts:
            kept = self._read().get(("fact", key))
            if kept is None:
                self.missed = True
                kept = make()
            self._facts[key] = kept
        return self._facts[key]

    def compiled(self, pattern: str, flags: int) -> re.Pattern[str]:
        """The compiled pattern, from the kept file or else by `re`."""
        entry = self._read().get((pattern, flags))
        if isinstance(entry, tuple):
            engine: Any = __import__("_sre")
            return engine.compile(pattern, *entry)
        self.missed = True
        import re

        return re.compile(pattern, flags)

    def can_keep(self) -> bool:
        """True where `keep` could write."""
        return not sys.dont_write_bytecode and self._writable() != ""

    def keep(self) -> bool:
        """Write the file when something was not in it. Returns True when it was written; never raises.

        Compiles what this process did not need, too (some 0.1 s once), so that one file serves them all.
        """
        folder = self._writable() if self.missed and not sys.dont_write_bytecode else ""
        if not folder:
            return False
        self.missed = False
        table: dict[object, object] = {("fact", key): value for key, value in self._facts.items()}
        try:
            from memlsp.capture.redaction.pattern_compiler import code_of
            from memlsp.store.core.hook_connection import private_folder

            for pattern, flags in self.patterns:
                table[pattern, flags] = code_of(pattern, flags)
            body = marshal.dumps(table)
            private = folder != self._places(0)
            private_folder(folder)
            path = os.path.join(folder, self._file)
            beside = f"{path}.{os.getpid()}"
            with open(beside, "wb", opener=_opened_for_owner if private else None) as file:
                file.write(_stamp(body) + body)
            os.replace(beside, path)
        except (OSError, ValueError, ImportError, AttributeError, TypeError):
            return False
        return True

    def _read(self) -> dict[object, Any]:
        if self._kept is None:
            kept: dict[object, Any] = {}
            for number in range(2):
                if not kept and self._file:
                    kept = _table(os.path.join(self._places(number), self._file))
            self._kept = kept
            return kept
        return self._kept

    def _writable(self) -> str:
        """The first folder that could be written, "" for none."""
        for number in range(2) if self._file else ():
            folder = self._places(number)
            there = folder
            while there and not os.path.exists(there) and there != os.path.dirname(there):
                there = os.path.dirname(there)
            if os.path.isdir(there) and os.access(there, os.W_OK):
                return folder
        return ""

    def _places(self, number: int) -> str:
        """Beside the bytecode, and where that belongs to somebody else, in the user's data folder."""
        if self._folder is not None:
            return self._folder
        if number == 0:
            return os.path.join(os.path.dirname(os.path.abspath(__file__)), "__pycache__")
        from memlsp.capture.private_files import data_folder  # late: only where the package cannot be written

        return os.path.join(data_folder(), "patterns")


def _opened_for_owner(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _table(path: str) -> dict[object, Any]:
    """What a file holds; nothing when it is missing, damaged, or another Python's."""
    try:
        with open(path, "rb") as file:
            if not _is_ours(os.fstat(file.fileno())):
                return {}
            data = file.read()
        size = len(_stamp(b""))
        whole = data[:size] == _stamp(data[size:])
        return marshal.loads(data[size:]) if whole else {}  # noqa: S302  as trusted as the bytecode beside it
    except (OSError, ValueError, EOFError, TypeError):
        return {}


def _is_ours(found: os.stat_result) -> bool:
    """True for a file of this user's or of root's that not everybody may write: what it holds is run. Its group may,
    as it may write the bytecode beside it where people have a group of their own."""
    if not hasattr(os, "getuid"):
        return True
    return found.st_uid in {os.getuid(), 0} and not found.st_mode & 0o002


def _stamp(body: bytes) -> bytes:
    """Says which Python can read the body, and that it is whole."""
    import zlib

    engine: Any = __import__("_sre")
    return b"memlsp patterns %d %x %d %08x\n" % (_LAYOUT, sys.hexversion, engine.MAGIC, zlib.crc32(body))


DOORWAY = Shelf("doorway")
