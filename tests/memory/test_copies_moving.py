"""A memory follows its project, and two memories become one."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from forgetting_world import barred
from project import Project, shop

from memlsp import Memory
from memlsp.memory.transfer.relocation import move, stranded
from memlsp.model.belief import Author, Authority, AuthorKind, BeliefStatus, RevisionAction
from memlsp.model.caller import Caller
from memlsp.model.copy import CopyImport, ImportResult
from memlsp.model.errors import MemlspError, NoWorkspace, Refused
from memlsp.model.place import Place

AGENT = Author("Claude Code", AuthorKind.AGENT)


def _texts(folder: Path) -> set[str]:
    with Memory.open(folder) as memory:
        return {j.belief.text for j in memory.beliefs()}


def _say(folder: Path, *texts: str) -> list[str]:
    with Memory.open(folder) as memory:
        return [memory.remember(text).belief.id for text in texts]


@pytest.fixture
def renamed(project: Project) -> Path:
    """A repository without remote that was renamed after something was remembered in it."""
    with Memory.open(project.root) as memory:
        memory.remember(
            "fetch tries three times", at=[Place("client.py", symbol="fetch")], by=Caller(folder=project.root)
        )
        memory.copies.restore(memory.copies.backup(project.root.parent / "x.db").path)
    target = project.root.with_name("store")
    project.root.rename(target)
    return target


def test_a_renamed_folder_is_told_where_its_memory_is(renamed: Path) -> None:
    with Memory.open(renamed) as memory:
        (found,) = memory.copies.stranded()
        assert found.beliefs == 1
        (check,) = [each for each in memory.doctor() if each.name == "moved"]
        assert (check.ok, check.advice) == (None, f"memlsp move --from {found.key}")
        assert "which is gone" in memory.status().notices[0]


def test_a_memory_follows_its_renamed_folder(renamed: Path) -> None:
    done = move(renamed)
    assert done.beliefs == 1
    with Memory.open(renamed) as memory:
        (judgement,) = memory.beliefs()
        assert judgement.standing.holds
        assert [check for check in memory.doctor() if check.name == "moved"] == []
        assert memory.status().notices == ()
        assert all(copy.path.exists() for copy in memory.copies.known())


def test_it_follows_also_where_the_new_folder_was_opened_already(renamed: Path) -> None:
    _texts(renamed)
    move(renamed)
    assert _texts(renamed) == {"fetch tries three times"}


@pytest.mark.parametrize("named", ["key", "folder"])
def test_it_is_named_by_its_key_or_by_the_folder_that_is_gone(renamed: Path, project: Project, named: str) -> None:
    with Memory.open(renamed) as memory:
        key = memory.copies.stranded()[0].key
    move(renamed, key if named == "key" else str(project.root))
    assert _texts(renamed) == {"fetch tries three times"}


def test_a_plain_folder_that_was_renamed_has_its_memory_again(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    _say(tmp_path / "notes", "Ships on Fridays")
    (tmp_path / "notes").rename(tmp_path / "papers")
    assert _texts(tmp_path / "papers") == set()
    move(tmp_path / "papers")
    assert _texts(tmp_path / "papers") == {"Ships on Fridays"}


def test_a_repository_whose_remote_changed_has_its_memory_again(project: Project) -> None:
    project.git("remote", "add", "origin", "https://example.org/old/shop.git")
    _say(project.root, "Ships on Fridays")
    project.git("remote", "set-url", "origin", "https://example.org/new/shop.git")
    assert _texts(project.root) == set()
    with Memory.open(project.root) as memory:
        assert "under another name" in memory.status().notices[0]
    move(project.root)
    assert _texts(project.root) == {"Ships on Fridays"}


def test_a_remote_names_it_too(project: Project, tmp_path: Path) -> None:
    project.git("remote", "add", "origin", "https://example.org/old/shop.git")
    _say(project.root, "Ships on Fridays")
    shutil.rmtree(project.root)
    (tmp_path / "new").mkdir()
    move(tmp_path / "new", "https://example.org/old/shop.git")
    assert _texts(tmp_path / "new") == {"Ships on Fridays"}


def test_what_is_remembered_here_is_never_overwritten(renamed: Path) -> None:
    _say(renamed, "Written since")
    with pytest.raises(Refused, match="remembers something already"):
        move(renamed)
    assert _texts(renamed) == {"Written since"}


def test_a_project_that_is_still_there_keeps_its_memory(project: Project, tmp_path: Path) -> None:
    _say(project.root, "Ships on Fridays")
    (tmp_path / "thief").mkdir()
    with pytest.raises(Refused, match="still used"):
        move(tmp_path / "thief", str(project.root))
    assert _texts(project.root) == {"Ships on Fridays"}
    move(tmp_path / "thief", str(project.root), anyway=True)
    assert _texts(tmp_path / "thief") == {"Ships on Fridays"}


def test_several_stranded_ones_are_asked_about(renamed: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    _say(tmp_path / "other", "Something else")
    (tmp_path / "other").rmdir()
    with pytest.raises(Refused, match="several"):
        move(renamed)


@pytest.mark.parametrize("origin", ["nothing-like-it", "/no/such/folder", "", "..", "../../etc", "a\0b", "x" * 5_000])
def test_what_is_no_memory_is_refused(project: Project, origin: str) -> None:
    with pytest.raises(MemlspError):
        move(project.root, origin)


def test_nothing_to_move_is_said(project: Project) -> None:
    with pytest.raises(NoWorkspace):
        move(project.root)
    with Memory.open(project.root) as memory:
        assert stranded(memory.workspace, Path(os.environ["MEMLSP_DATA_DIR"])) == ()


def test_a_dry_run_moves_nothing(renamed: Path) -> None:
    assert move(renamed, dry_run=True).beliefs == 1
    assert _texts(renamed) == set()


# -- two memories become one


@pytest.fixture
def other(tmp_path: Path) -> Path:
    root = shop(tmp_path / "fork").root
    with Memory.open(root) as memory:
        memory.remember("Ships on Fridays")
        base = memory.remember(
            "fetch tries three times", at=[Place("client.py", symbol="fetch")], by=Caller(folder=root)
        ).belief
        memory.revise(base.id, RevisionAction.LOCK)
        memory.remember("Rests on fetch", because_of=[base.id])
        memory.revise(memory.remember("Gone").belief.id, RevisionAction.RETIRE)
    return root


def _taken(
    memory: Memory, other: Path, author: Author | None = None, *, locks: bool = False, dry_run: bool = False
) -> ImportResult:
    """What came of exporting the other memory and taking the file."""
    with Memory.open(other) as there:
        path = there.copies.export(other.parent / "other.jsonl").path
    return memory.copies.take(path, CopyImport(locks=locks, dry_run=dry_run), author=author)


def test_the_beliefs_of_another_workspace_come_along_with_their_history(memory: Memory, other: Path) -> None:
    done = _taken(memory, other)
    assert len(done.added) == 4
    assert {j.belief.text for j in memory.beliefs()} == {
        "Ships on Fridays",
        "fetch tries three times",
        "Rests on fetch",
    }
    assert len(_texts(other)) == 3
    assert _taken(memory, other).added == ()


def test_what_is_said_here_already_is_joined_and_what_rests_on_it_rests_on_ours(
    memory: Memory, other: Path, project: Project
) -> None:
    ours = memory.remember(
        "fetch tries three times", at=[Place("client.py", symbol="fetch")], by=Caller(folder=project.root)
    ).belief
    done = _taken(memory, other)
    assert [pair[1] for pair in done.joined] == [ours.id]
    resting = next(j.belief for j in memory.beliefs() if j.belief.text == "Rests on fetch")
    assert resting.because_of == (ours.id,)
    assert _taken(memory, other).added == ()


def test_locks_stay_behind_unless_a_person_keeps_them(memory: Memory, other: Path) -> None:
    _taken(memory, other)
    assert {j.belief.authority for j in memory.beliefs()} == {Authority.PERSON}


def test_what_an_agent_takes_in_is_proposed(memory: Memory, other: Path) -> None:
    done = _taken(memory, other, AGENT)
    assert (done.added, len(done.proposed)) == ((), 3)
    assert memory.beliefs() == ()
    with pytest.raises(Refused):
        _taken(memory, other, AGENT, locks=True)


def test_what_contradicts_is_reported(memory: Memory, tmp_path: Path) -> None:
    memory.remember("The service listens on port 8080")
    (tmp_path / "b").mkdir()
    _say(tmp_path / "b", "The service listens on port 9090")
    done = _taken(memory, tmp_path / "b")
    assert len(done.conflicts) == 1
    assert len(memory.conflicts.open()) == 1


def test_an_import_that_is_tried_changes_nothing(memory: Memory, other: Path) -> None:
    done = _taken(memory, other, dry_run=True)
    assert len(done.added) == 4
    assert memory.beliefs(include_past=True) == ()


def test_what_was_forgotten_here_does_not_come_back(memory: Memory, other: Path) -> None:
    with Memory.open(other) as there:
        id = there.beliefs()[0].belief.id
    barred(memory, id)
    done = _taken(memory, other)
    assert (len(done.added), [each.name for each in done.passed]) == (3, [id])
    assert all(j.belief.status is not BeliefStatus.PROPOSED for j in memory.beliefs(include_past=True))
