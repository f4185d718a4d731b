"""A PostgreSQL server in a scratch folder, on a socket of its own, at which everybody may be any role."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path


class NoServer(Exception):
    """The server cannot be started here; the text says why."""


@contextmanager
def scratch_server(seconds: float = 120.0, *settings: str, tls: bool = False) -> Generator[Path]:
    """The folder of the socket of a server whose superuser is `owner`. Raises NoServer where it is not installed.

    `seconds` bounds each of its programs; `settings` are NAME=VALUE of postgresql.conf. With `tls` it has a certificate
    that it signed itself.
    """
    programs, account = _programs(), server_account()
    folder = Path(tempfile.mkdtemp(prefix="memlsp-pg-"))
    if account:
        shutil.chown(folder, account)

    def run(*words: str | Path) -> None:
        user = ["runuser", "-u", account, "--"] if account else []
        quiet = subprocess.DEVNULL  # the server inherits them, and a pipe would stay open
        subprocess.run([*user, *words], cwd="/", check=True, stdout=quiet, stderr=quiet, timeout=seconds)

    try:
        data = folder / "data"
        run(programs / "initdb", "-D", data, "-A", "trust", "-U", "owner", "--no-sync", "--locale=C", "-E", "UTF8")
        chosen = (
            "listen_addresses=",
            f"unix_socket_directories={folder}",
            "fsync=off",
            "max_connections=60",
            *settings,
        )
        if tls:
            key, certificate = folder / "server.key", folder / "server.crt"
            made = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=db.example.org", "-days", "2"]
            run("openssl", *made, "-keyout", key, "-out", certificate)
            chosen = (*chosen, "ssl=on", f"ssl_key_file={key}", f"ssl_cert_file={certificate}")
        options = " ".join(f"-c {setting}" for setting in chosen)
        run(programs / "pg_ctl", "-D", data, "-w", "-o", options, "-l", folder / "log", "start")
        try:
            yield folder
        finally:
            run(programs / "pg_ctl", "-D", data, "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _programs() -> Path:
    """Debian keeps the programs of the server out of PATH."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    on_path = shutil.which("initdb")
    if not found and not on_path:
        raise NoServer("PostgreSQL is not installed: make postgres")
    return (found[-1] if found else Path(str(on_path))).parent


def server_account() -> str:
    """The user as whom the server runs, which refuses to be root; "" for this one."""
    if os.geteuid() != 0:
        return ""
    try:
        return pwd.getpwnam("postgres").pw_name
    except KeyError:
        raise NoServer("there is no user postgres, and the server refuses to be root") from None
