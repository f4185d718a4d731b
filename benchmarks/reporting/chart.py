"""The chart of the README, drawn from what `memlsp eval edits --json FILE` wrote.

`python -m benchmarks.reporting.chart FILE UNSEEN SVG` draws it.

One row for each group of edits, one bar for each method: in how many of the cases it answers "should I trust this
belief now?" right.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any, cast

Case = Mapping[str, Any]

_HOLDS = {"current", "carried", "unbound", "holds"}
_COLOURS = {"memlsp": "#2f6f4f", "raw hash": "#b4885a", "mtime": "#9a9a9a", "path exists": "#c9c9c9"}
_LABEL, _BAR, _WIDE, _GAP = 130, 13, 440, 16


def right_share(cases: Sequence[Case], method: str) -> float:
    """The share of cases in which a method says rightly whether the belief can be trusted, 0 to 1."""
    right = 0
    for case in cases:
        said = case["got"] if method == "memlsp" else cast("Mapping[str, str]", case["baselines"])[method]
        right += (said in _HOLDS) == (case["expected"] in _HOLDS)
    return right / len(cases)


def chart(report: Mapping[str, Any], unseen: Mapping[str, Any]) -> str:
    """The SVG. `unseen` is the report on `fixtures/edits-unseen`, of which only the sealed set's score is drawn."""
    cases = cast("Sequence[Case]", report["cases"])
    groups = list(dict.fromkeys(str(case["group"]) for case in cases))
    methods = ["memlsp", *cast("Mapping[str, object]", report["baselines"])]
    rows: list[str] = []
    top = 58
    sealed = f"unseen ({unseen['score']['b cases']})"
    for group in [*groups, sealed]:
        chosen = [case for case in cases if case["group"] == group]
        middle = top + _BAR * len(methods) / 2 + 4
        name = f"{escape(group)} ({len(chosen)})" if chosen else sealed
        rows.append(f'<text x="{_LABEL - 10}" y="{middle:.0f}" text-anchor="end" font-weight="600">{name}</text>')
        for method in methods:
            summary = unseen["score"] if method == "memlsp" else unseen["baselines"][method]
            share = right_share(chosen, method) if chosen else float(summary["b trust"])
            colour = _COLOURS.get(method, "#888888")
            rows.append(
                f'<rect x="{_LABEL}" y="{top}" width="{share * _WIDE:.1f}" height="{_BAR - 2}" fill="{colour}"/>'
            )
            rows.append(f'<text x="{_LABEL + share * _WIDE + 6:.1f}" y="{top + 9}" font-size="10">{share:.0%}</text>')
            top += _BAR
        top += _GAP
    legend: list[str] = []
    for number, method in enumerate(methods):
        x = _LABEL + number * 110
        legend.append(f'<rect x="{x}" y="32" width="12" height="12" fill="{_COLOURS.get(method, "#888888")}"/>')
        legend.append(f'<text x="{x + 17}" y="42">{escape(method)}</text>')
    title = f"“Should I trust this belief now?” answered right, by kind of edit, {_languages(cases)} languages"
    foot = (
        f"memlsp eval edits, {report['date']}. The rules were written with the upper rows in view; "
        "the last row's edits are sealed."
    )
    wide, high = _LABEL + _WIDE + 60, top + 18
    size = f'viewBox="0 0 {wide} {high}" width="{wide}" height="{high}"'
    font = 'font-family="system-ui, sans-serif" font-size="12" fill="#333333"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} {font} role="img">',
            f"<title>{escape(title)}</title>",
            '<rect width="100%" height="100%" fill="#ffffff"/>',
            f'<text x="12" y="20" font-size="13" font-weight="600">{escape(title)}</text>',
            *legend,
            *rows,
            f'<text x="12" y="{top + 8}" font-size="10" fill="#777777">{escape(foot)}</text>',
            "</svg>\n",
        ]
    )


def _languages(cases: Sequence[Case]) -> int:
    return len({case["language"] for case in cases})


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reporting.chart", description=__doc__)
    parser.add_argument("report", type=Path)
    parser.add_argument("unseen", type=Path, help="the same with --data fixtures/edits-unseen")
    parser.add_argument("picture", type=Path)
    chosen = parser.parse_args(arguments)
    report = json.loads(chosen.report.read_text(encoding="utf-8"))
    unseen = json.loads(chosen.unseen.read_text(encoding="utf-8"))
    chosen.picture.write_text(chart(report, unseen), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
