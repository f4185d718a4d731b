"""Rows that somebody wrote who had not seen the rules: repositories before and after a change (fixtures/check)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memlsp.beliefs.mining.documents import is_document
from memlsp.memory.check.rule_pairs import pair_findings
from memlsp.model.check import CheckRule
from tests.docs.test_documentation import ROOT
from tests.memory.test_check import Repository

_LOST = {("symbol-decorator-prose", 3), ("big-rust-cli-two-lines-stale", 21)}
"""Lines of the open half that are not found: a name that its file still has in another sense, an option in clap."""

_CHOICES = {("click-choice-dropped", 6), ("argparse-positional-choices", 4)}
"""Lines that name one of the values that an option takes, which is not read."""


def rows(part: str) -> Iterator[dict[str, Any]]:
    for line in (ROOT / "fixtures" / "check" / f"{part}.jsonl").read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


def found_in(row: dict[str, Any], folder: Path) -> set[tuple[str, int]]:
    repository = Repository(folder)
    repository.git("config", "core.excludesFile", "")
    repository.write(row["base"])
    repository.git("add", "-A", "-f")
    repository.git("commit", "-q", "-m", "before")
    repository.git("checkout", "-q", "-b", "work")
    repository.write(row["head"])
    repository.git("add", "-A", "-f")
    repository.git("commit", "-q", "--allow-empty", "-m", "after")
    return {(each.path, each.line) for each in repository.check(base="main").findings}


@pytest.mark.parametrize("row", list(rows("open")), ids=lambda row: row["id"])
def test_just_the_lines_that_the_change_made_false_are_told(row: dict[str, Any], tmp_path: Path) -> None:
    expected = {(path, line) for path, line in row["expected"] if (row["id"], line) not in _LOST}
    assert found_in(row, tmp_path / "repository") == expected


def test_the_sealed_half_keeps_its_floor(tmp_path: Path) -> None:
    right = wrong = missed = 0
    for number, row in enumerate(rows("sealed")):
        found, expected = found_in(row, tmp_path / str(number)), {(path, line) for path, line in row["expected"]}
        right, wrong, missed = (
            right + len(found & expected),
            wrong + len(found - expected),
            missed + len(expected - found),
        )
    assert right / (right + wrong) >= 0.95
    assert right / (right + missed) >= 0.8


@pytest.mark.parametrize("row", list(rows("programs-open")), ids=lambda row: row["id"])
def test_commands_and_options_of_its_own_program_are_known(row: dict[str, Any], tmp_path: Path) -> None:
    """Pages of `docs/` are not read."""
    expected = {
        (path, line) for path, line in row["expected"] if is_document(path) and (row["id"], line) not in _CHOICES
    }
    assert found_in(row, tmp_path / "repository") == expected


def test_the_sealed_half_of_own_programs_keeps_its_floor(tmp_path: Path) -> None:
    right = wrong = 0
    for number, row in enumerate(rows("programs-sealed")):
        expected = {(path, line) for path, line in row["expected"] if is_document(path)}
        found = found_in(row, tmp_path / str(number))
        right, wrong = right + len(found & expected), wrong + len(found - expected)
    assert right >= 16
    assert wrong <= 2


@pytest.mark.parametrize(
    ("part", "least", "most_false"),
    [("open", {"conflict": 6, "duplicate": 7}, 2), ("sealed", {"conflict": 6, "duplicate": 7}, 4)],
)
def test_rules_of_two_documents_are_compared(part: str, least: dict[str, int], most_false: int) -> None:
    """Counts over 60 repositories each, of which 25 have no pair to tell; docs/benchmarks/instructions.md has them."""
    sorts = {CheckRule.RULE_CONFLICT: "conflict", CheckRule.RULE_REPEATED: "duplicate"}
    right, wrong = Counter[str](), 0
    for row in rows(f"rules-{part}"):
        expected = {tuple(each) for each in row["expected"]}
        for each in pair_findings(sorted(row["files"].items()), {}, repeated=True):
            first, second = sorted([(each.path, each.line), (each.code_path, each.code_line or 0)])
            told = (sorts[each.rule], *first, *second)
            right[sorts[each.rule]] += told in expected
            wrong += told not in expected
    assert all(right[sort] >= number for sort, number in least.items()), right
    assert wrong <= most_false
