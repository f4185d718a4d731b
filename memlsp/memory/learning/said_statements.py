"""Keep what a person said to an agent: admit it, add it to what says the same, replace what it replaces, or propose it.

What a person plainly said about the project is admitted at once with a person's authority, never with a lock: a program
may have typed it. It can be revised and undone like any other statement, and the person is told in one line.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from functools import cached_property

from attrs import evolve

from memlsp.beliefs.contradiction.contradiction import contradiction_between, contradiction_of
from memlsp.beliefs.contradiction.facts import may_answer_one_question
from memlsp.beliefs.lifecycle.admission import Draft, Maker, Revised, checked_statement, new_belief, new_id
from memlsp.beliefs.lifecycle.proposals import LONGEST_QUOTE, admit_proposal
from memlsp.beliefs.lifecycle.revisions import REPLACES, confirm, revision_of, supersede_by
from memlsp.beliefs.lifecycle.ruled_places import named_paths, ruled_places
from memlsp.beliefs.mining.corrections import answers_of, from_prompt
from memlsp.beliefs.mining.findings import MinedStatement, proposal_id
from memlsp.beliefs.mining.statement_form import Form, form_of, is_near, is_same, replaces, starts_now, tells_change
from memlsp.beliefs.standing.standing import judge
from memlsp.capture.redaction.redaction import redact
from memlsp.memory.context import Context
from memlsp.memory.curation.conflicts import Conflicts
from memlsp.memory.curation.revision import found_by
from memlsp.model.belief import (
    Anchor,
    Authority,
    Belief,
    BeliefStatus,
    Evidence,
    EvidenceKind,
    Limits,
    RevisionAction,
    Scope,
    ScopeKind,
)
from memlsp.model.errors import BadValue, Refused
from memlsp.model.event import Event, EventKind
from memlsp.model.one_line import plain
from memlsp.model.standing import Standing
from memlsp.recall.question import parse_question
from memlsp.store.store import Store
from memlsp.store.tables import hook_beliefs, hook_notes
from memlsp.store.tables.event_repository import EventQuery

QUESTION_TOOL = "AskUserQuestion"
"""Claude Code's tool that asks the person to choose."""

_ALIKE = 40  # search hits among which the same statement, or the one that is replaced, is sought
_MOST_WAITING = 1_000  # proposals that are compared
_EVENTS_BEFORE = 40  # of a session, to find what the agent asked
_NOTED = 120  # characters of a statement in the line that a person sees


class KnownStatements:
    """The statements of one workspace and of the user, by what they say. Proposals are read once. Prompts are read with
    them, save that of `event`, in which all that is being kept stands."""

    def __init__(self, context: Context, event: str = "") -> None:
        self._context = context
        self._event = event
        self._alike: tuple[str, list[tuple[Store, Belief]]] = ("", [])

    def alike(self, text: str) -> list[tuple[Store, Belief]]:
        """The active beliefs that share words with a text, the best first, with their stores. The list for the last
        text is kept."""
        if self._alike[0] != text:
            terms = parse_question(text).terms
            found: list[tuple[Store, Belief]] = []
            for store in self._context.stores:
                alike = store.several([hit.id for hit in store.search(terms, limit=_ALIKE)])
                found += [(store, belief) for belief in alike if belief.status is BeliefStatus.ACTIVE]
            self._alike = text, found
        return self._alike[1]

    def near(self, text: str) -> Belief | None:
        """An active belief that seems to be the same rule in other words: its own, those of a prompt that it is from,
        or those of what was said and waits, since that seems to repeat the belief."""
        return next(filter(None, map(self._near, (text, *self._waiting_near(text)))), None)

    def _near(self, text: str) -> Belief | None:
        alike = (belief for _, belief in self.alike(text))
        return next((each for each in alike if any(is_near(text, words) for words in self._wordings(each))), None)

    def _waiting_near(self, text: str) -> Iterator[str]:
        for each in self._waiting.values():
            if each.evidence and each.evidence[0].kind is EvidenceKind.PROMPT and is_near(text, each.text):
                yield each.text

    def same(self, belief: Belief) -> Belief | None:
        """The belief or proposal, tied to no code, that says the same."""
        for _, each in self.alike(belief.text):
            if not each.anchors and is_same(belief.text, each.text):
                return each
        return self._proposed(belief.text)

    def said_before(self, text: str) -> tuple[Store, Belief] | None:
        """The belief or proposal that says the same as a person, or that a person said in these words, wherever it is
        tied, with its store."""
        for store, each in self.alike(text):
            if any(is_same(text, words) for words in self._wordings(each)):
                return store, each
        waiting = self._proposed(text)
        return None if waiting is None else (self._context.store, waiting)

    def add(self, proposal: Belief) -> None:
        """Take in a proposal that was made."""
        self._waiting.setdefault(form_of(proposal.text), proposal)

    def _wordings(self, belief: Belief) -> tuple[str, ...]:
        prompts = (each for each in belief.evidence if each.kind is EvidenceKind.PROMPT)
        return (belief.text, *(each.quote for each in prompts if not each.event or each.event != self._event))

    @cached_property
    def _waiting(self) -> dict[Form, Belief]:
        proposals = self._context.store.beliefs(status=(BeliefStatus.PROPOSED,), limit=_MOST_WAITING)
        return {form_of(each.text): each for each in reversed(proposals) if not each.anchors}

    def _proposed(self, text: str) -> Belief | None:
        found = self._waiting.get(form_of(text))
        return found if found is not None and is_same(text, found.text) else None


class SaidStatements:
    """Takes the statements of persons out of events of one workspace."""

    def __init__(self, context: Context, conflicts: Conflicts) -> None:
        self._context = context
        self._conflicts = conflicts
        self._store = context.store
        self._worktree = context.worktree

    def of_event(self, event: Event) -> list[tuple[MinedStatement, Evidence]]:
        """The lasting statements of a prompt, or of the answers to an agent's questions, each with its evidence."""
        if event.kind is EventKind.PROMPT:
            found = from_prompt(event.text, self._question_before(event))
        elif event.kind is EventKind.TOOL and event.tool == QUESTION_TOOL:
            found = [each for asked, answer in answers_of(event.output) for each in from_prompt(answer, asked)]
        else:
            return []
        told = [(each, each.evidence(EvidenceKind.PROMPT, event.source, event.at)) for each in found]
        return [(each, evolve(evidence, session=event.session, event=event.key)) for each, evidence in told]

    def keep(self, found: MinedStatement, evidence: Evidence, *, admitted: bool) -> str | None:
        """Keep one statement, and return the id of the belief that is new; "" where there is none, None where it has to
        be a proposal.

        A direct statement is added, or strengthens the belief that says the same. Another one is only added to what
        says the same. `admitted` says whether the person's settings admit it without being asked. Raises StoreError.
        """
        if redact(f"{found.text}\n{found.quote}", self._context.screen().settings.personal).found:
            return ""
        with suppress(BadValue):
            text = checked_statement(found.text)
            maker = Maker(self._context.person(), evidence.source, self._context.clock(), session=evidence.session)
            known = KnownStatements(self._context, evidence.event)
            same = known.said_before(text)
            if same is not None:
                waits = same[1].status is BeliefStatus.PROPOSED and known.near(text) is not None
                return self._said_again(*same, evidence, maker, admitted=admitted and found.direct and not waits)
            if admitted and found.direct:
                return self._admitted(text, found, evidence, maker, known)
            return None
        return ""

    def ask_about_twin(self, proposal: Belief) -> None:
        """Tell the person that what was plainly said waits, since it seems to be a belief in other words."""
        near = KnownStatements(self._context).near(proposal.text)
        if near is not None:
            asked = f"{_in_line(proposal)}: does it say the same as: {_in_line(near)}?"
            self._notice(proposal.evidence[0], proposal, f"memlsp asks: {asked} · memlsp review {proposal.id}")

    def add_source(self, known: Belief, evidence: Evidence, by: Maker) -> None:
        """Add the evidence of a statement that says the same as a belief or proposal; each source once."""
        evidence = evolve(evidence, quote=evidence.quote[:LONGEST_QUOTE])
        if (evidence.kind, evidence.path, evidence.quote) in {(e.kind, e.path, e.quote) for e in known.evidence}:
            return
        after = evolve(known, evidence=(*known.evidence, evidence), updated_at=by.now)
        revision = revision_of(known, RevisionAction.PROPOSE, by, "found again")
        with suppress(Refused):  # it is locked, or was revised at this moment
            self._store.change(after, revision, found_by(after), known)

    def _question_before(self, event: Event) -> str:
        """The question with which the agent's last message before a prompt ends; "" for none."""
        if not event.session:
            return ""
        query = EventQuery(source=event.source, session=event.session)
        events = self._store.journal.events(query, limit=_EVENTS_BEFORE, newest=True)
        before = max((each for each in events if each.id < event.id), key=lambda each: each.id, default=None)
        if before is None or before.kind is not EventKind.SAY or not before.text.rstrip().endswith("?"):
            return ""
        return before.text.rstrip().rpartition("\n")[2].rpartition(". ")[2]

    def _said_again(self, store: Store, known: Belief, evidence: Evidence, by: Maker, *, admitted: bool) -> str:
        """Add the source to what says the same. A person's direct word confirms a belief and admits a proposal, unless
        the settings make it wait. Returns the id of that proposal, else ""."""
        evidence = evolve(evidence, quote=evidence.quote[:LONGEST_QUOTE])
        if any(each.event == evidence.event and each.kind is evidence.kind for each in known.evidence):
            return ""
        with_source = evolve(known, evidence=(*known.evidence, evidence))
        by = evolve(by, note="said again")
        if known.locked:
            return ""
        if not admitted:
            after, revision = with_source, revision_of(known, RevisionAction.PROPOSE, by)
        elif known.status is BeliefStatus.PROPOSED:
            after, revision = admit_proposal(with_source, by)
        else:
            after, revision = confirm(
                with_source, by, anchors=known.anchors, references=known.references, evidence=with_source.evidence
            )
        after = evolve(after, updated_at=by.now)
        store.change(after, revision, found_by(after), known)
        if after.status is known.status:
            return ""
        self._conflicts.after(RevisionAction.ADMIT, after)
        self._tell(evidence, after)
        return known.id

    def _admitted(
        self, text: str, found: MinedStatement, evidence: Evidence, by: Maker, known: KnownStatements
    ) -> str | None:
        if known.near(text) is not None:
            return None  # in other words, or an exception: a person says which
        anchors, scope = self._places(text, found, by.now)
        branch, commit = self._worktree.branch() or "", self._worktree.head() or ""
        draft = Draft(text, found.kind, Limits((), scope=scope), anchors, branch=branch, commit=commit)
        id = proposal_id(text)
        if self._context.stored(id):
            id = new_id()  # it was taken back or rejected once, and is said again
        belief = new_belief(id, draft, by, Authority.PERSON, self._context.verified)
        belief = evolve(belief, evidence=(evolve(evidence, quote=evidence.quote[:LONGEST_QUOTE]),))
        store = self._context.store_of(belief)
        gone, asked = self._replaced(store, belief, known)
        changes: list[Revised] = []
        for old in gone:
            ended, belief = supersede_by(old, belief, by)
            changes.append(ended)
        note = f"{REPLACES}{gone[0].id}" if gone else ""
        changes.append((belief, revision_of(belief, RevisionAction.REMEMBER, by, note)))
        store.change_all([(each, revision, found_by(each)) for each, revision in changes], gone)
        self._conflicts.after(RevisionAction.REMEMBER, belief)
        for other in asked:
            self._conflicts.ask(belief, other)
        self._tell(evidence, belief, gone)
        return belief.id

    def _replaced(self, store: Store, belief: Belief, known: KnownStatements) -> tuple[list[Belief], list[Belief]]:
        """The belief that this one surely replaces, one at most, and those about which a person has to be asked."""
        sure: list[Belief] = []
        asked: list[Belief] = []
        for home, other in known.alike(belief.text):
            answer = replaces(belief.text, other.text)
            if starts_now(belief.text) and _excludes(belief, other):
                answer = True  # it takes back what was said before, as a ban that is lifted
            if answer is False or other.conditions != belief.conditions:
                continue
            if not _excludes(belief, other):
                if tells_change(belief.text) and may_answer_one_question(belief.text, other.text):
                    asked.append(other)
                continue
            # one that holds in another place, or is held to code, may be true beside the new one
            alike = home is store and not other.anchors and other.scope == belief.scope
            above = other.authority.rank < Authority.PERSON.rank
            (sure if answer and alike and not above else asked).append(other)
        return (sure, asked) if len(sure) <= 1 else ([], sure + asked)

    def _places(self, text: str, found: MinedStatement, now: datetime) -> tuple[Sequence[Anchor], Scope]:
        """The code that a statement is about; of one about the person alone, none."""
        if found.personal and not named_paths(text, self._worktree):
            return (), Scope(ScopeKind.USER)
        return ruled_places(text, self._worktree, now)

    def _tell(self, evidence: Evidence, belief: Belief, gone: Sequence[Belief] = ()) -> None:
        """Leave the line that the person sees with the next answer of a hook in that session."""
        replaced = "".join(f" (replaces: {_in_line(each)})" for each in gone)
        asked = "".join(f" (does it replace: {each}? memlsp conflicts)" for each in self._rivals(belief)[:1])
        line = f"memlsp noted: {_in_line(belief)}{self._against(belief)}{replaced}{asked} · undo: memlsp undo last"
        self._notice(evidence, belief, line)

    def _rivals(self, belief: Belief) -> list[str]:
        """What contradicts a statement, and waits for an answer."""
        sides = (id for each in self._conflicts.of(belief.id) for id in (each.first, each.second) if id != belief.id)
        return [_in_line(other) for other in map(self._conflicts.side, sides) if other is not None]

    def _notice(self, evidence: Evidence, belief: Belief, line: str) -> None:
        key = hook_notes.session_key(evidence.source, evidence.session)
        if key:
            at = round(self._context.clock().timestamp() * 1000)
            self._store.handoffs.put_notice(key, hook_beliefs.PERSON, belief.id, line, at)

    def _against(self, belief: Belief) -> str:
        """What the code says against a statement that was false, or ahead of the code, when it was said."""
        if not any(anchor.unmet for anchor in belief.anchors):
            return ""
        held = judge(belief, self._worktree, now=self._context.clock())
        lead = "not yet so" if held.standing is Standing.AHEAD else "but the code says"
        return f", {lead}: {plain(held.reasons[0].message, _NOTED)}" if held.reasons else ""


def _excludes(belief: Belief, other: Belief) -> bool:
    """True when a new belief has the subject of another one and a value that excludes its value."""
    if belief.anchors:
        return contradiction_of(belief, other) is not None
    # what is said of everything is compared with what is said of one place too, and asked about
    return contradiction_between(belief.text, other.text, belief.conditions, other.conditions) is not None


def _in_line(belief: Belief) -> str:
    text = plain(belief.text, _NOTED).rstrip(".")
    return text if text.startswith("I ") or text[1:2].isupper() else f"{text[0].lower()}{text[1:]}"
