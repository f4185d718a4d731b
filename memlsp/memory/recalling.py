"""`Memory.recall`: what a question asks of a workspace's stores, what is left out, and the receipt."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from functools import partial
from pathlib import Path

from attrs import evolve

from memlsp.memory.archive import WorkArchive
from memlsp.memory.places import Places
from memlsp.memory.premises import Premises
from memlsp.model.belief import Belief
from memlsp.model.errors import BadValue, MemlspError
from memlsp.model.place import Place
from memlsp.model.recall import Recall
from memlsp.model.standing import Judgement
from memlsp.recall.branches import Branches, Here
from memlsp.recall.question import read_question
from memlsp.recall.search import recall as recall_from
from memlsp.recall.work import work_for

_LONGEST_KEPT = 2_000
"""Characters of a question that a receipt keeps."""


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
    ) -> Recall:
        """The answer, of which a receipt is left. See `Memory.recall`."""
        if as_of is not None:
            raise BadValue("the memory as it was then cannot be asked yet")
        nearby = None
        if at is not None:
            path, symbol, _ = self._places.find(at, base)
            nearby = self._places.around(path, symbol)
        stores = (self._premises.store, self._premises.user)
        here = self._branches.here() if branch_aware else None
        answer = recall_from(
            query,
            sources=stores,
            judge=self._judge,
            speech=partial(self._branches.speech, here=here) if here is not None else None,
            nearby=nearby,
            budget=budget,
            limit=limit,
        )
        if work:
            answer = self._with_work(answer, here, budget, limit)
        with suppress(MemlspError):  # an answer is not withheld because its receipt could not be written
            self._premises.store.add_receipt(
                at=self._premises.clock(),
                asker=asker,
                query=query[:_LONGEST_KEPT],
                served=(*(hit.judgement.belief.id for hit in answer.hits), *(hit.id for hit in answer.work)),
                left_out=answer.left_out,
                tokens=answer.tokens,
            )
        return answer

    def _with_work(self, answer: Recall, here: Here | None, budget: int, limit: int) -> Recall:
        """The answer with what was done that bears on the question, in what is left of its budget."""
        archive = WorkArchive(self._premises.store, self._branches, here)
        question = read_question(answer.query)
        found = work_for(question, archive, used=answer.tokens, budget=budget, limit=limit)
        return evolve(
            answer,
            work=found.hits,
            tokens=answer.tokens + found.tokens,
            left_out=(*answer.left_out, *found.left_out),
        )
