"""Similarity of symbols, 0 to 1, by their fingerprints and facts.

The body counts most: estimated from bottom-k sketches (Broder, "On the resemblance and containment of documents",
1997), refined by tokens where both sides have them, with credit for containment where a body only grew or shrank. Name,
container and signature decide between equally similar bodies.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from memlsp.code.syntax.fingerprints import K
from memlsp.code.syntax.names import words
from memlsp.model.symbol import CODE_KINDS, VALUE_KINDS, Fingerprint, Symbol, SymbolKind

BODY_WEIGHT = 0.6
NAME_WEIGHT = 0.2
CONTAINER_WEIGHT = 0.1
SIGNATURE_WEIGHT = 0.1

# Bodies of fewer meaning tokens are no evidence: `return None`, `pass`, `x = 0`.
EVIDENCE = 8
_FULL_EVIDENCE = 16
_GROWN = 0.85  # full containment, beside 1 for equality
_TOKENS_COMPARED = 800

_TYPED = frozenset({SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.ENUM, SymbolKind.TYPE})


def family(kind: SymbolKind) -> str:
    """The group of kinds that can become one another: functions and methods, constants and fields, types."""
    if kind in CODE_KINDS:
        return "callable"
    if kind in VALUE_KINDS:
        return "valued"
    return "typed" if kind in _TYPED else kind.value


def label(symbol: Symbol) -> str:
    """The simple name of a symbol; of a file the last part of its path."""
    return symbol.path.rpartition("/")[2] if symbol.kind is SymbolKind.MODULE else symbol.simple_name


def similarity(old: Symbol, new: Symbol, *, same_container: bool | None = None) -> float:
    """The likelihood (0..1) that `old` became `new`; 0 for kinds that cannot become one another. `same_container` says
    whether the holder is the same one, renamed or not; None compares path and name."""
    if family(old.kind) != family(new.kind):
        return 0.0
    if same_container is None:
        same_container = old.container == new.container and old.path == new.path
    body = body_similarity(old, new)
    name = name_similarity(label(old), label(new))
    smaller = min(old.fingerprint.size, new.fingerprint.size)
    if smaller < _FULL_EVIDENCE and name < 1.0:
        # A short body that is alike is a coincidence more often than a move.
        body *= 0.5 + 0.5 * smaller / _FULL_EVIDENCE
    signature = 1.0 if old.fingerprint.signature == new.fingerprint.signature else _parameters_alike(old, new)
    container = 1.0 if same_container else name_similarity(old.container, new.container) / 2
    return BODY_WEIGHT * body + NAME_WEIGHT * name + CONTAINER_WEIGHT * container + SIGNATURE_WEIGHT * signature


def body_similarity(old: Symbol, new: Symbol) -> float:
    """The similarity of the bodies, 0 to 1; 1 when they mean the same."""
    if old.fingerprint.meaning == new.fingerprint.meaning:
        return 1.0
    jaccard, within = sketch_overlap(old.fingerprint, new.fingerprint)
    best = max(jaccard, _GROWN * within if within > 0.6 else 0.0)
    tokens = _token_dice(old.facts.tokens, new.facts.tokens)
    if tokens is not None:
        # One changed token breaks several shingles; tokens forget their order. The mean is best.
        best = max(best, (best + tokens) / 2)
    return min(0.99, max(best, _members_alike(old, new)))


def finer_similarity(old: Symbol, new: Symbol) -> float:
    """The similarity outside of the body, 0 to 1, which decides between equally similar bodies."""
    text = old.fingerprint.text == new.fingerprint.text
    docs = old.facts.docs == new.facts.docs and bool(new.facts.docs)
    names = name_similarity(label(old), label(new))
    where = name_similarity(f"{old.path}.{old.container}", f"{new.path}.{new.container}")
    return 0.3 * text + 0.2 * docs + 0.3 * names + 0.2 * where


def sketch_overlap(old: Fingerprint, new: Fingerprint) -> tuple[float, float]:
    """(Jaccard similarity, containment of the smaller in the larger), both estimated from the sketches, 0 to 1."""
    left, right = frozenset(old.sketch), frozenset(new.sketch)
    common = left & right
    if not common:
        return 0.0, 0.0
    # A sketch that is not full holds all shingles, and the result is exact.
    lowest = sorted(left | right)
    if max(len(left), len(right)) >= K:
        lowest = lowest[:K]
    jaccard = sum(value in common for value in lowest) / len(lowest)
    small, large = sorted((max(old.size, 1), max(new.size, 1)))
    shared = jaccard * (small + large) / (1.0 + jaccard)
    return jaccard, min(1.0, shared / small)


def name_similarity(old: str, new: str) -> float:
    """The similarity of two names by their words, 0 to 1 (`fetchAll` and `fetch_all`: 0.95)."""
    if old == new:
        return 1.0
    left, right = words(old), words(new)
    if not left or not right:
        return 0.0
    if left == right:
        return 0.95
    common = sum((Counter(left) & Counter(right)).values())
    shorter = min(len(left), len(right))
    if shorter > 1 and left[:shorter] == right[:shorter]:
        return 0.9  # `parse_row` of `parse_row_strictly`
    return 0.9 * 2 * common / (len(left) + len(right))


def _token_dice(old: Sequence[str], new: Sequence[str]) -> float | None:
    """Sørensen-Dice over the multisets of neighbouring token pairs, None when a side kept no tokens."""
    if len(old) < 2 or len(new) < 2:
        return None
    left = Counter(pairwise(old[:_TOKENS_COMPARED]))
    right = Counter(pairwise(new[:_TOKENS_COMPARED]))
    return 2 * (left & right).total() / (left.total() + right.total())


def _members_alike(old: Symbol, new: Symbol) -> float:
    """The share of members that a container kept; members with an equal name alone count half."""
    left, right = old.facts.members, new.facts.members
    if not left or not right:
        return 0.0
    bodies = (Counter(digest for _, digest in left) & Counter(digest for _, digest in right)).total()
    names = (Counter(name for name, _ in left) & Counter(name for name, _ in right)).total()
    kept = (bodies + max(names, bodies)) / 2
    # Half credit for a class that lost or gained members: it is still that class.
    return (kept / max(len(left), len(right)) + kept / min(len(left), len(right))) / 2 if kept else 0.0


def _parameters_alike(old: Symbol, new: Symbol) -> float:
    left = [parameter.name for parameter in old.facts.parameters]
    right = [parameter.name for parameter in new.facts.parameters]
    if not left or not right:
        return 0.5 if not left and not right else 0.0
    return (Counter(left) & Counter(right)).total() / max(len(left), len(right))
