"""What each page of `memlsp web` costs at the size of a store: its first answer and those that follow, in the process
of the pages, beside an empty Starlette page that is asked in turn with each."""

from __future__ import annotations

import gc
import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import timedelta
from time import perf_counter, process_time

from attrs import evolve
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from benchmarks.speed.stores import Generated
from memlsp.beliefs.lifecycle.admission import Draft, Maker, admit, new_id
from memlsp.faces.web.access import Access
from memlsp.faces.web.server import SELDOM, application
from memlsp.faces.web_server import Endpoint
from memlsp.memory import Memory
from memlsp.memory.curation.revision import found_by
from memlsp.model.belief import Belief, BeliefKind, BeliefStatus
from memlsp.model.episode import Episode, Outcome
from memlsp.model.errors import MemlspError
from memlsp.model.recall import Receipt
from memlsp.model.view import BeliefQuery
from memlsp.store.core.locations import store_path
from memlsp.store.store import Store, open_store

_PORT = 8765
_EMPTY = "empty Starlette page"
_LINKED, _CONFLICTS, _EPISODES, _RECEIPTS, _SESSIONS = 1_000, 500, 2_000, 5_000, 300
_ACTIVE = BeliefQuery(status=BeliefStatus.ACTIVE)


def browse(generated: Generated, calls: int, add: Callable[[str, list[float]], None]) -> None:
    """Ask for every page `calls` times with other parameters each time, and hand on the milliseconds of each by name:
    the first answer, all that follow, and the processor time of these. The store gets links, conflicts, tasks, sessions
    and receipts unless it has them."""
    with Memory.open(generated.root, data_dir=generated.data) as memory:
        if not memory.episodes.list(limit=1):
            with open_store(store_path(memory.workspace.key, generated.data)) as store:
                _fill(memory, store)
        usual = gc.get_threshold()
        gc.set_threshold(*SELDOM)  # as the command does
        began = perf_counter()
        memory.survey.look()
        add("survey of all", [1000 * (perf_counter() - began)])
        access = Access(_PORT, None, lambda _: None, secure=False)
        app = application(memory, access, Endpoint(), _PORT)
        empty = Starlette(routes=[Route("/", _nothing)])
        origin = f"http://127.0.0.1:{_PORT}"
        with TestClient(app, base_url=origin) as client, TestClient(empty, base_url=origin) as floor:
            client.get(access.link)
            floors: list[float] = []
            for name, paths in _pages(memory, calls):
                took: list[float] = []
                worked: list[float] = []
                for path in paths:
                    at, worked_at = perf_counter(), process_time()
                    answer = client.get(path)
                    worked.append(1000 * (process_time() - worked_at))
                    took.append(1000 * (perf_counter() - at))
                    assert answer.status_code == 200, f"{path}: {answer.status_code}"
                    at = perf_counter()
                    floor.get("/")
                    floors.append(1000 * (perf_counter() - at))
                add(f"page {name}, first", took[:1])
                add(f"page {name}", took[1:])
                add(f"page {name}, processor", worked[1:])
            add(_EMPTY, floors)
        gc.set_threshold(*usual)


def _nothing(_: Request) -> HTMLResponse:
    return HTMLResponse("<!doctype html>")


def _pages(memory: Memory, calls: int) -> Iterator[tuple[str, list[str]]]:
    """Each page with the addresses at which it is asked for, all different where it takes parameters."""
    dealt = random.Random(3)  # noqa: S311 - nothing secret is drawn
    some = memory.survey.outline(_ACTIVE, 20_000)
    folders = sorted({each.places[0][0].rpartition("/")[0] for each in some if each.places})
    cursors = [f"{each.made}+{each.id}".replace(":", "%3A") for each in dealt.sample(some, min(calls, len(some)))]
    words = [dealt.choice(each.text.split()).strip("`,;.'()") for each in dealt.sample(some, min(calls, len(some)))]
    kinds = [
        lambda: "",
        lambda: f"after={dealt.choice(cursors)}",
        lambda: f"q={dealt.choice(words)}",
        lambda: f"kind={dealt.choice(list(BeliefKind)).value}",
        lambda: f"standing={dealt.choice(['current', 'contradicted', 'retired', 'changed'])}",
        lambda: f"standing=current&kind=decision&after={dealt.choice(cursors)}",
        lambda: f"under={dealt.choice(folders)}/",
        lambda: f"age={dealt.choice(['day', 'month', 'year', 'older-month'])}",
        lambda: f"author=Generated&scope=symbol&q={dealt.choice(words)}",
    ]

    def day() -> str:
        return some[dealt.randrange(len(some))].made[:10]

    turns = range(calls + 1)
    waiting = [each.id.replace("+", "%2B") for each in memory.survey.found.waiting] or [""]
    yield "today", ["/" for _ in turns]
    yield "beliefs", [f"/beliefs?{kinds[turn % len(kinds)]()}" for turn in turns]
    yield "a belief", [f"/belief/{dealt.choice(some).id}" for _ in turns]
    yield "review", [f"/review?item={dealt.choice(waiting)}" for _ in turns]
    zooms = ("year", "week", "month", "day")
    yield "timeline", [f"/timeline?zoom={zooms[turn % 4]}&day={day()}" for turn in turns]
    yield "timeline of a year", [f"/timeline?zoom=year&day={day()}" for _ in turns]
    yield "graph", ["/graph" for _ in turns]
    yield "graph of a folder", [f"/graph?under={dealt.choice(folders)}/" for _ in turns]
    yield "graph, picture", ["/graph.json" for _ in turns]
    yield "graph, picture of a folder", [f"/graph.json?under={dealt.choice(folders)}/" for _ in turns]
    yield (
        "receipts",
        [f"/receipts{('', '?asker=agent-1', '?belief=' + dealt.choice(some).id)[turn % 3]}" for turn in turns],
    )
    yield "sessions", ["/sessions" for _ in turns]
    yield "a session", [f"/session/claude-code/s{dealt.randrange(_SESSIONS)}" for _ in turns]
    yield "storage", ["/storage" for _ in turns]


def _fill(memory: Memory, store: Store) -> None:
    """What a store has besides beliefs, written by the store's own code."""
    dealt = random.Random(5)  # noqa: S311 - nothing secret is drawn
    listed = memory.survey.outline(_ACTIVE, _LINKED * 4)
    known = store.several([each.id for each in listed])
    last = max(belief.created_at for belief in known)
    made: list[Belief] = []
    for number in range(min(_LINKED, len(known))):
        at = last + timedelta(seconds=number)
        first = dealt.choice(known)
        rests = evolve(first, id=new_id(), because_of=(dealt.choice(known).id,), created_at=at, updated_at=at)
        made.append(evolve(rests, text=f"{first.text}, as before"))
    _, revision = admit(Draft("Linked", anchors=made[0].anchors), Maker(made[0].author, "python", last))
    store.change_all([(each, evolve(revision, belief_id=each.id, at=each.created_at), found_by(each)) for each in made])
    for one, other in zip(known[::2], known[1::2], strict=False):
        if dealt.random() < _CONFLICTS / max(len(known) // 2, 1):
            memory.conflicts.ask(one, other)
    episodes: list[tuple[Episode, object]] = []
    for number in range(_EPISODES):
        about = dealt.sample(known, min(3, len(known)))
        at = last - timedelta(hours=number)
        ties = tuple((tie.path, tie.symbol or "") for each in about for tie in each.anchors)
        title, paths = about[0].text[:80], tuple(dict.fromkeys(path for path, _ in ties))
        task = Episode(f"e{number:05d}", title, title, Outcome.ENDED, at, at, closed_at=at, paths=paths, symbols=ties)
        episodes.append((task, None))
    store.episodes.save(episodes)
    for number in range(_RECEIPTS):
        ids = tuple(each.id for each in dealt.sample(known, min(12, len(known))))
        at = last - timedelta(minutes=number)
        session = f"claude-code s{number % _SESSIONS}"
        store.add_receipt(
            Receipt(0, at, f"agent-{number % 5}", known[number % len(known)].text, ids, (), 400, session=session)
        )
    began = int(last.timestamp() * 1_000)
    for number in range(_SESSIONS):
        with suppress(MemlspError):
            memory.events.take(
                {
                    "source": "claude-code",
                    "session": f"s{number}",
                    "kind": "command",
                    "at": began + step,
                    "key": f"{number} {step}",
                    "text": f"pytest -q {step}",
                    "output": "passed",
                }
                for step in range(20)
            )
