"""Relations between symbols: families of kinds, members of containers, and names to search other files for."""

from __future__ import annotations

from collections.abc import Sequence

from memlsp.beliefs.claims.arithmetic import same_value
from memlsp.beliefs.claims.quantities import same_amount
from memlsp.beliefs.claims.symbol_state import names_in
from memlsp.beliefs.files import Files
from memlsp.code.diff.similarity import family
from memlsp.code.syntax.outline import Outline
from memlsp.code.vocabulary import texts
from memlsp.model.belief import Anchor
from memlsp.model.change import Detail, DetailKind, detail_kinds
from memlsp.model.symbol import CALLED, Dependency, Symbol

_FAMILIES = [tuple(line.split()) for line in texts(__name__)["families"].strip().splitlines()]
_LEAST_TELLING = 5  # characters of a name that is worth searching for
_MOST_NAMES = 3


def same_family(one: Symbol | Dependency, other: Symbol | Dependency) -> bool:
    """True when the one could have become the other: a function a method, a constant a field."""
    return family(one.kind) == family(other.kind)


def same_code(old: Symbol, new: Symbol) -> bool:
    """True when meaning and signature are the same."""
    one, other = old.fingerprint, new.fingerprint
    return (one.meaning, one.signature) == (other.meaning, other.signature)


def uses_alone(depends: Sequence[Dependency]) -> tuple[Dependency, ...]:
    """What a symbol uses, without the callers that are noted among it."""
    return tuple(each for each in depends if not each.name.endswith(CALLED))


def stands(path: str, name: str, files: Files) -> bool:
    """True when a file has a symbol of this name."""
    outline = files.outline(path)
    return outline is not None and outline.find(name) is not None


def suffixes_like(path: str) -> tuple[str, ...]:
    """The endings of files in the same family of languages as this one."""
    ending = path[path.rfind(".") :] if "." in path.rpartition("/")[2] else ""
    return next((alike for alike in _FAMILIES if ending in alike), (ending,) if ending else ())


def search_names(symbol: Symbol) -> tuple[tuple[str, ...], ...]:
    """Names to search for, in order: the symbol's own, then the most telling ones in its body, all of which must
    occur."""
    own = symbol.simple_name
    least = _LEAST_TELLING if own else 1  # a whole file has no other name than those in it
    telling = sorted(
        {
            name
            for text in (*symbol.facts.calls, *symbol.facts.uses, *(name for name, _ in symbol.facts.members))
            for name in names_in(text)
            if len(name) >= least and name != own
        },
        key=lambda name: (-len(name), name),
    )[:_MOST_NAMES]
    if not telling:  # code that uses nothing of anybody else is known by what it calls its parameters
        named = {each.name.lstrip("*&.") for each in symbol.facts.parameters}
        telling = sorted(name for name in named if len(name) >= _LEAST_TELLING and name != own)[:_MOST_NAMES]
    return tuple(names for names in ((own,) if own else (), tuple(telling)) if names)


def files_with(worktree: Files, path: str, names: tuple[str, ...], *, limit: int, near: str = "") -> list[str]:
    """Files like `path` that hold all the names; with `near` only those that stand nearest to it."""
    return worktree.containing([name.encode() for name in names], suffixes=suffixes_like(path), limit=limit, near=near)


def is_outside(member: Symbol, container: Symbol) -> bool:
    """True for a member that stands outside of its container, as methods do in Go and in Rust."""
    if not container.name or not container.kind.is_container or not member.name.startswith(f"{container.name}."):
        return False
    return not container.span.start_byte <= member.span.start_byte < container.span.end_byte


def subject_names(path: str, symbol: str) -> frozenset[str]:
    """The names of a symbol of a file by which a statement may call it: its parts, and that of the file."""
    return frozenset({part for part in symbol.split(".") if part} | {path.rpartition("/")[2].partition(".")[0]})


_OF_MEMBERS = detail_kinds("member_added member_changed member_removed member_renamed")


HARMLESS = frozenset({DetailKind.DOCS, DetailKind.HINT})
"""Details that alter nothing of what the code does."""


def says_the_same(detail: Detail) -> bool:
    """True for a detail that alters nothing of what the code does: other comments, or a number in another notation."""
    other = bool(detail.old and detail.new) and detail.old != detail.new
    return detail.kind in HARMLESS or (
        other and (same_value(detail.old, detail.new) or same_amount(detail.old or "", detail.new or ""))
    )


def is_of_member(detail: Detail) -> bool:
    """True for details about a member and not about the container's own code."""
    return detail.kind in _OF_MEMBERS


def outer_details(anchor: Anchor, new: Symbol, outline: Outline) -> tuple[Detail, ...]:
    """The changes of members outside of their container: methods of a Go type, functions of a Rust impl. The
    container's own digest does not cover them; the anchor kept theirs among its neighbours."""
    if not anchor.symbol or not new.kind.is_container:
        return ()
    start = f"{anchor.symbol}."
    known = [n for n in anchor.neighbours if n.path == anchor.path and n.name.startswith(start)]
    within = {name for name, _ in anchor.verified.facts.members}
    before = {n.name[len(start) :]: n.meaning for n in known if n.name[len(start) :].partition(".")[0] not in within}
    after = {name: symbol for name, symbol in members_in(outline.symbols, new.name).items() if is_outside(symbol, new)}
    details: list[Detail] = []
    for name, meaning in before.items():
        if name not in after:
            details.append(Detail(DetailKind.MEMBER_REMOVED, name, name, None))
        elif after[name].fingerprint.meaning != meaning:
            details.append(Detail(DetailKind.MEMBER_CHANGED, name, name, name))
    details += [Detail(DetailKind.MEMBER_ADDED, name, None, name) for name in after if name not in before]
    return tuple(details)


def members_in(symbols: Sequence[Symbol], container: str) -> dict[str, Symbol]:
    """The members by their names relative to the container; of overloads the first."""
    start = f"{container}." if container else ""
    found: dict[str, Symbol] = {}
    for symbol in symbols:
        if symbol.name and symbol.name.startswith(start):
            found.setdefault(symbol.name[len(start) :], symbol)
    return found
