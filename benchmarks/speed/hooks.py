"""Times whole hook processes for payloads of every dialect, beside a bare Python.

The payloads are those of `fixtures/hooks`, with the repository's folder in them and their longest text filled up with
real source to 4, 10, 20 and 40 kB, the sizes of real sessions. The floor is a Python that imports `json`, opens the
same store and makes one query. Both run in turn, so a busy machine slows both alike.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import cycle, islice
from pathlib import Path
from typing import Any, cast

import apsw
from attrs import frozen

import memlsp
from benchmarks.reporting.measures import Measure
from benchmarks.reporting.tables import milliseconds, table
from benchmarks.speed.stores import Generated
from benchmarks.speed.wire import WireError
from memlsp.store.core.locations import store_path

ENTRY = Path(memlsp.__file__).parent / "faces" / "hooks" / "entry.py"
TIMER = Path(__file__).with_name("hook_timer.py")

FLOOR = "bare Python, SQLite, one query"
HOOK = "hook, whole process"
MEMORY = "hook memory"

_BARE = """
import sys, json
sys.path.append({packages!r})
import apsw
json.loads(sys.stdin.read())
connection = apsw.Connection({store!r}, flags=apsw.SQLITE_OPEN_READONLY)
connection.execute("SELECT count(*) FROM session").get
"""

_SIZES = (4_000, 10_000, 20_000, 40_000)
_WARM_UP = 8
_FOLDERS = ("/home/ada/fetcher", "/home/ada/shop", "/home/ada")
_IDENTIFIERS = (
    "tool_use_id",
    "toolUseId",
    "tool_call_id",
    "callID",
    "call_id",
    "prompt_id",
    "turn_id",
    "generation_id",
)


@frozen
class Sample:
    """One payload: whose, what it tells (`start`, `prompt`, `before`, `after`, `end` and so on), and its bytes."""

    agent: str
    moment: str
    data: bytes


@frozen
class Timed:
    """One run."""

    sample: Sample
    hook: bool  # False for the floor
    took: float  # milliseconds
    worked: float  # milliseconds of a processor, which another program's work lengthens less
    megabytes: float
    status: int


def fixtures() -> Path | None:
    """The recorded payloads of a checkout; None in an installed package."""
    folder = Path(__file__).resolve().parents[2] / "fixtures" / "hooks"
    return folder if folder.is_dir() else None


def samples(folder: Path, root: Path, filling: str) -> Iterator[Sample]:
    """The recorded payloads, for a repository at `root`, each in the size that is next in turn."""
    from memlsp.faces.hooks.hook_event import HookEvent  # late: the suite runs without it until then

    sizes = cycle(_SIZES)
    for path in sorted(folder.glob("*/*.json")):
        text = path.read_text(encoding="utf-8")
        for each in _FOLDERS:
            text = text.replace(each, root.as_posix())
        payload = cast("dict[str, Any]", json.loads(text))
        agent = path.parent.name
        moment = HookEvent(agent, payload).phase or "other"
        if moment in {"prompt", "before", "after", "failed", "stop"}:
            _fill(payload, filling, next(sizes))
        yield Sample(agent, moment, json.dumps(payload).encode())


def time_hooks(generated: Generated, key: str, folder: Path, number: int) -> list[Timed]:
    """Run this many samples, of each kind as many as of any other, the floor in turn with each. [] in an installed
    package, which has no payloads. Raises WireError when a run does not come back."""
    recorded = fixtures()
    if recorded is None:
        return []
    found = list(samples(recorded, generated.root, generated.text))
    chosen = [found[place * len(found) // number % len(found)] for place in range(number)]
    if number > len(found):
        chosen = list(islice(cycle(found), number))
    store = store_path(key, generated.data)
    bare = _BARE.format(packages=str(Path(apsw.__file__).resolve().parents[1]), store=str(store))
    commands = {agent: [sys.executable, "-I", "-S", str(ENTRY), agent] for agent in {each.agent for each in found}}
    commands[FLOOR] = [sys.executable, "-I", "-S", "-c", bare]
    folder.mkdir(parents=True, exist_ok=True)
    runs: list[tuple[str, str]] = []
    order: list[tuple[Sample, bool]] = []
    warm = list(islice(cycle(found), _WARM_UP))
    for place, sample in enumerate([*warm, *chosen]):
        path = folder / f"{place}.json"
        path.write_bytes(_anew(sample.data, place))
        runs += [(FLOOR, str(path)), (sample.agent, str(path))]
        order += [(sample, False), (sample, True)]
    asked = {"commands": commands, "environment": _environment(generated), "folder": str(generated.root), "runs": runs}
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-S", str(TIMER)],
            input=json.dumps(asked).encode(),
            capture_output=True,
            timeout=30 + 2 * len(runs),
            check=True,
        )
        figures = cast("list[tuple[float, float, int, int]]", json.loads(done.stdout))
    except (subprocess.SubprocessError, ValueError) as error:
        raise WireError(f"the hooks could not be timed: {error}") from error
    timed = [
        Timed(sample, hook, took, worked, kilobytes * 1024 / 1e6, status)
        for (sample, hook), (took, worked, kilobytes, status) in zip(order, figures, strict=True)
    ]
    return timed[2 * _WARM_UP :]


def measures(timed: Sequence[Timed]) -> tuple[Measure, ...]:
    """What the suite judges: times of all hooks, and the memory of the largest."""
    hooks = [each for each in timed if each.hook]
    memory = [max(each.megabytes for each in hooks)] if hooks and hooks[0].megabytes else []
    return Measure(HOOK, [each.took for each in hooks]), Measure(MEMORY, memory, "MB")


def hook_table(timed: Sequence[Timed]) -> str:
    """The table: all, then by agent, by what is told, by size; the floor first."""
    groups: dict[str, list[Timed]] = {
        FLOOR: [each for each in timed if not each.hook],
        HOOK: [each for each in timed if each.hook],
    }
    rows: list[list[str]] = [_row(name, group) for name, group in groups.items()]
    groupings: tuple[Callable[[Sample], str], ...] = (
        lambda sample: sample.agent,
        lambda sample: f"told: {sample.moment}",
        lambda sample: _size(len(sample.data)),
    )
    for name_of in groupings:
        rows.append([])
        parted: dict[str, list[Timed]] = {}
        for each in groups[HOOK]:
            parted.setdefault(name_of(each.sample), []).append(each)
        rows += [_row(name, group) for name, group in sorted(parted.items())]
    return table(["a hook's whole process, ms", "n", "p50", "p95", "p99", "CPU p50", "MB"], rows)


def _row(name: str, group: Sequence[Timed]) -> list[str]:
    figures = Measure(name, [each.took for each in group])
    shown = [milliseconds(figures.at(share)) for share in (0.5, 0.95, 0.99)]
    worked = Measure(name, [each.worked for each in group]).at(0.5)
    memory = max((each.megabytes for each in group), default=0.0)
    return [name, str(len(group)), *shown, milliseconds(worked), f"{memory:.0f}" if memory else "·"]


def _size(size: int) -> str:
    for most in (2_000, 6_000, 15_000, 30_000):
        if size < most:
            return f"under {most // 1_000:2d} kB"
    return "up to 45 kB"


def _fill(payload: dict[str, Any], filling: str, size: int) -> None:
    """Bring the payload to a size by the longest text that stands under a key for outputs, contents or prompts."""
    found: list[tuple[int, Any, Any]] = []

    def look(value: Any, holder: Any, place: Any) -> None:
        if isinstance(value, str):
            if place not in _IDENTIFIERS and "/" not in value[:1] and place not in {"command", "hook_event_name"}:
                found.append((len(value), holder, place))
        elif isinstance(value, dict):
            for name, inner in cast("dict[str, Any]", value).items():
                look(inner, value, name)
        elif isinstance(value, list):
            for number, inner in enumerate(cast("list[Any]", value)):
                look(inner, value, number)

    for name, value in payload.items():
        if name in _FILLED:
            look(value, payload, name)
    if not found:
        return
    _, holder, place = max(found, key=lambda each: each[0])
    room = size - len(json.dumps(payload))
    text = holder[place]
    if room > 0 and not text.lstrip().startswith(("{", "[")):
        holder[place] = text + "\n" + (filling * (room // len(filling) + 1))[:room]


_FILLED = frozenset(
    {
        *("tool_response", "tool_output", "tool_result", "toolResult", "tool_input", "toolArgs", "output", "result"),
        *("prompt", "error", "last_assistant_message", "prompt_response", "text", "response", "edits", "tool_info"),
    }
)


def _anew(data: bytes, number: int) -> bytes:
    """The same payload of another call, which is not a repetition of the first."""
    payload = cast("dict[str, Any]", json.loads(data))
    for name in _IDENTIFIERS:
        if isinstance(payload.get(name), str):
            payload[name] = f"{payload[name]}-{number}"
    if isinstance(payload.get("prompt"), str):
        payload["prompt"] = f"{number} {payload['prompt']}"
    return json.dumps(payload).encode()


def _environment(generated: Generated) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "SYSTEMROOT") if name in os.environ}
    return {**kept, "MEMLSP_DATA_DIR": str(generated.data), "MEMLSP_SETTLER": "off"}
