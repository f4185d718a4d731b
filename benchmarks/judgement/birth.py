"""The suite `birth`: is a statement that is false when it is made contradicted at once, a plan ahead, and the rest left
alone."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from attrs import frozen

from benchmarks.reporting.report import Report
from memlsp.beliefs.lifecycle.admission import kind_of
from memlsp.code.syntax.outline import outline
from memlsp.code.syntax.regions import source_of
from memlsp.memory.memory import Memory
from memlsp.model.belief import BeliefKind
from memlsp.model.caller import Caller
from memlsp.model.errors import NoSuchFile
from memlsp.model.place import Place
from memlsp.model.standing import Standing

_SETS = ("open", "open-b", "open-c", "sealed", "sealed-b")
"""Files of cases; those with a letter are by other authors and may be absent."""
_KINDS = {"description": BeliefKind.FACT, "decision": BeliefKind.DECISION, "rule": BeliefKind.RULE}
_TOKEN = re.compile(r"\d+(?:\.\d+)?|`[^`]+`|\b\w+_\w+\b|\b[a-z]+[A-Z]\w*\b")


@frozen
class StatementCase:
    """A statement at a place of some files, and the outcome that a reader wants: contradicted, ahead or fine."""

    id: str
    files: Mapping[str, str]
    at: str
    statement: str
    kind: BeliefKind | None
    outcome: str


def run_birth(folder: Path, *, quick: bool = False) -> Report:
    """Judge the open and the sealed statements. It passes where nothing fine is taken for false. `quick` leaves the
    sealed half alone. Raises NoSuchFile for a folder without the cases."""
    score: dict[str, float] = {}
    baseline: dict[str, float] = {}
    cases: list[dict[str, object]] = []
    for name in _SETS:
        path = folder / f"{name}.jsonl"
        sealed = name.startswith("sealed")
        if (quick and sealed) or ("-" in name and not path.is_file()):
            continue
        listed = list(_cases(path))
        ours = _print_counts(name, "memlsp", listed, _made)
        score.update({f"{name} {key}": value for key, value in ours.items()})
        theirs = _print_counts(name, "words in the code", listed, _by_words)
        baseline.update({f"{name} {key}": value for key, value in theirs.items()})
        if not sealed:
            cases.extend({"id": case.id, "wanted": case.outcome, "found": _made(case)} for case in listed)
    alarms = sum(value for key, value in score.items() if key.endswith("fine taken for false"))
    return Report("birth", score, {"words in the code": baseline}, cases, not alarms)


def _cases(path: Path) -> Iterator[StatementCase]:
    if not path.is_file():
        raise NoSuchFile(f"no statements at {path}", "--data names a folder with open.jsonl and sealed.jsonl")
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if not row.get("unsure"):
            kind = _KINDS.get(row["kind"])
            yield StatementCase(row["id"], row["files"], row["at"], row["statement"], kind, row["outcome"])


def _made(case: StatementCase) -> str:
    """The outcome of a statement that is made in a new memory."""
    with TemporaryDirectory() as folder:
        root = Path(folder) / "project"
        for path, text in case.files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
        path, _, symbol = case.at.partition("#")
        memory = Memory.open(root, data_dir=Path(folder) / "data")
        try:
            place, by = Place(path, symbol=symbol or None), Caller(source="eval", folder=root)
            standing = memory.remember(case.statement, at=[place], kind=case.kind, by=by).standing
        finally:
            memory.close()
    return {Standing.CONTRADICTED: "contradicted", Standing.AHEAD: "ahead"}.get(standing, "fine")


def _by_words(case: StatementCase) -> str:
    """The baseline: false where a number or an identifier of the statement does not occur in the code."""
    path, _, name = case.at.partition("#")
    source = case.files[path].encode()
    found = outline(path, source).named(name) if name else ()
    text = source_of(found[0], source) if found else source.decode()
    if all(word.strip("`") in text for word in _TOKEN.findall(case.statement)):
        return "fine"
    kind = case.kind or kind_of(case.statement)
    return "ahead" if kind in {BeliefKind.RULE, BeliefKind.DECISION} else "contradicted"


def _print_counts(
    name: str, who: str, cases: list[StatementCase], judge: Callable[[StatementCase], str]
) -> dict[str, float]:
    pairs = Counter((case.outcome, judge(case)) for case in cases)
    wanted = Counter(case.outcome for case in cases)
    counts = {
        "contradicted found": pairs["contradicted", "contradicted"],
        "contradicted missed": wanted["contradicted"] - pairs["contradicted", "contradicted"],
        "fine taken for false": pairs["fine", "contradicted"],
        "fine taken for ahead": pairs["fine", "ahead"],
        "ahead found": pairs["ahead", "ahead"],
        "ahead silent": pairs["ahead", "fine"],
        "ahead taken for false": pairs["ahead", "contradicted"],
    }
    print(f"{name}, {who}: " + ", ".join(f"{key} {value}" for key, value in counts.items()))
    return {key: float(value) for key, value in counts.items()}
