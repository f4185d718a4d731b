"""The protocol server: tool calls in, `Memory` calls, answers out.

The SDK's `Server` is used rather than its `MCPServer`: it takes the schemas as they are written, lets wrong
arguments be answered in our words, and announces tools and nothing else. One server object speaks both eras of the
protocol, the `initialize` handshake and the 2026-07-28 envelope with `server/discover`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial

import anyio
import anyio.to_thread
from attrs import frozen
from mcp.server import Server, ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
)

from memlsp.faces.mcp import answers
from memlsp.faces.mcp.answers import Answer
from memlsp.faces.mcp.tools import HANDOFF_ACTIONS, INSTRUCTIONS, TOOLS, Arguments
from memlsp.faces.mcp.workspace import Desk, Workspaces
from memlsp.faces.wording import plain
from memlsp.model.belief import Author, AuthorKind
from memlsp.model.errors import BadValue, MemlspError
from memlsp.model.place import Place
from memlsp.model.standing import Judgement
from memlsp.version import VERSION

log = logging.getLogger("memlsp.mcp")

HISTORY_SECONDS = 3.0
"""How long `why` may read git history; an agent's turn waits for it."""

HISTORY_LIMIT = 8

CALLS_AT_ONCE = 4
"""Tool calls that run in threads at the same time; the store has one writer anyway."""


@frozen
class Caller:
    """The agent at the other end."""

    name: str

    @property
    def author(self) -> Author:
        """Who speaks when it remembers or revises."""
        return Author(self.name, AuthorKind.AGENT)

    @property
    def source(self) -> str:
        """Where it was said."""
        return f"mcp:{self.name}"


def build(workspaces: Workspaces) -> Server[dict[str, object]]:
    """A server over these workspaces; the caller closes them."""
    threads: list[anyio.CapacityLimiter] = []

    async def list_tools(
        _: ServerRequestContext[dict[str, object]], __: PaginatedRequestParams | None
    ) -> ListToolsResult:
        return ListToolsResult(tools=list(TOOLS))

    async def call_tool(
        context: ServerRequestContext[dict[str, object]], params: CallToolRequestParams
    ) -> CallToolResult:
        if params.name not in _CALLS:
            raise MCPError(INVALID_PARAMS, f"no tool {plain(params.name, 60)!r}; there are {', '.join(_CALLS)}")
        if not threads:  # a limiter belongs to the event loop that is running
            threads.append(anyio.CapacityLimiter(CALLS_AT_ONCE))
        run = partial(answer, workspaces, params.name, params.arguments or {}, _caller(context))
        return _result(await anyio.to_thread.run_sync(run, limiter=threads[0]))

    return Server(
        "memlsp",
        version=VERSION,
        title="memlsp",
        description="Remembers why the code is the way it is, and says when that stops being true.",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def answer(workspaces: Workspaces, name: str, arguments: dict[str, object], caller: Caller) -> Answer:
    """Answer one call of a known tool. Blocks; never raises: what went wrong is an answer too."""
    notices: tuple[str, ...] = ()
    try:
        read = Arguments(_TOOLS[name], arguments)
        place = read.place()
        desk = workspaces.desk(read.optional("workspace"), place)
        notices = desk.notices
        made = _CALLS[name](desk, read, place, caller)
        if name in _ASKING:
            made = answers.waiting(made, _waiting(workspaces, desk))
    except MemlspError as error:
        made = answers.refused(error)
    except OSError as error:  # a folder that may not be looked into, say: no bug of ours
        made = answers.refused(MemlspError(str(error)))
    except Exception:  # the wire must outlive a fault in one call
        log.exception("%s failed", name)
        made = answers.broken()
    for notice in notices:
        log.warning("%s", notice)
    return answers.noticed(made, notices)


# --- one function a tool -------------------------------------------------------------------------------------------


def _recall(desk: Desk, read: Arguments, place: Place | None, caller: Caller) -> Answer:
    found = desk.memory.recall(read.text("query"), at=place, base=desk.base, budget=read.budget(), asker=caller.source)
    told = [hit.judgement for hit in found.hits]
    about = _nudge(desk, place, told) if place else answers.nudge(told, "this question")
    return answers.recalled(found, about, _now())


def _why(desk: Desk, read: Arguments, place: Place | None, _: Caller) -> Answer:
    if place is None:
        place = Place.parse(read.text("place"))
    why = desk.memory.why(place, base=desk.base, history_limit=HISTORY_LIMIT, history_deadline=HISTORY_SECONDS)
    return answers.explained(why, _nudge(desk, place, why.beliefs), _now())


def _remember(desk: Desk, read: Arguments, place: Place | None, caller: Caller) -> Answer:
    text = read.text("text")
    guard = read.optional("guard")
    judgement = desk.memory.remember(
        text,
        at=[place] if place else [],
        kind=read.kind(),
        scope=read.scope(),
        author=caller.author,
        source=caller.source,
        guards=[guard] if guard else [],
        base=desk.base,
    )
    return answers.remembered(judgement, text, _nudge(desk, place, [judgement]) if place else "", _now())


def _revise(desk: Desk, read: Arguments, place: Place | None, caller: Caller) -> Answer:
    belief, action = read.text("id").strip(), read.text("action").strip().lower()
    judgement = desk.memory.revise(
        belief,
        action,
        text=read.optional("text"),
        at=place,
        note=read.optional("note") or "",
        author=caller.author,
        source=caller.source,
        base=desk.base,
    )
    about = place or next((Place(tie.path) for tie in judgement.ties), None)
    return answers.revised(judgement, belief, action, _nudge(desk, about, [judgement]) if about else "", _now())


def _handoff(desk: Desk, read: Arguments, _: Place | None, caller: Caller) -> Answer:
    action, handoffs = read.text("action").strip().lower(), desk.memory.handoffs
    if action == "write":
        left = handoffs.write(
            read.text("title"),
            done=read.texts("done"),
            questions=read.texts("questions"),
            next_steps=read.texts("next"),
            places=read.texts("places"),
            stuck=read.optional("stuck") or "",
            by=caller.name,
        )
        return answers.handed([left], f"Left as {left.id}, until {left.expires_at:%Y-%m-%d}.", _now())
    if action == "claim":
        taken = handoffs.claim(read.text("id"), caller.name)
        return answers.handed([taken], f"{taken.id} is yours; others see it.", _now())
    if action != "peek":
        raise BadValue(f"not an action: {action!r}", f"one of {', '.join(HANDOFF_ACTIONS)}")
    id = read.optional("id")
    found = [handoffs.peek(id)] if id else list(handoffs.list(asker=caller.name))
    return answers.handed(found, "" if found else "No handoff waits.", _now())


def _catch_up(desk: Desk, read: Arguments, _: Place | None, caller: Caller) -> Answer:
    now = _now()
    return answers.caught_up(desk.memory.handoffs.catch_up(read.since(now), asker=caller.name), now)


_TOOLS = {tool.name: tool for tool in TOOLS}

_CALLS: dict[str, Callable[[Desk, Arguments, Place | None, Caller], Answer]] = {
    "recall": _recall,
    "why": _why,
    "remember": _remember,
    "revise": _revise,
    "handoff": _handoff,
    "catch_up": _catch_up,
}


_ASKING = {"recall", "why"}
"""After these an agent is told of work that waits, once."""


def _waiting(workspaces: Workspaces, desk: Desk) -> str:
    try:
        line = desk.memory.handoffs.waiting_line()
    except MemlspError:
        return ""  # the answer stands without it
    return line if line and workspaces.first_time(line) else ""


def _nudge(desk: Desk, place: Place, told: Iterable[Judgement]) -> str:
    """What is contradicted in the file of a place, whether or not it was part of the answer."""
    known = list(told)
    path = place.path
    # a file that is gone or unreadable has no findings, and the answer stands without them
    with suppress(MemlspError):
        path = desk.memory.relative(place.path, desk.base)
        known += [finding.judgement for finding in desk.memory.findings(path)]
    return answers.nudge(known, path)


def _caller(context: ServerRequestContext[dict[str, object]]) -> Caller:
    # both eras tell it: the handshake once, the envelope with each request; neither has to
    params = context.session.client_params
    name = plain(params.client_info.name, 60) if params and params.client_info else ""
    return Caller(name or "agent")


def _result(made: Answer) -> CallToolResult:
    return CallToolResult(
        content=[TextContent(type="text", text=made.text)], structured_content=made.structured, is_error=made.error
    )


def _now() -> datetime:
    return datetime.now(UTC)
