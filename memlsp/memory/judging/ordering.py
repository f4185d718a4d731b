"""Choose the beliefs that apply to a place, and order them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING

from memlsp.model.belief import Belief, ScopeKind
from memlsp.model.standing import Judgement

if TYPE_CHECKING:
    import pathspec

_NEAREST_FIRST = list(ScopeKind)[::-1]


def most_trusted_first(judgements: Iterable[Judgement], symbol: str) -> tuple[Judgement, ...]:
    """Order judgements: those that hold first, then by authority, then by nearness to `symbol`, then by id.

    Age is no evidence, so it decides nothing. Each belief appears once.
    """

    def distance(judgement: Judgement) -> int:
        near = [len(symbol) - len(tie.symbol) for tie in judgement.ties if symbol.startswith(tie.symbol)]
        return min(near) if near else 1000 + _NEAREST_FIRST.index(judgement.belief.scope.kind)

    unique = {judgement.belief.id: judgement for judgement in judgements}
    return tuple(
        sorted(unique.values(), key=lambda j: (not j.standing.holds, j.belief.authority.rank, distance(j), j.belief.id))
    )


def with_containers(name: str) -> frozenset[str]:
    """A dotted name with the names of all its containers, the file ("") included."""
    names = {"", name}
    while name := name.rpartition(".")[0]:
        names.add(name)
    return frozenset(names)


def is_about(judgement: Judgement, path: str) -> bool:
    """True when a belief is or was tied to a file, or has a path glob that covers it."""
    if any(path in {tie.path, tie.anchor.path} for tie in judgement.ties):
        return True
    return covers(judgement.belief, path)


def covers(belief: Belief, path: str) -> bool:
    """True when the belief's path glob matches a file. Globs have the syntax of .gitignore."""
    return belief.scope.kind is ScopeKind.GLOB and matches(belief.scope.pattern, path)


def matches(pattern: str, path: str) -> bool:
    """True when a path glob covers a file."""
    return _spec(pattern).match_file(path)


@lru_cache(maxsize=1024)
def _spec(pattern: str) -> pathspec.GitIgnoreSpec:
    import pathspec  # late: only for beliefs of a path glob

    return pathspec.GitIgnoreSpec.from_lines([pattern])
