"""`memlsp eval encoder`: what an encoder finds of four kinds of text, beside FTS5 alone, and what both find together.

Pairs are those of `train_encoder_pairs`, of packages that no encoder was trained on: weights of the fusion are chosen
on `DEVELOP_ON` and judged on `TEST_ON`. A question is put to the texts of all packages of the part, at most 4,000 of a
kind. FTS5 is as the store has it: identifiers split, porter stems, stop words dropped. Vectors are the shipped bytes
through the code that recall uses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from random import Random
from time import perf_counter
from typing import TYPE_CHECKING

import apsw
from attrs import frozen

from benchmarks.recall.train_encoder import read_pairs
from benchmarks.recall.train_encoder_pairs import KINDS, Pair
from benchmarks.reporting.report import Report
from benchmarks.reporting.tables import table
from memlsp.memory.recall.vectors import encoder_of
from memlsp.model.errors import NoSuchFile
from memlsp.recall.question import parse_question
from memlsp.recall.score_fusion import NEAREST_READ, WEIGHT, beyond_words, fuse
from memlsp.store.core.database import connect
from memlsp.store.search import index
from memlsp.store.tables.vectors import Vector

if TYPE_CHECKING:
    from memlsp.recall.static_encoder import StaticEncoder

_POOL, _QUESTIONS = 4_000, 1_000
_DEPTH = 100
"""How many each way of searching hands to the fusion."""

_WEIGHTS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)

Ranking = Sequence[tuple[int, float]]
"""Texts by number with a score, best first."""


@frozen
class Found:
    """What both ways found of one question: `gold` is the number of its text."""

    gold: int
    words: Ranking
    vectors: Ranking


def run_encoder(data: Path | None, *, quick: bool = False, only: str = "") -> Report:
    """`data` is a folder of gathered pairs, or of `wheels` and `clones` to gather them from; `only` names an encoder
    other than the embedded one. Raises NoSuchFile when there are none."""
    pairs = _pairs_folder(data)
    encoder = encoder_of(only or "embedded")
    if encoder is None:
        raise NoSuchFile("there is no encoder to judge", "--only NAME names one")
    number = 150 if quick else _QUESTIONS
    develop = {kind: found_of(pairs, "develop", kind, encoder, number) for kind in KINDS}
    test = {kind: found_of(pairs, "test", kind, encoder, number) for kind in KINDS}
    weight = best_weight(list(develop.values()))
    baselines: dict[str, dict[str, float]] = {}
    score: dict[str, float] = {"weight chosen on development packages": weight, "weight of recall": WEIGHT}
    rows: list[tuple[str, ...]] = []
    for kind in KINDS:
        ways: list[tuple[str, list[list[int]]]] = [
            ("FTS5", [[text for text, _ in each.words] for each in test[kind]]),
            ("vectors", [[text for text, _ in each.vectors] for each in test[kind]]),
            ("both, by rank", [by_rank(each) for each in test[kind]]),
            ("both, as recall", [by_weight(each, WEIGHT) for each in test[kind]]),
        ]
        for name, rankings in ways:
            hits, rank = quality(rankings, [each.gold for each in test[kind]])
            rows.append((kind, name, f"{hits:.3f}", f"{rank:.3f}", str(len(test[kind]))))
            baselines.setdefault(kind, {}).update({f"{name} R@10": hits, f"{name} MRR": rank})
        rows.append(())
        score[f"{kind} R@10"] = baselines[kind]["both, as recall R@10"]
    print(f"{encoder.name}, {encoder.dimensions} dimensions")
    print(table(("kind", "found by", "R@10", "MRR", "questions"), rows[:-1], left=2))
    print(f"on the development packages the best weight of vectors is {weight:g}; recall takes {WEIGHT:g}")
    passed = all(score[f"{kind} R@10"] >= baselines[kind]["FTS5 R@10"] for kind in KINDS)
    return Report("encoder", score, baselines, [], passed)


def _pairs_folder(data: Path | None) -> Path:
    if data is None or not data.is_dir():
        raise NoSuchFile("the suite encoder needs pairs of texts", "--data DIR: see benchmarks/recall/train_encoder.py")
    if any(data.glob("*.jsonl")):
        return data
    from benchmarks.recall.train_encoder import gather  # late: it takes minutes

    gather(data / "wheels", data / "clones", data / "pairs")
    return data / "pairs"


def found_of(pairs: Path, part: str, kind: str, encoder: StaticEncoder, number: int = _QUESTIONS) -> list[Found]:
    """What both ways find of `number` questions of one kind, among the texts of the part's packages."""
    pool = pool_of(pairs, part, kind)
    texts = [pair.text for pair in pool]
    asked = list(enumerate(pool))[:number]
    words = _Words(texts)
    near = _near(encoder, texts, [pair.query for _, pair in asked])
    return [Found(gold, words.best(pair.query), vectors) for (gold, pair), vectors in zip(asked, near, strict=True)]


def pool_of(pairs: Path, part: str, kind: str) -> list[Pair]:
    """At most 4,000 pairs of a kind, by turns from the packages, in an order of chance that is always the same."""
    by_package: dict[str, list[Pair]] = {}
    for package, pair in read_pairs(pairs, part):
        if pair.kind == kind:
            by_package.setdefault(package, []).append(pair)
    chance = Random(11)  # noqa: S311 - a sample, no secret
    for members in by_package.values():
        chance.shuffle(members)
    turns = zip_longest(*by_package.values())
    return [pair for turn in turns for pair in turn if pair is not None][:_POOL]


class _Words:
    """The texts in an FTS5 index as the store has it."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._connection = connect(":memory:", apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE)
        self._connection.execute("CREATE VIRTUAL TABLE search USING fts5(said, tokenize = 'porter unicode61')")
        for at, text in enumerate(texts):
            self._connection.execute("INSERT INTO search (rowid, said) VALUES (?, ?)", (at, index.expanded(text)))

    def best(self, query: str) -> Ranking:
        """The best texts, with BM25."""
        phrases = [each for term in parse_question(query).terms for each in term]
        match = " OR ".join('"' + phrase.replace('"', " ") + '"' for phrase in phrases if phrase.strip('" '))
        if not match:
            return []
        rows = self._connection.execute(
            "SELECT rowid, -rank FROM search WHERE search MATCH ? ORDER BY rank, rowid LIMIT ?", (match, _DEPTH)
        )
        return [(int(row[0]), float(row[1])) for row in rows]


def _near(encoder: StaticEncoder, texts: Sequence[str], asked: Sequence[str]) -> list[Ranking]:
    from memlsp.recall.nearest_vectors import NearestVectors, quantized  # late: numpy

    nearest = NearestVectors(encoder.dimensions)
    began = perf_counter()
    made = quantized(encoder.encode(texts))
    print(f"  {len(texts) / (perf_counter() - began):,.0f} texts a second", flush=True)
    nearest.append([Vector("belief", at, b"", scale, data, at + 1) for at, (scale, data) in enumerate(made)])
    questions = encoder.encode(asked)
    return [[(at, near) for _, at, near in nearest.best(each, _DEPTH)] for each in questions]


# -- together ---------------------------------------------------------------------------------------------------------


def by_rank(found: Found) -> list[int]:
    """Reciprocal rank fusion (Cormack et al., 2009)."""
    scores: dict[int, float] = {}
    for ranking in (found.words, found.vectors):
        for rank, (text, _) in enumerate(ranking, start=1):
            scores[text] = scores.get(text, 0.0) + 1 / (60 + rank)
    return _ordered(scores)


def by_weight(found: Found, weight: float) -> list[int]:
    """The sum that recall makes (`recall.likeness`), with `weight` for vectors; 0 for words alone."""
    if not weight:
        return [text for text, _ in found.words]
    near = found.vectors[:NEAREST_READ]
    words = dict(found.words)
    words.update(dict.fromkeys(beyond_words(near, words), 0.0))
    return _ordered(fuse(words, near, weight))


def best_weight(groups: Sequence[Sequence[Found]]) -> float:
    """The weight that gives the best mean of R@10 and MRR over the groups; the least of equals."""

    def worth(weight: float) -> float:
        each = [quality([by_weight(one, weight) for one in group], [one.gold for one in group]) for group in groups]
        return sum(sum(pair) for pair in each)

    return max(_WEIGHTS, key=lambda weight: (round(worth(weight), 4), -weight))


def _ordered(scores: Mapping[int, float]) -> list[int]:
    return sorted(scores, key=lambda text: (-scores[text], text))


def quality(rankings: Sequence[Sequence[int]], golds: Sequence[int]) -> tuple[float, float]:
    """R@10 and MRR, each between 0 and 1; what is not among the first 100 has no rank."""
    hits = rank = 0.0
    for ranking, gold in zip(rankings, golds, strict=True):
        place = list(ranking[:_DEPTH]).index(gold) + 1 if gold in ranking[:_DEPTH] else 0
        hits += 0 < place <= 10
        rank += 1 / place if place else 0.0
    return hits / max(len(golds), 1), rank / max(len(golds), 1)
