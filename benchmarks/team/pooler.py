"""pgbouncer in transaction mode, in front of a scratch server."""

from __future__ import annotations

import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

from benchmarks.team.scratch_postgres import NoServer, server_account

_PATIENCE = 20.0  # seconds for it to listen


@contextmanager
def transaction_pooler(server: Path, roles: Sequence[str], connections: int = 40) -> Generator[Path]:
    """The folder of the socket of a pooler that lends each of `connections` for one transaction at a time. Raises
    NoServer where pgbouncer is not installed."""
    program = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")
    if program is None:
        raise NoServer("pgbouncer is not installed: apt-get install pgbouncer")
    account = server_account()
    folder = Path(tempfile.mkdtemp(prefix="memlsp-pool-"))
    try:
        (folder / "users").write_text("".join(f'"{role}" ""\n' for role in roles), encoding="utf-8")
        settings = {
            "listen_addr": "",
            "unix_socket_dir": folder,
            "pool_mode": "transaction",
            "auth_type": "trust",
            "auth_file": folder / "users",
            "max_client_conn": 500,
            "max_db_connections": connections,
            "default_pool_size": 2,
            "server_idle_timeout": 2,
            "logfile": folder / "log",
        }
        lines = [f"* = host={server}", "[pgbouncer]", *(f"{name} = {value}" for name, value in settings.items())]
        (folder / "pgbouncer.ini").write_text("[databases]\n" + "\n".join(lines) + "\n", encoding="utf-8")
        if account:
            for path in (folder, *folder.iterdir()):
                shutil.chown(path, account)
        words = [*(["runuser", "-u", account, "--"] if account else []), program, "-q", str(folder / "pgbouncer.ini")]
        with subprocess.Popen(words, cwd="/", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            try:
                _wait_for(folder / ".s.PGSQL.6432", process)
                yield folder
            finally:
                process.terminate()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def pooled(folder: Path, role: str) -> str:
    """The address at which a role finds the pooler."""
    return f"postgresql://{role}@/postgres?host={folder}&port=6432"


def _wait_for(path: Path, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end and process.poll() is None:
        with socket.socket(socket.AF_UNIX) as one:
            if one.connect_ex(str(path)) == 0:
                return
        time.sleep(0.05)
    raise NoServer("pgbouncer does not start here")
