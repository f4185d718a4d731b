"""Handoffs: write and claim them, derive them from sessions, and refresh the texts that hooks read."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import evolve

from memlsp.capture.history.ancestry import Ancestry
from memlsp.capture.redaction.redaction import redact
from memlsp.episodes.briefing import ranked
from memlsp.episodes.handoffs import LINE, MOST, handoff_id, handoff_of, without_resolved
from memlsp.episodes.remedies import remedies_of
from memlsp.memory.context import Context
from memlsp.memory.curation.revision import note_arrivals
from memlsp.memory.judging.judgements import Judgements
from memlsp.memory.work.briefings import NO_AGENTS, THREADS, Briefings
from memlsp.memory.work.file_notes import refresh_judgements, refresh_notes
from memlsp.memory.work.threads import Threads
from memlsp.model.episode import Episode
from memlsp.model.errors import BadValue, MemlspError, NoSuchHandoff, Refused
from memlsp.model.event import Event, EventKind, Session, in_time, source_of
from memlsp.model.handoff import Handoff, HandoffNotes
from memlsp.model.one_line import plain
from memlsp.model.thread import Thread
from memlsp.store.tables.event_repository import EventQuery
from memlsp.store.tables.hook_notes import assembled, composed, session_key

if TYPE_CHECKING:
    from memlsp.model.view import CatchUp

_EVENTS = 400  # events of a session that its handoff is derived from, the latest

_EPISODES = 3
_ACTIVE_WITHIN = timedelta(minutes=30)
_TICK = timedelta(milliseconds=1)  # the journal's
_COMMITTED_WITHIN = timedelta(minutes=5)
_OF_GIT = (EventKind.COMMIT, EventKind.RESET, EventKind.STASH)
_SHOWING_REMEDIES = frozenset({EventKind.COMMAND, EventKind.EDIT})
_WORKING = frozenset({EventKind.EDIT, EventKind.COMMIT, EventKind.COMMAND, EventKind.PLAN})

log = logging.getLogger(__name__)


class Handoffs:
    """The handoffs of one workspace. Methods raise the errors of the store."""

    def __init__(self, context: Context, judgements: Judgements, threads: Threads) -> None:
        self._context = context
        self._judgements = judgements
        self._threads = threads
        self._store = context.store
        self._handoffs = context.store.handoffs
        self._briefings = Briefings(context, judgements)

    # -- leaving and taking ---------------------------------------------------------------------------------------

    def write(
        self, title: str, notes: HandoffNotes, *, by: str = "", session: str = "", made_by: str = "agent"
    ) -> Handoff:
        """Write a handoff; secrets in it are redacted. `by` is the program (`claude-code`) or person that leaves it.

        Without `session`, the running session of that program is used, seen in the last half hour, if there is just
        one. The handoff replaces the earlier one of that session. Raises BadValue for one without a title or content.
        """
        personal = self._context.screen().settings.personal
        line = _line(title, personal)
        if not line:
            raise BadValue("a handoff needs a title", "say in one line what is being worked at")
        lines = [_lines(each, personal) for each in (notes.done, notes.questions, notes.next_steps, notes.places)]
        if not any(lines) and not notes.stuck.strip():
            raise BadValue("the handoff says nothing", "tell what is done, what is open or what comes next")
        now = self._context.clock()
        name = (source_of(by) if made_by == "agent" else plain(by, 60)) or "somebody"
        session = session or self._running_session(name, now)
        before = self._handoffs.of_session(name, session) if session else []
        handoff = Handoff(
            id=handoff_id(name, session, len(before)) if session else "h" + secrets.token_hex(4),
            title=line,
            created_at=now,
            expires_at=now + timedelta(days=self._days()),
            source=name,
            made_by=made_by,
            done=lines[0],
            questions=lines[1],
            next_steps=lines[2],
            places=lines[3],
            stuck=_line(notes.stuck, personal),
            session=session,
            branch=self._context.worktree.branch() or "",
            commit=self._context.worktree.head() or "",
        )
        self._handoffs.keep(handoff)
        self._briefings.write(now)
        return handoff

    def list(self, *, include_past: bool = False, asker: str = "") -> tuple[Handoff, ...]:
        """The open handoffs, most useful first and claimed ones last; with `include_past` all stored ones, latest
        first.

        Sessions that ended silently get their handoff first. Left out are the handoffs of sessions of `asker` that are
        still at work, and those that a later session continued.
        """
        now = self._context.clock()
        with suppress(MemlspError):  # the store may be read-only
            self._refresh_handoffs(now)
        if include_past:
            return tuple(self._handoffs.handoffs())
        own = source_of(asker)
        others = [each for each in self._handoffs.waiting(now) if each.source != own or not self._at_work(each, now)]
        remaining = [each for each in others if not any(map(each.is_overtaken_by, others))]
        return tuple(ranked(remaining, self._context.worktree.branch() or ""))

    def peek(self, id: str = "", *, asker: str = "") -> Handoff:
        """A handoff by its id or a unique prefix of it, or the most useful one, without claiming it. Raises
        NoSuchHandoff."""
        if id.strip():
            return self._find(id)
        found = self.list(asker=asker)
        if not found:
            raise NoSuchHandoff("no handoff waits", "memlsp handoff list --all shows past ones")
        return found[0]

    def claim(self, id: str, by: str) -> Handoff:
        """Claim a handoff, so that others see that it is taken. The same claimer may claim it again. Raises
        NoSuchHandoff, Refused for one that another has claimed, that expired, or that a later one replaced."""
        now, name = self._context.clock(), plain(by, 60) or "somebody"
        handoff = self._find(id)
        if handoff.successor:
            raise Refused(f"handoff {handoff.id} has a successor, {handoff.successor}", "claim that one")
        if handoff.expires_at <= now:
            raise Refused(f"handoff {handoff.id} expired on {handoff.expires_at:%Y-%m-%d}", "peek still shows it")
        taken = self._handoffs.claim(handoff.id, name, now)
        if taken is None:
            raise _missing(id)
        if taken.claimed_by != name and taken.claimed_at is not None:
            raise Refused(
                f"{taken.claimed_by} took handoff {taken.id} on {taken.claimed_at:%Y-%m-%d at %H:%M} UTC",
                "peek shows it all the same",
            )
        if taken.session:  # the claimer takes over the plan, so its items are no longer open for the first session
            self._threads.hand_over(taken.source, taken.session, f"taken by {name} with handoff {taken.id}")
        self._briefings.write(now)
        return taken

    # -- for the hooks --------------------------------------------------------------------------------------------

    def refresh(
        self, paths: Collection[str] = (), sessions: Iterable[tuple[str, str]] = (), taken: Collection[str] = ()
    ) -> None:
        """Refresh everything that hooks read, after events of these files and sessions, as (source, session), were
        ingested, and git took back edits of the files in `taken`. A failing step is logged and does not stop the
        others."""
        now = self._context.clock()
        hit = [each for each in self._handoffs.waiting(now) if each.made_by == "episode" and {*each.paths} & {*taken}]
        named = list(dict.fromkeys([*sessions, *((each.source, each.session) for each in hit)]))
        for what, step in (
            ("arrivals", lambda: note_arrivals(self._context, self._judgements, paths)),
            ("notes", lambda: refresh_notes(self._context, self._judgements, paths)),
            ("judgements", lambda: refresh_judgements(self._context, self._judgements, paths)),
            ("remedies", lambda: self._refresh_remedies(named)),
            ("handoffs", lambda: self._refresh_handoffs(now, named)),
            ("briefings", lambda: self._briefings.write(now)),
            ("expiry", lambda: self._handoffs.prune(now)),
        ):
            try:
                step()
            except MemlspError as error:
                log.warning("%s were not refreshed: %s", what, error)
            except Exception:
                log.exception("%s were not refreshed", what)

    def briefing(self, session: tuple[str, str] | None = None) -> str:
        """The briefing of a new session, or of a session, as (source, name), that lost its context."""
        now = self._context.clock()
        with suppress(MemlspError):
            self._refresh_handoffs(now)
            self._briefings.write(now)
        branch, root = self._context.worktree.branch() or "", str(self._context.worktree.root)
        if session is None:
            return assembled(composed(self._briefings.general(branch, now)), root, int(now.timestamp() * 1000))
        return self._handoffs.briefing(session_key(*session), branch, root, now)

    def waiting_line(self) -> str:
        """One line when a handoff waits to be claimed, else "". Cheap: reads only the handoffs."""
        now, branch = self._context.clock(), self._context.worktree.branch() or ""
        waiting = self._handoffs.waiting(now)
        free = [each for each in waiting if each.is_open and not each.is_claimed and not self._at_work(each, now)]
        remaining = ranked([each for each in free if not any(map(each.is_overtaken_by, waiting))], branch)
        if not remaining:
            return ""
        more = f" and {len(remaining) - 1} more" if len(remaining) > 1 else ""
        return f"handoff {remaining[0].id} of {remaining[0].source}{more} waits: {plain(remaining[0].title, 80)}"

    def catch_up(self, since: datetime | None = None, *, asker: str = "", session: str = "") -> CatchUp:
        """Summarise what happened since a time, or since the asker's last session or question, whichever was later."""
        from memlsp.memory.work.catch_up import catch_up  # late: two commands ask for it

        open_ = self.list(asker=asker)
        return catch_up(self._context, self._judgements, since, asker=source_of(asker), session=session, handoffs=open_)

    def _find(self, id: str) -> Handoff:
        full = self._handoffs.resolve(id.strip().lower())
        found = self._handoffs.handoff(full) if full else None
        if found is None:
            raise _missing(id)
        return found

    def _at_work(self, handoff: Handoff, now: datetime) -> bool:
        """True when the session of a handoff may still be running."""
        may_run = not handoff.ended if handoff.made_by == "episode" else bool(handoff.session)
        return may_run and now - handoff.created_at <= _ACTIVE_WITHIN

    def _days(self) -> int:
        return self._context.screen().settings.handoff_days

    def _running_session(self, source: str, now: datetime) -> str:
        """The running session of a program; "" when it could be any of several, since one must not replace the handoff
        of another."""
        latest = [each for each in self._store.journal.sessions(limit=50) if now - each.last_at <= _ACTIVE_WITHIN]
        at_work = [each.name for each in latest if each.source == source and each.name and each.ended_at is None]
        return at_work[0] if len(at_work) == 1 else ""

    def _refresh_handoffs(self, now: datetime, settled: Collection[tuple[str, str]] = ()) -> None:
        """Derive the handoff of each session with events since its last one, or with events just `settled`. No final
        event is needed, so a session that ends silently has its handoff too."""
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
        self._remove_resolved(now)

    def _remove_resolved(self, now: datetime) -> None:
        """Remove the items of open handoffs that any session resolved since."""
        closed = [kept.thread for kept in self._store.threads.closed(limit=THREADS)]
        if not closed:
            return
        threads = (*closed, *self._open_threads())
        for each in self._handoffs.waiting(now):
            if each.made_by == "episode" and not each.is_claimed:
                remaining = without_resolved(each, threads)
                if remaining != each:
                    self._handoffs.keep(remaining)

    def _renew(self, session: Session, *, again: bool) -> None:
        earlier = self._handoffs.of_session(session.source, session.name)
        latest = earlier[0] if earlier else None
        ended = session.ended_at is not None
        if latest is not None and latest.made_by == "episode" and not latest.is_claimed:
            if latest.created_at == session.last_at and latest.ended == ended and not again:
                return
            derived = self._derive(session, len(earlier) - 1)
            if derived is not None:
                self._handoffs.keep(derived)
            else:
                self._handoffs.drop(latest.id)  # git took back what it was about
            return
        if latest is None:
            derived = self._derive(session, 0)
        else:
            since = latest.claimed_at or latest.created_at
            if session.last_at <= since:
                return
            derived = self._derive(session, len(earlier), since)
            if derived is not None and latest.made_by != "episode" and not latest.is_claimed:
                # the written lines stay, before those that were observed since
                derived = evolve(
                    derived,
                    title=latest.title,
                    done=_joined(latest.done, derived.done),
                    questions=_joined(latest.questions, derived.questions),
                    next_steps=derived.next_steps or latest.next_steps,
                    places=_joined(latest.places, derived.places),
                )
        if derived is not None:
            self._handoffs.keep(derived)

    def _derive(self, session: Session, number: int, since: datetime | None = None) -> Handoff | None:
        since = None if since is None else since + _TICK
        query = EventQuery(source=session.source, session=session.name, since=since)
        events = self._store.journal.events(query, limit=_EVENTS, newest=True)
        events.reverse()
        if not any(event.kind in _WORKING for event in events):
            return None
        took_part = self._store.episodes.episodes(session=session.name, since=since, limit=_EPISODES)
        episodes = [each for each in reversed(took_part) if session.source in each.sources]
        ids = {each.id for each in episodes}
        if since is not None:  # their sentences also cover the time before
            episodes = [evolve(each, sentences=()) for each in episodes]
        events = self._with_git(session, episodes, events)
        opened = (each for each in self._open_threads() if since is None or each.opened_at >= since)
        threads = [each for each in opened if _is_of(each, session, ids)]
        derived = handoff_of(session, events, episodes=episodes, threads=threads, days=self._days(), number=number)
        if derived is not None and not derived.branch:
            derived = evolve(derived, branch=self._context.worktree.branch() or "")
        return derived

    def _with_git(self, session: Session, episodes: Sequence[Episode], events: list[Event]) -> list[Event]:
        """The events in time, with the commits of the session and what git took from elsewhere since."""
        query = EventQuery(kinds=_OF_GIT, since=min(event.at for event in events))
        by_git = self._store.journal.events(query, limit=_EVENTS)
        taking = [each for each in by_git if each.kind is not EventKind.COMMIT and each.paths]
        found = [*events, *_commits_of(session, episodes, events, by_git), *taking]
        return in_time(sorted(found, key=lambda event: event.id))

    def _refresh_remedies(self, sessions: Iterable[tuple[str, str]]) -> None:
        for source, name in sessions:
            events = self._store.journal.events(EventQuery(source=source, session=name), limit=_EVENTS, newest=True)
            found = remedies_of([event for event in in_time(events) if event.kind in _SHOWING_REMEDIES])
            if found:
                self._handoffs.keep_remedies(found)

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


def _commits_of(
    session: Session, episodes: Sequence[Episode], events: Sequence[Event], by_git: Sequence[Event]
) -> list[Event]:
    """The commits without a session of their own that hold the work of this one, and stand."""
    ids = {each.id for each in episodes}
    alone = {each.id for each in episodes if set(each.sessions) <= {session.name}}
    written = {path for event in events if event.kind is EventKind.EDIT for path in event.paths}
    until = session.last_at + _COMMITTED_WITHIN

    def holds_its_work(commit: Event) -> bool:
        if commit.episode in alone:
            return True
        # in an episode of several sessions, and soon after in none: the commits with files that this one wrote
        in_reach = commit.episode in ids or (not commit.episode and commit.at <= until)
        return in_reach and not written.isdisjoint(commit.paths)

    commits = [each for each in by_git if each.kind is EventKind.COMMIT and not each.session]
    return [each for each in commits if holds_its_work(each) and not _is_undone(each, by_git)]


def _is_undone(commit: Event, by_git: Iterable[Event]) -> bool:
    """True for a commit that a later reset to one before it took back."""
    later = [each for each in by_git if each.kind is EventKind.RESET and each.commit and each.at >= commit.at]
    repository = Ancestry.at(Path(commit.root)) if later and commit.root else None
    made = repository.commit(commit.commit) if repository is not None else None
    return repository is not None and any(
        each.root == commit.root and repository.is_ancestor(repository.commit(each.commit), made) for each in later
    )
