"""How much the content of a piece of work speaks for its belonging to a task."""

from __future__ import annotations

from collections.abc import Sequence

from memlsp.episodes.observation import Signs


def affinity(signs: Signs, others: Sequence[Signs]) -> float:
    """The log-odds, by content alone, that what shows `signs` belongs to the task whose parts show `others`; 0 when
    nothing can be told."""
    mine = signs.paths | signs.seen
    theirs = {path for other in others for path in other.paths | other.seen}
    odds = 0.0
    if any(signs.symbols & other.symbols for other in others):
        odds += 2.0
    if mine and theirs:
        odds += 3.0 * len(mine & theirs) / len(mine) - 1.2
    words = {word for other in others for word in other.words}
    if signs.words and words:
        odds += 3.0 * len(signs.words & words) / len(signs.words) - 0.9
    return odds
