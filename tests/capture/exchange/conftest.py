"""A PostgreSQL server of the tests' own, on a socket in a scratch folder. Where there is none its tests are skipped."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.patience import patience


def _programs() -> Path | None:
    """Debian keeps the programs of the server out of PATH."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: path.parts[-3].zfill(3))
    on_path = shutil.which("initdb")
    return found[-1].parent if found else Path(on_path).parent if on_path else None


def _run(*words: str | Path) -> None:
    """Run a program of the server, which refuses to be root."""
    user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    subprocess.run(
        [*user, *words], cwd="/", check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=patience(60)
    )


@pytest.fixture(scope="session")
def server() -> Iterator[Path]:
    """The folder of the socket of a server, at which everybody may be any role."""
    pytest.importorskip("psycopg", reason="psycopg is not installed: pip install 'memlsp[team]'")
    programs = _programs()
    if programs is None:
        pytest.skip("PostgreSQL is not installed: make postgres")
    folder = Path(tempfile.mkdtemp(prefix="memlsp-pg-"))
    try:
        if os.geteuid() == 0:
            try:
                owner = pwd.getpwnam("postgres")
            except KeyError:
                pytest.skip("there is no user postgres, and the server refuses to be root")
            os.chown(folder, owner.pw_uid, owner.pw_gid)
        data = folder / "data"
        _run(programs / "initdb", "-D", data, "-A", "trust", "-U", "owner", "--no-sync", "--locale=C", "-E", "UTF8")
        options = f"-c listen_addresses= -c unix_socket_directories={folder} -c fsync=off -c max_connections=60"
        _run(programs / "pg_ctl", "-D", data, "-w", "-o", options, "-l", folder / "log", "start")
        try:
            yield folder
        finally:
            _run(programs / "pg_ctl", "-D", data, "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
