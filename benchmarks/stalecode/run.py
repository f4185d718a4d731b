"""A run: every adapter on every part it can do, the answers written, the tables printed."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from .answers import Answers, latest, write_answers
from .asking import Options
from .errors import AdapterFault
from .grading import Graded
from .parts import PARTS
from .process import AdapterProcess, Sandbox, python
from .tables import cost_table, group_table, halves_of, losses, part_table, parts_of

OURS = "memlsp"
SIMPLE: Mapping[str, tuple[str, ...]] = {
    **{
        name: python("simple", name.replace(" ", "-"))
        for name in ("raw hash", "mtime", "path exists", "grep", "word overlap", "similarity")
    },
    "FTS5": python("fts5"),
}
"""The adapters that need nothing but this Python, by the names that the tables have."""

Say = Callable[[str], None]


def run(
    adapters: Mapping[str, Sequence[str]],
    parts: Sequence[str],
    options: Options,
    say: Say = print,
    folder: Path | None = None,
    jobs: int = 1,
) -> list[Answers]:
    """The answers of each adapter to each part that it can do; with `folder` each is written there when it is whole.
    `jobs` processes of an adapter are asked at a time. Says what fails and goes on."""
    found: list[Answers] = []
    for name, command in adapters.items():
        chosen = list(parts)
        while chosen:
            try:
                can, answers = _ask(name, command, chosen[0], options, jobs)
            except AdapterFault as fault:
                say(f"not asked: {fault}")
                break
            chosen = [part for part in chosen[1:] if PARTS[part][1] <= can]
            if answers is None:
                continue
            if answers.gave_up:
                say(f"{answers.part}: {answers.gave_up}; {len(answers.cases)} cases count")
            if not answers.cases and not answers.gave_up:
                continue  # a part without its data
            found.append(answers)
            if folder is not None:
                write_answers(folder, answers)
    return found


def _ask(
    name: str, command: Sequence[str], part: str, options: Options, jobs: int
) -> tuple[frozenset[str], Answers | None]:
    """What the adapter can do, and its answers; None when it cannot do the part. Raises AdapterFault when it does not
    start."""
    before = _processor_seconds()
    shares = [replace(options, share=(number, jobs)) for number in range(jobs)]
    with ThreadPoolExecutor(jobs) as pool:
        asked = list(pool.map(partial(_ask_one, name, command, part), shares))
    seconds = round(_processor_seconds() - before, 2)
    first = asked[0]
    if first.cases is None:
        return first.can, None
    cases = tuple(case for each in asked for case in each.cases or ())
    gave_up = next((each.gave_up for each in asked if each.gave_up), "")
    date = datetime.now(UTC).date().isoformat()
    return first.can, Answers(name, first.version, part, date, seconds, first.size, gave_up, cases)


@dataclass(frozen=True)
class _Asked:
    """What came of one process: `cases` is None when it cannot do the part."""

    can: frozenset[str]
    version: str
    cases: tuple[Graded, ...] | None = None
    size: int = 0
    gave_up: str = ""


def _ask_one(name: str, command: Sequence[str], part: str, options: Options) -> _Asked:
    function, needed = PARTS[part]
    with AdapterProcess(name, command) as adapter:
        told = _Asked(adapter.can, adapter.version)
        if not needed <= adapter.can:
            return told
        cases: list[Graded] = []
        gave_up = ""
        try:
            cases.extend(function(adapter, options))  # what came before a fault is kept
        except AdapterFault as fault:
            gave_up = str(fault)
        return replace(told, cases=tuple(cases), size=_bytes_in(adapter.sandbox), gave_up=gave_up)


def _processor_seconds() -> float:
    """Of all processes that were started here and have ended, 0 where the system does not say."""
    if sys.platform == "win32":
        return 0.0
    times = os.times()
    return times.children_user + times.children_system


def _bytes_in(sandbox: Sandbox) -> int:
    """What the adapter keeps: its home, and its data of the last case."""
    folders = [sandbox.home, *sandbox.root.glob("data-*")]
    return sum(path.stat().st_size for folder in folders for path in folder.rglob("*") if path.is_file())


def report(answers: Sequence[Answers]) -> str:
    """All tables in Markdown."""
    answers = latest(answers)
    pieces: list[str] = []
    for part in parts_of(answers):
        of_part = [each for each in answers if each.part == part]
        for half in halves_of(of_part):
            pieces += [f"### {part}, {half} half", part_table(answers, part, half)]
        if len({case.group for each in of_part for case in each.cases}) > 2:
            pieces.append(group_table(answers, part))
    pieces += ["### Cost", cost_table(answers)]
    if lost := losses(answers, OURS):
        pieces += [f"### Where {OURS} is not the best", "\n".join(f"- {line}" for line in lost)]
    return "\n\n".join(pieces)
