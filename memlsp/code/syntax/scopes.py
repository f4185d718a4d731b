"""Tells locals from names that come from elsewhere.

A local is a name that the code binds inside a function, invisible from outside: renaming it changes nothing.
Attributes, keyword arguments, fields, module names and imported names are not. Scopes follow each language: Python's
and `var`'s belong to the function, others to the block; in Go, Rust and Java a name is known only behind its
declaration.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from attrs import define, field

from memlsp.code.syntax.language import Binder
from memlsp.code.syntax.nodes import NameScope
from memlsp.code.syntax.tree import Tree


@define(eq=False, slots=True)
class ResolvedNames:
    """`local` gives the variable (a number) of every node that is a local; `free` are the others, dotted as written."""

    local: dict[int, int] = field(factory=dict[int, int])
    free: list[tuple[int, str]] = field(factory=list[tuple[int, str]])
    # locals that a string names
    woven: dict[int, list[tuple[str, int]]] = field(factory=dict[int, list[tuple[str, int]]])
    receivers: set[int] = field(factory=set[int])  # nodes that name the method's own object


def resolve(tree: Tree) -> ResolvedNames:
    """Tell the locals of a tree from its free names."""
    return _Resolution(tree).run()


class _Resolution:
    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.variables = 0
        self.receivers: set[int] = set()
        self.bound: dict[int, int] = {}

    def run(self) -> ResolvedNames:
        tree = self.tree
        undeclared = tree.language.undeclared
        statements = [(node, scope) for node, scope in tree.binders if tree.kind[node] in undeclared]
        for node, scope in statements:
            for child in tree.children(node):
                if tree.kind[child] in tree.language.identifiers:
                    scope.elsewhere[tree.text[child]] = undeclared[tree.kind[node]]
        for node, scope in tree.binders:
            if tree.kind[node] not in undeclared:
                self._bind(node, scope, tree.language.binders[tree.kind[node]])
        names = ResolvedNames()
        silenced = tree.insignificant(len(tree.kind))
        for node in tree.imports:
            silenced[node : tree.after[node]] = b"\x01" * (tree.after[node] - node)
        for node, scope in tree.identifiers:
            self._sort(node, scope, names, silenced=bool(silenced[node]))
        for node, scope in tree.woven:
            mentioned = ((name, self._look_up(node, name, scope)) for name in _WOVEN.findall(tree.text[node]))
            known = [(name, variable) for name, variable in mentioned if variable is not None]
            if known:
                names.woven[node] = known
        return names

    def _sort(self, node: int, scope: NameScope, names: ResolvedNames, *, silenced: bool) -> None:
        """Put an identifier among the locals or the free names, and record names of the method's own object."""
        text = self.tree.text[node]
        if not text:
            return  # a language took it for something else since
        # an import names what is elsewhere, also where a local has the same name
        variable = None if silenced else self._look_up(node, text, scope)
        own = text in self.tree.language.selves or variable in self.receivers
        if variable is not None:
            names.local[node] = variable
            if not own:
                return
        elif silenced or text in ("_", ""):
            return
        if own:
            names.receivers.add(node)
        dotted = self.chain(node)
        if not own or dotted != text:
            names.free.append((node, dotted))

    def _bind(self, node: int, scope: NameScope, binder: Binder) -> None:
        """Enter the names that a node binds into the scope that owns them."""
        tree = self.tree
        if binder.needs and not self._has(node, binder.needs):
            return
        owner = self._owner(node, scope, binder.level)
        if owner.kind == "module":
            return
        since_node = tree.after[node] if binder.late else 0
        receiver = tree.field[tree.parent[node]] == "receiver"
        for child in tree.children(node):
            field = tree.field[child]
            if (binder.fields and field not in binder.fields) or (tree.kind[node], field) in tree.language.attributes:
                continue
            for leaf in self._pattern(child):
                self._name(leaf, owner, since_node, anew=binder.anew, receiver=receiver)

    def _owner(self, node: int, scope: NameScope, level: str) -> NameScope:
        """The scope that owns the names bound by a node; the levels are those of `Binder`."""
        tree = self.tree
        if level == "outside" or (level == "declared" and tree.kind[tree.parent[node]] != "variable_declaration"):
            return scope
        if level in ("function", "declared"):
            return _function_of(scope)
        if level == "declarator":
            return self._declared(node, scope)
        return tree.opened.get(node, scope)

    def _has(self, node: int, wanted: str) -> bool:
        tree = self.tree
        return any(wanted in (tree.field[child], tree.text[child]) for child in tree.children(node))

    def _declared(self, node: int, scope: NameScope) -> NameScope:
        """The scope of the function whose declarator a parameter stands in, or of that declarator without a body."""
        tree = self.tree
        at = tree.parent[node]
        found = scope
        while at >= 0 and tree.kind[at].endswith(("declarator", "parameter_list")):
            found = tree.opened.get(at, found)
            at = tree.parent[at]
        return tree.opened.get(at, found) if at >= 0 and "declaration" not in tree.kind[at] else found

    def _name(self, leaf: int, owner: NameScope, since: int, *, anew: bool, receiver: bool) -> None:
        name = self.tree.text[leaf]
        if name == "_" or (self.tree.language.constant_patterns and name[:1].isupper()):
            return
        while name in owner.elsewhere:
            if owner.elsewhere[name] or owner.parent is None:
                return
            owner = _function_of(owner.parent)
        if owner.kind == "module":
            return
        known = owner.names.setdefault(name, [])
        if known and not anew:
            variable = known[-1][1]
            self.bound[leaf] = variable
            return
        if owner.kind == "class":
            known.append((0, -1))
            return
        self.variables += 1
        known.append((since, self.variables))
        self.bound[leaf] = self.variables
        if receiver:
            self.receivers.add(self.variables)

    def _pattern(self, node: int) -> Iterator[int]:
        """The leaves under `node` that a pattern binds."""
        tree = self.tree
        patterns, identifiers = tree.language.patterns, tree.language.identifiers
        stack = [node]
        while stack:
            at = stack.pop()
            kind = tree.kind[at]
            if kind in identifiers and tree.is_leaf(at):
                yield at
            elif kind in patterns:
                fields = patterns[kind]
                inner = [c for c in tree.children(at) if not fields or tree.field[c] in fields]
                if fields == _FIRST:
                    inner = list(tree.children(at))[:1]
                elif fields == _SOLE:
                    inner = list(tree.children(at))
                    inner = inner if len(inner) == 1 else []
                stack.extend(reversed(inner))

    def _look_up(self, node: int, name: str, scope: NameScope | None) -> int | None:
        bound = self.bound.get(node)
        if bound is not None:
            return bound if bound > 0 else None
        innermost = True
        while scope is not None:
            if name in scope.elsewhere:
                if scope.elsewhere[name]:
                    return None
            elif name in scope.names and (innermost or scope.kind != "class"):
                known = scope.names[name]
                at = bisect_right(known, (node, _LAST)) - 1
                if at >= 0:
                    best = known[at][1]
                    return best if best > 0 else None
            innermost = innermost and scope.kind == "block"
            scope = scope.parent
        return None

    def chain(self, node: int) -> str:
        """The dotted name that starts at a leaf: `requests.get`, `CONFIG["rate"]`."""
        tree = self.tree
        parts = [tree.text[node]]
        at = node
        for _ in range(_LONGEST_CHAIN):
            parent = tree.parent[at]
            kind = tree.kind[parent] if parent >= 0 else ""
            following: int | None = None
            if kind in tree.language.chains:
                following = self._member(at, parent, parts)
            elif kind in tree.language.subscripts:
                following = self._subscript(at, parent, parts)
            elif kind in tree.language.macros:
                self._path_in_macro(at, parent, parts)
            if following is None:
                break
            at = following
        return "".join(parts)

    def _member(self, at: int, parent: int, parts: list[str]) -> int | None:
        """Add the name behind `at` to a chain; the node to go on from, None at the end."""
        tree = self.tree
        kind = tree.kind[parent]
        above, below = tree.language.chains[kind]
        at, parent, name = self._nested(at, parent, parts)
        if name is not None and tree.kind[name].startswith(("template_", "generic_name")):
            name = tree.child(name, "name")
        if tree.child(parent, above) != at or name is None or not tree.is_leaf(name):
            return None
        parts.append("." + tree.text[name].lstrip(tree.language.sigils))
        while tree.kind[tree.parent[parent]] == kind and tree.field[parent] == below:
            parent = tree.parent[parent]
        return parent

    def _subscript(self, at: int, parent: int, parts: list[str]) -> int | None:
        """Add a literal key behind `at` to a chain; the node to go on from, None at the end."""
        tree = self.tree
        above, below = tree.language.subscripts[tree.kind[parent]]
        key = tree.child(parent, below)
        if tree.child(parent, above) != at or key is None or tree.kind[key] not in tree.language.strings:
            return None
        if not tree.is_leaf(key) or not tree.text[key].startswith("'"):
            return None
        parts.append(f'["{tree.text[key][1:-1]}"]')
        return parent

    def _path_in_macro(self, at: int, parent: int, parts: list[str]) -> None:
        """Add the names behind `at` among the tokens of a macro."""
        tree = self.tree
        after = at + 1
        while after + 1 < tree.after[parent] and tree.text[after] in (".", "::"):
            if not tree.kind[after + 1].endswith("identifier"):
                break
            parts.append("." + tree.text[after + 1])
            after += 2

    def _nested(self, at: int, parent: int, parts: list[str]) -> tuple[int, int, int | None]:
        """Through a chain that the grammar nests to the right, `a::(b::c)`: where it stands then, and the last name."""
        tree, chains = self.tree, self.tree.language.chains
        above, below = chains[tree.kind[parent]]
        name = tree.child(parent, below)
        while name is not None and tree.kind[name] in chains and tree.child(parent, above) == at:
            scope = tree.child(name, chains[tree.kind[name]][0])
            if scope is None or not tree.is_leaf(scope) or len(parts) > _LONGEST_CHAIN:
                break
            parts.append("." + tree.text[scope])
            at, parent = scope, name
            name = tree.child(parent, chains[tree.kind[parent]][1])
        return at, parent, name


_WOVEN = re.compile(r"(?<!\{)\{([a-z_][A-Za-z0-9_]*)")
_LAST = 1 << 60
_LONGEST_CHAIN = 16  # names in a dotted one
_FIRST = ("first",)  # in a description: only the first child is a pattern
_SOLE = ("sole",)  # only when there is one child


def _function_of(scope: NameScope) -> NameScope:
    while scope.kind == "block" and scope.parent is not None:
        scope = scope.parent
    return scope
