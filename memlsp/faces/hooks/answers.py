"""The hook's answers: whether an event has room for a context, and the context in the agent's form. Nothing here allows
a tool to run. An act is asked about or denied only where the person's own settings say so."""

from __future__ import annotations

from memlsp.faces.hooks import fields, tools
from memlsp.faces.hooks.dialects.dialect import AFTER, BEFORE, COMPACT, FAILED, PROMPT, START, SUBAGENT_START
from memlsp.faces.hooks.fields import Payload
from memlsp.faces.hooks.hook_event import WRONG, HookEvent
from memlsp.faces.hooks.results import outcome
from memlsp.memory.ingest.hook_lookup import ContextRequest

MOST = 9_500
"""Characters of a context, escaped: some agents put longer ones into a file that nobody opens."""

_LEFT_OUT = "\n[...]"

BRIEF, PROMPTED, NOTE, ACT, REMEDY, REST = "brief", "prompt", "note", "act", "remedy", "rest"


def context_request(event: HookEvent | None, records: list[Payload]) -> ContextRequest | None:
    """The context that an event with these records has room for; None for none. Never raises."""
    try:
        return _request(event, records) if event is not None else None
    except WRONG:
        return None


def answer(event: HookEvent | None, context: str, message: str = "", decision: str = "") -> str:
    """The text for standard output that gives the agent `context` and the person `message` at this event; with
    `decision` (`ask` or `deny`) the context is the reason. "" for nothing to say, and where the agent takes none. The
    context is cut to MOST characters, and opens no tag."""
    if event is None or not event.event:
        return ""
    shown = escaped(message) if event.dialect.message_key else ""
    if decision and event.phase == BEFORE:
        return event.dialect.refusal(event.event, decision, escaped(context))
    said = escaped(context) if event.dialect.takes_context(event.event, event.phase) else ""
    return event.dialect.answer(event.event, said, shown) if said or shown else ""


def escaped(context: str) -> str:
    """The context as it may stand before a model: `<` and `>` escaped, and of at most MOST characters."""
    safe = context.replace("<", "&lt;").replace(">", "&gt;").strip()
    if len(safe) <= MOST:
        return safe
    cut = safe[: MOST - len(_LEFT_OUT)]
    line = cut.rfind("\n")
    cut = cut[:line] if line > MOST // 2 else cut
    entity = cut.rfind("&")
    return (cut[:entity] if entity > len(cut) - 4 else cut) + _LEFT_OUT


def _of_kind(kind: str, event: HookEvent) -> ContextRequest:
    request = ContextRequest(kind, event.source, event.session)
    request.deferred = not event.dialect.takes_context(event.event, event.phase)
    request.apart = event.phase == SUBAGENT_START
    return request


def _request(event: HookEvent, records: list[Payload]) -> ContextRequest | None:
    if not event.event:
        return None
    takes = event.dialect.takes_context(event.event, event.phase)
    request = _wanted(event, records, takes=takes)
    if request is None and (takes or event.dialect.message_key) and not event.is_ours:
        return _of_kind(REST if takes else "", event)
    return request


def _wanted(event: HookEvent, records: list[Payload], *, takes: bool) -> ContextRequest | None:
    if event.phase in {START, COMPACT, SUBAGENT_START}:
        return _of_kind(BRIEF, event) if takes else None
    if event.phase == PROMPT:
        request = _of_kind(PROMPTED, event)
        request.prompt = fields.text(event.payload, fields.PROMPT)
        return request if request.prompt.strip() else None
    if not event.tool or event.is_ours:
        return None
    late = event.phase in {AFTER, FAILED} and BEFORE not in event.dialect.context_at
    if event.kind == tools.COMMAND:
        return _about_command(event, records[0] if records else None, late=late, takes=takes)
    if event.kind in {tools.READ, tools.EDIT}:
        return _about_files(event, late=late, takes=takes)
    return None


def _about_command(event: HookEvent, record: Payload | None, *, late: bool, takes: bool) -> ContextRequest | None:
    """The request of a command that is about to run, or ran; `late` where the agent takes no context before."""
    if not event.command or event.phase not in {BEFORE, AFTER, FAILED}:
        return None
    if event.phase == BEFORE:
        request = _of_kind(ACT, event)
    else:
        ok = record.get("ok") if record is not None else False
        told = takes and record is not None and (ok is not True or late)
        kind = (ACT if ok is True else REMEDY) if told else REST if takes else ""
        request = _of_kind(kind, event)
        request.late, request.done = told and late, ok is not False
        request.output = record.get("output") or "" if record is not None else ""
    request.command = event.command
    return request


def _about_files(event: HookEvent, *, late: bool, takes: bool) -> ContextRequest | None:
    """The request of files that are read or edited."""
    writes = event.kind == tools.EDIT
    edited = writes and event.phase == AFTER
    at = BEFORE if BEFORE in event.dialect.context_at else AFTER
    if not event.paths or not (edited or event.phase in {at, BEFORE}):
        return None
    if event.phase == AFTER and outcome(event.result, event.error)[1] is False:
        return None
    rest = REST if takes else ""
    request = _of_kind(rest if edited and not late else ACT if late and writes else NOTE, event)
    request.paths, request.late, request.writes, request.done = event.paths, late and writes, writes, edited
    if writes:
        request.old, request.new = tools.texts(event.call)
    return request
