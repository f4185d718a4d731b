"""Makes the handoff of a session from what was observed of it.

Each line is a command that ran, a change that was made, an item of the agent's own plan, or somebody's
words; nothing is guessed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from hashlib import blake2b

from attrs import evolve

from memlsp.capture.workspace.edit_digest import has_symbols
from memlsp.code.vocabulary import word_sets
from memlsp.episodes.boundaries import only_continues, only_states
from memlsp.episodes.command_templates import command_template, decisive_line, program
from memlsp.episodes.drafts import ALPHABET
from memlsp.model.change import ChangeKind
from memlsp.model.episode import Episode, KeptChange
from memlsp.model.event import Event, EventKind, Session
from memlsp.model.handoff import Handoff
from memlsp.model.one_line import plain
from memlsp.model.thread import Thread, ThreadKind

DAYS = 7
"""Days until a handoff expires by default."""

MOST = 8
"""Lines of each kind in a handoff."""

LINE = 200
"""Characters of a line."""

_WORDS = word_sets(__name__)

_LAST_COMMANDS = 3
"""A failure outside of tests and builds counts only among so many last commands."""


def handoff_of(
    session: Session,
    events: Sequence[Event],
    *,
    episodes: Sequence[Episode] = (),
    threads: Sequence[Thread] = (),
    days: int = DAYS,
    number: int = 0,
) -> Handoff | None:
    """The handoff of a session; None when there is nothing to continue from.

    `events` has those of the session and the commits of its episodes in order of arrival, `episodes` those that it took
    part in, oldest first, `threads` the open ones that it left. `number` counts its earlier handoffs.
    """
    events = _without_taken(events)
    done = _done(events, episodes, session.name)
    stuck = stuck_at(events)
    steps = _steps(events, [thread for thread in threads if not _is_stuck_at(stuck, thread)])
    questions = _questions(events)
    places = places_of(events)
    if not (done or stuck or steps or (places and questions)):
        return None
    latest = episodes[-1] if episodes else None
    asked = _asked(events)
    title = (
        _title(latest)
        or asked
        or (f"work on {', '.join(places[:3])}" if places else "work that left no trace in files")
    )
    return Handoff(
        id=handoff_id(session.source, session.name, number),
        title=title,
        created_at=session.last_at,
        expires_at=session.last_at + timedelta(days=days),
        source=session.source,
        made_by="episode",
        asked=asked if asked != title else "",
        done=done,
        questions=questions,
        next_steps=steps,
        places=places,
        stuck=stuck,
        session=session.name,
        episode=latest.id if latest else "",
        branch=next((event.branch for event in reversed(events) if event.branch), ""),
        commit=next((each.commit for each in reversed(events) if each.commit and each.kind is not EventKind.STASH), ""),
        ended=session.ended_at is not None,
    )


def handoff_id(source: str, session: str, number: int) -> str:
    """The id of the handoff that follows `number` others of a session: "h" and seven letters or digits."""
    digest = blake2b(f"{source}\0{session}\0{number}".encode("utf-8", "replace"), digest_size=7).digest()
    return "h" + "".join(ALPHABET[byte % 32] for byte in digest)


def without_resolved(handoff: Handoff, threads: Iterable[Thread]) -> Handoff:
    """A handoff without the steps and failures that were resolved since. `threads` are open and closed ones; the step
    of an open thread stays."""
    known = list(threads)
    own = [each for each in known if each.session == handoff.session or each.episode == handoff.episode != ""]
    gone = [each for each in own if not each.is_open]

    def is_left(step: str) -> bool:
        sources = [each for each in own if _came_from(step, each)]
        return not sources or any(each.is_open for each in sources)

    steps = tuple(filter(is_left, handoff.next_steps))
    # a test that failed for several is one thread, of the first of them
    failed = [each for each in known if _is_stuck_at(handoff.stuck, each)]
    passed = any(each in gone or (each.closed_at or handoff.created_at) > handoff.created_at for each in failed)
    stuck = "" if passed and not any(each.is_open for each in failed) else handoff.stuck
    return evolve(handoff, next_steps=steps, stuck=stuck)


def unfinished(events: Sequence[Event]) -> tuple[tuple[str, bool], ...]:
    """The open items of the latest plan, each with whether it was begun; begun ones come first."""
    items = [
        (plain(text, LINE), status.lower() in _WORDS["begun_states"])
        for text, status in _plan(events)
        if status.lower() not in _WORDS["done_states"] | _WORDS["dropped_states"] and plain(text)
    ]
    return tuple(sorted(items, key=lambda item: not item[1]))


def stuck_at(events: Sequence[Event]) -> str:
    """The last command that failed and did not succeed later, with the decisive line of its output; "" for none. A
    search without result is no failure."""
    commands = [event for event in events if event.kind is EventKind.COMMAND]
    for place in range(len(commands) - 1, -1, -1):
        event = commands[place]
        template = command_template(event.text)
        if event.ok is not False or not template or is_lookup(template):
            continue
        later = commands[place + 1 :]
        if any(each.ok and _is_same_act(template, command_template(each.text)) for each in later):
            continue
        if not is_check(template) and len(later) >= _LAST_COMMANDS:
            continue
        if len(event.text) > LINE and not is_check(template):
            continue  # a script typed into the shell, which is not run again
        exit_code = f" (exit {event.exit_code})" if event.exit_code else ""
        why = plain(decisive_line(event.output), LINE)
        edited = any(each.kind is EventKind.EDIT and each.id > event.id for each in events)
        again = "; edited since, and not run again" if edited else ""
        failure = f"{shown_command(event.text)} failed{exit_code}{again}"
        return f"{failure}: {why}" if why else failure
    return ""


def is_check(template: str) -> bool:
    """True for a command template that runs tests, a build or a check of the code."""
    words = template.split()
    if not words:
        return False
    if words[0] in _WORDS["testers"] | _WORDS["checkers"]:
        return True
    return any(word.partition(":")[0] in _WORDS["test_acts"] | _WORDS["check_acts"] for word in words[1:3])


def is_lookup(template: str) -> bool:
    """True for a command template that only searches or shows."""
    return program(template) in _WORDS["looking"]


def shown_command(command: str) -> str:
    """A command line for a quotation: on one line, without a leading `cd` and without cuts of its output."""
    line = plain(command.strip(), 10 * LINE)
    if line.startswith("cd ") and " && " in line:
        line = line.partition(" && ")[2]
    line = line.removesuffix(" 2>&1")
    for tail in (" 2>&1 | tail", " 2>&1 | head", " | tail", " | head"):
        line = line.partition(tail)[0]
    return f"`{plain(line, 120)}`"


def places_of(events: Iterable[Event]) -> tuple[str, ...]:
    """The places that were edited, most often first: PATH#Name, or PATH where no symbol is known."""
    often: Counter[str] = Counter()
    for event in events:
        if event.kind is not EventKind.EDIT:
            continue
        named = {ref.path for change in event.changes if (ref := change.new or change.old)}
        often.update(
            f"{ref.path}#{ref.name}" if ref.name else ref.path
            for change in event.changes
            if _means_something(change) and (ref := change.new or change.old)
        )
        often.update(path for path in _worked_at(event) if path not in named)
    shown = [plain(place, LINE) for place, _ in often.most_common()]
    with_symbols = {place.partition("#")[0] for place in shown if "#" in place}
    return tuple(place for place in dict.fromkeys(shown) if "#" in place or place not in with_symbols)[:MOST]


# --- pieces --------------------------------------------------------------------------------------------------------


def _done(events: Sequence[Event], episodes: Sequence[Episode], session: str) -> tuple[str, ...]:
    """The commits, then the changes since the last one; what a commit holds, git knows better. The sentences of
    episodes summarise several edits best, but only where no other session took part."""
    last = max((place for place, event in enumerate(events) if event.kind is EventKind.COMMIT), default=-1)
    commits = (event for event in events if event.kind is EventKind.COMMIT)
    lines = [f"committed {event.commit[:10]} {plain(event.text, 120)}".rstrip() for event in commits]
    since = events[last + 1 :]
    taken_back = any(event.kind in {EventKind.RESET, EventKind.STASH} for event in events)  # not from the sentences
    alone = not taken_back and all(set(episode.sessions) <= {session} for episode in episodes)
    of_episodes = [sentence for episode in episodes for sentence in episode.sentences] if alone and not lines else []
    lines += [plain(sentence, LINE) for sentence in of_episodes or _sentences(since)] or _edited(since, events)
    passed = _passed(events)
    if passed and lines:
        lines.append(passed)
    return tuple(dict.fromkeys(filter(None, lines)))[:MOST]


def _edited(since: Sequence[Event], events: Sequence[Event]) -> list[str]:
    """The files that were edited since the last commit, and the items that the plan calls done."""
    written = Counter(path for event in since if event.kind is EventKind.EDIT for path in _worked_at(event))
    if not written:
        return []
    files = plain(f"edited {', '.join(path for path, _ in written.most_common(5))}", LINE)
    return [files, *(plain(text, LINE) for text, status in _plan(events) if status.lower() in _WORDS["done_states"])]


def _worked_at(event: Event) -> tuple[str, ...]:
    """The paths of an edit with something to tell: of a file with symbols in which none changed only the layout did."""
    changed = {ref.path for change in event.changes if (ref := change.new or change.old)}
    return tuple(path for path in event.paths if path in changed or not has_symbols(path))


def _without_taken(events: Sequence[Event]) -> list[Event]:
    """The events without the paths, and the changes of them, that git took back later and did not bring back."""
    standing = _standing_edits(events)
    left: list[Event] = []
    for place, event in enumerate(events):
        gone = {path for path in _touched(event) if place not in standing.get(path, ())}
        if event.kind is not EventKind.EDIT or not gone:
            left.append(event)
        elif _touched(event) - gone:
            paths = tuple(path for path in event.paths if path not in gone)
            changes = [change for change in event.changes if (ref := change.new or change.old) and ref.path not in gone]
            left.append(evolve(event, paths=paths, changes=tuple(changes)))
    return left


def _standing_edits(events: Sequence[Event]) -> Mapping[str, set[int]]:
    """The places in the list of the edits of each path that git left, or took back and brought back."""
    standing: dict[str, set[int]] = {}
    aside: dict[str, set[int]] = {}
    for place, event in enumerate(events):
        if event.kind is EventKind.EDIT:
            for path in _touched(event):
                standing.setdefault(path, set()).add(place)
        elif event.kind in {EventKind.RESET, EventKind.STASH}:
            for path in event.paths:
                if event.kind is EventKind.STASH and not event.commit:
                    standing.setdefault(path, set()).update(aside.pop(path, ()))
                elif path in standing:  # a stash that ran into the next second is followed by a reset of its own
                    aside[path] = standing.pop(path)
    return standing


def _touched(event: Event) -> set[str]:
    return {*event.paths, *(ref.path for change in event.changes if (ref := change.new or change.old))}


def _sentences(events: Iterable[Event]) -> list[str]:
    """The latest sentence about each symbol; that of its addition wins over later ones."""
    latest: dict[tuple[str, str], KeptChange] = {}
    for event in events:
        for change in event.changes:
            ref = change.new or change.old
            if ref is None or not change.sentence or not _means_something(change):
                continue
            place = (ref.path, ref.name)
            known = latest.get(place)
            if known is not None and known.old is None and change.new is not None:
                continue
            latest.pop(place, None)
            latest[place] = change
    return [change.sentence for change in latest.values()]


def _means_something(change: KeptChange) -> bool:
    return not change.kinds <= {ChangeKind.COSMETIC, ChangeKind.DOCS}


def _passed(events: Sequence[Event]) -> str:
    for event in reversed(events):
        if event.kind is EventKind.COMMAND and event.ok is not None and is_check(command_template(event.text)):
            return f"{shown_command(event.text)} passed" if event.ok else ""
    return ""


def _steps(events: Sequence[Event], threads: Sequence[Thread]) -> tuple[str, ...]:
    lines = [f"{text} (begun)" if begun else text for text, begun in unfinished(events)]
    said = {line.removesuffix(" (begun)").lower() for line in lines}
    order = list(ThreadKind)
    last_words = next((plain(e.text) for e in reversed(events) if e.kind is EventKind.SAY), "")
    for thread in sorted(
        threads,
        key=lambda t: (-order.index(t.kind), t.opened_at, last_words.find(plain(t.text)), t.path, t.line or 0, t.id),
    ):
        if not thread.is_open or plain(thread.text).lower() in said:
            continue
        if thread.kind is ThreadKind.PLAN and lines:
            continue  # of an earlier plan, or the same item in other words
        lines.append(thread_line(thread))
    return tuple(dict.fromkeys(lines))[:MOST]


def _is_stuck_at(stuck: str, thread: Thread) -> bool:
    name = plain(thread.text).partition(" ")[0].rpartition("::")[2]
    return thread.kind is ThreadKind.TEST and bool(name) and name in stuck


def _came_from(step: str, thread: Thread) -> bool:
    if thread.kind is ThreadKind.TEST:  # where it stands may have been found out later
        return plain(thread.text, LINE) in step
    return step.removesuffix(" (begun)") == thread_line(thread)


def thread_line(thread: Thread) -> str:
    """An open thread on one line, with its place."""
    text = plain(thread.text, LINE)
    if thread.kind in {ThreadKind.PLAN, ThreadKind.NEXT}:
        return text
    where = plain(f"{thread.path}#{thread.symbol}" if thread.symbol else thread.path, LINE)
    kind = {ThreadKind.TEST: "failing test", ThreadKind.STUB: "stub"}.get(thread.kind, "")
    if thread.kind is ThreadKind.TEST and "fail" in text.lower():
        kind = ""
    shown = text if where and where in text else f"{text} ({where})" if where else text
    return f"{kind}: {shown}" if kind else shown


def _questions(events: Sequence[Event]) -> tuple[str, ...]:
    """The unanswered questions at the end of the agent's last message."""
    for event in reversed(events):
        if event.kind is EventKind.PROMPT:
            return ()
        if event.kind is EventKind.SAY:
            return tuple(_asking(event.text))[:3]
    return ()


def _asking(text: str) -> list[str]:
    found: list[str] = []
    for row in text[-4_000:].splitlines():
        line = plain(row.strip().lstrip("-*#>0123456789. "), 2 * LINE)
        if not line.endswith("?"):
            continue
        # the last sentence of the line alone: what is before explains it
        begin = max(line.rfind(stop, 0, len(line) - 1) for stop in (". ", "! ", "? "))
        found.append(plain(line[begin + 2 :] if begin >= 0 else line, LINE))
    return [line for line in found if len(line.split()) >= 3]


def _title(episode: Episode | None) -> str:
    if episode is None or not episode.title:
        return ""
    title, intent = plain(episode.title, LINE), plain(episode.intent.strip().partition("\n")[0], LINE)
    return intent if title.endswith("…") and intent.startswith(title.rstrip("…").rstrip()) else title


def _asked(events: Sequence[Event]) -> str:
    """The last prompt that asks for something; "go on" does not, nor does a rule."""
    asking = [e.text for e in events if e.kind is EventKind.PROMPT and not only_continues(e.text)]
    prompts = [line for text in asking if not only_states(text) and (line := plain(text, LINE))]
    telling = [line for line in prompts if len(line.split()) >= 4]
    return (telling or prompts or [""])[-1]


def _plan(events: Sequence[Event]) -> tuple[tuple[str, str], ...]:
    return next((event.plan for event in reversed(events) if event.kind is EventKind.PLAN and event.plan), ())


def _is_same_act(failed: str, worked: str) -> bool:
    one, other = _act(failed), _act(worked)
    shorter = min(len(one), len(other))
    return shorter > 0 and one[:shorter] == other[:shorter]


def _act(template: str) -> list[str]:
    words: list[str] = []
    for word in template.split()[:3]:
        if words and (word.startswith("-") or not word.replace("-", "").replace(":", "").replace("_", "").isalpha()):
            break
        if word in {"P", "T"}:
            break
        words.append(word)
    return words
