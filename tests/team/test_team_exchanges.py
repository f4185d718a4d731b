"""The exchange of two machines over the real transports: a git repository, and a PostgreSQL server."""

from __future__ import annotations

from pathlib import Path

import pytest

from memlsp.model.audit import Selector, SelectorKind
from memlsp.model.belief import Limits
from tests.team.exchange.test_postgres_exchange import address, ask
from tests.team.team_world import Machine, git


@pytest.fixture
def machines(ann: Machine, ben: Machine) -> tuple[Machine, Machine]:
    return ann, ben


@pytest.fixture(params=["git", "postgresql"])
def addresses(request: pytest.FixtureRequest, tmp_path: Path, machines: tuple[Machine, Machine]) -> tuple[str, str]:
    """Where each of the two exchanges: as Ann, and as Ben."""
    if request.param == "git":
        git(tmp_path, "init", "-q", "--bare", str(tmp_path / "exchange.git"))
        return str(tmp_path / "exchange.git"), str(tmp_path / "exchange.git")
    server: Path = request.getfixturevalue("server")
    ask(server, "owner", 'CREATE ROLE "shop team"')
    for role in ("shopann", "shopben"):
        ask(server, "owner", f'CREATE ROLE {role} LOGIN IN ROLE "shop team"')
    machines[0].memory.team.init_server(address(server, "owner"), role="shop team")
    return address(server, "shopann"), address(server, "shopben")


def test_what_is_said_disputed_and_forgotten_goes_the_same_way_over_both(
    machines: tuple[Machine, Machine], addresses: tuple[str, str]
) -> None:
    ann, ben = machines
    id = ann.memory.remember("The zanzibar queue holds 20 jobs").belief.id
    for machine, where in zip(machines, addresses, strict=True):
        machine.memory.team.on(where)
    assert ben.believed().keys() == {"The zanzibar queue holds 20 jobs"}
    assert all(check.ok for machine in machines for check in machine.memory.doctor() if check.name == "team")
    for machine, value in ((ann, "staging"), (ben, "production")):
        machine.memory.revise(id, "scope", limits=Limits(conditions=(("env", value),)))
    for machine in (ann, ben, ann):
        machine.memory.team.sync()
    assert ann.memory.team.status().disputed == ben.memory.team.status().disputed == (id,)
    ben.memory.revise(id, "confirm")
    for machine in (ben, ann):
        machine.memory.team.sync()
    assert dict(ann.memory.belief(id).belief.conditions) == {"env": "production"}
    ann.memory.forgetting.forget(Selector(SelectorKind.BELIEF, id))
    for machine in (ann, ben, ann):
        machine.memory.team.sync()
    (gone,) = ann.memory.team.status().forgotten
    assert (gone.reached, gone.machines) == (2, 2)
    for machine in machines:
        assert machine.believed() == {}
        for path in machine.data.rglob("*"):
            assert not path.is_file() or b"zanzibar" not in path.read_bytes()
