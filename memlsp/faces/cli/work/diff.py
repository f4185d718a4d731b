"""`memlsp diff`: the differences between two states, by symbols."""

from __future__ import annotations

import click

from memlsp.faces.cli.console import bar, base_folder, emit, opened
from memlsp.faces.cli.options import as_json
from memlsp.faces.cli.work.diff_report import report
from memlsp.faces.render.work_json import difference_shape

_PATHS = "memlsp.diff.paths"


class _WithPaths(click.Command):
    """A command that takes paths behind `--`, as git does; click alone forgets where the dashes stood."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[_PATHS] = None
        if "--" in args:
            dashes = args.index("--")
            ctx.meta[_PATHS] = args[dashes + 1 :]
            args = args[:dashes]
        return super().parse_args(ctx, args)

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return ["[OPTIONS]", "[REV [REV]]", "[-- PATH...]"]


@click.command("diff", cls=_WithPaths)
@click.argument("revisions", nargs=-1)
@click.option("--staged", "--cached", "staged", is_flag=True)
@click.option("--all", "everything", is_flag=True)
@as_json
@click.pass_context
def diff_command(
    ctx: click.Context, revisions: tuple[str, ...], *, staged: bool, everything: bool, json_wanted: bool
) -> None:
    """What is different, told by symbols: a sentence for each, grouped by file."""
    paths: list[str] | None = ctx.meta[_PATHS]
    with opened() as memory, bar("reading", "files") as progress:
        found = memory.diff(revisions, paths, staged=staged, base=base_folder(), progress=progress)
    if json_wanted:
        emit(difference_shape(found))
        return
    for line in report(found, everything=everything):
        click.echo(line)
