"""Holds a statement against the workspace: what it names, what the code contradicts at once, and for a confirmation
where its anchors are now."""

from __future__ import annotations

from datetime import datetime

from attrs import evolve, frozen

from memlsp.beliefs.claims.references import verified_references
from memlsp.beliefs.files import Files
from memlsp.model.belief import Anchor, Belief, Reference


def verified(belief: Belief, worktree: Files) -> Belief:
    """The belief with the references that exist now, and at each anchor the claims that the code contradicts. Every
    statement that is made, proposed, imported or worded anew comes through here."""
    references = verified_references(belief.text, worktree, belief.anchors)
    return note_unmet(evolve(belief, references=tuple(references)), worktree)


def note_unmet(belief: Belief, worktree: Files, *, insists: bool = False) -> Belief:
    """The belief with the claims that the code bears out or contradicts now noted at its anchors; where somebody
    `insists`, of those that it contradicts only decisions, rules and plans."""
    if not belief.anchors:
        return belief
    from memlsp.beliefs.standing.present_check import checked_at  # late: only what is remembered is read

    noted = tuple(checked_at(belief, each, worktree, insists=insists) for each in belief.anchors)
    return evolve(belief, anchors=noted)


@frozen
class Renewal:
    """The present anchors and references of a belief. `lost` are the anchors whose code is gone."""

    anchors: tuple[Anchor, ...]
    references: tuple[Reference, ...]
    lost: tuple[Anchor, ...] = ()


def renew(belief: Belief, worktree: Files, *, now: datetime, text: str | None = None) -> Renewal:
    """The anchors of a belief at their present places, verified now, and the references of its statement (or `text`).
    An anchor whose file cannot be judged at the moment stays as it is."""
    from memlsp.beliefs.lifecycle.anchors import renew_anchor
    from memlsp.beliefs.standing.standing import present_places  # late: only what is confirmed is looked for

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
