from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import apsw
import pytest
from project import Project

from memlsp import Memory
from memlsp.model.belief import Author, Authority, AuthorKind, BeliefKind, Limits, RevisionAction, Scope, ScopeKind
from memlsp.model.caller import Caller
from memlsp.model.errors import BadValue, NoSuchBelief, NoSuchFile, NoSuchSymbol, NoWorkspace, Refused
from memlsp.model.place import Place
from memlsp.model.recall import RecallOptions
from memlsp.model.standing import Standing

TAX = Place("pricing/tax.py", symbol="compute_tax")
RATE_BELIEF = "compute_tax applies the default 20 % rate"
AGENT = Author("Claude Code", AuthorKind.AGENT)


def test_a_belief_about_unchanged_code_is_current(memory: Memory, project: Project) -> None:
    judgement = memory.remember(RATE_BELIEF, at=[TAX], by=Caller(folder=project.root))
    assert judgement.standing is Standing.CURRENT
    assert judgement.belief.scope.kind is ScopeKind.SYMBOL
    assert judgement.belief.author.name == "Ann Ode"
    assert memory.belief(judgement.belief.id[:5]).belief == judgement.belief


def test_a_changed_constant_in_another_file_contradicts_what_names_its_value(memory: Memory, project: Project) -> None:
    judgement = memory.remember(RATE_BELIEF, at=[TAX], by=Caller(folder=project.root))
    project.replace("pricing/rates.py", "0.20", "0.25")
    now = memory.belief(judgement.belief.id)
    assert now.standing is Standing.CONTRADICTED
    assert "0.2" in now.reasons[0].message
    assert "0.25" in now.reasons[0].message
    project.replace("pricing/rates.py", "0.25", "0.20")
    assert memory.belief(judgement.belief.id).standing is Standing.CURRENT


def test_an_unsaved_buffer_speaks_for_its_file(memory: Memory, project: Project) -> None:
    judgement = memory.remember(
        "fetch tries three times", at=[Place("client.py", symbol="fetch")], by=Caller(folder=project.root)
    )
    text = (project.root / "client.py").read_text()
    memory.open_buffer("client.py", text.replace("retries=3", "retries=5"), 2)
    assert memory.belief(judgement.belief.id).standing is Standing.CONTRADICTED
    memory.close_buffer("client.py")
    assert memory.belief(judgement.belief.id).standing is Standing.CURRENT


def test_a_finding_stands_on_the_code_that_was_changed_and_says_how(memory: Memory, project: Project) -> None:
    memory.remember("fetch tries three times", at=[Place("client.py", symbol="fetch")], by=Caller(folder=project.root))
    project.replace("client.py", "retries=3", "retries=5")
    (finding,) = memory.findings("client.py")
    assert (finding.spot.line, finding.spot.start_column, finding.spot.end_column) == (3, 23, 24)
    assert finding.standing is Standing.CONTRADICTED
    assert (finding.brief, finding.said) == ("retries 3 → 5", "three")


def test_a_lens_has_the_beliefs_of_a_symbol(memory: Memory, project: Project) -> None:
    memory.remember("decided: three tries", at=[Place("client.py", symbol="fetch")], by=Caller(folder=project.root))
    memory.remember("must stay synchronous", at=[Place("client.py", symbol="fetch")], by=Caller(folder=project.root))
    (lens,) = memory.lenses("client.py")
    assert lens.spot.name == "fetch"
    assert {each.belief.kind.value for each in lens.judgements} == {"decision", "rule"}
    assert lens.briefs == ("", "")


def test_a_belief_is_found_in_the_file_its_symbol_moved_to(memory: Memory, project: Project) -> None:
    judgement = memory.remember(
        "fetch tries three times", at=[Place("client.py", symbol="fetch")], by=Caller(folder=project.root)
    )
    text = (project.root / "client.py").read_text()
    project.write("client.py", "import time\n")
    project.write("net/http.py", text)
    why = memory.why(Place("net/http.py", symbol="fetch"), base=project.root)
    assert [j.belief.id for j in why.beliefs] == [judgement.belief.id]
    assert why.beliefs[0].standing is Standing.CARRIED
    assert [lens.spot.name for lens in memory.lenses("net/http.py")] == ["fetch"]


def test_hover_shows_what_is_near_and_why_shows_all_that_applies(memory: Memory, project: Project) -> None:
    near = memory.remember("rounds to cents", at=[TAX], by=Caller(folder=project.root)).belief.id
    glob = memory.remember("prices are floats", limits=Limits(scope=Scope(ScopeKind.GLOB, "pricing/**"))).belief.id
    everywhere = memory.remember("tabs are forbidden").belief.id
    naming = memory.remember("callers of `compute_tax` round once").belief.id
    applying = {j.belief.id for j in memory.applying("pricing/tax.py", 6)}
    assert applying == {near, glob, naming}
    assert {j.belief.id for j in memory.why(TAX, base=project.root).beliefs} == {near, glob, naming, everywhere}
    assert glob not in {j.belief.id for j in memory.applying("client.py", 4)}


def test_beliefs_of_a_container_apply_to_its_members(memory: Memory, project: Project) -> None:
    judgement = memory.remember(
        "one invoice each", at=[Place("pricing/tax.py", symbol="Invoice")], by=Caller(folder=project.root)
    )
    why = memory.why(Place("pricing/tax.py", symbol="Invoice.total"), base=project.root)
    assert [j.belief.id for j in why.beliefs] == [judgement.belief.id]
    assert memory.why(TAX, base=project.root).beliefs == ()


def test_what_holds_is_told_before_what_does_not(memory: Memory, project: Project) -> None:
    fetch = Place("client.py", symbol="fetch")
    stale = memory.remember("fetch tries three times", at=[fetch], by=Caller(folder=project.root)).belief.id
    memory.revise(stale, "lock")
    project.replace("client.py", "retries=3", "retries=5")
    holds = memory.remember(
        "fetch gives up in the end", at=[fetch], by=Caller(author=AGENT, folder=project.root)
    ).belief.id
    assert [j.belief.id for j in memory.why(fetch, base=project.root).beliefs] == [holds, stale]


@pytest.mark.parametrize("place", [Place("edit.py", symbol="edit"), Place("edit.py", line=5)])
def test_a_belief_at_an_overload_stub_is_about_the_function_behind(
    memory: Memory, project: Project, place: Place
) -> None:
    stubs = "".join(f"@t.overload\ndef edit(text: {kind}) -> {kind}: ...\n\n\n" for kind in ("str", "bytes"))
    project.write("edit.py", f"import typing as t\n\n\n{stubs}def edit(text):\n    return text or None\n")
    said = memory.remember("edit returns None for an empty text", at=[place])
    assert said.ties[0].line == 12
    spot = memory.symbol_named("edit.py", "edit")
    assert spot is not None
    assert spot.line == 11
    project.replace("edit.py", "text or None", 'text or ""')
    memory.files_changed(["edit.py"])
    assert memory.belief(said.belief.id).standing is not Standing.CURRENT


def test_confirming_makes_the_present_code_the_verified_one(memory: Memory, project: Project) -> None:
    first = memory.remember(
        "fetch sleeps between tries", at=[Place("client.py", symbol="fetch")], by=Caller(folder=project.root)
    )
    project.replace("client.py", "return get(url, timeout=timeout)", "return get(url, timeout=timeout, verify=True)")
    assert memory.belief(first.belief.id).standing is Standing.CHANGED
    confirmed = memory.revise(first.belief.id, RevisionAction.CONFIRM)
    assert confirmed.standing is Standing.CURRENT
    assert confirmed.belief.confidence > first.belief.confidence
    assert [r.action for r in memory.revisions(first.belief.id)] == ["remember", "confirm"]


def test_superseding_keeps_the_old_statement_in_the_past(memory: Memory, project: Project) -> None:
    old = memory.remember(
        "fetch tries three times", at=[Place("client.py", symbol="fetch")], by=Caller(folder=project.root)
    )
    project.replace("client.py", "retries=3", "retries=5")
    new = memory.revise(old.belief.id, "supersede", text="fetch tries five times")
    assert new.belief.id != old.belief.id
    assert new.standing is Standing.CURRENT
    assert new.ties[0].symbol == "fetch"
    assert [j.belief.id for j in memory.beliefs()] == [new.belief.id]
    past = memory.belief(old.belief.id)
    assert past.standing is Standing.SUPERSEDED
    assert past.belief.superseded_by == new.belief.id


def test_rolling_back_a_supersession_brings_the_old_statement_back_alone(memory: Memory, project: Project) -> None:
    old = memory.remember(
        "fetch tries three times", at=[Place("client.py", symbol="fetch")], by=Caller(folder=project.root)
    )
    new = memory.revise(old.belief.id, "supersede", text="fetch tries 3 times, then gives up")
    back = memory.revise(old.belief.id, "rollback")
    assert back.standing is Standing.CURRENT
    assert memory.belief(new.belief.id).standing is Standing.RETIRED
    again = memory.revise(old.belief.id, "rollback")
    assert again.standing is Standing.SUPERSEDED


def test_an_agent_cannot_touch_what_a_person_locked(memory: Memory, project: Project) -> None:
    judgement = memory.remember("prices are never negative", at=[TAX], by=Caller(folder=project.root))
    locked = memory.revise(judgement.belief.id, "lock")
    assert locked.belief.authority is Authority.LOCKED
    for action in ("confirm", "retire", "unlock", "rollback"):
        with pytest.raises(Refused):
            memory.revise(judgement.belief.id, action, by=Caller(author=AGENT))
    assert memory.belief(judgement.belief.id).belief == locked.belief
    assert memory.revise(judgement.belief.id, "unlock").belief.authority is Authority.PERSON


def test_a_deleted_symbol_orphans_its_belief_and_is_still_answered_for(memory: Memory, project: Project) -> None:
    judgement = memory.remember(RATE_BELIEF, at=[TAX], by=Caller(folder=project.root))
    project.write("pricing/tax.py", '"""Taxes."""\n')
    why = memory.why(TAX, base=project.root)
    assert [j.belief.id for j in why.beliefs] == [judgement.belief.id]
    assert why.beliefs[0].standing is Standing.ORPHANED
    (finding,) = memory.findings("pricing/tax.py")
    assert finding.spot.line == 0
    (project.root / "pricing/tax.py").unlink()
    assert memory.why(TAX, base=project.root).beliefs[0].standing is Standing.ORPHANED
    assert [j.belief.id for j in memory.attention()] == [judgement.belief.id]


def test_two_memories_of_one_workspace_see_each_other(memory: Memory, project: Project) -> None:
    with Memory.open(project.root / "pricing") as other:
        before = memory.version()
        said = other.remember(
            "agreed with finance", at=[TAX], by=Caller(author=AGENT, source="mcp", folder=project.root)
        )
        assert memory.version() != before
        assert memory.belief(said.belief.id).belief == said.belief


def test_a_worktree_shares_the_memory_and_judges_its_own_files(
    memory: Memory, project: Project, tmp_path: Path
) -> None:
    said = memory.remember(RATE_BELIEF, at=[TAX], by=Caller(folder=project.root))
    project.git("worktree", "add", "--quiet", str(tmp_path / "other"), "-b", "other")
    (tmp_path / "other/pricing/rates.py").write_text("RATE = 0.25\n")
    with Memory.open(tmp_path / "other") as other:
        assert other.workspace.key == memory.workspace.key
        assert other.belief(said.belief.id).standing is Standing.CONTRADICTED
    assert memory.belief(said.belief.id).standing is Standing.CURRENT


def test_memory_survives_the_first_remote(project: Project) -> None:
    with Memory.open(project.root) as memory:
        said = memory.remember("prices are floats", at=[TAX], by=Caller(folder=project.root))
        before = memory.workspace.key
    project.git("remote", "add", "origin", "https://example.org/shop/shop.git")
    with Memory.open(project.root) as memory:
        assert memory.workspace.key != before
        assert [j.belief.id for j in memory.beliefs()] == [said.belief.id]


def test_user_scope_is_known_in_every_workspace(memory: Memory, tmp_path: Path) -> None:
    said = memory.remember("I prefer short functions", limits=Limits(scope=Scope(ScopeKind.USER)))
    assert said.belief.kind is BeliefKind.PREFERENCE
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    with Memory.open(elsewhere) as other:
        assert [j.belief.id for j in other.beliefs()] == [said.belief.id]
        assert [hit.judgement.belief.id for hit in other.recall("short functions").hits] == [said.belief.id]
    with pytest.raises(BadValue):
        memory.remember("x is y", at=[TAX], limits=Limits(scope=Scope(ScopeKind.USER)))


def test_recall_answers_and_leaves_a_receipt(memory: Memory, project: Project) -> None:
    said = memory.remember(
        "fetch retries three times", at=[Place("client.py", symbol="fetch")], by=Caller(folder=project.root)
    )
    memory.remember("prices are floats", at=[TAX], by=Caller(folder=project.root))
    answer = memory.recall("how do we retry", asker="test")
    assert [hit.judgement.belief.id for hit in answer.hits] == [said.belief.id]
    (receipt,) = memory.receipts()
    assert (receipt.asker, receipt.query, receipt.served) == ("test", "how do we retry", (said.belief.id,))


def test_a_question_that_is_still_being_typed_leaves_no_receipt(memory: Memory, project: Project) -> None:
    said = memory.remember(
        "fetch retries three times", at=[Place("client.py", symbol="fetch")], by=Caller(folder=project.root)
    )
    answer = memory.recall("how do we retry", RecallOptions(receipt=False))
    assert [hit.judgement.belief.id for hit in answer.hits] == [said.belief.id]
    assert memory.receipts() == ()


def test_what_expired_says_so(project: Project) -> None:
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    with Memory.open(project.root, clock=lambda: moment) as then:
        said = then.remember(
            "freeze until spring",
            at=[TAX],
            limits=Limits(expires_at=moment + timedelta(days=60)),
            by=Caller(folder=project.root),
        )
    with Memory.open(project.root) as now:
        assert now.belief(said.belief.id).standing is Standing.EXPIRED
        (finding,) = now.findings("pricing/tax.py")
        assert finding.standing is Standing.EXPIRED


def test_what_is_missing_is_named(memory: Memory, project: Project) -> None:
    with pytest.raises(NoSuchFile):
        memory.remember("x", at=[Place("nowhere.py", line=3)], by=Caller(folder=project.root))
    with pytest.raises(NoSuchSymbol) as missing:
        memory.why(Place("pricing/tax.py", symbol="compute_taxes"), base=project.root)
    assert "compute_tax" in missing.value.hint
    with pytest.raises(NoSuchBelief):
        memory.belief("zzzzzzzz")
    with pytest.raises(BadValue):
        memory.remember("   ")
    with pytest.raises(BadValue):
        memory.revise("zzzzzzzz", "forget-it")


def test_a_deleted_folder_is_no_workspace(tmp_path: Path) -> None:
    with pytest.raises(NoWorkspace):
        Memory.open(tmp_path / "gone")


def test_history_tells_meaning_not_layout(memory: Memory, project: Project) -> None:
    project.replace("client.py", '"""Get a page."""', '"""Get a page, patiently."""')
    project.commit("Polish the words")
    project.replace("client.py", "retries=3", "retries=4")
    project.commit("Try once more")
    history = memory.history(Place("client.py", symbol="fetch"), base=project.root)
    assert [change.subject for change in history.changes] == ["Try once more", "Add the shop"]
    assert "retries" in history.changes[0].change
    assert memory.history(Place("client.py", symbol="fetch"), base=project.root) == history


def test_doctor_finds_nothing_wrong_with_a_fresh_memory(memory: Memory) -> None:
    assert [check for check in memory.doctor() if check.ok is False] == []


def test_doctor_names_the_sqlite_that_is_linked_and_warns_of_one_that_can_lose_writes(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    (check,) = [check for check in memory.doctor() if check.name == "sqlite"]
    assert check.ok
    assert check.message == f"SQLite {apsw.sqlite_lib_version()} is linked"
    monkeypatch.setattr(apsw, "sqlite_lib_version", lambda: "3.51.2")
    (check,) = [check for check in memory.doctor() if check.name == "sqlite"]
    assert check.ok is False
    assert check.message == "SQLite 3.51.2 is linked"
    assert "update apsw" in check.advice


def test_status_counts_standings(memory: Memory, project: Project) -> None:
    memory.remember(RATE_BELIEF, at=[TAX], by=Caller(folder=project.root))
    project.replace("pricing/rates.py", "0.20", "0.25")
    assert dict(memory.status().standings) == {Standing.CONTRADICTED: 1}


@pytest.mark.parametrize(
    ("text", "places", "scope"),
    [
        ("Never use print in client.py", ["client.py"], "file"),
        ("`client.py` must not import pricing", ["client.py"], "file"),
        ("Never print anything in pricing/", [], "glob:pricing/**"),
        ("Always run client.py before the tests", [], "workspace"),  # a means, which it does not rule over
        ("Never use print in missing.py", [], "workspace"),
        ("The page is fetched in client.py", [], "workspace"),  # no rule
    ],
)
def test_a_rule_is_tied_to_the_file_that_it_rules_over(
    project: Project, text: str, places: list[str], scope: str
) -> None:
    with Memory.open(project.root) as memory:
        belief = memory.remember(text).belief
        assert [anchor.path for anchor in belief.anchors] == places
        assert str(belief.scope) == scope
        for path in places:
            assert [judgement.belief.id for judgement in memory.beliefs(path=path)] == [belief.id]
