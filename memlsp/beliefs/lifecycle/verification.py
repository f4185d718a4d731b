"""Holds a new or reworded statement against the workspace: what it names, and what the code contradicts at once."""

from __future__ import annotations

from attrs import evolve

from memlsp.beliefs.claims.references import verified_references
from memlsp.beliefs.files import Files
from memlsp.model.belief import Belief


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
