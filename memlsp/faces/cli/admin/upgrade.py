"""`memlsp upgrade`: what is new, every memory brought up to date, and how to get a later program."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

import memlsp
from memlsp.faces.cli.admin.status import setup_checks
from memlsp.faces.cli.console import bar, emitted
from memlsp.faces.render.belief_json import picked
from memlsp.faces.render.wording import WORDS, plain
from memlsp.faces.setup.installation import upgrade_advice
from memlsp.memory.transfer.upgrade import LAYOUT, StoreUpgrade, UpgradeState, release_number, stores, upgrade
from memlsp.model.errors import BadValue
from memlsp.version import VERSION

_NEWS = Path(memlsp.__file__).with_name("news.toml")


def upgrade_command(since: str = "", *, dry_run: bool) -> None:
    """Say what is new, and bring every memory of this machine up to date."""
    if since and not release_number(since):
        raise BadValue(f"not a version: {since}", "as in --since 0.1.0")
    found = done = list(stores())
    if not dry_run:
        with bar("upgrading", "memories") as show:
            done = [upgrade(each, progress=show) for each in found]
    # the earliest version that brought one of them up to date
    oldest = min((each.memlsp for each in found if release_number(each.memlsp)), key=release_number, default="")
    news = _news(release_number(since or oldest))
    outdated, advice = [check.advice for check in setup_checks()], upgrade_advice()
    shapes = [picked(each, "name path layout memlsp state backup? problem") for each in done]
    head = {"memlsp": VERSION, "layout": LAYOUT, "news": news, "stores": shapes}
    if not emitted({**head, "setup": outdated, "program": advice}):
        _show(done, news)
        for each in outdated:
            click.echo(f"Set up again what an earlier memlsp set up: {each}")
        click.echo(f"A later memlsp: {plain(advice, 400)}")
    if any(each.state in {UpgradeState.FAILED, UpgradeState.NEWER} for each in done):
        raise SystemExit(1)


def _news(since: tuple[int, ...]) -> list[dict[str, Any]]:
    """The releases after that version, up to this one, the latest first; none where it is ()."""
    releases: list[dict[str, Any]] = tomllib.loads(_NEWS.read_text("utf-8"))["release"]
    until = release_number(VERSION)
    return [each for each in releases if since and since < release_number(each["version"]) <= until]


def _show(done: Sequence[StoreUpgrade], news: Sequence[dict[str, Any]]) -> None:
    for each in news:
        click.echo(f"New in {each['version']}, {each['date']}:")
        for line in each["new"]:
            click.echo(click.wrap_text(line, 100, "- ", "  "))
    for each in done:
        click.echo(f"{plain(each.name, 80)}: {WORDS['upgrade'][each.state]} (layout {each.layout} of {LAYOUT})")
        if each.problem:
            click.echo(f"  {plain(each.problem, 400)}", err=True)
        if each.backup:
            click.echo(f"  as it was: {plain(str(each.backup), 400)}")
    if any(each.state is UpgradeState.UPGRADED for each in done):
        click.echo("Editors and agents that are open keep the old program until they are started again.")
