"""Mine proposals from the repository and from events, for a person to decide about."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from subprocess import TimeoutExpired

from attrs import evolve, frozen

from memlsp.beliefs.lifecycle.admission import Maker
from memlsp.beliefs.lifecycle.confidence import RULE
from memlsp.beliefs.lifecycle.proposals import MINER, admit_proposal, propose
from memlsp.beliefs.mining.findings import proposal_id
from memlsp.beliefs.mining.procedures import Tried, from_commands
from memlsp.beliefs.mining.statement_form import is_near
from memlsp.beliefs.standing.standing import judge_all
from memlsp.capture.child_process import start_module
from memlsp.capture.git.messages import message_of
from memlsp.capture.redaction.redaction import redact
from memlsp.capture.workspace.globs import matches
from memlsp.memory.context import Context
from memlsp.memory.curation.conflicts import Conflicts
from memlsp.memory.curation.duplicates import find_duplicate
from memlsp.memory.curation.revision import found_by
from memlsp.memory.learning.repo_scan import RepoScan, ScannedStatement, of_message, watched_documents
from memlsp.memory.learning.said_statements import KnownStatements, SaidStatements
from memlsp.model.belief import Belief, BeliefKind, BeliefStatus, Evidence, EvidenceKind, RevisionAction
from memlsp.model.caller import Cancel, Progress
from memlsp.model.errors import MemlspError, Refused
from memlsp.model.event import Event, EventKind
from memlsp.model.standing import Judgement
from memlsp.store.tables.event_repository import EventQuery

Rule = tuple[str, tuple[str, ...], tuple[str, ...], float]
"""A path pattern, kinds and sources, each empty for any, and the least confidence; as in the settings."""

_MOST_EVENTS_BEFORE = 12  # events of a session before a command
_SECONDS_OF_REFERENCES = 15.0  # time to look up names; later statements get no references
_BELIEVED = frozenset({BeliefStatus.PROPOSED, BeliefStatus.ACTIVE})
_MOST_DOCUMENTS = 5  # of one event


@frozen
class Learned:
    """The result of mining: the new proposals, the ids of those that a rule of the user admitted, and whether it was
    stopped early."""

    made: tuple[Belief, ...]
    admitted: tuple[str, ...] = ()
    stopped: bool = False


_MINED_KEY = "learning.looked-through"
_MINING_MODULE = "memlsp.memory.learning.learning_process"
_POLL = 0.1  # seconds between two checks whether the process was cancelled
_ENDS_WITHIN = 2.0  # seconds after it was cancelled


class Proposals:
    """The proposals of one workspace. A proposal is not served until it is admitted."""

    def __init__(self, context: Context, conflicts: Conflicts) -> None:
        self._context = context
        self._conflicts = conflicts
        self._store = context.store
        self._worktree = context.worktree
        self._said = SaidStatements(context, conflicts)

    def list(self) -> tuple[Judgement, ...]:
        """The open proposals with their standing: those whose source still says so first, then by the place of the
        source."""
        waiting = self._store.beliefs(status=(BeliefStatus.PROPOSED,))
        judged = judge_all(waiting, self._worktree, now=self._context.clock())
        return tuple(sorted(judged, key=lambda each: (not each.standing.holds, _place(each.belief), each.belief.id)))

    # -- learning ---------------------------------------------------------------------------------------------------

    def learn(
        self, *, progress: Progress | None = None, cancelled: Cancel | None = None, dry_run: bool = False
    ) -> Learned:
        """Mine the documents, comments and newest commits of the workspace. A statement that was proposed before,
        whatever its fate, is not proposed again. With `dry_run` nothing is stored.

        `progress` is called with (files done, all files), `cancelled` before each file. Raises StoreError.
        """
        stop = cancelled or (lambda: False)
        scan = RepoScan(self._worktree, self._context.clock(), progress=progress, cancelled=stop)
        statements = scan.all(lambda id: self._store.belief(id) is not None)
        made, by_rule = self._propose(statements, dry_run=dry_run)
        stopped = stop()
        if not stopped and not dry_run and not self._store.read_only:
            self._store.set_info(_MINED_KEY, f"{self._context.clock():%Y-%m-%d}")
        return Learned(tuple(made), tuple(by_rule), stopped)

    def is_due(self) -> bool:
        """True until the workspace was mined once; later statements are learned from events."""
        return not self._store.read_only and self._store.workspace_info(_MINED_KEY) is None

    def learn_aside(self, cancelled: Callable[[], bool]) -> bool:
        """Mine the workspace in a child process, so that this process stays responsive; True when it was completed. The
        child ends within two seconds of being cancelled. Raises OSError when it cannot be started."""
        root, data = str(self._worktree.root), str(self._context.data_dir)
        with start_module("", (sys.executable, "-P", "-m", _MINING_MODULE, root, "--data", data)) as child:
            while child.poll() is None and not cancelled():
                with suppress(TimeoutExpired):
                    child.wait(_POLL)
            if child.stdin is not None:
                child.stdin.close()
            try:
                child.wait(_ENDS_WITHIN)
            except TimeoutExpired:
                child.kill()
            return child.wait() == 0

    def observe(self, event: Event) -> tuple[str, ...]:
        """Learn from one event: a lasting statement in a prompt, a command that works where another failed, the reason
        in a commit message, an edited document with instructions. Returns the ids of new proposals."""
        if event.kind in {EventKind.PROMPT, EventKind.TOOL}:
            return self._of_person(event)
        made, _ = self._propose(list(self._of_event(event)))
        return tuple(belief.id for belief in made)

    def _of_person(self, event: Event) -> tuple[str, ...]:
        """Keep what a person said; what only seems to last becomes a proposal."""
        rules = self._context.screen().settings.admit
        kept: list[str] = []
        waiting: list[ScannedStatement] = []
        direct: set[str] = set()
        for found, evidence in self._said.of_event(event):
            admitted = any(_names(rule, found.kind, found.confidence, (evidence,)) for rule in rules)
            id = self._said.keep(found, evidence, admitted=admitted)
            if id is None:
                waiting.append(ScannedStatement("prompt", found, evidence))
                if admitted and found.direct:
                    direct.add(proposal_id(found.text))
            elif id:
                kept.append(id)
        made, _ = self._propose(waiting)
        for belief in made:
            if belief.id in direct:
                self._said.ask_about_twin(belief)
        return (*kept, *(belief.id for belief in made))

    def _of_event(self, event: Event) -> Iterable[ScannedStatement]:
        if event.kind is EventKind.COMMAND and event.ok is True and event.session:
            return self._of_command(event)
        if event.kind is EventKind.COMMIT and event.commit:
            message = message_of(self._worktree.root, event.commit)
            statement = None if message is None else of_message(message)
            return [] if statement is None else [statement]
        if event.kind in {EventKind.EDIT, EventKind.FILES}:
            scan = RepoScan(self._worktree, self._context.clock())
            paths = watched_documents(event.paths)[:_MOST_DOCUMENTS]
            return [statement for path in paths for statement in scan.of_file(path)]
        return []

    def _of_command(self, event: Event) -> list[ScannedStatement]:
        kinds = (EventKind.COMMAND, EventKind.EDIT, EventKind.FILES)
        query = EventQuery(source=event.source, session=event.session, kinds=kinds)
        events = self._store.journal.events(query, limit=_MOST_EVENTS_BEFORE, newest=True)
        found = from_commands(_attempts([each for each in reversed(events) if each.id < event.id] + [event]))
        if found is None:
            return []
        evidence = found.evidence(EvidenceKind.COMMAND, event.source, event.at)
        return [ScannedStatement("command", found, evolve(evidence, session=event.session, event=event.key))]

    # -- proposing --------------------------------------------------------------------------------------------------

    def _propose(
        self, statements: Sequence[ScannedStatement], *, dry_run: bool = False
    ) -> tuple[list[Belief], list[str]]:
        if not statements:
            return [], []
        settings = self._context.screen().settings
        until = time.monotonic() + _SECONDS_OF_REFERENCES
        now = self._context.clock()
        made: list[Belief] = []
        by_rule: list[str] = []
        said = KnownStatements(self._context)
        drafted: set[str] = set()
        told: list[str] = []

        def verify(belief: Belief) -> Belief:
            return self._context.verified(belief) if time.monotonic() < until else belief

        for each in statements:
            id = proposal_id(each.found.text)
            known = self._store.belief(id)
            if known is not None or id in drafted:
                if known is not None and not dry_run:
                    self._add_document(known, each, now, settings.personal)
                continue
            new = propose(
                each.found, each.evidence, now=now, anchors=each.anchors, verify=verify, personal=settings.personal
            )
            if new is None or find_duplicate(self._store, new[0]) is not None:
                continue
            belief, revision = new
            drafted.add(belief.id)
            if not belief.anchors:
                known = said.same(belief)
                if known is not None:
                    if not dry_run:
                        self._said.add_source(known, belief.evidence[0], Maker(MINER, "mining", now))
                    continue
                if any(is_near(belief.text, other) for other in told):
                    continue  # the same in another document, in other words
                told.append(belief.text)
                said.add(belief)
            if not dry_run:
                try:
                    self._store.add(belief, revision, found_by(belief))
                except Refused:  # another process was quicker
                    continue
                is_twin = each.evidence.kind is EvidenceKind.PROMPT and said.near(belief.text) is not None
                if not is_twin and self._is_admitted(belief, each.found.confidence, settings.admit):
                    by_rule.append(belief.id)
            made.append(belief)
        return made, by_rule

    def _add_document(self, known: Belief, again: ScannedStatement, now: datetime, personal: Sequence[str]) -> None:
        """Add a document as a further source of a belief or proposal that is tied to no code."""
        evidence = again.evidence
        if evidence.kind is not EvidenceKind.DOCUMENT or known.status not in _BELIEVED or known.anchors:
            return
        if not redact(evidence.quote, personal).found:
            self._said.add_source(known, evidence, Maker(MINER, "mining", now))

    def _is_admitted(self, belief: Belief, confidence: float, rules: Sequence[Rule]) -> bool:
        """Admit a proposal if a rule in the user's own settings covers it; True when it was admitted."""
        rule = next((each for each in rules if _names(each, belief.kind, confidence, belief.evidence)), None)
        if rule is None:
            return False
        pattern, kinds, sources, _ = rule
        which = ", ".join(each for each in (pattern, "/".join(kinds), "/".join(sources)) if each)
        note = f"by the rule of the user's settings for {which}"
        by = Maker(self._context.person(), RULE, self._context.clock(), note)
        with suppress(MemlspError):
            after, revision = admit_proposal(belief, by, by_rule=True)
            self._store.change(after, revision, found_by(after), belief)
            self._conflicts.after(RevisionAction.ADMIT, after)
            return True
        return False


def _names(rule: Rule, kind: BeliefKind, confidence: float, evidence: Sequence[Evidence]) -> bool:
    """True when a rule covers a statement: its kind, its confidence, and one source that matches both the sources and
    the pattern."""
    pattern, kinds, sources, least = rule
    if (kinds and kind.value not in kinds) or confidence < least:
        return False
    return any(
        (each.kind.value in sources if sources else each.kind is not EvidenceKind.SUGGESTION)
        and (not pattern or (bool(each.path) and matches([pattern], each.path)))
        for each in evidence
    )


def _attempts(events: Sequence[Event]) -> list[Tried]:
    attempts: list[Tried] = []
    edited = False
    for event in events:
        if event.kind is EventKind.COMMAND:
            attempts.append(Tried(event.text, event.ok, event.output, edited))
            edited = False
        else:
            edited = True
    return attempts


def _place(belief: Belief) -> tuple[str, str, int]:
    evidence = belief.evidence[0] if belief.evidence else None
    return ("", "", 0) if evidence is None else (evidence.kind.value, evidence.path, evidence.first_line or 0)
