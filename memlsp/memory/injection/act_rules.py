"""Finds the one statement that speaks of an act that is about to happen, and words it."""

from __future__ import annotations

from memlsp.beliefs.acts.clause import GUARD, decoded
from memlsp.memory.injection import wording
from memlsp.memory.injection.acts import meets
from memlsp.store.tables import hook_beliefs, hook_notes

TYPE_CHECKING = False  # as in typing, without importing it
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memlsp.memory.injection.acts import Act
    from memlsp.memory.injection.injection_stores import InjectionStores
    from memlsp.store.tables.hook_beliefs import HookBelief

BEFORE, AFTER = "memlsp quotes, before this:", "memlsp quotes, on what was just done:"
MAY_BREAK = "memlsp quotes a guarded rule that this may break:"

_MOST = 2


class ActRule:
    """A statement about an act. `certain` is False for a guard, whose pattern was not searched for."""

    def __init__(self, belief: HookBelief, *, certain: bool) -> None:
        self.belief = belief
        self.certain = certain

    @property
    def mark(self) -> str:
        """The mark under which a session is told this once before an act, whatever it was told at its start."""
        return f"{self.belief.id} act"

    @property
    def locked(self) -> bool:
        """True when a person locked it."""
        return self.certain and self.belief.authority == "locked"


def rules_about(stores: InjectionStores, act: Act) -> list[ActRule]:
    """The statement of the highest authority that the act meets; two where a second of the same authority says
    something else. What the code contradicts, or what has expired, speaks of nothing."""
    found: dict[str, ActRule] = {}
    terms = act.terms()
    for connection in stores.all():
        certain: dict[int, bool] = {}
        for seq, line in hook_beliefs.clauses_about(connection, terms):
            if not line:
                continue  # it is listed under a term of its own, and speaks of no act
            clause = decoded(line)
            if not certain.get(seq) and meets(clause, act):
                certain[seq] = clause.doing != GUARD
        met = {
            belief.id: ActRule(belief, certain=certain[belief.seq])
            for belief in (hook_beliefs.beliefs_of(connection, stores.tellable(connection, certain)) if certain else ())
            if not belief.expires or belief.expires > stores.now
        }
        hook_beliefs.judge(connection, [each.belief for each in met.values()], stores.stamped)
        found.update(met)
    holding = [each for each in found.values() if not each.belief.is_over]
    holding.sort(key=lambda each: (_RANKS.get(each.belief.authority, len(_RANKS)), not each.certain, -each.belief.seq))
    first = holding[:1]
    rest = [each for each in holding[1:] if each.belief.authority == first[0].belief.authority]
    chosen = [*first, *(each for each in rest if each.belief.text != first[0].belief.text)][:_MOST]
    hook_beliefs.set_rivals(stores.own, [each.belief for each in chosen])
    return chosen


_RANKS = {name: rank for rank, name in enumerate(("locked", "reviewed", "person", "colleague", "agent", "mined"))}


def text_of(rules: Sequence[ActRule], budget: int, *, done: bool = False) -> str:
    """The rules as the text for the agent, of at most `budget` tokens: fewer of them, or a shorter statement, where
    they do not fit. `done` is True when the act is over."""
    head = (AFTER if done else BEFORE) if any(each.certain for each in rules) else MAY_BREAK
    lines = [wording.told(each.belief) for each in rules]
    while len(lines) > 1 and hook_notes.tokens(" ".join((head, *lines))) > budget:
        lines.pop()
    if len(lines) == 1 and hook_notes.tokens(f"{head} {lines[0]}") > budget:
        lines = [wording.one_line(lines[0], max(budget * 4 - len(head) - 4, 20))]
    return f"{head} {lines[0]}" if len(lines) == 1 else "\n".join((head, *lines))
