"""What a keystroke costs in the parser and in us, for a file of 34 kB and one of 300 kB, with whole readings beside it.

In this process, without an editor: an outline made anew, and one that follows from the state before the edit; the diff
of both states; finding the anchors of fifty symbols again; and how late an event loop is woken while another thread
reads.
"""

from __future__ import annotations

import asyncio
import random
import sys
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter, sleep

from attrs import frozen

from benchmarks.reporting.measures import Measure
from benchmarks.speed.vocabulary import Vocabulary, sized_file
from memlsp.beliefs.lifecycle.anchors import anchor_at
from memlsp.beliefs.standing.location import locate
from memlsp.capture.workspace.worktree import Worktree
from memlsp.code.diff.change_set import diff
from memlsp.code.incremental.edited_file import FileVersion, parse_file, reparse_file
from memlsp.code.incremental.replacement import edited_tree, lines_after, replacement
from memlsp.code.languages.detection import describe
from memlsp.code.syntax.outline import outline
from memlsp.code.syntax.parser import parse_syntax

_PATH = "edited.py"
_ANCHORS = 50
_TICK = 0.002  # seconds
_SWITCH = 0.001  # seconds: that of the language server
_PATIENCE = 30.0  # seconds for an answer from the process that reads large files


@frozen
class Column:
    """The measures of one file."""

    where: str
    measures: tuple[Measure, ...]


def reread(data: Path | None, *, edits: int, large: bool) -> list[Column]:
    """Measure a real file of about 34 kB, from `data` where there is one, and with `large` a made one of 300 kB."""
    texts = [sized_file(data)[1]]
    if large:
        vocabulary = Vocabulary(seed=17)
        parts = [vocabulary.module(10)]
        while sum(map(len, parts)) < 300_000:
            parts.append(vocabulary.module(10).partition("\n")[2])
        texts.append("".join(parts))
    return [Column(f"{len(text) / 1000:.0f} kB", _measured(text.encode(), edits)) for text in texts]


def _measured(source: bytes, edits: int) -> tuple[Measure, ...]:
    states = _typed(source, edits)
    language = describe(_PATH, source)
    assert language is not None
    first = parse_file(_PATH, source)
    some = states[: max(2, edits // 6)]
    whole = [_timed(lambda s=state, of=language: parse_syntax(of, s)) for state in some]
    anew = [_timed(lambda s=state: outline(_PATH, s)) for state in some]
    parsed: list[float] = []
    follow: list[float] = []
    compared: list[float] = []
    short = 0
    before = first
    for state in states:
        parsed.append(_parsed_again(before, state))
        took, after = _taken(lambda b=before, s=state: reparse_file(b, s))
        follow.append(took)
        short += after.partly
        compared.append(_timed(lambda b=before, a=after: diff([b.outline], [a.outline])))
        before = after
    late, late_whole = _lateness(states, by_outline=False), _lateness(some, by_outline=True)
    return (
        Measure("parse, whole", whole),
        Measure("parse after an edit", parsed),
        Measure("outline, whole", anew),
        Measure("outline after an edit", follow),
        Measure("edits that read one definition", [100 * short / len(states)], "%"),
        Measure("diff of two states", compared),
        Measure(f"finding {_ANCHORS} anchors again", _found_again(source, states)),
        Measure("loop late, whole outlines in a thread", late_whole),
        Measure("loop late while typing", late),
    )


def _typed(source: bytes, edits: int) -> list[bytes]:
    """The states of a text in which one character after the other is typed inside functions, each word then removed."""
    chance = random.Random(23)  # noqa: S311 - nothing secret is drawn
    lines = source.splitlines(keepends=True)
    places = [n for n, line in enumerate(lines) if line.startswith(b"    ") and b"=" in line and line.rstrip()]
    states: list[bytes] = []
    while len(states) < edits:
        number = chance.choice(places)
        for length in (1, 2, 3, 2, 1, 0):
            line = lines[number].rstrip(b"\r\n")
            states.append(b"".join([*lines[:number], line, b" + a"[: length + 1], b"\n", *lines[number + 1 :]]))
    return states[:edits]


def _parsed_again(before: FileVersion, source: bytes) -> float:
    state = before.state
    if state is None:
        return 0.0
    edit = replacement(before.source, source)
    lines = lines_after(state.line_starts, edit, source)
    return _timed(
        lambda: parse_syntax(state.language, source, edited_tree(state.syntax, edit, state.line_starts, lines))
    )


def _found_again(source: bytes, states: Sequence[bytes]) -> list[float]:
    times: list[float] = []
    with tempfile.TemporaryDirectory(prefix="memlsp-anchors-") as name:
        worktree = Worktree(Path(name), git=False)
        (Path(name) / _PATH).write_bytes(source)
        now = datetime.now(UTC)
        symbols = [each.name for each in outline(_PATH, source).symbols[1:] if each.ordinal == 0][:_ANCHORS]
        anchors = [anchor_at(worktree, _PATH, line=None, symbol=symbol, now=now) for symbol in symbols]
        for number, state in enumerate(states[:40]):
            worktree.set_buffer(_PATH, state.decode(), number)
            worktree.outline(_PATH)
            times.append(_timed(lambda: [locate(anchor, worktree) for anchor in anchors]))
    return times


def _lateness(states: Sequence[bytes], *, by_outline: bool) -> list[float]:
    """How many milliseconds a loop is woken too late, at the worst for each state, while a thread outlines it."""
    with tempfile.TemporaryDirectory(prefix="memlsp-typing-") as name:
        worktree = Worktree(Path(name), git=False, patient=False)

        def look(number: int, state: bytes) -> None:
            if by_outline:
                outline(_PATH, state)
                return
            worktree.set_buffer(_PATH, state.decode(), number)
            worktree.outline(_PATH)

        interval = sys.getswitchinterval()
        sys.setswitchinterval(_SWITCH)
        try:
            look(0, states[0])
            for _ in range(int(_PATIENCE / 0.01)):  # until the other process, where there is one, has started
                if by_outline or worktree.outline(_PATH) is not None:
                    break
                sleep(0.01)
            return asyncio.run(_ticked(look, states))
        finally:
            sys.setswitchinterval(interval)
            worktree.close()


async def _ticked(look: Callable[[int, bytes], None], states: Sequence[bytes]) -> list[float]:
    late = 0.0

    async def tick() -> None:
        nonlocal late
        while True:
            began = perf_counter()
            await asyncio.sleep(_TICK)
            late = max(late, 1000 * (perf_counter() - began - _TICK))

    worst: list[float] = []
    with ThreadPoolExecutor(1) as pool:
        ticking = asyncio.ensure_future(tick())
        for number, state in enumerate(states, 1):
            late = 0.0
            await asyncio.get_running_loop().run_in_executor(pool, look, number, state)
            await asyncio.sleep(0.02)
            worst.append(late)
        ticking.cancel()
    return worst


def _timed(work: Callable[[], object]) -> float:
    began = perf_counter()
    work()
    return 1000 * (perf_counter() - began)


def _taken(work: Callable[[], FileVersion]) -> tuple[float, FileVersion]:
    began = perf_counter()
    made = work()
    return 1000 * (perf_counter() - began), made
