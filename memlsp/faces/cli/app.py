"""The group of all commands, with the folder that they work in and the report of an error."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

import click

from memlsp.faces.cli.interruption import interrupted
from memlsp.model.errors import MemlspError
from memlsp.version import VERSION

_COMMANDS = {
    # name: (module that holds it, the line that `memlsp --help` shows for it)
    "remember": ("beliefs.remember", "Hold a statement true, tied to a place in the code."),
    "revise": ("beliefs.remember", "Confirm, replace, retire, lock or re-anchor a belief."),
    "why": ("beliefs.show", "What is known about a place: beliefs, and the commits that changed its meaning."),
    "recall": ("beliefs.recall", "Ask in words; get the beliefs that answer, with what speaks against them."),
    "beliefs": ("beliefs.show", "List beliefs with their standing in the code as it is now."),
    "belief": ("beliefs.show", "Show one belief whole, with its revisions."),
    "receipts": ("beliefs.recall", "What was asked, by whom, and what was served."),
    "history": ("beliefs.show", "The commits that changed what a symbol means, newest first."),
    "diff": ("work.diff", "What is different between two states, told by symbols."),
    "episodes": ("work.episodes", "The tasks that were worked at, and what came of each."),
    "timeline": ("work.episodes", "What happened: tasks, commits, beliefs learned and revised, handoffs."),
    "threads": ("work.threads", "Work left open: TODOs and stubs that were added, failing tests, plans, next steps."),
    "review": ("beliefs.review", "Go through what waits for a decision: contradictions, stale beliefs, proposals."),
    "undo": ("beliefs.undo", "Take back what a session or an import taught, or what was done since a date."),
    "audit": ("beliefs.undo", "Who changed what, and when; nothing of what it said."),
    "conflicts": ("beliefs.conflicts", "Beliefs that contradict each other, and what is decided about them."),
    "proposals": (
        "beliefs.proposals",
        "What was found in the repository and in what you told agents, and waits for you.",
    ),
    "onboard": ("work.onboarding", "Read the git history once, newest first; may be stopped, and goes on from there."),
    "import": ("transfer.imports", "Take in transcripts, other memories, an export, a vault or a backup."),
    "export": ("transfer.copies", "Write the beliefs out: lines of JSON, or a markdown vault that opens in Obsidian."),
    "backup": ("transfer.copies", "Write all that is kept here to one file, while it is in use, and verify it."),
    "restore": ("transfer.copies", "Put a backup in the place of what is remembered now; can be undone."),
    "move": ("transfer.relocation", "Let a renamed project have its memory again."),
    "merge": ("transfer.relocation", "Take along what another project's memory holds true."),
    "stats": ("admin.status", "What is kept, what it takes, and what it would take otherwise."),
    "handoff": ("work.handoffs", "Work that sessions left unfinished: read it, take it, leave some."),
    "catch-up": ("work.handoffs", "What happened while you were away."),
    "brief": ("work.handoffs", "What an agent would be told if it started here now."),
    "events": ("admin.events", "What was observed, as it came."),
    "settle": ("admin.events", "Understand now what was observed; happens by itself otherwise."),
    "capture": ("admin.capture", "What is captured here, and the switches for it."),
    "forget": ("transfer.forget", "Take something out of the memory for good, and prove that it is gone."),
    "user": ("transfer.forget", "Your own beliefs, which hold in every workspace: list, export, delete."),
    "status": ("admin.status", "This workspace's memory in numbers."),
    "doctor": ("admin.status", "Look for what is wrong, and say what to do."),
    "init": ("admin.setup", "Set up the agents and editors that are here; shows first, asks, can be taken back."),
    "uninstall": ("admin.setup", "Take out again what `memlsp init` wrote."),
    "shell-integration": (
        "admin.setup",
        "Print the lines that let a terminal tell which commands ran (off until asked for).",
    ),
    "lsp": ("admin.servers", "The language server, on stdin and stdout (editors start it)."),
    "mcp": ("admin.servers", "The MCP server for agents, on stdin and stdout, or on loopback with --http."),
    "hook": ("admin.servers", "One event of an agent (agents run it; `memlsp init` writes it into their settings)."),
    "eval": ("admin.evaluate", "Run an evaluation suite and print its table."),
}


class _LateCommands(click.Group):
    """A group that imports a command when it is called; `--help` reads its lines from the table above."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in _COMMANDS:
            return None
        module = import_module(f"memlsp.faces.cli.{_COMMANDS[cmd_name][0]}")
        command: click.Command = getattr(module, f"{cmd_name.replace('-', '_')}_command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in _COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            from difflib import get_close_matches  # only after a mistyped command

            near = get_close_matches(args[0], list(_COMMANDS), n=1)
            if not near:
                raise
            message = f"{error.message} Did you mean {near[0]!r}?"
            raise click.UsageError(message, ctx) from error

    def main(self, args: Sequence[str] | None = None, *more: Any, **extra: Any) -> Any:
        """Run, and report an error of memlsp as one line on stderr with exit status 1."""
        try:
            return super().main(args, *more, **extra)
        except MemlspError as error:
            _fail(error)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, also while the reader of its output closes the pipe, which click takes for an error."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            # the reader (head, less) has gone: keep Python from complaining while it closes stdout
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise SystemExit(0) from None
        except KeyboardInterrupt:
            interrupted()
        except OSError as error:
            _fail(MemlspError(str(error)))  # a disk, not a bug: one line says as much as a traceback


def _fail(error: MemlspError) -> NoReturn:
    from memlsp.model.one_line import plain  # only for an error

    # file names and other quoted text may hold control characters
    message, hint = plain(str(error)), plain(error.hint)
    click.echo(f"memlsp: {message} ({hint})" if hint else f"memlsp: {message}", err=True)
    raise SystemExit(1) from error


@click.group(
    cls=_LateCommands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="A PLACE is PATH, PATH:LINE or PATH#Qualified.name. Reading commands take --json. "
    "Nothing leaves this machine.",
)
@click.option(
    "-C",
    "--workspace",
    "folder",
    type=click.Path(path_type=Path),
    help="Work in the project that holds this folder instead of the current one.",
)
@click.version_option(VERSION, prog_name="memlsp")
@click.pass_context
def memlsp(ctx: click.Context, folder: Path | None) -> None:
    """memlsp remembers why the code is the way it is.

    It ties what people and agents decided to the code it speaks of, and says so when the code stops agreeing:

    \b
      memlsp remember "Retries three times, the API drops one call in ten" --at src/client.py#fetch
      memlsp why src/client.py#fetch
      memlsp beliefs
    """
    ctx.obj = folder
