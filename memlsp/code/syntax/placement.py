"""Finds the span of a definition, comments right above it included, and its documentation."""

from __future__ import annotations

from collections.abc import Iterator

from memlsp.code.syntax.decoding import Decoded
from memlsp.code.syntax.definitions import Definition
from memlsp.code.syntax.facts import key_text
from memlsp.code.syntax.nodes import Comment
from memlsp.code.syntax.tree import Tree
from memlsp.model.place import Span


class DefinitionSpans:
    """The spans and documentation of one file's definitions."""

    def __init__(self, tree: Tree, text: Decoded) -> None:
        self.tree = tree
        self.text = text
        self.comment_ends = {comment.end: comment for comment in tree.comments}
        self.documented: dict[int, int] = {}  # documented node -> its docstring
        for node in tree.docstrings:
            above = tree.parent[node]
            self.documented.setdefault(tree.parent[above] if above else 0, node)

    def span(self, definition: Definition) -> Span:
        """The whole definition with its decorators and the comments right above it."""
        tree = self.tree
        if not definition.name:
            return Span(0, len(self.text.file), 0, tree.line(max(0, len(tree.source) - 1)))
        start = tree.start[definition.first]
        for comment in self._comments_above(start):
            start = comment.start
        end = tree.end[definition.root]
        while end > start + 1 and tree.source[end - 1] in b" \t\r\n":
            end -= 1
        return self._place(start, end)

    def _comments_above(self, start: int) -> Iterator[Comment]:
        while (comment := self._comment_above(start)) is not None:
            yield comment
            start = comment.start

    def _comment_above(self, start: int) -> Comment | None:
        """The comment that ends on the line before `start`, or on its line, and has its own line."""
        source = self.tree.source
        end = start
        while end > 0 and source[end - 1] in b" \t\r":
            end -= 1
        if end > 0 and source[end - 1 : end] == b"\n" and self.comment_ends.get(end) is None:
            end -= 1
            while end > 0 and source[end - 1] in b" \t\r":
                end -= 1
        comment = self.comment_ends.get(end)
        if comment is None or comment.start >= start:  # some grammars have comments of no length
            return None
        if b"\n" not in source[end:start]:
            return comment
        line_start = source.rfind(b"\n", 0, comment.start) + 1
        return comment if not source[line_start : comment.start].strip() else None

    def name_span(self, definition: Definition) -> Span:
        """The token that names it."""
        if definition.found.name_start < 0:
            return Span(0, 0, 0, 0)
        return self._place(definition.found.name_start, definition.found.name_end)

    def _place(self, start: int, end: int) -> Span:
        tree = self.tree
        line = tree.line(start)
        end_line = tree.line(max(start, end - 1))
        column = self.text.offset(start) - self.text.offset(tree.line_starts[line])
        if line == 0 and self.text.skipped:
            column += self.text.skipped
        return Span(self.text.offset(start), self.text.offset(end), line, end_line, column)

    def docs(self, definition: Definition) -> str:
        """Its documentation on one line, "" when there is none."""
        tree, language = self.tree, self.tree.language
        if language.docstring is not None:
            node = self.documented.get(definition.found.node)
            if node is not None:
                return _fold(key_text(tree, tree.inner(node + 1)))
        above = list(self._comments_above(tree.start[definition.first])) if definition.name else []
        texts = [tree.source[each.start : each.end].decode("utf-8", "replace") for each in reversed(above)]
        return _fold(" ".join(language.read_doc(text) for text in texts if language.doc_comment(text)))


def _fold(text: str) -> str:
    return " ".join(text.replace("\\n", " ").split())
