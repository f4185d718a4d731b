"""What the documents of a workspace say of a place, with nothing to admit: the lines that name a symbol or a file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress

from attrs import frozen

from memlsp.capture.workspace.worktree import Worktree
from memlsp.model.check import SHOWN, DocumentLine
from memlsp.model.errors import MemlspError
from memlsp.model.one_line import plain

_SUFFIXES = (".md", ".mdc", ".mdx", ".rst", "rules")
_MOST_DOCUMENTS = 200
_MOST_TOLD = 5
_LARGEST = 400_000  # bytes of a document
_CODE_LIKE = re.compile(r"_|[a-z][A-Z]|\.|::|\(")


@frozen
class _NamingLine:
    """A line with the simple names and the paths that it names; `distinct` are the names that are no common words."""

    mention: DocumentLine
    names: frozenset[str]
    distinct: frozenset[str]
    paths: tuple[str, ...]


class Mentions:
    """The lines of one worktree's documents, read again where `changed` was called."""

    def __init__(self, worktree: Worktree) -> None:
        self._worktree = worktree
        self.is_read = False  # for the first time, for which all files are listed
        self._is_current = False
        self._read: dict[str, tuple[bytes, list[_NamingLine]]] = {}

    def at(self, path: str, symbol: str) -> tuple[DocumentLine, ...]:
        """The lines that name a symbol (dotted name) of a file, or the file itself for "", at most 5. A name that is a
        common word counts where the line names the file too."""
        self._refresh()
        simple = symbol.rpartition(".")[2]
        found: list[DocumentLine] = []
        for document, (_, lines) in self._read.items():
            for each in lines:
                is_here = any(f"/{path}".endswith(f"/{named}") for named in each.paths)
                is_named = simple in each.distinct or (is_here and simple in each.names)
                if document != path and (is_named if simple else is_here):
                    found.append(each.mention)
        return tuple(found[:_MOST_TOLD])

    def changed(self, paths: Sequence[str] | None) -> None:
        """Read documents among these files again, the next time; None for all files."""
        if paths is None or any(path.lower().endswith(_SUFFIXES) for path in paths):
            self._is_current = False

    def _refresh(self) -> None:
        if self._is_current:
            return
        self._is_current = True  # first, so that what changes from here on is read the next time
        read: dict[str, tuple[bytes, list[_NamingLine]]] = {}
        documents = [path for path in self._worktree.paths() if path.lower().endswith(_SUFFIXES)]
        if documents:
            from memlsp.beliefs.mining.documents import is_document  # late: many workspaces have none

            documents = [path for path in documents if is_document(path)]
        for path in documents[:_MOST_DOCUMENTS]:
            with suppress(MemlspError, OSError):
                data = self._worktree.read(path) or b""
                kept = self._read.get(path)
                same = kept is not None and kept[0] == data
                read[path] = kept if kept is not None and same else (data, list(_lines(path, data[:_LARGEST])))
        self._read, self.is_read = read, True


def _lines(path: str, data: bytes) -> Iterator[_NamingLine]:
    from memlsp.beliefs.mining.passages import plain as without_marks
    from memlsp.beliefs.mining.passages import without_own_block
    from memlsp.beliefs.mining.stated_names import NameForm, stated_lines

    text = without_own_block(data.decode("utf-8", "replace").replace("\r\n", "\n"))
    for line in stated_lines(text, is_record=False):
        if line.is_code:
            continue
        words = [each.text for each in line.names if each.form in {NameForm.WORD, NameForm.PLAIN}]
        names = {re.split(r"\.|::|->|#", word.strip("@()"))[-1]: word for word in words if len(word) > 3}
        paths = tuple(each.text.strip("./").partition("#")[0] for each in line.names if each.form is NameForm.PATH)
        if names or paths:
            said = DocumentLine(
                path, line.number, plain(without_marks(re.sub(r"^\s*(?:[-*+]|\d+\.)\s+", "", line.text)), SHOWN)
            )
            distinct = frozenset(name for name, word in names.items() if _CODE_LIKE.search(word))
            yield _NamingLine(said, frozenset(names), distinct, paths)
