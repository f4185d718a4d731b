"""Decisions that are made on the page, by the functions that the other faces use, and their undoing."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from attrs import frozen

from memlsp.faces.arguments import condition_of
from memlsp.faces.caller import author_of, keep_locks
from memlsp.faces.render.wording import WORDS, count_of, cut
from memlsp.model.belief import Limits
from memlsp.model.caller import Caller
from memlsp.model.errors import BadValue, MemlspError, NotFound
from memlsp.model.place import Place

if TYPE_CHECKING:
    from memlsp.memory import Memory

ACTIONS = ("confirm", "supersede", "retire", "reanchor", "scope", "lock", "unlock", "admit", "worked", "failed")
_SOURCE = "web"
_KEPT = 200


@frozen
class DecisionOutcome:
    """What a decision did, in words; what was left undone, and why; and how to take it back."""

    said: str
    left: tuple[str, ...] = ()
    undo: Callable[[], str] | None = None


class Decisions:
    """Carries out the decisions of one page, each under a key by which it is taken back. An agent's server decides as
    that agent."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self.outcomes: OrderedDict[str, DecisionOutcome] = OrderedDict()

    def revise(self, ids: Sequence[str], action: str, text: str, note: str) -> str:
        """Revise beliefs, each by itself. Raises BadValue for an unknown action, and of one belief what `Memory.revise`
        raises."""
        if action not in ACTIONS or not ids:
            raise BadValue(f"not a decision about beliefs: {action!r:.40}", f"choose beliefs and one of {ACTIONS}")
        session = f"{_SOURCE}-{datetime.now(UTC):%Y%m%d}-{secrets.token_hex(3)}"
        by = Caller(author_of(None), _SOURCE, session, self._memory.workspace.root, note)
        words = text if text and action in {"supersede", "admit"} else None
        place = Place.parse(text) if text and action == "reanchor" else None
        limits = Limits(conditions=_conditions(text) or None) if action == "scope" else None
        left: list[str] = []
        about = count_of(len(ids), "belief")
        for id in ids:
            try:
                belief = self._memory.belief(id).belief
                about = _quoted(belief.text) if len(ids) == 1 else about
                keep_locks(by.author, [belief], locking=action == "lock", asking=False)
                self._memory.revise(id, action, text=words, at=place, limits=limits, by=by)
                self._memory.survey.settled(id)
            except MemlspError as error:
                if len(ids) == 1:
                    raise
                left.append(f"{id}: {error}")

        def undo() -> str:
            undone = self._memory.undo.session(session, author=by.author, source=_SOURCE)
            stays = "".join(f"; {each.belief.id} stays: {each.reason}" for each in undone.left)
            return f"Taken back: {count_of(len(undone.changed), 'belief')}{stays}"

        done = len(ids) - len(left)
        about = count_of(done, "belief") if left else about
        return self._keep(DecisionOutcome(f"{WORDS['titles'][action]}: {about}", tuple(left), undo if done else None))

    def settle(self, item: str, choice: str, text: str, note: str) -> str:
        """Settle an item of the review. Raises what `Review.settle` does."""
        by = Caller(author_of(None), _SOURCE, note=note)
        review = self._memory.review
        sides = [each.belief for each in review.item(item).judgements]
        keep_locks(by.author, sides, asking=False)
        conditions = _conditions(text) or None if choice in {"scope", "apart"} else None
        decision = review.settle(item, choice, text or None, conditions=conditions, by=by)
        self._memory.survey.settled(item)

        one, both = _quoted(sides[choice == "second"].text), " and ".join(_quoted(each.text) for each in sides)
        said = f"{WORDS['titles'][choice]}: {both if len(sides) > 1 and choice in {'both', 'apart'} else one}"

        def undo() -> str:
            review.undo(decision.item, author=by.author, source=_SOURCE)
            return f"Taken back: {said}"

        return self._keep(DecisionOutcome(said, (), None if choice == "propose" else undo))

    def undo(self, key: str) -> str:
        """Take a decision back. Raises NotFound for one that is not known, Refused when its beliefs were revised
        since."""
        outcome = self.outcomes.get(key)
        if outcome is None or outcome.undo is None:
            raise NotFound("that decision was taken back, or is too long ago", "memlsp undo takes back more")
        said = outcome.undo()
        self.outcomes.pop(key, None)
        return self._keep(DecisionOutcome(said))

    def _keep(self, outcome: DecisionOutcome) -> str:
        key = secrets.token_hex(8)
        self.outcomes[key] = outcome
        while len(self.outcomes) > _KEPT:
            self.outcomes.popitem(last=False)
        return key


def _quoted(text: str) -> str:
    return f"“{cut(text, 80)}”"


def _conditions(text: str) -> tuple[tuple[str, str], ...]:
    return tuple(condition_of(each) for each in text.split(",") if each.strip())
