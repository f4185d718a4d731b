"""Prepare the notes that hooks give before a file is read or changed, and the judgements that they ask for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from time import monotonic

from memlsp.code.syntax.outline import Outline
from memlsp.memory.context import Context
from memlsp.memory.judging.judgements import Judgements
from memlsp.model.belief import Authority, BeliefKind
from memlsp.model.one_line import tagless
from memlsp.model.standing import Judgement, Standing
from memlsp.store.tables.handoffs import KeptNote
from memlsp.store.tables.hook_notes import stamp_of

MOST = 24
"""Maximum notes of one file that are kept; fewer are told at once."""

LONGEST = 280
"""Maximum characters of a note."""

SECONDS = 5.0
"""Time limit of one refresh; the remaining files wait for the next."""

MOST_DUE = 24
"""Beliefs that are judged for hooks in one round."""

_WARNING_KINDS = frozenset({BeliefKind.RULE, BeliefKind.GOTCHA})
_SPOKEN = frozenset({Authority.LOCKED, Authority.REVIEWED, Authority.PERSON, Authority.AGENT})  # on purpose
_REASON = 100
_AUTHOR = 30
_PLACE = 60


def refresh_notes(context: Context, judgements: Judgements, touched: Iterable[str]) -> int:
    """Update the notes of all files with beliefs, touched files first; returns the number of files that were judged.
    For a file that is unchanged and whose beliefs are unchanged, only its times are read."""
    handoffs, root = context.store.handoffs, context.worktree.root
    colleagues = context.screen().settings.colleagues
    touched = dict.fromkeys(touched)
    tied, known = handoffs.tied(), handoffs.noted()
    due: dict[str, None] = dict.fromkeys((*touched, *sorted(handoffs.leaning_on(touched))))
    for path in sorted({*tied, *known} - due.keys()):
        if known.get(path) != (stamp_of(f"{root}/{path}"), tied.get(path, "")):
            due[path] = None
    until = monotonic() + SECONDS
    done = 0
    for path in due:
        if done and monotonic() > until:
            break
        stamp = stamp_of(f"{root}/{path}")
        if path in known and known[path][0] != stamp:
            context.worktree.changed([path])  # the watcher may not have reported it yet
        judged = judgements.about(path, globs=False)
        judged = [each for each in judged if colleagues or each.belief.authority is not Authority.COLLEAGUE]
        if judged or path in known:
            sources = {tie for each in judged for tie in _sources(each)}
            notes = notes_of(judged, path, context.worktree.outline(path) if judged else None)
            handoffs.keep_notes(path, stamp, tied.get(path, ""), notes, sources)
        done += 1
    return done


def refresh_judgements(context: Context, judgements: Judgements, touched: Iterable[str] = ()) -> int:
    """Judge the beliefs that hooks wanted to tell and had no valid judgement of, and those that they told before and
    that depend on a touched file; returns how many."""
    handoffs, root = context.store.handoffs, context.worktree.root
    due = handoffs.due_judgements(touched, MOST_DUE)
    for id in due:
        judgement = judgements.get(id)
        context.worktree.changed(sorted(_sources(judgement)))
        judgement = judgements.get(id)
        files = {path: stamp_of(f"{root}/{path}") for path in _sources(judgement)}
        standing = Standing.CURRENT if judgement.aside else judgement.standing
        handoffs.keep_judgement(judgement.belief, standing.value, _why(judgement), files)
    return len(due)


def notes_of(judged: Sequence[Judgement], path: str, outline: Outline | None) -> list[KeptNote]:
    """The notes of a file from the judgements about it, with their lines: contradicted beliefs, rules and gotchas, and
    what else people and agents tied to it that holds, the most trusted first."""
    chosen = [each for each in judged if _is_contradicted(each) or _warns(each) or _tells(each)]

    def order(judgement: Judgement) -> tuple[int, bool, bool, str]:
        contradicted = _is_contradicted(judgement)
        binds = contradicted or _warns(judgement)
        return judgement.belief.authority.rank, not contradicted, not binds, judgement.belief.id

    chosen.sort(key=order)
    notes: list[KeptNote] = []
    for each in chosen[:MOST]:
        mark = f"{each.belief.id} {each.standing if _is_contradicted(each) else 'rule'}"
        lines = _lines(each, path, outline)
        notes.append(KeptNote(sentence(each, path), mark, each.belief.id, each.belief.updated_at, lines))
    return notes


def _lines(judgement: Judgement, path: str, outline: Outline | None) -> tuple[int, int]:
    """The lines of the symbols of a file that a belief is about, from the first to the last; (0, 0) for the file."""
    ties = [tie for tie in judgement.ties if tie.path == path]
    found = [outline.named(tie.symbol) if outline is not None and tie.found and tie.symbol else () for tie in ties]
    if not found or not all(found):
        return 0, 0
    spans = [symbol.span for symbols in found for symbol in symbols]
    return min(span.start_line for span in spans) + 1, max(span.end_line for span in spans) + 1


def _is_contradicted(judgement: Judgement) -> bool:
    return judgement.standing is Standing.CONTRADICTED


def _warns(judgement: Judgement) -> bool:
    belief, standing = judgement.belief, judgement.standing
    # a rule stays in force when its code was edited: it is there for the next edit
    holds = standing.holds or standing is Standing.CHANGED
    return holds and (belief.kind in _WARNING_KINDS or bool(belief.guards))


def _tells(judgement: Judgement) -> bool:
    """True for what somebody tied to code of the file and the code bears out. What a person said stays worth knowing
    when the code changed."""
    if not judgement.ties or judgement.belief.authority not in _SPOKEN:
        return False
    by_person = judgement.belief.authority is not Authority.AGENT
    return judgement.holds or (by_person and judgement.standing is Standing.CHANGED)


def _why(judgement: Judgement) -> str:
    return tagless("; ".join(r.message.rstrip(". ") for r in judgement.reasons if r.message), _REASON)


def sentence(judgement: Judgement, path: str) -> str:
    """A belief as one sentence of at most 280 characters: standing, statement, author, date and id."""
    belief = judgement.belief
    who = tagless(belief.author.name, _AUTHOR) or "someone"
    source = f"({who}, {belief.created_at:%Y-%m-%d}, {belief.authority}, {belief.id})"
    where = _where(judgement, path)
    if _is_contradicted(judgement):
        why = _why(judgement)
        what, more = f"{judgement.standing} {belief.kind}", f" ({why})" if why else ""
    else:
        what, more = belief.kind, "" if judgement.holds or not judgement.ties else ", which changed since"
    head, tail = f'memlsp, {what} for {where}{more}: "', f'" {source}'
    room = LONGEST - len(head) - len(tail)
    statement = tagless(belief.text, max(room, 1)).replace('"', "\u201d")  # it cannot end the quotation
    while len(statement) > room > 1:  # an escaped character takes several
        room -= max(1, (len(statement) - room) // 4)
        statement = tagless(belief.text, room).replace('"', "\u201d")
    return head + statement + tail


def _where(judgement: Judgement, path: str) -> str:
    for tie in judgement.ties:
        if path in {tie.path, tie.anchor.path} and (name := tie.symbol or tie.anchor.symbol):
            return f"`{tagless(name, _PLACE)}`"
    return "this file"


def _sources(judgement: Judgement) -> set[str]:
    """The files that the standing of a belief depends on."""
    anchors = [tie.anchor for tie in judgement.ties]
    found = {dependency.path for anchor in anchors for dependency in anchor.depends}
    found |= {reference.target.partition("#")[0] for reference in judgement.belief.references}
    return found | {anchor.path for anchor in anchors} | {tie.path for tie in judgement.ties}
