"""How likely a passage of a document binds those who work on the project: a weighted sum of named features.

A feature is a class of words (`always`, `prohibit`, `begins`), the shape of the passage, a class of the headings, the
lead or the head of the table above it, how many of its neighbours speak as rules do, or two of these together. The
classes lie in patterns.toml; those that prompts have too are shared. `python -m benchmarks.documents.train` makes the
weights in binding_model.json.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

from attrs import evolve, frozen
from cattrs import structure

from memlsp.beliefs.mining.clause_features import FeatureModel
from memlsp.beliefs.mining.passages import Passage, PassageForm
from memlsp.code.vocabulary import patterns, texts
from memlsp.model.belief import BeliefKind

WEIGHTS_FILE = "binding_model.json"

_RE = patterns(__name__)
_SHARED = patterns("memlsp.beliefs.mining.clause_features")
_WORTH = patterns("memlsp.beliefs.mining.worth")
_CLASSES = texts(__name__)
_RULE_LIKE, _TOGETHER = (frozenset(_CLASSES[each].split(", ")) for each in ("rule_like", "together"))
_LONGEST_LINK = 400  # characters of an item that may be a link alone
_ABOVE = ("above_rules", "above_facts", "above_never", "above_allowed", "above_idle")
_OF_PARTS = ("above_facts", "above_idle")  # what the title of a document cannot say
_IN_LEAD = {name: _SHARED[name] for name in ("binding", "prohibit", "never")} | {"above_never": _RE["above_never"]}


@frozen
class GuidePassage:
    """Sentences of a passage that may bind. `label` is a name before them (`Naming:`), `body` the rest; lines are from
    1, inclusive; `number` and `last` are the first and last sentence, counted from 0."""

    passage: Passage
    text: str
    label: str
    body: str
    first_line: int
    last_line: int
    number: int
    last: int

    @property
    def dangles(self) -> bool:
        """True when it says nothing without the sentence before it."""
        return not self.label and _WORTH["dangling"].match(self.text) is not None

    def follows(self, before: GuidePassage) -> bool:
        """True when it is told with the sentence before it: it needs that, or is of the same item."""
        return self.number == before.last + 1 and (self.dangles or self.passage.item)

    def joined(self, after: GuidePassage) -> GuidePassage:
        """Both sentences as one."""
        text, body = f"{self.text} {after.text}", f"{self.body} {after.text}"
        return evolve(self, text=text, body=body, last_line=after.last_line, last=after.last)


def guide_passage(passage: Passage, text: str, first_line: int, last_line: int, number: int) -> GuidePassage:
    """A candidate, its label parted from its body."""
    found = _RE["label"].match(text) if number == 0 else None
    if found and _begins(found["label"]):
        found = None  # no name, but the rule itself: `Use tabs: they are ...`
    label, body = (found["label"].strip(), found["body"].strip()) if found else ("", text)
    return GuidePassage(passage, text, label, body, first_line, last_line, number, number)


def binding_features(candidates: Sequence[GuidePassage]) -> list[dict[str, float]]:
    """The features of each candidate of a document, those that are 0 left out."""
    own = [_own(each) for each in candidates]
    sections: dict[tuple[object, ...], list[bool]] = {}
    keys = [(each.passage.headings, each.passage.form, each.passage.depth > 0) for each in candidates]
    is_rule_like = [_is_rule_like(found) for found in own]
    for key, own_rule in zip(keys, is_rule_like, strict=True):
        sections.setdefault(key, []).append(own_rule)
    whole = sum(is_rule_like)
    for found, key, own_rule in zip(own, keys, is_rule_like, strict=True):
        near = sections[key]
        if len(near) > 1:
            found["kin"] = (sum(near) - own_rule) / (len(near) - 1) - 0.5
        if len(own) > 1:
            found["document"] = (whole - own_rule) / (len(own) - 1) - 0.5
        found.update(_pairs(found))
    return [{name: number for name, number in found.items() if number} for found in own]


def _own(one: GuidePassage) -> dict[str, float]:
    """The features of a candidate alone and of what stands above it."""
    text, words = one.body, len(re.findall(r"[^\W_]+", one.body))
    found = {one.passage.form.value: 1.0}
    found |= {name: 1.0 for name in _CLASSES["in_prompts"].split() if _SHARED[name].search(text)}
    found |= {name: 1.0 for name in _CLASSES["in_guides"].split() if _RE[name].search(text)}
    found |= {name: 1.0 for name in ("empty", "dangling") if _WORTH[name].search(one.text)}
    if one.label:
        found["label"] = 1.0
        found |= {name: 1.0 for name in ("label_speaks", "label_facts", "entry") if _RE[name].search(one.label)}
    found["begins"] = float(_begins(text))
    found["link"] = float(len(one.passage.source) < _LONGEST_LINK and bool(_RE["link"].search(one.passage.source)))
    found["names"] = min(2.0, float(len(_SHARED["names"].findall(text))))
    found["code"] = sum(len(part) for part in text.split("`")[1::2]) / max(1, len(text))
    found["tiny"] = float(words < 3)
    found["short"] = float(3 <= words < 6)
    found["later"] = float(one.number > 0)
    found["leads"] = float(text.endswith((":", "\uff1a")))
    found |= _above(one.passage)
    found["plain"] = float(not _is_rule_like(found))
    return found


def _is_rule_like(found: Mapping[str, float]) -> bool:
    return any(found.get(name) for name in _RULE_LIKE)


def _begins(text: str) -> bool:
    """True for a text that begins with a command, after `please` and the like."""
    text = _RE["opening"].sub("", text)
    return any(pattern.search(text) for pattern in (_RE["begins"], _SHARED["policy_verb"], _SHARED["task_verb"]))


def _above(passage: Passage) -> dict[str, float]:
    """Features of the headings, the lead and the head of the table."""
    found: dict[str, float] = {}
    for name in _ABOVE:
        if any(_RE[name].search(each) for each in passage.headings[-1:]):
            found[name] = 1.0
        elif any(_RE[name].search(each) for each in passage.headings[name in _OF_PARTS : -1]):
            found[f"outer {name}"] = 1.0
    if passage.form is PassageForm.ROW:
        found |= {name: 1.0 for name in ("rule_column", "fact_column") if _RE[name].search(passage.lead)}
        found["rule_table"] = float("rule_column" in found and "fact_column" not in found)
    elif passage.lead:
        found["lead"] = 1.0
        found |= {f"lead {name}": 1.0 for name, pattern in _IN_LEAD.items() if pattern.search(passage.lead)}
    return found


def _pairs(found: Mapping[str, float]) -> dict[str, float]:
    pairs: dict[str, float] = {}
    for pair in _TOGETHER:
        one, other = pair.split()
        if found.get(one) and found.get(other):
            pairs[pair] = found[one] * found[other]
    return pairs


def guide_kind(text: str) -> BeliefKind:
    """The kind of what binds in a guide: a rule, unless its words say more."""
    if _RE["runs"].search(text) and not _SHARED["never"].search(text) and not _SHARED["prohibit"].search(text):
        return BeliefKind.PROCEDURE
    if _SHARED["decided"].search(text):
        return BeliefKind.DECISION
    return BeliefKind.PREFERENCE if _RE["would_rather"].search(text) else BeliefKind.RULE


@frozen(kw_only=True)
class BindingModel(FeatureModel):
    """The likelihood that a passage binds."""

    def likelihoods(self, candidates: Iterable[GuidePassage]) -> list[float]:
        """Of each candidate of a document, in order."""
        return [self.likelihood(features) for features in binding_features(list(candidates))]


@cache
def binding_model() -> BindingModel:
    """The model of this release."""
    return structure(json.loads(Path(__file__).with_name(WEIGHTS_FILE).read_text(encoding="utf-8")), BindingModel)


def binding_likelihood(text: str) -> float:
    """That a statement binds which stands alone, in no document."""
    alone = Passage(text, (), 1, 1, PassageForm.PROSE)
    return binding_model().likelihoods([guide_passage(alone, text, 1, 1, 0)])[0]
