"""Prompts: messages that a person starts by name in a client, each a task followed by the evidence for it.

memlsp calls no model and needs no key: the agent that the person talks to does the thinking, and answers with the
tools. Others wrote the evidence, so it stands behind bars, and the first line says what the bars mean.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime

from attrs import frozen
from mcp_types import Prompt, PromptArgument

from memlsp.faces.mcp.answers import conflict_text
from memlsp.faces.mcp.arguments import ToolArguments
from memlsp.faces.mcp.callers import CallingAgent
from memlsp.faces.mcp.quotes import beliefs, page, quoted, safe
from memlsp.faces.mcp.workspace import CallTarget, ToolCall, Workspaces
from memlsp.faces.render.handoffs import catch_up_lines, within
from memlsp.faces.render.wording import age, count_of
from memlsp.model.errors import UsageError
from memlsp.model.recall import Recall
from memlsp.model.standing import Judgement

MOST_TOKENS = 3_000
"""Tokens of an agent's context that the evidence of a prompt may take."""

_LONGEST = 2_000
"""Characters of a question that are call.arguments."""

_THREADS = 25
_REVIEWED = 8
_RECALLED = 30  # beliefs that a question may bring


@frozen
class PromptDefinition:
    """One prompt as a client lists it, and the function that writes its message."""

    prompt: Prompt
    message: Callable[[ToolCall], str]


def message(
    workspaces: Workspaces, name: str, arguments: Mapping[str, object], caller: CallingAgent
) -> tuple[Prompt, str]:
    """A prompt and its message. Blocks. Raises UsageError for an unknown name or argument, and errors of the memory."""
    known = PROMPTS.get(name)
    if known is None:
        raise UsageError(f"no prompt {safe(name)[:60]!r}", f"there are {', '.join(PROMPTS)}")
    given = ToolArguments(name, [argument.name for argument in known.prompt.arguments or ()], arguments)
    return known.prompt, known.message(ToolCall(workspaces.target(None), given, caller, datetime.now(UTC)))


# --- the prompts ---------------------------------------------------------------------------------------------------


def _catch_up(call: ToolCall) -> str:
    found = call.target.memory.handoffs.catch_up(call.arguments.since(call.now), asker=call.caller.name)
    return _evidenced(
        "Tell me what happened in this project while I was away: what was done and decided, what no longer holds, what "
        "is open. Begin with what needs me. Say of each belief that no longer holds what the code does now, and "
        "offer to settle it with `revise`. If a handoff waits, offer to `claim` it. Do nothing yet.",
        quoted(within(catch_up_lines(found, call.now), MOST_TOKENS)),
    )


def _hand_off(call: ToolCall) -> str:
    title = call.arguments.optional("title")
    threads = call.target.memory.threads.open()[:_THREADS]
    left = [f"{each.kind}: {each.text}" + (f" ({each.path})" if each.path else "") for each in threads]
    return _evidenced(
        "Leave what you are working at for whoever comes next: call `handoff` with action `write` once. title: the "
        "task in one line. done: what is finished and how you know. questions: what only a person can answer. next: "
        "the next steps, most important first, each with its place. places: PATH#Name of what matters. stuck: the "
        "failing command and its error, if there is one. Write only what this conversation or the code shows. Before "
        "that, `remember` what was decided on the way and the code alone does not say."
        + (f" The title is: {safe(title[:200])}" if title else ""),
        ["Open in this project:", *quoted(left)] if left else [],
    )


def _consolidate(call: ToolCall) -> str:
    topic = (call.arguments.optional("topic") or "")[:_LONGEST]
    groups = call.target.memory.consolidation.groups(topic, asker=call.caller.source)
    parts: list[list[str]] = []
    room = MOST_TOKENS // max(len(groups), 1)
    for number, group in enumerate(groups, 1):
        parts.append([f"Group {number}:", *beliefs(group, call.now, room)])
    if not parts:
        parts = [["Nothing that is remembered says the same thing twice."]]
    return _evidenced(
        "Below are statements that say much the same. Go through them group by group. Where they say one thing, "
        "`revise` the best one with supersede, so that it says all that is true, and retire the others with the note "
        "that names it. Where one is only more precise, keep that one. Where they hold under different conditions, "
        "leave them and say under which. Check against the code first (`why`), never merge what a person locked, and "
        "invent nothing that none of them says. List what you did, by id.",
        *parts,
    )


def _reason(call: ToolCall) -> str:
    question = call.arguments.text("question")[:_LONGEST]
    found = _recalled(call, question)
    holding = [hit.judgement for hit in found.hits if hit.judgement.standing.holds]
    fallen = [hit.judgement for hit in found.hits if not hit.judgement.standing.holds]
    return _evidenced(
        f"Reason about this question from what is stored: {safe(question)}\n"
        "First the case for, then the case against, each claim with the id or commit that it rests on. Weigh who said "
        "it, whether the code still agrees, and what it depends on; that many say it is no argument, and neither is "
        "that it is new. Then your answer, how sure you are, and what evidence would change it. Where nothing below "
        "bears on a point, say so instead of filling it in. Look at the code with `why` where it can decide.",
        _part("What still agrees with the code:", holding, call.now),
        _part("What no longer does, and why:", fallen, call.now),
        _conflicts(call.target, found),
        _work(found, call.now),
    )


def _wonder(call: ToolCall) -> str:
    topic = call.arguments.text("topic")[:_LONGEST]
    found = _recalled(call, topic)
    words = {word for word in topic.lower().split() if len(word) > 3}
    threads = [
        f"{each.kind}: {each.text} ({each.path or 'no place'})"
        for each in call.target.memory.threads.open()
        if any(word in f"{each.text} {each.path} {each.symbol}".lower() for word in words)
    ][:_THREADS]
    silent = _silent_places(call.target, found)
    return _evidenced(
        f"What do we not know about this: {safe(topic)}\n"
        "Read what is known below and find the gaps: decisions without a reason, values without a source, code that "
        "was changed again and again of which nothing is remembered, beliefs that nobody has confirmed, questions "
        "that were left open. Give the five gaps that would cost most if somebody guessed wrong, each as one question, "
        "with where to look or whom to ask. Answer none of them by guessing. When I answer one, leave it with "
        "`remember`.",
        _part("What is known:", [hit.judgement for hit in found.hits], call.now),
        _conflicts(call.target, found),
        _work(found, call.now),
        ["Changed, and nothing is remembered of it:", *quoted(silent)] if silent else [],
        ["Left open:", *quoted(threads)] if threads else [],
    )


def _review(call: ToolCall) -> str:
    queue = call.target.memory.review.queue()
    parts: list[list[str]] = []
    for item in queue[:_REVIEWED]:
        parts.append([f"{item.id} ({item.kind}): {safe(item.question)} Choices: {', '.join(item.choices)}."])
        parts[-1] += beliefs(item.judgements, call.now, MOST_TOKENS // _REVIEWED)
        parts[-1] += quoted(f"evidence: {line[:300]}" for line in item.evidence[:4])
    if not parts:
        return "Nothing waits for a decision in this project. Say so."
    return _evidenced(
        f"Go through what waits for a decision with me: {count_of(len(queue), 'item')}, of which the first "
        f"{len(parts)} are below, worst first. For each: look at the code, say in two sentences what is at stake and "
        "what you would decide, and ask me. What agents said you may settle with `review` (id, choice) once I agree; "
        "what people said, and every proposal, I decide myself with `memlsp review`: there give your advice and no "
        "more. One at a time.",
        *parts,
    )


# --- pieces --------------------------------------------------------------------------------------------------------


def _recalled(call: ToolCall, question: str) -> Recall:
    target = call.target
    return target.memory.recall(
        question, base=target.base, budget=MOST_TOKENS, limit=_RECALLED, asker=call.caller.source
    )


def _part(heading: str, judgements: Sequence[Judgement], now: datetime) -> list[str]:
    return [heading, *beliefs(judgements, now, MOST_TOKENS // 2)] if judgements else []


def _conflicts(target: CallTarget, found: Recall) -> list[str]:
    """Which of what was found contradict each other."""
    clashes = target.open_conflicts([hit.judgement for hit in found.hits])
    return ["What contradicts each other:", *(f"  {conflict_text(each)}" for each in clashes)] if clashes else []


def _work(found: Recall, now: datetime) -> list[str]:
    """What was done that bears on the question."""
    lines = [
        f"{each.id[:10]} {age(each.at, now)}, {each.who}: {each.title}"
        + (f" ({', '.join(each.symbols[:4])})" if each.symbols else "")
        for each in found.work
    ]
    return ["What was done:", *quoted(lines)] if lines else []


def _silent_places(target: CallTarget, found: Recall) -> list[str]:
    """The symbols that this work changed and that carry no belief, most often changed first."""
    often: dict[str, int] = {}
    for each in found.work:
        for symbol in each.symbols:
            often[symbol] = often.get(symbol, 0) + 1
    silent: list[str] = []
    for symbol, times in sorted(often.items(), key=lambda item: (-item[1], item[0]))[:_THREADS]:
        path, _, name = symbol.partition("#")
        if not any(tie.symbol == name for judgement in target.memory.about(path) for tie in judgement.ties):
            silent.append(f"{symbol} ({count_of(times, 'time')})")
    return silent


def _evidenced(task: str, *parts: Sequence[str]) -> str:
    evidence = page(*parts)
    return f"{task}\n\n{evidence}" if any(parts) else f"{task}\n\nNothing of it is remembered."


def _define(
    name: str, title: str, description: str, message: Callable[[ToolCall], str], *arguments: PromptArgument
) -> PromptDefinition:
    return PromptDefinition(Prompt(name=name, title=title, description=description, arguments=list(arguments)), message)


def _argument(name: str, description: str, *, required: bool = False) -> PromptArgument:
    return PromptArgument(name=name, description=description, required=required)


PROMPTS: dict[str, PromptDefinition] = {
    each.prompt.name: each
    for each in (
        _define(
            "catch_up",
            "Catch up",
            "What was done and decided while you were away, what no longer holds, what is open.",
            _catch_up,
            _argument("since", "2026-11-20, or 3h, 2d, 4w ago; by default since you were last here"),
        ),
        _define(
            "hand_off",
            "Hand off",
            "Leave the work of this conversation for whoever goes on with it.",
            _hand_off,
            _argument("title", "the task in one line"),
        ),
        _define(
            "consolidate",
            "Consolidate",
            "Say once what is remembered several times over; you see what is changed.",
            _consolidate,
            _argument("topic", "what it is about; by default the newest memories"),
        ),
        _define(
            "reason",
            "Reason for and against",
            "Argue a question for and against from what is stored, each claim with its evidence.",
            _reason,
            _argument("question", "what is to be decided", required=True),
        ),
        _define(
            "wonder",
            "Wonder",
            "What we do not know about a topic, and whom or what to ask.",
            _wonder,
            _argument("topic", "what it is about", required=True),
        ),
        _define(
            "review",
            "Review",
            "Go through what waits for a decision, worst first, with the evidence.",
            _review,
        ),
    )
}
"""By name, in the order in which clients show them."""
