"""Make the weights of `memlsp.beliefs.standing.relevance_model` from the histories in a folder.

    python -m benchmarks.judgement.train_drift --data DIR

All repositories of DIR teach; keep those that are to judge somewhere else. The thresholds are taken from figures that
every repository got from weights which were made from the others.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.judgement.drift_features import NAMES, Judged, fitted, judged, judged_by_sentence
from benchmarks.judgement.drift_mining import mined, repositories_in
from benchmarks.judgement.logistic_fit import area, average_precision, precision_and_recall
from benchmarks.reporting.machine import today
from memlsp.beliefs.standing import relevance_model
from memlsp.beliefs.standing.relevance_model import ABOUT

_WANTED = 0.65  # precision of a mark, on histories left out; the target is 0.60, and other histories are harder
_ASIDE = 0.02  # of the sentences below are rewritten at the most
_STEP = 0.005


def main() -> None:
    """Read the arguments, learn, write the file, print what is in it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with the git repositories that teach")
    parser.add_argument(
        "--out", type=Path, default=Path(relevance_model.__file__).with_name(relevance_model.WEIGHTS_FILE)
    )
    arguments = parser.parse_args()
    rows: dict[str, list[Judged]] = {}
    sentences: dict[str, list[Judged]] = {}
    heads: dict[str, str] = {}
    for name, folder in repositories_in(arguments.data).items():
        history = mined(name, folder)
        rows[name], sentences[name] = list(judged(history.items)), list(judged_by_sentence(history.items))
        heads[name] = history.items[0].commit if history.items else ""
        print(f"{name}: {len(rows[name])} docstrings, {len(sentences[name])} sentences", flush=True)
    content = learnt(rows, sentences) | {"made from": heads, "made on": today()}
    arguments.out.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(content, indent=1))


def learnt(rows: Mapping[str, Sequence[Judged]], sentences: Mapping[str, Sequence[Judged]]) -> dict[str, object]:
    """Weights, thresholds and figures, as they are written."""
    whole = fitted([row for part in (rows, sentences) for each in part.values() for row in each])
    left_out: list[tuple[float, bool]] = []
    of_sentences: list[tuple[float, bool]] = []
    for name in rows:
        fit = fitted(
            [row for part in (rows, sentences) for other, each in part.items() if other != name for row in each]
        )
        left_out += [(fit.likelihood(row.numbers), row.positive) for row in rows[name]]
        of_sentences += [(fit.likelihood(row.numbers), row.positive) for row in sentences[name]]
    scores, gold = [score for score, _ in left_out], [good for _, good in left_out]
    mark = _lowest_with(scores, gold, _WANTED)
    precision, recall, _ = precision_and_recall(scores, gold, mark)
    return {
        "about": "Made by `python -m benchmarks.judgement.train_drift`; what the names mean stands in touching.py.",
        "bias": round(whole.bias, 3),
        "of": {name: round(weight, 3) for name, weight in zip(NAMES, whole.weights, strict=True)},
        "mark": mark,
        "aside": _highest_below(of_sentences, _ASIDE),
        "names": dict(ABOUT),
        "figures": {
            "items": len(gold),
            "positive": sum(gold),
            "sentences": len(of_sentences),
            "sentences rewritten": sum(good for _, good in of_sentences),
            "auc, one repository left out": round(area(scores, gold), 3),
            "ap, one repository left out": round(average_precision(scores, gold), 3),
            "auc by sentence": round(area(*map(list, zip(*of_sentences, strict=True))), 3),
            "precision at mark": round(precision, 3),
            "recall at mark": round(recall, 3),
        },
    }


def _lowest_with(scores: Sequence[float], gold: Sequence[bool], wanted: float) -> float:
    """The lowest threshold from which on precision stays as wanted."""
    found = threshold = 0.95
    while threshold > 0 and precision_and_recall(scores, gold, threshold)[0] >= wanted:
        found = threshold
        threshold -= _STEP
    return round(found, 3)


def _highest_below(scored: Sequence[tuple[float, bool]], share: float) -> float:
    """The highest threshold below which no more than this share is positive."""
    found = 0.0
    for step in range(1, 100):
        below = [good for score, good in scored if score < step * _STEP]
        if below and sum(below) / len(below) <= share:
            found = step * _STEP
    return round(found, 3)


if __name__ == "__main__":
    main()
