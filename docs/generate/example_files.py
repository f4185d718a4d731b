"""Fills the pages of docs/how-to with programs of docs/examples/: `python -m docs.generate.example_files`.

A page has a line `<!-- example PATH -->`, its path below docs/examples/, and a line `<!-- end of example -->`. What
stands between them is written here; a test compares, so that no page shows another program than the one that is run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

DOCS = Path(__file__).resolve().parents[1]
EXAMPLES = DOCS / "examples"

_SECTION = re.compile(r"(<!-- example (\S+) -->\n).*?(<!-- end of example -->)", re.DOTALL)


def filled(text: str) -> str:
    """The page with its programs as they are now."""
    return _SECTION.sub(lambda found: f"{found[1]}{fenced(EXAMPLES / found[2])}{found[3]}", text)


def fenced(path: Path) -> str:
    """A program as a block of code."""
    return f"```python\n{path.read_text(encoding='utf-8')}```\n"


def stale() -> Iterator[Path]:
    """The pages that show a program as it no longer is."""
    for page in sorted((DOCS / "how-to").glob("*.md")):
        text = page.read_text(encoding="utf-8")
        if filled(text) != text:
            yield page


if __name__ == "__main__":
    for each in stale():
        each.write_text(filled(each.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")
        print(each)
