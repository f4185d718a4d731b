"""Handoffs behind the door: what sessions leave, who takes it, and what a hook may say, kept up to date."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from attrs import evolve

from memlsp.capture.redaction.redaction import redact
from memlsp.episodes.briefing import ranked
from memlsp.episodes.handoffs import LINE, MOST, handoff_id, handoff_of, without_resolved
from memlsp.episodes.remedies import remedies_of
from memlsp.memory.context import Context
from memlsp.memory.judging.judgements import Judgements
from memlsp.memory.work.briefings import NO_AGENTS, THREADS, Briefings
from memlsp.memory.work.file_notes import refresh_notes
from memlsp.memory.work.threads import Threads
from memlsp.model.errors import BadValue, MemlspError, NoSuchHandoff, Refused
from memlsp.model.event import Event, EventKind, Session, source_of
from memlsp.model.handoff import Handoff
from memlsp.model.one_line import plain
from memlsp.model.thread import Thread
from memlsp.store.tables.event_repository import EventQuery
from memlsp.store.tables.hook_notes import assembled, composed, session_key

if TYPE_CHECKING:
    from memlsp.model.view import CatchUp

_EVENTS = 400
"""The latest events of a session that a handoff is made from."""

_EPISODES = 3
_FRESH = timedelta(minutes=30)
_TICK = timedelta(milliseconds=1)  # the journal's
_COMMITTED_WITHIN = timedelta(minutes=5)
_WORKING = frozenset({EventKind.EDIT, EventKind.COMMIT, EventKind.COMMAND, EventKind.PLAN})

log = logging.getLogger(__name__)


class Handoffs:
    """The handoffs of one workspace. Methods raise what those of the store do."""

    def __init__(self, context: Context, judgements: Judgements, threads: Threads) -> None:
        self._context = context
        self._judgements = judgements
        self._threads = threads
        self._store = context.store
        self._shelf = context.store.handoffs
        self._briefings = Briefings(context, judgements)

    # -- leaving and taking ---------------------------------------------------------------------------------------

    def write(
        self,
        title: str,
        *,
        done: Sequence[str] = (),
        questions: Sequence[str] = (),
        next_steps: Sequence[str] = (),
        places: Sequence[str] = (),
        stuck: str = "",
        by: str = "",
        session: str = "",
        made_by: str = "agent",
    ) -> Handoff:
        """Leave a handoff; secrets in it are replaced. `by` is the program (`claude-code`) or person that leaves it.

        Without a `session` it is the one of the same program that is at work, seen in the last half hour, where there
        is only one; it takes the place of what was left of that session before. Raises BadValue when it says nothing.
        """
        personal = self._context.screen().settings.personal
        words = _line(title, personal)
        if not words:
            raise BadValue("a handoff needs a title", "say in one line what is being worked at")
        lines = [_lines(each, personal) for each in (done, questions, next_steps, places)]
        if not any(lines) and not stuck.strip():
            raise BadValue("the handoff says nothing", "tell what is done, what is open or what comes next")
        now = self._context.clock()
        name = (source_of(by) if made_by == "agent" else plain(by, 60)) or "somebody"
        session = session or self._session_of(name, now)
        before = self._shelf.of_session(name, session) if session else []
        handoff = Handoff(
            id=handoff_id(name, session, len(before)) if session else "h" + secrets.token_hex(4),
            title=words,
            created_at=now,
            expires_at=now + timedelta(days=self._days()),
            source=name,
            made_by=made_by,
            done=lines[0],
            questions=lines[1],
            next_steps=lines[2],
            places=lines[3],
            stuck=_line(stuck, personal),
            session=session,
            branch=self._context.worktree.branch() or "",
            commit=self._context.worktree.head() or "",
        )
        self._shelf.keep(handoff)
        self._briefings.write(now)
        return handoff

    def list(self, *, include_past: bool = False, asker: str = "") -> tuple[Handoff, ...]:
        """The handoffs that wait, in the order in which they are of use, claimed ones last; with `include_past` all
        that are kept, the latest first. Sessions that ended without saying so are looked at first. What the program
        `asker` is at work on itself is left out, and so is what a later session took further."""
        now = self._context.clock()
        with suppress(MemlspError):  # a store that cannot be written can be read
            self._hand_off(now)
        if include_past:
            return tuple(self._shelf.handoffs())
        own = source_of(asker)
        others = [each for each in self._shelf.waiting(now) if each.source != own or not self._at_work(each, now)]
        left = [each for each in others if not any(each.is_overtaken_by(other) for other in others)]
        return tuple(ranked(left, self._context.worktree.branch() or ""))

    def peek(self, id: str = "", *, asker: str = "") -> Handoff:
        """A handoff by its id or a unique beginning of it, or that of most use; nothing is changed by it. Raises
        NoSuchHandoff."""
        if id.strip():
            return self._find(id)
        found = self.list(asker=asker)
        if not found:
            raise NoSuchHandoff("no handoff waits", "memlsp handoff list --all shows past ones")
        return found[0]

    def claim(self, id: str, by: str) -> Handoff:
        """Take a handoff, so that others see that it is taken. Who has it may take it again.

        Raises NoSuchHandoff, Refused (another has it, it expired, or a later one took its place).
        """
        now, name = self._context.clock(), plain(by, 60) or "somebody"
        handoff = self._find(id)
        if handoff.successor:
            raise Refused(f"handoff {handoff.id} has a successor, {handoff.successor}", "claim that one")
        if handoff.expires_at <= now:
            raise Refused(f"handoff {handoff.id} expired on {handoff.expires_at:%Y-%m-%d}", "peek still shows it")
        taken = self._shelf.claim(handoff.id, name, now)
        if taken is None:
            raise _missing(id)
        if taken.claimed_by != name and taken.claimed_at is not None:
            raise Refused(
                f"{taken.claimed_by} took handoff {taken.id} on {taken.claimed_at:%Y-%m-%d at %H:%M} UTC",
                "peek shows it all the same",
            )
        if taken.session:  # what was planned is in the hands of who took it, and no open end of the first any more
            self._threads.hand_over(taken.source, taken.session, f"taken by {name} with handoff {taken.id}")
        self._briefings.write(now)
        return taken

    # -- for the hooks --------------------------------------------------------------------------------------------

    def refresh(self, paths: Collection[str] = (), sessions: Iterable[tuple[str, str]] = ()) -> None:
        """Bring up to date what a hook may say: called when events were settled that touched these files and belong to
        these sessions, as (source, session). Each part fails alone."""
        now = self._context.clock()
        named = list(dict.fromkeys(sessions))
        for what, step in (
            ("notes", lambda: refresh_notes(self._context, self._judgements, paths)),
            ("remedies", lambda: self._remedy(named)),
            ("handoffs", lambda: self._hand_off(now, named)),
            ("briefings", lambda: self._briefings.write(now)),
            ("expiry", lambda: self._shelf.prune(now)),
        ):
            try:
                step()
            except MemlspError as error:
                log.warning("%s were not refreshed: %s", what, error)
            except Exception:
                log.exception("%s were not refreshed", what)

    def briefing(self, session: tuple[str, str] | None = None) -> str:
        """What an agent is told when it starts here, or a session, as (source, name), when it lost its context."""
        now = self._context.clock()
        with suppress(MemlspError):
            self._hand_off(now)
            self._briefings.write(now)
        branch, root = self._context.worktree.branch() or "", str(self._context.worktree.root)
        if session is None:
            return assembled(composed(self._briefings.general(branch, now)), root, int(now.timestamp() * 1000))
        return self._shelf.briefing(session_key(*session), branch, root, now)

    def waiting_line(self) -> str:
        """One line when a handoff waits for somebody to take it, "" otherwise. Cheap, and looks at nothing else."""
        now, branch = self._context.clock(), self._context.worktree.branch() or ""
        waiting = self._shelf.waiting(now)
        left = [
            each
            for each in ranked(waiting, branch)
            if each.is_open
            and not each.is_claimed
            and not self._at_work(each, now)
            and not any(each.is_overtaken_by(other) for other in waiting)
        ]
        if not left:
            return ""
        more = f" and {len(left) - 1} more" if len(left) > 1 else ""
        return f"handoff {left[0].id} of {left[0].source}{more} waits: {plain(left[0].title, 80)}"

    # -- catching up ----------------------------------------------------------------------------------------------

    def catch_up(self, since: datetime | None = None, *, asker: str = "", session: str = "") -> CatchUp:
        """What happened since a time, or since the asker's last session or last asking, whichever was later."""
        from memlsp.memory.work.catch_up import catch_up  # late: two commands ask for it

        with suppress(MemlspError):
            self._hand_off(self._context.clock())
        return catch_up(
            self._context,
            self._judgements,
            since,
            asker=source_of(asker),
            session=session,
            handoffs=self.list(asker=asker),
        )

    # -- inside ---------------------------------------------------------------------------------------------------

    def _find(self, id: str) -> Handoff:
        full = self._shelf.resolve(id.strip().lower())
        found = self._shelf.handoff(full) if full else None
        if found is None:
            raise _missing(id)
        return found

    def _at_work(self, handoff: Handoff, now: datetime) -> bool:
        """True when the session of a handoff may still go on."""
        if handoff.made_by == "episode":
            return not handoff.ended and now - handoff.created_at <= _FRESH
        return bool(handoff.session) and now - handoff.created_at <= _FRESH

    def _days(self) -> int:
        return self._context.screen().settings.handoff_days

    def _session_of(self, source: str, now: datetime) -> str:
        """The session that is at work; "" where it could be any of several: what one wrote must not take the place of
        what another left."""
        at_work = [
            session.name
            for session in self._store.journal.sessions(limit=50)
            if session.source == source
            and session.name
            and session.ended_at is None
            and now - session.last_at <= _FRESH
        ]
        return at_work[0] if len(at_work) == 1 else ""

    def _hand_off(self, now: datetime, settled: Collection[tuple[str, str]] = ()) -> None:
        """Make or renew the handoff of every session in which something happened since it was last made, or of which
        more is known since events of it were `settled`. A session that ends silently needs nothing else: what it did
        until then is here."""
        oldest = now - timedelta(days=self._days())
        for session in self._store.journal.sessions(limit=200):
            if session.last_at < oldest:
                break
            if session.source in NO_AGENTS or not session.name:
                continue
            try:
                self._renew(session, again=(session.source, session.name) in settled)
            except MemlspError as error:
                log.warning("no handoff of a session of %s: %s", session.source, error)
        self._strike(now)

    def _strike(self, now: datetime) -> None:
        """Take out of what waits what was resolved since, by other sessions too."""
        closed = [kept.thread for kept in self._store.threads.closed(limit=THREADS)]
        if not closed:
            return
        threads = (*closed, *self._open_threads())
        for each in self._shelf.waiting(now):
            if each.made_by == "episode" and not each.is_claimed:
                left = without_resolved(each, threads)
                if left != each:
                    self._shelf.keep(left)

    def _renew(self, session: Session, *, again: bool) -> None:
        former = self._shelf.of_session(session.source, session.name)
        latest = former[0] if former else None
        ended = session.ended_at is not None
        if latest is not None and latest.made_by == "episode" and not latest.is_claimed:
            if latest.created_at == session.last_at and latest.ended == ended and not again:
                return
            made = self._made(session, len(former) - 1)
            if made is not None:
                self._shelf.keep(made)
            return
        if latest is None:
            made = self._made(session, 0)
        else:
            since = latest.claimed_at or latest.created_at
            if session.last_at <= since:
                return
            made = self._made(session, len(former), since)
            if made is not None and latest.made_by != "episode" and not latest.is_claimed:
                # what was written stays, in front of what was observed since
                made = evolve(
                    made,
                    title=latest.title,
                    done=_joined(latest.done, made.done),
                    questions=_joined(latest.questions, made.questions),
                    next_steps=made.next_steps or latest.next_steps,
                    places=_joined(latest.places, made.places),
                )
        if made is not None:
            self._shelf.keep(made)

    def _made(self, session: Session, number: int, since: datetime | None = None) -> Handoff | None:
        journal = self._store.journal
        since = None if since is None else since + _TICK
        query = EventQuery(source=session.source, session=session.name, since=since)
        events = journal.events(query, limit=_EVENTS, newest=True)
        events.reverse()
        if not any(event.kind in _WORKING for event in events):
            return None
        took_part = self._store.episodes.episodes(session=session.name, since=since, limit=_EPISODES)
        episodes = [each for each in reversed(took_part) if session.source in each.sources]
        ids = {each.id for each in episodes}
        if since is not None:  # what they tell is older than that in part
            episodes = [evolve(each, sentences=()) for each in episodes]
        began = min(event.at for event in events)
        commits = journal.events(EventQuery(kinds=[EventKind.COMMIT], since=began), limit=50)
        written = {path for event in events if event.kind is EventKind.EDIT for path in event.paths}
        alone = {each.id for each in episodes if set(each.sessions) <= {session.name}}
        until = session.last_at + _COMMITTED_WITHIN
        events += [
            each
            for each in commits
            if not each.session
            and (
                each.episode in alone
                # of what several worked at, the commits that hold what this one wrote
                or (each.episode in ids and not written.isdisjoint(each.paths))
                or (each.at <= until and not written.isdisjoint(each.paths) and not each.episode)
            )
        ]
        events.sort(key=lambda event: event.id)
        made = handoff_of(
            session,
            events,
            episodes=episodes,
            threads=[
                each
                for each in self._open_threads()
                if _is_of(each, session, ids) and (since is None or each.opened_at >= since)
            ],
            days=self._days(),
            number=number,
        )
        if made is not None and not made.branch:
            made = evolve(made, branch=self._context.worktree.branch() or "")
        return made

    def _remedy(self, sessions: Iterable[tuple[str, str]]) -> None:
        for source, name in sessions:
            events = self._store.journal.events(EventQuery(source=source, session=name), limit=_EVENTS, newest=True)
            events.reverse()
            found = remedies_of([event for event in events if _is_telling(event)])
            if found:
                self._shelf.keep_remedies(found)

    def _open_threads(self) -> tuple[Thread, ...]:
        return tuple(kept.thread for kept in self._store.threads.open(limit=THREADS))


def _missing(id: str) -> NoSuchHandoff:
    return NoSuchHandoff(f"no handoff {id!r}", "memlsp handoff list --all shows all of them")


def _line(text: str, personal: Sequence[str]) -> str:
    return plain(redact(text, personal).text, LINE)


def _lines(texts: Sequence[str], personal: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(line for text in texts[:50] if (line := _line(text, personal))))[: 2 * MOST]


def _joined(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*one, *other)))[: 2 * MOST]


def _is_of(thread: Thread, session: Session, episodes: Collection[str]) -> bool:
    if thread.session:
        return thread.session == session.name and thread.source in {"", session.source}
    return thread.episode in episodes


def _is_telling(event: Event) -> bool:
    return event.kind in {EventKind.COMMAND, EventKind.EDIT}
