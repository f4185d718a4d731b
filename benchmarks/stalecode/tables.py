"""The tables of a run, in Markdown: each measure with its interval, what is lost, and what it cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from math import isnan

from . import grading
from .answers import Answers
from .grading import OPEN, SEALED, Graded, Measure

Columns = Mapping[str, tuple[Measure, bool]]
"""The measures of a part by the head of their column, and whether more is better."""

_STALE: Columns = {
    "balanced": (grading.balanced, True),
    "missed": (grading.missed, False),
    "false alarms": (grading.false_alarms, False),
}
COLUMNS: Mapping[str, Columns] = {
    "edits": {**_STALE, "exact": (grading.exact, True)},
    "contradictions": _STALE,
    "forgetting": {"left": (grading.missed, False), "others lost": (grading.false_alarms, False)},
    "instructions": {"precision": (grading.precision, True), "recall": (grading.recall, True)},
    "anchors": {**_STALE, "found": (grading.mean_value, True)},
    "recall": {"R@10": (grading.mean_value, True)},
}
"""The first column of a part is what it is about, and orders its table."""


def columns_of(part: str) -> Columns:
    """The measures of a part."""
    return COLUMNS[part]


def parts_of(answers: Iterable[Answers]) -> list[str]:
    """The parts that the answers are about, in the order of the protocol."""
    there = {each.part for each in answers}
    return [part for part in COLUMNS if part in there]


def halves_of(answers: Iterable[Answers]) -> list[str]:
    """The halves that the answers have, the sealed one first: it judges."""
    there = {case.half for each in answers for case in each.cases}
    return [half for half in (SEALED, OPEN) if half in there]


@cache
def _figure(cases: tuple[Graded, ...], measure: Measure) -> tuple[float, float, float]:
    return (measure(cases), *grading.drawn_interval(grading.by_base(cases), measure))


def figure(answers: Answers, half: str, measure: Measure) -> tuple[float, float, float]:
    """A measure on one half with the bounds of its interval."""
    return _figure(tuple(case for case in answers.cases if case.half == half), measure)


def part_table(answers: Sequence[Answers], part: str, half: str) -> str:
    """The table of one half of a part, the best first."""
    chosen = [each for each in answers if each.part == part and any(case.half == half for case in each.cases)]
    columns = columns_of(part)
    first, more = next(iter(columns.values()))
    chosen.sort(key=lambda each: (figure(each, half, first)[0] * (-1 if more else 1), each.name))
    rows = [[_named(each), *(shown(figure(each, half, measure)) for measure, _ in columns.values())] for each in chosen]
    return markdown(["memory", *columns], rows)


def group_table(answers: Sequence[Answers], part: str) -> str:
    """The share answered rightly in each group of the open half."""
    chosen = [each for each in answers if each.part == part]
    groups = list(dict.fromkeys(case.group for each in chosen for case in each.cases if case.half == OPEN))
    rows = [[each.name, *(short(grading.right(_of_group(each, group))) for group in groups)] for each in chosen]
    sizes = [max(len(_of_group(each, group)) for each in chosen) for group in groups]
    return markdown(
        ["right, open half", *(f"{group} ({size})" for group, size in zip(groups, sizes, strict=True))], rows
    )


def cost_table(answers: Sequence[Answers]) -> str:
    """What a run cost: seconds of the processor for a case, bytes on the disk when it was over, tokens of an answer.
    None of the adapters here asks a model."""
    rows = [
        [
            each.name,
            each.part,
            str(len(each.cases)),
            f"{1000 * each.seconds / max(1, len(each.cases)):.0f}",
            f"{each.bytes:,}",
            f"{grading.mean_tokens(each.cases):.0f}",
        ]
        for each in sorted(answers, key=lambda each: (each.part, each.name))
    ]
    return markdown(["memory", "part", "cases", "processor ms", "bytes", "tokens"], rows)


def losses(answers: Sequence[Answers], name: str) -> list[str]:
    """A line for each measure, and each group of edits, in which another memory is better than the one with this
    name."""
    found: list[str] = []
    for own in (each for each in answers if each.name == name):
        others = [each for each in answers if each.part == own.part and each.name != name]
        for half in halves_of([own]):
            for head, (measure, more) in columns_of(own.part).items():
                mine = figure(own, half, measure)[0]
                better = _better(others, half, mine, measure, more=more)
                if better:
                    found.append(f"{own.part}, {half}, {head}: {short(mine)}; better: {better}")
        for group in dict.fromkeys(case.group for case in own.cases):
            mine = grading.right(_of_group(own, group))
            better = ", ".join(
                f"{each.name} {short(grading.right(_of_group(each, group)))}"
                for each in others
                if grading.right(_of_group(each, group)) > mine
            )
            if better:
                found.append(f"{own.part}, open, right about {group}: {short(mine)}; better: {better}")
    return found


def _better(others: Sequence[Answers], half: str, mine: float, measure: Measure, *, more: bool) -> str:
    values = [(each.name, figure(each, half, measure)[0]) for each in others]
    return ", ".join(f"{name} {short(value)}" for name, value in values if (value > mine if more else value < mine))


def _of_group(answers: Answers, group: str) -> list[Graded]:
    return [case for case in answers.cases if case.group == group and case.half == OPEN]


def _named(answers: Answers) -> str:
    version = f" {answers.version}" if answers.version else ""
    return f"{answers.name}{version}{', gave up' if answers.gave_up else ''}"


def shown(value: tuple[float, float, float]) -> str:
    """A measure with its interval: `.93 (.90-.95)`; a dot where nothing was asked."""
    return "·" if isnan(value[0]) else f"{short(value[0])} ({short(value[1])}-{short(value[2])})"


def short(value: float) -> str:
    """A share with two digits, without its zero."""
    return "·" if isnan(value) else f"{value:.2f}".removeprefix("0") if value < 0.995 else "1.00"


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table; the first column goes to the left, the others to the right."""
    lines = [head, ["---", *("---:" for _ in head[1:])], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
