"""`memlsp eval`."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import click

import memlsp
from memlsp.model.errors import Refused


def eval_command(
    suite: str | None,
    *,
    data: Annotated[Path, click.Path(exists=True, file_okay=False, path_type=Path)] | None,
    json_path: Annotated[Path, click.Path(dir_okay=False, path_type=Path)] | None,
    quick: bool,
    peers: tuple[str, ...],
    only: str = "",
) -> None:
    """Run an evaluation SUITE and print its table, baselines beside it. Without SUITE: list them."""
    suites = _suites()
    if suite is None:
        for name, about in suites.SUITES.items():
            click.echo(f"{name:<14} {about}")
        return
    if suite not in suites.SUITES:
        raise click.UsageError(f"no suite {suite!r}; there are: {', '.join(suites.SUITES)}")
    raise SystemExit(suites.run_suite(suite, data, json_path, quick=quick, only=only, peers=peers))


def _suites() -> Any:
    """Import `benchmarks.suites` from the checkout that holds this package. Raises Refused outside a checkout. The
    wheel has no suites, so no module of the package imports them statically."""
    checkout = Path(memlsp.__file__).resolve().parents[1]
    if not (checkout / "benchmarks" / "suites.py").is_file():
        raise Refused("the suites are not installed with memlsp", "clone the repository and run `memlsp eval` there")
    if sys.path[0] != str(checkout):  # first: `python -m memlsp` also looks into the working directory
        sys.path.insert(0, str(checkout))
    return import_module("benchmarks.suites")
