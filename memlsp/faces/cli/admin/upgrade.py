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
from memlsp.faces.render.wording import count_of, plain
from memlsp.faces.setup.installation import upgrade_advice
from memlsp.memory.transfer.upgrade import LAYOUT, StoreUpgrade, UpgradeState, release_number, stores, upgrade
from memlsp.model.errors import BadValue
from memlsp.version import VERSION

_NEWS = Path(memlsp.__file__).with_name("news.toml")


def upgrade_command(since: str = "", *, dry_run: bool) -> None:
    """Say what is new, and bring every memory of this machine up to date."""
    if since and not release_number(since):
        raise BadValue(f"not a version: {since}", "as in --since 0.1.0")
    found = list(stores())
    done = found if dry_run else _upgraded(found)
    news = _news(since or _oldest(found))
    outdated = [check.advice for check in setup_checks()]
    advice = upgrade_advice()
    shapes = [picked(each, "name path layout memlsp state backup? problem") for each in done]
    everything = {"memlsp": VERSION, "layout": LAYOUT, "news": news, "stores": shapes, "setup": outdated}
    if not emitted({**everything, "program": advice}):
        _show(done, news, dry_run=dry_run)
        for each in outdated:
            click.echo(f"Set up again what an earlier memlsp set up: {each}")
        click.echo(f"A later memlsp: {plain(advice, 400)}")
    if any(each.state in {UpgradeState.FAILED, UpgradeState.NEWER} for each in done):
        raise SystemExit(1)


def _upgraded(found: Sequence[StoreUpgrade]) -> list[StoreUpgrade]:
    done: list[StoreUpgrade] = []
    with bar("upgrading", "memories") as show:
        for each in found:
            show(len(done), len(found))
            done.append(upgrade(each))
    return done


def _oldest(found: Sequence[StoreUpgrade]) -> str:
    """The earliest version that brought one of these memories up to date; "" where none is known."""
    return min((each.memlsp for each in found if release_number(each.memlsp)), key=release_number, default="")


def _news(since: str) -> list[dict[str, Any]]:
    """The releases after that version, up to this one, the latest first; none where it is ""."""
    releases: list[dict[str, Any]] = tomllib.loads(_NEWS.read_text("utf-8"))["release"]
    until = release_number(VERSION)
    return [each for each in releases if since and release_number(since) < release_number(each["version"]) <= until]


def _show(done: Sequence[StoreUpgrade], news: Sequence[dict[str, Any]], *, dry_run: bool) -> None:
    for each in news:
        click.echo(f"New in {each['version']}, {each['date']}:")
        for line in each["new"]:
            click.echo(click.wrap_text(line, 100, "- ", "  "))
    words = {UpgradeState.DUE: "would be upgraded", UpgradeState.FAILED: "left as it is"}
    for each in done:
        told = words.get(
            each.state, {UpgradeState.CURRENT: "up to date", UpgradeState.NEWER: "left alone"}.get(each.state)
        )
        layout = f"layout {each.layout}" if each.layout in {0, LAYOUT} else f"layout {each.layout} to {LAYOUT}"
        click.echo(f"{plain(each.name, 80)}: {told or 'upgraded'}, {layout}")
        if each.problem:
            click.echo(f"  {plain(each.problem, 400)}", err=True)
        if each.backup:
            click.echo(f"  as it was: {plain(str(each.backup), 400)}")
    number = sum(each.state is UpgradeState.UPGRADED for each in done)
    if number:
        click.echo(f"{count_of(number, 'memory')} upgraded. Editors and agents that are open keep the old program.")
    elif dry_run:
        click.echo("Nothing was changed.")
