"""Where beliefs were learned: what is asked of every candidate of a search before any belief is read."""

from __future__ import annotations

import json
from collections.abc import Sequence

from attrs import frozen

from memlsp.model.belief import Authority, Belief, ScopeKind
from memlsp.store.core.database import Database


@frozen
class BranchOrigin:
    """Of one belief: the branch and the commit that were checked out, and what may make that mean nothing."""

    id: str
    branch: str
    commit: str
    scope: ScopeKind
    authority: Authority
    conditions: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, belief: Belief) -> BranchOrigin:
        """The same of a belief that was read."""
        return cls(belief.id, belief.branch, belief.commit, belief.scope.kind, belief.authority, belief.conditions)

    @classmethod
    def of_work(cls, id: str, branch: str, commit: str) -> BranchOrigin:
        """The same of a piece of work, which has no other scope than its workspace."""
        return cls(id, branch, commit, ScopeKind.WORKSPACE, Authority.AGENT)


def learned(connection: Database, ids: Sequence[str]) -> list[BranchOrigin]:
    """Those of the beliefs for which a branch, a commit or a condition is known."""
    query = """
        SELECT id, branch, commit_hash, scope, authority, conditions FROM belief
        WHERE id IN (SELECT value FROM json_each(?))
        AND (branch != '' OR commit_hash != '' OR conditions != '[]')
    """
    return [
        BranchOrigin(
            str(id),
            str(branch),
            str(commit),
            ScopeKind(scope),
            Authority(authority),
            () if conditions == "[]" else tuple((key, value) for key, value in json.loads(conditions)),
        )
        for id, branch, commit, scope, authority, conditions in connection.execute(query, (json.dumps(list(ids)),))
    ]
