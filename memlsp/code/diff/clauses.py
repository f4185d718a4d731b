"""Turns the details of a change into clauses: one phrase for each kind of detail, with lists shortened and counted."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextvars import ContextVar

from attrs import evolve, frozen

from memlsp.code.diff.quotes import (
    code,
    code_pair,
    common_start,
    in_own_style,
    path_text,
    same_when_shown,
    value_pair,
    value_text,
)
from memlsp.code.vocabulary import word_table
from memlsp.model.change import Detail, DetailKind, detail_kinds
from memlsp.model.one_line import joined
from memlsp.model.symbol import BODY

_LONG_VALUE = 40

# What a call or decorator of that name is for, where a verb says it better than "calls".
_VERBS = {name: verb for name, (verb,) in word_table(__name__, "verbs").items()}

_Groups = defaultdict[DetailKind, list[Detail]]


@frozen
class Clause:
    """Part of a sentence that starts with a verb, and the number of details in it."""

    text: str
    details: int = 1


_ClauseMaker = Callable[[_Groups], Iterable[Clause]]


@frozen
class Room:
    """The longest list (items), code and value (characters) that a clause shows."""

    names: int = 3
    code: int = 40
    value: int = 32


IN_A_LINE = Room()
IN_FULL = Room(names=12, code=200, value=200)

# The room of the present call of `clauses_of`, for all functions below that show code.
_ROOM: ContextVar[Room] = ContextVar("room", default=IN_A_LINE)


def clauses_of(
    details: Sequence[Detail], path: str = "", room: Room = IN_A_LINE, characters: frozenset[str] | None = None
) -> list[Clause]:
    """The details as clauses, the most important first; docs and hints have none. Code is written in the style of the
    language of `path`."""
    groups: defaultdict[DetailKind, list[Detail]] = defaultdict(list)
    for detail in _without_repetitions(details, everything=room is IN_FULL):
        groups[detail.kind].append(_in_style(detail, path, characters))
    found: list[Clause] = []
    token = _ROOM.set(room)
    try:
        for made_of in _CLAUSES:
            found += made_of(groups)
    finally:
        _ROOM.reset(token)
    return found


def _in_style(detail: Detail, path: str, characters: frozenset[str] | None) -> Detail:
    if detail.kind is DetailKind.VALUE:  # its own name stands as a sign in what is kept of it
        detail = evolve(
            detail, old=detail.old and detail.old.removeprefix("@ "), new=detail.new and detail.new.removeprefix("@ ")
        )
    if not any("'" in text for text in (detail.name, detail.old, detail.new) if text):
        return detail
    return evolve(
        detail,
        name=in_own_style(detail.name, path, characters),
        old=None if detail.old is None else in_own_style(detail.old, path, characters),
        new=None if detail.new is None else in_own_style(detail.new, path, characters),
    )


def _code(text: str) -> str:
    return code(text, _ROOM.get().code)


def _code_pair(old: str, new: str) -> tuple[str, str]:
    return code_pair(old, new, _ROOM.get().code)


def _value_pair(old: str, new: str) -> tuple[str, str]:
    return value_pair(old, new, _ROOM.get().value)


def _value_text(text: str | None) -> str:
    return value_text(text, _ROOM.get().value)


_UNSEEN = frozenset({DetailKind.DOCS, DetailKind.HINT})
_STATEMENTS = detail_kinds("statement_")


def _without_repetitions(details: Sequence[Detail], *, everything: bool) -> Iterator[Detail]:
    """The details without docs, hints, and what another clause shows already: a bare literal inside a quoted condition,
    a long text beside its statements, a pair that is cut before it differs."""
    seen = [detail for detail in details if detail.kind not in _UNSEEN]
    quotes = _Quotes(seen, everything=everything)
    return _once([detail for detail in seen if not quotes.cover(detail)])


class _Quotes:
    """The code that the clauses of a change quote, beside which a detail may say nothing more."""

    def __init__(self, seen: Sequence[Detail], *, everything: bool) -> None:
        self._texts = [
            f"{detail.old or ''}\n{detail.new or ''}"
            for detail in seen
            if detail.kind is not DetailKind.LITERAL and (detail.old or detail.new)
        ]
        self._headers = [
            side
            for detail in seen
            if detail.kind is DetailKind.LOOP and not same_when_shown(detail.old or "", detail.new or "")
            for side in _sides(detail)
        ]
        self._declared = any(detail.kind in _DECLARATIONS for detail in seen)
        self._named = any(detail.kind is DetailKind.LITERAL and detail.name for detail in seen)
        self._stated = any(detail.kind in _STATEMENTS for detail in seen)
        self._everything = everything

    def cover(self, detail: Detail) -> bool:
        """True for a detail that the others show already."""
        if detail.kind is DetailKind.LITERAL and not detail.name:
            return self._covers_literal(_sides(detail))
        if detail.kind is DetailKind.VALUE:
            if self._declared and "@" in (detail.old or "") + (detail.new or ""):
                return True  # it has no value: its declaration was kept instead
            if len(detail.new or "") > _LONG_VALUE:
                # A table's own text is too long to say what one key or entry of it says.
                return self._named or (self._stated and not self._everything)
        if detail.kind in _IN_HEADERS and any(all(side in text for side in _sides(detail)) for text in self._headers):
            return True  # the whole loop is quoted
        if not self._stated:
            return False
        if detail.kind in _VERSIONS and detail.old and detail.new:
            return same_when_shown(detail.old, detail.new)
        return detail.kind is DetailKind.BODY

    def _covers_literal(self, sides: Sequence[str]) -> bool:
        if self._stated:  # which of them became which is known from the statements
            return all(any(side in text for text in self._texts) for side in sides)
        return any(all(side in text for side in sides) for text in self._texts)


def _sides(detail: Detail) -> list[str]:
    return [side for side in (detail.old, detail.new) if side]


_DECLARATIONS = detail_kinds("type return_type modifier_ decorator_")
_IN_HEADERS = frozenset({DetailKind.CONDITION, DetailKind.LITERAL})
_VERSIONS = frozenset({DetailKind.RETURN, DetailKind.CONDITION, DetailKind.LOOP, DetailKind.TYPE})


def _once(details: Sequence[Detail]) -> Iterator[Detail]:
    """The details, with the same replacement in several statements once."""
    seen: set[tuple[str | None, str | None]] = set()
    for detail in details:
        if detail.kind is not DetailKind.STATEMENT_CHANGED or (detail.old, detail.new) not in seen:
            yield detail
        if detail.kind is DetailKind.STATEMENT_CHANGED:
            seen.add((detail.old, detail.new))


def _names(found: Sequence[str]) -> str:
    """`a`, `b` and `c`; those beyond the room are counted."""
    return joined([_code(text) for text in found], _ROOM.get().names)


def _listing(kind: DetailKind, verb: str, text: Callable[[Detail], str]) -> _ClauseMaker:
    def clauses(groups: _Groups) -> list[Clause]:
        found = groups[kind]
        return [Clause(f"{verb} {_names([text(detail) for detail in found])}", len(found))] if found else []

    return clauses


def _each(kind: DetailKind, clause: Callable[[Detail], Clause]) -> _ClauseMaker:
    return lambda groups: [clause(detail) for detail in groups[kind]]


def _new(detail: Detail) -> str:
    return detail.new or detail.name


def _old(detail: Detail) -> str:
    return detail.old or detail.name


def _name(detail: Detail) -> str:
    return detail.name or detail.new or detail.old or ""


def _from_to(detail: Detail) -> str:
    if detail.old is None or detail.new is None:
        return f"from {_value_text(detail.old)} to {_value_text(detail.new)}"
    old, new = _value_pair(detail.old, detail.new)
    return f"from {old} to {new}" if old != new else f"from one text to another that begin with {new} both"


def _exchange(
    verb: str, detail: Detail, pair: Callable[[str, str], tuple[str, str]] = _code_pair, between: str = " instead of "
) -> str:
    old, new = pair(_old(detail), _new(detail))
    if old == new:  # the texts differ, but their kept beginnings are alike
        return f"{verb} something else in {new}"
    return f"{verb} {new}{between}{old}"


def _came_and_went(verb: str, came: Sequence[str], went: Sequence[str], *, alone: bool = True) -> list[Clause]:
    """What came and what went; two versions of one thing as an exchange, with `alone` also one for one."""
    pairs: list[tuple[str, str]] = []
    came, went = list(came), list(went)
    for old in list(went):
        new = next((each for each in came if _is_version(old, each) or (alone and len(came) == len(went) == 1)), None)
        if new is not None:
            pairs.append((old, new))
            came.remove(new)
            went.remove(old)
    texts = ((f"now {verb}", came), (f"no longer {verb}", went))
    found = [Clause(f"{phrase} {_names(found)}", len(found)) for phrase, found in texts if found]
    return found + [Clause(_exchange(verb, Detail(DetailKind.BODY, "", *pair)), 2) for pair in pairs]


def _exchanged(verb: str, gain: DetailKind, loss: DetailKind) -> _ClauseMaker:
    return lambda groups: _came_and_went(verb, [_new(d) for d in groups[gain]], [_old(d) for d in groups[loss]])


def _value_change(detail: Detail) -> str:
    return f"is now {_value_text(detail.new)}" if detail.old is None else f"went {_from_to(detail)}"


def _dependencies(groups: _Groups) -> Iterator[Clause]:
    for detail in groups[DetailKind.DEPENDENCY]:
        where = path_text(detail.path) if detail.path else ""
        if detail.name.endswith(BODY):
            place = f" in {where}" if where else ""
            yield Clause(f"calls {_code(detail.name.removesuffix(BODY))}, which changed{place}")
            continue
        callee, is_result, raises = detail.name.rpartition("()")
        if is_result and raises in {"", " raises"}:
            change = f"{_result_change(detail, raises.strip() or 'returns')}{f' in {where}' if where else ''}"
            yield Clause(f"uses {_code(callee)}, which {change}")
            continue
        change, at = ("is gone", "from") if detail.new is None else (_value_change(detail), "in")
        change = f"{change} {at} {where}" if where else change
        yield Clause(f"uses {_code(detail.name)}, which {change}")


def _result_change(detail: Detail, verb: str) -> str:
    """`returns 0.25 and not 0.2`, of the constants or exceptions that differ."""
    before, after = ((side or "").split(", ") if side else [] for side in (detail.old, detail.new))
    gone = ", ".join(_code(each) for each in before if each not in after)
    came = ", ".join(_code(each) for each in after if each not in before)
    if not came:
        return f"no longer {verb} {gone}" if gone else f"{verb} something else"
    return f"{verb} {came} and not {gone}" if gone else f"{verb} {came} too"


def _parameters(groups: _Groups) -> list[Clause]:
    gained = [detail for detail in groups[DetailKind.PARAMETER_ADDED] if detail.name not in _MARKS]
    found = [Clause(f"gained {_names([_new(detail) for detail in gained])}", len(gained))] if gained else []
    return found + [
        Clause(f"takes what is {_MARKS[detail.name]}")
        for detail in groups[DetailKind.PARAMETER_ADDED]
        if detail.name in _MARKS
    ]


_MARKS = {"*": "behind `*` by keyword only", "/": "before `/` by position only"}


def _set(detail: Detail, changed: str, came: str, went: str) -> Clause:
    """The clause for a named value with both sides, only a new one, or only an old one."""
    text = went if detail.new is None else came if detail.old is None else changed
    old, new = _value_text(detail.old), _value_text(detail.new)
    return Clause(text.format(name=_code(detail.name), old=old, new=new, change=_from_to(detail)))


def _default(detail: Detail) -> Clause:
    requires = "requires {name}, which was {old} by default"
    return _set(detail, "changed the default of {name} {change}", "defaults {name} to {new}", requires)


def _type(detail: Detail, verb: str, went: str) -> Clause:
    if not detail.new:
        return Clause(went)
    return Clause(_exchange(verb, detail) if detail.old else f"{verb} {_code(detail.new)}")


def _named_literals(groups: _Groups) -> list[Clause]:
    texts = ("changed {name} {change}", "sets {name} to {new}", "no longer sets {name} to {old}")
    return [_set(detail, *texts) for detail in groups[DetailKind.LITERAL] if detail.name]


def _declared(detail: Detail) -> Clause:
    what = _code(detail.name) if detail.name else "its value"
    return _type(detail, f"declares {what} as", f"leaves {what} untyped")


def _modifiers(groups: _Groups) -> list[Clause]:
    gained, lost = groups[DetailKind.MODIFIER_ADDED], groups[DetailKind.MODIFIER_REMOVED]
    if gained and lost:
        pair = f"{_names([_new(d) for d in gained])} instead of {_names([_old(d) for d in lost])}"
        return [Clause(f"is now {pair}", len(gained) + len(lost))]
    return [
        *_listing(DetailKind.MODIFIER_ADDED, "is now", _new)(groups),
        *_listing(DetailKind.MODIFIER_REMOVED, "is no longer", _old)(groups),
    ]


def _decorators(groups: _Groups) -> list[Clause]:
    found, plain = _with_own_verbs(groups[DetailKind.DECORATOR_ADDED])
    if plain:
        found.append(Clause(f"is now decorated with {_names([_new(d) for d in plain])}", len(plain)))
    return found


def _with_own_verbs(details: Sequence[Detail]) -> tuple[list[Clause], list[Detail]]:
    """The clauses of those whose name has a verb of its own, and the other details."""
    verbs = [_VERBS.get(detail.name.rpartition(".")[2].rpartition("::")[2].lower(), "") for detail in details]
    found = [Clause(f"now {verb} {_code(d.name)}") for d, verb in zip(details, verbs, strict=True) if verb]
    return found, [detail for detail, verb in zip(details, verbs, strict=True) if not verb]


def _ends_of_chains(calls: Sequence[Detail], raised: Sequence[Detail]) -> list[Detail]:
    """The calls without `a.b` beside `a.b().c`, without `a.b()` (a call of a call's result) beside `a.b`, and without
    the construction of raised exceptions."""
    names = {detail.name for detail in calls}
    return [
        detail
        for detail in calls
        if not any(other.startswith(f"{detail.name}().") for other in names)
        and not (detail.name.endswith("()") and detail.name[:-2] in names)
        and not any(other.name.startswith(f"{detail.name}(") for other in raised)
    ]


def _calls(groups: _Groups) -> list[Clause]:
    gained = _ends_of_chains(groups[DetailKind.CALL_ADDED], groups[DetailKind.RAISE_ADDED])
    lost = _ends_of_chains(groups[DetailKind.CALL_REMOVED], groups[DetailKind.RAISE_REMOVED])
    found, gained = _with_own_verbs(gained)
    called = [{_OF_TEXT.sub("", text(detail)) for detail in side} for text, side in ((_new, gained), (_old, lost))]
    both = called[0] & called[1]  # called on another string
    gained, lost = ([d for d in side if _OF_TEXT.sub("", d.name) not in both] for side in (gained, lost))
    return found + _came_and_went("calls", [_new(d) for d in gained], [_old(d) for d in lost])


_OF_TEXT = re.compile(r"^(['\"]).*\1(?=\.)", re.DOTALL)


def _is_version(left: str, right: str) -> bool:
    """True for `a.is` and `b.is`, and for `a.b.should().be` and `a.b.shouldBe`: most of the name, or all that is shown
    of it, is the same."""
    if "." in left and left.rpartition(".")[2] == right.rpartition(".")[2]:
        return True
    begin = common_start(left, right)
    return begin >= _ALIKE or begin + common_start(left[::-1], right[::-1]) > max(len(left), len(right)) / 2


_ALIKE = 24  # characters of a common beginning, as far as which long code is shown


def _versions(kind: DetailKind, verb: str) -> _ClauseMaker:
    def clauses(groups: _Groups) -> list[Clause]:
        found = [Clause(_exchange(verb, detail)) for detail in groups[kind] if detail.old and detail.new]
        came = [_new(detail) for detail in groups[kind] if not detail.old]
        went = [_old(detail) for detail in groups[kind] if not detail.new]
        return found + _came_and_went(verb, came, went, alone=False)

    return clauses


def _bare_literals(groups: _Groups) -> list[Clause]:
    bare = [detail for detail in groups[DetailKind.LITERAL] if not detail.name]
    found = [
        Clause(_exchange("has", detail, _value_pair, " where it had "))
        for detail in bare
        if detail.old is not None and detail.new is not None
    ]
    came = [detail.new for detail in bare if detail.old is None and detail.new is not None]
    went = [detail.old for detail in bare if detail.new is None and detail.old is not None]
    return found + _came_and_went("has", came, went, alone=False)


def _parameter_renamed(detail: Detail) -> Clause:
    old, new = _old(detail), _new(detail)
    if _RECEIVER.fullmatch(old) or _RECEIVER.fullmatch(new):
        return Clause(f"takes {_code(new)} instead of {_code(old)}")
    return Clause(_renamed("its parameter ", detail))


_RECEIVER = re.compile(r"(?:&\s*)?(?:'\w+ )?(?:mut )?(?:self|cls)")


def _renamed(what: str, detail: Detail) -> str:
    return f"renamed {what}{_code(_old(detail))} to {_code(_new(detail))}"


def _excerpt(detail: Detail) -> Clause:
    """The clause for code that came, went or was replaced."""
    if detail.old and detail.new:
        return Clause(_exchange("has", detail, _code_pair, " where it had "))
    if detail.new or detail.old:
        return Clause(f"now has {_code(detail.new)}" if detail.new else f"no longer has {_code(detail.old or '')}")
    return Clause("works differently inside")


def _changed_statements(groups: _Groups) -> list[Clause]:
    changed = sorted(groups[DetailKind.STATEMENT_CHANGED], key=lambda detail: not (detail.old and detail.new))
    return [_excerpt(detail) for detail in changed]


def _unwrapped(detail: Detail) -> Clause:
    return Clause(f"has {_code(_name(detail))} no longer under {_code(detail.old or '')}")


def _moved(detail: Detail) -> Clause:
    place = detail.new or ""
    where = next((each for each in _PLACES if place.startswith(each)), "")
    return Clause(f"moved {_code(_name(detail))} {f'{where}{_code(place[len(where) :])}' if where else 'elsewhere'}")


_PLACES = ("before ", "after ", "into ", "out of ")


_CLAUSES: tuple[_ClauseMaker, ...] = (
    _each(DetailKind.VALUE, lambda detail: Clause(_value_change(detail))),
    _parameters,
    _listing(DetailKind.PARAMETER_REMOVED, "lost", _name),
    _each(DetailKind.PARAMETER_RENAMED, _parameter_renamed),
    _each(DetailKind.DEFAULT, _default),
    _each(DetailKind.TYPE, _declared),
    _each(DetailKind.RETURN_TYPE, lambda detail: _type(detail, "returns type", "no longer declares what it returns")),
    _modifiers,
    _exchanged("extends", DetailKind.BASE_ADDED, DetailKind.BASE_REMOVED),
    _decorators,
    _listing(DetailKind.DECORATOR_REMOVED, "is no longer decorated with", _old),
    _each(DetailKind.DECORATOR_CHANGED, lambda detail: Clause(_exchange("is decorated with", detail))),
    _each(DetailKind.MEMBER_RENAMED, lambda detail: Clause(_renamed("", detail))),
    _listing(DetailKind.MEMBER_ADDED, "gained", _name),
    _listing(DetailKind.MEMBER_REMOVED, "lost", _name),
    _listing(DetailKind.MEMBER_CHANGED, "changed", _name),
    _calls,
    _exchanged("raises", DetailKind.RAISE_ADDED, DetailKind.RAISE_REMOVED),
    _exchanged("catches", DetailKind.CATCH_ADDED, DetailKind.CATCH_REMOVED),
    _named_literals,
    _dependencies,
    _versions(DetailKind.RETURN, "returns"),
    _versions(DetailKind.CONDITION, "checks"),
    _versions(DetailKind.LOOP, "loops"),
    _bare_literals,
    _each(DetailKind.PARAMETERS_REORDERED, lambda detail: Clause(f"takes {_code(_new(detail))} in this order")),
    _changed_statements,
    _listing(DetailKind.STATEMENT_ADDED, "now has", _new),
    _listing(DetailKind.STATEMENT_REMOVED, "no longer has", _old),
    _each(DetailKind.STATEMENT_WRAPPED, lambda it: Clause(f"puts {_code(_name(it))} under {_code(it.new or '')}")),
    _each(DetailKind.STATEMENT_UNWRAPPED, _unwrapped),
    _each(DetailKind.STATEMENT_MOVED, _moved),
    _listing(DetailKind.IMPORT_ADDED, "now imports", _new),
    _listing(DetailKind.IMPORT_REMOVED, "no longer imports", _old),
    _each(DetailKind.BODY, _excerpt),
)
