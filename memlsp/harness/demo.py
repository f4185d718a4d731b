"""The main job, shown on a real project: this one, cloned with its history into a temporary folder.

Everything below the arrows is what the servers sent over the wire. `make demo` runs it; with `--picture FILE` the same
run is kept as an SVG, which is the picture in the README.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from rich.console import Console
from rich.markup import escape

from memlsp.harness.wire import Json, Wire, WireError

_FILE = "memlsp/beliefs/admission.py"
_SYMBOL = "def checked_statement"
_STATEMENT = "A statement has at most 4,000 characters: more is an essay, and belongs in the docs"
_REPLACEMENT = "A statement has at most 8,000 characters, since design notes are kept too"
_BEFORE, _AFTER = "LONGEST_STATEMENT = 4_000", "LONGEST_STATEMENT = 8_000"


class Demo:
    """One run: an editor and an agent that share the memory of one project."""

    def __init__(self, console: Console, project: Path, data: Path) -> None:
        self._console = console
        self._project = project
        self._env = os.environ | {"MEMLSP_DATA_DIR": str(data)}
        self._uri = (project / _FILE).as_uri()
        self._text = (project / _FILE).read_text(encoding="utf-8")
        self._line = next(n for n, line in enumerate(self._text.splitlines()) if line.startswith(_SYMBOL))
        self._version = 1

    def run(self) -> None:
        """Edit, be told, decide; then ask the same question as an agent."""
        command = [sys.executable, "-m", "memlsp", "lsp"]
        with Wire(command, framed=True, cwd=self._project, env=self._env) as editor:
            self._open(editor)
            self._step("An editor opens a file that memlsp has never seen, and hovers `checked_statement`.")
            self._say(self._hover(editor))
            self._step(f"A person remembers there: “{_STATEMENT}”.")
            self._command(editor, "remember", self._uri, self._line + 1, _STATEMENT)
            self._say(self._hover(editor))
            self._say("lens: " + "; ".join(self._lenses(editor)))
            self._step(f"Somebody types `{_AFTER}` into the buffer. Nothing is saved yet.")
            self._edit(editor, _BEFORE, _AFTER)
            warned = self._diagnostics(editor, wanted=True)
            for diagnostic in warned:
                level = {1: "Error", 2: "Warning", 3: "Information"}.get(diagnostic.get("severity", 0), "Hint")
                line = diagnostic["range"]["start"]["line"] + 1
                self._say(f"{level} at {_FILE}:{line} [{diagnostic['code']}] {diagnostic['message']}")
            self._step("What the editor offers to do about it:")
            for action in self._actions(editor, warned):
                self._say(f"- {action['title']}")
            self._step(f"The person replaces the belief: “{_REPLACEMENT}”.")
            known = cast("str", warned[0]["data"]["id"])
            self._command(editor, "supersede", known, _REPLACEMENT)
            self._diagnostics(editor, wanted=False)
            self._say(self._hover(editor))
            (self._project / _FILE).write_text(self._text, encoding="utf-8")
            self._step("An agent asks over MCP, while the editor is still open.")
            self._ask_as_agent()
            editor.ask("shutdown", None)
            editor.notify("exit", None)

    # --- the editor ------------------------------------------------------------------------------------------------

    def _open(self, editor: Wire) -> None:
        capabilities = {"textDocument": {"hover": {"contentFormat": ["plaintext"]}, "publishDiagnostics": {}}}
        actions = {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}}}
        capabilities["textDocument"]["codeAction"] = cast("Any", actions)
        root = self._project.as_uri()
        folders = [{"uri": root, "name": self._project.name}]
        params = {"processId": os.getpid(), "rootUri": root, "workspaceFolders": folders, "capabilities": capabilities}
        editor.ask("initialize", params)
        editor.notify("initialized", {})
        document = {"uri": self._uri, "languageId": "python", "version": self._version, "text": self._text}
        editor.notify("textDocument/didOpen", {"textDocument": document})

    def _hover(self, editor: Wire) -> str:
        position = {"line": self._line, "character": len("def ch")}
        result, _ = editor.ask("textDocument/hover", {"textDocument": {"uri": self._uri}, "position": position})
        contents = cast("Mapping[str, Any]", result or {}).get("contents")
        return cast("Mapping[str, str]", contents)["value"] if contents else "(nothing)"

    def _lenses(self, editor: Wire) -> list[str]:
        found, _ = editor.ask("textDocument/codeLens", {"textDocument": {"uri": self._uri}})
        resolved = [editor.ask("codeLens/resolve", lens)[0] for lens in cast("Sequence[Json]", found or ())]
        return [cast("Any", lens)["command"]["title"] for lens in resolved]

    def _edit(self, editor: Wire, old: str, new: str) -> None:
        if old not in self._text:
            raise WireError(f"{_FILE} does not hold {old!r} any more: the demo has to be written anew")
        self._text = self._text.replace(old, new)
        self._version += 1
        document = {"uri": self._uri, "version": self._version}
        editor.forget()
        editor.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": self._text}]})

    def _diagnostics(self, editor: Wire, *, wanted: bool) -> list[dict[str, Any]]:
        def fits(params: Json) -> bool:
            return params.get("uri") == self._uri and bool(params.get("diagnostics")) is wanted

        told = editor.told("textDocument/publishDiagnostics", fits, timeout=20).content["params"]
        return cast("list[dict[str, Any]]", cast("Json", told)["diagnostics"])

    def _actions(self, editor: Wire, diagnostics: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        params = {
            "textDocument": {"uri": self._uri},
            "range": diagnostics[0]["range"],
            "context": {"diagnostics": diagnostics},
        }
        found, _ = editor.ask("textDocument/codeAction", params)
        return cast("list[Mapping[str, Any]]", found)

    def _command(self, editor: Wire, name: str, *arguments: object) -> None:
        params = {"command": f"memlsp.server.{name}", "arguments": list(arguments)}
        result, _ = editor.ask("workspace/executeCommand", params)
        answer = cast("Mapping[str, Any]", result)
        if not answer.get("ok"):
            raise WireError(f"{name}: {answer.get('error')}")

    # --- the agent -------------------------------------------------------------------------------------------------

    def _ask_as_agent(self) -> None:
        command = [sys.executable, "-m", "memlsp", "mcp"]
        with Wire(command, framed=False, cwd=self._project, env=self._env) as agent:
            client = {"name": "demo agent", "version": "1"}
            agent.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client})
            agent.notify("notifications/initialized", {})
            for tool, arguments in (
                ("why", {"place": f"{_FILE}#checked_statement"}),
                ("recall", {"query": "how long may a statement be?"}),
            ):
                self._console.print(f"[dim]{tool}({escape(json.dumps(arguments))})[/dim]")
                result, _ = agent.ask("tools/call", {"name": tool, "arguments": arguments})
                for part in cast("Mapping[str, Any]", result)["content"]:
                    self._say(part["text"])

    # --- the screen ------------------------------------------------------------------------------------------------

    def _step(self, text: str) -> None:
        self._console.print(f"\n[bold cyan]▸ {escape(text)}[/bold cyan]")

    def _say(self, text: str) -> None:
        for line in text.splitlines():
            self._console.print(f"  {escape(line)}", highlight=False)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demo; 0 when every step happened."""
    parser = argparse.ArgumentParser(prog="python -m memlsp.harness.demo", description=__doc__)
    parser.add_argument("--picture", type=Path, metavar="FILE", help="keep the run as an SVG")
    chosen = parser.parse_args(arguments)
    console = Console(record=chosen.picture is not None, width=110 if chosen.picture else None)
    source = Path(__file__).resolve().parents[2]
    if not (source / ".git").exists():
        console.print("The demo works on a clone of memlsp's own repository, and this is not a checkout of it.")
        return 1
    with tempfile.TemporaryDirectory(prefix="memlsp-demo-") as folder:
        project = Path(folder) / "memlsp"
        clone = ["git", "clone", "--quiet", "--no-hardlinks", str(source), str(project)]
        subprocess.run(clone, check=True, stdin=subprocess.DEVNULL)
        try:
            Demo(console, project, Path(folder) / "data").run()
        except (WireError, KeyError, IndexError) as error:
            console.print(f"[red]the demo stopped: {escape(str(error))}[/red]")
            return 1
    if chosen.picture:
        console.save_svg(str(chosen.picture), title="make demo")
    return 0


if __name__ == "__main__":
    sys.exit(main())
