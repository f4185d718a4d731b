"""Finds extracted, inlined, split and merged symbols, once it is known which symbol became which.

A new function was *extracted* when functions that now call it lost what it does; a missing one was *inlined* when
functions that no longer call it gained what it did. Bodies are compared by neighbouring tokens with locals made equal.
Classes are judged by their members: a missing class was *split* when new ones hold its members, *merged* when an
existing one does or several went into one; a new class with members of an existing one was extracted. Equal bodies
that became one, or one that became several, are merged and split functions. Only changed functions that call a new or
missing name are compared, so large change sets stay cheap.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise

from attrs import frozen

from memlsp.code.diff.matching import Matching, Pair
from memlsp.code.diff.similarity import EVIDENCE, body_similarity, family
from memlsp.code.diff.symbol_relations import Key, Place, delegates_construction, grouped, holder_of, key_of, place_of
from memlsp.model.change import ChangeKind
from memlsp.model.symbol import Symbol

_LEAST_MOVED = 2  # neighbouring tokens that went along
_SHARE = 0.3  # of the body that has to have gone along: extracted code is made more general
_SHARE_OF_DIFFERENCE = 0.2  # of what is different in the caller
_NEARLY_ALL = 0.75
_MUCH = 5
_LONGEST_HEADER = 60  # tokens
_MOST_CALLERS = 60  # of one name: a helper that everybody calls now is looked for in so many
_SAME = 0.8  # how alike bodies are that became one
_MEMBERS = 0.5  # share of members that decides where a class went
_TAKEN = 0.2  # share of the members of a new class that came from others

_Bigrams = Counter[tuple[str, str]]


@frozen
class Refactoring:
    """A new (EXTRACTED) or missing (INLINED, SPLIT, MERGED) symbol, and those that it came from or went into, as they
    are now."""

    kind: ChangeKind
    symbol: Symbol
    others: tuple[Symbol, ...]


def find_refactorings(matching: Matching) -> tuple[Refactoring, ...]:
    """The refactorings of a change set, at most one for each symbol."""
    gone = [*matching.removed, *(entry.old for entry in matching.ambiguous)]
    functions = [pair for pair in matching.pairs if family(pair.new.kind) == "callable"]
    changed = [pair for pair in functions if pair.old.fingerprint.meaning != pair.new.fingerprint.meaning]
    found = _through_calls(ChangeKind.EXTRACTED, _callables(matching.added), changed)
    taken = {key_of(part.symbol) for part in found}
    inlined = _through_calls(ChangeKind.INLINED, _callables(gone), changed)
    lost = {key_of(part.symbol) for part in inlined}
    left_new = [symbol for symbol in _callables(matching.added) if key_of(symbol) not in taken]
    still = {place_of(pair.old) for pair in matching.pairs}
    left_old = [
        symbol
        for symbol in _callables(gone)
        if key_of(symbol) not in lost and holder_of(symbol) in still  # else the class was copied
    ]
    copies = _copies(left_old, left_new, functions)
    return (*found, *inlined, *copies, *_classes(matching, gone, found))


# --- functions


def _through_calls(kind: ChangeKind, symbols: Sequence[Symbol], changed: Sequence[Pair]) -> list[Refactoring]:
    """The symbols whose body is in the other side of the changed functions that call them: EXTRACTED ones are called by
    the new side, INLINED ones were by the old one."""
    by_new = kind is ChangeKind.EXTRACTED
    pairs = [(pair.new, pair.old) if by_new else (pair.old, pair.new) for pair in changed]
    sides = {key_of(caller): (caller, other, pair.new) for (caller, other), pair in zip(pairs, changed, strict=True)}
    callers = _callers(symbols, pairs)
    found: list[Refactoring] = []
    for symbol in symbols:
        body = _bigrams(symbol, body_only=True)
        through = [sides[key_of(caller)] for caller in callers.get(key_of(symbol), ())[:_MOST_CALLERS]]
        others = [now for caller, other, now in through if _went(body, _bigrams(other) - _bigrams(caller))]
        inside = {(each.path, up) for each in others for up in accumulate(each.container.split("."), "{}.{}".format)}
        if others:
            found.append(Refactoring(kind, symbol, tuple(each for each in others if place_of(each) not in inside)))
    return found


def _callers(called: Sequence[Symbol], pairs: Iterable[tuple[Symbol, Symbol]]) -> dict[Key, list[Symbol]]:
    """For each of `called` the first sides that call it while their second side does not. Of several with one name it
    is that of the caller's own class, else of its file, else any."""
    by_name = grouped((symbol.simple_name, symbol) for symbol in called)
    found: defaultdict[Key, list[Symbol]] = defaultdict(list)
    for caller, other in pairs:
        here = Counter(caller.facts.calls) - Counter(other.facts.calls)
        names = dict.fromkeys(_called_name(call, caller) for call in here)
        if delegates_construction(caller) and not delegates_construction(other):
            names[caller.simple_name] = None
        for name in names:
            for symbol in _nearest(by_name.get(name, ()), caller):
                found[key_of(symbol)].append(caller)
    return found


def _nearest(symbols: Sequence[Symbol], caller: Symbol) -> Sequence[Symbol]:
    if len(symbols) < 2:
        return symbols
    holder = holder_of(caller)
    own = [symbol for symbol in symbols if holder_of(symbol) == holder]
    return own or [symbol for symbol in symbols if symbol.path == caller.path] or symbols


def _called_name(call: str, caller: Symbol) -> str:
    """The simple name that is called; `this(...)` calls a constructor of the same class."""
    name = call.replace("::", ".").replace("?.", ".").rpartition(".")[2]
    return caller.container.rpartition(".")[2] if name == "this" else name


def _went(body: _Bigrams, difference: _Bigrams) -> bool:
    common, whole, other = (body & difference).total(), body.total(), difference.total()
    # Enough of the body, or nearly all that the caller lost; enough of what the caller lost, or much of the body.
    of_body = min(_SHARE * whole, max(_LEAST_MOVED + 1, _NEARLY_ALL * other))
    return common >= max(_LEAST_MOVED, of_body, min(_SHARE_OF_DIFFERENCE * other, max(_MUCH, 2 * _SHARE * whole)))


def _bigrams(symbol: Symbol, *, body_only: bool = False) -> _Bigrams:
    tokens = symbol.facts.tokens
    return Counter(pairwise(tokens[_header(symbol) :] if body_only else tokens))


def _header(symbol: Symbol) -> int:
    """The number of tokens before the body: annotations, name, parameters."""
    tokens, facts = symbol.facts.tokens, symbol.facts
    signs = [index for index, each in enumerate(tokens[:_LONGEST_HEADER]) if each == "@"]
    if not signs:
        return 0
    # An annotation begins with the sign that also stands for the own name.
    at = signs[min(len(facts.decorators), len(signs) - 1)]
    for _ in facts.parameters:
        at = next((index for index in range(at + 1, len(tokens)) if tokens[index] == "$"), at)
    return at + 1


def _copies(gone: Sequence[Symbol], added: Sequence[Symbol], functions: Sequence[Pair]) -> Iterator[Refactoring]:
    """Equal or nearly equal bodies of one name that became one, or one that became several."""
    by_name = grouped((symbol.simple_name, symbol) for symbol in added if symbol.fingerprint.size >= EVIDENCE)
    moved = (pair for pair in functions if place_of(pair.old) != place_of(pair.new))
    taken = grouped((pair.new.simple_name, pair) for pair in moved)
    for symbol in gone:
        if symbol.fingerprint.size < EVIDENCE:
            continue
        fresh = [other for other in by_name[symbol.simple_name] if body_similarity(symbol, other) >= _SAME]
        joined = [pair.new for pair in taken[symbol.simple_name] if body_similarity(symbol, pair.new) >= _SAME]
        if len(fresh) > 1:
            yield Refactoring(ChangeKind.SPLIT, symbol, tuple(fresh))
        elif fresh or len(joined) == 1:
            yield Refactoring(ChangeKind.MERGED, symbol, tuple(fresh or joined))


# --- classes


def _classes(matching: Matching, gone: Sequence[Symbol], extracted: Sequence[Refactoring]) -> list[Refactoring]:
    now = {place_of(pair.old): pair.new for pair in matching.pairs if family(pair.old.kind) == "typed"}
    old_classes = {place_of(symbol): symbol for symbol in gone if family(symbol.kind) == "typed"}
    new_classes = {place_of(symbol): symbol for symbol in matching.added if family(symbol.kind) == "typed"}
    if not old_classes and not new_classes:
        return []
    there = {**{place_of(pair.new): pair.new for pair in matching.pairs}, **new_classes}
    flow: defaultdict[Place, Counter[Place]] = defaultdict(Counter)
    for pair in matching.pairs:
        before, after = holder_of(pair.old), holder_of(pair.new)
        if pair.old.container and pair.new.container:
            flow[before][after] += 1
    found: list[Refactoring] = []
    for place, symbol in old_classes.items():
        found += _dissolved(symbol, flow[place], there, new_classes)
    return found + _taken_out(new_classes, flow, now, extracted)


def _dissolved(
    symbol: Symbol, flow: Counter[Place], there: Mapping[Place, Symbol], new_classes: Mapping[Place, Symbol]
) -> list[Refactoring]:
    """The split or merge of a missing class, by where its members are now."""
    members = max(1, len(symbol.facts.members))
    holders = [place for place, _ in flow.most_common() if place in there]
    fresh = [there[place] for place in holders if place in new_classes]
    if len(fresh) > 1 and sum(flow[place_of(other)] for other in fresh) >= _MEMBERS * members:
        return [Refactoring(ChangeKind.SPLIT, symbol, tuple(fresh))]
    if holders and flow[holders[0]] >= max(2, _MEMBERS * members):
        return [Refactoring(ChangeKind.MERGED, symbol, (there[holders[0]],))]
    return []


def _taken_out(
    new_classes: Mapping[Place, Symbol],
    flow: Mapping[Place, Counter[Place]],
    now: Mapping[Place, Symbol],
    extracted: Iterable[Refactoring],
) -> list[Refactoring]:
    """The new classes that hold members of classes that still exist."""
    sources: defaultdict[Place, Counter[Place]] = defaultdict(Counter)
    for before, counts in flow.items():
        for after, number in counts.items():
            if after in new_classes and before in now:
                sources[after][place_of(now[before])] += number
    for part in extracted:
        holder = holder_of(part.symbol)
        for other in part.others:
            if holder in new_classes:
                sources[holder][other.path, other.container] += 1
    still = {place_of(symbol): symbol for symbol in now.values()}
    return [
        Refactoring(
            ChangeKind.EXTRACTED, new_classes[place], tuple(still[source] for source in counts if source in still)
        )
        for place, counts in sources.items()
        if any(source in still for source in counts)
        and counts.total() >= _TAKEN * len(new_classes[place].facts.members)
    ]


# --- symbols


def _callables(symbols: Iterable[Symbol]) -> list[Symbol]:
    return [symbol for symbol in symbols if family(symbol.kind) == "callable"]
