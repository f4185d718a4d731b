"""Onboarding on real repositories: how fast the history is read, how small it is kept, what a hover feels of it, and
whether the changes kept for a symbol are those that a walk through its own past finds."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from subprocess import run
from time import perf_counter, sleep

from attrs import frozen

from benchmarks.reporting.measures import Measure
from benchmarks.reporting.report import Report
from benchmarks.reporting.tables import milliseconds, table
from benchmarks.speed.clients import LSP, Editor
from memlsp.capture.history.ancestry import Ancestry
from memlsp.capture.history.past import WalkBounds, symbol_history
from memlsp.code.languages.detection import language_of
from memlsp.code.syntax.outline import outline
from memlsp.memory import Memory
from memlsp.memory.judging.ordering import with_containers
from memlsp.memory.learning.onboarding import covered
from memlsp.model.caller import Caller
from memlsp.model.change import ChangeKind
from memlsp.model.episode import HistoryKept, OnboardingProgress
from memlsp.model.errors import NoSuchFile
from memlsp.model.place import Place
from memlsp.model.symbol import Symbol, SymbolKind
from memlsp.store.core.locations import store_path
from memlsp.store.store import Store, open_store

COMMITS = 1_000
TARGET = 30.0
"""Seconds that the design gives a thousand commits."""

SMALLER = 0.9
"""By how much what is kept must be smaller than the file states."""

_SYMBOLS = 60
_PATIENCE = 600.0


@frozen
class Reading:
    """One history read. Times in seconds; `cpu` is that of the reading process."""

    seconds: float
    cpu: float
    first: float
    state: OnboardingProgress
    kept: HistoryKept
    packed: int | None  # bytes that git takes for the same file states


@frozen
class Agreement:
    """Commits of the walks through some symbols' pasts against those kept for them."""

    symbols: int
    both: int
    walk_only: int
    kept_only: int
    examples: tuple[str, ...]


def run_onboarding(data: Path | None, *, quick: bool = False) -> Report:
    """Measure each clone at or below `data` and print a table. Raises NoSuchFile when there is none.

    A missed target is marked and is no failure; a history that was not read to its end is one.
    """
    clones = list(_clones(data)) if data else []
    if not clones:
        raise NoSuchFile(
            "onboarding needs a repository with some history", "--data CLONE, or a folder with clones: flask, httpx"
        )
    most = 100 if quick else COMMITS
    score: dict[str, float] = {}
    baselines: dict[str, dict[str, float]] = {"file states": {}, "git": {}}
    cases: list[Mapping[str, object]] = []
    complete = True
    for clone in clones:
        with tempfile.TemporaryDirectory(prefix="memlsp-onboarding-") as folder:
            reading = _read(clone, Path(folder) / "reading", most)
            agreement = _agreement(clone, Path(folder) / "reading", most, 10 if quick else _SYMBOLS)
            idle, busy = _hovers(clone, Path(folder) / "hovering")
        complete &= reading.state.complete
        _print(clone.name, reading, agreement, idle, busy)
        name = clone.name
        score |= {
            f"{name}.commits_per_second": reading.state.read / reading.seconds,
            f"{name}.seconds": reading.seconds,
            f"{name}.cpu_seconds": reading.cpu,
            f"{name}.first_second": reading.first,
            f"{name}.bytes": float(reading.kept.bytes),
            f"{name}.smaller": reading.kept.saved or 0.0,
            f"{name}.hover_idle_p95": idle.at(0.95) or 0.0,
            f"{name}.hover_busy_p95": busy.at(0.95) or 0.0,
        }
        baselines["file states"][f"{name}.bytes"] = float(reading.kept.state_bytes)
        baselines["git"][f"{name}.bytes"] = float(reading.packed or 0)
        cases.append({"repository": name, "disagreements": list(agreement.examples), "walk_only": agreement.walk_only,
                      "kept_only": agreement.kept_only, "both": agreement.both})  # fmt: skip
    return Report("onboarding", score, baselines, cases, complete)


def _clones(data: Path) -> Iterator[Path]:
    for folder in (data, *sorted(data.iterdir())):
        if (folder / ".git").exists():
            yield folder.resolve()


# --- reading


def _read(clone: Path, data: Path, most: int) -> Reading:
    started, began = _children(), perf_counter()
    seen: list[float] = []
    with Memory.open(clone, data_dir=data) as memory:
        state = memory.onboard(most=most, progress=lambda _: seen.append(perf_counter()))
        seconds = perf_counter() - began
        kept = memory.stats().history
    first = seen[0] - began if seen else seconds
    return Reading(seconds, _children() - started, first, state, kept, _packed(clone, most))


def _children() -> float:
    """Seconds of processor time that ended children of this process took; 0 where that is not told."""
    if sys.platform == "win32":
        return 0.0
    from resource import RUSAGE_CHILDREN, getrusage

    used = getrusage(RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _packed(clone: Path, most: int) -> int | None:
    """What git takes on disk for the source files that these commits left, each state once and as a difference."""
    log = run(
        ["git", "log", f"-{most}", "--no-merges", "--raw", "--no-abbrev", "--no-renames", "--format="],
        cwd=clone, capture_output=True, text=True, errors="replace", check=False,
    )  # fmt: skip
    blobs = {
        words[3] for line in log.stdout.splitlines() if (words := line.split()) and language_of(line.split("\t")[-1])
    }
    sizes = run(
        ["git", "cat-file", "--batch-check=%(objectsize:disk)"],
        cwd=clone, input="\n".join(sorted(blobs)), capture_output=True, text=True, check=False,
    )  # fmt: skip
    return sum(int(line) for line in sizes.stdout.split() if line.isdigit()) if log.returncode == 0 else None


# --- hovers


def _hovers(clone: Path, data: Path) -> tuple[Measure, Measure]:
    """Hovers over a remembered function, without and with a reading under way."""
    path, symbol = _hovered(clone)
    with Memory.open(clone, data_dir=data) as memory:
        memory.remember("This is measured", at=[Place(path, symbol=symbol.name)], by=Caller(folder=clone))
        store = store_path(memory.workspace.key, data)
    text = (clone / path).read_text(encoding="utf-8")
    line, column = symbol.name_span.start_line, symbol.name_span.start_column
    with Editor(LSP, clone, data) as editor:
        editor.open(path, text)
        editor.hover_until_answered(line, column)
        idle = [editor.hover(line, column)[1] for _ in range(200)]
    busy: list[float] = []
    with Editor(LSP, clone, data, onboarding=True) as editor, open_store(store) as kept:
        editor.open(path, text)
        editor.hover_until_answered(line, column)
        head, until = _head(clone), perf_counter() + _PATIENCE
        while not kept.past.known() and perf_counter() < until:
            sleep(0.05)
        while len(busy) < 2_000 and not covered(kept, head) and perf_counter() < until:
            busy.append(editor.hover(line, column)[1])
            sleep(0.01)  # nobody asks faster than a hundred times in a second
    return Measure("hover idle", idle), Measure("hover while reading", busy)


def _head(clone: Path) -> str | None:
    ancestry = Ancestry.at(clone)
    head = ancestry.head() if ancestry else None
    return str(head.id) if head else None


def _hovered(clone: Path) -> tuple[str, Symbol]:
    """A function with a body in a file of some size."""
    return max(_functions(clone), key=lambda entry: (min(entry[1].fingerprint.size, 200), entry[0]))


def _functions(clone: Path) -> list[tuple[str, Symbol]]:
    found: list[tuple[str, Symbol]] = []
    for file in sorted(clone.rglob("*.py")):
        path = file.relative_to(clone).as_posix()
        if not path.startswith(("tests/", "docs/", ".")):
            symbols = outline(path, file.read_bytes()).symbols
            found += [(path, symbol) for symbol in symbols if symbol.kind in {SymbolKind.FUNCTION, SymbolKind.METHOD}]
    if not found:
        raise NoSuchFile(f"no Python function in {clone}", "the suite hovers over one")
    return found


# --- agreement


def _agreement(clone: Path, data: Path, most: int, count: int) -> Agreement:
    """Of functions of the present commit: the commits that the walk finds among those read, and those kept."""
    ancestry = Ancestry.at(clone)
    order = {str(c.id): n for n, c in enumerate(ancestry.newest(most))} if ancestry else {}
    functions = _functions(clone)
    chosen = functions[:: max(1, len(functions) // count)][:count]
    both = walk_only = kept_only = 0
    examples: list[str] = []
    with Memory.open(clone, data_dir=data) as memory:
        store = open_store(store_path(memory.workspace.key, data))
    with store:
        for path, symbol in chosen:
            walked = symbol_history(clone, path, symbol.name, bounds=WalkBounds(limit=50, deadline=5.0))
            if walked.stopped in {"deadline", "limit"}:
                continue
            walk = {change.commit for change in walked.changes if change.commit in order}
            kept = set(_chain(store, path, symbol.name, order))
            both += len(walk & kept)
            walk_only += len(walk - kept)
            kept_only += len(kept - walk)
            examples += [f"{path}#{symbol.name} {commit[:8]} walk only" for commit in sorted(walk - kept)]
            examples += [f"{path}#{symbol.name} {commit[:8]} kept only" for commit in sorted(kept - walk)]
    return Agreement(len(chosen), both, walk_only, kept_only, tuple(examples))


def _chain(store: Store, path: str, name: str, order: Mapping[str, int]) -> Iterator[str]:
    """The commits that changed what a symbol means, as they are kept, from the present one back to its birth."""
    at = -1
    while True:
        steps = [
            (order[step.episode.commit], -len(step.change.new.name), step)
            for step in store.past.steps(path, tuple(with_containers(name)))
            if step.change.new is not None and order.get(step.episode.commit, -1) > at
        ]
        steps.sort(key=lambda entry: entry[:2])
        for number, _, step in steps:
            old, new = step.change.old, step.change.new
            assert new is not None
            mine = new.name == name
            if old is None:
                yield step.episode.commit
                return
            if mine and step.change.kinds & _TOLD:
                yield step.episode.commit
            if (old.path, old.name) != (new.path, new.name):
                rest = name[len(new.name) :] if new.name else f".{name}"
                path, name = old.path, (f"{old.name}{rest}" if old.name else rest.removeprefix("."))
                at = number
                break
        else:
            return


_TOLD = frozenset(ChangeKind) - {ChangeKind.DOCS, ChangeKind.COSMETIC}


def _print(name: str, reading: Reading, agreement: Agreement, idle: Measure, busy: Measure) -> None:
    kept, state = reading.kept, reading.state
    saved = kept.saved or 0.0
    packed = "·" if reading.packed is None else f"{reading.packed / 1e6:.2f} MB"
    rows: Sequence[Sequence[str]] = (
        ("commits read", f"{state.read}", ""),
        ("seconds", f"{reading.seconds:.1f}", _met(reading.seconds * COMMITS / max(state.read, 1) <= TARGET)),
        ("processor seconds of the reader", f"{reading.cpu:.1f}", ""),
        ("commits a second", f"{state.read / reading.seconds:.1f}", ""),
        ("seconds until the first is there", f"{reading.first:.2f}", ""),
        ("symbol changes kept", f"{kept.changes}", ""),
        ("bytes kept", f"{kept.bytes / 1e6:.2f} MB", ""),
        ("file states", f"{kept.state_bytes / 1e6:.2f} MB", ""),
        ("smaller by", f"{100 * saved:.1f} %", _met(saved >= SMALLER)),
        ("git, packed, the same file states", packed, ""),
        ("hover idle, p50 / p95", _times(idle), ""),
        ("hover while reading, p50 / p95", f"{_times(busy)} ({len(busy.figures)})", ""),
        (f"commits of {agreement.symbols} functions, walk and kept", f"{agreement.both}", ""),
        ("in the walk alone", f"{agreement.walk_only}", ""),
        ("kept alone", f"{agreement.kept_only}", ""),
    )
    print()
    print(table((name, "", "target"), rows))
    for example in agreement.examples[:20]:
        print(f"  {example}")


def _met(met: bool) -> str:
    return "met" if met else "missed"


def _times(measure: Measure) -> str:
    return f"{milliseconds(measure.at(0.5))} / {milliseconds(measure.at(0.95))} ms"
