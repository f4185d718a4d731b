"""Whether a belief speaks here: what was learned on a branch that is not in the files that are checked out does not.

The rule, in this order:

1. What was said with nothing checked out, what belongs to the user, and what a person locked speaks everywhere.
2. A condition `branch=NAME` (a shell pattern) decides alone: that was said, not observed.
3. What was learned on the branch that is checked out speaks, also after a rebase, and so does what was learned on the
   trunk: the branches that have yet to take up the latest of it are told by the standing what their files say.
4. Of another branch that is there: once it was merged here or into the trunk, or brought there squashed, rebased or
   picked. One on which nothing was committed yet has brought nothing.
5. Of a branch that is gone the same is asked of the commit that it was last left at, or that the belief was learned
   on. So it is for what was learned on a detached commit.
6. Where git cannot tell, the code decides: what is tied to code speaks where that code stands as it was verified.
"""

from __future__ import annotations

from enum import Enum
from fnmatch import fnmatchcase

from attrs import frozen

from memlsp.capture.git.lineage import CheckedOut, Lineage
from memlsp.model.belief import Authority, ScopeKind
from memlsp.model.standing import Judgement
from memlsp.store import BranchOrigin

CONDITION = "branch"
"""The key of a condition that says on which branches something holds."""

_MOST_KEPT = 4_096


class Visibility(Enum):
    """Whether a belief speaks here."""

    YES = "yes"
    NO = "no"
    IF_FOUND = "if found"  # git cannot tell: where its code stands here as it was verified


@frozen
class VisibilityContext:
    """What is checked out, and the trunk: what an answer depends on besides the belief."""

    present: CheckedOut
    trunks: tuple[str, ...]
    tips: tuple[str, ...]  # where the first trunk points

    @property
    def lines(self) -> tuple[str, ...]:
        """The commits whose histories count as here."""
        return tuple(dict.fromkeys(tip for tip in (self.present.commit, *self.tips) if tip))


class Branches:
    """Decides for one checkout. `lineage` is None without git: then everything speaks. Safe to use from threads."""

    def __init__(self, lineage: Lineage | None) -> None:
        self.lineage = lineage
        self._lineage = lineage
        self._kept: dict[tuple[str, str], tuple[object, Visibility]] = {}

    def here(self) -> VisibilityContext | None:
        """What is checked out now; None where branches mean nothing."""
        present = self._lineage.present() if self._lineage is not None else None
        if self._lineage is None or present is None:
            return None
        trunks = self._lineage.trunks()
        return VisibilityContext(present, trunks, self._lineage.tips(trunks[0]) if trunks else ())

    def speech(self, learned: BranchOrigin, here: VisibilityContext | None) -> Visibility:
        """Whether a belief of this learned speaks where `here` is checked out."""
        if here is None or learned.scope is ScopeKind.USER or learned.authority is Authority.LOCKED:
            return Visibility.YES
        said = [value for key, value in learned.conditions if key == CONDITION]
        if said:
            return Visibility.YES if any(fnmatchcase(here.present.branch, each) for each in said) else Visibility.NO
        if not (learned.branch or learned.commit):
            return Visibility.YES
        if learned.branch and learned.branch in (here.present.branch, *here.trunks):
            return Visibility.YES
        return self._learned_elsewhere(learned.branch, learned.commit, here)

    def speaks(self, judgement: Judgement, here: VisibilityContext | None) -> bool:
        """The same of a belief that was judged, so that the code can decide."""
        speech = self.speech(BranchOrigin.of(judgement.belief), here)
        return speech is Visibility.YES or (speech is Visibility.IF_FOUND and is_found(judgement))

    def holds(self, commit: str, here: VisibilityContext) -> bool:
        """True when a commit leads to what is checked out or to the trunk, or nothing is known of it."""
        lineage = self._lineage
        found = [lineage.within(commit, line) for line in here.lines] if lineage is not None else []
        return not found or True in found or False not in found

    def _learned_elsewhere(self, branch: str, commit: str, here: VisibilityContext) -> Visibility:
        assert self._lineage is not None
        tips = self._lineage.tips(branch)
        state = here, tips
        kept = self._kept.get((branch, commit))
        if kept is not None and kept[0] == state:
            return kept[1]
        speech = self._of_branch(branch, commit, tips, here) if tips else self._of_past(branch, commit, here)
        if len(self._kept) >= _MOST_KEPT:
            self._kept.clear()
        self._kept[branch, commit] = state, speech
        return speech

    def _of_branch(self, branch: str, commit: str, tips: tuple[str, ...], here: VisibilityContext) -> Visibility:
        """Learned on a branch that is there."""
        assert self._lineage is not None
        if any(self._has_come(tip, here) for tip in tips):
            return Visibility.YES if self._lineage.has_own(branch) else Visibility.NO
        # it went on after it was merged: then what was made on it by then is here
        if commit and self._lineage.made_on(branch, commit) and self._has_come(commit, here):
            return Visibility.YES
        return Visibility.NO

    def _of_past(self, branch: str, commit: str, here: VisibilityContext) -> Visibility:
        """Learned on a branch that is gone, or on none."""
        assert self._lineage is not None
        last = self._lineage.last_tip(branch) if branch else ""
        at = last or commit
        if not at:
            return Visibility.IF_FOUND
        if self._has_come(at, here):
            return Visibility.YES
        if self._lineage.is_shallow() and all(self._lineage.within(at, line) is None for line in here.lines):
            return Visibility.YES  # the clone begins after it, as far as anybody can tell
        return Visibility.IF_FOUND

    def _has_come(self, commit: str, here: VisibilityContext) -> bool:
        assert self._lineage is not None
        return any(self._lineage.within(commit, line) for line in here.lines) or any(
            self._lineage.brought(commit, line) for line in here.lines
        )


def is_found(judgement: Judgement) -> bool:
    """True when a belief is tied to code, and all of it stands here as it was verified, moved or not."""
    return bool(judgement.ties) and judgement.standing.holds and all(tie.found for tie in judgement.ties)
