"""The regular expressions of this package. They lie in `patterns.toml`, in a table for each module."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

_TABLES: dict[str, dict[str, str]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def patterns(module: str) -> dict[str, re.Pattern[str]]:
    """The patterns of a module by name: their lines joined without the space around them, and for `<<name>>` the
    earlier one of that name."""
    found: dict[str, str] = {}
    for name, text in _TABLES[module.rpartition(".")[2]].items():
        joined = "".join(line.strip() for line in text.splitlines())
        found[name] = re.sub(r"<<(\w+)>>", lambda part: found[part[1]], joined)
    return {name: re.compile(text) for name, text in found.items()}
