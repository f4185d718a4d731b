from __future__ import annotations

from collections.abc import Callable, Generator
from pathlib import Path

import pytest

from memlsp.faces.mcp.workspace import Workspaces
from memlsp.model.errors import BadValue, NoWorkspace
from memlsp.model.place import Place

MakeProject = Callable[[str], Path]


@pytest.fixture
def opened(data: Path) -> Generator[Callable[..., Workspaces]]:
    made: list[Workspaces] = []

    def make(root: str | None = None, **environment: str) -> Workspaces:
        made.append(Workspaces(root, environment=environment))
        return made[-1]

    yield make
    for workspaces in made:
        workspaces.close()


def test_the_root_given_at_the_start_comes_before_the_environment(
    make_project: MakeProject, opened: Callable[..., Workspaces]
) -> None:
    one, other = make_project("one"), make_project("other")
    assert opened(str(one), CLAUDE_PROJECT_DIR=str(other)).target(None).memory.workspace.root == one


def test_the_environment_comes_before_the_working_directory(
    make_project: MakeProject, opened: Callable[..., Workspaces], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = make_project("one"), make_project("other")
    monkeypatch.chdir(other)
    assert opened(CLAUDE_PROJECT_DIR=str(one)).target(None).memory.workspace.root == one


def test_the_working_directory_is_walked_up_to_the_repository(
    make_project: MakeProject, opened: Callable[..., Workspaces], monkeypatch: pytest.MonkeyPatch
) -> None:
    one = make_project("one")
    inner = one / "src" / "deep"
    inner.mkdir(parents=True)
    monkeypatch.chdir(inner)
    target = opened().target(None)
    assert target.memory.workspace.root == one
    assert target.base == inner


def test_a_call_can_name_another_project(make_project: MakeProject, opened: Callable[..., Workspaces]) -> None:
    one, other = make_project("one"), make_project("other")
    workspaces = opened(str(one))
    assert workspaces.target(str(other)).memory.workspace.root == other
    assert workspaces.target(None).memory.workspace.root == one


def test_a_memory_is_opened_once_for_a_folder(make_project: MakeProject, opened: Callable[..., Workspaces]) -> None:
    workspaces = opened(str(make_project("one")))
    assert workspaces.target(None).memory is workspaces.target(None).memory


def test_an_absolute_place_says_its_project_when_nobody_else_does(
    make_project: MakeProject, opened: Callable[..., Workspaces], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = make_project("one"), make_project("other")
    monkeypatch.chdir(other)
    target = opened().target(None, Place(str(one / "billing.py"), symbol="total"))
    assert target.memory.workspace.root == one


def test_a_root_is_not_left_for_an_absolute_place(make_project: MakeProject, opened: Callable[..., Workspaces]) -> None:
    one, other = make_project("one"), make_project("other")
    target = opened(str(one)).target(None, Place(str(other / "billing.py")))
    assert target.memory.workspace.root == one


def test_the_home_folder_is_no_project(
    tmp_path: Path, opened: Callable[..., Workspaces], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(NoWorkspace) as caught:
        opened().target(None)
    assert "workspace" in caught.value.hint
    for folder in (tmp_path, tmp_path.parent, Path(tmp_path.anchor)):
        with pytest.raises(NoWorkspace):
            opened().target(str(folder))
    (tmp_path / ".git").mkdir()  # dotfiles are kept there, say
    assert opened().target(str(tmp_path)).base == tmp_path


def test_a_working_directory_that_is_gone_is_said(
    tmp_path: Path, opened: Callable[..., Workspaces], monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(NoWorkspace):
        opened().target(None)


def test_a_relative_folder_is_refused(opened: Callable[..., Workspaces]) -> None:
    with pytest.raises(BadValue):
        opened().target("src")


def test_a_named_folder_without_a_project_gets_no_memory(tmp_path: Path, opened: Callable[..., Workspaces]) -> None:
    system = tmp_path / "etc"
    system.mkdir()
    (system / "hosts").write_text("127.0.0.1 localhost\n")
    with pytest.raises(NoWorkspace, match="holds no project"):
        opened().target(str(system))
    (system / "app.py").write_text("def f():\n    return 1\n")
    assert opened().target(str(system)).memory.workspace.root == system


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path, opened: Callable[..., Workspaces]) -> None:
    with pytest.raises(NoWorkspace):
        opened().target(str(tmp_path / "nowhere"))
