"""Saying a thing again that is known already: the belief that is there is meant, and no second one is wanted."""

from __future__ import annotations

import re

from memlsp.model.belief import Belief
from memlsp.store import Store

_LOOKED_AT = 12  # of what the search finds; the same words come first
_MOST_WORDS = 12


def said_before(store: Store, belief: Belief) -> Belief | None:
    """The active belief that says the same of the same places, letter case, white space and final full stop aside.

    Another kind, scope, date or guard is another belief.
    """
    words = list(dict.fromkeys(re.findall(r"\w+", belief.text.lower())))[:_MOST_WORDS]
    for hit in store.search([[word] for word in words], limit=_LOOKED_AT):
        known = store.belief(hit.id)
        if known is not None and _same(known, belief):
            return known
    return None


def _same(known: Belief, belief: Belief) -> bool:
    return (
        _plain(known.text) == _plain(belief.text)
        and {(a.path, a.symbol, _line(a.symbol, a.line)) for a in known.anchors}
        == {(a.path, a.symbol, _line(a.symbol, a.line)) for a in belief.anchors}
        and (known.kind, known.scope, known.conditions) == (belief.kind, belief.scope, belief.conditions)
        and (known.guards, belief.expires_at) == (belief.guards, known.expires_at)
    )


def _line(symbol: str, line: int) -> int:
    return 0 if symbol else line


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold().rstrip(".")
