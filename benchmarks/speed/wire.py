"""A small JSON-RPC client over a child's stdin and stdout, for measuring: LSP's framed messages and MCP's lines.

A thread reads, stamps each message with the time at which it was whole, and answers what the server asks of a client
with null, so a time is that of the server, not of the waiting thread.
"""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic, perf_counter
from types import TracebackType
from typing import BinaryIO, Self, cast

from attrs import frozen

Json = Mapping[str, object]


class WireError(Exception):
    """The server ended, answered with an error, or did not answer in time."""


@frozen
class Message:
    """One message of the server. `at` is `time.perf_counter` when its last byte was read."""

    content: Json
    at: float


class Wire:
    """A running server and the messages to and from it. Use as a context manager: it ends the server.

    `framed` messages have a Content-Length header (LSP), others are one line each (MCP).
    """

    def __init__(self, command: Sequence[str], *, framed: bool, cwd: Path, env: Mapping[str, str]) -> None:
        self.started = perf_counter()
        self._child = subprocess.Popen(
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=cwd,
            env=dict(env),
        )
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        self._in, self._out = cast("BinaryIO", self._child.stdin), cast("BinaryIO", self._child.stdout)
        self._framed = framed
        self._next = 0
        self._answers: dict[object, Message] = {}
        self._notifications: list[Message] = []
        self._ended = False
        self._news = threading.Condition()
        self._writing = threading.Lock()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def process(self) -> int:
        """The child's process id."""
        return self._child.pid

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the server: its input is closed, and it is killed when that does not end it within five seconds."""
        with suppress(OSError):  # it went first
            self._in.close()
        try:
            self._child.wait(5)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()
        self._reader.join(5)
        self._out.close()

    def notify(self, method: str, params: object) -> float:
        """Tell the server something; the time just before it was written."""
        return self._send({"jsonrpc": "2.0", "method": method, "params": params})

    def ask(self, method: str, params: object, *, timeout: float = 60.0) -> tuple[object, float]:
        """The server's result and how long it took, in milliseconds. Raises WireError for an error or silence."""
        number, sent = self.post(method, params)
        answer = self.answer(number, timeout=timeout)
        if "error" in answer.content:
            raise WireError(f"{method}: {answer.content['error']}")
        return answer.content.get("result"), 1000 * (answer.at - sent)

    def post(self, method: str, params: object) -> tuple[int, float]:
        """Ask without waiting: the question's number and the time just before it was written."""
        self._next += 1
        number = self._next
        return number, self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})

    def answer(self, number: int, *, timeout: float = 60.0) -> Message:
        """The answer to a question asked by `post`, errors included. Raises WireError for silence."""
        return self._wait(lambda: self._answers.pop(number, None), timeout, f"no answer to question {number}")

    def notification(self, method: str, test: Callable[[Json], bool], *, timeout: float = 60.0) -> Message:
        """The first notification of this method whose params pass the test, dropping those before it."""

        def look() -> Message | None:
            while self._notifications:
                message = self._notifications.pop(0)
                if message.content.get("method") == method and test(cast("Json", message.content.get("params") or {})):
                    return message
            return None

        return self._wait(look, timeout, f"no {method}")

    def forget(self) -> None:
        """Drop the notifications that came so far."""
        with self._news:
            self._notifications.clear()

    def _wait(self, look: Callable[[], Message | None], timeout: float, what: str) -> Message:
        until = monotonic() + timeout
        with self._news:
            while True:
                found = look()
                if found is not None:
                    return found
                if self._ended:
                    raise WireError(f"{what}: the server ended")
                if not self._news.wait(until - monotonic()) and monotonic() >= until:
                    raise WireError(f"{what} within {timeout:.0f} s")

    def _send(self, content: Json) -> float:
        body = json.dumps(content, separators=(",", ":")).encode()
        data = b"Content-Length: %d\r\n\r\n%s" % (len(body), body) if self._framed else body + b"\n"
        with self._writing:
            now = perf_counter()
            try:
                self._in.write(data)
                self._in.flush()
            except (OSError, ValueError) as error:
                raise WireError(f"the server does not listen: {error}") from error
        return now

    def _read(self) -> None:
        while True:
            try:
                body = self._body()
            except (OSError, ValueError):
                body = b""
            now = perf_counter()
            if not body:
                break
            content = cast("Json", json.loads(body))
            if "method" in content and "id" in content:
                self._reply(content)
                continue
            with self._news:
                if "method" in content:
                    self._notifications.append(Message(content, now))
                else:
                    self._answers[content.get("id")] = Message(content, now)
                self._news.notify_all()
        with self._news:
            self._ended = True
            self._news.notify_all()

    def _body(self) -> bytes:
        if not self._framed:
            return self._out.readline()
        length = 0
        while True:
            line = self._out.readline()
            if not line:
                return b""
            if line == b"\r\n":
                return self._out.read(length)
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)

    def _reply(self, question: Json) -> None:
        result: object = None
        if question["method"] == "workspace/configuration":
            items = cast("Json", question.get("params") or {}).get("items")
            result = [None] * len(cast("Sequence[object]", items or ()))
        with suppress(WireError):  # it asked on its way out
            self._send({"jsonrpc": "2.0", "id": question["id"], "result": result})
