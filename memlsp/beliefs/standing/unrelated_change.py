"""A change that clearly does not touch what a statement says: small, in a large function, away from all that it names.

Everything bears on everything in a function of ten lines, and a sentence that names nothing can be about anything. So
both must be there: room beside what the statement speaks of, and something that it speaks of, which is as it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memlsp.beliefs.claims.evidence import name_stems
from memlsp.beliefs.claims.stems import any_form, prose_words, stem, weak
from memlsp.beliefs.standing.change_features import stems_of, texts_of, touching
from memlsp.beliefs.standing.relevance_model import weights
from memlsp.model.change import DetailKind

if TYPE_CHECKING:
    from memlsp.beliefs.standing.claim_check import Case

LEAST_SIZE = 120  # meaning tokens of the function before: some fifteen lines
LARGEST_SHARE = 0.1  # of its tokens that came or went
NEAR = 25  # tokens around what changed: some three lines
_INSIDE = frozenset(
    {
        DetailKind.BODY,
        DetailKind.CALL_ADDED,
        DetailKind.CALL_REMOVED,
        DetailKind.CATCH_ADDED,
        DetailKind.CATCH_REMOVED,
        DetailKind.CONDITION,
        DetailKind.LITERAL,
        DetailKind.LOOP,
        DetailKind.RAISE_ADDED,
        DetailKind.RAISE_REMOVED,
        DetailKind.RETURN,
    }
)


def untouched(case: Case) -> bool:
    """True when the change is clearly none of the statement's business. It must not have broken a claim."""
    if not case.details or any(detail.kind not in _INSIDE for detail in case.details):
        return False
    if len(case.old.facts.tokens) < LEAST_SIZE:
        return False
    numbers = touching(case, contradicted=False)
    if numbers["edit_share"] > LARGEST_SHARE or weights().likelihood(numbers) >= weights().aside:
        return False
    said = frozenset(stem(word) for word in prose_words(case.claims.text) if not weak(word))
    said |= {one for mention in case.claims.mentions for one in name_stems(mention.text)}
    said -= {one for name in case.subject for one in name_stems(name)}
    if case.claims.denials or any(any_form((one,), stems_of(texts_of(case.details))) for one in said):
        return False
    return _is_far(case, said)


def _is_far(case: Case, said: frozenset[str]) -> bool:
    """True when the statement's words stand in the code, and none of them near the place that changed."""
    before, after = case.old.facts.tokens, case.new.facts.tokens
    start = _common(before, after)
    end = len(before) - _common(before[start:][::-1], after[start:][::-1])
    places = [
        index
        for index, token in enumerate(before)
        if len(token) > 1 and any(any_form((one,), said) for one in stems_of((token,)))
    ]
    return bool(places) and not any(start - NEAR < place < end + NEAR for place in places)


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count
