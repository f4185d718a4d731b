"""The suites that `memlsp eval` lists and runs. A new suite is added to `SUITES` and to `_RUNNERS`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import cast

from benchmarks.reporting.machine import this_machine, today
from benchmarks.reporting.report import Report
from benchmarks.stalecode.errors import StaleCodeError
from memlsp.model.errors import BadValue, NoSuchFile

SUITES: Mapping[str, str] = {
    "birth": "is a statement that is false when it is made contradicted at once, a plan ahead, the rest left alone",
    "contradictions": "which statements contradict each other, which live together (--data: BEAM and clones adds sets)",
    "corrections": "is what a person says once kept, and the rest of a prompt left alone (--data: clones)",
    "drift": "does a change of the code make what is said of it false, as authors' docstrings tell (--data: clones)",
    "edits": "one belief, one edit: does its standing change when and only when the meaning does",
    "encoder": "what is found by meaning, of four kinds of text, beside FTS5 alone and with it (--data: pairs)",
    "episodes": "two tasks of one author, interleaved in time, told apart as they happen (--data: pairs and clones)",
    "forget": "is what was forgotten really gone: raw files searched, with vectors, exports and backups present",
    "injection": "is an agent told what bears on a prompt, and nothing else (--data: clones adds their histories)",
    "instructions": "which lines of AGENTS.md, CLAUDE.md, rules and agents are false where they stand (--data: clones)",
    "judgement": "the suites of judgement that need no clone, one after another: edits, birth, relevance, and more",
    "latency": "hover, lens, edit to diagnostics, recall, why, start-up and memory at 1,000 and 100,000 beliefs",
    "onboarding": "a history read once: speed, size, hovers meanwhile, and agreement with the walk (--data: clones)",
    "recall": "the earlier work that a task needs, from real histories, beside grep, FTS5 and others (--data: clones)",
    "refactorings": "what happened to a symbol, as people and other tools named it: renamed, moved, extracted...",
    "relevance": "is what an edit breaks said, and what it leaves alone not (--data: clones adds rows of their code)",
    "scale": "recall, hover, lens and writing while reading, from 1,000 to 1,000,000 memories (--data: kept stores)",
    "secrets": "what of a secret reaches the store, in many carriers and cut at the caps, and what only looks like one",
    "soak": "100,000 events from five processes that are killed now and then; an hour of work (--data: clones)",
    "stalecode": "memories of code side by side after the code changed, by a protocol (--peer NAME=COMMAND adds one)",
    "survival": "a method followed back through its history: the commits that changed it, renames and moves among them",
    "tasks": "what memory changed: five real tasks cold, with notes and with memlsp (--data: clones)",
    "team": "what an exchange costs at scale, and whether 200 machines lose anything (needs PostgreSQL)",
}


def run_suite(name: str, data: Path | None, json_path: Path | None, **options: object) -> int:
    """Run a suite, print its table and write its JSON. Returns 0 when every case is right, else 1; a missed target of
    `latency` is marked and does not fail the run.

    `data` is the folder of the suite's data, by default the checkout's fixtures where the suite has some. Options are
    `quick` for all suites, `only` (a part of the suite) and `peers` (for `recall`, `scale` and `stalecode`). Raises
    BadValue for an unknown suite, for data that is not well formed and for a JSON file that cannot be written,
    NoSuchFile when the suite needs data that is not there.
    """
    run = _RUNNERS.get(name)
    if run is None:
        raise BadValue(f"no suite {name!r}", f"there are: {', '.join(SUITES)}")
    machine, started = this_machine(), perf_counter()
    try:
        report = run(data, {**options, "json": json_path})
    except StaleCodeError as error:
        raise BadValue(str(error)) from error
    print(f"\n{today()}, {machine}, {perf_counter() - started:.1f} s")
    if json_path is not None:
        try:
            report.write(json_path, machine, today())
        except OSError as error:
            raise BadValue(f"cannot write {json_path}: {error.strerror}") from error
    return 0 if report.passed else 1


# Each suite is imported when it is run: some need much, and a missing part of one leaves the others usable.


def _forget(data: Path | None, options: Mapping[str, object]) -> Report:  # noqa: ARG001 - it makes its data
    from benchmarks.privacy.forgetting import run_forget

    return run_forget(quick=bool(options.get("quick")))


def _edits(data: Path | None, options: Mapping[str, object]) -> Report:
    from benchmarks.judgement.edits import run_edits

    folder = data or _fixtures() / "edits"
    inner = folder / "edits"
    return run_edits(
        inner if inner.is_dir() else folder, quick=bool(options.get("quick")), only=str(options.get("only") or "")
    )


def _birth(data: Path | None, options: Mapping[str, object]) -> Report:
    from benchmarks.judgement.birth import run_birth

    return run_birth(data or _fixtures() / "birth", quick=bool(options.get("quick")))


def _relevance(data: Path | None, options: Mapping[str, object]) -> Report:
    from benchmarks.judgement.relevance import run_relevance

    folder = _fixtures() / "relevance"
    return run_relevance(folder, data, quick=bool(options.get("quick")), only=str(options.get("only") or ""))


def _contradictions(data: Path | None, options: Mapping[str, object]) -> Report:
    from benchmarks.judgement.contradictions import run_contradictions

    return run_contradictions(_fixtures() / "contradictions", data, quick=bool(options.get("quick")))


def _corrections(data: Path | None, options: Mapping[str, object]) -> Report:
    from benchmarks.corrections.corrections import run_corrections

    return run_corrections(_fixtures() / "corrections", data, quick=bool(options.get("quick")))


def _injection(data: Path | None, options: Mapping[str, object]) -> Report:
    from benchmarks.injection.injection import run_injection
    from benchmarks.injection.sessions import run_sessions

    if options.get("only") == "sessions":
        return run_sessions(_fixtures() / "injection", quick=bool(options.get("quick")))
    return run_injection(_fixtures() / "injection", data, quick=bool(options.get("quick")))


def _instructions(data: Path | None, options: Mapping[str, object]) -> Report:
    from benchmarks.judgement.instructions import run_instructions

    return run_instructions(_fixtures() / "instructions", data, quick=bool(options.get("quick")))


def _drift(data: Path | None, options: Mapping[str, object]) -> Report:
    from benchmarks.judgement.drift import run_drift

    return run_drift(data, quick=bool(options.get("quick")))


def _encoder(data: Path | None, options: Mapping[str, object]) -> Report:
    from benchmarks.recall.encoder_eval import run_encoder

    return run_encoder(data, quick=bool(options.get("quick")), only=str(options.get("only") or ""))


def _episodes(data: Path | None, options: Mapping[str, object]) -> Report:
    from benchmarks.work.episodes import run_episodes

    return run_episodes(data, quick=bool(options.get("quick")), only=str(options.get("only") or ""))


def _onboarding(data: Path | None, options: Mapping[str, object]) -> Report:
    from benchmarks.history.onboarding import run_onboarding

    return run_onboarding(data, quick=bool(options.get("quick")))


def _latency(data: Path | None, options: Mapping[str, object]) -> Report:
    from benchmarks.speed.latency import run_latency

    only = str(options.get("only") or "")
    if only == "command":
        from benchmarks.speed.commands import run_commands

        return run_commands(data, runs=5 if options.get("quick") else 15)
    return run_latency(data, quick=bool(options.get("quick")), only_hooks=only == "hook")


def _scale(data: Path | None, options: Mapping[str, object]) -> Report:
    from benchmarks.speed.scale import run_scale

    peers = [str(each) for each in cast("Sequence[object]", options.get("peers") or ())]
    return run_scale(data, quick=bool(options.get("quick")), only=str(options.get("only") or ""), peers=peers)


def _soak(data: Path | None, options: Mapping[str, object]) -> Report:
    from benchmarks.speed.soak import run_soak

    return run_soak(data, quick=bool(options.get("quick")))


def _secrets(data: Path | None, options: Mapping[str, object]) -> Report:
    from benchmarks.privacy.secrets import run_secrets

    return run_secrets(data or _fixtures(), quick=bool(options.get("quick")))


def _stalecode(data: Path | None, options: Mapping[str, object]) -> Report:
    from benchmarks.judgement.stalecode import run_stalecode

    earlier = options.get("json")
    return run_stalecode(
        data,
        quick=bool(options.get("quick")),
        only=str(options.get("only") or ""),
        peers=[str(each) for each in cast("Sequence[object]", options.get("peers") or ())],
        chart_path=earlier.with_suffix(".svg") if isinstance(earlier, Path) else None,
    )


def _survival(data: Path | None, options: Mapping[str, object]) -> Report:
    from benchmarks.history.survival import run_survival

    earlier = options.get("json")
    return run_survival(
        data,
        quick=bool(options.get("quick")),
        only=str(options.get("only") or ""),
        cache=earlier if isinstance(earlier, Path) else None,
    )


def _recall(data: Path | None, options: Mapping[str, object]) -> Report:
    from benchmarks.recall.recall import run_recall

    only = str(options.get("only") or "")
    peers = [str(each) for each in cast("Sequence[object]", options.get("peers") or ())]
    folder = data or _fixtures() / "codememory"
    earlier = options.get("json")
    return run_recall(
        folder,
        quick=bool(options.get("quick")),
        only=only,
        peers=peers,
        cache=earlier if isinstance(earlier, Path) else None,
    )


def _refactorings(data: Path | None, options: Mapping[str, object]) -> Report:
    from benchmarks.history.refactorings import run_refactorings

    if data is None:
        raise NoSuchFile(
            "the suite refactorings needs a clone of tsantalis/RefactoringMiner",
            "git clone --bare https://github.com/tsantalis/RefactoringMiner DIR/RefactoringMiner, then --data DIR",
        )
    return run_refactorings(data, quick=bool(options.get("quick")))


def _tasks(data: Path | None, options: Mapping[str, object]) -> Report:
    from benchmarks.tasks.tasks import run_tasks

    only, quick, earlier = str(options.get("only") or ""), bool(options.get("quick")), options.get("json")
    if only == "swecontext" and data is not None:
        from benchmarks.tasks.swecontext import run_swecontext

        return run_swecontext(data, quick=quick)
    return run_tasks(
        _fixtures() / "tasks", data, quick=quick, only=only, cache=earlier if isinstance(earlier, Path) else None
    )


def _team(data: Path | None, options: Mapping[str, object]) -> Report:  # noqa: ARG001 - it makes its data
    from benchmarks.team.team import run_team

    return run_team(quick=bool(options.get("quick")))


def _judgement(data: Path | None, options: Mapping[str, object]) -> Report:
    """The suites in `_WITHOUT_CLONES` as one report. Raises BadValue when a folder or a part is named: each suite has
    its own."""
    if data is not None or options.get("only"):
        raise BadValue(
            "judgement takes neither --data nor --only", f"run one of its suites: {', '.join(_WITHOUT_CLONES)}"
        )
    score: dict[str, float] = {}
    baselines: dict[str, Mapping[str, float]] = {}
    cases: list[Mapping[str, object]] = []
    failed: list[str] = []
    for place, name in enumerate(_WITHOUT_CLONES, 1):
        print(f"\n== {name} ({place} of {len(_WITHOUT_CLONES)}): {SUITES[name]}\n", flush=True)
        started = perf_counter()
        report = _RUNNERS[name](None, options)
        print(f"\n{name}: {perf_counter() - started:.1f} s")
        score |= {f"{name}: {figure}": value for figure, value in report.score.items()}
        baselines |= {f"{name}: {other}": values for other, values in report.baselines.items()}
        cases += ({"suite": name, **case} for case in report.cases)
        failed += [] if report.passed else [name]
    if failed:
        print(f"\nbelow their targets: {', '.join(failed)}")
    return Report("judgement", score, baselines, cases, not failed)


_WITHOUT_CLONES = ("edits", "birth", "relevance", "contradictions", "corrections", "secrets")

_RUNNERS: Mapping[str, Callable[[Path | None, Mapping[str, object]], Report]] = {
    "birth": _birth,
    "contradictions": _contradictions,
    "corrections": _corrections,
    "drift": _drift,
    "edits": _edits,
    "encoder": _encoder,
    "episodes": _episodes,
    "forget": _forget,
    "injection": _injection,
    "instructions": _instructions,
    "judgement": _judgement,
    "latency": _latency,
    "onboarding": _onboarding,
    "recall": _recall,
    "refactorings": _refactorings,
    "relevance": _relevance,
    "scale": _scale,
    "secrets": _secrets,
    "soak": _soak,
    "stalecode": _stalecode,
    "survival": _survival,
    "tasks": _tasks,
    "team": _team,
}


def _fixtures() -> Path:
    folder = Path(__file__).resolve().parents[1] / "fixtures"
    if not (folder / "edits").is_dir():
        raise NoSuchFile("this checkout has no fixtures", "--data DIR names the folder fixtures of a whole checkout")
    return folder
