"""What a hook tells at a session's start, at a prompt and before an act, each within its budget of tokens.

Everything is searched at the moment of asking, so that what was remembered a second ago is told, and what was retired
is not. Nothing is told twice in a context window.
"""

from __future__ import annotations

from math import log

from memlsp.capture.workspace import globs
from memlsp.memory.injection import relevance, wording
from memlsp.store.tables import hook_beliefs, hook_notes

TYPE_CHECKING = False  # as in typing, without importing it
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memlsp.memory.injection.injection_stores import InjectionStores
    from memlsp.memory.injection.relevance import Prompt, WordLists
    from memlsp.store.core.database import Database
    from memlsp.store.tables.hook_beliefs import HookBelief

START_HEAD = "memlsp, what people decided for this workspace. Lines behind | quote them; `memlsp belief ID` explains."
PROMPT_HEAD = "memlsp, what this workspace knows about it. Lines behind | are quotes."
FILE_HEAD = "memlsp, what people said for such a file. Lines behind | are quotes."

LONGEST_PROMPT = 4_000
"""Characters of a prompt that are read: what comes later is mostly pasted."""

_RARE = 8  # words of a prompt by which candidates are found
_CANDIDATES = 24
_MOST_TOLD = 6
_MORE_TOKENS = 10  # of the line that says how many more there are
_AT_START = 60  # beliefs of each store that are considered
_BINDING = frozenset({"rule", "preference", "procedure"})
_WARNING = frozenset({"rule", "gotcha"})


class Injection:
    """The text for the agent, and the ids that it tells. `tokens` counts the text."""

    def __init__(self, head: str, told: Sequence[HookBelief]) -> None:
        lines = [wording.told(each) for each in told]
        self.text = "\n".join((head, *lines)) if lines else ""
        self.ids = [each.id for each in told]
        self.marks = [wording.mark(each) for each in told]
        self.tokens = hook_notes.tokens(self.text) if self.text else 0


def at_start(stores: InjectionStores, budget: int) -> Injection:
    """What people said for everywhere and that says how to work: locked ones first, then rules, preferences, decisions
    and the rest. What the code contradicts is left out."""
    from memlsp.beliefs.acts.clause import START  # late: a prompt needs none of it

    found: list[HookBelief] = []
    for connection, scope in zip(stores.all(), ("workspace", "user"), strict=False):
        found += hook_beliefs.at_start(connection, scope, START, _AT_START)
    ranks = {"locked": 0, "reviewed": 1}
    kinds = {"rule": 0, "preference": 1, "decision": 2}
    # a person has few preferences, and a workspace may have many rules
    found.sort(key=lambda each: (ranks.get(each.authority, 2), each.scope != "user", kinds.get(each.kind, 3)))
    fresh = _holding(stores, stores.fresh(found))
    hook_beliefs.set_rivals(stores.own, fresh)
    shown = _within(START_HEAD, fresh, budget - _MORE_TOKENS, most=_AT_START)
    more = len(fresh) - len(shown.ids)
    if shown.text and more:
        shown.text += f"\n({more} more: `memlsp beliefs`)"
        shown.tokens = hook_notes.tokens(shown.text)
    return shown


def for_file(stores: InjectionStores, path: str, budget: int, told: Sequence[str], *, writes: bool) -> Injection:
    """What was said for the files of a glob that covers this one, or of this file by its name, before it is changed;
    before it is read the rules and gotchas among it. Without those of the ids in `told`. What binds comes first, and
    what the code contradicts is left out."""
    from memlsp.beliefs.acts.clause import NAMED  # late, as above

    term = f"{NAMED} {path}"
    found = [each for connection in stores.all() for each in hook_beliefs.for_file(connection, path, term, _covers)]
    found = [each for each in found if each.id not in told and (writes or each.kind in _WARNING)]
    found = [each for each in found if stores.colleagues or each.authority != "colleague"]
    found.sort(key=lambda each: each.kind not in _BINDING)
    fresh = _holding(stores, stores.fresh(found)[:_AT_START])
    hook_beliefs.set_rivals(stores.own, fresh)
    return _within(FILE_HEAD, fresh, budget, most=hook_notes.MOST_NOTES)


def _covers(pattern: str, path: str) -> bool:
    return globs.matches((pattern,), path)


def _holding(stores: InjectionStores, beliefs: Sequence[HookBelief]) -> list[HookBelief]:
    """The beliefs that the code does not contradict, as far as that is known; the others are to be judged."""
    due = hook_beliefs.judge(stores.own, [each for each in beliefs if each.scope != "user"], stores.stamped)
    if due:
        hook_beliefs.ask_for_judgement(stores.own, due)
    return [each for each in beliefs if not each.is_over]


def at_prompt(stores: InjectionStores, text: str, budget: int) -> Injection:
    """The beliefs that bear on a prompt: those that bind first, then the others, the most relevant first."""
    ranked: list[tuple[float, HookBelief]] = []
    text = text[:LONGEST_PROMPT]
    lists = relevance.WordLists(lambda words: hook_beliefs.words_of(stores.own, words))
    prompt = relevance.Prompt(text, hook_beliefs.words_of(stores.own, text), lists)
    if not prompt.stems or prompt.corrects:
        return Injection(PROMPT_HEAD, ())
    for connection in stores.all():
        ranked += _relevant(stores, connection, prompt, lists)
    ranked.sort(key=lambda each: (-each[0], each[1].id))
    chosen = stores.fresh([belief for _, belief in ranked])[:_MOST_TOLD]
    due = hook_beliefs.judge(stores.own, [each for each in chosen if each.scope != "user"], stores.stamped)
    if due:
        hook_beliefs.ask_for_judgement(stores.own, due)
    chosen = [each for each in stores.fresh(chosen) if each.standing != "orphaned"]
    hook_beliefs.set_rivals(stores.own, chosen)
    fitting = _within(PROMPT_HEAD, chosen, budget, most=_MOST_TOLD)
    kept = [each for each in chosen if each.id in fitting.ids]
    return Injection(PROMPT_HEAD, sorted(kept, key=lambda each: each.kind not in _BINDING))


def _relevant(
    stores: InjectionStores, connection: Database, prompt: Prompt, lists: WordLists
) -> list[tuple[float, HookBelief]]:
    total = hook_beliefs.number(connection) + 1
    found = {stem: hook_beliefs.holders(connection, word) for stem, word in prompt.stems.items()}
    rarest = sorted((stem for stem in found if found[stem]), key=lambda stem: (stem in lists.common, len(found[stem])))
    weights: dict[int, float] = {}
    for stem in rarest[:_RARE]:
        weight = log(1 + total / len(found[stem])) * lists.weight(stem)
        for seq in found[stem]:
            weights[seq] = weights.get(seq, 0.0) + weight
    best = stores.tellable(connection, sorted(weights, key=lambda seq: (-weights[seq], -seq)))[:_CANDIDATES]

    def rarity(stem: str) -> float:
        return relevance.rarity(len(found[stem]) if stem in found else 1, total)

    mark = relevance.mark(total)
    ranked: list[tuple[float, HookBelief]] = []
    for belief in hook_beliefs.beliefs_of(connection, best):
        words = hook_beliefs.words_of(connection, belief.text)
        value = relevance.score(relevance.features(prompt, belief, words, rarity, lists))
        if value >= mark:
            ranked.append((value, belief))
    return ranked


def _within(head: str, beliefs: Sequence[HookBelief], budget: int, *, most: int) -> Injection:
    """As many of the beliefs as fit into the budget, in their order; a long one does not shut out those behind it."""
    kept: list[HookBelief] = []
    left = budget - hook_notes.tokens(head)
    for each in beliefs:
        cost = hook_notes.tokens(wording.told(each))
        if cost <= left and len(kept) < most:
            kept.append(each)
            left -= cost
    return Injection(head, kept)
