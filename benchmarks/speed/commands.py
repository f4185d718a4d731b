"""What a command of the command line costs: processor time of whole processes on warm stores, in turn with a bare
Python, with one that imports click and SQLite, and with one that imports what the command does and stops."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import cast

from benchmarks.reporting.measures import Measure
from benchmarks.reporting.report import Report
from benchmarks.reporting.tables import milliseconds, table
from benchmarks.speed.clients import environment
from benchmarks.speed.hooks import TIMER
from benchmarks.speed.stores import Generated, generate

SIZES = (20, 200)
_TARGETS = 250, 120  # milliseconds of a processor: in all, and for imports
_FLOORS = {"Python that does nothing": "pass", "Python that imports click and apsw": "import click, apsw"}
_LOADED = """
import json, sys
from memlsp.faces.cli.app import memlsp
try:
    memlsp(sys.argv[1:], standalone_mode=False)
except SystemExit:
    pass
print()
print(json.dumps([name for name, module in sys.modules.items() if getattr(module, "__spec__", None)]))
"""
_IMPORTS = "import importlib, json, sys\nfor name in json.load(sys.stdin): importlib.import_module(name)"


def run_commands(data: Path | None, *, runs: int) -> Report:
    """Measure at both sizes, print a table for each, and return the report. `data` holds the Python file that the
    beliefs speak of."""
    cases: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory(prefix="memlsp-commands-") as name:
        for size in SIZES:
            generated = generate(Path(name, str(size)), size, data)
            timed = _timed(generated, Path(name), runs)
            print(f"\n{size} beliefs, each command {runs} times in turn:\n{_table(timed)}", flush=True)
            for key, each in timed.items():
                cases.append({"beliefs": size, "process": key, "cpu_ms": list(each.figures)})
    aimed = [case for case in cases if str(case["process"]).startswith("memlsp")]
    met = sum(_median(cast("list[float]", case["cpu_ms"])) <= _target(str(case["process"])) for case in aimed)
    return Report(suite="latency", score={"targets": len(aimed), "met": met}, baselines={}, cases=cases, passed=True)


def _timed(generated: Generated, folder: Path, runs: int) -> dict[str, Measure]:
    """The processor time of each kind of process, the floors first. The first two rounds warm the store."""
    surroundings = environment(generated.data)
    commands = {name: [sys.executable, "-c", script] for name, script in _FLOORS.items()}
    payloads = dict.fromkeys(commands, str(_written(folder, "nothing", "")))
    for words in _commands(generated):
        name = f"memlsp {words[0]}"
        commands[name] = [sys.executable, "-m", "memlsp", *words]
        payloads[name] = payloads[next(iter(_FLOORS))]
        _loaded(generated, words)
        commands[f"{name}, imports"] = [sys.executable, "-c", _IMPORTS]
        payloads[f"{name}, imports"] = str(
            _written(folder, words[0], _loaded(generated, words))
        )  # the second finds what the first left
    asked = {
        "commands": commands,
        "environment": surroundings,
        "folder": str(generated.root),
        "runs": [(name, payloads[name]) for _ in range(runs + 1) for name in commands],
    }
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(TIMER)], input=json.dumps(asked).encode(), capture_output=True, check=True
    )
    figures = cast("list[tuple[float, float, int, int]]", json.loads(done.stdout))
    timed: dict[str, list[float]] = {name: [] for name in commands}
    for (name, _), (_, worked, _, status) in list(zip(asked["runs"], figures, strict=True))[len(commands) :]:
        assert status == 0, f"{name} ended with {status}"
        timed[name].append(worked)
    return {name: Measure(name, found) for name, found in timed.items()}


def _loaded(generated: Generated, words: tuple[str, ...]) -> str:
    """Run a command; the names of the modules that it loaded, as JSON."""
    done = subprocess.run(
        [sys.executable, "-c", _LOADED, *words],
        capture_output=True,
        check=True,
        cwd=generated.root,
        env=environment(generated.data),
        text=True,
        timeout=60,
    )
    return done.stdout.splitlines()[-1]


def _commands(generated: Generated) -> Iterator[tuple[str, ...]]:
    yield ("status",)
    yield ("beliefs",)
    yield ("why", f"{generated.edited}#{generated.spots[0].name}")
    yield ("recall", "how often is it retried")
    yield ("remember", "We ship on Fridays, after the tests")


def _written(folder: Path, name: str, text: str) -> Path:
    path = folder / f"{name}.json"
    path.write_text(text, encoding="utf-8")
    return path


def _target(name: str) -> int:
    return _TARGETS[name.endswith("imports")]


def _median(figures: list[float]) -> float:
    return Measure("", figures).at(0.5) or 0.0


def _table(timed: dict[str, Measure]) -> str:
    rows: list[list[str]] = []
    for name, each in timed.items():
        target = str(_target(name)) if name.startswith("memlsp") else ""
        missed = "MISSED" if target and (each.at(0.5) or 0) > int(target) else ""
        rows.append([name, milliseconds(min(each.figures)), milliseconds(each.at(0.5)), target, missed])
    return table(["processor time of a process, ms", "least", "p50", "target", ""], rows)
