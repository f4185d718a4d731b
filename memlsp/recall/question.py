"""Parses a question into search terms: words, identifiers whole and in parts, quoted phrases, paths.

The search index stems, so that questions and beliefs are stemmed alike.
"""

from __future__ import annotations

import re

from attrs import frozen

from memlsp.code.syntax.names import words
from memlsp.code.vocabulary import word_sets

LONGEST = 16_384
"""Characters of a question that are read; enough to tell what a pasted log is about."""

MOST_TERMS = 200


_STOP, _SLIGHT, _SUFFIXES = (word_sets(__name__)[each] for each in ("stop", "slight", "suffixes"))
_QUOTED = re.compile(r"\"([^\"\n]{2,120})\"|`([^`\n]{2,120})`|“([^”\n]{2,120})”|(?<!\w)'([^'\n]{3,120})'(?!\w)")
_PATH = re.compile(
    r"(?<![\w/.@+-])(?:\.{0,2}/)?(?:[\w.@+-]+/)+[\w.@+-]*\w|(?<![\w/.@+-])[\w-]+(?:\.[\w-]+)*\.[a-z]{1,4}\b(?!\()"
)
_WORD = re.compile(r"[^\W_]+(?:['’][a-z]+)?(?:[_.-]+[^\W_]+)*|[^\W\d]\w*")  # noqa: RUF001 - the typographic apostrophe
_HUMP = re.compile(r"[a-z0-9][A-Z]|[A-Z][A-Z][a-z]")


@frozen
class ParsedQuestion:
    """A question as terms in its order, each a word as asked, followed by alternatives. `slight` has the words that
    many statements hold by chance: alone they make no answer while there are others."""

    text: str
    terms: tuple[tuple[str, ...], ...] = ()
    slight: frozenset[str] = frozenset()

    @property
    def is_specific(self) -> bool:
        """True when some term is more than slight."""
        return any(term[0] not in self.slight for term in self.terms)


def parse_question(text: str) -> ParsedQuestion:
    """Parse a question. Never raises; stop words alone give no terms."""
    found: dict[str, tuple[str, ...]] = {}
    rest = text[:LONGEST].replace("\0", " ")
    for pattern, reader in ((_QUOTED, _phrase), (_PATH, _path)):
        kept: list[str] = []
        end = 0
        for match in pattern.finditer(rest):
            taken = next(group for group in (*match.groups(), match[0]) if group is not None)
            term = reader(taken)
            if term is None:
                continue
            found.setdefault(term[0].lower(), term)
            kept.append(rest[end : match.start()])
            # the words of a phrase count by themselves too; those of a path would match every other path
            kept.append(f" {taken} " if pattern is _QUOTED else " ")
            end = match.end()
        rest = "".join((*kept, rest[end:]))
    for match in _WORD.finditer(rest):
        for term in _word(match[0]):
            found.setdefault(term[0].lower(), term)
        if len(found) >= MOST_TERMS:
            break
    terms = tuple(found.values())[:MOST_TERMS]
    return ParsedQuestion(text, terms, frozenset(term[0] for term in terms if term[0].lower() in _SLIGHT))


def _phrase(quoted: str) -> tuple[str, ...] | None:
    return (quoted.strip(),) if len(_WORD.findall(quoted)) > 1 and not _PATH.fullmatch(quoted.strip()) else None


def _path(path: str) -> tuple[str, ...] | None:
    name = path.rpartition("/")[2]
    if "/" not in path and name.rpartition(".")[2] not in _SUFFIXES:
        return None
    whole = path.lstrip("./")
    return (whole, name) if name != whole and "." in name else (whole,)


def _word(raw: str) -> list[tuple[str, ...]]:
    word = raw.strip("_")
    lower = word.lower().replace("’", "'")  # noqa: RUF001
    if lower in _STOP or (len(lower) < 2 and not lower.isdigit() and lower.isascii()):
        return []
    compound = any(sign in word for sign in "_.-") or _HUMP.search(word)
    if not compound:
        return [(word.partition("'")[0] if lower.endswith("'s") else word,)]
    parts = [part for part in words(word) if part not in _STOP and (len(part) > 1 or part.isdigit())]
    joined = "".join(words(word))
    whole = (word, joined) if joined and joined != lower else (word,)
    return [whole, *((part,) for part in parts if part != lower)]
