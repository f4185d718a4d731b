"""Plans and next steps: what an agent said that it would do, and what became of it.

An item is open until a plan says that it is done. That something like it was done is a note and no proof: whether a
sentence was carried out is for a person or an agent to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from attrs import evolve

from memlsp.code.syntax.unfinished import words_of
from memlsp.episodes.code_threads import BY_HAND, EventContext, alike, thread_id
from memlsp.model.thread import Thread, ThreadKind

LONGEST = 300
"""Characters of an item that are kept."""

MOST = 12
"""Items of one message, or of one plan, that are kept."""

REPLACED = "a later message of the session said what comes next"

_DONE = frozenset({"done", "completed", "complete", "finished", "closed", "resolved", "x", "success", "succeeded"})
_DROPPED = frozenset({"cancelled", "canceled", "skipped", "dropped", "deleted", "removed", "abandoned", "rejected"})
_SAME_SESSION = 0.5
_OTHER_SESSION = 0.75
_NOTED = 0.6

_THINGS = r"(?: (?:work|tasks?|items?|steps?|issues?|to-?dos?))?"
_AHEAD = (
    rf"next steps?|next up|to-?do next|to-?dos? (?:next|left|remaining)|remaining{_THINGS}|outstanding{_THINGS}"
    rf"|follow-?ups?{_THINGS}|open (?:tasks|items|to-?dos|ends)|unfinished{_THINGS}"
    r"|what(?:'s|\u2019s| is) (?:next|left|remaining|still open)|still (?:to do|to-?do|open|left|missing|remaining)"
    r"|left to do|not (?:yet )?done(?: yet)?"
)
_CHOICE = r"(?:(?:recommended|suggested|possible|immediate|my|the|some) )?"
_LINK = r"(?: \([^)]{0,60}\)| (?:are|is|would be|include)| (?:for|if) [^:\n]{1,40})?"
_EMPHASIS = r"(?:[*_]{1,2})?"
_HEADING = re.compile(
    rf"^[#>\s]*{_EMPHASIS}(?:\W{{1,3}}\s)?{_CHOICE}(?:{_AHEAD}){_LINK}{_EMPHASIS}\s*:?\s*{_EMPHASIS}\s*$", re.IGNORECASE
)
_INLINE = re.compile(
    rf"^[#>\s*_-]*{_CHOICE}(?:{_AHEAD})\s*{_EMPHASIS}\s*(?::|\u2014| - )\s*{_EMPHASIS}\s*(?P<text>\S.*)$", re.IGNORECASE
)
_ITEM = re.compile(r"^(?P<indent>\s*)(?:[-*+\u2022]|\d{1,2}[.)])\s+(?:\[(?P<box>[ xX])\]\s+)?(?P<text>\S.*)$")
_NOTHING = re.compile(
    r"^(?:none|nothing|n/?a|no (?:further|more|remaining|outstanding)|all (?:done|complete|set)|-+)\b", re.IGNORECASE
)
_OFFER = re.compile(
    r"^(?:let me know|feel free|would you like|do you want|shall i|should i|want me to|happy to|just (?:say|tell)"
    r"|if you(?:'d| would)? (?:like|want|prefer|need)|i can (?:also )?|you (?:can|could|may|might) (?:also )?"
    r"|optional(?:ly)?\b|\(optional\))",
    re.IGNORECASE,
)


def plan_changes(items: Sequence[tuple[str, str]], origin: EventContext, known: Sequence[Thread]) -> tuple[Thread, ...]:
    """What a plan, as it stands now, does to the threads of kind plan and next that are `known`: their new states,
    and new threads for what it leaves open. A later word is never taken back by an earlier one."""
    left = [(" ".join(text.split()), _fate(status)) for text, status in items if words_of(text)]
    states: list[Thread] = []
    plans = [each for each in known if each.kind is ThreadKind.PLAN]
    open_ = [each for each in plans if each.is_open]
    for thread, (text, fate) in _paired(open_, left, origin):
        left.remove((text, fate))
        if fate == "done":
            states.append(_ended(thread, origin, f"done in the plan of {origin.source or 'an agent'}"))
        elif fate == "dropped":
            states.append(_ended(thread, origin, f"taken off the plan by {origin.source or 'an agent'}"))
        elif _shown(text) != thread.text or thread.note:
            states.append(evolve(thread, text=_shown(text), mark=words_of(text)[:LONGEST], note=""))
    done = [text for text, status in items if _fate(status) == "done"]
    touched = {thread.id for thread in states}
    for thread in open_:
        in_session = (thread.source, thread.session) == (origin.source, origin.session)
        if thread.id not in touched and in_session and not any(_is(thread, text, origin) for text, _ in items):
            note = "its plan was replaced, and does not say what became of it"
            if items and thread.note != note and thread.opened_at <= origin.at:
                states.append(evolve(thread, note=note))
    states += _noted([each for each in known if each.kind is ThreadKind.NEXT and each.is_open], done, origin, "a plan")
    for text, fate in left[:MOST]:
        if fate != "open":
            continue
        later = [each for each in plans if each.closed_at is not None and each.mark == words_of(text)[:LONGEST]]
        mine = [each for each in later if (each.source, each.session) == (origin.source, origin.session)]
        if any(each.closed_by.startswith(BY_HAND) or _after(each.closed_at, origin) for each in mine):
            continue
        if mine:
            states.append(evolve(mine[0], closed_at=None, closed_by=""))
        else:
            states.append(_opened(ThreadKind.PLAN, text, origin))
    return tuple(states)


def message_changes(text: str, origin: EventContext, known: Sequence[Thread]) -> tuple[Thread, ...]:
    """What an agent's message does to the threads of kind next: those that it names, and the end of those that an
    earlier message of the session named and this one, which has others, does not."""
    steps = next_steps(text)
    if not steps:
        return ()
    states: list[Thread] = []
    known = [each for each in known if each.kind is ThreadKind.NEXT]
    mine = [each for each in known if (each.source, each.session) == (origin.source, origin.session)]
    if any(each.opened_at > origin.at for each in mine):
        return ()  # a later message has spoken
    left = [(step, "open") for step in steps]
    open_ = [each for each in mine if each.is_open]
    kept: set[str] = set()
    for thread, (step, fate) in _paired(open_, left, origin):
        left.remove((step, fate))
        kept.add(thread.id)
        if thread.text != _shown(step):
            states.append(evolve(thread, text=_shown(step), mark=words_of(step)[:LONGEST]))
    states += [_ended(each, origin, REPLACED) for each in open_ if each.id not in kept and each.opened_at < origin.at]
    for step, _ in left:
        closed = [each for each in known if not each.is_open and each.mark == words_of(step)[:LONGEST]]
        if not any(each.closed_by.startswith(BY_HAND) or _after(each.closed_at, origin) for each in closed):
            states.append(_opened(ThreadKind.NEXT, step, origin))
    return tuple(states)


def commit_notes(subject: str, origin: EventContext, known: Sequence[Thread]) -> tuple[Thread, ...]:
    """Notes on open plan items and next steps that a commit's subject sounds like."""
    return tuple(_noted([each for each in known if each.is_open], [subject], origin, "a commit"))


def next_steps(text: str) -> tuple[str, ...]:
    """What a message says that comes next: the list below a heading such as "Next steps", or the rest of a line that
    begins so. What is offered rather than left, and "none", is left out."""
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
        if _HEADING.match(line):
            items, number = _listed(lines, number)
            found += items
            continue
        inline = _INLINE.match(line)
        if inline:
            found += _worth(inline["text"])
    return tuple(dict.fromkeys(found))[:MOST]


def _listed(lines: Sequence[str], number: int) -> tuple[list[str], int]:
    items: list[str] = []
    indent: int | None = None
    while number < len(lines):
        line = lines[number]
        item = _ITEM.match(line)
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
    if words_of(plain) and not _NOTHING.match(plain) and not _OFFER.match(plain) and not plain.endswith("?"):
        yield _shown(plain)


def _paired(
    threads: Sequence[Thread], items: Sequence[tuple[str, str]], origin: EventContext
) -> list[tuple[Thread, tuple[str, str]]]:
    """Threads and items that are the same, one to one, the most alike first."""
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
    in_session = (thread.source, thread.session) == (origin.source, origin.session)
    if in_session and thread.opened_at > origin.at:
        return False
    return alike(thread.text, text) >= (_SAME_SESSION if in_session else _OTHER_SESSION)


def _noted(threads: Iterable[Thread], done: Iterable[str], origin: EventContext, where: str) -> list[Thread]:
    texts = list(done)
    noted: list[Thread] = []
    for thread in threads:
        like = next((text for text in texts if alike(thread.text, text) >= _NOTED), None)
        if like is None or thread.opened_at > origin.at:
            continue
        note = f"perhaps done: {where} says \u201c{_shown(like)[:120]}\u201d"
        if thread.note != note:
            noted.append(evolve(thread, note=note))
    return noted


def _fate(status: str) -> str:
    word = status.strip().lower().replace("-", "_")
    return "done" if word in _DONE else "dropped" if word in _DROPPED else "open"


def _opened(kind: ThreadKind, text: str, origin: EventContext) -> Thread:
    mark = words_of(text)[:LONGEST]
    return Thread(
        id=thread_id(origin.key, kind, mark),
        kind=kind,
        text=_shown(text),
        opened_at=origin.at,
        mark=mark,
        source=origin.source,
        session=origin.session,
        episode=origin.episode,
    )


def _ended(thread: Thread, origin: EventContext, reason: str) -> Thread:
    return evolve(thread, closed_at=origin.at, closed_by=reason, note="")


def _after(moment: datetime | None, origin: EventContext) -> bool:
    return moment is not None and moment >= origin.at


def _shown(text: str) -> str:
    return " ".join(text.split())[:LONGEST]
