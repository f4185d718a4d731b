"""Reduces words to stems, and knows empty words and words that mean the same here."""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Iterable
from functools import cache, lru_cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from memlsp.code.syntax.names import words
from memlsp.code.vocabulary import texts

_stemming = threading.Lock()  # the stemmer keeps the word it works on in itself


@cache
def _stemmer() -> Any:
    # the package imports the stemmers of thirty languages, which takes longer than most answers: so one module is
    # loaded below an empty package of that name, which is gone afterwards
    name = "snowballstemmer"
    found = find_spec(name)
    assert found is not None
    package = ModuleType(name)
    package.__path__ = list(found.submodule_search_locations or ())
    whole = sys.modules.get(name)
    sys.modules[name] = whole or package
    try:
        return import_module(f"{name}.english_stemmer").EnglishStemmer()
    finally:
        if whole is None:
            del sys.modules[name]


def word_set(text: str) -> frozenset[str]:
    """The words of a text as a set."""
    return frozenset(text.split())


_TEXTS = texts(__name__)
_EMPTY = word_set(_TEXTS["empty"])
_WEAK_VERBS = word_set(_TEXTS["weak_verbs"])
_KIN_OF = {stem: group for group in map(word_set, _TEXTS["kin"].strip().splitlines()) for stem in group}


@lru_cache(maxsize=16384)
def stem(word: str) -> str:
    """The stem of one word, lower-case (Porter's second English stemmer)."""
    with _stemming:
        return _stemmer().stemWord(word.lower())


@lru_cache(maxsize=16384)
def forms(word: str) -> frozenset[str]:
    """The stem of a word and of its synonyms here."""
    own = stem(word)
    return _KIN_OF.get(own, frozenset()) | {own}


def stem_set(text: str) -> frozenset[str]:
    """The stems of the words of a text."""
    return frozenset(stem(word) for word in text.split())


def stem_sets(module: str) -> dict[str, frozenset[str]]:
    """The word lists of a module by their names, each as a set of stems."""
    return {name: stem_set(text) for name, text in texts(module).items()}


def stems_of_name(name: str) -> tuple[str, ...]:
    """The stems of an identifier's words, in order: `validate_token` -> valid, token."""
    return tuple(stem(word) for word in words(name))


_WORD = re.compile(r"[^\W\d_]+(?:'[a-z]+)?")


def prose_words(text: str) -> tuple[str, ...]:
    """The lower-case words of prose in order, without those that name nothing."""
    return tuple(word for word in (w.lower() for w in _WORD.findall(text)) if word not in _EMPTY and len(word) > 1)


def is_telling(word: str) -> bool:
    """False for words that name nothing one could look for."""
    return word.lower() not in _EMPTY and len(word) > 1


def is_weak(word: str) -> bool:
    """True for words that begin many names and tell little (`get`, `is`)."""
    return word.lower() in _WEAK_VERBS


def any_form(stems: Iterable[str], among: frozenset[str]) -> bool:
    """True when one of the stems, or a synonym, is among those given."""
    return any((_KIN_OF.get(one, frozenset()) | {one}) & among for one in stems)
