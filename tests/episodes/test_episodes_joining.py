"""Events join into episodes as they come."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from attrs import evolve

from memlsp import Memory
from memlsp.episodes.event_joiner import MOST_OPEN
from memlsp.model.change import ChangeKind, SymbolRef
from memlsp.model.episode import KeptChange, Outcome
from memlsp.model.errors import NoSuchEpisode
from memlsp.model.event import Event, EventKind
from memlsp.model.symbol import SymbolKind

_START = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)


class Story:
    """Events in order, a minute apart unless told otherwise."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self._number = 0
        self._minutes = 0.0
        self.branch = "main"

    def happens(
        self,
        kind: EventKind,
        text: str = "",
        *paths: str,
        session: str = "a",
        source: str = "",
        after: float = 1,
        **more: object,
    ) -> str:
        """Observe one event; the id of its episode."""
        self._number += 1
        self._minutes += after
        source = source or ("claude-code" if session else "editor")
        changes = tuple(_changed(*each.split("#")) for each in paths if "#" in each)
        event = Event(
            self._number,
            f"event {self._number}",
            _START + timedelta(minutes=self._minutes),
            kind,
            source,
            session,
            text,
            paths=tuple(dict.fromkeys(path.partition("#")[0] for path in paths)),
            changes=changes,
            branch=self.branch,
        )
        return self.memory.episodes.observe(evolve(event, **more))  # pyright: ignore[reportArgumentType] - fields by name

    def asks(self, text: str, **more: object) -> str:
        return self.happens(EventKind.PROMPT, text, **more)  # pyright: ignore[reportArgumentType] - as above

    def edits(self, *paths: str, **more: object) -> str:
        return self.happens(EventKind.EDIT, "", *paths, **more)  # pyright: ignore[reportArgumentType] - as above

    def runs(self, text: str, *, ok: bool, **more: object) -> str:
        return self.happens(EventKind.COMMAND, text, ok=ok, **more)  # pyright: ignore[reportArgumentType] - as above

    def commits(self, text: str, *paths: str) -> str:
        return self.happens(EventKind.COMMIT, text, *paths, session="", source="git", commit=f"{self._number:040x}")


def _changed(path: str, name: str) -> KeptChange:
    ref = SymbolRef(path, name, SymbolKind.FUNCTION)
    return KeptChange(frozenset({ChangeKind.BEHAVIOUR}), ref, ref, f"`{name}` now calls `other`.")


@pytest.fixture
def story(memory: Memory) -> Story:
    return Story(memory)


def test_what_an_agent_does_for_a_prompt_is_one_episode(story: Story) -> None:
    first = story.asks("Replace the retry loop by tenacity in the client")
    story.edits("src/client.py#fetch")
    story.runs("pytest -q", ok=False)
    story.edits("src/client.py#fetch")
    last = story.runs("pytest -q", ok=True)

    assert first == last
    episode = story.memory.episodes.get(first)
    assert episode.title == "Replace the retry loop by tenacity in the client"
    assert episode.is_open
    assert episode.outcome is Outcome.OPEN
    assert episode.symbols == (("src/client.py", "fetch"),)
    assert [(run.command, run.worked) for run in episode.commands] == [("pytest -q", False), ("pytest -q", True)]


def test_a_session_that_ends_closes_its_episode(story: Story) -> None:
    id = story.asks("Make the cart count items")
    story.edits("cart.py#count")
    story.runs("pytest", ok=True)
    story.happens(EventKind.SESSION_END)

    episode = story.memory.episodes.get(id)
    assert episode.closed_by == "session-end"
    assert episode.outcome is Outcome.TESTED


def test_two_agents_at_once_have_an_episode_each(story: Story) -> None:
    one = story.asks("Parse dates with a time zone", session="a")
    other = story.asks("Draw the logo in the footer", session="b", source="codex")
    for _ in range(3):
        assert story.edits("src/dates.py#parse", session="a") == one
        assert story.edits("web/footer.html", session="b", source="codex") == other


def test_a_session_that_is_asked_for_something_else_begins_another_episode(story: Story) -> None:
    one = story.asks("Parse dates with a time zone")
    story.edits("src/dates.py#parse")
    story.commits("Parse dates with a time zone", "src/dates.py")
    other = story.asks("Now draw the company logo in the page footer")
    assert story.edits("web/footer.html") != one
    assert story.asks("also make it smaller") == story.edits("web/footer.html")
    assert story.memory.episodes.get(one).outcome is Outcome.COMMITTED
    assert one != other


def test_the_editors_edits_join_the_agents_episode_when_they_touch_its_symbols(story: Story) -> None:
    one = story.asks("Replace the retry loop by tenacity in the client")
    story.edits("src/client.py#fetch")
    assert story.edits("src/client.py#fetch", session="") == one
    assert story.edits("docs/history.md", session="") != one


def test_changes_that_were_thrown_away_are_abandoned(story: Story) -> None:
    id = story.asks("Try a faster parser for the dates")
    story.edits("src/dates.py#parse")
    story.runs("git checkout -- src/dates.py", ok=True)
    story.happens(EventKind.SESSION_END)
    assert story.memory.episodes.get(id).outcome is Outcome.ABANDONED


def test_the_same_event_again_changes_nothing(story: Story) -> None:
    id = story.asks("Parse dates with a time zone")
    event = Event(7, "seven", _START + timedelta(minutes=9), EventKind.EDIT, "claude-code", "a", paths=("dates.py",))
    assert story.memory.episodes.observe(event) == id
    before = story.memory.episodes.get(id)
    assert story.memory.episodes.observe(event) == id
    assert story.memory.episodes.get(id) == before


def test_open_episodes_go_on_in_another_process(story: Story) -> None:
    id = story.asks("Parse dates with a time zone")
    with Memory.open(story.memory.workspace.root) as other:
        there = Story(other)
        there._number, there._minutes = 10, 10  # pyright: ignore[reportPrivateUsage] - the same story goes on
        assert there.edits("src/dates.py#parse") == id
    assert story.edits("src/dates.py#parse", after=20) == id
    assert story.memory.episodes.touching("src/dates.py", "parse")[0].id == id


def test_a_request_whose_edits_have_nothing_to_do_with_the_last_moves_to_an_episode_of_its_own(story: Story) -> None:
    one = story.asks("Parse dates with a time zone")
    story.edits("src/dates.py#parse")
    asked = story.asks("Draw the company logo at the bottom of every page")
    edited = story.edits("web/footer.html")
    assert asked == one, "nothing speaks against it yet"
    assert edited != one
    assert story.edits("web/footer.html") == edited
    assert story.memory.episodes.get(one).paths == ("src/dates.py",)
    assert story.memory.episodes.get(edited).title == "Draw the company logo at the bottom of every page"


def test_work_that_was_committed_is_over_after_a_night_and_other_work_after_days(story: Story) -> None:
    done = story.asks("Parse dates with a time zone")
    story.edits("src/dates.py#parse")
    story.commits("Parse dates with a time zone", "src/dates.py")
    left = story.asks("Draw the logo in the footer", session="b", source="codex")
    story.edits("web/footer.html", session="b", source="codex")

    last = story.memory.episodes.get(left).last_at
    assert story.memory.episodes.close_due(last + timedelta(hours=1)) == ()
    (closed,) = story.memory.episodes.close_due(last + timedelta(hours=13))
    assert (closed.id, closed.closed_by, closed.outcome) == (done, "commit", Outcome.COMMITTED)
    (closed,) = story.memory.episodes.close_due(last + timedelta(days=4))
    assert (closed.id, closed.closed_by, closed.outcome) == (left, "rest", Outcome.ENDED)
    assert story.memory.episodes.list(open_only=True) == ()


def test_a_branch_that_is_left_closes_what_was_committed_on_it(story: Story) -> None:
    story.branch = "zones"
    one = story.asks("Parse dates with a time zone")
    story.edits("src/dates.py#parse")
    story.commits("Parse dates with a time zone", "src/dates.py")
    story.branch = "main"
    story.happens(EventKind.CHECKOUT, "checkout: moving from zones to main", session="", source="git")
    story.memory.episodes.close_due(_START + timedelta(hours=2))
    assert story.memory.episodes.get(one).closed_by == "checkout"


def test_a_commit_closes_the_books_of_every_task_that_it_holds_whole(story: Story) -> None:
    one = story.asks("Parse dates with a time zone")
    story.edits("src/dates.py#parse", "tests/test_dates.py")
    other = story.asks("Draw the logo in the footer", session="b", source="codex")
    story.edits("web/footer.html", session="b", source="codex")
    commit = story.commits("Zones, and the logo", "src/dates.py", "tests/test_dates.py", "web/footer.html")
    assert commit == one
    assert story.memory.episodes.get(one).commits == story.memory.episodes.get(other).commits


def test_commits_that_nobody_was_seen_working_at_are_episodes_by_themselves(story: Story) -> None:
    one = story.commits("Parse dates with a time zone", "src/dates.py", "tests/test_dates.py")
    same = story.commits("Parse dates without a time zone", "src/dates.py", "tests/test_dates.py")
    assert one == same
    assert story.memory.episodes.get(one).title == "Parse dates with a time zone"


def test_episodes_are_found_by_folder_symbol_and_session(story: Story) -> None:
    one = story.asks("Parse dates with a time zone")
    story.edits("src/dates.py#Zone.parse")
    work = story.memory.episodes
    for found in (
        work.list(path="src"),
        work.list(path="src/dates.py", symbol="Zone"),
        work.touching("src/dates.py", "Zone.parse"),
        work.list(session="a"),
    ):
        assert [episode.id for episode in found] == [one]
    assert work.list(path="src/dates") == ()
    assert work.touching("src/dates.py", "Zon") == ()
    assert work.get(one[:5]).id == one
    with pytest.raises(NoSuchEpisode):
        work.get("nothing")


def test_the_timeline_tells_tasks_and_beliefs_latest_first(story: Story) -> None:
    story.asks("Parse dates with a time zone")
    story.edits("src/dates.py#parse")
    story.memory.remember("dates are always in UTC")
    entries = story.memory.episodes.timeline()
    assert {entry.what for entry in entries} >= {"belief", "episode"}
    assert list(entries) == sorted(entries, key=lambda entry: entry.at, reverse=True)
    assert story.memory.episodes.timeline(path="web") == ()
    [task] = [entry for entry in entries if entry.what == "episode"]
    before = task.at - timedelta(seconds=1)
    assert task in story.memory.episodes.timeline(until=task.at, limit=1)
    assert "episode" not in {entry.what for entry in story.memory.episodes.timeline(until=before)}
    assert sum(story.memory.episodes.per_day(before, before + timedelta(days=1_000)).values()) >= len(entries)


def test_a_hundred_files_saved_on_their_own_leave_few_episodes_open(story: Story) -> None:
    for number in range(100):
        story.edits(f"area{number}/part{number}.md", session="")
    assert len(story.memory.episodes.list(open_only=True, limit=200)) <= MOST_OPEN
