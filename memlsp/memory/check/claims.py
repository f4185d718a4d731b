"""Holds what a line says of numbers, orders, values and behaviour against an older and a newer state of the code."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime

from pygit2 import Oid

from memlsp.beliefs.claims.arithmetic import same_value
from memlsp.beliefs.lifecycle.anchors import anchor_to
from memlsp.beliefs.mining.passages import plain as without_marks
from memlsp.beliefs.mining.stated_names import NameForm, StatedLine, counts_in, subject_of, values_in
from memlsp.beliefs.standing.standing import tie_of
from memlsp.code.vocabulary import patterns
from memlsp.memory.check.code_state import CodeState, StatePair, is_configuration, words_in
from memlsp.model.belief import Author, Authority, AuthorKind, Belief, BeliefKind, Scope, ScopeKind
from memlsp.model.check import SHOWN, CheckRule, StatementFinding
from memlsp.model.errors import MemlspError
from memlsp.model.one_line import plain
from memlsp.model.standing import Standing
from memlsp.model.symbol import CODE_KINDS, VALUE_KINDS

_IMPLIED = {".nvmrc": "node", ".node-version": "node", ".python-version": "python", "go.mod": "golang"}
_RE = patterns(__name__)
_LEAST_ORDERED = 3
_MOST_FILES = 12  # that have a name, for it to be looked up
_MOST_SYMBOLS = 2
_MOST_NAMES = 4  # of a line that tells an order
_CHECKER = Author("memlsp check", AuthorKind.AGENT)
_ASIDE = frozenset({"__init__", "index", "mod", "README"})  # files that are not counted


def difference_in(line: StatedLine, document: str, pair: StatePair) -> StatementFinding | None:
    """The first thing that a line says, that held in the older state and does not in the newer."""
    claims = _LineClaims(line, document, pair)
    return claims.count() or claims.order() or claims.value() or claims.behaviour()


class _LineClaims:
    """The claims of one line between two states."""

    def __init__(self, line: StatedLine, document: str, pair: StatePair) -> None:
        self._line = line
        self._document = document
        self._folder = document.rpartition("/")[0]
        self._pair = pair
        paths = (each.text for each in line.names if each.form is NameForm.PATH)
        self._paths = {found for path in paths if (found := pair.new.find_path(path, self._folder)) is not None}
        words = (each for each in line.names if each.form in {NameForm.WORD, NameForm.PLAIN})
        self._names = [each.text.strip("-@()") for each in words]

    def count(self) -> StatementFinding | None:
        """A folder had as many entries as the line says."""
        old, new = self._pair.old, self._pair.new
        named = [each.text for each in self._line.names if each.form is NameForm.PATH]
        for said, noun, start, end in counts_in(self._line.text):
            for name in (*named, noun):
                path = old.find_path(name, self._folder)
                if path is None or new.find_path(name, self._folder) != path:
                    continue
                before, after = _entries(old, path), _entries(new, path)
                for sort, number in before.items():
                    if number == said and after.get(sort, 0) not in {said, 0}:
                        message = f"{path} has {after[sort]} {sort} now, not {said}"
                        return self._false(CheckRule.COUNT_CHANGED, (start, end), message, str(after[sort]), path)
        return None

    def order(self) -> StatementFinding | None:
        """A list had its names in the order that the line gives, or one of them first or last."""
        told = _RE["sequence"].search(self._line.text)
        if told is not None and (found := self._reordered(told)) is not None:
            return found
        place = re.search(r"(?i)\b(?:first|last)\b", self._line.text)
        if place is None or not 2 <= len(self._names) <= _MOST_NAMES:
            return None
        index = 0 if place[0].lower() == "first" else -1
        for path, old, new in self._pair.edited:
            for holder in self._names:
                before = _items("\n".join(self._pair.old.lines(old)), holder)
                after = _items("\n".join(self._pair.new.lines(new)), holder) if before else []
                if after and before[index] in self._names and after[index] != before[index]:
                    message = f"{holder} in {path} has {after[index]} {place[0].lower()} now, not {before[index]}"
                    return self._false(CheckRule.VALUE_CHANGED, place.span(), message, "", path)
        return None

    def _reordered(self, told: re.Match[str]) -> StatementFinding | None:
        names = [each.rstrip(".") for each in _RE["name"].findall(told["order"] or told["chain"])]
        names = [name for name in names if name not in {"then", "and"}]
        for path, old, new in self._pair.edited if len(names) >= _LEAST_ORDERED else ():
            if names in _in_order("\n".join(self._pair.old.lines(old)), names):
                after = _in_order("\n".join(self._pair.new.lines(new)), names)
                if after and names not in after:
                    message = f"{path} has {', '.join(after[0])} now"
                    return self._false(CheckRule.VALUE_CHANGED, told.span(), message, "", path)
        return None

    def value(self) -> StatementFinding | None:
        """A value of the line stood beside a name, or in a setting that the line speaks of."""
        values = list(values_in(self._line.text))
        names = [each for each in self._names if len(each) > 3]
        homes = {
            path for path in self._paths if any(each.encode() in (self._pair.old.data(path) or b"") for each in names)
        }
        for path, old, new in self._pair.edited if values else ():
            if homes and path not in homes:
                continue
            is_near = path in self._paths or is_configuration(path)
            keys = [each for each in names if self._pair.words_at(old).issuperset(words_in(each) or [b""])]
            if is_near or keys or _RE["port"].search(self._line.text):
                subject = subject_of(self._line.text) if is_near else frozenset[str]()
                found = self._replaced(values, keys, subject, path, old, new)
                if found is not None:
                    return found
        return None

    def _replaced(
        self,
        values: Sequence[tuple[str, int, int]],
        keys: Sequence[str],
        subject: frozenset[str],
        path: str,
        old: Oid,
        new: Oid,
    ) -> StatementFinding | None:
        """A line of one file had a value, and beside it a key or a word of the subject, and has another value now."""
        for before, after, number in self._pair.replaced_lines(path, old, new):
            for value, start, end in values:
                hole = re.compile(rf"(?<![\w.-]){re.escape(value)}(?![\w-]|\.\d)")
                parts = hole.split(before, maxsplit=1)
                if len(parts) != 2 or hole.search(after) or same_value(before, after):
                    continue
                other = _other_value(parts, after)
                key = next((name for name in keys if name != value and name in before and name in after), "")
                about = self._subject_beside(value, before, subject, path) if not key else frozenset[str]()
                if not (key or about) or not (other or re.search(r"\d", after)):
                    continue
                if any(hole.search(text) and key in text for text in self._pair.new.lines(new)):
                    continue
                if about and self._pair.new.has_setting(hole, about):
                    continue
                message = f"{path} says “{plain(after.strip(), 80)}” now, not {value}"
                return self._false(CheckRule.VALUE_CHANGED, (start, end), message, other, path, number)
        return None

    def _subject_beside(self, value: str, before: str, subject: frozenset[str], path: str) -> frozenset[str]:
        """The words of the subject that a line of code speaks of beside a value."""
        if _is_telling(value, before):
            implied = _IMPLIED.get(path.rpartition("/")[2], "")
            about = subject & {*subject_of(" ".join(re.findall(r"[A-Z]?[a-z]+|[A-Z]+", before))), implied}
            if about:
                return about
        is_port = re.fullmatch(r"\d{4,5}", value) and _RE["port_code"].search(before)
        return frozenset({"port"}) if is_port and _RE["port"].search(self._line.text) else frozenset()

    def behaviour(self) -> StatementFinding | None:
        """The code of a symbol contradicts the line now, and did not."""
        for name in self._line.names:
            simple = re.split(r"\.|::|->", name.text.rstrip("()"))[-1]
            words = words_in(simple)
            if name.form is not NameForm.WORD or len(simple) < 4 or not words:
                continue
            paths = [path for path, old, _ in self._pair.edited if self._pair.words_at(old).issuperset(words)]
            for path in paths if len(paths) <= _MOST_FILES else ():
                found = self._contradicted(path, simple) if path in (self._paths or {path}) else None
                if found is not None and (path in self._paths or _RE["telling"].search(found[0])):
                    span = name.start, name.end
                    return self._false(CheckRule.BEHAVIOUR_CHANGED, span, found[0], "", *found[1:])
        return None

    def _false(
        self, rule: CheckRule, span: tuple[int, int], message: str, now: str, path: str, number: int | None = None
    ) -> StatementFinding:
        """What is false at some characters of the line; what is so `now`, and where the code says it."""
        place, shown = (self._document, self._line.number, *span), plain(self._line.text, SHOWN)
        return StatementFinding(rule, *place, shown, message, now, path, number, held_at=self._pair.old.commit)

    def _contradicted(self, path: str, simple: str) -> tuple[str, str, int | None] | None:
        """What contradicts the line at a symbol of a file: what is so now, the path and the line."""
        old, new = self._pair.old, self._pair.new
        defined = re.compile(_RE.text("defined").replace("NAME", re.escape(simple)).encode())
        if not all(defined.search(state.data(path) or b"") for state in (old, new)):
            return None  # before it is parsed, which takes long
        before, after = old.files.outline(path), new.files.outline(path)
        symbols = [
            each
            for each in (before.symbols if before is not None and after is not None else ())
            if each.simple_name == simple and each.kind in CODE_KINDS | VALUE_KINDS
        ]
        now = datetime.now(UTC)
        for symbol in symbols if len(symbols) <= _MOST_SYMBOLS else ():
            assert before is not None
            assert after is not None
            if after.find(symbol.name, symbol.ordinal) is None:
                continue
            with suppress(MemlspError, OSError, RecursionError):
                anchor = anchor_to(old.files, before, symbol, now=now, alone=True)
                text = re.sub(r"^\s*(?:[-*+]|\d+\.)\s+", "", self._line.text).replace("|", " ")
                tie = tie_of(statement_belief(without_marks(text)), anchor, new.files)
                if tie.standing is Standing.CONTRADICTED and tie.reasons:
                    return tie.reasons[0].message, tie.reasons[0].path or path, tie.line
        return None


def _entries(state: CodeState, folder: str) -> dict[str, int]:
    """The numbers of files and folders in a folder, and of the files with each suffix."""
    found: dict[str, set[str]] = {}
    for path in state.files.paths():
        if path.startswith(f"{folder}/"):
            name, _, below = path.removeprefix(f"{folder}/").partition("/")
            suffix = name.rpartition(".")[2] if "." in name[1:] else ""
            sort = "folders" if below else f".{suffix} files" if suffix else "files"
            if below or (name.partition(".")[0] not in _ASIDE and not name.startswith("_")):
                found.setdefault(sort, set()).add(name)
    return {sort: len(names) for sort, names in found.items()}


def _items(text: str, holder: str) -> list[str]:
    """The names in the list that `holder` is given in a file."""
    given = rf"\b{re.escape(holder)}\b[\"']?\s*(?::=|[:=])[^\[({{\n]*[\[({{](?P<items>[^\])}}]{{1,4000}})"
    found = re.search(given, text)
    items = (_RE["name"].search(part) for part in found["items"].split(",")) if found else ()
    return [each[0].rpartition(".")[2] for each in items if each]


def _in_order(text: str, names: Sequence[str]) -> list[list[str]]:
    """The names in the order of each list of a file that has all of them."""
    lists = ((name.rpartition(".")[2] for name in _RE["name"].findall(each)) for each in _RE["list"].findall(text))
    kept = ([name for name in each if name in names] for each in lists)
    return [each for each in kept if sorted(each) == sorted(names)]


def _is_telling(value: str, line: str) -> bool:
    """True for a number that stands for something without a name beside it: of two figures or more, in a setting."""
    is_setting = len(line.split()) < 8 and not line.lstrip().startswith(("#", "//"))
    return value[:1].isdigit() and len(value) > 1 and is_setting


def _other_value(parts: Sequence[str], after: str) -> str:
    """What stands in place of the value in a line that is else the same; "" where more is different."""
    before, behind = (" ".join(part.split()) for part in parts)
    text = " ".join(after.split())
    if not (text.startswith(before) and text.endswith(behind) and len(text) >= len(before) + len(behind)):
        return ""
    other = text[len(before) : len(text) - len(behind)].strip()
    return other if len(other) < 60 and re.search(r"\w", other) else ""


def statement_belief(text: str, kind: BeliefKind = BeliefKind.FACT) -> Belief:
    """A belief of no memory, to be judged as any other."""
    now = datetime.now(UTC)
    return Belief("", text, kind, Scope(ScopeKind.FILE), Authority.MINED, 0.5, _CHECKER, "check", now, now)
