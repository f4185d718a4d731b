"""Reads literals of C and C++, and splits the text of macros, which is no code to the grammars, into leaves."""

from __future__ import annotations

from itertools import pairwise

from memlsp.code.languages.literals import decimal, quoted
from memlsp.code.syntax.facts import FactCollector
from memlsp.code.syntax.nodes import NameScope, Nodes
from memlsp.code.vocabulary import patterns, word_sets

_RE = patterns(__name__)
_WORDS = word_sets(__name__)


def read_string(raw: str) -> str:
    """A string in one spelling; a raw one as if its backslashes were escaped."""
    found = _RE["raw"].fullmatch(raw)
    if found:
        return found[1] + quoted(found[3].replace("\\", "\\\\"))
    prefix, _, body = raw.partition('"')
    return prefix + quoted(body[:-1], continued=True)


def read_number(raw: str) -> tuple[str, str]:
    """(as shown, as compared): digit separators gone, octal as decimal, suffixes compared and not shown."""
    text = raw.replace("'", "")
    found = _RE["suffix"].match(raw)
    suffix = ""
    if found:
        text, suffix = found[1].replace("'", ""), "".join(sorted(found[2].lower()))
    if len(text) > 1 and text[0] == "0" and text.isdigit():
        try:
            return text, f"{int(text, 8)}{suffix}"
        except ValueError:
            return text, text
    if text[:2].lower() == "0x" and ("." in text or "p" in text.lower()):
        return text, text.lower()
    shown_as, compared = decimal(text, floats_differ=True, suffixes=True)
    return shown_as, compared + suffix


_LONGEST = 20_000


def settle_macro(tree: Nodes, node: int) -> None:
    """Give a macro's text its tokens as leaves."""
    text = tree.child(node, "value")
    if text is None or not tree.is_leaf(text):
        return
    tree.cut(text + 1)  # the end of the line
    raw = tree.raw(text)[:_LONGEST]
    scope = tree.opened.get(node) or NameScope("module", 0, None)
    start = tree.start[text]
    tree.text[text] = ""
    for found in _RE["token"].finditer(raw):
        kind, word = str(found.lastgroup), found[0]
        if kind == "skip":
            continue
        if word in _WORDS["plain_words"] or kind == "sign":
            kind = "'" + word
        shown_as = read_string(word) if kind == "string_literal" else word
        if kind == "number_literal":
            shown_as, _ = read_number(word)
        if kind == "number_literal" and tree.text[-1] == "-" and "".join(tree.text[text + 1 :]).strip("(") == "-":
            shown_as, leaf = "-" + shown_as, len(tree.kind) - 1
            tree.kind[leaf], tree.text[leaf], tree.end[leaf] = kind, shown_as, start + _bytes_before(raw, found.end())
            tree.interesting.append(leaf)
            continue
        leaf = tree.grow(text, kind, "", shown_as)
        tree.start[leaf], tree.end[leaf] = (start + _bytes_before(raw, at) for at in found.span())
        if kind == "identifier":
            tree.identifiers.append((leaf, scope))
        elif kind[:1] != "'":  # a literal
            tree.interesting.append(leaf)
    tree.after[node] = len(tree.kind)
    _unwrap(tree, text)


def _bytes_before(raw: str, at: int) -> int:
    return at if raw.isascii() else len(raw[:at].encode())


def _unwrap(tree: Nodes, text: int) -> None:
    """The parentheses around all of a macro's text are only caution."""
    leaves = list(range(text + 1, tree.after[text]))
    while len(leaves) > 2 and tree.text[leaves[0]] == "(" and tree.text[leaves[-1]] == ")":
        depth = 0
        for leaf in leaves[:-1]:
            depth += {"(": 1, ")": -1}.get(tree.text[leaf], 0)
            if not depth:
                return
        tree.text[leaves[0]] = tree.text[leaves[-1]] = ""
        leaves = leaves[1:-1]


def called_by_macro(tree: Nodes, node: int, facts: FactCollector) -> None:
    """The calls in the text of a macro."""
    text = tree.child(node, "value")
    leaves = list(tree.children(text)) if text is not None else []
    for left, right in pairwise(leaves):
        if tree.kind[left] == "identifier" and tree.text[right] == "(":
            facts.calls.append(tree.text[left])
