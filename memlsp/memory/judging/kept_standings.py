"""Keep what the code says of beliefs between two answers, so that an answer costs what changed: in memory, and on disk
for the next process, which need not parse to say it again.

A kept judgement is used while nothing that it follows from has moved. In memory those are the states of the files that
it was made from; after a search through the whole workspace (where has this symbol gone?), that a watcher runs and has
reported no change at all. On disk they are the belief as stored, the rules, the files and absences that were looked
at, and the list of files. The disk is never asked for a file that an editor holds. Not kept there are answers that a
search of all files led to, and those whose reasons quote what redaction takes out.
"""

from __future__ import annotations

import json
import os
import threading
from _blake2 import blake2b
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import cache
from pathlib import Path
from time import monotonic, time
from typing import TYPE_CHECKING, Any

from attrs import astuple, evolve, frozen

from memlsp.beliefs.files import FileSnapshot
from memlsp.capture.workspace.stamp import Stamp
from memlsp.model.belief import Anchor, Belief, BeliefStatus
from memlsp.model.errors import MemlspError
from memlsp.model.standing import Judgement, Reason, Standing, Tie
from memlsp.store.core.derived_rows import DerivedRows
from memlsp.version import VERSION

if TYPE_CHECKING:
    from memlsp.memory.context import Context
    from memlsp.store.store import Store

NAME = "standings.db"
"""Of the file, in the folder of the workspace's store."""

_MOST = 10_000  # judgements that are kept in memory; the oldest are dropped
_PAST = frozenset({BeliefStatus.SUPERSEDED, BeliefStatus.RETIRED})  # which are not compared with the code
_MOST_FOLDERS = 2_000  # in a workspace with more, the list of files is made anew to compare it
_LARGEST = 256 << 20
_WRITTEN_AT_ONCE = 64
_REST = 20  # times as long as a turn of judging ahead took
_LISTING, _TURN = "", "turn"  # keys of the list of files and of the last turn: no belief has such an id
_RULES = ("beliefs", "capture", "code", "model")


@frozen
class _CachedJudgement:
    """A judgement, the states of the files it was made from, and the date at which it ends. `generation` is the
    worktree's where the judgement used more than those files."""

    judgement: Judgement
    states: tuple[tuple[str, object], ...]
    generation: int | None
    until: datetime | None


class StandingCache:
    """Caches the judgements of one worktree. Safe to use from several threads. `watched` returns True while a watcher
    runs."""

    def __init__(self, context: Context, watched: Callable[[], bool], on_disk: KeptStandings | None) -> None:
        self._worktree = context.worktree
        self._on_disk = on_disk
        self._watched = watched
        self._clock = context.clock
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._kept: dict[str, _CachedJudgement] = {}

    def judge_all(self, beliefs: Sequence[Belief], look: FileSnapshot | None = None) -> Iterator[Judgement]:
        """Judge each belief by the code as it is now, or reuse its judgement where nothing that it was made from
        changed. Without `look` the files are looked at anew."""
        look = look or FileSnapshot(self._worktree)
        generation, now = self._worktree.generation(), self._clock()
        current = generation if self._watched() else None
        with self._lock:
            kept = {each.id: self._kept[each.id] for each in beliefs if each.id in self._kept}
        known = {
            each.id: kept[each.id].judgement
            for each in beliefs
            if each.id in kept and self._holds(kept[each.id], each, look, current, now)
        }
        digests: dict[str, str] = {}
        on_disk = self._on_disk
        rest = [each for each in beliefs if each.id not in known]
        if on_disk is not None and rest:
            with self._writing:
                digests = on_disk.digests(rest)
                known |= on_disk.judgements(rest, digests, now, look)
        for belief in beliefs:
            if belief.id in known:
                yield known[belief.id]
                continue
            from memlsp.beliefs.standing.standing import judge_in  # late: all of the parsing is behind it

            look.begin()
            judgement = judge_in(belief, look, now=now)
            until = self._keep(judgement, look, generation, now)
            if on_disk is not None:
                with self._writing:
                    on_disk.note(judgement, digests.get(belief.id), look, until)
            yield judgement

    def judge_ahead(self, store: Store, seconds: float, stop: Callable[[], bool]) -> None:
        """Judge the active beliefs of which nothing is kept that holds, for about this long, so that the next question
        finds it. At most a twentieth of the time is spent on it: the next turn, which goes on where this one ended,
        waits for that."""
        kept, began = self._on_disk, monotonic()
        if kept is None or (after := kept.turn()) is None:
            return
        while monotonic() - began < seconds and not stop():
            ids, look = store.active_ids(after, _WRITTEN_AT_ONCE), FileSnapshot(self._worktree)
            with self._writing:
                due = kept.due(ids, self._clock(), look)
            deque(self.judge_all(store.several(due), look), maxlen=0)
            after = ids[-1] if len(ids) == _WRITTEN_AT_ONCE else ""
            if not after:
                break
        with self._writing:
            kept.end_turn(after, _REST * (monotonic() - began))

    def close(self) -> None:
        """Write what the next process may reuse."""
        if self._on_disk is not None:
            with self._writing:
                self._on_disk.close()

    def retain(self, ids: Collection[str]) -> None:
        """Drop the judgements of all other beliefs: they may have been forgotten."""
        with self._lock:
            for id in self._kept.keys() - set(ids):
                del self._kept[id]

    def _holds(
        self, kept: _CachedJudgement, belief: Belief, look: FileSnapshot, generation: int | None, now: datetime
    ) -> bool:
        if kept.generation is not None and kept.generation != generation:
            return False
        if kept.until is not None and now >= kept.until:
            return False
        if kept.judgement.belief != belief:
            return False
        return all(look.state(path) == state for path, state in kept.states)

    def _keep(self, judgement: Judgement, look: FileSnapshot, generation: int, now: datetime) -> datetime | None:
        """Keep a judgement; return when it ends by its date."""
        belief = judgement.belief
        states = tuple((path, look.state(path)) for path in look.paths_seen)
        settled = all(state is not None and not self._worktree.awaits(path) for path, state in states)
        until = next_date((belief,), now)
        wide = None if settled and not look.is_wide else generation
        kept = _CachedJudgement(judgement, states if settled else (), wide, until)
        with self._lock:
            self._kept.pop(belief.id, None)
            self._kept[belief.id] = kept
            if len(self._kept) > _MOST:
                del self._kept[next(iter(self._kept))]
        return until


def next_date(beliefs: Iterable[Belief], now: datetime) -> datetime | None:
    """When the first of these beliefs expires or is to be confirmed; None for never."""
    dates = (each for belief in beliefs for each in (belief.expires_at, belief.unconfirmed_at))
    return min((each for each in dates if each is not None and each > now), default=None)


# --- on disk


@frozen
class _KeptAnswer:
    """A judgement as kept: of which state of the belief, by which files (stamp and digest of each) and names, in which
    list of files ("" where it does not matter), until when."""

    digest: str
    standing: str
    files: Mapping[str, Sequence[str]]
    asked: Mapping[str, bool]
    listing: str
    until: str | None
    ties: Sequence[Sequence[Any]]
    reasons: Sequence[Sequence[Any]]


_NOT_KEPT = _KeptAnswer("", "", {}, {}, "", None, (), ())  # of what is made anew each time, and not judged ahead


class KeptStandings:
    """The kept answers of one memory. Not to be shared by threads. Never raises for a state of the disk."""

    def __init__(self, context: Context) -> None:
        self._redacted = context.redacted
        self._stores = context.stores
        self._rows = DerivedRows(context.store.path.with_name(NAME), _LARGEST)
        self._worktree = context.worktree
        self._epochs: list[str] | None = None
        self._fresh: dict[str, _KeptAnswer] = {}
        self._listed: tuple[Sequence[str], str] = ((), "")

    def digests(self, beliefs: Sequence[Belief]) -> dict[str, str]:
        """What tells the stored state of each belief from any other, by id. Nothing is kept of beliefs that were read
        before something was erased."""
        epochs, before = self._epochs_now(), self._epochs
        self._epochs = epochs
        if before not in (epochs, None):
            self._fresh.clear()
            return {}
        return {id: digest for store in self._stores for id, digest in store.digests(beliefs).items()}

    def judgements(
        self, beliefs: Sequence[Belief], digests: Mapping[str, str], now: datetime, look: FileSnapshot
    ) -> dict[str, Judgement]:
        """The kept judgements that hold now, by the id of the belief."""
        kept = self._answers([each.id for each in beliefs if each.id in digests])
        same = [each for each in beliefs if each.id in kept and kept[each.id].digest == digests[each.id]]
        made = (_judgement(each, kept[each.id]) for each in same if self._holds(each.id, kept[each.id], now, look))
        return {each.belief.id: each for each in made if each is not None}

    def due(self, ids: Sequence[str], now: datetime, look: FileSnapshot) -> list[str]:
        """Those of the beliefs of which nothing is kept that holds now."""
        kept = self._answers(ids)
        return [id for id in ids if id not in kept or not self._holds(id, kept[id], now, look)]

    def note(self, judgement: Judgement, digest: str | None, looked: FileSnapshot, until: datetime | None) -> None:
        """Keep a judgement that was just made, unless a search led to it or it quotes what must not be stored."""
        answer = self._answer(judgement, digest, looked, until) if digest is not None else None
        if answer is not None:
            self._fresh[judgement.belief.id] = answer
        if len(self._fresh) >= _WRITTEN_AT_ONCE:
            self.write()

    def _answer(
        self, judgement: Judgement, digest: str, looked: FileSnapshot, until: datetime | None
    ) -> _KeptAnswer | None:
        if looked.searched or any(tie.candidates for tie in judgement.ties):
            return _NOT_KEPT
        told = [*judgement.reasons, *(each for tie in judgement.ties for each in tie.reasons)]
        said = "\n".join(each.message for each in told)
        if said and self._redacted(said) != said:
            return _NOT_KEPT
        files: dict[str, Sequence[str]] = {}
        for path in looked.paths_seen:
            state, seen = looked.state(path), self._seen(path)
            if isinstance(state, Stamp) and state.settled:
                if not seen[0].startswith(f"{state.mtime_ns}:{state.size}:{state.file[0]}:{state.file[1]}:"):
                    return None
            elif state is not None or seen[0] or path in looked.present:
                return None
            files[path] = seen
        ties = [_packed(tie) for tie in judgement.ties]
        listing = self._digest_of(looked.paths()) if ties else ""
        ends = until.isoformat() if until is not None else None
        return _KeptAnswer(
            digest, judgement.standing.value, files, dict(looked.asked), listing, ends, ties, _plain(judgement.reasons)
        )

    def turn(self) -> str | None:
        """The belief at which the last turn of judging ahead ended, "" for the start; None before the next is due."""
        self._epochs = self._epochs or self._epochs_now()
        with suppress(LookupError, ValueError, TypeError):
            after, rests_until = json.loads(str(self._rows.read(self._mark(), [_TURN])[_TURN]))
            return str(after) if rests_until <= time() else None
        return ""

    def end_turn(self, after: str, rest: float) -> None:
        """Write where a turn ended, and how many seconds to wait before the next."""
        self.write()
        self._rows.write(self._mark(), {_TURN: json.dumps([after, time() + rest])})

    def write(self) -> None:
        """Write what was noted. A full disk, or a store that cannot be written, loses it and nothing else."""
        fresh, self._fresh = self._fresh, {}
        if not fresh or self._stores[0].read_only:
            return
        rows = {id: json.dumps(astuple(each, recurse=False), separators=(",", ":")) for id, each in fresh.items()}
        rows[_LISTING] = json.dumps([self._digest_of(self._worktree.paths()), self._listing_stamps()])
        self._rows.write(self._mark(), rows)
        if self._epochs_now() != self._epochs:  # something was erased meanwhile
            self._rows.clear()

    def close(self) -> None:
        """Write what was noted, and close the file."""
        self.write()
        self._rows.close()

    def _answers(self, ids: Sequence[str]) -> dict[str, _KeptAnswer]:
        found: dict[str, _KeptAnswer] = {}
        for id, text in self._rows.read(self._mark(), ids).items():
            with suppress(ValueError, TypeError, RecursionError):
                found[id] = _KeptAnswer(*json.loads(str(text)))
        return {**found, **{id: self._fresh[id] for id in ids if id in self._fresh}}

    def _mark(self) -> str:
        return json.dumps([_rules(), self._epochs])

    def _holds(self, id: str, kept: _KeptAnswer, now: datetime, look: FileSnapshot) -> bool:
        with suppress(TypeError, ValueError, AttributeError):  # of a damaged answer
            if kept.until is not None and now >= datetime.fromisoformat(kept.until):
                return False
            if kept.listing and kept.listing != self._listing_now(look):
                return False
            root = f"{self._worktree.root}{os.sep}"
            moved = [path for path, (stamp, _) in kept.files.items() if _stamp(f"{root}{path}") != stamp]
            files = {path: self._seen(path) for path in moved}
            if any(not seen[1] or seen[1] != kept.files[path][1] for path, seen in files.items()):
                return False
            if any(self._worktree.has_buffer(path) for path in kept.files):
                return False
            if files and all(self._worktree.state(path) is not None for path in files):  # written again as it was
                self._fresh[id] = evolve(kept, files={**kept.files, **files})
            return all(self._worktree.exists(path) == before for path, before in kept.asked.items())
        return False

    def _listing_now(self, look: FileSnapshot) -> str:
        """The digest of the list of files: as it was kept while the stamps of the folders are the same."""
        if not look.listing:
            with suppress(LookupError, ValueError, TypeError, AttributeError):
                listing, stamps = json.loads(str(self._rows.read(self._mark(), [_LISTING])[_LISTING]))
                if stamps and all(_stamp(path) == before for path, before in stamps.items()):
                    look.listing = listing
            look.listing = look.listing or self._digest_of(self._worktree.paths())
        return look.listing

    def _digest_of(self, paths: Sequence[str]) -> str:
        if self._listed[0] is not paths:
            self._listed = paths, blake2b("\0".join(paths).encode(), digest_size=16).hexdigest()
        return self._listed[1]

    def _listing_stamps(self) -> dict[str, str]:
        """The stamps of all that the list of files follows from; none when one of them may move unnoticed."""
        found: dict[str, str] = {}
        for path, stamp in self._worktree.listing.stamps().items():
            text = found[path] = _stamp(path)
            known = f"{stamp.mtime_ns}:{stamp.size}:" if stamp is not None and stamp.settled else ""
            if (not known and (stamp is not None or text)) or not text.startswith(known) or len(found) > _MOST_FOLDERS:
                return {}
        return found

    def _seen(self, path: str) -> tuple[str, str]:
        """The stamp of a file now ("" for none) and the digest of its text ("" where it cannot be told)."""
        full = f"{self._worktree.root}{os.sep}{path}"
        before = _stamp(full)
        with suppress(MemlspError, OSError):
            data = self._worktree.saved(path) if before else None
            if data is not None and _stamp(full) == before:
                return before, blake2b(data, digest_size=16).hexdigest()
        return before, ""

    def _epochs_now(self) -> list[str]:
        return [store.erasure_epoch() for store in self._stores]


def _plain(reasons: Sequence[Reason]) -> list[list[str | None]]:
    return [[each.code, each.message, each.path, each.symbol] for each in reasons]


def _packed(tie: Tie) -> list[Any]:
    where = (tie.path, tie.symbol, tie.line, tie.start_column, tie.end_column, tie.found)
    return [tie.standing.value, *where, _plain(tie.reasons), tie.likely, tie.aside]


def _tie(anchor: Anchor, packed: Sequence[Any]) -> Tie:
    standing, path, symbol, line, start, end, found, reasons, likely, aside = packed
    place = (path, symbol, line, start, end, found)
    return Tie(anchor, Standing(standing), *place, tuple(Reason(*each) for each in reasons), likely=likely, aside=aside)


def _judgement(belief: Belief, kept: _KeptAnswer) -> Judgement | None:
    """The judgement of a kept answer; None when the answer is damaged."""
    anchors = () if belief.status in _PAST else belief.anchors
    with suppress(TypeError, ValueError):
        ties = tuple(_tie(*each) for each in zip(anchors, kept.ties, strict=True))
        return Judgement(belief, Standing(kept.standing), tuple(Reason(*each) for each in kept.reasons), ties)
    return None


def _stamp(path: str) -> str:
    """Text that differs when a file or folder does; "" when there is none. Moves also when a time was set back."""
    try:
        status = os.stat(path)  # noqa: PTH116  called for every folder
    except (OSError, ValueError):
        return ""
    return f"{status.st_mtime_ns}:{status.st_size}:{status.st_dev}:{status.st_ino}:{status.st_ctime_ns}"


@cache
def _rules() -> str:
    """What differs when judging may: the version, and the sources and grammars as they are installed."""
    digest = blake2b(VERSION.encode(), digest_size=16)
    here = Path(__file__).resolve().parents[2]
    for part in _RULES:
        for folder, folders, names in os.walk(here / part):
            folders[:] = sorted(name for name in folders if name != "__pycache__")
            for name in sorted(names):
                status = os.stat(os.path.join(folder, name))  # noqa: PTH116, PTH118  as above
                digest.update(f"{name}:{status.st_mtime_ns}:{status.st_size}".encode())
    from importlib.util import find_spec

    spec = find_spec("tree_sitter")
    beside = Path(spec.origin).parents[1] if spec is not None and spec.origin else here
    digest.update("\0".join(sorted(name for name in os.listdir(beside) if "tree_sitter" in name)).encode())  # noqa: PTH208
    return digest.hexdigest()
