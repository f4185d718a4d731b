"""Answers tool calls: reads the arguments, calls `Memory`, and shapes the answer."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime

from memlsp.faces.mcp import answers, review
from memlsp.faces.mcp.answers import Answer
from memlsp.faces.mcp.arguments import ToolArguments
from memlsp.faces.mcp.callers import CallingAgent
from memlsp.faces.mcp.tools import HANDOFF_ACTIONS, TOOLS
from memlsp.faces.mcp.workspace import CallTarget, ToolCall, Workspaces
from memlsp.model.belief import Limits, RevisionAction
from memlsp.model.errors import BadValue, MemlspError, Refused
from memlsp.model.handoff import HandoffNotes
from memlsp.model.place import Place
from memlsp.model.recall import RecallOptions
from memlsp.model.standing import Judgement

log = logging.getLogger("memlsp.mcp")

HISTORY_SECONDS = 3.0
"""Time that `why` may spend on git history; the agent's turn waits for it."""

HISTORY_LIMIT = 8


def answer(workspaces: Workspaces, name: str, arguments: dict[str, object], caller: CallingAgent) -> Answer:
    """Answer one call of a known tool. Blocks. Never raises: an error becomes an answer too."""
    notices: tuple[str, ...] = ()
    try:
        given = ToolArguments(name, _NAMES[name], arguments)
        target = workspaces.target(given.optional("workspace"), given.place())
        notices = target.notices
        made = CALLS[name](ToolCall(target, given, caller, datetime.now(UTC)))
        if name in _ASKING:
            made = answers.waiting(made, _waiting(workspaces, target))
    except MemlspError as error:
        made = answers.refused(error)
    except OSError as error:  # a folder without permission, say
        made = answers.refused(MemlspError(str(error)))
    except Exception:  # a fault in one call must not end the connection
        log.exception("%s failed", name)
        made = answers.broken()
    for notice in notices:
        log.warning("%s", notice)
    return answers.noticed(made, notices)


def _recall(call: ToolCall) -> Answer:
    arguments, target, place = call.arguments, call.target, call.arguments.place()
    found = target.memory.recall(
        arguments.text("query"),
        RecallOptions(
            at=place,
            base=target.base,
            budget=arguments.budget(),
            as_of=arguments.as_of(call.now),
            session=call.caller.session_key,
        ),
        asker=call.caller.source,
    )
    judgements = [hit.judgement for hit in found.hits]
    about = _nudge(target, place, judgements) if place else answers.nudge(judgements, "this question")
    return answers.recalled(found, about, call.now, target.open_conflicts(judgements))


def _why(call: ToolCall) -> Answer:
    target = call.target
    place = call.arguments.place() or Place.parse(call.arguments.text("place"))
    why = target.memory.why(place, base=target.base, history_limit=HISTORY_LIMIT, history_deadline=HISTORY_SECONDS)
    nudge = _nudge(target, place, why.beliefs)
    made = answers.explained(why, nudge, call.now, target.open_conflicts(why.beliefs))
    return _recorded(call, "why", made, str(why.place), [judgement.belief.id for judgement in why.beliefs])


def _recorded(call: ToolCall, surface: str, made: Answer, about: str = "", beliefs: Sequence[str] = ()) -> Answer:
    """Write a receipt of an answer, and return the answer."""
    caller = call.caller
    call.target.memory.record_telling(
        surface, beliefs, made.text, asker=caller.source, session=caller.session_key, about=about
    )
    return made


def _remember(call: ToolCall) -> Answer:
    arguments, target = call.arguments, call.target
    text, place, guard = arguments.text("text"), arguments.place(), arguments.optional("guard")
    judgement = target.memory.remember(
        text,
        at=[place] if place else [],
        kind=arguments.kind(),
        guards=[guard] if guard else [],
        because_of=arguments.ids("because_of"),
        limits=Limits(
            scope=arguments.scope(),
            conditions=tuple(arguments.conditions("when")),
            expires_at=arguments.until(call.now),
        ),
        by=call.caller.identify(folder=target.base),
    )
    about = _nudge(target, place, [judgement]) if place else ""
    return answers.remembered(judgement, text, about, call.now, target.open_conflicts([judgement]))


def _revise(call: ToolCall) -> Answer:
    arguments, target = call.arguments, call.target
    place = arguments.place()
    belief, action = arguments.text("id").strip(), arguments.word("action")
    if action in _PERSONS_ONLY:
        raise Refused(f"only a person may {action}", "propose it with `review`, or ask the person")
    judgement = target.memory.revise(
        belief,
        action,
        text=arguments.optional("text"),
        at=place,
        limits=Limits(conditions=tuple(arguments.conditions("when")) or None, expires_at=arguments.until(call.now)),
        by=call.caller.identify(arguments.optional("note") or "", target.base),
    )
    about = place or next((Place(tie.path) for tie in judgement.ties), None)
    nudge = _nudge(target, about, [judgement]) if about else ""
    return answers.revised(judgement, belief, action, nudge, call.now)


def _handoff(call: ToolCall) -> Answer:
    arguments, handoffs, asker = call.arguments, call.target.memory.handoffs, call.caller.name
    action = arguments.word("action")
    if action == "write":
        left = handoffs.write(
            arguments.text("title"),
            HandoffNotes(
                done=arguments.texts("done"),
                questions=arguments.texts("questions"),
                next_steps=arguments.texts("next"),
                places=arguments.texts("places"),
                stuck=arguments.optional("stuck") or "",
            ),
            by=asker,
        )
        return answers.handed([left], f"Left as {left.id}, until {left.expires_at:%Y-%m-%d}.", call.now)
    if action == "claim":
        taken = handoffs.claim(arguments.text("id"), asker)
        return _recorded(call, "handoff", answers.handed([taken], f"{taken.id} is yours; others see it.", call.now))
    if action != "peek":
        raise BadValue(f"not an action: {action!r}", f"one of {', '.join(HANDOFF_ACTIONS)}")
    id = arguments.optional("id")
    found = [handoffs.peek(id)] if id else list(handoffs.list(asker=asker))
    return _recorded(call, "handoff", answers.handed(found, "" if found else "No handoff waits.", call.now))


def _catch_up(call: ToolCall) -> Answer:
    since = call.arguments.since(call.now)
    found = call.target.memory.handoffs.catch_up(since, asker=call.caller.name)
    ids = [judgement.belief.id for judgement in (*(each.judgement for each in found.decided), *found.fallen)]
    return _recorded(call, "catch-up", answers.caught_up(found, call.now), beliefs=list(dict.fromkeys(ids)))


_NAMES: dict[str, list[str]] = {tool.name: [*tool.input_schema["properties"]] for tool in TOOLS}

CALLS: dict[str, Callable[[ToolCall], Answer]] = {
    "recall": _recall,
    "why": _why,
    "remember": _remember,
    "revise": _revise,
    "review": review.review,
    "forget": review.forget,
    "handoff": _handoff,
    "catch_up": _catch_up,
}

_PERSONS_ONLY = frozenset({RevisionAction.LOCK, RevisionAction.UNLOCK, RevisionAction.ADMIT})

_ASKING = {"recall", "why"}
"""Tools whose answers mention waiting work, once."""


def _waiting(workspaces: Workspaces, target: CallTarget) -> str:
    try:
        line = target.memory.handoffs.waiting_line()
    except MemlspError:
        return ""  # the answer stands without it
    return line if line and workspaces.first_time(line) else ""


def _nudge(target: CallTarget, place: Place, served: Iterable[Judgement]) -> str:
    """Name the contradicted beliefs of the place's file, whether or not the answer holds them."""
    known, path = list(served), place.path
    with suppress(MemlspError):  # a missing or unreadable file has no findings, and the answer stands without them
        path = target.memory.relative(place.path, target.base)
        known += [finding.judgement for finding in target.memory.findings(path)]
    return answers.nudge(known, path)
