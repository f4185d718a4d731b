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
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import frozen

from memlsp.beliefs.files import FileSnapshot
from memlsp.capture.private_files import write_private
from memlsp.capture.workspace.stamp import Stamp
from memlsp.capture.workspace.worktree import Worktree
from memlsp.model.belief import Anchor, Belief, BeliefStatus
from memlsp.model.standing import Judgement, Reason, Standing, Tie
from memlsp.version import VERSION

if TYPE_CHECKING:
    from memlsp.code.syntax.outline import Outline
    from memlsp.memory.context import Context

_Seen = TypeVar("_Seen")

NAME = "standings.json"
"""Of the file, in the folder of the workspace's store."""

_MOST = 10_000  # judgements that are kept; the oldest are dropped
_PAST = frozenset({BeliefStatus.SUPERSEDED, BeliefStatus.RETIRED})  # which are not compared with the code
_MOST_FOLDERS = 2_000  # in a workspace with more, the list of files is made anew to compare it
_LARGEST = 16 << 20
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

    def judge_all(self, beliefs: Sequence[Belief], look: RecordingSnapshot | None = None) -> Iterator[Judgement]:
        """Judge each belief by the code as it is now, or reuse its judgement where nothing that it was made from
        changed. Without `look` the files are looked at anew."""
        look = look or RecordingSnapshot(self._worktree)
        generation, now, watched = self._worktree.generation(), self._clock(), self._watched()
        on_disk = None if watched else self._on_disk
        digests: dict[str, str] = {}
        known: dict[str, Judgement] = {}
        if on_disk is not None:
            with self._writing:
                digests = on_disk.digests(beliefs)
                known = on_disk.judgements(beliefs, digests, now)
        for belief in beliefs:
            if belief.id in known:
                yield known[belief.id]
                continue
            with self._lock:
                kept = self._kept.get(belief.id)
            if kept is not None and self._holds(kept, belief, look, generation if watched else None, now):
                yield kept.judgement
                continue
            from memlsp.beliefs.standing.standing import judge_in  # late: all of the parsing is behind it

            look.begin()
            judgement = judge_in(belief, look, now=now)
            until = self._keep(judgement, look, generation, now)
            if on_disk is not None:
                with self._writing:
                    on_disk.note(judgement, digests.get(belief.id), look, until)
            yield judgement

    def close(self) -> None:
        """Write what the next process may reuse."""
        if self._on_disk is not None:
            with self._writing:
                self._on_disk.write()

    def retain(self, ids: Collection[str]) -> None:
        """Drop the judgements of all other beliefs: they may have been forgotten."""
        with self._lock:
            for id in self._kept.keys() - set(ids):
                del self._kept[id]

    def _holds(
        self, kept: _CachedJudgement, belief: Belief, look: RecordingSnapshot, generation: int | None, now: datetime
    ) -> bool:
        if kept.generation is not None and kept.generation != generation:
            return False
        if kept.until is not None and now >= kept.until:
            return False
        if kept.judgement.belief != belief:
            return False
        return all(look.state(path) == state for path, state in kept.states)

    def _keep(self, judgement: Judgement, look: RecordingSnapshot, generation: int, now: datetime) -> datetime | None:
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


class RecordingSnapshot(FileSnapshot):
    """A snapshot that records which files were used. Not to be shared by threads.

    A state is taken before its file is read, so a change in between is noticed at the next listing.
    """

    def __init__(self, worktree: Worktree) -> None:
        super().__init__(worktree)
        self._states: dict[str, object] = {}
        self.begin()

    def begin(self) -> None:
        """Start recording for another belief."""
        self.paths_seen: set[str] = set()
        self.present: set[str] = set()  # of them, those that were there
        self.asked: dict[str, bool] = {}  # names, and whether there was such a file or folder
        self.is_wide = False
        self.searched = False

    def state(self, path: str) -> object:
        """A value that differs for every content of the file; None where there is no such value."""
        if path not in self._states:
            self._states[path] = self._worktree.state(path)
        return self._states[path]

    def paths(self) -> tuple[str, ...]:
        """The files of the workspace, sorted."""
        self.is_wide = True
        return super().paths()

    def exists(self, path: str) -> bool:
        """True when there is such a file or folder."""
        self.is_wide = True
        found = self.asked[path] = super().exists(path)
        return found

    def read(self, path: str) -> bytes | None:
        """The bytes of a file now. Raises the errors of the worktree."""
        return self._noted(path, super().read)

    def outline(self, path: str) -> Outline | None:
        """The symbols of a file now."""
        return self._noted(path, super().outline)

    def containing(
        self, texts: Sequence[bytes], *, suffixes: Sequence[str] = (), limit: int = 200, near: str = ""
    ) -> list[str]:
        """Return the files that contain all `texts`."""
        self.is_wide = self.searched = True
        return super().containing(texts, suffixes=suffixes, limit=limit, near=near)

    def head(self) -> str | None:
        """The commit that is checked out."""
        self.is_wide = self.searched = True
        return super().head()

    def _noted(self, path: str, look: Callable[[str], _Seen | None]) -> _Seen | None:
        self._see(path)
        found = look(path)
        if found is not None:
            self.present.add(path)
        return found

    def _see(self, path: str) -> None:
        self.state(path)
        self.paths_seen.add(path)


# --- on disk


@frozen
class _KeptAnswer:
    """A judgement as kept: of which state of the belief, by which files and names, until when."""

    digest: str
    standing: str
    files: Mapping[str, str]
    asked: Mapping[str, bool]
    until: str | None
    ties: Sequence[Sequence[Any]]
    reasons: Sequence[Sequence[Any]]


class KeptStandings:
    """The kept answers of one checkout. Not to be shared by threads. Never raises for a state of the disk."""

    def __init__(self, context: Context) -> None:
        self._redacted = context.redacted
        self._stores = context.stores
        self._path = context.store.path.with_name(NAME)
        self._worktree = context.worktree
        self._epochs: list[str] = []
        self._answers: dict[str, _KeptAnswer] | None = None
        self._listing: str = ""
        self._fresh: dict[str, tuple[_KeptAnswer, tuple[str, ...]]] = {}
        self._stamped: Mapping[str, str] = {}

    def digests(self, beliefs: Sequence[Belief]) -> dict[str, str]:
        """What tells the stored state of each belief from any other, by id."""
        return {id: digest for store in self._stores for id, digest in store.digests(beliefs).items()}

    def judgements(self, beliefs: Sequence[Belief], digests: Mapping[str, str], now: datetime) -> dict[str, Judgement]:
        """The kept judgements that hold now, by the id of the belief."""
        answers = self._load()
        wanted = [(each, answers[each.id]) for each in beliefs if each.id in answers]
        wanted = [(each, kept) for each, kept in wanted if kept.digest == digests.get(each.id)]
        if not wanted or (any(kept.ties for _, kept in wanted) and not self._is_listed_as_before()):
            wanted = [(each, kept) for each, kept in wanted if not kept.ties]
        stamp = cache(self._stamp)
        found: dict[str, Judgement] = {}
        for belief, kept in wanted:
            if kept.until is None or now < datetime.fromisoformat(kept.until):
                made = _judgement(belief, kept) if self._holds(kept, stamp) else None
                if made is not None:
                    found[belief.id] = made
        return found

    def note(self, judgement: Judgement, digest: str | None, looked: RecordingSnapshot, until: datetime | None) -> None:
        """Keep a judgement that was just made, unless a search led to it or it quotes what must not be stored."""
        if digest is None or looked.searched or any(tie.candidates for tie in judgement.ties):
            return
        told = [*judgement.reasons, *(each for tie in judgement.ties for each in tie.reasons)]
        said = "\n".join(each.message for each in told)
        if said and self._redacted(said) != said:
            return
        files: dict[str, str] = {}
        for path in looked.paths_seen:
            state, text = looked.state(path), self._stamp(path)
            if isinstance(state, Stamp) and state.settled:
                if not text.startswith(f"{state.mtime_ns}:{state.size}:{state.file[0]}:{state.file[1]}:"):
                    return
            elif state is not None or text or path in looked.present:
                return
            files[path] = text
        ties = [_packed(tie) for tie in judgement.ties]
        reasons = _plain(judgement.reasons)
        ends = until.isoformat() if until is not None else None
        answer = _KeptAnswer(digest, judgement.standing.value, files, dict(looked.asked), ends, ties, reasons)
        self._fresh[judgement.belief.id] = (answer, looked.paths() if ties else ())

    def write(self) -> None:
        """Write what was noted. A full disk, or a store that cannot be written, loses it and nothing else."""
        if not self._fresh or self._stores[0].read_only:
            return
        answers = self._load()
        paths = self._worktree.paths()
        listing = _digest(paths)
        if listing != self._listing:
            answers = {id: each for id, each in answers.items() if not each.ties}
        for id, (answer, listed) in self._fresh.items():
            if not answer.ties or listed == paths:
                answers.pop(id, None)
                answers[id] = answer
        self._fresh = {}
        files: dict[str, str] = {}
        for answer in answers.values():
            files.update(answer.files)
        kept = [(id, each) for id, each in answers.items() if all(files[p] == s for p, s in each.files.items())]
        document = {
            "rules": _rules(),
            "root": str(self._worktree.root),
            "erased": self._epochs,
            "listing": [listing, self._listing_stamps()],
            "files": files,
            "answers": {
                id: [e.digest, e.standing, list(e.files), dict(e.asked), e.until, e.ties, e.reasons]
                for id, e in kept[-_MOST:]
            },
        }
        with suppress(OSError, ValueError):
            write_private(str(self._path), json.dumps(document, separators=(",", ":")).encode())
            if self._epochs_now() != self._epochs:  # something was erased meanwhile
                self._path.unlink()

    def _load(self) -> dict[str, _KeptAnswer]:
        if self._answers is None:
            self._epochs = self._epochs_now()
            try:
                with self._path.open("rb") as file:
                    document = json.loads(file.read(_LARGEST))
                known = (document["rules"], document["root"], document["erased"])
                if known != (_rules(), str(self._worktree.root), self._epochs):
                    raise ValueError("of another program, checkout or time")  # noqa: TRY301  as any other damage
                self._listing, self._stamped = document["listing"]
                files = document["files"]
                self._answers = {
                    id: _KeptAnswer(digest, standing, {path: files[path] for path in paths}, *rest)
                    for id, (digest, standing, paths, *rest) in document["answers"].items()
                }
            except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
                self._answers, self._listing, self._stamped = {}, "", {}
        return self._answers

    def _holds(self, kept: _KeptAnswer, stamp: Callable[[str], str]) -> bool:
        if any(self._worktree.has_buffer(path) or stamp(path) != before for path, before in kept.files.items()):
            return False
        return all(self._worktree.exists(path) == before for path, before in kept.asked.items())

    def _is_listed_as_before(self) -> bool:
        """True while the workspace has the same files: by the stamps of its folders, else by the list itself."""
        if self._stamped and all(_stamp(path) == before for path, before in self._stamped.items()):
            return True
        return _digest(self._worktree.paths()) == self._listing

    def _listing_stamps(self) -> dict[str, str]:
        """The stamps of all that the list of files follows from; none when one of them may move unnoticed."""
        found: dict[str, str] = {}
        for path, stamp in self._worktree.listing.stamps().items():
            text = found[path] = _stamp(path)
            known = f"{stamp.mtime_ns}:{stamp.size}:" if stamp is not None and stamp.settled else ""
            if (not known and (stamp is not None or text)) or not text.startswith(known) or len(found) > _MOST_FOLDERS:
                return {}
        return found

    def _stamp(self, path: str) -> str:
        return _stamp(f"{self._worktree.root}{os.sep}{path}")

    def _epochs_now(self) -> list[str]:
        return [store.erasure_epoch() for store in self._stores]


def _plain(reasons: Sequence[Reason]) -> list[list[str | None]]:
    return [[each.code, each.message, each.path, each.symbol] for each in reasons]


def _reasons(plain: Sequence[Sequence[Any]]) -> tuple[Reason, ...]:
    return tuple(Reason(*each) for each in plain)


def _packed(tie: Tie) -> list[Any]:
    where = (tie.path, tie.symbol, tie.line, tie.start_column, tie.end_column, tie.found)
    return [tie.standing.value, *where, _plain(tie.reasons), tie.likely, tie.aside]


def _tie(anchor: Anchor, packed: Sequence[Any]) -> Tie:
    standing, path, symbol, line, start, end, found, reasons, likely, aside = packed
    place = (path, symbol, line, start, end, found)
    return Tie(anchor, Standing(standing), *place, _reasons(reasons), likely=likely, aside=aside)


def _judgement(belief: Belief, kept: _KeptAnswer) -> Judgement | None:
    """The judgement of a kept answer; None when the answer is damaged."""
    anchors = () if belief.status in _PAST else belief.anchors
    with suppress(TypeError, ValueError):
        ties = tuple(_tie(*each) for each in zip(anchors, kept.ties, strict=True))
        return Judgement(belief, Standing(kept.standing), _reasons(kept.reasons), ties)
    return None


def _stamp(path: str) -> str:
    """Text that differs when a file or folder does; "" when there is none. Moves also when a time was set back."""
    try:
        status = os.stat(path)  # noqa: PTH116  called for every folder
    except (OSError, ValueError):
        return ""
    return f"{status.st_mtime_ns}:{status.st_size}:{status.st_dev}:{status.st_ino}:{status.st_ctime_ns}"


def _digest(paths: Sequence[str]) -> str:
    return blake2b("\0".join(paths).encode(), digest_size=16).hexdigest()


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
