"""Options that say where and until when a belief applies: --when, --until, --stale-after, --because-of."""

from __future__ import annotations

import re
from typing import Any

import click

_SPAN = re.compile(r"^(\d{1,5})([dwmy]?)$")
_DAYS = {"": 1, "d": 1, "w": 7, "m": 30, "y": 365}


class DaysType(click.ParamType[int]):
    """A number of days: 90, 90d, 12w, 3m, 1y; 0 or `never` for none."""

    name = "days"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Read days, or fail as wrong usage."""
        if isinstance(value, int):
            return value
        text = str(value).strip().lower()
        span = _SPAN.match("0" if text == "never" else text)
        if span is None:
            self.fail(f"not a number of days: {value!r}; write 90d, 12w, 3m or 1y", param, ctx)
        return int(span[1]) * _DAYS[span[2]]


class ConditionType(click.ParamType[tuple[str, str]]):
    """KEY=VALUE."""

    name = "condition"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str]:
        """Read a condition, or fail as wrong usage."""
        if isinstance(value, tuple):
            return value  # pyright: ignore[reportUnknownVariableType] - click hands back what this returned
        key, sign, meant = str(value).partition("=")
        if not sign or not key.strip() or not meant.strip():
            self.fail(f"not a condition: {value!r}; write KEY=VALUE, such as env=staging", param, ctx)
        return key.strip(), meant.strip()


when_option = click.option(
    "--when",
    "conditions",
    type=ConditionType(),
    multiple=True,
    metavar="KEY=VALUE",
    help="Where it applies: env=staging, os=windows, version=2; may be repeated.",
)
because_of_option = click.option(
    "--because-of",
    "because_of",
    multiple=True,
    metavar="ID",
    help="A belief that it rests on: when that one falls, this one is asked about; may be repeated.",
)
stale_after_option = click.option(
    "--stale-after",
    "stale_after",
    type=DaysType(),
    metavar="DAYS",
    help="Expires unless it is confirmed every so often: 90d, 12w, 3m, 1y.",
)
