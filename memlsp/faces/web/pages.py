"""What each page shows. A page reads and never writes; its template in `templates/` has the words and the layout."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from memlsp.faces.render.belief_json import shaped
from memlsp.faces.web.decisions import ACTIONS
from memlsp.model.belief import BeliefKind, BeliefStatus, ScopeKind
from memlsp.model.standing import Standing
from memlsp.model.view import BeliefQuery

if TYPE_CHECKING:
    from memlsp.memory import Memory
    from memlsp.model.review import Conflict

Shown = dict[str, Any]
"""The values of a template."""

_CONFLICT = "conflict"
"""What the standing of a belief is called that holds and contradicts another."""

_AGES = {"day": 1, "week": 7, "month": 30, "year": 365}
_FIRST = datetime(1971, 1, 1, tzinfo=UTC)
_MOST_MAPPED = 5_000  # beliefs of the picture
_ROWS = 100  # of the table beside it
_MOST_ENTRIES = 301  # one more than a page shows
_MOST_RECEIPTS = 5_000


def today(memory: Memory, _: Mapping[str, str]) -> Shown:
    """What waits, what agents were told, what broke."""
    day = f"{datetime.now(UTC):%Y-%m-%d}"
    told, standings = memory.tellings(), memory.survey.standings
    sides = _clashing(each.conflict for each in memory.survey.found.waiting if each.conflict)
    clashing = [standings[id] for id in sides if id in standings and standings[id].holds]
    return {
        "clashes": Counter(clashing),
        "told": [each for each in told.days if each.day == day],
        "tellings": told,
        "recent": memory.episodes.timeline(limit=12),
        "threads": memory.threads.open(None)[:8],
    }


def beliefs(memory: Memory, asked: Mapping[str, str]) -> Shown:
    """A page of the beliefs that meet the filter."""
    age, status = asked.get("age", ""), asked.get("standing", "")
    days = _AGES.get(age.removeprefix("older-"))
    limit = datetime.now(UTC) - timedelta(days=days) if days else None
    query = BeliefQuery(
        words=asked.get("q", "")[:200],
        status=BeliefStatus.PROPOSED if status == BeliefStatus.PROPOSED else BeliefStatus.ACTIVE,
        kind=_one_of(BeliefKind, asked.get("kind")),
        scope=_one_of(ScopeKind, asked.get("scope")),
        author=asked.get("author", "")[:200],
        since=None if age.startswith("older-") else limit,
        until=limit if age.startswith("older-") else None,
        under=asked.get("under", "")[:1_000],
        ids=tuple(_clashing(memory.conflicts.open())) if status == _CONFLICT else None,
    )
    page = memory.survey.page(query, _one_of(Standing, status), asked.get("after", "")[:200])
    words = {"standings": list(Standing), "kinds": list(BeliefKind), "scopes": list(ScopeKind)}
    return {
        "page": page,
        "clashing": _clashing(memory.conflicts.of(*(each.belief.id for each in page.judgements))),
        **words,
    }


def belief(memory: Memory, asked: Mapping[str, str]) -> Shown:
    """Everything about one belief."""
    judgement = memory.belief(asked["id"])
    id = judgement.belief.id
    around = memory.surroundings(id, most=24)
    return {
        "judgement": judgement,
        "conflicts": memory.conflicts.of(id),
        "clashing": _clashing(memory.conflicts.of(id, *(each.belief.id for each in around.judgements))),
        "changes": memory.review.contrast(judgement.belief),
        "revisions": shaped(memory.confidence(id)),
        "receipts": memory.served(id, 20),
        "around": around,
        "breaches": memory.breaches(id)[:50],
        "actions": ACTIONS,
    }


def review(memory: Memory, asked: Mapping[str, str]) -> Shown:
    """One decision that waits, and the list of the others."""
    waiting = memory.survey.found.waiting
    at = next((n for n, each in enumerate(waiting) if each.id == asked.get("item")), 0)
    ids = (asked.get("item", ""), *(each.id for each in waiting[at:]))  # a conflict may be younger than the survey
    item = next(filter(None, map(memory.review.still, filter(None, ids))), None)
    clashing = _clashing([item.conflict] if item and item.conflict else ())
    return {"item": item, "changes": memory.review.changes(item) if item else (), "at": at, "clashing": clashing}


def timeline(memory: Memory, asked: Mapping[str, str]) -> Shown:
    """Tasks, commits and decisions of a day, a week, a month or a year, and how many there were of each part."""
    zoom = next((each for each in _AGES if each == asked.get("zoom")), "week")
    days, last = _AGES[zoom], datetime.now(UTC)
    with suppress(ValueError):
        last = datetime.fromisoformat(asked.get("day", ""))
    last = min(max(last.replace(tzinfo=UTC), _FIRST), datetime.now(UTC)).replace(
        hour=0, minute=0, second=0, microsecond=0
    )
    since = last - timedelta(days=days - 1)
    found = memory.episodes.timeline(since=since, until=last + timedelta(days=1), limit=_MOST_ENTRIES)
    form = "%Y-%m" if zoom == "year" else "%Y-%m-%d"
    bars = {f"{since + timedelta(days=number):{form}}": 0 for number in range(days)}
    for day, number in memory.episodes.per_day(since, last + timedelta(days=1)).items():
        bars[day[:7] if zoom == "year" else day] += number
    return {
        "entries": found,
        "zoom": zoom,
        "zooms": list(_AGES),
        "since": since,
        "last": last,
        "bars": list(bars.items()),
        "earlier": since - timedelta(days=1),
        "later": last + timedelta(days=days),
    }


def receipts(memory: Memory, asked: Mapping[str, str]) -> Shown:
    """What was told, to whom and why."""
    found = memory.receipts(_MOST_RECEIPTS if asked.get("asker") else 200, belief=asked.get("belief") or None)
    found = [each for each in found if asked.get("asker", "") in {"", each.asker}][:200]
    return {"receipts": found, "texts": _texts(memory, [id for each in found for id in each.served])}


def sessions(memory: Memory, _: Mapping[str, str]) -> Shown:
    """The sessions of agents, latest first."""
    return {"sessions": [each for each in memory.events.sessions(300) if each.name]}


def session(memory: Memory, asked: Mapping[str, str]) -> Shown:
    """One session step by step: what it was told beside what it did."""
    shown = memory.replay(asked["name"], source=asked["source"])
    return {"steps": shown.steps, "texts": shown.texts, "source": shown.source, "name": shown.name}


def storage(memory: Memory, asked: Mapping[str, str]) -> Shown:
    """Numbers and files; with `checks` those of the doctor, which take a while."""
    checks = memory.doctor() if asked.get("checks") else None
    return {"stats": memory.stats(most_judged=0), "checks": checks, "audit": memory.audit.list(limit=30)}


def graph(memory: Memory, asked: Mapping[str, str]) -> Shown:
    """The table beside the picture, page by page: beliefs, their places, and what each is connected with."""
    query = BeliefQuery(status=BeliefStatus.ACTIVE, under=asked.get("under", "")[:1_000])
    listed = memory.survey.outline(query, _ROWS + 1, asked.get("after", "")[:200])
    nodes = listed[:_ROWS]
    ids = [each.id for each in nodes]
    links = [(each.id, base, "rests on") for each in nodes for base in each.because_of]
    conflicts = memory.conflicts.of(*ids)
    links += [(each.first, each.second, "contradicts") for each in conflicts]
    return {
        "clashing": _clashing(conflicts),
        "nodes": nodes,
        "links": links,
        "texts": _texts(memory, [id for one, other, _ in links for id in (one, other)]),
        "standings": memory.survey.standings,
        "under": query.under,
        "next": f"{nodes[-1].made} {nodes[-1].id}" if len(listed) > _ROWS else "",
    }


def graph_picture(memory: Memory, asked: Mapping[str, str]) -> Shown:
    """What the picture of the graph is drawn from: the newest beliefs, tasks about their files, and what connects them.
    `nodes` are id, text, standing, path and symbol; `tasks` id, title and day; `links` two ids or places, and how."""
    query = BeliefQuery(status=BeliefStatus.ACTIVE, under=asked.get("under", "")[:1_000])
    listed = memory.survey.outline(query, _MOST_MAPPED)
    known = {each.id for each in listed}
    standings = memory.survey.standings
    links = [(each.id, base, "rests on") for each in listed for base in each.because_of if base in known]
    conflicts = [each for each in memory.conflicts.open() if {each.first, each.second} <= known]
    links += [(each.first, each.second, "contradicts") for each in conflicts]
    shown = {**standings, **dict.fromkeys(_holding(_clashing(conflicts), standings), _CONFLICT)}
    nodes: list[tuple[str, ...]] = []
    for each in listed:
        place = each.places[0] if each.places else ("", "")
        nodes.append((each.id, each.text[:90], shown.get(each.id, ""), *place))
        links += [(each.id, f"{other}#{name}", "also about") for other, name in each.places[1:]]
    places = {path for *_, path, _ in nodes}
    tasks = [each for each in memory.episodes.list(limit=200) if places.intersection(each.paths)]
    links += [(each.id, path, "changed") for each in tasks for path in each.paths if path in places]
    told = [(each.id, each.title[:90], f"{each.began_at:%Y-%m-%d}") for each in tasks]
    return {"nodes": nodes, "links": links, "tasks": told, "full": len(listed) == _MOST_MAPPED}


def _holding(ids: Iterable[str], standings: Mapping[str, Standing]) -> list[str]:
    """Those of which no standing is known that does not hold."""
    return [id for id in ids if id not in standings or standings[id].holds]


def _texts(memory: Memory, ids: list[str]) -> dict[str, str]:
    found = memory.survey.outline(BeliefQuery(ids=tuple(dict.fromkeys(ids))), len(ids))
    return {each.id: each.text for each in found}


def _clashing(conflicts: Iterable[Conflict]) -> frozenset[str]:
    """Both sides of open conflicts, which do not hold on any page."""
    return frozenset(id for each in conflicts for id in (each.first, each.second))


def _one_of(kind: Any, word: str | None) -> Any:
    return kind(word) if word in set(kind) else None
