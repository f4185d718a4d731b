"""How a server begins and ends, and that stdout is the wire."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from lsp_editor import PATIENCE, editor, until
from lsprotocol import types
from patience import patience
from project import Project

from memlsp.faces.lsp.server.parent import is_alive, watch_parent


def frame(message: dict[str, Any]) -> bytes:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


def read_frame(process: subprocess.Popen[bytes]) -> dict[str, Any]:
    assert process.stdout is not None
    length = 0
    while (line := process.stdout.readline().strip()) or not length:
        assert line or length, "the server ended"
        if line.lower().startswith(b"content-length:"):
            length = int(line.split(b":")[1])
    return json.loads(process.stdout.read(length))


def start(root: Path, data: Path, parent: int | None) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        [sys.executable, "-m", "memlsp", "lsp"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=root,
        env={**os.environ, "MEMLSP_DATA_DIR": str(data)},
    )
    assert process.stdin is not None
    params: dict[str, Any] = {"processId": parent, "rootUri": root.as_uri(), "capabilities": {}}
    process.stdin.write(frame({"id": 1, "method": "initialize", "params": params}))
    process.stdin.flush()
    assert read_frame(process)["result"]["serverInfo"]["name"] == "memlsp"
    process.stdin.write(frame({"method": "initialized", "params": {}}))
    process.stdin.flush()
    return process


def ended(process: subprocess.Popen[bytes]) -> tuple[int, bytes, bytes]:
    try:
        out, err = process.communicate(timeout=patience(PATIENCE))
    finally:
        process.kill()
    return process.returncode, out, err


def test_the_server_ends_when_stdin_does(project: Project, tmp_path: Path) -> None:
    process = start(project.root, tmp_path / "data", None)
    code, out, err = ended(process)
    assert (code, out) == (0, b"")
    assert b"Traceback" not in err


def test_exit_without_shutdown_ends_it_with_an_error_status(project: Project, tmp_path: Path) -> None:
    process = start(project.root, tmp_path / "data", None)
    assert process.stdin is not None
    process.stdin.write(frame({"method": "exit"}))
    process.stdin.flush()
    assert process.wait(patience(PATIENCE)) == 1
    ended(process)


def test_exit_ends_it_although_stdin_stays_open(project: Project, tmp_path: Path) -> None:
    process = start(project.root, tmp_path / "data", None)
    assert process.stdin is not None
    process.stdin.write(frame({"id": 2, "method": "shutdown"}))
    process.stdin.flush()
    assert read_frame(process)["id"] == 2
    process.stdin.write(frame({"method": "exit"}))
    process.stdin.flush()
    assert process.wait(patience(PATIENCE)) == 0
    ended(process)


def test_the_server_ends_when_the_editor_died(project: Project, tmp_path: Path) -> None:
    parent = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE)
    process = start(project.root, tmp_path / "data", parent.pid)
    parent.kill()
    parent.communicate()
    assert process.wait(patience(PATIENCE)) == 0  # stdin is still open
    ended(process)


def test_a_parent_that_lives_is_alive_and_one_that_ended_is_not() -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    assert is_alive(os.getpid())
    assert not is_alive(gone.pid)


def test_a_watch_that_was_stopped_calls_nobody() -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    called: list[int] = []
    stop = watch_parent(gone.pid, lambda: called.append(1), every=0.01)
    end = time.monotonic() + patience(PATIENCE)
    while not called and time.monotonic() < end:
        stop.wait(0.01)
    assert called == [1]


BROKEN = [
    frame({"method": "textDocument/didOpen", "params": {"textDocument": 7}}),
    frame({"id": 5, "method": "textDocument/hover", "params": {"position": "here"}}),
    b"Content-Length: 5\r\n\r\n{{{{{",
    frame({"id": 6, "method": "memlsp/unknown", "params": {}}),
    frame({"method": "$/unknown"}),
]


def test_messages_that_make_no_sense_are_logged_and_the_next_one_answered(project: Project, tmp_path: Path) -> None:
    process = start(project.root, tmp_path / "data", None)
    assert process.stdin is not None
    process.stdin.write(b"".join(BROKEN) + frame({"id": 9, "method": "shutdown"}))
    process.stdin.flush()
    messages: list[dict[str, Any]] = []
    while (message := read_frame(process)).get("id") != 9:
        messages.append(message)
    methods = [message.get("method") for message in messages]
    assert "window/logMessage" in methods
    assert "window/showMessage" not in methods
    refused = next(message["error"] for message in messages if message.get("id") == 5)
    assert (refused["code"], refused["message"]) == (-32602, "the parameters of textDocument/hover cannot be read")
    assert "position" in refused["data"]["hint"]
    ended(process)


@pytest.mark.parametrize(
    ("head", "said"),
    [
        (b"Content-Length: 99999999999\r\n\r\n{}", b"a message of 99,999,999,999 bytes was announced"),
        (b"x" * 70_000 + b"\r\n\r\n{}", b"a line of a message's head has more than 65,536 bytes"),
    ],
)
def test_a_message_that_no_memory_holds_is_refused_in_a_line(
    project: Project, tmp_path: Path, head: bytes, said: bytes
) -> None:
    process = start(project.root, tmp_path / "data", None)
    assert process.stdin is not None
    process.stdin.write(head)
    code, _, err = ended(process)
    assert code == 1
    assert said in err
    assert b"Traceback" not in err


def test_what_prints_does_not_reach_the_wire(project: Project, tmp_path: Path) -> None:
    script = (
        "import threading, os\n"
        "from memlsp.faces.lsp.server import server\n"
        "taken = server._take_stdout\n"
        "def take():\n"
        "    wire = taken()\n"
        "    print('NOISE', flush=True)\n"
        "    os.write(1, b'NOISE')\n"
        "    return wire\n"
        "server._take_stdout = take\n"
        "server.serve()\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=project.root,
        env={**os.environ, "MEMLSP_DATA_DIR": str(tmp_path / "data")},
    )
    request = frame(
        {"id": 1, "method": "initialize", "params": {"processId": None, "rootUri": None, "capabilities": {}}}
    )
    out, err = process.communicate(request, timeout=patience(PATIENCE))
    assert b"NOISE" not in out
    assert err.count(b"NOISE") == 2
    assert out.startswith(b"Content-Length: ")


@pytest.mark.asyncio
async def test_a_store_that_was_set_aside_is_said_once(project: Project, tmp_path: Path) -> None:
    data = tmp_path / "data"
    async with editor(project.root, data) as session:
        session.open("client.py")
        await session.remember("client.py", 4, "gives up after 3 retries")
    for store in data.rglob("*.db*"):
        store.write_bytes(b"this is no database " * 500)
    async with editor(project.root, data) as session:
        session.open("client.py")
        session.open("pricing/tax.py")
        assert await session.titles("client.py") == []
        await until(lambda: session.said(types.MessageType.Warning))
        assert await session.titles("pricing/tax.py") == []
        warnings = session.said(types.MessageType.Warning)
        assert len(warnings) == len(set(warnings))
        assert all("corrupt" in warning or "set aside" in warning for warning in warnings)
        await session.remember("client.py", 4, "gives up after 3 retries")


def test_a_log_file_is_written(project: Project, tmp_path: Path) -> None:
    log = tmp_path / "memlsp.log"
    words = [sys.executable, "-m", "memlsp", "lsp", "--log-file", str(log), "--log-level", "debug"]
    done = subprocess.run(
        words,
        input=b"",
        capture_output=True,
        timeout=patience(PATIENCE),
        cwd=project.root,
        check=False,
        env={**os.environ, "MEMLSP_DATA_DIR": str(tmp_path / "data")},
    )
    assert done.returncode == 0
    assert done.stdout == b""
    assert log.exists()
