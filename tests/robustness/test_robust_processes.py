"""Processes that are killed, interrupted, or write at the same time: what was acknowledged is there, and whole."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, cast

import pytest
from patience import patience
from project import Project
from robust_world import PATIENCE, PROGRAM, Agent, Editor, environment

from benchmarks.speed.wire import Wire, WireError
from memlsp import Memory
from memlsp.model.recall import RecallOptions

WRITER = """
import sys
from memlsp import Memory
from memlsp.model.place import Place
with Memory.open(".") as memory:
    print("ready", flush=True)
    for number in range(100_000):
        held = memory.remember(f"{sys.argv[1]} says {number}", at=[Place("client.py", symbol="fetch")])
        print(held.belief.id, flush=True)
"""


class Acknowledged:
    """The ids that were acknowledged, from all threads."""

    def __init__(self) -> None:
        self.ids: list[str] = []
        self._news = threading.Condition()

    def add(self, id: str) -> None:
        with self._news:
            self.ids.append(id)
            self._news.notify_all()

    def waits_for(self, count: int) -> None:
        with self._news:
            assert self._news.wait_for(lambda: len(self.ids) >= count, patience(PATIENCE)), (
                f"{len(self.ids)} of {count}"
            )


def keeps_writing(
    write: Callable[[int], str | None], acknowledged: Acknowledged, count: int = 100_000
) -> threading.Thread:
    """Write in a thread until the process is gone."""

    def work() -> None:
        for number in range(count):
            try:
                id = write(number)
            except (WireError, AssertionError):
                return  # killed: what was not acknowledged may be there or not
            if id:
                acknowledged.add(id)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def by_editor(editor: Editor, name: str) -> Callable[[int], str | None]:
    def write(number: int) -> str | None:
        answer = editor.remember("client.py", 4, f"{name} says {number}")
        return str(answer["id"]) if answer["ok"] else None

    return write


def by_agent(agent: Agent, name: str) -> Callable[[int], str | None]:
    def write(number: int) -> str | None:
        arguments = {"text": f"{name} says {number}", "place": "client.py#fetch"}
        result = agent.ask("tools/call", {"name": "remember", "arguments": arguments}, timeout=patience(PATIENCE))[0]
        answer = cast("dict[str, Any]", result)
        return None if answer.get("isError") else str(answer["structuredContent"]["id"])

    return write


def by_process(writer: subprocess.Popen[str]) -> Callable[[int], str | None]:
    """What a process of ours says that it wrote."""

    def read(_: int) -> str | None:
        line = writer.stdout.readline() if writer.stdout is not None else ""
        if not line.endswith("\n"):
            raise WireError("it was killed")
        return line.strip()

    return read


def checks_whole(project: Project, data: Path, ids: list[str]) -> set[str]:
    """All that was acknowledged is there and can be found, and the store is sound; the texts."""
    assert len(set(ids)) == len(ids)
    with Memory.open(project.root, data_dir=data) as memory:
        assert memory.notices == ()
        beliefs = {each.belief.id: each.belief for each in memory.beliefs()}
        assert [id for id in ids if id not in beliefs] == []
        assert all(len(memory.revisions(id)) == 1 for id in beliefs)
        assert [check.message for check in memory.doctor() if check.ok is False] == []
        assert memory.recall("says", RecallOptions(limit=5)).hits
        return {belief.text for belief in beliefs.values()}


@pytest.mark.skipif(sys.platform == "win32", reason="there is no signal that cannot be caught")
def test_killing_writers_at_any_moment_loses_nothing_that_was_acknowledged(project: Project, tmp_path: Path) -> None:
    data = tmp_path / "data"
    acknowledged = Acknowledged()
    text = (project.root / "client.py").read_text()
    with Editor(project.root, data, fresh=True) as editor, Agent(project.root, data, fresh=True) as agent:
        writers = [
            subprocess.Popen(
                [sys.executable, "-c", WRITER, f"writer {number}"],
                cwd=project.root, env=environment(data), stdout=subprocess.PIPE, text=True,
            )
            for number in range(2)
        ]  # fmt: skip
        try:
            editor.open("client.py", text)
            threads = [
                keeps_writing(by_editor(editor, "editor"), acknowledged),
                keeps_writing(by_agent(agent, "agent"), acknowledged),
            ]
            for writer in writers:
                assert writer.stdout is not None
                assert writer.stdout.readline() == "ready\n"
                threads.append(keeps_writing(by_process(writer), acknowledged))
            # one after the other, each in the middle of what it and the others write
            for number, process in enumerate((writers[0].pid, editor.process, agent.process, writers[1].pid)):
                acknowledged.waits_for(8 * (number + 1))
                os.kill(process, signal.SIGKILL)
        finally:
            for writer in writers:
                writer.kill()
        for thread in threads:
            thread.join(patience(PATIENCE))
        for writer in writers:
            writer.wait(patience(PATIENCE))
            assert writer.stdout is not None
            writer.stdout.close()
    checks_whole(project, data, list(acknowledged.ids))


def test_two_editors_and_three_agents_write_at_once_and_lose_nothing(project: Project, tmp_path: Path) -> None:
    data, each = tmp_path / "data", 8
    text = (project.root / "client.py").read_text()
    acknowledged = Acknowledged()
    with ThreadPoolExecutor() as pool:  # they start and open the store at the same time, too
        starting = [pool.submit(Editor, project.root, data) for _ in range(2)]
        joining = [pool.submit(Agent, project.root, data) for _ in range(3)]
        editors, agents = [each.result() for each in starting], [each.result() for each in joining]
    try:
        for editor in editors:
            editor.open("client.py", text)
        writes = [by_editor(editor, f"editor {number}") for number, editor in enumerate(editors)]
        writes += [by_agent(agent, f"agent {number}") for number, agent in enumerate(agents)]
        threads = [keeps_writing(write, acknowledged, each) for write in writes]
        for thread in threads:
            thread.join(patience(PATIENCE))
        assert len(acknowledged.ids) == 5 * each
        # all of them settle the same beliefs at once, too
        revised = [
            agent.post("tools/call", {"name": "revise", "arguments": {"id": id, "action": "confirm"}})[0]
            for agent in agents
            for id in acknowledged.ids[:5]
        ]
        for agent in agents:
            for number in revised[:5]:
                assert "error" not in agent.answer(number, timeout=patience(PATIENCE)).content
            del revised[:5]
        for editor in editors:
            assert "more: " in editor.hover("client.py", 3)
    finally:
        with ThreadPoolExecutor() as pool:
            list(pool.map(Wire.close, (*editors, *agents)))
    with Memory.open(project.root, data_dir=data) as memory:
        for id in acknowledged.ids[:5]:
            assert [revision.number for revision in memory.revisions(id)] == [1, 2, 3, 4]
    with Memory.open(project.root, data_dir=data) as memory:
        texts = {judgement.belief.text for judgement in memory.beliefs()}
        assert memory.notices == ()
        assert [check.message for check in memory.doctor() if check.ok is False] == []
    names = ["editor 0", "editor 1", "agent 0", "agent 1", "agent 2"]
    assert texts == {f"{name} says {number}" for name in names for number in range(each)}


def _interrupt(process: subprocess.Popen[str]) -> tuple[int, str]:
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=patience(PATIENCE))
    return process.returncode, err


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is another thing there")
@pytest.mark.parametrize(("before", "status"), [("default_int_handler", -signal.SIGINT), ("SIG_IGN", 0)])
def test_ctrl_c_while_a_server_loads_ends_it_without_a_word(before: str, status: int) -> None:
    script = (
        f"import os, signal; signal.signal(signal.SIGINT, signal.{before})\n"
        "from memlsp.faces.cli.interruption import ended_at_once\n"
        "with ended_at_once(): os.kill(os.getpid(), signal.SIGINT)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (status, "")


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is another thing there")
def test_ctrl_c_ends_every_command_without_a_traceback(project: Project, tmp_path: Path) -> None:
    data = tmp_path / "data"
    waiting = [("remember", "-"), ("lsp",), ("mcp",), ("mcp", "--http")]
    processes = [
        subprocess.Popen(
            [*PROGRAM, *words], cwd=project.root, env=environment(data), text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )
        for words in waiting
    ]  # fmt: skip
    try:
        http = processes[-1]
        assert http.stderr is not None
        told = http.stderr.readline()  # it has begun to listen when it says so, and the others were started before it
        assert "127.0.0.1" in told
        for words, process in zip(waiting, processes, strict=True):
            status, err = _interrupt(process)
            assert "Traceback" not in err, (words, err)
            assert status in {0, 1, 130, -signal.SIGINT}, words
    finally:
        for process in processes:  # else they would be found in another test, and fail that
            process.kill()
            process.communicate()


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is another thing there")
def test_ctrl_c_between_two_writes_leaves_the_memory_whole(project: Project, tmp_path: Path) -> None:
    data = tmp_path / "data"
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, "writer"], cwd=project.root, env=environment(data), text=True,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    assert writer.stdout is not None
    lines = [writer.stdout.readline() for _ in range(6)]
    writer.send_signal(signal.SIGINT)
    rest, _ = writer.communicate(timeout=patience(PATIENCE))
    ids = [line.strip() for line in (*lines[1:], *rest.splitlines(keepends=True)) if line.endswith("\n")]
    checks_whole(project, data, ids)
