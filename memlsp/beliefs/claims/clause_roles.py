"""The roles of clauses: which speak of the code now, which of the past, of a reason, or of something else, and
which of how the code is to be, that it may not follow yet."""

from __future__ import annotations

import re

from memlsp.beliefs.claims.claims import Claims
from memlsp.beliefs.claims.stems import word_set
from memlsp.beliefs.lifecycle.admission import kind_of
from memlsp.code.syntax.names import words
from memlsp.code.vocabulary import patterns, texts
from memlsp.model.belief import BeliefKind

_OWN_WORDS = word_set(texts(__name__)["own"])
_RE = patterns(__name__)
_DESCRIBING = frozenset({BeliefKind.FACT, BeliefKind.GOTCHA})


def is_question(text: str) -> bool:
    """True for a question, which states nothing."""
    return text.rstrip().endswith("?") or _RE["asking"].match(text) is not None


def is_aside(text: str, offset: int) -> bool:
    """True at an offset inside a clause about the past, a reason, a caller, or another system or environment."""
    clause = clause_at(text, offset)
    later = _RE["later_condition"].search(text, offset, clause_bounds(text, offset)[1])
    if later:  # what was before the condition came true is no past
        clause = clause[: len(clause) - (clause_bounds(text, offset)[1] - later.start())]
    if _RE["aside"].search(clause) is not None:
        return True
    return _RE["former"].search(text[_sentence_start(text, offset) : offset]) is not None


def is_conditional(text: str, offset: int, *, sentence: bool = False) -> bool:
    """True behind a `when`, `if` or `unless` of the same clause, or of the same sentence."""
    start = _sentence_start(text, offset) if sentence else _start(text, offset)
    return _RE["condition"].search(text[start:offset]) is not None


def names_another(claims: Claims, subject: frozenset[str], offset: int) -> bool:
    """True where the clause has another symbol than this one as its subject: "`retry` waits 3 s" at `fetch`."""
    start = _start(claims.text, offset)
    lowered = {name.lower() for name in subject}
    for mention in claims.mentions:
        if start <= mention.start < offset and mention.value is None and mention.parts:
            between = claims.text[start : mention.start].strip(" `(\"'").lower()
            if between in {"", "the", "a", "in", "our"}:
                verb = _RE["verb"].match(claims.text[mention.end :].lstrip("`() "))
                return verb is not None and lowered.isdisjoint(part.lower() for part in mention.parts)
    return False


def speaks_here(claims: Claims, subject: frozenset[str], offset: int) -> bool:
    """True where the clause affirms something of this symbol as it is now: no denial, aside or other subject, and not
    "nothing goes to stdout"."""
    return not (
        claims.denied_at(offset)
        or is_aside(claims.text, offset)
        or names_another(claims, subject, offset)
        or _RE["none"].search(claims.text[_start(claims.text, offset) : offset])
    )


def affirms(claims: Claims, offset: int) -> bool:
    """True where the clause denies nothing, is no aside, and has no condition before the offset."""
    return not (claims.denied_at(offset) or is_aside(claims.text, offset) or is_conditional(claims.text, offset))


def speaks_plainly(claims: Claims, subject: frozenset[str], offset: int) -> bool:
    """As `speaks_here`, and without a condition before the offset."""
    return speaks_here(claims, subject, offset) and not is_conditional(claims.text, offset)


def is_own_subject(claims: Claims, subject: frozenset[str], offset: int) -> bool:
    """True where nothing but the symbol itself stands before an offset in its sentence: "`fetch` takes", "takes"."""
    start = max(claims.text.rfind(end, 0, offset) for end in (". ", "\n", "; "))
    before = re.findall(r"[\w-]+", claims.text[start + 1 : offset].lower())
    own = {part.lower() for name in subject for part in (name, *words(name))}
    return all(word in own or word in _OWN_WORDS for word in before)


def _sentence_start(text: str, offset: int) -> int:
    return max(text.rfind(". ", 0, offset), text.rfind("\n", 0, offset)) + 1


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


def prescribes(text: str, kind: BeliefKind, said: str) -> bool:
    """True when the words `said` stand in a statement of how the code is to be, and not of how it is.

    A kind that was declared, and that the wording alone would not suggest, decides. Else the clause does, and a date or
    a plan in its sentence.
    """
    if demands(text, kind, said):
        return True
    return kind not in _DESCRIBING and not _RE["describing"].search(text)


def demands(text: str, kind: BeliefKind, said: str) -> bool:
    """True where the wording demands or plans what is said, or its kind was declared to."""
    if kind in {BeliefKind.RULE, BeliefKind.DECISION} and kind_of(text) is not kind:
        return True
    at = max(text.lower().find(said.lower()), 0)
    start = max((each.end() for each in _RE["sentence"].finditer(text, 0, at)), default=0)
    end = _RE["sentence"].search(text, at)
    sentence = text[start : end.start() if end else len(text)]
    clause = clause_at(text, at).strip()
    return bool(_RE["planning"].search(sentence) or _RE["prescribing"].search(clause))
