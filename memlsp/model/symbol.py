"""A symbol: a named piece of code, its contents, and the fingerprints that identify it."""

from __future__ import annotations

from enum import StrEnum

from attrs import field, frozen

from memlsp.model.place import Span


class SymbolKind(StrEnum):
    """The kind of a symbol. `module` is the whole file, `region` some lines of a file whose language is not parsed."""

    MODULE = "module"
    CLASS = "class"
    INTERFACE = "interface"
    ENUM = "enum"
    TYPE = "type"
    FUNCTION = "function"
    METHOD = "method"
    CONSTANT = "constant"
    FIELD = "field"
    MEMBER = "member"  # of an enum
    KEY = "key"  # of a configuration file
    SECTION = "section"  # of a document
    REGION = "region"

    @property
    def is_container(self) -> bool:
        """True for kinds whose members are symbols of their own."""
        return self in _CONTAINERS


_CONTAINERS = frozenset(
    {SymbolKind.MODULE, SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.ENUM, SymbolKind.TYPE, SymbolKind.SECTION}
)


CODE_KINDS = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD})
VALUE_KINDS = frozenset({SymbolKind.CONSTANT, SymbolKind.FIELD, SymbolKind.MEMBER})


@frozen
class Parameter:
    """One parameter as declared: `type` and `default` are source text without layout, None when absent."""

    name: str
    type: str | None = None
    default: str | None = None


@frozen
class NamedValue:
    """A literal bound to a name: a keyword argument, a default, an assignment, a key of a table. `name` says where
    (`timeout`, `retry.max`, `get(timeout)`), `value` is the normalised literal (`30`, `'utf-8'`)."""

    name: str
    value: str


@frozen
class Facts:
    """The contents of a symbol, in the parts that a person would name. All in source order, duplicates kept. Texts are
    normalised (no comments, no layout, one quote style) but local names are as written."""

    parameters: tuple[Parameter, ...] = ()
    return_type: str | None = None
    modifiers: tuple[str, ...] = ()  # async, static, public, export, const, generator...
    decorators: tuple[str, ...] = ()  # annotations and attributes too, without @ or #[...]
    bases: tuple[str, ...] = ()  # extends, implements, embedded, impl Trait for
    calls: tuple[str, ...] = ()  # dotted callee as written: `requests.get`, `self.save`
    raises: tuple[str, ...] = ()  # exception names raised, thrown, panicked
    catches: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()  # of if, while, ternary, match arms with guards
    returns: tuple[str, ...] = ()  # returned and yielded expressions
    loops: tuple[str, ...] = ()  # `for x in xs`, `while c`: the header
    literals: tuple[str, ...] = ()  # every literal, normalised: 0.2, 'utf-8', True
    values: tuple[NamedValue, ...] = ()
    uses: tuple[str, ...] = ()  # names that are not local, dotted as written, unique, sorted
    members: tuple[tuple[str, str], ...] = ()  # of a container: (member's simple name, its meaning digest)
    docs: str = ""  # docstring or doc comment, layout folded
    tokens: tuple[str, ...] = ()  # the meaning tokens of its own code (not of its members), at most 4,000


@frozen
class Fingerprint:
    """Identifies a symbol in later states of the code. Digests are hex, 32 characters (BLAKE2b, 16 bytes).

    `text` changes with every byte of the definition; `meaning` only with what the code does (no comments, docstrings,
    layout, quote style, redundant parentheses, trailing commas, type hints ignored at run time, local names, nor the
    symbol's own name, so that a rename keeps it); `signature` is the interface; `shape` the tree of node kinds alone.
    `sketch` is a bottom-k sketch of token shingles, for similarity.
    """

    text: str
    meaning: str
    signature: str
    shape: str
    sketch: tuple[int, ...] = ()
    size: int = 0  # number of meaning tokens, members included


BODY = "() does"
"""The ending of a dependency's name that stands for the body of a callee."""

CALLED = " calls it"
"""The ending of a dependency's name that stands for a caller, with its text, and not for something that is used."""

CONSTANTS = "\x1f"
"""The line between a callee's text and the constants that it uses."""

HOME = "\x1e"
"""What stands in the line of such a constant between the path of its file and its name."""


@frozen
class Dependency:
    """A definition elsewhere in the workspace that a symbol uses.

    `digest` is that of its visible side: the value of a constant or key, the signature of a callee, decorator or base.
    `value` is that side in print, at most 200 characters. A callee's body, `rate() does`, has its text as the value.
    """

    name: str  # as written at the use: `RATE`, `rates.RATE`
    kind: SymbolKind
    path: str
    symbol: str  # qualified name in `path`
    digest: str
    value: str

    @property
    def is_result(self) -> bool:
        """True for what a callee returns, `rate()`, or raises, `rate() raises`, or does; its signature is another
        dependency."""
        return self.name.endswith(("()", "() raises", BODY))

    @property
    def is_indirect(self) -> bool:
        """True for a result, and for what a constructor gives to an attribute: `self.limit` of `Pool.__init__`."""
        last = self.name.rpartition(".")[2]
        return self.is_result or (self.kind is SymbolKind.FIELD and last != self.symbol.rpartition(".")[2])


@frozen
class Symbol:
    """A named piece of code in one state of one file. `name` is dotted in every language; "" is the whole file."""

    path: str
    name: str
    kind: SymbolKind
    span: Span
    name_span: Span
    fingerprint: Fingerprint
    facts: Facts = field(factory=Facts)
    ordinal: int = 0  # tells overloads of one name apart, in source order

    @property
    def simple_name(self) -> str:
        """The last part of the dotted name."""
        return self.name.rpartition(".")[2]

    @property
    def container(self) -> str:
        """The dotted name of the enclosing symbol, "" at the top of a file."""
        return self.name.rpartition(".")[0]
