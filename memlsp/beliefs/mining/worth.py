"""Rates how much a sentence of a comment or a README is worth remembering, and as which kind of belief.

A sentence has to bind (`must`, `never`, `because`, `otherwise`), to be about something (a name, a path, a command, a
number), and to be understood alone. Greetings, invitations and advertising are worth nothing.
"""

from __future__ import annotations

import re

from attrs import frozen

from memlsp.beliefs.lifecycle.admission import kind_of
from memlsp.code.vocabulary import patterns
from memlsp.model.belief import BeliefKind

LEAST, MOST = 25, 400
"""Characters of a statement that is proposed."""

_RE = patterns(__name__)


@frozen
class Worth:
    """The worth of a sentence, from 0 (nothing), and the kind of belief it would be."""

    score: float
    kind: BeliefKind


NOTHING = Worth(0.0, BeliefKind.FACT)


def worth_of(text: str, *, anchored: bool = False, marked: bool = False) -> Worth:
    """The worth of `text` as a belief. `anchored`: it stands beside its code and need not name it. `marked`: its author
    marked it (`HACK:`)."""
    if not LEAST <= len(text) <= MOST or text.rstrip("`*_ )").endswith((":", "?", ",", "...", "…")):
        return NOTHING
    words = re.findall(r"[^\W_]+", text)
    if not 5 <= len(words) <= 60 or _RE["empty"].match(text) or _RE["soft"].search(text):
        return NOTHING
    if _RE["dangling"].match(text) and not anchored:
        return NOTHING
    without = _RE["no_code"].sub("", text)
    if anchored:
        without = _RE["narrated"].sub("", without)
    about = len(set(_RE["code"].findall(without)))
    binding, advising = bool(_RE["binding"].search(without)), bool(_RE["advising"].search(without))
    reasoning, warning = bool(_RE["reasoning"].search(without)), bool(_RE["warning"].search(without))
    score = 2.0 * binding + (0.5 if anchored else 1.0) * advising + 1.5 * reasoning + 1.5 * warning
    score += 1.5 * marked
    if not score:
        return NOTHING
    score += min(1.5, 0.75 * about) + (0.5 if anchored else 0.0) + (0.5 if len(words) >= 9 else 0.0)
    if not about and not anchored:
        score -= 1.0
    return Worth(score, _kind(text, binding=binding, reasoning=reasoning, warning=warning))


def _kind(text: str, *, binding: bool, reasoning: bool, warning: bool) -> BeliefKind:
    if _RE["runs"].search(text):
        return BeliefKind.PROCEDURE
    if warning and not binding:
        return BeliefKind.GOTCHA
    if reasoning and not binding:
        return BeliefKind.DECISION
    return BeliefKind.RULE if binding else kind_of(text)
