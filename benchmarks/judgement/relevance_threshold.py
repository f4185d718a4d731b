"""Find the lead from which `memlsp.beliefs.standing.spoken_part` leaves a statement alone, on mined sentences.

    python -m benchmarks.judgement.relevance_threshold --data DIR

DIR has clones in the layout of the suite `drift`. For each lead it prints what share of the rewritten sentences would
be lost and what share of the others would be quiet, and the same for the repositories that are held out. With `--rows`
it writes what it read, without a text: repository, commit, path, symbol, place and label.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from pathlib import Path

from attrs import frozen

from benchmarks.judgement.drift_mining import repositories_in
from benchmarks.judgement.relevance_mining import MinedSentence, is_held_out, mined_sentences
from benchmarks.reporting.tables import table
from memlsp.beliefs.claims.case import case_of
from memlsp.beliefs.claims.claim_check import broken_claims
from memlsp.beliefs.standing.spoken_part import CLEAR, shares

_COMMITS = 1500  # of each repository
_LEADS = (0.05, 0.1, 0.16, 0.2, CLEAR, 0.3)


@frozen
class _Led:
    repository: str
    rewritten: bool
    weight: float
    lead: float


def main() -> None:
    """Read the arguments, mine, print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with git repositories")
    parser.add_argument("--most", type=int, default=_COMMITS, help="commits of each")
    parser.add_argument("--rows", type=Path, help="file for what was read, a line of JSON each")
    arguments = parser.parse_args()
    led: list[_Led] = []
    rows: list[str] = []
    for name, folder in repositories_in(arguments.data).items():
        for each in mined_sentences(name, folder, most=arguments.most):
            case = case_of(each.statement, each.old, each.new, each.details)
            if not broken_claims(case):
                best, changed = shares(case, each.before, each.after, each.language)
                led.append(_Led(name, each.rewritten, each.weight, best - changed))
            rows.append(_pointer(each))
        print(f"{name}: {sum(each.repository == name for each in led)} sentences", flush=True)
    if arguments.rows:
        arguments.rows.write_text("\n".join(rows) + "\n", encoding="utf-8")
    print(_table(led))


def _pointer(each: MinedSentence) -> str:
    where = {"repo": each.repository, "commit": each.commit, "path": each.path, "symbol": each.symbol}
    return json.dumps({**where, "place": each.place, "rewritten": each.rewritten})


def _table(led: list[_Led]) -> str:
    held = [each for each in led if is_held_out(each.repository)]
    lines = [[f"{value:.2f}", *_shares(led, value), *_shares(held, value)] for value in _LEADS]
    return table(["lead", "lost", "quiet", "lost, held out", "quiet, held out"], lines)


def _shares(led: Iterable[_Led], value: float) -> list[str]:
    sides = [[each for each in led if each.rewritten is side] for side in (True, False)]
    return [_share(sum(each.weight for each in side if each.lead > value), side) for side in sides]


def _share(weight: float, side: list[_Led]) -> str:
    total = sum(each.weight for each in side)
    return f"{100 * weight / total:.0f} %" if total else "·"


if __name__ == "__main__":
    main()
