"""JSON and files of other programs: where they lie, and reading values whose types nobody guarantees."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

LONGEST_LINE = 4_000_000
"""Bytes of the longest line that is read: a longer one is a picture or a pasted file."""

_OBJECTS = (dict,)
_LISTS = (list,)


def home_folder(variable: str, folder: str) -> Path:
    """Return the folder that an environment variable names, else one in the home folder."""
    chosen = os.environ.get(variable, "").strip()
    return Path(chosen).expanduser() if chosen else Path.home() / folder


def files_below(origin: Path, pattern: str) -> list[Path]:
    """Return `origin` itself when it is a file, else the matching files below it, by time of change and then name."""
    if origin.is_file():
        return [origin]
    found: list[tuple[int, Path]] = []
    for path in origin.glob(pattern):
        try:
            found.append((path.stat().st_mtime_ns, path))
        except OSError:
            continue
    return [path for _, path in sorted(found)]


def json_lines(path: Path, marks: Iterable[bytes] = ()) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects of a file with one a line, each with its line number from 1; with `marks`, only lines that
    contain one. Skips lines that are no object or longer than LONGEST_LINE. Raises OSError."""
    wanted = tuple(marks)
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if len(line) > LONGEST_LINE or (wanted and not any(mark in line for mark in wanted)):
                continue
            found = value_of(line)
            if type(found) in _OBJECTS:
                yield number, found


def json_object(path: Path) -> dict[str, Any]:
    """Return the object that a file holds; {} when it cannot be read or holds anything else."""
    try:
        return as_object(value_of(path.read_bytes()))
    except OSError:
        return {}


def value_of(data: object) -> Any:
    """Return the value of a JSON text or its bytes; None for anything else."""
    try:
        return json.loads(data) if isinstance(data, (str, bytes)) else None
    except (ValueError, RecursionError):
        return None


def as_object(value: Any) -> dict[str, Any]:
    """Return the value if it is an object, else {}."""
    return value if type(value) in _OBJECTS else {}


def as_list(value: Any) -> list[Any]:
    """Return the value if it is a list, else []."""
    return value if type(value) in _LISTS else []


def as_text(value: Any) -> str:
    """Return the value if it is text, else ""."""
    return value if isinstance(value, str) else ""


def message_text(content: Any) -> str:
    """Return the text of a message: itself, or its parts' `text`, a line each."""
    if isinstance(content, str):
        return content
    texts = [as_text(as_object(part).get("text")) for part in as_list(content)]
    return "\n".join(text for text in texts if text)


def parsed(value: Any) -> Any:
    """Parse JSON that came as a string; return anything else as it is."""
    found = value_of(value) if isinstance(value, str) and value.lstrip()[:1] in {"{", "["} else None
    return value if found is None else found
