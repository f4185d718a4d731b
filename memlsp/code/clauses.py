"""The clauses of a sentence about a change: one phrase for each kind of detail, lists gathered and counted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

from attrs import frozen

from memlsp.code.quoting import code, code_pair, path_text, value_pair, value_text
from memlsp.model.change import Detail, DetailKind

_LIST = 3  # names told before the rest of a list is counted
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


def tell(details: Sequence[Detail]) -> list[Clause]:
    """The details as clauses, the most important first. Docs and hints have none."""
    groups: defaultdict[DetailKind, list[Detail]] = defaultdict(list)
    for detail in _told(details):
        groups[detail.kind].append(detail)
    found: list[Clause] = []
    for teller in _TELLERS:
        found += teller(groups)
    return found


def _told(details: Sequence[Detail]) -> list[Detail]:
    """Without what another clause already shows: a bare literal inside a condition that is quoted, docs and hints."""
    quoted = [
        f"{detail.old or ''}\n{detail.new or ''}"
        for detail in details
        if detail.kind not in (DetailKind.LITERAL, DetailKind.DOCS, DetailKind.HINT) and (detail.old or detail.new)
    ]
    named = any(detail.kind is DetailKind.LITERAL and detail.name for detail in details)

    def shown(detail: Detail) -> bool:
        if detail.kind in (DetailKind.DOCS, DetailKind.HINT):
            return False
        if detail.kind is DetailKind.LITERAL and not detail.name:
            return not any(all(side in text for side in (detail.old, detail.new) if side) for text in quoted)
        # A table's own text is too long to say what one key of it says.
        return not (detail.kind is DetailKind.VALUE and named and len(detail.new or "") > _LONG_VALUE)

    return [detail for detail in details if shown(detail)]


def _names(found: Sequence[str]) -> str:
    """`a`, `b` and `c`; more than three are counted."""
    shown = [code(text) for text in found[:_LIST]]
    if len(found) > _LIST:
        return f"{', '.join(shown)} and {len(found) - _LIST} more"
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
        return f"from {value_text(detail.old)} to {value_text(detail.new)}"
    old, new = value_pair(detail.old, detail.new)
    return f"from {old} to {new}"


def _exchange(
    verb: str,
    detail: Detail,
    pair: Callable[[str, str], tuple[str, str]] = code_pair,
    between: str = " instead of ",
) -> str:
    old, new = pair(_old(detail), _new(detail))
    return f"{verb} {new}{between}{old}"


def _values(groups: _Groups) -> list[Clause]:
    found: list[Clause] = []
    for detail in groups[DetailKind.VALUE]:
        if detail.old is None:
            found.append(Clause(f"is now {value_text(detail.new)}"))
        else:
            found.append(Clause(f"went {_from_to(detail)}"))
    return found


def _dependencies(groups: _Groups) -> list[Clause]:
    found: list[Clause] = []
    for detail in groups[DetailKind.DEPENDENCY]:
        where = f" in {path_text(detail.path)}" if detail.path else ""
        if detail.new is None:
            found.append(
                Clause(f"uses {code(detail.name)}, which is gone{f' from {path_text(detail.path)}' if where else ''}")
            )
        elif detail.old is None:
            found.append(Clause(f"uses {code(detail.name)}, which is now {value_text(detail.new)}{where}"))
        else:
            change = f"went {_from_to(detail)}"
            found.append(Clause(f"uses {code(detail.name)}, which {change}{where}"))
    return found


def _renamed_parameters(groups: _Groups) -> list[Clause]:
    return [
        Clause(f"renamed its parameter {code(_old(detail))} to {code(_new(detail))}")
        for detail in groups[DetailKind.PARAMETER_RENAMED]
    ]


def _defaults(groups: _Groups) -> list[Clause]:
    found: list[Clause] = []
    for detail in groups[DetailKind.DEFAULT]:
        if detail.old is None:
            found.append(Clause(f"defaults {code(detail.name)} to {value_text(detail.new)}"))
        elif detail.new is None:
            found.append(Clause(f"requires {code(detail.name)}, which was {value_text(detail.old)} by default"))
        else:
            change = _from_to(detail)
            found.append(Clause(f"changed the default of {code(detail.name)} {change}"))
    return found


def _types(groups: _Groups) -> list[Clause]:
    found: list[Clause] = []
    for detail in groups[DetailKind.TYPE]:
        what = code(detail.name) if detail.name else "its value"
        instead = f" instead of {code(detail.old)}" if detail.old else ""
        found.append(
            Clause(f"declares {what} as {code(detail.new)}{instead}" if detail.new else f"leaves {what} untyped")
        )
    for detail in groups[DetailKind.RETURN_TYPE]:
        if detail.new and detail.old:
            found.append(Clause(_exchange("returns type", detail)))
        elif detail.new:
            found.append(Clause(f"returns type {code(detail.new)}"))
        else:
            found.append(Clause("no longer declares what it returns"))
    return found


def _reordered(groups: _Groups) -> list[Clause]:
    return [Clause(f"takes {code(_new(detail))} in this order") for detail in groups[DetailKind.PARAMETERS_REORDERED]]


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
            found.append(Clause(f"now {verb} {code(detail.name)}"))
        else:
            plain.append(detail)
    if plain:
        found.append(Clause(f"is now decorated with {_names([_new(d) for d in plain])}", len(plain)))
    found += _listing(DetailKind.DECORATOR_REMOVED, "is no longer decorated with", _old)(groups)
    return found + [Clause(_exchange("is decorated with", detail)) for detail in groups[DetailKind.DECORATOR_CHANGED]]


def _verb(name: str) -> str:
    return _VERBS.get(name.rpartition(".")[2].rpartition("::")[2].lower(), "")


def _calls(groups: _Groups) -> list[Clause]:
    gained, lost = list(groups[DetailKind.CALL_ADDED]), list(groups[DetailKind.CALL_REMOVED])
    found: list[Clause] = []
    for detail in list(gained):
        verb = _verb(detail.name)
        if verb:
            gained.remove(detail)
            found.append(Clause(f"now {verb} {code(detail.name)}"))
    if len(gained) == 1 and len(lost) == 1:
        found.append(Clause(f"calls {code(_new(gained[0]))} instead of {code(_old(lost[0]))}", 2))
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
            found.append(Clause(f"changed {code(detail.name)} {_from_to(detail)}"))
        elif detail.name and detail.new is not None:
            found.append(Clause(f"sets {code(detail.name)} to {value_text(detail.new)}"))
        elif detail.name:
            found.append(Clause(f"no longer sets {code(detail.name)} to {value_text(detail.old)}"))
    return found


def _bare_literals(groups: _Groups) -> list[Clause]:
    bare = [detail for detail in groups[DetailKind.LITERAL] if not detail.name]
    found = [
        Clause(_exchange("has", detail, value_pair, " where it had "))
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
        Clause(f"renamed {code(_old(detail))} to {code(_new(detail))}") for detail in groups[DetailKind.MEMBER_RENAMED]
    ]
    found += _listing(DetailKind.MEMBER_ADDED, "gained", _name)(groups)
    found += _listing(DetailKind.MEMBER_REMOVED, "lost", _name)(groups)
    return found + _listing(DetailKind.MEMBER_CHANGED, "changed", _name)(groups)


def _bodies(groups: _Groups) -> list[Clause]:
    found: list[Clause] = []
    for detail in groups[DetailKind.BODY]:
        if detail.old and detail.new:
            found.append(Clause(_exchange("has", detail, code_pair, " where it had ")))
        elif detail.new:
            found.append(Clause(f"now has {code(detail.new)}"))
        elif detail.old:
            found.append(Clause(f"no longer has {code(detail.old)}"))
        else:
            found.append(Clause("works differently inside"))
    return found


def _statements(groups: _Groups) -> list[Clause]:
    found = [
        Clause(_exchange("has", detail, code_pair, " where it had "))
        for detail in groups[DetailKind.STATEMENT_CHANGED]
        if detail.old and detail.new
    ]
    for detail in groups[DetailKind.STATEMENT_CHANGED]:
        if not detail.old:
            found.append(Clause(f"now has {code(_new(detail))}"))
        elif not detail.new:
            found.append(Clause(f"no longer has {code(_old(detail))}"))
    found += _listing(DetailKind.STATEMENT_ADDED, "now has", _new)(groups)
    found += _listing(DetailKind.STATEMENT_REMOVED, "no longer has", _old)(groups)
    for detail in groups[DetailKind.STATEMENT_WRAPPED]:
        found.append(Clause(f"puts {code(_name(detail))} under {code(detail.new or '')}"))
    for detail in groups[DetailKind.STATEMENT_UNWRAPPED]:
        found.append(Clause(f"has {code(_name(detail))} no longer under {code(detail.old or '')}"))
    for detail in groups[DetailKind.STATEMENT_MOVED]:
        where, _, what = (detail.new or "").partition(" ")
        place = f"{where} {code(what)}" if what and where != "to" else detail.new or "elsewhere"
        found.append(Clause(f"moved {code(_name(detail))} {place}"))
    return found


_TELLERS: tuple[Callable[[_Groups], list[Clause]], ...] = (
    _values,
    _listing(DetailKind.PARAMETER_ADDED, "gained", _new),
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
