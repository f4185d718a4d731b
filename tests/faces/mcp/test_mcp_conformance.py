"""The public conformance package (`@modelcontextprotocol/conformance`) against the whole server over HTTP.

Its scenarios ask for tools and prompts by the names of the example server that it was written with. A thin
layer in front of ours translates these names to names of ours, adds the bearer token, and changes nothing else; what is
judged is how the server speaks. Scenarios about what memlsp does not offer (resources, images, sound, sampling,
elicitation, logging, completion) do not apply. `bash tests/tools/install.sh` brings the package.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import threading
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import uvicorn
from patience import patience

from memlsp.faces.mcp.http import application
from memlsp.faces.mcp.workspace import Workspaces
from memlsp.faces.web_server import Endpoint
from memlsp.memory import Memory
from memlsp.model.caller import Caller

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

PROGRAMS = Path(__file__).parents[3] / ".tools" / "npm" / "node_modules" / ".bin"
PATIENCE = 60
TOKEN = "t" * 40

pytestmark = pytest.mark.npm

APPLYING = (
    "server-initialize",
    "ping",
    "tools-list",
    "tools-call-simple-text",
    "tools-call-error",
    "prompts-list",
    "prompts-get-simple",
    "prompts-get-with-args",
    "server-sse-multiple-streams",
    "dns-rebinding-protection",
)

TOOLS = {"test_simple_text": "catch_up", "test_error_handling": "why"}
PROMPTS = {"test_simple_prompt": "catch_up", "test_prompt_with_arguments": "reason"}


class Translated:
    """The server by the names of the example server."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        body, more = b"", scope["method"] == "POST"
        while more:
            message = await receive()
            body += message.get("body", b"")
            more = message.get("more_body", False)
        body = self._translated(body)
        headers = [
            (name, value) for name, value in scope["headers"] if name not in {b"authorization", b"content-length"}
        ]
        headers += [(b"authorization", f"Bearer {TOKEN}".encode()), (b"content-length", str(len(body)).encode())]
        sent = False

        async def again() -> Message:
            nonlocal sent
            if sent or scope["method"] != "POST":
                return await receive()
            sent = True
            return {"type": "http.request", "body": body, "more_body": False}

        await self._app({**scope, "headers": headers}, again, send)

    def _translated(self, body: bytes) -> bytes:
        try:
            request: dict[str, Any] = json.loads(body)
            params: dict[str, Any] = request["params"]
        except (ValueError, KeyError, TypeError):
            return body
        if request["method"] == "tools/call":
            params["name"] = TOOLS.get(params["name"], params["name"])
        elif request["method"] == "prompts/get":
            params["name"] = PROMPTS.get(params["name"], params["name"])
            asked = dict(params.get("arguments") or {})
            if asked:  # its prompt takes two arguments, ours one
                params["arguments"] = {"question": " and ".join(asked.values())}
        return json.dumps(request).encode()


@pytest.fixture
def program() -> Path:
    path = PROGRAMS / "conformance"
    if not path.exists():
        missing = "the conformance package is not installed: bash tests/tools/install.sh"
        if os.environ.get("CI") == "true":
            pytest.fail(missing)
        pytest.skip(missing)
    return path


@pytest.fixture
def address(project: Path) -> Generator[str]:
    """The server in a thread, and where it listens."""
    with Memory.open(project) as memory:
        memory.remember("Orders are kept for 123 months", by=Caller(source="test"))
    workspaces = Workspaces(str(project))
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]
        app = Translated(application(workspaces, TOKEN, Endpoint(), port))
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        yield f"http://127.0.0.1:{port}/mcp"
        server.should_exit = True
        thread.join(patience(PATIENCE))
    workspaces.close()


@pytest.mark.parametrize("scenario", APPLYING)
def test_the_server_conforms(program: Path, address: str, tmp_path: Path, scenario: str) -> None:
    path = f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [str(program), "server", "--url", address, "--scenario", scenario],
        cwd=tmp_path,
        env={"PATH": path, "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=patience(PATIENCE),
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1/" in done.stdout or "passed" in done.stdout.lower(), done.stdout
