"""The review queue and its order: conflicts, beliefs that no longer hold, proposals.

The queue is not stored. It is computed from the stores and the code, so it is always complete and current.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress

from memlsp.beliefs.lifecycle.proposals import replaced_by
from memlsp.memory.context import Context
from memlsp.memory.curation.conflicts import Conflicts
from memlsp.memory.judging.judgements import Judgements
from memlsp.memory.judging.ordering import matches
from memlsp.memory.learning.proposals import Proposals
from memlsp.memory.learning.said_statements import KnownStatements
from memlsp.model.belief import Authority, Belief, BeliefStatus, Evidence, Revision, ScopeKind
from memlsp.model.errors import NoSuchBelief, Refused
from memlsp.model.place import Place
from memlsp.model.review import Conflict, ReviewItem, ReviewKind
from memlsp.model.standing import Judgement

ADMIT, REJECT, SAME = "admit", "reject", "same"
FIRST, SECOND, BOTH, APART = "first", "second", "both", "apart"
_PROPOSAL = (ADMIT, REJECT)
_STALE = ("confirm", "supersede", "retire", "reanchor", "scope")
_CONFLICT = (FIRST, SECOND, BOTH, APART)
_MOST_FILES = 5_000
_MOST_QUOTED = 6  # lines of a passage
_CONFLICT_SEVERITY = 5
_FAILED_SEVERITY = 3
_WEIGHT = dict(zip(Authority, (2.0, 1.75, 1.5, 1.4, 1.25, 1.0, 1.0), strict=True))  # from the most trusted on


class ReviewQueue:
    """The review queue of one workspace.

    Impact is severity * authority * reach. Severity: 5 for a conflict, that of the standing for a belief, 1 for a
    proposal, 0.5 when its source no longer says so. Authority: from 1 for a mined statement to 2 for a locked one.
    Reach: 1 + log10(files) / 2. How often a belief was served does not count, because use is no evidence.
    """

    def __init__(self, context: Context, judgements: Judgements, conflicts: Conflicts, proposals: Proposals) -> None:
        self._context = context
        self._judgements = judgements
        self._conflicts = conflicts
        self._proposals = proposals
        self._worktree = context.worktree
        self._file_counts: dict[str, int] = {}
        self._counts_generation = -1

    def queue(
        self,
        limit: int | None = None,
        kinds: Collection[ReviewKind] | None = None,
        doubtful: Sequence[Judgement] | None = None,
    ) -> tuple[ReviewItem, ...]:
        """The open items, largest impact first, then by id. See `ReviewQueue` for the impact. `doubtful` are the
        beliefs that do not hold, where that is known already."""
        wanted = set(ReviewKind if kinds is None else kinds)
        found: list[ReviewItem] = []
        if ReviewKind.CONFLICT in wanted:
            found += self._open_conflicts()
        if ReviewKind.STALE in wanted:
            found += self._stale(self._judgements.attention() if doubtful is None else doubtful)
        if ReviewKind.PROPOSAL in wanted:
            known = KnownStatements(self._context)
            found += [self._proposal(each, known) for each in self._proposals.list()]
        found.sort(key=lambda item: (-item.impact, item.id))
        return tuple(found if limit is None else found[: max(limit, 0)])

    def item(self, id: str) -> ReviewItem:
        """One open item, by its id or a unique prefix of it. Raises NoSuchBelief, and Refused for a belief that needs
        no decision."""
        if "+" in id:
            found = next((each for each in self._conflicts.of(*id.split("+")) if each.id == id), None)
            if found is None:
                raise NoSuchBelief(f"no open conflict {id!r}", "memlsp review --list shows what waits")
            return self._conflict_item(found)
        judgement = self._judgements.get(id)
        belief = judgement.belief
        if belief.status is BeliefStatus.PROPOSED:
            return self._proposal(judgement, KnownStatements(self._context))
        if belief.status is not BeliefStatus.ACTIVE:
            raise Refused(f"{belief.id} is {belief.status}: nothing is asked about it", "memlsp review --list")
        return self._stale_item(judgement, self._failures().get(belief.id))

    def still(self, id: str) -> ReviewItem | None:
        """The open item with this whole id, None when it was settled."""
        try:
            item = self.item(id)
        except (NoSuchBelief, Refused):
            return None
        if item.kind is ReviewKind.STALE and item.judgements[0].standing.holds and id not in self._failures():
            return None
        return item

    # -- the three sources ------------------------------------------------------------------------------------------

    def _stale(self, doubtful: Sequence[Judgement]) -> Iterator[ReviewItem]:
        failures = self._failures()
        for judgement in doubtful:
            yield self._stale_item(judgement, failures.pop(judgement.belief.id, None))
        for id, report in failures.items():
            yield self._stale_item(self._judgements.get(id), report)

    def _stale_item(self, judgement: Judgement, report: Revision | None) -> ReviewItem:
        belief = judgement.belief
        severity = judgement.standing.severity
        evidence = [reason.message for reason in judgement.reasons if reason.message]
        if report is not None:
            severity = max(severity, _FAILED_SEVERITY)
            why = f": {report.note}" if report.note else ""
            evidence.insert(0, f"{report.author.name} followed it on {report.at:%Y-%m-%d}, and it did not hold{why}")
        evidence += [
            f"perhaps it is {Place(each.path, symbol=each.symbol or None)} now ({each.similarity:.0%} alike)"
            for tie in judgement.ties
            for each in tie.candidates
        ]
        question = f"Is this still true? It is {judgement.standing}."
        if report is not None and judgement.standing.holds:
            question = "Is this still true? Somebody followed it in vain."
        impact = self._impact(severity, judgement)
        return ReviewItem(belief.id, ReviewKind.STALE, question, (judgement,), tuple(evidence), _STALE, impact)

    def _proposal(self, judgement: Judgement, known: KnownStatements) -> ReviewItem:
        belief = judgement.belief
        evidence = [line for each in belief.evidence for line in _evidence_lines(each)]
        if not judgement.standing.holds:
            evidence += [reason.message for reason in judgement.reasons if reason.message]
        question = "Is this true, and worth knowing?"
        replaced = self._replaced(belief)
        twin = None if replaced else self._twin(belief, known)
        if twin is not None:
            question = f"Does this say the same as {twin.belief.id}?"
        if replaced:
            named = " and ".join(old.belief.id for old in replaced)
            both = ", which contradict each other" if len(replaced) > 1 else ""
            question = f"Should this take the place of {named}{both}?"
            evidence[:0] = [f"in the place of {old.belief.id}: {old.belief.text}" for old in replaced]
        impact = self._impact(1.0 if judgement.standing.holds else 0.5, judgement)
        impact = max([impact, *(self._impact(2.0, old) for old in replaced)])
        judged, choices = ((judgement,), _PROPOSAL) if twin is None else ((judgement, twin), (SAME, *_PROPOSAL))
        told = (question, judged, tuple(evidence))
        first = replaced[0] if replaced else None
        return ReviewItem(belief.id, ReviewKind.PROPOSAL, *told, choices, impact, replaces=first)

    def _replaced(self, belief: Belief) -> list[Judgement]:
        """The active beliefs that a proposal would replace."""
        known = self._context.store.several(replaced_by(belief))
        return [self._judgements.get(old.id) for old in known if old.status is BeliefStatus.ACTIVE]

    def _twin(self, proposal: Belief, known: KnownStatements) -> Judgement | None:
        """An active belief of this workspace that seems to be the same in other words, both tied to no code."""
        near = None if proposal.anchors else known.near(proposal.text)
        return None if near is None or near.anchors or near.scope.kind is ScopeKind.USER else self._judgements.of(near)

    def _open_conflicts(self) -> Iterator[ReviewItem]:
        for conflict in self._conflicts.open():
            with suppress(NoSuchBelief):  # one side is forgotten, at this moment
                yield self._conflict_item(conflict)

    def _conflict_item(self, conflict: Conflict) -> ReviewItem:
        sides = (self._judgements.get(conflict.first), self._judgements.get(conflict.second))
        evidence: list[str] = []
        for side, value in zip(sides, conflict.values, strict=True):
            who = f"{side.belief.author.name}, {side.belief.created_at:%Y-%m-%d}, {side.belief.authority}"
            evidence.append(f"{side.belief.id} says {value}: {who}, {side.standing}")
        impact = max(self._impact(_CONFLICT_SEVERITY, side) for side in sides)
        told = (conflict.reason, sides, tuple(evidence))
        return ReviewItem(conflict.id, ReviewKind.CONFLICT, *told, _CONFLICT, impact, conflict)

    def _failures(self) -> dict[str, Revision]:
        return {id: report for store in self._context.stores for id, report in store.changes.reported_failed()}

    def _impact(self, severity: float, judgement: Judgement) -> float:
        reach = 1 + math.log10(max(self._number_of_files(judgement), 1)) / 2
        return round(severity * _WEIGHT[judgement.belief.authority] * reach, 3)

    def _number_of_files(self, judgement: Judgement) -> int:
        """The number of files that a belief applies to, counting at most `_MOST_FILES`."""
        scope = judgement.belief.scope
        if scope.kind not in {ScopeKind.GLOB, ScopeKind.WORKSPACE, ScopeKind.USER}:
            return len({tie.path for tie in judgement.ties})
        generation = self._worktree.generation()
        if generation != self._counts_generation:
            self._file_counts, self._counts_generation = {}, generation
        if scope.pattern not in self._file_counts:  # a pattern for many beliefs, or "" for all files
            paths = self._worktree.paths()[:_MOST_FILES]
            covered = sum(1 for path in paths if matches(scope.pattern, path)) if scope.pattern else len(paths)
            self._file_counts[scope.pattern] = covered
        return self._file_counts[scope.pattern]


def _evidence_lines(evidence: Evidence) -> Iterator[str]:
    where = evidence.path
    if evidence.path and evidence.first_line is not None:
        where = f"{where}:{evidence.first_line}"
    elif evidence.commit:
        where = f"commit {evidence.commit[:10]}"
    who = evidence.source if evidence.source not in {"", "repository"} else ""
    origin = ", ".join(each for each in (where, who) if each)
    yield f"{evidence.kind.value}: {origin}" if origin else f"{evidence.kind.value}"
    lines = [line for line in evidence.quote.splitlines() if line.strip()]
    for line in lines[:_MOST_QUOTED]:
        yield f"| {line}"
    if len(lines) > _MOST_QUOTED:
        yield f"| … {len(lines) - _MOST_QUOTED} more lines"
