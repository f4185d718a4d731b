"""Find unfinished code (remarks and stubs) in the files of one checkout, on disk and in git."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import evolve, frozen

from memlsp.capture.bounded_cache import BoundedCache
from memlsp.capture.git.committed_files import Committed, CommittedFile
from memlsp.capture.redaction.redaction import redact
from memlsp.capture.workspace.source_files import SourceFiles
from memlsp.model.errors import Refused, UnreadableSource

if TYPE_CHECKING:
    from memlsp.code.syntax.unfinished import LooseEnd, Unfinished

_KEPT = 64


@frozen
class ThreadTargets:
    """The targets of open threads: files, and classes with open stubs that a derived class may implement."""

    paths: frozenset[str]
    names: tuple[bytes, ...]

    def concerns(self, before: bytes | None, now: bytes | None) -> bool:
        """True for a change that may add or remove unfinished code, or in a file that names one of the classes."""
        from memlsp.code.syntax.unfinished import signs_of  # late: the grammars take a while to load

        if now is not None and any(name in now for name in self.names):
            return True
        return signs_of(before or b"") != signs_of(now or b"")


class Checkout:
    """One checkout below `root`. Parsed files are cached, since most events touch the same few. Files for which
    `ignored` is true are not read."""

    def __init__(self, root: Path, ignored: Callable[[str], bool]) -> None:
        self.root = root
        self._ignored = ignored
        self._sources = SourceFiles(root)
        self._read: BoundedCache[tuple[str, int, int], tuple[Unfinished | None]] = BoundedCache(_KEPT)

    @property
    def has_git(self) -> bool:
        """True in a readable repository."""
        return self._git.exists

    def relevant(self, paths: Iterable[str], known: ThreadTargets) -> tuple[str, ...]:
        """The files that need to be parsed: those with threads, and those whose unfinished code may differ from HEAD.
        Parsing is the expensive part. Without git every file is needed, as the baseline for later comparisons."""
        if not self.has_git:
            return tuple(paths)
        return tuple(
            path for path in paths if path in known.paths or known.concerns(self._git.at_head(path), self._bytes(path))
        )

    def present(self, paths: Iterable[str]) -> dict[str, Unfinished | None]:
        """The unfinished code of the files on disk; unsaved buffers are ignored because they are not final. Files that
        cannot be analysed (too large, no text, generated) are left out; a missing file is None."""
        found: dict[str, Unfinished | None] = {}
        for path in paths:
            if self._ignored(path):
                continue
            with suppress(UnreadableSource, Refused):
                source = self._sources.read(path)
                read = self._unfinished(path, source.data) if source else None
                if source is None or read is not None:
                    found[path] = read
        return found

    def _bytes(self, path: str) -> bytes | None:
        with suppress(UnreadableSource, Refused):
            source = self._sources.read(path)
            return source.data if source else None
        return None

    def at_head(self, paths: Iterable[str]) -> dict[str, Unfinished | None]:
        """The unfinished code of the files at HEAD."""
        return {path: self._unfinished(path, self._git.at_head(path)) for path in paths}

    def before(
        self, commit: str, known: ThreadTargets, *, most: int
    ) -> tuple[dict[str, Unfinished | None], tuple[str, ...]]:
        """The unfinished code of a commit's relevant files in its parent, and all their old and new paths. See
        `relevant`."""
        chosen: list[CommittedFile] = []
        for each in self._git.changed_by(commit, most=most):
            if self._ignored(each.old_path) or self._ignored(each.new_path):
                continue
            if each.after is not None and not (self.root / each.new_path).exists():
                continue  # a later commit removed or moved it, and is handled itself
            named = each.old_path in known.paths or each.new_path in known.paths
            if (
                named
                or known.concerns(each.before, each.after)
                or known.concerns(each.before, self._bytes(each.new_path))
            ):
                chosen.append(each)
        before = {each.old_path: self._unfinished(each.old_path, each.before) for each in chosen}
        return before, tuple(dict.fromkeys(path for each in chosen for path in (each.old_path, each.new_path)))

    @cached_property
    def _git(self) -> Committed:
        return Committed(self.root)

    def _unfinished(self, path: str, data: bytes | None) -> Unfinished | None:
        if data is None:
            return None
        from memlsp.code.syntax.unfinished import unfinished  # late: the grammars take a while to load

        key = (path, len(data), hash(data))
        if known := self._read.get(key):
            return known[0]
        found = unfinished(path, data)
        if found is not None and found.ends:
            found = evolve(found, ends=tuple(_without_secrets(end) for end in found.ends))
        self._read.put(key, (found,))
        return found


def _without_secrets(end: LooseEnd) -> LooseEnd:
    from memlsp.code.syntax.unfinished import words_of

    text = redact(end.text).text
    return end if text == end.text else evolve(end, text=text, mark=words_of(text), owner="")
