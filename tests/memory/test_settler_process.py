"""The process that settles: it does its work, leaves nothing behind, and ends."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from patience import patience
from project import Project

from memlsp import Memory
from memlsp.capture.child_process import environment

PATIENCE = 60.0


def settler(root: Path, data: Path, *words: str) -> subprocess.Popen[bytes]:
    command = (sys.executable, "-P", "-m", "memlsp.memory.ingest.worker", str(root), "--data", str(data), *words)
    return subprocess.Popen(command, env=environment(), cwd=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def ended(process: subprocess.Popen[bytes]) -> tuple[int, bytes]:
    out, err = process.communicate(timeout=patience(PATIENCE))
    return process.returncode, out + err


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    return folder


def note(memory: Memory, key: str) -> None:
    record = {"key": key, "at": time.time_ns() // 1_000_000, "kind": "prompt", "source": "cursor", "text": key}
    memory.events.take([record])


def test_it_settles_what_waits_says_nothing_and_ends(project: Project, data: Path) -> None:
    with Memory.open(project.root, data_dir=data) as memory:
        note(memory, "fix the tax")
        assert ended(settler(project.root, data, "--grace", "0")) == (0, b"")
        assert not memory.events.pending()
        store = memory.events.store_path
    others = {path.name for path in store.parent.iterdir() if path.stat().st_mode & 0o077}
    assert sys.platform == "win32" or not others


def test_a_damaged_store_that_it_set_aside_is_said_to_the_next_person_once(project: Project, data: Path) -> None:
    with Memory.open(project.root, data_dir=data) as memory:
        path = memory.events.store_path
    path.write_bytes(b"this was never a database" * 2000)
    assert ended(settler(project.root, data, "--grace", "0")) == (0, b"")
    with Memory.open(project.root, data_dir=data) as memory:
        (said,) = memory.notices
        assert "was kept as" in said
        assert memory.notices == (said,)
    with Memory.open(project.root, data_dir=data) as memory:
        assert memory.notices == ()


def test_it_ends_at_once_when_another_settles(project: Project, data: Path) -> None:
    with Memory.open(project.root, data_dir=data) as memory, memory.events.turn() as settle:
        assert settle is not None
        note(memory, "wait for me")
        assert ended(settler(project.root, data)) == (0, b"")
        assert memory.events.pending()


@pytest.mark.skipif(sys.platform == "win32", reason="an open file cannot be deleted there")
def test_it_ends_when_its_store_vanishes(project: Project, data: Path) -> None:
    with Memory.open(project.root, data_dir=data) as memory:
        note(memory, "hello")
        process = settler(project.root, data, "--grace", "50")
        deadline = time.monotonic() + patience(PATIENCE)
        while memory.events.pending() and time.monotonic() < deadline:
            threading.Event().wait(0.05)
        store = memory.events.store_path
    shutil.rmtree(store.parent)
    assert ended(process)[0] == 0
    assert not store.exists()


def test_a_workspace_that_is_gone_and_arguments_that_cannot_be_read_are_exit_codes(tmp_path: Path, data: Path) -> None:
    assert ended(settler(tmp_path / "gone", data)) == (1, b"")
    assert ended(settler(tmp_path, data, "--grace", "soon")) == (2, b"")
    assert ended(settler(tmp_path, data, "--speed", "1")) == (2, b"")
