"""Make the weights of `memlsp.beliefs.mining.clause_features` from labelled prompts.

`python -m benchmarks.corrections.train` fits on the open half and prints what the same fit scores on projects that it
has not seen, in five parts by project. Labelled prompts are few, so each weight is held near what a reader expects of
its feature (`EXPECTED`).
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from pathlib import Path

import numpy as np
from attrs import asdict, evolve

from benchmarks.corrections.corrections import KeptStatement, LabelledPrompt, cases_in, score, verdict
from memlsp.beliefs.mining import clause_features
from memlsp.beliefs.mining.clause_features import FEATURES, LastingModel
from memlsp.beliefs.mining.corrections import PromptClause, lasting, read_clauses, statement_of

_PARTS = 5
_PENALTY = 10.0
_STRIDE = 37  # of the tasks that sentences are put beside
_STEPS = 8  # of Newton's method
_SELDOM = 2  # rows; a feature of no more keeps what is expected
_SAME = 0.75  # share of a clause's words in a passage, or the other way round
_WORD = re.compile(r"[^\W_]+")
_MARKS = (0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8)

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
    """The sentences of plain.txt: alone, and each beside one that is a task, before or after it."""
    lines = Path(__file__).with_name("plain.txt").read_text(encoding="utf-8").splitlines()
    kept = [line[2:] for line in lines if line.startswith("+")]
    tasks = [line[2:] for line in lines if line.startswith("-")]
    alone = [(text, (text,)) for text in kept] + [(text, ()) for text in tasks]
    mixed: list[tuple[str, tuple[str, ...]]] = []
    for number, text in enumerate((*kept, *tasks)):
        task = tasks[(number * _STRIDE) % len(tasks)]
        mixed.append((f"{task}. {text}" if number % 2 else f"{text}. {task}", (text,) if number < len(kept) else ()))
    return tuple(LabelledPrompt(text, lasting, "", False, "", "") for text, lasting in (*alone, *mixed))


PLAIN = _plain()
"""Short sentences that are written for the fit alone and judge nothing."""

Read = list[tuple[PromptClause, list[PromptClause]]]


def _rows(case: LabelledPrompt, read: Read) -> Iterator[tuple[PromptClause, bool]]:
    """The clauses of a case, whole and in parts, each with whether it says what lasts."""
    for whole, parts in read:
        for clause in {each.text: each for each in (whole, *parts)}.values():
            yield clause, any(_same(clause.text, passage) for passage in case.lasting)


def _same(text: str, passage: str) -> bool:
    a, b = _WORD.findall(text.lower()), _WORD.findall(passage.lower())
    if not a or not b:
        return False
    inside = sum(word in b for word in a) / len(a) >= _SAME and (len(a) > 2 or len(b) < 4)
    return inside or sum(word in a for word in b) / len(b) >= _SAME


def fitted(rows: Sequence[tuple[PromptClause, bool]], penalty: float = _PENALTY) -> LastingModel:
    """Logistic regression by Newton's method with a ridge around `EXPECTED`; frequent features are held more."""
    seen = [name for name in FEATURES if sum(name in clause.features for clause, _ in rows) > _SELDOM]
    numbers = np.array([[clause.features.get(name, 0.0) for name in seen] + [1.0] for clause, _ in rows])
    gold = np.array([float(good) for _, good in rows])
    expected = np.array([EXPECTED.get(name, 0.0) for name in seen] + [-1.5])
    held = np.append(penalty * (1.15 + numbers[:, :-1].std(0)), 0.0)
    found = expected.copy()
    for _ in range(_STEPS):
        p = 1 / (1 + np.exp(-numbers @ found))
        slope = numbers.T @ (gold - p) - held * (found - expected)
        found += np.linalg.solve((numbers * (p * (1 - p))[:, None]).T @ numbers + np.diag(held), slope)
    weights = {**EXPECTED, **dict(zip(seen, found[:-1].tolist(), strict=True))}
    shown = {name: round(weights[name], 2) for name in FEATURES if abs(weights.get(name, 0.0)) >= 0.01}
    return LastingModel(round(float(found[-1]), 2), shown, 0.5, 0.7)


def _part(case: LabelledPrompt) -> int:
    return blake2b(case.source.encode(), digest_size=2).digest()[0] % _PARTS


def unseen(cases: Sequence[LabelledPrompt], penalty: float) -> Callable[[float], dict[str, float]]:
    """Score at a mark, each case read by a model that saw no case of its project."""
    plain = [row for case in PLAIN for row in _rows(case, list(read_clauses(case.text)))]
    reads = {case: list(read_clauses(case.text)) for case in cases}
    models = {
        part: fitted(
            [*plain, *(row for case in cases if _part(case) != part for row in _rows(case, reads[case]))], penalty
        )
        for part in range(_PARTS)
    }

    def scored(mark: float) -> dict[str, float]:
        def read(case: LabelledPrompt) -> list[KeptStatement]:
            model = evolve(models[_part(case)], mark=mark)
            found = [statement_of(clause, model) for clause in lasting(reads[case], model)]
            return [KeptStatement(each.text, each.kind.value) for each in found]

        return score([verdict(case, read(case)) for case in cases])

    return scored


def main() -> None:
    """Print the score on unseen projects, fit on all, and write the weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=Path, default=Path("fixtures/corrections/open"))
    parser.add_argument("--mark", type=float, default=0.5, help="from which a statement is proposed")
    parser.add_argument("--direct", type=float, default=0.7, help="from which it is a direct statement")
    parser.add_argument("--penalty", type=float, default=_PENALTY)
    given = parser.parse_args()
    cases = cases_in(given.cases)
    scored = unseen(cases, given.penalty)
    for mark in _MARKS:
        print(mark, {name: round(scored(mark)[name], 3) for name in ("precision", "recall", "kinds")})
    rows = [row for case in (*PLAIN, *cases) for row in _rows(case, list(read_clauses(case.text)))]
    model = evolve(
        fitted(rows, given.penalty),
        mark=given.mark,
        direct=given.direct,
        about="Made by `python -m benchmarks.corrections.train`; the classes of words lie in patterns.toml.",
    )
    out = Path(clause_features.__file__).with_name(clause_features.WEIGHTS_FILE)
    out.write_text(json.dumps(asdict(model), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
