"""Check guards against files: those of one place at every look, those of a wider scope file by file, as files change.

A guard of the whole workspace is checked in every file once. While a watcher reports changes, only changed files are
checked again.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress

from attrs import evolve, frozen

from memlsp.beliefs.lifecycle.guards import applies_to, breach_reason, breaches_in
from memlsp.beliefs.reasons import ReasonCode
from memlsp.beliefs.standing.story import brief_of
from memlsp.capture.workspace.worktree import Worktree
from memlsp.code.languages.detection import is_generated
from memlsp.memory.judging.ordering import covers
from memlsp.memory.judging.placement import spot_at
from memlsp.model.belief import Belief, BeliefStatus, Breach, Guard, ScopeKind
from memlsp.model.errors import MemlspError
from memlsp.model.standing import Judgement, Standing
from memlsp.model.symbol import SymbolKind
from memlsp.model.view import SymbolSpot, UnheldBelief

_TOLD = 3  # places of one broken guard that a standing names


@frozen
class _CheckedFile:
    """The breaches in one file, whose text is known by its hash."""

    state: int
    breaches: tuple[Breach, ...]


class GuardChecks:
    """Checks the guards of beliefs in one worktree. Safe to use from several threads.

    `watched` returns True while a watcher runs that calls `changed` for every changed file.
    """

    def __init__(self, worktree: Worktree, watched: Callable[[], bool]) -> None:
        self._worktree = worktree
        self._watched = watched
        self._lock = threading.Lock()
        self._scanning = threading.Lock()
        self._seen: dict[tuple[Guard, str, str], _CheckedFile] = {}
        self._complete: dict[tuple[Guard, str], set[str]] = {}  # by guard and scope: files that are still to be seen

    def changed(self, paths: Sequence[str] | None) -> None:
        """Forget what is known of these files; None for all files."""
        with self._lock:
            if paths is None:
                self._complete.clear()
                return
            for left in self._complete.values():
                left.update(paths)

    def breaches(self, judgement: Judgement) -> tuple[Breach, ...]:
        """Every place that breaks a guard of the belief."""
        return tuple(breach for guard in judgement.belief.guards for breach in self._breaches(judgement, guard))

    def weigh(self, judgement: Judgement) -> Judgement:
        """Change a judgement to `contradicted` where a guard of the belief is broken."""
        belief = judgement.belief
        if not belief.guards or belief.status is not BeliefStatus.ACTIVE:
            return judgement
        return _contradicted(judgement, self.breaches(judgement))

    def findings(self, path: str, judged: Iterable[Judgement], wide: Iterable[Belief]) -> tuple[UnheldBelief, ...]:
        """The places in one file that break a guard of the beliefs judged there, or of beliefs of wider scope."""
        found: list[UnheldBelief] = []
        for judgement in judged:
            if judgement.belief.guards and not judgement.belief.scope.kind.is_wide:
                breaches = [b for guard in judgement.belief.guards for b in self._anchored(judgement, guard)]
                found += self._shown(path, judgement, breaches)
        for belief in wide:
            guards = [guard for guard in belief.guards if self._covers(belief, guard, path)]
            breaches = [breach for guard in guards for breach in self._of_file(guard, path)]
            found += self._shown(path, Judgement(belief, Standing.CURRENT), breaches)
        return tuple(found)

    def _shown(self, path: str, judgement: Judgement, breaches: Sequence[Breach]) -> Iterator[UnheldBelief]:
        for breach in breaches:
            if breach.path != path:
                continue
            why = breach_reason(breach)
            one = evolve(judgement, standing=Standing.CONTRADICTED, reasons=(why,))
            yield UnheldBelief(
                one, None, self._spot(breach), Standing.CONTRADICTED, *brief_of(why, breach.symbol, path)
            )

    def _spot(self, breach: Breach) -> SymbolSpot:
        outline = self._worktree.outline(breach.path)
        symbol = outline.find(breach.symbol) if outline else None
        return spot_at(breach.path, breach.symbol, symbol.kind if symbol else SymbolKind.MODULE, breach.span)

    # --- where a guard applies

    def _breaches(self, judgement: Judgement, guard: Guard) -> list[Breach]:
        scope = judgement.belief.scope
        if not scope.kind.is_wide:
            return self._anchored(judgement, guard)
        self._scan(judgement.belief, guard)
        paths = set(self._worktree.paths())
        with self._lock:
            known = [
                seen
                for (each, path, symbol), seen in self._seen.items()
                # a buffer may be of a file that is not saved yet; what is known of one symbol is another belief's
                if each == guard and not symbol and (path in paths or self._worktree.has_buffer(path))
            ]
            found = [breach for seen in known for breach in seen.breaches if covers_file(judgement.belief, breach.path)]
        found.sort(key=lambda breach: (breach.path, breach.span.start_byte))
        if guard.must and scope.kind is not ScopeKind.GLOB:
            # somewhere in the workspace is enough
            checked = [p for p in paths if self._covers(judgement.belief, guard, p)]
            return found[:1] if checked and len({b.path for b in found}) == len(checked) else []
        return found

    def _scan(self, belief: Belief, guard: Guard) -> None:
        """Check the files of a wide scope that were not, or that changed since."""
        key = guard, str(belief.scope)
        with self._scanning:  # who asks meanwhile waits for the whole answer
            with self._lock:
                left = self._complete.get(key)
                self._complete[key] = set()  # first, so that what changes from here on is looked at the next time
            todo = left if left is not None and self._watched() else self._worktree.paths()
            for path in sorted(todo):
                if self._covers(belief, guard, path):
                    self._of_file(guard, path)

    def _covers(self, belief: Belief, guard: Guard, path: str) -> bool:
        return covers_file(belief, path) and applies_to(guard, path)

    def _anchored(self, judgement: Judgement, guard: Guard) -> list[Breach]:
        """In each of its symbols, or files, that are there: one that is gone is told otherwise."""
        whole = judgement.belief.scope.kind is ScopeKind.FILE
        found: list[Breach] = []
        for tie in judgement.ties:
            if tie.found:
                found += self._of_file(guard, tie.path, "" if whole else tie.symbol)
        return found

    def _of_file(self, guard: Guard, path: str, symbol: str = "") -> tuple[Breach, ...]:
        """What breaks the guard in a file, or a symbol of it; what did before while the file is half-typed."""
        key = guard, path, symbol
        source: bytes | None = None
        with suppress(MemlspError, OSError):
            source = self._worktree.read(path)
        with self._lock:
            kept = self._seen.get(key)
            if source is None:
                self._seen.pop(key, None)
        if source is None:
            return ()
        state = hash(source)
        if kept is not None and kept.state == state:
            return kept.breaches
        if is_generated(path, source):
            return ()
        outline = self._worktree.outline(path) if symbol else None
        place = outline.find(symbol) if outline else None
        breaches = breaches_in(guard, path, source, place, lambda: self._worktree.outline(path))
        if kept is not None and breaches != kept.breaches and self._is_half_typed(path):
            return kept.breaches
        with self._lock:
            self._seen[key] = _CheckedFile(state, breaches)
        return breaches

    def _is_half_typed(self, path: str) -> bool:
        outline = self._worktree.outline(path) if self._worktree.has_buffer(path) else None
        return outline is not None and outline.has_errors


def covers_file(belief: Belief, path: str) -> bool:
    """True when a belief of glob, workspace or user scope concerns a file."""
    return covers(belief, path) if belief.scope.kind is ScopeKind.GLOB else True


def _contradicted(judgement: Judgement, breaches: Sequence[Breach]) -> Judgement:
    if not breaches:
        if judgement.standing is Standing.UNBOUND:
            # its guard is what it is checked by, and that holds
            return evolve(judgement, standing=Standing.CURRENT, reasons=())
        return judgement
    others = [one for one in judgement.reasons if one.code != ReasonCode.NOTHING_TO_CHECK.value]
    reasons = [breach_reason(breach) for breach in breaches[:_TOLD]]
    if len(breaches) > _TOLD:
        last = reasons[-1]
        reasons[-1] = evolve(last, message=f"{last.message}; and {len(breaches) - _TOLD} more places break its guard")
    return evolve(judgement, standing=Standing.CONTRADICTED, reasons=(*reasons, *others))
