"""Contradictions in words and as JSON, the same in every face."""

from __future__ import annotations

from memlsp.faces.render.belief_json import Json, picked
from memlsp.model.belief import AuthorKind, Belief
from memlsp.model.review import Conflict


def said_of(belief: Belief) -> str:
    """A statement with its author, date, conditions, place and id; one line, without escaping."""
    who = belief.author.name if belief.author.kind is AuthorKind.PERSON else f"{belief.author.name} (agent)"
    under = "".join(f", for {key}={value}" for key, value in belief.conditions)
    place = f", at {belief.anchors[0].place}" if belief.anchors else ""
    text = " ".join(belief.text.split())
    return f"\u201c{text}\u201d (said by {who} on {belief.created_at:%Y-%m-%d}{under}{place}; {belief.id})"


def conflict_shape(conflict: Conflict) -> Json:
    """A conflict as JSON."""
    names = "id first second subject predicate values reason found_at settlement settled_by? settled_at note"
    return picked(conflict, names)
