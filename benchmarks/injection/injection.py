"""The suite `injection`: is an agent told what bears on a prompt, and nothing else?

Every project is told to a fresh workspace, and every prompt is asked in a session of its own, through the function that
the hook calls. Statements and prompts of projects were written and labelled by hand (`projects`). With clones, their
histories are played as well (`histories`): the prompt is the subject of a change, and what is tied to the code that it
changed is taken for what bears on it.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean

from attrs import frozen

from benchmarks.codememory.records import Note
from benchmarks.codememory.systems import PlainText
from benchmarks.injection.acts import acts_table
from benchmarks.injection.histories import history_projects
from benchmarks.injection.projects import (
    BEARS,
    FOREIGN,
    OTHERS,
    OWN,
    AskedPrompt,
    Project,
    ToldProject,
    crowded,
    lines_of,
    projects_in,
)
from benchmarks.reporting.report import Report
from benchmarks.reporting.tables import fraction, share, table
from benchmarks.stalecode.grading import drawn_interval
from memlsp.memory.injection.injection import PROMPT_HEAD
from memlsp.model.belief import BeliefKind
from memlsp.store.tables import hook_notes

OURS = "memlsp"
CROWDED = f"memlsp, {OTHERS} others beside"

PRECISION, SILENCE, TOKENS = 0.70, 0.95, 60.0
"""What the design asks for: of what is told, on foreign prompts, and a prompt on average."""

_QUICK = 2  # projects of a half
_TOP = 5


@frozen
class ToldPrompt:
    """What was told at one prompt, `tokens` in all. `session` counts the same without what the prompts of the project
    before it were told already."""

    project: str
    prompt: AskedPrompt
    told: tuple[str, ...]
    tokens: int
    session: int

    @property
    def right(self) -> int:
        """How much of it bears on the prompt."""
        return len(self.prompt.gold & set(self.told))


def run_injection(folder: Path, data: Path | None, *, quick: bool = False) -> Report:
    """Measure, and print the tables. `folder` holds `open/` and `sealed/`; `data` clones, without which histories are
    left out, as with `quick`. Passes when the targets are met on the sealed projects. Raises NoSuchFile without
    cases."""
    sets = {f"projects, {half}": projects_in(folder / half / "projects.jsonl") for half in ("open", "sealed")}
    with tempfile.TemporaryDirectory(prefix="memlsp-histories-") as checkouts:
        if quick:
            sets = {name: projects[:_QUICK] for name, projects in sets.items()}
        elif data is not None:
            sets["histories"] = history_projects(data, Path(checkouts))
        asked = {name: asked_of(projects) for name, projects in sets.items()}
    rows: list[Sequence[str]] = []
    scores: dict[str, dict[str, float]] = {}
    cases: list[Mapping[str, object]] = []
    for name in sets:
        for way, answers in asked[name].items():
            scores[f"{name}: {way}"] = score(answers)
            rows.append(_row(name if way == OURS else "", way, answers))
        rows.append(())
        if name != "projects, sealed":
            cases += [_case(each) for each in asked[name][OURS]]
    head = ("set", "by", "precision", "recall", "silent, own", "foreign", "tokens", "a session")
    print(table(head, rows[:-1], left=2))
    agreed = agreement(folder / "open", sets["projects, open"])
    print(f"\na second reader gave {agreed} of the open prompts the same gold")
    print(f"\n{acts_table(folder)}")
    if data is None and not quick:
        print("without --data: a folder of clones adds their histories")
    ours = scores.pop(f"projects, sealed: {OURS}")
    met = ours["precision"] >= PRECISION and ours["silence, foreign"] >= SILENCE and ours["tokens"] <= TOKENS
    asked_for = f"precision {share(PRECISION)}, silence on foreign prompts {share(SILENCE)}, {TOKENS:.0f} tokens"
    print(f"asked for on the sealed projects: {asked_for}: {'met' if met else 'missed'}")
    return Report("injection", ours, scores, cases, passed=met)


def asked_of(projects: Sequence[Project]) -> dict[str, list[ToldPrompt]]:
    """Every prompt that is not in doubt put to every system, by system."""
    found: dict[str, list[ToldPrompt]] = {}
    for project in projects:
        with ToldProject(project) as world:
            for name, ask in _systems(project, world).items():
                found.setdefault(name, []).extend(_answers(project, world.lines, ask))
        if project.root is None:
            with ToldProject(crowded(project, projects)) as world:
                found.setdefault(CROWDED, []).extend(_answers(project, world.lines, world.told))
    return {name: found[name] for name in sorted(found, key=_ORDER.index)}


Ask = Callable[[str, str], Sequence[str]]
"""The ids of what is told at a prompt, in a session with this name."""


def _systems(project: Project, world: ToldProject) -> dict[str, Ask]:
    locked = [each.id for each in project.statements if each.locked]
    rules = [each.id for each in project.statements if each.kind is BeliefKind.RULE]
    search = PlainText()
    search.learn([_note(each.id, each.text) for each in project.statements])
    return {
        OURS: world.told,
        "nothing": lambda _text, _session: (),
        "everything locked": lambda _text, _session: locked,
        "all rules": lambda _text, _session: rules,
        "FTS5, the best five": lambda text, _session: search.recall(text, _TOP).ids,
    }


_ORDER = (OURS, CROWDED, "nothing", "everything locked", "all rules", "FTS5, the best five")


def _note(id: str, text: str) -> Note:
    return Note(id=id, at=datetime(2026, 1, 1, tzinfo=UTC), author="", subject=text, text=text)


def _answers(project: Project, lines: Mapping[str, int], ask: Ask) -> list[ToldPrompt]:
    """What is told at each prompt. The tokens are those of our lines whoever chose them, with our first line."""
    head = hook_notes.tokens(PROMPT_HEAD)
    said: set[str] = set()
    found: list[ToldPrompt] = []
    for prompt in project.prompts:
        told = tuple(ask(prompt.text, prompt.id))
        new = [id for id in told if id not in said]
        said.update(new)
        tokens, session = (head + sum(lines[id] for id in ids) if ids else 0 for ids in (told, new))
        if not prompt.unsure:
            found.append(ToldPrompt(project.name, prompt, told, tokens, session))
    return found


def score(answers: Sequence[ToldPrompt]) -> dict[str, float]:
    """Counts, and shares from 0 to 1, which are not a number where nothing was asked or told; tokens on average."""
    right, told = sum(each.right for each in answers), sum(len(each.told) for each in answers)
    gold = sum(len(each.prompt.gold) for each in answers)
    sessions: dict[str, int] = {}
    for each in answers:
        sessions[each.project] = sessions.get(each.project, 0) + each.session
    return {
        "prompts": len(answers),
        "told": told,
        "right": right,
        "gold": gold,
        "precision": right / told if told else float("nan"),
        "recall": right / gold if gold else float("nan"),
        "silence, own": _silence(answers, OWN),
        "silence, foreign": _silence(answers, FOREIGN),
        "silence where something bears": _silence(answers, BEARS),
        "tokens": fmean(each.tokens for each in answers),
        "tokens a session": fmean(sessions.values()),
    }


def _silence(answers: Sequence[ToldPrompt], sort: str) -> float:
    some = [each for each in answers if each.prompt.sort == sort]
    return sum(not each.told for each in some) / len(some) if some else float("nan")


def _row(name: str, way: str, answers: Sequence[ToldPrompt]) -> tuple[str, ...]:
    figures = score(answers)
    groups: dict[str, list[ToldPrompt]] = {}
    for each in answers:
        groups.setdefault(each.project, []).append(each)

    def bounded(key: str) -> str:
        low, high = drawn_interval(list(groups.values()), lambda drawn: score(drawn)[key], draws=300)
        return f"{share(figures[key])} ({share(low)}-{share(high)})"

    right, told, gold = (int(figures[key]) for key in ("right", "told", "gold"))
    return (
        name,
        way,
        f"{fraction(right, told)} {bounded('precision')}" if told else "·",
        f"{fraction(right, gold)} {bounded('recall')}",
        share(figures["silence, own"]),
        share(figures["silence, foreign"]),
        f"{figures['tokens']:.0f}",
        f"{figures['tokens a session']:.0f}",
    )


def _case(each: ToldPrompt) -> Mapping[str, object]:
    return {
        "project": each.project,
        "prompt": each.prompt.text,
        "sort": each.prompt.sort,
        "gold": sorted(each.prompt.gold),
        "told": list(each.told),
        "tokens": each.tokens,
    }


def agreement(folder: Path, projects: Sequence[Project]) -> str:
    """How many prompts got the same gold from a second reader, as `39/40`."""
    gold = {(project.name, prompt.id): prompt.gold for project in projects for prompt in project.prompts}
    second = {
        (each["project"], each["prompt"]): frozenset(each["gold"]) for each in lines_of(folder / "second-labels.jsonl")
    }
    both = [place for place in second if place in gold]
    return fraction(sum(second[place] == gold[place] for place in both), len(both))
