"""The difference between two states, with the beliefs that the change broke at the symbols that broke them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from attrs import evolve

from memlsp.capture.git.revisions import WORKING_TREE
from memlsp.capture.git.semantic_diff import difference
from memlsp.capture.workspace.worktree import Worktree
from memlsp.model.change import SymbolRef
from memlsp.model.difference import BeliefTouched, Difference, FileDifference
from memlsp.model.standing import Judgement, Standing

_OF_THE_CODE = frozenset({Standing.CONTRADICTED, Standing.CHANGED, Standing.ORPHANED})
_Place = tuple[str, str]


def differences(
    worktree: Worktree,
    doubtful: Callable[[], Sequence[Judgement]],
    revisions: Sequence[str] = (),
    paths: Sequence[str] | None = None,
    *,
    base: Path,
    staged: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Difference:
    """See `Memory.diff`. `doubtful` gives the beliefs that do not hold in the files as they are."""
    found = difference(worktree, revisions, paths, base=base, staged=staged, progress=progress)
    if found.new != WORKING_TREE or not found.files:
        return found
    broken = [judgement for judgement in doubtful() if judgement.standing in _OF_THE_CODE]
    return found.with_files(_with_beliefs(found.files, broken)) if broken else found


def _with_beliefs(files: tuple[FileDifference, ...], broken: Sequence[Judgement]) -> tuple[FileDifference, ...]:
    """Each belief at the first place of the change that has to do with it: where its reason lies, then its symbol, then
    what holds or is held by that, then the file."""
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
        spots = _spots(judgement, files, symbols)
        touched = BeliefTouched(judgement, judgement.reasons[0].message if judgement.reasons else "")
        if spots is not None:
            at_symbols.setdefault(spots, []).append(touched)
            continue
        known = next((paths[path] for path, _ in _places(judgement) if path in paths), None)
        if known is not None:
            at_files.setdefault(known, []).append(touched)
    return tuple(
        evolve(
            file,
            changes=tuple(
                evolve(entry, beliefs=tuple(at_symbols.get((number, index), ())))
                for index, entry in enumerate(file.changes)
            ),
            beliefs=tuple(at_files.get(number, ())),
        )
        for number, file in enumerate(files)
    )


def _spots(
    judgement: Judgement, files: Sequence[FileDifference], symbols: dict[_Place, tuple[int, int]]
) -> tuple[int, int] | None:
    places = _places(judgement)
    for place in places:
        if place in symbols:
            return symbols[place]
    for reason in judgement.reasons:
        # a constant or callee elsewhere changed: the reason is in its file and names it
        for (path, name), spot in symbols.items():
            if name and path == reason.path and f"`{name.rpartition('.')[2]}`" in reason.message:
                return spot
    for path, name in places:
        for number, file in enumerate(files):
            for index, entry in enumerate(file.changes):
                if any(_is_near(ref, path, name) for ref in (entry.change.new, entry.change.old)):
                    return number, index
    return None


def _is_near(ref: SymbolRef | None, path: str, name: str) -> bool:
    """True when one holds the other."""
    if ref is None or ref.path != path or not ref.name or not name:
        return False
    return ref.name.startswith(f"{name}.") or name.startswith(f"{ref.name}.")


def _places(judgement: Judgement) -> list[_Place]:
    found: list[_Place] = []
    for tie in judgement.ties:
        if not tie.standing.holds:
            found += [(tie.path, tie.symbol), (tie.anchor.path, tie.anchor.symbol)]
    return list(dict.fromkeys(found))
