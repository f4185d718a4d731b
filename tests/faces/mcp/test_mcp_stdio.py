"""The server as a program: raw lines in, raw lines out."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
from collections.abc import Callable, Generator, Mapping
from pathlib import Path
from typing import Any

import pytest
from patience import patience
from warm_start import warm_program

from memlsp.memory import Memory

PATIENCE = 60  # seconds; a bound for a busy machine, not an expectation

ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "Raw Agent", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


class Program:
    """`memlsp mcp` with its streams. Everything that it prints is kept."""

    def __init__(self, *arguments: str, env: Mapping[str, str], cwd: Path) -> None:
        self.process = subprocess.Popen(
            warm_program("mcp", *arguments),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(env),
            cwd=cwd,
            text=True,
            encoding="utf-8",
        )
        self.lines: list[str] = []
        self.errors: list[str] = []
        self._arrived: queue.Queue[str | None] = queue.Queue()
        self._readers = [
            threading.Thread(target=self._read_answers, daemon=True),
            threading.Thread(target=self._read_errors, daemon=True),
        ]
        for reader in self._readers:
            reader.start()
        self._last = 0

    def _read_answers(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self.lines.append(line)
            self._arrived.put(line)
        self._arrived.put(None)

    def _read_errors(self) -> None:
        assert self.process.stderr
        self.errors.extend(self.process.stderr)

    def send(self, message: Mapping[str, object]) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()

    def ask(self, method: str, **params: object) -> dict[str, Any]:
        self._last += 1
        self.send({"id": self._last, "method": method, "params": params})
        return self.answers({self._last})[0]

    def answers(self, ids: set[Any]) -> list[dict[str, Any]]:
        """The answers to these requests, in the order they come."""
        found: list[dict[str, Any]] = []
        while len(found) < len(ids):
            line = self._arrived.get(timeout=patience(PATIENCE))
            assert line is not None, "".join(self.errors)
            answer: dict[str, Any] = json.loads(line)
            if answer.get("id") in ids:
                found.append(answer)
        return found

    def initialize(self, version: str = "2025-06-18") -> dict[str, Any]:
        info = {"name": "Raw Agent", "version": "1"}
        answer = self.ask("initialize", protocolVersion=version, capabilities={}, clientInfo=info)
        self.send({"method": "notifications/initialized"})
        return answer["result"]

    def call(self, tool: str, /, **arguments: object) -> dict[str, Any]:
        return self.ask("tools/call", name=tool, arguments=arguments)["result"]

    def end(self) -> int:
        assert self.process.stdin
        self.process.stdin.close()
        code = self.process.wait(patience(PATIENCE))
        for reader in self._readers:
            reader.join(patience(PATIENCE))
        return code

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(patience(PATIENCE))
        for reader in self._readers:
            reader.join(patience(PATIENCE))
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert stream
            stream.close()


@pytest.fixture
def start(project: Path, data: Path, environment: dict[str, str]) -> Generator[Callable[..., Program]]:
    started: list[Program] = []

    def run(*arguments: str, cwd: Path = project, **env: str) -> Program:
        started.append(Program(*arguments, env={**environment, "MEMLSP_DATA_DIR": str(data), **env}, cwd=cwd))
        return started[-1]

    yield run
    for program in started:
        program.stop()


Start = Callable[..., Program]


def test_an_older_client_shakes_hands_and_asks(start: Start) -> None:
    program = start()
    hello = program.initialize()
    assert hello["protocolVersion"] == "2025-06-18"
    assert hello["serverInfo"]["name"] == "memlsp"
    assert hello["instructions"]
    result = program.call("why", place="billing.py#total")
    assert not result.get("isError")
    assert result["structuredContent"]["history"][0]["subject"] == "Bill with tax"
    assert result["content"][0]["type"] == "text"


def test_a_client_of_2026_asks_without_a_handshake(start: Start) -> None:
    program = start()
    hello = program.ask("server/discover", _meta=ENVELOPE)["result"]
    assert "2026-07-28" in hello["supportedVersions"]
    answer = program.ask(
        "tools/call", _meta=ENVELOPE, name="remember", arguments={"text": "Totals are gross", "place": "billing.py"}
    )
    assert answer["result"]["structuredContent"]["source"] == "mcp:Raw Agent"


def test_what_one_agent_remembers_another_process_knows(start: Start, project: Path) -> None:
    one, other = start(), start()
    one.initialize()
    other.initialize()
    made = one.call("remember", text="Totals are gross", place="billing.py#total")["structuredContent"]
    assert other.call("why", place="billing.py#total")["structuredContent"]["beliefs"][0]["id"] == made["id"]
    with Memory.open(project) as memory:
        assert memory.belief(made["id"]).belief.author.name == "Raw Agent"


def test_agents_that_write_at_once_lose_nothing(start: Start, project: Path) -> None:
    programs = [start() for _ in range(3)]
    for program in programs:
        program.initialize()
    for number in range(5):
        for each, program in enumerate(programs):
            text = f"Statement {number} of agent {each}"
            program.send(
                {
                    "id": f"w{number}",
                    "method": "tools/call",
                    "params": {"name": "remember", "arguments": {"text": text}},
                }
            )
    for program in programs:
        told = program.answers({f"w{number}" for number in range(5)})
        assert not any(answer["result"].get("isError") for answer in told), told
    with Memory.open(project) as memory:
        assert len(memory.beliefs()) == 15


def test_the_program_ends_when_its_input_closes(start: Start) -> None:
    program = start()
    program.initialize()
    assert program.end() == 0
    assert program.errors == []


def test_it_ends_when_nobody_ever_says_anything(start: Start) -> None:
    assert start().end() == 0


def test_nothing_but_json_rpc_is_on_standard_output(start: Start) -> None:
    program = start()
    program.initialize()
    program.call("remember", text="Totals are gross", place="billing.py#total")
    program.call("recall", query="totals")
    program.call("why", place="no such file.py")
    program.send({"id": 99, "method": "tools/call", "params": {"name": "nothing"}})
    assert program.process.stdin
    program.process.stdin.write("this is no JSON\n")
    program.process.stdin.flush()
    assert program.ask("tools/list")["result"]["tools"]
    program.end()
    for line in program.lines:
        assert json.loads(line)["jsonrpc"] == "2.0"


def test_the_root_option_comes_before_the_folder_it_is_started_in(
    start: Start, project: Path, make_project: Callable[[str], Path]
) -> None:
    other = make_project("other")
    (other / "only_here.py").write_text("x = 1\n")
    program = start("--root", str(other))
    program.initialize()
    assert not program.call("why", place="only_here.py").get("isError")


def test_the_environment_names_the_project_of_an_agent_that_starts_elsewhere(
    start: Start, project: Path, tmp_path: Path
) -> None:
    program = start(cwd=tmp_path, CLAUDE_PROJECT_DIR=str(project))
    program.initialize()
    assert not program.call("why", place="billing.py#total").get("isError")
