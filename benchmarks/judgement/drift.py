"""The suite `drift`: does a change of the code make what is said of it false.

Read from real histories: an item is one commit that gave a documented function another meaning; gold is whether its
author rewrote the docstring in that commit. What is judged sees the old docstring and both states of the code, every
docstring blanked.

Repositories that the weights were made from are judged by weights made from the others (leave one repository out), all
others by the weights that come with the program. Three ways that one would try first stand in the same table: the size
of the edit, the names it deleted that the docstring has, and a mix of both with changes of the interface, by hand.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from attrs import frozen

from benchmarks.judgement.drift_features import NAMES, Judged, fitted, judged, judged_by_sentence
from benchmarks.judgement.drift_gold import Fate
from benchmarks.judgement.drift_mining import mined, repositories_in
from benchmarks.judgement.logistic_fit import Ranking, area, average_precision, interval, precision_and_recall
from benchmarks.reporting.report import Report
from benchmarks.reporting.tables import table
from memlsp.beliefs.standing import relevance_model
from memlsp.beliefs.standing.relevance_model import weights
from memlsp.model.errors import NoSuchFile

LAYOUT = (
    "DIR holds git repositories: clones or bare ones, one folder each, named as they are (flask) or owner+name"
    " (pallets+flask); owner+name/repo is read too."
)
_TARGET_AREA, _TARGET_PRECISION, _TARGET_MARKED = 0.82, 0.55, 0.60
_QUICK = 300  # commits of each repository
_SHOWN = 8  # confident errors of each kind
_BASELINES = ("edit size", "edit share", "deleted names", "hand mix", "rules alone")
_OURS = "memlsp"


@frozen
class Scored:
    """A row with its likelihood, from weights that were not made from its repository."""

    row: Judged
    likelihood: float


@frozen
class _Part:
    """Repositories that are judged together."""

    name: str
    scored: tuple[Scored, ...]
    by_sentence: tuple[Scored, ...]
    commits: Mapping[str, int]


def run_drift(data: Path | None, *, quick: bool = False) -> Report:
    """Mine, judge, print, and return the report. A missed target is printed and is no failure.

    Raises NoSuchFile when `data` holds no repository.
    """
    found = repositories_in(data) if data is not None else {}
    if not found:
        raise NoSuchFile("the suite drift needs histories", f"--data DIR: {LAYOUT}")
    rows: dict[str, list[Judged]] = {}
    sentences: dict[str, list[Judged]] = {}
    commits: dict[str, int] = {}
    for name, folder in found.items():
        print(f"reading {name}", file=sys.stderr)
        history = mined(name, folder, most=_QUICK if quick else None)
        rows[name] = list(judged(history.items))
        sentences[name] = list(judged_by_sentence(history.items))
        commits[name] = history.commits
    known = [name for name in found if is_known(name)]
    parts = [_left_out(known, rows, sentences, commits)] if len(known) > 1 else []
    others = [name for name in found if name not in known] if len(known) > 1 else list(found)
    if others:
        parts.append(_shipped(others, rows, sentences, commits))
    for part in parts:
        _print(part)
    judge = parts[-1]
    return Report(
        suite="drift",
        score=_score(judge),
        baselines={f"{name}": _figures(judge.scored, name) for name in _BASELINES},
        cases=[_as_json(scored, part.name) for part in parts for scored in part.scored],
        passed=True,
    )


def is_known(name: str) -> bool:
    """True for a repository that the weights were made from, whatever its folder says of its owner."""
    return name.rpartition("/")[2] in {other.rpartition("/")[2] for other in shipped_with()}


def shipped_with() -> tuple[str, ...]:
    """The repositories that the weights were learnt from."""
    content = Path(relevance_model.__file__).with_name(relevance_model.WEIGHTS_FILE).read_text("utf-8")
    return tuple(json.loads(content)["made from"])


def _left_out(
    names: Sequence[str],
    rows: Mapping[str, Sequence[Judged]],
    sentences: Mapping[str, Sequence[Judged]],
    commits: Mapping[str, int],
) -> _Part:
    scored: list[Scored] = []
    by_sentence: list[Scored] = []
    for name in names:
        others = [row for other in names if other != name for row in (*rows[other], *sentences[other])]
        learnt = fitted(others)
        scored += [Scored(row, learnt.likelihood(row.numbers)) for row in rows[name]]
        by_sentence += [Scored(row, learnt.likelihood(row.numbers)) for row in sentences[name]]
    return _Part("leave one repository out", tuple(scored), tuple(by_sentence), {name: commits[name] for name in names})


def _shipped(
    names: Sequence[str],
    rows: Mapping[str, Sequence[Judged]],
    sentences: Mapping[str, Sequence[Judged]],
    commits: Mapping[str, int],
) -> _Part:
    def scored(all_rows: Mapping[str, Sequence[Judged]]) -> tuple[Scored, ...]:
        likelihood = weights().likelihood
        return tuple(
            Scored(row, likelihood(dict(zip(NAMES, row.numbers, strict=True))))
            for name in names
            for row in all_rows[name]
        )

    return _Part(
        "repositories that the weights never saw", scored(rows), scored(sentences), {n: commits[n] for n in names}
    )


# --- figures


def _value(scored: Scored, name: str) -> float:
    if name == _OURS:
        return scored.likelihood
    return float(scored.row.contradicted) if name == "rules alone" else scored.row.baselines[name]


def _figures(scored: Sequence[Scored], name: str) -> dict[str, float]:
    values, gold = [_value(each, name) for each in scored], [each.row.positive for each in scored]
    return {"auc": area(values, gold), "ap": average_precision(values, gold)}


def _score(part: _Part) -> dict[str, float]:
    likelihoods, gold = [s.likelihood for s in part.scored], [s.row.positive for s in part.scored]
    precision, recall, marked = precision_and_recall(likelihoods, gold, weights().mark)
    return {
        "items": len(gold),
        "positive": sum(gold),
        **_figures(part.scored, _OURS),
        "threshold": weights().mark,
        "precision": precision,
        "recall": recall,
        "marks per 100 commits": 100 * marked / max(1, sum(part.commits.values())),
    }


# --- printing


def _print(part: _Part) -> None:
    print(f"\n{part.name.capitalize()}\n")
    repositories = list(part.commits)
    print(_table_of(part.scored, repositories))
    if part.by_sentence:
        print("\nThe same with every sentence a statement of its own (positive: it is not there any more):\n")
        print(_table_of(part.by_sentence, repositories))
    rewritten = [s for s in part.scored if s.row.fate is not Fate.EXTENDED]
    print("\nWithout docstrings that were only added to:\n")
    print(_table_of(rewritten, repositories))
    _print_marks(part)
    _print_aside(part)
    _print_errors(part)


def _table_of(scored: Sequence[Scored], repositories: Sequence[str]) -> str:
    def line(name: str) -> list[str]:
        values, gold = [_value(s, name) for s in scored], [s.row.positive for s in scored]
        groups = [(s.row.repository, s.row.commit) for s in scored]
        told = [_with_interval(measure, values, gold, groups) for measure in (Ranking.area, Ranking.average_precision)]
        each: list[str] = []
        for repository in repositories:
            own = [s for s in scored if s.row.repository == repository]
            figures = _figures(own, name)
            each.append(f"{_short(figures['auc'])} {_short(figures['ap'])}")
        return [name, *told, *each]

    counts = ["positive of items", f"{sum(s.row.positive for s in scored)}/{len(scored)}", ""]
    for repository in repositories:
        own = [s.row.positive for s in scored if s.row.repository == repository]
        counts.append(f"{sum(own)}/{len(own)}")
    head = ["", "AUC (95 %)", "AP (95 %)", *(name.rpartition("/")[2] for name in repositories)]
    return table(head, [counts, [], line(_OURS), [], *(line(name) for name in _BASELINES)])


def _with_interval(
    measure: Callable[[Ranking, Sequence[int]], float],
    values: Sequence[float],
    gold: Sequence[bool],
    groups: Sequence[tuple[str, str]],
) -> str:
    low, high = interval(measure, values, gold, groups)
    whole = measure(Ranking(values, gold), [1] * len(gold))
    return f"{_short(whole)} ({_short(low)}-{_short(high)})"


def _short(value: float) -> str:
    return f"{value:.3f}".removeprefix("0")


def _print_marks(part: _Part) -> None:
    gold = [s.row.positive for s in part.scored]
    likelihoods = [s.likelihood for s in part.scored]
    commits = sum(part.commits.values())
    print(f"\nMarks, {len(gold)} meaning edits of documented functions in {commits} commits:\n")
    rows: list[list[str]] = []
    for label, threshold in (("every change", 0.0), ("aside", weights().aside), ("mark (default)", weights().mark)):
        precision, recall, marked = precision_and_recall(likelihoods, gold, threshold)
        rows.append([label, f"{threshold:.2f}", f"{100 * marked / commits:.1f}", _short(precision), _short(recall)])
    hard = [float(s.row.contradicted) for s in part.scored]
    precision, recall, marked = precision_and_recall(hard, gold, 0.5)
    rows.append(["contradicted by rule", "", f"{100 * marked / commits:.1f}", _short(precision), _short(recall)])
    print(table(["from", "likelihood", "per 100 commits", "precision", "recall"], rows))


def _print_aside(part: _Part) -> None:
    for label, scored in (("docstrings", part.scored), ("sentences", part.by_sentence)):
        below = [s.row.positive for s in scored if s.likelihood < weights().aside and not s.row.contradicted]
        if below:
            print(
                f"Below {weights().aside:.2f} and not contradicted: {len(below)} of {len(scored)} {label}, of which"
                f" {100 * sum(below) / len(below):.1f} % were rewritten all the same"
            )


def _print_errors(part: _Part) -> None:
    ordered = sorted(part.scored, key=lambda s: (-s.likelihood, s.row.commit, s.row.symbol))
    by_kind: dict[str, list[Scored]] = defaultdict(list)
    by_kind["Surest and left as it was"] = [s for s in ordered if not s.row.positive][:_SHOWN]
    by_kind["Least likely and rewritten"] = [s for s in reversed(ordered) if s.row.fate is Fate.REWRITTEN][:_SHOWN]
    for title, wrong in by_kind.items():
        print(f"\n{title}:")
        for scored in wrong:
            row = scored.row
            print(f"- {scored.likelihood:.2f}  {row.repository} {row.commit[:10]} {row.symbol}")
            print(f"    said     {_folded(row.statement)}")
            if row.positive:
                print(f"    now      {_folded(row.told)}")
            print(f"    changed  {'; '.join(row.details)[:160]}")


def _folded(text: str) -> str:
    return " ".join(text.split())[:160]


def _as_json(scored: Scored, part: str) -> dict[str, object]:
    row = scored.row
    return {
        "part": part,
        "repository": row.repository,
        "commit": row.commit,
        "symbol": row.symbol,
        "fate": row.fate.value,
        "likelihood": round(scored.likelihood, 4),
        "contradicted": row.contradicted,
        "numbers": {name: round(value, 4) for name, value in zip(NAMES, row.numbers, strict=True) if value},
    }
