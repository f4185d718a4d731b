"""The suite `latency`: how long people and agents wait, at two sizes of the memory, with an empty server as the floor.

Everything but `recall` and `why` inside the process is measured from outside, over stdio, against real subprocesses
after a warm-up. Times are milliseconds, memory is megabytes (10^6 bytes). Misses are marked and do not fail the run,
for a time says as much of the machine as of the code; a server that does not answer does.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Sequence
from itertools import cycle, islice
from pathlib import Path
from time import perf_counter

from attrs import frozen

from benchmarks.reporting.machine import resident_megabytes
from benchmarks.reporting.measures import TARGETS, Measure, Target
from benchmarks.reporting.report import Report
from benchmarks.reporting.tables import milliseconds, table
from benchmarks.speed.clients import EMPTY, EMPTY_MCP, LSP, MCP, Agent, Editor
from benchmarks.speed.hooks import HOOK, Timed, hook_table, measures, time_hooks
from benchmarks.speed.reparse import Column, reread
from benchmarks.speed.stores import PROBE_DEFAULT, Generated, generate
from benchmarks.speed.vocabulary import Vocabulary
from benchmarks.speed.wire import WireError
from memlsp.memory import Memory
from memlsp.model.place import Place


@frozen
class Plan:
    """How much is measured."""

    sizes: tuple[int, ...]
    calls: int  # of what is quick
    edits: int
    starts: int  # after the first, which counts only where it is the only one
    hooks: int = 12  # payloads, of which some 160 are recorded


FULL = Plan(sizes=(1_000, 100_000), calls=400, edits=200, starts=10, hooks=480)
QUICK = Plan(sizes=(1_000, 4_000), calls=60, edits=10, starts=2, hooks=160)


_WARM_UP = 10


def run_latency(
    data: Path | None, *, quick: bool = False, plan: Plan | None = None, only_hooks: bool = False
) -> Report:
    """Measure, print the table, and return the report. `data` is a folder with a real Python file to edit."""
    plan = plan or (QUICK if quick else FULL)
    sheets: list[Sheet] = []
    columns: Sequence[Column] = ()
    if not only_hooks:
        columns = reread(data, edits=plan.edits if quick or plan.edits < 20 else 240, large=plan.edits >= QUICK.edits)
    with tempfile.TemporaryDirectory(prefix="memlsp-latency-") as name:
        for size in plan.sizes:
            began = perf_counter()
            generated = generate(Path(name, str(size)), size, data)
            took = perf_counter() - began
            print(f"{size:,} beliefs generated in {took:.0f} s, editing {generated.edited}", flush=True)
            if not sheets:
                floor = Sheet("empty server")
                if not only_hooks:
                    floor.section(_floor, generated, plan)
                sheets.append(floor)
            sheet = Sheet(f"{size:,} beliefs")
            for section in (_hooks,) if only_hooks else _SECTIONS:
                sheet.section(section, generated, plan)
            sheets.append(sheet)
            if sheet.hooked and len(sheets) == 2:
                sheets[0].add(HOOK, [each.took for each in sheet.hooked if not each.hook])
    print()
    print(_table(sheets))
    for sheet in sheets:
        if sheet.hooked:
            print(f"\nWhat an agent waits for, {sheet.where}:")
            print(hook_table(sheet.hooked))
    if columns:
        print("\nA keystroke in a Python file, before anybody is asked:")
        print(_table([Sheet.of(column.where, column.measures) for column in columns], floor=False))
    failures = [failure for sheet in sheets for failure in sheet.failures]
    if failures:
        print("\nNot measured:", *failures, sep="\n- ")
    sheets += [Sheet.of(column.where, column.measures) for column in columns]
    aimed = [measure for sheet in sheets[1:] for measure in sheet.measures if measure.name in TARGETS]
    return Report(
        suite="latency",
        score={"targets": len(aimed), "met": sum(not measure.missed for measure in aimed)},
        baselines={"empty pygls server": _flat(sheets[0].measures)},
        cases=[_as_json(sheet.where, measure) for sheet in sheets for measure in sheet.measures],
        passed=not failures,
    )


# -- measuring ----------------------------------------------------------------------------------------------------


class Sheet:
    """The measures of one column, as they come. Each is printed at once, for a full run takes many minutes."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.measures: list[Measure] = []
        self.failures: list[str] = []
        self.hooked: list[Timed] = []

    @classmethod
    def of(cls, where: str, measures: Sequence[Measure]) -> Sheet:
        """A column that was measured elsewhere."""
        made = cls(where)
        made.measures = list(measures)
        return made

    def add(self, name: str, figures: Iterable[float], unit: str = "ms") -> None:
        """Note the figures of one kind."""
        measure = Measure(name, figures, unit)
        self.measures.append(measure)
        print(f"  {name}: {_figures(measure)} {unit}", flush=True)

    def memory(self, name: str, process: int) -> None:
        """Note the resident memory of a process, where the system tells it."""
        megabytes = resident_megabytes(process)
        self.add(name, [] if megabytes is None else [megabytes], "MB")

    def section(self, work: Callable[[Sheet, Generated, Plan], None], generated: Generated, plan: Plan) -> None:
        """Do a part of the measuring; a server that does not answer loses its part and not the run."""
        try:
            work(self, generated, plan)
        except WireError as error:
            self.failures.append(f"{self.where}: {error}")
            print(f"  FAILED: {error}", flush=True)


def _floor(sheet: Sheet, generated: Generated, plan: Plan) -> None:
    with Editor(EMPTY, generated.root, generated.data) as editor:
        editor.open(generated.edited, generated.text)
        sheet.add("hover", _hovers(editor, generated, plan.calls))
        sheet.memory("lsp memory", editor.wire.process)
    sheet.add("lsp start", _starts(EMPTY, generated, plan))
    sheet.add("mcp start to first answer", _first_answers(EMPTY_MCP, generated, plan))
    with Agent(generated.root, generated.data, EMPTY_MCP) as agent:
        sheet.memory("mcp memory", agent.wire.process)


def _pushed(sheet: Sheet, generated: Generated, plan: Plan) -> None:
    probe = _probe(generated.text)
    with Editor(LSP, generated.root, generated.data) as editor:
        editor.open(generated.edited, generated.text)
        spot = generated.spots[0]
        sheet.add("lsp start to first hover", [editor.hover_until_answered(spot.line, spot.column)])
        sheet.add("hover", _hovers(editor, generated, plan.calls))
        sheet.add("hover after an edit", _hovers_after_edits(editor, generated, plan.edits))
        sheet.add("code lens", [editor.lenses()[1] for _ in range(plan.calls)])
        sheet.add("edit to diagnostics, push", _edits(editor, plan.edits, probe, editor.pushed))
        sheet.add("loop busy after an edit", _busy(editor, plan.edits, probe))
        sheet.memory("lsp memory", editor.wire.process)


def _pulled(sheet: Sheet, generated: Generated, plan: Plan) -> None:
    with Editor(LSP, generated.root, generated.data, pull=True) as editor:
        editor.open(generated.edited, generated.text)
        editor.hover_until_answered(generated.spots[0].line, generated.spots[0].column)
        figures = _edits(editor, plan.edits, _probe(generated.text), editor.pulled)
        sheet.add("edit to diagnostics, pull", figures)


def _with_history(sheet: Sheet, generated: Generated, plan: Plan) -> None:
    with Editor(LSP, generated.root, generated.data, history=True) as editor:
        editor.open(generated.edited, generated.text)
        editor.hover_until_answered(generated.spots[0].line, generated.spots[0].column)
        sheet.add("hover with git history", _hovers(editor, generated, plan.calls))


def _lsp_starts(sheet: Sheet, generated: Generated, plan: Plan) -> None:
    sheet.add("lsp start", _starts(LSP, generated, plan))


def _inside(sheet: Sheet, generated: Generated, plan: Plan) -> None:
    vocabulary = Vocabulary(seed=11)
    questions = [vocabulary.question() for _ in range(plan.calls + _WARM_UP)]
    places = [Place(generated.edited, symbol=spot.name) for spot in generated.spots[: plan.calls]]
    with Memory.open(generated.root, data_dir=generated.data) as memory:
        recalls = [_timed(lambda q=question: memory.recall(q)) for question in questions]
        sheet.add("recall", recalls[_WARM_UP:])
        for place in places:
            memory.why(place, base=generated.root)
        chosen = islice(cycle(places), plan.calls)
        sheet.add("why", [_timed(lambda p=place: memory.why(p, base=generated.root)) for place in chosen])


def _agent(sheet: Sheet, generated: Generated, plan: Plan) -> None:
    vocabulary = Vocabulary(seed=13)
    sheet.add("mcp start to first answer", _first_answers(MCP, generated, plan))
    with Agent(generated.root, generated.data) as agent:
        questions = [vocabulary.question() for _ in range(plan.calls + _WARM_UP)]
        recalls = [agent.call("recall", {"query": question}) for question in questions]
        sheet.add("recall over MCP", recalls[_WARM_UP:])
        places = [f"{generated.edited}#{spot.name}" for spot in generated.spots[: plan.calls]]
        for place in places:
            agent.call("why", {"place": place})
        whys = [agent.call("why", {"place": place}) for place in islice(cycle(places), plan.calls)]
        sheet.add("why over MCP", whys)
        sheet.memory("mcp memory", agent.wire.process)


def _first_answers(command: tuple[str, ...], generated: Generated, plan: Plan) -> list[float]:
    times: list[float] = []
    for _ in range(plan.starts + 1):
        with Agent(generated.root, generated.data, command) as agent:
            times.append(agent.started)
    return times[1:] or times  # the first may have compiled what it imports


def _hooks(sheet: Sheet, generated: Generated, plan: Plan) -> None:
    with Memory.open(generated.root, data_dir=generated.data) as memory:
        key = memory.workspace.key
    sheet.hooked = time_hooks(generated, key, generated.data.parent / f"payloads-{generated.beliefs}", plan.hooks)
    for each in measures(sheet.hooked) if sheet.hooked else ():
        sheet.add(each.name, each.figures, each.unit)


_SECTIONS = (_hooks, _pushed, _pulled, _with_history, _inside, _agent, _lsp_starts)


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


def _starts(command: tuple[str, ...], generated: Generated, plan: Plan) -> list[float]:
    times: list[float] = []
    for _ in range(plan.starts + 1):
        with Editor(command, generated.root, generated.data) as editor:
            times.append(editor.started)
    return times[1:] or times  # the first may have compiled what it imports


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


# -- printing -----------------------------------------------------------------------------------------------------


def _table(sheets: Sequence[Sheet], *, floor: bool = True) -> str:
    """Every measure of the sheets. With a `floor`, the first sheet is another server's, and not judged."""
    judged = sheets[1:] if floor else sheets
    names = dict.fromkeys(measure.name for sheet in judged for measure in sheet.measures)
    rows: list[list[str]] = []
    for name in names:
        found = [next((measure for measure in sheet.measures if measure.name == name), None) for sheet in sheets]
        unit = next(measure.unit for measure in found if measure is not None)
        target = TARGETS.get(name)
        missed = any(measure is not None and measure.missed for measure in found[len(sheets) - len(judged) :])
        rows.append(
            [
                f"{name}, {unit}",
                *(_figures(measure) for measure in found),
                "" if target is None else _pair(target.p50, target.p95),
                "MISSED" if missed else "",
            ]
        )
    return table(["p50 / p95", *(sheet.where for sheet in sheets), "target", ""], rows)


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
