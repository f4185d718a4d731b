"""The documentation as a site. mkdocs loads this file by itself (`hooks` in mkdocs.yml): it makes the navigation out of
docs/README.md, and leads links that leave docs/ to the repository."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parents[1]
_LINK = re.compile(r"\]\(([^)\s#]+\.md)\)")
_SECTION = re.compile(r"^## (.+)$|^\*\*(.+?)\*\*", re.MULTILINE)
_LINK_UP = re.compile(r"(\]\()((?:\.\./)+[^)\s]+)(\))")

Entry = str | dict[str, Any]
"""A page by its path in docs/, or a title with the pages below it, as mkdocs has them in `nav`."""


def navigation(docs: Path = DOCS) -> list[Entry]:
    """The pages by the sections of docs/README.md and in its order. A page is followed by those of its own folder: the
    folder that it stands in as README.md, or that bears its name."""
    text = re.sub(r"```.*?```", "", (docs / "README.md").read_text("utf-8"), flags=re.DOTALL)
    nav: list[Entry] = [{"Documentation": "README.md"}]
    seen, inside = {"README.md"}, nav
    _, *parts = _SECTION.split(text)
    for title, below, words in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        found = list(_pages(docs, words, seen))
        if title:
            nav.append({title: (inside := found)})
        elif found:
            inside.append({below: found})
    return [each for each in nav if isinstance(each, str) or all(each.values())]  # a section may have no link


def _pages(docs: Path, text: str, seen: set[str]) -> Iterator[Entry]:
    for path in _LINK.findall(text):
        if path in seen or path.startswith("../"):
            continue
        seen.add(path)
        page = docs / path
        folder = page.parent if page.name == "README.md" else page.with_suffix("")
        more = sorted(each.relative_to(docs).as_posix() for each in folder.glob("*.md") if each != page)
        below = [each for each in more if each not in seen]
        seen.update(below)
        pages: list[Entry] = [{title_of(docs / each): each} for each in below]
        yield {title_of(page): [path, *pages] if pages else path}


def title_of(page: Path) -> str:
    """The heading of a page without marks."""
    found = re.search(r"^# (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return found[1].replace("`", "") if found else page.stem


def listed(entries: list[Entry]) -> Iterator[str]:
    """Every page of a navigation."""
    for each in entries:
        if isinstance(each, str):
            yield each
            continue
        for below in each.values():
            yield from [below] if isinstance(below, str) else listed(below)


def led_out(markdown: str, path: str, repository: str) -> str:
    """The text of the page at `path` with its links to files outside of docs/ leading to the repository."""

    def target(found: re.Match[str]) -> str:
        file, mark, anchor = found[2].partition("#")
        where = posixpath.normpath(posixpath.join("docs", posixpath.dirname(path), file))
        inside = where.startswith("docs/") and not where.startswith("docs/generate/")
        return found[0] if inside else f"{found[1]}{repository}/blob/main/{where}{mark}{anchor}{found[3]}"

    return _LINK_UP.sub(target, markdown)


def on_config(config: Any) -> Any:
    """Called by mkdocs when it has read mkdocs.yml."""
    config.nav = navigation(Path(config.docs_dir))
    return config


def on_page_markdown(markdown: str, page: Any, config: Any, **_: Any) -> str:
    """Called by mkdocs for each page before it is made."""
    return led_out(markdown, page.file.src_uri, config.repo_url.rstrip("/"))
