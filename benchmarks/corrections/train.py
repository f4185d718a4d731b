"""Make the weights of `memlsp.beliefs.mining.clause_features` from labelled prompts.

`python -m benchmarks.corrections.train --data DIR` fits on the open half and on the turns that are labelled without
text, which it reads from clones in DIR, and prints what the same fit scores on projects that it has not seen, in five
parts by project. A named feature is held near what a reader expects of it (`EXPECTED`), a word near 0.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path

import numpy as np
import numpy.typing as npt
from attrs import asdict, evolve

from benchmarks.corrections.corrections import KeptStatement, LabelledPrompt, cases_in, score, verdict
from benchmarks.corrections.turns import hashed_turns
from memlsp.beliefs.mining import clause_features
from memlsp.beliefs.mining.clause_features import LastingModel, kind_features
from memlsp.beliefs.mining.corrections import PromptClause, lasting, read_clauses, statement_of

_PARTS = 5
_PENALTY = 1.5
_NAMED = 4.0  # times as much for a named feature
_KINDS = 3.0  # the penalty where kinds are told apart
_STRIDE = 37  # of the tasks that sentences are put beside
_STEPS = 60
_REMEMBERED = 10  # steps
_SMALLEST = 1e-6  # gain of a step
_SELDOM = 3  # clauses; a feature of fewer has no weight
_LEAST_WORD = 0.15  # weight of a word that is kept
_LEAST_OF_KIND = 0.3  # the same, where it tells the kind
_SAME = 0.75  # share of a clause's words in a passage, or the other way round
_WORD = re.compile(r"[^\W_]+")
_BRACKETS = re.compile(r"\[\[(.*?)\]\]")
_MARKS = (0.5, 0.6, 0.65, 0.7, 0.75)

EXPECTED = {
    name: float(weight)
    for name, weight in (
        line.rsplit(" ", 1)
        for line in (Path(__file__).with_name("expected.txt").read_text(encoding="utf-8").splitlines())
        if line
    )
}
"""What a reader expects of each feature, in logits; 0 for others."""


def _plain() -> tuple[LabelledPrompt, ...]:
    """The lines of plain.txt: `+` lasts and `-` does not, alone and each beside a task, before or after it; `*` is a
    prompt with its lasting passages in double brackets."""
    text = Path(__file__).with_name("plain.txt").read_text(encoding="utf-8")
    lines = [line.replace("\\n", "\n") for line in text.splitlines()]
    kept = [line[2:] for line in lines if line.startswith("+")]
    tasks = [line[2:] for line in lines if line.startswith("-")]
    prompts = [(_BRACKETS.sub(r"\1", line[2:]), tuple(_BRACKETS.findall(line))) for line in lines if line[0] == "*"]
    alone = [(text, (text,)) for text in kept] + [(text, ()) for text in tasks]
    mixed: list[tuple[str, tuple[str, ...]]] = []
    for number, text in enumerate((*kept, *tasks)):
        task = tasks[(number * _STRIDE) % len(tasks)]
        mixed.append((f"{task}. {text}" if number % 2 else f"{text}. {task}", (text,) if number < len(kept) else ()))
    return tuple(LabelledPrompt(text, lasting, "", False, "", "") for text, lasting in (*alone, *mixed, *prompts))


PLAIN = _plain()
"""Short sentences that are written for the fit alone and judge nothing."""

Floats = npt.NDArray[np.float64]
Read = list[tuple[PromptClause, list[PromptClause]]]
Row = tuple[str, Mapping[str, float], bool]
"""The kind of a case, "" for none, the features of a clause of it, and whether it lasts."""


def _rows(case: LabelledPrompt, read: Read) -> Iterator[Row]:
    """The clauses of a case, whole and in parts, each with whether it says what lasts."""
    for whole, parts in read:
        for clause in {each.text: each for each in (whole, *parts)}.values():
            yield case.kind, clause.features, any(_same(clause.text, passage) for passage in case.lasting)


def _same(text: str, passage: str) -> bool:
    a, b = _WORD.findall(text.lower()), _WORD.findall(passage.lower())
    if not a or not b:
        return False
    inside = sum(word in b for word in a) / len(a) >= _SAME and (len(a) > 2 or len(b) < 4)
    return inside or sum(word in a for word in b) / len(b) >= _SAME


def fitted(rows: Sequence[Row]) -> LastingModel:
    """Fit whether a clause lasts, and its kind on those that do."""
    bias, of = _weights([features for _, features, _ in rows], [good for *_, good in rows], _PENALTY, EXPECTED)
    lasts = [(kind, kind_features(features)) for kind, features, good in rows if good and kind]
    kinds: dict[str, dict[str, float]] = {}
    for name in sorted({kind for kind, _ in lasts}):
        matching = [kind == name for kind, _ in lasts]
        usual, weights = _weights([features for _, features in lasts], matching, _KINDS, {}, _LEAST_OF_KIND)
        kinds[name] = {"": usual, **weights}
    return LastingModel(bias=bias, of=of, mark=0.5, direct=0.7, kinds=kinds)


def _weights(
    rows: Sequence[Mapping[str, float]],
    good: Sequence[bool],
    penalty: float,
    expects: Mapping[str, float],
    least: float = _LEAST_WORD,
) -> tuple[float, dict[str, float]]:
    """Logistic regression with a ridge: around what is expected of named features, around 0 for others. Returns the
    bias and the weights; words with less than `least` are left out."""
    times = Counter(name for row in rows for name in row)
    seen = sorted(name for name, number in times.items() if number >= _SELDOM)
    matrix = _SparseRows(rows, seen)
    gold = np.array([float(each) for each in good])
    expected = np.array([expects.get(name, 0.0) for name in seen])
    held = np.array([penalty * (1.0 if name.startswith("=") else _NAMED) for name in seen])

    def loss(point: Floats) -> tuple[float, Floats]:
        away = point[:-1] - expected
        logits = matrix.dot(point[:-1]) + point[-1]
        off = 1 / (1 + np.exp(-logits)) - gold
        total = np.logaddexp(0, logits * (1 - 2 * gold)).sum() + (held * away * away).sum() / 2
        return float(total), np.append(matrix.back(off) + held * away, off.sum())

    found = _least(loss, np.append(expected, -1.5))
    of = {
        name: round(float(weight), 2)
        for name, weight in zip(seen, found[:-1], strict=True)
        if abs(weight) >= (least if name.startswith("=") else 0.01)
    }
    return round(float(found[-1]), 2), of


class _SparseRows:
    """A matrix of which most is 0."""

    def __init__(self, rows: Sequence[Mapping[str, float]], names: Sequence[str]) -> None:
        at = {name: number for number, name in enumerate(names)}
        cells = [
            (number, at[name], value) for number, row in enumerate(rows) for name, value in row.items() if name in at
        ]
        self._rows = np.array([row for row, _, _ in cells])
        self._columns = np.array([column for _, column, _ in cells])
        self._values = np.array([value for _, _, value in cells])
        self._shape = len(rows), len(names)

    def dot(self, weights: Floats) -> Floats:
        """The matrix times a column."""
        return np.bincount(self._rows, weights[self._columns] * self._values, self._shape[0]).astype(np.float64)

    def back(self, sums: Floats) -> Floats:
        """The transposed matrix times a column."""
        return np.bincount(self._columns, sums[self._rows] * self._values, self._shape[1]).astype(np.float64)


def _least(loss: Callable[[Floats], tuple[float, Floats]], point: Floats) -> Floats:
    """The point of the least loss, by L-BFGS (Nocedal, 1980)."""
    value, slope = loss(point)
    steps: list[tuple[Floats, Floats]] = []
    for _ in range(_STEPS):
        way = -slope
        shares: list[float] = []
        for step, change in reversed(steps):
            shares.append(float(step @ way / (change @ step)))
            way = way - shares[-1] * change
        if steps:
            way = way * float(steps[-1][0] @ steps[-1][1] / (steps[-1][1] @ steps[-1][1]))
        else:
            way = way / max(1.0, float(np.linalg.norm(slope)))
        for (step, change), share in zip(steps, reversed(shares), strict=True):
            way = way + (share - float(change @ way / (change @ step))) * step
        size = 1.0
        while True:
            after, slope_after = loss(point + size * way)
            if after <= value + 1e-4 * size * float(slope @ way) or size < _SMALLEST:
                break
            size /= 2
        if float(way @ (slope_after - slope)) > 0:
            steps = [*steps[1 - _REMEMBERED :], (size * way, slope_after - slope)]
        point, gained, value, slope = point + size * way, value - after, after, slope_after
        if gained < _SMALLEST * abs(value):
            break
    return point


def _part(case: LabelledPrompt) -> int:
    """The part of a project; what is of none is spread by its text."""
    return blake2b((case.text if case.source == "own" else case.source).encode(), digest_size=2).digest()[0] % _PARTS


def unseen(
    cases: Sequence[LabelledPrompt], reads: Mapping[LabelledPrompt, Read], rows: Mapping[LabelledPrompt, list[Row]]
) -> Callable[[float, str], dict[str, float]]:
    """Score at a mark, for one origin or "" for all, each case read by a model that saw no case of its project."""
    seen = set(cases)
    models = {
        part: fitted([row for case in rows if case not in seen or _part(case) != part for row in rows[case]])
        for part in range(_PARTS)
    }

    def scored(mark: float, origin: str) -> dict[str, float]:
        def read(case: LabelledPrompt) -> list[KeptStatement]:
            model = evolve(models[_part(case)], mark=mark)
            found = [statement_of(clause, model) for clause in lasting(reads[case], model)]
            return [KeptStatement(each.text, each.kind.value) for each in found]

        return score([verdict(case, read(case)) for case in cases if origin in {"", case.part}])

    return scored


def main() -> None:
    """Print the score on unseen projects, fit on all, and write the weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=Path, default=Path("fixtures/corrections/open"))
    parser.add_argument("--turns", type=Path, default=Path("fixtures/corrections/turns-by-hash.jsonl"))
    parser.add_argument("--data", type=Path, help="clones with the turns that are labelled without text")
    parser.add_argument("--mark", type=float, default=0.65, help="from which a statement is proposed")
    parser.add_argument("--direct", type=float, default=0.7, help="from which it is a direct statement")
    given = parser.parse_args()
    cases = [*cases_in(given.cases), *(hashed_turns(given.turns, given.data) if given.data else ())]
    reads = {case: list(read_clauses(case.text)) for case in (*PLAIN, *cases)}
    rows = {case: list(_rows(case, read)) for case, read in reads.items()}
    scored = unseen(cases, reads, rows)
    for origin in ("", *dict.fromkeys(case.part for case in cases)):
        for mark in _MARKS:
            figures = scored(mark, origin)
            print(origin or "all", mark, {name: round(figures[name], 3) for name in ("precision", "recall", "kinds")})
    model = evolve(
        fitted([row for some in rows.values() for row in some]),
        mark=given.mark,
        direct=given.direct,
        about="Made by `python -m benchmarks.corrections.train`; the classes of words lie in patterns.toml.",
    )
    out = Path(clause_features.__file__).with_name(clause_features.WEIGHTS_FILE)
    out.write_text(_packed(json.dumps(asdict(model), indent=0, ensure_ascii=False)), encoding="utf-8")


def _packed(text: str) -> str:
    """JSON with one value a line, as lines of about 120 characters."""
    lines = [""]
    for each in text.splitlines():
        if len(lines[-1]) + len(each) >= 120:
            lines.append("")
        lines[-1] = f"{lines[-1]} {each}".strip()
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
