"""Fills the keys of nodes, what each contributes to a digest: kind, field and number of children, or its text."""

from __future__ import annotations

from memlsp.code.syntax.tree import Tree


def fill_keys(tree: Tree) -> None:
    """Fill `key`, `shape` and `previous` of a flattened tree.

    Comments, documentation, hints and idle statements have no key, nor have parentheses and punctuation: the shape of
    the tree says what they say.
    """
    language = tree.language
    count = len(tree.kind)
    silenced = tree.insignificant(count)
    transparent = tree.transparent
    identifiers, same_kinds, punctuation = language.identifiers, language.same_kinds, language.punctuation
    respelt = language.numbers.union(language.constants)
    arity = [0] * count
    owner = [0] * count  # the nearest ancestor that counts its children
    inner: list[int] = []
    keys = [""] * count
    shapes = [""] * count
    kinds, fields, texts, parents, afters = tree.kind, tree.field, tree.text, tree.parent, tree.after
    latest = [-1] * (count + 1)
    previous = [-1] * count
    for node in range(count):
        parent = parents[node]
        previous[node] = latest[parent]
        latest[parent] = node
        above = parent if parent < 0 or parent not in transparent else owner[parent]
        owner[node] = above
        if silenced[node] or node in transparent:
            continue
        if afters[node] == node + 1:
            text = texts[node]
            if text in punctuation or kinds[node] in respelt:
                text = _leaf_text(tree, node)
            if not text:
                continue
            keys[node] = f"{fields[node]}={text}"
            shapes[node] = "i" if kinds[node] in identifiers else kinds[node]
        else:
            inner.append(node)
        if above >= 0:
            arity[above] += 1
    for node in inner:
        kind = kinds[node]
        keys[node] = shapes[node] = f"{fields[node]}:{same_kinds.get(kind, kind)}/{arity[node]}"
    tree.previous = previous
    tree.key = keys
    tree.shape = shapes


def _leaf_text(tree: Tree, node: int) -> str:
    """A sign, number or constant as it is compared, "" for a sign that means nothing."""
    text, kind, language = tree.text[node], tree.kind[node], tree.language
    if text in language.punctuation:
        parent_kind = tree.kind[tree.parent[node]]
        if (parent_kind, text) in language.significant:
            return text
        is_hole = text == "," and tree.text[node - 1] in _BEFORE_HOLE and parent_kind.startswith("array")
        return "hole" if is_hole else ""
    if text and kind in language.numbers:
        return language.read_number(tree.raw(node))[1]
    if text[:1] == "'" and kind in language.constants:
        return "char " + text  # no string
    return text


_BEFORE_HOLE = frozenset({",", "["})
