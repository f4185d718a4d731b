"""Explains a change by its texts: adds to the facts what was done to single statements."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from functools import cached_property

from attrs import evolve

from memlsp.code.diff.alignment import align, alignment_tree
from memlsp.code.diff.statement_edits import StatementEdit, edits_between
from memlsp.code.languages.detection import describe
from memlsp.code.syntax.decoding import Decoded
from memlsp.code.syntax.definitions import DATA, Definition, definitions_of, holds, whole
from memlsp.code.syntax.parser import parse
from memlsp.code.syntax.scopes import resolve
from memlsp.code.syntax.tree import Tree, imports_of
from memlsp.model.change import Detail, DetailKind, SymbolChange, SymbolRef, detail_kinds

_MOST = 12  # statements reported for one symbol
_SHORT = 40
_CUT = "\N{HORIZONTAL ELLIPSIS}"
# Facts so exact that the statement around them need not be named as well.
_TELLING = detail_kinds("condition return loop default value type return_type") | frozenset(
    kind for kind in DetailKind if kind.startswith(("call_", "raise_", "catch_", "modifier_", "decorator_", "base_"))
)


class SourceText:
    """The text of a file, parsed once when it is first needed."""

    def __init__(self, path: str, source: bytes) -> None:
        self.path = path
        self.source = source

    @cached_property
    def tree(self) -> Tree | None:
        """The syntax tree; None for an unknown language and for a text that is too large or unsafe to parse."""
        language = describe(self.path, self.source[:256])
        if language is None or len(self.source) > language.largest:
            return None
        utf8 = Decoded.read(self.source).utf8
        return None if language.unsafe(utf8) else parse(language, utf8)

    @cached_property
    def local(self) -> Mapping[int, int]:
        """The nodes of local names, with the number of their variable."""
        return resolve(self.tree).local if self.tree is not None else {}

    @cached_property
    def definitions(self) -> Sequence[Definition]:
        """Its definitions."""
        return definitions_of(self.tree) if self.tree is not None else ()

    def find(self, ref: SymbolRef) -> Definition | None:
        """The definition of a symbol."""
        if not ref.name and self.tree is not None:
            return whole(self.tree, self.definitions)
        for definition in self.definitions:
            if (definition.name, definition.ordinal) == (ref.name, ref.ordinal):
                return definition
        return None


def explain_change(change: SymbolChange, old: SourceText, new: SourceText) -> SymbolChange:
    """The change with details for the statements that its facts do not tell of, and without the empty ones. The same
    value when nothing can be added: the symbol is a whole file, a text does not parse, it is too long."""
    if not change.alters_meaning or change.old is None or change.new is None:
        return change
    before, after = change.old, change.new
    if not after.name:
        change = _without_imports(change, old, new)
    found = statement_edits(before, after, old, new)
    told = tuple(detail for detail in change.details if detail.kind is not DetailKind.BODY)
    if not found:
        only_imports = not after.name and old.tree is not None and new.tree is not None  # reported for the file
        return evolve(change, details=told) if only_imports else change
    facts = [detail for detail in told if not _is_guessed(detail, found)]
    added = [detail for edit in found if (detail := _detail(edit, facts)) is not None]
    if len(facts) == len(change.details) and not added:
        return change
    if not added and not facts:
        added = [made for edit in found if (made := _plain_detail(edit)) is not None]
    return evolve(change, details=tuple(dict.fromkeys([*facts, *added[:_MOST]])))


def _without_imports(change: SymbolChange, old: SourceText, new: SourceText) -> SymbolChange:
    """The change of a file without module names, which are literals in some languages."""
    named = {f"'{found.module}'" for text in (old, new) if text.tree is not None for found in imports_of(text.tree)}
    details = tuple(
        detail
        for detail in change.details
        if detail.kind is not DetailKind.LITERAL
        or detail.name
        or not all(side in named for side in (detail.old, detail.new) if side is not None)
    )
    return evolve(change, details=details)


def _is_guessed(detail: Detail, edits: Sequence[StatementEdit]) -> bool:
    """True for unnamed literals that facts paired only because they were left over, and for one whose statement came or
    went."""
    if detail.kind is not DetailKind.LITERAL or detail.name:
        return False
    for edit in edits:
        old, new = (edit.old, edit.new) if edit.deed is DetailKind.STATEMENT_CHANGED else (None, None)
        if (detail.old is None or detail.old in (old or "")) and (detail.new is None or detail.new in (new or "")):
            return False
    return True


def explain_from_texts(change: SymbolChange, old: str, new: str) -> SymbolChange:
    """Explain a change by the texts of the two definitions alone, for callers without the files."""
    if not change.alters_meaning or change.old is None or change.new is None:
        return change
    texts: list[SourceText] = []
    refs: list[SymbolRef] = []
    for ref, text in ((change.old, old), (change.new, new)):
        made = SourceText(ref.path, _framed(ref, text).encode())
        simple = ref.name.rpartition(".")[2]
        found = next((each for each in made.definitions if each.simple == simple), None)
        if ref.name and found is None:
            return change
        texts.append(made)
        refs.append(evolve(ref, name=found.name if found else "", ordinal=found.ordinal if found else 0))
    alone = explain_change(evolve(change, old=refs[0], new=refs[1]), texts[0], texts[1])
    return evolve(change, details=alone.details)


_FRAMES = {
    **dict.fromkeys(("javascript", "typescript", "tsx", "java", "csharp", "kotlin", "cpp"), "class _ {"),
    "php": "<?php class _ {",
    "rust": "impl _ {",
}


def _framed(ref: SymbolRef, text: str) -> str:
    """A definition as a file of its own; a member is put into a class."""
    start = len(text) - len(text.lstrip(" \t"))
    text = textwrap.dedent(" " * _indent(text) + text[start:])
    language = describe(ref.path)
    if language is None or "." not in ref.name:
        return text
    frame = _FRAMES.get(language.name)
    return f"{frame}\n{text}\n}}" if frame else text


def _indent(text: str) -> int:
    """The smallest indentation of the lines after the first."""
    rest = [line for line in text.splitlines()[1:] if line.strip()]
    return min((len(line) - len(line.lstrip()) for line in rest), default=0)


def statement_edits(before: SymbolRef, after: SymbolRef, old: SourceText, new: SourceText) -> tuple[StatementEdit, ...]:
    """The edits of a symbol's statements; empty where they cannot be computed."""
    if old.tree is None or new.tree is None:
        return ()
    left, right = old.find(before), new.find(after)
    if left is None or right is None:
        return ()
    sides = [
        alignment_tree(
            text.tree,
            found.own_ranges() if holds(found.kind) else [(found.first, found.after)],
            dict(text.local),
            _nested(text, found),
        )
        for text, found in ((old, left), (new, right))
        if text.tree is not None
    ]
    if len(sides) != 2 or sides[0] is None or sides[1] is None:
        return ()
    align(sides[0], sides[1], {left.simple: right.simple} if left.simple != right.simple else None)
    return edits_between(sides[0], sides[1], data=right.kind in DATA)


def _nested(text: SourceText, definition: Definition) -> list[tuple[int, int]]:
    """The node ranges of nested functions and imports, which are reported by themselves."""
    tree = text.tree
    imports = [(node, tree.after[node]) for node in tree.imports] if tree is not None else []
    return imports + [
        (other.first, other.after)
        for other in text.definitions
        if definition.first < other.first < definition.after and other.part_of_code
    ]


def _detail(edit: StatementEdit, facts: Sequence[Detail]) -> Detail | None:
    """The edit as a detail; None when the facts say it already."""
    if edit.header and facts:
        return None
    may_be_told = edit.deed in _IN_ONE_PLACE and any(_covers(fact, *_sides(edit)) for fact in facts)
    return None if may_be_told else _plain_detail(edit)


def _covers(fact: Detail, old: str | None, new: str | None) -> bool:
    """True when a fact says what became of a statement."""
    if fact.kind not in _TELLING and not (fact.kind is DetailKind.LITERAL and fact.name):
        return False
    if any(side is not None and _CUT in side for side in (fact.old, fact.new)):
        return False
    if fact.kind is DetailKind.VALUE and len(fact.new or "") > _SHORT:
        return False  # a table, of which the entry says more
    if fact.old is None or fact.new is None:
        # an added or removed call names its statement well enough
        return _lies_in(fact.new, new) or _lies_in(fact.old, old)
    return (old is None or _lies_in(fact.old, old) or old in fact.old) and (
        new is None or _lies_in(fact.new, new) or new in fact.new
    )


def _lies_in(fact: str | None, part: str | None) -> bool:
    """True when code holds what a fact names. A chain of calls is known by its last name: facts leave out arguments."""
    if not fact or not part:
        return False
    return fact in part or ("()" in fact and f"{fact.rpartition('.')[2]}(" in part)


def _plain_detail(edit: StatementEdit) -> Detail | None:
    old, new = _sides(edit)
    if not (edit.old or edit.new if edit.deed is DetailKind.STATEMENT_CHANGED else edit.statement):
        return None
    return Detail(edit.deed, "" if edit.deed in _ONE_SIDED else edit.statement, old, new)


_ONE_SIDED = detail_kinds("statement_added statement_removed")
_IN_ONE_PLACE = _ONE_SIDED | {DetailKind.STATEMENT_CHANGED}


def _sides(edit: StatementEdit) -> tuple[str | None, str | None]:
    """The code before and after an edit, as a detail has it."""
    match edit.deed:
        case DetailKind.STATEMENT_ADDED:
            return None, edit.statement
        case DetailKind.STATEMENT_REMOVED:
            return edit.statement, None
        case DetailKind.STATEMENT_UNWRAPPED:
            return edit.new, None
        case _:
            return edit.old, edit.new
