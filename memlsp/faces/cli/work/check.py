"""`memlsp check`."""

from __future__ import annotations

import os
from typing import Annotated

import click

from memlsp.faces.cli.console import bar, base_folder
from memlsp.faces.cli.options import one_of
from memlsp.faces.render.check_formats import FORMATS, is_error, is_notice
from memlsp.memory.check.repository_check import check_repository
from memlsp.model.errors import MemlspError
from memlsp.model.one_line import plain


def check_command(
    paths: tuple[str, ...],
    *,
    base: str | None,
    staged: bool,
    changed: bool,
    pedantic: bool,
    form: Annotated[str, one_of(FORMATS)] | None,
    strict: bool,
) -> None:
    """Find what AGENTS.md, rules, guides and READMEs say that was true once and is not true now."""
    if bool(base) + staged + changed > 1:
        raise click.UsageError("--base, --staged and --changed are three questions; ask one")
    form = form or ("github" if os.environ.get("GITHUB_ACTIONS") == "true" else "text")
    try:
        with bar("reading what the repository says of itself", "documents") as show:
            report = check_repository(
                base_folder(),
                base=base or "",
                staged=staged,
                changed=changed,
                pedantic=pedantic,
                paths=paths,
                progress=show,
            )
    except MemlspError as error:  # with 2, since 1 says that something is false
        click.echo(f"memlsp: {plain(str(error))}{f' ({plain(error.hint)})' if error.hint else ''}", err=True)
        raise SystemExit(2) from error
    for notice in report.notices:
        click.echo(f"memlsp: {notice}", err=True)
    click.echo(FORMATS[form](report), nl=False)
    if any(is_error(each) or (strict and not is_notice(each)) for each in report.findings):
        raise SystemExit(1)
