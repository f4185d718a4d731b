"""Import what people told agents before memlsp was there, from transcripts, as proposals that a person decides about.

Each proposal has evidence: the file, the line, and the quoted words. Its id is derived from its text, so that importing
again adds nothing twice. Each is durable before the next is read, so that the import can be stopped at any moment.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from attrs import define, evolve, field, frozen

from memlsp.agents import AGENTS
from memlsp.beliefs.claims.claims import references_in
from memlsp.beliefs.lifecycle.admission import new_id
from memlsp.beliefs.lifecycle.anchors import anchor_at
from memlsp.beliefs.lifecycle.proposals import propose
from memlsp.beliefs.mining.corrections import from_prompt
from memlsp.beliefs.mining.findings import MinedStatement, proposal_id
from memlsp.capture.transcripts import TranscriptEntry, TranscriptReader
from memlsp.capture.workspace.identity import resolve
from memlsp.memory.context import Context
from memlsp.memory.curation.duplicates import find_duplicate
from memlsp.memory.curation.revision import found_by
from memlsp.memory.curation.undo import IMPORT
from memlsp.memory.ingest.intake import EventIntake
from memlsp.memory.learning.past_sessions import PastSessions, is_gone
from memlsp.memory.learning.said_statements import KnownStatements
from memlsp.model.belief import Anchor, Evidence, EvidenceKind, ReferenceKind
from memlsp.model.caller import Cancel, Progress
from memlsp.model.errors import BadValue, MemlspError, NoSuchFile, Refused, StoreError

SOURCES = tuple(agent.name for agent in AGENTS if agent.transcript)
"""Agents whose transcripts can be read."""

Reader = Callable[[str, dict[str, Any]], Iterable[Mapping[str, Any]]]
"""Turns the payload of an agent's hook into event records (as in `store.journal`, not yet redacted)."""

_MOST_ANCHORS = 3
_BATCH = 500
_PATH = re.compile(r"(?<![\w/:])[\w@.-]*(?:/[\w@.-]+)+")


@frozen
class ImportedProposal:
    """An imported statement, with its evidence and places."""

    id: str
    text: str
    kind: str
    evidence: Evidence
    places: tuple[str, ...] = ()


@frozen
class SourceImport:
    """The result of an import.

    `looked_at` counts statements: `proposals` are new, `known` were proposed, admitted, rejected or recorded before,
    `unfit` are empty, too long or hold a secret. `elsewhere` counts sessions of other projects. `unreadable` names the
    files that could not be read. `events` counts observations of past sessions that were stored, `repeated` those that
    existed already. `session` names the import; undo it with `memory.undo.session`.
    """

    source: str
    session: str = ""
    files: int = 0
    done: int = 0
    sessions: int = 0
    looked_at: int = 0
    proposals: tuple[ImportedProposal, ...] = ()
    known: int = 0
    elsewhere: int = 0
    unfit: int = 0
    unreadable: tuple[str, ...] = ()
    events: int = 0
    repeated: int = 0
    stopped: bool = False


@frozen
class ImportScope:
    """How much to import: `everything`, or what belongs to this workspace. With `events` past sessions become events at
    their times: prompts, commands without output, and the files touched; with both, also those of folders that are not
    on this machine. With `dry_run` nothing is kept."""

    everything: bool = False
    events: bool = False
    dry_run: bool = False


class Imports:
    """Imports from other programs into one workspace."""

    def __init__(self, context: Context, intake: EventIntake) -> None:
        self._context = context
        self._intake = intake
        self._store = context.store
        self._worktree = context.worktree
        self._belongs_here = cache(self._belongs)

    def run(
        self,
        source: str,
        reader: Reader,
        *,
        origin: Path | None = None,
        scope: ImportScope | None = None,
        progress: Progress | None = None,
        cancelled: Cancel | None = None,
    ) -> SourceImport:
        """Import from `source` (one of SOURCES), at or below `origin` or from where that program stores its files.

        `progress` is called with the files done and their number; statements kept until `cancelled` stay. Raises
        BadValue for another source, NoSuchFile for a missing origin, Refused for one that holds nothing to read,
        StoreError.
        """
        if source not in SOURCES:
            raise BadValue(f"not a source: {source!r}", f"one of {', '.join(SOURCES)}")
        if origin is not None and not origin.exists():
            raise NoSuchFile(f"no such file: {origin}")
        module: Any = import_module(f"memlsp.capture.transcripts.{source.replace('-', '_')}")
        files = module.files(origin)
        if not files and origin is not None:
            raise Refused(f"nothing of {source} to read in {origin}", "name the file, or the folder that holds it")
        past = PastSessions(self._context, self._intake)
        name = f"{IMPORT}{source}-{new_id()}"
        run = _ImportRun(SourceImport(source, name, len(files)), reader, past, scope or ImportScope())
        stop = cancelled or (lambda: False)
        for path in files:
            if stop():
                run.state = evolve(run.state, stopped=True)
                break
            try:
                self._read_transcript(module, path, run, stop)
            except StoreError:
                raise
            except (OSError, MemlspError):
                run.state = evolve(run.state, unreadable=(*run.state.unreadable, home_relative(path)))
            run.add(done=1)
            if progress is not None:
                progress(run.state.done, len(files))
        return run.state

    # -- transcripts ------------------------------------------------------------------------------------------------

    def _read_transcript(self, module: TranscriptReader, path: Path, run: _ImportRun, stop: Callable[[], bool]) -> None:
        batch: list[dict[str, Any]] = []
        sessions: set[str] = set()
        elsewhere: set[str] = set()
        for entry in module.entries(path):
            if stop():
                run.state = evolve(run.state, stopped=True)
                break
            if not (run.scope.everything or self._belongs_here(entry.folder)):
                elsewhere.add(entry.session)
                continue
            sessions.add(entry.session)
            for record in run.reader(module.AGENT, entry.payload):
                if record.get("kind") == "prompt":
                    self._propose_from_prompt(path, entry, record, run)
                if run.scope.events and (self._belongs_here(entry.folder) or is_gone(entry.folder)):
                    made = run.past.observation(record, entry)
                    batch += [made] if made else []
            if len(batch) >= _BATCH:
                self._store_events(batch, run)
                batch = []
        self._store_events(batch, run)
        run.add(sessions=len(sessions), elsewhere=len(elsewhere - sessions))

    def _propose_from_prompt(
        self, path: Path, entry: TranscriptEntry, record: Mapping[str, Any], run: _ImportRun
    ) -> None:
        at, place = record.get("at"), (home_relative(path), entry.line or None, entry.line or None)
        when = datetime.fromtimestamp(at / 1000, UTC) if isinstance(at, int) else None
        told = Evidence(EvidenceKind.IMPORT, "", *place, session=entry.session, source=run.state.source, at=when)
        for found in from_prompt(str(record.get("text", ""))):
            self._propose(found, evolve(told, quote=found.quote, event=str(record.get("key", ""))), run)

    def _store_events(self, batch: list[dict[str, Any]], run: _ImportRun) -> None:
        if not batch or run.scope.dry_run:
            return
        stored, repeated = run.past.keep(batch)
        run.add(events=stored, repeated=repeated)

    # -- proposing --------------------------------------------------------------------------------------------------

    def _propose(self, found: MinedStatement, evidence: Evidence, run: _ImportRun) -> None:
        id = proposal_id(found.text)  # skip the search in the code for a known statement
        if id in run.seen or self._store.belief(id) is not None:
            run.add(looked_at=1, known=1)
            return
        now, verify = self._context.clock(), self._context.verified
        personal = self._context.screen().settings.personal
        anchors = tuple(self._anchors(found.text, now))
        new = propose(found, evidence, now=now, anchors=anchors, verify=verify, source="import", personal=personal)
        if new is None:
            run.add(looked_at=1, unfit=1)
            return
        belief = evolve(new[0], session=run.state.session)
        revision = evolve(new[1], session=run.state.session)
        run.seen.add(belief.id)
        is_known = bool(find_duplicate(self._store, belief) or KnownStatements(self._context).same(belief))
        if not (is_known or run.scope.dry_run):
            try:
                self._store.add(belief, revision, found_by(belief))
            except Refused:  # another process was quicker
                is_known = True
        run.add(looked_at=1, known=is_known)
        if is_known:
            return
        places = tuple(str(anchor.place) for anchor in belief.anchors)
        one = ImportedProposal(belief.id, belief.text, belief.kind.value, belief.evidence[0], places)
        run.state = evolve(run.state, proposals=(*run.state.proposals, one))

    def _anchors(self, text: str, now: datetime) -> Iterator[Anchor]:
        """Anchors for the files that the statement names and that exist: at a symbol that it names too, else at the
        file."""
        names = [each.text for each in references_in(text) if each.kind is ReferenceKind.IDENTIFIER]
        paths = dict.fromkeys(path for each in _PATH.findall(text) if (path := self._file(each)))
        for path in list(paths)[:_MOST_ANCHORS]:
            with suppress(MemlspError):
                yield anchor_at(self._worktree, path, line=None, symbol=self._symbol(path, names), now=now)

    def _symbol(self, path: str, names: list[str]) -> str | None:
        outline = self._worktree.outline(path)
        if outline is None:
            return None
        simple = (name.rpartition(".")[2].strip("()`") for name in names)
        return next(
            (found[0].name for name in simple if len(found := outline.named(name)) == 1 and found[0].name), None
        )

    def _file(self, written: str) -> str | None:
        """The file of this workspace that a path in a text names; None when there is none."""
        with suppress(MemlspError, ValueError, OSError):
            return self._worktree.relative(written.rstrip("."), self._worktree.root)
        return None

    def _belongs(self, name: str) -> bool:
        """True for a folder inside this workspace, or in another worktree or clone of it."""
        folder = Path(name)
        if folder.is_relative_to(self._worktree.root):
            return True
        with suppress(MemlspError, OSError):
            inside = folder.is_absolute() and folder.is_dir()
            return inside and resolve(folder, data=self._context.data_dir).key == self._context.workspace.key
        return False


@define(eq=False)
class _ImportRun:
    """The state of a running import."""

    state: SourceImport
    reader: Reader
    past: PastSessions
    scope: ImportScope
    seen: set[str] = field(factory=set[str])

    def add(self, **counts: int) -> None:
        """Add to the numbers of the state."""
        self.state = evolve(self.state, **{name: getattr(self.state, name) + more for name, more in counts.items()})


def home_relative(path: Path) -> str:
    """A path as evidence shows it: abbreviated with `~` below the home folder, so that no user name is stored."""
    with suppress(ValueError, RuntimeError):
        return f"~/{path.resolve().relative_to(Path.home().resolve()).as_posix()}"
    return path.as_posix()
