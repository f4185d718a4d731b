"""The adapter that docs/how-to/keep-beliefs-elsewhere.md shows holds what every exchange holds, and carries beliefs."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from memlsp_team.exchange.exchange import Exchange
from project import Project

from docs.generate.example_files import EXAMPLES
from memlsp import Author, AuthorKind, Caller, Memory, Place, Standing
from memlsp.model.audit import Selector, SelectorKind
from memlsp.model.belief import Authority
from memlsp.model.errors import Refused
from tests.team.exchange.exchange_contract import ExchangeContract, Open


@pytest.fixture
def adapter(monkeypatch: pytest.MonkeyPatch) -> Callable[[dict[str, Any]], Exchange]:
    """Makes an exchange of rows."""
    monkeypatch.setattr(sys, "path", [str(EXAMPLES / "recipes"), *sys.path])
    return import_module("dict_exchange").DictExchange


class TestDictExchange(ExchangeContract):
    @pytest.fixture
    def folder_of(self, tmp_path: Path) -> Callable[[str], Path]:
        return lambda machine: tmp_path / machine

    @pytest.fixture
    def opened(self, adapter: Callable[[dict[str, Any]], Exchange]) -> Open:
        rows: dict[str, Any] = {}
        return lambda _machine: adapter(rows)


def test_what_a_person_says_is_kept_there_and_found_by_another_machine(
    adapter: Callable[[dict[str, Any]], Exchange], project: Project, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows: dict[str, Any] = {}
    place = [Place.parse("client.py#fetch")]
    with Memory.open(project.root, data_dir=tmp_path / "ann") as memory:
        ann = memory.remember("fetch tries three times", at=place, by=Caller(folder=project.root)).belief
        bot = Caller(author=Author("bot", AuthorKind.AGENT), folder=project.root)
        memory.remember("fetch is fast", at=place, by=bot)
        assert memory.team.sync(adapter(rows)).sent == 1
    assert b"is fast" not in said(rows)  # what an agent said stays at home

    with Memory.open(project.root, data_dir=tmp_path / "ben") as memory:
        assert memory.team.sync(adapter(rows)).added == (ann.id,)
        (found,) = memory.beliefs()
        assert (found.standing, found.belief.authority) == (Standing.CURRENT, Authority.COLLEAGUE)
        memory.revise(ann.id, "supersede", text="fetch tries five times", by=Caller(folder=project.root))
        memory.team.sync(adapter(rows))
        assert memory.team.sync(adapter(rows)).sent == 0  # nothing new

    with Memory.open(project.root, data_dir=tmp_path / "ann") as memory:
        memory.team.sync(adapter(rows))
        held = {each.belief.text: each.standing for each in memory.beliefs()}
        assert held == {"fetch tries five times": Standing.CONTRADICTED, "fetch is fast": Standing.CURRENT}

    import_module("own_storage").exchange(str(project.root), rows)  # a third machine, by the program of the page
    assert capsys.readouterr().out == "sent 0, read 3, new 1\n"


def test_what_is_forgotten_leaves_the_storage(
    adapter: Callable[[dict[str, Any]], Exchange], project: Project, tmp_path: Path
) -> None:
    rows: dict[str, Any] = {}
    with Memory.open(project.root, data_dir=tmp_path / "ann") as memory:
        id = memory.remember("Ben's birthday is in May").belief.id
        memory.team.sync(adapter(rows))
    with Memory.open(project.root, data_dir=tmp_path / "ben") as memory:
        assert memory.team.sync(adapter(rows)).added == (id,)
    with Memory.open(project.root, data_dir=tmp_path / "ann") as memory:
        memory.forgetting.forget(Selector(SelectorKind.BELIEF, id))
        memory.team.sync(adapter(rows))
    with Memory.open(project.root, data_dir=tmp_path / "ben") as memory:
        assert memory.team.sync(adapter(rows)).forgotten == (id,)
        assert memory.beliefs() == ()
    assert b"birthday" not in said(rows)


def test_without_a_storage_the_exchange_has_to_be_on(memory: Memory) -> None:
    with pytest.raises(Refused, match="no exchange is set up"):
        memory.team.sync()


def said(rows: dict[str, Any]) -> bytes:
    return b"".join(text for lines in rows.values() for text in lines.values())


def test_the_adapter_is_short() -> None:
    assert len((EXAMPLES / "recipes" / "dict_exchange.py").read_text(encoding="utf-8").splitlines()) <= 60
