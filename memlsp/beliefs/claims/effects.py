"""Finds acts that a statement rules out in other words than the code's: "nothing here allocates" and `into_owned`.

A table has, for a few acts, how prose names them (nouns, verbs, and adjectives for code without them) and how code does
them. An act that was there before says nothing: then the statement means something narrower.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memlsp.beliefs.claims.claims import Claims
from memlsp.beliefs.claims.stems import stem, stem_set
from memlsp.code.vocabulary import patterns, texts
from memlsp.model.symbol import Facts

_RE = patterns(__name__)
_GENERAL = stem_set(texts(__name__)["general"])
_SAID = [
    (act, stem_set(nouns), stem_set(verbs), [each.strip() for each in states.split(",") if each.strip()])
    for act, (nouns, verbs, states) in ((act, line.split("/")) for act, line in texts(__name__).items() if "/" in line)
]


def effect_that_came(claims: Claims, before: Facts, after: Facts) -> str | None:
    """The code of an act that `claims` rule out, which is in `after` and was not in `before`."""
    for act in _ruled_out(claims):
        found = _RE[act].search(_code(after))
        if found is not None and not _RE[act].search(_code(before)):
            return found[0].strip()
    return None


def does_one_of(said: frozenset[str], facts: Facts) -> bool:
    """True for code that does an act which one of these stems names."""
    return any(_RE[act].search(_code(facts)) for act, nouns, verbs, _ in _SAID if said & (nouns | verbs))


def _code(facts: Facts) -> str:
    written = re.sub(r"\s*(\.|::|->)\s*", ".", " ".join(facts.tokens))
    return "\n".join((written, *facts.calls, *facts.uses, *facts.modifiers))


def _ruled_out(claims: Claims) -> Iterator[str]:
    stretches = [each.text for each in claims.denials if not _RE["nobody"].search(claims.text[: each.start])]
    stretches += [found["rest"] for found in _RE["none"].finditer(claims.text)]
    said = [*map(_words_of, stretches)]
    plain = " ".join(("", *re.findall(r"[a-z]+(?:-[a-z]+)*", claims.text.lower()), ""))
    for act, nouns, verbs, states in _SAID:
        if any(f" {each} " in plain for each in states) or any(_names(each, nouns, verbs) for each in said):
            yield act


def _words_of(stretch: str) -> list[str]:
    """The stems of what is ruled out; none where an exception follows."""
    if _RE["except"].search(stretch):
        return []
    plain = _RE["when"].split(stretch.replace("I/O", "io").replace("side effect", "mutation"))[0]
    return [stem(word) for word in re.findall(r"[^\W\d_]{2,}", plain)]


def _names(said: list[str], nouns: frozenset[str], verbs: frozenset[str]) -> bool:
    """True where a thing of the act is named, or its verb with no object of its own."""
    if nouns.intersection(said):
        return True
    return not verbs.isdisjoint(said) and not set(said) - verbs - _GENERAL
