"""Where the project lives in public. It has no public home yet, so `memlsp/memlsp` stands in every file that names one:
`python -m release.home OWNER/NAME` writes another into all of them, and a test holds that they agree."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from release.checks import run

REPOSITORY = "memlsp/memlsp"
"""Owner and name of the repository."""

_PATTERNS = (
    r"github\.com/([\w.-]+/[\w-]+)",
    r"ghcr\.io/([\w.-]+/[\w-]+)",
    r"io\.github\.([\w.-]+/[\w-]+)",
    r"uses: ([\w.-]+/memlsp)@",
    r"marketplace add ([\w.-]+/memlsp)",
    r'^REPOSITORY = "([\w.-]+/[\w-]+)"',
)
_PLACE = re.compile("|".join(f"(?:{pattern})" for pattern in _PATTERNS), re.MULTILINE)


def places(top: Path) -> Iterator[tuple[Path, str]]:
    """Each file of the project that names a repository called memlsp, with the owner and name there."""
    for name in run(["git", "ls-files"], top).splitlines():
        path = top / name
        if name.startswith("fixtures/") or not path.is_file():
            continue
        try:
            text = path.read_text("utf-8")
        except UnicodeDecodeError:
            continue
        for found in _PLACE.finditer(text):
            named = next(group for group in found.groups() if group)
            if named.removesuffix(".git").rpartition("/")[2] == "memlsp":
                yield path, named


def move(top: Path, home: str) -> int:
    """Write another home into every file, and return how many changed."""
    paths = {path for path, named in places(top) if named != home}
    for path in paths:
        text = path.read_text("utf-8")
        path.write_text(_PLACE.sub(lambda found: found[0].replace(REPOSITORY, home), text), "utf-8", newline="")
    return len(paths)


if __name__ == "__main__":
    print(f"{move(Path(), sys.argv[1])} files")
