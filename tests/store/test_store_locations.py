"""Where memories lie."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlsp.store.core.locations import data_folder, store_path, user_store_path


def test_the_variable_says_where(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MEMLSP_DATA_DIR", str(tmp_path / "elsewhere"))
    assert data_folder() == tmp_path / "elsewhere"
    assert store_path("k") == tmp_path / "elsewhere" / "workspaces" / "k" / "memory.db"
    assert user_store_path() == tmp_path / "elsewhere" / "user" / "memory.db"


def test_a_relative_folder_is_that_of_the_start(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MEMLSP_DATA_DIR", "data")
    assert data_folder() == tmp_path / "data"


@pytest.mark.parametrize("value", ["", "  "])
def test_an_empty_variable_is_none(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("MEMLSP_DATA_DIR", value)
    assert data_folder().is_absolute()
    assert "memlsp" in str(data_folder()).lower()


@given(key=st.text(max_size=200))
def test_any_key_is_one_folder_below_the_workspaces(key: str) -> None:
    path = store_path(key, Path("/data"))
    assert path.parent.parent == Path("/data/workspaces")
    assert path.parent.name not in {"", ".", ".."}
    assert path.parent.name == path.parent.name.lower()
    assert len(path.parent.name) <= 80


@given(first=st.text(max_size=30), second=st.text(max_size=30))
def test_two_keys_never_share_a_folder(first: str, second: str) -> None:
    same = store_path(first, Path("/d")) == store_path(second, Path("/d"))
    assert same == (first == second)


@pytest.mark.parametrize("key", ["con", "NUL", "a" * 300, "../../etc", "A", "ü", "a/b", "a.", ""])
def test_a_name_that_some_platform_refuses_becomes_another(key: str) -> None:
    assert store_path(key, Path("/d")).parent.name != key
