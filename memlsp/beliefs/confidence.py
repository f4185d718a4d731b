"""How sure: a number from 0 to 1 that moves on evidence only; age and how often it was shown are none.

The origin sets the start. Each confirmation takes away a share of the doubt that is left, each correction a share of
the confidence: a person's word half of it, an agent's a fifth. So it never leaves the bounds, the order of the origins
survives equal treatment, and one person outweighs three agents.
"""

from __future__ import annotations

from memlsp.model.belief import Author, Authority, AuthorKind

LEAST, MOST = 0.05, 0.99
_START = {
    Authority.LOCKED: 0.95,
    Authority.REVIEWED: 0.9,
    Authority.PERSON: 0.8,
    Authority.AGENT: 0.6,
    Authority.MINED: 0.4,
    Authority.PROPOSED: 0.3,
}
_SHARE = {AuthorKind.PERSON: 0.5, AuthorKind.AGENT: 0.2}


def starting_confidence(authority: Authority) -> float:
    """The confidence of a belief of which nothing is known but who stands behind it."""
    return _START[authority]


def confirmed(confidence: float, by: Author) -> float:
    """After somebody said that it is still true."""
    return _bounded(confidence + (1 - confidence) * _SHARE[by.kind])


def corrected(confidence: float, by: Author) -> float:
    """After somebody said that it is not, or not quite."""
    return _bounded(confidence * (1 - _SHARE[by.kind]))


def _bounded(confidence: float) -> float:
    return round(min(MOST, max(LEAST, confidence)), 4)
