"""Finds stubs: bodies that only announce that they are missing.

An explicit announcement (`todo!()`, Kotlin's `TODO()`, `panic("not implemented")`, an error with such a message) counts
anywhere in a function. A form that also writes an interface, a hook or a refusal (`raise NotImplementedError`, `pass`,
`...`, an UnsupportedOperationException without a message) counts only as the whole body, and only without a sign that
it is intended: an abstract or overriding class, a decorator, a test.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from attrs import frozen

from memlsp.code.syntax.outline import Outline
from memlsp.code.syntax.tree import Tree
from memlsp.code.vocabulary import patterns, word_sets
from memlsp.model.symbol import Symbol, SymbolKind

_RE = patterns(__name__)
_WORDS = word_sets(__name__)


@frozen
class Stub:
    """A stub: its node, the dotted name of the function, and the text."""

    node: int
    symbol: str
    text: str


def stubs_of(path: str, tree: Tree, outlined: Outline, at: Callable[[int], Symbol | None]) -> Iterator[Stub]:
    """The stubs of a file, one for each symbol at most, in source order. `at` gives the symbol at a byte offset."""
    is_test = bool(_RE["tests"].search(path))
    intent = _Intent(path, tree, outlined)
    seen: set[tuple[str, int]] = set()
    for node, kind in enumerate(tree.kind):
        candidate = _candidate(tree, node, kind) if kind in _WORDS["announcing"] else None
        if candidate is None:
            continue
        text, is_certain = candidate
        if _RE["meant"].search(_message_of(text)):
            continue
        symbol = at(tree.start[node])
        if symbol is None or symbol.kind.is_container or (symbol.name, symbol.ordinal) in seen:
            continue
        if is_test and not (is_certain and tree.language.name in _WORDS["own_words"]):
            continue
        if is_certain or intent.is_missing(node, symbol):
            seen.add((symbol.name, symbol.ordinal))
            yield Stub(node, symbol.name, f"{symbol.simple_name}: {text}")


def _candidate(tree: Tree, node: int, kind: str) -> tuple[str, bool] | None:
    """The text of a possible stub, and whether it is explicit; None for other code."""
    language = tree.language.name
    if kind == "pass_statement":
        return "pass", False
    if kind == "ellipsis":
        return ("...", False) if language == "python" else None
    if kind in {"call_expression", "macro_invocation", "call"} and not _is_sign(tree, node, language, kind):
        return None
    text = tree.render(node)[:160]
    if kind == "macro_invocation":
        if text.startswith("todo!"):
            return text, True
        return text, bool(_RE["not_yet"].search(text.removeprefix("unimplemented!")))
    if kind == "call_expression" and language == "kotlin":
        return text, True
    message = _message_of(text)
    if _RE["not_yet"].search(message):
        return text, True
    if kind == "call_expression":  # go's panic without such words
        return None
    if _RE["not_implemented"].search(text) or "UnsupportedOperationException" in text:
        return text, False
    return None


def _is_sign(tree: Tree, node: int, language: str, kind: str) -> bool:
    first = tree.raw(node)[:16]
    if kind == "macro_invocation":
        return language == "rust" and first.startswith(("todo!", "unimplemented!"))
    if kind == "call_expression":
        return (language == "go" and first.startswith("panic(")) or (language == "kotlin" and first.startswith("TODO("))
    return language == "ruby" and first.startswith("raise")


def _message_of(text: str) -> str:
    """The strings in a rendered statement."""
    return " ".join(re.findall(r"['\"]([^'\"]*)['\"]", text))


def _whole_body_of(tree: Tree, node: int) -> int | None:
    """The function whose whole body this is, docstrings aside."""
    while True:
        parent = tree.parent[node]
        if parent < 0 or parent == node:
            return None
        kind = tree.kind[parent]
        if kind not in _WORDS["wrappers"]:
            return parent if any(word in kind for word in _WORDS["functions"]) else None
        beside = [child for child in tree.named(parent) if child != node and child not in tree.docstrings]
        if beside:
            return None
        node = parent


class _Intent:
    """Tells an intended empty or refusing body from a missing one."""

    def __init__(self, path: str, tree: Tree, outlined: Outline) -> None:
        self.path = path
        self.tree = tree
        self.outlined = outlined
        self.functions = {found.node for found in tree.tagged if found.kind == "function"}
        bases = (base for symbol in outlined.symbols for base in symbol.facts.bases)
        self.parents = {base.rpartition(".")[2].partition("[")[0] for base in bases}

    def is_missing(self, node: int, symbol: Symbol) -> bool:
        """True when `node` is the whole body of a function, and nothing marks that as intended."""
        holder = _whole_body_of(self.tree, node)
        if holder is None or self.path.endswith((".pyi", ".d.ts")):
            return False
        if holder not in self.functions and self.tree.language.name in {"python", "ruby"}:
            return False
        is_empty = self.tree.kind[node] in {"pass_statement", "ellipsis"}
        if _is_marked(symbol, is_empty=is_empty):
            return False
        above = self.outlined.find(symbol.container) if symbol.container else None
        return above is None or not self._allows(above, symbol, is_empty=is_empty)

    def _allows(self, above: Symbol, symbol: Symbol, *, is_empty: bool) -> bool:
        """True when the container of a function lets it have such a body: it is meant to be derived from."""
        if above.kind in {SymbolKind.FUNCTION, SymbolKind.METHOD}:
            return is_empty  # a function handed on, most often one that is to do nothing
        facts = above.facts
        if above.kind is SymbolKind.INTERFACE or "trait" in facts.modifiers or "abstract" in facts.modifiers:
            return True
        if facts.bases and (is_empty or any(_is_interface(base) for base in facts.bases)):
            return True
        if _RE["named_test"].match(above.simple_name) and is_empty:
            return True
        docs = f"{facts.docs} {symbol.facts.docs}"
        if _RE["base_file"].search(self.path) or _RE["base_docs"].search(docs):
            return True
        return bool(_RE["base_name"].search(above.simple_name)) or above.simple_name in self.parents


def _is_marked(symbol: Symbol, *, is_empty: bool) -> bool:
    """True when the decorators, documentation or name of a function say that its body is intended."""
    decorators = {each.partition("(")[0].rpartition(".")[2] for each in symbol.facts.decorators}
    if decorators & _WORDS["meant_by"] or (is_empty and decorators - _WORDS["harmless"]):
        return True
    name = symbol.simple_name
    named = _RE["hook_name"].match(name) or _RE["named_test"].match(name) or name == "main"
    return is_empty and bool(symbol.facts.docs or named)


def _is_interface(base: str) -> bool:
    name = base.partition("[")[0].partition("(")[0].rpartition(".")[2]
    return name in {"ABC", "ABCMeta", "Protocol"} or base.endswith("ABCMeta")
