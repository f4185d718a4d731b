"""Threads of an agent's plans and next steps: opens, follows and closes them by its later plans and messages.

An item is open until a plan says that it is done. Similar work only adds a note: whether an item was carried out
is for a person or an agent to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from attrs import evolve

from memlsp.code.syntax.unfinished import words_of
from memlsp.code.vocabulary import patterns
from memlsp.episodes.code_threads import BY_HAND, EventContext, alike
from memlsp.model.thread import Thread, ThreadKind

LONGEST = 300
"""Characters of a stored item."""

MOST = 12
"""Items of one message or plan that are stored."""

REPLACED = "a later message of the session said what comes next"

_DONE = frozenset({"done", "completed", "complete", "finished", "closed", "resolved", "x", "success", "succeeded"})
_DROPPED = frozenset({"cancelled", "canceled", "skipped", "dropped", "deleted", "removed", "abandoned", "rejected"})
_SAME_SESSION = 0.5
_OTHER_SESSION = 0.75
_NOTED = 0.6

_PATTERNS = patterns(__name__)


def plan_changes(items: Sequence[tuple[str, str]], origin: EventContext, known: Sequence[Thread]) -> tuple[Thread, ...]:
    """The new states of the `known` plan and next threads after a plan of (text, status) items, with new threads for
    the open items. An earlier word never takes back a later one."""
    left = [(" ".join(text.split()), _fate(status)) for text, status in items if words_of(text)]
    plans = [each for each in known if each.kind is ThreadKind.PLAN]
    open_ = [each for each in plans if each.is_open]
    pairs = _paired(open_, left, origin)
    states = [state for thread, (text, fate) in pairs if (state := _advanced(thread, text, fate, origin)) is not None]
    touched = {thread.id for thread in states}
    states += _replaced([thread for thread in open_ if thread.id not in touched], items, origin)
    done = [text for text, status in items if _fate(status) == "done"]
    states += _with_notes(_open_steps(known), done, origin, "a plan")
    for _, item in pairs:
        left.remove(item)
    opened = (_opened_by_plan(text, plans, origin) for text, fate in left[:MOST] if fate == "open")
    return (*states, *(thread for thread in opened if thread is not None))


def _open_steps(threads: Iterable[Thread]) -> list[Thread]:
    return [each for each in threads if each.kind is ThreadKind.NEXT and each.is_open]


def _advanced(thread: Thread, text: str, fate: str, origin: EventContext) -> Thread | None:
    """An open thread after its item of a plan; None when nothing changes."""
    if fate == "done":
        return _ended(thread, origin, f"done in the plan of {origin.source or 'an agent'}")
    if fate == "dropped":
        return _ended(thread, origin, f"taken off the plan by {origin.source or 'an agent'}")
    if _shown(text) != thread.text or thread.note:
        return evolve(thread, text=_shown(text), mark=words_of(text)[:LONGEST], note="")
    return None


def _replaced(threads: Iterable[Thread], items: Sequence[tuple[str, str]], origin: EventContext) -> list[Thread]:
    """The session's open threads that its new plan does not mention, with a note that says so."""
    note = "its plan was replaced, and does not say what became of it"
    return [
        evolve(thread, note=note)
        for thread in threads
        if items and origin.is_of(thread) and thread.note != note and thread.opened_at <= origin.at
        if not any(_is(thread, text, origin) for text, _ in items)
    ]


def _opened_by_plan(text: str, plans: Iterable[Thread], origin: EventContext) -> Thread | None:
    """The thread of an open item: a closed one reopened, or a new one; None where a later word closed it."""
    closed = [each for each in plans if each.closed_at is not None and each.mark == words_of(text)[:LONGEST]]
    mine = [each for each in closed if origin.is_of(each)]
    if _is_settled(mine, origin):
        return None
    return evolve(mine[0], closed_at=None, closed_by="") if mine else _opened(ThreadKind.PLAN, text, origin)


def message_changes(text: str, origin: EventContext, known: Sequence[Thread]) -> tuple[Thread, ...]:
    """The new states of the next-step threads after an agent's message: those that it names, and the end of those
    that only an earlier message of the session named."""
    steps = next_steps(text)
    known = [each for each in known if each.kind is ThreadKind.NEXT]
    mine = [each for each in known if origin.is_of(each)]
    if not steps or any(each.opened_at > origin.at for each in mine):
        return ()  # else a later message was read before
    open_ = _open_steps(mine)
    pairs = [(thread, step) for thread, (step, _) in _paired(open_, [(step, "open") for step in steps], origin)]
    states = [
        evolve(thread, text=_shown(step), mark=words_of(step)[:LONGEST])
        for thread, step in pairs
        if thread.text != _shown(step)
    ]
    kept = {thread.id for thread, _ in pairs}
    states += _given_up([each for each in open_ if each.id not in kept], origin)
    named = {step for _, step in pairs}
    new = [step for step in steps if step not in named and not _is_settled(_closed(known, step), origin)]
    return (*states, *(_opened(ThreadKind.NEXT, step, origin) for step in new))


def _given_up(threads: Iterable[Thread], origin: EventContext) -> list[Thread]:
    return [_ended(each, origin, REPLACED) for each in threads if each.opened_at < origin.at]


def _closed(threads: Iterable[Thread], text: str) -> list[Thread]:
    """The threads with these words that were closed."""
    return [each for each in threads if not each.is_open and each.mark == words_of(text)[:LONGEST]]


def commit_notes(subject: str, origin: EventContext, known: Sequence[Thread]) -> tuple[Thread, ...]:
    """Notes on open plan items and next steps that resemble a commit's subject."""
    return tuple(_with_notes([each for each in known if each.is_open], [subject], origin, "a commit"))


def next_steps(text: str) -> tuple[str, ...]:
    """The next steps in a message: the list below a heading such as "Next steps", or the rest of a line that begins
    so, also after other sentences; without offers and "none"."""
    found: list[str] = []
    lines = text.splitlines()
    number = 0
    fenced = False
    while number < len(lines):
        line = lines[number]
        number += 1
        if line.lstrip().startswith("```"):
            fenced = not fenced
        if fenced:
            continue
        if _PATTERNS["heading"].search(line):
            items, number = _listed(lines, number)
            found += items
            continue
        inline = _PATTERNS["inline"].search(line)
        if inline:
            parts = [part for part in _PATTERNS["part"].split(inline["text"]) if part.strip()]
            found += [step for part in parts for step in _worth(part.removesuffix(".") if len(parts) > 1 else part)]
    return tuple(dict.fromkeys(found))[:MOST]


def _listed(lines: Sequence[str], number: int) -> tuple[list[str], int]:
    items: list[str] = []
    indent: int | None = None
    while number < len(lines):
        line = lines[number]
        item = _PATTERNS["item"].match(line)
        if item is None:
            if line.strip() and not (items and line.startswith(("  ", "\t"))):
                break
            number += 1
            continue
        depth = len(item["indent"].expandtabs(4))
        indent = depth if indent is None else indent
        if depth <= indent + 1 and item["box"] not in {"x", "X"}:
            items += _worth(item["text"])
        number += 1
    return items, number


def _worth(text: str) -> Iterator[str]:
    plain = re.sub(r"[*_]{2}", "", text).strip()
    is_step = not any(_PATTERNS[name].match(plain) for name in ("nothing", "offer")) and not plain.endswith("?")
    if is_step and words_of(plain):
        yield _shown(plain)


def _paired(
    threads: Sequence[Thread], items: Sequence[tuple[str, str]], origin: EventContext
) -> list[tuple[Thread, tuple[str, str]]]:
    """Pairs of threads and their items, one to one, the most alike first."""
    scored = [
        (alike(thread.text, item[0]), -place, number)
        for number, thread in enumerate(threads)
        for place, item in enumerate(items)
        if _is(thread, item[0], origin)
    ]
    pairs: list[tuple[Thread, tuple[str, str]]] = []
    threads_left, items_left = set(range(len(threads))), set(range(len(items)))
    for _, place, number in sorted(scored, key=lambda each: (-each[0], -each[1], each[2])):
        if number in threads_left and -place in items_left:
            threads_left.discard(number)
            items_left.discard(-place)
            pairs.append((threads[number], items[-place]))
    return pairs


def _is(thread: Thread, text: str, origin: EventContext) -> bool:
    in_session = origin.is_of(thread)
    if in_session and thread.opened_at > origin.at:
        return False
    return alike(thread.text, text) >= (_SAME_SESSION if in_session else _OTHER_SESSION)


def _with_notes(threads: Iterable[Thread], done: Iterable[str], origin: EventContext, where: str) -> Iterator[Thread]:
    texts = list(done)
    for thread in threads:
        like = next((text for text in texts if alike(thread.text, text) >= _NOTED), None)
        if like is None or thread.opened_at > origin.at:
            continue
        note = f"perhaps done: {where} says \u201c{_shown(like)[:120]}\u201d"
        if thread.note != note:
            yield evolve(thread, note=note)


def _fate(status: str) -> str:
    word = status.strip().lower().replace("-", "_")
    return "done" if word in _DONE else "dropped" if word in _DROPPED else "open"


def _opened(kind: ThreadKind, text: str, origin: EventContext) -> Thread:
    mark = words_of(text)[:LONGEST]
    return origin.opened(kind, _shown(text), mark, mark)


def _ended(thread: Thread, origin: EventContext, reason: str) -> Thread:
    return evolve(thread, closed_at=origin.at, closed_by=reason, note="")


def _is_settled(closed: Iterable[Thread], origin: EventContext) -> bool:
    """True when one of these closed threads was closed by hand, or by a later word."""
    return any(
        each.closed_by.startswith(BY_HAND) or (each.closed_at is not None and each.closed_at >= origin.at)
        for each in closed
    )


def _shown(text: str) -> str:
    return " ".join(text.split())[:LONGEST]
