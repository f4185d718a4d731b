"""Make the weights of `memlsp.memory.injection.relevance` from the open projects.

    python -m benchmarks.injection.train

Every candidate that the search finds for a prompt is a row, in a memory of the project alone and in one that holds a
hundred statements of other projects as well. The mark is chosen on scores that each project got from weights which were
made without it; the last two lines of what is printed are pasted into the module.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

from attrs import frozen

from benchmarks.injection.projects import BEARS, FOREIGN, OWN, Project, ToldProject, crowded, projects_in
from benchmarks.judgement.logistic_fit import Fit, fit
from memlsp.memory.injection import injection, relevance

CASES = Path(__file__).resolve().parents[2] / "fixtures" / "injection" / "open" / "projects.jsonl"

_PENALTY = 3.0
_PRECISION, _SILENCE = 0.70, 0.95
"""What the mark must reach on projects left out: the targets of the suite."""


@frozen
class Candidate:
    """A statement that the search found for a prompt, with its features after the bias."""

    project: str
    prompt: int
    large: bool  # the memory holds statements of other projects
    numbers: tuple[float, ...]
    bears: bool


@frozen
class Marked:
    """What a mark does: right and told statements, those that bear, and the share of prompts left in silence."""

    mark: float
    right: int
    told: int
    gold: int
    silent: dict[str, float]

    @property
    def precision(self) -> float:
        """Of what is told; 1 when nothing is."""
        return self.right / self.told if self.told else 1.0

    @property
    def recall(self) -> float:
        """Of what bears, also of what the search never found."""
        return self.right / self.gold


def main() -> None:
    """Read the arguments, learn, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--cases", type=Path, default=CASES, help="file of projects that teach")
    projects = projects_in(parser.parse_args().cases)
    rows = [row for project in projects for row in candidates(project)]
    rows += [row for project in projects for row in candidates(crowded(project, projects), large=True)]
    present = [relevance.score((1.0, *row.numbers)) for row in rows]
    now = marked(rows, present, projects, relevance.MARK)
    print(f"{len(rows)} candidates, among them {sum(row.bears for row in rows)} of {now.gold} that bear on a prompt")
    shown("the present weights, on what they may be made from", now)
    scores = left_out(rows)
    marks = [marked(rows, scores, projects, mark) for mark in sorted(set(scores))]
    for least in (0.5, 0.4, 0.3, 0.2, 0.1):
        shown(f"a mark for recall {least}", max((each for each in marks if each.recall >= least), key=_order))
    found = best(marks)
    shown("new weights, each project left out", found)
    for large in (False, True):
        some = [(row, score) for row, score in zip(rows, scores, strict=True) if row.large is large]
        part = marked([row for row, _ in some], [score for _, score in some], projects, found.mark)
        shown("  of those, in a large memory" if large else "  of those, in a memory of the project alone", part)
    whole = _fitted(rows)
    weights = (whole.bias - found.mark, *whole.weights)
    print(f"\nWEIGHTS = ({', '.join(f'{weight:.3f}' for weight in weights)})\nMARK = 0.0")


def candidates(project: Project, *, large: bool = False) -> Iterator[Candidate]:
    """All statements of a project that the search finds for its prompts, whatever their score."""
    with ToldProject(project) as world:
        texts = {each.text: each.id for each in project.statements}
        for number, prompt in enumerate(project.prompts):
            with _recorded() as found:
                world.injection(prompt.text, prompt.id)
            for text, numbers in found:
                yield Candidate(project.name, number, large, numbers[1:], texts[text] in prompt.gold)


@contextmanager
def _recorded() -> Generator[list[tuple[str, tuple[float, ...]]]]:
    """The texts and features of all statements that are scored meanwhile."""
    found: list[tuple[str, tuple[float, ...]]] = []
    plain = cast("Callable[..., tuple[float, ...]]", relevance.features)

    def recording(prompt: Any, belief: Any, *rest: Any) -> tuple[float, ...]:
        numbers = plain(prompt, belief, *rest)
        found.append((getattr(belief, "text", belief), numbers))
        return numbers

    relevance.features = recording
    try:
        yield found
    finally:
        relevance.features = plain


def left_out(rows: Sequence[Candidate]) -> list[float]:
    """The score of each row by weights from the other projects."""
    fits = {
        name: _fitted([row for row in rows if row.project != name]) for name in dict.fromkeys(r.project for r in rows)
    }
    return [_score(fits[row.project], row) for row in rows]


def _fitted(rows: Sequence[Candidate]) -> Fit:
    return fit([row.numbers for row in rows], [row.bears for row in rows], penalty=_PENALTY)


def _score(made: Fit, row: Candidate) -> float:
    """As the hook scores, with these weights."""
    plain = relevance.WEIGHTS
    relevance.WEIGHTS = (made.bias, *made.weights)
    try:
        return relevance.score((1.0, *row.numbers))
    finally:
        relevance.WEIGHTS = plain


def marked(rows: Sequence[Candidate], scores: Sequence[float], projects: Sequence[Project], mark: float) -> Marked:
    """Count what a mark tells, at most as many statements of a prompt as a hook tells."""
    memories = {row.large for row in rows}
    by_prompt: dict[tuple[str, int, bool], list[tuple[float, bool]]] = {}
    for row, score in zip(rows, scores, strict=True):
        if score >= mark:
            by_prompt.setdefault((row.project, row.prompt, row.large), []).append((score, row.bears))
    most = injection._MOST_TOLD  # pyright: ignore[reportPrivateUsage]
    told = [good for each in by_prompt.values() for _, good in sorted(each, reverse=True)[:most]]
    prompts = [
        ((project.name, number, large), prompt)
        for project in projects
        for number, prompt in enumerate(project.prompts)
        for large in memories
    ]
    silent: dict[str, float] = {}
    for sort in (BEARS, OWN, FOREIGN):
        asked = [place for place, prompt in prompts if prompt.sort == sort]
        silent[sort] = sum(place not in by_prompt for place in asked) / len(asked)
    return Marked(mark, sum(told), len(told), sum(len(prompt.gold) for _, prompt in prompts), silent)


def best(found: Sequence[Marked]) -> Marked:
    """The one with the highest recall among those that reach precision and silence; else the most precise one."""
    reached = [each for each in found if each.precision >= _PRECISION and each.silent[FOREIGN] >= _SILENCE]
    return max(reached, key=lambda each: each.recall) if reached else max(found, key=lambda each: each.precision)


def _order(each: Marked) -> tuple[float, float]:
    return each.precision, each.recall


def shown(name: str, each: Marked) -> None:
    """Print the figures of one mark."""
    print(
        f"{name}: precision {each.precision:.2f} ({each.right} of {each.told}), recall {each.recall:.2f},"
        f" silent on {each.silent[OWN]:.0%} of own and {each.silent[FOREIGN]:.0%} of foreign prompts"
    )


if __name__ == "__main__":
    main()
