"""Keep on disk what the code says of beliefs, with all that this follows from, so that the next process need not parse
to say it again.

An answer is used while nothing that it follows from has moved: the belief as stored, the rules, the files and absences
that were looked at, and the list of files. It is never used for a file that an editor holds. Not kept are answers that
a search of all files led to, and those whose reasons quote what redaction takes out.
"""

from __future__ import annotations

import json
import os
from _blake2 import blake2b
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from attrs import frozen

from memlsp.capture.private_files import write_private
from memlsp.capture.workspace.stamp import Stamp
from memlsp.model.belief import Anchor, Belief, BeliefStatus
from memlsp.model.standing import Judgement, Reason, Standing, Tie
from memlsp.version import VERSION

if TYPE_CHECKING:
    from memlsp.capture.workspace.worktree import Worktree
    from memlsp.store import Store

NAME = "standings.json"
"""Of the file, in the folder of the workspace's store."""

_MOST = 10_000
_PAST = frozenset({BeliefStatus.SUPERSEDED, BeliefStatus.RETIRED})  # which are not compared with the code
_MOST_FOLDERS = 2_000
"""In a workspace with more, the list of files is made anew to compare it."""
_LARGEST = 16 << 20
_RULES = ("beliefs", "capture", "code", "model")


class LookedAt(Protocol):
    """What a judgement looked at: files with their states, whether they were there, and names that were asked for."""

    paths_seen: set[str]
    present: set[str]
    asked: dict[str, bool]
    searched: bool

    def state(self, path: str) -> object:
        """The state of a file before it was read."""
        ...

    def paths(self) -> tuple[str, ...]:
        """The files of the workspace."""
        ...


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

    def __init__(self, store: Store, user: Store, worktree: Worktree, redacted: Callable[[str], str]) -> None:
        self._redacted = redacted
        self._stores = (store, user)
        self._path = store.path.with_name(NAME)
        self._worktree = worktree
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
        stamps: dict[str, str] = {}
        found: dict[str, Judgement] = {}
        for belief, kept in wanted:
            if kept.until is None or now < datetime.fromisoformat(kept.until):
                made = _judgement(belief, kept) if self._holds(kept, stamps) else None
                if made is not None:
                    found[belief.id] = made
        return found

    def note(self, judgement: Judgement, digest: str | None, looked: LookedAt, until: datetime | None) -> None:
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

    # -- inside -----------------------------------------------------------------------------------------------------

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

    def _holds(self, kept: _KeptAnswer, stamps: dict[str, str]) -> bool:
        for path, before in kept.files.items():
            if self._worktree.has_buffer(path):
                return False
            if path not in stamps:
                stamps[path] = self._stamp(path)
            if stamps[path] != before:
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
