"""The loopback web server: its guard by itself, then the whole program."""

from __future__ import annotations

import http.client
import os
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Generator
from pathlib import Path

import httpx2
import pytest
from attrs import frozen
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import Implementation
from patience import patience

from memlsp.faces.web_server import bearer_token
from memlsp.model.errors import StoreUnavailable

PATIENCE = 60


def test_the_token_is_kept_between_starts(tmp_path: Path) -> None:
    path = tmp_path / "data" / "mcp-token"
    token = bearer_token(path)
    assert len(token) >= 32
    assert bearer_token(path) == token
    assert [each.name for each in path.parent.iterdir()] == ["mcp-token"]


@pytest.mark.skipif(os.name != "posix", reason="file modes")
def test_only_the_owner_can_read_the_token(tmp_path: Path) -> None:
    path = tmp_path / "data" / "mcp-token"
    bearer_token(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


@pytest.mark.skipif(os.name != "posix", reason="file modes")
def test_a_token_that_others_could_read_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "mcp-token"
    token = bearer_token(path)
    path.chmod(0o644)
    assert bearer_token(path) != token
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("content", [b"", b"short\n", b"\xff\xfe" * 40])
def test_a_file_that_holds_no_token_is_replaced(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "mcp-token"
    path.touch(0o600)
    path.write_bytes(content)
    assert len(bearer_token(path)) >= 32


def test_two_servers_started_at_once_agree_on_the_token(tmp_path: Path) -> None:
    path = tmp_path / "mcp-token"
    tokens: list[str] = []
    gate = threading.Barrier(8)

    def take() -> None:
        gate.wait(patience(PATIENCE))
        tokens.append(bearer_token(path))

    threads = [threading.Thread(target=take) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(patience(PATIENCE))
    assert len(tokens) == 8
    assert len(set(tokens)) == 1


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreUnavailable):
        bearer_token(tmp_path / "file" / "data" / "mcp-token")


@frozen
class Served:
    """A running `memlsp mcp --http`."""

    process: subprocess.Popen[str]
    port: int
    token: str
    said: list[str]
    reader: threading.Thread

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/mcp"

    def status(self, path: str = "/mcp", **headers: str) -> tuple[int, str]:
        """Of a plain GET with just these headers."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=patience(PATIENCE))
        try:
            connection.putrequest("GET", path, skip_host=True)
            for name, value in {"Host": f"127.0.0.1:{self.port}", **headers}.items():
                connection.putheader(name, value)
            connection.endheaders()
            answer = connection.getresponse()
            return answer.status, answer.read().decode() if answer.status >= 400 else ""
        finally:
            connection.close()


def serve(project: Path, env: dict[str, str]) -> Served:
    process = subprocess.Popen(
        [sys.executable, "-m", "memlsp", "mcp", "--http"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=project,
        env=env,
    )
    assert process.stderr
    said = [process.stderr.readline(), process.stderr.readline()]
    assert "http://127.0.0.1:" in said[0], said[0] + process.stderr.read()
    port = int(said[0].rpartition(":")[2].partition("/")[0])
    token = Path(said[1].partition(" token in ")[2].strip()).read_text().strip()
    reader = threading.Thread(target=lambda: said.extend(process.stderr or ()), daemon=True)
    reader.start()
    return Served(process, port, token, said, reader)


def end(served: Served) -> int:
    served.process.send_signal(signal.SIGINT)
    return served.process.wait(patience(PATIENCE))


def close(served: Served) -> None:
    if served.process.poll() is None:
        served.process.kill()
    served.process.wait(patience(PATIENCE))
    served.reader.join(patience(PATIENCE))
    for stream in (served.process.stdout, served.process.stderr):
        assert stream
        stream.close()


@pytest.fixture(scope="module")
def served(
    tmp_path_factory: pytest.TempPathFactory, fill: Callable[[Path], Path], environment: dict[str, str]
) -> Generator[Served]:
    """One server for the tests of this file that leave it running."""
    folder = tmp_path_factory.mktemp("served")
    running = serve(fill(folder / "shop"), {**environment, "MEMLSP_DATA_DIR": str(folder / "data")})
    yield running
    close(running)


def test_every_route_wants_the_token(served: Served) -> None:
    for path in ["/mcp", "/", "/mcp/", "/.well-known/oauth-protected-resource"]:
        assert served.status(path)[0] == 401, path
    for sent in [f"Bearer {served.token}x", f"Basic {served.token}", served.token, "Bearer", "Bearer \xe9"]:
        status, words = served.status(Authorization=sent)
        assert status == 401, sent
        assert words == "unauthorized: a bearer token is needed\n"
    assert served.status("/", Authorization=f"Bearer {served.token}")[0] == 404


def test_a_page_that_rebinds_its_name_is_refused_even_with_the_token(served: Served) -> None:
    right = {"Authorization": f"Bearer {served.token}"}
    for host in ["evil.example", f"evil.example:{served.port}", "127.0.0.1:1", ""]:
        assert served.status(**right, Host=host)[0] == 403, host
    for origin in [
        "http://evil.example",
        "null",
        "https://localhost:1",
        f"http://127.0.0.1:{served.port}.evil.example",
    ]:
        assert served.status(**right, Origin=origin)[0] == 403, origin
    assert (
        served.status("/", **right, Host=f"localhost:{served.port}", Origin=f"http://localhost:{served.port}")[0] == 404
    )


@pytest.mark.asyncio
async def test_a_client_with_the_token_works_in_both_eras(served: Served, mode: str) -> None:
    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {served.token}"}) as web,
        Client(
            streamable_http_client(served.url, http_client=web),
            mode=mode,
            client_info=Implementation(name="Web Agent", version="1"),
        ) as client,
    ):
        made = await client.call_tool("remember", {"text": "Totals are gross", "place": "billing.py#total"})
        assert made.structured_content["source"] == "mcp:Web Agent"
        why = await client.call_tool("why", {"place": "billing.py#total"})
        assert made.structured_content["id"] in [belief["id"] for belief in why.structured_content["beliefs"]]


@pytest.mark.skipif(os.name != "posix", reason="an interrupt is sent as a signal")
def test_an_interrupt_ends_it_in_order_and_the_token_was_never_printed(
    project: Path, data: Path, environment: dict[str, str]
) -> None:
    served = serve(project, {**environment, "MEMLSP_DATA_DIR": str(data)})
    try:
        served.status(Authorization=f"Bearer {served.token}")
        served.status(Authorization="Bearer wrong")
        assert end(served) == 0
        served.reader.join(patience(PATIENCE))
        assert served.process.stdout
        printed = "".join(served.said) + served.process.stdout.read()
    finally:
        close(served)
    assert "Traceback" not in printed
    assert served.token not in printed


def test_a_port_that_is_taken_is_said_in_one_line(served: Served, project: Path) -> None:
    again = subprocess.run(
        [sys.executable, "-m", "memlsp", "mcp", "--http", "--port", str(served.port)],
        cwd=project,
        capture_output=True,
        text=True,
        timeout=patience(PATIENCE),
        check=False,
    )
    assert again.returncode == 1
    assert "cannot be had" in again.stderr
    assert "Traceback" not in again.stderr
