"""How likely a change of the code makes a statement false: a weighted sum of what `touching` tells, learnt from what
people did to docstrings when they changed the code below them.

The weights lie beside this module, with the histories that they were made from and the figures that they had there;
`python -m benchmarks.judgement.train_drift` makes them. They decide nothing that the rules of `weighing` decide.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from math import exp
from typing import TYPE_CHECKING, cast

from attrs import frozen
from cattrs import structure

from memlsp.beliefs.standing.change_features import ABOUT, touching

if TYPE_CHECKING:
    from memlsp.beliefs.standing.claim_check import Case

WEIGHTS_FILE = "relevance_model.json"


@frozen
class RelevanceWeights:
    """What was learnt. `mark` is the likelihood from which a change is worth interrupting somebody; below `aside` a
    change does not touch the statement."""

    bias: float
    of: Mapping[str, float]
    mark: float
    aside: float

    def likelihood(self, numbers: Mapping[str, float]) -> float:
        """From 0 to 1, for the numbers of `touching`."""
        total = self.bias + sum(weight * numbers[name] for name, weight in self.of.items())
        return 1 / (1 + exp(-max(-30.0, min(30.0, total))))


@cache
def weights() -> RelevanceWeights:
    """Those that come with the program."""
    found = structure(_content(), RelevanceWeights)
    assert set(found.of) <= set(ABOUT)
    return found


def shipped_with() -> tuple[str, ...]:
    """The repositories that the weights were made from."""
    return tuple(structure(_content()["made from"], dict[str, str]))


def _content() -> dict[str, object]:
    text = (files("memlsp.beliefs.standing") / WEIGHTS_FILE).read_text(encoding="utf-8")
    return cast("dict[str, object]", json.loads(text))


def bearing(case: Case, *, contradicted: bool) -> float:
    """How likely, from 0 to 1, the author of the statement would have to say something else now."""
    return weights().likelihood(touching(case, contradicted=contradicted))
