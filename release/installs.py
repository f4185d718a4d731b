"""The wheel as people install it, with uv, pipx and each Python, and the first job done with what was installed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import threading
from collections.abc import Generator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from release.checks import CannotRun, CheckFailed, run, tool
from release.packages import digest

PYTHONS = ("3.11", "3.12", "3.13", "3.14")
_PAY = "def charge(order, tries=3):\n    for _ in range(tries):\n        yield order\n"
_HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "release", "version": "1"}},
}


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- as the base class names it
        """Print nothing: the checks speak."""


@contextmanager
def local_index(wheel: Path, folder: Path) -> Generator[str]:
    """A package index (PEP 503) on this machine that has this one wheel; its address."""
    package = folder / "simple" / "memlsp"
    package.mkdir(parents=True)
    shutil.copy(wheel, package)
    link = f'<!DOCTYPE html><a href="{wheel.name}#sha256={digest(wheel)}">{wheel.name}</a>'
    (package / "index.html").write_text(link, "utf-8")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/simple"
    finally:
        server.shutdown()
        thread.join()


def interpreter(version: str) -> Path:
    """A Python of this version on this machine. Raises CannotRun."""
    found = shutil.which(f"python{version}")
    kept = sorted(Path.home().glob(f".pyenv/versions/{version}*/bin/python"))
    for path in [*([Path(found)] if found else []), *kept]:
        done = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
        if done.stdout.startswith(f"Python {version}."):
            return path
    raise CannotRun(f"no Python {version} on this machine")


def environment(folder: Path, wheel: Path, python: Path, *options: str | Path) -> Path:
    """The Python of a new environment in which the wheel is installed, without bytecode."""
    run([tool("uv"), "venv", "--quiet", "--python", python, folder], folder.parent)
    inside = next(folder.glob("bin/python")) if os.name != "nt" else folder / "Scripts" / "python.exe"
    run([tool("uv"), "pip", "install", "--quiet", "--python", inside, *options, wheel], folder.parent)
    return inside


def with_uv(wheel: Path, version: str, folder: Path) -> str:
    """`uv tool install memlsp`, from an index on this machine; dependencies from wherever uv is set up to look."""
    folder.mkdir()
    environ = {**os.environ, "UV_TOOL_DIR": str(folder / "tools"), "UV_TOOL_BIN_DIR": str(folder / "bin")}
    with local_index(wheel, folder / "index") as address:
        words = [tool("uv"), "tool", "install", "--quiet", "--index", address, f"memlsp=={version}"]
        run(words, folder, environ)
    return first_job([folder / "bin" / "memlsp"], folder / "job", version)


def with_pipx(wheel: Path, version: str, folder: Path) -> str:
    """`pipx install memlsp`, likewise."""
    folder.mkdir()
    environ = {**os.environ, "PIPX_HOME": str(folder / "tools"), "PIPX_BIN_DIR": str(folder / "bin")}
    with local_index(wheel, folder / "index") as address:
        asked = f"--extra-index-url {address} --trusted-host 127.0.0.1"
        words = [tool("pipx"), "install", "--quiet", "--python", interpreter("3.11"), f"--pip-args={asked}"]
        run([*words, f"memlsp=={version}"], folder, environ)
    return first_job([folder / "bin" / "memlsp"], folder / "job", version)


def with_python(wheel: Path, version: str, python: str, folder: Path) -> str:
    """The wheel with one version of Python and the newest versions of all that it needs."""
    inside = environment(folder, wheel, interpreter(python))
    full = run([inside, "-c", "import platform; print(platform.python_version())"], folder).strip()
    return f"{full}: {first_job([inside, '-m', 'memlsp'], folder / 'job', version)}"


def first_job(program: list[str | Path], folder: Path, version: str) -> str:
    """What the README shows: remember, edit, be told; then a server of agents answers."""
    folder.mkdir()
    environ = {**os.environ, "MEMLSP_DATA_DIR": str(folder / "data")}
    environ.pop("PYTHONPATH", None)
    shop = folder / "shop"
    shop.mkdir()
    run(["git", "init", "--quiet"], shop)
    (shop / "pay.py").write_text(_PAY, "utf-8")
    said = run([*program, "--version"], shop, environ).strip()
    if version not in said:
        raise CheckFailed(f"--version says {said!r}, not {version}")
    run([*program, "remember", "charge tries three times", "--at", "pay.py#charge"], shop, environ)
    (shop / "pay.py").write_text(_PAY.replace("tries=3", "tries=5"), "utf-8")
    beliefs = run([*program, "beliefs"], shop, environ)
    if "contradicted" not in beliefs:
        raise CheckFailed(f"the edit went unnoticed: {beliefs}")
    answer = run([*program, "mcp"], shop, environ, json.dumps(_HELLO) + "\n").partition("\n")[0]
    if json.loads(answer)["result"]["serverInfo"]["version"] != version:
        raise CheckFailed(f"the server of agents says {answer}")
    return "remembered, contradicted by an edit, and the server of agents answers"
