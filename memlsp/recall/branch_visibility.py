"""Whether a belief is visible on the current checkout. In this order:

1. Visible everywhere: beliefs recorded with nothing checked out, of the user, or locked by a person.
2. A condition `branch=NAME` (a shell pattern) decides alone: it was stated.
3. Visible: beliefs recorded on the branch that is checked out, also after a rebase, or on the trunk. Where a branch has
   yet to take up the trunk, the standing says so.
4. Recorded on another existing branch: visible once that was merged here or into the trunk, or arrived squashed,
   rebased or cherry-picked. A branch without commits of its own has brought nothing.
5. Recorded on a deleted branch or a detached commit: the same for the branch's last known tip, else for the commit.
6. Where git cannot tell, the code decides: visible where all anchored code stands as it was verified.
"""

from __future__ import annotations

from enum import Enum
from fnmatch import fnmatchcase

from attrs import frozen

from memlsp.capture.git.lineage import CheckedOut, Lineage
from memlsp.model.belief import Authority, Belief, ScopeKind
from memlsp.model.standing import Judgement
from memlsp.store.tables.beliefs import BranchOrigin

CONDITION = "branch"
"""The condition key that limits a belief to branches."""

_MOST_CACHED = 4_096


class Visibility(Enum):
    """Whether a belief is visible."""

    YES = "yes"
    NO = "no"
    IF_FOUND = "if found"  # git cannot tell: visible if its code stands here as it was verified


@frozen
class VisibilityContext:
    """The checkout and the trunk, on which visibility depends besides the belief."""

    present: CheckedOut
    trunks: tuple[str, ...]
    tips: tuple[str, ...]  # where the first trunk points

    @property
    def lines(self) -> tuple[str, ...]:
        """The commits whose histories count as here: of the checkout and of the trunk."""
        return tuple(dict.fromkeys(tip for tip in (self.present.commit, *self.tips) if tip))


class Branches:
    """Decides visibility for one checkout. Without git (`lineage` None) all is visible. Thread-safe."""

    def __init__(self, lineage: Lineage | None) -> None:
        self.lineage = lineage
        self._cache: dict[tuple[str, str], tuple[object, Visibility]] = {}

    def here(self) -> VisibilityContext | None:
        """The present context; None where branches mean nothing."""
        present = self.lineage.present() if self.lineage is not None else None
        if self.lineage is None or present is None:
            return None
        trunks = self.lineage.trunks()
        return VisibilityContext(present, trunks, self.lineage.tips(trunks[0]) if trunks else ())

    def visibility(self, origin: BranchOrigin, here: VisibilityContext | None) -> Visibility:
        """Whether a belief of this origin is visible in a context."""
        if here is None or origin.scope is ScopeKind.USER or origin.authority is Authority.LOCKED:
            return Visibility.YES
        said = [value for key, value in origin.conditions if key == CONDITION]
        if said:
            return Visibility.YES if any(fnmatchcase(here.present.branch, each) for each in said) else Visibility.NO
        if not (origin.branch or origin.commit):
            return Visibility.YES
        if origin.branch and origin.branch in (here.present.branch, *here.trunks):
            return Visibility.YES
        return self._from_elsewhere(origin.branch, origin.commit, here)

    def is_visible(self, judgement: Judgement, here: VisibilityContext | None) -> bool:
        """Whether a judged belief is visible; the code decides where git cannot tell."""
        visibility = self.visibility(BranchOrigin.of(judgement.belief), here)
        return visibility is Visibility.YES or (visibility is Visibility.IF_FOUND and is_found(judgement))

    def holds(self, commit: str, here: VisibilityContext) -> bool:
        """True when a commit is an ancestor of the checkout or the trunk, or nothing is known of it."""
        lineage = self.lineage
        found = [lineage.within(commit, line) for line in here.lines] if lineage is not None else []
        return not found or True in found or False not in found

    def _from_elsewhere(self, branch: str, commit: str, here: VisibilityContext) -> Visibility:
        assert self.lineage is not None
        tips = self.lineage.tips(branch)
        state = here, tips
        cached = self._cache.get((branch, commit))
        if cached is not None and cached[0] == state:
            return cached[1]
        visibility = (
            _from_branch(self.lineage, branch, commit, tips, here)
            if tips
            else _from_past(self.lineage, branch, commit, here)
        )
        if len(self._cache) >= _MOST_CACHED:
            self._cache.clear()
        self._cache[branch, commit] = state, visibility
        return visibility


def is_made_on(branch: str, belief: Belief | BranchOrigin) -> bool:
    """True for a belief that was recorded on this branch, or on none, and names no other in a condition. It is visible
    where the branch is checked out, and git need not be asked for the trunk."""
    return (
        belief.branch in {branch, ""}
        and bool(belief.branch or not belief.commit)
        and not any(key == CONDITION for key, _ in belief.conditions)
    )


def _from_branch(
    lineage: Lineage, branch: str, commit: str, tips: tuple[str, ...], here: VisibilityContext
) -> Visibility:
    if any(_has_come(lineage, tip, here) for tip in tips):
        return Visibility.YES if lineage.has_own(branch) else Visibility.NO
    # the branch went on after it was merged: its commits until then are here
    if commit and lineage.made_on(branch, commit) and _has_come(lineage, commit, here):
        return Visibility.YES
    return Visibility.NO


def _from_past(lineage: Lineage, branch: str, commit: str, here: VisibilityContext) -> Visibility:
    """The visibility of beliefs recorded on a deleted branch, or on none."""
    at = (lineage.last_tip(branch) if branch else "") or commit
    if not at:
        return Visibility.IF_FOUND
    if _has_come(lineage, at, here):
        return Visibility.YES
    if lineage.is_shallow() and all(lineage.within(at, line) is None for line in here.lines):
        return Visibility.YES  # the shallow clone begins after it, as far as anybody can tell
    return Visibility.IF_FOUND


def _has_come(lineage: Lineage, commit: str, here: VisibilityContext) -> bool:
    return any(lineage.within(commit, line) for line in here.lines) or any(
        lineage.brought(commit, line) for line in here.lines
    )


def is_found(judgement: Judgement) -> bool:
    """True when a belief is anchored to code, and all of that stands here as it was verified, moved or not."""
    return bool(judgement.ties) and judgement.standing.holds and all(tie.found for tie in judgement.ties)
