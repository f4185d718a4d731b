"""Source text to a `Tree`: parse, find definitions with the tag query, flatten, and mark what says nothing.

Grammars and queries are made once per language and shared; a parser is made per call, so any thread may parse.
"""

from __future__ import annotations

from functools import cache

import tree_sitter
from attrs import frozen

from memlsp.code.language import Language
from memlsp.code.tree import Comment, Found, Scope, Tree

_STEP = 1 << 16  # bytes handed to the parser at a time
_PATIENCE = 20_000  # progress calls (some hundred parser steps each) before a hostile source is given up on
_MODULE = "module"


@frozen(eq=False)
class _Grammar:
    """What can be shared between calls."""

    language: tree_sitter.Language
    query: tree_sitter.Query
    kinds: tuple[str, ...]
    fields: tuple[str, ...]
    captured: frozenset[str]


@cache
def _grammar(language: Language) -> _Grammar:
    grammar = tree_sitter.Language(language.grammar())
    kinds = tuple(_kind_name(grammar, i) for i in range(grammar.node_kind_count))
    fields = ("", *(grammar.field_name_for_id(i) or "" for i in range(1, grammar.field_count + 1)))
    return _Grammar(grammar, tree_sitter.Query(grammar, language.tags), kinds, fields, frozenset(kinds))


def _kind_name(grammar: tree_sitter.Language, number: int) -> str:
    """A kind's name; keywords and punctuation get an apostrophe, because `string` is both in TypeScript."""
    name = grammar.node_kind_for_id(number) or ""
    return name if grammar.node_kind_is_named(number) else "'" + name


def parse(language: Language, source: bytes) -> Tree | None:
    """The tree of a source text, or None when the parser gave up on it (time, not errors)."""
    grammar = _grammar(language)
    parser = tree_sitter.Parser(grammar.language)
    calls = 0
    limit = _PATIENCE + len(source) // 8

    def impatient(_offset: int, _failed: bool) -> bool:
        nonlocal calls
        calls += 1
        return calls > limit

    def read(offset: int, _point: tree_sitter.Point) -> bytes:
        return source[offset : offset + _STEP]

    try:
        # None is possible when the callback says stop, whatever the stub says.
        parsed: tree_sitter.Tree | None = parser.parse(read, encoding="utf8", progress_callback=impatient)
    except (ValueError, RuntimeError):
        return None
    if parsed is None:
        return None
    root = parsed.root_node
    tree = Tree(language, source)
    tree.has_errors = root.has_error
    tree.line_starts = _line_starts(source)
    _Flattening(tree, grammar, _tagged(grammar, root)).run(root)
    _Keys(tree).run()
    return tree


def _line_starts(source: bytes) -> list[int]:
    starts = [0]
    at = source.find(b"\n")
    while at >= 0:
        starts.append(at + 1)
        at = source.find(b"\n", at + 1)
    return starts


_Tag = tuple[str, int, int, str]


def _tagged(grammar: _Grammar, root: tree_sitter.Node) -> dict[tuple[int, int, int], list[_Tag]]:
    """Definitions by (start, end, kind id): kind of symbol, where the name is, owner."""
    cursor = tree_sitter.QueryCursor(grammar.query, match_limit=4096)
    found: dict[tuple[int, int, int], list[_Tag]] = {}
    for _, captures in cursor.matches(root):
        names = captures.get("name")
        owners = captures.get("owner")
        owner = owners[0].text if owners else None
        for capture, nodes in captures.items():
            if capture == "scope":
                kind = "scope"
            elif capture.startswith("definition."):
                kind = capture[len("definition.") :]
            else:
                continue
            for node in nodes:
                for name in names or (node,):
                    tag = (kind, name.start_byte, name.end_byte, owner.decode("utf-8", "replace") if owner else "")
                    tags = found.setdefault((node.start_byte, node.end_byte, node.kind_id), [])
                    if all(known[1] != tag[1] for known in tags):
                        tags.append(tag)
    return found


class _Flattening:
    """One walk over the syntax tree that fills the arrays."""

    def __init__(self, tree: Tree, grammar: _Grammar, tags: dict[tuple[int, int, int], list[_Tag]]) -> None:
        self.tree = tree
        self.grammar = grammar
        self.tags = tags
        self.tagged_ids = {kind for _, _, kind in tags}
        self.silent: list[int] = []
        self.transparent: list[int] = []

    def run(self, root: tree_sitter.Node) -> None:  # noqa: C901, PLR0915 - one loop, kept flat because every node passes through it
        tree, language = self.tree, self.tree.language
        source = tree.source
        kinds, fields = self.grammar.kinds, self.grammar.fields
        known = len(kinds)
        comments, strings, pieces, numbers = language.comments, language.strings, language.pieces, language.numbers
        identifiers, attributes, scopes = language.identifiers, language.attributes, language.scopes
        binders, rules, hints, outside = language.binders, language.rules, language.hints, language.outside
        shorthands, wrappings, constants = language.shorthands, language.wrappings, language.constants
        import_kinds, husks = language.imports, language.husks
        quiet_imports, quoted_names, macros = language.quiet_imports, language.quoted_names, language.macros
        bare_lists, folded = language.bare_lists, language.folded
        unscoped, creators = language.unscoped, language.creators
        tags, tagged_ids = self.tags, self.tagged_ids
        t_kind, t_field, t_start, t_end = tree.kind, tree.field, tree.start, tree.end
        t_parent, t_after, t_text = tree.parent, tree.after, tree.text
        module = Scope(_MODULE, 0, None)
        parents: list[int] = [-1]
        scope_stack: list[Scope] = [module]
        cursor = root.walk()
        going = True
        while going:
            node = cursor.node
            assert node is not None
            kind_id = node.kind_id
            kind = kinds[kind_id] if kind_id < known else node.type
            start, end = node.start_byte, node.end_byte
            leaf = True
            if kind in comments:
                tree.comments.append(Comment(start, end, "", len(t_kind)))
            else:
                index = len(t_kind)
                parent = parents[-1]
                scope = scope_stack[-1]
                field_id = cursor.field_id
                name = fields[field_id] if field_id else ""
                parent_kind = t_kind[parent] if parent >= 0 else ""
                if not name and (parent_kind in wrappings or parent_kind in husks):
                    name = t_field[parent]
                where = (parent_kind, name)
                if where in outside and scope.parent is not None:
                    scope = scope.parent
                if where in hints and not (scope.kind == "class" and parent_kind == "assignment"):
                    self.silent.append(index)
                t_kind.append(kind)
                t_field.append(name)
                t_start.append(start)
                t_end.append(end)
                t_parent.append(parent)
                t_after.append(index + 1)
                t_text.append("")
                if kind_id in tagged_ids:
                    for tag, name_start, name_end, owner in tags.get((start, end, kind_id), ()):
                        tree.founds.append(Found(index, tag, name_start, name_end, owner))
                if kind in rules:
                    tree.interesting.append(index)
                if kind in binders:
                    tree.binders.append((index, scope))
                if kind in import_kinds:
                    tree.imports.append(index)
                elif kind in quiet_imports:
                    tree.quiet_imports.append(index)
                if kind in strings:
                    raw = source[start:end].decode("utf-8", "replace")
                    if language.interpolated(raw):
                        leaf = not cursor.goto_first_child()
                    if leaf:
                        t_text[index] = text = language.read_string(raw)
                        if where in quoted_names and text[1:-1].isidentifier():
                            t_text[index], t_kind[index] = text[1:-1], "property_identifier"
                        elif parent_kind in macros and "{" in text:
                            tree.woven.append((index, scope))
                elif kind in folded:
                    t_text[index] = " ".join(source[start:end].decode("utf-8", "replace").split())
                elif kind in pieces:
                    t_text[index] = source[start:end].decode("utf-8", "replace").replace("\r\n", "\n")
                elif kind in shorthands:
                    self._expand(index, scope, source[start:end].decode("utf-8", "replace"))
                elif cursor.goto_first_child():
                    leaf = False
                else:
                    raw = source[start:end].decode("utf-8", "replace")
                    if kind in identifiers:
                        t_text[index] = raw
                        if bare_lists and parent_kind in bare_lists and name == bare_lists[parent_kind][0]:
                            self._list_of_one(index, scope, *bare_lists[parent_kind][1:])
                            index += 1
                            where = ("", "")
                        if where not in attributes:
                            if parent_kind not in macros or t_text[index - 1] not in _MEMBER_OF:
                                tree.identifiers.append((index, scope))
                        elif language.not_attribute(tree, index):
                            tree.identifiers.append((index, scope))
                        elif language.bare_calls and self._bare_call(index, where):
                            tree.identifiers.append((index, module))
                    elif kind == "type_identifier" and creators and self._created(index):
                        t_text[index] = raw
                        tree.identifiers.append((index, module))
                    elif kind in numbers:
                        t_text[index] = language.read_number(raw)[0]
                    elif kind in constants:
                        t_text[index] = constants[kind] or raw
                    else:
                        t_text[index] = raw
                        if raw in _CLOSING:
                            self._close_list(index, parent)
                if not leaf:
                    parents.append(index)
                    if kind in scopes and where not in unscoped:
                        scope = tree.opened[index] = Scope(scopes[kind], index, scope)
                    scope_stack.append(scope)
                    continue
            while not cursor.goto_next_sibling():
                if not cursor.goto_parent():
                    going = False
                    break
                closed = parents.pop()
                scope = scope_stack.pop()
                t_after[closed] = len(t_kind)
                self._close(closed, scope)
        tree.silent = self.silent
        tree.transparent = frozenset(self.transparent)

    def _expand(self, index: int, scope: Scope, raw: str) -> None:
        """`{a}` becomes what it stands for, `{a: a}`, so that renaming the local is the same edit in both spellings."""
        tree = self.tree
        pair, key, value = tree.language.shorthands[tree.kind[index]]
        if not pair:  # two siblings instead of a node with two children
            tree.kind[index], tree.field[index], tree.text[index] = "property_identifier", key, raw
            tree.hidden.add(index)
            self._append("identifier", value, index, tree.parent[index], raw)
            tree.identifiers.append((len(tree.kind) - 1, scope))
            return
        tree.kind[index] = pair
        self._append("property_identifier", key, index, index, raw)
        tree.hidden.add(len(tree.kind) - 1)  # shown once, as it is written
        self._append("identifier", value, index, index, raw)
        tree.identifiers.append((len(tree.kind) - 1, scope))
        tree.after[index] = len(tree.kind)

    def _list_of_one(self, index: int, scope: Scope, kind: str, field: str) -> None:
        """A lone parameter gets the list around it that it may be written with."""
        tree = self.tree
        text = tree.text[index]
        tree.kind[index], tree.field[index], tree.text[index] = kind, field, ""
        if kind in tree.language.binders:
            tree.binders.append((index, scope))
        self._append("identifier", "", index, index, text)
        tree.after[index] = len(tree.kind)

    def _append(self, kind: str, field: str, like: int, parent: int, text: str) -> None:
        """A leaf of our own at the place of node `like`."""
        tree = self.tree
        tree.kind.append(kind)
        tree.field.append(field)
        tree.start.append(tree.start[like])
        tree.end.append(tree.end[like])
        tree.parent.append(parent)
        tree.after.append(len(tree.kind))
        tree.text.append(text)

    def _bare_call(self, index: int, where: tuple[str, str]) -> bool:
        """The name of a method that is called without saying on what."""
        tree = self.tree
        chain = tree.language.chains.get(where[0])
        return chain is not None and where[1] == chain[1] and tree.field[tree.parent[index] + 1] != chain[0]

    def _created(self, index: int) -> bool:
        """The name of a type that is made here: `new Foo()`, `new Foo<T>()`."""
        tree = self.tree
        at = index
        if "generic" in tree.kind[tree.parent[at]] and tree.parent[at] + 1 == at:
            at = tree.parent[at]
        return (tree.kind[tree.parent[at]], tree.field[at]) in tree.language.creators

    def _close_list(self, index: int, parent: int) -> None:
        """A comma before a closing bracket is layout, except in a tuple of one."""
        tree = self.tree
        comma = index - 1
        if tree.text[comma] == "," and tree.parent[comma] == parent:
            commas = sum(1 for child in tree.children_so_far(parent) if tree.text[child] == ",")
            if commas > 1 or "tuple" not in tree.kind[parent]:
                tree.text[comma] = ""

    def _close(self, index: int, scope: Scope) -> None:
        """What can be said of a node once its children are known."""
        tree, language = self.tree, self.tree.language
        kind = tree.kind[index]
        if kind in language.wrappings:
            self._unwrap(index)
        elif kind in language.husks:
            self.transparent.append(index)
        elif kind in language.joined_strings:
            self._join(index)
        elif kind in language.idle_kinds:
            if language.idle(tree, index, scope.kind == "class"):
                above = tree.parent[index]
                self.silent.append(above if tree.kind[above] == "expression_statement" else index)
        elif kind in language.lone_blocks:
            where = (tree.kind[tree.parent[index]], tree.field[index])
            if where in language.branches:
                held = list(tree.named(index))
                if len(held) == 1 and "declaration" not in tree.kind[held[0]]:
                    self.transparent.append(index)
                    tree.field[held[0]] = tree.field[held[0]] or tree.field[index]
        elif (tree.kind[tree.parent[index]], kind) in language.empty_ok and next(tree.named(index), None) is None:
            self.silent.append(index)
        if language.docstring is not None and kind == language.docstring_kind and language.docstring(tree, index):
            tree.docstrings.append(index)
            self.silent.append(index)

    def _unwrap(self, index: int) -> None:
        tree = self.tree
        held = list(tree.named(index))
        if len(held) != 1:
            return
        self.transparent.append(index)
        parent = tree.parent[index]
        if not (_is_operation(tree.kind[held[0]]) and _is_operation(tree.kind[parent], postfix=True)):
            for child in tree.children(index):
                if tree.text[child] in _ROUND:
                    tree.text[child] = ""

    def _join(self, index: int) -> None:
        """`'a' 'b'` is `'ab'`."""
        tree = self.tree
        parts = list(tree.children(index))
        if not all(tree.is_leaf(part) for part in parts):
            return
        texts = [tree.text[part] for part in parts]
        prefix = texts[0][: texts[0].find("'")]
        if any(text[: text.find("'")] != prefix for text in texts):
            return
        tree.cut(index + 1)
        tree.kind[index] = "string"
        tree.after[index] = index + 1
        tree.text[index] = prefix + "'" + "".join(text[len(prefix) + 1 : -1] for text in texts) + "'"


_MEMBER_OF = frozenset({".", "::"})
_CLOSING = frozenset(")]}")
_ROUND = frozenset("()")
_OPERATIONS = ("binary", "boolean_op", "comparison", "unary", "not_op", "conditional", "ternary", "lambda", "named_expr", "assignment",
               "await", "yield", "arrow_function", "closure", "range", "cast", "as_expression", "type_cast", "instanceof",
               "function_expression", "sequence", "reference_expr")  # fmt: skip
_POSTFIXES = ("attribute", "call", "subscript", "member_expression", "selector", "index_expression", "field_expression",
              "method_invocation", "field_access", "array_access", "try_expression", "type_assertion", "non_null")  # fmt: skip


def _is_operation(kind: str, *, postfix: bool = False) -> bool:
    return any(kind.startswith(part) for part in _OPERATIONS) or (
        postfix and any(kind.startswith(part) for part in _POSTFIXES)
    )


class _Keys:
    """What every node contributes to a digest."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree

    def run(self) -> None:
        tree, language = self.tree, self.tree.language
        count = len(tree.kind)
        silenced = tree.silenced(count)
        transparent = tree.transparent
        punctuation, same_kinds = language.punctuation, language.same_kinds
        numbers, identifiers = language.numbers, language.identifiers
        kept = language.telling
        arity = [0] * count
        owner = [0] * count  # the nearest ancestor that counts its children
        inner: list[int] = []
        keys = [""] * count
        shapes = [""] * count
        kinds, fields, texts, parents, afters = tree.kind, tree.field, tree.text, tree.parent, tree.after
        for node in range(count):
            parent = parents[node]
            above = parent if parent < 0 or parent not in transparent else owner[parent]
            owner[node] = above
            if silenced[node] or node in transparent:
                continue
            text = texts[node]
            kind = kinds[node]
            if afters[node] == node + 1:
                if not text:
                    continue
                if text in punctuation and (kinds[parent], text) not in kept:
                    if text == "," and texts[node - 1] in _HOLE and kinds[parent].startswith("array"):
                        text = "hole"
                    else:
                        continue
                elif kind in numbers:
                    text = language.read_number(tree.raw(node))[1]
                keys[node] = f"{fields[node]}={text}"
                shapes[node] = "i" if kind in identifiers else kind
            else:
                inner.append(node)
            if above >= 0:
                arity[above] += 1
        for node in inner:
            kind = kinds[node]
            keys[node] = shapes[node] = f"{fields[node]}:{same_kinds.get(kind, kind)}/{arity[node]}"
        tree.key = keys
        tree.shape = shapes


_HOLE = frozenset({",", "["})
