"""How much of what binds in files of instructions is found: lines that people labelled, and the score of a reader.

Labels name lines by repository, commit, path and number; the text is read from clones (`DIR/owner+name`, a git
repository or the files alone). A unit is a labelled line with the lines that only continue it. A reader returns ranges
of lines: one is right when a unit in it binds, and wrong when none does and none is unsure.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from subprocess import run
from typing import cast

from attrs import frozen

from benchmarks.reporting.tables import share, table
from memlsp.beliefs.mining.documents import from_document
from memlsp.model.errors import NoSuchFile

PRECISION, RECALL = 0.80, 0.75
"""What the design asks for, on the sealed half."""

Ranges = set[tuple[int, int]]
Reader = Callable[[str, str], Ranges]
"""Path and text to the first and last lines of what binds."""

_BINDING = frozenset({"rule", "preference", "decision", "procedure"})
_ITEM = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+")
_KEYWORD = re.compile(r"(?i)\b(?:must|never|always|do not|don't|should|avoid|prefer|ensure|required?|use|only|no)\b")
_CONTRAST = re.compile(r"(?i)\bnot `|, not \w|\binstead of\b|\brather than\b|` over `|\bprefer\b.*\bover\b")
_NEGATIVE = re.compile(r"(?i)\b(?:no|never|not|don't|avoid|forbidden|prohibited|mustn't)\b|❌")
_SHAPES: Mapping[str, Callable[[str], bool]] = {
    "list items": lambda line: _ITEM.match(line) is not None,
    "table rows": lambda line: line.lstrip().startswith("|"),
    "prose": lambda line: not _ITEM.match(line) and not line.lstrip().startswith(("|", "#")),
    "use X, not Y": lambda line: _CONTRAST.search(line) is not None,
    "negatives": lambda line: _NEGATIVE.search(line) is not None,
}


@frozen
class LabelledUnit:
    """One label; `lines` are its own number and those that continue it."""

    lines: tuple[int, ...]
    binds: bool
    unsure: bool


@frozen
class LabelledDocument:
    """A document with its text and the labels of its lines."""

    repository: str
    path: str
    text: str
    units: tuple[LabelledUnit, ...]


@frozen
class DocumentScore:
    """Counts of ranges (right, wrong) and of binding units (found, of all)."""

    right: int = 0
    wrong: int = 0
    found: int = 0
    binding: int = 0

    @property
    def precision(self) -> float:
        """Of what a reader returns, the share that binds."""
        return self.right / max(1, self.right + self.wrong)

    @property
    def recall(self) -> float:
        """Of what binds, the share that a reader returns."""
        return self.found / max(1, self.binding)

    def __add__(self, other: DocumentScore) -> DocumentScore:
        """The counts of both."""
        return DocumentScore(
            self.right + other.right, self.wrong + other.wrong, self.found + other.found, self.binding + other.binding
        )


def documents_in(labels: Path, data: Path) -> list[LabelledDocument]:
    """The labelled documents, with texts from `data`. Raises NoSuchFile for a text that is not there."""
    found: list[LabelledDocument] = []
    for line in labels.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        given = {int(number): label for number, label in cast("dict[str, str]", row["lines"]).items()}
        lines: dict[int, list[int]] = defaultdict(list)
        for number in given:
            first = number
            while given[first].startswith("<"):
                first = int(given[first][1:])
            lines[first].append(number)
        units = tuple(
            LabelledUnit(tuple(numbers), given[first].rstrip("?") in _BINDING, given[first].endswith("?"))
            for first, numbers in sorted(lines.items())
        )
        text = text_of(data, row["repo"], row["commit"], row["path"])
        found.append(LabelledDocument(row["repo"], row["path"], text, units))
    return found


def text_of(data: Path, repository: str, commit: str, path: str) -> str:
    """The text of a file in a clone. Raises NoSuchFile for one that is not there."""
    folder = data / repository.replace("/", "+")
    if (folder / path).is_file() and not (folder / ".git").exists():
        return (folder / path).read_text(encoding="utf-8", errors="replace")
    shown = run(["git", "-C", str(folder), "show", f"{commit}:{path}"], capture_output=True, check=False)
    if shown.returncode:
        raise NoSuchFile(f"no {path} of {repository}", f"git clone https://github.com/{repository} {folder}")
    return shown.stdout.decode("utf-8", "replace")


def score(document: LabelledDocument, ranges: Ranges, only: Callable[[str], bool] | None = None) -> DocumentScore:
    """Score what a reader returned. `only` selects units, and ranges by their first line, by the text of that line."""
    lines = document.text.split("\n")
    chosen = only or bool
    right = wrong = 0
    covered: set[int] = set()
    for first, last in ranges:
        inside = [unit for unit in document.units if any(first <= number <= last for number in unit.lines)]
        covered.update(unit.lines[0] for unit in inside)
        if inside and chosen(lines[inside[0].lines[0] - 1]):
            right += any(unit.binds and not unit.unsure for unit in inside)
            wrong += not any(unit.binds or unit.unsure for unit in inside)
    binding = [unit.lines[0] for unit in document.units if unit.binds and not unit.unsure]
    binding = [line for line in binding if chosen(lines[line - 1])]
    return DocumentScore(right, wrong, sum(line in covered for line in binding), len(binding))


def mined(path: str, text: str) -> Ranges:
    """What memlsp proposes."""
    return {(each.first_line or 0, each.last_line or 0) for each in from_document(path, text)}


def _lines(pattern: re.Pattern[str]) -> Reader:
    """A reader that takes each line outside of code that has a pattern."""

    def read(_: str, text: str) -> Ranges:
        return {(number, number) for number, line in _outside_code(text) if pattern.search(line)}

    return read


def _outside_code(text: str) -> Iterator[tuple[int, str]]:
    fenced = False
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        elif not fenced:
            yield number, line


READERS: Mapping[str, Reader] = {"memlsp": mined, "every list item": _lines(_ITEM), "keyword list": _lines(_KEYWORD)}


def print_documents(labels: Path, data: Path) -> dict[str, dict[str, float]]:
    """Measure on both halves in the folder `labels`, and print the table. Returns the scores by half and reader."""
    rows: list[Sequence[str]] = []
    scores: dict[str, dict[str, float]] = {}
    for half in ("open", "sealed"):
        documents = documents_in(labels / f"{half}.jsonl", data)
        for name, reader in READERS.items():
            total = _total(documents, reader)
            rows.append(_row(half if name == "memlsp" else "", name, total))
            scores[f"{half} documents: {name}"] = {"precision": total.precision, "recall": total.recall}
        rows += [
            _row("", f"memlsp, {name}", _total(documents, mined, has_shape)) for name, has_shape in _SHAPES.items()
        ]
        rows.append(())
    print(table(("documents", "by", "found", "false", "precision", "recall"), rows[:-1], left=2))
    return scores


def _total(
    documents: Sequence[LabelledDocument], reader: Reader, only: Callable[[str], bool] | None = None
) -> DocumentScore:
    total = DocumentScore()
    for each in documents:
        total += score(each, reader(each.path, each.text), only)
    return total


def _row(half: str, name: str, total: DocumentScore) -> Sequence[str]:
    found = f"{total.found} of {total.binding}"
    return half, name, found, str(total.wrong), share(total.precision), share(total.recall)
