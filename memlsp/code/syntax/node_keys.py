"""What every node of a tree contributes to a digest: its kind, field and number of children, or its normalised text."""

from __future__ import annotations

from memlsp.code.syntax.tree import Tree


def key(tree: Tree) -> None:
    """Fill `key`, `shape` and `previous` of a flattened tree.

    Comments, documentation, hints and idle statements have no key, nor have parentheses and punctuation: the shape of
    the tree says what they say.
    """
    _Keys(tree).run()


class _Keys:
    """What every node contributes to a digest."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree

    def run(self) -> None:
        tree, language = self.tree, self.tree.language
        count = len(tree.kind)
        silenced = tree.insignificant(count)
        transparent = tree.transparent
        punctuation, same_kinds = language.punctuation, language.same_kinds
        numbers, identifiers = language.numbers, language.identifiers
        kept = language.significant
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
                elif text[:1] == "'" and kind in language.constants:
                    text = "char " + text  # no string
                keys[node] = f"{fields[node]}={text}"
                shapes[node] = "i" if kind in identifiers else kind
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


_HOLE = frozenset({",", "["})
