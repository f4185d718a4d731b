"""What is to be said of a file before it is read or changed, worked out beforehand for the hooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from time import monotonic
from typing import TYPE_CHECKING

from memlsp.memory.premises import Premises
from memlsp.model.belief import BeliefKind
from memlsp.model.lines import tagless
from memlsp.model.standing import Judgement, Standing
from memlsp.store.notes import stamp_of

if TYPE_CHECKING:
    from memlsp.store.notes import Note

MOST = 3
"""Notes of one file."""

LONGEST = 280
"""Characters of one."""

SECONDS = 5.0
"""How long one refresh may take; what is left waits for the next."""

_WARNING_KINDS = frozenset({BeliefKind.RULE, BeliefKind.GOTCHA})
_REASON = 100
_AUTHOR = 30
_PLACE = 60


def refresh_notes(premises: Premises, touched: Iterable[str], *, seconds: float = SECONDS) -> int:
    """Bring the notes of all files that carry beliefs up to date, those that were touched first; how many were looked
    at. Files that are as they were, and whose beliefs are, cost one look at their times."""
    shelf, root = premises.store.handoffs, premises.worktree.root
    tied, noted = shelf.tied(), shelf.noted()
    touched = dict.fromkeys(touched)
    leaning = shelf.leaning_on(touched)
    due: dict[str, None] = dict.fromkeys((*touched, *sorted(leaning)))
    for path in sorted({*tied, *noted} - due.keys()):
        if noted.get(path) != (stamp_of(f"{root}/{path}"), tied.get(path, "")):
            due[path] = None
    until = monotonic() + seconds
    done = 0
    for path in due:
        if done and monotonic() > until:
            break
        stamp = stamp_of(f"{root}/{path}")
        if path in noted and noted[path][0] != stamp:
            premises.worktree.changed([path])  # a watcher that runs here may not have told it yet
        judged = premises.memory.about(path)
        if judged or path in noted:
            leans_on = {tie for each in judged for tie in _sources(each)}
            shelf.keep_notes(path, stamp, tied.get(path, ""), notes_of(judged, path), leans_on)
        done += 1
    return done


def notes_of(judged: Sequence[Judgement], path: str) -> list[Note]:
    """What is said of a file, given the beliefs about it: those that are contradicted, rules and gotchas."""
    told = [
        each
        for each in judged
        if each.standing is Standing.CONTRADICTED or (each.standing.holds and each.belief.kind in _WARNING_KINDS)
    ]
    told.sort(key=lambda j: (j.belief.authority.rank, j.standing is not Standing.CONTRADICTED, j.belief.id))
    return [(sentence(each, path), f"{each.belief.id} {each.standing}") for each in told[:MOST]]


def sentence(judgement: Judgement, path: str) -> str:
    """A belief as one sentence of at most 280 characters: standing, statement, who said it and when, and its id."""
    belief = judgement.belief
    who = tagless(belief.author.name, _AUTHOR) or "someone"
    source = f"({who}, {belief.created_at:%Y-%m-%d}, {belief.authority}, {belief.id})"
    where = _where(judgement, path)
    if judgement.standing.holds:
        head, tail = f'memlsp, {belief.kind} for {where}: "', f'" {source}'
    else:
        why = tagless("; ".join(r.message.rstrip(". ") for r in judgement.reasons if r.message), _REASON)
        because = f" ({why})" if why else ""
        head, tail = f'memlsp, {judgement.standing} {belief.kind} for {where}{because}: "', f'" {source}'
    room = LONGEST - len(head) - len(tail)
    statement = tagless(belief.text, max(room, 1))
    while len(statement) > room > 1:  # escaped signs take more than one character
        room -= max(1, (len(statement) - room) // 4)
        statement = tagless(belief.text, room)
    return head + statement + tail


def _where(judgement: Judgement, path: str) -> str:
    for tie in judgement.ties:
        if path in {tie.path, tie.anchor.path} and (name := tie.symbol or tie.anchor.symbol):
            return f"`{tagless(name, _PLACE)}`"
    return "this file"


def _sources(judgement: Judgement) -> set[str]:
    """The files on which the standing of a belief depends."""
    anchors = [tie.anchor for tie in judgement.ties]
    found = {dependency.path for anchor in anchors for dependency in anchor.depends}
    return found | {anchor.path for anchor in anchors} | {tie.path for tie in judgement.ties}
