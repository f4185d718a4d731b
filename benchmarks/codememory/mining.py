"""Tasks out of a real history: what was known when a piece of work began, what its authors said of it, and which
earlier work had changed the same symbols.

The history is taken along the first parents of the newest commit: each step is a commit, or a merge with all that it
brought. What a step begins on is what all steps before it left, so reading on from the oldest one never shows a
system anything of the future. A step is a task when it is small, says what it is about in words, and changes symbols
that at least one and at most ten pieces of earlier work had changed. The gold knows symbols under the names that they
had then; commits that changed very many symbols are in the index and never gold.

Symbols are read by memlsp's own reader, for the notes of all systems alike. Nothing here looks at how any system ranks.

    python -m benchmarks.codememory.mining CLONE FILE.jsonl
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pygit2
from attrs import define, field, frozen

from benchmarks.codememory.records import Note, NotedChange, Task, write_records
from benchmarks.codememory.wording import says_enough, task_text
from memlsp.capture.history.ancestry import Ancestry
from memlsp.capture.history.commits import CommitReader
from memlsp.model.change import ChangeKind
from memlsp.model.episode import CommitEpisode, KeptChange
from memlsp.model.symbol import SymbolKind

MOST_NOTES = 1_200
"""Commits of a history that are read: the newest."""

MOST_TASKS = 50
"""Tasks of a history, spread evenly over those that there are."""

_FIRST_TASK = 0.4  # the share of notes that is learnt before anything is asked
_MOST_BROUGHT = 5  # commits of a task
_MOST_SYMBOLS = 8  # that a task changes
_MOST_GOLD = 10  # as many as a system is asked for: recall at ten can be 1
_LARGE = 40  # symbol changes of a commit that is about none of them

_BODY = 1_500  # characters of a commit message in a note
_SENTENCES = 30  # of a note

_ASKED = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.CONSTANT, SymbolKind.FIELD})
_MEANT = frozenset({ChangeKind.SIGNATURE, ChangeKind.BEHAVIOUR, ChangeKind.LITERAL, ChangeKind.RENAMED})
_TOLD = _MEANT | {ChangeKind.ADDED, ChangeKind.MOVED, ChangeKind.EXTRACTED}

_UNITES_LINES = re.compile(r"Merge (?:remote-tracking )?(?:branch|tag|commit) ")
"""A line of releases brought into another: what it brings is not one task."""

_Key = tuple[str, str]  # path and dotted name


@frozen
class Mined:
    """A history as lines, and the gold of its tasks."""

    records: tuple[Note | Task, ...]
    gold: Mapping[str, frozenset[str]]

    @property
    def notes(self) -> int:
        """How many of the lines are notes."""
        return len(self.records) - len(self.gold)


def mined(folder: Path, *, most_notes: int = MOST_NOTES, most_tasks: int = MOST_TASKS) -> Mined:
    """Read the history of the repository at `folder`, bare or not. The same history gives the same lines."""
    repository = pygit2.Repository(str(folder))
    reader = CommitReader(Ancestry(repository, ""))
    steps = _latest(list(_steps(repository)), most_notes)
    known = _Known()
    subjects: set[str] = set()
    lines: list[Note | Task] = []
    gold: dict[str, frozenset[str]] = {}
    read, total = 0, sum(len(step.brought) for step in steps)
    for step in steps:
        episodes = [reader.read(commit) for commit in step.brought]
        messages = [commit.message for commit in step.brought]
        needed = known.learn(episodes)
        task = _task(step, messages, subjects)
        late = read >= _FIRST_TASK * total
        if task and late and needed is not None and 1 <= len(needed) <= _MOST_GOLD and len(episodes) <= _MOST_BROUGHT:
            lines.append(task)
            gold[task.id] = needed
        lines += [_note(episode, message) for episode, message in zip(episodes, messages, strict=True)]
        subjects.update(_plain(episode.subject) for episode in episodes)
        read += len(episodes)
    kept = _spread(list(gold), most_tasks)
    return Mined(
        tuple(line for line in lines if isinstance(line, Note) or line.id in kept),
        {task: needed for task, needed in gold.items() if task in kept},
    )


def _spread(tasks: Sequence[str], most: int) -> frozenset[str]:
    if len(tasks) <= most:
        return frozenset(tasks)
    return frozenset(tasks[number * len(tasks) // most] for number in range(most))


# --- the steps


@frozen
class _Step:
    """One commit on the line of first parents, and what it brought: itself, or what it merged, oldest first."""

    commit: pygit2.Commit
    brought: tuple[pygit2.Commit, ...]


def _steps(repository: pygit2.Repository) -> Iterator[_Step]:
    """The steps of the whole history, oldest first. Merges themselves are brought by nobody: they hold no work."""
    line: list[pygit2.Commit] = [repository[repository.head.target].peel(pygit2.Commit)]
    while line[-1].parents:
        line.append(line[-1].parents[0])
    seen: set[pygit2.Oid] = set()
    for commit in reversed(line):
        brought: list[pygit2.Commit] = []
        stack: list[tuple[pygit2.Commit, bool]] = [(commit, False)]
        while stack:
            here, ready = stack.pop()
            if ready:
                if len(here.parents) < 2:
                    brought.append(here)
                continue
            if here.id in seen:
                continue
            seen.add(here.id)
            stack.append((here, True))
            stack.extend((parent, False) for parent in reversed(here.parents) if parent.id not in seen)
        yield _Step(commit, tuple(brought))


def _latest(steps: Sequence[_Step], most: int) -> list[_Step]:
    kept: list[_Step] = []
    count = 0
    for step in reversed(steps):
        count += len(step.brought)
        if count > most and kept:
            break
        kept.append(step)
    return kept[::-1]


# --- notes and tasks


def _note(episode: CommitEpisode, message: str) -> Note:
    body = message.strip().partition("\n")[2].strip()[:_BODY]
    sentences = [f"- {path}: {change.sentence}" for change in episode.changes[:_SENTENCES] if (path := _path(change))]
    text = "\n".join(part for part in (episode.subject, body, *sentences) if part)
    changes = tuple(_noted(change) for change in episode.changes)
    return Note(episode.commit, episode.date, episode.author, episode.subject, text, changes)


def _path(change: KeptChange) -> str:
    ref = change.new or change.old
    return ref.path if ref else ""


def _noted(change: KeptChange) -> NotedChange:
    old, new = (ref and (ref.path, ref.name, ref.kind.value) for ref in (change.old, change.new))
    return NotedChange(tuple(sorted(change.kinds)), old, new, change.sentence)


def _task(step: _Step, messages: Sequence[str], subjects: set[str]) -> Task | None:
    if not step.commit.parents or _UNITES_LINES.match(step.commit.message):
        return None
    if any(_plain(message.strip().partition("\n")[0]) in subjects for message in messages):
        return None  # the same work once more: its message would be its own answer
    text = task_text(messages)
    return Task(str(step.commit.id), text, str(step.commit.parents[0].id)) if says_enough(text) else None


def _plain(subject: str) -> str:
    return " ".join(subject.lower().split())


# --- what was known of which symbol


@define
class _Known:
    """Which commits changed a symbol, under the name that it has now; of classes and files, which commit added them."""

    _commits: defaultdict[_Key, dict[str, bool]] = field(factory=lambda: defaultdict(dict), init=False)  # was it added?
    _by_path: defaultdict[str, set[str]] = field(factory=lambda: defaultdict(set), init=False)

    def learn(self, episodes: Sequence[CommitEpisode]) -> frozenset[str] | None:
        """Take in the commits of a step. Returns the earlier commits that changed the symbols whose meaning it changed;
        None when these are too many, or there are none."""
        own = {episode.commit for episode in episodes}
        touched: set[_Key] = set()
        needed: set[str] = set()
        for episode in episodes:
            for change in episode.changes:
                if change.old and change.old.kind in _ASKED and change.kinds & _MEANT:
                    touched.add((change.old.path, change.old.name))
                    needed |= self._of(change.old.path, change.old.name)
                self._note(episode, change)
        return frozenset(needed - own) if 0 < len(touched) <= _MOST_SYMBOLS else None

    def _of(self, path: str, name: str) -> set[str]:
        """The commits of a symbol. What came with its class or its file is not told by itself, so that one is its
        birth."""
        found = self._commits.get((path, name), {})
        inside = name
        while inside and not any(found.values()):
            inside = inside.rpartition(".")[0]
            found = found | self._commits.get((path, inside), {})
        return set(found)

    def _note(self, episode: CommitEpisode, change: KeptChange) -> None:
        old, new = change.old, change.new
        if old and new and (old.path, old.name) != (new.path, new.name):
            self._rename((old.path, old.name), (new.path, new.name))
        if new is None or len(episode.changes) > _LARGE:
            return
        added = ChangeKind.ADDED in change.kinds
        if added or (new.kind in _ASKED and change.kinds & _TOLD):
            commits = self._commits[new.path, new.name]
            commits[episode.commit] = added or commits.get(episode.commit, False)
            self._by_path[new.path].add(new.name)

    def _rename(self, old: _Key, new: _Key) -> None:
        """What is inside of a class or a file moves with it."""
        (path, name), (to_path, to_name) = old, new
        for each in sorted(self._by_path[path]):
            if each == name:
                target = to_name
            elif not name:
                target = f"{to_name}.{each}" if to_name else each
            elif each.startswith(f"{name}."):
                target = f"{to_name}{each[len(name) :]}"
            else:
                continue
            commits = self._commits.pop((path, each), {})
            self._by_path[path].discard(each)
            self._commits[to_path, target] = commits | self._commits.get((to_path, target), {})
            self._by_path[to_path].add(target)


def main(arguments: Sequence[str]) -> int:
    """Mine one clone into a file and its gold."""
    if len(arguments) != 2:
        print("usage: python -m benchmarks.codememory.mining CLONE FILE.jsonl", file=sys.stderr)
        return 2
    began = datetime.now(UTC)
    found = mined(Path(arguments[0]))
    write_records(Path(arguments[1]), found.records, found.gold)
    seconds = (datetime.now(UTC) - began).total_seconds()
    print(f"{arguments[1]}: {found.notes} notes, {len(found.gold)} tasks, {seconds:.0f} s")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
