"""The format: one file of JSON lines for each history, and one with its gold, which no system is given.

A line is a note (a piece of earlier work) or a task. Whoever reads from the top knows at a task what was known when its
work began and nothing else: the order of the lines is what keeps the future out. Notes are the commits that a task's
work stands on; a task's text is what its authors said of it afterwards, without anything that points to another commit.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from attrs import frozen

FORMAT = 1


@frozen
class NotedChange:
    """One symbol that a piece of work changed. `kinds` are those of `memlsp history`; a place is (path, dotted name,
    kind of symbol), `old` None for what was added and `new` None for what was taken away."""

    kinds: tuple[str, ...]
    old: tuple[str, str, str] | None
    new: tuple[str, str, str] | None
    sentence: str


@frozen
class Note:
    """One piece of earlier work. `text` is what every system is given to learn; the other fields say the same in parts,
    for those that can make use of them. `at` is when it was committed."""

    id: str
    at: datetime
    author: str
    subject: str
    text: str
    changes: tuple[NotedChange, ...] = ()


@frozen
class Task:
    """What somebody set out to do, in their own words. `base` is the commit that the work began on."""

    id: str
    text: str
    base: str = ""


def read_records(path: Path) -> Iterator[Note | Task]:
    """The notes and tasks of a file, in its order. Raises OSError, ValueError for a line that is neither."""
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            try:
                yield _record(json.loads(line))
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                raise ValueError(f"{path.name}, line {number}: neither a note nor a task ({error})") from error


def read_gold(path: Path) -> dict[str, frozenset[str]]:
    """The ids of the notes that each task needs, by the task's id, from the file beside the one at `path`.

    Raises OSError, ValueError.
    """
    with gold_path(path).open(encoding="utf-8") as lines:
        entries = [json.loads(line) for line in lines]
    return {str(entry["task"]): frozenset(map(str, entry["gold"])) for entry in entries}


def gold_path(path: Path) -> Path:
    """Where the gold of a file of notes and tasks lies: `flask.jsonl`, `flask.gold.jsonl`."""
    return path.with_name(f"{path.name.removesuffix('.jsonl')}.gold.jsonl")


def write_records(path: Path, records: Iterable[Note | Task], gold: Mapping[str, Iterable[str]]) -> None:
    """Write both files. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{_line(_entry(record))}\n" for record in records), encoding="utf-8")
    lines = [_line({"task": task, "gold": sorted(needed)}) for task, needed in gold.items()]
    gold_path(path).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _line(entry: Mapping[str, object]) -> str:
    return json.dumps(entry, ensure_ascii=False, separators=(",", ":"))


def _entry(record: Note | Task) -> Mapping[str, object]:
    if isinstance(record, Task):
        return {"task": record.id, "text": record.text, "base": record.base}
    changes = [[list(each.kinds), each.old, each.new, each.sentence] for each in record.changes]
    return {
        "note": record.id,
        "at": record.at.isoformat(),
        "author": record.author,
        "subject": record.subject,
        "text": record.text,
        "changes": changes,
    }


def _record(entry: Mapping[str, Any]) -> Note | Task:
    if "task" in entry:
        return Task(str(entry["task"]), str(entry["text"]), str(entry.get("base", "")))
    changes = tuple(
        NotedChange(tuple(map(str, kinds)), _place(old), _place(new), str(sentence))
        for kinds, old, new, sentence in entry.get("changes", ())
    )
    text = str(entry["text"])
    subject = str(entry.get("subject") or text.partition("\n")[0])
    return Note(
        str(entry["note"]),
        datetime.fromisoformat(str(entry["at"])),
        str(entry.get("author", "")),
        subject,
        text,
        changes,
    )


def _place(entry: list[str] | None) -> tuple[str, str, str] | None:
    return None if entry is None else (entry[0], entry[1], entry[2])
