"""Which statements meet an act: commands and edits of invented projects, labelled by hand before the rules were made.

`fixtures/injection/open/acts.jsonl` has one project a line: its statements, and acts with the ids of the statements
that they break. Two thirds of the acts that pass come close to a statement, so false alarms are no estimate of use.
Baselines: a statement is told when it shares any word with the act, or when the act has all its words.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, cast

from attrs import frozen

from benchmarks.reporting.tables import fraction, table
from memlsp.beliefs.acts.statements import clauses_of
from memlsp.beliefs.claims.stems import prose_words, stem
from memlsp.memory.injection.acts import Act, ActEdit, meets
from memlsp.model.errors import NoSuchFile

_ROOT = "/nonexistent/project"

Meets = Callable[[str, Mapping[str, str]], bool]
"""Whether a statement is told before an act of the file."""


@frozen
class ActScore:
    """`right` of `told` statements were to be told, of `due` in all; of `passing` acts `alarmed` met something."""

    right: int = 0
    told: int = 0
    due: int = 0
    passing: int = 0
    alarmed: int = 0

    @property
    def precision(self) -> float:
        """The share of what was told that was to be told."""
        return self.right / self.told if self.told else 1.0

    @property
    def recall(self) -> float:
        """The share of what was to be told that was told."""
        return self.right / self.due if self.due else 1.0


def acts_score(path: Path, told: Meets) -> ActScore:
    """Count over a file of projects. Raises NoSuchFile. Acts with `unsure` are left out."""
    if not path.is_file():
        raise NoSuchFile(f"no acts at {path}", "they are in fixtures/injection of a checkout")
    right = number = due = passing = alarmed = 0
    for line in path.read_text(encoding="utf-8").splitlines():
        project = cast("dict[str, Any]", json.loads(line))
        statements = {each["id"]: str(each["text"]) for each in project["statements"]}
        for act in project["acts"]:
            if act.get("unsure"):
                continue
            wanted = set(act["met"])
            found = {id for id, text in statements.items() if told(text, act)}
            right, number, due = right + len(found & wanted), number + len(found), due + len(wanted)
            passing, alarmed = passing + (not wanted), alarmed + (not wanted and bool(found))
    return ActScore(right, number, due, passing, alarmed)


def by_clauses(text: str, act: Mapping[str, str]) -> bool:
    """As memlsp tells: a clause is found by its terms, and then compared."""
    done, terms = _act(act.get("command", ""), act.get("path", ""), act.get("old", ""), act.get("new", ""))
    return any(terms.intersection(clause.terms()) and meets(clause, done) for clause in clauses_of(text))


@cache
def _act(command: str, path: str, old: str, new: str) -> tuple[Act, frozenset[str]]:
    act = Act(_ROOT, _ROOT, "work")
    if command:
        act.run(command)
    else:
        act.edits.append(ActEdit(path, old, new))
    return act, frozenset(act.terms())


def by_any_word(text: str, act: Mapping[str, str]) -> bool:
    """Baseline: any word of content in common."""
    return bool(_content(text) & _content(_said(act)))


def by_all_words(text: str, act: Mapping[str, str]) -> bool:
    """Baseline: every word of the statement is in the act."""
    return _content(text) <= _content(_said(act))


WAYS: Mapping[str, Meets] = {"memlsp": by_clauses, "any word shared": by_any_word, "all words": by_all_words}


def acts_table(files: Mapping[str, Path]) -> str:
    """The table of each file (by its name) by each way."""
    rows: list[Sequence[str]] = []
    for name, path in files.items():
        for way, told in WAYS.items():
            score = acts_score(path, told)
            met = f"{fraction(score.right, score.due)} {score.recall:.2f}"
            exact = f"{fraction(score.right, score.told)} {score.precision:.2f}"
            rows.append((name if way == "memlsp" else "", way, met, exact, fraction(score.alarmed, score.passing)))
    return table(("acts", "by", "recall", "precision", "passing acts alarmed"), rows, left=2)


def _said(act: Mapping[str, str]) -> str:
    return " ".join(act.get(key, "") for key in ("command", "path", "new"))


@cache
def _content(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in prose_words(text) if len(word) > 2)
