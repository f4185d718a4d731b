"""A workspace in a temporary folder, a belief about it, and what an edit does to the belief's standing."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeAlias

import pytest

from memlsp.beliefs.lifecycle.admission import Draft, Maker, admit
from memlsp.beliefs.lifecycle.anchors import anchor_at
from memlsp.beliefs.lifecycle.verification import verified
from memlsp.beliefs.standing.standing import judge
from memlsp.capture.workspace.worktree import Worktree
from memlsp.model.belief import Anchor, Author, Belief, Limits
from memlsp.model.place import Place
from memlsp.model.standing import Judgement, Standing

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
PERSON = Author("Ada")


class Bench:
    """Write files, remember something about them, edit, ask."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.worktree = Worktree(root, git=False)
        self.now = NOW

    def write(self, path: str, text: str) -> None:
        full = self.root / path
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_text(textwrap.dedent(text).lstrip("\n"), encoding="utf-8")
        self.worktree.changed(None)

    def read(self, path: str) -> str:
        return (self.root / path).read_text(encoding="utf-8")

    def replace(self, path: str, old: str, new: str) -> None:
        text = self.read(path)
        assert old in text, f"{old!r} is not in {path}"
        (self.root / path).write_text(text.replace(old, new), encoding="utf-8")
        self.worktree.changed(None)

    def move(self, old: str, new: str) -> None:
        target = self.root / new
        target.parent.mkdir(parents=True, exist_ok=True)
        (self.root / old).rename(target)
        self.worktree.changed(None)

    def delete(self, path: str) -> None:
        (self.root / path).unlink()
        self.worktree.changed(None)

    def remember(self, text: str, *places: str, expires_in: timedelta | None = None) -> Belief:
        anchors: list[Anchor] = []
        for typed in places:
            place = Place.parse(typed)
            anchors.append(anchor_at(self.worktree, place.path, line=place.line, symbol=place.symbol, now=self.now))
        belief, _ = admit(
            Draft(text, limits=Limits(expires_at=self.now + expires_in if expires_in else None), anchors=anchors),
            Maker(PERSON, "test", self.now),
            verify=lambda belief: verified(belief, self.worktree),
        )
        assert self.judge(belief).standing in {Standing.CURRENT, Standing.UNBOUND}, self.told(belief)
        return belief

    def judge(self, belief: Belief) -> Judgement:
        return judge(belief, self.worktree, now=self.now)

    def standing(self, belief: Belief) -> Standing:
        return self.judge(belief).standing

    def told(self, belief: Belief) -> str:
        judgement = self.judge(belief)
        return f"{judgement.standing}: " + " | ".join(f"[{r.code}] {r.message}" for r in judgement.reasons)


Edit: TypeAlias = Callable[[Bench], None]
Row: TypeAlias = tuple[str, str, str, Edit]  # what it is, where the belief is tied to, what it says, the edit


def replacing(path: str, old: str, new: str) -> Edit:
    """Put one text for another, everywhere in a file."""
    return lambda bench: bench.replace(path, old, new)


def together(*edits: Edit) -> Edit:
    """Several edits as one."""

    def run(bench: Bench) -> None:
        for edit in edits:
            edit(bench)

    return run


def cut(bench: Bench, path: str, start: str, end: str) -> str:
    """Take out what lies from `start` up to `end`, and return it."""
    text = bench.read(path)
    first = text.index(start)
    last = text.index(end, first) if end else len(text)
    bench.write(path, text[:first] + text[last:])
    return text[first:last]


def removing(path: str, start: str, end: str) -> Edit:
    """Delete what lies from `start` up to `end`."""

    def run(bench: Bench) -> None:
        cut(bench, path, start, end)

    return run


def moving(path: str, start: str, end: str, to: str, head: str = "", tail: str = "") -> Edit:
    """Move what lies from `start` up to `end` to another file (or to the end of the same one)."""

    def run(bench: Bench) -> None:
        piece = cut(bench, path, start, end)
        before = bench.read(to) if (bench.root / to).exists() else head
        bench.write(to, before + "\n" + piece + tail)

    return run


def rows(table: dict[str, list[Row]]) -> list[object]:
    """Parameters for pytest: place, text, edit, standing."""
    return [
        pytest.param(place, text, edit, standing, id=f"{standing}: {name}")
        for standing, listed in table.items()
        for name, place, text, edit in listed
    ]


def check(bench: Bench, files: dict[str, str], place: str, text: str, edit: Edit, standing: str) -> None:
    """Remember, edit, compare the standing, and see it come back with the code."""
    for path, content in files.items():
        bench.write(path, content)
    belief = bench.remember(text, place)
    before = {path: bench.read(path) for path in files}
    edit(bench)
    assert bench.standing(belief) == standing, bench.told(belief)
    for path in [p for p in bench.worktree.paths() if p not in before]:
        bench.delete(path)
    for path, content in before.items():
        bench.write(path, content)
    assert bench.standing(belief) == "current", f"after undoing it: {bench.told(belief)}"
