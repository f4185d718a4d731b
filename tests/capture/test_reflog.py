"""What git did, from its own logs: once each, from where it was read before."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from project import Project

from memlsp.capture.git.reflog import GitStep, git_steps
from memlsp.capture.git.repository import find_repository
from memlsp.model.event import EventKind


class Log:
    """The steps of one checkout, asked for again and again."""

    def __init__(self, root: Path) -> None:
        found = find_repository(root)
        assert found is not None
        self.git_folder, self.common = found.git_folder, found.common
        self.mark = ""

    def read(self, branch: str = "main") -> tuple[GitStep, ...]:
        found = git_steps(self.git_folder, self.common, self.mark, branch)
        self.mark = found.mark
        return found.steps

    def kinds(self, branch: str = "main") -> list[EventKind]:
        return [step.kind for step in self.read(branch) if step.kind is not None]


@pytest.fixture
def log(project: Project) -> Log:
    opened = Log(project.root)
    assert opened.read() == ()  # what happened before the first look is history
    return opened


def test_a_commit_is_told_once_with_its_subject_its_branch_and_both_commits(project: Project, log: Log) -> None:
    before = project.git("rev-parse", "HEAD").strip()
    project.replace("client.py", "retries=3", "retries=5")
    after = project.commit("Try more often")
    (step,) = log.read()
    assert (step.kind, step.old, step.new, step.text, step.branch) == (
        EventKind.COMMIT,
        before,
        after,
        "Try more often",
        "main",
    )
    assert log.read() == ()


def test_everything_that_moves_head_is_told_as_what_it_is(project: Project, log: Log) -> None:
    project.git("checkout", "--quiet", "-b", "side")
    project.write("a.py", "A = 1\n")
    project.commit("Add a")
    project.git("checkout", "--quiet", "main")
    project.write("b.py", "B = 1\n")
    project.commit("Add b")
    project.git("merge", "--quiet", "--no-edit", "side")
    project.git("reset", "--quiet", "--hard", "HEAD~1")
    project.git("cherry-pick", "side")
    project.git("commit", "--quiet", "--amend", "--message", "Add a, better")
    assert log.kinds() == [
        EventKind.CHECKOUT,
        EventKind.COMMIT,
        EventKind.CHECKOUT,
        EventKind.COMMIT,
        EventKind.MERGE,
        EventKind.RESET,
        EventKind.COMMIT,
        EventKind.COMMIT,
    ]


def test_a_commit_is_of_the_branch_that_was_checked_out_then(project: Project, log: Log) -> None:
    project.git("checkout", "--quiet", "-b", "side")
    project.write("a.py", "A = 1\n")
    project.commit("Add a")
    project.git("checkout", "--quiet", "main")
    project.write("b.py", "B = 1\n")
    project.commit("Add b")
    assert [(step.text, step.branch) for step in log.read("main") if step.kind is EventKind.COMMIT] == [
        ("Add a", "side"),
        ("Add b", "main"),
    ]


def test_a_rebase_of_many_commits_is_one_step_told_at_its_end(project: Project, log: Log) -> None:
    project.git("checkout", "--quiet", "-b", "side")
    for name in "abc":
        project.write(f"{name}.py", "X = 1\n")
        project.commit(f"Add {name}")
    project.git("checkout", "--quiet", "main")
    project.write("d.py", "D = 1\n")
    project.commit("Add d")
    project.git("checkout", "--quiet", "side")
    log.read("side")
    project.git("rebase", "--quiet", "main")
    assert log.kinds("side") == [EventKind.REBASE]
    assert project.git("rev-parse", "HEAD").strip()


def test_a_stash_is_told_with_the_branch_that_it_was_made_on(project: Project, log: Log) -> None:
    project.replace("client.py", "retries=3", "retries=5")
    project.git("stash")
    kinds = [(step.kind, step.branch, step.new) for step in log.read() if step.kind is EventKind.STASH]
    assert kinds == [(EventKind.STASH, "main", "")]
    project.git("stash", "pop")
    assert EventKind.STASH not in log.kinds()


def test_a_worktree_has_a_log_of_its_own(project: Project, log: Log, tmp_path: Path) -> None:
    project.git("worktree", "add", "--quiet", str(tmp_path / "side"), "-b", "side")
    side = Project.__new__(Project)
    side.root = tmp_path / "side"
    other = Log(side.root)
    other.read("side")
    side.write("a.py", "A = 1\n")
    side.commit("Add a")
    assert [step.text for step in other.read("side")] == ["Add a"]
    assert log.read() == ()


def test_a_log_that_git_cleaned_up_is_read_on_from_the_line_that_was_seen(project: Project, log: Log) -> None:
    project.write("a.py", "A = 1\n")
    project.commit("Add a")
    log.read()
    path = log.git_folder / "logs" / "HEAD"
    lines = path.read_bytes().splitlines(keepends=True)
    project.write("b.py", "B = 1\n")
    project.commit("Add b")
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[len(lines) - 1 :]))
    assert [step.text for step in log.read()] == ["Add b"]


def test_a_pipe_in_the_place_of_a_log_holds_nobody_up(log: Log) -> None:
    path = log.git_folder / "logs" / "HEAD"
    path.unlink()
    os.mkfifo(path)
    assert log.read() == ()


@pytest.mark.parametrize("damage", [b"", b"nonsense\n", b"\xff\xfe\x00" * 50, b"0" * 40 + b" half a line"])
def test_a_damaged_log_tells_nothing_and_raises_nothing(project: Project, log: Log, damage: bytes) -> None:
    (log.git_folder / "logs" / "HEAD").write_bytes(damage)
    assert log.read() == ()
    project.write("a.py", "A = 1\n")
    project.commit("Add a")
    assert [step.text for step in log.read()][-1:] in ([], ["Add a"])


def test_the_same_commit_has_one_key_in_every_clone(project: Project, log: Log) -> None:
    project.write("a.py", "A = 1\n")
    commit = project.commit("Add a")
    assert [step.key for step in log.read()] == [f"commit:{commit}"]


def test_a_secret_in_a_commit_message_is_taken_out(project: Project, log: Log) -> None:
    project.write("a.py", "A = 1\n")
    project.commit("Use ghp_0123456789abcdefghijABCDEFGHIJ012345 for the deploy")
    (step,) = log.read()
    assert "ghp_" not in step.text
    assert "[redacted:" in step.text
