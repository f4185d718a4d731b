"""Settling: what edits did is told once, by whom it should be, and nothing is missed."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from project import Project

from memlsp import Memory
from memlsp.model.event import Event, EventKind

NUMBERS = iter(range(1_000_000))


@pytest.fixture
def memory(project: Project) -> Iterator[Memory]:
    with Memory.open(project.root) as opened:
        opened.events.settle()  # the first look
        yield opened


def observed(memory: Memory, kind: str, *paths: str, source: str = "claude-code", **more: object) -> None:
    now = time.time_ns() // 1_000_000
    record = {"key": f"k{next(NUMBERS)}", "at": now, "kind": kind, "source": source, "session": "s", "paths": paths}
    memory.events.take([record | more])


def told(memory: Memory) -> list[tuple[str, str, str]]:
    """(source, kind, sentence) of every symbol change."""
    memory.events.settle()
    return [(e.source, e.kind.value, c.sentence) for e in memory.events.list() for c in e.changes]


def kinds(memory: Memory) -> list[str]:
    return [event.kind.value for event in memory.events.list()]


def test_an_edit_of_an_agent_is_told_by_symbols_and_only_once(memory: Memory, project: Project) -> None:
    project.replace("client.py", "retries=3", "retries=5")
    observed(memory, "edit", "client.py")
    assert [(source, kind) for source, kind, _ in told(memory)] == [("claude-code", "edit")]
    observed(memory, "edit", "client.py")
    assert len(told(memory)) == 1
    project.replace("client.py", "timeout=30", "timeout=60")
    observed(memory, "edit", "client.py")
    first, second = told(memory)
    assert "`retries` from 3 to 5" in first[2]
    assert "`timeout` from 30 to 60" in second[2]
    assert "retries" not in second[2]


def test_a_change_that_nobody_names_is_found_and_told_of_files(memory: Memory, project: Project) -> None:
    project.replace("client.py", "retries=3", "retries=5")
    ((source, kind, _),) = told(memory)
    assert (source, kind) == ("files", "files")


def test_what_the_watcher_saw_first_is_told_by_the_agent_that_names_it(memory: Memory, project: Project) -> None:
    project.replace("client.py", "retries=3", "retries=5")
    memory.events.files(["client.py"])
    observed(memory, "edit", "client.py")
    assert [source for source, _, _ in told(memory)] == ["claude-code"]
    assert kinds(memory) == ["edit"]


def test_an_agent_that_reports_late_still_has_its_change(memory: Memory, project: Project) -> None:
    project.replace("client.py", "retries=3", "retries=5")
    observed(memory, "files", "client.py", source="files")
    observed(memory, "edit", "client.py")
    assert [source for source, _, _ in told(memory)] == ["claude-code"]


def test_an_agent_that_reports_after_its_file_was_looked_at_still_has_its_change(
    memory: Memory, project: Project
) -> None:
    project.replace("client.py", "retries=3", "retries=5")
    project.write("other.py", "def other(): ...\n")
    assert {source for source, _, _ in told(memory)} == {"files"}
    observed(memory, "edit", "client.py")
    mine, others = sorted(told(memory))
    assert mine[:2] == ("claude-code", "edit")
    assert "`retries` from 3 to 5" in mine[2]
    assert others[0] == "files"
    assert "other" in others[2]


def test_a_change_of_long_ago_is_not_given_to_an_agent_that_writes_the_same_again(
    memory: Memory, project: Project
) -> None:
    project.replace("client.py", "retries=3", "retries=5")
    assert [source for source, _, _ in told(memory)] == ["files"]
    observed(memory, "edit", "client.py", at=time.time_ns() // 1_000_000 + 3_600_000)
    assert [source for source, _, _ in told(memory)] == ["files"]


def test_a_save_in_the_editor_is_the_persons_edit(memory: Memory, project: Project) -> None:
    project.replace("client.py", "retries=3", "retries=5")
    memory.events.saved("client.py")
    memory.events.files(["client.py"])
    assert [(source, kind) for source, kind, _ in told(memory)] == [("editor", "edit")]


def test_a_commit_tells_only_what_no_event_told(memory: Memory, project: Project) -> None:
    project.replace("client.py", "retries=3", "retries=5")
    observed(memory, "edit", "client.py")
    memory.events.settle()
    project.replace("pricing/rates.py", "0.20", "0.25")
    commit = project.commit("Tune")
    sentences = told(memory)
    assert [source for source, _, _ in sentences] == ["claude-code", "git"]
    assert "0.25" in sentences[1][2]
    last = memory.events.list()[-1]
    assert (last.kind, last.text, last.commit, last.branch) == (EventKind.COMMIT, "Tune", commit, "main")
    assert last.paths == ("client.py", "pricing/rates.py")


def test_an_edit_and_its_commit_before_anybody_looks_are_both_told_right(memory: Memory, project: Project) -> None:
    project.replace("client.py", "retries=3", "retries=5")
    observed(memory, "edit", "client.py", at=time.time_ns() // 1_000_000 - 3000)
    project.commit("Try more often")
    assert [source for source, _, _ in told(memory)] == ["claude-code"]
    assert kinds(memory) == ["edit", "commit"]


def test_a_checkout_is_one_event_and_no_file_of_it_is_told(memory: Memory, project: Project) -> None:
    project.git("checkout", "--quiet", "-b", "side")
    project.replace("client.py", "retries=3", "retries=5")
    project.commit("Try more often")
    project.git("checkout", "--quiet", "main")
    memory.events.settle()
    before = len(told(memory))
    project.git("checkout", "--quiet", "side")
    memory.events.files(None)
    assert len(told(memory)) == before
    assert kinds(memory)[-1] == "checkout"
    assert kinds(memory).count("files") == 0


def test_an_edit_that_is_carried_through_a_checkout_is_not_told_again(memory: Memory, project: Project) -> None:
    project.replace("client.py", "retries=3", "retries=5")
    observed(memory, "edit", "client.py")
    assert len(told(memory)) == 1
    project.git("checkout", "--quiet", "-b", "side")
    assert len(told(memory)) == 1
    project.commit("Try more often")
    assert len(told(memory)) == 1


def test_a_commit_that_is_undone_and_kept_in_the_files_is_not_told_again(memory: Memory, project: Project) -> None:
    project.replace("client.py", "retries=3", "retries=5")
    project.commit("Try more often")
    assert len(told(memory)) == 1
    project.git("reset", "--quiet", "HEAD~1")
    assert len(told(memory)) == 1
    assert kinds(memory) == ["commit", "reset"]


def test_a_change_that_is_thrown_away_by_git_is_nobodys_edit(memory: Memory, project: Project) -> None:
    project.replace("client.py", "retries=3", "retries=5")
    observed(memory, "edit", "client.py")
    assert len(told(memory)) == 1
    project.git("reset", "--quiet", "--hard", "HEAD")
    project.git("stash", "list")
    project.replace("pricing/rates.py", "0.20", "0.25")
    project.git("stash")
    assert len(told(memory)) == 1
    project.replace("client.py", "retries=3", "retries=7")
    observed(memory, "edit", "client.py")
    assert "from 3 to 7" in told(memory)[-1][2]


def test_a_commit_made_in_a_shell_is_known_to_be_there_before_anybody_looked(memory: Memory, project: Project) -> None:
    assert not memory.events.behind()
    project.replace("client.py", "retries=3", "retries=5")
    project.commit("Try more often")
    assert memory.events.behind()
    memory.events.settle()
    assert not memory.events.behind()


def test_many_files_at_once_are_one_event_without_their_symbols(memory: Memory, project: Project) -> None:
    for number in range(60):
        project.write(f"made/m{number}.py", f"def f{number}(x):\n    return x\n")
    assert told(memory) == []
    (event,) = memory.events.list()
    assert (event.kind, len(event.paths), event.text) == (EventKind.FILES, 60, "60 files")
    project.replace("made/m7.py", "return x", "return x + 1")
    observed(memory, "edit", "made/m7.py")
    ((_, _, sentence),) = told(memory)
    assert "f7" in sentence


def test_what_is_generated_locked_or_ignored_is_not_told_by_symbols(memory: Memory, project: Project) -> None:
    project.write(".gitignore", "node_modules/\nout/\n")
    project.commit("Ignore")
    memory.events.settle()
    project.write("package-lock.json", '{"lockfileVersion": 3}\n')
    project.write("api_pb2.py", "# Generated by the protocol buffer compiler.  DO NOT EDIT!\nX = 1\n")
    project.write("node_modules/left/index.js", "function left() {}\n")
    project.write("out/a.py", "def a():\n    return 1\n")
    project.write(".env", "TOKEN=abc\n")
    observed(memory, "edit", "package-lock.json", "api_pb2.py", "node_modules/left/index.js", "out/a.py")
    assert [entry for entry in told(memory) if entry[1] == "edit"] == []
    assert not any(
        path.startswith(("node_modules", "out"))
        for e in memory.events.list()
        if e.source == "files"
        for path in e.paths
    )
    assert ".env" not in {path for e in memory.events.list() for path in e.paths}


def test_no_secret_of_a_file_is_kept_with_its_state(memory: Memory, project: Project, tmp_path: Path) -> None:
    secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
    project.write("deploy.py", f'TOKEN = "{secret}"\n\n\ndef deploy():\n    return TOKEN\n')
    observed(memory, "edit", "deploy.py")
    memory.events.settle()
    project.replace("deploy.py", "return TOKEN", "return TOKEN or None")
    observed(memory, "edit", "deploy.py")
    sentences = told(memory)
    assert "deploy" in sentences[-1][2]
    assert len(sentences) == 2  # the secret, which stands as a mark in the state that was kept, is no change
    assert secret not in str(memory.events.list())
    state = memory._store.journal.state(str(project.root), "deploy.py")  # pyright: ignore[reportPrivateUsage]
    assert state is not None
    assert state.text is not None
    assert secret.encode() not in state.text


def test_a_change_made_while_no_process_ran_is_found_by_the_next(project: Project) -> None:
    with Memory.open(project.root) as memory:
        observed(memory, "edit", "client.py")
        memory.events.settle()
    project.replace("client.py", "retries=3", "retries=5")
    project.write("pricing/fees.py", "FEE = 2\n")
    (project.root / "pricing/rates.py").unlink()
    with Memory.open(project.root) as memory:
        sources = {source for source, _, _ in told(memory)}
        assert sources == {"files"}
        assert memory.events.list()[-1].paths == ("client.py", "pricing/fees.py", "pricing/rates.py")
        assert memory.events.settle().events == 0


def test_a_process_that_settles_for_hooks_leaves_a_file_that_was_just_written_to_who_wrote_it(
    memory: Memory, project: Project
) -> None:
    project.replace("client.py", "retries=3", "retries=5")
    project.write("pricing/fees.py", "FEE = 2\n")
    os.utime(project.root / "pricing/fees.py", (time.time() - 60, time.time() - 60))
    with memory.events.turn() as settle:
        assert settle is not None
        settle(60, lambda: False)
    assert [event.paths for event in memory.events.list()] == [("pricing/fees.py",)]
    observed(memory, "edit", "client.py")
    assert ("claude-code", "edit") in {(source, kind) for source, kind, _ in told(memory)}


def test_what_was_there_before_the_first_look_is_nobodys_edit(project: Project) -> None:
    project.replace("client.py", "retries=3", "retries=5")
    with Memory.open(project.root) as memory:
        observed(memory, "session-start")
        assert told(memory) == []
        project.replace("client.py", "timeout=30", "timeout=60")
        ((_, _, sentence),) = told(memory)
        assert "60" in sentence
        assert "retries" not in sentence


def test_the_first_event_of_all_may_be_an_edit(project: Project) -> None:
    project.replace("client.py", "retries=3", "retries=5")
    with Memory.open(project.root) as memory:
        observed(memory, "edit", "client.py")
        assert [source for source, _, _ in told(memory)] == ["claude-code"]


def test_an_edit_that_is_reported_after_the_very_first_look_is_told(project: Project) -> None:
    project.write("before.py", "def before(): ...\n")
    os.utime(project.root / "before.py", (time.time() - 5, time.time() - 5))
    with Memory.open(project.root) as memory:
        observed(memory, "prompt", text="Try more often")
        project.replace("client.py", "retries=3", "retries=5")
        memory.events.settle()
        observed(memory, "edit", "client.py")
        assert [source for source, _, _ in told(memory)] == ["claude-code"]


def test_an_edit_and_its_commit_before_the_very_first_look_are_both_told_right(project: Project) -> None:
    began = int(project.git("log", "-1", "--format=%ct"))
    project.replace("client.py", "retries=3", "retries=5")
    with Memory.open(project.root) as memory:
        observed(memory, "edit", "client.py", at=began * 1000 + 1500)
        date = f"@{began + 5} +0000"
        project.git("commit", "--quiet", "--all", "--message", "Try more often", GIT_COMMITTER_DATE=date)
        assert [source for source, _, _ in told(memory)] == ["claude-code"]
        assert kinds(memory) == ["edit", "commit"], "the first commit of all came before, and is history"


def test_a_plain_folder_without_git_is_followed_too(tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    (folder / "a.py").write_text("def f(x):\n    return x\n")
    with Memory.open(folder) as memory:
        memory.events.settle()
        (folder / "a.py").write_text("def f(x):\n    return x + 1\n")
        (folder / "b.py").write_text("def g(x):\n    return x\n")
        observed(memory, "edit", "a.py", "b.py")
        assert {source for source, _, _ in told(memory)} == {"claude-code"}
        assert len(told(memory)) == 2


def test_an_event_of_another_worktree_is_told_from_the_files_there(
    memory: Memory, project: Project, tmp_path: Path
) -> None:
    side = tmp_path / "side"
    project.git("worktree", "add", "--quiet", str(side), "-b", "side")
    observed(memory, "session-start", root=str(side))
    memory.events.settle()
    text = (side / "client.py").read_text()
    (side / "client.py").write_text(text.replace("retries=3", "retries=9"))
    observed(memory, "edit", "client.py", root=str(side))
    ((_, _, sentence),) = told(memory)
    assert "from 3 to 9" in sentence
    assert memory.events.list()[-1].root == str(side)


def test_what_fails_with_one_event_fails_alone(
    memory: Memory, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(event: Event) -> str:
        raise RuntimeError(f"cannot place {event.id}")

    monkeypatch.setattr(memory.episodes, "observe", fail)
    project.replace("client.py", "retries=3", "retries=5")
    observed(memory, "edit", "client.py")
    observed(memory, "command", text="pytest")
    assert memory.events.settle().events == 2
    assert len(told(memory)) == 1
    assert not memory.events.pending()


def test_an_event_at_which_processes_die_is_passed_over_after_three(
    memory: Memory, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    def die(event: Event) -> str:
        if event.text == "poison":
            raise Killed
        return ""

    monkeypatch.setattr(memory.episodes, "observe", die)
    observed(memory, "prompt", text="poison")
    observed(memory, "prompt", text="fine")
    for _ in range(3):
        with pytest.raises(Killed):
            memory.events.settle()
    assert memory.events.settle().events == 1
    assert not memory.events.pending()


def test_one_settles_at_a_time(memory: Memory, project: Project) -> None:
    observed(memory, "prompt", text="hello")
    with Memory.open(project.root) as other, other.events.turn() as settle:
        assert settle is not None
        assert memory.events.settle(0.2).stopped == "busy"
        with memory.events.turn() as second:
            assert second is None
        settle(5.0, lambda: False)
    assert not memory.events.pending()
    assert memory.events.settle().stopped == ""


def test_settling_ends_when_its_time_is_over_and_goes_on_from_there(memory: Memory) -> None:
    for number in range(5):
        observed(memory, "prompt", text=f"say {number}")
    assert memory.events.settle(0.0).stopped == "time"
    assert memory.events.settle().events == 5


def test_nothing_of_what_is_switched_off_is_kept(
    memory: Memory, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMLSP_CAPTURE", "off")
    observed(memory, "prompt", text="hello")
    memory.events.saved("client.py")
    memory.events.command("make", exit_code=0)
    project.replace("client.py", "retries=3", "retries=5")
    project.commit("Try more often")
    assert told(memory) == []
    assert memory.events.list() == ()
    monkeypatch.delenv("MEMLSP_CAPTURE")
    memory.events.settle()
    assert memory.events.list() == ()
    assert {(t.what, t.reason, t.number) for t in memory.events.tallies() if t.what == "dropped"} == {
        ("dropped", "off", 1)
    }


def test_doctor_says_that_all_is_accounted_for_and_notices_when_it_is_not(memory: Memory) -> None:
    observed(memory, "prompt", text="hello", key="same")
    observed(memory, "prompt", text="hello", key="same")
    observed(memory, "nonsense")
    checks = {check.name: check for check in memory.doctor()}
    assert checks["captured"].ok
    assert checks["captured"].message.startswith("3 received = 1 stored + 1 repeated + 1 dropped")
    assert "could not be read" in checks["dropped"].message
    assert "wait to be understood" in checks["settled"].message
    memory._store.journal._run("UPDATE tally SET number = 9 WHERE what = 'received'")  # pyright: ignore[reportPrivateUsage]
    checks = {check.name: check for check in memory.doctor()}
    assert checks["captured"].ok is False
