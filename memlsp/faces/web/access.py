"""Who may see the page: a browser that opened the link of the terminal, or whose person knows the token.

The link works once and becomes a cookie. A form carries a second secret, so that no other page can send it.
"""

from __future__ import annotations

import hmac
import secrets
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src"
    " 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",  # with none at all, browsers would not name the origin of a form
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
_OPEN = ("/open", "/static/")
"""Beginnings of what is answered without the cookie: the way in, and the same files for everybody."""


class Access:
    """The secrets of one server. `token` is one that may be used again, else each link works once and `renewed` is
    called with the path of the next. Thread-safe."""

    def __init__(self, port: int, token: str | None, renewed: Callable[[str], None], *, secure: bool) -> None:
        self._name = f"memlsp-{port}"  # browsers do not tell ports apart
        self._token = token
        self._renewed = renewed
        self._secure = secure
        self._link = secrets.token_urlsafe(24)
        self._session = secrets.token_urlsafe(32)
        self._lock = threading.Lock()

    @property
    def link(self) -> str:
        """The path that lets the next browser in; "/open", where the token is asked for, with a token of one's own."""
        return "/open" if self._token else f"/open/{self._link}"

    @property
    def form_token(self) -> str:
        """The secret that every form carries."""
        return hmac.new(self._session.encode(), b"form", "sha256").hexdigest()

    def enter(self, token: str, response: Response) -> bool:
        """Give the browser its cookie when the token is the right one."""
        with self._lock:
            if not is_same(token.strip(), self._token or self._link):
                return False
            self._link = secrets.token_urlsafe(24)
        response.set_cookie(self._name, self._session, httponly=True, samesite="strict", secure=self._secure)
        if self._token is None:
            self._renewed(self.link)
        return True

    def admits(self, request: Request) -> bool:
        """True for a browser with the cookie."""
        return is_same(request.cookies.get(self._name, ""), self._session)


def is_same(sent: str, secret: str) -> bool:
    """Compare in constant time, so that response times reveal nothing."""
    return secrets.compare_digest(sent.encode("utf-8", "replace"), secret.encode())


class AccessDoor:
    """Lets in requests with the cookie, and gives every answer the headers that keep a page to itself."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        app = self._app
        if request.method not in {"GET", "HEAD"} and "origin" not in request.headers:
            app = PlainTextResponse("forbidden: a form names its origin\n", 403)
        elif not request.url.path.startswith(_OPEN) and not self._access.admits(request):
            app = RedirectResponse("/open", 303)
        await app(scope, receive, send_guarded)
