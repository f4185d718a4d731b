from __future__ import annotations

import gc
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from git_world import git, repository, write
from hypothesis import given
from hypothesis import strategies as st
from patience import patience

from memlsp import Memory
from memlsp.capture.git.remote import address_of, local_path
from memlsp.capture.git.repository import find_repository, stranger_of
from memlsp.capture.workspace.identity import resolve
from memlsp.capture.workspace.workspace_cache import find_workspace
from memlsp.model.errors import NoWorkspace

_FLASK = "https://github.com/pallets/flask.git"


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com/pallets/flask",
        "https://github.com/pallets/flask/",
        "https://github.com/pallets/flask.git/",
        "https://ada:not-a-real-one@GitHub.com/pallets/flask.git",
        "https://github.com:443/pallets//flask.git",
        "git@github.com:pallets/flask.git",
        "github.com:pallets/flask",
        "ssh://git@github.com/pallets/flask.git",
        "ssh://git@github.com:22/pallets/flask",
        "ssh://git@ssh.github.com:443/pallets/flask.git",
        "git://github.com/pallets/flask.git",
        "git+ssh://git@github.com/Pallets/Flask.git",
        "  https://github.com/pallets/flask%2Egit ",
    ],
)
def test_one_remote_has_one_address_however_it_is_written(url: str) -> None:
    assert str(address_of(url)) == "github.com/pallets/flask"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://github.com/pallets/flask", "https://github.com/ada/flask"),
        ("https://github.com/pallets/flask", "https://gitlab.com/pallets/flask"),
        ("https://git.test/Team/app", "https://git.test/team/app"),
        ("http://localhost:3000/a/b", "http://localhost:4000/a/b"),
    ],
)
def test_different_remotes_have_different_addresses(one: str, other: str) -> None:
    assert address_of(one) != address_of(other)


@pytest.mark.parametrize(
    "url", ["/srv/app.git", "../app.git", "./a:b", "file:///srv/app", "C:\\code\\app", "D:/app", ""]
)
def test_a_path_is_no_address(url: str) -> None:
    assert address_of(url) is None


def test_a_relative_path_is_taken_from_the_checkout() -> None:
    assert local_path("../app.git", Path("/srv/clone")) == Path("/srv/clone/../app.git")
    assert local_path("file:///srv/a%20b", Path("/x")) == Path("/srv/a b")
    assert local_path(_FLASK, Path("/x")) is None


@given(st.text(max_size=80))
def test_no_address_makes_it_fail(url: str) -> None:
    address_of(url)
    local_path(url, Path("/base"))


def test_a_repository_is_known_by_its_remote(tmp_path: Path) -> None:
    workspace = resolve(repository(tmp_path / "here", origin=_FLASK))
    assert (workspace.basis, workspace.name, workspace.git) == ("remote", "flask", True)
    assert re.fullmatch(r"flask-[0-9a-f]{10}", workspace.key)
    assert workspace.root == (tmp_path / "here").resolve()


def test_clones_of_one_remote_share_and_forks_do_not(tmp_path: Path) -> None:
    one = resolve(repository(tmp_path / "one", origin=_FLASK))
    clone = resolve(repository(tmp_path / "two", origin="git@github.com:pallets/flask.git"))
    fork = resolve(repository(tmp_path / "three", origin="git@github.com:ada/flask.git"))
    assert one.key == clone.key
    assert fork.key != one.key
    assert fork.name == "flask"


def test_origin_comes_before_other_remotes_and_then_the_first(tmp_path: Path) -> None:
    folder = repository(tmp_path / "here")
    git(folder, "remote", "add", "zeta", "https://git.test/team/zeta")
    git(folder, "remote", "add", "alpha", "https://git.test/team/alpha")
    assert resolve(folder).name == "zeta"
    git(folder, "remote", "add", "origin", "https://git.test/team/app")
    assert resolve(folder).name == "app"


def test_a_short_form_set_up_by_the_user_is_written_out(tmp_path: Path) -> None:
    folder = repository(tmp_path / "here", origin="gh:pallets/flask")
    git(folder, "config", "url.https://github.com/.insteadOf", "gh:")
    assert resolve(folder).key == resolve(repository(tmp_path / "other", origin=_FLASK)).key


def test_a_subfolder_and_a_file_lead_to_the_top(tmp_path: Path) -> None:
    folder = repository(tmp_path / "here", files={"src/deep/app.py": "x = 1\n"})
    top = resolve(folder)
    assert resolve(folder / "src" / "deep") == top
    assert resolve(folder / "src" / "deep" / "app.py") == top
    assert resolve(folder / ".git") == top


def test_linked_worktrees_share(tmp_path: Path) -> None:
    folder = repository(tmp_path / "main")
    git(folder, "worktree", "add", "-q", str(tmp_path / "linked"))
    linked = resolve(tmp_path / "linked")
    assert linked.key == resolve(folder).key
    assert linked.root == (tmp_path / "linked").resolve()


def test_worktrees_of_a_bare_repository_share(tmp_path: Path) -> None:
    source = repository(tmp_path / "source", origin=_FLASK)
    git(tmp_path, "clone", "-q", "--bare", str(source), "app.git")
    git(tmp_path / "app.git", "worktree", "add", "-q", str(tmp_path / "a"), "main")
    git(tmp_path / "app.git", "worktree", "add", "-q", "-b", "other", str(tmp_path / "b"), "main")
    assert resolve(tmp_path / "a").key == resolve(tmp_path / "b").key == resolve(tmp_path / "app.git").key


def test_a_bare_repository_is_its_own_root(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--bare", "app.git")
    workspace = resolve(tmp_path / "app.git")
    assert workspace.root == (tmp_path / "app.git").resolve()
    assert (workspace.basis, workspace.name) == ("git", "app")


def test_clones_of_a_local_folder_share_with_it_and_each_other(tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", str(repository(tmp_path / "first")), "app.git")
    git(tmp_path / "app.git", "remote", "remove", "origin")
    git(tmp_path, "clone", "-q", "app.git", "one")
    git(tmp_path, "clone", "-q", f"file://{tmp_path / 'app.git'}", "two")
    git(tmp_path / "two", "config", "remote.origin.url", "../app")  # git finds app.git by this, too
    keys = {resolve(tmp_path / name).key for name in ("one", "two", "app.git")}
    assert len(keys) == 1


def test_a_clone_of_a_clone_is_known_by_the_remote_of_the_first(tmp_path: Path) -> None:
    first = repository(tmp_path / "first", origin=_FLASK)
    git(tmp_path, "clone", "-q", str(first), "second")
    assert resolve(tmp_path / "second").key == resolve(first).key
    assert resolve(tmp_path / "second").basis == "remote"


def test_clones_of_a_folder_that_is_gone_still_share(tmp_path: Path) -> None:
    source = repository(tmp_path / "source")
    git(tmp_path, "clone", "-q", str(source), "one")
    git(tmp_path, "clone", "-q", str(source), "two")
    before = resolve(tmp_path / "one").key
    source.rename(tmp_path / "away")
    assert resolve(tmp_path / "one").key == resolve(tmp_path / "two").key == before


def test_repositories_that_name_each_other_are_still_known(tmp_path: Path) -> None:
    one = repository(tmp_path / "one", origin=str(tmp_path / "two"))
    git(tmp_path, "clone", "-q", str(one), "two")
    two = tmp_path / "two"
    assert resolve(one).key == resolve(two).key


def _victim(tmp_path: Path) -> Path:
    """A repository without a remote, and a folder beside it that somebody unpacked."""
    folder = repository(tmp_path / "victim")
    git(folder, "worktree", "add", "-q", str(tmp_path / "linked"))
    (tmp_path / "evil").mkdir()
    return folder


@pytest.mark.parametrize(
    "pointer", ["{victim}/.git", "{victim}/.git/worktrees/linked", "{linked}/.git", "{bare}", "{evil}/own"]
)
def test_a_git_file_that_leads_to_the_repository_of_somebody_else_claims_nothing(tmp_path: Path, pointer: str) -> None:
    victim, evil = _victim(tmp_path), tmp_path / "evil"
    git(tmp_path, "clone", "-q", "--bare", str(victim), "bare")
    places = {name: tmp_path / name for name in ("victim", "linked", "bare", "evil")}
    (evil / ".git").write_text("gitdir: " + pointer.format(**places))
    git(evil, "init", "-q", "--bare", "own")
    write(evil, {"own/commondir": str(victim / ".git")})
    found = resolve(evil)
    assert found.root == evil.resolve()
    taken = {victim, tmp_path / "linked", tmp_path / "bare"}
    assert {found.key, *found.former}.isdisjoint(key for each in taken for key in _keys(each))
    assert stranger_of(evil.resolve()) is not None or pointer.endswith(("/own", "{linked}/.git"))
    assert stranger_of(victim) is stranger_of(tmp_path / "linked") is None


@pytest.mark.parametrize("shape", ["commondir", "link", "worktree", "remote", "remote-of-a-folder", "worktrees"])
def test_a_git_folder_that_leads_to_somebody_else_claims_nothing(tmp_path: Path, shape: str) -> None:
    victim, evil = _victim(tmp_path), tmp_path / "evil"
    notes = tmp_path / "notes"
    notes.mkdir()
    if shape == "link":
        (evil / ".git").symlink_to(victim / ".git", target_is_directory=True)
    elif shape == "worktrees":  # what git writes for a linked worktree, with the victim in it
        git(evil, "init", "-q", ".")
        write(evil, {"common/worktrees/x/HEAD": "ref: refs/heads/main\n", "common/worktrees/x/commondir": "../.."})
        write(evil, {"common/worktrees/x/gitdir": str(victim / ".git"), "sub/.git": "gitdir: ../common/worktrees/x"})
        evil = evil / "sub"
    else:
        git(evil, "init", "-q", ".")
        git(evil, "commit", "-q", "--allow-empty", "--message", "another history")
    if shape == "commondir":
        write(evil, {".git/commondir": str(victim / ".git")})
    elif shape == "worktree":
        git(evil, "config", "core.worktree", str(victim))
    elif shape.startswith("remote"):
        git(evil, "config", "remote.origin.url", str(notes if shape == "remote-of-a-folder" else victim))
    found = resolve(evil)
    assert {found.key, *found.former}.isdisjoint({*_keys(victim), *_keys(notes)})


def _keys(folder: Path) -> set[str]:
    found = resolve(folder)
    return {found.key, *found.former}


@pytest.mark.parametrize(
    "place", [".git/commondir", ".git/HEAD", "included", ".git/packed-refs", ".git/index", "bound"]
)
def test_a_pipe_among_the_files_of_git_holds_nobody_up(tmp_path: Path, place: str) -> None:
    folder = repository(tmp_path / "app")
    if place == "included":
        git(folder, "config", "include.path", "../included")
    if place == "bound":
        git(folder, "config", "includeIf.gitdir:/tmp/.path", str(folder / "bound"))
    (folder / place).unlink(missing_ok=True)
    os.mkfifo(folder / place)
    script = "import sys; from memlsp.capture.workspace.identity import resolve; from pathlib import Path; "
    script += "print(resolve(Path(sys.argv[1])).root)"
    done = subprocess.run(
        [sys.executable, "-c", script, str(folder)], capture_output=True, text=True, timeout=patience(60), check=True
    )
    assert done.stdout.strip() == str(folder.resolve())


def test_a_submodule_is_a_workspace_of_its_own(tmp_path: Path) -> None:
    library = repository(tmp_path / "library", origin="https://git.test/team/library")
    parent = repository(tmp_path / "parent", origin="https://git.test/team/parent")
    git(parent, "submodule", "add", "-q", str(library), "vendor/library")
    inside = resolve(parent / "vendor" / "library")
    assert inside.key == resolve(library).key
    assert inside.root == (parent / "vendor" / "library").resolve()
    assert resolve(parent / "vendor").key == resolve(parent).key


def test_a_repository_without_commits_has_a_memory(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "new")
    workspace = resolve(tmp_path / "new")
    assert (workspace.basis, workspace.name, workspace.git) == ("git", "new", True)


def test_a_shallow_clone_shares(tmp_path: Path) -> None:
    source = repository(tmp_path / "source")
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{source}", "shallow")
    assert resolve(tmp_path / "shallow").key == resolve(source).key


def test_a_plain_folder_is_itself(tmp_path: Path) -> None:
    (tmp_path / "notes" / "deep").mkdir(parents=True)
    workspace = resolve(tmp_path / "notes" / "deep")
    assert (workspace.basis, workspace.git) == ("folder", False)
    assert workspace.root == (tmp_path / "notes" / "deep").resolve()


def test_a_plain_folder_below_one_with_settings_belongs_to_that(tmp_path: Path) -> None:
    write(tmp_path / "notes", {".memlsp/config.toml": "", "deep/a.txt": "x"})
    assert resolve(tmp_path / "notes" / "deep").root == (tmp_path / "notes").resolve()


def remember_in(folder: Path, data: Path, text: str = "Ships on Fridays.") -> None:
    with Memory.open(folder, data_dir=data) as memory:
        memory.remember(text)


def test_a_plain_folder_belongs_to_the_one_above_that_remembers_something(tmp_path: Path) -> None:
    data, top, deep = tmp_path / "data", tmp_path / "work" / "notes", tmp_path / "work" / "notes" / "src" / "deep"
    deep.mkdir(parents=True)
    with Memory.open(tmp_path / "work", data_dir=data):
        pass  # it was looked at, and remembers nothing
    hooked = find_workspace(str(deep), str(data))
    assert hooked is not None
    assert hooked.root == str(deep.resolve())
    remember_in(top, data)
    assert resolve(deep, data=data).root == top.resolve()
    hooked = find_workspace(str(deep), str(data))
    assert hooked is not None
    assert hooked.root == str(top.resolve())
    with Memory.open(deep, data_dir=data) as memory:
        assert [each.belief.text for each in memory.beliefs()] == ["Ships on Fridays."]
    assert resolve(tmp_path / "work", data=data).root == (tmp_path / "work").resolve()
    assert resolve(deep, data=tmp_path / "another").root == deep.resolve()


def test_a_folder_that_remembers_something_of_its_own_keeps_it(tmp_path: Path) -> None:
    data, deep = tmp_path / "data", tmp_path / "notes" / "deep"
    deep.mkdir(parents=True)
    remember_in(deep, data)
    remember_in(tmp_path / "notes", data)
    assert resolve(deep, data=data).root == deep.resolve()


def test_nothing_in_a_folder_makes_it_a_part_of_another_memory(tmp_path: Path) -> None:
    data, foreign = tmp_path / "data", tmp_path / "downloads" / "foreign"
    write(foreign, {"package.json": "{}", "pyproject.toml": "", ".memlsp/config.toml": ""})
    (tmp_path / "notes").mkdir()
    remember_in(tmp_path / "notes", data)
    assert resolve(foreign, data=data).root == foreign.resolve()


def test_a_folder_keeps_its_memory_when_it_becomes_a_repository(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    before = resolve(folder)
    git(folder, "init", "-q")
    after = resolve(folder)
    assert (before.basis, after.basis) == ("folder", "git")
    assert before.key == after.key


def test_a_repository_inside_a_plain_folder_is_its_own(tmp_path: Path) -> None:
    inner = repository(tmp_path / "work" / "app")
    assert resolve(inner).git
    assert not resolve(tmp_path / "work").git


def test_a_symlinked_start_leads_to_the_same_memory(tmp_path: Path) -> None:
    folder = repository(tmp_path / "real")
    (tmp_path / "link").symlink_to(folder, target_is_directory=True)
    assert resolve(tmp_path / "link") == resolve(folder)


def test_git_variables_of_a_hook_do_not_mislead(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = repository(tmp_path / "other", origin="https://git.test/team/other")
    folder = repository(tmp_path / "here", origin=_FLASK)
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))
    monkeypatch.setenv("GIT_COMMON_DIR", str(other / ".git"))
    assert resolve(folder).name == "flask"
    assert resolve(folder).root == folder.resolve()


def test_the_working_folder_counts_only_when_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = repository(tmp_path / "here", origin=_FLASK)
    monkeypatch.chdir(repository(tmp_path / "elsewhere", origin="https://git.test/team/elsewhere"))
    assert resolve(here).name == "flask"
    assert resolve(Path()).name == "elsewhere"


@pytest.mark.skipif(sys.platform == "win32", reason="a folder in use cannot be deleted there")
def test_a_deleted_working_folder_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    doomed = tmp_path / "doomed"
    doomed.mkdir()
    monkeypatch.chdir(doomed)
    doomed.rmdir()
    with pytest.raises(NoWorkspace, match="working folder no longer exists"):
        resolve(Path())


def test_a_missing_folder_is_said(tmp_path: Path) -> None:
    with pytest.raises(NoWorkspace, match="no such folder"):
        resolve(tmp_path / "missing")
    with pytest.raises(NoWorkspace):
        resolve(Path("a\0b"))


def test_a_loop_of_links_is_said(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(NoWorkspace):
        resolve(tmp_path / "a")


def test_a_link_to_a_repository_that_is_gone_leaves_a_plain_folder(tmp_path: Path) -> None:
    write(tmp_path / "here", {".git": "gitdir: /nowhere/at/all\n"})
    assert resolve(tmp_path / "here").root == (tmp_path / "here").resolve()


def test_an_unknown_extension_does_not_hide_the_remote(tmp_path: Path) -> None:
    folder = repository(tmp_path / "here", origin=_FLASK, files={"src/a.py": ""})
    git(folder, "config", "core.repositoryformatversion", "1")
    git(folder, "config", "extensions.fromTheFuture", "true")
    assert resolve(folder / "src").key == resolve(repository(tmp_path / "other", origin=_FLASK)).key
    assert resolve(folder / "src").root == folder.resolve()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give a folder away")
def test_a_repository_of_another_user_is_read(tmp_path: Path) -> None:
    folder = repository(tmp_path / "here", origin=_FLASK)
    for path in (folder, *folder.rglob("*")):
        os.chown(path, 12345, 12345)
    assert resolve(folder).name == "flask"


def test_an_explicit_id_comes_first(tmp_path: Path) -> None:
    folder = repository(tmp_path / "here", origin=_FLASK)
    by_argument = resolve(folder, "from argument")
    assert (by_argument.name, by_argument.basis) == ("from argument", "id")
    assert by_argument.key == resolve(tmp_path, "from argument").key


def test_an_id_never_collides_with_a_remote_of_that_name(tmp_path: Path) -> None:
    folder = repository(tmp_path / "here", origin=_FLASK)
    assert resolve(folder, "github.com/pallets/flask").key != resolve(folder).key


@pytest.mark.parametrize("settings", ["workspace = 3\n", "workspace = ''\n", "not toml [", "\xff\xfe", "[" * 5000])
def test_unusable_settings_are_passed_over(tmp_path: Path, settings: str) -> None:
    folder = repository(tmp_path / "here", origin=_FLASK)
    (folder / ".memlsp").mkdir()
    (folder / ".memlsp" / "config.toml").write_text(settings, "latin-1")
    assert resolve(folder).basis == "remote"


@given(st.text(max_size=300))
def test_a_key_is_a_safe_file_name_whatever_the_id(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    workspace = resolve(tmp_path_factory.getbasetemp(), text)
    assert re.fullmatch(r"[a-z0-9][a-z0-9-]{0,39}-[0-9a-f]{10}", workspace.key)
    assert workspace.name.isprintable()


@pytest.mark.parametrize("name", ["../../etc/passwd", "..", "CON", "a/b\\c", "\x1b[31mred", "日本語", ".", "-rf"])
def test_an_id_cannot_lead_out_of_the_data_folder(tmp_path: Path, name: str) -> None:
    key = resolve(tmp_path, name).key
    assert (tmp_path / "data" / key).resolve().parent == (tmp_path / "data").resolve()
    assert re.fullmatch(r"[a-z0-9-]+", key)


def test_asking_in_a_folder_without_a_repository_does_not_wear_out_the_process(tmp_path: Path) -> None:
    def references_to_none() -> int:
        gc.collect()
        return sys.getrefcount(None)

    find_repository(tmp_path)
    before = references_to_none()
    for _ in range(300):
        assert find_repository(tmp_path) is None
    # the library's own search returns None without a reference to it, and a process that ran out of them is aborted
    assert references_to_none() > before - 100


def test_a_repository_that_cannot_be_opened_is_found_from_below_and_from_a_linked_worktree(tmp_path: Path) -> None:
    main, linked = tmp_path / "main", tmp_path / "linked"
    subprocess.run(["git", "init", "-q", str(main)], check=True)
    git = ["git", "-C", str(main), "-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "Begin"], check=True)
    subprocess.run([*git, "worktree", "add", "-q", str(linked)], check=True)
    (main / "src").mkdir()
    (main / ".git" / "config").write_text("[core\n")
    for folder, top in ((main / "src", main), (linked, linked)):
        found = find_repository(folder)
        assert found is not None
        assert (found.top, found.handle, found.common) == (top, None, main / ".git")
