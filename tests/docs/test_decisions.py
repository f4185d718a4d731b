"""Every decision is listed, under its number and title."""

from __future__ import annotations

import re
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "decisions"
DECISIONS = sorted(FOLDER.glob("[0-9]*.md"))


def test_the_overview_lists_every_decision_once_and_in_order() -> None:
    listed = re.findall(
        r"^\| \[(\d{4})\]\((.+?)\) \|", (FOLDER / "README.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert listed == [(page.name[:4], page.name) for page in DECISIONS]


def test_the_numbers_have_no_gap_and_no_page_shares_one() -> None:
    assert [int(page.name[:4]) for page in DECISIONS] == list(range(1, len(DECISIONS) + 1))


def test_each_title_begins_with_the_number() -> None:
    for page in DECISIONS:
        assert page.read_text(encoding="utf-8").startswith(f"# {page.name[:4]}: "), page.name
