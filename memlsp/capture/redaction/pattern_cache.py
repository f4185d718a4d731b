"""A cache of compiled regular expressions: compiled once for an installation, not once for a process.

Every hook is a new process, and importing `re` and compiling the patterns of redaction would take 100 ms, more than it
may use in all. So the compiler's output is stored beside the bytecode, in `__pycache__`, and loaded without `re`. The
key of an entry is the pattern's text, so a changed pattern never gets an old entry. With another Python, a damaged file
or a read-only folder, `re` compiles as usual. See docs/decisions/0013-compiled-patterns-are-kept.md.
"""

from __future__ import annotations

import marshal
import os
import sys

from memlsp.version import VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable
    from typing import Any

_LAYOUT = 1
# Values of flags of `re`, which would have to be imported for its enum.
IGNORECASE = 2


class _LazyPattern:
    """A pattern that is compiled at its first use; from then on its methods are those of the compiled pattern."""

    __slots__ = ("cache", "findall", "finditer", "flags", "fullmatch", "match", "pattern", "search", "split", "sub")

    def __init__(self, cache: PatternCache, pattern: str, flags: int) -> None:
        self.cache = cache
        self.pattern = pattern
        self.flags = flags

    def __getattr__(self, name: str) -> object:
        compiled = self.cache.compiled(self.pattern, self.flags)
        for method in ("findall", "finditer", "fullmatch", "match", "search", "split", "sub"):
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


class PatternCache:
    """The patterns of some modules, in one file of a few hundred kilobytes. The first process that has to compile
    writes the file (`save`); all later ones read it."""

    def __init__(self, name: str, folder: str | None = None) -> None:
        tag: str | None = getattr(sys.implementation, "cache_tag", None)
        known = tag is not None and sys.implementation.name == "cpython"
        self._file = f"{name}.{tag}.patterns" if known else ""  # another implementation caches nothing
        self._folder = folder
        self.patterns: list[tuple[str, int]] = []
        self._values: dict[str, Any] = {}
        self._stored: dict[object, Any] | None = None
        self.missed = False

    def pattern(self, pattern: str, flags: int = 0) -> re.Pattern[str]:
        """Do as `re.compile`, but only at the first use."""
        self.patterns.append((pattern, flags))
        lazy: Any = _LazyPattern(self, pattern, flags)
        return lazy

    def value(self, key: str, make: Callable[[], Any]) -> Any:
        """Return the cached result of `make` for `key`: plain tuples, texts and numbers."""
        if key not in self._values:
            value = self._read().get(("fact", key))
            if value is None:
                self.missed = True
                value = make()
            self._values[key] = value
        return self._values[key]

    def value_once(self, key: str, make: Callable[[], Any]) -> Any:
        """As `value`, for what a process asks for once and need not hold."""
        found = self._read().pop(("fact", key), None)
        return self.value(key, make) if found is None else found

    def compiled(self, pattern: str, flags: int) -> re.Pattern[str]:
        """Return the compiled pattern, from the file or else by `re`."""
        entry = self._read().get((pattern, flags))
        if isinstance(entry, tuple):
            engine: Any = __import__("_sre")
            return engine.compile(pattern, *entry)
        self.missed = True
        import re

        return re.compile(pattern, flags)

    def compiled_now(self, pattern: str) -> re.Pattern[str]:
        """Return the compiled pattern, which `save` writes."""
        self.patterns.append((pattern, 0))
        return self.compiled(pattern, 0)

    def can_save(self) -> bool:
        """Return True when `save` can write."""
        return not sys.dont_write_bytecode and self._writable() != ""

    def save(self) -> bool:
        """Write the file if something was missing in it; True when written. Never raises. Compiles all patterns, used
        or not (0.1 s, once), so that one file serves every process."""
        folder = self._writable() if self.missed and not sys.dont_write_bytecode else ""
        if not folder:
            return False
        self.missed = False
        path = os.path.join(folder, self._file)
        table = {**_table(path), **{("fact", key): value for key, value in list(self._values.items())}}
        try:
            from memlsp.capture.redaction.pattern_compiler import code_of
            from memlsp.store.core.hook_connection import private_folder

            for pattern, flags in self.patterns:
                if (pattern, flags) not in table:
                    table[pattern, flags] = code_of(pattern, flags)
            body = marshal.dumps(table)
            private = folder != self._places(0)
            private_folder(folder)
            beside = f"{path}.{os.getpid()}"
            with open(
                beside, "wb", opener=(lambda name, flags: os.open(name, flags, 0o600)) if private else None
            ) as file:
                file.write(_stamp(body) + body)
            os.replace(beside, path)
        except (OSError, ValueError, ImportError, AttributeError, TypeError):
            return False
        return True

    def _read(self) -> dict[object, Any]:
        if self._stored is None:
            self._stored = {}
            for number in range(2):
                if not self._stored and self._file:
                    self._stored = _table(os.path.join(self._places(number), self._file))
        return self._stored

    def _writable(self) -> str:
        """Return the first folder that can be written, "" for none."""
        for number in range(2) if self._file else ():
            folder = self._places(number)
            existing = folder
            while existing and not os.path.exists(existing) and existing != os.path.dirname(existing):
                existing = os.path.dirname(existing)
            if os.path.isdir(existing) and os.access(existing, os.W_OK):
                return folder
        return ""

    def _places(self, number: int) -> str:
        """Return the folder beside the bytecode (0), or that in the user's data folder (1), for a read-only package."""
        if self._folder is not None:
            return self._folder
        if number == 0:
            return os.path.join(os.path.dirname(os.path.abspath(__file__)), "__pycache__")
        from memlsp.capture.private_files import data_folder  # late: only where the package cannot be written

        return os.path.join(data_folder(), "patterns")


def _table(path: str) -> dict[object, Any]:
    """Return the content of a file; {} when it is missing, damaged, or another Python's."""
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


def _is_ours(status: os.stat_result) -> bool:
    """Return True for a file of this user or of root that others cannot write, for its content is run. Its group may
    write, as with the bytecode beside it."""
    if not hasattr(os, "getuid"):
        return True
    return status.st_uid in {os.getuid(), 0} and not status.st_mode & 0o002


def _stamp(body: bytes) -> bytes:
    """Return a header that names the program and the Python that can read the body, with its checksum."""
    import zlib

    engine: Any = __import__("_sre")
    read_by = (_LAYOUT, VERSION.encode(), sys.hexversion, engine.MAGIC)
    return b"memlsp patterns %d %s %x %d %08x\n" % (*read_by, zlib.crc32(body))


PATTERNS = PatternCache("redaction")
