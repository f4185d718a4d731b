"""Answers as they are kept: one compressed file of JSON lines for each adapter and part.

The first line says whose they are, with which version, when, and what it cost. The others are graded cases; those of a
sealed half are counts without names, so that nobody can learn from them which case went wrong.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from .errors import BadData
from .grading import OPEN, Graded, as_record, of_record, sealed_tally


@dataclass(frozen=True)
class Answers:
    """One run of one adapter on one part. `seconds` are of the processor, for the adapter and what it started; `bytes`
    what it had on the disk when the part was over; `gave_up` is why the run did not end, "" when it did."""

    name: str
    version: str
    part: str
    date: str
    seconds: float
    bytes: int
    gave_up: str
    cases: tuple[Graded, ...]
    kept: bool = False  # read from a file and not asked now


def write_answers(folder: Path, answers: Answers) -> Path:
    """Write one file, `NAME.PART.jsonl.xz`. Raises OSError."""
    head = {key: value for key, value in asdict(answers).items() if key not in {"cases", "kept"}}
    sealed = [(each, count) for each, count in sealed_tally(case for case in answers.cases if case.half != OPEN)]
    lines = [head, *(as_record(each) for each in answers.cases if each.half == OPEN)]
    lines += sorted((as_record(each, count) for each, count in sealed), key=json.dumps)
    text = "".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{answers.name.replace(' ', '-')}.{answers.part}.jsonl.xz"
    path.write_bytes(lzma.compress(text.encode(), preset=9))
    return path


def read_answers(folder: Path) -> list[Answers]:
    """All files of a folder, in the order of their names. Raises BadData for one that is not of the form."""
    return [_read(path) for path in sorted(folder.glob("*.jsonl.xz"))]


def _read(path: Path) -> Answers:
    try:
        head, *lines = map(json.loads, lzma.decompress(path.read_bytes()).decode().splitlines())
        cases = tuple(each for line in lines for each in of_record(line))
        return Answers(**head, cases=cases, kept=True)
    except (OSError, lzma.LZMAError, ValueError, TypeError) as error:
        raise BadData(f"{path}: no answers of ours: {error}") from error


def latest(answers: Sequence[Answers]) -> list[Answers]:
    """Of several runs of one adapter on one part the last in the sequence, in the order in which they first appear."""
    found: dict[tuple[str, str], Answers] = {}
    for each in answers:
        found[each.name, each.part] = each
    return list(found.values())
