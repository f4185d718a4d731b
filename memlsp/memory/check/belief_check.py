"""Holds a belief's file in `.memlsp/beliefs` against two states of the code: its places, and its guards.

A guard is told of where the older state did not break it, so that an old breach is no fault of a change.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from time import monotonic

from memlsp.beliefs.lifecycle.anchors import anchor_to
from memlsp.beliefs.lifecycle.belief_file import LARGEST, BeliefFile, FileAnchor, read_file
from memlsp.beliefs.lifecycle.guards import applies_to, breach_reason, breaches_in, read_guards
from memlsp.beliefs.standing.standing import tie_of
from memlsp.memory.check.claims import statement_belief
from memlsp.memory.check.code_state import CodeState, CodeStates
from memlsp.memory.judging.ordering import matches
from memlsp.model.belief import FOLDER, Anchor, Breach, Guard, Scope, ScopeKind
from memlsp.model.check import SHOWN, CheckRule, StatementFinding
from memlsp.model.errors import BadValue, MemlspError
from memlsp.model.one_line import plain
from memlsp.model.standing import Standing

_PATIENCE = 20.0  # seconds for the guards of all beliefs together
_RULES = {
    Standing.CONTRADICTED: CheckRule.BELIEF_CONTRADICTED,
    Standing.ORPHANED: CheckRule.ANCHOR_GONE,
    Standing.CHANGED: CheckRule.BELIEF_CHANGED,
}


def is_belief(path: str) -> bool:
    """True for a belief's file, also in a folder of the repository that is a workspace of its own."""
    return f"/{FOLDER}/" in f"/{path}" and path.endswith(".md")


class BeliefCheck:
    """Judges the files of beliefs against the state `new`; `states` has those in which they were verified."""

    def __init__(self, states: CodeStates, new: CodeState) -> None:
        self._states = states
        self._new = new
        self._spent = 0.0  # seconds in guards
        self.notices: list[str] = []

    def judge(self, path: str, text: str, old: CodeState) -> list[StatementFinding]:
        """What is false of the belief of a file now and was not in `old`, or where it was verified."""
        lines = text.split("\n")
        body = next((n for n, line in enumerate(lines) if n and line == "---" and lines[0] == "---"), 0)
        number = next((n for n, line in enumerate(lines) if n > body and line.strip()), 0)
        place = path, number + 1, 0, len(lines[number])

        def finding(rule: CheckRule, message: str, code: str = "", line: int | None = None) -> StatementFinding:
            shown = plain(lines[number], SHOWN)
            return StatementFinding(rule, *place, shown, message, "", code, line, held_at=old.commit)

        try:
            if len(text.encode()) > LARGEST:
                raise BadValue(f"it is larger than {LARGEST:,} bytes")
            file = read_file(text)
            if file.retired:
                return []
            top = path.partition(FOLDER)[0]
            scope = Scope(ScopeKind.GLOB, file.pattern) if file.pattern else None
            anchors = [anchor for each in file.anchors if (anchor := self._then(top, each, old)) is not None]
            guards = read_guards(file.guards, anchors, scope) if file.guards else ()
        except MemlspError as error:
            hint = f" ({error.hint})" if error.hint else ""
            return [finding(CheckRule.BELIEF_UNREADABLE, f"{error}{hint}")]
        ties = [finding(*each) for anchor in anchors if (each := self._worse(file, anchor, old)) is not None]
        return [*ties, *(finding(*each) for guard in guards for each in self._breaches(guard, file, top, old))]

    def _worse(self, file: BeliefFile, anchor: Anchor, old: CodeState) -> tuple[CheckRule, str, str, int | None] | None:
        """The rule, message, path and line of a place that fits the belief worse than in `old`."""
        belief = statement_belief(file.text, file.kind)
        tie, was = (tie_of(belief, anchor, state.files) for state in (self._new, old))
        moved_on = tie.standing is Standing.CHANGED and (tie.aside or not anchor.symbol)  # as any file does
        if tie.standing not in _RULES or moved_on or tie.standing.severity <= was.standing.severity:
            return None
        said = tie.reasons[0].message if tie.reasons else f"{anchor.place} is different now"
        path, line = (tie.path, tie.line) if tie.found else ("", None)
        return _RULES[tie.standing], said, path, line

    def _then(self, top: str, place: FileAnchor, old: CodeState) -> Anchor | None:
        """The anchor as it was verified, where git has that commit and the symbol is the same; else as in `old`."""
        for state in (self._states.at(place.commit) if place.commit else None, old):
            outline = state.files.outline(f"{top}{place.path}") if state is not None else None
            if state is None or outline is None:
                continue
            named = outline.named(place.symbol) if place.symbol else [outline.module]
            if len(named) == 1 and (state is old or named[0].fingerprint.meaning == place.fingerprint):
                with suppress(MemlspError, OSError, RecursionError):
                    return anchor_to(state.files, outline, named[0], now=datetime.now(UTC))
        return None

    def _breaches(
        self, guard: Guard, file: BeliefFile, top: str, old: CodeState
    ) -> Iterator[tuple[CheckRule, str, str, int]]:
        """The rule, message, path and line of what breaks a guard and did not, in the files that changed."""
        for each in self._states.pair(old, self._new).changed:
            path = each.path.removeprefix(top)
            if each.new is None or not each.path.startswith(top) or not _is_covered(file, path):
                continue
            if self._spent > _PATIENCE:
                self.notices = [f"the guards took longer than {_PATIENCE:.0f} s, and not all were checked"]
                return
            began = monotonic()
            before = {b.excerpt for b in _breaches_at(guard, file, each.path, path, old)}
            now = _breaches_at(guard, file, each.path, path, self._new)
            self._spent += monotonic() - began
            for breach in (b for b in now if b.excerpt not in before):
                yield CheckRule.GUARD_BROKEN, breach_reason(breach).message, breach.path, breach.span.start_line + 1


def _is_covered(file: BeliefFile, path: str) -> bool:
    if file.anchors:
        return any(each.path == path for each in file.anchors)
    return not file.pattern or matches(file.pattern, path)


def _breaches_at(guard: Guard, file: BeliefFile, full: str, path: str, state: CodeState) -> list[Breach]:
    """The breaches of one file of a state. What must be there may be anywhere in a workspace: it is not looked for."""
    data = state.data(full)
    if data is None or not applies_to(guard, full, data[:256]) or (guard.must and not (file.anchors or file.pattern)):
        return []
    outline = state.files.outline(full)
    symbols = [each.symbol for each in file.anchors if each.path == path]
    places = [outline.find(each) if outline is not None and each else None for each in symbols] or [None]
    return [breach for place in places for breach in breaches_in(guard, full, data, place, lambda: outline)]
