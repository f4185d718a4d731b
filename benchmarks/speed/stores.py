"""Generated workspaces: a repository with a real file to edit, thousands of small modules, and beliefs about them all.

Beliefs about the real file are remembered through `Memory` as a person's are. Those about the modules are written in
bulk, with anchors that were made once for each of a few module texts; references in their statements are not looked
up, which would take hours and is no part of what is measured.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Protocol

import pygit2
from attrs import evolve, frozen

from benchmarks.speed.vocabulary import Vocabulary, real_file
from memlsp.beliefs.lifecycle.admission import Draft, Maker, admit, new_id
from memlsp.beliefs.lifecycle.anchors import anchor_at
from memlsp.capture.workspace.worktree import Worktree
from memlsp.code.syntax.outline import outline
from memlsp.memory import Memory
from memlsp.memory.curation.revision import found_by
from memlsp.model.belief import Anchor, Author, Belief, Revision
from memlsp.model.caller import Caller
from memlsp.model.place import Place
from memlsp.model.symbol import Symbol, SymbolKind
from memlsp.store.core.locations import store_path
from memlsp.store.store import Store, open_store
from memlsp.store.tables.acts import FoundBy

PROBE = 'def memlsp_probe(attempts=3):\n    """How often."""\n    return attempts * 2\n'
PROBE_DEFAULT = "attempts=3"
PROBE_BELIEF = "`memlsp_probe` makes three attempts by default"

_TEXTS = 24  # different module texts
_FUNCTIONS = 10  # of a module
_PER_MODULE = 20  # beliefs
_ON_REAL_FILE = 120  # beliefs at the most: what a much discussed file carries
_BATCH = 2_000
_AUTHOR = Author("Generated")
_BORN = datetime(2026, 1, 1, tzinfo=UTC)
_SPAN = timedelta(days=300)  # in which the beliefs of the modules were made


@frozen
class Spot:
    """A symbol of the real file: its dotted name and where that stands, line and column from 0."""

    name: str
    line: int
    column: int


@frozen
class Generated:
    """A workspace with its memory. `edited` is the real file, root-relative, `text` its content."""

    root: Path
    data: Path
    edited: str
    text: str
    spots: tuple[Spot, ...]
    beliefs: int


class Words(Protocol):
    """Where statements and modules are taken from."""

    def statement(self) -> str:
        """A statement that a person could have made."""
        ...

    def module(self, functions: int) -> str:
        """A Python module with this many functions."""
        ...


def generate(
    folder: Path,
    beliefs: int,
    real: Path | None,
    *,
    words: Words | None = None,
    batch: int = _BATCH,
    told: Callable[[Sequence[Belief]], None] | None = None,
) -> Generated:
    """A workspace with this many beliefs in `folder`, which is empty. `real` is where to take the real file from.

    Takes a minute or two for 100,000 beliefs. The same arguments give the same statements. `batch` are the beliefs of
    one transaction; `told` is given those of each when they are written.
    """
    vocabulary = words or Vocabulary()
    root, data = folder / "project", folder / "data"
    name, text = real_file(real)
    edited = f"src/{name}"
    text = f"{text.rstrip()}\n\n\n{PROBE}"
    texts = [vocabulary.module(_FUNCTIONS) for _ in range(_TEXTS)]
    modules = max(1, -(-(beliefs - _ON_REAL_FILE) // _PER_MODULE))
    paths = [f"generated/part_{number // 100:03d}/module_{number:05d}.py" for number in range(modules)]
    _write(root, edited, text)
    for path, module in zip(paths, texts, strict=False):
        _write(root, path, module)
    _commit(root, "Begin a project")
    spots = _spots(edited, text)
    with Memory.open(root, data_dir=data) as memory:
        first = _remember_real(memory, vocabulary, edited, spots, min(_ON_REAL_FILE, beliefs))
        if told is not None:
            told([judgement.belief for judgement in memory.beliefs()])
        key = memory.workspace.key
    worktree = Worktree(root, git=True)
    anchors = [_anchors(worktree, path, module) for path, module in zip(paths, texts, strict=False)]
    for number, path in enumerate(paths[_TEXTS:], _TEXTS):
        _write(root, path, texts[number % _TEXTS])
    _commit(root, "Generate the rest of it")
    with open_store(store_path(key, data)) as store:
        for written in _filled(store, vocabulary, paths, anchors, beliefs - first, batch):
            if told is not None:
                told(written)
    return Generated(root, data, edited, text, spots, beliefs)


def _filled(
    store: Store, vocabulary: Words, paths: Sequence[str], anchors: Sequence[Sequence[Anchor]], count: int, batch: int
) -> Iterator[list[Belief]]:
    first, revision = admit(Draft("Generated", anchors=(anchors[0][0],)), Maker(_AUTHOR, "python", _BORN))
    changes: list[tuple[Belief, Revision, FoundBy]] = []
    used: set[str] = set()  # of a million ids drawn, two are the same as often as not
    for number in range(count):
        module = number // _PER_MODULE
        choices = anchors[module % len(anchors)]
        anchor = _moved(choices[number % len(choices)], paths[module])
        born = _BORN + number * _SPAN / count
        id = new_id()
        while id in used:
            id = new_id()
        used.add(id)
        belief = evolve(first, id=id, text=vocabulary.statement(), anchors=(anchor,), created_at=born, updated_at=born)
        changes.append((belief, evolve(revision, belief_id=belief.id, at=born), found_by(belief)))
        if len(changes) == batch or number == count - 1:
            store.change_all(changes)
            yield [each for each, _, _ in changes]
            changes.clear()


def _remember_real(memory: Memory, vocabulary: Words, path: str, spots: Sequence[Spot], count: int) -> int:
    memory.remember(
        PROBE_BELIEF, at=[Place(path, symbol="memlsp_probe")], by=Caller(author=_AUTHOR, folder=memory.workspace.root)
    )
    for number in range(count - 1):
        place = Place(path, symbol=spots[number % len(spots)].name)
        memory.remember(vocabulary.statement(), at=[place], by=Caller(author=_AUTHOR, folder=memory.workspace.root))
    return count


def _anchors(worktree: Worktree, path: str, text: str) -> list[Anchor]:
    symbols = [each for each in outline(path, text.encode()).symbols if each.kind is SymbolKind.FUNCTION]
    return [anchor_at(worktree, path, line=None, symbol=symbol.name, now=_BORN) for symbol in symbols]


def _moved(anchor: Anchor, path: str) -> Anchor:
    """The same anchor in another file with the same text."""
    near = tuple(evolve(n, path=path) if n.path == anchor.path else n for n in anchor.neighbours)
    return evolve(anchor, path=path, verified=evolve(anchor.verified, path=path), neighbours=near)


def _spots(path: str, text: str) -> tuple[Spot, ...]:
    def worth(symbol: Symbol) -> bool:
        return symbol.kind in {SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.CLASS}

    found = outline(path, text.encode())
    spots = [
        Spot(each.name, each.name_span.start_line, each.name_span.start_column)
        for each in found.symbols
        if worth(each) and each.ordinal == 0 and len(found.named(each.name)) == 1
    ]
    return tuple(spot for spot in spots if spot.name != "memlsp_probe")


def _write(root: Path, path: str, text: str) -> None:
    target = root / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(text.encode())


def _commit(root: Path, message: str) -> None:
    repository = pygit2.init_repository(str(root), initial_head="main")
    repository.index.add_all()
    repository.index.write()
    someone = pygit2.Signature("Generated", "generated@example.org", int(_BORN.timestamp()), 0)
    before = [] if repository.head_is_unborn else [repository.head.target]
    repository.create_commit("HEAD", someone, someone, message, repository.index.write_tree(), before)
    repository.free()
