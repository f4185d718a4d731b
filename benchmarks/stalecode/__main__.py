"""`stalecode`, or `python -m benchmarks.stalecode` in a checkout."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from .answers import read_answers
from .asking import Options
from .chart import chart
from .data import data_folder, kept_answers
from .errors import StaleCodeError
from .parts import PARTS
from .run import OURS, SIMPLE, report, run


def main(words: Sequence[str] | None = None) -> int:
    """Run what the words ask for. Returns 0, or 1 with the reason on standard error."""
    parser = argparse.ArgumentParser(prog="stalecode", description="Which memories of code can still be trusted?")
    parser.add_argument("--adapter", action="append", default=[], metavar="NAME=COMMAND", help="another memory")
    parser.add_argument("--simple", action="store_true", help="the adapters that come with the package, too")
    parser.add_argument("--part", action="append", choices=list(PARTS), help="only this part; may be repeated")
    parser.add_argument("--kept", action="store_true", help="answers that were kept, too, without asking again")
    parser.add_argument("--quick", action="store_true", help="a small sample of each part")
    parser.add_argument("--open", type=int, default=0, metavar="N", help="N cases of each base of the open half")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes of an adapter at a time")
    parser.add_argument("--fixtures", type=Path, help="the data, in place of that of the package")
    parser.add_argument("--data", type=Path, help="a folder of clones, for the parts that need histories")
    parser.add_argument("--answers", type=Path, metavar="DIR", help="write the answers here")
    parser.add_argument("--chart", type=Path, metavar="FILE", help="write the chart here, as SVG")
    chosen = parser.parse_args(words)
    try:
        adapters = {**(SIMPLE if chosen.simple else {}), **dict(map(named_command, chosen.adapter))}
        options = Options(chosen.fixtures or data_folder(), chosen.data, quick=chosen.quick, open=chosen.open)
        found = read_answers(kept_answers()) if chosen.kept else []
        found += run(adapters, chosen.part or list(PARTS), options, folder=chosen.answers, jobs=chosen.jobs)
        if not found:
            parser.error("nobody was asked: --simple, --adapter NAME=COMMAND or --kept")
        print(report(found))
        if chosen.chart:
            chosen.chart.write_text(chart(found, OURS), encoding="utf-8")
    except (StaleCodeError, OSError) as error:
        print(f"stalecode: {error}", file=sys.stderr)
        return 1
    return 0


def named_command(text: str) -> tuple[str, list[str]]:
    """`NAME=COMMAND` in its parts, files by their whole path: an adapter runs in another folder. Raises StaleCodeError
    for anything else."""
    name, _, command = text.partition("=")
    if not name.strip() or not command.strip():
        raise StaleCodeError(f"not NAME=COMMAND: {text}")
    # links stay, for a link is what makes the Python of an environment that of the environment
    return name.strip(), [os.path.abspath(word) if Path(word).is_file() else word for word in shlex.split(command)]  # noqa: PTH100


if __name__ == "__main__":
    sys.exit(main())
