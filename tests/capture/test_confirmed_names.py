"""No file of a folder, and no configuration of an archive, joins it to the memory of another project."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from project import Project, shop

from memlsp import Memory
from memlsp.capture.workspace.identity import resolve
from memlsp.capture.workspace.workspace_cache import find_workspace
from memlsp.memory.transfer.relocation import join
from memlsp.model.errors import BadValue
from memlsp.store.core.locations import data_folder

SECRET = "Invoices are rounded per line"
REMOTE = "https://example.org/acme/billing.git"


@pytest.fixture
def billing(tmp_path: Path) -> Project:
    """A project with a remote, whose memory holds something."""
    made = shop(tmp_path / "billing")
    made.git("remote", "add", "origin", REMOTE)
    with Memory.open(made.root) as memory:
        memory.remember(SECRET)
    return made


def archive(folder: Path, *, settings: str = "", **configured: str) -> Path:
    """What somebody sends: a repository of its own with one commit."""
    made = Project(folder)
    made.write("readme.txt", folder.name)
    if settings:
        made.write(".memlsp/config.toml", settings)
    made.commit("Begin")
    for name, value in configured.items():
        made.git("config", name.replace("__", "."), value)
    return folder


def remembered(folder: Path) -> list[str]:
    with Memory.open(folder) as memory:
        return [each.belief.text for each in memory.beliefs()]


def hook_key(folder: Path) -> str:
    found = find_workspace(str(folder), str(data_folder()))
    assert found is not None
    return found.key


@pytest.mark.parametrize("way", ["settings", "git", "remote", "insteadOf"])
def test_an_archive_that_names_a_memory_does_not_get_it(tmp_path: Path, billing: Project, way: str) -> None:
    if way in {"settings", "git"}:
        join(billing.root, "acme/billing")
        assert SECRET not in remembered(billing.root)  # it has the memory of that name now
        with Memory.open(billing.root) as memory:
            memory.remember(SECRET)
    foreign = {
        "settings": lambda: archive(tmp_path / "evil", settings='workspace = "acme/billing"\n'),
        "git": lambda: archive(tmp_path / "evil", memlsp__workspace="acme/billing"),
        "remote": lambda: archive(tmp_path / "evil", remote__origin__url=REMOTE),
        "insteadOf": lambda: archive(
            tmp_path / "evil",
            remote__origin__url="short:billing",
            **{"url.https://example.org/acme/.insteadOf": "short:"},
        ),
    }[way]()
    assert remembered(foreign) == []
    assert hook_key(foreign) == resolve(foreign).key != resolve(billing.root).key
    with Memory.open(foreign) as memory:
        memory.remember("It is mine")
    assert remembered(billing.root) == [SECRET]


def test_a_refusal_is_said_once_and_stays_visible_in_status_and_doctor(tmp_path: Path, billing: Project) -> None:
    foreign = archive(tmp_path / "evil", remote__origin__url=REMOTE)
    with Memory.open(foreign) as memory:
        (said,) = memory.notices
        assert "example.org/acme/billing" in said
        assert "memlsp join" in said
    with Memory.open(foreign) as memory:
        assert memory.notices == ()
        assert said in memory.status().notices
        assert any("memlsp join" in each.advice for each in memory.doctor())


def test_a_person_joins_and_leaves_and_hooks_follow_at_once(tmp_path: Path, billing: Project) -> None:
    other = archive(tmp_path / "other", remote__origin__url=REMOTE)
    assert hook_key(other) != resolve(billing.root).key
    assert join(other, None).key == resolve(billing.root).key == hook_key(other)
    assert remembered(other) == [SECRET]
    linked = tmp_path / "linked"
    Project(other).git("worktree", "add", "-q", str(linked))
    assert resolve(linked).key == resolve(billing.root).key
    assert join(other, None, leave=True).key != resolve(billing.root).key == resolve(billing.root).key
    assert remembered(other) == []


def test_a_clone_has_the_memory_of_its_remote(tmp_path: Path, billing: Project) -> None:
    clone = tmp_path / "clone"
    billing.git("clone", "-q", str(billing.root), str(clone))
    Project(clone).git("remote", "set-url", "origin", REMOTE)
    assert remembered(clone) == [SECRET]
    shutil.rmtree(billing.root)  # known by its commits, not only by the folder that it was compared with
    again = tmp_path / "again"
    billing.root = clone
    billing.git("clone", "-q", str(clone), str(again))
    Project(again).git("remote", "set-url", "origin", REMOTE)
    shutil.rmtree(clone)
    assert remembered(again) == [SECRET]


def test_a_shallow_clone_is_compared_with_the_checkouts_that_are_there(tmp_path: Path, billing: Project) -> None:
    for number in range(3):
        billing.write("more.txt", str(number))
        billing.commit(f"Step {number}")
    clone = tmp_path / "shallow"
    billing.git("clone", "-q", "--depth", "1", f"file://{billing.root}", str(clone))
    Project(clone).git("remote", "set-url", "origin", REMOTE)
    assert remembered(clone) == [SECRET]


def test_a_branch_cannot_take_the_memory_away(tmp_path: Path, billing: Project) -> None:
    billing.git("switch", "-q", "-c", "renaming")
    billing.write(".memlsp/config.toml", 'workspace = "y"\n')
    billing.commit("Be y")
    assert remembered(billing.root) == [SECRET]
    join(billing.root, "y")
    with Memory.open(billing.root) as memory:
        memory.remember("As y")
    billing.git("switch", "-q", "main")
    assert remembered(billing.root) == ["As y"], "what a person chose holds on every branch"


def test_a_folder_that_an_earlier_release_let_in_stays(tmp_path: Path) -> None:
    project = shop(tmp_path / "shop")
    project.write(".memlsp/config.toml", 'workspace = "shared"\n')
    with Memory.open(project.root, workspace_id="shared") as memory:
        memory.remember(SECRET)
    assert remembered(project.root) == [SECRET]
    (project.root / ".memlsp" / "config.toml").unlink()
    assert remembered(project.root) == [SECRET]


def test_a_remote_that_nobody_remembers_anything_of_needs_no_answer(tmp_path: Path) -> None:
    first = archive(tmp_path / "first", remote__origin__url=REMOTE)
    second = archive(tmp_path / "second", remote__origin__url=REMOTE)
    assert remembered(first) == remembered(second) == []
    assert resolve(first).basis == resolve(second).basis == "remote"


def test_joining_without_a_name_where_none_is_asked_for_says_so(tmp_path: Path) -> None:
    with pytest.raises(BadValue, match="asks for no other memory"):
        join(archive(tmp_path / "own"), None)


@pytest.mark.parametrize("damage", ["", "[]", "{", '{"x": 3}', '{"x": ["id"]}', "[" * 100_000, "\xff"])
def test_a_damaged_file_of_choices_shares_nothing_and_is_replaced(
    tmp_path: Path, billing: Project, damage: str
) -> None:
    other = archive(tmp_path / "other", remote__origin__url=REMOTE)
    (data_folder() / "names.json").write_text(damage, "latin-1")
    assert resolve(other).key != resolve(billing.root).key
    assert join(other, None).key == resolve(billing.root).key
    assert json.loads((data_folder() / "names.json").read_text())
    assert (data_folder() / "names.json").stat().st_mode & 0o077 == 0
