"""Repositories in every state of disrepair, folders without one, and folders that go away."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from project import Project, shop
from robust_world import PROGRAM, Agent, Editor, cli, environment


def emptied(root: Path) -> None:
    shutil.rmtree(root / ".git")


def _file(text: str) -> Callable[[Path], None]:
    def make(root: Path) -> None:
        emptied(root)
        (root / ".git").write_text(text)

    return make


def _pipe(root: Path) -> None:
    emptied(root)
    os.mkfifo(root / ".git")


def _loop(root: Path) -> None:
    emptied(root)
    (root / ".git").symlink_to(".git")


def _empty_folder(root: Path) -> None:
    emptied(root)
    (root / ".git").mkdir()


def _written(name: str, data: bytes) -> Callable[[Path], None]:
    def write(root: Path) -> None:
        (root / ".git" / name).write_bytes(data)

    return write


def _rotten(root: Path) -> None:
    for each in (root / ".git" / "objects").rglob("*"):
        if each.is_file():
            each.chmod(0o600)
            each.write_bytes(b"rot")


def _without_objects(root: Path) -> None:
    shutil.rmtree(root / ".git" / "objects")
    (root / ".git" / "objects").mkdir()


def _settings_are_junk(root: Path) -> None:
    (root / ".memlsp").mkdir()
    (root / ".memlsp" / "config.toml").write_bytes(b"\xff\0[[")


def _begun(root: Path) -> None:
    emptied(root)
    subprocess.run(["git", "init", "--quiet", root], check=True)


DAMAGED: dict[str, Callable[[Path], None]] = {
    "a pointer to nowhere": _file("gitdir: /nowhere/at/all\n"),
    "a pointer to itself": _file("gitdir: .git\n"),
    "a file of junk": _file("\x00junk"),
    "an empty folder": _empty_folder,
    "a link to itself": _loop,
    "a pipe": _pipe,
    "a HEAD of junk": _written("HEAD", b"junk"),
    "an empty HEAD": _written("HEAD", b""),
    "a configuration of junk": _written("config", b"[core\n junk = = \n"),
    "rotten objects": _rotten,
    "no objects": _without_objects,
}
SOUND: dict[str, Callable[[Path], None]] = {
    "nothing at all": emptied,
    "no commits": _begun,
    "a branch without commits": _written("HEAD", b"ref: refs/heads/none\n"),
    "an index of junk": _written("index", b"junk"),
    "settings of junk": _settings_are_junk,
}


@pytest.fixture(scope="module")
def intact(tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = shop(tmp_path_factory.mktemp("intact") / "shop")
    project.replace("client.py", "timeout=30", "timeout=20")
    project.commit("Wait less")
    return project


@pytest.mark.parametrize("state", [*DAMAGED, *SOUND])
def test_memory_works_whatever_git_is_like(intact: Project, tmp_path: Path, state: str) -> None:
    root = tmp_path / "shop"
    shutil.copytree(intact.root, root)
    {**DAMAGED, **SOUND}[state](root)
    assert cli(root, "remember", "It retries 3 times", "--at", "client.py#fetch").status == 0
    (held,) = cli(root, "beliefs", "--json").json()
    assert (held["standing"], held["anchors"][0]["symbol"]) == ("current", "fetch")
    why, history = cli(root, "why", "client.py#fetch"), cli(root, "history", "client.py#fetch")
    assert "It retries 3 times" in why.out
    assert cli(root, "recall", "retries").status == history.status == 0
    checks = {check["name"]: check for check in cli(root, "doctor", "--json").json()}
    if state in DAMAGED:
        assert checks["git"]["ok"] is False
        assert "its history cannot be read" in checks["git"]["message"]
        assert "cannot be read from there on" in history.err
        assert len(history.lines) == 1
    else:
        assert checks["git"]["ok"] is not False


def test_a_shallow_clone_says_where_its_history_ends(intact: Project, tmp_path: Path) -> None:
    root = tmp_path / "shallow"
    subprocess.run(["git", "clone", "--quiet", "--depth", "1", intact.root.as_uri(), root], check=True)
    history = cli(root, "history", "client.py#fetch")
    assert (history.status, history.lines[-1]) == (0, "the clone is shallow: older history is not here")
    assert cli(root, "remember", "It retries 3 times", "--at", "client.py#fetch").status == 0
    assert cli(root, "beliefs", "--json").json()[0]["standing"] == "current"


def test_a_worktree_whose_repository_went_is_a_folder(intact: Project, tmp_path: Path) -> None:
    shutil.copytree(intact.root, tmp_path / "main")
    words = ["git", "-C", tmp_path / "main", "worktree", "add", "--quiet", tmp_path / "side"]
    subprocess.run(words, check=True, capture_output=True)
    shutil.rmtree(tmp_path / "main")
    assert cli(tmp_path / "side", "remember", "It retries 3 times", "--at", "client.py#fetch").status == 0
    assert "leads to no repository" in cli(tmp_path / "side", "doctor").out


COMMANDS: list[tuple[str, ...]] = [
    ("status",),
    ("doctor",),
    ("beliefs", "--json"),
    ("belief", "abc"),
    ("remember", "It retries 3 times"),
    ("remember", "It retries 3 times", "--at", "client.py"),
    ("why", "client.py"),
    ("history", "client.py#fetch"),
    ("recall", "retries"),
    ("revise", "abc", "confirm"),
]


def test_in_a_deleted_folder_every_command_says_so_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    for words in COMMANDS:
        for folder in (".", str(gone)):
            said = cli(Path(folder), *words)
            assert (said.status, said.out, len(said.lines)) == (1, "", 1), (folder, words, said.err)
    there = shop(tmp_path / "there")
    assert cli(there.root, "beliefs").status == 0, "the folder named is there"


def test_a_process_in_a_deleted_folder_says_so_in_one_line(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    script = 'rmdir "$PWD" && exec "$@"'
    for words in (("status",), ("why", "client.py")):
        done = subprocess.run(
            ["/bin/sh", "-c", script, "sh", *PROGRAM, *words],
            cwd=gone, env=environment(tmp_path / "data"), capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        gone.mkdir()
        assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (1, "", 1), done.stderr


def test_servers_outlive_the_folder_that_they_work_in(tmp_path: Path) -> None:
    root, data = tmp_path / "shop", tmp_path / "data"
    text = (shop(root).root / "client.py").read_text()
    words = ("--root", str(root))
    with Editor(root, data) as editor, Agent(root, data, words=words, cwd=tmp_path) as agent:
        editor.open("client.py", text)
        assert editor.remember("client.py", 4, "It retries 3 times")["ok"]
        assert agent.call("why", place="client.py#fetch")[0]
        shutil.rmtree(root)
        assert "It retries 3 times" in editor.hover("client.py", 3), "the editor's text is all there is"
        editor.change("client.py", {"text": text.replace("retries=3", "retries=4")})
        assert [each["code"] for each in editor.diagnostics("client.py")] == ["contradicted"]
        for arguments in ({"place": "client.py"}, {"query": "x"}, {"text": "x 3"}):
            tool = {"place": "why", "query": "recall", "text": "remember"}[next(iter(arguments))]
            well, said = agent.call(tool, **arguments)
            assert not well
            assert f"no such folder: {root}" in said
        shop(root)
        editor.change("client.py", {"text": text})
        assert editor.diagnostics("client.py") == []
        assert "It retries 3 times" in agent.call("why", place="client.py#fetch")[1]


def test_a_renamed_folder_is_followed_where_its_identity_is_its_own(tmp_path: Path) -> None:
    root, data = tmp_path / "shop", tmp_path / "data"
    project = shop(root)
    project.git("remote", "add", "origin", "https://example.org/shop.git")
    text = (root / "client.py").read_text()
    with Editor(root, data, cwd=tmp_path) as editor, Agent(root, data) as agent:
        editor.open("client.py", text)
        assert editor.remember("client.py", 4, "It retries 3 times")["ok"]
        renamed = root.rename(tmp_path / "store")
        assert "It retries 3 times" in editor.hover("client.py", 3)
        editor.open(str(renamed / "client.py"), text)
        assert "It retries 3 times" in editor.hover(str(renamed / "client.py"), 3)
        assert editor.remember(str(renamed / "client.py"), 4, "It waits between two attempts")["ok"]
        assert "It waits between" in agent.call("why", place="client.py#fetch", workspace=str(renamed))[1]


def test_several_folders_in_one_editor_have_a_memory_each(tmp_path: Path) -> None:
    projects = [shop(tmp_path / name) for name in ("one", "two", "three")]
    plain = tmp_path / "plain"
    plain.mkdir()
    (plain / "client.py").write_text((projects[0].root / "client.py").read_text())
    roots = [*(project.root for project in projects), plain]
    with Editor(roots[0], tmp_path / "data", folders=roots) as editor:
        for number, root in enumerate(roots):
            editor.open(str(root / "client.py"), (root / "client.py").read_text())
            assert editor.remember(str(root / "client.py"), 4, f"It is number {number} and retries 3 times")["ok"]
        shutil.rmtree(roots[1])  # one that goes takes no other with it
        for number, root in enumerate(roots):
            shown = editor.hover(str(root / "client.py"), 3)
            assert [f"number {each}" in shown for each in range(4)] == [each == number for each in range(4)]


def test_two_editors_with_a_hundred_files_each_answer_for_all_of_them(tmp_path: Path) -> None:
    project = shop(tmp_path / "shop")
    names = [f"many/file{number}.py" for number in range(100)]
    text = (project.root / "client.py").read_text()
    for name in names:
        project.write(name, text.replace("fetch", f"fetch_{name[9:-3]}"))
    data = tmp_path / "data"
    with Editor(project.root, data) as one, Editor(project.root, data) as two:
        for editor in (one, two):
            for name in names:
                editor.open(name, (project.root / name).read_text())
        assert one.remember(names[7], 4, "It retries 3 times")["ok"]
        assert two.remember(names[93], 4, "It waits between two attempts")["ok"]
        assert "It waits" in one.hover(names[93], 3)
        assert "It retries" in two.hover(names[7], 3)
        assert two.hover(names[50], 3).count("✓") == 0
