"""Embedding vectors of beliefs, episodes and commits: made in the background, searched by recall.

The MCP server calls `refresh` while idle, and so does the settler, which the language server starts for it; hooks and
hovers never do. `near` searches the present vectors and returns nothing when it would have to wait.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Collection, Sequence
from hashlib import blake2b
from shutil import rmtree
from time import monotonic
from typing import TYPE_CHECKING

from memlsp.memory.context import Context
from memlsp.model.errors import BadValue, MemlspError
from memlsp.model.view import HealthCheck
from memlsp.store.store import Store
from memlsp.store.tables.vectors import PendingText, Vector

if TYPE_CHECKING:
    from memlsp.recall.nearest_vectors import NearestVectors
    from memlsp.recall.side_index import SideIndex
    from memlsp.recall.static_encoder import Floats, StaticEncoder

EMBEDDED, NONE = "embedded", "none"
ENCODER_VARIABLE = "MEMLSP_ENCODER"
_LOG = logging.getLogger(__name__)
_BATCH = 64  # texts encoded between two checks of the clock
_MOST_LOADED = 50_000  # the most vectors that a question may load; `refresh` loads more
_MOST_HELD = 400_000  # the most vectors in memory, 300 bytes each. Beyond that, only the side index is searched.
_SIDE_BATCH = 2_000  # vectors added to a side index between two checks of the clock
_LONGEST_TEXT = 2_000  # characters of a text that are encoded


class _VectorIndex:
    """The vectors of one store that this process holds in memory."""

    def __init__(self, nearest: NearestVectors) -> None:
        self.nearest = nearest
        self.side: SideIndex | None = None
        self.removals = -1
        self.waited = 0


class Vectors:
    """The vectors of one workspace's memory and of the user's. Safe to use from several threads."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._lock = threading.Lock()
        self._encoder: StaticEncoder | None = None
        self._chosen: str | None = None
        self._indexes: dict[str, _VectorIndex] = {}
        self._side_indexes: dict[str, SideIndex] = {}  # under construction, by store path
        self._last_question: tuple[str, str, Floats] | None = None  # model, question and its vector
        self._has_work = False  # background work other than waiting texts
        self.trouble = ""
        """Why there is no encoder though the settings name one, in words; else ""."""

    @property
    def choice(self) -> str:
        """The encoder chosen by environment or settings: `embedded` or `none`."""
        return os.environ.get(ENCODER_VARIABLE, "").strip() or self._context.screen().settings.encoder

    def encoder(self) -> StaticEncoder | None:
        """The chosen encoder; None when none is chosen or it cannot be loaded, and then `trouble` has the reason."""
        choice = self.choice
        with self._lock:
            if choice != self._chosen:
                self._chosen, self._encoder, self.trouble = choice, None, ""
                self._indexes.clear()
                try:
                    self._encoder = encoder_of(choice)
                except (BadValue, ImportError, OSError, ValueError) as error:
                    self.trouble = str(error)
                    _LOG.warning("no meaning: %s", error)
            return self._encoder

    # -- in the background ----------------------------------------------------------------------------------------

    def tend(self, budget_seconds: float = 0.1, *, stop: Callable[[], bool] | None = None, asked: bool = False) -> int:
        """Call `refresh` if there is anything to do; otherwise this costs two queries. For callers that poll every few
        seconds. With `asked` only if a question was left without vectors that are there."""
        if not self._has_work and (asked or not self.is_due()):
            return 0
        self._has_work = False
        return self.refresh(budget_seconds, stop=stop)

    def is_due(self) -> bool:
        """True while texts wait for a vector and an encoder is chosen. Cheap: it is not loaded."""
        return self.choice != NONE and any(store.vectors.is_due() for store in self._stores())

    def refresh(self, budget_seconds: float = 1.0, *, stop: Callable[[], bool] | None = None) -> int:
        """Encode texts without a vector, newest first, for about this long, and return how many were encoded.

        A store that cannot be written is skipped and tried again on the next call.
        """
        encoder = self.encoder()
        if encoder is None:
            return 0
        until = monotonic() + budget_seconds
        stop = stop or (lambda: False)
        made = 0
        for store in self._stores():
            try:
                if not store.read_only:
                    made += self._refresh(store, encoder, until, stop)
                    self._extend_side_index(store, encoder, until, stop)
                self._load(store, encoder, at_most=_MOST_HELD)
            except MemlspError as error:
                _LOG.info("vectors of %s: %s", store.path, error)
        return made

    def _refresh(self, store: Store, encoder: StaticEncoder, until: float, stop: Callable[[], bool]) -> int:
        if not store.vectors.is_due():
            return 0
        store.vectors.use(encoder.name)
        made = 0
        while monotonic() < until and not stop():
            waiting = store.vectors.due(_BATCH)
            if not waiting:
                store.vectors.sweep()
                break
            made += store.vectors.write(encoder.name, _encode_texts(waiting, encoder))
        return made

    def _extend_side_index(self, store: Store, encoder: StaticEncoder, until: float, stop: Callable[[], bool]) -> None:
        """Make the side index of a large store, a piece at a time; the next call goes on with it."""
        from memlsp.recall import side_index  # late: only asked for in the background

        model, last, _ = store.vectors.state()
        place = str(store.path)
        if model != encoder.name or last < side_index.FROM or not side_index.is_possible():
            return
        side = self._side_indexes.setdefault(place, side_index.SideIndex(store.path.parent, model, encoder.dimensions))
        if not side.made_to and side.open() and last - side.turn < side_index.GROWTH * last:
            return
        while monotonic() < until and not stop():
            self._has_work = True  # until the side index is complete
            more = store.vectors.since(side.made_to, at_most=_SIDE_BATCH)
            if side.make(more) >= last or not more:
                side.finish()
                with self._lock:
                    self._indexes.pop(place, None)
                return

    # -- while somebody waits ---------------------------------------------------------------------------------------

    def near(self, query: str, limit: int = 20, kinds: Collection[str] | None = None) -> list[tuple[str, str, float]]:
        """The nearest texts to a question as (kind, id, cosine), nearest first; kinds are `belief`, `episode` and
        `commit`.

        Only active beliefs of the workspace and the user are returned. Empty without an encoder, and while more vectors
        than a question may load wait for `refresh`.
        """
        stores = [store for store in self._stores() if _has_vectors(store)]
        if limit < 1 or not query.strip() or not stores:  # without vectors, the encoder is not loaded
            return []
        encoder = self.encoder()
        vector = self._encoded(query[:_LONGEST_TEXT], encoder) if encoder is not None else None
        if encoder is None or vector is None:
            return []
        found: list[tuple[str, str, float]] = []
        for store in stores:
            try:
                index = self._load(store, encoder, at_most=_MOST_LOADED)
                if index is None:
                    self._has_work = True
                    continue
                best = self._best(store, index, vector, limit + limit // 2, kinds)
                ids = store.vectors.ids([(kind, item) for kind, item, _ in best])
            except MemlspError as error:
                _LOG.info("vectors of %s: %s", store.path, error)
                continue
            found += [(kind, ids[kind, item], likeness) for kind, item, likeness in best if (kind, item) in ids]
        found.sort(key=lambda each: (-each[2], each[0], each[1]))
        return found[:limit]

    def _encoded(self, question: str, encoder: StaticEncoder) -> Floats | None:
        """The vector of a question. The last one is cached, since one answer searches for beliefs and for work."""
        last = self._last_question
        if last is not None and last[:2] == (encoder.name, question):
            return last[2]
        try:
            vector = encoder.encode([question])[0]
        except Exception:  # noqa: BLE001 - whatever a model meets, words still answer
            _LOG.exception("the question was not encoded")
            return None
        self._last_question = encoder.name, question, vector
        return vector

    def _best(
        self, store: Store, index: _VectorIndex, vector: Floats, limit: int, kinds: Collection[str] | None
    ) -> list[tuple[str, int, float]]:
        with self._lock:
            best = index.nearest.best(vector, limit, kinds)
            if index.side is None:
                return best
            turns = dict(index.side.best(vector, limit if kinds is None else 4 * limit))
        rows = store.vectors.of_turns(turns)
        best += [
            (kind, item, turns[turn])
            for turn, (kind, item) in rows.items()
            if turn <= index.side.turn and (kinds is None or kind in kinds)
        ]
        return sorted(best, key=lambda each: (-each[2], each[0], each[1]))[:limit]

    def _load(self, store: Store, encoder: StaticEncoder, at_most: int) -> _VectorIndex | None:
        """This process's index of a store's vectors, updated; None when more than `at_most` must be loaded or another
        model made them."""
        model, last, removals = store.vectors.state()
        if model != encoder.name:
            return None
        from memlsp.recall.nearest_vectors import NearestVectors  # late: it needs numpy

        with self._lock:
            index = self._indexes.setdefault(str(store.path), _VectorIndex(NearestVectors(encoder.dimensions)))
            if last - index.nearest.turn > _MOST_LOADED and not index.nearest.turn:
                index.side = _open_side_index(store, encoder)
                index.nearest.turn = index.side.turn if index.side is not None else 0
            if last - index.nearest.turn > at_most:
                return None
            if removals != index.removals:
                index.waited, deleted = store.vectors.waiting_since(index.waited)
                index.nearest.remove(deleted)
                index.removals = removals
            while index.nearest.turn < last:
                more = store.vectors.since(index.nearest.turn)
                if not more:
                    break
                index.nearest.append(more)
            return index

    # -- what goes ---------------------------------------------------------------------------------------------------

    def forget(self, ids: Collection[str], kind: str = "belief") -> int:
        """Delete the vectors of beliefs (or episodes, or commits) by id, and clear memory and caches. Returns the
        number of deleted rows. Deleting a belief's row deletes its vector in the same transaction."""
        deleted = 0
        for store in self._stores():
            deleted += store.vectors.drop(store.vectors.rows(kind, ids))
        self._clear_caches()
        return deleted

    def clear(self) -> int:
        """Delete all vectors and return how many; `refresh` makes them again."""
        deleted = sum(store.vectors.clear() for store in self._stores() if not store.read_only)
        self._clear_caches()
        return deleted

    def waiting(self) -> int:
        """The number of texts without a vector."""
        return sum(store.vectors.census().due for store in self._stores())

    def check(self) -> HealthCheck:
        """The health check for `doctor`: the encoder and its progress."""
        if self.encoder() is None:
            if self.trouble:
                advice = "recall.encoder in your settings names it"
                return HealthCheck("meaning", ok=False, message=self.trouble, advice=advice)
            return HealthCheck("meaning", ok=None, message="no encoder: recall finds words alone, as the settings say")
        try:
            counts = [store.vectors.census() for store in self._stores()]
        except MemlspError as error:
            return HealthCheck("meaning", ok=False, message=f"could not look: {error}")
        rows, due = sum(each.rows for each in counts), sum(each.due for each in counts)
        message = f"{self.choice} encoder, {rows} vectors"
        if not due:
            return HealthCheck("meaning", ok=True, message=message)
        advice = "editors and agents that are open do it when they rest; memlsp settle does it now"
        return HealthCheck("meaning", ok=None, message=f"{message}, {due} texts wait", advice=advice)

    def _clear_caches(self) -> None:
        from memlsp.recall.side_index import clear_all  # late: forgetting is rare

        with self._lock:
            self._indexes.clear()
            self._side_indexes.clear()
            self._last_question = None
        for store in self._stores():
            clear_all(store.path.parent)
            rmtree(store.path.parent / "embeddings", ignore_errors=True)  # of an earlier release

    def _stores(self) -> tuple[Store, ...]:
        store, user = self._context.store, self._context.user
        return (store,) if user is store else (store, user)


def _has_vectors(store: Store) -> bool:
    """False also for a store that cannot be read."""
    try:
        return store.vectors.state()[1] > 0
    except MemlspError as error:
        _LOG.info("vectors of %s: %s", store.path, error)
        return False


def _open_side_index(store: Store, encoder: StaticEncoder) -> SideIndex | None:
    from memlsp.recall.side_index import SideIndex  # late: only for large stores

    side = SideIndex(store.path.parent, encoder.name, encoder.dimensions)
    return side if side.open() else None


def _encode_texts(waiting: Sequence[PendingText], encoder: StaticEncoder) -> list[tuple[PendingText, Vector]]:
    from memlsp.recall.nearest_vectors import quantized  # late: it needs numpy

    texts = [f"{each.said}\n{each.named}"[:_LONGEST_TEXT] for each in waiting]
    digests = [blake2b(text.encode("utf-8", "replace"), digest_size=16).digest() for text in texts]
    made = zip(waiting, digests, quantized(encoder.encode(texts)), strict=True)
    return [(each, Vector(each.kind, each.item, digest, scale, data)) for each, digest, (scale, data) in made]


def encoder_of(choice: str) -> StaticEncoder | None:
    """The encoder of a setting, `embedded` or `none` (None). Raises BadValue for another."""
    if choice == NONE:
        return None
    if choice != EMBEDDED:
        raise BadValue(f"there is no encoder {choice!r}", "embedded, which comes with memlsp, or none")
    from memlsp.recall.static_encoder import StaticEncoder  # late: it needs numpy

    return StaticEncoder()
