"""The part of a symbol that a statement speaks of, and whether an edit is in it.

Code is cut into units: what stands between commas, semicolons and braces. Each unit gets a score, the rarity of the
statement's words, values and texts that it has, and the kinds of thing that it does (it refuses, it compares). The
statement speaks of the units with the highest score. An edit is in another part where those stayed, their lead over
all that changed is clear, and nothing that they depend on changed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from math import log

from attrs import evolve, field, frozen

from memlsp.beliefs.claims.case import Case
from memlsp.beliefs.claims.quantities import code_numbers, quantities_in, scale_between
from memlsp.beliefs.claims.stems import forms, is_telling, prose_words, stem, stem_set, word_set
from memlsp.beliefs.claims.symbol_state import name_stems, names_in, one_separator, simple
from memlsp.beliefs.present.present_code import without_comments
from memlsp.beliefs.standing.relevance_model import said_stems, stems_of_word
from memlsp.code.syntax.names import words
from memlsp.code.vocabulary import named_lines, patterns
from memlsp.model.change import Detail, DetailKind

_RE = patterns(__name__)

_ENDS = frozenset(",;{}?")  # of a unit
_LEAVING = word_set("return raise throw panic break continue goto else elif elsif case when yield")
_JOINING = word_set("&& || and or")
_LINES = 400
_NONE = frozenset[str]()
_LEAST_PREFIX, _LEAST_SHORT = 4, 3  # letters of a word that a name begins with; of a name that is a word cut short
_NAME, _NUMBER, _TEXT, _KIND, _PREFIX = 1.6, 1.3, 1.6, 0.5, 0.7  # what each is worth; a rare word is worth 1
_OWN = 0.75  # of a word that the symbol's own name has
_SMALL = 2  # numbers up to this are in every piece of code, and count with a unit alone
_LEAST, _AS_GOOD = 0.3, 0.9  # of a score to speak of a unit at all; of the best one to be spoken of as well

_DOINGS = [(stem_set(said), re.compile(written)) for said, written in named_lines(__name__, "doings")]
"""What prose says of what code does, and how code writes it."""


def _doings_in(text: str) -> list[re.Pattern[str]]:
    stems = {stem(word) for word in re.findall(r"[a-z]+", text.lower())}
    return [written for said, written in _DOINGS if said & stems]


@frozen
class CodeUnit:
    """A piece of code between commas, semicolons and braces, and the line that it stands in."""

    line: int
    tokens: tuple[str, ...]
    about: frozenset[str]  # stems of the comment above it
    text: str = field(init=False)
    stems: frozenset[str] = field(init=False)

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "text", " ".join(self.tokens))
        object.__setattr__(self, "stems", self.about.union(*map(_stems, self.tokens)))


@frozen
class _UnitLines:
    """One state of a symbol: lines without comments, and units. `joined` is the first line of a line's expression."""

    lines: tuple[str, ...]
    joined: tuple[int, ...]
    units: tuple[CodeUnit, ...]


def _side(text: str, language: str, dependencies: Iterable[tuple[str, str]]) -> _UnitLines:
    lines = [line for line in without_comments(text, language).split("\n") if line.strip()][:_LINES]
    about = _comments(text, lines)
    for name, value in dependencies:
        lines += [f"{name} := {part}" for part in re.split(r"(?<=[,;{])\s*", value) if part.strip()]
    joined: list[int] = []
    pieces: list[tuple[int, list[str]]] = []  # the line and the tokens of each unit; of nothing, some are empty
    for at, line in enumerate(lines):
        continues = bool(joined and (_RE["continues"].match(line) or _RE["open"].search(lines[at - 1])))
        joined.append(joined[-1] if continues else at)
        if not continues:
            pieces.append((at, []))
        for token in _RE["token"].findall(line):
            if token in _ENDS:
                pieces.append((joined[-1], []))
            else:
                pieces[-1][1].append(token)
    units = (CodeUnit(at, tuple(tokens), about.get(at, _NONE)) for at, tokens in pieces if tokens)
    return _UnitLines(tuple(lines), tuple(joined), tuple(units))


def _comments(text: str, lines: Sequence[str]) -> dict[int, frozenset[str]]:
    """The stems of the comments above lines of code, by line."""
    found: dict[int, frozenset[str]] = {}
    above: list[str] = []
    at = 0
    for line in text.split("\n"):
        if _RE["comment"].match(line):
            above += re.findall(r"[^\W\d_]+", line)
        elif at < len(lines) and lines[at].strip() in line:
            found[at] = _NONE.union(*map(_stems, above))
            above, at = [], at + 1
    return found


def _stems(token: str) -> frozenset[str]:
    pieces = re.findall(r"[^\W\d_]+", token)[:12] if token[:1] in "'\"`" or token[1:2] in {"'", '"'} else [token]
    every = (word for piece in pieces for word in words(one_separator(piece)) if is_telling(word))
    return frozenset(form for word in every for form in stems_of_word(word))


@frozen
class _UnitEdit:
    """What differs: the units by index, and the tokens that came and went before an old unit."""

    before: _UnitLines
    after: _UnitLines
    old: frozenset[int]
    new: frozenset[int]
    hunks: tuple[tuple[int, tuple[str, ...], tuple[str, ...]], ...]  # the old unit, what went, what came


def _edit(before: _UnitLines, after: _UnitLines, dependencies: Sequence[Detail]) -> _UnitEdit:
    used = {simple(_plain(each.name)) for each in dependencies} - {""}
    own = len(before.lines)
    old = {
        at
        for at, unit in enumerate(before.units)
        if used.intersection(unit.tokens) and ":=" not in before.lines[min(unit.line, own - 1)]
    }
    new: set[int] = set()
    hunks: list[tuple[int, tuple[str, ...], tuple[str, ...]]] = []
    sides = [[unit.text for unit in side.units] for side in (before, after)]
    for tag, a, b, c, d in SequenceMatcher(None, *sides, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        old.update(range(a, b))
        new.update(range(c, d))
        left = [token for unit in before.units[a:b] for token in unit.tokens]
        right = [token for unit in after.units[c:d] for token in unit.tokens]
        gone: list[str] = []
        came: list[str] = []
        for inner, e, f, g, h in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
            if inner != "equal":
                gone += left[e:f]
                came += right[g:h]
        hunks.append((a, tuple(gone), tuple(came)))
    return _UnitEdit(before, after, frozenset(old), frozenset(new), tuple(hunks))


def _plain(name: str) -> str:
    return name.removesuffix(" raises").removesuffix("()")


class _SpokenWords:
    """What a statement says, weighed by how rare it is in the symbol."""

    def __init__(self, case: Case, units: Sequence[CodeUnit]) -> None:
        text = case.claims.text
        named = {one for mention in case.claims.mentions for one in name_stems(mention.text)}
        count = max(1, len(units))

        def rarity(times: float) -> float:
            return log(1 + count / (times or 0.5)) / log(1 + 2 * count)

        self._words = {
            one: (_NAME if one in named else 1.0) * rarity(sum(_has(unit.stems, one) > 0 for unit in units))
            for one in sorted(said_stems(case))
        }
        own = {one for name in case.subject for one in name_stems(name)} & {stem(word) for word in prose_words(text)}
        for one in sorted(own - set(self._words)):
            self._words[one] = _OWN * rarity(sum(_has(unit.stems, one) > 0 for unit in units))
        self._doings = [
            (written, _KIND / max(1, sum(bool(written.search(unit.text)) for unit in units)) ** 0.5)
            for written in _doings_in(text)
        ]
        self._numbers = [amount.quantity for amount in case.claims.amounts]
        self._numbers += quantities_in(" ".join(f"{each}00" for each in re.findall(r"\b([1-5])xx\b", text)))
        self._texts = [mention.text.lower() for mention in case.claims.quoted]
        self._texts += [word.lower() for word in _RE["capitals"].findall(text)]
        kinds, numbers, texts = len(self._doings), len(self._numbers), len(self._texts)
        self.all = (sum(self._words.values()) + _KIND * kinds + _NUMBER * numbers + _TEXT * texts) or 1.0

    def score(self, unit: CodeUnit) -> float:
        """How much of the statement a unit has."""
        text = unit.text.lower()
        every = code_numbers(unit.text) if self._numbers else ()
        numbers = [each for each in every if each.unit is not None or abs(each.number) > _SMALL]
        return (
            sum(weight * _has(unit.stems, one) for one, weight in self._words.items())
            + _NUMBER * sum(any(scale_between(said, number) for number in numbers) for said in self._numbers)
            + _TEXT * sum(each in text for each in self._texts)
            + sum(worth for written, worth in self._doings if written.search(unit.text))
        )


def _has(stems: frozenset[str], one: str) -> float:
    if forms(one) & stems:
        return 1.0
    if len(one) < _LEAST_PREFIX:
        return 0.0
    near = any(
        each.startswith(one)
        or (len(one) > _LEAST_PREFIX and one in each)  # words without a boundary: ECONNRESET, filesize
        or (len(each) >= _LEAST_SHORT and one.startswith(each))
        for each in stems
    )
    return _PREFIX if near else 0.0


CLEAR = 0.23
"""The lead from which on an edit is in another part, as a share of all that the statement says. It loses 3 % of the
sentences that people rewrote with the code (`python -m benchmarks.judgement.relevance_threshold`)."""
_LEAST_SHARE, _LARGEST_REST = 0.1, 1 / 3  # of all that is said, in the part spoken of; of that share, in what changed


def is_of_another_part(case: Case, before: str, after: str, language: str) -> bool:
    """True where a statement speaks of another part of the symbol than the one that changed. `before` and `after` are
    the symbol's text."""
    best, changed = shares(case, before, after, language)
    return best - changed > CLEAR or (best >= _LEAST_SHARE and changed <= best * _LARGEST_REST)


def shares(case: Case, before: str, after: str, language: str) -> tuple[float, float]:
    """What the best unit that stayed and the best one that changed have of all that the statement says; 0 and 1 where
    it speaks of no unit that stayed, or of one that depends on what changed."""
    uses = [detail for detail in case.details if detail.kind is DetailKind.DEPENDENCY]
    old = _side(before, language, [(_plain(each.name), each.old or "") for each in uses])
    new = _side(after, language, [(_plain(each.name), each.new or "") for each in uses])
    edit = _edit(old, new, uses)
    reader = _SpokenWords(case, old.units)
    scores = [reader.score(unit) for unit in old.units]
    head = _head(old.lines)
    stayed = [at for at, unit in enumerate(old.units) if at not in edit.old and unit.line >= head]
    best = max((scores[at] for at in stayed), default=0.0)
    if best < _LEAST:
        return 0.0, 1.0
    if _depends(edit, {old.units[at].line for at in stayed if scores[at] >= _AS_GOOD * best}):
        return 0.0, 1.0
    changed = [_explained(side, at) for side, places in ((old, edit.old), (new, edit.new)) for at in places]
    return best / reader.all, max(map(reader.score, changed), default=0.0) / reader.all


def _explained(side: _UnitLines, at: int) -> CodeUnit:
    """A unit with the words of what its variables were given."""
    unit = side.units[at]
    names = set(names_in(" ".join(unit.tokens)))
    given = (
        token
        for line in side.lines[1 : unit.line]
        if (found := _RE["assigned"].match(line)) is not None and names.intersection(names_in(found[1])[-1:])
        for token in names_in(line[found.end() :])
    )
    return evolve(unit, about=unit.about.union(*map(_stems, given)))


def _depends(edit: _UnitEdit, spoken_of: Iterable[int]) -> bool:
    """True where what one of these lines does hangs on what changed: an argument that its own call got, a branch around
    it, its own block, a new way out before it, or a variable that it reads."""
    side = edit.before
    changed = {_opening(side, side.units[at].line) for at in edit.old}
    holding = {holder for line in changed for holder in _around(side, line)}
    leaving = [
        side.units[at].line
        for at, gone, came in edit.hunks
        if at < len(side.units) and sum(each in _LEAVING for each in came) > sum(each in _LEAVING for each in gone)
    ]
    assigned = _assigned(edit, changed)
    altered = _joined(edit) | _nested(edit) | _tests(edit)
    for line in spoken_of:
        if line in altered:
            return True
        around = _around(side, line)
        if changed & around or line in holding or any(each <= line for each in leaving):
            return True
        read = {name for each in (line, *around) for name in names_in(side.lines[each])}
        if any(each < line and name in read for each, name in assigned):
            return True
    return False


def _head(lines: Sequence[str]) -> int:
    """The first line behind a symbol's parameters."""
    depth = 0
    for at, line in enumerate(lines):
        depth += sum(line.count(sign) for sign in "([") - sum(line.count(sign) for sign in ")]")
        if depth <= 0:
            return at + 1
    return 1


def _nested(edit: _UnitEdit) -> set[int]:
    """The old lines that stand inside of something else now."""
    old, new = edit.before, edit.after
    pairs = zip(
        (at for at in range(len(old.units)) if at not in edit.old),
        (at for at in range(len(new.units)) if at not in edit.new),
        strict=False,
    )
    return {
        old.units[one].line
        for one, other in pairs
        if old.units[one].text == new.units[other].text
        and len(_around(old, old.units[one].line)) != len(_around(new, new.units[other].line))
    }


def _tests(edit: _UnitEdit) -> set[int]:
    """The old lines whose test has one part more or less."""
    hunks = (
        at for at, gone, came in edit.hunks if _JOINING.intersection((*gone, *came)) and at < len(edit.before.units)
    )
    return {edit.before.units[at].line for at in hunks}


def _joined(edit: _UnitEdit) -> set[int]:
    """The old lines that have more parts now, one that stayed among them: their call got an argument."""
    before, after = edit.before.units, edit.after.units
    had, has = (Counter(unit.line for unit in units) for units in (before, after))
    longer = {after[at].line for at in edit.new}
    kept = {unit.text: unit.line for at, unit in enumerate(after) if at not in edit.new and unit.line in longer}
    stayed = [unit for at, unit in enumerate(before) if at not in edit.old and unit.text in kept]
    return {unit.line for unit in stayed if has[kept[unit.text]] > had[unit.line]}


def _assigned(edit: _UnitEdit, changed: Iterable[int]) -> list[tuple[int, str]]:
    """The variables that changed lines assign, each with the line from which on that counts."""
    written = [(line, edit.before.lines[line]) for line in changed]
    written += [(0, edit.after.lines[edit.after.units[at].line]) for at in edit.new]
    return [
        (line, name)
        for line, text in written
        if (found := _RE["assigned"].match(text)) is not None
        for name in names_in(found[1])[-1:]
    ]


def _around(side: _UnitLines, line: int) -> set[int]:
    """The lines that a line stands inside of, by indentation, without the symbol's first."""
    found: set[int] = set()
    depth = _depth(side.lines[line])
    for each in range(line - 1, 0, -1):
        if _depth(side.lines[each]) < depth and re.search(r"\w", side.lines[each]):
            depth = _depth(side.lines[each])
            found.add(_opening(side, side.joined[each]))
    return found


def _opening(side: _UnitLines, line: int) -> int:
    """The line that opens what a line goes on with: `try` for its `except`, `if` for its `else`."""
    if not _RE["goes_on"].match(side.lines[line]):
        return line
    depth = _depth(side.lines[line])
    opening = (at for at in range(line - 1, 0, -1) if _depth(side.lines[at]) == depth)
    return next((at for at in opening if not _RE["goes_on"].match(side.lines[at])), line)


def _depth(line: str) -> int:
    spread = line.expandtabs(4)
    return len(spread) - len(spread.lstrip())
