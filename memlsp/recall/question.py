"""What a question asks for: the words that say something, identifiers whole and in parts, quoted phrases, paths.

Stemming is the search index's business, so that a question and a belief are stemmed by one and the same stemmer.
"""

from __future__ import annotations

import re

from attrs import frozen

from memlsp.code.syntax.names import words

LONGEST = 16_384
"""Characters of a question that are read; a pasted log has said what it is about by then."""

MOST_TERMS = 200


def _words_of(text: str) -> frozenset[str]:
    return frozenset(text.split())


_STOP = _words_of(
    """a about above after again against all also am an and any anybody anyone anything are aren't as at be because been
    before being below between both but by can can't cannot could couldn't did didn't do does doesn't doing don't down
    during each either else ever every everything explain few for from further give had hadn't has hasn't have haven't
    having he hello help her here hers him his how however i i'd i'll i'm i've if in instead into is isn't it it's its
    itself just know known let let's like lot many may maybe me might mine more most much must my myself need needs
    neither no nobody nor not nothing now of off often ok on once one only or other others ought our ours out over own
    per please quite rather really remember said same say see seem shall she should shouldn't show since so some
    somebody someone something still such tell than thanks that that's the their theirs them themselves then there
    there's these they thing things think this those though through thus to together too toward under until up upon us
    very via want wants was wasn't way ways we we're we've well were weren't what what's whatever when where whether
    which while who whom whose why will with within without won't would wouldn't yes yet you you're your yours"""
)

_SLIGHT = _words_of(
    """actually add allow always avoid better best change check choose code correct create current currently decide
    decision default different do done easy edit ensure expect fact feature file find fine first fix follow function
    get go going good handle happen hard idea implement important keep kind last look main make mean method module
    name never new next note number old part place point possible problem project question reason remove right rule
    run second set simple small sort start stop support sure system take test time try type update use used user
    using usually value values work works write wrong"""
)

_QUOTED = re.compile(r"\"([^\"\n]{2,120})\"|`([^`\n]{2,120})`|“([^”\n]{2,120})”|(?<!\w)'([^'\n]{3,120})'(?!\w)")
_PATH = re.compile(
    r"(?<![\w/.@+-])(?:\.{0,2}/)?(?:[\w.@+-]+/)+[\w.@+-]*\w|(?<![\w/.@+-])[\w-]+(?:\.[\w-]+)*\.[a-z]{1,4}\b(?!\()"
)
_WORD = re.compile(r"[^\W_]+(?:['’][a-z]+)?(?:[_.-]+[^\W_]+)*|[^\W\d]\w*")  # noqa: RUF001 - the typographic apostrophe
_HUMP = re.compile(r"[a-z0-9][A-Z]|[A-Z][A-Z][a-z]")


@frozen
class ParsedQuestion:
    """`terms` are what to look for, in the question's order: each a word as asked, followed by its alternatives.

    `slight` are those (as asked) that many statements hold by chance; they do not make an answer on their own while the
    question has others.
    """

    text: str
    terms: tuple[tuple[str, ...], ...] = ()
    slight: frozenset[str] = frozenset()

    @property
    def tells(self) -> bool:
        """True when some term is more than slight."""
        return any(term[0] not in self.slight for term in self.terms)


def parse_question(text: str) -> ParsedQuestion:
    """The question in `text`. Never raises; a text of stop words alone has no terms."""
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
    if "/" not in path and not _is_file_name(name):
        return None
    whole = path.lstrip("./")
    return (whole, name) if name != whole and "." in name else (whole,)


def _is_file_name(name: str) -> bool:
    return name.rpartition(".")[2] in _SUFFIXES


_SUFFIXES = _words_of(
    """c cc cfg cpp cs css go h hpp html ini java js json jsx kt lua md mjs php proto py pyi rb rs rst sass scss sh sql
    svg swift toml ts tsx txt vue xml yaml yml zig"""
)


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
