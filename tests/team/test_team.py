"""The exchange of a team: what travels, what never does, disputes, forgetting, and machines that are not as they should
be."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest
from attrs import evolve
from memlsp_team.signed_lines import Signer, body_of, read_line
from team_world import Machine, MemoryExchange, git

from memlsp.model.audit import Selector, SelectorKind
from memlsp.model.belief import Author, Authority, AuthorKind, BeliefStatus, Limits, Scope
from memlsp.model.caller import Caller
from memlsp.model.errors import BadValue, Refused
from memlsp.model.place import Place
from memlsp.store.tables.team import TeamAct

AGENT = Caller(Author("Claude", AuthorKind.AGENT), "mcp")


@pytest.fixture
def exchange(monkeypatch: pytest.MonkeyPatch) -> MemoryExchange:
    made = MemoryExchange()
    monkeypatch.setattr("memlsp_team.team.open_exchange", made.opened)
    return made


@pytest.fixture
def team(ann: Machine, ben: Machine, exchange: MemoryExchange) -> tuple[Machine, Machine]:
    for each in (ann, ben):
        each.memory.team.on("/exchange")
    return ann, ben


def said(machine: Machine, text: str, **more: object) -> str:
    return machine.memory.remember(text, **more).belief.id  # pyright: ignore[reportArgumentType]


def sync(*machines: Machine) -> None:
    for each in machines:
        each.memory.team.sync()


def test_a_colleague_gets_what_a_person_said_with_its_place_and_as_a_colleagues_word(
    team: tuple[Machine, Machine],
) -> None:
    ann, ben = team
    id = said(ann, "fetch tries 3 times", at=[Place("src/client.py", symbol="fetch")])
    sync(ann, ben)
    belief = ben.believed()["fetch tries 3 times"]
    assert (belief.id, belief.authority, belief.author.name, belief.source) == (id, Authority.COLLEAGUE, "Ann", "team")
    assert [str(anchor.place) for anchor in belief.anchors] == ["src/client.py#fetch"]


def test_what_agents_said_what_is_mine_alone_and_proposals_stay_here(
    team: tuple[Machine, Machine], exchange: MemoryExchange
) -> None:
    ann, ben = team
    said(ann, "the agent thinks so", by=AGENT)
    said(ann, "I like short answers", limits=Limits(scope=Scope.parse("user")))
    ann.memory.review.propose("perhaps it is so", by=AGENT)
    sync(ann, ben)
    assert ben.believed() == {}
    assert exchange.everything() == b""


def test_what_came_from_a_colleague_is_not_sent_on_and_an_edit_comes_back_as_theirs(
    team: tuple[Machine, Machine], exchange: MemoryExchange
) -> None:
    ann, ben = team
    id = said(ann, "Use pnpm here")
    sync(ann, ben, ann)
    assert len(exchange.lines[ben.memory.team.status().writer]) == 0
    ben.memory.revise(id, "supersede", text="Use pnpm 9 here")
    sync(ben, ann)
    assert ann.believed().keys() == {"Use pnpm 9 here"}
    assert ann.memory.belief(id).belief.status is BeliefStatus.RETIRED


def test_two_who_change_one_belief_apart_are_asked_and_neither_is_overwritten(team: tuple[Machine, Machine]) -> None:
    ann, ben = team
    id = said(ann, "Deploy on Mondays")
    sync(ann, ben)
    ann.memory.revise(id, "scope", limits=Limits(conditions=(("env", "staging"),)))
    ben.memory.revise(id, "scope", limits=Limits(conditions=(("env", "production"),)))
    sync(ann, ben, ann)
    assert dict(ann.memory.belief(id).belief.conditions) == {"env": "staging"}
    assert dict(ben.memory.belief(id).belief.conditions) == {"env": "production"}
    assert ann.memory.team.status().disputed == (id,)
    ann.memory.revise(id, "confirm")  # a person decides for hers
    sync(ann, ben, ann)
    assert dict(ben.memory.belief(id).belief.conditions) == {"env": "staging"}
    assert ann.memory.team.status().disputed == ben.memory.team.status().disputed == ()


def test_a_dispute_about_words_is_a_proposal_that_can_be_rejected(
    team: tuple[Machine, Machine], tmp_path: Path
) -> None:
    ann, ben = team
    id = said(ann, "The limit is 10")
    sync(ann, ben)
    for machine, words in ((ann, "The limit is 20"), (ben, "The limit is 30")):
        machine.memory.shared.share([id])  # a file can be edited in place
        path = next((machine.root / ".memlsp/beliefs").iterdir())
        path.write_text(path.read_text().replace("The limit is 10", words))
        machine.memory.shared.take(trusted=True)
    sync(ann, ben, ann)
    assert "The limit is 30" in ann.proposed()
    assert ann.believed().keys() == {"The limit is 20"}


def test_two_who_reword_one_belief_apart_are_asked_which_one_holds(team: tuple[Machine, Machine]) -> None:
    ann, ben = team
    id = said(ann, "Deploys are announced in the channel")
    sync(ann, ben)
    for machine, words in ((ann, "Deploys are announced by mail"), (ben, "Nobody announces a deploy")):
        machine.memory.revise(id, "supersede", text=words)
    sync(ann, ben, ann)
    both = {"Deploys are announced by mail", "Nobody announces a deploy"}
    for machine in team:
        (asked,) = machine.memory.review.queue()
        assert {each.belief.text for each in asked.judgements} == both
        assert machine.believed().keys() == both
    (item,) = ann.memory.review.queue()
    ann.memory.review.settle(item.id, "first" if item.judgements[0].belief.author.name == "Ann" else "second")
    sync(ann, ben)
    for machine in team:
        assert machine.believed().keys() == {"Deploys are announced by mail"}
        assert machine.memory.review.queue() == ()


def test_what_was_disputed_and_is_forgotten_is_disputed_no_more(team: tuple[Machine, Machine]) -> None:
    ann, ben = team
    id = said(ann, "Deploy on Mondays")
    sync(ann, ben)
    for machine, value in ((ann, "staging"), (ben, "production")):
        machine.memory.revise(id, "scope", limits=Limits(conditions=(("env", value),)))
    sync(ann, ben, ann)
    assert ann.memory.team.status().disputed == (id,)
    ann.memory.forgetting.forget(Selector(SelectorKind.BELIEF, id))
    assert ann.memory.team.status().disputed == ()
    sync(ann, ben)
    assert ben.memory.team.status().disputed == ()


def test_a_question_about_a_belief_is_forgotten_with_it(team: tuple[Machine, Machine]) -> None:
    ann, ben = team
    id = said(ann, "The hint is aubergine")
    sync(ann, ben)
    for machine, value in ((ann, "staging"), (ben, "production")):
        machine.memory.revise(id, "scope", limits=Limits(conditions=(("env", value),)))
    sync(ann, ben, ann)
    assert ann.proposed() == ben.proposed() == {"The hint is aubergine"}
    ann.memory.forgetting.forget(Selector(SelectorKind.BELIEF, id))
    sync(ann, ben)
    for machine in team:
        for each in machine.memory.team.status().forgotten:
            if each.waits:
                machine.memory.forgetting.forget(Selector(SelectorKind.BELIEF, id))
    sync(ben, ann)
    for machine in team:
        assert machine.proposed() == set()
        for path in machine.data.rglob("*"):
            assert not path.is_file() or b"aubergine" not in path.read_bytes()


def test_other_limits_and_a_retirement_elsewhere_are_asked_about_in_the_review(team: tuple[Machine, Machine]) -> None:
    ann, ben = team
    limited, given_up = said(ann, "Deploy on Mondays"), said(ann, "The limit is 10")
    sync(ann, ben)
    for machine, value in ((ann, "staging"), (ben, "production")):
        machine.memory.revise(limited, "scope", limits=Limits(conditions=(("env", value),)))
    ann.memory.revise(given_up, "scope", limits=Limits(conditions=(("env", "staging"),)))
    ben.memory.revise(given_up, "retire")
    sync(ann, ben, ann)
    asked = {item.judgements[0].belief.text: item for item in ann.memory.review.queue()}
    assert asked.keys() == {"Deploy on Mondays", "The limit is 10"}
    assert any("env=production" in line and "Ben" in line for line in asked["Deploy on Mondays"].evidence)
    assert any("Ben retired it" in line for line in asked["The limit is 10"].evidence)
    ann.memory.review.settle(asked["Deploy on Mondays"].id, "reject")
    ann.memory.review.settle(asked["The limit is 10"].id, "retire")
    sync(ann, ben, ann)
    assert ann.memory.team.status().disputed == ben.memory.team.status().disputed == ()
    assert dict(ben.believed()["Deploy on Mondays"].conditions) == {"env": "staging"}
    assert ann.believed().keys() == ben.believed().keys() == {"Deploy on Mondays"}


def test_what_is_forgotten_is_forgotten_everywhere_and_a_stale_clone_brings_nothing_back(
    team: tuple[Machine, Machine], exchange: MemoryExchange, tmp_path: Path
) -> None:
    ann, ben = team
    id = said(ann, "The staging password hint is aubergine")
    sync(ann, ben)
    stale = ben.copied_to(tmp_path, "Old")
    ann.memory.forgetting.forget(Selector(SelectorKind.BELIEF, id))
    sync(ann)
    assert b"aubergine" not in exchange.everything()
    sync(ben, ann)
    assert ben.believed() == {}
    (gone,) = ann.memory.team.status().forgotten
    assert (gone.belief, gone.by, gone.reached, gone.machines) == (id, "Ann", 2, 2)
    stale.memory.revise(id, "confirm")
    stale.memory.remember("Old speaks", at=())
    sync(stale, ann, ben, stale)
    assert b"aubergine" not in exchange.everything()
    for machine in (ann, ben, stale):
        assert machine.believed().keys() == {"Old speaks"}
        for path in machine.data.rglob("*"):
            assert not path.is_file() or b"aubergine" not in path.read_bytes()
    stale.close()


def test_what_a_person_here_stands_behind_is_not_forgotten_by_a_colleague_unasked(
    team: tuple[Machine, Machine],
) -> None:
    ann, ben = team
    id = said(ann, "Ann's own rule")
    sync(ann, ben)
    ben.memory.forgetting.forget(Selector(SelectorKind.BELIEF, id))
    sync(ben, ann)
    assert "Ann's own rule" in ann.believed()
    (gone,) = ann.memory.team.status().forgotten
    assert (gone.by, gone.waits, gone.reached) == ("Ben", True, 1)
    ann.memory.forgetting.forget(Selector(SelectorKind.BELIEF, id))
    sync(ann, ben)
    (gone,) = ben.memory.team.status().forgotten
    assert (gone.waits, gone.reached) == (False, 2)


def test_a_lock_counts_where_its_signer_is_trusted_and_nowhere_else(team: tuple[Machine, Machine]) -> None:
    ann, ben = team
    first = said(ann, "Never push to main")
    ann.memory.revise(first, "lock")
    sync(ann, ben)
    assert ben.memory.belief(first).belief.authority is Authority.COLLEAGUE
    (ben.data / "allowed_signers").write_text(f"# ours\n{ann.memory.team.signer_line()}\n")
    second = said(ann, "Never force-push")
    ann.memory.revise(second, "lock")
    sync(ann, ben)
    assert ben.memory.belief(second).belief.locked
    assert ben.memory.team.status().colleagues[0].trusted


def test_a_lock_here_and_a_file_of_the_repository_outrank_what_a_colleague_sends(team: tuple[Machine, Machine]) -> None:
    ann, ben = team
    id = said(ann, "The pool has 20 connections")
    sync(ann, ben)
    ben.memory.revise(id, "lock")
    ann.memory.revise(id, "retire")
    sync(ann, ben)
    assert ben.memory.belief(id).belief.locked
    assert ben.memory.team.status().disputed == (id,)


def test_a_copied_home_gets_a_writer_of_its_own(team: tuple[Machine, Machine], tmp_path: Path) -> None:
    ann, ben = team
    said(ann, "from Ann")
    sync(ann, ben)
    twin = ann.copied_to(tmp_path, "Twin")
    said(ann, "from Ann again")
    sync(ann)
    said(twin, "from the twin")
    sync(twin, ben, ann)
    assert twin.memory.team.status().writer != ann.memory.team.status().writer
    assert ben.believed().keys() == {"from Ann", "from Ann again", "from the twin"}
    assert ann.believed().keys() == ben.believed().keys()
    twin.close()


def test_a_clock_far_ahead_is_refused_and_read_when_its_time_has_come(team: tuple[Machine, Machine]) -> None:
    ann, ben = team
    ann.ahead = timedelta(hours=1)
    said(ann, "from the future")
    sync(ann, ben)
    assert ben.believed() == {}
    assert any("5 minutes ahead" in what for _, what in ben.memory.team.status().faults)
    ben.ahead = timedelta(hours=1)
    sync(ben)
    assert ben.believed().keys() == {"from the future"}


def test_what_was_said_while_a_clock_was_years_ahead_arrives_when_it_was_set_right(
    team: tuple[Machine, Machine],
) -> None:
    ann, ben = team
    ann.ahead = timedelta(days=900)
    id = said(ann, "from the future")
    sync(ann, ben)
    assert ben.believed() == {}
    ann.ahead = timedelta()
    assert ann.memory.is_exchange_due()  # its next time would be in 900 days
    sync(ann, ben)
    assert ben.believed().keys() == {"from the future"}
    assert ben.memory.team.status().faults == ()
    ann.memory.revise(id, "scope", limits=Limits(conditions=(("env", "staging"),)))
    sync(ann, ben)
    assert dict(ben.believed()["from the future"].conditions) == {"env": "staging"}


def test_what_is_decided_after_a_clock_was_set_back_is_sent(team: tuple[Machine, Machine]) -> None:
    ann, ben = team
    id = said(ann, "Use pnpm")
    sync(ann, ben)
    ann.ahead = -timedelta(hours=10)
    ann.memory.revise(id, "retire")
    ann.ahead = timedelta()
    sync(ann, ben)
    assert ben.believed() == {}


def test_a_belief_whose_code_is_not_here_yet_waits_for_it(team: tuple[Machine, Machine]) -> None:
    ann, ben = team
    (ann.root / "src" / "new.py").write_text("def fresh():\n    return 1\n")
    git(ann.root, "add", "-A")
    git(ann.root, "commit", "-q", "-m", "new")
    ann.memory.files_changed(None)
    id = said(ann, "fresh returns 1", at=[Place("src/new.py", symbol="fresh")])
    sync(ann, ben)
    assert ben.believed() == {}
    assert ben.memory.team.status().absent == (id,)
    git(ben.root, "pull", "-q", str(ann.root), "main")
    ben.memory.files_changed(None)
    sync(ben)
    assert ben.believed().keys() == {"fresh returns 1"}
    assert ben.memory.team.status().absent == ()


def test_a_kill_between_sending_and_noting_it_loses_nothing_and_sends_nothing_twice(
    team: tuple[Machine, Machine], exchange: MemoryExchange
) -> None:
    ann, ben = team
    said(ann, "said once")
    exchange.dies = True
    with pytest.raises(KeyboardInterrupt):
        sync(ann)
    exchange.dies = False
    sync(ann, ben)
    assert ben.believed().keys() == {"said once"}
    assert len(exchange.lines[ann.memory.team.status().writer]) == 1


def test_an_exchange_that_cannot_be_reached_changes_nothing_and_says_so(
    team: tuple[Machine, Machine], exchange: MemoryExchange
) -> None:
    ann, ben = team
    exchange.down = True
    said(ann, "while offline")
    with pytest.raises(Refused):
        sync(ann)
    assert "cannot be reached" in ann.memory.team.status().problem
    exchange.down = False
    sync(ann, ben)
    assert ann.memory.team.status().problem == ""
    assert ben.believed().keys() == {"while offline"}


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"belief": "../../etc"}, "belief"),
        ({"author": "Eve"}, "signature"),
        ({"v": 99}, "version"),
        ({"extra": 1}, "not known"),
        ({"parents": ["x"]}, "parent"),
        ({"parents": "no"}, "parents"),
        ({"locked": "yes"}, "type"),
        ({"clock": "now"}, "clock"),
        ({"signer": "AAAA"}, "signature"),
    ],
)
def test_a_line_that_was_changed_or_made_up_is_refused(
    team: tuple[Machine, Machine], exchange: MemoryExchange, change: dict[str, object], fault: str
) -> None:
    ann, ben = team
    said(ann, "true")
    sync(ann)
    writer = ann.memory.team.status().writer
    ((key, text),) = exchange.lines[writer].items()
    hostile = json.dumps({**json.loads(text), **change}).encode()
    with pytest.raises(BadValue, match=fault):
        read_line(hostile)
    exchange.lines[writer] = {key[::-1]: hostile, key: text}
    sync(ben)
    assert ben.believed().keys() == {"true"}
    assert ben.memory.team.status().faults


def test_nobody_writes_under_the_id_of_another(
    team: tuple[Machine, Machine], exchange: MemoryExchange, tmp_path: Path
) -> None:
    ann, ben = team
    said(ann, "mine")
    sync(ann)
    mine, theirs = ann.memory.team.status().writer, ben.memory.team.status().writer
    exchange.lines[theirs] |= exchange.lines.pop(mine)
    ann.memory.team.off()
    third = Machine(tmp_path, "Cem", ann.root)
    third.memory.team.on("/exchange")
    assert third.believed() == {}
    assert any("another machine" in what for _, what in third.memory.team.status().faults)
    third.close()


def test_thousands_of_contradicting_lines_of_one_belief_hold_up_that_belief_alone(
    team: tuple[Machine, Machine], exchange: MemoryExchange, tmp_path: Path
) -> None:
    ann, ben = team
    id, other = said(ann, "Deploy on Mondays"), said(ann, "The limit is 10")
    sync(ann, ben)
    signer = Signer(tmp_path / "mallory.key")
    flood: dict[str, bytes] = {}
    (shown,) = [line for line in ben.memory.team.log() if line.belief == id]
    for number in range(2_000):
        body = body_of(shown)
        body = evolve(body, file=evolve(body.file, text=f"Deploy on day {number}"))
        line = signer.line(TeamAct.BELIEF, id, shown.clock, [], author="Mallory", body=body)
        flood[line.key] = line.text.encode()
    exchange.lines[signer.writer] = flood
    ann.memory.revise(other, "retire")
    sync(ann, ben)
    assert ben.believed().keys() == {"Deploy on Mondays"}
    assert ben.memory.review.queue() == ()
    assert any("contradict each other" in what for who, what in ben.memory.team.status().faults if who == id)


def test_a_secret_that_another_machine_let_through_is_not_kept(
    team: tuple[Machine, Machine], exchange: MemoryExchange, tmp_path: Path
) -> None:
    ann, ben = team
    said(ann, "The key is in the vault")
    sync(ann)
    secret = "ghp_" + "a1B2" * 9
    signer = Signer(tmp_path / "eve.key")
    ((_, text),) = exchange.lines[ann.memory.team.status().writer].items()
    old = read_line(text)
    from attrs import evolve
    from memlsp_team.signed_lines import body_of

    body = body_of(old)
    body = evolve(body, file=evolve(body.file, id="evilbelief", text=f"The key is {secret}"))
    line = signer.line(old.act, "evilbelief", old.clock, (), author="Eve", body=body)
    exchange.lines[signer.writer] = {line.key: line.text.encode()}
    sync(ben)
    for path in ben.data.rglob("*"):
        assert not path.is_file() or secret.encode() not in path.read_bytes()


def test_an_agent_decides_nothing_about_the_exchange(ann: Machine, exchange: MemoryExchange) -> None:
    with pytest.raises(Refused, match="agent"):
        ann.memory.team.on("/exchange", author=AGENT.author)
    ann.memory.team.on("/exchange")
    with pytest.raises(Refused, match="agent"):
        ann.memory.team.off(author=AGENT.author)
    assert ann.memory.team.off()
    with pytest.raises(Refused, match="set up"):
        ann.memory.team.sync()


def test_the_key_is_readable_by_its_owner_alone(ann: Machine, exchange: MemoryExchange) -> None:
    ann.memory.team.on("/exchange")
    (key,) = ann.data.rglob("team.key")
    assert key.stat().st_mode & 0o077 == 0
