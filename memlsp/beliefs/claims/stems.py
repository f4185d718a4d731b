"""Words brought to one form: light stemming, words that say nothing, and words that mean the same here."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Protocol, cast

from memlsp.code.syntax.names import words


class _Stemmer(Protocol):
    def stemWord(self, word: str) -> str: ...  # noqa: N802 - the library's name


_stemming = threading.Lock()  # the stemmer keeps the word it works on in itself


@cache
def _stemmer() -> _Stemmer:
    # thirty languages are imported with it, and an unchanged belief needs no stems
    import snowballstemmer

    return cast("_Stemmer", snowballstemmer.stemmer("english"))  # pyright: ignore[reportUnknownMemberType] - it has no types


def listed(text: str) -> frozenset[str]:
    """The words of a text as a set: how tables of words are written here."""
    return frozenset(text.split())


# Words of a programmer's prose that name nothing one could look for in the code.
_EMPTY = listed(
    """
    a about above after again all also although always an and another any anything are as at back be because
    been before being below between both but by can case cases code could did do does doing done down during
    each either else end even ever every exactly existing few first for from function further get gets given go
    goes had has have having he hence her here how however i if in into is it its itself just keep keeps know
    last later least less let like made make makes many may maybe me means method might more most much must my
    need needed needs neither new next no nor not note now of off old on once one only onto or other others
    otherwise our out over own per please put rather really run runs same see set sets shall she should since so
    some something still such sure take takes than that the their them then there these they thing things this
    those through thus to together too under until up upon us use used uses using usually value values very via
    want was way we well were what when where whether which while who whole whose why will with within without
    would yet you your class module file line lines self cls default defaults defaulted
    """
)
# First words of function names that say little of what is done.
_WEAK_VERBS = listed(
    "get set is has have do make run handle on to from with new init create build process of the by in for"
)

# Stems that name one thing: derived and shortened forms, and the few pairs that programmers use for one another.
_KIN: tuple[frozenset[str], ...] = tuple(
    listed(group)
    for group in (
        "log logger",
        "cach cacheabl lru memo memoiz memois",
        "retri retrier backoff attempt tri",
        "async asynchron await coroutin",
        "lock mutex rlock synchron synchronis",
        "sleep wait delay",
        "delet remov",
        "auth authent authentic",
        "pub public export",
        "author authoris authoriz",
        "db databas",
        "config configur configuration",
        "seri serial serializ serialis",
        "uniqu distinct dedup dedupl",
        # verbs that the stemmer cannot bring together
        "freez frozen froze",
        "send sent",
        "write written wrote",
        "throw thrown threw",
        "hide hidden",
        "build built",
        "choos chosen chose",
        "bind bound",
        "shut shutdown",
    )
)
_KIN_OF = {stem: group for group in _KIN for stem in group}


@lru_cache(maxsize=16384)
def stem(word: str) -> str:
    """The stem of one word, lower-case (Porter's second English stemmer)."""
    with _stemming:
        return _stemmer().stemWord(word.lower())


@lru_cache(maxsize=16384)
def forms(word: str) -> frozenset[str]:
    """The stem of a word and of those that mean the same here."""
    own = stem(word)
    return _KIN_OF.get(own, frozenset()) | {own}


def stems_of_name(name: str) -> tuple[str, ...]:
    """The stems of an identifier's words, in order: `validate_token` -> valid, token."""
    return tuple(stem(word) for word in words(name))


_WORD = re.compile(r"[^\W\d_]+(?:'[a-z]+)?")


def prose_words(text: str) -> tuple[str, ...]:
    """The words of prose, lower-case, in order, those that name nothing left out."""
    return tuple(word for word in (w.lower() for w in _WORD.findall(text)) if word not in _EMPTY and len(word) > 1)


def tells(word: str) -> bool:
    """False for words that name nothing one could look for."""
    return word.lower() not in _EMPTY and len(word) > 1


def weak(word: str) -> bool:
    """True for words that begin many names and say little (`get`, `is`)."""
    return word.lower() in _WEAK_VERBS


def any_form(stems: Iterable[str], among: frozenset[str]) -> bool:
    """True when one of the stems, or one that means the same, is among those given."""
    return any((_KIN_OF.get(one, frozenset()) | {one}) & among for one in stems)
