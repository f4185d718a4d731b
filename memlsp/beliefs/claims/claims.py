"""Reads a statement for claims that code can bear out or break: names, numbers, quoted texts, constants, denials.

Reading is lexical and shallow on purpose: a claim only counts when the code bore it out at the time of verification, so
a misread word finds nothing there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from functools import lru_cache
from itertools import islice, pairwise

from attrs import frozen

from memlsp.beliefs.claims import prose
from memlsp.beliefs.claims.quantities import Quantity, quantities_in
from memlsp.beliefs.claims.stems import prose_words, stem, stems_of_name, word_set
from memlsp.code.vocabulary import named_lines, patterns, texts
from memlsp.model.belief import ReferenceKind


class Action(StrEnum):
    """What the statement says is done with a named thing."""

    ANY = "any"
    RAISE = "raise"
    CATCH = "catch"
    CALL = "call"
    RETURN = "return"
    EXTEND = "extend"
    ACCEPT = "accept"
    DEFAULT = "default"


@frozen
class Mention:
    """Something written as code: an identifier, a dotted name, a call. Offsets are those in the statement."""

    text: str
    start: int
    end: int
    denied: bool = False
    action: Action = Action.ANY
    value: str | None = None  # of `name=value`

    @property
    def parts(self) -> tuple[str, ...]:
        """The dotted parts, whatever the language's separator."""
        return tuple(part for part in re.split(r"\.|::|#|->", self.text) if part)


@frozen
class Amount:
    """A number that the statement claims, with the stems of the words around it."""

    quantity: Quantity
    near: frozenset[str]
    denied: bool = False
    comparison: str = ""  # "at least", "at most", "more than", "less than"


@frozen
class Constant:
    """A claimed value that is neither number nor text: `none`, `true`, `false`, `empty`."""

    word: str
    near: frozenset[str]
    action: Action = Action.ANY
    denied: bool = False


@frozen
class Denial:
    """A stretch of the statement that rules something out. `predicate` is the stem of the first telling word after the
    negation, `stems` those of all; `subject` those before it where it is passive ("tokens are never logged")."""

    text: str
    start: int
    end: int
    predicate: str
    stems: frozenset[str]
    subject: frozenset[str] = frozenset()


@frozen
class Claims:
    """All claims of one statement."""

    text: str
    mentions: tuple[Mention, ...]
    quoted: tuple[Mention, ...]
    amounts: tuple[Amount, ...]
    constants: tuple[Constant, ...]
    denials: tuple[Denial, ...]
    stems: frozenset[str]  # of the prose that affirms
    demands: frozenset[str]  # "required", "optional"

    def denied_at(self, offset: int) -> bool:
        """True when a denial covers this offset."""
        return any(denial.start <= offset < denial.end for denial in self.denials)

    def phrase(self, content: str) -> int | None:
        """The offset at which the statement has `content` as a whole word or phrase, whatever its case."""
        lowered = content.lower()
        if not lowered.strip() or len(lowered) < 2:
            return None
        found = re.search(rf"(?<![\w-]){re.escape(lowered)}(?![\w-])", self.text.lower())
        return found.start() if found else None


_RE = patterns(__name__)
_MOST = 100  # claims of a kind: comparing them takes the square of their number, and nobody states as many
_KEEPING = word_set(texts(__name__)["keeping"])
COMPARISON = _RE["comparison"]

_ACTION_OF = {stem: Action(action) for action, stems in named_lines(__name__, "actions") for stem in stems.split()}


@lru_cache(maxsize=8192)
def claims_of(text: str) -> Claims:
    """Read a statement. Pure, and cached by the text."""
    return _ClaimReader(text).claims()


class _ClaimReader:
    """Reads one statement; `masked` is its text with signs in the place of what is written as code."""

    def __init__(self, text: str) -> None:
        self.text = text
        found, self.masked = prose.codelike(text)
        self.clauses = prose.clause_spans(self.masked)
        self.names = [each for each in found if not each.quoted][:_MOST]
        self.quoted = [each for each in found if each.quoted][:_MOST]
        denials = (_denial(self.masked, *clause) for clause in self.clauses)
        self.denials = tuple(each for each in denials if each is not None)

    def claims(self) -> Claims:
        """All claims of it."""
        affirmed = _without(self.masked, self.denials)
        return Claims(
            text=self.text,
            mentions=tuple(
                Mention(m.text, m.start, m.end, self._denied(m.start), self._action(m.start, m.end), m.value)
                for m in self.names
            ),
            quoted=tuple(Mention(m.text, m.start, m.end, self._denied(m.start)) for m in self.quoted),
            amounts=tuple(islice(self._amounts(), _MOST)),
            constants=tuple(islice(self._constants(), _MOST)),
            denials=self.denials,
            stems=frozenset(stem(word) for word in prose_words(affirmed)),
            demands=frozenset(found.lower() for found in _RE["demand"].findall(affirmed)),
        )

    def _denied(self, at: int) -> bool:
        return any(denial.start <= at < denial.end for denial in self.denials)

    def _clause(self, at: int) -> tuple[int, int]:
        """The clause at an offset, or else the whole text."""
        return next(((a, b) for a, b in self.clauses if a <= at < b), (0, len(self.masked)))

    def _action(self, start: int, end: int) -> Action:
        """The nearest verb that tells: before the name in its sentence, else after it in its clause."""
        before = self.masked[max(self.masked.rfind(". ", 0, start), 0) : start]
        behind = self.masked[end : self._clause(start)[1]]
        listed = (*reversed(re.findall(r"[^\W\d_]+", before)), *re.findall(r"[^\W\d_]+", behind))
        return next((_ACTION_OF[stem(word)] for word in listed if stem(word) in _ACTION_OF), Action.ANY)

    def _near(self, at: int) -> frozenset[str]:
        """The stems of the words around an offset."""
        start, end = self._clause(at)
        said = [stem(word) for word in re.findall(r"[^\W\d_]{2,}", self.masked[start:end])]
        near = {*said, *("".join(pair) for pair in pairwise(said))}  # "times out" names a timeout
        return frozenset(near.union(*(stems_of_name(name.text) for name in self.names if start <= name.start < end)))

    def _amounts(self) -> Iterator[Amount]:
        for q in quantities_in(self.masked):
            yield Amount(q, self._near(q.start), self._denied(q.start), self._comparison(q.start, q.end))
        for name in self.names:
            for q in quantities_in(name.value or ""):
                yield Amount(q, frozenset(stems_of_name(name.text)), self._denied(name.start))
        # A number alone in backticks or quotes is still a number.
        for tick in prose.BACKTICKED.finditer(self.text):
            whole = quantities_in(tick[1])
            if len(whole) == 1 and whole[0].text == tick[1].strip():
                yield Amount(whole[0], self._near(tick.start()), self._denied(tick.start()))

    def _comparison(self, start: int, end: int) -> str:
        masked = self.masked
        window = masked[max(0, start - 24) : start]
        found = list(COMPARISON.finditer(window))
        if found and len(window) - found[-1].end() <= 6:
            word = found[-1].lastgroup or ""
            clause = self._clause(start)[0]
            if _RE["negator"].search(masked, clause, max(clause, start - len(window) + found[-1].start())):
                return {"more": "most", "less": "least"}.get(word, word)
            return word
        behind = COMPARISON.match(masked[end : end + 12].lstrip())
        return behind.lastgroup or "" if behind else ""

    def _constants(self) -> Iterator[Constant]:
        switches = [found.span() for found in _RE["on_as_switch"].finditer(self.masked)]
        for found in _RE["constants"].finditer(self.masked):
            start, end = found.span()
            if found[0].lower() not in {"on", "off"} or any(a <= start < b for a, b in switches):
                yield self._constant(found.lastgroup or "", start, end, self._near(start))
        for name in self.names:
            word = _constant_word(name.text if name.value is None else name.value)
            if word:
                near = self._near(name.start) if name.value is None else frozenset(stems_of_name(name.text))
                yield self._constant(word, name.start, name.end, near)

    def _constant(self, word: str, start: int, end: int, near: frozenset[str]) -> Constant:
        return Constant(word, near, self._action(start, end), self._denied(start))


def _denial(masked: str, start: int, end: int) -> Denial | None:
    for negator in _RE["negator"].finditer(masked, start, end):
        behind = masked[negator.end() : end]
        if _RE["no_negation"].match(behind) or masked[negator.start() :].lower().startswith("no longer than"):
            continue
        telling = prose_words(behind)
        predicate = stem(telling[0]) if telling else ""
        if predicate in _KEEPING or _limits(masked, negator.start(), end):
            return None
        before = masked[start : negator.start()]
        passive = bool(_RE["passive_after"].match(behind) and _RE["be_before"].search(before))
        # "raises X for a path that is not allowed" denies nothing of X
        clause = re.split(r"\b(?:that|which|who)\b", before)[-1]
        if passive and clause != before and _RE["negator"].search(masked, negator.end(), end):
            continue
        begin = start if passive and "\x01" in clause else negator.start()
        subject = frozenset(stem(word) for word in prose_words(before)) if passive else frozenset[str]()
        return Denial(behind.strip(), begin, end, predicate, frozenset(stem(word) for word in telling), subject)
    return None


def _limits(masked: str, start: int, end: int) -> bool:
    """True for "never more than 3", which is a limit and no denial."""
    stretch = masked[start:end]
    return bool(COMPARISON.search(stretch) and quantities_in(stretch))


def _without(masked: str, denials: tuple[Denial, ...]) -> str:
    kept = list(masked)
    for denial in denials:
        kept[denial.start : denial.end] = " " * (denial.end - denial.start)
    return "".join(kept)


def _constant_word(value: str) -> str:
    lowered = value.lower()
    if lowered in {"none", "null", "nil", "undefined"}:
        return "none"
    return lowered if lowered in {"true", "false"} else ""


@frozen
class NamedThing:
    """Something that the statement names and that may exist in the workspace."""

    kind: ReferenceKind
    text: str


@lru_cache(maxsize=4096)
def references_in(text: str) -> tuple[NamedThing, ...]:
    """The commands, paths and identifiers that a statement names, each once; literals are left to the anchors. The
    caller checks whether they exist: most words that look like a path or a command are neither."""
    found: dict[tuple[ReferenceKind, str], NamedThing] = {}

    def add(kind: ReferenceKind, what: str) -> None:
        found.setdefault((kind, what), NamedThing(kind, what))

    plain = prose.URL.sub(" ", text)
    for command in prose.COMMAND.finditer(plain.replace("`", " ")):
        add(ReferenceKind.COMMAND, " ".join(command[0].split()))
    ruled_out = claims_of(text)
    for path in prose.PATH.finditer(plain):
        if not ruled_out.denied_at(text.find(path[0])):
            add(ReferenceKind.PATH, path[0])
    for tick in prose.BACKTICKED.finditer(plain):
        inner = re.sub(r"\(.*\)$", "", tick[1].strip()).lstrip("@")
        name = prose.SETTING.match(inner)
        inner = name["name"] if name else inner
        # What a statement rules out need not exist.
        if prose.IDENTIFIER.match(inner) and not _constant_word(inner) and not ruled_out.denied_at(text.find(tick[0])):
            add(ReferenceKind.IDENTIFIER, inner)
    return tuple(found.values())
