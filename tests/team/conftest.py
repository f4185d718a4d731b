"""Two machines of a team, and a PostgreSQL server of the tests' own; where there is none its tests are skipped."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.team.scratch_postgres import NoServer, scratch_server
from tests.patience import patience
from tests.team.team_world import Machine


@pytest.fixture(scope="session")
def server() -> Iterator[Path]:
    """The folder of the socket of a server, at which everybody may be any role."""
    pytest.importorskip("psycopg", reason="psycopg is not installed: pip install 'memlsp-team[postgres]'")
    try:
        with scratch_server(patience(60)) as folder:
            yield folder
    except NoServer as missing:
        pytest.skip(str(missing))


@pytest.fixture
def ann(tmp_path: Path) -> Iterator[Machine]:
    made = Machine(tmp_path, "Ann")
    yield made
    made.close()


@pytest.fixture
def ben(tmp_path: Path, ann: Machine) -> Iterator[Machine]:
    made = Machine(tmp_path, "Ben", ann.root)
    yield made
    made.close()
