"""The verdict of one anchor whose symbol was found: carried, changed or contradicted, and why."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from attrs import evolve, frozen

from memlsp.beliefs.claims.symbol_state import label_of
from memlsp.beliefs.files import Files
from memlsp.beliefs.lifecycle.anchors import LARGEST_SNAPSHOT, has_redactions, source_text
from memlsp.beliefs.reasons import ReasonCode, code_of, reason
from memlsp.beliefs.rewording.extraction import extracted_into
from memlsp.beliefs.rewording.renamed_code import FormerReading, read_with_former_names
from memlsp.beliefs.standing import related_symbols
from memlsp.beliefs.standing.related_symbols import HARMLESS, is_of_member, same_code, says_the_same, subject_names
from memlsp.beliefs.standing.symbol_uses import uses_of
from memlsp.code.diff.comparison import compare, raised_now
from memlsp.code.diff.sentences import sentence
from memlsp.code.syntax.outline import Outline
from memlsp.code.syntax.outline import outline as outline_of
from memlsp.code.syntax.regions import source_of
from memlsp.model.belief import Anchor
from memlsp.model.change import Detail, DetailKind, SymbolChange
from memlsp.model.standing import Reason, Standing
from memlsp.model.symbol import BODY, Dependency, Symbol, SymbolKind

if TYPE_CHECKING:
    from memlsp.beliefs.claims.case import Case
    from memlsp.beliefs.standing.members import MemberReasons


@frozen
class AnchorVerdict:
    """The standing that one anchor gives to a belief."""

    standing: Standing
    reasons: tuple[Reason, ...] = ()
    likely: bool = False  # it changed, and a change of this sort mostly makes such a statement false
    aside: bool = False  # it changed, in nothing that the statement speaks of


def weigh_change(text: str, anchor: Anchor, new: Symbol, outline: Outline, worktree: Files) -> AnchorVerdict:
    """Compare the symbol as it is now with its state when the belief was verified. An unchanged one costs a comparison
    of digests and the look-up of its dependencies."""
    if anchor.verified.kind is SymbolKind.REGION:
        return _weigh_region(text, anchor, new, worktree)
    depends = uses_of(new, outline, worktree)
    carried = _carried(anchor, new)
    outer = related_symbols.outer_details(anchor, new, outline)
    if same_code(anchor.verified, new) and not outer and _same_dependencies(anchor.depends, depends):
        return carried
    read = read_with_former_names(anchor, new, outline, depends, worktree)
    change = _telling_change(anchor, new, read, outline, worktree)
    details = (*change.details, *outer, *_keys_gone(anchor, read.depends, worktree))
    if not details:
        told = f"says {_listed(read.named)} now for what it said itself, and the value is the same"
        return _does_the_same(carried, new, told) if read.named else carried
    if outline.has_errors and _is_broken(anchor, new, worktree):
        message = f"{new.path} does not parse now; {label_of(new)} is judged when it does"
        return AnchorVerdict(Standing.CURRENT, (reason(ReasonCode.UNPARSED, message, new.path, new.name or None),))
    if not any(d.kind is DetailKind.DEPENDENCY for d in details):
        moved = extracted_into(anchor, new, outline, depends, worktree)
        if moved:
            told = f"does a part of its work in {_listed([each.name for each in moved])} now, and the same in all"
            return _does_the_same(carried, new, told)
    return _ChangedAnchor(text, anchor, read, outline, worktree).verdict(evolve(change, details=details), carried)


def _telling_change(
    anchor: Anchor, new: Symbol, read: FormerReading, outline: Outline, worktree: Files
) -> SymbolChange:
    """The change of the symbol, with those of its details that may matter to a statement."""
    change = _compared(anchor, new, read, worktree)
    same = [d for d in change.details if says_the_same(d)]
    same += [d for d in change.details if _is_number_of(d, same)]
    if _by_place(anchor.verified) == _by_place(new):
        same += [d for d in change.details if d.kind is DetailKind.PARAMETERS_REORDERED]
    details = [
        d for d in change.details if not (d in same or _is_blind(d, anchor, worktree) or read.is_renamed_only(d))
    ]
    if any(d.kind is DetailKind.DEPENDENCY and ("(" in (d.old or "") or d.name.endswith(BODY)) for d in details):
        source = source_text(outline, new, worktree.read(new.path) or b"")
        details = _reduced(details, new, source)
    return evolve(change, details=tuple(details))


def _compared(anchor: Anchor, new: Symbol, read: FormerReading, worktree: Files) -> SymbolChange:
    change = compare(anchor.verified, read.symbol, anchor.depends, read.depends)
    if read.symbol is new and any(d.kind is DetailKind.BODY and not (d.old or d.new) for d in change.details):
        return _by_statements(change, anchor, new, worktree)
    return change


def _reduced(details: Sequence[Detail], new: Symbol, source: str) -> list[Detail]:
    """The details: of bodies of callees only the lines that differ, and no default that `source` gives itself."""
    from memlsp.beliefs.standing.asides import differing_lines, passes_itself  # late, as below

    reduced = (differing_lines(d) if d.name.endswith(BODY) else d for d in details)
    return [d for d in reduced if d is not None and (d.name == new.name or not passes_itself(d, source))]


def _is_number_of(detail: Detail, others: Sequence[Detail]) -> bool:
    """True for a number that stands in one of the other details, as 30 does in `30 * time.Second`."""
    old, new = (rf"(?<![\w.]){re.escape(side or '')}(?![\w.])" for side in (detail.old, detail.new))
    return detail.kind is DetailKind.LITERAL and any(
        re.search(old, each.old or "") and re.search(new, each.new or "") for each in others
    )


@frozen
class _ChangedAnchor:
    """An anchor whose symbol, or what that uses, changed in a way that may matter to the statement."""

    text: str
    anchor: Anchor
    read: FormerReading
    outline: Outline
    worktree: Files

    def verdict(self, change: SymbolChange, carried: AnchorVerdict) -> AnchorVerdict:
        """The verdict for the changes of its own code and of its members."""
        own = tuple(detail for detail in change.details if not is_of_member(detail))
        of_members = [detail for detail in change.details if is_of_member(detail)]
        verdict = AnchorVerdict(carried.standing)
        if own:
            verdict = self._weigh_own(evolve(change, details=own), alone=not of_members)
        if of_members:
            from memlsp.beliefs.standing.members import weigh_members  # late, as below

            source = self.worktree.read(self.read.symbol.path) or b""
            inside = weigh_members(self.text, self.anchor, self.read.symbol, self.outline, of_members, source)
            quiet = inside.aside and (verdict.standing is not Standing.CHANGED or verdict.aside)
            verdict = _joined(verdict, inside)
            if verdict.standing is Standing.CHANGED and not (verdict.likely or inside.closing):
                verdict = evolve(verdict, aside=quiet or self._is_of_other_members(change, source))
        if verdict.standing in {Standing.CONTRADICTED, Standing.CHANGED}:
            return evolve(verdict, reasons=(*verdict.reasons, *carried.reasons))
        if verdict.standing is Standing.CURRENT:
            verdict = evolve(verdict, standing=carried.standing)
        return evolve(verdict, reasons=(*carried.reasons, *verdict.reasons))

    def _is_of_other_members(self, change: SymbolChange, source: bytes) -> bool:
        from memlsp.beliefs.claims.case import case_of  # late, as below
        from memlsp.beliefs.standing.asides import is_of_other_members

        anchor, new = self.anchor, self.read.symbol
        if len(anchor.snapshot.encode()) >= LARGEST_SNAPSHOT - 4:
            return False  # it was cut
        subject = subject_names(anchor.path, anchor.symbol)
        case = case_of(self.text, anchor.verified, new, change.details, subject=subject)
        return is_of_other_members(case, anchor.snapshot, source_text(self.outline, new, source))

    def _weigh_own(self, change: SymbolChange, *, alone: bool) -> AnchorVerdict:
        """The verdict for what changed in a symbol itself; CURRENT where the statement speaks of none of it. `alone` is
        False where members changed as well."""
        # late, with all that reads claims: most judgements find nothing changed
        from memlsp.beliefs.claims.case import case_of
        from memlsp.beliefs.claims.claim_check import broken_claims
        from memlsp.beliefs.standing.relevance_model import is_unrelated, relevance, speaks_of, weights

        anchor, new, depends = self.anchor, self.read.symbol, self.read.depends
        subject = subject_names(anchor.path, anchor.symbol)
        case = case_of(self.text, anchor.verified, new, change.details, anchor.depends, depends, subject)
        # a callee may do other things than what the statement speaks of
        spoken = [d for d in change.details if not d.name.endswith(BODY) or speaks_of(case, d)]
        case = evolve(case, details=tuple(d for d in case.details if d in spoken))
        broken = broken_claims(case)
        if broken:
            return AnchorVerdict(Standing.CONTRADICTED, broken)
        near = self._near(case, spoken)
        what = _told(new, near or change.details, change)
        if alone and (not near or is_unrelated(case)):
            message = f"{what.message}; the statement speaks of none of it"
            return AnchorVerdict(Standing.CURRENT, (reason(ReasonCode.UNTOUCHED, message, what.path, what.symbol),))
        if relevance(case) >= weights().mark:
            return AnchorVerdict(Standing.CHANGED, (what,), likely=True)
        aside = alone and self._is_beside(evolve(case, details=near))
        return AnchorVerdict(Standing.CHANGED, (what,), aside=aside)

    def _near(self, case: Case, spoken: Sequence[Detail]) -> tuple[Detail, ...]:
        """The details of the symbol's own code, and of others those that the statement speaks of, each once."""
        from memlsp.beliefs.standing.relevance_model import speaks_of

        own = {self.read.symbol.name, self.anchor.symbol}
        uses = (*self.anchor.depends, *self.read.depends)
        indirect = {(d.name, d.value) for d in uses if d.is_indirect or d.name in own}
        return _without_doubles(
            tuple(d for d in spoken if not {(d.name, d.old), (d.name, d.new)} & indirect or speaks_of(case, d))
        )

    def _is_beside(self, case: Case) -> bool:
        """True where what changed lies beside what the statement speaks of. An await that went alters the order of all
        that follows, and its errors."""
        from memlsp.beliefs.standing.asides import is_aside
        from memlsp.beliefs.standing.spoken_part import is_of_another_part

        new = self.read.symbol
        before, after = self.anchor.snapshot, source_text(self.outline, new, self.worktree.read(new.path) or b"")
        waits, waited = (symbol.facts.tokens.count("await") for symbol in (new, self.anchor.verified))
        return waits >= waited and (
            is_aside(case, before, after) or is_of_another_part(case, before, after, self.outline.language or "")
        )


def _without_doubles(details: tuple[Detail, ...]) -> tuple[Detail, ...]:
    """The details, without the bodies of callees of which another detail says more."""
    told = {d.name.partition("()")[0] for d in details if not d.name.endswith(BODY)}
    return tuple(d for d in details if not (d.name.endswith(BODY) and d.name.removesuffix(BODY) in told))


def _joined(own: AnchorVerdict, inside: MemberReasons) -> AnchorVerdict:
    """What the change of a container itself and those of its members say together."""
    broken = (*(own.reasons if own.standing is Standing.CONTRADICTED else ()), *inside.broken)
    if broken:
        return AnchorVerdict(Standing.CONTRADICTED, broken)
    changed = (*own.reasons, *inside.changed)
    if changed:
        return AnchorVerdict(Standing.CHANGED, changed, own.likely)
    return AnchorVerdict(Standing.CARRIED, inside.extracted) if inside.extracted else own


def _by_statements(change: SymbolChange, anchor: Anchor, new: Symbol, worktree: Files) -> SymbolChange:
    """Explain a change that no fact explains by its statements, from the anchor's snapshot."""
    from memlsp.code.diff.explanation import explain_from_texts  # late: few changes need it

    data = worktree.read(new.path)
    cut = len(anchor.snapshot.encode()) >= LARGEST_SNAPSHOT - 4
    if data is None or cut or has_redactions(anchor.verified):
        return change
    explained = explain_from_texts(change, anchor.snapshot, source_of(new, data))
    return explained if explained.alters_meaning else change


def _does_the_same(carried: AnchorVerdict, new: Symbol, told: str) -> AnchorVerdict:
    """The verdict for code that is written in another way."""
    one = reason(ReasonCode.BODY_EXTRACTED, f"{label_of(new)} {told}", new.path, new.name or None)
    return AnchorVerdict(Standing.CARRIED, (*carried.reasons, one))


def _by_place(symbol: Symbol) -> list[str]:
    """The parameters that callers give by their place: those before Python's `*`."""
    names = [parameter.name for parameter in symbol.facts.parameters]
    starred = next((at for at, name in enumerate(names) if name.startswith("*")), len(names))
    return names[: starred + 1]


def _keys_gone(anchor: Anchor, depends: Sequence[Dependency], worktree: Files) -> Iterator[Detail]:
    """Configuration keys that it read and that are gone."""
    now = {(dependency.path, dependency.symbol) for dependency in depends}
    for before in anchor.depends:
        if before.kind is not SymbolKind.KEY or (before.path, before.symbol) in now:
            continue
        outline = worktree.outline(before.path)
        if outline is None or (not outline.has_errors and outline.find(before.symbol) is None):
            yield Detail(DetailKind.DEPENDENCY, before.name, before.value, None, before.path)


def _told(new: Symbol, own: Sequence[Detail], change: SymbolChange) -> Reason:
    from memlsp.beliefs.claims.claim_check import phrase_of  # late, as above

    first = own[0]
    if len(own) == 1 and first.kind is DetailKind.DEPENDENCY:
        message = f"{label_of(new)} {phrase_of(first)}"
    else:
        message = sentence(evolve(change, details=tuple(own))).rstrip(".")
    return reason(code_of(first), message, first.path or new.path, new.name or None)


def _listed(names: Iterable[str]) -> str:
    return " and ".join(f"`{name}`" for name in names)


# --- the same


def _same_dependencies(old: Sequence[Dependency], new: Sequence[Dependency]) -> bool:
    now = {(dependency.name, dependency.digest) for dependency in new}
    return all((dependency.name, dependency.digest) in now for dependency in old) and not raised_now(old, new)


def _carried(anchor: Anchor, new: Symbol) -> AnchorVerdict:
    """Current in its place; carried when name, container or file changed."""
    if (new.path, new.name) == (anchor.path, anchor.symbol):
        return AnchorVerdict(Standing.CURRENT)
    where = (new.path, new.name or None)
    if not anchor.symbol:
        one = reason(ReasonCode.FILE_RENAMED, f"{anchor.path} is {new.path} now", *where)
    elif new.path != anchor.path:
        name = f" as `{new.name}`" if new.name != anchor.symbol else ""
        one = reason(ReasonCode.SYMBOL_MOVED, f"`{anchor.symbol}` moved from {anchor.path} to {new.path}{name}", *where)
    elif new.container != anchor.verified.container and new.simple_name == anchor.verified.simple_name:
        one = reason(ReasonCode.SYMBOL_MOVED, f"`{anchor.symbol}` is `{new.name}` now", *where)
    else:
        one = reason(ReasonCode.SYMBOL_RENAMED, f"`{anchor.symbol}` is called `{new.name}` now", *where)
    return AnchorVerdict(Standing.CARRIED, (one,))


# --- what cannot be seen now


def _is_blind(detail: Detail, anchor: Anchor, worktree: Files) -> bool:
    """True for a dependency that seems gone while its file does not parse, or that still stands in its place."""
    if detail.kind is not DetailKind.DEPENDENCY or detail.new is not None:
        return False
    before = next((d for d in anchor.depends if d.name == detail.name), None)
    outline = worktree.outline(before.path) if before is not None else None
    if before is None or outline is None:
        return False
    return outline.has_errors or (not before.is_result and outline.find(before.symbol) is not None)


def _is_broken(anchor: Anchor, new: Symbol, worktree: Files) -> bool:
    """True when the symbol's text does not parse, and did when it was verified."""
    data = worktree.read(new.path) or b""
    if not new.name:
        return True
    return _parses(anchor.path, anchor.snapshot) is not False and _parses(new.path, source_of(new, data)) is False


def _parses(path: str, source: str) -> bool | None:
    """True also for a text that parses only inside of a class."""
    plain = textwrap.dedent(source)
    if not outline_of(path, plain.encode()).has_errors:
        return True
    return outline_of(path, f"class X {{\n{plain}\n}}\n".encode()).has_errors is False


# --- lines of a language that is not parsed


def _weigh_region(text: str, anchor: Anchor, new: Symbol, worktree: Files) -> AnchorVerdict:
    carried = _carried(evolve(anchor, symbol=""), evolve(new, name=""))
    if anchor.verified.fingerprint.meaning == new.fingerprint.meaning:
        return carried
    from memlsp.beliefs.claims.case import case_of  # late, as above
    from memlsp.beliefs.claims.claim_check import broken_claims

    change = compare(anchor.verified, new)
    details = [d for d in change.details if d.kind not in HARMLESS] or [Detail(DetailKind.BODY)]
    broken = broken_claims(case_of(text, anchor.verified, new, details))
    if broken:
        return AnchorVerdict(Standing.CONTRADICTED, broken)
    if _line_meant(anchor) == _line_now(new, worktree):
        # Only lines around the one that was meant are others, and the statement claims nothing of them.
        return carried
    one = reason(ReasonCode.TEXT_CHANGED, f"the lines at {new.path}:{new.name_span.start_line + 1} changed", new.path)
    return AnchorVerdict(Standing.CHANGED, (one,))


def _line_meant(anchor: Anchor) -> str:
    lines = anchor.snapshot.splitlines()
    index = anchor.verified.name_span.start_line - anchor.verified.span.start_line
    return lines[index].strip() if 0 <= index < len(lines) else ""


def _line_now(new: Symbol, worktree: Files) -> str:
    data = worktree.read(new.path) or b""
    return data[new.name_span.start_byte : new.name_span.end_byte].decode("utf-8", errors="replace").strip()
