"""Three machines that say, change, retire, forget, go offline, die and exchange in any order agree in the end: over an
exchange in memory, a real git repository and a real PostgreSQL server.

`MEMLSP_THOROUGH=1` tries many more of longer runs.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Protocol
from unittest.mock import patch

import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from memlsp_team.exchange.exchange import Exchange, open_exchange
from memlsp_team.exchange.lines import Line, Pull
from team_world import Machine, MemoryExchange, git

from memlsp.model.audit import Selector, SelectorKind
from memlsp.model.belief import BeliefStatus, Limits
from memlsp.model.errors import MemlspError
from tests.team.exchange.test_postgres_exchange import ask

_WHO = st.integers(0, 2)
_WHICH = st.integers(0, 5)
_NAMES = ("Ann", "Ben", "Cem")


class Place(Protocol):
    """Where the three machines exchange."""

    def begin(self, folder: Path, machines: Sequence[Machine]) -> None:
        """Make it anew, empty."""
        ...

    def address(self, name: str) -> str:
        """What the machine of that person is turned on with."""
        ...

    def open(self, address: str, folder: Path, workspace: str) -> Exchange:
        """In the place of `open_exchange`."""
        ...

    def everything(self) -> bytes:
        """All bytes that somebody can read there, also those of objects that nothing names any more."""
        ...


class InMemory:
    """Lines in this process."""

    def begin(self, folder: Path, machines: Sequence[Machine]) -> None:
        del folder, machines
        self._exchange = MemoryExchange()

    def address(self, name: str) -> str:
        return f"/exchange/{name}"

    def open(self, address: str, folder: Path, workspace: str) -> Exchange:
        del address, folder, workspace
        return self._exchange

    def everything(self) -> bytes:
        return self._exchange.everything()


class InGit:
    """A bare repository."""

    def begin(self, folder: Path, machines: Sequence[Machine]) -> None:
        del machines
        self._host = folder / "host.git"
        git(folder, "init", "-q", "--bare", str(self._host))

    def address(self, name: str) -> str:
        del name
        return str(self._host)

    def open(self, address: str, folder: Path, workspace: str) -> Exchange:
        return open_exchange(address, folder, workspace)

    def everything(self) -> bytes:
        git(self._host, "gc", "-q", "--prune=now")  # until then a host keeps what nothing reaches, as the page says
        return objects(self._host)


class InPostgres:
    """A database of its own, where each person is a role of one team."""

    def __init__(self, server: Path) -> None:
        self._server = server
        ask(server, "owner", 'CREATE ROLE "team of three"')
        for name in _NAMES:
            ask(server, "owner", f'CREATE ROLE "three{name}" LOGIN IN ROLE "team of three"')

    def begin(self, folder: Path, machines: Sequence[Machine]) -> None:
        del folder
        ask(self._server, "owner", "DROP DATABASE IF EXISTS three WITH (FORCE)")
        ask(self._server, "owner", "CREATE DATABASE three")
        machines[0].memory.team.init_server(self.address("owner"), role="team of three")

    def address(self, name: str) -> str:
        role = f"three{name}" if name in _NAMES else name
        return f"postgresql://{role}@/three?host={self._server}"

    def open(self, address: str, folder: Path, workspace: str) -> Exchange:
        return open_exchange(address, folder, workspace)

    def everything(self) -> bytes:
        import psycopg  # late: may be missing

        with psycopg.connect(self.address("owner")) as connection:
            return b"\n".join(text.encode() for (text,) in connection.execute("SELECT text FROM memlsp.lines"))


class Dying:
    """An exchange whose process is killed when something was published and before it is noted here."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange

    def publish(self, writer: str, lines: Sequence[Line]) -> None:
        self._exchange.publish(writer, lines)
        raise KeyboardInterrupt

    def own(self, writer: str) -> frozenset[str] | None:
        return self._exchange.own(writer)

    def pull(self, cursor: str) -> Pull:
        return self._exchange.pull(cursor)

    def check(self) -> str:
        return self._exchange.check()

    def close(self) -> None:
        self._exchange.close()


def objects(repository: Path) -> bytes:
    """The content of every object of a git repository, packed or loose, reached or not."""
    words = ["git", f"--git-dir={repository}", "cat-file", "--batch-all-objects", "--batch", "--unordered"]
    return subprocess.run(words, check=True, capture_output=True).stdout


class Exchanging(RuleBasedStateMachine):
    """Beliefs have words that nothing else holds, so that a forgotten one can be looked for byte by byte."""

    def __init__(self, place: Place) -> None:
        super().__init__()
        self.place = place
        self.folder = Path(tempfile.mkdtemp())
        self.dies = False
        self.patched = patch("memlsp_team.team.open_exchange", self._opened)
        self.patched.start()
        self.ids: list[str] = []
        self.gone: set[str] = set()
        self.ended: set[str] = set()
        self.machines: list[Machine] = []

    def _opened(self, address: str, folder: Path, workspace: str = "") -> Exchange:
        exchange = self.place.open(address, folder, workspace)
        return Dying(exchange) if self.dies else exchange

    @initialize()
    def begin(self) -> None:
        ann = Machine(self.folder, _NAMES[0])
        self.machines = [ann, *(Machine(self.folder, name, ann.root) for name in _NAMES[1:])]
        self.place.begin(self.folder, self.machines)
        for each in self.machines:
            each.memory.team.on(self.place.address(each.name))

    @rule(who=_WHO)
    def say(self, who: int) -> None:
        words = f"zanzibar{len(self.ids)}quux holds"
        self.ids.append(self.machines[who].memory.remember(words).belief.id)

    @rule(who=_WHO, which=_WHICH, value=st.sampled_from(["staging", "production"]))
    def change(self, who: int, which: int, value: str) -> None:
        if which < len(self.ids):
            with suppress(MemlspError):  # it is not here, or not any more
                limits = Limits(conditions=(("env", value),))
                self.machines[who].memory.revise(self.ids[which], "scope", limits=limits)

    @rule(who=_WHO, which=_WHICH)
    def confirm(self, who: int, which: int) -> None:
        if which < len(self.ids):
            with suppress(MemlspError):
                self.machines[who].memory.revise(self.ids[which], "confirm")

    @rule(who=_WHO, which=_WHICH)
    def retire(self, who: int, which: int) -> None:
        if which < len(self.ids):
            with suppress(MemlspError):
                self.machines[who].memory.revise(self.ids[which], "retire")
                self.ended.add(self.ids[which])

    @rule(who=_WHO, which=_WHICH)
    def forget(self, who: int, which: int) -> None:
        if which < len(self.ids):
            with suppress(MemlspError):
                self.machines[who].memory.forgetting.forget(Selector(SelectorKind.BELIEF, self.ids[which]))
                self.gone.add(self.ids[which])

    @rule(who=_WHO)
    def sync(self, who: int) -> None:
        self.machines[who].memory.team.sync()

    @rule(who=_WHO)
    def die_after_sending(self, who: int) -> None:
        self.dies = True
        with suppress(KeyboardInterrupt):
            self.machines[who].memory.team.sync()
        self.dies = False
        self.machines[who].close()
        self.machines[who].open()

    @rule(who=_WHO, minutes=st.sampled_from([-600, -3, 0, 4, 90, 60 * 24 * 400]))
    def set_clock(self, who: int, minutes: int) -> None:
        self.machines[who].ahead = timedelta(minutes=minutes)

    @invariant()
    def nothing_forgotten_comes_back_where_it_was_forgotten(self) -> None:
        for machine in self.machines:
            here = {belief.id for belief in machine.memory._store.beliefs()}  # pyright: ignore[reportPrivateUsage]
            forgotten = machine.memory.forgetting.ids()
            assert not here & forgotten

    def teardown(self) -> None:
        try:
            if self.machines:
                self._agree()
        finally:
            for machine in self.machines:
                machine.close()
            self.patched.stop()
            shutil.rmtree(self.folder)

    def _agree(self) -> None:
        for machine in self.machines:  # somebody sets the clocks right
            machine.ahead = timedelta()
        self._settle()
        for machine in self.machines:  # a person forgets what waits, and decides for his own of what is disputed
            for each in machine.memory.team.status().forgotten:
                if each.waits:
                    machine.memory.forgetting.forget(Selector(SelectorKind.BELIEF, each.belief))
            for id in machine.memory.team.status().disputed:
                kept = machine.memory.belief(id).belief
                if kept.status is BeliefStatus.ACTIVE:
                    machine.memory.revise(id, "confirm")
                else:
                    machine.memory.revise(id, "rollback")
                    machine.memory.revise(id, "retire")
            self._settle()
        first, *others = [self._state(machine) for machine in self.machines]
        assert all(each == first for each in others), [first, *others]
        assert not self.gone & first.keys()
        assert first.keys() | self.ended >= set(self.ids) - self.gone
        words = [f"zanzibar{number}quux".encode() for number, id in enumerate(self.ids) if id in self.gone]
        if words:
            left = [(self.place, self.place.everything())]
            for machine in self.machines:
                left += [(path, path.read_bytes()) for path in machine.data.rglob("*") if path.is_file()]
                left += [(head, objects(head.parent)) for head in machine.data.rglob("repository/HEAD")]
            assert not [(where, word) for where, content in left for word in words if word in content]
        for machine in self.machines:
            status = machine.memory.team.status()
            assert not status.disputed
            assert not status.faults
            assert all(each.reached == each.machines for each in status.forgotten)

    def _settle(self) -> None:
        """Exchange until nothing moves any more, which takes a bounded number of rounds."""
        rounds = 0
        while any(done.sent or done.read for done in [machine.memory.team.sync() for machine in self.machines]):
            rounds += 1
            assert rounds < 4

    @staticmethod
    def _state(machine: Machine) -> dict[str, tuple[str, str, tuple[tuple[str, str], ...]]]:
        found = machine.memory._store.beliefs(status=(BeliefStatus.ACTIVE,))  # pyright: ignore[reportPrivateUsage]
        return {each.id: (each.text, each.status.value, each.conditions) for each in found}


def agree(place: Callable[[], Place], short: tuple[int, int], long: tuple[int, int]) -> None:
    """Try so many runs of so many steps each."""
    runs, steps = long if os.environ.get("MEMLSP_THOROUGH") == "1" else short
    quick = settings(
        max_examples=runs, stateful_step_count=steps, deadline=None, phases=(Phase.explicit, Phase.generate)
    )
    there = place()

    class Here(Exchanging):
        def __init__(self) -> None:
            super().__init__(there)

    run_state_machine_as_test(Here, settings=quick)


def test_three_machines_agree_over_an_exchange_in_memory() -> None:
    agree(InMemory, (6, 25), (150, 50))


def test_three_machines_agree_over_a_git_repository() -> None:
    agree(InGit, (2, 15), (40, 40))


def test_three_machines_agree_over_postgresql(request: pytest.FixtureRequest) -> None:
    agree(lambda: InPostgres(request.getfixturevalue("server")), (4, 20), (150, 50))
