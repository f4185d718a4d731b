"""The tools `review` and `forget`: decide what waits, and erase what must not be kept. `Memory` rules what an agent may
decide; a refusal comes back with its reason."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from memlsp.faces.mcp.answers import Answer, finish
from memlsp.faces.mcp.quotes import Json, JsonObject, belief_object, belief_text
from memlsp.faces.mcp.workspace import ToolCall
from memlsp.faces.render.handoffs import within
from memlsp.faces.render.wording import count_of
from memlsp.memory.check.check_process import findings_of
from memlsp.model.audit import ErasureReceipt, Preview, Selector, SelectorKind
from memlsp.model.errors import UsageError
from memlsp.model.one_line import tagless
from memlsp.model.review import CodeChange, Decision, ReviewItem

LIST_TOKENS = 1_200
"""Tokens of an agent's context that the list may take."""

_SHOWN = 5
_EVIDENCE = 4
_CODE = 40  # lines of changed code
_GOING = 10  # beliefs that a preview names


def review(call: ToolCall) -> Answer:
    """List what waits, show one item, or decide."""
    reviewing, arguments, now = call.target.memory.review, call.arguments, call.now
    id, choice = arguments.optional("id"), (arguments.optional("choice") or "").strip().lower()
    by = call.caller.identify(arguments.optional("note") or "")
    if choice == "undo":
        undone = reviewing.undo(author=by.author, source=by.source, session=by.session)
        said = f"Undone: {undone.choice} of {undone.item}."
        return finish({"undone": undone.choice, "item": undone.item}, [said])
    if choice == "changed":
        return _broken(call)
    if choice == "propose" and id is None:
        made = reviewing.propose(arguments.text("text"), by=by)
        words = f"Proposed as {made.belief.id}: a person decides. Tell them."
        return finish({"proposed": belief_object(made, now)}, [words])
    if choice:
        decision = reviewing.settle(
            arguments.text("id").strip(),
            choice,
            arguments.optional("text"),
            conditions=arguments.conditions("when") or None,
            by=by,
        )
        return _decided(decision, now)
    if id is not None:
        item = reviewing.item(id.strip())
        return _item(item, reviewing.changes(item), now)
    return _queue(reviewing.queue(), now)


def _queue(found: Sequence[ReviewItem], now: datetime) -> Answer:
    shown: list[ReviewItem] = []
    blocks: list[str] = []
    room = LIST_TOKENS * 4
    for item in found[:_SHOWN]:
        lines = _lines(item, now)
        room -= sum(len(line.encode("utf-8", "replace")) + 1 for line in lines)
        if shown and room < 0:
            break
        shown.append(item)
        blocks += lines
    head = (
        f"{count_of(len(found), 'decision')} to make; the {len(shown)} that matter most:" if found else "Nothing waits."
    )
    structured: JsonObject = {"waiting": len(found), "items": [_object(item, now) for item in shown]}
    return finish(structured, [head, *blocks], quotes=bool(shown))


def _broken(call: ToolCall) -> Answer:
    """What the change that is not committed yet breaks: beliefs, and lines of documents."""
    memory = call.target.memory
    files = memory.diff(base=memory.workspace.root).files
    touched = [each for file in files for each in (*file.beliefs, *(b for one in file.changes for b in one.beliefs))]
    broken = {each.judgement.belief.id: each.judgement for each in touched}
    found = findings_of(memory.workspace.root, "--changed")
    lines = [line for each in broken.values() for line in belief_text(each, call.now).splitlines()]
    said = [f"{each['path']}:{each['line']} {each['message']}: “{each['statement']}”" for each in found]
    structured: JsonObject = {
        "beliefs": [belief_object(each, call.now) for each in broken.values()],
        "documents": [
            {key: tagless(str(each[key])) for key in ("path", "line", "message", "statement")} for each in found
        ],
    }
    head = (
        f"Since HEAD: {count_of(len(broken), 'belief')} and {count_of(len(found), 'line')} of documents no longer hold."
    )
    return finish(structured, [head, *within([*lines, *map(tagless, said)], LIST_TOKENS)], quotes=bool(broken or found))


def _item(item: ReviewItem, changes: Sequence[CodeChange], now: datetime) -> Answer:
    code: list[str] = []
    for change in changes:
        if change.lines:
            code.append(f"Code then and now, {tagless(change.was)}:")
            code += [f"  | {safe_code(line)}" for line in change.lines]
    shown = within(code, 800)
    structured = _object(item, now)
    if code:
        structured["code"] = [*shown[: _CODE + len(changes)]]
    return finish(structured, [*_lines(item, now), *shown[: _CODE + len(changes)]], quotes=True)


def _lines(item: ReviewItem, now: datetime) -> list[str]:
    lines = [f"{item.id} ({item.kind}): {tagless(item.question)} Choices: {', '.join(item.choices)}, propose."]
    for judgement in item.judgements:
        lines += [f"  {line}" for line in belief_text(judgement, now).splitlines()]
    lines += [f"    | {tagless(line)[:300]}" for line in item.evidence[:_EVIDENCE]]
    return lines


def _object(item: ReviewItem, now: datetime) -> JsonObject:
    return {
        "id": item.id,
        "kind": str(item.kind),
        "question": tagless(item.question),
        "choices": [*item.choices, "propose"],
        "beliefs": [belief_object(judgement, now) for judgement in item.judgements],
        "evidence": [tagless(line)[:300] for line in item.evidence[:_EVIDENCE]],
    }


def _decided(decision: Decision, now: datetime) -> Answer:
    structured: JsonObject = {"decided": decision.choice, "item": decision.item}
    blocks = [f"{decision.choice}: {decision.item}. choice=undo takes it back."]
    if decision.choice == "propose":
        blocks = ["Proposed: a person decides. Tell them."]
    if decision.judgement is not None:
        structured["belief"] = belief_object(decision.judgement, now)
        blocks.append(belief_text(decision.judgement, now))
    return finish(structured, blocks, quotes=True)


def forget(call: ToolCall) -> Answer:
    """Show what would be erased; with `confirm` erase it."""
    caller, forgetting = call.caller, call.target.memory.forgetting
    id, session = call.arguments.optional("id"), call.arguments.optional("session")
    if (id is None) == (session is None):
        raise UsageError("forget takes an id, or session", "session=this is all that you left")
    if session is not None:
        named = session.strip()
        selector = Selector(SelectorKind.SESSION, caller.session if named.lower() == "this" else named)
    else:
        selector = Selector(SelectorKind.BELIEF, (id or "").strip())
    if not call.arguments.flag("confirm"):
        return _preview(forgetting.preview(selector, author=caller.author, session=caller.session))
    return _forgotten(forgetting.forget(selector, author=caller.author, source=caller.source, session=caller.session))


def _preview(found: Preview) -> Answer:
    going: list[Json] = [belief.id for belief in found.beliefs[:_GOING]]
    structured: JsonObject = {"would_go": going, "beliefs": len(found.beliefs), "others": dict(found.others)}
    if found.refused:
        structured["refused"] = tagless(found.refused)
        return finish(structured, [f"You may not: {tagless(found.refused)}. A person runs `memlsp forget`."])
    if found.is_empty:
        return finish(structured, ["There is nothing of that to forget."])
    others = ", ".join(f"{number} {what}" for what, number in found.others)
    words = f"{count_of(len(found.beliefs), 'belief')} would go for good"
    said = f"{words} ({', '.join(str(each) for each in going)})" if going else words
    return finish(structured, [f"{said}{f', and {others}' if others else ''}. Nothing is gone yet: confirm does it."])


def _forgotten(done: ErasureReceipt) -> Answer:
    removed = ", ".join(f"{number} {what}" for what, number in done.removed)
    structured: JsonObject = {"removed": dict(done.removed), "searched": done.searched, "left": len(done.left)}
    found = "none of them holds it any more"
    if done.left:
        found = f"{count_of(len(done.left), 'file')} may still hold it: a person runs `memlsp doctor`"
    return finish(structured, [f"Gone for good: {removed}. {count_of(done.searched, 'file')} were searched; {found}."])


def safe_code(line: str) -> str:
    """Escape a line of code so that it can open no tag, and keep its indentation."""
    body = line.lstrip(" ")
    return " " * min(len(line) - len(body), 40) + tagless(body)
