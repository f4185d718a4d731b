"""On which branch a belief is at home after it was said again."""

from __future__ import annotations

from typing import TypedDict

from memlsp.capture.git.lineage import Lineage
from memlsp.capture.workspace.worktree import Worktree
from memlsp.model.belief import Belief
from memlsp.recall.branch_visibility import Branches, Visibility
from memlsp.store import BranchOrigin


class BranchFields(TypedDict, total=False):
    """What of a belief is to be another."""

    branch: str
    commit: str


class BranchOwnership:
    """Decides for one checkout."""

    def __init__(self, worktree: Worktree) -> None:
        self._worktree = worktree

    def of_confirmed(self, belief: Belief) -> BranchFields:
        """What was confirmed on the trunk belongs to the trunk; what was silent where it was confirmed belongs there;
        else nothing changes."""
        if not (belief.branch or belief.commit) or self._worktree.head() is None:
            return {}
        branches = Branches(Lineage(self._worktree.root))
        here = branches.here()
        if here is None or not here.present.branch or here.present.branch == belief.branch:
            return {}
        on_trunk = here.present.branch in here.trunks
        if not on_trunk and branches.visibility(BranchOrigin.of(belief), here) is not Visibility.NO:
            return {}
        return {"branch": here.present.branch, "commit": here.present.commit}

    def of_successor(self, old: Belief) -> BranchFields:
        """What takes the place of something that the trunk holds is the trunk's; else it belongs where it is said."""
        present = None if self._worktree.head() is None else Lineage(self._worktree.root)
        here = Branches(present).here() if present is not None else None
        if here is None or not old.branch or old.branch in here.trunks:
            return {} if here is None else {"commit": here.present.commit}
        return {"branch": here.present.branch, "commit": here.present.commit}
