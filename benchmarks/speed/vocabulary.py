"""Words and sentences for generated memories: the standard library's own docstrings, with their real frequencies.

A uniform list of made-up words would make every search term rare, and flatter the search.
"""

from __future__ import annotations

import ast
import random
import sysconfig
from collections import deque
from collections.abc import Iterator
from functools import cache
from pathlib import Path

_SOURCES = """
    argparse asyncio/base_events asyncio/streams asyncio/tasks calendar collections/__init__ concurrent/futures/_base
    configparser csv datetime difflib doctest email/message ftplib functools http/client http/cookiejar inspect
    logging/__init__ mailbox multiprocessing/pool optparse pathlib pickle random selectors shutil smtplib ssl statistics
    string subprocess tarfile tempfile textwrap threading tokenize traceback typing unittest/case unittest/mock
    urllib/parse urllib/request uuid weakref xml/dom/minidom zipfile
"""
_REAL_FILES = ("ftplib.py", "tempfile.py", "smtplib.py", "textwrap.py")
_SHORTEST, _LONGEST = 5, 24  # words of a statement
_COMPOUND = (
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.If, ast.For, ast.AsyncFor, ast.While),
    *(ast.With, ast.AsyncWith, ast.Try, ast.TryStar, ast.Match, ast.ExceptHandler, ast.match_case),
)


class Vocabulary:
    """Sentences of real documentation and names of real functions, dealt out by a seeded generator."""

    def __init__(self, seed: int = 7) -> None:
        self._random = random.Random(seed)  # noqa: S311 - nothing secret is drawn
        self.sentences, self.names = _read()

    def statement(self) -> str:
        """A statement that a person could have made: a sentence, often with a second half, a name or a number."""
        first = self._random.choice(self.sentences)
        kind = self._random.random()
        if kind < 0.3:
            return f"{first}; {self._random.choice(self.sentences).lower()}"
        if kind < 0.5:
            return f"{first}, see `{self._random.choice(self.names)}`"
        if kind < 0.6:
            return f"{first}, at most {self._random.randint(2, 5000)}"
        return first

    def question(self) -> str:
        """A question: three to six words that stand together somewhere, or a name."""
        if self._random.random() < 0.2:
            return self._random.choice(self.names)
        words = self._random.choice(self.sentences).split()
        count = self._random.randint(3, 6)
        start = self._random.randrange(max(1, len(words) - count))
        return " ".join(words[start : start + count])

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


def real_file(data: Path | None) -> tuple[str, str]:
    """Name and text of a real source file to edit: `app.py` or the file nearest to 34 kB under `data`, else a module of
    the standard library of about that size."""
    if data is not None:
        files = [path for path in data.rglob("*.py") if path.is_file() and ".git" not in path.parts]
        if files:
            named = [path for path in files if path.name == "app.py" and path.stat().st_size > 10_000]
            chosen = max(named, key=lambda p: p.stat().st_size) if named else min(files, key=_far_from_34_kilobytes)
            return chosen.name, chosen.read_text(encoding="utf-8", errors="replace")
    folder = Path(sysconfig.get_path("stdlib"))
    chosen = next(folder / name for name in _REAL_FILES if (folder / name).is_file())
    return chosen.name, chosen.read_text(encoding="utf-8", errors="replace")


def sized_file(data: Path | None) -> tuple[str, str]:
    """Name and text of the real source file nearest to 34 kB: under `data`, or a module of the standard library."""
    files = [path for path in data.rglob("*.py") if path.is_file() and ".git" not in path.parts] if data else []
    folder = Path(sysconfig.get_path("stdlib"))
    known = [folder / name for name in _REAL_FILES if (folder / name).is_file()]
    chosen = min(files or known, key=_far_from_34_kilobytes)
    return chosen.name, chosen.read_text(encoding="utf-8", errors="replace")


def _far_from_34_kilobytes(path: Path) -> int:
    return abs(path.stat().st_size - 34_000)


def statements_of(tree: ast.Module) -> Iterator[ast.AST]:
    """A module and its statements in the order of `ast.walk`, which looks through all expressions too."""
    todo = deque[ast.AST]([tree])
    while todo:
        node = todo.popleft()
        yield node
        todo += (each for each in ast.iter_child_nodes(node) if isinstance(each, _COMPOUND))


@cache
def _read() -> tuple[tuple[str, ...], tuple[str, ...]]:
    folder = Path(sysconfig.get_path("stdlib"))
    sentences: dict[str, None] = {}
    names: dict[str, None] = {}
    for source in _SOURCES.split():
        path = folder / f"{source}.py"
        if not path.is_file():
            continue  # not every version has every module
        for node in statements_of(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.FunctionDef | ast.ClassDef):
                continue
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_") and len(node.name) > 3:
                names.setdefault(node.name)
            for sentence in (ast.get_docstring(node, clean=False) or "").replace("`", "").replace('"', "'").split("."):
                words = sentence.split()
                if _SHORTEST <= len(words) <= _LONGEST:
                    sentences.setdefault(" ".join(words))
    return tuple(sentences), tuple(names)
