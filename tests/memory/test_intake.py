"""The way in: what comes is kept at once, and somebody is called to settle it."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from patience import patience
from project import Project

from memlsp import Memory
from memlsp.memory.ingest import intake
from memlsp.model.handoff import HandoffNotes
from memlsp.model.place import Place

PATIENCE = 30.0


class Starts:
    """The settlers that were asked for; each is a process that ends at once."""

    def __init__(self) -> None:
        self.roots: list[Path] = []
        self._news = threading.Condition()

    def __call__(self, root: Path, store: Path, data: Path) -> subprocess.Popen[bytes]:
        child = subprocess.Popen([sys.executable, "-I", "-S", "-c", ""], cwd=store.parent)
        child.wait()
        with self._news:
            self.roots.append(root)
            self._news.notify_all()
        return child

    def wait(self) -> None:
        with self._news:
            assert self._news.wait_for(lambda: self.roots, patience(PATIENCE))


@pytest.fixture
def starts(monkeypatch: pytest.MonkeyPatch) -> Starts:
    found = Starts()
    monkeypatch.setattr(intake, "_started", found)
    monkeypatch.setattr(intake, "HELD", 0.0)
    return found


@pytest.fixture
def attended(project: Project, starts: Starts) -> Iterator[Memory]:
    with Memory.open(project.root) as memory:
        memory.events.settle()
        memory.events.attend()
        yield memory
        memory.events.leave()


def observed(memory: Memory, key: str, **more: object) -> None:
    record = {"key": key, "at": time.time_ns() // 1_000_000, "kind": "prompt", "source": "cursor", "text": key}
    memory.events.take([record | more])


def waits_for_events(memory: Memory, count: int) -> None:
    end = time.monotonic() + patience(PATIENCE)
    while len(memory.events.list()) < count and time.monotonic() < end:
        threading.Event().wait(0.01)
    assert len(memory.events.list()) == count


def test_a_settler_is_started_for_what_comes_in(attended: Memory, starts: Starts, project: Project) -> None:
    observed(attended, "fix it")
    starts.wait()
    assert starts.roots == [project.root]


def test_no_settler_is_started_while_another_process_settles(
    attended: Memory, starts: Starts, project: Project
) -> None:
    with Memory.open(project.root) as other, other.events.turn() as settle:
        assert settle is not None
        observed(attended, "fix it")
        attended.events.files(["client.py"])
        attended.events.close()  # ends after the look that it was woken for
        assert starts.roots == []


def test_nothing_is_started_when_nothing_waits(attended: Memory, starts: Starts) -> None:
    attended.events.close()
    assert starts.roots == []


def test_an_editors_server_leaves_vectors_to_the_settler(
    project: Project, starts: Starts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMLSP_ENCODER", "embedded")
    with Memory.open(project.root, patient=False) as memory:
        memory.events.settle()
        memory.remember("The client retries three times", at=[Place("client.py", symbol="fetch")])
        memory.events.attend()
        starts.wait()
        memory.events.close()
        assert memory.vectors.is_due()
    assert starts.roots == [project.root]


def test_no_settler_is_started_for_vectors_that_nobody_wants(
    project: Project, starts: Starts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMLSP_ENCODER", "none")
    with Memory.open(project.root, patient=False) as memory:
        memory.events.settle()
        memory.remember("The client retries three times", at=[Place("client.py", symbol="fetch")])
        memory.events.attend()
        memory.events.close()
    assert starts.roots == []


def test_what_the_watcher_saw_is_noted_unless_the_file_is_as_it_was(
    attended: Memory, starts: Starts, project: Project
) -> None:
    project.replace("client.py", "retries=3", "retries=5")
    attended.events.files(["client.py", "pricing/tax.py", "gone.py"])
    waits_for_events(attended, 1)
    (event,) = attended.events.list()
    assert (event.source, event.paths) == ("files", ("client.py",))
    starts.wait()


def test_a_command_is_redacted_cut_and_kept_where_terminals_are_on(
    project: Project, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    settings = tmp_path / "config.toml"
    settings.write_text("[capture]\nterminals = true\n")
    with Memory.open(project.root) as memory:
        memory.events.command("make", exit_code=0)
        assert memory.events.list() == ()
        monkeypatch.setenv("MEMLSP_CONFIG", str(settings))
        secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
        memory.events.command(f"deploy --token {secret}", exit_code=2, output="x" * 9_000, folder="pricing")
        (event,) = memory.events.list()
    assert (event.exit_code, event.ok, event.folder, event.source) == (2, False, "pricing", "terminal")
    assert secret not in event.text
    assert event.found
    assert len(event.output) <= 2_000
    assert event.cut == 7_046


def test_a_save_is_kept_before_the_call_returns(project: Project) -> None:
    with Memory.open(project.root) as memory:
        memory.events.saved("client.py")
    with Memory.open(project.root) as memory:
        (event,) = memory.events.list()
        assert (event.kind.value, event.source, event.paths, event.branch) == ("edit", "editor", ("client.py",), "main")


def test_personal_data_is_taken_out_of_commands_and_handoffs_where_a_setting_asks_for_it(
    project: Project, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    settings = tmp_path / "config.toml"
    settings.write_text('[capture]\nterminals = true\n[redaction]\npersonal = ["email"]\n')
    monkeypatch.setenv("MEMLSP_CONFIG", str(settings))
    with Memory.open(project.root) as memory:
        memory.events.command("mail ada@lovelace.org", output="sent to ada@lovelace.org")
        (event,) = memory.events.list()
        left = memory.handoffs.write(
            "ask ada@lovelace.org", HandoffNotes(next_steps=["write to ada@lovelace.org"]), by="cursor"
        )
    assert not any("ada@" in text for text in (event.text, event.output, left.title, *left.next_steps))
