"""The walk that fills the arrays of a tree and marks insignificant nodes on the way."""

from __future__ import annotations

import re

import tree_sitter

from memlsp.code.syntax.nodes import Comment, NameScope, TaggedDefinition
from memlsp.code.syntax.tree import Tree
from memlsp.code.vocabulary import texts

MODULE = "module"
Tag = tuple[str, int, int, str]  # kind of definition, where its name starts and ends, owner
Tags = dict[tuple[int, int, int], list[Tag]]  # by (start, end, kind id) of the definition


class WindowCursor:
    """A cursor that sees some nodes in part: `windows` gives, by a node's id, the first and last byte seen."""

    def __init__(self, root: tree_sitter.Node, windows: dict[int, tuple[int, int]]) -> None:
        self._cursor = root.walk()
        self._windows = windows
        self._ends: list[int] = []  # by depth: where the window ends that the cursor is in

    @property
    def node(self) -> tree_sitter.Node | None:
        """The node the cursor is at."""
        return self._cursor.node

    @property
    def field_id(self) -> int | None:
        """The number of the field the cursor is at."""
        return self._cursor.field_id

    def goto_first_child(self) -> bool:
        """To the first child in sight; False when there is none."""
        node = self._cursor.node
        window = self._windows.get(node.id) if node is not None else None
        if window is None:
            entered = self._cursor.goto_first_child()
        else:
            entered = self._cursor.goto_first_child_for_byte(window[0]) is not None
        if entered:
            self._ends.append(window[1] if window else _EVERYTHING)
        return entered

    def goto_next_sibling(self) -> bool:
        """To the next sibling in sight; False when there is none, and then only the parent may follow."""
        if not self._cursor.goto_next_sibling():
            return False
        node = self._cursor.node
        return node is not None and node.start_byte < self._ends[-1]

    def goto_parent(self) -> bool:
        """Back up; False at the root."""
        if not self._cursor.goto_parent():
            return False
        self._ends.pop()
        return True


class TreeFlattener:
    """One walk over the syntax tree that fills the arrays."""

    def __init__(self, tree: Tree, kinds: tuple[str, ...], fields: tuple[str, ...], tags: Tags) -> None:
        language = tree.language
        self.tree = tree
        self.kinds = kinds
        self.fields = fields
        self.tags = tags
        self.tagged_ids = {kind for _, _, kind in tags}
        self.silent: list[int] = []
        self.transparent: list[int] = []
        self.module = NameScope(MODULE, 0, None)
        self.husks = language.wrappings | language.husks
        self.noted = {*language.rules, *language.binders, *language.imports, *language.quiet_imports}
        self.whole = language.strings | language.folded | language.string_parts | frozenset(language.shorthands)
        self.closing = {
            *(*language.corrections, *self.husks, *language.joined_strings, *language.idle_kinds),
            *(*language.lone_blocks, language.docstring_kind, *(kind for _, kind in language.empty_ok)),
        }
        # where the walk is: the open node, its kind, the scope for its children, and the scopes around open nodes
        self.parent = -1
        self.parent_kind = ""
        self.scope: NameScope = self.module
        self.around: list[NameScope] = []

    def run(self, cursor: tree_sitter.TreeCursor | WindowCursor) -> None:
        """Visit every node at and below a cursor once, in source order."""
        tree, language = self.tree, self.tree.language
        kinds, fields, known, tagged_ids = self.kinds, self.fields, len(self.kinds), self.tagged_ids
        comments, husks, may_cover = language.comments, self.husks, language.covered_text is not None
        t_kind, t_field, t_start, t_end = tree.kind, tree.field, tree.start, tree.end
        t_parent, t_after, t_text = tree.parent, tree.after, tree.text
        while True:
            node = cursor.node
            assert node is not None
            kind_id, start, end = node.kind_id, node.start_byte, node.end_byte
            kind = kinds[kind_id] if kind_id < known else node.type
            entered = False
            if may_cover and kind == "comment":
                kind = self._covered(start, end)
            if kind in comments:
                tree.comments.append(Comment(start, end))
            else:
                index, parent, field_id = len(t_kind), self.parent, cursor.field_id
                name = fields[field_id] if field_id else ""
                t_kind.append(kind)
                t_field.append(t_field[parent] if not name and self.parent_kind in husks else name)
                t_start.append(start)
                t_end.append(end)
                t_parent.append(parent)
                t_after.append(index + 1)
                if kind[:1] == "'" and kind_id not in tagged_ids:
                    # A keyword or sign: its kind is its text.
                    text = kind[1:] if end > start else ""
                    t_text.append(text)
                    if text in _CLOSING:
                        self._close_list(index, parent)
                else:
                    t_text.append("")
                    entered = self._visit_named(index, kind, kind_id, cursor)
            if entered:
                continue
            while not cursor.goto_next_sibling():
                if not cursor.goto_parent():
                    tree.silent, tree.transparent = self.silent, frozenset(self.transparent)
                    return
                self._leave()

    def _covered(self, start: int, end: int) -> str:
        """The kind of a comment; where one covers text from the parser, its kind is that text, and it is not shown."""
        tree, covered_text = self.tree, self.tree.language.covered_text
        if covered_text is None or tree.source[start : start + 1] == b"/":
            return "comment"
        tree.hidden.add(len(tree.kind))
        return "'" + covered_text(tree.source[start:end].decode("utf-8", "replace"))

    def _visit_named(self, index: int, kind: str, kind_id: int, cursor: tree_sitter.TreeCursor | WindowCursor) -> bool:
        """Read a node that is no keyword. True when it has children to visit; the cursor then stands on the first."""
        tree, language = self.tree, self.tree.language
        parent, parent_kind, scope, name = self.parent, self.parent_kind, self.scope, tree.field[index]
        if not name and parent_kind in language.field_rules:
            name = tree.field[index] = language.field_rules[parent_kind](tree, parent, index)
        if name:
            where = (parent_kind, name)
            if where in language.outside and scope.parent is not None:
                scope = scope.parent
            if where in language.hints and not (scope.kind == "class" and parent_kind == "assignment"):
                self.silent.append(index)
        if kind_id in self.tagged_ids:
            for tag in self.tags.get((tree.start[index], tree.end[index], kind_id), ()):
                tree.tagged.append(TaggedDefinition(index, *tag))
        if kind in self.noted:
            self._note(index, kind, scope)
        if kind in self.whole:
            if self._read_whole(index, kind, scope, cursor):
                return False
        elif kind in language.leaf_kinds or not cursor.goto_first_child():
            self._read_leaf(index, kind, scope)
            return False
        self.around.append(self.scope)
        self.parent, self.parent_kind, self.scope = index, kind, scope
        if kind in language.scopes and (tree.kind[parent], name) not in language.unscoped:
            self.scope = tree.opened[index] = NameScope(language.scopes[kind], index, scope)
        return True

    def _leave(self) -> None:
        """Back from the children of a node to its siblings."""
        tree, closed = self.tree, self.parent
        tree.after[closed] = len(tree.kind)
        if tree.kind[closed] in self.closing:
            self._close(closed, self.scope)
        self.scope = self.around.pop()
        self.parent = parent = tree.parent[closed]
        self.parent_kind = tree.kind[parent] if parent >= 0 else ""

    def _note(self, index: int, kind: str, scope: NameScope) -> None:
        """Record a node that a later pass reads again."""
        tree, language = self.tree, self.tree.language
        if kind in language.rules:
            tree.interesting.append(index)
        if kind in language.binders:
            tree.binders.append((index, scope))
        if kind in language.imports:
            tree.imports.append(index)
        elif kind in language.quiet_imports:
            tree.quiet_imports.append(index)

    def _read_leaf(self, index: int, kind: str, scope: NameScope) -> None:
        """Read the text of a node without children."""
        tree, language = self.tree, self.tree.language
        raw = tree.source[tree.start[index] : tree.end[index]].decode("utf-8", "replace")
        tree.text[index] = raw
        if kind in language.identifiers:
            if raw in language.reserved:
                self._reserve(index, language.reserved[raw])
            else:
                self._identifier(index, self.parent_kind, scope)
        elif kind in language.numbers:
            tree.text[index] = language.read_number(raw)[0]
        elif kind in language.constants:
            tree.text[index] = language.constants[kind] or raw
        elif kind == "type_identifier" and language.creators and self._created(index):
            tree.identifiers.append((index, self.module))

    def _read_whole(
        self, index: int, kind: str, scope: NameScope, cursor: tree_sitter.TreeCursor | WindowCursor
    ) -> bool:
        """Read a string, a part of one, folded text or a shorthand; False for a string that runs code."""
        tree, language = self.tree, self.tree.language
        raw = tree.raw(index).replace("\r\n", "\n")
        if kind in language.strings:
            if language.interpolated(raw) and cursor.goto_first_child():
                return False
            self._string(index, self.parent_kind, scope, language.read_string(raw))
        elif kind in language.folded:
            tree.text[index] = " ".join(raw.split())
        elif kind not in language.string_parts:
            self._expand(index, scope, raw)
        elif not (language.dollar_names and self._dollar_name(index, kind, scope, raw)):
            tree.text[index] = language.read_string_part(kind, raw)
        return True

    def _dollar_name(self, index: int, kind: str, scope: NameScope, raw: str) -> bool:
        """Read two pieces, `$` and `name and more`, as an interpolation of the name and the rest of the text."""
        tree = self.tree
        found, dollar = _LEADING_NAME.match(raw), index - 1
        if found is None or tree.text[dollar] != "$" or tree.end[dollar] != tree.start[index]:
            return False
        tree.kind[dollar], tree.text[dollar] = "interpolation", ""
        tree.kind[index], tree.text[index], tree.parent[index] = "'$", "$", dollar
        tree.identifiers.append((tree.grow(dollar, "identifier", "", found[0], index), scope))
        if found.end() < len(raw):
            rest = tree.language.read_string_part(kind, raw[found.end() :])
            tree.grow(tree.parent[dollar], kind, "", rest, index)
        return True

    def _reserve(self, index: int, kind: str) -> None:
        """A word of the language that the grammar takes for a name."""
        self.tree.kind[index] = kind
        if kind in self.tree.language.rules:
            self.tree.interesting.append(index)

    def _string(self, index: int, parent_kind: str, scope: NameScope, text: str) -> None:
        tree, language = self.tree, self.tree.language
        tree.text[index] = text
        if (parent_kind, tree.field[index]) in language.quoted_names and text[1:-1].isidentifier():
            tree.text[index], tree.kind[index] = text[1:-1], "property_identifier"
        elif parent_kind in language.macros and "{" in text:
            tree.woven.append((index, scope))

    def _identifier(self, index: int, parent_kind: str, scope: NameScope) -> None:
        """Remember an identifier, unless where it stands it names no variable."""
        tree, language = self.tree, self.tree.language
        name = tree.field[index]
        where = (parent_kind, name)
        lone = language.bare_lists.get(parent_kind)
        if lone is not None and name == lone[0]:
            self._list_of_one(index, scope, *lone[1:])
            index += 1
        elif where in language.attributes:
            if language.bare_calls and self._bare_call(index, where):
                scope = self.module
            elif not language.not_attribute(tree, index):
                return
        elif parent_kind in language.macros and tree.text[index - 1] in _MEMBER_OF:
            return
        tree.identifiers.append((index, scope))

    def _expand(self, index: int, scope: NameScope, raw: str) -> None:
        """Expand `{a}` to `{a: a}`, so that renaming the local is the same edit in both spellings."""
        tree = self.tree
        pair, key, value = tree.language.shorthands[tree.kind[index]]
        if not pair:  # two siblings instead of a node with two children
            tree.kind[index], tree.field[index], tree.text[index] = "property_identifier", key, raw
            tree.hidden.add(index)
            tree.identifiers.append((tree.grow(tree.parent[index], "identifier", value, raw, index), scope))
            return
        tree.kind[index] = pair
        tree.hidden.add(tree.grow(index, "property_identifier", key, raw))  # shown once, as it is written
        tree.identifiers.append((tree.grow(index, "identifier", value, raw), scope))

    def _list_of_one(self, index: int, scope: NameScope, kind: str, field: str) -> None:
        """A lone parameter gets the list around it that it may be written with."""
        tree = self.tree
        text = tree.text[index]
        tree.kind[index], tree.field[index], tree.text[index] = kind, field, ""
        if kind in tree.language.binders:
            tree.binders.append((index, scope))
        tree.grow(index, "identifier", "", text)

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

    def _close(self, index: int, scope: NameScope) -> None:
        """Settle what depends on the children of a node, once they are known."""
        tree, language = self.tree, self.tree.language
        kind = tree.kind[index]
        if kind in language.corrections:
            language.corrections[kind](tree, index)
            kind = tree.kind[index]
        if kind in language.wrappings:
            self._unwrap(index)
        elif kind in language.husks:
            self.transparent.append(index)
        elif kind in language.joined_strings:
            self._join(index)
        elif kind in language.idle_kinds:
            if language.is_idle(tree, index, scope.kind == "class"):
                above = tree.parent[index]
                self.silent.append(above if tree.kind[above] == "expression_statement" else index)
        elif kind in language.lone_blocks:
            self._lone_block(index)
        elif (tree.kind[tree.parent[index]], kind) in language.empty_ok and next(tree.named(index), None) is None:
            self.silent.append(index)
        if language.docstring is not None and kind == language.docstring_kind and language.docstring(tree, index):
            tree.docstrings.append(index)
            self.silent.append(index)

    def _lone_block(self, index: int) -> None:
        """A branch that is a block of one statement means that statement."""
        tree, language = self.tree, self.tree.language
        if (tree.kind[tree.parent[index]], tree.field[index]) in language.branches:
            held = list(tree.named(index))
            if len(held) == 1 and "declaration" not in tree.kind[held[0]]:
                self.transparent.append(index)
                tree.field[held[0]] = tree.field[held[0]] or tree.field[index]

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


_LEADING_NAME = re.compile(r"[A-Za-z_]\w*")
_EVERYTHING = 1 << 62
_MEMBER_OF = frozenset({".", "::"})
_CLOSING = frozenset(")]}")
_ROUND = frozenset("()")
_OPERATIONS, _POSTFIXES = (tuple(texts(__name__)[each].split()) for each in ("operations", "postfixes"))


def _is_operation(kind: str, *, postfix: bool = False) -> bool:
    return kind.startswith(_OPERATIONS) or (postfix and kind.startswith(_POSTFIXES))
