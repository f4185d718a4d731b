"""Which old symbol is which new one, over a whole change set.

The order is that of the design: containers before members; an identical body anywhere in the change set beats an equal
name (`a -> b` while `b -> c` is one commit in real life); then the same qualified name, where members follow a renamed
or moved container; then similarity, one to one, best first. A tie is reported and nothing is guessed.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence

from attrs import frozen

from memlsp.code.similarity import EVIDENCE, body_similarity, family, label, similarity
from memlsp.model.symbol import Symbol, SymbolKind

# Chosen by hand on small change sets: unrelated functions of one file score about 0.35, a renamed one whose body was
# half rewritten about 0.6.
THRESHOLD = 0.5
MARGIN = 0.05  # two candidates closer than this are a tie
CERTAIN = 0.75
# Bodies under one name with less in common than this may be two symbols; a strong candidate wins over the name.
_STRANGERS = 0.3
_RIVALS_LOOKED_AT = 24

_ByName = tuple[str, str, str]
_Place = tuple[str, str]


@frozen
class Pair:
    """An old symbol and what became of it. `similarity` is of the bodies, 0..1; a weak likeness is not `certain`."""

    old: Symbol
    new: Symbol
    similarity: float
    certain: bool = True


@frozen
class Ambiguous:
    """An old symbol that could have become several. `candidates` are best first, with their similarity."""

    old: Symbol
    candidates: tuple[tuple[Symbol, float], ...]


@frozen
class Matching:
    """`pairs` in the order of the old symbols. A candidate of an ambiguous symbol that nobody else claimed is also in
    `added`; an ambiguous symbol is not in `removed`."""

    pairs: tuple[Pair, ...] = ()
    removed: tuple[Symbol, ...] = ()
    added: tuple[Symbol, ...] = ()
    ambiguous: tuple[Ambiguous, ...] = ()


def match(old: Sequence[Symbol], new: Sequence[Symbol]) -> Matching:
    """Pair the symbols of a change set, possibly of several files."""
    return _Matcher(old, new).run()


def successors(old: Symbol, candidates: Sequence[Symbol]) -> tuple[tuple[Symbol, float], ...]:
    """Who a vanished symbol could have become: (symbol, similarity), best first, all at least 0.5."""
    shingles = frozenset(old.fingerprint.sketch)
    ranked: list[tuple[Symbol, float]] = []
    for candidate in candidates:
        likely = (
            label(candidate) == label(old)
            or candidate.fingerprint.meaning == old.fingerprint.meaning
            or not shingles.isdisjoint(candidate.fingerprint.sketch)
        )
        if likely and _may_become(old, candidate, _at(candidate) == _at(old)):
            score = similarity(old, candidate)
            if score >= THRESHOLD:
                ranked.append((candidate, round(score, 4)))
    ranked.sort(key=lambda entry: (-entry[1], entry[0].path, entry[0].name, entry[0].ordinal))
    return tuple(ranked)


def _at(symbol: Symbol) -> _Place:
    return symbol.path, symbol.container


def _depth(symbol: Symbol) -> int:
    return symbol.name.count(".")


def _is_tiny(symbol: Symbol) -> bool:
    return symbol.fingerprint.size < EVIDENCE


def _may_become(old: Symbol, new: Symbol, same_container: bool) -> bool:
    if family(old.kind) != family(new.kind):
        return False
    if old.kind in (SymbolKind.REGION, SymbolKind.KEY, SymbolKind.SECTION) and old.path != new.path:
        return False
    tiny = _is_tiny(old) or _is_tiny(new)
    return not tiny or same_container or label(old) == label(new)


class _Matcher:
    def __init__(self, old: Sequence[Symbol], new: Sequence[Symbol]) -> None:
        self.old = old
        self.new = new
        self.free_old = dict.fromkeys(range(len(old)))
        self.free_new = dict.fromkeys(range(len(new)))
        self.paired: dict[int, tuple[int, float, bool]] = {}
        self.ambiguous: dict[int, tuple[tuple[int, float], ...]] = {}
        # Where the old holders are now: (path, container) -> (path, container).
        self.moved_to: dict[_Place, _Place] = {}

    def run(self) -> Matching:
        self._modules()
        for wanted in (True, False):
            self._round(lambda symbol, wanted=wanted: _is_holder(symbol) is wanted)
        pairs = [
            Pair(self.old[i], self.new[j], round(score, 4), certain)
            for i, (j, score, certain) in sorted(self.paired.items())
        ]
        return Matching(
            pairs=tuple(pairs),
            removed=tuple(self.old[i] for i in self.free_old if i not in self.ambiguous),
            added=tuple(self.new[j] for j in self.free_new),
            ambiguous=tuple(
                Ambiguous(self.old[i], tuple((self.new[j], round(score, 4)) for j, score in found))
                for i, found in sorted(self.ambiguous.items())
            ),
        )

    # --- files

    def _modules(self) -> None:
        chosen = _is_module
        there = {self.new[j].path: j for j in self.free_new if chosen(self.new[j])}
        for i in [i for i in self.free_old if chosen(self.old[i])]:
            j = there.get(self.old[i].path)
            if j is not None:
                self._pair(i, j)
        self._identical(chosen)
        self._alike(chosen)

    # --- one round: containers, then members

    def _round(self, chosen: Callable[[Symbol], bool]) -> None:
        self._identical(chosen)
        self._named(chosen, strangers=False)
        self._identical(chosen, tiny=True)
        self._alike(chosen)
        self._named(chosen, strangers=True)

    def _identical(self, chosen: Callable[[Symbol], bool], *, tiny: bool = False) -> None:
        """Pair equal bodies: of one place, then of one name, then of one holder, then the only ones left.

        Tiny bodies are evidence only at one place or under one name; a tiny body under another name of the same holder
        waits (`tiny`) until equal names have been paired.
        """
        groups = self._groups(chosen, lambda symbol: (family(symbol.kind), symbol.fingerprint.meaning))
        for olds, news in groups:
            small = _is_tiny(self.old[olds[0]])
            self._only_ones(olds, news, lambda s: (s.path, s.name, s.ordinal), lambda s: (s.path, s.name, s.ordinal))
            self._only_ones(
                olds, news, lambda s: (*self._expected(s), s.ordinal), lambda s: (s.path, s.name, s.ordinal)
            )
            self._only_ones(olds, news, self._expected, lambda s: (s.path, s.name))
            if small and self.old[olds[0]].kind in (SymbolKind.KEY, SymbolKind.REGION):
                continue
            if small and not tiny:
                continue
            self._only_ones(olds, news, _bare_name, _bare_name)
            self._only_ones(olds, news, lambda s: self._holder(s.path, s.container), _at)
            if not small:
                self._only_ones(olds, news, lambda _: 0, lambda _: 0)

    def _groups(
        self, chosen: Callable[[Symbol], bool], key: Callable[[Symbol], Hashable]
    ) -> list[tuple[list[int], list[int]]]:
        news: defaultdict[Hashable, list[int]] = defaultdict(list)
        for j in self.free_new:
            if chosen(self.new[j]):
                news[key(self.new[j])].append(j)
        olds: defaultdict[Hashable, list[int]] = defaultdict(list)
        for i in self.free_old:
            if i not in self.ambiguous and chosen(self.old[i]) and key(self.old[i]) in news:
                olds[key(self.old[i])].append(i)
        return [(found, news[common]) for common, found in olds.items()]

    def _only_ones(
        self,
        olds: Sequence[int],
        news: Sequence[int],
        old_key: Callable[[Symbol], Hashable],
        new_key: Callable[[Symbol], Hashable],
    ) -> None:
        """Pair those that are alone with their key on both sides."""
        left = _single((old_key(self.old[i]), i) for i in olds if i in self.free_old)
        right = _single((new_key(self.new[j]), j) for j in news if j in self.free_new)
        for key, i in left.items():
            if key in right:
                self._pair(i, right[key])

    def _named(self, chosen: Callable[[Symbol], bool], *, strangers: bool) -> None:
        """Pair the same qualified name, in the holder's new place. Outer symbols first, so that inner ones follow."""
        index: defaultdict[_ByName, list[int]] = defaultdict(list)
        for j in self.free_new:
            symbol = self.new[j]
            if chosen(symbol):
                index[symbol.path, symbol.name, family(symbol.kind)].append(j)
        waiting = [i for i in self.free_old if i not in self.ambiguous and chosen(self.old[i])]
        by_depth: defaultdict[int, list[int]] = defaultdict(list)
        for i in waiting:
            by_depth[_depth(self.old[i])].append(i)
        for _, level in sorted(by_depth.items()):
            wanted: defaultdict[_ByName, list[int]] = defaultdict(list)
            for i in level:
                wanted[(*self._expected(self.old[i]), family(self.old[i].kind))].append(i)
            for key, olds in wanted.items():
                self._overloads(olds, [j for j in index.get(key, ()) if j in self.free_new], strangers=strangers)

    def _overloads(self, olds: Sequence[int], news: Sequence[int], *, strangers: bool) -> None:
        if len(olds) == 1 and len(news) == 1:
            scored = [(body_similarity(self.old[olds[0]], self.new[news[0]]), True, olds[0], news[0])]
        else:
            scored = [
                (similarity(self.old[i], self.new[j]), self.old[i].ordinal == self.new[j].ordinal, i, j)
                for i in olds
                for j in news
            ]
            scored.sort(key=lambda entry: (-entry[0], not entry[1], entry[2], entry[3]))
        for score, _, i, j in scored:
            if i not in self.free_old or j not in self.free_new:
                continue
            small = _is_tiny(self.old[i]) or _is_tiny(self.new[j])
            if strangers or small or score >= _STRANGERS:
                self._pair(i, j)

    # --- similarity

    def _alike(self, chosen: Callable[[Symbol], bool]) -> None:
        news = [j for j in self.free_new if chosen(self.new[j])]
        olds = [i for i in self.free_old if i not in self.ambiguous and chosen(self.old[i])]
        if not news or not olds:
            return
        shingles: defaultdict[int, list[int]] = defaultdict(list)
        names: defaultdict[str, list[int]] = defaultdict(list)
        for j in news:
            for value in self.new[j].fingerprint.sketch:
                shingles[value].append(j)
            names[label(self.new[j])].append(j)
        taken_names = {(self.new[j].path, self.new[j].name) for j in news}
        scores: dict[tuple[int, int], float] = {}
        for i in olds:
            symbol = self.old[i]
            here = self._holder(symbol.path, symbol.container)
            lowest = CERTAIN if self._expected(symbol) in taken_names else THRESHOLD
            shared = Counter(j for value in symbol.fingerprint.sketch for j in shingles.get(value, ()))
            likely = dict.fromkeys(j for j, _ in shared.most_common(_RIVALS_LOOKED_AT))
            likely.update(dict.fromkeys(names.get(label(symbol), ())[:_RIVALS_LOOKED_AT]))
            for j in likely:
                same = _at(self.new[j]) == here
                if _may_become(symbol, self.new[j], same):
                    score = similarity(symbol, self.new[j], same_container=same)
                    if score >= lowest:
                        scores[i, j] = score
        self._assign(scores)

    def _assign(self, scores: dict[tuple[int, int], float]) -> None:
        """Best first, one to one. A pair whose old or new side has a rival within the margin is left open."""
        of_old: defaultdict[int, list[int]] = defaultdict(list)
        of_new: defaultdict[int, list[int]] = defaultdict(list)
        for i, j in scores:
            of_old[i].append(j)
            of_new[j].append(i)
        blocked: set[int] = set()  # new symbols that several could have become
        for (i, j), score in sorted(scores.items(), key=lambda entry: (-entry[1], entry[0])):
            if i not in self.free_old or j not in self.free_new or i in self.ambiguous:
                continue
            rivals = [k for k in of_old[i] if k != j and k in self.free_new and scores[i, k] > score - MARGIN]
            claims = [k for k in of_new[j] if k != i and k in self.free_old and scores[k, j] > score - MARGIN]
            if not rivals and not claims and j not in blocked:
                self._pair(i, j, score)
                continue
            blocked.update((j, *rivals))
            for open_one in (i, *claims):
                found = [(k, scores[open_one, k]) for k in of_old[open_one] if k in self.free_new]
                self.ambiguous[open_one] = tuple(sorted(found, key=lambda entry: (-entry[1], entry[0])))

    # --- bookkeeping

    def _pair(self, i: int, j: int, score: float | None = None) -> None:
        old, new = self.old[i], self.new[j]
        certain = score is None or score >= CERTAIN
        self.paired[i] = (j, body_similarity(old, new), certain)
        self.free_old.pop(i, None)
        self.free_new.pop(j, None)
        if (old.path, old.name) not in self.moved_to:
            self.moved_to[old.path, old.name] = (new.path, new.name)

    def _holder(self, path: str, container: str) -> _Place:
        """Where that holder is now, or would be when it is not a symbol of its own (a receiver in another file)."""
        known = self.moved_to.get((path, container))
        if known is not None:
            return known
        if not container:
            return path, ""
        outer, _, last = container.rpartition(".")
        there, name = self._holder(path, outer)
        return there, f"{name}.{last}" if name else last

    def _expected(self, symbol: Symbol) -> _Place:
        """Where the symbol is if it went with its holder and kept its name."""
        path, holder = self._holder(symbol.path, symbol.container)
        return path, f"{holder}.{symbol.simple_name}" if holder else symbol.simple_name


def _is_module(symbol: Symbol) -> bool:
    return symbol.kind is SymbolKind.MODULE


def _is_holder(symbol: Symbol) -> bool:
    return symbol.kind.is_container


def _bare_name(symbol: Symbol) -> tuple[str, str]:
    # `__init__` of one class is not that of another for having the same two lines.
    return symbol.simple_name, symbol.container if _is_tiny(symbol) else ""


def _single(keyed: Iterable[tuple[Hashable, int]]) -> dict[Hashable, int]:
    found: dict[Hashable, int] = {}
    crowded: set[Hashable] = set()
    for key, index in keyed:
        if key in found:
            crowded.add(key)
        found[key] = index
    return {key: index for key, index in found.items() if key not in crowded}
