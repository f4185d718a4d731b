"""What `memlsp mcp --http` and `memlsp web` share: where a server listens, and which requests it takes at all.

Every program on the machine can reach a loopback port, and so can a web page in a browser. Each request must therefore
name a host that is served (which stops DNS rebinding) and come from no foreign origin; a token is needed besides.
"""

from __future__ import annotations

import os
import secrets
import signal
import socket
import ssl
import stat
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import frozen

from memlsp.model.errors import BadValue, StoreUnavailable

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

LOOPBACK = "127.0.0.1"

_TOKEN_BYTES = 32
_SECONDS_TO_END = 2


@frozen
class Endpoint:
    """Where a server listens. Beyond loopback it needs `token_file`, `certificate` and `key`; port 0 takes a free one.
    Raises BadValue when one of them is missing."""

    host: str = LOOPBACK
    port: int = 0
    token_file: Path | None = None
    certificate: Path | None = None
    key: Path | None = None

    def __attrs_post_init__(self) -> None:
        if bool(self.certificate) != bool(self.key):
            raise BadValue("a certificate and its key go together", "give both --tls-cert and --tls-key")
        if self.is_loopback:
            return
        if self.host in {"", "0.0.0.0", "::"}:  # noqa: S104 - it is refused
            raise BadValue(
                f"{self.host or 'an empty host'} is no address to open", "name the one that browsers and agents use"
            )
        if not (self.token_file and self.certificate):
            raise BadValue(
                f"{self.host} is not loopback", "it takes --token-file, --tls-cert and --tls-key to serve others"
            )

    @property
    def is_loopback(self) -> bool:
        """True when only programs of this machine can connect."""
        try:
            return self.host == "localhost" or ip_address(self.host).is_loopback
        except ValueError:
            return False

    def names(self, port: int) -> tuple[str, ...]:
        """What clients may name in `Host`."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        own = (f"{LOOPBACK}:{port}", f"localhost:{port}", f"[::1]:{port}") if self.is_loopback else ()
        return (f"{host}:{port}".lower(), *own, *((host.lower(),) if port == 443 and self.certificate else ()))

    def origins(self, port: int) -> tuple[str, ...]:
        """The origins of pages that this server serves, its own address first."""
        return tuple(f"{'https' if self.certificate else 'http'}://{name}" for name in self.names(port))


def run_server(endpoint: Endpoint, make: Callable[[int, str], ASGIApp]) -> None:
    """Serve what `make` builds until an interrupt, or until the terminal closes. `make` is given the port and the
    origin. Raises BadValue when the port is taken or a TLS file cannot be read."""
    import uvicorn  # late: with the protocols it takes most of a second

    if endpoint.certificate and endpoint.key:
        try:
            ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(endpoint.certificate, endpoint.key)
        except OSError as error:
            raise BadValue(f"the TLS files cannot be used: {error}", "give PEM files") from error
    with _listening(endpoint) as listener:
        port = listener.getsockname()[1]
        config = uvicorn.Config(
            make(port, endpoint.origins(port)[0]),
            log_level="warning",
            access_log=False,
            ws="none",
            server_header=False,
            timeout_graceful_shutdown=_SECONDS_TO_END,
            ssl_certfile=endpoint.certificate,
            ssl_keyfile=endpoint.key,
        )
        server = uvicorn.Server(config)
        hangup = getattr(signal, "SIGHUP", None)
        if hangup is not None and signal.getsignal(hangup) is not signal.SIG_IGN:
            signal.signal(hangup, lambda _number, _frame: setattr(server, "should_exit", True))
        # uvicorn shuts down on an interrupt and then raises it again
        with suppress(KeyboardInterrupt):
            server.run(sockets=[listener])


class AccessGuard:
    """Passes on requests with the right host, origin and, unless the application looks itself (None), bearer token;
    refuses others in plain text."""

    def __init__(self, app: ASGIApp, token: str | None, endpoint: Endpoint, port: int) -> None:
        self._app = app
        self._expected = None if token is None else f"Bearer {token}".encode()
        self._hosts = frozenset(name.encode() for name in endpoint.names(port))
        self._origins = frozenset(origin.encode() for origin in endpoint.origins(port))

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
        if self._expected is None:
            return None
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
def _listening(endpoint: Endpoint) -> Generator[socket.socket]:
    host, port = endpoint.host, endpoint.port
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind)
    except (OSError, OverflowError) as error:
        raise BadValue(f"{host} is no address of this machine: {error}", "--host 127.0.0.1 always is") from error
    with listener:
        if os.name == "posix":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(address)
            listener.listen()  # before the address is printed, so that clients can connect at once
        except (OSError, OverflowError) as error:
            raise BadValue(f"port {port} on {host} cannot be had: {error}", "--port 0 takes a free one") from error
        yield listener
