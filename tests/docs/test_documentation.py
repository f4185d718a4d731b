"""The documentation says what the program does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docs.generate.reference import PAGES, stale_pages

ROOT = Path(__file__).resolve().parents[2]
FOLDERS_WITH_PAGES = [
    "*.md",
    "benchmarks/*.md",
    "benchmarks/stalecode/*.md",
    "docs/**/*.md",
    "fixtures/**/*.md",
    "vscode-extension/*.md",
    "vscode-extension/e2e/*.md",
]
MADE_BY_THE_READER = {"memlsp/code/languages/lua.py", "fixtures/edits/lua/", "docs/adr/"}
PAGES_OF_THE_PROJECT = sorted(page for pattern in FOLDERS_WITH_PAGES for page in ROOT.glob(pattern))


def test_the_reference_is_as_the_program_would_write_it() -> None:
    assert list(stale_pages(ROOT / "docs" / "reference")) == []
    assert len(PAGES) >= 3


@pytest.mark.parametrize("page", PAGES_OF_THE_PROJECT, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_inside_the_project_leads_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    targets = [target.partition("#")[0] for target in re.findall(r"\]\(([^)\s]+)\)", text)]
    inside = [target for target in targets if target and "://" not in target and not target.startswith("mailto:")]
    assert [target for target in inside if not (page.parent / target).exists()] == []


@pytest.mark.parametrize("page", PAGES_OF_THE_PROJECT, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_page_names_a_package_index_or_a_folder_of_somebodys_machine(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert not re.search(r"pypi\.org|registry\.npmjs|files\.pythonhosted|/home/\w+/|/Users/\w+/|/root/", text)


@pytest.mark.parametrize("page", PAGES_OF_THE_PROJECT, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_file_of_the_project_that_a_page_names_exists(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    paths = re.findall(r"`((?:memlsp|tests|benchmarks|docs|fixtures|vscode-extension)/[\w./-]*(?:\.\w+|/))`", text)
    assert [path for path in paths if not (ROOT / path).exists() and path not in MADE_BY_THE_READER] == []


def test_links_lead_from_the_readme_to_every_page_of_the_documentation() -> None:
    reached: set[Path] = set()
    waiting = [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page in reached or page.suffix != ".md" or not page.exists():
            continue
        reached.add(page)
        targets = re.findall(r"\]\(([^)\s#]+)[^)]*\)", page.read_text(encoding="utf-8"))
        waiting += [(page.parent / target).resolve() for target in targets if "://" not in target]
    assert sorted(page for page in (ROOT / "docs").rglob("*.md") if page not in reached) == []
