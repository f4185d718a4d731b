"""What has to be said about a language so that its sources become symbols. One value of `Language` per language.

Kinds and fields are those of the language's tree-sitter grammar. Everything is data, except where a grammar needs a
sentence of its own (how a string is spelt, what a parameter looks like); those are small functions beside the data.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from attrs import field, frozen

from memlsp.model.symbol import Parameter, SymbolKind

if TYPE_CHECKING:
    import tree_sitter

    from memlsp.code.syntax.facts import FactCollector
    from memlsp.code.syntax.tree import Tree
    from memlsp.code.workspace.imports import Import

Rule = "Callable[[Tree, int, FactCollector], None]"


@frozen
class Binder:
    """How a node kind gives names to locals.

    `fields` are the children that hold patterns (empty: every child). `level` is the scope that owns the names:
    `here` the innermost one, `function` the innermost function or module, `outside` the one around this node's own,
    `declared` the function for JavaScript's `var` and the innermost one for `let` and `const`, `declarator` the
    function whose declarator a parameter stands in.
    With `anew` every occurrence is a new variable (Rust's `let x = x`). With `late` the name is known only behind the
    node, so that its initialiser still means the outer one.
    """

    fields: tuple[str, ...] = ()
    level: str = "here"
    anew: bool = False
    late: bool = False
    needs: str = ""  # a child, by field or text, without which nothing is bound


@frozen
class Header:
    """What stands in a definition's head."""

    parameters: tuple[Parameter, ...] = ()
    return_type: str | None = None
    modifiers: tuple[str, ...] = ()
    decorators: tuple[str, ...] = ()
    bases: tuple[str, ...] = ()
    placeholders: tuple[str, ...] = ()  # names of type parameters: in types, they are as local as a parameter's


def _no_header(_tree: Tree, _node: int, _root: int) -> Header:
    return Header()


def _no_imports(_tree: Tree, _node: int) -> tuple[Import, ...]:
    return ()


def _as_found(_tree: Tree, _node: int, kind: SymbolKind) -> SymbolKind | None:
    return kind


def _same(text: str) -> str:
    return text


def _as_written(source: bytes) -> bytes:
    return source


def _no_value(_tree: Tree, _node: int, _name: int) -> int | None:
    return None


def _no_interpolation(_text: str) -> bool:
    return False


def _nowhere(_path: str, _module: str, _name: str | None) -> Sequence[tuple[str, tuple[str, ...]]]:
    return ()


def _no_neighbours(_path: str, _name: str) -> Sequence[str]:
    return ()


@frozen(eq=False)
class Language:
    """A language, described. See the fields' comments."""

    name: str
    suffixes: tuple[str, ...]
    grammar: Callable[[], object]  # the grammar wheel's pointer, imported late
    tags: str  # a tree-sitter query: @definition.KIND, @name; @owner (a receiver), @scope (only prefixes names)
    filenames: tuple[str, ...] = ()
    interpreters: tuple[str, ...] = ()

    largest: int = 5 * 1024 * 1024  # bytes; a larger file is only its lines

    unsafe: Callable[[bytes], bool] = lambda _source: False  # would the grammar's own scanner crash on this

    # what the parser is shown: as many bytes, with comments over what its grammar cannot read
    as_parsed: Callable[[bytes], bytes] = _as_written
    unread: Callable[[str], str] | None = None  # what a covered part still says
    told_apart: Callable[[bytes], bool] | None = None  # for a suffix that several languages have: is it this one
    # what a captured @name holds, a C declarator say, or what owns it: the name's own node and the owner, None for none
    named_by: Callable[[tree_sitter.Node], tuple[tree_sitter.Node, str] | None] | None = None

    # what says nothing
    comments: frozenset[str] = frozenset({"comment"})
    wrappings: frozenset[str] = frozenset({"parenthesized_expression"})  # they mean what they hold
    husks: frozenset[str] = frozenset()  # nodes that never say anything beyond what they hold
    idle_kinds: frozenset[str] = frozenset()  # statements that may do nothing...
    idle: Callable[[Tree, int, bool], bool] = lambda _tree, _node, _in_class: True  # ...and whether this one does
    punctuation: frozenset[str] = frozenset("()[]{},;:")
    telling: frozenset[tuple[str, str]] = frozenset()  # (parent, punctuation) that is not mere layout: a[1:]
    hints: frozenset[tuple[str, str]] = frozenset()  # (parent, field) that the language ignores at run time
    same_kinds: Mapping[str, str] = field(factory=dict[str, str])  # two spellings of one thing
    shorthands: Mapping[str, tuple[str, str, str]] = field(factory=dict[str, tuple[str, str, str]])  # {a} for {a: a}
    places: Mapping[str, Callable[[Tree, int, int], str]] = field(
        factory=dict[str, "Callable[[Tree, int, int], str]"]
    )  # parent's kind -> (tree, parent, child) -> the field of a child to which the grammar gives none
    settle: Mapping[str, Callable[[Tree, int], None]] = field(
        factory=dict[str, "Callable[[Tree, int], None]"]
    )  # kind -> what is put right in a node once its children are read, with `Tree.grow` among others
    solid: frozenset[str] = frozenset()  # nodes with children that are read as one leaf
    spaced_as_written: bool = False  # where white space has a meaning, texts are shown with what they have of it
    tight: frozenset[str] = frozenset()  # tokens that are shown without a space on either side
    lone_blocks: frozenset[str] = frozenset()  # blocks that mean the one statement in them, as a branch of `branches`
    branches: frozenset[tuple[str, str]] = frozenset()
    empty_ok: frozenset[tuple[str, str]] = frozenset()  # (parent, kind) that mean nothing when empty: `class A():`
    docstring_kind: str = "expression_statement"
    docstring: Callable[[Tree, int], bool] | None = None  # is this one documentation
    doc_comment: Callable[[str], bool] = lambda _text: False  # is this comment, right above, documentation
    read_doc: Callable[[str], str] = _same  # its text without marks

    bare_lists: Mapping[str, tuple[str, str, str]] = field(
        factory=dict[str, tuple[str, str, str]]
    )  # x => y is (x) => y

    # literals
    strings: frozenset[str] = frozenset({"string"})
    pieces: frozenset[str] = frozenset()  # parts of a string that has interpolations
    read_piece: Callable[[str, str], str] = lambda _kind, text: text
    dollar_names: bool = False  # "$name and more" comes from the grammar as `$` and `name and more`
    folded: frozenset[str] = frozenset()  # text in which runs of white space are one space: JSX
    interpolated: Callable[[str], bool] = _no_interpolation  # does this string run code
    read_string: Callable[[str], str] = _same
    quoted_names: frozenset[tuple[str, str]] = frozenset()  # (parent, field) where 'a' is the name a
    joined_strings: frozenset[str] = frozenset()
    numbers: frozenset[str] = frozenset()
    read_number: Callable[[str], tuple[str, str]] = lambda text: (text, text)  # (as shown, as compared)
    constants: Mapping[str, str] = field(factory=dict[str, str])  # kind -> shown: true, null

    # names
    identifiers: frozenset[str] = frozenset({"identifier"})
    sigils: str = ""  # what may stand before a name and is no part of it: $name, :name
    reserved: Mapping[str, str] = field(factory=dict[str, str])  # identifiers that are words of the language -> kind
    attributes: frozenset[tuple[str, str]] = frozenset()  # (parent, field) where an identifier is no variable
    selves: frozenset[str] = frozenset()  # names by which a method calls its own object
    scopes: Mapping[str, str] = field(factory=dict[str, str])  # kind -> function, block or class
    unscoped: frozenset[tuple[str, str]] = frozenset()  # (parent, field) where a scope's kind opens none
    outside: frozenset[tuple[str, str]] = frozenset()  # (scope kind, field) that belongs to the scope around it
    binders: Mapping[str, Binder] = field(factory=dict[str, Binder])
    patterns: Mapping[str, tuple[str, ...]] = field(factory=dict[str, tuple[str, ...]])  # () means every child
    constant_patterns: bool = False  # an upper-case name in a pattern is a constant, not a variable
    undeclared: Mapping[str, bool] = field(factory=dict[str, bool])  # global, nonlocal
    chains: Mapping[str, tuple[str, str]] = field(factory=dict[str, tuple[str, str]])  # a.b: kind -> (object, name)
    subscripts: Mapping[str, tuple[str, str]] = field(factory=dict[str, tuple[str, str]])
    macros: frozenset[str] = frozenset()  # token soups, in which strings may name locals
    bare_calls: bool = False  # a call without an object names a method: never a local
    creators: frozenset[tuple[str, str]] = frozenset()  # (parent, field) where a type's name is a use of it
    not_attribute: Callable[[Tree, int], bool] = lambda _tree, _node: False  # an exception to `attributes`
    implicit: Callable[[Tree, int, int], str] = lambda _tree, _node, _name: ""  # a value that follows from the position

    # definitions
    standing: Callable[[Tree, int], str] = lambda _tree, _node: ""  # what follows for code from where it stands
    wrappers: frozenset[str] = frozenset()  # around one definition they belong to it
    leading: frozenset[str] = frozenset()  # siblings before a definition that belong to it
    promoted: frozenset[str] = frozenset()  # parameters of a constructor that are fields of its class
    local_constants: bool = False  # constants inside functions are symbols too
    objects: bool = False  # a constant can hold functions
    refine: Callable[[Tree, int, SymbolKind], SymbolKind | None] = _as_found  # a closer kind, or None for no symbol
    owner: Callable[[str], str] = _same  # the prefix that an @owner gives
    header: Callable[[Tree, int, int], Header] = _no_header  # (tree, definition, outermost wrapper)
    value: Callable[[Tree, int, int], int | None] = _no_value  # the value of a constant: (tree, definition, name)
    value_only: bool = False  # a constant means its value and nothing else
    fields: Callable[[Tree, int], bool] = lambda _tree, _node: True  # is this constant of a class a field, in its order
    fields_make: Callable[[Tree, int], bool] = lambda _tree, _node: False  # do fields make this class's constructor
    constructors: frozenset[str] = frozenset()
    named_parameters: bool = False  # a caller may use parameters by name
    typed_names: bool = False  # ...and their types are part of the interface too
    maker: str = ""  # what a class calls, without a receiver, to make one of itself
    inherits: bool = False  # inherited names need no receiver

    # editing: what can be read again by itself after an edit. (parent's kind, "" for none; container's kind) -> kinds
    # of children that say the same whatever stands beside them; their containers open no scope, or that of a class
    apart: Mapping[tuple[str, str], frozenset[str]] = field(factory=dict[tuple[str, str], frozenset[str]])
    far: Callable[[bytes], bool] = lambda _source: False  # may a definition say something of one that stands elsewhere

    # facts
    rules: Mapping[str, Callable[[Tree, int, FactCollector], None]] = field(
        factory=dict[str, "Callable[[Tree, int, FactCollector], None]"]
    )
    imports: frozenset[str] = frozenset()
    quiet_imports: frozenset[str] = frozenset()  # import something too, and are ordinary code as well
    read_import: Callable[[Tree, int], tuple[Import, ...]] = _no_imports
    # (importing file, module, name) -> files to try in order, each with the names to look for in it
    locate: Callable[[str, str, str | None], Sequence[tuple[str, tuple[str, ...]]]] = _nowhere
    bare_paths: frozenset[str] = frozenset()  # words that start a path to a module without an import: crate::a::b
    neighbours: Callable[[str, str], Sequence[str]] = _no_neighbours  # (file, name) -> files that may define it
    open_names: bool = False  # what namespaces and enumerations hold is known without their names where they are seen
    file_per_type: bool = False  # a file is called like the type in it, by which an imported namespace leads to it
    shares_folder: bool = False  # the files of a folder see each other's names
