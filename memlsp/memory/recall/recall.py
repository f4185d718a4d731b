"""`Memory.recall`: what a question asks of a workspace's stores, what is left out, and the receipt."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from functools import partial
from pathlib import Path

from attrs import evolve

from memlsp.capture.redaction.redaction import redact
from memlsp.memory.context import Premises
from memlsp.memory.ingest.event_screen import screen_of
from memlsp.memory.judging.places import Places
from memlsp.memory.recall.work_archive import WorkArchive
from memlsp.model.belief import Belief
from memlsp.model.errors import MemlspError
from memlsp.model.place import Place
from memlsp.model.recall import Omission, Recall
from memlsp.model.standing import Judgement, Reason
from memlsp.recall.branch_visibility import Branches
from memlsp.recall.candidates import Nearby, TiedBelief
from memlsp.recall.question import parse_question
from memlsp.recall.score_fusion import NEAREST_READ
from memlsp.recall.search import FILES_OF_NOW, BeliefPool, RecallLimits, SearchHints
from memlsp.recall.search import recall as recall_from
from memlsp.recall.work_search import FoundWork, find_work, serve_work

_LONGEST_KEPT = 2_000
"""Characters of a question that a receipt keeps."""

_NOW = Reason(FILES_OF_NOW, "held against the files of now, as git does not have those of then")


class Recalling:
    """The questions that are asked of one workspace's memory. Safe to use from several threads."""

    def __init__(
        self, premises: Premises, places: Places, branches: Branches, judge: Callable[[Belief], Judgement]
    ) -> None:
        self._premises = premises
        self._places = places
        self._branches = branches
        self._judge = judge

    def ask(
        self,
        query: str,
        *,
        at: Place | None,
        base: Path | None,
        budget: int,
        limit: int,
        asker: str,
        as_of: str | datetime | None,
        branch_aware: bool,
        work: bool,
        receipt: bool,
    ) -> Recall:
        """The answer, of which a receipt is left. See `Memory.recall`."""
        mark = self._premises.store.forgetting.epoch()
        limits = RecallLimits(budget, limit)
        nearby = None
        if at is not None:
            path, symbol, _ = self._places.find(at, base)
            nearby = self._places.around(path, symbol)
        if as_of is not None:
            answer = self._as_of(query, as_of, nearby, limits, branch_aware=branch_aware, work=work)
        else:
            here = self._branches.here() if branch_aware else None
            archive = WorkArchive(self._premises.store, self._branches, here, near=self._near_work)
            found = find_work(parse_question(query), archive, limit=limit) if work else FoundWork()
            visibility = partial(self._branches.visibility, here=here) if here is not None else None
            pool = BeliefPool((self._premises.store, self._premises.user), self._judge, visibility)
            hints = SearchHints(nearby, self._near, self._tied(found, archive))
            answer = _with_work(recall_from(query, pool, hints, limits), found, archive, limits)
        if not receipt:
            return answer
        with suppress(MemlspError):  # an answer is not withheld because its receipt could not be written
            self._premises.store.add_receipt(
                at=self._premises.clock(),
                asker=asker,
                query=redact(query, screen_of(self._premises).settings.personal).text[:_LONGEST_KEPT],
                served=(*(hit.judgement.belief.id for hit in answer.hits), *(hit.id for hit in answer.work)),
                left_out=answer.left_out,
                tokens=answer.tokens,
                as_of=str(as_of)[:_LONGEST_KEPT] if as_of is not None else "",
                mark=mark,
            )
        return answer

    def _near(self, query: str, limit: int) -> list[tuple[str, float]]:
        """The beliefs whose meaning is nearest to the question's; none while none has a vector."""
        near = self._premises.memory.meaning.near(query, limit, ("belief",))
        return [(id, cosine) for _, id, cosine in near]

    def _near_work(self, query: str) -> list[tuple[str, float]]:
        """The commits and episodes whose meaning is nearest, by the keys that the index of work has."""
        near = self._premises.memory.meaning.near(query, NEAREST_READ, ("commit", "episode"))
        return [(f"{kind}:{id}", cosine) for kind, id, cosine in near]

    def _as_of(
        self,
        query: str,
        as_of: str | datetime,
        nearby: Nearby | None,
        limits: RecallLimits,
        *,
        branch_aware: bool,
        work: bool,
    ) -> Recall:
        """The answer as it would have been then, as far as that can be told."""
        from memlsp.beliefs.standing.standing import judge_in  # late: few questions are about the past
        from memlsp.memory.recall.as_of import Hearing, Then, files_of, moment_of

        moment = moment_of(as_of, self._branches.lineage, self._premises.clock())
        hearing = Hearing(self._branches, self._branches.lineage, moment)
        files = files_of(moment, self._premises.worktree)
        sources = [Then(store, moment, self._branches.lineage) for store in (self._premises.store, self._premises.user)]

        def judge(belief: Belief) -> Judgement:
            if files is not None:
                return judge_in(belief, files, now=moment.until)
            judged = self._judge(belief)
            return evolve(judged, reasons=(*judged.reasons, _NOW)) if belief.anchors or belief.references else judged

        try:
            pool = BeliefPool(sources, judge, hearing.visibility if branch_aware else None)
            answer = recall_from(query, pool, SearchHints(nearby), limits)
        finally:
            for source in sources:
                source.close()
        known = {hit.judgement.belief.id for hit in answer.hits} | {each.id for each in answer.left_out}
        later = dict.fromkeys(id for source in sources for id in source.later if id not in known)
        answer = evolve(answer, left_out=(*answer.left_out, *(Omission(id, "as-of") for id in later)))
        archive = WorkArchive(self._premises.store, self._branches, hearing.here, moment.until, self._near_work)
        found = find_work(parse_question(query), archive, limit=limits.limit) if work else FoundWork()
        return _with_work(answer, found, archive, limits)

    def _tied(self, found: FoundWork, archive: WorkArchive) -> list[TiedBelief]:
        """The beliefs that are anchored to the symbols which work on the question changed most."""
        symbols = found.strongest
        places = archive.places(symbols)
        anchored = self._premises.store.work_search.anchored(list(places.values())) if places else []
        weights = {
            places[symbol]: (found.web.symbols[symbol], found.led_to(symbol)) for symbol in symbols if symbol in places
        }
        return [
            TiedBelief(id, weights[place][0], f"anchored to {place[0]}#{place[1]}, {weights[place][1]}")
            for place, id, _ in anchored
            if place in weights
        ]


def _with_work(answer: Recall, found: FoundWork, archive: WorkArchive, limits: RecallLimits) -> Recall:
    """The answer with what was done that bears on the question, in what is left of its budget."""
    served = serve_work(found, archive, used=answer.tokens, budget=limits.budget, limit=limits.limit)
    return evolve(
        answer,
        work=served.hits,
        tokens=answer.tokens + served.tokens,
        left_out=(*answer.left_out, *served.left_out),
    )
