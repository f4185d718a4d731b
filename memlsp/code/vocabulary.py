"""Regular expressions and word lists, which lie in TOML files beside the modules that use them.

A module finds its own under its name: `patterns(__name__)` reads the table `[worth]` of `mining/patterns.toml` for
`mining/worth.py`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import cast

_Tables = dict[str, dict[str, str]]
_PACKAGE = Path(__file__).parents[1]
_EARLIER = re.compile(r"<<(\w+)>>")

compiled: Callable[[str], re.Pattern[str]] = re.compile
"""What compiles a pattern; a process may keep for the next what it compiled."""

COMPILED: dict[tuple[str, str], re.Pattern[str]] = {}
"""The patterns that were needed so far, by module and name."""


@cache
def _tables(package: str, file: str) -> _Tables:
    path = _PACKAGE.joinpath(*package.split(".")[1:], file)
    return cast("_Tables", tomllib.loads(path.read_text(encoding="utf-8")))


def texts(module: str) -> dict[str, str]:
    """The word lists of a module as they are written in `words.toml`."""
    package, _, name = module.rpartition(".")
    return _tables(package, "words.toml")[name]


def word_sets(module: str) -> dict[str, frozenset[str]]:
    """The word lists of a module by their names, each as a set of words."""
    return {name: frozenset(text.split()) for name, text in texts(module).items()}


def named_lines(module: str, name: str) -> list[tuple[str, str]]:
    """A word list of a module with lines `NAME: REST`, as pairs."""
    parts = (line.partition(":") for line in texts(module)[name].strip().splitlines())
    return [(head, rest.removeprefix(" ")) for head, _, rest in parts]


@cache
def word_table(module: str, name: str) -> dict[str, tuple[str, ...]]:
    """A word list of a module with lines `NAME|NAME: ENTRY, ENTRY`: the entries by the name."""
    lines = named_lines(module, name)
    return {each: tuple(entries.split(", ")) for names, entries in lines for each in names.split("|")}


class Patterns(Mapping[str, re.Pattern[str]]):
    """The regular expressions of a module by their names. Each is compiled when it is first needed: most commands need
    few of them, and all together take longer than most commands."""

    def __init__(self, module: str) -> None:
        self._module = module

    @cached_property
    def _written(self) -> dict[str, str]:
        package, _, name = self._module.rpartition(".")
        return _tables(package, "patterns.toml")[name]

    def text(self, name: str) -> str:
        """The pattern as text: its lines without the space around them, and what `<<name>>` stands for."""
        joined = "".join(line.strip() for line in self._written[name].splitlines())
        return _EARLIER.sub(lambda part: self.text(part[1]), joined)

    def __getitem__(self, name: str) -> re.Pattern[str]:
        """The compiled pattern."""
        found = COMPILED.get((self._module, name))
        if found is None:
            found = COMPILED[self._module, name] = compiled(self.text(name))
        return found

    def __iter__(self) -> Iterator[str]:
        """The names in their order."""
        return iter(self._written)

    def __len__(self) -> int:
        """How many there are."""
        return len(self._written)


@cache
def patterns(module: str) -> Patterns:
    """The regular expressions of a module in `patterns.toml`."""
    return Patterns(module)


class BytePatterns:
    """The regular expressions of a module for source as bytes, each compiled when it is first needed."""

    def __init__(self, module: str) -> None:
        self._written = Patterns(module)
        self._compiled: dict[str, re.Pattern[bytes]] = {}

    def __getitem__(self, name: str) -> re.Pattern[bytes]:
        """The compiled pattern."""
        if name not in self._compiled:
            self._compiled[name] = re.compile(self._written.text(name).encode())
        return self._compiled[name]
