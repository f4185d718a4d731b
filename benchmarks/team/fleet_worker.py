"""Some machines of the fleet, one process: `python -m benchmarks.team.fleet_worker PLAN NUMBER`.

It is killed at any moment and started again, and goes on where the files of its folder say. What a person was told is
kept is in `ledger`; what a turn did is only known when it is in `done`.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import perf_counter
from typing import Any
from unittest.mock import patch

from attrs import field, frozen
from memlsp_team.exchange.exchange import Exchange, open_exchange
from memlsp_team.exchange.lines import Line

from memlsp import Memory
from memlsp.model.audit import Selector, SelectorKind
from memlsp.model.belief import BeliefStatus, Limits
from memlsp.model.errors import MemlspError
from memlsp.model.place import Place

_SETTLING = 12  # rounds within which all has to be quiet


@frozen
class FleetPlan:
    """What the parent decided: `repositories` of each worker, `machines` of each repository, how many days pass."""

    folder: Path = field(converter=Path)
    address: str  # with {role}
    repositories: Sequence[Sequence[int]]
    machines: int
    days: int
    dying: float  # share of exchanges that end the process after what was published and before it is noted

    @classmethod
    def read(cls, path: Path) -> FleetPlan:
        """The plan that the parent wrote."""
        return cls(**json.loads(path.read_text(encoding="utf-8")))


def role_of(repository: int, machine: int) -> str:
    """The role of the database as which a machine comes."""
    return f"m{repository}_{machine}"


def clone_of(folder: Path, repository: int) -> Path:
    """The clone that the machines of a repository work in, each with a data folder of its own."""
    return folder / f"repository-{repository}"


class _Worker:
    def __init__(self, plan: FleetPlan, number: int) -> None:
        self._plan = plan
        self._repositories = plan.repositories[number]
        self._folder = plan.folder / f"worker-{number}"
        self._folder.mkdir(exist_ok=True)
        started = self._lines("starts")
        self._note("starts", "start")
        self._chance = random.Random(f"{number} {len(started)}")  # noqa: S311 - what people do
        self._killed = False

    def work(self) -> None:
        """All days, then until nothing moves any more; the states of the machines in the end."""
        done = set(self._lines("done"))
        for day in range(self._plan.days):
            turns = [(each, machine) for each in self._repositories for machine in range(self._plan.machines)]
            random.Random(day).shuffle(turns)  # noqa: S311
            for repository, machine in turns:
                key = f"{day} {repository} {machine}"
                if key not in done and not _is_away(machine, day, self._plan.days):
                    self._turn(repository, machine, day)
                    self._note("done", key)
        states = {repository: self._settle(repository) for repository in self._repositories}
        (self._folder / "states").write_text(json.dumps(states), encoding="utf-8")

    # --- one machine, one day

    def _turn(self, repository: int, machine: int, day: int) -> None:
        chance = self._chance
        skew = timedelta(seconds=chance.uniform(-240, 240))
        if machine % 7 == 1 and day < self._plan.days // 2:
            skew = timedelta(hours=30)  # refused until it is set right
        if machine % 10 == 3:
            skew = -timedelta(days=2)
        with self._memory(repository, machine, timedelta(days=day) + skew) as memory:
            if chance.random() < 0.5 or day == 0:
                word = f"zanzibar{chance.getrandbits(48):x}quux"
                place = [Place.parse("src/client.py#fetch")] if chance.random() < 0.5 else []
                id = memory.remember(f"{word} holds in fetch", at=place).belief.id
                self._note("ledger", f"said {repository} {id} {word}")
            known = [each.belief for each in memory.beliefs()]
            for _ in range(2):
                if known and chance.random() < 0.35:
                    self._decide(memory, repository, chance.choice(known).id)
            self._sync(memory, dying=self._plan.dying)

    def _decide(self, memory: Memory, repository: int, id: str) -> None:
        act = self._chance.choices(["scope", "confirm", "retire", "forget"], [5, 2, 1, 1])[0]
        with suppress(MemlspError):
            if act == "scope":
                limits = Limits(conditions=(("env", self._chance.choice(["staging", "production"])),))
                memory.revise(id, "scope", limits=limits)
            elif act == "forget":
                self._note("ledger", f"ended {repository} {id} -")
                memory.forgetting.forget(Selector(SelectorKind.BELIEF, id))
                self._note("ledger", f"forgot {repository} {id} -")
            else:
                if act == "retire":
                    self._note("ledger", f"ended {repository} {id} -")
                memory.revise(id, act)

    def _sync(self, memory: Memory, dying: float = 0.0) -> bool:
        """Exchange once; whether something moved."""
        self._killed = self._chance.random() < dying
        begun = perf_counter()
        done = memory.team.sync()
        self._note("times", f"{(perf_counter() - begun) * 1000:.1f}")
        return bool(done.sent or done.read)

    # --- the end

    def _settle(self, repository: int) -> Mapping[str, Any]:
        rounds, moved = 0, True
        while moved and rounds < _SETTLING:
            rounds, moved = rounds + 1, False
            for machine in range(self._plan.machines):
                with self._memory(repository, machine, timedelta(days=self._plan.days)) as memory:
                    moved |= self._sync(memory)
                    moved |= self._settled_by_a_person(memory)
        states = [self._state(repository, machine) for machine in range(self._plan.machines)]
        return {"quiet": not moved, "machines": states}

    @staticmethod
    def _settled_by_a_person(memory: Memory) -> bool:
        status = memory.team.status()
        for each in status.forgotten:
            if each.waits:
                memory.forgetting.forget(Selector(SelectorKind.BELIEF, each.belief))
        disputed = memory.team.status().disputed  # without what was forgotten just now
        for id in disputed:
            if memory.belief(id).belief.status is BeliefStatus.ACTIVE:
                memory.revise(id, "confirm")
            else:
                memory.revise(id, "rollback")
                memory.revise(id, "retire")
        decided = bool(disputed) or any(each.waits for each in status.forgotten)
        if decided:
            memory.team.sync()
        return decided

    def _state(self, repository: int, machine: int) -> Mapping[str, Any]:
        with self._memory(repository, machine, timedelta(days=self._plan.days)) as memory:
            status = memory.team.status()
            beliefs = {each.belief.id: [each.belief.text, list(each.belief.conditions)] for each in memory.beliefs()}
            return {
                "beliefs": beliefs,
                "forgotten": {each.belief: [each.reached, each.machines] for each in status.forgotten},
                "faults": list(status.faults),
                "disputed": list(status.disputed),
                "lines": sum(each.lines for each in status.colleagues),
            }

    # --- files and the exchange

    @contextmanager
    def _memory(self, repository: int, machine: int, ahead: timedelta) -> Generator[Memory]:
        data = self._plan.folder / "data" / f"{repository}-{machine}"

        def clock() -> datetime:
            return datetime.now(UTC) + ahead

        def opened(address: str, folder: Path, workspace: str = "") -> Exchange:
            return _Deadly(open_exchange(address, folder, workspace), lambda: self._killed)

        root = clone_of(self._plan.folder, repository)
        with Memory.open(root, data_dir=data, clock=clock) as memory, patch("memlsp_team.team.open_exchange", opened):
            if not memory.team.status().address:
                memory.team.on(self._plan.address.format(role=role_of(repository, machine)))
            yield memory

    def _note(self, name: str, line: str) -> None:
        with (self._folder / name).open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")

    def _lines(self, name: str) -> list[str]:
        path = self._folder / name
        return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


class _Deadly:
    """An exchange whose process is killed between what was published and the note of it."""

    def __init__(self, exchange: Exchange, dies: Callable[[], bool]) -> None:
        self._exchange, self._dies = exchange, dies
        self.own, self.pull, self.check, self.close = exchange.own, exchange.pull, exchange.check, exchange.close

    def publish(self, writer: str, lines: Sequence[Line]) -> None:
        """As the exchange does."""
        self._exchange.publish(writer, lines)
        if self._dies():
            os.kill(os.getpid(), signal.SIGKILL)


def _is_away(machine: int, day: int, days: int) -> bool:
    """A fifth of the machines are gone for all days between the first and the last: a week."""
    return machine % 5 == 0 and 0 < day < days - 1


if __name__ == "__main__":
    _Worker(FleetPlan.read(Path(sys.argv[1])), int(sys.argv[2])).work()
