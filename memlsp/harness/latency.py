"""The suite `latency`: how long people and agents wait, at two sizes of the memory, with an empty server as the floor.

Everything but `recall` and `why` inside the process is measured from outside, over stdio, against real subprocesses
after a warm-up. Times are milliseconds, memory is megabytes (10^6 bytes). Misses are marked and do not fail the run:
a time says as much of the machine as of the code.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Sequence
from itertools import cycle, islice
from math import ceil
from pathlib import Path
from time import perf_counter

from attrs import field, frozen

from memlsp.harness.clients import EMPTY, LSP, Agent, Editor
from memlsp.harness.machine import resident_megabytes
from memlsp.harness.report import Report
from memlsp.harness.stores import PROBE_DEFAULT, Generated, generate
from memlsp.harness.tables import milliseconds, table
from memlsp.harness.vocabulary import Vocabulary
from memlsp.memory import Memory
from memlsp.model.place import Place


@frozen
class Target:
    """What the design asks for; None where it asks for nothing."""

    p50: float | None = None
    p95: float | None = None


TARGETS: dict[str, Target] = {
    "hover": Target(2, 5),
    "code lens": Target(2, 5),
    "code lens resolve": Target(2, 5),
    "edit to diagnostics, push": Target(None, 30),
    "edit to diagnostics, pull": Target(None, 30),
    "loop busy after an edit": Target(None, 20),
    "recall": Target(None, 15),
    "lsp start": Target(None, 450),
    "mcp start to first answer": Target(None, 700),
    "lsp memory": Target(None, 90),
}
"""The targets that the design sets, by measure; other measures are printed without one."""


@frozen
class Measure:
    """Figures of one kind: `unit` is ms or MB."""

    name: str
    figures: tuple[float, ...] = field(converter=tuple)
    unit: str = "ms"

    def at(self, share: float) -> float | None:
        """The nearest-rank percentile, `share` from 0 to 1; None without figures."""
        if not self.figures:
            return None
        ordered = sorted(self.figures)
        return ordered[max(0, ceil(share * len(ordered)) - 1)]

    @property
    def missed(self) -> bool:
        """True when the design asks for less."""
        target = TARGETS.get(self.name, Target())
        pairs = ((target.p50, self.at(0.5)), (target.p95, self.at(0.95)))
        return any(asked is not None and got is not None and got > asked for asked, got in pairs)


@frozen
class Plan:
    """How much is measured."""

    sizes: tuple[int, ...]
    calls: int  # of what is quick
    edits: int
    starts: int


FULL = Plan(sizes=(1_000, 100_000), calls=400, edits=200, starts=10)
QUICK = Plan(sizes=(1_000, 4_000), calls=60, edits=10, starts=2)


def run_latency(data: Path | None, *, quick: bool = False, plan: Plan | None = None) -> Report:
    """Measure, print the table, and return the report. `data` is a folder with a real Python file to edit."""
    plan = plan or (QUICK if quick else FULL)
    columns: list[tuple[str, list[Measure]]] = []
    with tempfile.TemporaryDirectory(prefix="memlsp-latency-") as name:
        for size in plan.sizes:
            began = perf_counter()
            generated = generate(Path(name, str(size)), size, data)
            print(
                f"{size:,} beliefs generated in {perf_counter() - began:.0f} s, editing {generated.edited}", flush=True
            )
            if not columns:
                columns.append(("empty server", _floor(generated, plan)))
            columns.append((f"{size:,} beliefs", _measured(generated, plan)))
    print()
    print(_table(columns))
    measured = [measure for _, measures in columns[1:] for measure in measures]
    aimed = [measure for measure in measured if measure.name in TARGETS]
    return Report(
        suite="latency",
        score={"targets": len(aimed), "met": sum(not measure.missed for measure in aimed)},
        baselines={"empty pygls server": _flat(columns[0][1])},
        cases=[_as_json(where, measure) for where, measures in columns for measure in measures],
        passed=True,
    )


# -- measuring ----------------------------------------------------------------------------------------------------


def _floor(generated: Generated, plan: Plan) -> list[Measure]:
    with Editor(EMPTY, generated.root, generated.data) as editor:
        editor.open(generated.edited, generated.text)
        hovers = _hovers(editor, generated, plan.calls)
        memory = resident_megabytes(editor.wire.process)
    starts = _starts(EMPTY, generated, plan)
    return [Measure("hover", hovers), Measure("lsp start", starts), _memory("lsp memory", memory)]


def _measured(generated: Generated, plan: Plan) -> list[Measure]:
    line, start, end = _probe(generated.text)
    measures: list[Measure] = []
    with Editor(LSP, generated.root, generated.data) as editor:
        editor.open(generated.edited, generated.text)
        spot = generated.spots[0]
        first = editor.hover_until_answered(spot.line, spot.column)
        measures.append(Measure("lsp start to first hover", [first]))
        measures.append(Measure("hover", _hovers(editor, generated, plan.calls)))
        measures.append(Measure("hover after an edit", _hovers_after_edits(editor, generated, plan.edits)))
        lenses, _ = editor.lenses()
        measures.append(Measure("code lens", [editor.lenses()[1] for _ in range(plan.calls)]))
        resolved = [editor.resolve(lens) for lens in islice(cycle(lenses), plan.calls)]
        measures.append(Measure("code lens resolve", resolved))
        pushed = _edits(editor, plan.edits, (line, start, end), editor.pushed)
        measures.append(Measure("edit to diagnostics, push", pushed))
        measures.append(Measure("loop busy after an edit", _busy(editor, plan.edits, (line, start, end))))
        memory = resident_megabytes(editor.wire.process)
    with Editor(LSP, generated.root, generated.data, pull=True) as editor:
        editor.open(generated.edited, generated.text)
        editor.hover_until_answered(spot.line, spot.column)
        pulled = _edits(editor, plan.edits, (line, start, end), editor.pulled)
        measures.append(Measure("edit to diagnostics, pull", pulled))
    with Editor(LSP, generated.root, generated.data, history=True) as editor:
        editor.open(generated.edited, generated.text)
        editor.hover_until_answered(spot.line, spot.column)
        measures.append(Measure("hover with git history", _hovers(editor, generated, plan.calls)))
    measures += _inside(generated, plan)
    measures += _agent(generated, plan)
    measures += [Measure("lsp start", _starts(LSP, generated, plan)), _memory("lsp memory", memory)]
    return measures


def _hovers(editor: Editor, generated: Generated, count: int) -> list[float]:
    """Every symbol in turn; the first round is the warm-up."""
    spots = generated.spots[:count]
    for spot in spots:
        editor.hover(spot.line, spot.column)
    return [editor.hover(spot.line, spot.column)[1] for spot in islice(cycle(spots), count)]


def _hovers_after_edits(editor: Editor, generated: Generated, count: int) -> list[float]:
    """Each after the first line was typed on, so that nothing about the document can be known from before; the edit
    itself has been taken in when the hover is sent."""
    times: list[float] = []
    for number, spot in enumerate(islice(cycle(generated.spots), count)):
        editor.edit(0, 0, 0 if number % 2 == 0 else 1, " " if number % 2 == 0 else "")
        editor.ping()
        times.append(editor.hover(spot.line, spot.column)[1])
    if count % 2:
        editor.edit(0, 0, 1, "")
    return times


def _edits(editor: Editor, count: int, probe: tuple[int, int, int], wait: Callable[..., float]) -> list[float]:
    """The probe's default goes from 3 to 5 and back; timed until the diagnostic has come, and has gone."""
    line, start, end = probe
    times: list[float] = []
    for number in range(count + 2):
        wrong = number % 2 == 0
        editor.wire.forget()
        sent = editor.edit(line, start, end, "5" if wrong else "3")
        took = 1000 * (wait("contradicted", line, present=wrong) - sent)
        if number >= 2:
            times.append(took)
    return times


def _busy(editor: Editor, count: int, probe: tuple[int, int, int]) -> list[float]:
    line, start, end = probe
    times: list[float] = []
    for number in range(count):
        editor.edit(line, start, end, "5" if number % 2 == 0 else "3")
        times.append(max(editor.ping() for _ in range(5)))
    return times


def _inside(generated: Generated, plan: Plan) -> Iterable[Measure]:
    vocabulary = Vocabulary(seed=11)
    questions = [vocabulary.question() for _ in range(plan.calls + 10)]
    places = [Place(generated.edited, symbol=spot.name) for spot in generated.spots[: plan.calls]]
    with Memory.open(generated.root, data_dir=generated.data) as memory:
        recalls = [_timed(lambda q=question: memory.recall(q)) for question in questions][10:]
        for place in places:
            memory.why(place, base=generated.root)
        chosen = list(islice(cycle(places), plan.calls))
        whys = [_timed(lambda p=place: memory.why(p, base=generated.root)) for place in chosen]
    return Measure("recall", recalls), Measure("why", whys)


def _agent(generated: Generated, plan: Plan) -> Iterable[Measure]:
    vocabulary = Vocabulary(seed=13)
    starts: list[float] = []
    for _ in range(plan.starts):
        with Agent(generated.root, generated.data) as agent:
            starts.append(agent.started)
    with Agent(generated.root, generated.data) as agent:
        questions = [vocabulary.question() for _ in range(plan.calls + 10)]
        recalls = [agent.call("recall", {"query": question}) for question in questions][10:]
        places = [f"{generated.edited}#{spot.name}" for spot in generated.spots[: plan.calls]]
        for place in places:
            agent.call("why", {"place": place})
        whys = [agent.call("why", {"place": place}) for place in islice(cycle(places), plan.calls)]
        memory = resident_megabytes(agent.wire.process)
    return (
        Measure("recall over MCP", recalls),
        Measure("why over MCP", whys),
        Measure("mcp start to first answer", starts),
        _memory("mcp memory", memory),
    )


def _starts(command: tuple[str, ...], generated: Generated, plan: Plan) -> list[float]:
    times: list[float] = []
    for _ in range(plan.starts + 1):
        with Editor(command, generated.root, generated.data) as editor:
            times.append(editor.started)
    return times[1:]  # the first may have compiled what it imports


def _timed(work: Callable[[], object]) -> float:
    began = perf_counter()
    work()
    return 1000 * (perf_counter() - began)


def _probe(text: str) -> tuple[int, int, int]:
    """Where the probe's default stands: line, first and last column, from 0."""
    lines = text.splitlines()
    line = next(number for number in range(len(lines) - 1, -1, -1) if PROBE_DEFAULT in lines[number])
    end = lines[line].index(PROBE_DEFAULT) + len(PROBE_DEFAULT)
    return line, end - 1, end


def _memory(name: str, megabytes: float | None) -> Measure:
    return Measure(name, [] if megabytes is None else [megabytes], "MB")


# -- printing -----------------------------------------------------------------------------------------------------


def _table(columns: Sequence[tuple[str, list[Measure]]]) -> str:
    names = dict.fromkeys(measure.name for _, measures in columns[1:] for measure in measures)
    rows: list[list[str]] = []
    for name in names:
        target, cells, missed = TARGETS.get(name, Target()), [""], False
        for _, measures in columns:
            found = next((measure for measure in measures if measure.name == name), None)
            cells.append(_figures(found))
            missed = missed or (found is not None and measures is not columns[0][1] and found.missed)
        unit = next(m.unit for _, measures in columns for m in measures if m.name == name)
        aim = _pair(target.p50, target.p95) if name in TARGETS else ""
        rows.append([f"{name}, {unit}", *cells[1:], aim, "MISSED" if missed else ""])
    return table(["p50 / p95", *(where for where, _ in columns), "target", ""], rows)


def _figures(measure: Measure | None) -> str:
    if measure is None or not measure.figures:
        return "·"
    if len(measure.figures) == 1:
        return milliseconds(measure.figures[0])
    return _pair(measure.at(0.5), measure.at(0.95))


def _pair(p50: float | None, p95: float | None) -> str:
    return f"{milliseconds(p50)} / {milliseconds(p95)}"


def _flat(measures: Sequence[Measure]) -> dict[str, float]:
    figures: dict[str, float] = {}
    for measure in measures:
        for name, share in (("p50", 0.5), ("p95", 0.95)):
            value = measure.at(share)
            if value is not None:
                figures[f"{measure.name}, {name}, {measure.unit}"] = round(value, 3)
    return figures


def _as_json(where: str, measure: Measure) -> dict[str, object]:
    target = TARGETS.get(measure.name, Target())
    return {
        "where": where,
        "measure": measure.name,
        "unit": measure.unit,
        "n": len(measure.figures),
        "p50": measure.at(0.5),
        "p95": measure.at(0.95),
        "target_p50": target.p50,
        "target_p95": target.p95,
        "missed": measure.missed,
    }
