"""Where a folder belongs, remembered: always what identity would say now."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from project import Project

from memlsp.capture.private_files import data_folder
from memlsp.capture.settings.switches import turn
from memlsp.capture.workspace import identity, workspace_cache
from memlsp.capture.workspace.workspace_cache import KnownWorkspace, find_workspace, read_head
from memlsp.memory.transfer.relocation import join
from memlsp.store.core import locations


@pytest.fixture
def data(tmp_path: Path) -> str:
    return str(tmp_path / "data")


def known(folder: Path, data: str) -> KnownWorkspace:
    where = find_workspace(str(folder), data)
    assert where is not None
    workspace = identity.resolve(folder, data=Path(data))
    assert (where.root, where.key, where.former) == (str(workspace.root), workspace.key, workspace.former)
    return where


def test_what_was_found_is_not_asked_again(project: Project, data: str, monkeypatch: pytest.MonkeyPatch) -> None:
    first = known(project.root / "pricing", data)
    project.replace("client.py", "retries=3", "retries=4")
    project.git("commit", "--quiet", "--all", "--message", "More retries")  # much happens in a git folder

    def never(*_: object) -> None:
        raise AssertionError("asked again")

    monkeypatch.setattr(identity, "resolve", never)
    again = find_workspace(str(project.root / "pricing"), data)
    assert again is not None
    assert (again.root, again.key, again.former) == (first.root, first.key, first.former)


def test_a_remote_that_is_added_changes_the_key_at_once(project: Project, data: str) -> None:
    before = known(project.root, data)
    project.git("remote", "add", "origin", "https://example.org/shop.git")
    after = known(project.root, data)
    assert after.key != before.key
    assert before.key in after.former


def test_the_person_is_the_one_of_gits_configuration_at_once(project: Project, data: str, tmp_path: Path) -> None:
    project.git("config", "user.name", "Ann Ode")
    assert known(project.root, data).person == "Ann Ode"
    more = tmp_path / "more"
    more.write_text("[user]\n\tname = Bea Ode\n", "utf-8")
    project.git("config", "--unset", "user.name")
    project.git("config", "include.path", str(more))
    assert known(project.root, data).person == "Bea Ode"
    more.write_text("[user]\n\tname = Cleo Ode\n", "utf-8")
    assert known(project.root, data).person == "Cleo Ode"


def test_a_name_that_a_person_chose_is_seen_at_once(project: Project, data: str) -> None:
    before = known(project.root, data)
    join(project.root, "the shop", data_dir=Path(data))
    assert known(project.root, data).key != before.key


def test_a_repository_that_is_made_inside_is_seen_at_once(project: Project, data: str) -> None:
    known(project.root / "pricing", data)
    Project(project.root / "pricing")
    assert known(project.root / "pricing", data).root == str(project.root / "pricing")


def test_a_plain_folder_that_becomes_a_repository_is_seen_at_once(tmp_path: Path, data: str) -> None:
    folder = tmp_path / "plain" / "inner"
    folder.mkdir(parents=True)
    assert known(folder, data).root == str(folder)
    (tmp_path / "plain" / ".memlsp").mkdir()
    assert known(folder, data).root == str(tmp_path / "plain")
    Project(tmp_path / "plain")
    assert known(folder, data).root == str(tmp_path / "plain")


def test_a_configuration_that_is_included_counts(project: Project, data: str, tmp_path: Path) -> None:
    more = tmp_path / "more.config"
    more.write_text("")
    project.git("config", "include.path", str(more))
    before = known(project.root, data)
    more.write_text('[remote "origin"]\n\turl = https://example.org/another.git\n')
    assert known(project.root, data).key != before.key


def test_a_clone_of_a_local_folder_follows_what_that_one_is(project: Project, data: str, tmp_path: Path) -> None:
    project.git("clone", "--quiet", str(project.root), str(tmp_path / "clone"))
    before = known(tmp_path / "clone", data)
    assert before.key == known(project.root, data).key
    project.git("remote", "add", "origin", "https://example.org/shop.git")
    assert known(tmp_path / "clone", data).key != before.key


def test_a_folder_that_is_gone_belongs_to_its_repository_and_to_nothing_else(
    project: Project, data: str, tmp_path: Path
) -> None:
    where = find_workspace(str(project.root / "gone" / "deep"), data)
    assert where is not None
    assert where.root == str(project.root)
    assert find_workspace(str(tmp_path / "never" / "was"), data) is None


def test_a_file_that_was_cut_or_tampered_with_is_not_believed(project: Project, data: str) -> None:
    known(project.root, data)
    (kept,) = (Path(data) / "whereabouts").iterdir()
    kept.write_bytes(kept.read_bytes()[:40])
    known(project.root, data)
    assert kept.read_text().endswith("end")
    kept.write_bytes(b"\xff\x00" * 100)
    known(project.root, data)


def test_where_nothing_can_be_kept_it_is_asked_each_time(project: Project, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    known(project.root, str(tmp_path / "file" / "data"))


def test_the_data_folder_is_that_of_the_store(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for chosen in ("", "  ", str(tmp_path), "~/elsewhere", "relative/folder"):
        monkeypatch.setenv("MEMLSP_DATA_DIR", chosen)
        assert Path(data_folder()) == locations.data_folder()
    monkeypatch.delenv("MEMLSP_DATA_DIR")
    for base in ("", "  ", str(tmp_path / "share")):
        monkeypatch.setenv("XDG_DATA_HOME", base)
        assert Path(data_folder()) == locations.data_folder()


def test_the_branch_and_commit_are_read_without_git(project: Project, tmp_path: Path) -> None:
    commit = project.git("rev-parse", "HEAD").strip()
    assert read_head(str(project.root)) == ("main", commit)
    project.git("checkout", "--quiet", "-b", "feature/tax")
    assert read_head(str(project.root))[0] == "feature/tax"
    project.git("worktree", "add", "--quiet", str(tmp_path / "tree"), "-b", "other")
    assert read_head(str(tmp_path / "tree")) == ("other", commit)
    project.git("checkout", "--quiet", "--detach")
    assert read_head(str(project.root)) == ("", commit)
    assert read_head(str(tmp_path)) == ("", "")


def test_what_is_kept_does_not_grow_without_end(project: Project, data: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workspace_cache, "_MOST_CACHED", 5)
    for number in range(12):
        folder = project.root / f"folder{number}"
        folder.mkdir()
        known(folder, data)
    assert len(list((Path(data) / "whereabouts").iterdir())) <= 7


@pytest.mark.parametrize(
    "told", ["machine example.org password hunter2hunter2\n", "ref: ../../secret\n", "0" * 39 + "\n"]
)
def test_what_a_git_folder_names_as_its_head_is_a_commit_or_nothing(project: Project, told: str) -> None:
    (project.root / "secret").write_text("machine example.org password hunter2hunter2\n", encoding="utf-8")
    (project.root / ".git" / "HEAD").write_text(told, encoding="utf-8")
    assert read_head(str(project.root))[1] == ""


def test_what_is_kept_is_written_byte_for_byte(project: Project, data: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # where a system has this flag, files without it get other ends of lines, and nothing kept is understood again
    monkeypatch.setattr(os, "O_BINARY", 1 << 20, raising=False)
    opened: list[int] = []
    really = os.open

    def seen(path: str, flags: int, mode: int = 0o777) -> int:
        opened.append(flags)
        return really(path, flags & ~(1 << 20), mode)

    monkeypatch.setattr(os, "open", seen)
    known(project.root, data)
    turn(data, "folder", str(project.root), 1, off=True)
    written = [flags for flags in opened if flags & os.O_CREAT]
    assert len(written) >= 2
    assert all(flags & 1 << 20 for flags in written)
