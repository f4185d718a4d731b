"""Holds a statement against one state of the code, where judging compares two.

A description that was false when it was made would otherwise count as current for ever: the code is as it was. The
claims that the code contradicted then are noted at the anchor; only those are looked at again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from attrs import evolve

from memlsp.beliefs.claims.case import without_bodies
from memlsp.beliefs.claims.claims import claims_of
from memlsp.beliefs.claims.clause_roles import is_question, prescribes
from memlsp.beliefs.claims.symbol_state import simple
from memlsp.beliefs.files import Files
from memlsp.beliefs.present.alternatives import alternatives_found, opposites_found
from memlsp.beliefs.present.behaviour import abilities_found, behaviour_found
from memlsp.beliefs.present.interface import interface_found
from memlsp.beliefs.present.order import order_found
from memlsp.beliefs.present.present_code import Finding, PresentCode, merged, without_comments
from memlsp.beliefs.present.signature import signature_found
from memlsp.beliefs.present.values import values_found
from memlsp.beliefs.reasons import ReasonCode
from memlsp.beliefs.standing.callers import callers_noted
from memlsp.beliefs.standing.related_symbols import members_in, subject_names, uses_alone
from memlsp.beliefs.standing.symbol_uses import uses_of
from memlsp.code.syntax.outline import Outline
from memlsp.code.syntax.regions import source_of
from memlsp.model.belief import Anchor, Belief, BeliefKind
from memlsp.model.errors import MemlspError
from memlsp.model.standing import Reason, Standing
from memlsp.model.symbol import CODE_KINDS, VALUE_KINDS, Symbol, SymbolKind

_CONSTRUCTORS = frozenset({"__init__", "__construct", "constructor", "initialize"})
_MOST_REACHED = 24
_REMOVES = 2
_MOST_MEMBERS = 200


def checked_at(belief: Belief, anchor: Anchor, worktree: Files, *, insists: bool = False) -> Anchor:
    """The anchor with the words of the statement that the code there contradicts now, where somebody `insists` only
    those of decisions, rules and plans, and with those that it bears out. Never raises for the content of files."""
    try:
        outline = worktree.outline(anchor.path)
        symbol = outline.find(anchor.symbol, anchor.verified.ordinal) if outline is not None else None
        if outline is None or symbol is None or outline.has_errors or anchor.kind is SymbolKind.REGION:
            return evolve(anchor, unmet=(), met=())
        called = callers_noted(belief.text, symbol, outline, worktree)
        if called:
            anchor = evolve(anchor, depends=(*uses_alone(anchor.depends), *called))
        found = check_present(belief.text, symbol, outline, worktree)
    except (MemlspError, OSError, RecursionError):
        return evolve(anchor, unmet=(), met=())
    against = (each.said for each in found if each.reason is not None)
    return evolve(
        anchor,
        unmet=tuple(said for said in against if not insists or prescribes(belief.text, belief.kind, said)),
        met=tuple(each.said for each in found if each.reason is None),
    )


def still_unmet(
    text: str, kind: BeliefKind, unmet: tuple[str, ...], symbol: Symbol, outline: Outline, worktree: Files
) -> tuple[Standing, tuple[Reason, ...]] | None:
    """The standing and the reasons where claims that were `unmet` still are, None where the code bears all of them out
    now. CHANGED without reasons says that the code does neither any more."""
    found = check_present(text, symbol, outline, worktree)
    against = {each.said: each.reason for each in found if each.reason is not None and each.said in unmet}
    if not against:
        borne = {each.said for each in found}
        return None if borne.issuperset(unmet) else (Standing.CHANGED, ())
    ahead = [said for said in against if prescribes(text, kind, said)]
    reasons = [
        evolve(one, code=ReasonCode.NOT_YET.value) if said in ahead else one for said, one in against.items() if one
    ]
    return (Standing.AHEAD if len(ahead) == len(against) else Standing.CONTRADICTED), tuple(reasons)


def check_present(text: str, symbol: Symbol, outline: Outline, worktree: Files) -> tuple[Finding, ...]:
    """What one state of the code says of the claims of a statement. Silence where it says nothing either way."""
    if is_question(text) or symbol.kind is SymbolKind.REGION:
        return ()
    claims = claims_of(text)
    chosen = _meant(text, symbol, outline)
    code = _present_code(chosen, outline, worktree)
    found: dict[str, Finding] = {}
    checks = (values_found, behaviour_found, alternatives_found, interface_found, signature_found)
    checks = (*checks, order_found, abilities_found, opposites_found)
    for each in (finding for check in checks for finding in check(claims, code)):
        known = found.get(each.said)
        if known is None or (known.reason is None and each.reason is not None):
            found[each.said] = each
    return tuple(found.values())


def _meant(text: str, symbol: Symbol, outline: Outline) -> Symbol:
    """The member of a class or file that a statement about it names first, else the symbol."""
    if not symbol.kind.is_container and symbol.kind is not SymbolKind.KEY:
        return symbol
    inside = {
        each.simple_name: each
        for each in members_in(outline.symbols, symbol.name).values()
        if each.kind in CODE_KINDS or each.kind in VALUE_KINDS
    }
    said = [name for name in re.findall(r"[^\W\d]\w*", text) if name in inside and _is_a_name(name, text)]
    return inside[said[0]] if len(set(said)) == 1 else symbol


def _is_a_name(name: str, text: str) -> bool:
    """True for a word that is written as a name: `total`, total(), max_size."""
    written = re.search(rf"`[^`]*\b{re.escape(name)}\b[^`]*`|\b{re.escape(name)}\(", text) is not None
    return written or "_" in name.strip("_") or name != name.lower()


def _present_code(symbol: Symbol, outline: Outline, worktree: Files) -> PresentCode:
    data = worktree.read(symbol.path) or b""
    language = outline.language or ""
    whole = without_comments(data.decode("utf-8", errors="replace"), language).lower()
    inside = list(members_in(outline.symbols, symbol.name).values())[:_MOST_MEMBERS] if symbol.kind.is_container else []
    depends = without_bodies(uses_of(symbol, outline, worktree))
    functions = [member for member in inside if member.kind in CODE_KINDS]
    reached, resolved = _reached((symbol, *functions), outline, worktree)
    made = [each for each in inside if each.simple_name in _CONSTRUCTORS]
    called = {call for each in (symbol, *reached) for call in each.facts.calls}
    return PresentCode(
        merged(symbol, inside) if inside else symbol,
        source_of(symbol, data),
        language,
        depends,
        reached,
        frozenset(called - resolved),
        tuple((each.local, each.module) for each in outline.imports),
        whole,
        len(outline.named(symbol.name)) > 1 if symbol.name else False,
        subject_names(symbol.path, symbol.name),
        symbol.facts.parameters or (made[0].facts.parameters if len(made) == 1 else ()),
    )


def _reached(symbols: Sequence[Symbol], here: Outline, worktree: Files) -> tuple[list[Symbol], set[str]]:
    """The functions of the workspace that symbols call, and those that their bases hand down; and the names that lead
    to them."""
    found: dict[tuple[str, str], Symbol] = {}
    resolved: set[str] = set()

    def reach(symbol: Symbol, outline: Outline, removes: int) -> None:
        for where, callee, name in _called(symbol, outline, worktree):
            resolved.add(name)
            if (callee.path, callee.name) not in found and len(found) < _MOST_REACHED:
                found[callee.path, callee.name] = callee
                if removes > 1:
                    reach(callee, where, removes - 1)

    for each in symbols:
        reach(each, here, _REMOVES)
    return list(found.values()), resolved


def _called(symbol: Symbol, outline: Outline, worktree: Files) -> Iterator[tuple[Outline, Symbol, str]]:
    calls = {call: simple(call) for call in symbol.facts.calls}
    for dependency in uses_of(symbol, outline, worktree):
        where = outline if dependency.path == outline.path else worktree.outline(dependency.path)
        found = where.find(dependency.symbol) if where is not None else None
        if where is None or found is None:
            continue
        if found.kind.is_container:  # what it makes, or what it inherits from
            for member in list(members_in(where.symbols, found.name).values())[:_MOST_REACHED]:
                if member.kind in CODE_KINDS:
                    yield where, member, dependency.name
        elif found.kind in CODE_KINDS:
            named = (call for call, last in calls.items() if last == found.simple_name)
            yield where, found, next(named, dependency.name)
