"""Recognise a statement that is already recorded, so that repeating it confirms the belief instead of adding a second
one."""

from __future__ import annotations

import re

from memlsp.model.belief import Belief
from memlsp.store.store import Store

_MOST_WORDS = 8  # the longest, all of which a repetition has


def find_duplicate(store: Store, belief: Belief) -> Belief | None:
    """The active belief with the same statement and places; case, white space and a final full stop are ignored. A
    different kind, scope, date or guard makes a different belief."""
    listed = re.findall(r"\w+", belief.text.lower())
    plain = {part for word in listed if word.isascii() for part in word.split("_") if part}  # folded alike by everybody
    chosen = sorted(plain or {*listed}, key=lambda word: (-len(word), word))[:_MOST_WORDS]
    said = folded(belief.text)
    alike = store.with_words(chosen, belief.anchors[0].path if belief.anchors else "")
    known = store.several([id for id, text in alike if folded(text) == said])
    return next((each for each in known if _content(each) == _content(belief)), None)


def folded(text: str) -> str:
    """A statement without what does not tell it from another: case, white space and a final full stop."""
    return " ".join(text.split()).casefold().rstrip(".")


def _content(belief: Belief) -> tuple[object, ...]:
    """What tells one belief from another."""
    places = {(anchor.path, anchor.symbol, 0 if anchor.symbol else anchor.line) for anchor in belief.anchors}
    return folded(belief.text), places, belief.kind, belief.scope, belief.conditions, belief.guards, belief.expires_at
