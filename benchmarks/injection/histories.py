"""Histories as projects of the suite `injection`: what could be known at a commit, and the subjects of later changes.

The statements are what memlsp mines from the commits, comments and documents up to a commit, and the first sentences of
docstrings there, tied to their functions. The prompts are the subjects of later commits; what is tied to a symbol or
file that such a commit changed stands in for gold. That is a poor stand-in: most of what is tied to a function does not
bear on every change of it, and what bears on a change may be tied to code that it leaves alone. Subjects of other
histories are the foreign prompts.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import pygit2
from attrs import evolve, frozen

from benchmarks.codememory.wording import says_enough, task_text
from benchmarks.injection.projects import BEARS, FOREIGN, OWN, AskedPrompt, Project, ToldStatement
from benchmarks.judgement.drift_mining import repositories_in, state_of
from memlsp.capture.history.ancestry import Ancestry
from memlsp.capture.history.commits import CommitReader
from memlsp.memory import Memory
from memlsp.model.belief import Belief, BeliefKind
from memlsp.model.place import Place

T = TypeVar("T")

_LATER = 400  # commits after the one at which a workspace is told its statements
_PROMPTS = 40  # of a history at most, half of them such that something bears on them, spread evenly
_STATEMENTS = 20  # with which a history is asked
_FOREIGN = 40
_DOCSTRINGS = 150  # of a history, spread evenly
_LONGEST = 300  # characters of a docstring's first sentence
_LEAST_WORDS = 5
_LARGEST = 400_000  # bytes of a file that is read


@frozen
class _Later:
    """A commit that came later: its subject, and the places that it changed, as `path` and `path symbol`."""

    id: str
    subject: str
    changed: frozenset[str]


def history_projects(data: Path, folder: Path) -> list[Project]:
    """One project for each clone in `data` with enough to tell, checked out below `folder`."""
    projects: list[Project] = []
    subjects: dict[str, list[str]] = {}
    for name, clone in repositories_in(data).items():
        repository = pygit2.Repository(str(clone))
        later = list(_later(repository))
        if not later:
            print(f"  {name}: too short a history", flush=True)
            continue
        root = folder / name.replace("/", "+")
        _check_out(clone, root, str(_told_at(repository)))
        statements = (*_mined(root), *_docstrings(root))
        prompts = list(_prompts([each for each in later if says_enough(each.subject)], statements))
        asked = [
            each for sort in (BEARS, OWN) for each in _spread([e for e in prompts if e.sort == sort], _PROMPTS // 2)
        ]
        subjects[name] = [each.text for each in asked]
        if len(statements) < _STATEMENTS:
            print(f"  {name}: only {len(statements)} statements, its subjects are foreign to others", flush=True)
            continue
        projects.append(Project(name, statements, tuple(asked), root))
        print(f"  {name}: {len(statements)} statements, {len(asked)} subjects", flush=True)
    return [_with_foreign(project, subjects) for project in projects]


def _told_at(repository: pygit2.Repository) -> pygit2.Oid:
    """The commit on the line of first parents at which the statements are told."""
    here = repository[repository.head.target].peel(pygit2.Commit)
    for _ in range(_LATER):
        if not here.parents:
            break
        here = here.parents[0]
    return here.id


def _later(repository: pygit2.Repository) -> Iterator[_Later]:
    """The commits since, oldest first, without merges and housekeeping."""
    walk = repository.walk(repository.head.target, pygit2.enums.SortMode.TOPOLOGICAL | pygit2.enums.SortMode.REVERSE)
    walk.hide(_told_at(repository))
    reader = CommitReader(Ancestry(repository, ""))
    for commit in walk:
        subject = task_text([commit.message.partition("\n")[0]])
        if len(commit.parents) != 1 or not subject:
            continue
        files = {delta.old_file.path for delta in commit.parents[0].tree.diff_to_tree(commit.tree).deltas}
        changes = [each.old for each in reader.read(commit).changes if each.old is not None]
        yield _Later(str(commit.id), subject, frozenset(files | {f"{old.path} {old.name}" for old in changes}))


def _check_out(clone: Path, root: Path, commit: str) -> None:
    subprocess.run(["git", "clone", "--quiet", "--shared", "--no-checkout", str(clone), str(root)], check=True)
    subprocess.run(["git", "-C", str(root), "checkout", "--quiet", "--detach", commit], check=True)


def _mined(root: Path) -> list[ToldStatement]:
    """What memlsp would propose of a checkout, tied to what it is tied to. Nothing is kept of it."""
    with tempfile.TemporaryDirectory() as data, Memory.open(root, data_dir=Path(data)) as memory:
        made = memory.proposals.learn(dry_run=True).made
    return [_statement(belief) for belief in made]


def _statement(belief: Belief) -> ToldStatement:
    return ToldStatement(belief.id, belief.text, belief.kind, places=tuple(each.place for each in belief.anchors))


def _docstrings(root: Path) -> list[ToldStatement]:
    """The first sentences of docstrings of functions, of which a file has one of that name."""
    found: list[ToldStatement] = []
    for path in sorted(root.rglob("*.py")):
        name = path.relative_to(root).as_posix()
        if re.search(r"(?:^|/)(?:tests?|docs?|examples?|_?vendor)/|(?:^|/)(?:test_|conftest)", name):
            continue
        with suppress(OSError):
            data = path.read_bytes()
            state = state_of(data) if len(data) <= _LARGEST else None
            for symbol, each in state.functions.items() if state else ():
                sentence = " ".join(re.split(r"(?<=[.!?])\s|\n\s*\n", each.docs, maxsplit=1)[0].split())
                if len(sentence.split()) >= _LEAST_WORDS and len(sentence) <= _LONGEST:
                    place = Place(name, symbol=symbol)
                    found.append(ToldStatement(f"{name} {symbol}", sentence, BeliefKind.FACT, places=(place,)))
    return _spread(found, _DOCSTRINGS)


def _prompts(later: Sequence[_Later], statements: Sequence[ToldStatement]) -> Iterator[AskedPrompt]:
    for each in later:
        gold = frozenset(
            statement.id
            for statement in statements
            if any((f"{at.path} {at.symbol}" if at.symbol else at.path) in each.changed for at in statement.places)
        )
        yield AskedPrompt(each.id[:12], each.subject, gold, BEARS if gold else OWN)


def _with_foreign(project: Project, subjects: dict[str, list[str]]) -> Project:
    others = [(name, text) for name, texts in subjects.items() if name != project.name for text in texts]
    asked = [
        AskedPrompt(f"foreign {number}", text, frozenset(), FOREIGN)
        for number, (_, text) in enumerate(_spread(others, _FOREIGN))
    ]
    return evolve(project, prompts=(*project.prompts, *asked))


def _spread(found: Sequence[T], most: int) -> list[T]:
    """At most so many of them, evenly."""
    if len(found) <= most:
        return list(found)
    return [found[number * len(found) // most] for number in range(most)]
