"""One state of a repository, as the names of its documents are held against it, and what two states differ in."""

from __future__ import annotations

import json
import posixpath
import re
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import cast

from attrs import frozen
from pygit2.enums import DeltaStatus, DiffOption

from memlsp.beliefs.mining.documents import sort_of
from memlsp.capture.git.libgit2 import pygit2, unreadable
from memlsp.capture.git.line_births import removed_paths
from memlsp.capture.git.repository import blob_text
from memlsp.capture.git.snapshot import Snapshot
from memlsp.code.vocabulary import named_lines, patterns
from memlsp.code.workspace.command_reader import COMMAND_SUFFIXES, read_commands
from memlsp.code.workspace.declared_commands import CommandFile, DeclaredCommands

_LARGEST = 1_000_000  # bytes of a file that is searched
_DOCUMENTS = (".md", ".mdc", ".mdx", ".rst", ".txt", ".adoc", ".cursorrules")
_DATA = (".lock", ".jsonl", "-lock.json", "-lock.yaml", ".svg", ".min.js", ".csv", ".ipynb", ".snap", ".map", "go.sum")
_WORD = re.compile(rb"localhost:\d+|[A-Za-z_][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*")
_RE = patterns(__name__)
_RUNNERS = {name: family for family, names in named_lines(__name__, "runners") for name in names.split()}
_FAMILIES = {name: family for family, names in named_lines(__name__, "files") for name in names.split()}
_MOST_SETTINGS = 400  # files of settings that are read
_MANIFESTS = frozenset({"pyproject.toml", "setup.cfg", "setup.py", "package.json", "Cargo.toml", "go.mod"})
_LONGEST, _ALIKE = 300, 3  # characters of a line that is paired with another, and lines that begin as it does
_STATES, _OBJECTS = 48, 4_000  # kept at once
_TREES = DiffOption.INCLUDE_TYPECHANGE | DiffOption.SKIP_BINARY_CHECK


def is_searched(path: str) -> bool:
    """True for a file in which a name counts as one of the code: no document and no list that a program wrote."""
    return (
        not path.lower().endswith((*_DOCUMENTS, *_DATA)) and sort_of(path) is None and "changelog" not in path.lower()
    )


def is_sample(path: str) -> bool:
    """True for a file of tests, examples or templates: a bare name of a document hardly means it."""
    return _RE["test"].search(path) is not None or _RE["sample"].search(path) is not None


def is_configuration(path: str) -> bool:
    """True for a file of settings."""
    return _RE["configuration"].search(path) is not None


@frozen
class ChangedFile:
    """A file that two states have differently. An id is None where the file is not."""

    path: str
    old: pygit2.Oid | None
    new: pygit2.Oid | None


class CodeState:
    """The files of a commit. Not thread-safe."""

    def __init__(
        self,
        handle: pygit2.Repository,
        tree: pygit2.Tree,
        files: Snapshot,
        commit: str,
        command_files: dict[pygit2.Oid, CommandFile | None],
    ) -> None:
        self._handle = handle
        self._command_files = command_files
        self.tree = tree
        self.files = files
        self.commit = commit

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        """The paths of files and folders, by their last part."""
        found: dict[str, list[str]] = {}
        folders: set[str] = set()
        for path in self.files.paths():
            found.setdefault(path.rpartition("/")[2], []).append(path)
            folder = path.rpartition("/")[0]
            while folder and folder not in folders:
                folders.add(folder)
                folder = folder.rpartition("/")[0]
        for folder in sorted(folders):
            found.setdefault(folder.rpartition("/")[2], []).append(folder)
        return found

    def find_path(self, text: str, folder: str) -> str | None:
        """The file or folder that a path in a document of `folder` means: from there, from the root, or the end of a
        longer one."""
        wanted = text.strip("/")
        for start in (posixpath.join(folder, wanted), wanted):
            path = posixpath.normpath(start)
            if not path.startswith("..") and path != "." and self.files.exists(path):
                return path
        wanted = re.sub(r"^(?:\.\.?/)+", "", wanted)
        ends = [p for p in self._by_name.get(wanted.rpartition("/")[2], ()) if f"/{p}".endswith(f"/{wanted}")]
        first, _, inner = wanted.partition("/")
        if not ends and "/" in inner and not self.files.exists(first) and self.files.exists(inner):
            return inner  # a drawing begins with the name of the repository
        return ends[0] if ends else None

    def find_inner(self, text: str, around: Sequence[str]) -> str | None:
        """The file or folder that a short path means as a part of one of the folders that were named before it."""
        inner = (f"{folder}/{text.strip('/')}" for folder in around)
        return next((path for path in inner if self.files.exists(path)), None)

    def named_alike(self, path: str) -> list[str]:
        """The files and folders with the same last part."""
        return self._by_name.get(path.rpartition("/")[2], [])

    @cached_property
    def commands(self) -> frozenset[tuple[str, str]]:
        """The scripts, targets and recipes, each with the kind of runner that knows it."""
        found: set[tuple[str, str]] = set()
        for path in self.files.paths():
            name = path.rpartition("/")[2]
            family = _FAMILIES.get(name) or _FAMILIES.get(f"*.{name.rpartition('.')[2]}")
            if family:
                text = (self.files.read(path) or b"").decode("utf-8", "replace")
                found |= {(family, each) for each in _defined(family, name, text)}
        return frozenset(found)

    @cached_property
    def dependencies(self) -> frozenset[str]:
        """What any file of a package manager names, in lower case."""
        return frozenset(name.lower() for _, name in self.commands)

    @cached_property
    def declared_commands(self) -> DeclaredCommands:
        """The commands and options of the programs that the code declares."""
        found: list[tuple[str, CommandFile]] = []
        for path in self.files.paths():
            if path.endswith(COMMAND_SUFFIXES) and not _RE["test"].search(path):
                id = self.tree[path].id
                if id not in self._command_files:
                    self._command_files[id] = read_commands(path, self.blob(id) or b"")
                declared = self._command_files[id]
                if declared is not None:
                    found.append((path, declared))
        return DeclaredCommands(found)

    @cached_property
    def made_programs(self) -> frozenset[str]:
        """The names of the programs that this repository makes, by its manifests and folders."""
        manifests = [path for path in self.files.paths() if path.rpartition("/")[2] in _MANIFESTS]
        texts = ((path, (self.data(path) or b"").decode("utf-8", "replace")) for path in manifests)
        named = {name for path, text in texts for name in _programs(path.rpartition("/")[2], text)}
        folders = {path.split("/")[1] for path in self.files.paths() if path.startswith("cmd/") and path.count("/") > 1}
        return frozenset(named | folders)

    def is_program(self, name: str) -> bool:
        """True for a program that this repository makes, or that a manifest of it names."""
        return name.lower() in self.dependencies or self.files.exists(f"cmd/{name}")

    def ignores(self, path: str) -> bool:
        """True for a path that a `.gitignore` of its folder or of one above leaves out: what a build makes there."""
        from pathspec import GitIgnoreSpec  # late: few paths are gone

        parts = path.split("/")
        for depth in range(len(parts)):
            top, inner = "/".join(parts[:depth]), "/".join(parts[depth:])
            lines = (self.files.read(posixpath.join(top, ".gitignore")) or b"").decode("utf-8", "replace").splitlines()
            rules = GitIgnoreSpec.from_lines(lines)
            if rules.match_file(inner) or rules.match_file(f"{inner}/x"):
                return True
        return False

    @cached_property
    def words(self) -> frozenset[bytes]:
        """The words of all files that are searched, those with hyphens whole and in parts."""
        found: set[bytes] = set()
        for path in self.files.paths():
            found.update(re.findall(rb"\w+", path.encode()))
            if is_searched(path):
                data = self.data(path)
                if data:
                    found.update(_words_of(data))
        return frozenset(found)

    def has_setting(self, value: re.Pattern[str], about: frozenset[str]) -> bool:
        """True when a file of settings has a line with the value and one of these words."""
        return any(value.search(line) and any(word in line.lower() for word in about) for line in self._settings)

    @cached_property
    def _settings(self) -> list[str]:
        paths = [path for path in self.files.paths() if is_configuration(path) and is_searched(path)][:_MOST_SETTINGS]
        texts = ((self.data(path) or b"").decode("utf-8", "replace") for path in paths)
        return [line for text in texts for line in text.split("\n") if len(line) < 200 and re.search(r"\d", line)]

    def data(self, path: str) -> bytes | None:
        """The bytes of a file that may be searched, else None."""
        try:
            return self.blob(self.tree[path].id)
        except unreadable():
            return None

    def blob(self, id: pygit2.Oid | None) -> bytes | None:
        """The bytes of an object that may be searched, else None."""
        try:
            return blob_text(self._handle[id], _LARGEST) if id is not None else None
        except unreadable():
            return None

    def lines(self, id: pygit2.Oid) -> list[str]:
        """The lines of an object."""
        return (self.blob(id) or b"").decode("utf-8", "replace").split("\n")


class StatePair:
    """An older and a newer state, and what they differ in. Kept by `CodeStates`, for it is asked for every line."""

    def __init__(self, old: CodeState, new: CodeState, words: OrderedDict[pygit2.Oid, frozenset[bytes]]) -> None:
        self.old = old
        self.new = new
        self._words = words
        self._replaced: dict[str, list[tuple[str, str, int]]] = {}

    @cached_property
    def changed(self) -> list[ChangedFile]:
        """The files that differ."""
        found: list[ChangedFile] = []
        for delta in self.old.tree.diff_to_tree(self.new.tree, flags=_TREES, context_lines=0).deltas:
            old = delta.old_file.id if delta.status != DeltaStatus.ADDED else None
            new = delta.new_file.id if delta.status != DeltaStatus.DELETED else None
            found.append(ChangedFile(delta.old_file.path, old, new))
        return found

    @cached_property
    def edited(self) -> list[tuple[str, pygit2.Oid, pygit2.Oid]]:
        """The source files that both have, tests left out: path, older and newer object."""
        return [
            (each.path, each.old, each.new)
            for each in self.changed
            if each.old and each.new and is_searched(each.path) and not _RE["test"].search(each.path)
        ]

    def had_words(self, words: Iterable[bytes], *, in_settings: bool = True) -> bool:
        """True when all the words, which the newer state has not, stood in files of the older one. Those of an option
        do not count `in_settings`, where other programs are called."""
        missing = set(words)
        for each in self.changed:
            if not missing:
                break
            if each.old is not None:
                missing -= set(re.findall(rb"\w+", each.path.encode()))
                counts = is_searched(each.path) and (in_settings or not is_configuration(each.path))
                missing -= self.words_at(each.old) if counts else set()
        return not missing

    def words_at(self, id: pygit2.Oid) -> frozenset[bytes]:
        """The words of an object."""
        if id not in self._words:
            self._words[id] = frozenset(_words_of(self.old.blob(id) or b""))
            if len(self._words) > _OBJECTS:
                self._words.popitem(last=False)
        return self._words[id]

    def replaced_lines(self, path: str, old: pygit2.Oid, new: pygit2.Oid) -> list[tuple[str, str, int]]:
        """The lines of a file that came in the place of others: before, after, and the number of the new one."""
        if path not in self._replaced:
            self._replaced[path] = list(_replacements(self.old.lines(old), self.new.lines(new)))
        return self._replaced[path]


class CodeStates:
    """The states of a repository by commit, the last 48 of them. `head` is where the search for paths that were removed
    begins, "" for none."""

    def __init__(self, top: Path, handle: pygit2.Repository, head: str = "") -> None:
        self.handle = handle
        self._head = head
        self._top = top
        self._states: OrderedDict[str, CodeState | None] = OrderedDict()
        self._pairs: OrderedDict[tuple[str, str], StatePair] = OrderedDict()
        self._words: OrderedDict[pygit2.Oid, frozenset[bytes]] = OrderedDict()
        self._command_files: dict[pygit2.Oid, CommandFile | None] = {}

    @cached_property
    def removed(self) -> Mapping[str, str]:
        """The paths that were removed on the way to `head`, with the last commit that had each."""
        return removed_paths(self.handle, self._head) if self._head else {}

    def at(self, commit: str) -> CodeState | None:
        """The state at a commit (full hash); None where git has it not, as in a shallow clone."""
        if commit not in self._states:
            try:
                tree = self.handle[pygit2.Oid(hex=commit)].peel(pygit2.Tree)
                self._states[commit] = self.of_tree(tree, commit)
            except unreadable():
                self._states[commit] = None
            if len(self._states) > _STATES:
                self._states.popitem(last=False)
        self._states.move_to_end(commit)
        return self._states[commit]

    def of_tree(self, tree: pygit2.Tree, name: str) -> CodeState:
        """The state of a tree, which is called `name` in caches."""
        return CodeState(self.handle, tree, Snapshot(tree, self._top, name), name, self._command_files)

    def pair(self, old: CodeState, new: CodeState) -> StatePair:
        """Two states beside each other."""
        key = old.commit, new.commit
        if key not in self._pairs:
            self._pairs[key] = StatePair(old, new, self._words)
            if len(self._pairs) > _STATES:
                self._pairs.popitem(last=False)
        return self._pairs[key]


def _replacements(old: list[str], new: list[str]) -> Iterator[tuple[str, str, int]]:
    by_key: dict[str, list[tuple[str, int]]] = {}
    kept = set(new)
    for number, line in enumerate(new, 1):
        if len(line) < _LONGEST and re.search(r"\w", line):
            by_key.setdefault(_key_of(line), []).append((line, number))
    for line in old:
        same = by_key.get(_key_of(line), ()) if line not in kept and len(line) < _LONGEST else ()
        if len(same) <= _ALIKE:
            yield from ((line, after, number) for after, number in same)


def family_of(runner: str) -> str:
    """The kind of runner that knows a command: `npm run` is asked as pnpm and yarn are; "own" for other programs."""
    return _RUNNERS.get(runner.split(maxsplit=1)[0], "own")


def _key_of(line: str) -> str:
    """The first words of a line, which stay where a value of it is changed."""
    return " ".join(re.findall(r"[A-Za-z_$@.-]+", line)[:2]) or line.strip()[:1]


def words_in(text: str) -> list[bytes]:
    """The words of a name by which it is looked up: those with hyphens whole."""
    return [found for found in _WORD.findall(text.encode()) if len(found) > 2]


def _words_of(data: bytes) -> Iterator[bytes]:
    for found in _WORD.findall(data):
        yield found
        if b"-" in found:
            yield from found.split(b"-")


def _programs(manifest: str, text: str) -> Iterator[str]:
    """The names of programs in a manifest."""
    if manifest == "package.json":
        with suppress(ValueError, AttributeError):
            loaded = cast("dict[str, object]", json.loads(text))
            made = loaded.get("bin")
            yield from (
                map(str, cast("dict[str, object]", made)) if isinstance(made, dict) else [str(loaded.get("name"))]
            )
    else:
        family = {"Cargo.toml": "cargo", "go.mod": "go"}.get(manifest, "python")
        yield from _RE[f"{family}_program"].findall(text)


def _defined(family: str, name: str, text: str) -> Iterator[str]:
    """The scripts, targets and recipes that a file defines."""
    if family == "make":
        for found in _RE["target"].finditer(text):
            yield from (found["names"] or found["phony"] or "").split()
    elif family == "just":
        yield from (found["name"] for found in _RE["recipe"].finditer(text))
    elif name.endswith(".json"):
        try:
            loaded: object = json.loads(text)
        except ValueError:
            return
        for table in ("scripts", "tasks", "pipeline", "bin", "dependencies", "devDependencies"):
            inner = cast("dict[str, object]", loaded).get(table) if isinstance(loaded, dict) else None
            if isinstance(inner, dict):
                yield from map(str, cast("dict[str, object]", inner))
    elif family == "go":
        yield from _RE["go_dependency"].findall(text)
    else:
        yield from _RE["python_dependency"].findall(text) if family == "python" else ()
        yield from _RE["dependency"].findall(text)
