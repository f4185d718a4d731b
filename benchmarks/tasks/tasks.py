"""The suite `tasks`: five real tasks in five real repositories, done cold, with notes, and with memlsp.

For each case the earlier sessions are played once, through the doors that a user has; then the repository moves on and
becomes stale in part. Every prompt of the case is then given to the scripted agent with several seeds, which order what
its search finds equally good. With TASKS_AGENT another agent does the same.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean, median
from typing import Any

from attrs import asdict, frozen

from benchmarks.judgement.drift_mining import repositories_in
from benchmarks.reporting.report import Report
from benchmarks.reporting.tables import fraction, table
from benchmarks.tasks.cases import TaskCase, cases_in
from benchmarks.tasks.memory_doors import Answered, MemoryDoors
from benchmarks.tasks.real_agent import VARIABLE, connect_memory, run_agent
from benchmarks.tasks.scripted_agent import Notes, ScriptedAgent, Silence, TaskRun, Teller
from benchmarks.tasks.sessions import Checkout, git, play
from memlsp.model.errors import NoSuchFile

SEEDS = (1, 2, 3)

COLD, NOTES, HOOKS, RECALL = "cold", "notes by hand", "memlsp, hooks", "memlsp, hooks and recall"
WAYS = (COLD, NOTES, HOOKS, RECALL)


class Told(Silence):
    """What memlsp tells in one session, through the hook; with an answer to the prompt, the agent asked over MCP too.
    `known` keeps what the hook said after the same events in the same state of the memory, with the seconds."""

    def __init__(
        self, doors: MemoryDoors, session: str, known: dict[tuple[str, ...], Answered], answer: Answered | None
    ) -> None:
        self.name = RECALL if answer else HOOKS
        self._doors = doors
        self._session = session
        self._known = known
        self._answer = answer
        self._happened: tuple[str, ...] = (self.name,)
        self.seconds = 0.0

    def at_start(self) -> str:
        """The context of SessionStart."""
        return self._said("SessionStart", settles=True, source="startup")

    def at_prompt(self, text: str) -> str:
        """The context of the prompt, and the answer to the same question."""
        said = self._said("UserPromptSubmit", settles=True, prompt=text)
        self.seconds += self._answer.seconds if self._answer else 0.0
        return "\n".join(filter(None, (said, self._answer.text if self._answer else "")))

    def before(self, tool: str, call: dict[str, str]) -> str:
        """The context before a tool."""
        return self._said("PreToolUse", tool_name=tool, tool_input=call)

    def _said(self, event: str, *, settles: bool = False, **fields: object) -> str:
        """The hook's answer; memlsp is then given the time to understand the event, which a person who types or a model
        that thinks gives it."""
        self._happened += (event, json.dumps(fields))
        if self._happened not in self._known:
            self._doors.reset()
            text = self._doors.hook(event, self._session, **fields)
            self._known[self._happened] = Answered(text, self._doors.seconds)
            if settles:
                self._doors.settle()
        self.seconds += self._known[self._happened].seconds
        return self._known[self._happened].text


@frozen
class ScoredRun:
    """A run with its case, way, prompt and seed; `seconds` is the time spent in memlsp."""

    case: str
    way: str
    prompt: int
    seed: int
    seconds: float
    run: TaskRun


def run_tasks(
    folder: Path, data: Path | None, *, quick: bool = False, only: str = "", cache: Path | None = None
) -> Report:
    """Run, and print the tables. `folder` has the cases, `data` clones of their repositories; `only` names a case. A
    case whose runs are in `cache`, the JSON of an earlier run, is not run again. Passes when memlsp tells no more wrong
    memories as true than the notes do. Raises NoSuchFile without clones."""
    if data is None:
        raise NoSuchFile("the suite tasks needs clones", "--data DIR, with those that fixtures/tasks names")
    clones = repositories_in(data)
    cases = [case for case in cases_in(folder) if only in {"", case.name}]
    there = [case for case in cases if case.repository in clones]
    for case in cases:
        if case not in there:
            print(f"left out: no clone of {case.repository} in {data}")
    if not there:
        raise NoSuchFile(f"no clone of a case in {data}", "they are named OWNER+NAME, bare or not")
    done = _kept(cache, {case.name for case in there})
    known = {each.case for each in done}
    for case in (each for each in there if each.name not in known):
        with tempfile.TemporaryDirectory(prefix="memlsp-tasks-") as made:
            done += _runs(case, clones[case.repository], Path(made), seeds=SEEDS[:1] if quick else SEEDS)
        print(f"  {case.name}: done", flush=True)
        if cache is not None:
            cache.write_text(json.dumps({"cases": [asdict(each) for each in done]}), encoding="utf-8")
    print(f"\n{_by_way(there, done)}\n\n{_by_case(there, done)}\n\n{_facts(there, done)}")
    scores = {way: _score(there, [each for each in done if each.way == way]) for way in WAYS}
    ours = scores.pop(RECALL)
    return Report(
        "tasks", ours, scores, [asdict(each) for each in done], passed=ours["wrong"] <= scores[NOTES]["wrong"]
    )


def _kept(cache: Path | None, names: Collection[str]) -> list[ScoredRun]:
    """The runs of these cases that an earlier run wrote."""
    if cache is None or not cache.is_file():
        return []
    found: list[dict[str, Any]] = [
        each for each in json.loads(cache.read_text(encoding="utf-8"))["cases"] if each["case"] in names
    ]
    return [
        ScoredRun(each["case"], each["way"], each["prompt"], each["seed"], each["seconds"], TaskRun(**each["run"]))
        for each in found
    ]


def _runs(case: TaskCase, clone: Path, made: Path, *, seeds: Sequence[int]) -> Iterator[ScoredRun]:
    checkout = Checkout(clone, made / "project")
    doors = MemoryDoors(checkout.root, made / "data")
    play(case, checkout, doors)
    answers = doors.recall(case.prompts)
    doors.keep_state()
    for number, prompt in enumerate(case.prompts):
        for way in WAYS:
            if way in {HOOKS, RECALL}:
                doors.restore_state()  # no run knows of what another one said or asked
            known: dict[tuple[str, ...], Answered] = {}
            for seed in seeds:
                teller: Teller = Notes(case.notes) if way == NOTES else Silence()
                if way in {HOOKS, RECALL}:
                    session = f"{case.name}-{WAYS.index(way)}-{number}-{seed}"
                    teller = Told(doors, session, known, answers[prompt] if way == RECALL else None)
                run = ScriptedAgent(case, checkout.root, teller, seed).run(prompt)
                seconds = teller.seconds if isinstance(teller, Told) else 0.0
                yield ScoredRun(case.name, way, number, seed, round(seconds, 3), run)
    agent = os.environ.get(VARIABLE, "")
    for way in WAYS if agent else ():
        _run_real(agent, case, way, clone, doors)


def _run_real(agent: str, case: TaskCase, way: str, clone: Path, doors: MemoryDoors) -> None:
    """Let the named agent do the first prompt of a case in a checkout of its own, and print what came of it. The way
    with hooks alone is left out: the server is there for an agent to ask, or not."""
    if way == HOOKS:
        return
    with tempfile.TemporaryDirectory(prefix="memlsp-agent-") as made:
        root = Path(made) / "project"
        environment = dict(os.environ)
        if way == RECALL:
            doors.restore_state()
            git(doors.root, "worktree", "add", "--quiet", "--detach", str(root), case.start)
            environment |= connect_memory(root, doors.environment["MEMLSP_DATA_DIR"])
        else:
            git(None, "clone", "--quiet", "--shared", "--no-checkout", str(clone), str(root))
            git(root, "checkout", "--quiet", "--force", "--detach", case.start)
        if way == NOTES:
            (root / "CLAUDE.md").write_text(case.notes, encoding="utf-8")
        done = run_agent(agent, case, root, case.prompts[0], environment)
        if way == RECALL:
            git(doors.root, "worktree", "remove", "--force", str(root))
    right = fraction(len(done.right), len(case.files))
    print(f"  {case.name}, {way}: status {done.status}, {done.seconds:.0f} s, right files changed {right}", flush=True)


def _score(cases: Sequence[TaskCase], runs: Sequence[ScoredRun]) -> dict[str, float]:
    """Counts over all runs, and averages of a run."""
    bearing = {case.name: {each.id for each in case.facts if each.bears} for case in cases}
    return {
        "runs": len(runs),
        "found": sum(each.run.found for each in runs),
        "tokens": fmean(each.run.tokens for each in runs),
        "tokens, median": median(each.run.tokens for each in runs),
        "told": fmean(each.run.told for each in runs),
        "opened": fmean(each.run.opened for each in runs),
        "gone": sum(each.run.gone for each in runs),
        "right": sum(len(each.run.right) for each in runs),
        "right, of": _number(cases, runs, lambda case: sum(each.bears and each.holds for each in case.facts)),
        "wrong": sum(len(each.run.wrong) for each in runs),
        "wrong, bearing": sum(id in bearing[each.case] for each in runs for id in each.run.wrong),
        "doubted": sum(len(each.run.doubted) for each in runs),
        "denied": sum(len(each.run.denied) for each in runs),
        "broken": sum(len(each.run.broken) for each in runs),
        "broken, of": _number(cases, runs, lambda case: len(case.acts)),
        "seconds": fmean(each.seconds for each in runs),
    }


def _number(cases: Sequence[TaskCase], runs: Sequence[ScoredRun], count: Callable[[TaskCase], int]) -> int:
    by_name = {case.name: count(case) for case in cases}
    return sum(by_name[each.case] for each in runs)


def _row(name: str, way: str, score: Mapping[str, float]) -> tuple[str, ...]:
    return (
        name,
        way,
        fraction(int(score["found"]), int(score["runs"])),
        f"{score['tokens']:,.0f}",
        f"{score['tokens, median']:,.0f}",
        f"{score['told']:,.0f}",
        fraction(int(score["right"]), int(score["right, of"])),
        f"{score['wrong']:.0f} ({score['wrong, bearing']:.0f})",
        f"{score['doubted']:.0f}",
        f"{score['denied']:.0f}",
        fraction(int(score["broken"]), int(score["broken, of"])),
        f"{score['gone']:.0f}",
        f"{score['seconds']:.1f}" if score["seconds"] else "·",
    )


_HEAD = (
    *("task", "by", "found", "tokens", "median", "told", "right facts"),
    *("wrong", "doubted", "denied", "rules broken", "gone", "s"),
)


def _by_way(cases: Sequence[TaskCase], done: Sequence[ScoredRun]) -> str:
    rows = [_row("all", way, _score(cases, [each for each in done if each.way == way])) for way in WAYS]
    return table(_HEAD, rows, left=2)


def _by_case(cases: Sequence[TaskCase], done: Sequence[ScoredRun]) -> str:
    rows: list[Sequence[str]] = []
    for case in cases:
        for way in WAYS:
            runs = [each for each in done if (each.case, each.way) == (case.name, way)]
            rows.append(_row(case.name if way == COLD else "", way, _score(cases, runs)))
        rows.append(())
    return table(_HEAD, rows[:-1], left=2)


def _facts(cases: Sequence[TaskCase], done: Sequence[ScoredRun]) -> str:
    """What became of each fact: in how many runs of each way it was told as true, and with a caveat."""
    rows: list[Sequence[str]] = []
    for case in cases:
        for fact in case.facts:
            cells: list[str] = []
            for way in WAYS[1:]:
                runs = [each.run for each in done if (each.case, each.way) == (case.name, way)]
                plain = sum(fact.id in {*each.right, *each.wrong} for each in runs)
                doubted = sum(fact.id in {*each.doubted, *each.denied} for each in runs)
                cells.append(f"{plain}" + (f" ({doubted} doubted)" if doubted else ""))
            label = "right" if fact.bears and fact.holds else "no longer true" if not fact.holds else "beside"
            rows.append((case.name, fact.id, label, *cells))
    return table(("task", "fact", "at the start", *WAYS[1:]), rows, left=3)
