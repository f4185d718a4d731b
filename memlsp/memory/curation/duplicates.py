"""Recognise a statement that is already recorded, so that repeating it confirms the belief instead of adding a second
one."""

from __future__ import annotations

import re

from memlsp.model.belief import Belief
from memlsp.store import Store

_MOST_HITS = 12  # search hits; a statement in the same words comes first
_MOST_WORDS = 12


def find_duplicate(store: Store, belief: Belief) -> Belief | None:
    """The active belief with the same statement and places; case, white space and a final full stop are ignored. A
    different kind, scope, date or guard makes a different belief."""
    words = list(dict.fromkeys(re.findall(r"\w+", belief.text.lower())))[:_MOST_WORDS]
    for hit in store.search([[word] for word in words], limit=_MOST_HITS):
        known = store.belief(hit.id)
        if known is not None and _same(known, belief):
            return known
    return None


def _same(known: Belief, belief: Belief) -> bool:
    return (
        _normalised(known.text) == _normalised(belief.text)
        and {(a.path, a.symbol, _line(a.symbol, a.line)) for a in known.anchors}
        == {(a.path, a.symbol, _line(a.symbol, a.line)) for a in belief.anchors}
        and (known.kind, known.scope, known.conditions) == (belief.kind, belief.scope, belief.conditions)
        and (known.guards, belief.expires_at) == (belief.guards, known.expires_at)
    )


def _line(symbol: str, line: int) -> int:
    return 0 if symbol else line


def _normalised(text: str) -> str:
    return " ".join(text.split()).casefold().rstrip(".")
