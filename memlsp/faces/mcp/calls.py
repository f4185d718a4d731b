"""Tool calls: arguments in, `Memory` calls, answers out."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import UTC, datetime

from memlsp.faces.mcp import answers, review
from memlsp.faces.mcp.answers import Answer
from memlsp.faces.mcp.arguments import Arguments
from memlsp.faces.mcp.callers import Caller
from memlsp.faces.mcp.conflicts import open_conflicts
from memlsp.faces.mcp.tools import HANDOFF_ACTIONS, TOOLS
from memlsp.faces.mcp.workspace import Desk, Workspaces
from memlsp.model.belief import RevisionAction
from memlsp.model.errors import BadValue, MemlspError, Refused
from memlsp.model.place import Place
from memlsp.model.standing import Judgement

log = logging.getLogger("memlsp.mcp")

HISTORY_SECONDS = 3.0
"""How long `why` may read git history; an agent's turn waits for it."""

HISTORY_LIMIT = 8


def answer(workspaces: Workspaces, name: str, arguments: dict[str, object], caller: Caller) -> Answer:
    """Answer one call of a known tool. Blocks; never raises: what went wrong is an answer too."""
    notices: tuple[str, ...] = ()
    try:
        read = Arguments(name, _NAMES[name], arguments)
        place = read.place()
        desk = workspaces.desk(read.optional("workspace"), place)
        notices = desk.notices
        made = CALLS[name](desk, read, place, caller)
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
    found = desk.memory.recall(
        read.text("query"),
        at=place,
        base=desk.base,
        budget=read.budget(),
        asker=caller.source,
        as_of=read.as_of(_now()),
    )
    told = [hit.judgement for hit in found.hits]
    about = _nudge(desk, place, told) if place else answers.nudge(told, "this question")
    return answers.recalled(found, about, _now(), open_conflicts(desk, [hit.judgement for hit in found.hits]))


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
        conditions=read.conditions("when"),
        because_of=read.ids("because_of"),
        expires_at=read.until(_now()),
        session=caller.session,
        base=desk.base,
    )
    about = _nudge(desk, place, [judgement]) if place else ""
    return answers.remembered(judgement, text, about, _now(), open_conflicts(desk, [judgement]))


def _revise(desk: Desk, read: Arguments, place: Place | None, caller: Caller) -> Answer:
    belief, action = read.text("id").strip(), read.word("action")
    if action in _A_PERSONS:
        raise Refused(f"only a person may {action}", "propose it with `review`, or ask the person")
    judgement = desk.memory.revise(
        belief,
        action,
        text=read.optional("text"),
        at=place,
        note=read.optional("note") or "",
        conditions=read.conditions("when") or None,
        expires_at=read.until(_now()),
        author=caller.author,
        source=caller.source,
        session=caller.session,
        base=desk.base,
    )
    about = place or next((Place(tie.path) for tie in judgement.ties), None)
    return answers.revised(judgement, belief, action, _nudge(desk, about, [judgement]) if about else "", _now())


def _review(desk: Desk, read: Arguments, _: Place | None, caller: Caller) -> Answer:
    return review.review(desk, read, caller, _now())


def _forget(desk: Desk, read: Arguments, _: Place | None, caller: Caller) -> Answer:
    return review.forget(desk, read, caller)


def _handoff(desk: Desk, read: Arguments, _: Place | None, caller: Caller) -> Answer:
    action, handoffs = read.word("action"), desk.memory.handoffs
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


_NAMES: dict[str, list[str]] = {tool.name: [*tool.input_schema["properties"]] for tool in TOOLS}

CALLS: dict[str, Callable[[Desk, Arguments, Place | None, Caller], Answer]] = {
    "recall": _recall,
    "why": _why,
    "remember": _remember,
    "revise": _revise,
    "review": _review,
    "forget": _forget,
    "handoff": _handoff,
    "catch_up": _catch_up,
}


_A_PERSONS = frozenset({RevisionAction.LOCK, RevisionAction.UNLOCK, RevisionAction.ADMIT})

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


def _now() -> datetime:
    return datetime.now(UTC)
