"""Make the weights of `memlsp.beliefs.mining.binding_features` from labelled documents.

`python -m benchmarks.documents.train LABELS.jsonl DIR` prints what the fit scores on each repository by weights
that saw no line of it, and writes the weights fitted on all. DIR has the texts, as for the suite `corrections`. There
are few documents, so each weight is held near what a reader expects of its feature (`expected.txt`).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from attrs import asdict, evolve, frozen

from benchmarks.documents.labels import DocumentScore, LabelledDocument, documents_in, mined, score
from memlsp.beliefs.mining import binding_features, documents
from memlsp.beliefs.mining.binding_features import BindingModel

_PENALTY = 6.0
_STEPS = 20  # of Newton's method, each weight by at most 1
_MOST_COUNTED = 60  # candidates of one repository; of a larger one each counts less
_ROUNDS = 3  # of choosing the sentence that binds among those of one label
_MARKS = (0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7)

EXPECTED = {
    name: float(weight)
    for name, weight in (
        line.rsplit(" ", 1)
        for line in Path(__file__).with_name("expected.txt").read_text(encoding="utf-8").splitlines()
    )
}
"""What a reader expects of each feature, in logits; 0 for others."""

FIT = Path(__file__).with_name("fit.md")
"""Two documents that are written for the fit alone: nothing of the first binds, and all of the second but headings."""


@frozen
class _Row:
    """A candidate: its features, the label that it is of (a number in its document), and whether that binds."""

    repository: str
    unit: tuple[str, int]
    features: dict[str, float]
    binds: bool


def _rows(document: LabelledDocument) -> list[_Row]:
    labels = {number: unit for unit in document.units for number in unit.lines}
    found: list[_Row] = []
    read = documents.candidates(document.text)
    for each, features in zip(read, binding_features.binding_features(read), strict=True):
        unit = labels.get(each.first_line)
        if unit is not None and not unit.unsure:
            found.append(_Row(document.repository, (document.path, unit.lines[0]), features, unit.binds))
    return found


def _written_rows() -> list[_Row]:
    found: list[_Row] = []
    for binds, text in enumerate(FIT.read_text(encoding="utf-8").split("<!-- All of what follows binds. -->")):
        read = documents.candidates(text)
        for number, features in enumerate(binding_features.binding_features(read)):
            found.append(_Row(f"fit {binds}", ("", number), features, bool(binds) and "heading" not in features))
    return found


def _fitted(rows: Sequence[_Row], names: Sequence[str], penalty: float) -> BindingModel:
    """Logistic regression by Newton's method with a ridge around `EXPECTED`. Of the sentences that share a label that
    binds, the likeliest is taken for the one that does, and the others are left out."""
    model = BindingModel(bias=EXPECTED.get("bias", 0.0), of=EXPECTED, mark=0.5)
    expected = np.array([EXPECTED.get(name, 0.0) for name in names] + [EXPECTED.get("bias", 0.0)])
    held = np.append(np.full(len(names), penalty), 0.01)
    for _ in range(_ROUNDS):
        best: dict[tuple[str, tuple[str, int]], float] = {}
        for row in rows:
            key = row.repository, row.unit
            best[key] = max(best.get(key, 0.0), model.likelihood(row.features))
        taught = [r for r in rows if not r.binds or model.likelihood(r.features) >= best[r.repository, r.unit]]
        numbers = np.array([[row.features.get(name, 0.0) for name in names] + [1.0] for row in taught])
        gold = np.array([float(row.binds) for row in taught])
        sizes = {each: sum(row.repository == each for row in taught) for each in {row.repository for row in taught}}
        counts = np.array([min(1.0, _MOST_COUNTED / sizes[row.repository]) for row in taught])
        found = expected.copy()
        for _ in range(_STEPS):
            p = 1 / (1 + np.exp(-np.clip(numbers @ found, -30, 30)))
            slope = numbers.T @ (counts * (gold - p)) - held * (found - expected)
            curve = (numbers * (counts * p * (1 - p))[:, None]).T @ numbers + np.diag(held)
            step = np.linalg.solve(curve, slope)
            found += step * min(1.0, 1.0 / float(np.abs(step).max() + 1e-9))
        weights = {name: round(float(weight), 2) for name, weight in zip(names, found[:-1], strict=True)}
        model = BindingModel(bias=round(float(found[-1]), 2), of={n: w for n, w in weights.items() if w}, mark=0.5)
    return model


def _scored(document: LabelledDocument, model: BindingModel) -> DocumentScore:
    """The score of one document by a model, through the shipped reader."""
    shipped = documents.binding_model
    documents.binding_model = lambda: model  # type: ignore[assignment]
    try:
        return score(document, mined(document.path, document.text))
    finally:
        documents.binding_model = shipped


def _told(total: DocumentScore) -> str:
    return f"precision {total.precision:.3f}, recall {total.recall:.3f} of {total.binding}, {total.wrong} false"


def main() -> None:
    """Print the score on unseen repositories, fit on all, and write the weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("labels", type=Path)
    parser.add_argument("data", type=Path)
    parser.add_argument("--mark", type=float, default=0.5, help="from which a passage is proposed")
    parser.add_argument("--penalty", type=float, default=_PENALTY)
    given = parser.parse_args()
    read = documents_in(given.labels, given.data)
    rows = [*_written_rows(), *(row for document in read for row in _rows(document))]
    names = sorted({name for row in rows for name in row.features} | EXPECTED.keys() - {"bias"})
    models = {
        document.repository: _fitted(
            [row for row in rows if row.repository != document.repository], names, given.penalty
        )
        for document in read
    }
    for mark in _MARKS:
        total = DocumentScore()
        for document in read:
            total += _scored(document, evolve(models[document.repository], mark=mark))
        print(f"mark {mark}: {_told(total)}")
    for document in read:
        model = evolve(models[document.repository], mark=given.mark)
        print(f"{document.repository} {document.path}: {_told(_scored(document, model))}")
    about = "Made by `python -m benchmarks.documents.train`; the classes of words lie in patterns.toml."
    model = evolve(_fitted(rows, names, given.penalty), mark=given.mark, about=about)
    out = Path(binding_features.__file__).with_name(binding_features.WEIGHTS_FILE)
    out.write_text(_written(model), encoding="utf-8")


def _written(model: BindingModel) -> str:
    """The model as JSON, several weights to a line."""
    weights = [f"{json.dumps(name)}: {weight}" for name, weight in model.of.items()]
    rows = ",\n  ".join(", ".join(weights[at : at + 6]) for at in range(0, len(weights), 6))
    others = {name: value for name, value in asdict(model).items() if name != "of"}
    rest = ",\n ".join(f"{json.dumps(name)}: {json.dumps(value)}" for name, value in others.items())
    return f'{{\n {rest},\n "of": {{\n  {rows}\n }}\n}}\n'


if __name__ == "__main__":
    main()
