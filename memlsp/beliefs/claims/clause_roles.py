"""The roles of clauses: which speak of the code now, and which of the past, of a reason, or of something else."""

from __future__ import annotations

from memlsp.beliefs.claims.claims import Claims
from memlsp.beliefs.vocabulary import patterns

_RE = patterns(__name__)


def is_question(text: str) -> bool:
    """True for a question, which states nothing."""
    return text.rstrip().endswith("?") or _RE["asking"].match(text) is not None


def is_aside(text: str, offset: int) -> bool:
    """True at an offset inside a clause about the past, a reason, a caller, or another system or environment."""
    if _RE["aside"].search(clause_at(text, offset)) is not None:
        return True
    start = max(text.rfind(". ", 0, offset), text.rfind("\n", 0, offset)) + 1
    return _RE["former"].search(text[start:offset]) is not None


def is_conditional(text: str, offset: int, *, sentence: bool = False) -> bool:
    """True behind a `when`, `if` or `unless` of the same clause, or of the same sentence."""
    start = _start(text, offset)
    if sentence:
        start = max(text.rfind(". ", 0, offset), text.rfind("\n", 0, offset)) + 1
    return _RE["condition"].search(text[start:offset]) is not None


def names_another(claims: Claims, subject: frozenset[str], offset: int) -> bool:
    """True where the clause has another symbol than this one as its subject: "`retry` waits 3 s" at `fetch`."""
    start = _start(claims.text, offset)
    lowered = {name.lower() for name in subject}
    for mention in claims.mentions:
        if start <= mention.start < offset and mention.value is None and mention.parts:
            between = claims.text[start : mention.start].strip(" `(\"'").lower()
            if between in {"", "the", "a", "in", "our"}:
                own = {part.lower() for part in mention.parts}
                return (
                    own.isdisjoint(lowered) and _RE["verb"].match(claims.text[mention.end :].lstrip("`() ")) is not None
                )
    return False


def _start(text: str, offset: int) -> int:
    return max((found.end() for found in _RE["break"].finditer(text, 0, offset)), default=0)


def clause_bounds(text: str, offset: int) -> tuple[int, int]:
    """The offsets of the clause around an offset."""
    end = _RE["break"].search(text, offset)
    return _start(text, offset), end.start() if end else len(text)


def clause_at(text: str, offset: int) -> str:
    """The clause around an offset, with the word that joins it."""
    start, end = clause_bounds(text, offset)
    lead = _RE["joint"].search(text, 0, start)
    before = lead[0] if lead and lead.end() == start else ""
    return before + text[start:end]
