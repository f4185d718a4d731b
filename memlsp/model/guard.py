"""A guard: a check that a belief carries with it, so that it tests itself."""

from __future__ import annotations

from enum import StrEnum

from attrs import frozen

from memlsp.model.place import Span


class GuardEngine(StrEnum):
    """What the pattern is written in."""

    PATTERN = "pattern"  # ast-grep: code with $NAME and $$$ for what may vary
    QUERY = "query"  # a tree-sitter query


@frozen
class Guard:
    """`pattern` must, or must not, match in the belief's scope. `language` is one that patterns can be read in."""

    pattern: str
    must: bool
    language: str
    engine: GuardEngine = GuardEngine.PATTERN

    def __str__(self) -> str:
        """As people write it: `must not python: requests.get($$$)`."""
        engine = " query" if self.engine is GuardEngine.QUERY else ""
        return f"{'must' if self.must else 'must not'} {self.language}{engine}: {self.pattern}"


@frozen
class Breach:
    """A place that breaks a guard. `span` is what matched and must not, or the name of the symbol, or the beginning of
    the file, in which nothing matched; `excerpt` is the first line of what matched, "" where nothing did."""

    guard: Guard
    path: str
    symbol: str
    span: Span
    excerpt: str = ""
