from __future__ import annotations

import getpass
from pathlib import Path

import pygit2
import pytest
from git_world import git, repository

from memlsp.capture.git.repository import git_author
from memlsp.model.belief import AuthorKind


@pytest.fixture(autouse=True)
def nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """No git settings of the user, whoever runs the tests."""

    def none() -> pygit2.Config:
        raise OSError

    monkeypatch.setattr(pygit2.Config, "get_global_config", staticmethod(none))
    monkeypatch.setattr(getpass, "getuser", lambda: "login")


def test_the_repository_says_who_it_is(tmp_path: Path) -> None:
    folder = repository(tmp_path / "here")
    git(folder, "config", "user.name", "Ada  Lovelace\x1b[31m")
    author = git_author(folder)
    assert author.name == "Ada Lovelace [31m"
    assert author.kind is AuthorKind.PERSON


def test_the_user_is_asked_outside_of_a_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = tmp_path / "gitconfig"
    settings.write_text("[user]\n\tname = Grace\n")
    monkeypatch.setattr(pygit2.Config, "get_global_config", staticmethod(lambda: pygit2.Config(str(settings))))
    (tmp_path / "plain").mkdir()
    assert git_author(tmp_path / "plain").name == "Grace"


def test_then_the_login_name_counts(tmp_path: Path) -> None:
    assert git_author(tmp_path).name == "login"
    assert git_author(tmp_path / "missing").name == "login"


def test_then_it_is_someone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_such_user() -> str:
        raise KeyError

    monkeypatch.setattr(getpass, "getuser", no_such_user)
    assert git_author(tmp_path).name == "someone"
