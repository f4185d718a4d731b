"""Verify beliefs anew when the code that they were ahead of, or that contradicted them, has arrived.

Until then their anchors hold the state in which the statement was not borne out. Afterwards a belief is judged like
every other: code that leaves it again contradicts it.
"""

from __future__ import annotations

from collections.abc import Iterable

from attrs import evolve

from memlsp.beliefs.lifecycle.admission import Maker
from memlsp.beliefs.lifecycle.proposals import MINER
from memlsp.beliefs.lifecycle.revisions import revision_of
from memlsp.beliefs.lifecycle.verification import note_unmet, renew
from memlsp.memory.context import Context
from memlsp.memory.curation.revision import found_by
from memlsp.memory.judging.judgements import Judgements
from memlsp.model.belief import Belief, RevisionAction
from memlsp.model.errors import MemlspError, NoSuchBelief, Overtaken, Refused
from memlsp.model.standing import Standing

_THERE = frozenset({Standing.CURRENT, Standing.CARRIED})


def note_arrivals(context: Context, judgements: Judgements, paths: Iterable[str]) -> int:
    """Take the anchors again of beliefs about these files whose code has arrived; returns how many there were. A file
    with unsaved changes or with syntax errors waits."""
    count = 0
    for path in dict.fromkeys(paths):
        if not _is_settled(context, path):
            continue
        for judgement in judgements.anchored_in(path):
            if judgement.standing in _THERE and any(anchor.unmet for anchor in judgement.belief.anchors):
                count += _verify_anew(context, judgement.belief)
    return count


def _is_settled(context: Context, path: str) -> bool:
    worktree = context.worktree
    try:
        outline = worktree.outline(path)
        saved = not worktree.has_buffer(path) or (worktree.root / path).read_bytes() == worktree.read(path)
    except (MemlspError, OSError):
        return False
    return outline is not None and not outline.has_errors and saved


def _verify_anew(context: Context, belief: Belief) -> bool:
    now = context.clock()
    renewal = renew(belief, context.worktree, now=now)
    if renewal.lost:
        return False
    anew = evolve(belief, anchors=renewal.anchors, updated_at=now)
    after = note_unmet(anew, context.worktree)
    maker = Maker(MINER, "code", now, "the code does what it says now")
    try:
        revision = revision_of(belief, RevisionAction.REANCHOR, maker)
        context.store.change(after, revision, found_by(after), belief, anew=True)
    except (Overtaken, NoSuchBelief, Refused):  # somebody was quicker, or it is locked and its code moved
        return False
    return True
