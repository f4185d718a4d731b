"""How likely a clause of a prompt outlasts the task: a weighted sum of its features.

A feature is a class of words (`always`, `prohibit`, `moved`, `hedge`), a fact about form, a word (`=use`) or two words
in a row (`=use pnpm`). The classes lie in patterns.toml, in four languages; the weights in lasting_model.json, which
`python -m benchmarks.corrections.train` makes from labelled prompts. A reader can argue with each weight.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import pairwise
from math import exp
from pathlib import Path

from attrs import frozen
from cattrs import structure

from memlsp.code.vocabulary import patterns
from memlsp.model.belief import BeliefKind

WEIGHTS_FILE = "lasting_model.json"

BESIDE = frozenset({"asks", "look", "narration", "pointing", "prohibit", "hedge"})
"""Features of the other clauses of a prompt that count."""

_CLASSES = patterns(__name__)
_WORD = patterns(f"{__package__}.clause_words")["word"]
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
    for name in ("memo", "wrong", "wants"):
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
    words = [*_words(clause)]
    found.update((f"={word}", 1.0) for word in (*_words(lead), *words))
    found.update((f"={one} {other}", 1.0) for one, other in pairwise(("^", *words, "$")))
    return {name: number for name, number in found.items() if number}


def _words(text: str) -> Iterator[str]:
    """The words of a text in lower case, without the apostrophes that many leave out; a name, path, option, address,
    number or code as what it is."""
    for found in _WORD.finditer(text):
        name = found.lastgroup or ""
        if name != "word":
            yield f"#{name}"
        elif found[0].isupper() and len(found[0]) > 1:
            yield from ("#caps", found[0].lower())
        else:
            yield re.sub("['\u2019]", "", found[0].lower())


@frozen(kw_only=True)
class FeatureModel:
    """Weights of features in logits; `mark` is the likelihood from which a text is kept."""

    bias: float
    of: dict[str, float]
    mark: float
    about: str = ""

    def likelihood(self, features: Mapping[str, float]) -> float:
        """From 0 to 1."""
        total = self.bias + sum(self.of.get(name, 0.0) * number for name, number in features.items())
        return 1 / (1 + exp(-max(-30.0, min(30.0, total))))


@frozen(kw_only=True)
class LastingModel(FeatureModel):
    """`direct` is the likelihood from which a person surely meant a clause to last. `kinds` has the weights of each
    kind, with the bias under ""."""

    direct: float
    kinds: dict[str, dict[str, float]]

    def kind(self, features: Mapping[str, float]) -> BeliefKind:
        """The likeliest kind."""
        found = {"": 1.0, **kind_features(features)}

        def total(weights: Mapping[str, float]) -> float:
            return sum(weights.get(name, 0.0) * number for name, number in found.items())

        return BeliefKind(max(self.kinds, key=lambda kind: total(self.kinds[kind])))


def kind_features(features: Mapping[str, float]) -> dict[str, float]:
    """The features that tell a kind: all but pairs of words, which are too rare for it."""
    return {name: number for name, number in features.items() if not (name.startswith("=") and " " in name)}


@cache
def lasting_model() -> LastingModel:
    """The model of this release."""
    return structure(json.loads(Path(__file__).with_name(WEIGHTS_FILE).read_text(encoding="utf-8")), LastingModel)
