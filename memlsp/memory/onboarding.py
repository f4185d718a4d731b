"""Reading the git history once, into commit episodes and symbol changes, and again as far as it has grown."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from attrs import evolve

from memlsp.capture.repository import damage_of, find_repository, resolved
from memlsp.capture.worktree import Worktree
from memlsp.model.episode import HistoryKept, Onboarding
from memlsp.store import Store

MOST_COMMITS = 2_000
"""Commits that are read unless another number is asked for: the newest."""

_READ_TO = "onboarded"


def onboard(
    store: Store,
    worktree: Worktree,
    *,
    most: int = MOST_COMMITS,
    progress: Callable[[Onboarding], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Onboarding:
    """Read the commits that lead to the one checked out, newest first, as far as they are not there yet.

    Each is durable before the next is read, so that it can be ended at any moment and goes on from there. `progress` is
    called after each commit. Returns how far it came and why it stopped; never raises for what a repository holds.
    """
    tell = progress or _silent
    stop = cancelled or _never
    head = worktree.head()
    if head is None:
        return Onboarding(stopped="damaged" if damage_of(worktree.root) else "no-git")
    if store.read_only:
        return Onboarding(stopped="read-only")
    with store.past.turn() as mine:
        if not mine:
            return Onboarding(stopped="busy")
        done = _read_before(store, head, most)
        if done is not None:
            return done
        from memlsp.capture.history import History  # late: most openings find nothing to read

        history = History(worktree.root, store.past.known(), most, stop)
        state = Onboarding()
        for episode in history.episodes():
            if not state.read:
                state = Onboarding(history.total, history.present)
            kept = store.past.keep(episode)
            state = evolve(
                state,
                present=state.present + kept,
                read=state.read + kept,
                changes=state.changes + len(episode.changes),
            )
            tell(state)
        state = evolve(state, total=history.total, present=history.present + state.read)
        if stop():
            return evolve(state, stopped="cancelled")
        if history.failed:
            return evolve(state, stopped="damaged")
        store.set_info(_READ_TO, f"{history.head} {most} {state.total}")
        return state


def covered(store: Store, head: str | None) -> bool:
    """True when the history that leads to this commit was read to its end or to the most that was asked for."""
    return head is not None and (store.workspace_info(_READ_TO) or "").startswith(f"{head} ")


def kept(store: Store, root: Path) -> HistoryKept:
    """What is kept of the history, in numbers."""
    return evolve(store.past.counted(), git_bytes=_git_bytes(root))


def _read_before(store: Store, head: str, most: int) -> Onboarding | None:
    """What an earlier reading that came to the same end found, or None."""
    words = (store.workspace_info(_READ_TO) or "").split()
    if len(words) != 3 or words[0] != head or int(words[1]) < most:
        return None
    total = min(int(words[2]), most)
    return Onboarding(total, total)


def _git_bytes(root: Path) -> int | None:
    repository = find_repository(resolved(root))
    if repository is None:
        return None
    total = 0
    for folder, _, files in os.walk(repository.common / "objects"):
        for name in files:
            try:
                total += os.stat(os.path.join(folder, name)).st_size  # noqa: PTH116, PTH118 - some ten thousand files
            except OSError:
                continue
    return total


def _silent(_: Onboarding) -> None:
    return None


def _never() -> bool:
    return False
