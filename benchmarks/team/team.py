"""The suite `team`: the exchange over git and PostgreSQL, its costs at scale, and a fleet of simulated machines."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

import psycopg
from attrs import frozen
from memlsp_team.exchange.postgres_exchange import init_server

from benchmarks.reporting.report import Report
from benchmarks.reporting.tables import table
from benchmarks.team.exchange_costs import git_costs, load, postgres_costs, spread
from benchmarks.team.fleet import FleetPlan, FleetResult, clone_of, prepare, roles, run_fleet
from benchmarks.team.pooler import pooled, transaction_pooler
from benchmarks.team.scratch_postgres import NoServer, scratch_server
from memlsp import Memory
from memlsp.model.errors import NoSuchFile

_WORKERS = 4
_SETTINGS = ("shared_buffers=512MB", "max_wal_size=8GB", "synchronous_commit=off", "autovacuum=off")


@frozen
class _Size:
    """How much of everything: `writers` in both, `lines` of each writer in git, `rows` in PostgreSQL."""

    git_writers: int
    git_lines: int
    workspaces: int
    writers: int
    rows: int
    rounds: int
    repositories: int
    machines: int
    days: int
    kills: int


_FULL = _Size(1000, 20, 5000, 10_000, 2_000_000, 200, 20, 10, 9, 6)
_QUICK = _Size(50, 20, 100, 200, 10_000, 20, 4, 5, 4, 2)


def run_team(*, quick: bool) -> Report:
    """Measure, run the fleet, print both. Raises NoSuchFile where PostgreSQL is not installed."""
    size = _QUICK if quick else _FULL
    git, git_alone = git_costs(size.git_writers, size.git_lines, max(size.rounds // 10, 2))
    try:
        with scratch_server(120.0, *_SETTINGS, "max_connections=120") as server:
            owner = f"postgresql://owner@/postgres?host={server}"
            init_server(owner)
            loaded = load(owner, size.workspaces, size.rows, size.writers)
            ours, naive = postgres_costs(server, size.workspaces, size.rows, size.rounds)
            fleet, through = _fleet(server, owner, size)
    except NoServer as missing:
        raise NoSuchFile(f"the suite team needs PostgreSQL: {missing}", "make postgres") from missing
    ours["load s"], naive["load s"] = loaded
    _print(size, (git, git_alone), (ours, naive), fleet, through)
    times = spread(fleet.exchanges)
    score = {
        **{f"git {name}": value for name, value in git.items()},
        **{f"postgresql {name}": value for name, value in ours.items()},
        "fleet exchange p50": times[0],
        "fleet exchange p95": times[1],
        "fleet lost": float(len(fleet.lost)),
        "fleet returned": float(len(fleet.returned)),
    }
    baselines = {"git fetch": git_alone, "naive JSON table": naive}
    return Report("team", score, baselines, _cases(fleet), fleet.holds)


def _fleet(server: Path, owner: str, size: _Size) -> tuple[FleetResult, str]:
    """Run the machines through a pooler where there is one; what became of them, and what they went through."""
    names = roles(size.repositories, size.machines)
    with tempfile.TemporaryDirectory(prefix="memlsp-fleet-") as scratch:
        folder = Path(scratch)
        prepare(folder, size.repositories)
        with psycopg.connect(owner, autocommit=True) as connection:
            connection.execute("CREATE ROLE fleet")
            for name in names:
                connection.execute(f"CREATE ROLE {name} LOGIN IN ROLE fleet".encode())
        for number in range(size.repositories):
            with Memory.open(clone_of(folder, number), data_dir=folder / "owner") as memory:
                memory.team.init_server(owner, role="fleet")
        with _door(server, names) as (address, through):
            parts = [list(range(number, size.repositories, _WORKERS)) for number in range(_WORKERS)]
            plan = FleetPlan(folder, address, parts, size.machines, size.days, 0.03)

            def texts() -> bytes:
                with psycopg.connect(owner) as connection:
                    found = connection.execute("SELECT text FROM memlsp.lines WHERE text LIKE '%zanzibar%'").fetchall()
                return "\n".join(text for (text,) in found).encode()

            return run_fleet(plan, size.kills, texts), through


@contextmanager
def _door(server: Path, names: Sequence[str]) -> Generator[tuple[str, str]]:
    """The address of the fleet, with {role}, and what stands between it and the server."""
    try:
        with transaction_pooler(server, names) as folder:
            yield pooled(folder, "{role}"), "pgbouncer in transaction mode"
    except NoServer as missing:
        yield f"postgresql://{{role}}@/postgres?host={server}", f"no pooler ({missing})"


def _cases(fleet: FleetResult) -> list[dict[str, object]]:
    return [
        {"what": "machines", "count": fleet.machines, "said": fleet.said, "forgotten": fleet.forgotten},
        {"what": "lost", "ids": list(fleet.lost)},
        {"what": "returned", "ids": list(fleet.returned)},
        {"what": "apart", "repositories": list(fleet.apart)},
        {"what": "unreached", "ids": list(fleet.unreached)},
        {"what": "restless", "repositories": list(fleet.restless)},
    ]


def _print(
    size: _Size,
    git: tuple[dict[str, float], dict[str, float]],
    postgres: tuple[dict[str, float], dict[str, float]],
    fleet: FleetResult,
    through: str,
) -> None:
    load_now = os.getloadavg()[0]
    print(f"\ngit on this machine's disk: {size.git_writers:,} writers of {size.git_lines} lines")
    names = ("exchange", "git fetch alone")
    rows = [(name, *(f"{value:.0f}" for value in costs.values())) for name, costs in zip(names, git, strict=True)]
    print(table(("", "first ms", "nothing new p50 ms", "p95"), rows))
    each = size.rows // size.workspaces
    print(
        f"\nPostgreSQL on a socket: {size.rows:,} lines of {size.workspaces:,} workspaces and {size.writers:,} writers,"
        f" of {postgres[0]['bytes of text']:.0f} bytes each"
    )
    names = ("exchange", "naive JSON table")
    columns = ("empty p50", "empty p95", "all p50", "all p95", "bytes a line", "load s")
    rows = [
        (name, *(f"{costs[column]:.1f}" for column in columns)) for name, costs in zip(names, postgres, strict=True)
    ]
    print(table(("", "empty p50 ms", "p95", f"{each} lines p50 ms", "p95", "bytes a line", "load s"), rows))
    print("The naive table loses rows of transactions that are open, and has no roles.")
    p50, p95 = spread(fleet.exchanges)
    print(
        f"\n{fleet.machines} machines of {size.repositories} repositories over {size.days} days, by {through}:"
        f" {len(fleet.exchanges):,} exchanges, p50 {p50:.0f} ms, p95 {p95:.0f} ms;"
        f" {fleet.starts - _WORKERS} kills; load of this machine {load_now:.1f}"
    )
    rows = [
        ("said", str(fleet.said)),
        ("lost", str(len(fleet.lost))),
        ("forgotten", str(fleet.forgotten)),
        ("come back, or words left", str(len(fleet.returned))),
        ("not acknowledged by all", str(len(fleet.unreached))),
        ("repositories whose machines differ", str(len(fleet.apart))),
        ("repositories that did not come to rest", str(len(fleet.restless))),
    ]
    print(table(("beliefs", ""), rows))
