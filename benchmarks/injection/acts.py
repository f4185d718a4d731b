"""Which statements meet an act: commands and edits of invented projects, labelled by hand before the rules were made.

`fixtures/injection/open/acts.jsonl`, `acts-b.jsonl` and `acts-c.jsonl` have a project a line: its statements, and acts
with the ids of the statements that they break. Two thirds of the acts that pass come close to a statement, so false
alarms are no estimate of use. Baselines: a statement is told when it shares any word with the act, or when the act has
all its words.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, cast

from attrs import frozen

from benchmarks.reporting.tables import fraction, table
from memlsp.beliefs.acts import statements
from memlsp.beliefs.acts.statements import clauses_of
from memlsp.beliefs.claims.stems import prose_words, stem
from memlsp.code.vocabulary import patterns
from memlsp.memory.injection.acts import Act, ActEdit, meets
from memlsp.model.errors import NoSuchFile

FILES = {"sealed": ("acts", "acts-b"), "open": ("acts", "acts-b", "acts-c")}
_ROOT = "/nonexistent/project"
_FORMS = {"before": "order", "slot": "in place of", "no": "denial", "over": "is over", "only": "only"}

Meets = Callable[[str, Mapping[str, str]], bool]
"""Whether a statement is told before an act of the file."""


@frozen
class ActScore:
    """`right` of `told` statements were to be told, of `due` in all; of `passing` acts `alarmed` met something."""

    due: int = 0
    told: int = 0
    right: int = 0
    passing: int = 0
    alarmed: int = 0

    def __add__(self, other: ActScore) -> ActScore:
        return ActScore(
            self.due + other.due,
            self.told + other.told,
            self.right + other.right,
            self.passing + other.passing,
            self.alarmed + other.alarmed,
        )

    @property
    def precision(self) -> float:
        """The share of what was told that was to be told."""
        return self.right / self.told if self.told else 1.0

    @property
    def recall(self) -> float:
        """The share of what was to be told that was told."""
        return self.right / self.due if self.due else 1.0


def form_of(text: str) -> str:
    """The form of a statement: what it does with an act, by its first words of that sort."""
    known = patterns(statements.__name__)
    return next((name for key, name in _FORMS.items() if known[key].search(text)), "other")


def act_scores(path: Path, told: Meets) -> Iterator[tuple[str, str, ActScore]]:
    """The tool of each act of a file of projects and the form of each of its statements that counts, with what it
    counts; "" for the form of what is counted once an act. Raises NoSuchFile. Acts with `unsure` are left out."""
    if not path.is_file():
        raise NoSuchFile(f"no acts at {path}", "they are in fixtures/injection of a checkout")
    for line in path.read_text(encoding="utf-8").splitlines():
        project = cast("dict[str, Any]", json.loads(line))
        statements = {each["id"]: str(each["text"]) for each in project["statements"]}
        for act in project["acts"]:
            if act.get("unsure"):
                continue
            wanted, tool = set(act["met"]), "shell" if act["tool"] == "shell" else "edit"
            found = {id for id, text in statements.items() if told(text, act)}
            for id in sorted(wanted | found):
                score = ActScore(id in wanted, id in found, id in wanted & found)
                yield tool, form_of(statements[id]), score
            yield tool, "", ActScore(passing=not wanted, alarmed=not wanted and bool(found))


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


def acts_table(folder: Path) -> str:
    """The table of each file by each way, and that of memlsp on each half by the tool and by the statement's form."""
    rows: list[Sequence[str]] = []
    parts: dict[tuple[str, str], ActScore] = {}
    for half, names in FILES.items():
        for name in names:
            for way, told in WAYS.items():
                counted = list(act_scores(folder / half / f"{name}.jsonl", told))
                rows.append((f"{half}/{name}" if way == "memlsp" else "", way, *_cells(each[2] for each in counted)))
                for tool, form, score in counted if way == "memlsp" else ():
                    for part in (f"tool: {tool}", f"form: {form}") if form else (f"tool: {tool}",):
                        parts[half, part] = parts.get((half, part), ActScore()) + score
    more = [(half, part, *_cells([score])) for (half, part), score in sorted(parts.items(), reverse=True)]
    head = ("recall", "precision", "passing acts alarmed")
    whole = table(("acts", "by", *head), rows, left=2)
    return f"{whole}\n\n{table(('acts', 'of', *head), more, left=2)}"


def _cells(scores: Iterable[ActScore]) -> tuple[str, str, str]:
    score = sum(scores, ActScore())
    return (
        f"{fraction(score.right, score.due)} {score.recall:.2f}",
        f"{fraction(score.right, score.told)} {score.precision:.2f}",
        fraction(score.alarmed, score.passing) if score.passing else "",
    )


def _said(act: Mapping[str, str]) -> str:
    return " ".join(act.get(key, "") for key in ("command", "path", "new"))


@cache
def _content(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in prose_words(text) if len(word) > 2)
