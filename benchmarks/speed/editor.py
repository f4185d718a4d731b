"""An editor without a screen: one open file in a real `memlsp lsp`, driven over the wire."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self, cast

from benchmarks.speed.wire import Json, Wire, WireError

LEVELS = {1: "Error", 2: "Warning", 3: "Information", 4: "Hint"}


class Editor:
    """Opens files of a project as an editor does that takes plain text and pushed diagnostics.

    Lines and characters count from 0. Every method raises WireError when the server is silent or refuses.
    """

    def __init__(self, project: Path, env: Mapping[str, str]) -> None:
        self._project = project
        command = [sys.executable, "-m", "memlsp", "lsp"]
        self._wire = Wire(command, framed=True, cwd=project, env=env)
        self._texts: dict[str, str] = {}
        self._versions: dict[str, int] = {}
        root = project.as_uri()
        document = {
            "hover": {"contentFormat": ["plaintext"]},
            "publishDiagnostics": {},
            "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}}},
        }
        params = {
            "processId": os.getpid(),
            "rootUri": root,
            "workspaceFolders": [{"uri": root, "name": project.name}],
            "capabilities": {"textDocument": document},
        }
        self._wire.ask("initialize", params)
        self._wire.notify("initialized", {})

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self._wire.ask("shutdown", None)
            self._wire.notify("exit", None)
        self._wire.close()

    def open(self, path: str) -> None:
        """Open a file."""
        text = (self._project / path).read_text(encoding="utf-8")
        self._texts[path] = text
        self._versions[path] = 1
        document = {"uri": self.uri(path), "languageId": "python", "version": 1, "text": text}
        self._wire.notify("textDocument/didOpen", {"textDocument": document})

    def uri(self, path: str) -> str:
        """The address of a file of the project."""
        return (self._project / path).as_uri()

    def text(self, path: str) -> str:
        """What the buffer holds."""
        return self._texts[path]

    def find(self, path: str, needle: str) -> tuple[int, int]:
        """The line and character at which a text first stands in the buffer."""
        before, found, _ = self._texts[path].partition(needle)
        if not found:
            raise WireError(f"{path} does not hold {needle!r}")
        return before.count("\n"), len(before) - before.rfind("\n") - 1

    def hover(self, path: str, line: int, character: int) -> tuple[str, float]:
        """What hovering shows, "" for nothing, and how long it took in milliseconds."""
        params = {"textDocument": {"uri": self.uri(path)}, "position": {"line": line, "character": character}}
        result, took = self._wire.ask("textDocument/hover", params)
        contents = cast("Mapping[str, Any]", result or {}).get("contents")
        return (cast("Mapping[str, str]", contents)["value"] if contents else ""), took

    def lenses(self, path: str) -> list[str]:
        """The titles of the lenses."""
        found, _ = self._wire.ask("textDocument/codeLens", {"textDocument": {"uri": self.uri(path)}})
        return [cast("Any", lens)["command"]["title"] for lens in cast("Sequence[Json]", found or ())]

    def edit(self, path: str, old: str, new: str) -> float:
        """Replace a text in the buffer, unsaved; the time at which the server was told."""
        if old not in self._texts[path]:
            raise WireError(f"{path} does not hold {old!r}")
        self._texts[path] = self._texts[path].replace(old, new)
        self._versions[path] += 1
        document = {"uri": self.uri(path), "version": self._versions[path]}
        self._wire.forget()
        change = {"textDocument": document, "contentChanges": [{"text": self._texts[path]}]}
        return self._wire.notify("textDocument/didChange", change)

    def save(self, path: str) -> None:
        """Write the buffer to disk."""
        (self._project / path).write_text(self._texts[path], encoding="utf-8")
        self._wire.notify("textDocument/didSave", {"textDocument": {"uri": self.uri(path)}})

    def diagnostics(self, path: str, *, wanted: bool, timeout: float = 20) -> tuple[list[dict[str, Any]], float]:
        """The next diagnostics pushed for a file (none at all when they are not `wanted`), and when they came."""
        uri = self.uri(path)

        def fits(params: Json) -> bool:
            return params.get("uri") == uri and bool(params.get("diagnostics")) is wanted

        told = self._wire.notification("textDocument/publishDiagnostics", fits, timeout=timeout)
        found = cast("list[dict[str, Any]]", cast("Json", told.content["params"])["diagnostics"])
        return found, told.at

    def actions(self, path: str, diagnostics: Sequence[Mapping[str, Any]]) -> list[str]:
        """The titles of what is offered for diagnostics."""
        context = {"diagnostics": diagnostics}
        params = {"textDocument": {"uri": self.uri(path)}, "range": diagnostics[0]["range"], "context": context}
        found, _ = self._wire.ask("textDocument/codeAction", params)
        return [str(action["title"]) for action in cast("Sequence[Json]", found)]

    def command(self, name: str, *arguments: object) -> Mapping[str, Any]:
        """Run `memlsp.server.NAME`; its answer."""
        params = {"command": f"memlsp.server.{name}", "arguments": list(arguments)}
        result, _ = self._wire.ask("workspace/executeCommand", params)
        answer = cast("Mapping[str, Any]", result)
        if not answer.get("ok"):
            raise WireError(f"{name}: {answer.get('error')}")
        return answer


def shown(diagnostic: Mapping[str, Any], path: str) -> str:
    """A diagnostic on one line, as a list of problems shows it."""
    level = LEVELS.get(diagnostic.get("severity", 0), "Hint")
    line = diagnostic["range"]["start"]["line"] + 1
    return f"{level} {path}:{line} [{diagnostic['code']}] {diagnostic['message']}"
