"""memlsp as a system under test: asked through `Memory`, with the commits it would have read from git by then."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.codememory.records import Note, NotedChange
from benchmarks.codememory.systems import Answer
from memlsp.beliefs.lifecycle.admission import LONGEST_STATEMENT, Draft, Maker, admit
from memlsp.memory import Memory
from memlsp.model.belief import Author, Belief, Revision
from memlsp.model.change import ChangeKind, SymbolRef
from memlsp.model.episode import CommitEpisode, KeptChange
from memlsp.model.recall import RecallOptions
from memlsp.model.symbol import SymbolKind
from memlsp.recall.budget import tokens_of
from memlsp.store.core.locations import store_path
from memlsp.store.store import open_store
from memlsp.store.tables.acts import FoundBy

_BUDGET = 1_200  # tokens, the most that is ever served
_PATIENCE = 600.0  # seconds that vectors may take, which are made in the background otherwise
_AUTHOR = Author("CodeMemory")


class _InAFolder:
    """A workspace and its memory, made for one history and gone with it."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="memlsp-codememory-"))
        root = self._folder / "project"
        root.mkdir()
        self.memory = Memory.open(root, data_dir=self._folder / "data")
        self.store = open_store(store_path(self.memory.workspace.key, self._folder / "data"))

    def close(self) -> None:
        """The memory is closed, and its folder gone."""
        self.store.close()
        self.memory.close()
        shutil.rmtree(self._folder, ignore_errors=True)


class History:
    """What memlsp knows of a repository that it was never told anything about: commits, read by itself."""

    name = "memlsp"
    _patience = _PATIENCE

    def __init__(self) -> None:
        self._place = _InAFolder()

    def learn(self, notes: Sequence[Note]) -> None:
        """Keep them."""
        for note in notes:
            self._place.store.past.keep(episode_of(note))
        self._place.memory.vectors.refresh(self._patience)

    def recall(self, text: str, k: int) -> Answer:
        """The best `k`, within 1,200 tokens."""
        found = self._place.memory.recall(text, RecallOptions(budget=_BUDGET, limit=k), asker="codememory").work
        return Answer(tuple(hit.id for hit in found), tuple(tokens_of(hit.served) for hit in found))

    def close(self) -> None:
        """Close it and take its folder away."""
        self._place.close()


class Words(History):
    """The same before any vector was made: what meaning adds is the difference."""

    name = "memlsp, no vectors"
    _patience = 0.0


class Beliefs:
    """The same notes as statements that somebody remembered, without anchors: what the search for beliefs does alone.
    A longer note is cut to what a statement may have."""

    name = "memlsp, as beliefs"

    def __init__(self) -> None:
        self._place = _InAFolder()
        self._notes: dict[str, str] = {}

    def learn(self, notes: Sequence[Note]) -> None:
        """Keep them."""
        changes: list[tuple[Belief, Revision, FoundBy]] = []
        for note in notes:
            draft = Draft(note.text[:LONGEST_STATEMENT])
            belief, revision = admit(draft, Maker(_AUTHOR, "python", datetime.now(UTC)))
            self._notes[belief.id] = note.id
            changes.append((belief, revision, FoundBy()))
        self._place.store.change_all(changes)
        self._place.memory.vectors.refresh(_PATIENCE)

    def recall(self, text: str, k: int) -> Answer:
        """The best `k`, within 1,200 tokens."""
        found = self._place.memory.recall(text, RecallOptions(budget=_BUDGET, limit=k), asker="codememory").hits
        ids = tuple(self._notes[hit.judgement.belief.id] for hit in found)
        return Answer(ids, tuple(tokens_of(hit.served) for hit in found))

    def close(self) -> None:
        """Close it and take its folder away."""
        self._place.close()


def episode_of(note: Note) -> CommitEpisode:
    """A note as the episode that reading the commit gave."""
    return CommitEpisode(note.id, note.author, note.at, note.subject, tuple(map(_change, note.changes)))


def _change(change: NotedChange) -> KeptChange:
    old, new = (ref and SymbolRef(ref[0], ref[1], SymbolKind(ref[2])) for ref in (change.old, change.new))
    return KeptChange(frozenset(map(ChangeKind, change.kinds)), old, new, change.sentence)
