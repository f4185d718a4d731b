"""The timeline: episodes, commits, recorded and revised beliefs, and handoffs in order of time."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from memlsp.model.belief import Belief, BeliefStatus
from memlsp.model.episode import TimelineEntry
from memlsp.model.event import EventKind
from memlsp.store.store import Store
from memlsp.store.tables.event_repository import EventQuery

_MOST_COMMITS = 2_000

Span = tuple[datetime | None, datetime | None]


def timeline(
    store: Store, *, since: datetime | None, until: datetime | None, path: str | None, limit: int
) -> tuple[TimelineEntry, ...]:
    """The latest `limit` entries between two times, newest first; with `path` those about a file or folder."""
    span = since, until
    everywhere = path in {None, "", "."}
    beliefs = store.changes.of_statements(limit, *span) if everywhere else _beliefs(store, path)
    commits = _commits(store, path, span, min(limit, _MOST_COMMITS) if everywhere else _MOST_COMMITS)
    found = (*_episodes(store, path, span, limit), *commits, *beliefs, *_handoffs(store, path))
    begun = [entry for entry in found if until is None or entry.at <= until]
    within = [entry for entry in begun if since is None or (entry.until or entry.at) >= since]
    within.sort(key=lambda entry: (entry.at, entry.what, entry.id), reverse=True)
    return tuple(within[: max(limit, 0)])


def _episodes(store: Store, path: str | None, span: Span, limit: int) -> Iterator[TimelineEntry]:
    for episode in store.episodes.episodes(path=path, since=span[0], until=span[1], limit=limit):
        what = (episode.title, episode.id, episode.outcome.value, ", ".join(episode.sources))
        yield TimelineEntry(episode.began_at, "episode", *what, episode.paths, episode.last_at)


def _commits(store: Store, path: str | None, span: Span, limit: int) -> Iterator[TimelineEntry]:
    """The commits that were observed, and those of the history that was read."""
    seen: set[str] = set()
    last = span[1] and span[1] + timedelta(milliseconds=1)  # which the query leaves out
    query = EventQuery(kinds=[EventKind.COMMIT], since=span[0], until=last)
    for event in store.journal.events(query, newest=True, limit=limit):
        if event.commit and _is_about(event.paths, path):
            seen.add(event.commit)
            subject = event.text.partition("\n")[0]
            yield TimelineEntry(event.at, "commit", subject, event.commit, "", event.source, event.paths)
    for episode in store.past.episodes(limit, *span):
        places = (ref.path for change in episode.changes for ref in (change.new or change.old,) if ref is not None)
        paths = tuple(dict.fromkeys(places))
        if episode.commit not in seen and _is_about(paths, path):
            yield TimelineEntry(episode.date, "commit", episode.subject, episode.commit, "", episode.author, paths)


def _beliefs(store: Store, path: str | None) -> Iterator[TimelineEntry]:
    for belief in store.beliefs(status=None):
        if belief.status is not BeliefStatus.PROPOSED and _is_about(_places(belief), path):
            for revision in store.revisions(belief.id):
                said = belief.text, belief.id, revision.action.value, revision.author.name
                yield TimelineEntry(revision.at, "belief", *said, _places(belief))


def _handoffs(store: Store, path: str | None) -> Iterator[TimelineEntry]:
    for handoff in store.handoffs.handoffs():
        paths = tuple(dict.fromkeys(place.partition("#")[0] for place in handoff.places))
        if not _is_about(paths, path):
            continue
        detail = "claimed" if handoff.is_claimed else "written" if handoff.made_by != "episode" else "made"
        yield TimelineEntry(handoff.created_at, "handoff", handoff.title, handoff.id, detail, handoff.source, paths)


def _places(belief: Belief) -> tuple[str, ...]:
    return tuple(dict.fromkeys(anchor.path for anchor in belief.anchors))


def _is_about(paths: tuple[str, ...], path: str | None) -> bool:
    if path is None or path in {"", "."}:
        return True
    folder = path.rstrip("/") + "/"
    return any(each == path or each.startswith(folder) for each in paths)
