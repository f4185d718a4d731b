"""The news that `memlsp upgrade` prints, from the first lines of each release in CHANGELOG.md:
`python -m docs.generate.news` writes memlsp/news.toml."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
NEWS = TOP / "memlsp" / "news.toml"
_RELEASE = re.compile(r"(?ms)^## (\d[\d.]*) \(([^)]*)\)\n(.*?)(?=^## |\Z)")
_LINK = re.compile(r"\[([^]]*)\]\([^)]*\)")
_HEAD = (
    "# Written by `python -m docs.generate.news` from CHANGELOG.md: the lines before the first heading of a release.\n"
)


def news(changes: str) -> str:
    """The text of news.toml: of each release the items that stand before its first heading."""
    text = _HEAD
    for version, date, section in _RELEASE.findall(changes):
        items = list(_items(section.partition("\n### ")[0]))
        new = "".join(f"  {json.dumps(each, ensure_ascii=False)},\n" for each in items)
        text += "" if not items else f'\n[[release]]\nversion = "{version}"\ndate = "{date}"\nnew = [\n{new}]\n'
    return text


def _items(section: str) -> Iterator[str]:
    for item in re.split(r"(?m)^- ", section)[1:]:
        yield _LINK.sub(r"\1", " ".join(item.split()))


if __name__ == "__main__":
    NEWS.write_text(news((TOP / "CHANGELOG.md").read_text("utf-8")), encoding="utf-8", newline="\n")
