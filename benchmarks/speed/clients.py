"""An editor and an agent for measurements: they send requests and time the answers."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from time import perf_counter, sleep
from types import TracebackType
from typing import Self, cast

from benchmarks.speed.wire import Json, Wire, WireError
from memlsp.version import VERSION

LSP = (sys.executable, "-m", "memlsp", "lsp")
MCP = (sys.executable, "-m", "memlsp", "mcp")
EMPTY = (sys.executable, "-P", "-m", "benchmarks.speed.empty_server")
EMPTY_MCP = (sys.executable, "-P", "-m", "benchmarks.speed.empty_mcp_server")

_CHECKOUT = Path(__file__).resolve().parents[2]
_PATIENCE = 60.0  # seconds until a server that answers nothing of use is given up
_BREATH = 0.02  # seconds between two tries, so that asking is no load


def environment(data: Path) -> dict[str, str]:
    """This process's environment with the data folder replaced, in which a child also finds the suites."""
    path = os.pathsep.join(filter(None, (str(_CHECKOUT), os.environ.get("PYTHONPATH", ""))))
    return {**os.environ, "MEMLSP_DATA_DIR": str(data), "PYTHONDONTWRITEBYTECODE": "", "PYTHONPATH": path}


class Editor:
    """One editor with one open document. `started` is the time from spawn to `initialize` answered, in milliseconds.

    With `pull` it asks for diagnostics, without it waits for them. The server's debounce is set to nothing, for it is
    no part of what is measured, and hovers come without the git history unless `history`; with `onboarding` that
    is read in the background.
    """

    def __init__(
        self,
        command: tuple[str, ...],
        root: Path,
        data: Path,
        *,
        pull: bool = False,
        history: bool = False,
        onboarding: bool = False,
    ) -> None:
        self._root, self._version, self._uri = root, 0, ""
        self.wire = Wire(command, framed=True, cwd=root, env=environment(data))
        document: dict[str, object] = {"hover": {"contentFormat": ["markdown", "plaintext"]}, "codeLens": {}}
        document |= {"diagnostic": {}} if pull else {"publishDiagnostics": {}}
        capabilities = {
            "general": {"positionEncodings": ["utf-16"]},
            "textDocument": document,
            "workspace": {"diagnostics": {"refreshSupport": True}},
        }
        params = {
            "processId": os.getpid(),
            "clientInfo": {"name": "memlsp eval"},
            "rootUri": root.as_uri(),
            "workspaceFolders": [{"uri": root.as_uri(), "name": root.name}],
            "capabilities": capabilities,
            "initializationOptions": {
                "debounce": 0,
                "hover": {"history": history},
                "onboarding": {"enabled": onboarding},
            },
        }
        self.wire.ask("initialize", params)
        self.started = 1000 * (perf_counter() - self.wire.started)
        self.wire.notify("initialized", {})

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.wire.ask("shutdown", None)
            self.wire.notify("exit", None)
        self.wire.close()

    def open(self, path: str, text: str) -> None:
        """Open a document, root-relative."""
        self._uri = (self._root / path).as_uri()
        item = {"uri": self._uri, "languageId": "python", "version": 0, "text": text}
        self.wire.notify("textDocument/didOpen", {"textDocument": item})

    def hover(self, line: int, column: int) -> tuple[object, float]:
        """The hover at a position (from 0), and the milliseconds it took."""
        position = {"line": line, "character": column}
        return self.wire.ask("textDocument/hover", {"textDocument": {"uri": self._uri}, "position": position})

    def hover_until_answered(self, line: int, column: int) -> float:
        """Hover until something is said: the milliseconds since the server was spawned. Raises WireError when nothing
        ever is."""
        until = perf_counter() + _PATIENCE
        while perf_counter() < until:
            if self.hover(line, column)[0] is not None:
                return 1000 * (perf_counter() - self.wire.started)
            sleep(_BREATH)
        raise WireError("hover stayed empty")

    def lenses(self) -> tuple[list[Json], float]:
        """The lenses of the document, and the milliseconds they took."""
        result, took = self.wire.ask("textDocument/codeLens", {"textDocument": {"uri": self._uri}})
        return cast("list[Json]", result or []), took

    def edit(self, line: int, start: int, end: int, text: str) -> float:
        """Replace a part of a line; the time at which it was sent."""
        self._version += 1
        place = {"start": {"line": line, "character": start}, "end": {"line": line, "character": end}}
        document = {"uri": self._uri, "version": self._version}
        changes = [{"range": place, "text": text}]
        return self.wire.notify("textDocument/didChange", {"textDocument": document, "contentChanges": changes})

    def pushed(self, code: str, line: int, *, present: bool) -> float:
        """When diagnostics came in which a code stands at a line, or no longer does (`time.perf_counter`)."""

        def test(params: Json) -> bool:
            return params.get("uri") == self._uri and _has(params.get("diagnostics"), code, line) == present

        return self.wire.notification("textDocument/publishDiagnostics", test).at

    def pulled(self, code: str, line: int, *, present: bool) -> float:
        """Ask for diagnostics until a code stands at a line, or no longer does: when that answer came."""
        until = perf_counter() + _PATIENCE
        while perf_counter() < until:
            result, _took = self.wire.ask("textDocument/diagnostic", {"textDocument": {"uri": self._uri}})
            if _has(cast("Json", result or {}).get("items"), code, line) == present:
                return perf_counter()
        raise WireError(f"no pull ever said {code}")

    def ping(self) -> float:
        """The milliseconds until the server refused a method that nobody has: how long its loop was busy."""
        number, sent = self.wire.post("memlsp/none", {})
        return 1000 * (self.wire.answer(number).at - sent)


class Agent:
    """An agent over MCP. `started` is the time from spawn to the first tool's answer, in milliseconds."""

    def __init__(self, root: Path, data: Path, command: tuple[str, ...] = MCP) -> None:
        self.wire = Wire(command, framed=False, cwd=root, env=environment(data))
        client = {"name": "memlsp-eval", "version": VERSION}
        self.wire.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client})
        self.wire.notify("notifications/initialized", {})
        self.call("recall", {"query": "anything"})
        self.started = 1000 * (perf_counter() - self.wire.started)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.wire.close()

    def call(self, tool: str, arguments: Mapping[str, object]) -> float:
        """Call a tool; the milliseconds it took. Raises WireError when the tool says that it failed."""
        result, took = self.wire.ask("tools/call", {"name": tool, "arguments": dict(arguments)})
        if cast("Json", result or {}).get("isError"):
            raise WireError(f"{tool} failed: {result}")
        return took


def _has(diagnostics: object, code: str, line: int) -> bool:
    for each in cast("list[Json]", diagnostics or []):
        start = cast("Json", cast("Json", each["range"])["start"])
        if each.get("code") == code and start["line"] == line:
            return True
    return False
