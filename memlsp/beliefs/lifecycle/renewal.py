"""Takes a belief's anchors and references again, as they are now, for a confirmation."""

from __future__ import annotations

from datetime import datetime

from attrs import frozen

from memlsp.beliefs.claims.references import verified_references
from memlsp.beliefs.files import Files
from memlsp.beliefs.lifecycle.anchors import renew_anchor
from memlsp.beliefs.standing.standing import present_places
from memlsp.model.belief import Anchor, Belief, Reference


@frozen
class Renewal:
    """The present anchors and references of a belief. `lost` are the anchors whose code is gone."""

    anchors: tuple[Anchor, ...]
    references: tuple[Reference, ...]
    lost: tuple[Anchor, ...] = ()


def renew(belief: Belief, worktree: Files, *, now: datetime, text: str | None = None) -> Renewal:
    """The anchors of a belief at their present places, verified now, and the references of its statement (or `text`).
    An anchor whose file cannot be judged at the moment stays as it is."""
    anchors: list[Anchor] = []
    lost: list[Anchor] = []
    for present in present_places(belief, worktree):
        again = present.anchor if present.keep else renew_anchor(present.anchor, worktree, present.symbol, now=now)
        if again is None:
            lost.append(present.anchor)
        else:
            anchors.append(again)
    references = verified_references(belief.text if text is None else text, worktree, anchors)
    return Renewal(tuple(anchors), references, tuple(lost))
