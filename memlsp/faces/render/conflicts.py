"""A contradiction in words, and as JSON: one way for every face."""

from __future__ import annotations

from memlsp.faces.render import belief_json
from memlsp.model.belief import AuthorKind, Belief
from memlsp.model.review import Conflict


def said_of(belief: Belief) -> str:
    """A statement with who said it, when, where it applies and its id; one line, without escaping."""
    who = belief.author.name if belief.author.kind is AuthorKind.PERSON else f"{belief.author.name} (agent)"
    under = "".join(f", for {key}={value}" for key, value in belief.conditions)
    place = f", at {belief.anchors[0].place}" if belief.anchors else ""
    text = " ".join(belief.text.split())
    return f"\u201c{text}\u201d (said by {who} on {belief.created_at:%Y-%m-%d}{under}{place}; {belief.id})"


def conflict_message(conflict: Conflict, here: Belief, other: Belief) -> str:
    """The whole story in one line, seen from one side: some readers get nothing else."""
    subject = f" about {conflict.subject}" if conflict.subject else ""
    return (
        f"Contradiction{subject}: {said_of(here)} and {said_of(other)} cannot both be true where both apply. "
        f"Settle it: memlsp conflicts {conflict.id}"
    )


def conflict_shape(conflict: Conflict) -> belief_json.Json:
    """A conflict as JSON."""
    return {
        "id": conflict.id,
        "first": conflict.first,
        "second": conflict.second,
        "subject": conflict.subject,
        "predicate": conflict.predicate,
        "values": list(conflict.values),
        "reason": conflict.reason,
        "found_at": belief_json.moment(conflict.found_at),
        "settlement": conflict.settlement.value if conflict.settlement else None,
        "settled_by": conflict.settled_by or None,
        "settled_at": belief_json.moment(conflict.settled_at) if conflict.settled_at else None,
        "note": conflict.note,
    }
