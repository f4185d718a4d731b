"""The standing of a belief: what the code, as it is at this moment, says of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime

from attrs import evolve, frozen

from memlsp.beliefs.claims.references import check_reference
from memlsp.beliefs.files import Files, FileSnapshot
from memlsp.beliefs.lifecycle.anchors import has_redactions, without_secrets
from memlsp.beliefs.reasons import ReasonCode, reason
from memlsp.beliefs.standing.anchor_changes import AnchorVerdict, weigh_change
from memlsp.beliefs.standing.location import Location, SearchEnd, locate
from memlsp.beliefs.standing.related_symbols import uses_alone
from memlsp.capture.redaction.redaction import redact
from memlsp.capture.workspace.worktree import Worktree
from memlsp.code.syntax.outline import Outline
from memlsp.model.belief import Anchor, Authority, Belief, BeliefStatus, Reference, ReferenceKind
from memlsp.model.errors import MemlspError
from memlsp.model.standing import Candidate, Judgement, Reason, Standing, Tie
from memlsp.model.symbol import Symbol, SymbolKind


def judge_all(beliefs: Iterable[Belief], worktree: Worktree, *, now: datetime) -> Iterator[Judgement]:
    """Judge many beliefs lazily with one file snapshot: every file is read once, however many beliefs name it."""
    snapshot = FileSnapshot(worktree)
    return (judge_in(belief, snapshot, now=now) for belief in beliefs)


def judge(belief: Belief, worktree: Worktree, *, now: datetime) -> Judgement:
    """The standing of a belief now. Never raises for the content of files.

    The worst of its anchors, references and date decides; the first reason is the deciding one. Superseded and retired
    beliefs are not compared with the code.
    """
    return judge_in(belief, FileSnapshot(worktree), now=now)


def judge_in(belief: Belief, files: Files, *, now: datetime) -> Judgement:
    """`judge` with the files of another state, such as those of a commit."""
    if belief.status is BeliefStatus.SUPERSEDED:
        one = reason(ReasonCode.SUPERSEDED, f"Belief {belief.superseded_by} took its place")
        return Judgement(belief, Standing.SUPERSEDED, (one,))
    if belief.status is BeliefStatus.RETIRED:
        if belief.authority is Authority.PROPOSED:  # nobody ever held it true
            one = reason(ReasonCode.REJECTED, "It was proposed, and was not wanted")
        else:
            one = reason(ReasonCode.RETIRED, "It was said to be no longer true")
        return Judgement(belief, Standing.RETIRED, (one,))
    ties = tuple(tie_of(belief, anchor, files) for anchor in belief.anchors)
    found: list[tuple[Standing, Reason | None]] = [
        (tie.standing, one) for tie in ties for one in (tie.reasons or (None,))
    ]
    found += _references(belief, ties, files)
    if belief.evidence:
        found += _sources(belief, ties, files)
    if belief.expires_at is not None and belief.expires_at <= now:
        message = f"It was said to hold until {belief.expires_at:%Y-%m-%d}"
        found.append((Standing.EXPIRED, reason(ReasonCode.EXPIRED, message)))
    if belief.unconfirmed_at is not None and belief.unconfirmed_at <= now:
        last = f"was last confirmed on {belief.confirmed_at:%Y-%m-%d}" if belief.confirmed_at else "never was"
        days = "day" if belief.stale_after == 1 else f"{belief.stale_after} days"
        message = f"It was to be confirmed every {days}, and {last}"
        found.append((Standing.EXPIRED, reason(ReasonCode.UNCONFIRMED, message)))
    if not found:
        nothing = reason(ReasonCode.NOTHING_TO_CHECK, "It is tied to no code and names nothing that could be checked")
        return Judgement(belief, Standing.UNBOUND, (nothing,))
    standing = max((each for each, _ in found), key=lambda each: each.severity)
    found.sort(key=lambda entry: -entry[0].severity)
    reasons = dict.fromkeys(one for _, one in found if one is not None)
    return Judgement(belief, standing, tuple(reasons), ties)


def _sources(belief: Belief, ties: tuple[Tie, ...], worktree: Files) -> Iterator[tuple[Standing, Reason | None]]:
    """The standing that its documents and comments give; one that still says it is enough."""
    from memlsp.beliefs.standing.source_check import CHECKED_KINDS, missing_source  # late: few beliefs were found

    looked_for = [each for each in belief.evidence if each.kind in CHECKED_KINDS and each.path]
    reasons = [missing_source(each, worktree, [tie.path for tie in ties]) for each in looked_for]
    if reasons and all(reasons):
        yield Standing.CHANGED, reasons[0]
    elif reasons:
        yield Standing.CURRENT, None


def _references(belief: Belief, ties: tuple[Tie, ...], files: Files) -> Iterator[tuple[Standing, Reason | None]]:
    """The standing of references that no anchor covers."""
    for reference in belief.references:
        if not _is_anchored(reference, ties):
            with suppress(MemlspError, OSError):  # a file that cannot be read now says nothing
                yield check_reference(reference, files)


def _is_anchored(reference: Reference, ties: tuple[Tie, ...]) -> bool:
    path, _, symbol = reference.target.partition("#")
    for tie in ties:
        if reference.kind is ReferenceKind.PATH and path in {tie.anchor.path, tie.path}:
            return True
        own = (*tie.anchor.symbol.split("."), *tie.symbol.split("."), tie.anchor.symbol, tie.symbol)
        covered = not tie.found or (symbol and symbol in own)  # what went with the anchor, that says so
        if reference.kind is ReferenceKind.IDENTIFIER and path == tie.anchor.path and covered:
            return True
    return False


def tie_of(belief: Belief, anchor: Anchor, worktree: Files) -> Tie:
    """One anchor with its present place and the standing it gives."""
    try:
        location = locate(anchor, worktree)
        if location.symbol is None or location.outline is None:
            return _lost(anchor, location)
        verdict = _verdict(belief.text, anchor, location.symbol, location.outline, worktree)
        if anchor.unmet:
            verdict = _with_unmet(belief, anchor.unmet, location.symbol, location.outline, verdict, worktree)
        return _found(anchor, location.symbol, verdict)
    except (MemlspError, OSError, RecursionError) as problem:
        cause = reason(ReasonCode.UNREADABLE, f"{anchor.path} could not be judged: {problem}", anchor.path)
        return Tie(anchor, Standing.CHANGED, anchor.path, anchor.symbol, anchor.line, found=False, reasons=(cause,))


def _verdict(text: str, anchor: Anchor, new: Symbol, outline: Outline, worktree: Files) -> AnchorVerdict:
    same = new.fingerprint.meaning == anchor.verified.fingerprint.meaning
    if not same and has_redactions(anchor.verified):
        new = without_secrets(outline, new, worktree.read(new.path) or b"")
    used = uses_alone(anchor.depends)
    verdict = weigh_change(text, evolve(anchor, depends=used), new, outline, worktree)
    if len(used) < len(anchor.depends) and (verdict.aside or verdict.standing.holds):
        from memlsp.beliefs.standing.callers import weigh_callers  # late: few statements speak of callers

        called = weigh_callers(text, anchor, new, worktree)
        verdict = AnchorVerdict(called[0], (called[1],)) if called is not None else verdict
    if not verdict.reasons:
        return verdict
    return evolve(verdict, reasons=_once(text, [_clean(one) for one in verdict.reasons]))


def _with_unmet(
    belief: Belief, unmet: tuple[str, ...], symbol: Symbol, outline: Outline, verdict: AnchorVerdict, worktree: Files
) -> AnchorVerdict:
    """The verdict where the code contradicted the statement when it was made: that stays so until the code arrives."""
    from memlsp.beliefs.standing.present_check import still_unmet  # late: few statements begin as contradicted

    found = still_unmet(belief.text, belief.kind, unmet, symbol, outline, worktree)
    if found is None:  # the code arrived, so that it changed is what was wanted
        return AnchorVerdict(Standing.CURRENT) if verdict.standing is Standing.CHANGED else verdict
    standing, reasons = found
    if standing is Standing.CHANGED or verdict.standing is Standing.CONTRADICTED:
        return verdict
    return AnchorVerdict(standing, (*map(_clean, reasons), *verdict.reasons))


def _once(text: str, reasons: Sequence[Reason]) -> tuple[Reason, ...]:
    """The distinct reasons: one difference can break two claims, and only a real quotation of the statement is kept."""
    distinct: dict[tuple[str, str], Reason] = {}
    folded = " ".join(text.split()).casefold()
    for one in reasons:
        what, quoting, quoted = one.message.partition("; the statement says “")
        honest = bool(quoting) and quoted.rstrip("”. ").casefold() in folded
        kept = distinct.get((one.code, what))
        if kept is None or (honest and kept.message == what):
            distinct[one.code, what] = one if honest or not quoting else evolve(one, message=what)
    return tuple(distinct.values())


def _clean(one: Reason) -> Reason:
    """The reason without secrets in its message."""
    cleaned = redact(one.message)
    return Reason(one.code, cleaned.text, one.path, one.symbol) if cleaned.found else one


def _found(anchor: Anchor, symbol: Symbol, verdict: AnchorVerdict) -> Tie:
    name = symbol.name_span
    region = symbol.kind is SymbolKind.REGION
    return Tie(
        anchor=anchor,
        standing=verdict.standing,
        path=symbol.path,
        symbol="" if region else symbol.name,
        line=name.start_line + 1,
        start_column=name.start_column,
        end_column=name.start_column + name.end_byte - name.start_byte,
        reasons=verdict.reasons,
        likely=verdict.likely,
        aside=verdict.aside,
    )


def _lost(anchor: Anchor, location: Location) -> Tie:
    standing, cause = _loss(anchor, location)
    return Tie(
        anchor=anchor,
        standing=standing,
        path=anchor.path,
        symbol=anchor.symbol,
        line=anchor.line,
        found=False,
        reasons=(cause,),
        candidates=location.candidates,
    )


def _loss(anchor: Anchor, location: Location) -> tuple[Standing, Reason]:
    path, symbol = anchor.path, anchor.symbol or None
    label = f"`{anchor.symbol}`" if anchor.symbol else "what it was tied to"
    if location.where is SearchEnd.UNPARSED:
        message = f"{path} does not parse now; {label} is judged when it does"
        return Standing.CURRENT, reason(ReasonCode.UNPARSED, message, path, symbol)
    if location.where is SearchEnd.UNREADABLE:
        message = f"{path} cannot be judged now: {location.problem}"
        return Standing.CHANGED, reason(ReasonCode.UNREADABLE, message, path, symbol)
    if location.where is SearchEnd.AMBIGUOUS:
        message = f"{label} is gone from {path}; it could be {_listed(location.candidates)}"
        return Standing.ORPHANED, reason(ReasonCode.SYMBOL_AMBIGUOUS, message, path, symbol)
    beside = f"; the most alike is {_listed(location.candidates[:1])}" if location.candidates else ""
    if location.where is SearchEnd.FILE_GONE:
        message = f"{path} is gone{f', and {label} with it' if anchor.symbol else ''}{beside}"
        return Standing.ORPHANED, reason(ReasonCode.FILE_REMOVED, message, path, symbol)
    what = label if anchor.symbol else f"line {anchor.line}"
    return Standing.ORPHANED, reason(ReasonCode.SYMBOL_REMOVED, f"{what} is gone from {path}{beside}", path, symbol)


def _listed(candidates: tuple[Candidate, ...]) -> str:
    places = [f"`{c.symbol}` in {c.path}" if c.symbol else f"{c.path}:{c.line}" for c in candidates[:3]]
    return " or ".join(places)


@frozen
class PresentPlace:
    """An anchor with its present symbol, None when that is gone or unknown."""

    anchor: Anchor
    symbol: Symbol | None
    keep: bool = False  # it cannot be judged now, so the anchor stays as it is


def present_places(belief: Belief, worktree: Files) -> tuple[PresentPlace, ...]:
    """The present symbol of each anchor, for taking the anchors again."""
    unknown = {SearchEnd.UNPARSED, SearchEnd.UNREADABLE}
    found = ((anchor, locate(anchor, worktree)) for anchor in belief.anchors)
    return tuple(PresentPlace(anchor, there.symbol, there.where in unknown) for anchor, there in found)
