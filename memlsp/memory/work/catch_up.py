"""Summarise what happened since a time, from episodes, commits, revisions, threads and handoffs."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta

from memlsp.memory.context import Context
from memlsp.memory.judging.judgements import Judgements
from memlsp.model.belief import BeliefStatus, RevisionAction
from memlsp.model.episode import Episode
from memlsp.model.errors import MemlspError
from memlsp.model.event import EventKind
from memlsp.model.handoff import Handoff
from memlsp.model.one_line import plain
from memlsp.model.standing import Judgement, Standing
from memlsp.model.view import CatchUp, Commit, RevisedBelief
from memlsp.store.tables.event_repository import EventQuery

UNKNOWN = timedelta(days=7)
"""How far back the summary goes for an asker without an earlier session."""

SAME_ASKING = timedelta(hours=1)
"""A repeated question within this time gets the same span: asking does not use it up."""

_MOST = 200
_JUDGED = 500  # up to this many beliefs all are judged; above, only those about files of the episodes

_REPORTED_ACTIONS = frozenset(
    set(RevisionAction) - {RevisionAction.CONFIRM, RevisionAction.PROPOSE, RevisionAction.REANCHOR}
)
_PAST = frozenset({Standing.SUPERSEDED, Standing.RETIRED})


def catch_up(
    context: Context,
    judgements: Judgements,
    since: datetime | None,
    *,
    asker: str,
    session: str,
    handoffs: Sequence[Handoff],
) -> CatchUp:
    """Summarise what happened since a time; without one, since the asker was last here, and record this visit."""
    now = context.clock()
    if since is None:
        since = _last_here(context, asker, session, now)
    since = min(since, now)
    episodes = tuple(context.store.episodes.episodes(since=since, limit=_MOST))
    fallen, decided = _broken(context, judgements, episodes), _decided(context, judgements, since)
    threads = [kept.thread for kept in context.store.threads.open(limit=_MOST)]
    return CatchUp(
        since=since,
        until=now,
        episodes=tuple(each for each in episodes if not session or session not in each.sessions),
        commits=_commits(context, since),
        decided=decided,
        fallen=fallen,
        threads=tuple(each for each in threads if each.opened_at >= since),
        handoffs=tuple(each for each in handoffs if each.is_open and not each.is_claimed),
    )


def _last_here(context: Context, asker: str, session: str, now: datetime) -> datetime:
    """The later of two times: the asker's last question, and the end of its session before this one."""
    times: list[datetime] = []
    key = f"caught-up {asker}"
    with suppress(MemlspError, ValueError):
        kept = context.store.workspace_info(key)
        before, last = (datetime.fromisoformat(each) for each in kept.split(" ")) if kept else (None, None)
        asked = before if last is not None and now - last < SAME_ASKING else last
        if asked is not None:
            times.append(asked)
        if last is None or now - last >= SAME_ASKING:
            previous = last or now - UNKNOWN
            context.store.set_info(key, f"{previous.astimezone(UTC).isoformat()} {now.astimezone(UTC).isoformat()}")
    own = [each for each in context.store.journal.sessions(limit=200) if each.source == asker and each.name]
    if not session and own and own[0].ended_at is None:
        session = own[0].name  # the asker is in its running session
    times += [each.last_at for each in own if each.name != session][:1]
    return max(times, default=now - UNKNOWN)


def _commits(context: Context, since: datetime) -> tuple[Commit, ...]:
    query = EventQuery(kinds=[EventKind.COMMIT], since=since)
    found = {
        event.commit: Commit(event.commit, plain(event.text.partition("\n")[0], 200), event.at)
        for event in context.store.journal.events(query, limit=_MOST, newest=True)
        if event.commit
    }
    for episode in context.store.past.episodes(_MOST):
        if episode.date >= since:
            found.setdefault(episode.commit, Commit(episode.commit, plain(episode.subject, 200), episode.date))
    return tuple(sorted(found.values(), key=lambda commit: (-commit.at.timestamp(), commit.commit)))


def _decided(context: Context, judgements: Judgements, since: datetime) -> tuple[RevisedBelief, ...]:
    """The last revision of each belief; open proposals are left out."""
    reported = (each for each in context.store.changes.between(since) if each.action in _REPORTED_ACTIONS)
    latest = {revision.belief_id: revision for revision in reported}
    found: list[RevisedBelief] = []
    for revision in latest.values():
        with suppress(MemlspError):
            judgement = judgements.get(revision.belief_id)
            if judgement.belief.status is not BeliefStatus.PROPOSED:
                found.append(RevisedBelief(revision.action, judgement, revision.at))
    found.sort(key=lambda each: (-each.at.timestamp(), each.judgement.belief.id))
    return tuple(found)


def _broken(context: Context, judgements: Judgements, episodes: Sequence[Episode]) -> tuple[Judgement, ...]:
    """The beliefs that do not hold, worst first; in a large memory only those about files of the episodes."""
    if context.store.counts()["active"] <= _JUDGED:
        return judgements.attention()
    found: dict[str, Judgement] = {}
    for path in dict.fromkeys(path for episode in episodes for path in episode.paths):
        for judgement in judgements.about(path):
            if not judgement.standing.holds and judgement.standing not in _PAST:
                found[judgement.belief.id] = judgement
    return tuple(sorted(found.values(), key=lambda j: (-j.standing.severity, j.belief.authority.rank, j.belief.id)))
