"""Regular expressions and word lists of this room, which lie in TOML files beside the modules that use them.

A module finds its own under its name: `patterns(__name__)` reads the table `[worth]` of `mining/patterns.toml` for
`mining/worth.py`.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import cast

_Tables = dict[str, dict[str, str]]


@cache
def _tables(package: str, file: str) -> _Tables:
    return cast("_Tables", tomllib.loads((files(package) / file).read_text(encoding="utf-8")))


def texts(module: str) -> dict[str, str]:
    """The word lists of a module as they are written in `words.toml`."""
    package, _, name = module.rpartition(".")
    return _tables(package, "words.toml")[name]


@cache
def patterns(module: str) -> dict[str, re.Pattern[str]]:
    """The regular expressions of a module in `patterns.toml`, whose lines are joined without space between them."""
    package, _, name = module.rpartition(".")
    written = _tables(package, "patterns.toml")[name]
    return {key: re.compile("".join(line.strip() for line in text.splitlines())) for key, text in written.items()}
