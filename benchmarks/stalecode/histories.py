"""The parts that need histories of real repositories, in the folder that `--data` names. Without it they ask nothing.

`instructions` needs clones, bare or not, OWNER+NAME or OWNER+NAME/repo; repositories that are not there are left out.
`recall` reads files that `python -m benchmarks.codememory.mining CLONE FILE` writes in a checkout: OWNER+NAME.jsonl
with OWNER+NAME.gold.jsonl beside it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from .asking import Answer, Options, each_answer, reason_of
from .clones import checked_out, clones_in
from .errors import AdapterFault, BadData
from .grading import OPEN, SEALED, Graded
from .process import AdapterProcess
from .repositories import part_of

_ASKED_FOR = 10
_FEW_TASKS = 10


_FEW_STATES = 4

State = dict[str, Any]
"""A row of the labels: repository, commit, file, stale lines and quiet ranges."""


def instructions(adapter: AdapterProcess, options: Options) -> Iterator[Graded]:
    """Which lines of a document are false where it stands? Asked of each labelled state of a file, in a clone that is
    checked out at its commit."""
    if options.data is None:
        return
    clones = clones_in(options.data)
    number, count = options.share
    for half in (OPEN, SEALED):
        text = (options.fixtures / "instructions" / f"{half}.jsonl").read_text(encoding="utf-8")
        states = [state for state in map(json.loads, text.splitlines()) if state["repository"] in clones]
        by_repository: dict[str, list[State]] = {}
        for state in states:
            by_repository.setdefault(state["repository"], []).append(state)
        whole = replace(options, share=(0, 1))
        chosen = [
            state
            for name, of_one in by_repository.items()
            for state in whole.chosen(name, of_one, _FEW_STATES, partial(_half, half))
        ]
        ask = partial(_lines_at, adapter, clones)
        for state, answer in each_answer(adapter, chosen[number::count], ask):
            yield from _labelled(half, state, answer)


def _half(half: str, state: State) -> str:  # noqa: ARG001 - a file of labels is of one half
    return half


def _lines_at(adapter: AdapterProcess, clones: dict[str, Path], state: State) -> Answer:
    name = state["repository"]
    tree = checked_out(adapter.sandbox.root / name.replace("/", "+"), clones[name], state["commit"])
    return adapter.ask("check", folder=str(tree), file=state["file"])


def _labelled(half: str, state: State, answer: Answer) -> Iterator[Graded]:
    lines = answer.get("lines")
    named = None if lines is None else set(lines)
    stale = {each["line"]: each["class"] for each in state["stale"]}
    quiet = [line for first, last in state["quiet"] for line in range(first, last + 1)]
    for line in (*stale, *quiet):
        yield Graded(
            "instructions",
            half,
            state["repository"],
            stale.get(line, "quiet"),
            alarm=line in stale,
            said=None if named is None else line in named,
            id=f"{state['repository']}@{state['commit'][:12]}:{state['file']}:{line}" if half == OPEN else "",
            why=reason_of(answer) if half == OPEN and named is None else "",
        )


def recall(adapter: AdapterProcess, options: Options) -> Iterator[Graded]:
    """Which earlier work does a task need? Each history is played from its beginning, with a question wherever a task
    begins. A fault ends the history, whose other tasks count as unanswered."""
    paths = sorted(options.data.glob("*.jsonl")) if options.data else []
    histories = [path for path in paths if not path.name.endswith(".gold.jsonl")]
    number, count = options.share
    for path in histories[number::count]:
        gold = _gold(path)
        ids: dict[str, tuple[list[str], int]] = {}
        try:
            for task, found, tokens in _played(adapter, path, _FEW_TASKS if options.quick else len(gold)):
                ids[task] = (found, tokens)
        except AdapterFault as fault:
            reason = str(fault)
            adapter.again()
        else:
            reason = ""
        repository = path.stem.replace("+", "/", 1)
        half = SEALED if part_of(repository) == "judge" else OPEN
        for task in list(gold)[: _FEW_TASKS if options.quick else None]:
            found, tokens = ids.get(task, ([], 0))
            yield Graded(
                "recall",
                half,
                repository,
                "recall",
                value=len(gold[task] & set(found)) / len(gold[task]),
                tokens=tokens,
                id=task if half == OPEN else "",
                why=reason if half == OPEN and task not in ids else "",
            )


def _played(adapter: AdapterProcess, path: Path, most: int) -> Iterator[tuple[str, list[str], int]]:
    folder = adapter.sandbox.root / f"data-{path.stem}"
    folder.mkdir(exist_ok=True)
    adapter.ask("begin", folder=str(adapter.sandbox.home), data=str(folder))
    waiting: list[dict[str, Any]] = []
    sizes: dict[str, int] = {}
    asked = 0
    for line in path.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        if "note" in record:
            waiting.append({"id": record.pop("note"), **record})
            sizes[waiting[-1]["id"]] = len(record["text"].encode()) // 4
            continue
        if asked == most:
            return
        if waiting:
            adapter.ask("learn", notes=waiting)
            waiting = []
        answer = adapter.ask("recall", text=record["text"], k=_ASKED_FOR)
        asked += 1
        found = list(dict.fromkeys(map(str, answer.get("ids", ()))))[:_ASKED_FOR]
        served = answer.get("tokens") or [sizes.get(id, 0) for id in found]
        yield record["task"], found, sum(served[:_ASKED_FOR])


def _gold(path: Path) -> dict[str, frozenset[str]]:
    beside = path.with_name(f"{path.stem}.gold.jsonl")
    if not beside.is_file():
        raise BadData(f"no gold beside {path}")
    entries = [json.loads(line) for line in beside.read_text(encoding="utf-8").splitlines()]
    return {entry["task"]: frozenset(entry["gold"]) for entry in entries if entry["gold"]}
