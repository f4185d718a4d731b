"""Joins events into episodes, in order of arrival.

An event becomes part of a stretch of work, which is then assigned to a task (`assignment`). This module knows the
effect of each kind of event; it does not decide whether two stretches are one task.
"""

from __future__ import annotations

import shlex
from collections.abc import Collection
from datetime import datetime

from attrs import define, evolve, field

from memlsp.code.vocabulary import patterns
from memlsp.episodes.assignment import Assigner, Move
from memlsp.episodes.boundaries import PAUSE, closing_reason
from memlsp.episodes.drafts import MOST_CHANGES, MOST_COMMANDS, EpisodeDraft, Stretch, strand
from memlsp.episodes.observation import MOST_WORDS, Signs, signs_of
from memlsp.model.episode import CommandRun, KeptChange
from memlsp.model.event import Event, EventKind
from memlsp.store.core.rows import milliseconds

LONGEST_PROMPT = 1_000  # characters of a prompt that are kept with the draft
MOST_OPEN = 40
"""Episodes that may be open at once; of more, the one that rested longest is closed."""
_MOST_EVENTS = 2_000  # ids of one stretch that can be moved with it

_PASSING = frozenset({EventKind.MERGE, EventKind.REBASE, EventKind.COMPACT, EventKind.SESSION_START})
_TELLING = frozenset({EventKind.EDIT, EventKind.FILES})
_UNDOING = frozenset({EventKind.RESET, EventKind.STASH})
_PATTERNS = patterns(__name__)


@define
class JoinResult:
    """The effect of one event: its episode's id ("" for none), changed drafts, ids of drafts that became empty, events
    reassigned to another draft, and closed drafts with the reason."""

    episode: str = ""
    changed: dict[str, EpisodeDraft] = field(factory=dict[str, EpisodeDraft])
    gone: list[str] = field(factory=list[str])
    moved: list[tuple[tuple[int, ...], str]] = field(factory=list[tuple[tuple[int, ...], str]])
    closed: list[tuple[EpisodeDraft, str]] = field(factory=list[tuple[EpisodeDraft, str]])


class EventJoiner:
    """The open episodes of one workspace, the `drafts` of its assigner."""

    def __init__(self, assigner: Assigner) -> None:
        self._assigner = assigner
        self.drafts = assigner.drafts

    def observe(self, event: Event) -> JoinResult:
        """Add an event. One that was added before changes nothing."""
        done = JoinResult()
        known = self._holding(event.id) if event.id else None
        if known is not None:
            done.episode = known.id
        elif event.kind in _PASSING:
            done.episode = self._passing(event, done)
        elif event.kind is EventKind.SESSION_END:
            done.episode = self._session_end(event, done)
        elif event.kind is EventKind.CHECKOUT:
            self._checkout(event, done)
        elif event.kind in _UNDOING:
            if event.paths:  # those that were brought back to the commit, or from a stash: that names no commit
                self._undo(event.paths, "", done, back=event.kind is EventKind.STASH and not event.commit)
        elif event.kind is EventKind.COMMIT:
            done.episode = self._commit(event, done)
        else:
            done.episode = self._work(event, done)
        self._close(milliseconds(event.at), done)
        return done

    def close_due(self, now: datetime) -> JoinResult:
        """Close the episodes that are due."""
        done = JoinResult()
        self._close(milliseconds(now), done)
        return done

    # -- events without work of their own -------------------------------------------------------------------------

    def _passing(self, event: Event, done: JoinResult) -> str:
        here = strand(event.source, event.session)
        for draft in self.drafts:
            if event.kind is EventKind.SESSION_START and here in draft.ended:
                draft.ended = tuple(name for name in draft.ended if name != here)
                done.changed[draft.id] = draft
        latest = self._assigner.latest(event.source, event.session) if event.session else None
        return latest[0].id if latest and event.kind is not EventKind.SESSION_START else ""

    def _session_end(self, event: Event, done: JoinResult) -> str:
        here = strand(event.source, event.session)
        for draft in self.drafts:
            if here in draft.sessions and here not in draft.ended:
                draft.ended = (*draft.ended, here)
                done.changed[draft.id] = draft
        latest = self._assigner.latest(event.source, event.session)
        return latest[0].id if latest else ""

    def _checkout(self, event: Event, done: JoinResult) -> None:
        """Mark committed work of other branches as left; uncommitted work came along."""
        if not event.branch:
            return
        for draft in self.drafts:
            left = bool(draft.branch) and draft.branch != event.branch and draft.is_committed
            wanted = milliseconds(event.at) if left else None
            if (draft.left_at is None) != (wanted is None):
                draft.left_at = wanted
                done.changed[draft.id] = draft

    def _undo(self, paths: Collection[str], branch: str, done: JoinResult, *, back: bool = False) -> None:
        """Mark uncommitted changes of some files (none named: all) as discarded, or as restored (`back`)."""
        for draft in self.drafts:
            if branch and draft.branch and branch != draft.branch:
                continue
            for stretch in draft.stretches:
                named = set(paths or stretch.paths)
                taken = set(stretch.taken) - named if back else {*stretch.taken, *(named & set(stretch.paths))}
                undone = bool(stretch.paths) and set(stretch.paths) <= taken
                if not stretch.committed and (taken != set(stretch.taken) or undone is not stretch.undone):
                    draft.replaced(evolve(stretch, undone=undone, taken=tuple(sorted(taken))))
                    done.changed[draft.id] = draft

    # -- work -----------------------------------------------------------------------------------------------------

    def _work(self, event: Event, done: JoinResult) -> str:
        stretch = self._stretch(event)
        if stretch is None:
            return ""
        grown = _grown(stretch, event)
        succeeded = event.kind is EventKind.COMMAND and event.ok is not False
        if succeeded and (dropped := discarded_files(event.text)) is not None:
            self._undo(dropped, event.branch, done)
            found = self._assigner.of(stretch.key)
            same = next((each for each in found.stretches if each.key == stretch.key), None) if found else None
            grown = evolve(grown, undone=same.undone, taken=same.taken) if same else grown
        home = self._assigner.of(stretch.key)
        if home is not None and (grown.bound or grown.signs == stretch.signs):
            return self._recorded(self._assigner.put(grown, home), done)
        return self._placed(grown, done, reconsider=home is None or event.kind in _TELLING)

    def _placed(self, stretch: Stretch, done: JoinResult, *, reconsider: bool) -> str:
        """Assign a stretch, and reassign the latest ones with `reconsider`; the id of its episode."""
        self._recorded(self._assigner.place(stretch), done)
        for move in self._assigner.reconsider() if reconsider else ():
            self._recorded(move, done)
        found = self._assigner.of(stretch.key)
        return found.id if found else ""

    def _stretch(self, event: Event) -> Stretch | None:
        """The stretch that an event continues, or a new one; None for an event that belongs to no task."""
        latest = self._assigner.latest(event.source, event.session)
        at = milliseconds(event.at)
        carried = latest[1] if latest else None
        if event.session:
            ends = event.kind is EventKind.PROMPT or (
                carried is not None and carried.committed and event.kind is EventKind.EDIT
            )
            if carried is not None and not ends:
                return carried
        elif event.kind in {EventKind.EDIT, EventKind.FILES}:
            if event.kind is EventKind.FILES and not event.changes:
                return self._touched(event.paths)
            if not event.paths:
                return None
            near = carried is not None and at - carried.last < PAUSE and not carried.committed
            if carried is not None and near and set(event.paths) & set(carried.paths):
                return carried
        else:
            # a terminal, or a program without sessions: it belongs to what is being worked at, or to nothing
            recent = [draft for draft in self.drafts if at - draft.last < PAUSE]
            if not recent:
                return None
            draft = max(recent, key=lambda each: (each.last, each.id))
            return max(draft.stretches, key=lambda each: (each.last, each.began, each.key))
        return Stretch(event.key, at, at, event.source, event.session, event.branch)

    def _touched(self, paths: Collection[str]) -> Stretch | None:
        found = [
            (stretch.last, stretch.key, stretch)
            for draft in self.drafts
            for stretch in draft.stretches
            if set(stretch.paths) & set(paths)
        ]
        return max(found, key=lambda each: each[:2])[2] if found else None

    def _commit(self, event: Event, done: JoinResult) -> str:
        """Assign a commit to the task that wrote most of its files. Tasks that it holds whole are committed too."""
        paths = set(event.paths)
        overlaps: list[tuple[int, int, str, EpisodeDraft]] = []
        for draft in self.drafts:
            waiting = {
                path for each in draft.stretches if not each.committed and not each.undone for path in each.paths
            }
            shared = len(waiting & paths) if paths else len(waiting)
            if shared:
                overlaps.append((shared, draft.last, draft.id, draft))
                if not paths or waiting <= paths:
                    self._mark(draft, paths, event.commit, done)
        at = milliseconds(event.at)
        own = _grown(Stretch(event.key, at, at, event.source, "", event.branch), event)
        if not overlaps:
            return self._placed(own, done, reconsider=True)
        main = max(overlaps, key=lambda each: each[:3])[3]
        self._mark(main, paths, event.commit, done)
        return self._recorded(self._assigner.put(evolve(own, bound=True), main), done)

    def _mark(self, draft: EpisodeDraft, paths: Collection[str], commit: str, done: JoinResult) -> None:
        for stretch in draft.stretches:
            if stretch.paths and not stretch.committed and (not paths or set(stretch.paths) & set(paths)):
                commits = (*stretch.commits, commit) if commit and commit not in stretch.commits else stretch.commits
                draft.replaced(evolve(stretch, committed=True, commits=commits, bound=True))
                done.changed[draft.id] = draft

    # -- keeping account ------------------------------------------------------------------------------------------

    def _recorded(self, move: Move, done: JoinResult) -> str:
        draft = move.draft
        done.changed[draft.id] = draft
        if move.former:
            done.moved.append((move.stretch.events, draft.id))
            left = next((each for each in self.drafts if each.id == move.former), None)
            if left is not None:
                done.changed[left.id] = left
            else:
                done.gone.append(move.former)
                done.changed.pop(move.former, None)
        return draft.id

    def _close(self, now: int, done: JoinResult) -> None:
        spare = len(self.drafts) - MOST_OPEN
        for draft in sorted(self.drafts, key=lambda each: (each.last, each.id)):
            why = closing_reason(draft, now) or ("rest" if spare > 0 else "")
            if why:
                spare -= 1
                self.drafts.remove(draft)
                done.changed.pop(draft.id, None)
                done.closed.append((draft, why))

    def _holding(self, id: int) -> EpisodeDraft | None:
        return next((each for each in self.drafts if any(id in stretch.events for stretch in each.stretches)), None)


def _grown(stretch: Stretch, event: Event) -> Stretch:
    """The stretch with one more event."""
    signs = signs_of(event)
    grown = evolve(
        stretch,
        last=max(stretch.last, milliseconds(event.at)),
        branch=event.branch or stretch.branch,
        signs=_bounded(stretch.signs | signs) if signs else stretch.signs,
        events=(*stretch.events, event.id)[-_MOST_EVENTS:] if event.id else stretch.events,
        number=stretch.number + 1,
        changes=_changes(stretch.changes, event.changes),
    )
    if event.paths and (event.kind in {EventKind.EDIT, EventKind.FILES, EventKind.COMMIT} or event.wrote_once):
        grown = evolve(
            grown,
            paths=tuple(dict.fromkeys((*stretch.paths, *event.paths))),
            undone=False,
            taken=tuple(path for path in stretch.taken if path not in event.paths),
            committed=event.kind is EventKind.COMMIT or event.wrote_once,  # no later commit is taken for its own
        )
    match event.kind:
        case EventKind.PROMPT:
            return evolve(grown, prompt=stretch.prompt or event.text[:LONGEST_PROMPT])
        case EventKind.COMMIT:
            commits = (*stretch.commits, event.commit) if event.commit else stretch.commits
            return evolve(grown, subject=stretch.subject or event.text.partition("\n")[0], commits=commits)
        case EventKind.COMMAND if event.text:
            return _with_command(grown, event)
        case _:
            return grown


def _with_command(stretch: Stretch, event: Event) -> Stretch:
    worked = event.ok if event.ok is not None or event.exit_code is None else event.exit_code == 0
    commands = (*stretch.commands, CommandRun(event.text, worked, event.at, event.exit_code))[-MOST_COMMANDS:]
    tests = worked if worked is not None and is_test_run(event.text) else stretch.tests
    return evolve(stretch, commands=commands, tests=tests)


def _changes(before: tuple[KeptChange, ...], after: tuple[KeptChange, ...]) -> tuple[KeptChange, ...]:
    return (*before, *(change for change in after if change not in before))[-MOST_CHANGES:] if after else before


def _bounded(signs: Signs) -> Signs:
    most = 20 * MOST_WORDS
    if max(len(signs.words), len(signs.names), len(signs.symbols), len(signs.seen), len(signs.paths)) <= most:
        return signs
    kept = {name: sorted(getattr(signs, name))[:most] for name in ("words", "names", "symbols", "seen", "paths")}
    return evolve(signs, **kept)


def is_test_run(command: str) -> bool:
    """True for a command line that runs tests, in the languages that memlsp reads."""
    return bool(_PATTERNS["tests"].search(command))


def discarded_files(command: str) -> tuple[str, ...] | None:
    """The files whose changes a git command discards or stashes: () for all, None for other commands."""
    found = _PATTERNS["drops"].search(command)
    if found is None:
        return None
    try:
        words = shlex.split(found[2])
    except ValueError:
        return None
    options = {word for word in words if word.startswith("-") and word != "--"}
    named = [word for word in words if not word.startswith("-")]
    paths = tuple(words[words.index("--") + 1 :]) if "--" in words else ()
    match found[1], named[:1]:
        case ["reset", _] if "--hard" in options:
            return ()
        case ["stash", ["push"]]:
            return paths or tuple(named[1:])
        case ["stash", [] | ["save"]]:
            return ()
        case ["restore", _] if "--staged" not in options or options & {"--worktree", "-W"}:
            return _named_files(named)
        case ["checkout", _] if paths:
            return _named_files(list(paths))
        case ["checkout", _] if named == ["."]:
            return ()
        case _:
            return None


def _named_files(named: list[str]) -> tuple[str, ...]:
    return () if "." in named else tuple(name.removeprefix("./") for name in named)
