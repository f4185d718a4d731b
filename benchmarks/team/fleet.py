"""Simulated machines that write, poll, disconnect, are killed, come back after a week and have wrong clocks."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import frozen

from benchmarks.team.fleet_worker import FleetPlan, clone_of, role_of

_CLIENT = "RETRIES = 3\n\n\ndef fetch(url):\n    for _ in range(RETRIES):\n        get(url)\n"


@frozen
class FleetResult:
    """What became of the machines. `lost` are beliefs that somebody was told is kept and nobody gave up, and that a
    machine does not have; `returned` forgotten ones that one has, or whose words are left in a file or at the server;
    `apart` the repositories whose machines differ; `unreached` forgettings that not every machine acknowledged."""

    machines: int
    said: int
    forgotten: int
    starts: int
    exchanges: Sequence[float]  # milliseconds of each
    lost: Sequence[str]
    returned: Sequence[str]
    apart: Sequence[int]
    unreached: Sequence[str]
    restless: Sequence[int]

    @property
    def holds(self) -> bool:
        """Whether nothing is lost, nothing returned, and all agree."""
        return not (self.lost or self.returned or self.apart or self.unreached or self.restless)


def repository_url(number: int) -> str:
    """The remote of a repository of the fleet."""
    return f"https://example.org/fleet/repository-{number}.git"


def prepare(folder: Path, repositories: int) -> None:
    """Make a clone of each repository."""
    for number in range(repositories):
        root = clone_of(folder, number)
        (root / "src").mkdir(parents=True)
        (root / "src" / "client.py").write_text(_CLIENT, encoding="utf-8")
        who = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "commit.gpgsign=false"]
        for words in (
            ("init", "-q", "-b", "main"),
            ("add", "-A"),
            ("commit", "-q", "-m", "client"),
            ("remote", "add", "origin", repository_url(number)),
        ):
            subprocess.run(["git", *who, *words], cwd=root, check=True)


def run_fleet(plan: FleetPlan, kills: int, texts: Callable[[], bytes]) -> FleetResult:
    """Run the workers, killing each `kills` times. `texts` reads all that is at the server when they are through."""
    path = plan.folder / "plan.json"
    path.write_text(json.dumps({**{name: getattr(plan, name) for name in _FIELDS}, "folder": str(plan.folder)}))
    running = {number: _started(path, number) for number in range(len(plan.repositories))}
    chance = random.Random(11)  # noqa: S311 - when to kill
    left = dict.fromkeys(running, kills)
    while running:
        time.sleep(chance.uniform(0.5, 4.0))
        for number, process in list(running.items()):
            ended = process.poll()
            if ended is None and left[number] and chance.random() < 0.5:
                left[number] -= 1
                process.kill()
                process.wait()
                running[number] = _started(path, number)
            elif ended == 0:
                del running[number]
            elif ended is not None:
                if ended != -signal.SIGKILL:
                    said = (plan.folder / f"worker-{number}.log").read_text(encoding="utf-8")[-3000:]
                    raise RuntimeError(f"worker {number} ended with {ended}: {said}")
                running[number] = _started(path, number)
    return judged(plan, texts())


_FIELDS = ("address", "repositories", "machines", "days", "dying")


def _started(path: Path, number: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "benchmarks.team.fleet_worker", str(path), str(number)]
    with (path.parent / f"worker-{number}.log").open("ab") as log:
        return subprocess.Popen(command, stdout=log, stderr=log, env={**os.environ, "MEMLSP_LOG": "off"})


def judged(plan: FleetPlan, server: bytes) -> FleetResult:
    """What became of the machines, by the files of their workers and what is at the server."""
    said: dict[str, tuple[int, str]] = {}
    ended, forgotten = set[str](), set[str]()
    starts, times = 0, list[float]()
    states: dict[int, Mapping[str, Any]] = {}
    for number in range(len(plan.repositories)):
        folder = plan.folder / f"worker-{number}"
        for line in _lines(folder / "ledger"):
            act, repository, id, word = line.split(" ")
            if act == "said":
                said[id] = int(repository), word
            else:
                (ended if act == "ended" else forgotten).add(id)
        starts += len(list(_lines(folder / "starts")))
        times += map(float, _lines(folder / "times"))
        states |= {int(key): state for key, state in json.loads((folder / "states").read_text()).items()}
    lost, returned, apart, unreached = list[str](), list[str](), list[int](), list[str]()
    for repository, state in states.items():
        machines: Sequence[Mapping[str, Any]] = state["machines"]
        if any(each["beliefs"] != machines[0]["beliefs"] or each["disputed"] for each in machines):
            apart.append(repository)
        mine = {id: word for id, (where, word) in said.items() if where == repository}
        for id, word in mine.items():
            if id not in ended and not all(id in each["beliefs"] for each in machines):
                lost.append(id)
            if id in forgotten and (
                any(id in each["beliefs"] for each in machines)
                or word.encode() in server
                or _is_on_disk(plan, repository, word)
            ):
                returned.append(id)
        for each in machines:
            unreached += [id for id, (reached, of) in each["forgotten"].items() if reached != of]
    restless = [repository for repository, state in states.items() if not state["quiet"]]
    count = sum(map(len, plan.repositories)) * plan.machines
    return FleetResult(
        count, len(said), len(forgotten), starts, times, lost, returned, apart, sorted(set(unreached)), restless
    )


def _is_on_disk(plan: FleetPlan, repository: int, word: str) -> bool:
    for machine in range(plan.machines):
        for path in (plan.folder / "data" / f"{repository}-{machine}").rglob("*"):
            if path.is_file() and word.encode() in path.read_bytes():
                return True
    return False


def _lines(path: Path) -> Iterator[str]:
    if path.exists():
        yield from (line for line in path.read_text(encoding="utf-8").splitlines() if line)


def roles(repositories: int, machines: int) -> list[str]:
    """The roles of all machines."""
    return [role_of(repository, machine) for repository in range(repositories) for machine in range(machines)]
