"""The exchange in PostgreSQL behind pgbouncer in transaction mode, where it is installed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from memlsp_team.exchange.exchange import open_exchange
from memlsp_team.exchange.postgres_exchange import init_server

from benchmarks.team.pooler import pooled, transaction_pooler
from benchmarks.team.scratch_postgres import NoServer
from tests.team.exchange.exchange_contract import ANN, BEN, line, pulled
from tests.team.exchange.test_postgres_exchange import address, ask

WORKSPACE = "github.com/acme/pooled"


@pytest.fixture
def pooler(server: Path) -> Iterator[Path]:
    ask(server, "owner", "CREATE ROLE pooled")
    for role in ("pooledann", "pooledben"):
        ask(server, "owner", f"CREATE ROLE {role} LOGIN IN ROLE pooled")
    init_server(address(server, "owner"), WORKSPACE, "pooled")
    try:
        with transaction_pooler(server, ["pooledann", "pooledben"], connections=2) as folder:
            yield folder
    except NoServer as missing:
        pytest.skip(str(missing))


def test_more_machines_than_connections_exchange_in_turns(pooler: Path, tmp_path: Path) -> None:
    who = {ANN: "pooledann", BEN: "pooledben"}
    opened = [(writer, open_exchange(pooled(pooler, role), tmp_path, WORKSPACE)) for writer, role in who.items()] * 3
    cursor = ""
    for number in range(12):
        for writer, exchange in opened:
            exchange.publish(writer, [line(2 * each + (writer == BEN)) for each in range(number + 1)])
            cursor = exchange.pull(cursor).cursor
    for _, exchange in opened:
        assert pulled(exchange)[0] == {ANN: set(range(0, 24, 2)), BEN: set(range(1, 24, 2))}
        exchange.close()
