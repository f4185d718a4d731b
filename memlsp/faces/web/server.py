"""Runs `memlsp web`: the routes, the templates, and a server that ends with its terminal."""

from __future__ import annotations

import gc
import json
import re
import sys
import tempfile
import webbrowser
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import parse_qs, quote

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup, escape
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from memlsp.faces.caller import author_of
from memlsp.faces.render import wording
from memlsp.faces.web import pages
from memlsp.faces.web.access import Access, AccessDoor, is_same
from memlsp.faces.web.decisions import Decisions
from memlsp.faces.web_server import AccessGuard, Endpoint, bearer_token, run_server
from memlsp.model.errors import MemlspError, NotFound, Refused, StoreError

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from memlsp.memory import Memory

_HERE = Path(__file__).parent
_LARGEST = 1 << 20
_SPAN = re.compile(r"`([^`]+)`")
SELDOM = (10_000, 20, 200)
"""When garbage is collected by itself: among all objects seldom, since that takes a second in a large memory."""

_PAGES = {"/": pages.today, "/belief/{id}": pages.belief, "/session/{source}/{name:path}": pages.session}
_LISTS = (pages.beliefs, pages.review, pages.timeline, pages.graph, pages.receipts, pages.sessions, pages.storage)


def serve_web(memory: Memory, endpoint: Endpoint, *, opens: bool = False) -> None:
    """Serve the page of a memory until an interrupt, or until the terminal closes. Prints the link to standard error;
    with `opens` a browser is shown it. Raises BadValue when the port is taken, StoreError."""
    token = bearer_token(endpoint.token_file) if endpoint.token_file else None
    sys.setswitchinterval(0.001)  # the survey runs beside the pages
    watch = memory.watch(lambda _: None)
    memory.survey.begin()
    with tempfile.NamedTemporaryFile("w", suffix=".html") as hop:

        def make(port: int, origin: str) -> ASGIApp:
            def say(path: str) -> None:
                print(f"memlsp: {origin}{path}", file=sys.stderr, flush=True)  # noqa: T201 - to be read by people

            access = Access(port, token, say, secure=bool(endpoint.certificate))
            app = application(memory, access, endpoint, port)
            gc.freeze()  # modules and templates stay for good
            gc.set_threshold(*SELDOM)
            say(access.link)
            if opens:  # by a file: what a process is started with, others can read
                hop.write(f'<meta http-equiv="refresh" content="0;url={origin}{access.link}">')
                hop.flush()
                webbrowser.open(Path(hop.name).as_uri())
            return app

        try:
            run_server(endpoint, make)
        finally:
            watch.stop()


def application(memory: Memory, access: Access, endpoint: Endpoint, port: int) -> ASGIApp:
    """The page of a memory behind its guards."""
    site = _Site(memory, access)
    shown = _PAGES | {f"/{page.__name__}": page for page in _LISTS}
    routes = [Route(path, partial(site.show, name=page.__name__, page=page)) for path, page in shown.items()]
    routes += [
        Route("/open", site.enter, methods=["GET", "POST"]),
        Route("/open/{token}", site.enter),
        *(Route(f"/{act}", partial(site.decide, act=act), methods=["POST"]) for act in ("decide", "settle", "undo")),
    ]
    routes.append(Route("/graph.json", site.draw))
    static = Mount("/static", StaticFiles(directory=_HERE / "static"))
    app = Starlette(routes=[static, *routes], exception_handlers={MemlspError: site.fail, 404: site.fail})
    return AccessGuard(AccessDoor(app, access), None, endpoint, port)


class _Site:
    """The pages and forms of one memory."""

    def __init__(self, memory: Memory, access: Access) -> None:
        self._memory = memory
        self._access = access
        self._decisions = Decisions(memory)
        self._picture: tuple[object, str] = (None, "")
        self._templates = _templates()

    def show(self, request: Request, name: str, page: Callable[[Memory, Mapping[str, str]], pages.Shown]) -> Response:
        """A page."""
        asked = {**request.query_params, **request.path_params}
        return self._page(request, name, {**page(self._memory, asked), "asked": asked})

    def draw(self, request: Request) -> Response:
        """What the picture of the graph is drawn from, kept until something changes."""
        under = request.query_params.get("under", "")
        surveyed = self._memory.survey.found
        key = (under, self._memory.version(), surveyed.at, surveyed.read)
        if self._picture[0] != key:
            found = pages.graph_picture(self._memory, {"under": under})
            rows = {name: [[*map(_harmless, row)] for row in found[name]] for name in ("nodes", "tasks", "links")}
            self._picture = key, json.dumps({**found, **rows}, ensure_ascii=False)
        return Response(self._picture[1], media_type="application/json")

    def _page(self, request: Request, name: str, shown: Mapping[str, Any], status: int = 200) -> Response:
        text = self._templates.get_template(f"{name}.html").render(
            shown,
            here=name,
            now=datetime.now(UTC),
            workspace=self._memory.workspace,
            form_token=self._access.form_token,
            surveyed=self._memory.survey.found,
            outcome=self._decisions.outcomes.get(request.query_params.get("said", "")),
            agent=author_of(None),
            url=request.url,
            acts=wording.WORDS["acts"],
            titles=wording.WORDS["titles"],
        )
        return HTMLResponse(text, status)

    async def enter(self, request: Request) -> Response:
        """The way in: by the link, or by a form that asks for the token. The cookie comes with a page of its own, so
        that the next request is one of this site."""
        token = request.path_params.get("token", "")
        if request.method == "POST":
            token = (await _form(request)).get("token", [""])[0]
        answer = self._page(request, "open", {"entered": True})
        if token and self._access.enter(token, answer):
            answer.headers["Referrer-Policy"] = "no-referrer"
            return answer
        return self._page(request, "open", {"entered": False, "wrong": bool(token)}, 401 if token else 200)

    async def decide(self, request: Request, act: str) -> Response:
        """A form: to decide about beliefs, to settle an item of the review, to undo what was decided."""
        form = await _form(request)
        if not is_same(form.get("form_token", [""])[0], self._access.form_token):
            raise Refused("this form is not of this server", "go back, load the page again and repeat it")
        first = {name: values[0] for name, values in form.items()}
        words = first.get("text", ""), first.get("note", "")
        acts: dict[str, Callable[[], str]] = {
            "decide": lambda: self._decisions.revise(form.get("id", []), first.get("action", ""), *words),
            "settle": lambda: self._decisions.settle(first.get("item", ""), first.get("action", ""), *words),
            "undo": lambda: self._decisions.undo(first.get("said", "")),
        }
        key = await run_in_threadpool(acts[act])
        back = first.get("back", "/")
        back = back if back.startswith("/") and not back.startswith(("//", "/\\")) else "/"
        return RedirectResponse(f"{back}{'&' if '?' in back else '?'}said={key}", 303)

    async def fail(self, request: Request, error: Exception) -> Response:
        """What went wrong, in words."""
        error = error if isinstance(error, MemlspError) else NotFound("no such page")
        kinds = {NotFound: 404, Refused: 409, StoreError: 503}
        status = next((status for kind, status in kinds.items() if isinstance(error, kind)), 400)
        name = "error" if self._access.admits(request) else "open"  # which says nothing of the memory
        return self._page(request, name, {"error": error, "entered": False}, status)


@cache
def _templates() -> Environment:
    """The templates, compiled: to compile one takes as long as several answers."""
    found = Environment(
        loader=FileSystemLoader(_HERE / "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_harmless,
    )
    filters: dict[str, Any] = {
        "mark": wording.standing_mark,
        "reason": wording.reason_line,
        "checked": wording.checked_words,
        "code": _code,
        "spans": _spans,
        "age": wording.age,
        "count": wording.count_of,
        "segment": partial(quote, safe=""),
        "provenance": wording.provenance,
    }
    found.filters.update(cast("Any", filters))
    for name in found.list_templates():
        found.get_template(name)
    return found


async def _form(request: Request) -> dict[str, list[str]]:
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > _LARGEST:
            raise Refused("the form is too large")
    return parse_qs(body.decode("utf-8", "replace"))


def _harmless(value: Any) -> Any:
    """Stored text as one line without anything invisible; what is markup was made here."""
    if not isinstance(value, str) or isinstance(value, Markup) or value.isprintable():
        return value
    return wording.plain(value)


def _spans(text: str) -> str:
    """A sentence whose names in backticks are code."""
    return Markup(_SPAN.sub(r"<code>\1</code>", str(escape(wording.plain(text)))))  # noqa: S704 - escaped


def _code(line: str) -> str:
    """A line of code with its layout and without anything invisible."""
    body = line.lstrip(" \t")
    return escape(line[: len(line) - len(body)].expandtabs(4) + wording.plain(body))
