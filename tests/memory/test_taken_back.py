"""What git takes back is nobody's work: neither in the handoff of who did it, nor as an edit of anybody."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator

import pytest
from project import Project

from memlsp import Memory
from memlsp.model.episode import Outcome

Revert = Callable[[Project], object]


@pytest.fixture
def memory(project: Project) -> Iterator[Memory]:
    with Memory.open(project.root) as opened:
        opened.events.settle()
        yield opened


class Session:
    """A session of an agent in the project."""

    def __init__(self, memory: Memory, project: Project, name: str = "s1") -> None:
        self.memory, self.project, self.name, self.number = memory, project, name, 0

    def does(self, kind: str, text: str = "", **more: object) -> Session:
        self.number += 1
        record = {"key": f"{self.name}{self.number}", "at": time.time_ns() // 1_000_000, "kind": kind, "text": text}
        self.memory.events.take([{**record, "source": "claude-code", "session": self.name, **more}])
        return self

    def edits(self, path: str, old: str, new: str) -> Session:
        self.project.replace(path, old, new)
        self.does("edit", paths=[path])
        self.memory.events.settle()
        return self

    def ends(self) -> None:
        self.does("session-end")
        self.memory.events.settle()


@pytest.fixture
def session(memory: Memory, project: Project) -> Session:
    return Session(memory, project).does("prompt", "Try more often than three times")


def told(memory: Memory) -> list[str]:
    """The sentences of all symbol changes."""
    memory.events.settle()
    return [change.sentence for event in memory.events.list() for change in event.changes]


REVERTS: dict[str, Revert] = {
    "checkout of all": lambda project: project.git("checkout", "--quiet", "."),
    "checkout of a file": lambda project: project.git("checkout", "--quiet", "--", "client.py"),
    "checkout of HEAD": lambda project: project.git("checkout", "--quiet", "HEAD", "client.py"),
    "restore": lambda project: project.git("restore", "client.py"),
    "reset": lambda project: project.git("reset", "--quiet", "--hard"),
    "stash": lambda project: project.git("stash"),
    "switch": lambda project: project.git("checkout", "--quiet", "--force", "-b", "side"),
    "by hand": lambda project: project.replace("client.py", "retries=5", "retries=3"),
}


@pytest.mark.parametrize("revert", REVERTS.values(), ids=REVERTS.keys())
def test_what_is_taken_back_is_told_to_nobody_as_done(
    session: Session, memory: Memory, project: Project, revert: Revert
) -> None:
    session.edits("client.py", "retries=3", "retries=5")
    (handoff,) = memory.handoffs.list()
    assert "`retries` from 3 to 5" in handoff.done[0]
    revert(project)
    memory.events.settle()
    assert len(told(memory)) == 1  # the way back is no change
    session.ends()
    assert memory.handoffs.list() == ()
    assert "retries" not in memory.handoffs.briefing() + memory.handoffs.briefing(("claude-code", "s1"))


def test_an_edit_that_is_taken_back_before_anybody_looks_is_no_work_either(
    session: Session, memory: Memory, project: Project
) -> None:
    project.replace("client.py", "retries=3", "retries=5")
    session.does("edit", paths=["client.py"])
    project.git("checkout", "--quiet", ".")
    session.ends()
    assert memory.handoffs.list() == ()


def test_a_session_keeps_what_was_not_taken_back(session: Session, memory: Memory, project: Project) -> None:
    session.edits("client.py", "retries=3", "retries=5").edits("pricing/rates.py", "0.20", "0.25")
    project.git("checkout", "--quiet", "--", "client.py")
    memory.events.settle()
    (episode,) = memory.episodes.list()
    assert ["0.25" in sentence for sentence in episode.sentences] == [True]
    session.ends()
    (handoff,) = memory.handoffs.list()
    assert ["0.25" in line for line in handoff.done] == [True]
    assert handoff.paths == ("pricing/rates.py",)


def test_what_another_takes_back_leaves_the_brief_of_who_did_it(
    session: Session, memory: Memory, project: Project
) -> None:
    session.edits("client.py", "retries=3", "retries=5")
    session.ends()
    assert "retries" in memory.handoffs.briefing()
    project.git("checkout", "--quiet", ".")
    other = Session(memory, project, "s2").does("prompt", "What does fetch do?")
    other.edits("pricing/rates.py", "0.20", "0.25").ends()
    assert "retries" not in memory.handoffs.briefing()
    assert "0.25" in memory.handoffs.briefing()


@pytest.mark.parametrize("looked", [True, False], ids=["looked at", "at once"])
def test_what_comes_back_from_a_stash_is_told_once(
    session: Session, memory: Memory, project: Project, *, looked: bool
) -> None:
    session.edits("client.py", "retries=3", "retries=5")
    project.git("stash")
    if looked:
        memory.events.settle()
    project.git("stash", "pop")
    memory.events.settle()
    session.ends()
    assert len(told(memory)) == 1
    (handoff,) = memory.handoffs.list()
    assert ["`retries` from 3 to 5" in line for line in handoff.done] == [True]
    (episode,) = memory.episodes.list()
    assert episode.outcome is not Outcome.ABANDONED


def test_a_stash_that_runs_into_the_next_second_comes_back_too(
    session: Session, memory: Memory, project: Project
) -> None:
    session.edits("client.py", "retries=3", "retries=5")
    project.git("stash")
    log = project.root / ".git" / "logs" / "HEAD"  # where the stash notes the reset that it ends with
    *earlier, reset = log.read_text("utf-8").splitlines(keepends=True)
    later = re.sub(r"(?<=> )\d+", lambda second: str(int(second[0]) + 1), reset)
    log.write_text("".join([*earlier, later]), "utf-8")
    memory.events.settle()
    project.git("stash", "pop")
    memory.events.settle()
    session.ends()
    assert len(told(memory)) == 1
    (handoff,) = memory.handoffs.list()
    assert ["`retries` from 3 to 5" in line for line in handoff.done] == [True]


def test_what_was_stashed_before_it_was_told_is_told_when_it_comes_back(
    session: Session, memory: Memory, project: Project
) -> None:
    project.replace("client.py", "retries=3", "retries=5")
    session.does("edit", paths=["client.py"])
    project.git("stash")
    memory.events.settle()
    project.git("stash", "pop")
    assert len(told(memory)) == 1


def test_a_stash_whose_message_speaks_of_applying_takes_back_too(
    session: Session, memory: Memory, project: Project
) -> None:
    session.edits("client.py", "retries=3", "retries=5")
    project.git("stash", "push", "--message", "apply and pop later")
    session.ends()
    assert memory.handoffs.list() == ()


def test_a_commit_that_is_reset_away_is_no_work(session: Session, memory: Memory, project: Project) -> None:
    session.edits("client.py", "retries=3", "retries=5")
    project.commit("Try more often")
    session.does("command", "git commit --all", ok=True)
    memory.events.settle()
    (handoff,) = memory.handoffs.list()
    assert handoff.done[0].startswith("committed ")
    project.git("reset", "--quiet", "--hard", "HEAD~1")
    session.ends()
    assert memory.handoffs.list() == ()


def test_a_commit_that_is_undone_and_kept_in_the_files_is_work_without_a_commit(
    session: Session, memory: Memory, project: Project
) -> None:
    session.edits("client.py", "retries=3", "retries=5")
    project.commit("Try more often")
    memory.events.settle()
    project.git("reset", "--quiet", "HEAD~1")
    session.ends()
    (handoff,) = memory.handoffs.list()
    assert ["`retries` from 3 to 5" in line for line in handoff.done] == [True]


def test_a_file_of_an_older_commit_is_told_by_the_commit_that_takes_it(memory: Memory, project: Project) -> None:
    project.replace("client.py", "retries=3", "retries=5")
    project.commit("Try more often")
    before = len(told(memory))
    project.git("checkout", "--quiet", "HEAD~1", "--", "client.py")
    assert len(told(memory)) == before
    project.commit("Try three times again")
    assert "from 5 to 3" in told(memory)[-1]


def test_a_commit_in_the_second_in_which_its_session_ends_is_part_of_its_episode(
    session: Session, memory: Memory, project: Project
) -> None:
    session.edits("client.py", "retries=3", "retries=5")
    commit = project.commit("Try more often")
    session.ends()
    (episode,) = memory.episodes.list()
    assert episode.commits == (commit,)
    (handoff,) = memory.handoffs.list()
    assert handoff.done[0].startswith("committed ")


def test_a_session_that_only_changed_layout_leaves_nothing(session: Session, memory: Memory, project: Project) -> None:
    session.edits("client.py", "import time\n\n\n", "import time\n\n\n\n")
    session.ends()
    assert memory.handoffs.list() == ()


def test_a_session_that_only_changed_layout_does_not_come_before_what_another_did(
    session: Session, memory: Memory, project: Project
) -> None:
    session.edits("client.py", "retries=3", "retries=5")
    session.ends()
    other = Session(memory, project, "s2").does("prompt", "Tidy the client")
    other.edits("client.py", "import time\n\n\n", "import time\n\n\n\n").ends()
    assert "`retries` from 3 to 5" in memory.handoffs.briefing()
    assert "Tidy" not in memory.handoffs.briefing()
