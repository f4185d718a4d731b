"""The group of all commands, with the folder that they work in and the report of an error."""

from __future__ import annotations

import os
import sys
import tomllib
from collections.abc import Mapping, Sequence
from importlib import import_module
from inspect import cleandoc
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn, cast

import click

from memlsp.faces.cli.interruption import interrupted
from memlsp.model.errors import MemlspError, Refused
from memlsp.version import VERSION

_COMMANDS: dict[str, dict[str, Any]] = tomllib.loads(Path(__file__).with_name("commands.toml").read_text("utf-8"))


class _LateCommands(click.Group):
    """A group that imports a command when it is called; `--help` reads its lines from `commands.toml`."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in _COMMANDS:
            return None
        command = _command(cmd_name, _COMMANDS[cmd_name])
        about, _, _ = cleandoc(command.help or "").partition("\n\n")
        command.help = f"{about}\n\n{_COMMANDS[cmd_name].get('details', '')}".strip("\n")
        command.epilog = _COMMANDS[cmd_name].get("epilog")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl([(name, each["line"]) for name, each in _COMMANDS.items()])

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


def _command(name: str, texts: Mapping[str, Any]) -> click.Command:
    """The command of the function `NAME_command`, with those of `BELOW_NAME` below it. One that click made already, as
    commands with a way of their own are, gets the help of its options."""
    module = _module(texts["module"])
    found = getattr(module, f"{name.replace('-', '_')}_command")
    if isinstance(found, click.Command):
        _describe_options(found, texts)
        return found
    from memlsp.faces.cli.options import command_of  # late: `memlsp lsp` does without

    command = command_of(name, found, texts)
    for below, each in texts.get("commands", {}).items():
        cast("click.Group", command).add_command(
            command_of(below, getattr(module, f"{below.replace('-', '_')}_{name}"), each)
        )
    return command


def _module(name: str) -> ModuleType:
    """A module of this package, or that of another distribution. Raises Refused where that one is not installed."""
    if not name.startswith("memlsp_"):
        return import_module(f"memlsp.faces.cli.{name}")
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        extra = name.partition(".")[0].removeprefix("memlsp_")
        raise Refused(
            "this takes a package of its own, which is not installed", f"pip install 'memlsp[{extra}]'"
        ) from error


def _describe_options(command: click.Command, texts: Mapping[str, Any]) -> None:
    """Give the options of a command their help."""
    for option in command.params:
        if isinstance(option, click.Option) and option.name in texts.get("options", ()):
            option.help = texts["options"][option.name]


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
    "Nothing leaves this machine before `memlsp team on` or `memlsp model on` says where to.",
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
