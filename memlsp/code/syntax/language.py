"""The description of a language from which its sources become symbols: one `Language` per language.

Kinds and fields are those of the language's tree-sitter grammar. Most of a description is data, read from the JSON
tables of `memlsp/code/languages`; small functions say what data cannot: how a string is spelt, what a parameter is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

import tree_sitter
from attrs import field, frozen

from memlsp.code.syntax.facts import Rule, literal
from memlsp.code.syntax.nodes import Nodes
from memlsp.code.syntax.spacing import Notation
from memlsp.model.symbol import Parameter, SymbolKind


@frozen
class Binder:
    """The way in which a node kind gives names to locals.

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
    """The declarations in the head of a definition."""

    parameters: tuple[Parameter, ...] = field(default=(), converter=tuple[Parameter, ...])
    return_type: str | None = None
    modifiers: tuple[str, ...] = field(default=(), converter=tuple[str, ...])
    decorators: tuple[str, ...] = field(default=(), converter=tuple[str, ...])
    bases: tuple[str, ...] = field(default=(), converter=tuple[str, ...])
    placeholders: tuple[str, ...] = field(
        default=(), converter=tuple[str, ...]
    )  # names of type parameters: in types, they are as local as a parameter's


@frozen
class Import:
    """One name that an import statement brings in.

    `local` is the name inside the file ("" when the statement brings everything or nothing), `module` the source as
    written, `name` the thing imported from there: None for the module itself, "*" for everything, "default" for a
    JavaScript default export. `line` counts from 0.
    """

    local: str
    module: str
    name: str | None = None
    line: int = 0


Located = Iterable[tuple[str, tuple[str, ...]]]  # files, each with the names to look for in it
Membership = tuple[str, int, int]  # name of the holder, node with the members, statement that may give it that name
FieldRule = Callable[[Nodes, int, int], str]
_Kinds = frozenset[str]
_Pairs = frozenset[tuple[str, str]]  # (parent's kind, field or token)


_STARS = re.compile(r"^\s*(?:/\*\*?!?|\*+/|\*|///?!?)|\*+/\s*$", re.MULTILINE)


def doc_text(raw: str) -> str:
    """A documentation comment without its slashes and stars, on one line."""
    return " ".join(_STARS.sub(" ", raw).split())


def never(*_given: object) -> bool:
    """False, whatever is asked."""
    return False


def _always(*_given: object) -> bool:
    return True


def _no_text(*_given: object) -> str:
    return ""


def _empty(*_given: object) -> tuple[()]:
    return ()


@frozen(eq=False, kw_only=True)
class Language(Notation):
    """A language, described. See the fields' comments."""

    name: str
    suffixes: tuple[str, ...]
    grammar: Callable[[], object]  # loads the pointer to the grammar
    tags: Callable[[], str]  # a tree-sitter query: @definition.KIND, @name; @owner (a receiver), @scope (a prefix only)
    filenames: tuple[str, ...] = ()
    interpreters: tuple[str, ...] = ()

    largest: int = 5 * 1024 * 1024  # bytes; a larger file is only its lines
    unsafe: Callable[[bytes], bool] = never  # would the grammar's own scanner crash on this

    # what the parser is shown: as many bytes, with comments over what its grammar cannot read
    as_parsed: Callable[[bytes], bytes] = lambda source: source
    covered_text: Callable[[str], str] | None = None  # the significant text of a covered part
    recognizes: Callable[[bytes], bool] | None = None  # for a suffix that several languages have: is it this one
    # a captured @name that is a C declarator, or what owns it: the name's own node and the owner, None for none
    named_by: Callable[[tree_sitter.Node], tuple[tree_sitter.Node, str] | None] | None = None

    # insignificant nodes
    comments: _Kinds = frozenset({"comment"})
    husks: _Kinds = frozenset()  # nodes that mean no more than what they hold
    idle_kinds: _Kinds = frozenset()  # statements that may do nothing...
    is_idle: Callable[[Nodes, int, bool], bool] = _always  # ...and whether this one does: (tree, node, in a class)
    punctuation: _Kinds = frozenset("()[]{},;:")
    significant: _Pairs = frozenset()  # (parent, punctuation) that is not mere layout: a[1:]
    hints: _Pairs = frozenset()  # (parent, field) that the language ignores at run time
    same_kinds: Mapping[str, str] = field(factory=dict[str, str])  # two spellings of one thing
    shorthands: Mapping[str, tuple[str, str, str]] = field(factory=dict[str, tuple[str, str, str]])  # {a} for {a: a}
    # parent's kind -> (tree, parent, child) -> the field of a child to which the grammar gives none
    field_rules: Mapping[str, FieldRule] = field(factory=dict[str, FieldRule])
    # kind -> a correction of a node once its children are read, with `Nodes.grow` among others
    corrections: Mapping[str, Callable[[Nodes, int], None]] = field(factory=dict[str, Callable[[Nodes, int], None]])
    leaf_kinds: _Kinds = frozenset()  # nodes with children that are read as one leaf
    lone_blocks: _Kinds = frozenset()  # blocks that mean the one statement in them, as a branch of `branches`
    branches: _Pairs = frozenset()
    empty_ok: _Pairs = frozenset()  # (parent, kind) that mean nothing when empty: `class A():`
    docstring_kind: str = "expression_statement"
    docstring: Callable[[Nodes, int], bool] | None = None  # is this one documentation
    doc_comment: Callable[[str], bool] = never  # is this comment, right above, documentation
    read_doc: Callable[[str], str] = doc_text  # its text without marks
    bare_lists: Mapping[str, tuple[str, str, str]] = field(factory=dict[str, tuple[str, str, str]])  # x => y: (x) => y

    # literals: strings, their parts, numbers and constants are in `Notation`
    literals: _Kinds = frozenset()  # kinds whose text is a fact
    literal_rule: Rule = literal
    read_string_part: Callable[[str, str], str] = lambda _kind, text: text
    dollar_names: bool = False  # "$name and more" comes from the grammar as `$` and `name and more`
    folded: _Kinds = frozenset()  # text in which runs of white space are one space: JSX
    interpolated: Callable[[str], bool] = never  # does this string run code
    read_string: Callable[[str], str] = str
    quoted_names: _Pairs = frozenset()  # (parent, field) where 'a' is the name a
    joined_strings: _Kinds = frozenset()
    read_number: Callable[[str], tuple[str, str]] = lambda text: (text, text)  # (as shown, as compared)

    # names
    identifiers: _Kinds = frozenset({"identifier"})
    sigils: str = ""  # what may stand before a name and is no part of it: $name, :name
    reserved: Mapping[str, str] = field(factory=dict[str, str])  # identifiers that are words of the language -> kind
    attributes: _Pairs = frozenset()  # (parent, field) where an identifier is no variable
    selves: frozenset[str] = frozenset()  # names by which a method calls its own object
    scopes: Mapping[str, str] = field(factory=dict[str, str])  # kind -> function, block or class
    unscoped: _Pairs = frozenset()  # (parent, field) where a scope's kind opens none
    outside: _Pairs = frozenset()  # (scope kind, field) that belongs to the scope around it
    binders: Mapping[str, Binder] = field(factory=dict[str, Binder])
    patterns: Mapping[str, tuple[str, ...]] = field(factory=dict[str, tuple[str, ...]])  # () means every child
    constant_patterns: bool = False  # an upper-case name in a pattern is a constant, not a variable
    undeclared: Mapping[str, bool] = field(factory=dict[str, bool])  # global, nonlocal
    chains: Mapping[str, tuple[str, str]] = field(factory=dict[str, tuple[str, str]])  # a.b: kind -> (object, name)
    subscripts: Mapping[str, tuple[str, str]] = field(factory=dict[str, tuple[str, str]])
    macros: _Kinds = frozenset()  # token soups, in which strings may name locals
    bare_calls: bool = False  # a call without an object names a method: never a local
    creators: _Pairs = frozenset()  # (parent, field) where a type's name is a use of it
    not_attribute: Callable[[Nodes, int], bool] = never  # an exception to `attributes`

    # definitions: functions get (tree, definition) and what else is named here
    implicit_value: Callable[[Nodes, int, int], str] = _no_text  # of a constant, from its position; with the name
    implicit_modifiers: Callable[[Nodes, int], str] = _no_text  # of code, from where it stands
    wrappers: _Kinds = frozenset()  # around one definition they belong to it
    leading: _Kinds = frozenset()  # siblings before a definition that belong to it
    promoted: _Kinds = frozenset()  # parameters of a constructor that are fields of its class
    objects: bool = False  # a constant can hold functions
    # a closer kind, or None for no symbol
    refine: Callable[[Nodes, int, SymbolKind], SymbolKind | None] = lambda _tree, _node, kind: kind
    membership: Callable[[Nodes, int], Membership | None] = lambda _tree, _node: None  # of what `refine` refuses
    owner: Callable[[str], str] = str  # the prefix that an @owner gives
    header: Callable[[Nodes, int, int], Header] = lambda _tree, _node, _root: Header()  # with the outermost wrapper
    # the value of a constant; with the name
    value: Callable[[Nodes, int, int], int | None] = lambda _tree, _node, _name: None
    value_only: bool = False  # a constant means its value and nothing else
    fields: Callable[[Nodes, int], bool] = _always  # is this constant of a class a field, in its order
    fields_make: Callable[[Nodes, int], bool] = never  # do fields make this class's constructor
    constructors: frozenset[str] = frozenset()
    named_parameters: bool = False  # a caller may use parameters by name
    typed_names: bool = False  # ...and their types are part of the interface too
    maker: str = ""  # what a class calls, without a receiver, to make one of itself
    inherits: bool = False  # inherited names need no receiver

    # editing: what can be read again by itself after an edit. (parent's kind, "" for none; container's kind) -> kinds
    # of children that mean the same whatever stands beside them; their containers open no scope, or that of a class
    apart: Mapping[tuple[str, str], _Kinds] = field(factory=dict[tuple[str, str], frozenset[str]])
    far: Callable[[bytes], bool] = never  # may a definition change the meaning of one that stands elsewhere

    # what a person would name, and what comes from other files
    rules: Mapping[str, Rule] = field(factory=dict[str, Rule])  # those of literals are added
    imports: _Kinds = frozenset()
    quiet_imports: _Kinds = frozenset()  # import something too, and are ordinary code as well
    read_import: Callable[[Nodes, int], Iterable[Import]] = _empty
    locate: Callable[[str, str, str | None], Located] = _empty  # (importing file, module, name): files in order
    bare_paths: frozenset[str] = frozenset()  # words that start a path to a module without an import: crate::a::b
    neighbours: Callable[[str, str], Iterable[str]] = _empty  # (file, name) -> files that may define it
    open_names: bool = False  # what namespaces and enumerations hold is known without their names where they are seen
    file_per_type: bool = False  # a file is called like the type in it, by which an imported namespace leads to it
    shares_folder: bool = False  # the files of a folder see each other's names

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "rules", {**dict.fromkeys(self.literals, self.literal_rule), **self.rules})
