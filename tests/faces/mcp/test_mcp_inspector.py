"""The Inspector's command line, a client that is none of ours. `bash tests/tools/install.sh` brings it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest
from patience import patience

from memlsp.faces.mcp.calls import CALLS as BY_NAME

PATIENCE = 60
PROGRAMS = Path(__file__).parents[3] / ".tools" / "npm" / "node_modules" / ".bin"

pytestmark = pytest.mark.npm

Inspect = Callable[..., dict[str, Any]]


@pytest.fixture
def programs() -> Path:
    if not (PROGRAMS / "mcp-inspector").exists():
        missing = "the MCP Inspector is not installed: bash tests/tools/install.sh"
        if os.environ.get("CI") == "true":
            pytest.fail(missing)
        pytest.skip(missing)
    return PROGRAMS


@pytest.fixture
def inspect(programs: Path, tmp_path: Path, project: Path, data: Path, environment: dict[str, str]) -> Inspect:
    """Runs the Inspector once and reads the JSON that it prints."""
    home = tmp_path / "home"
    home.mkdir()
    path = f"{programs}{os.pathsep}{environment['PATH']}"
    env = {**environment, "PATH": path, "HOME": str(home), "MEMLSP_DATA_DIR": str(data)}

    def run(*arguments: str) -> dict[str, Any]:
        # a client hands the servers it starts a few variables only, and those that it is told to
        kept = ["-e", f"MEMLSP_DATA_DIR={data}"] if arguments[0] == sys.executable else []
        done = subprocess.run(
            [str(programs / "mcp-inspector"), "--cli", *arguments, *kept],
            cwd=project,
            env=env,
            capture_output=True,
            text=True,
            timeout=patience(PATIENCE),
            check=False,
        )
        assert done.stdout, done.stderr
        printed: dict[str, Any] = json.loads(done.stdout)
        printed["exit"] = done.returncode
        return printed

    return run


@pytest.fixture
def over_http(project: Path, data: Path, environment: dict[str, str]) -> Generator[list[str]]:
    """A running HTTP server, as the arguments that lead the Inspector to it."""
    process = subprocess.Popen(
        [sys.executable, "-m", "memlsp", "mcp", "--http"],
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        cwd=project,
        env={**environment, "MEMLSP_DATA_DIR": str(data)},
    )
    assert process.stderr
    try:
        url = process.stderr.readline().rpartition(" on ")[2].strip()
        token = Path(process.stderr.readline().partition(" token in ")[2].strip()).read_text().strip()
        yield [url, "--transport", "http", "--header", f"Authorization: Bearer {token}"]
    finally:
        process.kill()
        process.wait(patience(PATIENCE))
        process.stderr.close()


OVER_STDIO = [sys.executable, "-m", "memlsp", "mcp"]


def test_the_schemas_pass_its_strict_check(inspect: Inspect) -> None:
    listed = inspect(*OVER_STDIO, "--method", "tools/list", "--strict")
    assert listed["exit"] == 0
    assert [tool["name"] for tool in listed["tools"]] == [*BY_NAME]


def test_it_remembers_and_asks_why_over_stdio(inspect: Inspect) -> None:
    remember = ["--method", "tools/call", "--tool-name", "remember", "--tool-arg", "text=Totals are gross"]
    made = inspect(*OVER_STDIO, *remember, "--tool-arg", "place=billing.py#total")
    assert made["structuredContent"]["source"].startswith("mcp:")
    why = inspect(*OVER_STDIO, "--method", "tools/call", "--tool-name", "why", "--tool-arg", "place=billing.py#total")
    assert [belief["id"] for belief in why["structuredContent"]["beliefs"]] == [made["structuredContent"]["id"]]


def test_what_it_leaves_over_http_it_finds_over_stdio(inspect: Inspect, over_http: list[str]) -> None:
    remember = ["--method", "tools/call", "--tool-name", "remember", "--tool-arg", "text=Refunds need an order"]
    made = inspect(*over_http, *remember)
    found = inspect(
        *OVER_STDIO, "--method", "tools/call", "--tool-name", "recall", "--tool-arg", "query=refunds without order"
    )
    assert [hit["id"] for hit in found["structuredContent"]["hits"]] == [made["structuredContent"]["id"]]
