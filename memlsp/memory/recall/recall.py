"""Answer `Memory.recall`: search the stores, add past work and past states, and record the receipt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from functools import cache

from attrs import evolve

from memlsp.memory.context import Context
from memlsp.memory.judging.judgements import Judgements
from memlsp.memory.judging.places import Places
from memlsp.memory.recall.vectors import Vectors
from memlsp.model.belief import Belief
from memlsp.model.errors import MemlspError
from memlsp.model.recall import Omission, Recall, RecallOptions, Receipt
from memlsp.model.standing import Judgement, Reason
from memlsp.recall.branch_visibility import Visibility, is_made_on
from memlsp.recall.candidates import Nearby, TiedBelief
from memlsp.recall.question import parse_question
from memlsp.recall.score_fusion import NEAREST_READ
from memlsp.recall.search import FILES_OF_NOW, BeliefPool, RecallLimits, SearchHints
from memlsp.recall.search import recall as recall_from
from memlsp.recall.work_archive import WorkArchive
from memlsp.recall.work_search import FoundWork, find_work, serve_work
from memlsp.store.tables.beliefs import BranchOrigin

_LONGEST_KEPT = 2_000  # characters of a question that a receipt stores
_JUDGED_NOW = Reason(FILES_OF_NOW, "held against the files of now, as git does not have those of then")


class Recaller:
    """Answers questions from one workspace's memory. Safe to use from several threads."""

    def __init__(self, context: Context, places: Places, judgements: Judgements, vectors: Vectors) -> None:
        self._context = context
        self._places = places
        self._branches = judgements.branches
        self._judgements = judgements
        self._vectors = vectors

    def ask(self, query: str, options: RecallOptions, *, asker: str) -> Recall:
        """Answer a question and record a receipt. See `Memory.recall`."""
        with self._judgements.one_snapshot():
            return self._ask(query, options, asker)

    def _ask(self, query: str, options: RecallOptions, asker: str) -> Recall:
        epoch = self._context.store.erasure_epoch()
        nearby = None
        if options.at is not None:
            path, symbol, _ = self._places.find(options.at, options.base)
            nearby = self._places.around(path, symbol)
        if options.as_of is not None:
            answer = self._as_of(query, options.as_of, nearby, options)
        else:
            here = cache(self._branches.here if options.branch_aware else lambda: None)  # None: every branch counts
            branch = self._context.worktree.branch() or ""
            archive = WorkArchive(self._context.store, self._branches, here, near=self._near_work)
            found = find_work(parse_question(query), archive, limit=options.limit) if options.work else FoundWork()

            def visibility(origin: BranchOrigin) -> Visibility:
                is_here = branch and is_made_on(branch, origin)
                return Visibility.YES if is_here else self._branches.visibility(origin, here())

            pool = BeliefPool(
                self._context.stores, self._judgements.judge_all, visibility if options.branch_aware else None
            )
            hints = SearchHints(nearby, self._near, self._tied(found, archive))
            answer = recall_from(query, pool, hints, RecallLimits(options.budget, options.limit))
            answer = _with_work(answer, found, archive, options)
        if not options.receipt:
            return answer
        with suppress(MemlspError):  # an answer is more important than its receipt
            now, asked = self._context.clock(), self._context.redacted(query)[:_LONGEST_KEPT]
            served = (*(hit.judgement.belief.id for hit in answer.hits), *(hit.id for hit in answer.work))
            as_of = str(options.as_of)[:_LONGEST_KEPT] if options.as_of is not None else ""
            record = Receipt(
                0, now, asker, asked, served, answer.left_out, answer.tokens, as_of, session=options.session
            )
            self._context.store.add_receipt(record, epoch)  # which gives it its number
        return answer

    def _near(self, query: str, limit: int) -> list[tuple[str, float]]:
        """The beliefs nearest to the question by embedding, with their cosines; none without vectors."""
        near = self._vectors.near(query, limit, ("belief",))
        return [(id, cosine) for _, id, cosine in near]

    def _near_work(self, query: str) -> list[tuple[str, float]]:
        """The commits and episodes nearest to the question by embedding, keyed as in the work index."""
        near = self._vectors.near(query, NEAREST_READ, ("commit", "episode"))
        return [(f"{kind}:{id}", cosine) for kind, id, cosine in near]

    def _as_of(self, query: str, as_of: str | datetime, nearby: Nearby | None, options: RecallOptions) -> Recall:
        """The answer as of a past moment."""
        from memlsp.beliefs.standing.standing import judge_in  # late: few questions are about the past
        from memlsp.capture.git.snapshot import Snapshot
        from memlsp.memory.recall.as_of import PastMemory, PastVisibility, moment_of

        moment = moment_of(as_of, self._branches.lineage, self._context.clock())
        past_visibility = PastVisibility(self._branches, self._branches.lineage, moment)
        files = Snapshot.of(self._context.worktree.root, moment.commit) if moment.commit else None
        sources = [PastMemory(store, moment, self._branches.lineage) for store in self._context.stores]

        def judge(beliefs: Sequence[Belief]) -> Iterator[Judgement]:
            if files is not None:
                yield from (judge_in(belief, files, now=moment.until) for belief in beliefs)
                return
            for judged in self._judgements.judge_all(beliefs):
                tied = judged.belief.anchors or judged.belief.references
                yield evolve(judged, reasons=(*judged.reasons, _JUDGED_NOW)) if tied else judged

        try:
            pool = BeliefPool(sources, judge, past_visibility.visibility if options.branch_aware else None)
            answer = recall_from(query, pool, SearchHints(nearby), RecallLimits(options.budget, options.limit))
        finally:
            for source in sources:
                source.close()
        known = {hit.judgement.belief.id for hit in answer.hits} | {each.id for each in answer.left_out}
        later = dict.fromkeys(id for source in sources for id in source.later if id not in known)
        answer = evolve(answer, left_out=(*answer.left_out, *(Omission(id, "as-of") for id in later)))
        here = past_visibility.here
        archive = WorkArchive(self._context.store, self._branches, lambda: here, moment.until, self._near_work)
        found = find_work(parse_question(query), archive, limit=options.limit) if options.work else FoundWork()
        return _with_work(answer, found, archive, options)

    def _tied(self, found: FoundWork, archive: WorkArchive) -> list[TiedBelief]:
        """The beliefs anchored to the symbols that the matching work changed most."""
        symbols = found.strongest
        places = archive.places(symbols)
        anchored = self._context.store.work_search.anchored(list(places.values())) if places else []
        symbol_at = {places[symbol]: symbol for symbol in symbols if symbol in places}
        tied: list[TiedBelief] = []
        for place, id, _ in anchored:
            if (symbol := symbol_at.get(place)) is not None:
                why = f"anchored to {place[0]}#{place[1]}, {found.led_to(symbol)}"
                tied.append(TiedBelief(id, found.web.symbols[symbol], why))
        return tied


def _with_work(answer: Recall, found: FoundWork, archive: WorkArchive, options: RecallOptions) -> Recall:
    """Add matching commits and episodes to an answer, within the rest of its budget."""
    served = serve_work(found, archive, used=answer.tokens, budget=options.budget, limit=options.limit)
    return evolve(
        answer, work=served.hits, tokens=answer.tokens + served.tokens, left_out=(*answer.left_out, *served.left_out)
    )
