"""Explains a change by its texts: adds to the facts what was done to single statements."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Container, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import cached_property

from attrs import evolve

from memlsp.code.diff.alignment import align, alignment_tree
from memlsp.code.diff.body_facts import text_similarity
from memlsp.code.diff.change_set import diff
from memlsp.code.diff.notation import is_same, says_nothing
from memlsp.code.diff.quotes import ONE, has_characters, same_when_shown
from memlsp.code.diff.repetitions import without_repetitions
from memlsp.code.diff.statement_edits import StatementEdit, edits_between
from memlsp.code.languages.detection import describe
from memlsp.code.rewriting.normal_form import is_same_node
from memlsp.code.syntax.decoding import Decoded
from memlsp.code.syntax.definitions import DATA, Definition, definitions_of, holds, whole
from memlsp.code.syntax.outline import outline
from memlsp.code.syntax.parser import parse
from memlsp.code.syntax.scopes import resolve
from memlsp.code.syntax.tree import Tree, imports_of
from memlsp.model.change import ChangeKind, Detail, DetailKind, SymbolChange, SymbolRef, detail_kinds

_MOST = 12  # statements reported for one symbol
_SHORT = 40
_CUT = "\N{HORIZONTAL ELLIPSIS}"
# Facts so exact that the statement around them need not be named as well.
_TELLING = detail_kinds(
    "condition return loop default value type return_type call_ raise_ catch_ modifier_ decorator_ base_"
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

    def shown(self, ref: SymbolRef) -> str:
        """The definition of a symbol in print, "" without one."""
        found = self.find(ref) if ref.name else None
        return self.tree.render_range(found.first, found.after) if found and self.tree else ""

    def words(self, ref: SymbolRef) -> str:
        """The definition of a symbol as it is shown, without any space."""
        found, tree = self.find(ref), self.tree
        if found is None or tree is None:
            return ""
        parts = (tree.text[at] for at in range(found.first, found.after) if at not in tree.hidden)
        return "".join("".join(parts).split())

    def characters(self, ref: SymbolRef) -> int:
        """How many characters its definition has: `'x'` where it is no string, though it is shown like one."""
        found, tree = self.find(ref), self.tree
        return sum(tree.kind[at] in _CHARACTERS for at in range(found.first, found.after)) if found and tree else 0

    def one_long(self, kinds: tuple[str, ...]) -> frozenset[str]:
        """The literals of these kinds (of strings, without any) that hold one character."""
        tree = self.tree
        if tree is None:
            return frozenset()
        wanted, pairs = kinds or tuple(tree.notation.strings), zip(tree.kind, tree.text, strict=True)
        return frozenset(text for kind, text in pairs if kind in wanted and ONE.fullmatch(text))


def explain_change(change: SymbolChange, old: SourceText, new: SourceText) -> SymbolChange:
    """The change with details for the statements that its facts do not tell of, without the empty ones and without
    other notations of the same code; COSMETIC where nothing else is left. The same value when nothing can be added:
    the symbol is a whole file, a text does not parse, it is too long."""
    if not change.alters_meaning or change.old is None or change.new is None:
        return change
    before, after = change.old, change.new
    # the names of imported modules are literals in some languages
    modules = (f"'{found.module}'" for text in (old, new) if text.tree for found in imports_of(text.tree))
    said = _said(change.details, before, after, () if after.name else {None, *modules})
    shown = old.shown(before), new.shown(after)
    words = old.words(before), new.words(after)
    is_untold = words[0] == words[1] and not any(map(_is_told, said))
    is_alike = not said or is_untold or is_same(*shown, after.path)
    if shown[0] and old.characters(before) == new.characters(after):
        if is_alike:
            return _respelled(change)
        if not any(each.kind in _OF_MEANING for each in said) and _does_the_same(before, after, old, new):
            return evolve(_respelled(change), details=tuple(each for each in said if each.kind in _UNREAD))
    change = evolve(change, details=tuple(filter(None, map(_with_real_value, said))))
    told = tuple(detail for detail in change.details if detail.kind is not DetailKind.BODY)
    edits = statement_edits(before, after, old, new)
    if not edits:
        return _without_edits(change, told, old, new, known=edits is not None)
    everything = _told_and_added(told, edits, words)
    kept = [detail for detail in everything if not is_same(detail.old or "", detail.new or "", after.path)]
    if everything and not kept:
        return _respelled(change)
    telling = dict.fromkeys([each for each in kept if not _is_empty(each)] or kept)
    change = evolve(change, details=tuple(telling), characters=_characters(old, new))
    return change if change.details else _with_excerpt(change, *shown)


def _does_the_same(before: SymbolRef, after: SymbolRef, old: SourceText, new: SourceText) -> bool:
    """True for a function that was rewritten into one with the same decisions."""
    nodes = [
        (text.tree, found.root)
        for text, ref in ((old, before), (new, after))
        if not ref.kind.is_container and (found := text.find(ref)) is not None
    ]
    return len(nodes) == 2 and is_same_node(*nodes)


def _said(
    details: Sequence[Detail], before: SymbolRef, after: SymbolRef, imported: Container[str | None]
) -> list[Detail]:
    """The details that say something, of none of these names."""
    return [each for each in details if not _is_idle(each, before, after) and not _is_of(each, imported)]


def _without_edits(
    change: SymbolChange, told: tuple[Detail, ...], old: SourceText, new: SourceText, *, known: bool
) -> SymbolChange:
    """The change of a symbol of which no statement is told. Where they are `known` to be the same, what its facts
    `told` is of a symbol inside or of its documentation."""
    refs = [(text, ref) for text, ref in ((old, change.old), (new, change.new)) if ref is not None]
    inner = [_nested(text, found) for text, ref in refs if (found := text.find(ref))]
    after = refs[-1][1]
    if known and not after.kind.is_container and any(inner):
        return evolve(change, details=tuple(detail for detail in told if detail.kind not in _OF_BODIES))
    if known and after.name and told and all(detail.kind in _UNREAD for detail in told):
        return evolve(change, kinds=frozenset({ChangeKind.COSMETIC}), details=told)
    if not after.name and old.tree is not None and new.tree is not None:  # only imports, reported for the file
        return evolve(change, details=told)
    return _with_excerpt(change, *(text.shown(ref) for text, ref in refs))


def _told_and_added(told: tuple[Detail, ...], edits: Sequence[StatementEdit], words: tuple[str, str]) -> list[Detail]:
    """The details of facts that are no guess, and those of the edits of which no fact tells. `words` are both texts
    without blanks."""
    found = [edit for edit in _with_pairs(edits) if not _is_still_there(edit.detail, *words)]
    facts = [detail for detail in told if not _is_guessed(detail, found) and not _is_still_there(detail, *words)]
    added = [edit.detail for edit in found if not _is_covered(edit, facts)]
    if not added and not facts:
        added = [edit.detail for edit in found]
    return [*facts, *added[:_MOST]]


def _is_empty(detail: Detail) -> bool:
    """True for a statement that came or went and says nothing by itself (`try:`)."""
    if detail.kind not in _STATEMENTS or (detail.old and detail.new):
        return False
    return _EMPTY.fullmatch(detail.old or detail.new or "") is not None


def _is_idle(detail: Detail, before: SymbolRef, after: SymbolRef) -> bool:
    """True for an annotation that changes nothing, and for what a Rust type implements in the file that it left."""
    if detail.kind in _OF_BASES:
        return before.path != after.path and after.path.endswith(".rs")
    return detail.kind.startswith("decorator_") and says_nothing(detail.name)


_OF_BASES = detail_kinds("base_added base_removed")


def _with_real_value(detail: Detail) -> Detail | None:
    """A value without the side that is no value: a declaration without one is kept as its tokens, its name as `@`."""
    old, new = (None if text and _NAMELESS.search(text) else text for text in (detail.old, detail.new))
    if detail.kind is not DetailKind.VALUE or (old, new) == (detail.old, detail.new):
        return detail
    return evolve(detail, old=old, new=new) if old or new else None


_NAMELESS = re.compile(r"(?<!\S)@(?= |$)(?! =)")


def _with_excerpt(change: SymbolChange, old: str, new: str) -> SymbolChange:
    """The change with the first words that differ in place of a detail that shows nothing."""
    empty = [detail for detail in change.details if detail.kind in _EXCERPTS and not _is_told(detail)]
    if (change.details and not empty) or not old or not new or old == new:
        return change
    left, right = old.split(" ")[:_WORDS], new.split(" ")[:_WORDS]
    blocks = SequenceMatcher(None, left, right, autojunk=False).get_opcodes()
    _, a, b, c, d = next((block for block in blocks if block[0] != "equal"), ("", 0, len(left), 0, len(right)))
    sides = [" ".join(side[max(0, i - 2) : j + 2]) for side, i, j in ((left, a, b), (right, c, d))]
    if same_when_shown(*sides):
        return change
    made = Detail(DetailKind.STATEMENT_CHANGED, "", *sides)
    return evolve(change, details=(*(detail for detail in change.details if detail not in empty), made))


_WORDS = 500  # of a text that is compared word by word
_EXCERPTS = detail_kinds("body value")


def _is_told(detail: Detail) -> bool:
    """False for docs and hints, and for an excerpt that shows nothing but signs for names."""
    text = f"{detail.old or ''} {detail.new or ''}"
    is_empty = not text.strip() or "$" in text.split() or "@" in text.split()
    return detail.kind not in _UNREAD and not (detail.kind in _EXCERPTS and is_empty)


def _is_still_there(detail: Detail, old: str, new: str) -> bool:
    """True for what came or went although the code has it as often before or after."""
    before, after = (_bare(text or "") for text in (detail.old, detail.new))
    is_exact = detail.kind in _STATEMENTS or (detail.kind in _OF_RESULTS and _PARTICULAR.fullmatch(before + after))
    if not is_exact or (before and after):
        return False
    counts = _bare(old).count(before or after), _bare(new).count(before or after)
    return counts[1] >= counts[0] > 0 if before else counts[0] >= counts[1] > 0


def _bare(text: str) -> str:
    return _UNSURE.sub("", text)


_UNSURE = re.compile(r"[\s'\"`;,]")  # what facts may write otherwise than the code
_PARTICULAR = re.compile(r"(?=.*\W)(?!.*…).{4,}")  # code that is not everywhere
_OF_RESULTS = detail_kinds("return condition loop raise_added raise_removed")

_OF_BODIES = detail_kinds("literal condition return loop value call_ raise_ catch_")
_UNREAD = detail_kinds("docs hint")
_OF_MEANING = detail_kinds("parameter modifier_ decorator_ base_ call_ raise_ default type member_ dependency")
_STATEMENTS = detail_kinds("statement_added statement_removed statement_changed")
_EMPTY = re.compile(r"\W*(?:\w?|try|else|await|async|finally|do|begin|ensure|unsafe|const|let|var)\W*")
_CHARACTERS = ("char_literal", "character_literal", "rune_literal")
_PAIRED = 0.6  # likeness from which a statement that went and one that came are two versions of one


def _respelled(change: SymbolChange) -> SymbolChange:
    places = change.kinds & _PLACES
    return evolve(change, kinds=places or frozenset({ChangeKind.COSMETIC}), details=())


def _with_pairs(edits: Sequence[StatementEdit]) -> list[StatementEdit]:
    """The edits, with code that went and similar code that came as one change."""
    found = list(edits)
    for gone in edits:
        old = gone.detail.old
        if gone.detail.kind not in _STATEMENTS or not old or gone.detail.new:
            continue
        came = [e for e in found if e.detail.kind in _STATEMENTS and e.detail.new and not e.detail.old]
        best = max(came, key=lambda edit, old=old: text_similarity(old, edit.detail.new or ""), default=None)
        new = best.detail.new if best else None
        if best and new and text_similarity(old, new) >= _PAIRED:
            found.remove(gone)
            both = Detail(DetailKind.STATEMENT_CHANGED, best.detail.name or new, old, new)
            found[found.index(best)] = evolve(best, detail=both)
    return [edit for edit in found if edit.detail.kind not in _STATEMENTS or edit.detail.old != edit.detail.new]


def _characters(old: SourceText, new: SourceText) -> frozenset[str]:
    """The characters (`'x'`) of two texts, which facts write like strings of one character; for one that is both, what
    it mostly is in the language."""
    characters, strings = (old.one_long(kinds) | new.one_long(kinds) for kinds in (_CHARACTERS, ()))
    return characters if has_characters(new.path) else characters - strings


def _is_of(detail: Detail, literals: Container[str | None]) -> bool:
    return detail.kind is DetailKind.LITERAL and not detail.name and detail.old in literals and detail.new in literals


def _is_guessed(detail: Detail, edits: Sequence[StatementEdit]) -> bool:
    """True for unnamed literals that facts paired only because they were left over, and for one whose statement came or
    went."""
    if detail.kind is not DetailKind.LITERAL or detail.name:
        return False
    for edit in edits:
        is_change = edit.detail.kind is DetailKind.STATEMENT_CHANGED
        old, new = (edit.detail.old, edit.detail.new) if is_change else (None, None)
        if (detail.old is None or detail.old in (old or "")) and (detail.new is None or detail.new in (new or "")):
            return False
    return True


def explain_from_texts(change: SymbolChange, old: str, new: str) -> SymbolChange:
    """Explain a change by the texts of the two definitions alone, for callers without the files. Of one that does not
    parse alone, the facts that say nothing are left out."""
    if not change.alters_meaning or change.old is None or change.new is None:
        return change
    framed = _framed(change, old, new)
    if framed is None:
        said = [_with_real_value(each) for each in change.details if not _is_idle(each, change.old, change.new)]
        told = [each for each in said if each and not is_same(each.old or "", each.new or "", change.new.path)]
        return evolve(change, details=tuple(told)) if told or not change.details else _respelled(change)
    refs, texts = framed
    alone = explain_change(evolve(change, old=refs[0], new=refs[1]), *texts)
    return evolve(change, details=alone.details, kinds=alone.kinds, characters=alone.characters)


def explain_inside(change: SymbolChange, old: str, new: str) -> SymbolChange:
    """The change of the one symbol inside where nothing else of the symbol changed; else the change."""
    inside = all(detail.kind in _OF_MEMBERS for detail in change.details) and not change.kinds & _PLACES
    framed = _framed(change, old, new) if inside and len(old) + len(new) < _LARGE else None
    if framed is None or change.old is None or change.new is None:
        return change
    refs, texts = framed
    if not refs[1].name:
        return change
    outlines = [outline(text.path, text.source) for text in texts]
    reported = without_repetitions([explain_change(each, *texts) for each in diff(outlines[:1], outlines[1:])])
    found = [each.change for each in reported if _is_telling_inside(each.change, refs[1])]
    if not found:  # with no member's change left, they are only written otherwise
        only_members = all(each.kind is DetailKind.MEMBER_CHANGED for each in change.details)
        return _respelled(change) if reported and only_members else change
    return _of_inside(change, found, refs)


def _of_inside(change: SymbolChange, found: Sequence[SymbolChange], refs: Sequence[SymbolRef]) -> SymbolChange:
    """The first of the changes inside that tells something, beside the others; all of them where one is of a symbol
    that came or went. `refs` are the symbol as it is framed."""
    if any(each.old is None or each.new is None for each in found):
        kept = tuple(detail for detail in change.details if detail.kind in _UNREAD)
        return evolve(change, details=(*kept, *(_of_member(each, *refs) for each in found)))
    first = next((each for each in found if any(detail.kind not in _UNREAD for detail in each.details)), found[0])
    before, after = (
        ref and real and evolve(ref, name=f"{real.name}.{_within(ref, framed_as)}")
        for ref, real, framed_as in ((first.old, change.old, refs[0]), (first.new, change.new, refs[1]))
    )
    beside = tuple(evolve(ref, name=_within(ref, refs[1])) for each in found if each is not first and (ref := each.new))
    return evolve(first, old=before, new=after, others=beside)


def _is_telling_inside(change: SymbolChange, holder: SymbolRef) -> bool:
    """True for a change of more than docs and notation of a symbol that lies in another one."""
    inside = (change.new or change.old or holder).name.startswith(f"{holder.name}.")
    return inside and not change.kinds <= {ChangeKind.COSMETIC, ChangeKind.DOCS}


def _within(ref: SymbolRef, holder: SymbolRef) -> str:
    return ref.name.removeprefix(f"{holder.name}.")


def _of_member(change: SymbolChange, old: SymbolRef, new: SymbolRef) -> Detail:
    """What happened to a symbol inside, in one word."""
    names = [ref and _within(ref, holder) for ref, holder in ((change.old, old), (change.new, new))]
    kinds = DetailKind.MEMBER_ADDED, DetailKind.MEMBER_REMOVED, DetailKind.MEMBER_CHANGED
    return Detail(
        kinds[0 if not names[0] else 1 if not names[1] else 2], names[1] or names[0] or "", names[0], names[1]
    )


_LARGE = 200_000  # characters of both texts; longer ones are not outlined for one sentence
_OF_MEMBERS = detail_kinds("member_ docs hint")
_PLACES = frozenset({ChangeKind.RENAMED, ChangeKind.MOVED})


def _framed(change: SymbolChange, old: str, new: str) -> tuple[list[SymbolRef], list[SourceText]] | None:
    """Both definitions as files of their own; None where one has no symbol of that name."""
    texts: list[SourceText] = []
    refs: list[SymbolRef] = []
    for ref, text in ((change.old, old), (change.new, new)):
        if ref is None:
            return None
        simple = ref.name.rpartition(".")[2]
        made = [SourceText(ref.path, file.encode()) for file in _files(ref, text)]
        found = next(((one, each) for one in made for each in one.definitions if each.simple == simple), None)
        if ref.name and found is None:
            return None
        texts.append(found[0] if found else made[0])
        refs.append(evolve(ref, name=found[1].name if found else "", ordinal=found[1].ordinal if found else 0))
    return refs, texts


_FRAMES: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("javascript", "typescript", "tsx", "java", "csharp", "kotlin", "cpp"), ("class _ {",)),
    "c": ("struct _ {",),
    "php": ("<?php class _ {",),
    "rust": ("impl _ {", "struct _ {", "enum _ {"),
    "go": ("", "package _\ntype _ struct {", "package _\ntype _ interface {"),
}


_OUTSIDE = re.compile(r"[^({;=]*\w::~?\w+\s*\(")  # C++: a member that is defined outside of its class


def _files(ref: SymbolRef, text: str) -> Iterator[str]:
    """A definition as a file of its own, in each of the ways in which it may parse; a member is put into a class."""
    start = len(text) - len(text.lstrip(" \t"))
    text = textwrap.dedent(" " * _indent(text, ref.path) + text[start:])
    language = describe(ref.path)
    name = language.name if language is not None else ""
    if "." not in ref.name or _OUTSIDE.match(text):
        yield f"<?php\n{text}" if name == "php" else text
        return
    for frame in _FRAMES.get(name, ("",)):
        yield f"{frame}\n{text}\n}}" if frame else text


_DECORATED = re.compile(r"@.*?^([ \t]*)(?:@|def |class |async )", re.DOTALL | re.MULTILINE)


def _indent(text: str, path: str) -> int:
    """The indentation that the first line had: that of the brace at its end, in Python that of what is decorated."""
    if path.endswith((".py", ".pyi")):
        decorated = _DECORATED.match(text)
        return len(decorated[1]) if decorated else 0
    rest = [line for line in text.splitlines()[1:] if line.strip()]
    return min((len(line) - len(line.lstrip()) for line in rest), default=0)


def statement_edits(
    before: SymbolRef, after: SymbolRef, old: SourceText, new: SourceText
) -> tuple[StatementEdit, ...] | None:
    """The edits of a symbol's own statements; none where these are equal, None where they cannot be computed."""
    if old.tree is None or new.tree is None:
        return None
    left, right = old.find(before), new.find(after)
    if left is None or right is None:
        return None
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
        return None
    align(sides[0], sides[1], {left.simple: right.simple} if left.simple != right.simple else None)
    found = edits_between(sides[0], sides[1], data=right.kind in DATA)
    return found if found or sides[0].ids[0] == sides[1].ids[0] else None


def _nested(text: SourceText, definition: Definition) -> list[tuple[int, int]]:
    """The node ranges of nested functions and imports, which are reported by themselves."""
    tree = text.tree
    imports = [(node, tree.after[node]) for node in tree.imports] if tree is not None else []
    return imports + [
        (other.first, other.after)
        for other in text.definitions
        if definition.first < other.first < definition.after and other.part_of_code
    ]


def _is_covered(edit: StatementEdit, facts: Sequence[Detail]) -> bool:
    """True when the facts say already what an edit says."""
    if edit.header and facts:
        return True
    said = edit.detail
    return said.kind in _STATEMENTS and any(_covers(fact, said.old, said.new) for fact in facts)


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
