"""The questions that a `Memory` answers: about beliefs and places, about the history of the code, and what was told."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from memlsp.capture.workspace.worktree import Worktree
from memlsp.memory.services import Services
from memlsp.memory.work.history_cache import HistoryCache
from memlsp.model.caller import Cancel, Progress
from memlsp.model.errors import MemlspError, NotFound
from memlsp.model.place import Place
from memlsp.store.store import Store

if TYPE_CHECKING:
    from memlsp.model.belief import BeliefKind, Breach, ConfidenceStep, Revision, ScopeKind
    from memlsp.model.difference import Difference
    from memlsp.model.episode import CommitEpisode, CommitRef, OnboardingProgress, SymbolHistory
    from memlsp.model.recall import Recall, RecallOptions, Receipt, TellingSummary
    from memlsp.model.review import Conflict
    from memlsp.model.standing import Judgement, Standing
    from memlsp.model.symbol import Symbol
    from memlsp.model.view import BeliefGraph, CommitDone, Lens, Replay, SymbolSpot, UnheldBelief, Why


_LONGEST_KEPT = 2_000  # characters of a question or place
_MOST_EVENTS, _MOST_RECEIPTS, _MOST_SESSIONS = 2_000, 5_000, 5_000  # that a replay looks at


class Questions(Services):
    """What `Memory` is asked."""

    _store: Store
    _worktree: Worktree
    _histories: HistoryCache

    def belief(self, id: str) -> Judgement:
        """The belief with this id or unique prefix. Raises NoSuchBelief."""
        return self._judgements.get(id)

    def confidence(self, id: str) -> tuple[ConfidenceStep, ...]:
        """How a belief's confidence came about, one step for each revision, oldest first. Raises NoSuchBelief."""
        from memlsp.beliefs.lifecycle.confidence import replay

        store, belief = self._context.find(id)
        revisions = store.revisions(belief.id)
        first = store.state_before(belief.id, revisions[1].number) if len(revisions) > 1 else belief
        return replay((first or belief).authority, revisions)

    def surroundings(self, id: str, *, steps: int = 2, most: int = 12) -> BeliefGraph:
        """The graph around a belief: its bases, dependents, predecessors, successors and contradictions, up to `steps`
        away and limited in number. Raises NoSuchBelief."""
        from memlsp.memory.curation.related_beliefs import surroundings  # late: few ask for it

        return surroundings(
            self._context, self._judgements, self.conflicts, self._judgements.get(id), steps=steps, most=most
        )

    def breaches(self, id: str) -> tuple[Breach, ...]:
        """Every place that breaks one of a belief's guards, by file. Raises NoSuchBelief."""
        return self._judgements.guards.breaches(self.belief(id))

    def revisions(self, id: str) -> tuple[Revision, ...]:
        """The revisions of a belief, oldest first. Raises NoSuchBelief."""
        store, belief = self._context.find(id)
        return tuple(store.revisions(belief.id))

    def beliefs(
        self,
        *,
        standings: Collection[Standing] | None = None,
        kinds: Collection[BeliefKind] | None = None,
        scopes: Collection[ScopeKind] | None = None,
        include_past: bool = False,
        path: str | None = None,
        limit: int | None = None,
        cancelled: Cancel | None = None,
    ) -> tuple[Judgement, ...]:
        """All beliefs with their standing, oldest first; superseded and retired ones only with `include_past`.
        `cancelled` is called before each; when it returns True, the result is empty."""
        return self._judgements.all(
            standings=standings,
            kinds=kinds,
            scopes=scopes,
            include_past=include_past,
            path=path,
            limit=limit,
            cancelled=cancelled,
        )

    def open_conflicts(self, judgements: Iterable[Judgement]) -> tuple[Conflict, ...]:
        """The conflicts of these beliefs that nobody has settled, each once."""
        ids = [judgement.belief.id for judgement in judgements]
        if not any(store.conflicts.of(*ids) for store in self._context.stores):
            return ()  # the usual case, for which the rules of contradictions are not loaded
        return self.conflicts.of(*ids)

    def attention(self, path: str | None = None) -> tuple[Judgement, ...]:
        """The beliefs that do not hold, worst first, then by authority; only those visible on this branch."""
        return self._judgements.attention(path)

    def applying(self, path: str, line: int) -> tuple[Judgement, ...]:
        """The beliefs that apply at a line (from 1) of a file, highest authority first.

        They are tied to the symbol there, to an enclosing symbol, to the file or to a path glob, or they are of the
        workspace or the user and name the symbol. Empty for a file that cannot be read.
        """
        return self._judgements.applying(path, line)

    def about(self, path: str, *, globs: bool = True) -> tuple[Judgement, ...]:
        """The beliefs tied to a file, and with `globs` those whose path glob matches it, highest authority first."""
        return self._judgements.about(path, globs=globs)

    def why(
        self, place: Place, *, base: Path | None = None, history_limit: int = 10, history_deadline: float | None = None
    ) -> Why:
        """Explain a place: the beliefs that apply there and the symbol's git history. For a deleted symbol, the beliefs
        that were tied to it. Raises NoSuchFile, NoSuchSymbol, Refused (outside the workspace)."""
        return self._judgements.why(place, base, history_limit=history_limit, history_deadline=history_deadline)

    def history(
        self,
        place: Place,
        *,
        base: Path | None = None,
        limit: int = 20,
        deadline: float | None = None,
        cancelled: Cancel | None = None,
    ) -> SymbolHistory:
        """The commits that changed the meaning of the symbol at a place, newest first. `deadline` is in seconds from
        now."""
        path, symbol, name = self._places.find(place, base)
        if symbol is None:
            raise self._places.missing(path, name)
        history = self._histories.read(
            path, symbol.name, ordinal=symbol.ordinal, limit=limit, deadline=deadline, cancelled=cancelled
        )
        if symbol.name or not history.changes:
            return history
        from memlsp.memory.learning.onboarding import with_symbol_changes

        return with_symbol_changes(self._store, history)

    def diff(
        self,
        revisions: Sequence[str] = (),
        paths: Sequence[str] | None = None,
        *,
        staged: bool = False,
        base: Path | None = None,
        progress: Progress | None = None,
    ) -> Difference:
        """The difference by symbols between HEAD and the files on disk, a revision and the files, or two revisions;
        with `staged` the index replaces the files.

        `paths` limits it; with None, words that are no revisions and name files are taken as paths. `progress` is
        called with the numbers of files read and to read. When one side is the files on disk, each change lists the
        beliefs that it breaks. Raises NoRepository, NoSuchRevision, BadValue, NoSuchFile.
        """
        from memlsp.capture.git.semantic_diff import difference  # late: parsing, git and the sentences
        from memlsp.memory.work.differences import with_broken_beliefs

        base = base or Path.cwd()
        found = difference(self._worktree, revisions, paths, base=base, staged=staged, progress=progress)
        return with_broken_beliefs(found, self.attention)

    def commit(self, name: str = "HEAD") -> CommitDone:
        """The changes of one commit by symbols; for a merge, relative to its first parent. Raises NoRepository,
        NoSuchRevision."""
        from memlsp.memory.work.differences import commit_changes  # late, as above

        return commit_changes(self._worktree, name)

    def onboard(
        self,
        *,
        most: int | None = None,
        progress: Callable[[OnboardingProgress], None] | None = None,
        cancelled: Cancel | None = None,
    ) -> OnboardingProgress:
        """Read the git history into symbol changes, newest first, at most the newest `most` commits (default 2,000).

        It continues an earlier run, and returns at once when nothing is left to read, another process is reading
        (`stopped` is `busy`) or the store cannot be written. `progress` is called after each commit, `cancelled` before
        each.
        """
        from memlsp.memory.learning.onboarding import MOST_COMMITS, onboard  # late, as above

        most = MOST_COMMITS if most is None else most
        state = onboard(self._context, most=most, progress=progress, cancelled=cancelled)
        self._judgements.provenance.prepare()
        return state

    @cached_property
    def commit_page(self) -> str:
        """The web address of this repository's commits, a hash to be added; "" where its origin has no known host."""
        from memlsp.capture.git.remote import commit_page  # late: hovers alone link to commits
        from memlsp.capture.git.repository import config_value, find_repository

        repository = find_repository(self._worktree.root)
        return commit_page(config_value(repository, "remote.origin.url") or "") if repository else ""

    def last_change(self, path: str, symbol: str) -> CommitRef | None:
        """The last commit that changed the meaning of a symbol (dotted name; "" for the whole file). None when that
        takes more than a second to find out."""
        return self._judgements.provenance.last_change(path, symbol)

    def commit_episodes(self, path: str | None = None, *, limit: int = 20) -> tuple[CommitEpisode, ...]:
        """The commits that were read, newest first, with their symbol changes; with `path` (relative to the root) only
        those that changed the file, limited to its changes."""
        if path is None:
            return tuple(self._store.past.episodes(limit))
        from memlsp.memory.learning.onboarding import episodes_at

        return episodes_at(self._store, path, limit)

    def recall(self, query: str, options: RecallOptions | None = None, *, asker: str = "python") -> Recall:
        """Answer a question: ranked, explained, within a budget; beliefs that do not hold come last with their caveat.

        A belief learned on a branch whose work is not checked out is left out, unless the options say otherwise;
        commits and episodes that bear on the question come too. Records a receipt. Raises BadValue for an `as_of` that
        is neither commit nor time, NoSuchFile and NoSuchSymbol for the place.
        """
        from memlsp.model.recall import RecallOptions  # late, as above

        return self._recaller.ask(query, options or RecallOptions(), asker=asker)

    def record_telling(
        self, surface: str, beliefs: Sequence[str], text: str, *, asker: str, session: str = "", about: str = ""
    ) -> None:
        """Write a receipt of beliefs (ids) that were told in `text` on a `surface` other than recall, such as a hover.
        `about` is the place or question, `session` the source and its name for the session."""
        from memlsp.model.recall import Receipt
        from memlsp.recall.budget import tokens_of  # late, as above

        now, query = self._context.clock(), self._context.redacted(about)[:_LONGEST_KEPT]
        record = Receipt(0, now, asker, query, tuple(beliefs), (), tokens_of(text), surface=surface, session=session)
        with suppress(MemlspError):  # the answer was given; its receipt matters less
            self._store.add_receipt(record)

    def receipts(self, limit: int = 50, *, belief: str | None = None) -> tuple[Receipt, ...]:
        """The records of what was told, on every surface, newest first; with `belief` (an id or a unique prefix) those
        that served it. The latest 5,000 are kept. Raises NoSuchBelief."""
        return tuple(self._store.receipts(limit, self._context.find(belief)[1].id if belief is not None else None))

    def replay(self, session: str, *, source: str = "") -> Replay:
        """One session step by step: the events of it that are kept (2,000 at most), each with what was told there.
        `session` is its name or an unambiguous beginning of it, `source` its program where several have that name.
        Raises NotFound."""
        from memlsp.model.view import BeliefQuery, Replay  # late: few ask for it

        receipts = self.receipts(_MOST_RECEIPTS)
        known = [(each.source, each.name) for each in self.events.sessions(_MOST_SESSIONS) if each.name]
        known += [(each.session.partition(" ")[0], each.session.partition(" ")[2]) for each in receipts if each.session]
        source, name = _session_of(session, [each for each in known if not source or each[0] == source])
        told = [each for each in receipts if each.session == f"{source} {name}"]
        did = [each for each in self.events.list(session=name, limit=_MOST_EVENTS) if each.source == source]
        ids = tuple(dict.fromkeys(id for each in told for id in each.served))
        texts = {each.id: each.text for each in self.survey.outline(BeliefQuery(ids=ids), len(ids))}
        return Replay(source, name, tuple(sorted([*did, *told], key=lambda each: each.at)), texts)

    def tellings(self) -> TellingSummary:
        """What agents were told, in numbers."""
        return self._store.tellings()

    def served(self, id: str, limit: int = 50) -> tuple[Receipt, ...]:
        """The latest receipts that have a belief, newest first. Serving a belief changes neither its confidence nor
        its rank. Raises NoSuchBelief."""
        return self.receipts(limit, belief=id)

    def lenses(self, path: str) -> tuple[Lens, ...]:
        """The symbols of a file that have beliefs, in the file's order."""
        return self._judgements.lenses(path)

    def findings(self, path: str) -> tuple[UnheldBelief, ...]:
        """The beliefs that do not hold in this file, then the breaches of guards, each in the file's order."""
        return self._judgements.findings(path)

    def symbol_at(self, path: str, line: int) -> Symbol | None:
        """The innermost symbol at a line (from 1), or the whole file; None for a file that cannot be read."""
        outline = self._worktree.outline(path)
        return outline.at(line - 1) if outline else None

    def symbol_named(self, path: str, name: str) -> SymbolSpot | None:
        """The position of a symbol's defining name, by dotted name or a unique suffix of it."""
        outline = self._worktree.outline(path)
        found = {each.span: each for each in map(outline.behind, outline.named(name))} if outline else {}
        from memlsp.memory.judging.placement import spot_of  # late, as above

        return spot_of(*found.values()) if len(found) == 1 else None

    def problem(self, path: str) -> str | None:
        """Why a file cannot be read (binary, too large, no permission). Returned once, then None until the reason
        changes."""
        return self._worktree.problem(path)


def _session_of(asked: str, known: Iterable[tuple[str, str]]) -> tuple[str, str]:
    """The program and name of the one session of this name, or of this beginning of a name. Raises NotFound."""
    sessions = list(dict.fromkeys(known))
    found = [each for each in sessions if each[1] == asked] or [each for each in sessions if each[1].startswith(asked)]
    if len(found) != 1 or not asked:
        why = f"{len(found)} sessions begin with {asked!r}" if asked and found else f"no session {asked!r}"
        raise NotFound(why, "`memlsp replay` lists those that are kept")
    return found[0]
