"""What is to be said of a file before it is read or changed, worked out beforehand for the hooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from time import monotonic

from memlsp.memory.context import Context
from memlsp.memory.judging.judgements import Judgements
from memlsp.memory.judging.ordering import matches
from memlsp.model.belief import BeliefKind, ScopeKind
from memlsp.model.one_line import tagless
from memlsp.model.standing import Judgement, Standing
from memlsp.store.tables.handoffs import KeptNote
from memlsp.store.tables.hook_notes import stamp_of

MOST = 3
"""Notes of one file."""

LONGEST = 280
"""Characters of one."""

SECONDS = 5.0
"""How long one refresh may take; what is left waits for the next."""

MOST_COVERED = 1_000
"""Files of which the notes of path globs are kept ready before anybody touches them."""

_WARNING_KINDS = frozenset({BeliefKind.RULE, BeliefKind.GOTCHA})
_REASON = 100
_AUTHOR = 30
_PLACE = 60


def refresh_notes(context: Context, judgements: Judgements, touched: Iterable[str], *, seconds: float = SECONDS) -> int:
    """Bring the notes of all files that carry beliefs up to date, those that were touched first; how many were looked
    at. Files that are as they were, and whose beliefs are, cost one look at their times."""
    shelf, root = context.store.handoffs, context.worktree.root
    globs = _Globs(context, judgements)
    touched = dict.fromkeys(touched)
    tied, noted = shelf.tied(), shelf.noted()
    for path in {*tied, *globs.covered()}:
        tied[path] = tied.get(path, "") + globs.state_at(path)
    due: dict[str, None] = dict.fromkeys((*touched, *sorted(shelf.leaning_on(touched))))
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
            context.worktree.changed([path])  # a watcher that runs here may not have told it yet
        judged = [*judgements.about(path, globs=False), *globs.judged_at(path)]
        if judged or path in noted:
            leans_on = {tie for each in judged for tie in _sources(each)}
            shelf.keep_notes(path, stamp, tied.get(path, ""), notes_of(judged, path), leans_on)
        done += 1
    return done


class _Globs:
    """The beliefs of path globs. Each is judged once, however many files it covers: it may carry a guard, which looks
    at all of them."""

    def __init__(self, context: Context, judgements: Judgements) -> None:
        self._context = context
        self._judgements = judgements
        self._states = context.store.handoffs.spanned()
        self._judged: dict[str, tuple[Judgement, ...]] = {}
        self._covering: dict[str, list[str]] = {}

    def covered(self) -> list[str]:
        """The files that some glob covers, as far as they are not too many."""
        if not self._states:
            return []
        paths = self._context.worktree.paths()
        return list(islice((path for path in paths if self._patterns(path)), MOST_COVERED))

    def state_at(self, path: str) -> str:
        """What moves when the beliefs of globs that cover a file do."""
        return "".join(f" {self._states[pattern]}" for pattern in self._patterns(path))

    def judged_at(self, path: str) -> list[Judgement]:
        """The beliefs of all globs that cover a file."""
        return [judgement for pattern in self._patterns(path) for judgement in self._of(pattern)]

    def _patterns(self, path: str) -> list[str]:
        if path not in self._covering:
            self._covering[path] = [pattern for pattern in sorted(self._states) if matches(pattern, path)]
        return self._covering[path]

    def _of(self, pattern: str) -> tuple[Judgement, ...]:
        if pattern not in self._judged:
            beliefs = self._context.store.in_scope([pattern], "")
            self._judged[pattern] = tuple(self._judgements.get(belief.id) for belief in beliefs)
        return self._judged[pattern]


def notes_of(judged: Sequence[Judgement], path: str) -> list[KeptNote]:
    """What is said of a file, given the beliefs about it: those that are contradicted there, rules and gotchas."""
    told = [each for each in judged if _is_fallen(each, path) or _warns(each, path)]
    told.sort(key=lambda j: (j.belief.authority.rank, not _is_fallen(j, path), j.belief.id))
    return [
        KeptNote(
            sentence(each, path),
            f"{each.belief.id} {_shown_standing(each, path)}",
            each.belief.id,
            each.belief.updated_at,
        )
        for each in told[:MOST]
    ]


def _is_fallen(judgement: Judgement, path: str) -> bool:
    """True for what is contradicted; a guard that is broken in another file is still the rule of this one."""
    if judgement.standing is not Standing.CONTRADICTED:
        return False
    places = {reason.path for reason in judgement.reasons if reason.path}
    return judgement.belief.scope.kind is not ScopeKind.GLOB or not places or path in places


def _warns(judgement: Judgement, path: str) -> bool:
    belief, standing = judgement.belief, judgement.standing
    # that the code of a rule was edited takes nothing from it: the next edit is what it is for
    holds = standing.holds or standing is Standing.CHANGED
    holds = holds or (standing is Standing.CONTRADICTED and not _is_fallen(judgement, path))
    return holds and (belief.kind in _WARNING_KINDS or bool(belief.guards))


def _shown_standing(judgement: Judgement, path: str) -> str:
    return str(judgement.standing) if _is_fallen(judgement, path) else "rule"


def sentence(judgement: Judgement, path: str) -> str:
    """A belief as one sentence of at most 280 characters: standing, statement, who said it and when, and its id."""
    belief = judgement.belief
    who = tagless(belief.author.name, _AUTHOR) or "someone"
    source = f"({who}, {belief.created_at:%Y-%m-%d}, {belief.authority}, {belief.id})"
    where = _where(judgement, path)
    if not _is_fallen(judgement, path):
        since = ", which changed since" if judgement.standing is Standing.CHANGED else ""
        head, tail = f'memlsp, {belief.kind} for {where}{since}: "', f'" {source}'
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
    scope = judgement.belief.scope
    return f"`{tagless(scope.pattern, _PLACE)}`" if scope.kind is ScopeKind.GLOB else "this file"


def _sources(judgement: Judgement) -> set[str]:
    """The files on which the standing of a belief depends."""
    anchors = [tie.anchor for tie in judgement.ties]
    found = {dependency.path for anchor in anchors for dependency in anchor.depends}
    return found | {anchor.path for anchor in anchors} | {tie.path for tie in judgement.ties}
