"""Holds the order that a statement claims against the code: how something is sorted, and in which order a queue hands
out its entries. Only code with one sorting says anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from attrs import frozen

from memlsp.beliefs.claims.claims import Claims
from memlsp.beliefs.claims.clause_roles import speaks_plainly
from memlsp.beliefs.claims.stems import stem, stem_sets
from memlsp.beliefs.claims.symbol_state import listed
from memlsp.beliefs.present.present_code import Finding, PresentCode, code_only, without_comments
from memlsp.code.syntax.names import words
from memlsp.code.vocabulary import patterns

_RE = patterns(__name__)
_STEMS = stem_sets(__name__)
_LONGEST_CALL = 400  # characters of it that are read


@frozen
class Sorting:
    """One sorting of the code: its direction, the stems of its first key, those of all keys, and whether it compares
    numbers."""

    down: bool
    key: frozenset[str]
    keys: frozenset[str]
    text: str
    numeric: bool = False


def order_found(claims: Claims, code: PresentCode) -> Iterator[Finding]:
    """The findings about order."""
    yield from _sorted(claims, code)
    yield from _queued(claims, code)


# --- sorting


def _sorted(claims: Claims, code: PresentCode) -> Iterator[Finding]:
    found, by = _RE["direction"].search(claims.text), _RE["sorted_by"].search(claims.text)
    if found is None and by is None:
        return
    sortings = sortings_in(without_comments(code.source, code.language))
    if len(sortings) != 1:
        return
    one = sortings[0]
    if found is not None and speaks_plainly(claims, code.subject, found.start()):
        differs = _differs(found.lastgroup or "", one)
        if differs is not None:
            yield code.answers(found[0], not differs, f"sorts by {one.text}")
    elif by is not None and speaks_plainly(claims, code.subject, by.start()):
        agrees = _has_key(by["key"], one, code)
        if agrees is not None:
            yield code.answers(by[0], agrees, f"sorts by {one.text}")


def _has_key(name: str, one: Sorting, code: PresentCode) -> bool | None:
    """Whether the sorting is by what has this name, None where that cannot be told."""
    said = {stem(word) for word in words(name)} - _STEMS["vague"]
    if said & one.keys or (said & _STEMS["temporal"] and one.keys & _STEMS["temporal"]):
        return True
    known = len(said) == 1 and bool(one.key) and not one.key & _STEMS["vague"]
    return False if known and (_is_another(said, one) or _is_known(name, code)) else None


def _differs(claimed: str, one: Sorting) -> bool | None:
    """Whether the sorting is another than the claimed one, None where that cannot be told."""
    if claimed in {"newest", "oldest"}:
        if one.key & _STEMS["temporal"]:
            return one.down is not (claimed == "newest")
        return True if one.key and one.keys.isdisjoint(_STEMS["temporal"]) and not one.key & _STEMS["vague"] else None
    if claimed == "alphabetical":
        if one.numeric or one.key & _STEMS["temporal"]:
            return True
        return one.down if one.key & _STEMS["textual"] else None
    return one.down is not (claimed == "down")


def _is_another(said: set[str], one: Sorting) -> bool:
    """True where one sorts by a text and the other by a measure or a time."""
    if said & _STEMS["textual"]:
        return one.numeric or bool(one.key & (_STEMS["temporal"] | _STEMS["measured"]))
    return bool(said & (_STEMS["measured"] | _STEMS["temporal"])) and bool(one.key & _STEMS["textual"])


def _is_known(name: str, code: PresentCode) -> bool:
    """True where the file has a field of this name that one could sort by."""
    return re.search(rf"(?:[.\[>:'\"_(]|\b(?:let|var|def)\s|^\s*){re.escape(name.lower())}\b", code.around) is not None


def sortings_in(source: str) -> list[Sorting]:
    """The sortings of some code, each once. A list that is turned round elsewhere has none that can be told."""
    if _RE["turned"].search(source):
        return []
    return [made for found in _RE["sorting"].finditer(source) if (made := _sorting(found, source)) is not None]


def _sorting(found: re.Match[str], source: str) -> Sorting | None:
    kind = found.lastgroup or ""
    if kind == "sql":
        text = re.split(r"(?i)\b(?:limit|offset|for update)\b|[\"'`;)]", found["sql"])[0].strip()
        first = text.split(",")[0]
        return _made(re.search(r"(?i)\bdesc\b", first) is not None, first, text)
    _, end = listed(source[: found.end() + _LONGEST_CALL], found.end())
    if end < 0:
        return None
    inner = source[found.end() : end]
    if kind == "compared":
        return _by_comparison(inner)
    if kind == "latest":
        return _made(found[0].lower().startswith((".latest", "->latest")), inner or "created_at", inner or "created_at")
    if kind == "downwards":
        return _made(True, inner, inner)
    if re.match(r"\)\s*\.(?:descending|reversed|reverse|desc)\b", source[end:]):
        return _made(True, inner, inner)
    down = re.search(
        r"\breverse\s*=\s*True\b|(?i:\bdesc\b|'desc'|\"desc\"|descending|reverseorder|\breversed\b|\bReverse\()", inner
    )
    lead = re.search(r"^\s*['\"]-\w|:\s*-\s*\w|=>\s*-\s*\w|\|\w+\|\s*-\s*\w|\{\s*\|\w+\|\s*-", inner)
    if found.group().lstrip(".").startswith("sorted") or kind == "sorting":
        inner = re.sub(r"^[^,]*,", "", inner) if "key" in inner and not inner.lstrip().startswith("key") else inner
    first = inner.split(",")[0] if not lead else inner
    key = re.sub(r"\b(?:key|lambda|reverse|True|False|itemgetter|attrgetter|desc|asc)\b", " ", first)
    return _made(bool(down) is not bool(lead), key, inner, bool(lead))


def _by_comparison(inner: str) -> Sorting | None:
    """The sorting by a function of two: `(a, b) => a.x - b.x`, `a[i].X < a[j].X`, `|a, b| a.x.cmp(&b.x)`."""
    for pattern in ("minus", "locale", "less"):
        found = _RE[pattern].search(inner)
        if found is None:
            continue
        if found["key"] != found["other"]:
            return None
        declared = _RE["declared"].search(inner)
        order = (declared["one"], declared["two"]) if declared else ("a", "b")
        if {found["left"], found["right"]} != set(order):
            return None
        up = found["left"] == order[0]
        if pattern == "less" and found["sign"] == ">":
            up = not up
        return _made(not up, found["key"], inner, pattern == "minus")
    return None


def _made(down: bool, first: str, text: str, numeric: bool = False) -> Sorting:
    def stems(part: str) -> frozenset[str]:
        names = re.findall(r"[^\W\d]\w*", part)
        return frozenset(stem(word) for name in names for word in words(name) if len(word) > 1)

    shown = re.sub(r"\s+", " ", text).strip()[:60]
    return Sorting(down, stems(first), stems(text), shown, numeric)


# --- queues


def _queued(claims: Claims, code: PresentCode) -> Iterator[Finding]:
    found = _RE["queue"].search(claims.text)
    if found is None or not speaks_plainly(claims, code.subject, found.start()):
        return
    source = code_only(code.source, code.language)
    first, last = _RE["takes_first"].search(source), _RE["takes_last"].search(source)
    taken = first or last
    if taken is not None and not (first and last) and not _RE["puts_first"].search(code.around):
        agrees = (found.lastgroup == "fifo") == (first is not None)
        yield code.answers(found[0], agrees, f"takes with `{taken[0].strip()}`")
