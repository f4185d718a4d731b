"""The commits and episodes of a workspace as recall searches them, limited to the present branch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from attrs import frozen

from memlsp.model.episode import Episode
from memlsp.model.one_line import joined
from memlsp.recall.branch_visibility import Branches, Visibility, VisibilityContext
from memlsp.store.search.query import SearchHit
from memlsp.store.store import Store
from memlsp.store.tables.beliefs import BranchOrigin

_MOST_SYMBOLS = 8
_LATER_AMONG = 8
"""For a past moment, this many times the limit is fetched, because later work is filtered out."""

SymbolKey = int | tuple[str, str]
"""A symbol that work changed: a number, or path and dotted name."""


@frozen
class WorkItem:
    """A commit or an episode as an answer needs it."""

    kind: str  # commit or episode
    id: str
    title: str
    at: datetime
    who: str
    symbols: tuple[str, ...] = ()  # as path#name
    sentences: tuple[str, ...] = ()


class WorkArchive:
    """Searches commits and episodes that are part of `here` (None: any branch) and older than `until`. Their keys are
    `commit:HASH` and `episode:ID`."""

    def __init__(
        self,
        store: Store,
        branches: Branches,
        here: Callable[[], VisibilityContext | None],
        until: datetime | None = None,
        near: Callable[[str], Sequence[tuple[str, float]]] | None = None,
    ) -> None:
        self._store = store
        self._branches = branches
        self._here = here
        self._until = until
        self._near = near
        self._visible: dict[str, bool] = {}
        # what needs no look at branch and time
        self.touched, self.named, self.places = (
            store.work_search.touched,
            store.work_search.named,
            store.work_search.places,
        )

    def best(self, terms: Sequence[Sequence[str]], *, limit: int) -> Sequence[SearchHit]:
        """The best matches for some terms with their alternatives, best first."""
        if self._store.work_search.waiting() and not self._store.read_only:
            self._store.work_search.fill()
        most = limit if self._until is None else _LATER_AMONG * limit
        hits = self._store.work_search.best(terms, limit=most)
        return [hit for hit in hits if self._is_visible(hit.id)][:limit]

    def near(self, question: str) -> Sequence[tuple[str, float]]:
        """The nearest work to a question by embedding, with cosines, nearest first; none without an encoder."""
        found = self._near(question) if self._near is not None else ()
        return [(key, likeness) for key, likeness in found if self._is_visible(key)]

    def changing(self, symbols: Sequence[SymbolKey]) -> list[tuple[SymbolKey, str]]:
        """The commits and episodes that changed these symbols."""
        found = self._store.work_search.changing(symbols)
        return [(symbol, key) for symbol, key in found if self._is_visible(key)]

    def piece(self, key: str) -> WorkItem | None:
        """The commit or episode with this key; None when it is gone, of another branch, or later than `until`."""
        kind, _, id = key.partition(":")
        if kind == "commit":
            here = self._here()
            if here is not None and not self._branches.holds(id, here):
                return None
            commit = self._store.work_search.brief(id, _MOST_SYMBOLS)
            if commit is None or not self._is_before(commit.at):
                return None
            return WorkItem("commit", id, commit.subject, commit.at, commit.author, commit.names, commit.sentences)
        episode = self._store.episodes.episode(id)
        if episode is None or self._branches.visibility(_origin(episode), self._here()) is not Visibility.YES:
            return None
        return _episode_item(episode) if self._is_before(episode.last_at) else None

    def _is_visible(self, key: str) -> bool:
        """False for work later than `until`, which may not even lead to other work. Branches are checked in `piece`,
        since checking every candidate is slow."""
        if self._until is None:
            return True
        if key not in self._visible:
            self._visible[key] = self.piece(key) is not None
        return self._visible[key]

    def _is_before(self, at: datetime) -> bool:
        return self._until is None or at < self._until


def _episode_item(episode: Episode) -> WorkItem:
    names = [f"{path}#{name}" for path, name in episode.symbols if name]
    who = ", ".join(episode.sources)
    sentences = episode.sentences[:_MOST_SYMBOLS]
    if not sentences and episode.paths:  # of an imported session no symbol is known
        sentences = (f"changed {joined(episode.paths[:_MOST_SYMBOLS])}",)
    return WorkItem("episode", episode.id, episode.title, episode.last_at, who, tuple(names)[:_MOST_SYMBOLS], sentences)


def _origin(episode: Episode) -> BranchOrigin:
    return BranchOrigin.of_work(episode.id, episode.branch, episode.commits[-1] if episode.commits else "")
