"""Words that say the opposite of each other, as a concept with a sign: `disabled` is `enabled` with a minus.

So "X is disabled" and "X is not enabled" come out the same, and "X is disabled" and "X is enabled" do not. Pairs that
mostly name two things side by side (the minimum and the maximum, the first and the last, client and server) are no
opposites here.
"""

from __future__ import annotations

from functools import cache, lru_cache

from memlsp.beliefs.claims.stems import forms
from memlsp.beliefs.vocabulary import texts


@cache
def _signed() -> dict[str, tuple[str, bool]]:
    table: dict[str, tuple[str, bool]] = {}
    for line in texts(__name__)["pairs"].strip().splitlines():
        plus, _, minus = line.partition("|")
        concept = plus.split()[0]
        for words, sign in ((plus, True), (minus, False)):
            table.update((word, (concept, sign)) for word in words.split())
    return table


@lru_cache(maxsize=16384)
def signed(word: str) -> tuple[str, bool]:
    """The concept that a lower-case word names, and False when it names its opposite or absence.

    `optional` is ("required", False), `non-blocking` is ("blocking", False), `retries` is ("retri", True).
    """
    table = _signed()
    if word in table:
        return table[word]
    head, dash, last = word.rpartition("-")
    if dash and head == "non":
        concept, sign = signed(last)
        return concept, not sign
    if dash and last in table:
        concept, sign = table[last]
        return f"{canonical(head)}-{concept}", sign
    return canonical(word), True


def negates(one: str, other: str) -> bool:
    """True when one lower-case word is the other with a prefix that negates: `versioned` and `unversioned`."""
    longer, shorter = (one, other) if len(one) > len(other) else (other, one)
    return len(shorter) > 3 and any(longer == f"{prefix}{shorter}" for prefix in ("un", "in", "im", "ir", "dis", "non"))


@lru_cache(maxsize=16384)
def canonical(word: str) -> str:
    """One stem for a lower-case word and for those that mean the same here."""
    known = _SAME.get(word)
    return known if known is not None else min(forms(word), key=lambda each: (len(each), each))


_SAME = {
    word: group.split()[0] for group in texts(__name__)["same_groups"].strip().splitlines() for word in group.split()
}
