"""Three machines that say, change, retire, forget, go offline and exchange in any order agree in the end."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from unittest.mock import patch

from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from team_world import Machine, MemoryExchange
from thorough import examples

from memlsp.model.audit import Selector, SelectorKind
from memlsp.model.belief import BeliefStatus, Limits
from memlsp.model.errors import MemlspError

_WHO = st.integers(0, 2)
_WHICH = st.integers(0, 5)


class Exchanging(RuleBasedStateMachine):
    """Beliefs have words that nothing else holds, so that a forgotten one can be looked for byte by byte."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.exchange = MemoryExchange()
        self.patched = patch("memlsp_team.team.open_exchange", self.exchange.opened)
        self.patched.start()
        self.ids: list[str] = []
        self.gone: set[str] = set()
        self.ended: set[str] = set()

    @initialize()
    def begin(self) -> None:
        ann = Machine(self.folder, "Ann")
        self.machines = [ann, Machine(self.folder, "Ben", ann.root), Machine(self.folder, "Cem", ann.root)]
        for each in self.machines:
            each.memory.team.on("/exchange")

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

    @invariant()
    def nothing_forgotten_comes_back_where_it_was_forgotten(self) -> None:
        for machine in getattr(self, "machines", ()):
            here = {belief.id for belief in machine.memory._store.beliefs()}  # pyright: ignore[reportPrivateUsage]
            forgotten = machine.memory.forgetting.ids()
            assert not here & forgotten

    def teardown(self) -> None:
        try:
            self._agree()
        finally:
            for machine in getattr(self, "machines", ()):
                machine.close()
            self.patched.stop()
            shutil.rmtree(self.folder)

    def _agree(self) -> None:
        if not hasattr(self, "machines"):
            return
        self._settle()
        for (
            machine
        ) in self.machines:  # a person forgets what waits for him, and decides for his own of what is disputed
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
        for number, id in enumerate(self.ids):
            if id in self.gone:
                word = f"zanzibar{number}quux".encode()
                assert word not in self.exchange.everything()
                for machine in self.machines:
                    for path in machine.data.rglob("*"):
                        assert not path.is_file() or word not in path.read_bytes(), path
        for machine in self.machines:
            status = machine.memory.team.status()
            assert not status.disputed
            assert all(each.reached == each.machines for each in status.forgotten)

    def _settle(self) -> None:
        for _ in range(3):
            for machine in self.machines:
                machine.memory.team.sync()

    @staticmethod
    def _state(machine: Machine) -> dict[str, tuple[str, str, tuple[tuple[str, str], ...]]]:
        found = machine.memory._store.beliefs(status=(BeliefStatus.ACTIVE,))  # pyright: ignore[reportPrivateUsage]
        return {each.id: (each.text, each.status.value, each.conditions) for each in found}


TestExchanging = Exchanging.TestCase
TestExchanging.settings = settings(
    max_examples=examples(12), stateful_step_count=25, deadline=None, phases=(Phase.explicit, Phase.generate)
)
