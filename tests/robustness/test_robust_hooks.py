"""Hooks on disks that take nothing: their agents do not notice, and what was kept before is whole."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from project import Project
from robust_world import environment, fill, remount, small_disk, without_rights

import memlsp
from memlsp.capture.workspace.identity import resolve
from memlsp.memory.ingest.hook_ingest import ingest_payload
from memlsp.store.core.locations import store_path
from memlsp.store.store import open_store

ENTRY = Path(memlsp.__file__).parent / "faces" / "hooks" / "entry.py"


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small disk that memories are kept on."""
    with small_disk(tmp_path / "disk") as folder:
        yield folder


def prompted(project: Project, data: Path, words: str) -> None:
    """An agent is asked for something; its hook must not fail it, and has nothing to say."""
    payload = {"session_id": "s", "hook_event_name": "UserPromptSubmit", "cwd": str(project.root), "prompt": words}
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(ENTRY), "claude-code"],
        input=json.dumps(payload).encode(),
        capture_output=True,
        cwd=project.root,
        env={**environment(data), "MEMLSP_SETTLER": "off"},
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def kept(project: Project, data: Path) -> list[str]:
    """The prompts in the store, once what waits beside it was drained."""
    with memlsp.Memory.open(project.root, data_dir=data) as memory:
        assert memory.events.settle(60).stopped == ""
        path = memory.events.store_path
    store = open_store(path)
    try:
        return [event.text for event in store.journal.events(limit=100) if event.kind == "prompt"]
    finally:
        store.close()


def test_a_full_disk_costs_an_agent_nothing_and_what_was_kept_is_whole(project: Project, disk: Path) -> None:
    data = disk / "data"
    open_store(store_path(resolve(project.root).key, data)).close()
    prompted(project, data, "before")
    filler = fill(disk)
    for number in range(3):
        prompted(project, data, f"without room {number}")
    filler.unlink()
    prompted(project, data, "after")
    found = kept(project, data)
    assert found[0] == "before"
    assert found[-1] == "after"
    with memlsp.Memory.open(project.root, data_dir=data) as memory:
        memory.events.settle()
        told = {check.name: check.message for check in memory.doctor()}
    assert len(found) == 2 + 3 - int(told["dropped"].split()[0])
    assert "lost while the disk was full" in told["dropped"]


def test_a_read_only_disk_costs_an_agent_nothing(project: Project, disk: Path) -> None:
    data = disk / "data"
    open_store(store_path(resolve(project.root).key, data)).close()
    prompted(project, data, "before")
    remount(disk, "ro")
    prompted(project, data, "meanwhile")
    remount(disk, "rw")
    prompted(project, data, "after")
    assert kept(project, data) == ["before", "after"]


def test_a_memory_that_may_be_read_and_not_written_costs_an_agent_nothing(project: Project, tmp_path: Path) -> None:
    data = tmp_path / "data"
    open_store(store_path(resolve(project.root).key, data)).close()
    record: dict[str, object] = {"kind": "prompt", "source": "codex", "session": "s", "text": "words"}
    with without_rights():
        done = ingest_payload([record], str(project.root), data=str(data))
    assert done.fate in {"lost", "spooled"}
    assert done.said == ""
