"""The suite `scale`: what asking and showing cost as a memory grows from a thousand to a million statements.

For each size the same questions go through `Memory.recall` and through a plain FTS5 table of the same statements. The
twenty beliefs of an answer lie in twenty files, most of which nobody has read before: to hold them against their code
is most of the time. What is left of it is seen when a question is asked again, and in a process that finds the
standings kept by an earlier one.
Other memories (`--peer`) learn the same statements and are asked the same.
Hovers and lenses are asked of the language server from outside, as an editor does. While another process writes, the
questions are asked again. The pages of `memlsp web` are asked for in this process, in turn with an empty page of
Starlette. `--data` names the folder in which the stores are kept; without one they are made anew.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from itertools import cycle, islice
from pathlib import Path
from time import perf_counter

from attrs import field, frozen

from benchmarks.codememory.peers import peers_of
from benchmarks.reporting.machine import resident_megabytes
from benchmarks.reporting.measures import Measure
from benchmarks.reporting.report import Report
from benchmarks.reporting.tables import milliseconds, table
from benchmarks.speed.clients import LSP, Editor, environment
from benchmarks.speed.scale_peers import ask_peers
from benchmarks.speed.scale_stores import Kept, PlainSearch, kept_store
from benchmarks.speed.scale_words import Asked, ScaleWords
from benchmarks.speed.stores import Generated
from benchmarks.speed.web_pages import browse
from benchmarks.speed.wire import WireError
from memlsp.memory import Memory
from memlsp.memory.judging.kept_standings import NAME
from memlsp.model.errors import BadValue

SIZES = (1_000, 10_000, 100_000, 1_000_000)

P95: dict[tuple[str, int], float] = {
    ("recall", 100_000): 15,
    ("recall", 1_000_000): 45,
    ("hover", 100_000): 5,
    ("lens", 100_000): 5,
}
"""Milliseconds that the design asks for, by measure and size."""

_WARM_UP = 20
_WRITES_A_SECOND = 20
_COPIED = 500_000_000  # bytes up to which a store is copied before somebody writes to it


@frozen
class Column:
    """What was measured at one size."""

    size: int
    measures: dict[str, Measure] = field(factory=dict[str, Measure])

    def add(self, name: str, figures: Sequence[float], unit: str = "ms") -> None:
        """Note the figures of one kind, and print them."""
        self.measures[name] = Measure(name, figures, unit)
        print(f"  {name}: {_shown(self.measures[name])} {unit}", flush=True)

    def missed(self, name: str) -> bool:
        """True when the design asks for less at this size."""
        target, found = P95.get((name, self.size)), self.measures.get(name)
        p95 = found.at(0.95) if found else None
        return target is not None and p95 is not None and p95 > target


def run_scale(
    data: Path | None, *, quick: bool = False, only: str = "", sizes: Sequence[int] = (), peers: Sequence[str] = ()
) -> Report:
    """Measure, print the table, and return the report. `only` is one size; `quick` leaves out a million and asks less;
    `peers` are `NAME=COMMAND` entries of other memories.

    Raises BadValue for a size that is none, and for a peer that does not answer.
    """
    others = peers_of(peers)
    chosen = tuple(sizes) or _sizes(only, quick=quick)
    calls = 100 if quick else 400
    columns: list[Column] = []
    failures: list[str] = []
    with _folder(data) as cache:
        for size in chosen:
            kept = kept_store(cache, size)
            print(f"{kept.generated.beliefs:,} memories (made in {kept.seconds:.0f} s)", flush=True)
            column = Column(size)
            questions = _questions(cache, calls)
            _asked(column, kept, questions)
            ask_peers(others, kept.plain, questions, column.add, warm_up=_WARM_UP)
            try:
                _shown_in_an_editor(column, kept.generated, calls)
            except WireError as error:
                failures.append(f"{size:,}: the language server: {error}")
                print(f"  FAILED: {error}", flush=True)
            _written_meanwhile(column, kept.generated, questions, seconds=3 if quick else 10)
            browse(kept.generated, 12 if quick else 50, column.add)
            _disk(column, kept)
            columns.append(column)
    print()
    print(_table(columns))
    if failures:
        print("\nNot measured:", *failures, sep="\n- ")
    aimed = [(name, column) for column in columns for name in column.measures if (name, column.size) in P95]
    return Report(
        suite="scale",
        score={"targets": len(aimed), "met": sum(not column.missed(name) for name, column in aimed)},
        baselines={f"plain FTS5, {column.size}": _figures(column.measures["plain FTS5"]) for column in columns},
        cases=[
            {"memories": column.size, "measure": measure.name, "unit": measure.unit, **_figures(measure)}
            for column in columns
            for measure in column.measures.values()
        ],
        passed=not failures,
    )


# -- measuring ----------------------------------------------------------------------------------------------------


def _asked(column: Column, kept: Kept, questions: Sequence[Asked]) -> None:
    """The same questions of both, one after the other, so that neither has the machine at a better moment; and of ours
    again, when the files of which the answer speaks have been read a moment ago."""
    kinds: dict[str, list[float]] = defaultdict(list)
    ours: list[float] = []
    again: list[float] = []
    plain: list[float] = []
    answered = 0
    for standings in kept.generated.data.rglob(NAME):  # an earlier run may have left them
        standings.unlink()
    with Memory.open(kept.generated.root, data_dir=kept.generated.data) as memory, PlainSearch(kept.plain) as baseline:
        began = perf_counter()
        memory.recall(questions[0].text)
        column.add("first recall", [1000 * (perf_counter() - began)])
        for number, question in enumerate(questions):
            took = _timed(lambda q=question.text: memory.recall(q))
            beside = _timed(lambda q=question.text: baseline.ask(q))
            repeated = _timed(lambda q=question.text: memory.recall(q))
            if number >= _WARM_UP:
                ours.append(took)
                plain.append(beside)
                again.append(repeated)
                kinds[question.kind].append(took)
        for question in questions[:_WARM_UP]:
            answered += bool(memory.recall(question.text).hits)
    print(f"  answered: {answered} of {_WARM_UP}", flush=True)
    column.add("recall", ours)
    for kind in ("words", "name", "task", "common"):
        column.add(f"recall, {kind}", kinds[kind])
    column.add("recall, asked again", again)
    column.add("recall, judged by an earlier process", _judged_before(kept, questions))
    column.add("plain FTS5", plain)


def _judged_before(kept: Kept, questions: Sequence[Asked]) -> list[float]:
    """What the questions take when a process that has ended kept the standings that their answers need."""
    with Memory.open(kept.generated.root, data_dir=kept.generated.data) as memory:
        return [_timed(lambda q=question.text: memory.recall(q)) for question in questions][_WARM_UP:]


def _shown_in_an_editor(column: Column, generated: Generated, calls: int) -> None:
    spots = generated.spots[:calls]
    with Editor(LSP, generated.root, generated.data) as editor:
        editor.open(generated.edited, generated.text)
        first = generated.spots[0]
        column.add("start to first hover", [editor.hover_until_answered(first.line, first.column)])
        for spot in spots:
            editor.hover(spot.line, spot.column)
        column.add("hover", [editor.hover(spot.line, spot.column)[1] for spot in islice(cycle(spots), calls)])
        column.add("lens", [editor.lenses()[1] for _ in range(calls)])
        memory = resident_megabytes(editor.wire.process)
        column.add("server's memory", [] if memory is None else [memory], "MB")


def _written_meanwhile(column: Column, generated: Generated, questions: Sequence[Asked], *, seconds: float) -> None:
    """Recall while another process remembers: a small store is copied first, a large one grows by what is written."""
    with tempfile.TemporaryDirectory(prefix="memlsp-scale-") as name:
        data = generated.data
        if _size(data) <= _COPIED:
            data = Path(name, "data")
            shutil.copytree(generated.data, data)
        command = [sys.executable, "-P", "-m", "benchmarks.speed.scale_writer", str(generated.root), str(data)]
        with (
            Memory.open(generated.root, data_dir=data) as memory,
            subprocess.Popen(
                [*command, str(seconds), str(_WRITES_A_SECOND)],
                stdout=subprocess.PIPE,
                text=True,
                env=environment(data),
            ) as writer,
        ):
            assert writer.stdout is not None
            memory.recall(questions[0].text)
            writer.stdout.readline()
            until = perf_counter() + seconds
            took: list[float] = []
            for question in cycle(questions):
                if perf_counter() > until:
                    break
                took.append(_timed(lambda q=question.text: memory.recall(q)))
            written = json.loads(writer.stdout.readline() or "[]")
    column.add("recall while written to", took)
    column.add("remember while read", written)


def _disk(column: Column, kept: Kept) -> None:
    column.add("disk", [_size(kept.generated.data) / 1e6], "MB")
    column.add("disk a memory", [_size(kept.generated.data) / column.size / 1e3], "kB")
    column.add("plain FTS5 disk", [kept.plain.stat().st_size / 1e6], "MB")
    column.add("made, a second", [column.size / max(kept.seconds, 0.001)], "memories")


def _questions(cache: Path, calls: int) -> list[Asked]:
    words = ScaleWords(cache, seed=11)
    return [words.question() for _ in range(calls + _WARM_UP)]


def _sizes(only: str, *, quick: bool) -> tuple[int, ...]:
    if not only:
        return SIZES[:-1] if quick else SIZES
    digits = only.replace(",", "").replace("_", "")
    if not digits.isdecimal() or int(digits) < 200:
        raise BadValue(f"not a size: {only!r}", "a number of memories, 200 or more; --only 100000 say")
    return (int(digits),)


@contextmanager
def _folder(data: Path | None) -> Generator[Path]:
    if data is not None:
        yield data
        return
    with tempfile.TemporaryDirectory(prefix="memlsp-scale-") as name:
        yield Path(name)


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _timed(work: Callable[[], object]) -> float:
    began = perf_counter()
    work()
    return 1000 * (perf_counter() - began)


# -- printing -----------------------------------------------------------------------------------------------------


def _table(columns: Sequence[Column]) -> str:
    rows: list[list[str]] = []
    for name in dict.fromkeys(name for column in columns for name in column.measures):
        found = [column.measures.get(name) for column in columns]
        unit = next(measure.unit for measure in found if measure is not None)
        asked = [f"{P95[name, column.size]:g} at {column.size:,}" for column in columns if (name, column.size) in P95]
        missed = "MISSED" if any(column.missed(name) for column in columns) else ""
        rows.append([f"{name}, {unit}", *(_shown(measure) for measure in found), ", ".join(asked), missed])
    return table(["p50 / p95", *(f"{column.size:,}" for column in columns), "p95 asked for", ""], rows)


def _shown(measure: Measure | None) -> str:
    if measure is None or not measure.figures:
        return "·"
    if len(measure.figures) == 1:
        return milliseconds(measure.figures[0])
    return f"{milliseconds(measure.at(0.5))} / {milliseconds(measure.at(0.95))}"


def _figures(measure: Measure) -> dict[str, float]:
    p50, p95 = measure.at(0.5), measure.at(0.95)
    return {} if p50 is None or p95 is None else {"p50": round(p50, 3), "p95": round(p95, 3)}
