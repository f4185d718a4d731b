"""Read the git history into commit episodes and symbol changes: once in full, then only the new commits."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from attrs import evolve

from memlsp.capture.git.repository import damage_of, find_repository, resolved
from memlsp.capture.workspace.worktree import Worktree
from memlsp.memory.context import Context
from memlsp.model.belief import BeliefStatus
from memlsp.model.caller import Cancel
from memlsp.model.episode import CommitEpisode, OnboardingProgress, PastChange, SymbolHistory
from memlsp.model.place import Workspace
from memlsp.model.standing import Judgement
from memlsp.model.view import Stats
from memlsp.store.store import Store
from memlsp.store.tables.history import CompletedScan

MOST_COMMITS = 2_000
"""Commits that are read by default, the newest."""


def onboard(
    context: Context, *, most: int, progress: Callable[[OnboardingProgress], None] | None, cancelled: Cancel | None
) -> OnboardingProgress:
    """Read the commits that lead to HEAD, newest first, skipping those that are stored already.

    Each is durable before the next is read, so that a stopped run can be resumed. `progress` is called after each
    commit. Returns the progress and why it stopped; never raises because of a repository's contents.
    """
    store, worktree = context.store, context.worktree
    stop = cancelled or (lambda: False)
    head = worktree.head()
    if head is None:
        return OnboardingProgress(stopped="damaged" if damage_of(worktree.root) else "no-git")
    if store.read_only:
        return OnboardingProgress(stopped="read-only")
    with store.past.turn() as acquired:
        if not acquired:
            return OnboardingProgress(stopped="busy")
        earlier = _earlier_result(store, head, most)
        if earlier is not None:
            return earlier
        from memlsp.capture.history.history_reader import HistoryReader  # late: most openings find nothing to read

        personal = context.screen().settings.personal
        history = HistoryReader(worktree.root, store.past.known(), most, stop, personal=personal)
        state = OnboardingProgress()
        for episode in history.episodes():
            if not state.read:
                state = OnboardingProgress(history.total, history.present)
            kept = store.past.keep(episode)
            read, changes = state.read + kept, state.changes + len(episode.changes)
            state = evolve(state, present=state.present + kept, read=read, changes=changes)
            if progress is not None:
                progress(state)
        state = evolve(state, total=history.total, present=history.present + state.read)
        if stop():
            return evolve(state, stopped="cancelled")
        if history.failed:
            return evolve(state, stopped="damaged")
        store.past.add_scan(CompletedScan(history.head, most, state.total))
        return state


def covered(store: Store, head: str | None) -> bool:
    """True when the history of this commit was read completely, or up to the requested maximum."""
    return head is not None and any(scan.head == head for scan in store.past.scans())


def episodes_at(store: Store, path: str, limit: int) -> tuple[CommitEpisode, ...]:
    """The latest episodes that changed a file, each with its changes in that file only."""
    found: dict[str, CommitEpisode] = {}
    for step in store.past.steps(path):
        if len(found) >= limit and step.episode.commit not in found:
            break
        before = found.get(step.episode.commit)
        changes = (*before.changes, step.change) if before else (step.change,)
        found[step.episode.commit] = evolve(step.episode, changes=changes)
    return tuple(found.values())


def with_symbol_changes(store: Store, history: SymbolHistory) -> SymbolHistory:
    """The history of a file with each commit's symbol changes, where that commit was read."""
    return evolve(history, changes=tuple(evolve(change, parts=_parts(store, change)) for change in history.changes))


def _parts(store: Store, past: PastChange) -> tuple[str, ...]:
    episode = store.past.episode(past.commit)
    if episode is None:
        return ()
    refs = ((change, change.new or change.old) for change in episode.changes)
    return tuple(change.sentence for change, ref in refs if ref and ref.path == past.path and ref.name)


def stats_of(workspace: Workspace, store: Store, worktree: Worktree, judged: Sequence[Judgement]) -> Stats:
    """Counts and sizes of everything stored for a workspace."""
    standings = Counter(judgement.standing for judgement in judged)
    kinds = Counter(str(judgement.belief.kind) for judgement in judged)
    active = [judgement.belief for judgement in judged if judgement.belief.status is BeliefStatus.ACTIVE]
    counts, git = store.counts(), find_repository(resolved(worktree.root))
    return Stats(
        workspace=workspace,
        history=evolve(store.past.counted(), git_bytes=_bytes_below(git.common / "objects") if git else None),
        onboarded=covered(store, worktree.head()),
        standings=tuple(sorted(standings.items(), key=lambda item: item[0].severity)),
        kinds=tuple(sorted(kinds.items())),
        counts=tuple((name, counts[name]) for name in ("beliefs", "anchors", "revisions", "receipts")),
        caches=(("symbol histories", store.cached_histories()),),
        disk=tuple(_file_sizes(store.path.parent)),
        told=store.tellings(),
        locked=sum(belief.locked for belief in active),
        learned=sum(bool(belief.evidence) for belief in active),
    )


def _file_sizes(folder: Path) -> Iterator[tuple[str, int]]:
    """The files of a memory with their sizes in bytes; a folder counts as one."""
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        return
    for entry in entries:
        size = _bytes_below(entry) if entry.is_dir() else _bytes_of(entry)
        if size:
            yield entry.name, size


def _bytes_below(folder: Path) -> int:
    return sum(_bytes_of(Path(here) / name) for here, _, names in os.walk(folder) for name in names)


def _bytes_of(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _earlier_result(store: Store, head: str, most: int) -> OnboardingProgress | None:
    """The result of an earlier scan that covers this commit, or None."""
    for scan in store.past.scans():
        # a scan that found fewer commits than its maximum found all
        if scan.head == head and (scan.most >= most or scan.total < scan.most):
            total = min(scan.total, most)
            return OnboardingProgress(total, total)
    return None
