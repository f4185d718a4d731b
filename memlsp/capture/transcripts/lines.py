"""Files of other programs: one JSON object a line, whole JSON, and where they lie."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

LONGEST_LINE = 4_000_000
"""Bytes of a line that is read: a longer one is a picture, or a file that was pasted."""

_OBJECTS = (dict,)
_LISTS = (list,)


def home(variable: str, folder: str) -> Path:
    """The folder that an environment variable names, else one in the home folder."""
    told = os.environ.get(variable, "").strip()
    return Path(told).expanduser() if told else Path.home() / folder


def below(origin: Path, pattern: str) -> list[Path]:
    """`origin` itself when it is a file, else the files below it that fit, by time of change and then by name."""
    if origin.is_file():
        return [origin]
    found: list[tuple[int, Path]] = []
    for path in origin.glob(pattern):
        try:
            found.append((path.stat().st_mtime_ns, path))
        except OSError:
            continue
    return [path for _, path in sorted(found)]


def objects(path: Path, marks: Iterable[bytes] = ()) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a file with one a line, with the number of the line (from 1); only lines that hold one of `marks`,
    where any are given. A line that is no object, or longer than LONGEST_LINE, is passed over. Raises OSError."""
    wanted = tuple(marks)
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if len(line) > LONGEST_LINE or (wanted and not any(mark in line for mark in wanted)):
                continue
            try:
                found = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if type(found) in _OBJECTS:
                yield number, found


def mapping(found: Any) -> dict[str, Any]:
    """What was found, when it is an object; {} for anything else."""
    return found if type(found) in _OBJECTS else {}


def items(found: Any) -> list[Any]:
    """What was found, when it is a list; [] for anything else."""
    return found if type(found) in _LISTS else []


def text(found: Any) -> str:
    """What was found, when it is text; "" for anything else."""
    return found if isinstance(found, str) else ""


def parts(content: Any, *names: str) -> str:
    """The text of a message: itself, or that of its parts under one of `names` (`text`)."""
    if isinstance(content, str):
        return content
    said = [text(mapping(part).get(name)) for part in items(content) for name in names or ("text",)]
    return "\n".join(each for each in said if each)


def structure(found: Any) -> Any:
    """JSON that came as a string; anything else as it is."""
    if isinstance(found, str) and found.lstrip()[:1] in {"{", "["}:
        try:
            return json.loads(found)
        except (ValueError, RecursionError):
            return found
    return found


def when(found: Any) -> datetime | None:
    """A time as programs write it: ISO 8601, seconds or milliseconds since 1970."""
    try:
        if isinstance(found, str):
            told = datetime.fromisoformat(found)
            return told if told.tzinfo else told.replace(tzinfo=UTC)
        if isinstance(found, (int, float)) and not isinstance(found, bool):
            return datetime.fromtimestamp(found / 1000 if found > 1e11 else found, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return None
