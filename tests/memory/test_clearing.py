"""Leaving: everything that was written is deleted, and nothing else."""

from __future__ import annotations

import os
import re
import sqlite3
from pathlib import Path

import pytest
from forgetting_world import Clock, saturate
from project import Project

from memlsp import Memory
from memlsp.memory import clear_everything
from memlsp.memory.ingest.capture_switches import switch
from memlsp.memory.ingest.hook_ingest import ingest_payload
from memlsp.memory.ingest.hook_log import note
from memlsp.store.core.foreign_database import FOLDER, foreign_tables, remove_leftovers


def test_everything_that_use_left_in_the_data_folder_is_known_and_deleted(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMLSP_SETTLER", "off")
    data = Path(os.environ["MEMLSP_DATA_DIR"])
    with Memory.open(project.root, clock=Clock()) as memory:
        saturate(memory, project, Clock())
        memory.onboard()
        memory.copies.export(tmp_path / "all.jsonl")
        memory.copies.backup(tmp_path / "all.db")
        memory.copies.restore(tmp_path / "all.db", author=memory.person())
    record: dict[str, object] = {"kind": "prompt", "source": "claude-code", "session": "s", "text": "Say it"}
    ingest_payload([record], str(project.root))
    note("something went wrong")
    switch(project.root, "source", "codex", off=True)
    (data / "mcp-token").write_text("t")
    (data / "restoring").mkdir()
    (data / "mine.txt").write_text("not ours")
    clear_everything()
    assert [path.name for path in data.iterdir()] == ["mine.txt"]


def test_every_name_that_the_code_writes_into_the_data_folder_is_known(project: Project) -> None:
    from memlsp.memory.erasure import deletion

    known = Path(deletion.__file__).read_text()
    package = Path(deletion.__file__).parents[2]
    names: set[str] = set()
    for path in package.rglob("*.py"):
        names |= set(re.findall(r'(?:\bdata|folder\(\)) / "([\w.-]+)"', path.read_text()))
        names |= set(re.findall(r'os\.path\.join\((?:data|data_folder\(\)), "([\w.-]+)"', path.read_text()))
    assert {"workspaces", "whereabouts", "settings", "patterns"} <= names
    assert [name for name in sorted(names) if f'"{name}"' not in known] == []


def test_the_copy_of_a_foreign_database_lies_in_our_folder_and_is_gone_afterwards(tmp_path: Path) -> None:
    data = Path(os.environ["MEMLSP_DATA_DIR"])
    theirs = tmp_path / "theirs.db"
    with sqlite3.connect(theirs) as connection:
        connection.execute("CREATE TABLE note (text)")
    connection.close()
    with foreign_tables(theirs) as tables:
        assert tables.columns("note") == ("text",)
        (copy,) = (data / FOLDER).glob("*/copy.db")
        assert copy.parent.stat().st_mode & 0o077 == 0
        assert remove_leftovers() == 0  # it is in use
    assert not (data / FOLDER).exists()


def test_what_a_killed_import_left_goes_with_the_next(tmp_path: Path) -> None:
    data = Path(os.environ["MEMLSP_DATA_DIR"])
    left = data / FOLDER / "1-abc"
    left.mkdir(parents=True)
    (left / "copy.db").write_text("secret")
    left.with_suffix(".held").touch()
    theirs = tmp_path / "theirs.db"
    sqlite3.connect(theirs).close()
    with foreign_tables(theirs):
        assert not left.exists()
