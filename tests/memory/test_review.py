"""The review queue, and what persons and agents decide in it."""

from __future__ import annotations

import pytest
from project import Project

from memlsp import Memory
from memlsp.model.belief import Author, Authority, AuthorKind, BeliefKind, BeliefStatus, Limits, Scope, ScopeKind
from memlsp.model.caller import Caller
from memlsp.model.errors import BadValue, NoSuchBelief, Refused
from memlsp.model.place import Place
from memlsp.model.review import ReviewItem, ReviewKind
from memlsp.model.standing import Standing

ANN = Author("Ann")
BOT = Author("claude", AuthorKind.AGENT)
RULE = "Never import `pricing.rates` outside of the `pricing` package."
FETCH = Place.parse("client.py#fetch")


def doubtful(memory: Memory, project: Project, author: Author = BOT) -> str:
    """A belief that the code contradicts."""
    id = memory.remember("Retries three times by default.", at=[FETCH], by=Caller(author=author)).belief.id
    project.replace("client.py", "retries=3", "retries=5")
    memory.files_changed(None)
    return id


def proposed(memory: Memory, project: Project) -> str:
    """A proposal that was found in a document."""
    project.write("AGENTS.md", f"# Shop\n\n- {RULE}\n")
    memory.files_changed(None)
    (belief,) = memory.proposals.learn().made
    return belief.id


def only(memory: Memory) -> ReviewItem:
    (item,) = memory.review.queue()
    return item


def test_nothing_waits_while_all_holds(memory: Memory) -> None:
    memory.remember("Retries three times by default.", at=[FETCH])
    assert memory.review.queue() == ()


def test_what_the_code_contradicts_waits_with_its_reasons(memory: Memory, project: Project) -> None:
    id = doubtful(memory, project)
    item = only(memory)
    assert (item.id, item.kind) == (id, ReviewKind.STALE)
    assert item.question == "Is this still true? It is contradicted."
    assert any("3" in line and "5" in line for line in item.evidence)
    assert "confirm" in item.choices
    assert "admit" not in item.choices


def test_the_code_is_shown_before_and_after(memory: Memory, project: Project) -> None:
    doubtful(memory, project)
    (change,) = memory.review.changes(only(memory))
    assert (change.was, change.now) == ("client.py#fetch", "client.py#fetch")
    assert "-def fetch(url, retries=3, timeout=30):" in change.lines
    assert "+def fetch(url, retries=5, timeout=30):" in change.lines
    assert change.lines[-1] == "…"


def test_of_code_that_is_gone_all_is_shown_as_taken_out(memory: Memory, project: Project) -> None:
    doubtful(memory, project)
    project.write("client.py", "x = 1\n")
    memory.files_changed(None)
    (change,) = memory.review.changes(only(memory))
    assert change.now == ""
    assert all(line.startswith("-") for line in change.lines)


def test_no_secret_is_shown_of_the_code(memory: Memory, project: Project) -> None:
    doubtful(memory, project)
    project.replace("client.py", "raise TimeoutError(url)", 'password = "hunter2hunter2Xy!9"')
    memory.files_changed(None)
    (change,) = memory.review.changes(only(memory))
    assert "hunter2" not in "".join(change.lines)


def test_a_proposal_waits_with_the_words_it_was_taken_from(memory: Memory, project: Project) -> None:
    id = proposed(memory, project)
    item = only(memory)
    assert (item.id, item.kind, item.choices) == (id, ReviewKind.PROPOSAL, ("admit", "reject"))
    assert item.evidence == ("document: AGENTS.md:3", f"| - {RULE}")


def test_a_person_admits_and_is_its_author_then(memory: Memory, project: Project) -> None:
    proposed(memory, project)
    decision = memory.review.settle(only(memory).id, "admit", by=Caller(author=ANN))
    assert decision.judgement is not None
    belief = decision.judgement.belief
    assert (belief.status, belief.authority, belief.author) == (BeliefStatus.ACTIVE, Authority.PERSON, ANN)
    assert memory.review.queue() == ()


def test_a_person_admits_in_other_words_and_the_same_is_not_proposed_again(memory: Memory, project: Project) -> None:
    id = proposed(memory, project)
    decision = memory.review.settle(id, "admit", "Only `pricing` imports `pricing.rates`.", by=Caller(author=ANN))
    assert decision.judgement is not None
    assert decision.judgement.belief.text == "Only `pricing` imports `pricing.rates`."
    assert decision.judgement.belief.id == id
    assert memory.proposals.learn().made == ()


def test_what_a_person_rejects_was_never_held_true(memory: Memory, project: Project) -> None:
    id = proposed(memory, project)
    memory.review.settle(id, "reject", by=Caller(author=ANN))
    judgement = memory.belief(id)
    assert judgement.standing is Standing.RETIRED
    assert judgement.reasons[0].message == "It was proposed, and was not wanted"
    assert memory.review.queue() == ()


@pytest.mark.parametrize("choice", ["confirm", "retire"])
def test_what_is_decided_about_a_stale_belief_takes_it_from_the_queue(
    memory: Memory, project: Project, choice: str
) -> None:
    doubtful(memory, project)
    memory.review.settle(only(memory).id, choice, by=Caller(author=BOT))
    assert memory.review.queue() == ()


def test_a_stale_belief_is_replaced_by_what_is_true_now(memory: Memory, project: Project) -> None:
    id = doubtful(memory, project)
    decision = memory.review.settle(id, "supersede", "Retries five times by default.", by=Caller(author=BOT))
    assert decision.judgement is not None
    assert memory.belief(id).belief.superseded_by == decision.judgement.belief.id
    assert set(decision.revisions) == {(id, 2), (decision.judgement.belief.id, 1)}


def test_the_worst_and_most_trusted_and_widest_comes_first(memory: Memory, project: Project) -> None:
    agents = doubtful(memory, project, BOT)
    locked = memory.remember("Times out after 30 seconds.", at=[FETCH], by=Caller(author=ANN)).belief.id
    memory.revise(locked, "lock", by=Caller(author=ANN))
    project.replace("client.py", "timeout=30", "timeout=60")
    memory.files_changed(None)
    waiting = proposed(memory, project)
    assert [item.id for item in memory.review.queue()] == [locked, agents, waiting]
    assert [item.id for item in memory.review.queue(1)] == [locked]
    assert [item.id for item in memory.review.queue(kinds=[ReviewKind.PROPOSAL])] == [waiting]


def test_reading_and_serving_change_nothing_about_the_order(memory: Memory, project: Project) -> None:
    doubtful(memory, project)
    proposed(memory, project)
    before = memory.review.queue()
    for _ in range(5):
        memory.recall("retries by default")
    assert [(item.id, item.impact) for item in memory.review.queue()] == [(item.id, item.impact) for item in before]


def test_what_was_followed_in_vain_is_asked_about_until_somebody_decides(memory: Memory) -> None:
    id = memory.remember("Run make migrate before the tests.", by=Caller(author=ANN)).belief.id
    memory.revise(id, "failed", by=Caller(author=BOT, note="there is no such target"))
    item = only(memory)
    assert item.question == "Is this still true? Somebody followed it in vain."
    assert item.evidence[0].startswith("claude followed it on ")
    assert item.evidence[0].endswith("and it did not hold: there is no such target")
    memory.review.settle(id, "confirm", by=Caller(author=ANN))
    assert memory.review.queue() == ()


@pytest.mark.parametrize("choice", ["admit", "reject"])
def test_no_agent_decides_about_a_proposal(memory: Memory, project: Project, choice: str) -> None:
    id = proposed(memory, project)
    with pytest.raises(Refused, match="a person decides"):
        memory.review.settle(id, choice, by=Caller(author=BOT))
    with pytest.raises(Refused, match="a person decides"):
        memory.review.settle(id, "admit", "something else", by=Caller(author=BOT))
    assert memory.belief(id).belief.status is BeliefStatus.PROPOSED


@pytest.mark.parametrize("choice", ["confirm", "supersede", "retire", "reanchor", "scope"])
def test_an_agent_decides_only_about_what_agents_said(memory: Memory, project: Project, choice: str) -> None:
    id = doubtful(memory, project, ANN)
    with pytest.raises(Refused, match="a person, stands behind"):
        memory.review.settle(id, choice, "Retries five times.", conditions=[("env", "staging")], by=Caller(author=BOT))
    memory.revise(id, "lock", by=Caller(author=ANN))
    with pytest.raises(Refused, match="locked by a person"):
        memory.review.settle(id, choice, "Retries five times.", conditions=[("env", "staging")], by=Caller(author=BOT))


def test_an_agent_proposes_instead_of_what_a_person_locked_and_the_person_takes_it(
    memory: Memory, project: Project
) -> None:
    id = doubtful(memory, project, ANN)
    memory.revise(id, "lock", by=Caller(author=ANN))
    decision = memory.review.settle(
        id,
        "propose",
        "Retries five times by default.",
        by=Caller(author=BOT, session="s1", note="the default is 5 now"),
    )
    assert memory.belief(id).belief.status is BeliefStatus.ACTIVE
    (first,) = memory.review.queue(kinds=[ReviewKind.PROPOSAL])
    assert first.question == f"Should this take the place of {id}?"
    assert first.evidence[0] == f"in the place of {id}: Retries three times by default."
    assert "suggestion: claude" in first.evidence
    assert "| the default is 5 now" in first.evidence
    assert decision.judgement is not None
    assert first.id == decision.judgement.belief.id

    taken = memory.review.settle(first.id, "admit", by=Caller(author=ANN))
    assert taken.judgement is not None
    new = taken.judgement.belief
    assert (new.authority, new.author, new.text) == (Authority.LOCKED, ANN, "Retries five times by default.")
    old = memory.belief(id).belief
    assert (old.status, old.superseded_by) == (BeliefStatus.SUPERSEDED, new.id)
    assert memory.review.queue() == ()

    memory.review.undo(author=ANN)
    assert memory.belief(id).belief.locked
    assert memory.belief(new.id).belief.status is BeliefStatus.PROPOSED


def test_a_suggestion_is_made_once_and_not_again_when_it_was_not_wanted(memory: Memory) -> None:
    first = memory.review.propose("All requests go through `fetch`.", by=Caller(author=BOT))
    assert first.belief.status is BeliefStatus.PROPOSED
    assert memory.review.propose("All requests go through `fetch`.", by=Caller(author=BOT)).belief.id == first.belief.id
    memory.review.settle(first.belief.id, "reject", by=Caller(author=ANN))
    with pytest.raises(Refused, match="was not wanted"):
        memory.review.propose("all requests go through `fetch`", by=Caller(author=BOT))


def test_a_suggestion_holds_no_secret_and_takes_nobodys_place_unasked(memory: Memory) -> None:
    made = memory.review.propose(
        "Use it.", kind=BeliefKind.FACT, by=Caller(author=BOT, note="password=hunter2hunter2Xy!9")
    )
    assert "hunter2" not in repr(made.belief)
    with pytest.raises(BadValue):
        memory.review.propose("  ", by=Caller(author=BOT))
    mine = memory.remember("I prefer tabs.", limits=Limits(scope=Scope(ScopeKind.USER)), by=Caller(author=ANN))
    with pytest.raises(Refused):
        memory.review.propose("I prefer spaces.", instead_of=mine.belief.id, by=Caller(author=BOT))


def test_the_last_decision_is_undone_whole_and_one_by_one(memory: Memory, project: Project) -> None:
    stale = doubtful(memory, project, ANN)
    waiting = proposed(memory, project)
    new = memory.review.settle(stale, "supersede", "Retries five times by default.", by=Caller(author=ANN)).judgement
    memory.review.settle(waiting, "reject", by=Caller(author=ANN))
    assert memory.review.undo(author=ANN).item == waiting
    assert memory.belief(waiting).belief.status is BeliefStatus.PROPOSED
    assert memory.review.undo(author=ANN).item == stale
    assert memory.belief(stale).belief.status is BeliefStatus.ACTIVE
    assert new is not None
    assert memory.belief(new.belief.id).belief.status is BeliefStatus.RETIRED
    with pytest.raises(Refused, match="decided nothing"):
        memory.review.undo(author=ANN)


def test_a_decision_that_is_named_is_undone_only_while_it_is_the_last(memory: Memory, project: Project) -> None:
    stale = doubtful(memory, project, ANN)
    waiting = proposed(memory, project)
    memory.review.settle(stale, "retire", by=Caller(author=ANN))
    memory.review.settle(waiting, "reject", by=Caller(author=ANN))
    with pytest.raises(Refused, match=f"is another, reject of {waiting}"):
        memory.review.undo(stale, author=ANN)
    assert memory.belief(waiting).belief.status is BeliefStatus.RETIRED
    assert memory.review.undo(waiting, author=ANN).item == waiting
    assert memory.review.undo(stale, author=ANN).item == stale


def test_what_was_decided_is_undone_by_another_process_too(memory: Memory, project: Project) -> None:
    id = doubtful(memory, project, ANN)
    memory.review.settle(id, "retire", by=Caller(author=ANN))
    with Memory.open(project.root) as other:
        other.review.undo(author=ANN)
    assert memory.belief(id).belief.status is BeliefStatus.ACTIVE


def test_everybody_undoes_what_is_their_own_and_agents_nothing_of_persons(memory: Memory, project: Project) -> None:
    id = doubtful(memory, project, ANN)
    memory.review.settle(id, "retire", by=Caller(author=ANN))
    with pytest.raises(Refused, match="decided nothing"):
        memory.review.undo(author=BOT)
    with pytest.raises(Refused, match="decided nothing"):
        memory.review.undo(author=Author("Ann", AuthorKind.AGENT))
    assert memory.belief(id).belief.status is BeliefStatus.RETIRED


def test_a_decision_on_which_another_was_made_is_not_undone(memory: Memory, project: Project) -> None:
    id = doubtful(memory, project, ANN)
    memory.review.settle(id, "confirm", by=Caller(author=ANN))
    memory.revise(id, "lock", by=Caller(author=Author("Bea")))
    with pytest.raises(Refused, match="revised since"):
        memory.review.undo(author=ANN)
    assert memory.belief(id).belief.locked


def test_choices_are_those_of_the_item(memory: Memory, project: Project) -> None:
    id = doubtful(memory, project)
    with pytest.raises(BadValue, match="not a choice"):
        memory.review.settle(id, "admit", by=Caller(author=ANN))
    with pytest.raises(BadValue, match="needs the new statement"):
        memory.review.settle(id, "supersede", by=Caller(author=ANN))
    with pytest.raises(NoSuchBelief):
        memory.review.settle("nothing", "confirm", by=Caller(author=ANN))
    with pytest.raises(NoSuchBelief):
        memory.review.settle("a+b", "first", by=Caller(author=ANN))
    memory.revise(id, "retire", by=Caller(author=ANN))
    with pytest.raises(Refused, match="nothing is asked"):
        memory.review.settle(id, "confirm", by=Caller(author=ANN))


def test_every_decision_is_in_the_audit_log_without_words(memory: Memory, project: Project) -> None:
    id = doubtful(memory, project, ANN)
    memory.review.settle(id, "retire", by=Caller(author=ANN, note="we retry five times", source="review", session="s1"))
    memory.review.undo(author=ANN)
    undone, retired, said = memory.audit.list()
    assert (said.action, retired.action, undone.action) == ("remember", "retire", "rollback")
    assert (retired.source, retired.session, retired.targets) == ("review", "s1", (id,))
    assert undone.note == "revision 3, takes back revision 2"
    assert "retry" not in repr((undone, retired, said))
    assert [entry.action for entry in memory.audit.list(session="s1")] == ["retire"]
    with pytest.raises(BadValue):
        memory.audit.list(since=said.at, until=said.at)


def contradicting(memory: Memory, first: Author = ANN, second: Author = BOT) -> ReviewItem:
    memory.remember("The server listens on port 8080.", by=Caller(author=first))
    memory.remember("The server listens on port 9090.", by=Caller(author=second))
    (item,) = memory.review.queue(kinds=[ReviewKind.CONFLICT])
    return item


def test_a_contradiction_waits_with_both_sides_and_what_each_says(memory: Memory) -> None:
    item = contradicting(memory)
    assert item.choices == ("first", "second", "both", "apart")
    assert {judgement.belief.text for judgement in item.judgements} == {
        "The server listens on port 8080.",
        "The server listens on port 9090.",
    }
    assert any("8080" in line and "Ann" in line for line in item.evidence)
    assert item.id == "+".join(judgement.belief.id for judgement in item.judgements)


def test_what_an_agent_proposes_about_a_contradiction_names_both_sides(memory: Memory) -> None:
    item = contradicting(memory)
    memory.review.settle(item.id, "propose", "The server listens on port 7070.", by=Caller(author=BOT))
    (waiting,) = memory.review.queue(kinds=[ReviewKind.PROPOSAL])
    sides = " and ".join(each.belief.id for each in item.judgements)
    assert any(f"in the place of {sides}" in line for line in waiting.evidence)


def test_a_proposal_about_a_contradiction_takes_the_place_of_both_sides_and_gives_it_back(memory: Memory) -> None:
    item = contradicting(memory)
    sides = [each.belief.id for each in item.judgements]
    memory.review.settle(item.id, "propose", "The server listens on port 7070.", by=Caller(author=BOT))
    (waiting,) = memory.review.queue(kinds=[ReviewKind.PROPOSAL])
    assert all(side in waiting.question for side in sides)
    memory.review.settle(waiting.id, "admit", by=Caller(author=ANN))
    assert [each.belief.text for each in memory.beliefs()] == ["The server listens on port 7070."]
    assert {memory.belief(side).belief.superseded_by for side in sides} == {waiting.id}
    assert memory.review.queue() == ()
    assert memory.conflicts.get(item.id).settled_by == "Ann"
    memory.review.undo(author=ANN)
    assert {each.id for each in memory.review.queue()} == {item.id, waiting.id}


def test_a_proposal_about_a_contradiction_that_was_settled_takes_the_place_of_what_is_left(memory: Memory) -> None:
    item = contradicting(memory)
    memory.review.settle(item.id, "propose", "The server listens on port 7070.", by=Caller(author=BOT))
    memory.review.settle(item.id, "first", by=Caller(author=ANN))
    (waiting,) = memory.review.queue(kinds=[ReviewKind.PROPOSAL])
    memory.review.settle(waiting.id, "admit", by=Caller(author=ANN))
    assert [each.belief.text for each in memory.beliefs()] == ["The server listens on port 7070."]


@pytest.mark.parametrize(("choice", "left"), [("first", 0), ("second", 1)])
def test_one_side_takes_the_place_of_the_other_and_can_give_it_back(memory: Memory, choice: str, left: int) -> None:
    item = contradicting(memory)
    memory.review.settle(item.id, choice, by=Caller(author=ANN))
    (kept,) = memory.beliefs()
    assert kept.belief.id == item.judgements[left].belief.id
    assert memory.review.queue() == ()
    memory.review.undo(author=ANN)
    assert [each.id for each in memory.review.queue()] == [item.id]


def test_both_sides_stand_until_that_is_undone(memory: Memory) -> None:
    item = contradicting(memory)
    memory.review.settle(item.id, "both", by=Caller(author=ANN))
    assert memory.review.queue() == ()
    memory.review.undo(author=ANN)
    assert [each.id for each in memory.review.queue()] == [item.id]


def test_the_sides_are_told_apart_by_where_they_apply(memory: Memory) -> None:
    item = contradicting(memory)
    one, other = (judgement.belief.id for judgement in item.judgements)
    apart = {one: [("env", "staging")], other: [("env", "production")]}
    memory.review.settle(item.id, "apart", conditions=apart, by=Caller(author=ANN))
    assert memory.review.queue() == ()
    assert memory.belief(one).belief.conditions == (("env", "staging"),)
    memory.review.undo(author=ANN)
    assert [each.id for each in memory.review.queue()] == [item.id]


@pytest.mark.parametrize("choice", ["both", "apart", "loser"])
def test_an_agent_settles_no_contradiction_that_a_person_is_part_of(memory: Memory, choice: str) -> None:
    item = contradicting(memory)
    persons = 0 if item.judgements[0].belief.author == ANN else 1
    given = ("second", "first")[persons] if choice == "loser" else choice
    with pytest.raises(Refused, match="a person, stands behind"):
        memory.review.settle(item.id, given, conditions=[("env", "staging")], by=Caller(author=BOT))
    assert len(memory.beliefs()) == 2
    memory.review.settle(item.id, ("first", "second")[persons], by=Caller(author=BOT))  # its own gives way
    assert [judgement.belief.author for judgement in memory.beliefs()] == [ANN]


def test_what_reaches_further_weighs_more(memory: Memory, project: Project) -> None:
    for number in range(30):
        project.write(f"pricing/part_{number}.py", "x = 1\n")
    memory.files_changed(None)
    narrow = memory.remember(
        "Rounds half even.", limits=Limits(scope=Scope(ScopeKind.GLOB, "client.py")), by=Caller(author=ANN)
    ).belief.id
    middle = memory.remember(
        "Rounds half up.", limits=Limits(scope=Scope(ScopeKind.GLOB, "pricing/**")), by=Caller(author=ANN)
    ).belief.id
    whole = memory.remember("Rounds half down.", by=Caller(author=ANN)).belief.id
    for id in (narrow, middle, whole):
        memory.revise(id, "failed", by=Caller(author=BOT, session=id))
    stale = memory.review.queue(kinds=[ReviewKind.STALE])
    assert [item.id for item in stale] == [whole, middle, narrow]
