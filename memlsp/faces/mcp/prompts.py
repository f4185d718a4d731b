"""Prompts: messages that a person starts by name in a client, each a task (`prompts.toml`) followed by its evidence.
memlsp calls no model and needs no key: the agent that the person talks to does the thinking, and answers with the
tools. Others wrote the evidence, so it stands behind bars, and the first line says what the bars mean."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from mcp_types import Prompt, PromptArgument

from memlsp.faces.mcp.answers import conflict_text
from memlsp.faces.mcp.arguments import ToolArguments
from memlsp.faces.mcp.callers import CallingAgent
from memlsp.faces.mcp.quotes import beliefs, page, quoted
from memlsp.faces.mcp.workspace import CallTarget, ToolCall, Workspaces
from memlsp.faces.render.handoffs import catch_up_lines, within
from memlsp.faces.render.wording import age, count_of
from memlsp.model.errors import UsageError
from memlsp.model.one_line import tagless
from memlsp.model.recall import Recall, RecallOptions
from memlsp.model.standing import Judgement

MOST_TOKENS = 3_000
"""Tokens of an agent's context that the evidence of a prompt may take."""

_LONGEST = 2_000
"""Characters of a question that are read."""

_THREADS = 25
_REVIEWED = 8
_RECALLED = 30  # beliefs that a question may bring


def message(
    workspaces: Workspaces, name: str, arguments: Mapping[str, object], caller: CallingAgent
) -> tuple[Prompt, str]:
    """A prompt and its message. Blocks. Raises UsageError for an unknown name or argument, and errors of the memory."""
    known = PROMPTS.get(name)
    if known is None:
        raise UsageError(f"no prompt {tagless(name)[:60]!r}", f"there are {', '.join(PROMPTS)}")
    given = ToolArguments(name, [argument.name for argument in known.arguments or ()], arguments)
    return known, _MESSAGES[name](ToolCall(workspaces.target(None), given, caller, datetime.now(UTC)))


def _catch_up(call: ToolCall) -> str:
    found = call.target.memory.handoffs.catch_up(call.arguments.since(call.now), asker=call.caller.name)
    return _evidenced(_task("catch_up"), quoted(within(catch_up_lines(found, call.now), MOST_TOKENS)))


def _hand_off(call: ToolCall) -> str:
    title = call.arguments.optional("title")
    threads = call.target.memory.threads.open()[:_THREADS]
    left = [f"{each.kind}: {each.text}" + (f" ({each.path})" if each.path else "") for each in threads]
    return _evidenced(
        _task("hand_off") + (f" The title is: {tagless(title[:200])}" if title else ""),
        ["Open in this project:", *quoted(left)] if left else [],
    )


def _reason(call: ToolCall) -> str:
    question = call.arguments.text("question")[:_LONGEST]
    found = _recalled(call, question)
    holding = [hit.judgement for hit in found.hits if hit.judgement.holds]
    fallen = [hit.judgement for hit in found.hits if not hit.judgement.holds]
    return _evidenced(
        _task("reason", question=tagless(question)),
        _part("What still agrees with the code:", holding, call.now),
        _part("What no longer does, and why:", fallen, call.now),
        _conflicts(call.target, found),
        _work(found, call.now),
    )


def _review(call: ToolCall) -> str:
    queue = call.target.memory.review.queue()
    parts: list[list[str]] = []
    for item in queue[:_REVIEWED]:
        parts.append([f"{item.id} ({item.kind}): {tagless(item.question)} Choices: {', '.join(item.choices)}."])
        parts[-1] += beliefs(item.judgements, call.now, MOST_TOKENS // _REVIEWED)
        parts[-1] += quoted(f"evidence: {line[:300]}" for line in item.evidence[:4])
    if not parts:
        return "Nothing waits for a decision in this project. Say so."
    return _evidenced(_task("review", waiting=count_of(len(queue), "item"), shown=len(parts)), *parts)


def _recalled(call: ToolCall, question: str) -> Recall:
    target = call.target
    return target.memory.recall(
        question, RecallOptions(base=target.base, budget=MOST_TOKENS, limit=_RECALLED), asker=call.caller.source
    )


def _part(heading: str, judgements: Sequence[Judgement], now: datetime) -> list[str]:
    return [heading, *beliefs(judgements, now, MOST_TOKENS // 2)] if judgements else []


def _conflicts(target: CallTarget, found: Recall) -> list[str]:
    clashes = target.open_conflicts([hit.judgement for hit in found.hits])
    return ["What contradicts each other:", *(f"  {conflict_text(each)}" for each in clashes)] if clashes else []


def _work(found: Recall, now: datetime) -> list[str]:
    lines = [
        f"{each.id[:10]} {age(each.at, now)}, {each.who}: {each.title}"
        + (f" ({', '.join(each.symbols[:4])})" if each.symbols else "")
        for each in found.work
    ]
    return ["What was done:", *quoted(lines)] if lines else []


def _evidenced(task: str, *parts: Sequence[str]) -> str:
    evidence = page(*parts)
    return f"{task}\n\n{evidence}" if any(parts) else f"{task}\n\nNothing of it is remembered."


def _task(name: str, **values: object) -> str:
    return str(_TEXTS[name]["task"]).format(**values)


def _prompt(name: str, text: Mapping[str, Any]) -> Prompt:
    arguments = [
        PromptArgument(name=each, description=about, required=each in text.get("required", ()))
        for each, about in text.get("arguments", {}).items()
    ]
    return Prompt(name=name, title=text["title"], description=text["description"], arguments=arguments)


_TEXTS: dict[str, dict[str, Any]] = tomllib.loads(Path(__file__).with_name("prompts.toml").read_text("utf-8"))
_MESSAGES: Mapping[str, Callable[[ToolCall], str]] = {
    "catch_up": _catch_up,
    "hand_off": _hand_off,
    "reason": _reason,
    "review": _review,
}

PROMPTS = {name: _prompt(name, text) for name, text in _TEXTS.items()}
"""By name, in the order in which clients show them."""
