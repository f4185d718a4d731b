"""The documentation as a site: its navigation is docs/README.md. `make site` builds it and checks every link."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docs.generate.site import DOCS, led_out, listed, navigation
from release.home import REPOSITORY

ROOT = DOCS.parent
HOME = f"https://github.com/{REPOSITORY}"


def test_the_navigation_has_every_page_once() -> None:
    pages = sorted(listed(navigation()))
    assert pages == sorted(page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md"))


def test_the_sections_are_those_of_the_readme_in_its_order() -> None:
    titles = [title for each in navigation() if not isinstance(each, str) for title in each]
    assert titles == ["Documentation", "Learn", "Do", "Understand", "Look up"]


def test_pages_of_a_folder_stand_below_the_page_that_has_its_name(tmp_path: Path) -> None:
    (tmp_path / "api").mkdir()
    (tmp_path / "README.md").write_text("# Docs\n\n## Do\n\n**First**, [this](a.md).\n\n## Look up\n\n[API](api.md)\n")
    for name, title in (("a.md", "A"), ("api.md", "The `API`"), ("api/one.md", "One"), ("api/two.md", "Two")):
        (tmp_path / name).write_text(f"# {title}\n\n```\n[no link](b.md)\n```\n")
    assert navigation(tmp_path) == [
        {"Documentation": "README.md"},
        {"Do": [{"First": [{"A": "a.md"}]}]},
        {"Look up": [{"The API": ["api.md", {"One": "api/one.md"}, {"Two": "api/two.md"}]}]},
    ]


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        ("../../fixtures/check/README.md", f"{HOME}/blob/main/fixtures/check/README.md"),
        ("../../CHANGELOG.md#team", f"{HOME}/blob/main/CHANGELOG.md#team"),
        ("../pictures/edits.svg", "../pictures/edits.svg"),
        ("../reference/cli.md#why", "../reference/cli.md#why"),
        ("https://example.org/", "https://example.org/"),
    ],
)
def test_a_link_that_leaves_the_documentation_leads_to_the_repository(link: str, expected: str) -> None:
    assert led_out(f"see [it]({link}).", "how-to/page.md", HOME) == f"see [it]({expected})."


def test_the_site_names_the_repository_and_fetches_nothing() -> None:
    settings = (ROOT / "mkdocs.yml").read_text("utf-8")
    assert f"repo_url: {HOME}\n" in settings
    assert re.search(r"^  font: false\b", settings, re.MULTILINE)
