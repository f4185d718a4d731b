"""The difference between two states of a workspace, by files and symbols."""

from __future__ import annotations

from enum import StrEnum

from attrs import frozen

from memlsp.model.change import ChangeKind, SymbolChange
from memlsp.model.standing import Judgement


class FileFate(StrEnum):
    """The change of a file as a whole."""

    CHANGED = "changed"
    ADDED = "added"
    REMOVED = "removed"
    RENAMED = "renamed"  # or moved, with or without other changes


class FileNature(StrEnum):
    """The sort of a file, which decides how much is said of it."""

    SOURCE = "source"  # read into symbols
    TEXT = "text"  # in no language that we read: lines are counted
    GENERATED = "generated"  # generated, minified, vendored, or a lock file: named only
    BINARY = "binary"  # named only
    LARGE = "large"  # over the limit: named only
    LINK = "link"  # symbolic link
    MODULE = "module"  # another repository inside this one


@frozen
class BeliefTouched:
    """A belief that no longer holds because of the change."""

    judgement: Judgement
    reason: str  # one line, "" when there is nothing to add to its standing


@frozen
class SymbolDifference:
    """The change of a symbol: `sentence` in at most 160 characters, `clauses` in full. `line` is from 1, in the new
    state (in the old one for a removed symbol)."""

    change: SymbolChange
    sentence: str
    clauses: tuple[str, ...] = ()
    line: int = 1
    follows: tuple[str, ...] = ()  # former names of what was renamed elsewhere, where nothing else is different
    beliefs: tuple[BeliefTouched, ...] = ()

    @property
    def is_harmless(self) -> bool:
        """True when nothing but layout, comments, documentation and hints is different."""
        return self.change.kinds <= _HARMLESS


@frozen
class FileDifference:
    """The change of a file.

    `path` is the new one (the old one of a removed file), `former` the old one of a renamed file. `symbols` counts
    those of an added or removed file, `names` are its outermost ones. Lines are counted for text without symbols.
    """

    path: str
    fate: FileFate
    nature: FileNature
    former: str | None = None
    changes: tuple[SymbolDifference, ...] = ()
    beliefs: tuple[BeliefTouched, ...] = ()
    symbols: int = 0
    names: tuple[str, ...] = ()
    lines_added: int = 0
    lines_removed: int = 0
    broken: bool = False  # the new state has syntax errors
    imports_added: tuple[str, ...] = ()
    imports_removed: tuple[str, ...] = ()
    mode: str = ""  # "executable" or "not executable" when that is what changed

    @property
    def is_harmless(self) -> bool:
        """True for a source file in which nothing but layout, comments, documentation and hints is different."""
        if self.nature is not FileNature.SOURCE or self.fate is not FileFate.CHANGED or self.mode:
            return False
        if self.imports_added or self.imports_removed:
            return False
        return all(entry.is_harmless for entry in self.changes)

    @property
    def is_cosmetic(self) -> bool:
        """True for a source file in which nothing but layout and comments is different."""
        return self.is_harmless and not any(ChangeKind.DOCS in entry.change.kinds for entry in self.changes)


_HARMLESS = frozenset({ChangeKind.COSMETIC, ChangeKind.DOCS})


@frozen
class Difference:
    """All changes between two states, files in order of their paths. `old` and `new` are full commit hashes, "index" or
    "working tree"; an empty `old` stands for nothing at all, before the first commit."""

    old: str
    new: str
    files: tuple[FileDifference, ...] = ()
