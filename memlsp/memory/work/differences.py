"""The difference between two states of the code, with each belief that a change broke at the symbol that broke it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from attrs import evolve

from memlsp.capture.git.libgit2 import pygit2
from memlsp.capture.git.revisions import WORKING_TREE, commit_named, readable_repository
from memlsp.capture.git.semantic_diff import difference
from memlsp.capture.history.commits import episode_of
from memlsp.capture.workspace.worktree import Worktree
from memlsp.model.change import SymbolRef
from memlsp.model.difference import BeliefTouched, Difference, FileDifference
from memlsp.model.standing import Judgement, Standing
from memlsp.model.view import CommitDone

_BROKEN_BY_CODE = frozenset({Standing.CONTRADICTED, Standing.CHANGED, Standing.ORPHANED})
_Place = tuple[str, str]


def with_broken_beliefs(found: Difference, doubtful: Callable[[], Sequence[Judgement]]) -> Difference:
    """A difference from the present files with the beliefs that it breaks; `doubtful` returns those that do not hold
    in them."""
    if found.new != WORKING_TREE or not found.files:
        return found
    broken = [judgement for judgement in doubtful() if judgement.standing in _BROKEN_BY_CODE]
    return evolve(found, files=_with_beliefs(found.files, broken)) if broken else found


def commit_changes(worktree: Worktree, name: str) -> CommitDone:
    """See `Memory.commit`."""
    _, repository = readable_repository(worktree.root)
    commit = repository[commit_named(repository, name).name].peel(pygit2.Commit)
    found = difference(worktree, [f"{commit.id}^!"], (), base=worktree.root)
    return CommitDone(str(commit.id), episode_of(commit).subject, found)


def _with_beliefs(files: tuple[FileDifference, ...], broken: Sequence[Judgement]) -> tuple[FileDifference, ...]:
    """Assign each broken belief to the first place that explains it: the symbol of its reason, its own symbol, a
    container or member of that, or the file."""
    symbols: dict[_Place, tuple[int, int]] = {}
    paths: dict[str, int] = {}
    for number, file in enumerate(files):
        for path in (file.path, file.former):
            if path is not None:
                paths.setdefault(path, number)
        for index, entry in enumerate(file.changes):
            for ref in (entry.change.new, entry.change.old):
                if ref is not None:
                    symbols.setdefault((ref.path, ref.name), (number, index))
    at_symbols: dict[tuple[int, int], list[BeliefTouched]] = {}
    at_files: dict[int, list[BeliefTouched]] = {}
    for judgement in broken:
        position = _position_of(judgement, files, symbols)
        touched = BeliefTouched(judgement, judgement.reasons[0].message if judgement.reasons else "")
        if position is not None:
            at_symbols.setdefault(position, []).append(touched)
            continue
        known = next((paths[path] for path, _ in _places(judgement) if path in paths), None)
        if known is not None:
            at_files.setdefault(known, []).append(touched)
    found: list[FileDifference] = []
    for number, file in enumerate(files):
        touched = (tuple(at_symbols.get((number, index), ())) for index in range(len(file.changes)))
        changes = (evolve(entry, beliefs=beliefs) for entry, beliefs in zip(file.changes, touched, strict=True))
        found.append(evolve(file, changes=tuple(changes), beliefs=tuple(at_files.get(number, ()))))
    return tuple(found)


def _position_of(
    judgement: Judgement, files: Sequence[FileDifference], symbols: dict[_Place, tuple[int, int]]
) -> tuple[int, int] | None:
    places = _places(judgement)
    for place in places:
        if place in symbols:
            return symbols[place]
    for reason in judgement.reasons:
        # a constant or callee elsewhere changed: the reason names it and its file
        for (path, name), position in symbols.items():
            if name and path == reason.path and f"`{name.rpartition('.')[2]}`" in reason.message:
                return position
    for path, name in places:
        for number, file in enumerate(files):
            for index, entry in enumerate(file.changes):
                if any(_is_near(ref, path, name) for ref in (entry.change.new, entry.change.old)):
                    return number, index
    return None


def _is_near(ref: SymbolRef | None, path: str, name: str) -> bool:
    """True when one of the two symbols contains the other."""
    if ref is None or ref.path != path or not ref.name or not name:
        return False
    return ref.name.startswith(f"{name}.") or name.startswith(f"{ref.name}.")


def _places(judgement: Judgement) -> list[_Place]:
    found: list[_Place] = []
    for tie in judgement.ties:
        if not tie.standing.holds:
            found += [(tie.path, tie.symbol), (tie.anchor.path, tie.anchor.symbol)]
    return list(dict.fromkeys(found))
