"""The memory as it was: by commit and by date."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from project import Project, shop

from memlsp import Memory
from memlsp.model.belief import RevisionAction
from memlsp.model.errors import BadValue
from memlsp.model.place import Place
from memlsp.model.recall import Recall, RecallOptions
from memlsp.model.standing import Standing

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
COMPUTE = Place("pricing/tax.py", symbol="compute_tax")


class Days:
    """A clock that a test sets, and commits made by it."""

    def __init__(self, project: Project) -> None:
        self.now = START
        self.project = project

    def __call__(self) -> datetime:
        return self.now

    def later(self, days: int = 1) -> datetime:
        self.now += timedelta(days=days)
        return self.now

    def commit(self, message: str) -> str:
        stamp = self.now.isoformat()
        self.project.git("add", "--all")
        words = ("commit", "--quiet", "--message", message)
        self.project.git(*words, GIT_COMMITTER_DATE=stamp, GIT_AUTHOR_DATE=stamp)
        return self.project.git("rev-parse", "HEAD").strip()


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = shop(tmp_path / "shop")
    stamp = START.isoformat()
    made.git("commit", "--quiet", "--amend", "--no-edit", "--date", stamp, GIT_COMMITTER_DATE=stamp)
    return made


@pytest.fixture
def days(project: Project) -> Days:
    return Days(project)


@pytest.fixture
def opened(project: Project, days: Days) -> Iterator[Callable[[], Memory]]:
    made: list[Memory] = []

    def again() -> Memory:
        made.append(Memory.open(project.root, clock=days))
        return made[-1]

    yield again
    for memory in made:
        memory.close()


def texts(answer: Recall) -> list[str]:
    return [hit.judgement.belief.text for hit in answer.hits]


def test_what_was_superseded_since_is_there_in_its_former_words(days: Days, opened: Callable[[], Memory]) -> None:
    memory = opened()
    id = memory.remember("The tax is rounded to two places").belief.id
    then = days.later()
    days.later()
    memory.revise(id, RevisionAction.SUPERSEDE, text="The tax is rounded to three places")
    assert texts(memory.recall("tax rounded places")) == ["The tax is rounded to three places"]
    assert texts(memory.recall("tax rounded places", RecallOptions(as_of=then))) == ["The tax is rounded to two places"]
    assert texts(memory.recall("tax rounded places", RecallOptions(as_of=then.date().isoformat()))) == [
        "The tax is rounded to two places"
    ]
    assert memory.recall("tax rounded places", RecallOptions(as_of=START - timedelta(days=1))).hits == ()


def test_what_was_retired_since_is_there(days: Days, opened: Callable[[], Memory]) -> None:
    memory = opened()
    id = memory.remember("The tax is rounded").belief.id
    then = days.later()
    days.later()
    memory.revise(id, RevisionAction.RETIRE)
    assert memory.recall("tax rounded").hits == ()
    answer = memory.recall("tax rounded", RecallOptions(as_of=then))
    assert texts(answer) == ["The tax is rounded"]
    assert answer.hits[0].judgement.standing is Standing.UNBOUND


def test_what_was_learned_later_is_left_out_and_said_to_be(days: Days, opened: Callable[[], Memory]) -> None:
    memory = opened()
    memory.remember("The tax is rounded")
    then = days.later()
    days.later()
    later = memory.remember("The tax is never rounded twice").belief.id
    answer = memory.recall("tax rounded", RecallOptions(as_of=then))
    assert texts(answer) == ["The tax is rounded"]
    assert [(each.id, each.reason) for each in answer.left_out] == [(later, "as-of")]


def test_a_commit_stands_for_the_time_until_work_went_on_from_it(
    project: Project, days: Days, opened: Callable[[], Memory]
) -> None:
    days.later()
    first = project.git("rev-parse", "HEAD").strip()
    opened().remember("The tax is rounded to two places")  # after the commit, before the next
    days.later()
    project.write("other.py", "x = 1\n")
    second = days.commit("Go on")
    days.later()
    memory = opened()
    memory.remember("The tax is rounded half up")
    assert texts(memory.recall("tax rounded", RecallOptions(as_of=first))) == ["The tax is rounded to two places"]
    assert len(memory.recall("tax rounded", RecallOptions(as_of=second)).hits) == 2
    assert len(memory.recall("tax rounded", RecallOptions(as_of="HEAD")).hits) == 2
    assert len(memory.recall("tax rounded", RecallOptions(as_of="main")).hits) == 2
    assert texts(memory.recall("tax rounded", RecallOptions(as_of=first[:9]))) == ["The tax is rounded to two places"]


def test_what_was_learned_on_commits_that_do_not_lead_there_is_left_out(
    project: Project, days: Days, opened: Callable[[], Memory]
) -> None:
    project.git("checkout", "--quiet", "-b", "other")
    project.write("other.py", "x = 1\n")
    days.later()
    days.commit("Apart")
    memory = opened()
    apart = memory.remember("The tax is rounded apart").belief.id
    project.git("checkout", "--quiet", "main")
    project.write("more.py", "x = 1\n")
    days.later()
    here = days.commit("Go on")
    project.git("merge", "--quiet", "--no-edit", "other")
    days.later()
    memory.remember("The tax is rounded here")
    assert len(memory.recall("tax rounded").hits) == 2
    answer = memory.recall("tax rounded", RecallOptions(as_of=here))
    assert answer.hits == ()
    assert (apart, "branch") in [(each.id, each.reason) for each in answer.left_out]
    assert texts(memory.recall("tax rounded", RecallOptions(as_of="other"))) == ["The tax is rounded apart"]


def test_the_standing_is_that_of_the_files_of_the_commit(
    project: Project, days: Days, opened: Callable[[], Memory]
) -> None:
    days.later()
    first = project.git("rev-parse", "HEAD").strip()
    id = opened().remember("The tax is rounded to 2 places", at=[COMPUTE]).belief.id
    days.later()
    project.replace("pricing/tax.py", "round(net * RATE, 2)", "round(net * RATE, 3)")
    days.commit("Round otherwise")
    days.later()
    memory = opened()
    assert memory.belief(id).standing is Standing.CONTRADICTED
    hit = memory.recall("tax rounded", RecallOptions(as_of=first)).hits[0]
    assert hit.judgement.standing is Standing.CURRENT
    assert (
        memory.recall("tax rounded", RecallOptions(as_of=(START + timedelta(days=1)).date().isoformat()))
        .hits[0]
        .judgement.standing
        is Standing.CURRENT
    )
    assert memory.recall("tax rounded", RecallOptions(as_of="HEAD")).hits[0].judgement.standing is Standing.CONTRADICTED


def test_a_file_that_is_gone_now_was_there_then(project: Project, days: Days, opened: Callable[[], Memory]) -> None:
    days.later()
    first = project.git("rev-parse", "HEAD").strip()
    opened().remember("`client.py` fetches with retries")
    days.later()
    (project.root / "client.py").unlink()
    days.commit("Drop the client")
    days.later()
    memory = opened()
    assert memory.recall("client retries").hits[0].judgement.standing is Standing.CONTRADICTED
    assert memory.recall("client retries", RecallOptions(as_of=first)).hits[0].judgement.standing is Standing.CURRENT


def test_a_place_is_asked_about_as_of_then(project: Project, days: Days, opened: Callable[[], Memory]) -> None:
    days.later()
    memory = opened()
    id = memory.remember("Half cents go up", at=[COMPUTE]).belief.id
    then = days.later()
    days.later()
    memory.revise(id, RevisionAction.RETIRE)
    assert memory.recall("", RecallOptions(at=COMPUTE, base=project.root)).hits == ()
    assert texts(memory.recall("", RecallOptions(at=COMPUTE, base=project.root, as_of=then))) == ["Half cents go up"]


def test_without_git_the_time_decides_and_the_answer_says_how_it_was_judged(tmp_path: Path) -> None:
    now = [START]
    (tmp_path / "client.py").write_text("def fetch():\n    return 1\n")
    with Memory.open(tmp_path, clock=lambda: now[0]) as memory:
        memory.remember("The client fetches once", at=[Place("client.py", symbol="fetch")])
        now[0] += timedelta(days=5)
        memory.remember("The client fetches twice")
        answer = memory.recall("client fetches", RecallOptions(as_of=START + timedelta(days=2)))
        assert texts(answer) == ["The client fetches once"]
        assert "held against the files of now, as git does not have those of then" in answer.hits[0].why
        with pytest.raises(BadValue, match="neither a date nor a commit"):
            memory.recall("client", RecallOptions(as_of="main"))


@pytest.mark.parametrize(
    "nonsense", ["", "nowhere", "2026-13-45", "HEAD~999", "-x", "2026-02-30T99", "\0", "..", "a" * 9000]
)
def test_what_is_neither_a_date_nor_a_commit_is_refused(memory: Memory, nonsense: str) -> None:
    with pytest.raises(BadValue):
        memory.recall("tax", RecallOptions(as_of=nonsense))


def test_a_time_of_the_future_is_now(memory: Memory) -> None:
    memory.remember("The tax is rounded")
    assert len(memory.recall("tax rounded", RecallOptions(as_of="2999-01-01")).hits) == 1


def test_asking_about_the_past_leaves_a_receipt_that_says_so(memory: Memory) -> None:
    memory.remember("The tax is rounded")
    memory.recall("tax rounded", RecallOptions(as_of="HEAD"))
    assert memory.receipts()[0].as_of == "HEAD"
    memory.recall("tax rounded")
    assert memory.receipts()[0].as_of == ""


def test_work_that_was_done_later_leads_to_none_that_was_done_then(
    project: Project, days: Days, opened: Callable[[], Memory]
) -> None:
    days.later()
    project.replace("client.py", "retries=3", "retries=5")
    days.commit("Try more often")
    days.later()
    memory = opened()
    memory.onboard()
    then = memory.recall("jitter while waiting")
    moment = days.later()
    days.later()
    project.replace("client.py", "retries=5", "retries=6")
    days.commit("Jitter while waiting")
    memory.onboard()
    now = memory.recall("jitter while waiting")
    assert "Try more often" in [hit.title for hit in now.work]
    assert "Try more often" not in [hit.title for hit in then.work]
    past = memory.recall("jitter while waiting", RecallOptions(as_of=moment))
    assert [hit.id for hit in past.work] == [hit.id for hit in then.work]
