"""Runs `memlsp mcp --http`: the same tools as streamable HTTP on the loopback interface. Every program on the machine
can reach a loopback port, and so can a web page in a browser. Each request must therefore carry the bearer token, name
a loopback host (which stops DNS rebinding), and come from no foreign origin."""

from __future__ import annotations

import os
import secrets
import socket
import stat
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from memlsp.faces.mcp.server import log_to_stderr
from memlsp.model.errors import BadValue, StoreUnavailable

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from memlsp.faces.mcp.workspace import Workspaces

LOOPBACK = "127.0.0.1"
PATH = "/mcp"
TOKEN_FILE = "mcp-token"  # noqa: S105 - the name of the file

_TOKEN_BYTES = 32
_SECONDS_TO_END = 2


def serve_http(root: str | None = None, port: int = 0) -> None:
    """Serve the tools on `http://127.0.0.1:PORT/mcp` until interrupted; port 0 takes a free one. Prints the address and
    the token's file to standard error, never the token. Raises BadValue when the port is taken, StoreUnavailable when
    the token cannot be written."""
    log_to_stderr()
    # imported late: uvicorn and the protocol take most of a second
    import uvicorn

    from memlsp.faces.mcp.workspace import Workspaces
    from memlsp.memory import data_folder

    path = data_folder() / TOKEN_FILE
    token = bearer_token(path)
    workspaces = Workspaces(root)
    with _listening(port) as listener:
        taken = listener.getsockname()[1]
        config = uvicorn.Config(
            application(workspaces, token, taken),
            log_level="warning",
            access_log=False,
            ws="none",
            server_header=False,
            timeout_graceful_shutdown=_SECONDS_TO_END,
        )
        print(f"memlsp: MCP on http://{LOOPBACK}:{taken}{PATH}", file=sys.stderr)  # noqa: T201 - to be read by people
        print(f"memlsp: bearer token in {path}", file=sys.stderr, flush=True)  # noqa: T201
        try:
            # uvicorn shuts down on an interrupt and then raises it again
            with suppress(KeyboardInterrupt):
                uvicorn.Server(config).run(sockets=[listener])
        finally:
            workspaces.close()


def application(workspaces: Workspaces, token: str, port: int) -> ASGIApp:
    """The web application behind its access guard. `port` is the one that clients name in `Host`."""
    from mcp.server.transport_security import TransportSecuritySettings

    from memlsp.faces.mcp.protocol import build

    names = (f"{LOOPBACK}:{port}", f"localhost:{port}", f"[::1]:{port}")
    app = build(workspaces).streamable_http_app(
        streamable_http_path=PATH,
        host=LOOPBACK,
        transport_security=TransportSecuritySettings(
            allowed_hosts=[*names], allowed_origins=[f"http://{name}" for name in names]
        ),
    )
    return AccessGuard(app, token, names)


class AccessGuard:
    """Passes on requests with the right host, origin and token; refuses others in plain text."""

    def __init__(self, app: ASGIApp, token: str, names: Sequence[str]) -> None:
        self._app = app
        self._expected = f"Bearer {token}".encode()
        self._hosts = frozenset(name.encode() for name in names)
        self._origins = frozenset(f"http://{name}".encode() for name in names)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        refusal = None if scope["type"] == "lifespan" else self._refusal(scope)
        if refusal is None:
            await self._app(scope, receive, send)
            return
        from starlette.responses import PlainTextResponse

        status, words = refusal
        headers = {"WWW-Authenticate": "Bearer"} if status == 401 else None
        await PlainTextResponse(words + "\n", status, headers)(scope, receive, send)

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        if scope["type"] != "http":
            return 403, "forbidden: http only"
        headers: list[tuple[bytes, bytes]] = scope["headers"]
        hosts = _all(headers, b"host")
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            return 403, "forbidden: this host is not served"
        if any(origin.lower() not in self._origins for origin in _all(headers, b"origin")):
            return 403, "forbidden: this origin is not served"
        sent = _all(headers, b"authorization")
        # compared in constant time, so that response times reveal nothing about the token
        if len(sent) != 1 or not secrets.compare_digest(_with_scheme(sent[0]), self._expected):
            return 401, "unauthorized: a bearer token is needed"
        return None


def _all(headers: Sequence[tuple[bytes, bytes]], name: bytes) -> list[bytes]:
    return [value for key, value in headers if key.lower() == name]


def _with_scheme(value: bytes) -> bytes:
    # the scheme's name has no case, the token has
    scheme, _, token = value.strip().partition(b" ")
    return b"Bearer " + token.strip() if scheme.lower() == b"bearer" else value


def bearer_token(path: Path) -> str:
    """Read the token in `path`, or create one; delete the file to get a new one. A file that other users can read is
    replaced. Raises StoreUnavailable when the token cannot be written."""
    try:
        kept = _kept_token(path)
        if kept:
            return kept
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        token = secrets.token_urlsafe(_TOKEN_BYTES)
        draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
        # written aside with mode 0600 and moved in place: another server may be reading
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
            file.write(token + "\n")
        try:
            _put(draft, path)
        finally:
            draft.unlink(missing_ok=True)
        return _kept_token(path) or token
    except OSError as error:
        raise StoreUnavailable(
            f"the token cannot be kept in {path}: {error.strerror}", "MEMLSP_DATA_DIR names another data folder"
        ) from error


def _put(draft: Path, path: Path) -> None:
    # two servers may start at once: the first token wins, so an existing good file is never replaced
    for _ in range(2):
        try:
            path.hardlink_to(draft)
        except FileExistsError:
            if _kept_token(path):
                return
            path.unlink(missing_ok=True)
        except OSError:
            draft.replace(path)  # a disk without hard links
            return
        else:
            return


def _kept_token(path: Path) -> str:
    try:
        state = path.lstat()
        wide = os.name == "posix" and (state.st_mode & 0o077 or state.st_uid != os.getuid())
        if wide or not stat.S_ISREG(state.st_mode):
            return ""
        token = path.read_text("ascii").strip()
    except (FileNotFoundError, UnicodeDecodeError):
        return ""
    return token if len(token) >= _TOKEN_BYTES else ""


@contextmanager
def _listening(port: int) -> Generator[socket.socket]:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    with listener:
        if os.name == "posix":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((LOOPBACK, port))
            listener.listen()  # before the address is printed, so that clients can connect at once
        except (OSError, OverflowError) as error:
            raise BadValue(f"port {port} on {LOOPBACK} cannot be had: {error}", "--port 0 takes a free one") from error
        yield listener
