"""Renders a symbol change as a sentence that a colleague would say.

Code stands in code spans that it cannot end: backticks, control and invisible characters are replaced, long code is
shortened in the middle. Clauses that do not fit are counted, never cut.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from attrs import evolve

from memlsp.code.diff.clauses import IN_FULL, Clause, Room, clauses_of
from memlsp.code.diff.quotes import code, path_text
from memlsp.code.diff.similarity import family
from memlsp.model.change import ChangeKind, Detail, DetailKind, SymbolChange, SymbolRef
from memlsp.model.one_line import joined
from memlsp.model.symbol import SymbolKind

LONGEST = 160
_PROSE = (".md", ".markdown", ".mdx", ".rst", ".txt")
_READS = {"works differently inside": "reads differently"}  # prose does not work


def sentence(change: SymbolChange) -> str:
    """One line of at most 160 characters, safe to put into markdown: code spans balanced, no control characters."""
    if change.old is None:
        return "Nothing changed." if change.new is None else _came(change.new, change)
    if change.new is None:
        return _gone(_subject(change.old), change)
    return _changed(change, change.old, change.new)


def _came(new: SymbolRef, change: SymbolChange) -> str:
    is_extracted = ChangeKind.EXTRACTED in change.kinds
    text = _with_others(f"Extracted {_subject(new)} from", change, new) if is_extracted else ""
    return text or f"Added {_subject(new)}."


def _changed(change: SymbolChange, old: SymbolRef, new: SymbolRef) -> str:
    subject = _subject(old)
    head, short = _place_clauses(old, new), _place_clauses(old, new, short=True)
    body = clauses_of(change.details, new.path, characters=change.characters)
    if new.path.lower().endswith(_PROSE):
        body = [evolve(clause, text=_READS.get(clause.text, clause.text)) for clause in body]
    if not head:
        if not change.alters_meaning:
            return _harmless(_subject(new), change)
        if not body:
            return f"{_subject(new)} means something else, with nothing in it that has a name."
    elif not body:
        rest = "; nothing else changed" if ChangeKind.MOVED in change.kinds and change.similarity == 1.0 else ""
        longer = _fitting(subject, head, [], f"{rest}.")
        return longer or _fitting(subject, short, [], ".") or _counted(subject, head, ".")
    tight, fewer = (clauses_of(change.details, new.path, room, change.characters) for room in (_TIGHT, _FEWER))
    end = _changed_too(change.others)
    for place, said in product((head, short), (body, tight)):
        text = _fitting(subject, place, said, end, fewer)
        if text and all(each.text in text for each in place[:1]) and any(each.text in text for each in (*said, *fewer)):
            return text
    return _fitting(subject, head, body, end, fewer) or _counted(subject, body, end)


def _changed_too(others: Sequence[SymbolRef]) -> str:
    """The end of a sentence about one of several symbols that changed."""
    if not others:
        return "."
    more = f" and {len(others) - 1} more" if len(others) > 1 else ""
    return f"; {code(others[0].name, 30)}{more} changed too."


def clauses(details: Sequence[Detail], path: str = "") -> tuple[str, ...]:
    """The details as phrases with a verb and without subject, the most important first, code in the style of `path`'s
    language."""
    return tuple(clause.text for clause in clauses_of(details, path))


def explanation(change: SymbolChange) -> tuple[str, ...]:
    """The fuller form: a line for each clause, values and code up to 200 characters."""
    path = (change.new or change.old or _NOTHING).path
    place = _place_clauses(change.old, change.new) if change.old and change.new else []
    return tuple(clause.text for clause in [*place, *clauses_of(change.details, path, IN_FULL, change.characters)])


_NOTHING = SymbolRef("", "", SymbolKind.MODULE)


def following(change: SymbolChange, names: Sequence[str]) -> str:
    """The sentence for a symbol that only writes the new names of renamed symbols; `names` has the old ones."""
    begin = f"{_subject(change.new or change.old)} only follows the new name of"
    for shown in range(min(3, len(names)), 0, -1):
        more = f" and {len(names) - shown} more" if len(names) > shown else ""
        text = f"{begin} {', '.join(code(name, 30) for name in names[:shown])}{more}."
        if len(text) <= LONGEST:
            return text
    return f"{begin} {len(names)} others."


# --- frames


def _subject(ref: SymbolRef | None) -> str:
    if ref is None:
        return "nothing"
    return code(ref.name, 60) if ref.name else path_text(ref.path)


def _located(ref: SymbolRef, here: str) -> str:
    """A symbol with its file, unless that is `here`."""
    return _subject(ref) if ref.path == here or not ref.name else f"{_subject(ref)} in {path_text(ref.path)}"


_PARTINGS = {
    ChangeKind.INLINED: "was inlined into",
    ChangeKind.SPLIT: "was split into",
    ChangeKind.MERGED: "was merged into",
}


def _with_others(begin: str, change: SymbolChange, here: SymbolRef | None) -> str:
    """A sentence that ends in a list of the other symbols of the change; "" without any."""
    path = here.path if here else ""
    others = [_located(other, path) for other in change.others]
    for shown in range(min(4, len(others)), 0, -1):
        text = f"{begin} {joined(others, shown)}."
        if len(text) <= LONGEST:
            return text
    return ""


def _gone(subject: str, change: SymbolChange) -> str:
    for kind, words in _PARTINGS.items():
        if kind in change.kinds and (text := _with_others(f"{subject} {words}", change, change.old)):
            return text
    if not change.alternatives:
        return f"Removed {subject}."
    here = change.old.path if change.old else ""
    where = [_located(other, here) for other in change.alternatives]
    for shown in (3, 2, 1):
        more = len(where) - shown
        tail = f" or {more} others" if more > 1 else " or one other" if more == 1 else ""
        text = f"{subject} is gone; it could have become {' or '.join(where[:shown])}{tail}."
        if len(text) <= LONGEST:
            return text
    return f"{subject} is gone; it could have become one of {len(where)}."


def _place_clauses(old: SymbolRef, new: SymbolRef, *, short: bool = False) -> list[Clause]:
    found: list[Clause] = []
    old_holder, _, old_name = old.name.rpartition(".")
    new_holder, _, new_name = new.name.rpartition(".")
    if old.path != new.path:
        origin = "" if short else f"from {path_text(old.path)} "
        found.append(Clause(f"moved {origin}to {path_text(new.path.rpartition('/')[2] if short else new.path)}"))
    elif old_holder != new_holder:
        return [Clause(f"became {code(new.name, 60)}")]
    if old_name != new_name:
        found.append(Clause(f"renamed to {code(new_name)}"))
    if old.name == new.name and old.kind is not new.kind and family(old.kind) != family(new.kind):
        found.append(Clause(f"is a {new.kind} now, not a {old.kind}"))
    return found


def _harmless(subject: str, change: SymbolChange) -> str:
    kinds = {detail.kind for detail in change.details}
    if ChangeKind.COSMETIC not in change.kinds and ChangeKind.DOCS not in change.kinds:
        return f"Nothing changed in {subject}."
    if kinds == {DetailKind.DOCS, DetailKind.HINT}:
        return f"Only documentation and type hints changed in {subject}."
    if kinds == {DetailKind.HINT}:
        return f"Only type hints changed in {subject}."
    if ChangeKind.COSMETIC in change.kinds and change.similarity < 1:
        docs = "; its documentation changed" if DetailKind.DOCS in kinds else ""
        return f"{subject} is written in another way and does the same{docs}."
    if kinds == {DetailKind.DOCS}:
        return f"Only the documentation of {subject} changed."
    return f"Only comments and layout changed in {subject}."


_TIGHT = Room(names=1, code=20, value=16)
_FEWER = Room(names=1)


def _fitting(
    subject: str, head: list[Clause], body: list[Clause], end: str, fewer: Sequence[Clause] = ()
) -> str | None:
    """The sentence with as many clauses as fit, those of `fewer` names where the others do not, and a count of the
    other details; None when none fits."""
    everything = head + body
    smaller = head + list(fewer) if len(fewer) == len(body) else everything
    chosen: list[Clause | None] = [None] * len(everything)
    left = sum(clause.details for clause in everything)
    for clauses_ in (everything, smaller):
        for place, clause in enumerate(clauses_):
            if chosen[place] is not None:
                continue
            said = [each for each in (*chosen[:place], clause, *chosen[place + 1 :]) if each is not None]
            if len(_joined(subject, said, left - clause.details, end)) <= LONGEST:
                chosen[place] = clause
                left -= clause.details
    said = [each for each in chosen if each is not None]
    return _joined(subject, said, left, end) if said else None


def _counted(subject: str, body: Sequence[Clause], end: str) -> str:
    more = sum(clause.details for clause in body)
    return f"{subject} changed in {more} {'way' if more == 1 else 'ways'}{end}"


def _joined(subject: str, body: Sequence[Clause], more: int, end: str) -> str:
    text = f"{subject} {', '.join(clause.text for clause in body)}"
    if more:
        text += f" and {more} more {'change' if more == 1 else 'changes'}"
    return text + end
