"""Words for a million memories: every docstring of the standard library, with its real frequencies.

The vocabulary of `latency` has some four thousand sentences. At a million memories each of them would stand there two
hundred times, and no word would be rare; here are some fifteen thousand, and identifiers that are put together of the
parts of real ones, as those of a real project are: new ones keep coming, and their parts are common words.
"""

from __future__ import annotations

import ast
import json
import keyword
import random
import sys
import sysconfig
import warnings
from collections.abc import Iterator
from pathlib import Path

from attrs import frozen

from benchmarks.speed.vocabulary import statements_of

_SHORTEST, _LONGEST = 5, 24  # words of a statement
_LEFT_OUT = ("site-packages", "idlelib", "lib2to3", "test", "turtledemo")
_COMMON = "object file string list name value return class method default function type".split()  # noqa: SIM905


@frozen
class Asked:
    """A question and of what kind it is: `words`, `name`, `task` or `common`."""

    kind: str
    text: str


class ScaleWords:
    """Sentences and names dealt out by a seeded generator. What was read is kept in `cache`, for reading takes ten
    seconds."""

    def __init__(self, cache: Path, seed: int = 7) -> None:
        self._random = random.Random(seed)  # noqa: S311 - nothing secret is drawn
        self.sentences, self.names = _kept(cache)
        self._parts = [part for name in self.names for part in name.lower().split("_") if len(part) > 2]

    def statement(self) -> str:
        """A statement that a person could have made: a sentence, often with a second half, a name or a number."""
        first = self._random.choice(self.sentences)
        kind = self._random.random()
        if kind < 0.2:
            return f"{first}; {self._random.choice(self.sentences).lower()}"
        if kind < 0.5:
            return f"{first}, see `{self._name()}`"
        if kind < 0.6:
            return f"{first}, at most {self._random.randint(2, 5000)}"
        return first

    def question(self) -> Asked:
        """A question: of ten, five are three to six words that stand together somewhere, two are a name, two a task of
        a sentence or two, and one is of words that a large part of all memories hold."""
        kind = self._random.random()
        if kind < 0.5:
            words = self._random.choice(self.sentences).split()
            count = self._random.randint(3, 6)
            start = self._random.randrange(max(1, len(words) - count))
            return Asked("words", " ".join(words[start : start + count]))
        if kind < 0.7:
            return Asked("name", self._name())
        if kind < 0.9:
            return Asked("task", f"{self._random.choice(self.sentences)}. See {self._name()}")
        return Asked("common", " ".join(self._random.sample(_COMMON, 3)))

    def module(self, functions: int) -> str:
        """A Python module with this many small functions that have real names and real docstrings."""
        parts = ['"""Generated for measuring."""\n']
        for name in self._random.sample(self.names, functions):
            limit, text = self._random.randint(2, 90), self._random.choice(self.sentences).replace("\\", " ")
            other = self._random.choice(self.names)
            parts.append(
                f'\n\ndef {name}(value, limit={limit}):\n    """{text}."""\n    if value > limit:\n'
                f'        raise ValueError("{other}")\n    {other} = value * {limit + 1}\n    return {other} - limit\n'
            )
        return "".join(parts)

    def _name(self) -> str:
        if self._random.random() < 0.4:
            return self._random.choice(self.names)
        return "_".join(self._random.sample(self._parts, self._random.randint(2, 3)))


def _kept(cache: Path) -> tuple[list[str], list[str]]:
    path = cache / f"words-{sys.version_info.major}.{sys.version_info.minor}.json"
    if path.is_file():
        found = json.loads(path.read_text(encoding="utf-8"))
        return found["sentences"], found["names"]
    sentences: dict[str, None] = {}
    names: dict[str, None] = {}
    for node in _definitions():
        if not isinstance(node, ast.Module) and len(node.name) > 3 and node.name.isidentifier():
            names.setdefault(node.name.strip("_"))
        for sentence in (ast.get_docstring(node, clean=False) or "").replace("`", "").replace('"', "'").split("."):
            words = sentence.split()
            if _SHORTEST <= len(words) <= _LONGEST:
                sentences.setdefault(" ".join(words))
    named = [name for name in names if name.islower() and not keyword.iskeyword(name)]
    cache.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"sentences": list(sentences), "names": named}), encoding="utf-8")
    return list(sentences), named


def _definitions() -> Iterator[ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    root = Path(sysconfig.get_path("stdlib"))
    for path in sorted(root.rglob("*.py")):
        if any(part in _LEFT_OUT or part.startswith("test_") for part in path.relative_to(root).parts):
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(path.read_text(encoding="utf-8"))
        except (SyntaxError, UnicodeDecodeError):
            continue
        for node in statements_of(tree):
            if isinstance(node, ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                yield node
