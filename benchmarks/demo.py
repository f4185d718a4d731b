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

from benchmarks.speed.editor import Editor, shown
from benchmarks.speed.wire import Wire, WireError

_FILE = "memlsp/beliefs/lifecycle/admission.py"
_SYMBOL = "def checked_statement"
_ASKED = 200
_STATEMENT = "A statement has at most 4,000 characters: more is an essay, and belongs in the docs"
_REPLACEMENT = "A statement has at most 8,000 characters, since design notes are kept too"
_BEFORE, _AFTER = "LONGEST_STATEMENT = 4_000", "LONGEST_STATEMENT = 8_000"


class Demo:
    """One run: an editor and an agent that share the memory of one project."""

    def __init__(self, console: Console, project: Path, data: Path) -> None:
        self._console = console
        self._project = project
        self._env = os.environ | {"MEMLSP_DATA_DIR": str(data)}

    def run(self) -> None:
        """Edit, be told, decide; then ask the same question as an agent."""
        with Editor(self._project, self._env) as editor:
            editor.open(_FILE)
            line, _ = editor.find(_FILE, _SYMBOL)
            self._step("An editor opens a file that memlsp has never seen, and hovers `checked_statement`.")
            self._say(self._hover(editor))
            self._step(f"A person remembers there: “{_STATEMENT}”.")
            editor.command("remember", editor.uri(_FILE), line + 1, _STATEMENT)
            self._say(self._hover(editor))
            self._step(f"Somebody types `{_AFTER}` into the buffer. Nothing is saved yet.")
            editor.edit(_FILE, _BEFORE, _AFTER)
            warned, _ = editor.diagnostics(_FILE, wanted=True)
            for diagnostic in warned:
                self._say(shown(diagnostic, _FILE))
            self._say("lens: " + "; ".join(editor.lenses(_FILE)))
            self._step("What the editor offers to do about it:")
            for title in editor.actions(_FILE, warned):
                self._say(f"- {title}")
            self._step(f"The person replaces the belief: “{_REPLACEMENT}”.")
            editor.command("supersede", str(warned[0]["data"]["id"]), _REPLACEMENT)
            editor.diagnostics(_FILE, wanted=False)
            self._say(self._hover(editor))
            editor.save(_FILE)
            self._step("An agent asks over MCP, while the editor is still open.")
            self._ask_as_agent()

    def _hover(self, editor: Editor) -> str:
        line, _ = editor.find(_FILE, _SYMBOL)
        answers = (editor.hover(_FILE, line, len("def ch"))[0] for _ in range(_ASKED))
        return next(filter(None, answers), "(nothing)")  # the first hover may be too early for the history

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
                self._console.print(f"[dim]{tool}({escape(json.dumps(arguments))})[/dim]", highlight=False)
                result, _ = agent.ask("tools/call", {"name": tool, "arguments": arguments})
                for part in cast("Mapping[str, Any]", result)["content"]:
                    self._say(part["text"])

    # --- the screen ------------------------------------------------------------------------------------------------

    def _step(self, text: str) -> None:
        self._console.print(f"\n[bold cyan]▸ {escape(text)}[/bold cyan]", highlight=False)

    def _say(self, text: str) -> None:
        for line in text.splitlines():
            self._console.print(f"  {escape(line)}", highlight=False)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demo; 0 when every step happened."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.demo", description=__doc__)
    parser.add_argument("--picture", type=Path, metavar="FILE", help="keep the run as an SVG")
    chosen = parser.parse_args(arguments)
    console = Console(record=chosen.picture is not None, width=110 if chosen.picture else None)
    source = Path(__file__).resolve().parents[1]
    if not (source / ".git").exists():
        console.print("The demo works on a clone of memlsp's own repository, and this is not a checkout of it.")
        return 1
    with tempfile.TemporaryDirectory(prefix="memlsp-demo-", ignore_cleanup_errors=True) as folder:
        project = Path(folder) / "memlsp"
        clone = ["git", "clone", "--quiet", "--no-hardlinks", str(source), str(project)]
        subprocess.run(clone, check=True, stdin=subprocess.DEVNULL)
        subprocess.run(["git", "config", "user.name", "Ann Ode"], cwd=project, check=True)
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
