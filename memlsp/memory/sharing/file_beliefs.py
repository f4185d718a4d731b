"""Makes beliefs of belief files, tied to the code as it is here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress

from attrs import evolve

from memlsp.beliefs.lifecycle.admission import Draft, Maker, new_belief
from memlsp.beliefs.lifecycle.anchors import anchor_at, anchor_to
from memlsp.beliefs.lifecycle.belief_file import BeliefFile, FileAnchor
from memlsp.beliefs.lifecycle.guards import read_guards
from memlsp.capture.git.snapshot import Snapshot
from memlsp.memory.context import Context
from memlsp.model.belief import Anchor, Author, Authority, AuthorKind, Belief, BeliefStatus, Limits, Scope, ScopeKind
from memlsp.model.errors import BadValue, MemlspError

_MOST_ANCHORS = 8
_EDITED = ("text", "kind", "scope", "conditions", "guards", "references")


def belief_of(context: Context, file: BeliefFile, maker: Maker, authority: Authority) -> Belief:
    """The belief that a file makes, verified in the code. Raises BadValue for a guard that cannot be read, and for
    anchors of which none is in the code."""
    anchors = tuple(_anchors(context, file.anchors, maker))
    if file.anchors and not anchors:
        raise BadValue(f"{file.anchors[0].place} is nowhere in the code", "correct the anchors of the file")
    scope = Scope(ScopeKind.GLOB, file.pattern) if file.pattern else None
    limits = Limits(conditions=file.conditions, scope=scope)
    guards = read_guards(file.guards, anchors, scope) if file.guards else ()
    draft = Draft(file.text, file.kind, limits, anchors, guards=guards)
    by = evolve(maker, author=Author(file.by or maker.author.name, AuthorKind.PERSON))
    return new_belief(file.id, draft, by, authority, context.verified)


def edited_by(context: Context, belief: Belief, file: BeliefFile, maker: Maker) -> Belief:
    """A belief after an edit of its file. Raises as `belief_of` does."""
    made = belief_of(context, file, maker, belief.authority)
    new = evolve(belief, **{name: getattr(made, name) for name in _EDITED}, updated_at=maker.now)
    if [each.place for each in belief.anchors] != [each.place for each in made.anchors] or belief.text != made.text:
        new = evolve(new, anchors=made.anchors)
    return evolve(new, status=BeliefStatus.ACTIVE, superseded_by=None)


def _anchors(context: Context, places: Iterable[FileAnchor], maker: Maker) -> Iterator[Anchor]:
    """The anchors as they were when the file was verified, where git has that commit; else as they are now."""
    for each in list(places)[:_MOST_ANCHORS]:
        then = _verified_anchor(context, each, maker)
        if then is not None:
            yield then
            continue
        with suppress(MemlspError):
            yield anchor_at(context.worktree, each.path, line=None, symbol=each.symbol or None, now=maker.now)


def _verified_anchor(context: Context, place: FileAnchor, maker: Maker) -> Anchor | None:
    files = Snapshot.of(context.worktree.root, place.commit) if place.commit else None
    if files is None or (outline := files.outline(place.path)) is None:
        return None
    named = outline.named(place.symbol) if place.symbol else [outline.module]
    same = [each for each in named if each.fingerprint.meaning == place.fingerprint] if place.fingerprint else named
    return anchor_to(files, outline, same[0], now=maker.now) if len(same) == 1 else None
