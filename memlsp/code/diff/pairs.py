"""The steps that pair the symbols of a change set; `matching` returns the result.

There are two passes. The first stays within holders: files, then classes, then members of classes already paired. Its
pairs are evidence for renames (`matching_evidence`); the second pass searches everywhere and reports what stays open.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

from memlsp.code.diff.matching_evidence import followed_classes, followed_members, rename_votes, shared_bodies, swapped
from memlsp.code.diff.similarity import body_similarity, family, finer_similarity, label, similarity
from memlsp.code.diff.symbol_relations import (
    Place,
    bare_name,
    calls,
    delegates,
    depth,
    grouped,
    holder_of,
    is_member,
    is_module,
    is_tiny,
    is_typed,
    key_of,
    may_become,
    nested_indexes,
    place_now,
    place_of,
)
from memlsp.model.symbol import Symbol, SymbolKind

# Chosen by hand on small change sets: unrelated functions of one file score about 0.35, a renamed one whose body was
# half rewritten about 0.6.
THRESHOLD = 0.5
_LEFT_OVER = 0.45  # the threshold of what one holder has left in the end
MARGIN = 0.05  # two candidates closer than this are a tie
CERTAIN = 0.75
# Bodies of one name less alike than this may be two symbols; a strong candidate wins over the name.
_STRANGERS = 0.3
_UNCHANGED = 0.7  # bodies of one name as alike as this are one symbol, whatever else is alike
_RIVALS_COMPARED = 24
_COMMON = 64  # a shingle that as many symbols hold is no evidence
_FINER = 0.03  # difference outside of the body that decides a tie
_ELSEWHERE = 0.6
_ALONE = 0.1  # bonus for the only symbol that a holder lost, with the only one that it gained
_VOTE = 0.15  # bonus for each vote for the rename, two at most
_LONG = 40  # meaning tokens
_NEARLY_EQUAL = 0.3

_Kin = tuple[Place, str]


class Pairing:
    """Pairs one change set. `run` fills `paired`, `ambiguous`, `free_old` and `free_new`, all by index."""

    def __init__(self, old: Sequence[Symbol], new: Sequence[Symbol]) -> None:
        self.old = old
        self.new = new
        self.free_old = dict.fromkeys(range(len(old)))
        self.free_new = dict.fromkeys(range(len(new)))
        self.paired: dict[int, tuple[int, float, bool]] = {}
        self.ambiguous: dict[int, tuple[tuple[int, float], ...]] = {}
        # Former holder to present one.
        self.moved_to: dict[Place, Place] = {}
        self._old_names = grouped((place_of(symbol), i) for i, symbol in enumerate(old))
        self._names = grouped((place_of(symbol), j) for j, symbol in enumerate(new))
        self._inside = (nested_indexes(old), nested_indexes(new))
        self._votes: Counter[tuple[str, str]] = Counter()
        self._alone: tuple[Counter[_Kin], Counter[_Kin]] = (Counter(), Counter())
        self._last = False  # the second pass, in which ties are reported

    def run(self) -> None:
        """Pair the symbols."""
        self._swapped(is_module)
        self._same_paths()
        self._identical(is_module)
        self._alike(is_module)
        for self._last in (False, True):
            self._swapped(is_typed)
            self._round(is_typed)
            self._round(is_member)
            self._count_votes()
        self._classes_of_their_members()
        self._files_of_their_content()
        self._alike(is_module)

    # --- files

    def _same_paths(self) -> None:
        there = {self.new[j].path: j for j in self.free_new if is_module(self.new[j])}
        for i in [i for i in self.free_old if is_module(self.old[i])]:
            j = there.get(self.old[i].path)
            if j is not None and j in self.free_new:
                self._pair(i, j)

    def _swapped(self, chosen: Callable[[Symbol], bool]) -> None:
        olds = {place_of(self.old[i]): i for i in self.free_old if chosen(self.old[i])}
        news = {place_of(self.new[j]): j for j in self.free_new if chosen(self.new[j])}
        if olds and news:
            expected = {place: self._expected(self.old[i]) for place, i in olds.items()}
            flow = shared_bodies(self.old, self.new, in_files=chosen is is_module)
            for before, after in swapped(flow, expected, news, self._names):
                self._pair(olds[before], news[after])

    def _classes_of_their_members(self) -> None:
        olds = {place_of(self.old[i]): i for i in self.free_old if is_typed(self.old[i]) and i not in self.ambiguous}
        news = {place_of(self.new[j]): j for j in self.free_new if is_typed(self.new[j])}
        moves = (
            (holder_of(self.old[i]), holder_of(self.new[j]))
            for i, (j, _, _) in self.paired.items()
            if self.old[i].container
        )
        sizes = {place: len(self.old[i].facts.members) for place, i in olds.items()}
        sizes.update((place, len(self.new[j].facts.members)) for place, j in news.items())
        for before, after in followed_members(moves, olds, news, sizes):
            self._pair(olds[before], news[after])

    def _files_of_their_content(self) -> None:
        went = (
            (self.old[i].path, self.new[j].path)
            for i, (j, _, _) in self.paired.items()
            if is_typed(self.old[i]) and not self.old[i].container and not self.new[j].container
        )
        olds = {self.old[i].path: i for i in self.free_old if is_module(self.old[i])}
        news = {self.new[j].path: j for j in self.free_new if is_module(self.new[j])}
        for before, after in followed_classes(went, olds, news):
            self.ambiguous.pop(olds[before], None)
            self._pair(olds[before], news[after])

    # --- one round: classes, or members

    def _round(self, chosen: Callable[[Symbol], bool]) -> None:
        undecided = {place_of(self.old[i]) for i, found in self.ambiguous.items() if self._are_copies(found)}

        def at_home(symbol: Symbol) -> bool:
            # Members of an ambiguous class are not scattered over its candidates.
            return chosen(symbol) and (
                holder_of(symbol) not in undecided if self._last else holder_of(symbol) in self.moved_to
            )

        self._identical(chosen, at_home)
        self._named(at_home, lowest=_UNCHANGED)
        self._identical(chosen, at_home, tiny=True)
        self._alike(chosen, at_home)
        self._named(at_home, lowest=0.0 if self._last else _STRANGERS)

    def _are_copies(self, candidates: Sequence[tuple[int, float]]) -> bool:
        """True when the best two have the same members, which then cannot tell where the class went."""
        if len(candidates) < 2:
            return False
        left, right = ({name for name, _ in self.new[j].facts.members} for j, _ in candidates[:2])
        return 2 * len(left & right) >= min(len(left), len(right))

    def _identical(
        self,
        chosen: Callable[[Symbol], bool],
        chosen_old: Callable[[Symbol], bool] | None = None,
        *,
        tiny: bool = False,
    ) -> None:
        """Pair equal bodies: of one place, then of one name, then of one holder, then the only ones left.

        Tiny bodies count only at one place or under one name; under another name of the same holder they wait (`tiny`)
        until equal names are paired. Symbols inside a function are searched there.
        """
        groups = self._groups(
            chosen, chosen_old or chosen, lambda symbol: (family(symbol.kind), symbol.fingerprint.meaning)
        )
        for olds, news in groups:
            first = self.old[olds[0]]
            small = is_tiny(first)
            self._only_ones(olds, news, key_of, key_of)
            self._only_ones(olds, news, lambda s: (*self._expected(s), s.ordinal), key_of)
            self._only_ones(olds, news, self._expected, place_of)
            if small and (not tiny or first.kind in (SymbolKind.KEY, SymbolKind.REGION)):
                continue
            outer = [i for i in olds if i not in self._inside[0]]
            there = [j for j in news if j not in self._inside[1]]
            self._only_ones(outer, there, bare_name, bare_name)
            self._only_ones(olds, news, lambda s: place_now(holder_of(s), self.moved_to), holder_of)
            if not small:
                self._only_ones(outer, there, lambda _: 0, lambda _: 0)

    def _groups(
        self, chosen: Callable[[Symbol], bool], chosen_old: Callable[[Symbol], bool], key: Callable[[Symbol], Hashable]
    ) -> list[tuple[list[int], list[int]]]:
        news = grouped((key(self.new[j]), j) for j in self.free_new if chosen(self.new[j]))
        left = (i for i in self.free_old if i not in self.ambiguous and chosen_old(self.old[i]))
        olds = grouped((key(self.old[i]), i) for i in left)
        return [(found, news[common]) for common, found in olds.items() if common in news]

    def _only_ones(
        self,
        olds: Sequence[int],
        news: Sequence[int],
        old_key: Callable[[Symbol], Hashable],
        new_key: Callable[[Symbol], Hashable],
    ) -> None:
        """Pair symbols whose key is unique on both sides."""
        left = _single((old_key(self.old[i]), i) for i in olds if i in self.free_old)
        right = _single((new_key(self.new[j]), j) for j in news if j in self.free_new)
        for key, i in left.items():
            if key in right and not self._is_handed_on(self.old[i], self.new[right[key]]):
                self._pair(i, right[key])

    def _named(self, chosen: Callable[[Symbol], bool], *, lowest: float) -> None:
        """Pair equal qualified names in the holder's new place, outer symbols first, so that inner ones follow."""
        index = grouped(((*place_of(self.new[j]), family(self.new[j].kind)), j) for j in self.free_new)
        left = (i for i in self.free_old if i not in self.ambiguous and chosen(self.old[i]))
        for _, level in sorted(grouped((depth(self.old[i]), i) for i in left).items()):
            wanted = grouped(((*self._expected(self.old[i]), family(self.old[i].kind)), i) for i in level)
            for key, olds in wanted.items():
                self._overloads(olds, [j for j in index.get(key, ()) if j in self.free_new], lowest=lowest)

    def _overloads(self, olds: Sequence[int], news: Sequence[int], *, lowest: float) -> None:
        if len(olds) == 1 and len(news) == 1:
            scored = [(body_similarity(self.old[olds[0]], self.new[news[0]]), True, olds[0], news[0])]
        else:
            scored = [
                (similarity(self.old[i], self.new[j]), self.old[i].ordinal == self.new[j].ordinal, i, j)
                for i in olds
                for j in news
            ]
            # A function that kept its parameters and delegates to a new overload is still itself.
            handing = {(i, j) for _, _, i, j in scored if len(news) > len(olds) and delegates(self.old[i], self.new[j])}
            scored.sort(key=lambda entry: (entry[2:] not in handing, -entry[0], not entry[1], entry[2], entry[3]))
        for score, _, i, j in scored:
            if i not in self.free_old or j not in self.free_new:
                continue
            small = is_tiny(self.old[i]) or is_tiny(self.new[j])
            if small or score >= lowest or delegates(self.old[i], self.new[j]):
                self._pair(i, j)

    # --- similarity

    def _alike(self, chosen: Callable[[Symbol], bool], chosen_old: Callable[[Symbol], bool] | None = None) -> None:
        news = [j for j in self.free_new if chosen(self.new[j])]
        olds = [i for i in self.free_old if i not in self.ambiguous and (chosen_old or chosen)(self.old[i])]
        if not news or not olds:
            return
        rivals = _Rivals(self.new, news)
        heirs = grouped(self._votes)
        self._alone = (
            Counter((holder_of(self.old[i]), family(self.old[i].kind)) for i in self.free_old),
            Counter((holder_of(self.new[j]), family(self.new[j].kind)) for j in self.free_new),
        )
        scores: dict[tuple[int, int], float] = {}
        for i in olds:
            symbol = self.old[i]
            here = place_now(holder_of(symbol), self.moved_to)
            own = rivals.places.get(self._expected(symbol), ())
            lowest = CERTAIN if own else _LEFT_OVER if self._last else THRESHOLD
            for j in own if own and is_typed(symbol) else rivals.of(symbol, own, heirs.get(symbol.simple_name, ())):
                score = self._score(i, j, here, is_own=j in own)
                if score >= (_STRANGERS if j in own else lowest):
                    scores[i, j] = score
        self._assign(scores)

    def _score(self, i: int, j: int, here: Place, *, is_own: bool) -> float:
        """The likelihood that the old symbol became the new one, 0 when it cannot be."""
        old, new = self.old[i], self.new[j]
        same = holder_of(new) == here
        if not same and (not self._last or i in self._inside[0] or j in self._inside[1]) and is_member(old):
            return 0.0
        votes = self._votes.get((old.simple_name, new.simple_name), 0) if same or not is_member(old) else 0
        if not (may_become(old, new, same) or votes) or self._is_handed_on(old, new):
            return 0.0
        score = similarity(old, new, same_container=same) + _VOTE * min(votes, 2)
        if not same:
            # Moved and renamed at once: too much for a value, and a function has to be very similar.
            lowest = THRESHOLD if not is_member(old) or label(old) == label(new) else _ELSEWHERE
            return 0.0 if score < lowest or (lowest == _ELSEWHERE and family(old.kind) == "valued") else score
        if self._alone[0][holder_of(old), family(old.kind)] == self._alone[1][here, family(new.kind)] == 1:
            score += _ALONE
        return score + MARGIN if is_own else score

    def _assign(self, scores: dict[tuple[int, int], float]) -> None:
        """Pair one to one, best first. A pair with a rival within the margin on a side stays open."""
        of_old, of_new = grouped(scores), grouped((j, i) for i, j in scores)
        blocked: set[int] = set()  # new symbols with several claims
        for (i, j), score in sorted(scores.items(), key=lambda entry: (-entry[1], entry[0])):
            if i not in self.free_old or j not in self.free_new or i in self.ambiguous:
                continue
            rivals = [k for k in of_old[i] if k != j and k in self.free_new and scores[i, k] > score - MARGIN]
            claims = [k for k in of_new[j] if k != i and k in self.free_old and scores[k, j] > score - MARGIN]
            ties = self._equally_named(i, j, rivals, claims)
            if ties is None:
                continue  # the one with that name comes later
            rivals, claims = ties
            if j not in blocked and self._is_decided(i, j, rivals, claims):
                self._pair(i, j, score)
            elif not self._last and is_member(self.old[i]):
                blocked.add(j)
            else:
                blocked.update((j, *rivals))
                for each in (i, *claims) if self._last else ():
                    self._leave_open(each, {k: scores[each, k] for k in of_old[each]})

    def _leave_open(self, i: int, scores: Mapping[int, float]) -> None:
        """Keep what an old symbol may have become, the likeliest first."""
        found = [(k, score) for k, score in scores.items() if k in self.free_new]
        self.ambiguous[i] = tuple(sorted(found, key=lambda entry: (-entry[1], entry[0])))

    def _equally_named(
        self, i: int, j: int, rivals: Sequence[int], claims: Sequence[int]
    ) -> tuple[list[int], list[int]] | None:
        """The rivals of `j` and of `i` whose names speak for them as much; None where the name of one says more."""
        rank = self._namesakes(i, j)
        for_new = {k: self._namesakes(i, k) for k in rivals}
        for_old = {k: self._namesakes(k, j) for k in claims}
        if max((*for_new.values(), *for_old.values()), default=rank) > rank:
            return None
        return [k for k in rivals if for_new[k] == rank], [k for k in claims if for_old[k] == rank]

    def _namesakes(self, i: int, j: int) -> int:
        """2 for the same qualified name, 1 for the same simple name, 0 for another."""
        old, new = self.old[i], self.new[j]
        if self._expected(old) == place_of(new):
            return 2
        return 1 if label(old) == label(new) else 0

    def _is_decided(self, i: int, j: int, rivals: Sequence[int], claims: Sequence[int]) -> bool:
        """True without rivals, or when the evidence outside of the bodies is clear."""
        if not rivals and not claims:
            return True
        # Of long and nearly equal bodies the one with half the differences wins.
        apart = 1.0 - body_similarity(self.old[i], self.new[j])
        others = [(self.old[i], self.new[k]) for k in rivals] + [(self.old[k], self.new[j]) for k in claims]
        closest = min(1.0 - body_similarity(*each) for each in others)
        if self.old[i].fingerprint.size >= _LONG and apart <= 0.5 * closest <= 0.5 * _NEARLY_EQUAL:
            return True
        return finer_similarity(self.old[i], self.new[j]) - max(finer_similarity(*each) for each in others) >= _FINER

    def _is_handed_on(self, old: Symbol, new: Symbol) -> bool:
        """True when the body was extracted or inlined rather than renamed: the old name stays with a symbol that calls
        the new one, or the new name was that of a symbol that called the old one."""
        if old.simple_name == new.simple_name or family(old.kind) != "callable":
            return False
        heirs = (self.new[j] for j in self._names.get(self._expected(old), ()) if j in self.free_new)
        if any(family(heir.kind) == "callable" and calls(heir, new) and not calls(old, new) for heir in heirs):
            return True
        formers = (self.old[i] for i in self._old_names.get(place_of(new), ()) if i in self.free_old)
        return any(family(each.kind) == "callable" and calls(each, old) and not calls(new, old) for each in formers)

    # --- bookkeeping

    def _count_votes(self) -> None:
        gone = {self.old[i].simple_name for i in self.free_old if self._expected(self.old[i]) not in self._names}
        come = {self.new[j].simple_name for j in self.free_new if place_of(self.new[j]) not in self._old_names}
        if gone and come:
            pairs = ((self.old[i], self.new[j]) for i, (j, _, _) in self.paired.items())
            self._votes = rename_votes(pairs, gone - {""}, come - {""})

    def _pair(self, i: int, j: int, score: float | None = None) -> None:
        old, new = self.old[i], self.new[j]
        certain = score is None or score >= CERTAIN
        self.paired[i] = (j, body_similarity(old, new), certain)
        self.free_old.pop(i, None)
        self.free_new.pop(j, None)
        if place_of(old) not in self.moved_to:
            self.moved_to[place_of(old)] = place_of(new)

    def _expected(self, symbol: Symbol) -> Place:
        """The place of a symbol that moved with its holder and kept its name; a constructor has that of its class."""
        path, holder = place_now(holder_of(symbol), self.moved_to)
        name = symbol.simple_name
        if name and name == symbol.container.rpartition(".")[2]:
            name = holder.rpartition(".")[2]
        return path, f"{holder}.{name}" if holder else name


def _single(keyed: Iterable[tuple[Hashable, int]]) -> dict[Hashable, int]:
    found: dict[Hashable, int] = {}
    crowded: set[Hashable] = set()
    for key, index in keyed:
        if key in found:
            crowded.add(key)
        found[key] = index
    return {key: index for key, index in found.items() if key not in crowded}


class _Rivals:
    """Finds the new symbols that an old one may have become, without a comparison with each of them."""

    def __init__(self, symbols: Sequence[Symbol], news: Sequence[int]) -> None:
        self._few = len(news) <= _COMMON
        self._shingles: defaultdict[int, list[int]] = defaultdict(list)
        self._names: defaultdict[str, list[int]] = defaultdict(list)
        self.places: defaultdict[Place, list[int]] = defaultdict(list)
        for j in news:
            for value in symbols[j].fingerprint.sketch:
                self._shingles[value].append(j)
            self._names[label(symbols[j])].append(j)
            self.places[symbols[j].path, symbols[j].name].append(j)

    def of(self, symbol: Symbol, own: Iterable[int], heirs: Iterable[str]) -> Iterable[int]:
        """Those with a similar body, the same label, at its `own` place, or with the name of one of its `heirs`."""
        shared: Counter[int] = Counter()
        for value in symbol.fingerprint.sketch:
            found = self._shingles.get(value, ())
            if self._few or len(found) <= _COMMON:
                shared.update(found)
        likely = [j for j, _ in shared.most_common(_RIVALS_COMPARED)]
        likely += self._names.get(label(symbol), ())[:_RIVALS_COMPARED]
        likely += own
        for name in heirs:
            likely += self._names.get(name, ())[:_RIVALS_COMPARED]
        return dict.fromkeys(likely)
