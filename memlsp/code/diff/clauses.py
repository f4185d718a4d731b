"""The clauses of a sentence about a change: one phrase for each kind of detail, lists gathered and counted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from contextvars import ContextVar

from attrs import evolve, frozen

from memlsp.code.diff.quotes import code, code_pair, in_own_style, path_text, same_when_shown, value_pair, value_text
from memlsp.model.change import Detail, DetailKind

_LONG_VALUE = 40

# What a call or decorator of that name is for, where a verb says it better than "calls".
_VERBS = {
    "retry": "retries through",
    "retrying": "retries through",
    "cache": "caches through",
    "lru_cache": "caches through",
    "sleep": "waits with",
    "deprecated": "is deprecated by",
}

_Groups = defaultdict[DetailKind, list[Detail]]


@frozen
class Clause:
    """Part of a sentence that starts with a verb, and how many details it tells."""

    text: str
    details: int = 1


@frozen
class Room:
    """How much of a list, of a piece of code and of a value a clause shows."""

    names: int = 3
    code: int = 40
    value: int = 32


IN_A_LINE = Room()
IN_FULL = Room(names=12, code=200, value=200)

# Every teller below shows code; which room there is is the same for all that one call of `tell` says.
_ROOM: ContextVar[Room] = ContextVar("room", default=IN_A_LINE)


def tell(details: Sequence[Detail], path: str = "", room: Room = IN_A_LINE) -> list[Clause]:
    """The details as clauses, the most important first. Docs and hints have none. Code is written as the language of
    `path` writes it."""
    groups: defaultdict[DetailKind, list[Detail]] = defaultdict(list)
    for detail in _told(details, everything=room is IN_FULL):
        groups[detail.kind].append(_in_style(detail, path))
    found: list[Clause] = []
    token = _ROOM.set(room)
    try:
        for teller in _TELLERS:
            found += teller(groups)
    finally:
        _ROOM.reset(token)
    return found


def _in_style(detail: Detail, path: str) -> Detail:
    if detail.kind is DetailKind.VALUE:  # its own name stands as a sign in what is kept of it
        detail = evolve(
            detail,
            old=detail.old and detail.old.removeprefix("@ "),
            new=detail.new and detail.new.removeprefix("@ "),
        )
    if not any("'" in text for text in (detail.name, detail.old, detail.new) if text):
        return detail
    return evolve(
        detail,
        name=in_own_style(detail.name, path),
        old=None if detail.old is None else in_own_style(detail.old, path),
        new=None if detail.new is None else in_own_style(detail.new, path),
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
_STATEMENTS = frozenset(
    {
        DetailKind.STATEMENT_ADDED,
        DetailKind.STATEMENT_REMOVED,
        DetailKind.STATEMENT_CHANGED,
        DetailKind.STATEMENT_MOVED,
        DetailKind.STATEMENT_WRAPPED,
        DetailKind.STATEMENT_UNWRAPPED,
    }
)


def _told(details: Sequence[Detail], *, everything: bool) -> list[Detail]:
    """Without what another clause already shows: a bare literal inside a condition that is quoted, docs and hints; a
    long text whose statements are told; a version that was cut before it differs."""
    seen = [detail for detail in details if detail.kind not in _UNSEEN]
    quoted = [
        f"{detail.old or ''}\n{detail.new or ''}"
        for detail in seen
        if detail.kind is not DetailKind.LITERAL and (detail.old or detail.new)
    ]
    declared = any(detail.kind in _DECLARATIONS for detail in seen)
    named = any(detail.kind is DetailKind.LITERAL and detail.name for detail in seen)
    headers = [
        side
        for detail in seen
        if detail.kind is DetailKind.LOOP
        for side in (detail.old, detail.new)
        if side and not same_when_shown(detail.old or "", detail.new or "")
    ]
    stated = any(detail.kind in _STATEMENTS for detail in seen)

    def shown(detail: Detail) -> bool:
        if detail.kind is DetailKind.LITERAL and not detail.name:
            sides = [side for side in (detail.old, detail.new) if side]
            if stated:  # which of them became which is known from the statements
                return not all(any(side in text for text in quoted) for side in sides)
            return not any(all(side in text for side in sides) for text in quoted)
        if detail.kind is DetailKind.VALUE and declared and "@" in (detail.old or "") + (detail.new or ""):
            return False  # it has no value, and what was kept in its place is its declaration
        if detail.kind is DetailKind.VALUE and len(detail.new or "") > _LONG_VALUE:
            # A table's own text is too long to say what one key or entry of it says.
            return not named and not (stated and not everything)
        if detail.kind in _IN_HEADERS and any(
            all(side in text for side in (detail.old, detail.new) if side) for text in headers
        ):
            return False  # the whole loop is told
        if stated and detail.kind in _VERSIONS and detail.old and detail.new:
            return not same_when_shown(detail.old, detail.new)
        return not (stated and detail.kind is DetailKind.BODY)

    return _once([detail for detail in seen if shown(detail)])


_DECLARATIONS = frozenset(
    {
        DetailKind.TYPE,
        DetailKind.RETURN_TYPE,
        DetailKind.MODIFIER_ADDED,
        DetailKind.MODIFIER_REMOVED,
        DetailKind.DECORATOR_ADDED,
        DetailKind.DECORATOR_REMOVED,
        DetailKind.DECORATOR_CHANGED,
    }
)
_IN_HEADERS = frozenset({DetailKind.CONDITION, DetailKind.LITERAL})
_VERSIONS = frozenset({DetailKind.RETURN, DetailKind.CONDITION, DetailKind.LOOP, DetailKind.TYPE})


def _once(details: Sequence[Detail]) -> list[Detail]:
    """The same replacement in several statements is one thing to say."""
    seen: set[tuple[DetailKind, str | None, str | None]] = set()
    kept: list[Detail] = []
    for detail in details:
        key = (detail.kind, detail.old, detail.new)
        if detail.kind is DetailKind.STATEMENT_CHANGED:
            if key in seen:
                continue
            seen.add(key)
        kept.append(detail)
    return kept


def _names(found: Sequence[str]) -> str:
    """`a`, `b` and `c`; those for which there is no room are counted."""
    most = _ROOM.get().names
    shown = [_code(text) for text in found[:most]]
    if len(found) > most:
        return f"{', '.join(shown)} and {len(found) - most} more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def _listing(kind: DetailKind, verb: str, text: Callable[[Detail], str]) -> Callable[[_Groups], list[Clause]]:
    def told(groups: _Groups) -> list[Clause]:
        found = groups[kind]
        return [Clause(f"{verb} {_names([text(detail) for detail in found])}", len(found))] if found else []

    return told


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
    verb: str,
    detail: Detail,
    pair: Callable[[str, str], tuple[str, str]] = _code_pair,
    between: str = " instead of ",
) -> str:
    old, new = pair(_old(detail), _new(detail))
    if old == new:  # what is kept of long texts is alike, and they are not
        return f"{verb} something else in {new}"
    return f"{verb} {new}{between}{old}"


def _values(groups: _Groups) -> list[Clause]:
    found: list[Clause] = []
    for detail in groups[DetailKind.VALUE]:
        if detail.old is None:
            found.append(Clause(f"is now {_value_text(detail.new)}"))
        else:
            found.append(Clause(f"went {_from_to(detail)}"))
    return found


def _dependencies(groups: _Groups) -> list[Clause]:
    found: list[Clause] = []
    for detail in groups[DetailKind.DEPENDENCY]:
        where = f" in {path_text(detail.path)}" if detail.path else ""
        if detail.new is None:
            found.append(
                Clause(f"uses {_code(detail.name)}, which is gone{f' from {path_text(detail.path)}' if where else ''}")
            )
        elif detail.old is None:
            found.append(Clause(f"uses {_code(detail.name)}, which is now {_value_text(detail.new)}{where}"))
        else:
            change = f"went {_from_to(detail)}"
            found.append(Clause(f"uses {_code(detail.name)}, which {change}{where}"))
    return found


def _parameters(groups: _Groups) -> list[Clause]:
    gained = [detail for detail in groups[DetailKind.PARAMETER_ADDED] if detail.name not in _MARKS]
    found = [Clause(f"gained {_names([_new(detail) for detail in gained])}", len(gained))] if gained else []
    return found + [
        Clause(f"takes what is {_MARKS[detail.name]}")
        for detail in groups[DetailKind.PARAMETER_ADDED]
        if detail.name in _MARKS
    ]


_MARKS = {"*": "behind `*` by keyword only", "/": "before `/` by position only"}


def _renamed_parameters(groups: _Groups) -> list[Clause]:
    return [
        Clause(f"renamed its parameter {_code(_old(detail))} to {_code(_new(detail))}")
        for detail in groups[DetailKind.PARAMETER_RENAMED]
    ]


def _defaults(groups: _Groups) -> list[Clause]:
    found: list[Clause] = []
    for detail in groups[DetailKind.DEFAULT]:
        if detail.old is None:
            found.append(Clause(f"defaults {_code(detail.name)} to {_value_text(detail.new)}"))
        elif detail.new is None:
            found.append(Clause(f"requires {_code(detail.name)}, which was {_value_text(detail.old)} by default"))
        else:
            change = _from_to(detail)
            found.append(Clause(f"changed the default of {_code(detail.name)} {change}"))
    return found


def _types(groups: _Groups) -> list[Clause]:
    found: list[Clause] = []
    for detail in groups[DetailKind.TYPE]:
        what = _code(detail.name) if detail.name else "its value"
        if detail.old and detail.new:
            found.append(Clause(_exchange(f"declares {what} as", detail)))
        else:
            found.append(Clause(f"declares {what} as {_code(detail.new)}" if detail.new else f"leaves {what} untyped"))
    for detail in groups[DetailKind.RETURN_TYPE]:
        if detail.new and detail.old:
            found.append(Clause(_exchange("returns type", detail)))
        elif detail.new:
            found.append(Clause(f"returns type {_code(detail.new)}"))
        else:
            found.append(Clause("no longer declares what it returns"))
    return found


def _reordered(groups: _Groups) -> list[Clause]:
    return [Clause(f"takes {_code(_new(detail))} in this order") for detail in groups[DetailKind.PARAMETERS_REORDERED]]


def _modifiers(groups: _Groups) -> list[Clause]:
    found: list[Clause] = []
    gained, lost = groups[DetailKind.MODIFIER_ADDED], groups[DetailKind.MODIFIER_REMOVED]
    if gained and lost:
        pair = f"{_names([_new(d) for d in gained])} instead of {_names([_old(d) for d in lost])}"
        return [Clause(f"is now {pair}", len(gained) + len(lost))]
    found += _listing(DetailKind.MODIFIER_ADDED, "is now", _new)(groups)
    return found + _listing(DetailKind.MODIFIER_REMOVED, "is no longer", _old)(groups)


def _decorators(groups: _Groups) -> list[Clause]:
    found: list[Clause] = []
    plain: list[Detail] = []
    for detail in groups[DetailKind.DECORATOR_ADDED]:
        verb = _verb(detail.name)
        if verb:
            found.append(Clause(f"now {verb} {_code(detail.name)}"))
        else:
            plain.append(detail)
    if plain:
        found.append(Clause(f"is now decorated with {_names([_new(d) for d in plain])}", len(plain)))
    found += _listing(DetailKind.DECORATOR_REMOVED, "is no longer decorated with", _old)(groups)
    return found + [Clause(_exchange("is decorated with", detail)) for detail in groups[DetailKind.DECORATOR_CHANGED]]


def _verb(name: str) -> str:
    return _VERBS.get(name.rpartition(".")[2].rpartition("::")[2].lower(), "")


def _ends_of_chains(calls: Sequence[Detail], raised: Sequence[Detail]) -> list[Detail]:
    """Without `a.b` beside `a.b().c`, without `a.b()` (a call of what a call gave) beside `a.b`, and without the call
    that raises something that is told as raised."""
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
    found: list[Clause] = []
    for detail in list(gained):
        verb = _verb(detail.name)
        if verb:
            gained.remove(detail)
            found.append(Clause(f"now {verb} {_code(detail.name)}"))
    if len(gained) == 1 and len(lost) == 1:
        found.append(Clause(f"calls {_code(_new(gained[0]))} instead of {_code(_old(lost[0]))}", 2))
        return found
    if gained:
        found.append(Clause(f"now calls {_names([_new(d) for d in gained])}", len(gained)))
    if lost:
        found.append(Clause(f"no longer calls {_names([_old(d) for d in lost])}", len(lost)))
    return found


def _versions(kind: DetailKind, verb: str) -> Callable[[_Groups], list[Clause]]:
    def told(groups: _Groups) -> list[Clause]:
        found = [Clause(_exchange(verb, detail)) for detail in groups[kind] if detail.old and detail.new]
        came = [_new(detail) for detail in groups[kind] if not detail.old]
        went = [_old(detail) for detail in groups[kind] if not detail.new]
        if came:
            found.append(Clause(f"now {verb} {_names(came)}", len(came)))
        if went:
            found.append(Clause(f"no longer {verb} {_names(went)}", len(went)))
        return found

    return told


def _named_literals(groups: _Groups) -> list[Clause]:
    found: list[Clause] = []
    for detail in groups[DetailKind.LITERAL]:
        if detail.name and detail.old is not None and detail.new is not None:
            found.append(Clause(f"changed {_code(detail.name)} {_from_to(detail)}"))
        elif detail.name and detail.new is not None:
            found.append(Clause(f"sets {_code(detail.name)} to {_value_text(detail.new)}"))
        elif detail.name:
            found.append(Clause(f"no longer sets {_code(detail.name)} to {_value_text(detail.old)}"))
    return found


def _bare_literals(groups: _Groups) -> list[Clause]:
    bare = [detail for detail in groups[DetailKind.LITERAL] if not detail.name]
    found = [
        Clause(_exchange("has", detail, _value_pair, " where it had "))
        for detail in bare
        if detail.old is not None and detail.new is not None
    ]
    came = [detail.new for detail in bare if detail.old is None and detail.new is not None]
    went = [detail.old for detail in bare if detail.new is None and detail.old is not None]
    if came:
        found.append(Clause(f"now has {_names(came)}", len(came)))
    if went:
        found.append(Clause(f"no longer has {_names(went)}", len(went)))
    return found


def _members(groups: _Groups) -> list[Clause]:
    found = [
        Clause(f"renamed {_code(_old(detail))} to {_code(_new(detail))}")
        for detail in groups[DetailKind.MEMBER_RENAMED]
    ]
    found += _listing(DetailKind.MEMBER_ADDED, "gained", _name)(groups)
    found += _listing(DetailKind.MEMBER_REMOVED, "lost", _name)(groups)
    return found + _listing(DetailKind.MEMBER_CHANGED, "changed", _name)(groups)


def _bodies(groups: _Groups) -> list[Clause]:
    found: list[Clause] = []
    for detail in groups[DetailKind.BODY]:
        if detail.old and detail.new:
            found.append(Clause(_exchange("has", detail, _code_pair, " where it had ")))
        elif detail.new:
            found.append(Clause(f"now has {_code(detail.new)}"))
        elif detail.old:
            found.append(Clause(f"no longer has {_code(detail.old)}"))
        else:
            found.append(Clause("works differently inside"))
    return found


def _statements(groups: _Groups) -> list[Clause]:
    found = [
        Clause(_exchange("has", detail, _code_pair, " where it had "))
        for detail in groups[DetailKind.STATEMENT_CHANGED]
        if detail.old and detail.new
    ]
    for detail in groups[DetailKind.STATEMENT_CHANGED]:
        if not detail.old:
            found.append(Clause(f"now has {_code(_new(detail))}"))
        elif not detail.new:
            found.append(Clause(f"no longer has {_code(_old(detail))}"))
    found += _listing(DetailKind.STATEMENT_ADDED, "now has", _new)(groups)
    found += _listing(DetailKind.STATEMENT_REMOVED, "no longer has", _old)(groups)
    for detail in groups[DetailKind.STATEMENT_WRAPPED]:
        found.append(Clause(f"puts {_code(_name(detail))} under {_code(detail.new or '')}"))
    for detail in groups[DetailKind.STATEMENT_UNWRAPPED]:
        found.append(Clause(f"has {_code(_name(detail))} no longer under {_code(detail.old or '')}"))
    for detail in groups[DetailKind.STATEMENT_MOVED]:
        where = next((place for place in _PLACES if (detail.new or "").startswith(place)), "")
        place = f"{where}{_code((detail.new or '')[len(where) :])}" if where else "elsewhere"
        found.append(Clause(f"moved {_code(_name(detail))} {place}"))
    return found


_PLACES = ("before ", "after ", "into ", "out of ")


_TELLERS: tuple[Callable[[_Groups], list[Clause]], ...] = (
    _values,
    _parameters,
    _listing(DetailKind.PARAMETER_REMOVED, "lost", _name),
    _renamed_parameters,
    _defaults,
    _types,
    _modifiers,
    _listing(DetailKind.BASE_ADDED, "now extends", _new),
    _listing(DetailKind.BASE_REMOVED, "no longer extends", _old),
    _decorators,
    _members,
    _calls,
    _listing(DetailKind.RAISE_ADDED, "now raises", _new),
    _listing(DetailKind.RAISE_REMOVED, "no longer raises", _old),
    _listing(DetailKind.CATCH_ADDED, "now catches", _new),
    _listing(DetailKind.CATCH_REMOVED, "no longer catches", _old),
    _named_literals,
    _dependencies,
    _versions(DetailKind.RETURN, "returns"),
    _versions(DetailKind.CONDITION, "checks"),
    _versions(DetailKind.LOOP, "loops"),
    _bare_literals,
    _reordered,
    _statements,
    _listing(DetailKind.IMPORT_ADDED, "now imports", _new),
    _listing(DetailKind.IMPORT_REMOVED, "no longer imports", _old),
    _bodies,
)
