"""The log-odds that work belongs to a task, by its content: a logistic regression over what both have in common.

`affinity.json` holds the weights and says how they were trained. What is rare in the project's past counts more
(`base_rates`).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from math import exp, log1p
from pathlib import Path

from attrs import frozen

from memlsp.code.vocabulary import patterns, word_sets
from memlsp.episodes.base_rates import Background
from memlsp.episodes.drafts import Stretch
from memlsp.episodes.observation import Signs, first_said, stems

FEATURES = (
    "paths",  # share of the files that the task wrote too, by rarity
    "a path",  # any of them
    "best path",  # share with the most similar part of the task
    "symbols",
    "a symbol",
    "names",  # identifiers in common, by rarity squared
    "rare names",
    "words",  # of what was asked for, or what the commit was called
    "rare words",
    "words named",  # words that are part of identifiers which the task put in or took out
    "names said",  # and the other way round
    "folders",
    "roots",  # the same file name without endings and signs of a test
    "together",  # files that changed together in the past
    "kinds",  # source, tests, documents, configuration
    "wording",  # edit similarity to the most similar line
    "prefix",  # `docs:` and the like
    "gap",  # hours to the nearest part of the task, log
    "beside",  # the work before it, or after it, is the task's
    "close",  # and minutes away
    "size",
)
"""The features of the regression, in order."""

_CLOSE = 1_800_000  # milliseconds
_HOUR = 3_600_000
_UNRELATED = 0.5
_MOST_NAMES = 400
_RE = patterns(__name__)
_WORDS = word_sets(__name__)


@frozen
class DerivedSigns:
    """Signs of one stretch that are computed from others."""

    folders: frozenset[str]
    roots: frozenset[str]
    kinds: frozenset[str]
    name_words: frozenset[str]


@lru_cache(maxsize=4_096)
def derived_signs(signs: Signs) -> DerivedSigns:
    """The derived signs, cached: a stretch is compared with every open task."""
    paths = signs.paths or signs.seen
    return DerivedSigns(
        frozenset(path.rpartition("/")[0] for path in paths),
        frozenset(root_of(path) for path in paths),
        frozenset(kind_of(path) for path in paths),
        frozenset(word for name in sorted(signs.names)[:_MOST_NAMES] for word in stems(name)),
    )


def root_of(path: str) -> str:
    """A file's name without endings and test marks: `src/client.py` and `tests/test_client.py` have one root."""
    name = path.rpartition("/")[2].split(".", 1)[0] or path.rpartition("/")[2]
    return _RE["test_ends"].sub("", name).lower() or name.lower()


def kind_of(path: str) -> str:
    """`news`, `test`, `docs`, `settings` or `source`."""
    name = path.rpartition("/")[2]
    stem, _, ending = name.rpartition(".")
    ending = ending.lower() if stem else ""
    if _RE["news"].search(name) and (not ending or ending in _WORDS["documents"]):
        return "news"
    if _RE["test_folder"].search(path) or _RE["test_name"].search(stem or name):
        return "test"
    if ending in _WORDS["documents"] or "/docs/" in f"/{path}" or "/doc/" in f"/{path}":
        return "docs"
    return "settings" if ending in _WORDS["settings"] or path.startswith(".") else "source"


class Task:
    """The signs of several stretches, counted so that one can be removed."""

    def __init__(self, stretches: Iterable[Stretch] = ()) -> None:
        self.stretches: list[Stretch] = []
        self.paths = Counter[str]()
        self.symbols = Counter[str]()
        self.names = Counter[str]()
        self.words = Counter[str]()
        self.folders = Counter[str]()
        self.roots = Counter[str]()
        self.kinds = Counter[str]()
        self.name_words = Counter[str]()
        for stretch in stretches:
            self.add(stretch)

    def add(self, stretch: Stretch) -> None:
        """Count a stretch in."""
        self.stretches.append(stretch)
        for counter, found in self._counted(stretch):
            counter.update(found)

    def remove(self, stretch: Stretch) -> None:
        """Count a stretch out again."""
        self.stretches.remove(stretch)
        for counter, found in self._counted(stretch):
            counter.subtract(found)
            for each in found:
                if counter[each] <= 0:
                    del counter[each]

    def _counted(self, stretch: Stretch) -> tuple[tuple[Counter[str], frozenset[str]], ...]:
        signs, view = stretch.signs, derived_signs(stretch.signs)
        return (
            (self.paths, signs.paths | signs.seen),
            (self.symbols, signs.symbols),
            (self.names, signs.names),
            (self.words, signs.words),
            (self.folders, view.folders),
            (self.roots, view.roots),
            (self.kinds, view.kinds),
            (self.name_words, view.name_words),
        )


def features(
    stretch: Stretch, task: Task, background: Background, before: Stretch | None, after: Stretch | None
) -> tuple[float, ...]:
    """The `FEATURES` of a stretch and a task without it. `before` and `after` are its neighbours in time."""
    signs, view = stretch.signs, derived_signs(stretch.signs)
    paths = signs.paths or signs.seen
    weighed = _weighed(signs, background)
    shared_names = [weighed.names[name] for name in signs.names & task.names.keys()]
    shared_words = [weighed.words[word] for word in signs.words & task.words.keys()]
    shared_paths = paths & task.paths.keys()
    members = task.stretches
    gap = min((_apart(stretch, each) for each in members), default=0)
    ids = {id(each) for each in members}
    near = [each for each in (before, after) if each is not None]
    beside = [each for each in near if id(each) in ids]
    closeness = sum(exp(-_apart(stretch, each) / _CLOSE) for each in beside)
    said, line = first_said(stretch.prompt or stretch.subject), prefix_of(stretch.subject)
    return (
        sum(weighed.paths[path] for path in shared_paths) / weighed.all_paths,
        float(bool(shared_paths)),
        max((_overlap(paths, each.signs.paths or each.signs.seen) for each in members), default=0.0),
        _part(signs.symbols, task.symbols),
        float(not signs.symbols.isdisjoint(task.symbols)),
        sum(weight**2 for weight in shared_names) / weighed.all_names,
        log1p(sum(weight**4 for weight in shared_names)),
        sum(shared_words) / weighed.all_words,
        log1p(sum(weight**4 for weight in shared_words)),
        sum(weighed.words[word] for word in signs.words & task.name_words.keys()) / weighed.all_words,
        len(view.name_words & task.words.keys()) / max(1, len(task.words)),
        _part(view.folders, task.folders),
        _part(view.roots, task.roots),
        background.together(paths, task.paths),
        _part(view.kinds, task.kinds),
        max((likeness(said, first_said(each.prompt or each.subject)) for each in members), default=0.0)
        if said
        else 0.0,
        float(bool(line) and any(line == prefix_of(each.subject) for each in members)),
        log1p(gap / _HOUR),
        float(len(beside)),
        closeness,
        log1p(len(members)),
    )


def _apart(stretch: Stretch, other: Stretch) -> int:
    return max(stretch.began - other.last, other.began - stretch.last, 0)


def prefix_of(subject: str) -> str:
    """The prefix of a subject such as `docs: name the option`, in lower case; "" without one."""
    found = _RE["prefix"].match(subject)
    return found[1].lower() if found else ""


@lru_cache(maxsize=20_000)
def likeness(a: str, b: str) -> float:
    """Edit similarity of the first 60 letters of two lines, scaled so that unrelated lines have 0."""
    if not a or not b:
        return 0.0
    ratio = SequenceMatcher(None, a.lower()[:60], b.lower()[:60], autojunk=False).ratio()
    return max(0.0, ratio - _UNRELATED) / (1 - _UNRELATED)


@frozen
class _Weighed:
    paths: dict[str, float]
    names: dict[str, float]
    words: dict[str, float]
    all_paths: float
    all_names: float
    all_words: float


@lru_cache(maxsize=2_048)
def _weighed(signs: Signs, background: Background) -> _Weighed:
    paths = {path: background.path(path) for path in signs.paths or signs.seen}
    names = {name: background.name(name) for name in signs.names}
    words = {word: background.word(word) for word in signs.words}
    return _Weighed(
        paths,
        names,
        words,
        sum(paths.values()) or 1.0,
        sum(weight**2 for weight in names.values()) or 1.0,
        sum(words.values()) or 1.0,
    )


def _part(here: frozenset[str], there: Counter[str]) -> float:
    return len(here & there.keys()) / len(here) if here else 0.0


def _overlap(here: frozenset[str], there: frozenset[str]) -> float:
    return len(here & there) / min(len(here), len(there)) if here and there else 0.0


@frozen
class LinearModel:
    """A linear model over `FEATURES`."""

    bias: float
    weights: tuple[float, ...]

    def odds(self, values: Sequence[float]) -> float:
        """The log-odds."""
        return self.bias + sum(w * x for w, x in zip(self.weights, values, strict=True))


@frozen
class AffinityWeights:
    """The models and thresholds. `arriving` is for new work, `settled` for work that is reconsidered later.

    Thresholds in log-odds: a task needs `join` to take new work in and `keep` to keep it, another task must be better
    by `stay` before work moves there, two tasks need `merge` to become one.
    """

    arriving: LinearModel
    settled: LinearModel
    join: float
    keep: float
    stay: float
    merge: float


@lru_cache(maxsize=1)
def shipped_weights() -> AffinityWeights:
    """The weights that come with the package."""
    content = json.loads(Path(__file__).with_name("affinity.json").read_text("utf-8"))
    sums = (content["arriving"], content["settled"])
    arriving, settled = (
        LinearModel(float(one["bias"]), tuple(float(one["weights"][name]) for name in FEATURES)) for one in sums
    )
    lines = content["lines"]
    return AffinityWeights(arriving, settled, *(float(lines[name]) for name in ("join", "keep", "stay", "merge")))
