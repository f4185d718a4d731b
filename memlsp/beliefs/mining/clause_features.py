"""How likely a clause of a prompt outlasts the task: a weighted sum of named features of its words.

A feature is a class of words (`always`, `prohibit`, `moved`, `hedge`), a fact about form, or two of these together. The
classes lie in patterns.toml, in four languages; the weights in lasting_model.json, which
`python -m benchmarks.corrections.train` makes from labelled prompts. A reader can argue with each weight.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from math import exp

from attrs import frozen
from cattrs import structure

from memlsp.beliefs.vocabulary import patterns

WEIGHTS_FILE = "lasting_model.json"

TOGETHER = (
    *(
        "always policy_verb",
        "always task_verb",
        "always own",
        "instead policy_verb",
        "instead moved",
        "general policy_verb",
    ),
    *("names policy_verb", "ordered policy_verb", "ordered task_verb", "task_verb names", "task_verb pointing"),
    *(
        "task_verb once",
        "task_verb definite",
        "task_verb instead",
        "prohibit pointing",
        "prohibit anaphora",
        "never names",
    ),
    *(
        "prohibit names",
        "prohibit own",
        "moved names",
        "moved narration",
        "moved place",
        "place located",
        "place names",
    ),
    *(
        "located names",
        "bug definite",
        "bug narration",
        "binding plural",
        "binding bug",
        "binding definite",
        "only names",
    ),
    *("memo asks", "habit names", "habit ours", "own prefers", "wants task_verb", "decided names", "phase habit"),
    *(
        "schedule located",
        "condition policy_verb",
        "condition task_verb",
        "wrong policy_verb",
        "wrong names",
        "reason names",
    ),
    *("narration own", "binding task_verb", "prohibit general", "policy_verb pointing", "policy_verb definite"),
    *(
        "no_thing process",
        "prohibit process",
        "habit process",
        "everywhere process",
        "everywhere belongs",
        "everywhere bug",
    ),
    *("belongs names", "state names", "state bug", "here everywhere", "here habit", "only process", "instead process"),
    *("instead names", "never process", "report bug", "report never", "report always", "never bug", "always bug"),
    *("plain alone", "plain everywhere", "plain prohibit", "plain state", "plain here", "plain process", "plain only"),
    *("plain belongs", "plain definite", "plain own", "plain equals", "plain names", "plain instead", "alone prohibit"),
    *("plain you", "alone instead", "alone never", "alone own", "only names", "plain place", "plain binding"),
    *(
        "prohibit this_one",
        "policy_verb process",
        "task_verb process",
        "everywhere habit",
        "mine process",
        "asks_first process",
    ),
)
"""Features that say more, or less, together than the sum of both."""

BESIDE = frozenset(
    {"bug", "narrated", "report", "task_verb", "asks", "look", "narration", "pointing", "prohibit", "hedge"}
)
"""Features of the other clauses of a prompt that count."""

_REFUSING = frozenset(
    "task_verb asks bug narrated narration report look hedge thanks wants pointing already once onward this_one".split()  # noqa: SIM905
)
"""Features by whose shape a clause is refused, unless others speak for it."""

_CLASSES = patterns(__name__)
_WORDS = re.compile(r"[^\W\d_]+(?:['\u2019][a-z]+)?")


@frozen
class ClauseSetting:
    """What stands around a clause: how many clauses and characters the prompt has, whether this clause is the first,
    whether it answers an agent's question, whether its sentence ends in a question mark, and which of `BESIDE` the
    other clauses have."""

    clauses: int = 1
    characters: int = 0
    first: bool = True
    answers: bool = False
    asked: bool = False
    beside: frozenset[str] = frozenset()


def clause_features(clause: str, lead: str, around: ClauseSetting) -> dict[str, float]:
    """The features of a clause without its lead, which holds what was said before it (`no,`, `by the way`). Those that
    are 0 are left out."""
    found = {name: 1.0 for name, pattern in _CLASSES.items() if pattern.search(clause)}
    found["names"] = min(2.0, float(len(_CLASSES["names"].findall(clause))))
    found["definite"] = min(3.0, float(len(_CLASSES["definite"].findall(clause))))
    for name in ("memo", "wrong", "thanks", "wants"):
        if lead and _CLASSES[name].search(lead):
            found[f"lead_{name}"] = 1.0
    size = len(_WORDS.findall(clause))
    found["tiny"] = float(size < 3)
    found["short"] = float(3 <= size < 6)
    found["long"] = float(size > 22)
    found["alone"] = float(around.clauses == 1)
    found["many"] = float(around.clauses > 6)
    found["essay"] = float(around.characters > 700)
    found["first"] = float(around.first)
    found["answers"] = float(around.answers)
    found["asked"] = float(around.asked)
    found.update((f"beside {name}", 1.0) for name in around.beside)
    if "decided" in found:  # it says how things are to be, and reports nothing
        found.pop("narrated", None)
    found["plain"] = float(not _REFUSING & found.keys())
    for pair in TOGETHER:
        one, other = pair.split()
        if found.get(one) and found.get(other):
            found[pair] = found[one] * found[other]
    return {name: number for name, number in found.items() if number}


FEATURES = (
    *_CLASSES,
    *(
        "lead_memo",
        "lead_wrong",
        "lead_thanks",
        "lead_wants",
        "tiny",
        "short",
        "long",
        "alone",
        "many",
        "essay",
        "first",
        "plain",
    ),
    *("answers", "asked", *TOGETHER, *(f"beside {name}" for name in sorted(BESIDE))),
)
"""Every name that a feature can have."""


@frozen
class LastingModel:
    """Weights in logits. `mark` is the likelihood from which a clause is kept; `direct` the one from which a person
    surely meant it to last."""

    bias: float
    of: dict[str, float]
    mark: float
    direct: float
    about: str = ""

    def likelihood(self, features: Mapping[str, float]) -> float:
        """From 0 to 1."""
        total = self.bias + sum(self.of.get(name, 0.0) * number for name, number in features.items())
        return 1 / (1 + exp(-max(-30.0, min(30.0, total))))


@cache
def lasting_model() -> LastingModel:
    """The model of this release."""
    return structure(json.loads((files(__package__ or "") / WEIGHTS_FILE).read_text(encoding="utf-8")), LastingModel)
