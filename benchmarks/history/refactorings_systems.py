"""The systems that the suite `refactorings` compares: our `diff`, and two simpler ways of matching.

- names: a symbol is the one of the same qualified name in the same file, else the only one of that simple name
  anywhere.
- hash and similarity: equal names, else an identical body, else the unclaimed body with the most tokens in common.

The baselines are handed our own outlines and our comparison of two matched signatures, so that only the matching
differs. They cannot tell extractions and inlinings at all.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from attrs import evolve

from benchmarks.history.refactorings_reports import Happening, place_of
from memlsp.code.diff.change_set import diff
from memlsp.code.diff.comparison import compare
from memlsp.code.diff.symbol_relations import place_now
from memlsp.code.syntax.outline import Outline
from memlsp.model.change import ChangeKind, Detail, DetailKind, SymbolChange, SymbolRef
from memlsp.model.symbol import Symbol, SymbolKind

_WORDS = {
    SymbolKind.FUNCTION: "method",
    SymbolKind.METHOD: "method",
    SymbolKind.CLASS: "class",
    SymbolKind.INTERFACE: "class",
    SymbolKind.ENUM: "class",
    SymbolKind.TYPE: "class",
    SymbolKind.CONSTANT: "attribute",
    SymbolKind.FIELD: "attribute",
    SymbolKind.MEMBER: "attribute",
}
_BY_FOLDER = (".java", ".kt", ".kts")  # languages in which a file is nothing and its folder is the package
_BY_FILE = (".js",)  # languages in which the oracle calls the file a member's class, whatever object holds it
_PARAMETER_KINDS = {
    DetailKind.PARAMETER_ADDED: "add parameter",
    DetailKind.PARAMETER_REMOVED: "remove parameter",
    DetailKind.PARAMETER_RENAMED: "rename parameter",
    DetailKind.PARAMETERS_REORDERED: "reorder parameters",
    DetailKind.TYPE: "parameter type",
    DetailKind.RETURN_TYPE: "return type",
    DetailKind.DECORATOR_ADDED: "add decorator",
    DetailKind.DECORATOR_REMOVED: "remove decorator",
    DetailKind.DECORATOR_CHANGED: "change decorator",
}
_SOURCE_ROOT = re.compile(r".*(?:^|/)(?:java|kotlin|src)(?:/|$)")  # what stands before the folders of packages
_ENOUGH = 0.5  # share of tokens in common

Teller = Callable[[Sequence[Outline], Sequence[Outline]], list[Happening]]


def told_by_diff(before: Sequence[Outline], after: Sequence[Outline]) -> list[Happening]:
    """What memlsp tells."""
    changes = diff(before, after)
    spelled = _Spelling((*before, *after))
    return [*_of_changes(changes, spelled), *_classes_of_moved_files(changes, before, after)]


def told_by_names(before: Sequence[Outline], after: Sequence[Outline]) -> list[Happening]:
    """What names alone tell."""
    return _of_pairs(_by_name(_symbols(before), _symbols(after)), _Spelling((*before, *after)))


def told_by_hash(before: Sequence[Outline], after: Sequence[Outline]) -> list[Happening]:
    """What equal names, equal bodies and then similar tokens tell."""
    return _of_pairs(_by_hash(_symbols(before), _symbols(after)), _Spelling((*before, *after)))


TELLERS: Mapping[str, Teller] = {"memlsp": told_by_diff, "hash + similarity": told_by_hash, "names": told_by_names}


# --- from symbol changes


class _Spelling:
    """The names under which the oracle knows symbols: Kotlin's extension functions belong to their file."""

    def __init__(self, outlines: Iterable[Outline]) -> None:
        kotlin = [symbol for one in outlines if one.path.endswith(".kt") for symbol in one.symbols]
        known = {(symbol.path, symbol.name) for symbol in kotlin}
        self._extensions = {place for place in known if (place[0], place[1].rpartition(".")[0]) not in known}

    def of(self, ref: SymbolRef) -> SymbolRef:
        """The symbol as the oracle spells it."""
        return evolve(ref, name=ref.name.rpartition(".")[2]) if (ref.path, ref.name) in self._extensions else ref


def _of_changes(changes: Iterable[SymbolChange], spelled: _Spelling) -> Iterator[Happening]:
    for change in changes:
        old, new = change.old and spelled.of(change.old), change.new and spelled.of(change.new)
        if old is not None and new is not None:
            yield from _of_place(old, new, change.kinds)
            yield from _of_details(old, new, change.details)
        yield from _of_others(evolve(change, old=old, new=new, others=tuple(map(spelled.of, change.others))))


def _of_place(old: SymbolRef, new: SymbolRef, kinds: frozenset[ChangeKind]) -> Iterator[Happening]:
    if new.kind is SymbolKind.MODULE:
        if ChangeKind.MOVED in kinds and not new.path.endswith(_BY_FOLDER):
            yield Happening("move file", (place_of(old.path, ""), place_of(new.path, "")))
        return
    word = _WORDS.get(new.kind)
    if word is None:
        return
    renamed = ChangeKind.RENAMED in kinds
    moved = ChangeKind.MOVED in kinds and _qualifier(old) != _qualifier(new)
    names = (_simple(old), _simple(new)) if renamed else (_simple(new),)
    if word == "class":
        outermost = not _container(old) and not _container(new)
        moved = moved or (outermost and _qualifier(old) != _qualifier(new))
        places: tuple[frozenset[str], ...] = ()
    elif moved:
        places = (_place(old), _place(new))
    else:
        places = (_place(old) | _place(new),)
    if renamed and moved:
        yield Happening(f"move and rename {word}", names, places)
    elif renamed:
        yield Happening(f"rename {word}", names, places)
    elif moved:
        yield Happening(f"move {word}", names, places)


def _of_details(old: SymbolRef, new: SymbolRef, details: Iterable[Detail]) -> Iterator[Happening]:
    word = _WORDS.get(new.kind)
    names = frozenset({_simple(old), _simple(new)})
    # The parameters of a class are those of its primary constructor.
    method = (names, names if word == "class" else _place(old) | _place(new))
    for detail in details:
        kind = _PARAMETER_KINDS.get(detail.kind)
        if (
            kind is None
            or (word == "class" and kind not in ("add parameter", "remove parameter"))
            or word not in ("method", "attribute", "class")
        ):
            continue
        if word == "attribute":
            if detail.kind is DetailKind.TYPE and detail.old and detail.new:
                yield Happening("attribute type", (_simple(new),), method[1:])
            continue
        if detail.kind is DetailKind.PARAMETER_RENAMED:
            yield Happening(kind, (_bare(detail.old or ""), _bare(detail.new or "")), method)
        elif detail.kind in (DetailKind.PARAMETERS_REORDERED, DetailKind.RETURN_TYPE):
            yield Happening(kind, (), method)
        elif "decorator" in kind:
            yield Happening(kind, (_bare((detail.name or detail.new or detail.old or "").partition("(")[0]),), method)
        else:
            yield Happening(kind, (_bare(detail.name),), method)


def _of_others(change: SymbolChange) -> Iterator[Happening]:
    """What is told with reference to other symbols: extractions, inlinings, splits and merges."""
    for other in change.others:
        if ChangeKind.EXTRACTED in change.kinds and change.new is not None:
            word = _WORDS.get(change.new.kind)
            if word == "method":
                places = (frozenset({_simple(other)}), _place(other), _place(change.new))
                yield Happening("extract method", (_simple(change.new),), places)
        elif ChangeKind.INLINED in change.kinds and change.old is not None:
            places = (frozenset({_simple(other)}), _place(change.old), _place(other))
            yield Happening("inline method", (_simple(change.old),), places)
        elif change.old is not None:
            word = _WORDS.get(change.old.kind, "")
            if word == "method" and _simple(change.old) == _simple(other):
                # Equal bodies of one name that became one, or one that became several: they were pulled up or pushed
                # down.
                if _qualifier(change.old) != _qualifier(other):
                    yield Happening("move method", (_simple(other),), (_place(change.old), _place(other)))
                continue
            places = () if word == "class" else (_place(change.old) | _place(other),)
            for kind in (ChangeKind.SPLIT, ChangeKind.MERGED):
                if kind in change.kinds and word in ("class", "method"):
                    name = "split" if kind is ChangeKind.SPLIT else "merge"
                    yield Happening(f"{name} {word}", (_simple(change.old), _simple(other)), places)
    new = change.new
    if ChangeKind.EXTRACTED in change.kinds and new is not None and _WORDS.get(new.kind) == "class":
        yield Happening("extract class", (_simple(new),), (frozenset(_simple(o) for o in change.others),))


def _classes_of_moved_files(
    changes: Sequence[SymbolChange], before: Sequence[Outline], after: Sequence[Outline]
) -> Iterator[Happening]:
    """A file that moved is told once by us, and for each of its classes by the oracle."""
    old_files = {outline.path: outline for outline in before}
    new_files = {outline.path: outline for outline in after}
    told = {(change.new.path, change.new.name) for change in changes if change.new and change.old}
    for change in changes:
        old, new = change.old, change.new
        if not (old and new and new.kind is SymbolKind.MODULE and ChangeKind.MOVED in change.kinds):
            continue
        if old.path not in old_files or new.path not in new_files:
            continue
        known = {symbol.name for symbol in old_files[old.path].symbols}
        for symbol in new_files[new.path].symbols:
            ref = SymbolRef(new.path, symbol.name, symbol.kind)
            whole = _WORDS.get(symbol.kind) == "class" and not symbol.container and symbol.name in known
            if whole and (new.path, symbol.name) not in told:
                was = SymbolRef(old.path, symbol.name, symbol.kind)
                yield from _of_place(was, ref, frozenset({ChangeKind.MOVED}))


# --- from pairs


def _symbols(outlines: Iterable[Outline]) -> list[Symbol]:
    return [symbol for outline in outlines for symbol in outline.symbols]


def _of_pairs(pairs: Sequence[tuple[Symbol, Symbol]], spelled: _Spelling) -> list[Happening]:
    went = {(old.path, old.name): (new.path, new.name) for old, new in pairs}
    found: list[Happening] = []
    for old, new in pairs:
        change = compare(old, new)
        assert change.old is not None
        assert change.new is not None
        kinds = change.kinds
        outermost = not old.container and not new.container and _WORDS.get(new.kind) == "class"
        if place_now((old.path, old.container), went) == (new.path, new.container) and not outermost:
            kinds -= {ChangeKind.MOVED}
        places = spelled.of(change.old), spelled.of(change.new)
        found += _of_place(*places, kinds)
        found += _of_details(*places, change.details)
    return found


def _by_name(before: Sequence[Symbol], after: Sequence[Symbol]) -> list[tuple[Symbol, Symbol]]:
    pairs, old, new = _same_place(before, after)
    left, right = _only(old, _bare_key), _only(new, _bare_key)
    return pairs + [(left[key], right[key]) for key in left if key in right]


def _by_hash(before: Sequence[Symbol], after: Sequence[Symbol]) -> list[tuple[Symbol, Symbol]]:
    pairs, old, new = _same_place(before, after)
    bodies: defaultdict[tuple[str, str], list[Symbol]] = defaultdict(list)
    for symbol in new:
        bodies[_word(symbol), symbol.fingerprint.meaning].append(symbol)
    rest: list[Symbol] = []
    for symbol in old:
        same = bodies[_word(symbol), symbol.fingerprint.meaning]
        if same:
            pairs.append((symbol, same.pop(0)))
        else:
            rest.append(symbol)
    taken = {id(symbol) for _, symbol in pairs}
    free = [symbol for symbol in new if id(symbol) not in taken]
    return pairs + _most_alike(rest, free)


def _most_alike(old: Sequence[Symbol], new: Sequence[Symbol]) -> list[tuple[Symbol, Symbol]]:
    """Best first by the tokens in common, each symbol once."""
    right = [Counter(symbol.facts.tokens[:400]) for symbol in new]
    holders: defaultdict[str, list[int]] = defaultdict(list)
    for index, tokens in enumerate(right):
        for token in tokens:
            holders[token].append(index)
    scored: list[tuple[float, int, int]] = []
    for i, symbol in enumerate(old):
        tokens = Counter(symbol.facts.tokens[:400])
        rare = {j for token in tokens if len(holders[token]) <= 40 for j in holders[token]}
        for j in rare:
            if _word(new[j]) == _word(symbol):
                score = 2 * (tokens & right[j]).total() / max(1, tokens.total() + right[j].total())
                if score >= _ENOUGH:
                    scored.append((-score, i, j))
    pairs: list[tuple[Symbol, Symbol]] = []
    done: tuple[set[int], set[int]] = set(), set()
    for _, i, j in sorted(scored):
        if i not in done[0] and j not in done[1]:
            done[0].add(i)
            done[1].add(j)
            pairs.append((old[i], new[j]))
    return pairs


def _same_place(
    before: Sequence[Symbol], after: Sequence[Symbol]
) -> tuple[list[tuple[Symbol, Symbol]], list[Symbol], list[Symbol]]:
    there = {(symbol.path, symbol.name, symbol.ordinal): symbol for symbol in after}
    pairs = [
        (symbol, there[symbol.path, symbol.name, symbol.ordinal])
        for symbol in before
        if (symbol.path, symbol.name, symbol.ordinal) in there
    ]
    gone, come = {id(old) for old, _ in pairs}, {id(new) for _, new in pairs}
    return pairs, [s for s in before if id(s) not in gone], [s for s in after if id(s) not in come]


def _only(symbols: Iterable[Symbol], key: Callable[[Symbol], tuple[str, str]]) -> dict[tuple[str, str], Symbol]:
    found: defaultdict[tuple[str, str], list[Symbol]] = defaultdict(list)
    for symbol in symbols:
        found[key(symbol)].append(symbol)
    return {name: same[0] for name, same in found.items() if len(same) == 1}


def _bare_key(symbol: Symbol) -> tuple[str, str]:
    name = symbol.path.rpartition("/")[2] if symbol.kind is SymbolKind.MODULE else symbol.simple_name
    return _word(symbol), name


def _word(symbol: Symbol) -> str:
    return _WORDS.get(symbol.kind, symbol.kind.value)


# --- names


def _simple(ref: SymbolRef) -> str:
    name = ref.name.rpartition(".")[2] or place_of(ref.path, "")
    # Kotlin's secondary constructors, which reports call by the name of the class.
    return place_of(ref.path, _container(ref)) if name == "constructor" and ref.path.endswith(_BY_FOLDER) else name


def _container(ref: SymbolRef) -> str:
    return ref.name.rpartition(".")[0]


def _place(ref: SymbolRef) -> frozenset[str]:
    found = {place_of(ref.path, _container(ref))}
    if ref.path.endswith(_BY_FOLDER) and not _container(ref):
        found |= {place_of(ref.path, "") + "Kt", ref.path.rpartition("/")[0].rpartition("/")[2]}
    if ref.path.endswith(_BY_FILE):
        found.add(place_of(ref.path, ""))
    return frozenset(found)


def _qualifier(ref: SymbolRef) -> tuple[str, str]:
    if not ref.path.endswith(_BY_FOLDER):
        return ref.path, _container(ref)
    folder = ref.path.rpartition("/")[0]
    root = _SOURCE_ROOT.search(folder)
    of_file = not _container(ref) and _WORDS.get(ref.kind) in ("method", "attribute")
    return folder[root.end() :] if root else folder, place_of(ref.path, "") if of_file else _container(ref)


def _bare(name: str) -> str:
    return name.strip().lstrip("*@&").partition(":")[0].rpartition(".")[2].strip()
