"""The difference between two states of a repository, by symbols.

Files in known languages are compared all at once, so that moves between files are seen; lines of other text files are
counted, and binary ones are only named. Nothing is written.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from attrs import evolve, field, frozen

from memlsp.capture.git.deltas import Delta, deltas_of
from memlsp.capture.git.libgit2 import pygit2
from memlsp.capture.git.repository import is_binary
from memlsp.capture.git.revisions import diff_request, readable_repository
from memlsp.capture.workspace.worktree import Worktree
from memlsp.code.diff.change_set import diff
from memlsp.code.diff.explanation import SourceText, explain_change
from memlsp.code.diff.repetitions import ReportedChange, without_repetitions
from memlsp.code.diff.sentences import explanation, following, sentence
from memlsp.code.languages.detection import is_generated, is_lock
from memlsp.code.syntax.language import Import
from memlsp.code.syntax.outline import Outline, outline
from memlsp.model.caller import Progress
from memlsp.model.change import ChangeKind, SymbolChange, SymbolRef
from memlsp.model.difference import Difference, FileDifference, FileFate, FileNature, SymbolDifference
from memlsp.model.errors import Refused, UnreadableSource
from memlsp.model.symbol import Symbol

_PLACES = frozenset({ChangeKind.MOVED, ChangeKind.RENAMED})


def difference(
    worktree: Worktree,
    revisions: Sequence[str] = (),
    paths: Sequence[str] | None = None,
    *,
    base: Path,
    staged: bool = False,
    progress: Progress | None = None,
) -> Difference:
    """The difference that the words ask for: none of them HEAD against the files on disk, one a commit against the
    files on disk, two two commits; with `staged` the index instead of the files.

    `progress` is called with the files read and the files to read. Raises NoRepository, NoSuchRevision, BadValue,
    NoSuchFile, Refused."""
    found, _ = readable_repository(worktree.root)
    question = diff_request(found, revisions, paths, base, staged=staged)
    deltas = deltas_of(found, question, worktree, base)
    read: list[_Read] = []
    for count, delta in enumerate(deltas):
        if progress is not None:
            progress(count, len(deltas))
        read.append(_read(delta))
    if progress is not None:
        progress(len(deltas), len(deltas))
    sources = [each for each in read if each.nature is FileNature.SOURCE]
    files = [_other(each) for each in read if each.nature is not FileNature.SOURCE]
    files += _Sources(sources).run() if sources else []
    files.sort(key=lambda file: file.path)
    return Difference(question.old.name, question.new.name, tuple(files))


@frozen
class _Read:
    delta: Delta
    nature: FileNature
    before: bytes | None = None
    after: bytes | None = None
    old: Outline | None = None
    new: Outline | None = None
    explained: Mapping[SymbolChange, SymbolChange] = field(factory=dict[SymbolChange, SymbolChange])


def _read(delta: Delta) -> _Read:
    if delta.nature is not None:
        return _Read(delta, delta.nature)
    try:
        before = delta.before() if delta.old is not None else None
        after = delta.after() if delta.new is not None else None
    except (UnreadableSource, Refused) as problem:
        return _Read(delta, FileNature.BINARY if "binary" in str(problem) else FileNature.LARGE)
    if is_binary(before) or is_binary(after):
        return _Read(delta, FileNature.BINARY)
    return _outlined(delta, before, after)


def _outlined(delta: Delta, before: bytes | None, after: bytes | None) -> _Read:
    """The contents with their outlines, where they are source code."""
    sides = [(path, data) for path, data in ((delta.old, before), (delta.new, after)) if path and data is not None]
    if any(is_lock(path) or is_generated(path, data) for path, data in sides):
        return _Read(delta, FileNature.GENERATED, before, after)
    texts = [SourceText(path, data) for path, data in sides]
    outlines = [outline(each.path, each.source, each.tree) for each in texts]
    if not outlines or any(len(each.symbols) == 1 and each.language is None for each in outlines):
        return _Read(delta, FileNature.TEXT, before, after)
    old = outlines[0] if before is not None and delta.old else None
    new = outlines[-1] if after is not None and delta.new else None
    # while their trees are there: most changes are of one file, and are told again when all files are compared
    found = diff([old], [new]) if old is not None and new is not None else ()
    explained = {change: explain_change(change, *texts) for change in found if change.old and change.new}
    return _Read(delta, FileNature.SOURCE, before, after, old, new, explained)


def _other(read: _Read) -> FileDifference:
    delta = read.delta
    former = delta.old if delta.fate is FileFate.RENAMED else None
    added = removed = 0
    if read.nature is FileNature.TEXT:
        _, added, removed = pygit2.Patch.create_from(read.before or b"", read.after or b"").line_stats
    mode = delta.mode if read.before == read.after else ""
    return FileDifference(
        delta.path, delta.fate, read.nature, former, lines_added=added, lines_removed=removed, mode=mode
    )


class _Sources:
    def __init__(self, read: Sequence[_Read]) -> None:
        self.read = read
        self.before = {one.delta.old: one for one in read if one.old is not None and one.delta.old}
        self.after = {one.delta.new: one for one in read if one.new is not None and one.delta.new}
        self.texts: dict[tuple[str, bool], SourceText] = {}

    def run(self) -> list[FileDifference]:
        changes = diff(
            [one.old for one in self.before.values() if one.old], [one.new for one in self.after.values() if one.new]
        )
        moved_to = _file_moves(changes)
        by_path: defaultdict[str, list[ReportedChange]] = defaultdict(list)
        for reported in without_repetitions([self._explained(change) for change in changes]):
            if _is_of_file_alone(reported.change):
                continue
            ref = reported.change.new or reported.change.old
            assert ref is not None
            path = ref.path if reported.change.new is not None else moved_to.get(ref.path, ref.path)
            by_path[path].append(reported)
        files: list[FileDifference] = []
        come = {new: old for old, new in moved_to.items()}
        for path in dict.fromkeys([*self.after, *self.before]):
            if path not in self.after and path in moved_to:
                continue  # reported at its new path
            files.append(self._file(path, come.get(path), by_path[path]))
        return files

    def _file(self, path: str, former: str | None, changes: Sequence[ReportedChange]) -> FileDifference:
        after = self.after.get(path)
        before = self.before.get(former or path)
        fate = FileFate.CHANGED
        if former is not None:
            fate = FileFate.RENAMED
        elif before is None:
            fate = FileFate.ADDED
        elif after is None:
            fate = FileFate.REMOVED
        outlined = after.new if after else before.old if before else None
        assert outlined is not None
        whole = fate in {FileFate.ADDED, FileFate.REMOVED}
        came, went = _imports(before, after)
        return FileDifference(
            path,
            fate,
            FileNature.SOURCE,
            former,
            changes=tuple(self._symbol(reported, former) for reported in changes),
            symbols=len(outlined.symbols) - 1 if whole else 0,
            names=_outermost(outlined) if whole else (),
            broken=bool(after and after.new and after.new.has_errors),
            imports_added=came,
            imports_removed=went,
            mode=after.delta.mode if after and after.before == after.after else "",
        )

    def _symbol(self, reported: ReportedChange, former: str | None) -> SymbolDifference:
        change = reported.change
        if former is not None and change.old is not None and change.new is not None and not change.new.name:
            # that the file has another path is reported of the file
            change = evolve(change, kinds=change.kinds - _PLACES, old=change.new)
        ref = change.new or change.old
        side = self.after if change.new is not None else self.before
        symbol = self._find(ref, side) if ref else None
        line = symbol.name_span.start_line + 1 if symbol else 1
        if reported.follows and not change.details and not change.kinds & _PLACES:
            return SymbolDifference(change, following(change, reported.follows), (), line, reported.follows)
        return SymbolDifference(change, sentence(change), explanation(change), line)

    def _explained(self, change: SymbolChange) -> SymbolChange:
        if change.old is None or change.new is None:
            return change
        before, after = self.before.get(change.old.path), self.after.get(change.new.path)
        if before is None or after is None or before.before is None or after.after is None:
            return change
        if change in after.explained and before is after:
            return after.explained[change]
        left = self.texts.setdefault((change.old.path, False), SourceText(change.old.path, before.before))
        right = self.texts.setdefault((change.new.path, True), SourceText(change.new.path, after.after))
        return explain_change(change, left, right)

    def _find(self, ref: SymbolRef, side: dict[str, _Read]) -> Symbol | None:
        read = side.get(ref.path)
        outlined = (read.new if side is self.after else read.old) if read else None
        return outlined.find(ref.name, ref.ordinal) if outlined else None


def _file_moves(changes: Sequence[SymbolChange]) -> dict[str, str]:
    return {
        change.old.path: change.new.path
        for change in changes
        if change.old is not None
        and change.new is not None
        and not change.old.name
        and not change.new.name
        and change.old.path != change.new.path
    }


def _is_of_file_alone(change: SymbolChange) -> bool:
    """True for what the file's own line says: it came, it went, it is somewhere else."""
    ref = change.new or change.old
    if ref is None or ref.name:
        return False
    if change.new is None or change.old is None:
        return True
    return change.kinds <= _PLACES


def _imports(before: _Read | None, after: _Read | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if before is None or after is None or before.old is None or after.new is None:
        return (), ()
    old = dict.fromkeys(_imported(each) for each in before.old.imports)
    new = dict.fromkeys(_imported(each) for each in after.new.imports)
    return tuple(text for text in new if text not in old), tuple(text for text in old if text not in new)


def _imported(found: Import) -> str:
    return f"{found.module} {found.name}" if found.name else found.module


def _outermost(outlined: Outline) -> tuple[str, ...]:
    names = [symbol.name for symbol in outlined.symbols if symbol.name and not symbol.container]
    return tuple(dict.fromkeys(names))
