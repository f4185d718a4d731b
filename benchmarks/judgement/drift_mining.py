"""Items of the suite `drift`: changes of documented functions, mined from the history of a repository.

An item is one function that one commit gave another meaning. Its question is the old docstring and both states of the
code; its gold is whether the author, in that commit, rewrote what the docstring says. The states are read from files in
which every docstring is blanked, so that what judges them cannot see the gold.

The same is noisy by nature: an author may leave a docstring that has become false, or improve one that was true. An
earlier look at a curated set of this recipe found that 46 % of the positives were not caused by the code.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from inspect import cleandoc
from pathlib import Path

import pygit2
import tree_sitter
import tree_sitter_python
from attrs import frozen

from benchmarks.judgement.drift_gold import Fate, fate_of
from memlsp.code.diff.comparison import compare
from memlsp.code.syntax.outline import Outline
from memlsp.code.syntax.outline import outline as outline_of
from memlsp.model.change import Detail, DetailKind
from memlsp.model.symbol import Symbol, SymbolKind

_FUNCTIONS = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD})
_HARMLESS = frozenset({DetailKind.DOCS, DetailKind.HINT})
_LARGEST = 400_000  # bytes of a file that is read
_MOST_FILES = 60  # of one commit; larger ones move or reformat the project
_LEAST_WORDS = 3  # of a docstring that says something


@frozen
class Question:
    """What may be seen: the statement, and the code before and after, without docstrings."""

    statement: str
    old: Symbol
    new: Symbol
    before: Outline
    after: Outline
    old_source: bytes
    new_source: bytes
    details: tuple[Detail, ...]


@frozen
class Item:
    """One question with its gold, and where it comes from."""

    repository: str
    commit: str
    path: str
    symbol: str
    question: Question
    fate: Fate
    told: str  # the new docstring

    @property
    def positive(self) -> bool:
        """True when the author changed what the docstring says."""
        return self.fate is not Fate.LEFT


def repositories_in(folder: Path) -> dict[str, Path]:
    """The git repositories in a folder, by name: clones, bare ones, or `owner+name/repo`; sorted."""
    found: dict[str, Path] = {}
    for each in sorted(folder.iterdir()) if folder.is_dir() else []:
        for candidate in (each, each / "repo", each / ".git"):
            if candidate.is_dir() and ((candidate / "HEAD").is_file() or (candidate / ".git").exists()):
                found[each.name.removesuffix(".git").replace("+", "/")] = candidate
                break
    return found


@frozen
class Mined:
    """What a history gave, newest first, and how many commits were read for it."""

    items: tuple[Item, ...]
    commits: int


def mined(name: str, folder: Path, *, most: int | None = None) -> Mined:
    """Read a history from the commit that is checked out; `most` is how many commits are read. Merges are left out."""
    repository = pygit2.Repository(str(folder))
    states = _States(repository)
    items: list[Item] = []
    read = 0
    for commit in repository.walk(repository.head.target, pygit2.enums.SortMode.TIME):
        if len(commit.parents) != 1:
            continue
        if read == most:
            break
        read += 1
        items += _of_commit(name, commit, states)
    return Mined(tuple(items), read)


def _of_commit(name: str, commit: pygit2.Commit, states: _States) -> Iterator[Item]:
    difference = commit.parents[0].tree.diff_to_tree(commit.tree, context_lines=0)
    deltas = [
        delta
        for delta in difference.deltas
        if delta.status is pygit2.enums.DeltaStatus.MODIFIED and _is_read(delta.new_file.path)
    ]
    if len(deltas) > _MOST_FILES:
        return
    for delta in deltas:
        before, after = states.of(delta.old_file.id), states.of(delta.new_file.id)
        if before is None or after is None:
            continue
        for key, fate, told, question in _questions(delta.new_file.path, before, after):
            yield Item(name, str(commit.id), delta.new_file.path, key, question, fate, told)


def _is_read(path: str) -> bool:
    parts = path.lower().split("/")
    aside = {"test", "tests", "testing", "docs", "doc", "examples", "vendor", "_vendor", "packages", "migrations"}
    return path.endswith(".py") and not aside & set(parts) and not parts[-1].startswith(("test_", "conftest"))


# --- one file


@frozen
class _Definition:
    """A function as a file has it: its bytes with docstrings blanked, its docstring, and where both stand."""

    start: int
    end: int
    text: bytes
    docs: str


@frozen
class _State:
    """A file with its docstrings blanked, byte for byte as long as it was."""

    blank: bytes
    functions: Mapping[str, _Definition]  # those with a name of their own, outermost only


class _States:
    """Files by their blob, the last few hundred kept: a commit's new state is the old one of the next."""

    def __init__(self, repository: pygit2.Repository) -> None:
        self._repository = repository
        self._kept: dict[str, _State | None] = {}

    def of(self, blob: pygit2.Oid) -> _State | None:
        key = str(blob)
        if key not in self._kept:
            while len(self._kept) >= 300:
                self._kept.pop(next(iter(self._kept)))
            data = self._repository[blob].read_raw()
            self._kept[key] = state_of(data) if len(data) <= _LARGEST else None
        return self._kept[key]


_PYTHON = tree_sitter.Language(tree_sitter_python.language())


def state_of(source: bytes) -> _State | None:
    """Read a Python file; None when it does not parse. A name that is defined twice is left out."""
    root = tree_sitter.Parser(_PYTHON).parse(source).root_node
    blank = bytearray(source)
    docs: dict[int, str] = {}
    found: list[tuple[str, tree_sitter.Node, tree_sitter.Node]] = []
    stack: list[tuple[tree_sitter.Node, str, bool]] = [(root, "", False)]
    while stack:
        node, prefix, inside = stack.pop()
        if node.type in {"function_definition", "class_definition", "module"}:
            body = node if node.type == "module" else node.child_by_field_name("body")
            string = _docstring(body) if body is not None else None
            if string is not None:
                docs[node.id] = _content(source[string.start_byte : string.end_byte])
                _cover(blank, string.start_byte, string.end_byte)
        if node.type in {"function_definition", "class_definition"}:
            label = node.child_by_field_name("name")
            name = source[label.start_byte : label.end_byte].decode("utf-8", "replace") if label else "?"
            if node.type == "function_definition":
                if not inside:
                    parent = node.parent
                    whole = parent if parent is not None and parent.type == "decorated_definition" else node
                    found.append((prefix + name, node, whole))
                inside = True
            prefix = f"{prefix}{name}."
        stack.extend((child, prefix, inside) for child in reversed(node.named_children))
    if root.has_error:
        return None
    times = Counter(name for name, _, _ in found)
    functions = {
        name: _Definition(
            whole.start_byte, whole.end_byte, bytes(blank[whole.start_byte : whole.end_byte]), docs.get(node.id, "")
        )
        for name, node, whole in found
        if times[name] == 1
    }
    return _State(bytes(blank), functions)


def _docstring(body: tree_sitter.Node) -> tree_sitter.Node | None:
    for child in body.named_children:
        if child.type == "comment":
            continue
        inner = child.named_children[0] if child.type == "expression_statement" and child.named_children else None
        return inner if inner is not None and inner.type == "string" else None
    return None


def _cover(blank: bytearray, start: int, end: int) -> None:
    """White space in the place of the text; the line ends stay, so that every place is what it was."""
    for at in range(start, end):
        if blank[at] not in b"\r\n":
            blank[at] = 0x20
    blank[start : start + 2] = b"''"


def _content(literal: bytes) -> str:
    text = literal.decode("utf-8", "replace").lstrip("rRuUbB")
    quote = text[:3] if text[:3] in {'"""', "'''"} else text[:1]
    return cleandoc(text.removeprefix(quote).removesuffix(quote))


def _questions(path: str, before: _State, after: _State) -> Iterator[tuple[str, Fate, str, Question]]:
    touched = [
        name
        for name, old in before.functions.items()
        if name in after.functions
        and len(old.docs.split()) >= _LEAST_WORDS
        and after.functions[name].docs
        and after.functions[name].text.split() != old.text.split()
    ]
    if not touched:
        return
    old_source, new_source = _reduced(before, touched), _reduced(after, touched)
    old_outline, new_outline = outline_of(path, old_source), outline_of(path, new_source)
    for name in touched:
        old, new = old_outline.find(name), new_outline.find(name)
        if old is None or new is None or old.kind not in _FUNCTIONS or new.kind not in _FUNCTIONS:
            continue
        change = compare(old, new)
        details = tuple(detail for detail in change.details if detail.kind not in _HARMLESS)
        if not details or not change.alters_meaning:
            continue
        statement, told = before.functions[name].docs, after.functions[name].docs
        question = Question(statement, old, new, old_outline, new_outline, old_source, new_source, details)
        yield name, fate_of(statement, told), told, question


def _reduced(state: _State, kept: list[str]) -> bytes:
    """The file without the functions that are of no interest: reading it takes as long as what is left."""
    out, at = bytearray(), 0
    for name, each in sorted(state.functions.items(), key=lambda entry: entry[1].start):
        if name not in kept and each.start >= at:
            out += state.blank[at : each.start]
            out += b"pass"
            at = each.end
    return bytes(out + state.blank[at:])
