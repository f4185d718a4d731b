"""Handoffs, notes, remedies and catching up, from observed events to what the next agent is told."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from project import Project

from memlsp import Memory
from memlsp.episodes.command_templates import failure_digest
from memlsp.model.belief import Author, AuthorKind
from memlsp.model.caller import Caller
from memlsp.model.errors import BadValue, NoSuchHandoff, Refused
from memlsp.model.handoff import HandoffNotes
from memlsp.model.place import Place
from memlsp.model.standing import Standing
from memlsp.model.thread import ThreadKind
from memlsp.store.tables.hook_notes import stamp_of

AGENT = Author("agent", AuthorKind.AGENT)

MISSING = "ModuleNotFoundError: No module named 'tenacity'"


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 21, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def pass_(self, **span: float) -> None:
        self.now += timedelta(**span)


class Agent:
    """A program whose session is observed."""

    def __init__(self, memory: Memory, clock: Clock, source: str = "claude-code", session: str = "s1") -> None:
        self._memory, self._clock, self._source, self._session = memory, clock, source, session

    def does(self, kind: str, text: str = "", **more: object) -> Agent:
        self._clock.pass_(seconds=1)
        at = int(self._clock.now.timestamp() * 1000)
        record = {"key": f"{self._session}{kind}{at}", "at": at, "kind": kind, "text": text, "branch": "main"}
        self._memory.events.take([{**record, "source": self._source, "session": self._session, **more}])
        return self

    def edits(self, project: Project, path: str, old: str, new: str) -> Agent:
        project.replace(path, old, new)
        return self.does("edit", paths=[path])

    def settled(self) -> Agent:
        self._memory.events.settle()
        return self


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def memory(project: Project, clock: Clock) -> Iterator[Memory]:
    with Memory.open(project.root, clock=clock) as opened:
        opened.events.settle()  # the first look
        yield opened


@pytest.fixture
def ann(memory: Memory, clock: Clock) -> Agent:
    return Agent(memory, clock)


@pytest.fixture
def retrying(ann: Agent, project: Project) -> Agent:
    """A session that changed something and got stuck."""
    ann.does("prompt", "Retry five times and keep the timeout")
    ann.edits(project, "client.py", "retries=3", "retries=5")
    ann.does("plan", plan=[["raise the retries", "completed"], ["document them", "pending"]])
    ann.does("command", "pytest -q", ok=False, exit=1, output="FAILED t.py::test_retry - assert 3 == 5")
    return ann.settled()


# -- from a session to the next -----------------------------------------------------------------------------------


def test_a_session_that_was_killed_is_handed_to_whoever_starts_next(retrying: Agent, memory: Memory) -> None:
    text = memory.handoffs.briefing()
    assert "its end was not seen" in text
    assert "task: Retry five times and keep the timeout" in text
    assert "stuck: `pytest -q` failed (exit 1): FAILED t.py::test_retry - assert 3 == 5" in text
    assert "open: document them" in text
    assert "`retries` from 3 to 5" in text
    assert "where: client.py#fetch" in text


@pytest.mark.parametrize("words", ["Done. Next steps:\n- test the backoff", "It is bounded. Next: test the backoff"])
def test_a_step_that_is_named_after_what_was_done_is_open_at_the_next_start(
    ann: Agent, memory: Memory, project: Project, words: str
) -> None:
    ann.edits(project, "client.py", "retries=3", "retries=5").does("say", words).does("session-end").settled()
    assert "open: test the backoff" in memory.handoffs.briefing()
    assert "left nothing open" not in memory.handoffs.briefing()


def test_reading_consumes_nothing(retrying: Agent, memory: Memory) -> None:
    first = memory.handoffs.briefing()
    assert memory.handoffs.list() == memory.handoffs.list()
    assert not memory.handoffs.peek().is_claimed
    assert memory.handoffs.briefing() == first


def test_a_session_in_which_nothing_happened_leaves_nothing(ann: Agent, memory: Memory) -> None:
    ann.does("session-start").does("prompt", "What does fetch do?").does("read", paths=["client.py"])
    ann.does("say", "It fetches.").does("session-end").settled()
    assert memory.handoffs.list() == ()
    assert memory.handoffs.briefing() == ""


def test_what_goes_on_renews_its_handoff(retrying: Agent, memory: Memory) -> None:
    (before,) = memory.handoffs.list()
    retrying.does("command", "pytest -q", ok=True).does("session-end").settled()
    (after,) = memory.handoffs.list()
    assert after.id == before.id
    assert (after.stuck, after.ended) == ("", True)


def test_who_claims_first_has_it_and_others_see_who_and_when(retrying: Agent, memory: Memory) -> None:
    id = memory.handoffs.peek().id
    memory.handoffs.claim(id, "cursor")
    assert memory.handoffs.claim(id[:4], "cursor").claimed_by == "cursor"
    with pytest.raises(Refused, match="cursor took handoff"):
        memory.handoffs.claim(id, "codex")
    assert "taken by cursor" in memory.handoffs.briefing()


def test_a_plan_that_was_claimed_is_no_open_thread_of_the_first_any_more(
    retrying: Agent, memory: Memory, project: Project, clock: Clock
) -> None:
    (planned,) = [each for each in memory.threads.open() if each.kind is ThreadKind.PLAN]
    taken = memory.handoffs.claim(memory.handoffs.peek().id, "cursor")
    assert not any(each.kind is ThreadKind.PLAN for each in memory.threads.open())
    assert memory.threads.get(planned.id).closed_by == f"taken by cursor with handoff {taken.id}"
    assert memory.handoffs.peek(taken.id).next_steps == ("document them",)
    retrying.does("plan", plan=[["document them", "in_progress"]]).settled()  # the first goes on all the same
    assert [each.id for each in memory.threads.open() if each.kind is ThreadKind.PLAN] == [planned.id]


def test_what_the_first_did_is_not_told_as_done_by_the_second(
    retrying: Agent, memory: Memory, project: Project, clock: Clock
) -> None:
    memory.handoffs.claim(memory.handoffs.peek().id, "cursor")
    clock.pass_(minutes=2)
    second = Agent(memory, clock, "cursor", "s2")
    second.does("prompt", "Go on with the retries in client.py").edits(
        project, "client.py", "sleep(attempt)", "sleep(2 * attempt)"
    ).settled()
    (episode,) = memory.episodes.list()
    assert set(episode.sessions) == {"s1", "s2"}  # they work at the same thing
    (left,) = [each for each in memory.handoffs.list(include_past=True) if each.session == "s2"]
    assert left.done
    assert not any("retries" in line for line in left.done)


def test_a_session_that_works_on_after_its_handoff_was_taken_leaves_another(
    retrying: Agent, memory: Memory, project: Project, clock: Clock
) -> None:
    taken = memory.handoffs.claim(memory.handoffs.peek().id, "cursor")
    clock.pass_(minutes=5)
    retrying.edits(project, "client.py", "timeout=30", "timeout=60").settled()
    assert memory.handoffs.peek().id != taken.id
    assert memory.handoffs.peek(taken.id).successor == memory.handoffs.peek().id
    assert not any("retries" in line for line in memory.handoffs.peek().done)


def test_a_handoff_expires(retrying: Agent, memory: Memory, clock: Clock) -> None:
    id = memory.handoffs.peek().id
    clock.pass_(days=8)
    assert memory.handoffs.list() == ()
    assert memory.handoffs.briefing() == ""
    with pytest.raises(Refused, match="expired"):
        memory.handoffs.claim(id, "cursor")
    assert memory.handoffs.peek(id).id == id


def test_when_a_handoff_expires_is_a_setting(memory: Memory, project: Project, clock: Clock) -> None:
    project.write(".memlsp/config.toml", "[handoffs]\ndays = 2\n")
    assert memory.handoffs.write("Deploy", HandoffNotes(next_steps=["push"])).expires_at == clock.now + timedelta(
        days=2
    )


def test_what_one_of_two_sessions_at_work_wrote_takes_nothing_from_the_other(
    memory: Memory, clock: Clock, retrying: Agent
) -> None:
    retrying.settled()
    Agent(memory, clock, session="s2").does("session-start").does("prompt", "Say hello").settled()
    written = memory.handoffs.write("Say hello", HandoffNotes(next_steps=["wave"]), by="claude-code")
    assert written.session == "", "nobody can tell which of the two wrote it"
    titles = {handoff.title for handoff in memory.handoffs.list()}
    assert {"Say hello", "Retry five times and keep the timeout"} <= titles


def test_what_an_agent_wrote_stays_in_front_of_what_is_observed_later(
    retrying: Agent, memory: Memory, project: Project
) -> None:
    memory.handoffs.write(
        "Retries", HandoffNotes(next_steps=["ask Bert"], questions=["Is five enough?"]), by="Claude Code"
    )
    (written,) = memory.handoffs.list()
    assert (written.made_by, written.session) == ("agent", "s1")
    retrying.does("session-end").settled()
    assert memory.handoffs.list()[0].next_steps == ("ask Bert",)
    retrying.edits(project, "client.py", "timeout=30", "timeout=60").settled()
    renewed = memory.handoffs.peek()
    assert renewed.title == "Retries"
    assert renewed.questions == ("Is five enough?",)
    assert any("timeout" in line for line in renewed.done)


def test_a_handoff_that_says_nothing_is_refused(memory: Memory) -> None:
    with pytest.raises(BadValue, match="title"):
        memory.handoffs.write(" ", HandoffNotes(done=["x"]))
    with pytest.raises(BadValue, match="nothing"):
        memory.handoffs.write("Title", HandoffNotes(done=[" "]))


def test_secrets_in_a_handoff_are_replaced(memory: Memory) -> None:
    secret = "ghp_" + "a1B2c3D4" * 5
    left = memory.handoffs.write(
        "Deploy", HandoffNotes(stuck=f"curl -H 'Authorization: token {secret}' failed"), by="x"
    )
    assert secret not in left.stuck


def test_there_is_no_handoff_of_an_unknown_id(memory: Memory) -> None:
    with pytest.raises(NoSuchHandoff):
        memory.handoffs.peek()
    with pytest.raises(NoSuchHandoff):
        memory.handoffs.claim("nowhere", "x")


def test_a_later_session_that_finished_the_work_leaves_the_first_out(
    retrying: Agent, memory: Memory, project: Project, clock: Clock
) -> None:
    clock.pass_(minutes=40)
    other = Agent(memory, clock, "cursor", "c1").edits(project, "client.py", "retries=5", "retries=4")
    commit = project.commit("Retry four times")
    other.does("commit", "Retry four times", commit=commit, source="git", session="", paths=["client.py"])
    other.does("command", "pytest -q", ok=True).does("session-end").settled()
    assert [each.source for each in memory.handoffs.list()] == ["cursor"]
    assert memory.handoffs.waiting_line() == ""


def test_what_another_session_resolved_is_not_handed_over_any_more(
    retrying: Agent, memory: Memory, project: Project, clock: Clock
) -> None:
    text = (project.root / "client.py").read_text()
    project.write(
        "client.py", f'{text}\n\ndef wait(n):\n    # TODO: add jitter\n    raise NotImplementedError("not yet")\n'
    )
    retrying.does("edit", paths=["client.py"]).settled()
    third = Agent(memory, clock, "codex", "x1").does("edit", paths=["client.py"])  # sees the same test fail
    third.does("command", "pytest -q", ok=False, exit=1, output="FAILED t.py::test_retry - assert 3 == 5").settled()
    (before,) = [each for each in memory.handoffs.list() if each.source == "claude-code"]
    assert len([step for step in before.next_steps if "client.py#wait" in step]) == 2
    clock.pass_(minutes=5)
    project.write("client.py", f"{text}\n\ndef wait(n):\n    return n\n")
    other = Agent(memory, clock, "cursor", "c1").does("edit", paths=["client.py"])
    other.does("command", "pytest -q", ok=True, output="t.py::test_retry PASSED\n1 passed in 0.1s").settled()
    (first,) = [each for each in memory.handoffs.list() if each.source == "claude-code"]
    assert (first.next_steps, first.stuck) == (("document them",), "")
    assert not any(each.stuck for each in memory.handoffs.list())
    retrying.does("say", "stopped").settled()  # made anew of what was observed of it
    (again,) = [each for each in memory.handoffs.list() if each.source == "claude-code"]
    assert (again.next_steps, again.stuck) == (("document them",), "")


def test_work_of_another_branch_comes_later_and_says_so(
    retrying: Agent, memory: Memory, project: Project, clock: Clock
) -> None:
    clock.pass_(hours=1)
    other = Agent(memory, clock, "cursor", "c1")
    project.replace("pricing/rates.py", "0.20", "0.25")
    other.does("edit", paths=["pricing/rates.py"], branch="fix").does("plan", plan=[["x", "pending"]], branch="fix")
    other.settled()
    assert [each.branch for each in memory.handoffs.list()] == ["main", "fix"]
    project.git("checkout", "--quiet", "-b", "fix")
    assert [each.branch for each in memory.handoffs.list()] == ["fix", "main"]
    assert "From Cursor" in memory.handoffs.briefing()


def test_a_program_is_not_offered_what_it_is_at_work_on(retrying: Agent, memory: Memory, clock: Clock) -> None:
    assert memory.handoffs.list(asker="Claude Code") == ()
    assert memory.handoffs.waiting_line() == ""
    assert len(memory.handoffs.list(asker="cursor")) == 1
    clock.pass_(hours=1)
    assert len(memory.handoffs.list(asker="Claude Code")) == 1
    assert "claude-code" in memory.handoffs.waiting_line()


def test_an_agent_is_known_by_the_name_that_it_gives_itself_over_mcp(
    memory: Memory, project: Project, clock: Clock
) -> None:
    codex = Agent(memory, clock, "codex", "x1").edits(project, "client.py", "retries=3", "retries=5")
    codex.does("plan", plan=[["document them", "pending"]]).settled()
    assert memory.handoffs.list(asker="codex-mcp-client") == ()
    assert len(memory.handoffs.list(asker="cursor-vscode")) == 1
    written = memory.handoffs.write(
        "Raise the retries", HandoffNotes(next_steps=["tell the others"]), by="codex-mcp-client"
    )
    assert (written.source, written.session) == ("codex", "x1")


def test_after_compaction_a_session_has_its_own_state_back(retrying: Agent, memory: Memory) -> None:
    text = memory.handoffs.briefing(("claude-code", "s1"))
    assert "this session itself" in text
    assert "open: document them" in text
    assert "not claimed" not in text


def test_beliefs_about_the_files_that_no_longer_hold_are_part_of_it(
    retrying: Agent, memory: Memory, project: Project
) -> None:
    memory.remember(
        "compute_tax applies the 20 % rate",
        at=[Place("pricing/tax.py", symbol="compute_tax")],
        by=Caller(folder=project.root),
    )
    memory.handoffs.refresh()
    assert "20 %" not in memory.handoffs.briefing()
    retrying.edits(project, "pricing/rates.py", "0.20", "0.25").settled()
    assert "contradicted: compute_tax applies the 20 % rate" in memory.handoffs.briefing()


# -- at the moment of use -----------------------------------------------------------------------------------------


def notes(memory: Memory, project: Project, path: str) -> list[str]:
    shelf = memory._store.handoffs  # pyright: ignore[reportPrivateUsage] - as a hook reads it
    return [sentence for sentence, _ in shelf.notes_at(path, stamp_of(str(project.root / path)))]


def test_what_is_tied_to_a_file_is_said_of_it_rules_first_and_agents_last(memory: Memory, project: Project) -> None:
    at = [Place("client.py", symbol="fetch")]
    memory.remember("fetch is called by the nightly job", at=at, by=Caller(author=AGENT, folder=project.root))
    memory.remember("We chose three retries, since one call in ten drops", at=at, by=Caller(folder=project.root))
    memory.remember("fetch must never be called without a timeout", at=at, by=Caller(folder=project.root))
    memory.handoffs.refresh()
    rule, decision, fact = notes(memory, project, "client.py")
    assert rule.startswith('memlsp, rule for `fetch`: "fetch must never be called without a timeout" (Ann Ode, ')
    assert decision.startswith('memlsp, decision for `fetch`: "We chose three retries')
    assert fact.startswith('memlsp, fact for `fetch`: "fetch is called by the nightly job" (agent, ')


def test_of_an_agents_statement_only_one_that_holds_is_said(retrying: Agent, memory: Memory, project: Project) -> None:
    at = [Place("client.py", symbol="fetch")]
    for by in (Caller(author=AGENT, folder=project.root), Caller(folder=project.root)):
        memory.remember("fetch gives up with an error after its attempts", at=at, by=by)
    project.replace("client.py", "raise TimeoutError(url)", "return None")
    retrying.does("edit", paths=["client.py"]).settled()
    assert {each.standing for each in memory.beliefs(path="client.py")} == {Standing.CHANGED}
    (told,) = notes(memory, project, "client.py")
    assert told.startswith("memlsp, fact for `fetch`, which changed since: ")
    assert "person" in told


def test_a_change_in_another_file_makes_a_note_of_what_it_contradicts(
    ann: Agent, memory: Memory, project: Project
) -> None:
    memory.remember(
        "compute_tax applies the 20 % rate",
        at=[Place("pricing/tax.py", symbol="compute_tax")],
        by=Caller(folder=project.root),
    )
    memory.handoffs.refresh()
    (told,) = notes(memory, project, "pricing/tax.py")
    assert told.startswith("memlsp, fact for `compute_tax`: ")
    ann.edits(project, "pricing/rates.py", "0.20", "0.25").settled()
    (told,) = notes(memory, project, "pricing/tax.py")
    assert told.startswith("memlsp, contradicted fact for `compute_tax`")


def test_a_note_goes_with_its_belief(memory: Memory, project: Project) -> None:
    rule = memory.remember("Never retry", at=[Place("client.py", symbol="fetch")], by=Caller(folder=project.root))
    memory.handoffs.refresh()
    assert notes(memory, project, "client.py")
    memory.revise(rule.belief.id, "retire")
    memory.handoffs.refresh()
    assert notes(memory, project, "client.py") == []


def test_a_file_that_changed_since_it_was_judged_has_no_notes_until_it_is_judged_again(
    ann: Agent, memory: Memory, project: Project
) -> None:
    memory.remember(
        "fetch must never be called without a timeout",
        at=[Place("client.py", symbol="fetch")],
        by=Caller(folder=project.root),
    )
    memory.handoffs.refresh()
    project.replace("client.py", "import time\n", "import time\n\n# a remark\n")
    assert notes(memory, project, "client.py") == []
    ann.does("edit", paths=["client.py"]).settled()
    assert len(notes(memory, project, "client.py")) == 1


def test_a_rule_is_said_as_it_is_after_an_edit_of_something_else_in_its_code(
    retrying: Agent, memory: Memory, project: Project
) -> None:
    at = [Place("client.py", symbol="fetch")]
    rule = memory.remember("Never log the url of fetch", at=at, by=Caller(folder=project.root))
    retrying.edits(project, "client.py", "retries=5", "retries=7").settled()
    assert memory.belief(rule.belief.id).standing is Standing.CHANGED
    (told,) = notes(memory, project, "client.py")
    assert told.startswith('memlsp, rule for `fetch`: "Never log the url of fetch"')
    assert rule.belief.id not in memory.handoffs.briefing()


def test_a_note_is_one_short_sentence_that_opens_no_tag(memory: Memory, project: Project) -> None:
    at = [Place("client.py", symbol="fetch")]
    for number in range(5):
        memory.remember(f"Never {number} </x>\nIgnore " + "<b>" * 200, at=at, by=Caller(folder=project.root))
    memory.handoffs.refresh()
    told = notes(memory, project, "client.py")
    assert len(told) == 3
    assert all(len(each) <= 280 and "<" not in each and "\n" not in each for each in told)


def test_what_helped_before_is_known_when_it_fails_so_again(ann: Agent, memory: Memory) -> None:
    ann.does("command", "pytest a.py", ok=False, output=MISSING).does("command", "pip install tenacity", ok=True)
    ann.does("command", "pytest a.py", ok=True).settled()
    shelf = memory._store.handoffs  # pyright: ignore[reportPrivateUsage] - as a hook reads it
    found = shelf.remedy_for("pytest P", failure_digest(MISSING))
    assert found is not None
    assert found[0].endswith("what worked then: `pip install tenacity` before it")
    assert shelf.remedy_for("pytest P", failure_digest(MISSING.replace("tenacity", "attrs"))) is None


def test_what_waited_in_the_spool_is_read_in_its_time(ann: Agent, memory: Memory, clock: Clock) -> None:
    """The first hooks of a new workspace find no store yet; what they left arrives behind what happened later."""
    begun = clock.now
    clock.pass_(minutes=1)
    ann.does("command", "pip install tenacity", ok=True).does("command", "pytest a.py", ok=True)
    clock.now = begun
    ann.does("prompt", "Make the tests run").does("command", "pytest a.py", ok=False, output=MISSING).settled()
    found = memory._store.handoffs.remedy_for(  # pyright: ignore[reportPrivateUsage] - as a hook reads it
        "pytest P", failure_digest(MISSING)
    )
    assert found is not None
    assert found[0].endswith("what worked then: `pip install tenacity` before it")
    (episode,) = memory.episodes.list()
    assert episode.title == "Make the tests run"


# -- catching up --------------------------------------------------------------------------------------------------


def test_catching_up_tells_what_was_done_decided_and_is_open(retrying: Agent, memory: Memory, project: Project) -> None:
    memory.remember(
        "Five retries, agreed with Bert", at=[Place("client.py", symbol="fetch")], by=Caller(folder=project.root)
    )
    found = memory.handoffs.catch_up(memory.handoffs.list()[0].created_at - timedelta(days=1), asker="cursor")
    assert [each.judgement.belief.text for each in found.decided] == ["Five retries, agreed with Bert"]
    assert [each.title for each in found.handoffs] == ["Retry five times and keep the timeout"]
    assert found.episodes
    assert found.size == "digest"


@pytest.mark.parametrize(("span", "size"), [({"hours": 1}, "line"), ({"days": 1}, "digest"), ({"days": 30}, "story")])
def test_the_longer_one_was_away_the_more_is_told(
    memory: Memory, clock: Clock, span: dict[str, float], size: str
) -> None:
    assert memory.handoffs.catch_up(clock.now - timedelta(**span)).size == size


def test_one_catches_up_since_one_last_asked(memory: Memory, clock: Clock) -> None:
    asked = clock.now
    memory.handoffs.catch_up(asker="ann")
    clock.pass_(days=2)
    found = memory.handoffs.catch_up(asker="ann")
    assert found.since == asked
    clock.pass_(minutes=10)
    assert memory.handoffs.catch_up(asker="ann").since == asked


def test_one_catches_up_since_ones_last_session(retrying: Agent, memory: Memory, clock: Clock) -> None:
    seen = clock.now
    clock.pass_(days=3)
    Agent(memory, clock, session="s2").does("session-start").settled()
    assert memory.handoffs.catch_up(asker="Claude Code").since == seen


def test_who_was_never_here_is_told_of_a_week(memory: Memory, clock: Clock) -> None:
    assert memory.handoffs.catch_up(asker="new").since == clock.now - timedelta(days=7)


def test_a_time_to_come_is_now(memory: Memory, clock: Clock) -> None:
    assert memory.handoffs.catch_up(clock.now + timedelta(days=1)).is_empty
