"""Reads a statement for claims that code can bear out or break: names, numbers, quoted texts, constants, denials.

Reading is lexical and shallow on purpose: a claim only counts when the code bore it out at the time of verification, so
a misread word finds nothing there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise

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
_KEEPING = word_set(texts(__name__)["keeping"])
COMPARISON = _RE["comparison"]

_ACTION_OF = {stem: Action(action) for action, stems in named_lines(__name__, "actions") for stem in stems.split()}


@lru_cache(maxsize=8192)
def claims_of(text: str) -> Claims:
    """Read a statement. Pure, and cached by the text."""
    found, masked = prose.codelike(text)
    clauses = prose.clause_spans(masked)
    denials = tuple(denial for clause in clauses if (denial := _denial(masked, *clause)) is not None)
    names = [m for m in found if not m.quoted]

    def denied(start: int) -> bool:
        return any(d.start <= start < d.end for d in denials)

    mentions = tuple(
        Mention(m.text, m.start, m.end, denied(m.start), _action(masked, m.start, m.end, clauses), m.value)
        for m in names
    )
    affirmed = _without(masked, denials)
    return Claims(
        text=text,
        mentions=mentions,
        quoted=tuple(Mention(m.text, m.start, m.end, denied(m.start)) for m in found if m.quoted),
        amounts=_amounts(text, masked, clauses, names, denied),
        constants=tuple(_constants(masked, clauses, names, denied)),
        denials=denials,
        stems=frozenset(stem(word) for word in prose_words(affirmed)),
        demands=frozenset(found.lower() for found in _RE["demand"].findall(affirmed)),
    )


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


def _action(masked: str, start: int, end: int, clauses: list[tuple[int, int]]) -> Action:
    """The nearest verb that tells: before the name in its sentence, else after it in its clause."""
    before = masked[max(masked.rfind(". ", 0, start), 0) : start]
    behind = masked[end : next((b for a, b in clauses if a <= start < b), len(masked))]
    listed = (*reversed(re.findall(r"[^\W\d_]+", before)), *re.findall(r"[^\W\d_]+", behind))
    return next((_ACTION_OF[stem(word)] for word in listed if stem(word) in _ACTION_OF), Action.ANY)


def _near(masked: str, clauses: list[tuple[int, int]], names: list[prose.CodeSpan], offset: int) -> frozenset[str]:
    start, end = next(((a, b) for a, b in clauses if a <= offset < b), (0, len(masked)))
    said = [stem(word) for word in re.findall(r"[^\W\d_]{2,}", masked[start:end])]
    near = {*said, *("".join(pair) for pair in pairwise(said))}  # "times out" names a timeout
    for name in names:
        if start <= name.start < end:
            near.update(stems_of_name(name.text))
    return frozenset(near)


def _amounts(
    text: str, masked: str, clauses: list[tuple[int, int]], names: list[prose.CodeSpan], denied: Callable[[int], bool]
) -> tuple[Amount, ...]:
    amounts = [
        Amount(q, _near(masked, clauses, names, q.start), denied(q.start), _comparison(masked, clauses, q.start, q.end))
        for q in quantities_in(masked)
    ]
    for name in names:
        if name.value is not None:
            amounts.extend(
                Amount(q, frozenset(stems_of_name(name.text)), denied(name.start)) for q in quantities_in(name.value)
            )
    # A number alone in backticks or quotes is still a number.
    for tick in prose.BACKTICKED.finditer(text):
        whole = quantities_in(tick[1])
        if len(whole) == 1 and whole[0].text == tick[1].strip():
            amounts.append(Amount(whole[0], _near(masked, clauses, names, tick.start()), denied(tick.start())))
    return tuple(amounts)


def _comparison(masked: str, clauses: list[tuple[int, int]], start: int, end: int) -> str:
    window = masked[max(0, start - 24) : start]
    found = list(COMPARISON.finditer(window))
    if found and len(window) - found[-1].end() <= 6:
        word = found[-1].lastgroup or ""
        clause = next((a for a, b in clauses if a <= start < b), 0)
        if _RE["negator"].search(masked, clause, max(clause, start - len(window) + found[-1].start())):
            return {"more": "most", "less": "least"}.get(word, word)
        return word
    behind = COMPARISON.match(masked[end : end + 12].lstrip())
    return behind.lastgroup or "" if behind else ""


def _constants(
    masked: str, clauses: list[tuple[int, int]], names: list[prose.CodeSpan], denied: Callable[[int], bool]
) -> Iterator[Constant]:
    switches = [found.span() for found in _RE["on_as_switch"].finditer(masked)]
    for found in _RE["constants"].finditer(masked):
        if found[0].lower() in {"on", "off"} and not any(a <= found.start() < b for a, b in switches):
            continue
        near = _near(masked, clauses, names, found.start())
        action = _action(masked, found.start(), found.end(), clauses)
        yield Constant(found.lastgroup or "", near, action, denied(found.start()))
    for name in names:
        word = _constant_word(name.value if name.value is not None else name.text)
        if word:
            near = (
                frozenset(stems_of_name(name.text))
                if name.value is not None
                else _near(masked, clauses, names, name.start)
            )
            action = _action(masked, name.start, name.end, clauses)
            yield Constant(word, near, action, denied(name.start))


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
