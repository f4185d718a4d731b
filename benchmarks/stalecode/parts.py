"""The parts: what is asked of an adapter, and how its answers are graded. PROTOCOL.md has the questions and rules.

A part is a function of an adapter's process and the data; it yields graded cases. An adapter that cannot do what a part
needs is not asked. A fault in a case counts as no answer; after three in a row the adapter is given up.
"""

from __future__ import annotations

import random
import string
from collections.abc import Callable, Iterator, Mapping
from functools import partial

from .anchors import anchors
from .asking import Answer, Options, Trees, each_case, reason_of, tokens_of, write_files
from .errors import AdapterFault
from .grading import OPEN, SEALED, Graded
from .grid import Case, Grid, edited, load_grids
from .histories import instructions, recall
from .pairs import OPEN as OPEN_PAIRS
from .pairs import SEALED as SEALED_PAIRS
from .pairs import Pair, pairs_in
from .process import AdapterProcess
from .raw_search import words_in

_SEALED_SET = "b"
_MEMORIES = 60
_TREE = {"app.py": "def run():\n    return 1\n"}

Part = Callable[[AdapterProcess, Options], Iterator[Graded]]


# --- edits


def edits(adapter: AdapterProcess, options: Options) -> Iterator[Graded]:
    """One statement, one edit: can it still be trusted?"""
    trees = Trees(adapter.sandbox.root)
    for folder in ("edits", "edits-unseen"):
        for grid in load_grids(options.fixtures / folder):
            base = f"{folder}/{grid.language}"
            cases = options.chosen(base, grid.cases, 4, _half_of)
            yield from each_case(
                adapter, cases, partial(_after_edit, adapter, trees, grid, base), partial(_trust, base)
            )


def _half_of(case: Case) -> str:
    return SEALED if case.part == _SEALED_SET else OPEN


def _after_edit(adapter: AdapterProcess, trees: Trees, grid: Grid, base: str, case: Case) -> Answer:
    project, data = trees.fresh(base, grid.base)
    told = adapter.ask("begin", folder=str(project), data=str(data))
    if "error" in told:
        return told
    lines = list(grid.lines[case.at])
    told = adapter.ask("remember", id="m", text=case.belief, path=case.path, symbol=case.symbol, lines=lines)
    if "error" in told:
        return told
    write_files(project, grid.base, edited(grid.base, case.steps))
    adapter.ask("tree", folder=str(project))
    return adapter.ask("ask", id="m")


def _trust(base: str, case: Case, answer: Answer) -> Graded:
    trust, standing, half = answer.get("trust"), answer.get("standing"), _half_of(case)
    return Graded(
        "edits",
        half,
        base,
        case.group,
        alarm=not case.holds,
        said=None if trust is None else not trust,
        exact=None if standing is None else standing == case.expect,
        tokens=tokens_of(answer),
        id=f"{base}/{case.id}" if half == OPEN else "",
        why=reason_of(answer) if half == OPEN else "",
    )


# --- contradictions


def contradictions(adapter: AdapterProcess, options: Options) -> Iterator[Graded]:
    """Two statements: do they contradict each other, or live together?"""
    trees = Trees(adapter.sandbox.root)
    for half, names in ((OPEN, OPEN_PAIRS), (SEALED, SEALED_PAIRS)):
        for name in names:
            pairs = list(enumerate(pairs_in(options.fixtures / "contradictions" / name)))
            cases = options.chosen(name, pairs, 10, partial(_of_half, half))
            yield from each_case(adapter, cases, partial(_after_both, adapter, trees), partial(_conflict, half, name))


def _of_half(half: str, numbered: tuple[int, Pair]) -> str:  # noqa: ARG001 - a file is of one half
    return half


def _after_both(adapter: AdapterProcess, trees: Trees, numbered: tuple[int, Pair]) -> Answer:
    _, pair = numbered
    files = {**_TREE, **{said.at: "\n" for said in (pair.first, pair.second) if said.at}}
    project, data = trees.fresh(" ".join(files), files)
    told = adapter.ask("begin", folder=str(project), data=str(data))
    if "error" in told:
        return told
    for id, said in (("a", pair.first), ("b", pair.second)):
        when = dict(said.when)
        told = adapter.ask("remember", id=id, text=said.text, path=said.at, symbol="", lines=[1, 1], when=when)
        if "error" in told:
            return told
    return adapter.ask("conflicts", id="b")


def _conflict(half: str, name: str, numbered: tuple[int, Pair], answer: Answer) -> Graded:
    number, pair = numbered
    met = answer.get("with")
    return Graded(
        "contradictions",
        half,
        f"{name}/{pair.origin}",
        "conflict" if pair.conflict else "together",
        alarm=pair.conflict,
        said=None if met is None else "a" in met,
        id=f"{name}/{number}" if half == OPEN else "",
        why=reason_of(answer) if half == OPEN else "",
    )


# --- forgetting


def forgetting(adapter: AdapterProcess, options: Options) -> Iterator[Graded]:
    """Every second of some statements is forgotten by its id: are its words left in any file of the sandbox, and do
    the others still answer? What does not answer counts as said to be gone."""
    if options.share[0]:
        return  # it is one store
    chance = random.Random(20261121)  # noqa: S311 - nothing secret, and the same in every run
    words = ["zq" + "".join(chance.choices(string.ascii_lowercase, k=9)) for _ in range(_MEMORIES)]
    words = words[: 20 if options.quick else None]
    project, data = Trees(adapter.sandbox.root).fresh("app", _TREE)
    told = adapter.ask("begin", folder=str(project), data=str(data))
    if "error" in told:
        raise AdapterFault(f"{adapter.name}: cannot begin: {told['error']}")
    for number, word in enumerate(words):
        text = f"The {word} service answers late on day {number}, so that its callers wait {number % 7 + 2} seconds"
        told = adapter.ask("remember", id=word, text=text, path="app.py", symbol="run", lines=[1, 2])
        if "error" in told:
            raise AdapterFault(f"{adapter.name}: cannot remember: {told['error']}")
    gone = words[::2]
    for word in gone:
        told = adapter.ask("forget", id=word)
        if "error" in told:
            raise AdapterFault(f"{adapter.name}: cannot forget: {told['error']}")
    stay = {word: adapter.ask("ask", id=word) for word in words[1::2]}
    left = words_in(adapter.sandbox.root, gone)
    for word in words:
        said = word not in left if word in gone else stay[word].get("trust") is None
        yield Graded(
            "forgetting", OPEN, word, "forgotten" if word in gone else "kept", alarm=word in gone, said=said, id=word
        )


PARTS: Mapping[str, tuple[Part, frozenset[str]]] = {
    "edits": (edits, frozenset({"remember", "ask"})),
    "contradictions": (contradictions, frozenset({"remember", "conflicts"})),
    "forgetting": (forgetting, frozenset({"remember", "forget", "ask"})),
    "instructions": (instructions, frozenset({"check"})),
    "anchors": (anchors, frozenset({"remember", "ask"})),
    "recall": (recall, frozenset({"learn", "recall"})),
}
"""Each part with what an adapter has to do for it."""
