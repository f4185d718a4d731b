"""Confidence: a number from 0 to 1 that moves on evidence only, never with age or exposure.

The authority sets the start. A confirmation removes a share of the remaining doubt, a correction a share of the
confidence: a person's word half, an agent's a fifth; a report that it worked, or did not, half as much, since one case
is less than the whole. So it stays within bounds, equal treatment keeps the order of the authorities, and one person
outweighs three agents. Agents alone lift nothing above the start of what the repository's review admits, and an agent's
repetition within a session counts once.

`replay` computes the same from the history, step by step, so that a stored number can be explained and checked.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memlsp.model.belief import Author, Authority, AuthorKind, ConfidenceStep, Revision, RevisionAction

LEAST, MOST = 0.05, 0.99
BY_AGENTS_MOST = 0.9
"""As far as agents alone can lift it."""
_START = {
    Authority.LOCKED: (0.95, "locked by a person from the start"),
    Authority.REVIEWED: (0.9, "reviewed in the repository"),
    Authority.PERSON: (0.8, "a person said it"),
    Authority.COLLEAGUE: (0.7, "a colleague said it"),
    Authority.AGENT: (0.6, "an agent said it"),
    Authority.MINED: (0.4, "found, and admitted by a rule"),
    Authority.PROPOSED: (0.3, "a proposal"),
}
_SHARE = {AuthorKind.PERSON: 0.5, AuthorKind.AGENT: 0.2}
_OUTCOME_SHARE = {AuthorKind.PERSON: 0.25, AuthorKind.AGENT: 0.1}
_ECHOED = frozenset({RevisionAction.CONFIRM, RevisionAction.WORKED, RevisionAction.FAILED})
RULE = "rule"
"""The source of what a rule in a person's own settings admitted."""


def starting_confidence(authority: Authority) -> float:
    """The confidence of a belief with no history."""
    return _START[authority][0]


def raised(confidence: float, by: Author, *, report: bool = False) -> float:
    """The confidence after somebody said that it is still true, or reports that it held when it was followed."""
    share = (_OUTCOME_SHARE if report else _SHARE)[by.kind]
    higher = _bounded(confidence + (1 - confidence) * share)
    return max(confidence, min(higher, BY_AGENTS_MOST)) if by.kind is AuthorKind.AGENT else higher


def lowered(confidence: float, by: Author, *, report: bool = False) -> float:
    """The confidence after somebody said that it is wrong or inexact, or reports that it did not hold."""
    return _bounded(confidence * (1 - (_OUTCOME_SHARE if report else _SHARE)[by.kind]))


def is_echo(before: Iterable[Revision], action: RevisionAction, author: Author, session: str) -> bool:
    """True when an agent repeats itself within a session; `before` is the history so far."""
    if action not in _ECHOED or author.kind is not AuthorKind.AGENT or not session:
        return False
    return any((each.action, each.author, each.session) == (action, author, session) for each in before)


def replay(start: Authority, revisions: Sequence[Revision]) -> tuple[ConfidenceStep, ...]:
    """The confidence after each revision, oldest first, from the first authority and the history. A rollback restores
    the confidence before the revision that it undoes."""
    steps: list[ConfidenceStep] = []
    for revision in revisions:
        before = steps[-1].after if steps else None
        after, how = _moved(start, steps, revision)
        steps.append(ConfidenceStep(revision, before, after, how))
    return tuple(steps)


def _moved(start: Authority, steps: Sequence[ConfidenceStep], revision: Revision) -> tuple[float, str]:
    if not steps:
        return _START[start]
    before, by = steps[-1].after, revision.author
    who, share = "a person" if by.kind is AuthorKind.PERSON else "an agent", _SHARE[by.kind]
    action = revision.action
    if is_echo((step.revision for step in steps), action, by, revision.session):
        return before, "said in the same session before, so it counts once"
    if action is RevisionAction.CONFIRM:
        return _limited(before, raised(before, by), by, f"{who} confirms: {share:g} of the doubt goes")
    if action is RevisionAction.WORKED:
        how = f"{who} reports that it held: {_OUTCOME_SHARE[by.kind]:g} of the doubt goes"
        return _limited(before, raised(before, by, report=True), by, how)
    if action is RevisionAction.FAILED:
        how = f"{who} reports that it did not hold: {_OUTCOME_SHARE[by.kind]:g} of it goes"
        return lowered(before, by, report=True), how
    if action is RevisionAction.SUPERSEDE or (action is RevisionAction.RETIRE and not _waits(steps)):
        return lowered(before, by), f"{who} corrects: {share:g} of it goes"
    if action is RevisionAction.ADMIT:
        authority = Authority.MINED if revision.source == RULE else Authority.PERSON
        by_rule = "a rule admits it" if authority is Authority.MINED else "a person admits it"
        return starting_confidence(authority), f"{by_rule}, which starts at {starting_confidence(authority):g}"
    if action is RevisionAction.LOCK:
        locked = max(before, starting_confidence(Authority.LOCKED))
        return locked, f"a person locks it, which is {starting_confidence(Authority.LOCKED):g} at the least"
    if action is RevisionAction.ROLLBACK and revision.undoes is not None:
        former = next((s.before for s in steps if s.revision.number == revision.undoes), None)
        how = f"as it was before revision {revision.undoes}"
        return (before, "taken back altogether") if former is None else (former, how)
    return before, "no evidence either way"


def _limited(before: float, after: float, by: Author, how: str) -> tuple[float, str]:
    if by.kind is AuthorKind.AGENT and after in {before, BY_AGENTS_MOST}:
        return after, f"{how}, and agents alone lift it to {BY_AGENTS_MOST:g} at the most"
    return after, how


def _waits(steps: Sequence[ConfidenceStep]) -> bool:
    """True while it is a proposal: proposed, and not admitted since, or its admission rolled back."""
    waiting = False
    states = {0: False}
    for step in steps:
        revision = step.revision
        if revision.action is RevisionAction.PROPOSE:
            waiting = waiting or len(states) == 1  # later ones only add a source
        elif revision.action is RevisionAction.ADMIT:
            waiting = False
        elif revision.action is RevisionAction.ROLLBACK and revision.undoes is not None:
            waiting = states.get(revision.undoes - 1, waiting)
        states[revision.number] = waiting
    return waiting


def _bounded(confidence: float) -> float:
    return round(min(MOST, max(LEAST, confidence)), 4)
