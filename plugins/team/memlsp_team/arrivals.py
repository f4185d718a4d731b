"""Takes in what the lines of other machines say: new beliefs, edits, disputes for a person, and forgettings."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from itertools import combinations

from attrs import define, evolve, field

from memlsp.beliefs.lifecycle.admission import Maker, Revised
from memlsp.beliefs.lifecycle.confidence import starting_confidence
from memlsp.beliefs.lifecycle.proposals import replaced_by, suggest
from memlsp.beliefs.lifecycle.revisions import limits_told, report, retire, revision_of
from memlsp.beliefs.mining.findings import proposal_id
from memlsp.memory.context import Context
from memlsp.memory.curation.conflicts import Conflicts
from memlsp.memory.curation.revision import found_by
from memlsp.memory.erasure.forgetting import Forgetting
from memlsp.memory.sharing.file_beliefs import belief_of, edited_by
from memlsp.model.audit import Selector, SelectorKind
from memlsp.model.belief import Author, Authority, AuthorKind, Belief, BeliefStatus, Limits, RevisionAction, ScopeKind
from memlsp.model.errors import MemlspError, NotFound, Refused
from memlsp.store.store import Store
from memlsp.store.tables.team import LineState, TeamAct, TeamLine, heads_of
from memlsp_team.signed_lines import TeamBody, body_of

SOURCE = "team"
"""The source of what came over the exchange."""

_MOST_HEADS = 50
"""Lines about one belief that no other follows. Machines that went apart are fewer; each asks a person, and is compared
with every other."""

_OURS = frozenset({Authority.LOCKED, Authority.REVIEWED})


@define
class ArrivalResult:
    """The ids of beliefs by what became of them; `disputed` with the proposals that ask about them. `seen` are the
    lines that forget something, and that this machine has obeyed. `faults` have the id and the reason of what has to
    wait."""

    added: list[str] = field(factory=list[str])
    changed: list[str] = field(factory=list[str])
    disputed: dict[str, list[str]] = field(factory=dict[str, list[str]])
    forgotten: list[str] = field(factory=list[str])
    faults: list[tuple[str, str]] = field(factory=list[tuple[str, str]])
    seen: list[TeamLine] = field(factory=list[TeamLine])


class Arrivals:
    """Takes in the lines that were read and not looked at yet. `trusted` are the writers whose locks count here."""

    def __init__(
        self, context: Context, conflicts: Conflicts, forgetting: Forgetting, writer: str, trusted: frozenset[str]
    ) -> None:
        self._context = context
        self._store = context.store
        self._conflicts = conflicts
        self._forgetting = forgetting
        self._writer = writer
        self._trusted = trusted
        self._taken = ArrivalResult()
        self._replaced: dict[str, set[str]] = {}  # by belief, what took its place on other machines

    def take(self) -> ArrivalResult:
        """Take in every belief with a new line. What cannot be taken yet is looked at again the next time."""
        for id in self._store.team.open_beliefs(LineState.NEW):
            lines = self._store.team.of(id)
            try:
                if any(line.act is TeamAct.FORGET for line in lines):
                    self._forget(id, lines)
                else:
                    self._take(id, lines)
            except MemlspError as error:  # its code is not here, or somebody revised it at this moment: the next time
                self._taken.faults.append((id, f"{error}{f' ({error.hint})' if error.hint else ''}"))
        for id, others in self._replaced.items():
            self._ask_between({self._successor(each) for each in (id, *others)})
        return self._taken

    def may_forget(self, line: TeamLine, lines: list[TeamLine]) -> bool:
        """True where a line may forget its belief here without a person: nobody here stands behind the belief, or its
        writer wrote of it or is trusted."""
        belief = self._store.belief(line.belief)
        if belief is None or line.writer in self._trusted | {self._writer}:
            return True
        wrote = any(each.writer == line.writer for each in lines if each.act is TeamAct.BELIEF)
        return belief.authority.rank >= Authority.COLLEAGUE.rank or (wrote and belief.authority not in _OURS)

    # --- one belief

    def _take(self, id: str, lines: list[TeamLine]) -> None:
        heads = heads_of(lines)
        if len(heads) > _MOST_HEADS:
            raise Refused(f"{len(heads)} lines contradict each other about it", "memlsp team log says who wrote them")
        new = [each for each in heads if each.state is LineState.NEW and each.text]
        known = [each for each in heads if each.state is not LineState.NEW and each.text]
        for line in new:
            taken = self._take_line(id, line, known)
            known.append(line)
            if taken:
                self._done([line])
        self._done([each for each in lines if each.state is not LineState.TAKEN and each not in heads])
        self._done([each for each in heads if each.state is LineState.NEW and not each.text])

    def _take_line(self, id: str, line: TeamLine, known: list[TeamLine]) -> bool:
        """Take in a line beside those that are known; False for one about which a person has to be asked."""
        belief, body = self._store.belief(id), body_of(line)
        if body.into:
            self._replaced.setdefault(id, {body_of(each).into for each in known} - {""}).add(body.into)
        if belief is None:
            if not self._store.copies.forgotten([id]) and not body.file.retired:
                self._add(line, body)
        elif belief.scope.kind is not ScopeKind.USER and not _is_agreed(belief, body, known):
            if known or belief.authority in _OURS:
                self._dispute(belief, line, body)
                return False
            self._change(belief, line, body)
        return True

    def _add(self, line: TeamLine, body: TeamBody) -> None:
        maker = self._maker(line)
        belief = self._limited(belief_of(self._context, body.file, maker, Authority.COLLEAGUE), line, body)
        self._store.add(belief, revision_of(belief, RevisionAction.REMEMBER, maker), found_by(belief))
        self._conflicts.after(RevisionAction.REMEMBER, belief)
        self._taken.added.append(belief.id)

    def _change(self, belief: Belief, line: TeamLine, body: TeamBody) -> None:
        maker = self._maker(line)
        revised: Revised
        if body.file.retired:
            if belief.status is not BeliefStatus.ACTIVE:
                return
            revised = retire(belief, maker)
        else:
            new = evolve(edited_by(self._context, belief, body.file, maker), authority=Authority.COLLEAGUE)
            revised = self._limited(new, line, body), revision_of(belief, RevisionAction.EDIT, maker)
        new, revision = revised
        self._store.change(new, revision, found_by(new), belief)
        self._conflicts.after(RevisionAction.SUPERSEDE, new)
        self._taken.changed.append(belief.id)

    def _limited(self, belief: Belief, line: TeamLine, body: TeamBody) -> Belief:
        """The belief with the branch and the date of its line, and locked where the lock of its writer counts."""
        belief = evolve(belief, expires_at=_until(body), branch=body.branch, commit=body.commit, source=SOURCE)
        if body.locked and line.writer in self._trusted:
            confidence = starting_confidence(Authority.LOCKED)
            return evolve(belief, authority=Authority.LOCKED, confidence=confidence)
        return belief

    def _dispute(self, belief: Belief, line: TeamLine, body: TeamBody) -> None:
        """Ask a person: this machine and another went apart. What is said there becomes a proposal in the place of
        ours; that it was given up there is a report that ours does not hold."""
        asked = self._taken.disputed.setdefault(belief.id, [])
        maker = self._maker(line)
        if not body.file.retired:
            there = belief_of(self._context, body.file, maker, Authority.PROPOSED)
            limits = Limits(there.conditions, _until(body), scope=there.scope)
            maker = evolve(maker, note=f"{line.author} says so on another machine, {limits_told(limits)}")
            verify = self._context.verified
            made, revision = suggest(body.file.text, maker, instead_of=belief, anchors=belief.anchors, verify=verify)
            id = proposal_id(f"{body.file.text} {body.digest}")
            made = evolve(made, id=id, conditions=there.conditions, guards=there.guards)
            made = evolve(made, scope=there.scope, expires_at=_until(body))
            if self._store.belief(id) is None and not self._store.copies.forgotten([id]):
                self._store.add(made, evolve(revision, belief_id=id), found_by(made))
                asked.append(id)
        elif belief.status is BeliefStatus.ACTIVE:
            what = f"replaced it by {body.into}" if body.into else "retired it"
            new, revision = report(belief, evolve(maker, note=f"{line.author} {what} on another machine"), held=False)
            self._store.change(new, revision, found_by(new), belief)
        self._store.team.set_state([line.key], LineState.DISPUTED)

    def _successor(self, id: str) -> str:
        """What stands in the place of a belief here, by the end of the chain of those that replaced it."""
        seen: set[str] = set()
        while (belief := self._store.belief(id)) is not None and belief.superseded_by and id not in seen:
            seen.add(id)
            id = belief.superseded_by
        return id

    def _ask_between(self, ids: set[str]) -> None:
        """Ask a person about beliefs that took the place of the same one on different machines."""
        active = [each for each in self._store.several(sorted(ids)) if each.status is BeliefStatus.ACTIVE]
        for one, other in combinations(active, 2):
            self._conflicts.ask(one, other)

    # --- forgetting

    def _forget(self, id: str, lines: list[TeamLine]) -> None:
        new = [each for each in lines if each.act is TeamAct.FORGET and each.state is LineState.NEW]
        allowed = [each for each in new if self.may_forget(each, lines)]
        if new and not allowed:
            return  # it waits for a person here
        for line in allowed[:1]:
            forget_questions(self._store, self._forgetting, id)
            with suppress(NotFound):  # it was never here, or is gone
                if self._store.belief(id) is not None:
                    by = Author(line.author or line.writer, AuthorKind.PERSON)
                    self._forgetting.forget(Selector(SelectorKind.BELIEF, id), author=by, source=SOURCE)
            if self._store.team.forget(id):
                self._store.forgetting.compact()
            self._taken.forgotten.append(id)
        self._taken.seen += new
        self._done([each for each in lines if each.state is LineState.NEW])

    def _done(self, lines: list[TeamLine]) -> None:
        self._store.team.set_state([each.key for each in lines], LineState.TAKEN)

    def _maker(self, line: TeamLine) -> Maker:
        who = Author(line.author or line.writer, AuthorKind.PERSON)
        return Maker(who, SOURCE, self._context.clock(), f"from the machine {line.writer}")


def forget_questions(store: Store, forgetting: Forgetting, id: str) -> None:
    """Forget the proposals that asked about a belief which is forgotten: they may have its words."""
    for each in store.beliefs(status=(BeliefStatus.PROPOSED, BeliefStatus.RETIRED)):
        if each.source == SOURCE and id in replaced_by(each):
            with suppress(MemlspError):
                forgetting.forget(Selector(SelectorKind.BELIEF, each.id), source=SOURCE)


def _until(body: TeamBody) -> datetime | None:
    return datetime.fromisoformat(body.until) if body.until else None


def _is_agreed(belief: Belief, body: TeamBody, known: list[TeamLine]) -> bool:
    """True where two machines say the same, or the belief is over on both."""
    if any(body_of(each).digest == body.digest for each in known):
        return True
    return bool(known) and body.file.retired and belief.status is not BeliefStatus.ACTIVE
