"""Recognise a statement that is already recorded, so that repeating it confirms the belief instead of adding a second
one."""

from __future__ import annotations

import re

from memlsp.model.belief import Belief
from memlsp.store.store import Store

_MOST_HITS = 12  # search hits; a statement in the same words comes first
_MOST_WORDS = 12


def find_duplicate(store: Store, belief: Belief) -> Belief | None:
    """The active belief with the same statement and places; case, white space and a final full stop are ignored. A
    different kind, scope, date or guard makes a different belief."""
    words = list(dict.fromkeys(re.findall(r"\w+", belief.text.lower())))[:_MOST_WORDS]
    for hit in store.search([[word] for word in words], limit=_MOST_HITS):
        known = store.belief(hit.id)
        if known is not None and _content(known) == _content(belief):
            return known
    return None


def folded(text: str) -> str:
    """A statement without what does not tell it from another: case, white space and a final full stop."""
    return " ".join(text.split()).casefold().rstrip(".")


def _content(belief: Belief) -> tuple[object, ...]:
    """What tells one belief from another."""
    places = {(anchor.path, anchor.symbol, 0 if anchor.symbol else anchor.line) for anchor in belief.anchors}
    return folded(belief.text), places, belief.kind, belief.scope, belief.conditions, belief.guards, belief.expires_at
