"""A belief as a person can follow it: where it is from, its confidence as arithmetic, the limits within which it
applies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memlsp.faces.render.wording import plain
from memlsp.model.belief import Belief, ConfidenceStep, Evidence, EvidenceKind, Revision

_SAME = 0.00005
"""Confidence is kept with four places."""

_MOST_SOURCES = 5
_QUOTED = 200


def origin(belief: Belief) -> str:
    """The first source of a belief, in a line."""
    return _source(belief.evidence[0]) if belief.evidence else "from nowhere"


def source_lines(belief: Belief) -> Iterator[str]:
    """The newest sources of a belief, each with its moment and its words; nothing for what was written down by hand."""
    for each in belief.evidence[: -_MOST_SOURCES - 1 : -1]:
        at = "" if each.at is None else f", {each.at:%Y-%m-%d %H:%M}"
        quote = plain(each.quote, _QUOTED)
        yield f"{_source(each)}{at if not each.commit else ''}" + (f": {quote}" if quote else "")
    if len(belief.evidence) > _MOST_SOURCES:
        yield f"and {len(belief.evidence) - _MOST_SOURCES} more sources"


def _source(found: Evidence) -> str:
    where = plain(found.path)
    if found.path and found.first_line is not None:
        where = f"{where}:{found.first_line}"
    elif found.commit:
        where = f"commit {found.commit[:10]}"
    elif found.session:
        where = f"session {plain(found.session)[:40]}"
    day = f", {found.at:%Y-%m-%d}" if found.at is not None and found.commit else ""
    who = f", {plain(found.source)}" if found.source not in {"", "repository"} else ""
    article = "an" if found.kind is EvidenceKind.IMPORT else "a"
    return f"from {article} {found.kind.value}: {where}{who}{day}"


def history_lines(revisions: Sequence[Revision], steps: Sequence[ConfidenceStep], belief: Belief) -> Iterator[str]:
    """Every revision, each with its effect on the confidence in a line below it."""
    for revision, step in zip(revisions, steps, strict=True):
        note = f": {plain(revision.note)}" if revision.note else ""
        session = f" in {plain(revision.session, 60)}" if revision.session else ""
        who = f"{plain(revision.author.name)} ({plain(revision.source)}){session}"
        yield f"{revision.number}. {revision.at:%Y-%m-%d %H:%M} {revision.action} by {who}{note}"
        yield f"   confidence {_moved(step)}: {step.how}"
    if steps and abs(steps[-1].after - belief.confidence) > _SAME:
        yield f"confidence {belief.confidence:.4g} as it is kept: its history was not all made here"


def limit_lines(belief: Belief) -> Iterator[str]:
    """The conditions, dates, reasons and session of a belief, a line each; nothing for those that it has not."""
    if belief.conditions:
        yield f"only when {', '.join(f'{plain(key)}={plain(value)}' for key, value in belief.conditions)}"
    if belief.expires_at is not None:
        yield f"until {belief.expires_at:%Y-%m-%d}"
    if belief.unconfirmed_at is not None:
        days = "day" if belief.stale_after == 1 else f"{belief.stale_after} days"
        yield f"to be confirmed every {days}, next by {belief.unconfirmed_at:%Y-%m-%d}"
    if belief.because_of:
        yield f"because of {', '.join(belief.because_of)}"
    if belief.session:
        yield f"taught in {plain(belief.session, 80)}"


def _moved(step: ConfidenceStep) -> str:
    if step.before is None or step.before == step.after:
        return f"{step.after:.4g}"
    return f"{step.before:.4g} → {step.after:.4g}"
