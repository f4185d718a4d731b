"""What an edit did to a symbol."""

from __future__ import annotations

from enum import StrEnum

from attrs import field, frozen

from memlsp.model.symbol import SymbolKind


class ChangeKind(StrEnum):
    """The kinds of symbol change; one change can be of several kinds (renamed and behaviour)."""

    ADDED = "added"
    REMOVED = "removed"
    RENAMED = "renamed"
    MOVED = "moved"
    EXTRACTED = "extracted"  # added, and taken out of others that call or hold it now
    INLINED = "inlined"  # removed, and its body stands in others that called it
    SPLIT = "split"  # removed, and others hold its parts
    MERGED = "merged"  # removed, and one other holds it beside its own
    SIGNATURE = "signature"
    BEHAVIOUR = "behaviour"
    LITERAL = "literal"
    DEPENDENCY = "dependency"
    DOCS = "docs"
    COSMETIC = "cosmetic"


class DetailKind(StrEnum):
    """The kind of a single difference, small enough for one clause of a sentence."""

    PARAMETER_ADDED = "parameter_added"
    PARAMETER_REMOVED = "parameter_removed"
    PARAMETER_RENAMED = "parameter_renamed"
    PARAMETERS_REORDERED = "parameters_reordered"
    DEFAULT = "default"  # a parameter's default: None when there was or is none
    TYPE = "type"  # a parameter's or field's declared type
    RETURN_TYPE = "return_type"
    MODIFIER_ADDED = "modifier_added"
    MODIFIER_REMOVED = "modifier_removed"
    DECORATOR_ADDED = "decorator_added"
    DECORATOR_REMOVED = "decorator_removed"
    DECORATOR_CHANGED = "decorator_changed"
    BASE_ADDED = "base_added"
    BASE_REMOVED = "base_removed"
    CALL_ADDED = "call_added"
    CALL_REMOVED = "call_removed"
    RAISE_ADDED = "raise_added"
    RAISE_REMOVED = "raise_removed"
    CATCH_ADDED = "catch_added"
    CATCH_REMOVED = "catch_removed"
    CONDITION = "condition"
    RETURN = "return"
    LOOP = "loop"
    LITERAL = "literal"  # a literal in the body; `name` where it has one
    VALUE = "value"  # the value of a constant, key or enum member
    MEMBER_ADDED = "member_added"
    MEMBER_REMOVED = "member_removed"
    MEMBER_CHANGED = "member_changed"
    MEMBER_RENAMED = "member_renamed"
    DEPENDENCY = "dependency"  # something it uses changed: `name`, old and new value
    STATEMENT_ADDED = "statement_added"
    STATEMENT_REMOVED = "statement_removed"
    STATEMENT_CHANGED = "statement_changed"  # `name` is the statement, old and new its smallest part that differs
    STATEMENT_MOVED = "statement_moved"  # `new` says where to
    STATEMENT_WRAPPED = "statement_wrapped"  # `name` stands inside of `new`, which is new
    STATEMENT_UNWRAPPED = "statement_unwrapped"  # `name` stood inside of `old`, which is gone
    IMPORT_ADDED = "import_added"
    IMPORT_REMOVED = "import_removed"
    BODY = "body"  # a difference that has no better name
    HINT = "hint"  # a type hint that the language ignores at run time; not a change of meaning
    DOCS = "docs"


def detail_kinds(names: str) -> frozenset[DetailKind]:
    """The kinds of these values, separated by space; `call_` is all kinds that begin with it."""
    begins = tuple(name for name in names.split() if name.endswith("_"))
    return frozenset(kind for kind in DetailKind if kind in names.split() or (begins and kind.startswith(begins)))


@frozen
class Detail:
    """A single difference. `old` and `new` are source text without layout, None where there was or is nothing. `path`
    is where a dependency is defined now, "" for other details."""

    kind: DetailKind
    name: str = ""
    old: str | None = None
    new: str | None = None
    path: str = ""


@frozen
class SymbolRef:
    """The identity of a symbol, without its content."""

    path: str
    name: str
    kind: SymbolKind
    ordinal: int = field(default=0, eq=False)  # tells overloads of one name apart, as in Symbol


@frozen
class SymbolChange:
    """What one edit did to one symbol. `old` is None when it was added, `new` is None when it was removed.

    `similarity` is 0..1 (1 when the meaning is identical). `alternatives` are the other places it could have gone
    to when the match is not certain; then `new` is None and nothing is guessed. `others` are, as they are now, the
    symbols that an EXTRACTED one was taken out of, that hold an INLINED one, that a SPLIT one became, and the one that
    a MERGED one went into.
    """

    kinds: frozenset[ChangeKind]
    old: SymbolRef | None
    new: SymbolRef | None
    details: tuple[Detail, ...] = ()
    similarity: float = 1.0
    alternatives: tuple[SymbolRef, ...] = ()
    others: tuple[SymbolRef, ...] = ()
    characters: frozenset[str] | None = None  # the literals `'x'` in `details` that are no strings; None: not known

    @property
    def ref(self) -> SymbolRef:
        """The symbol as it is now, or as it was before it was removed."""
        found = self.new or self.old
        assert found is not None
        return found

    @property
    def alters_meaning(self) -> bool:
        """True when the code does, offers or equals something else than before."""
        return bool(self.kinds & _MEANING)


_MEANING = frozenset(
    {ChangeKind.REMOVED, ChangeKind.SIGNATURE, ChangeKind.BEHAVIOUR, ChangeKind.LITERAL, ChangeKind.DEPENDENCY}
)
