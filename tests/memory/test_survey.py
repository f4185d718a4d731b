"""The survey tells what the code says of all beliefs, and lists them by pages."""

from __future__ import annotations

from project import Project

from memlsp import Memory
from memlsp.model.belief import BeliefStatus
from memlsp.model.place import Place
from memlsp.model.standing import Standing
from memlsp.model.view import BeliefQuery

FETCH = Place("client.py", symbol="fetch")
ACTIVE = BeliefQuery(status=BeliefStatus.ACTIVE)


def test_a_survey_counts_and_finds_what_fell(project: Project, memory: Memory) -> None:
    broken = memory.remember("fetch tries 3 times", at=[FETCH]).belief.id
    memory.remember("Prices are rounded", at=[Place("pricing/tax.py")])
    memory.survey.look()
    assert memory.survey.found.standings == ((Standing.CURRENT, 2),)
    project.replace("client.py", "retries=3", "retries=5")
    memory.files_changed(["client.py"])
    memory.survey.look()
    found = memory.survey.found
    assert found.standings == ((Standing.CONTRADICTED, 1), (Standing.CURRENT, 1))
    assert [each.belief.id for each in found.fallen] == [broken]
    assert [each.id for each in found.waiting] == [each.id for each in memory.review.queue()]
    assert memory.survey.standings[broken] is Standing.CONTRADICTED
    assert found.authors == ("Ann Ode",)


def test_a_page_is_judged_when_it_is_shown(project: Project, memory: Memory) -> None:
    id = memory.remember("fetch tries 3 times", at=[FETCH]).belief.id
    memory.survey.look()
    project.replace("client.py", "retries=3", "retries=5")
    memory.files_changed(["client.py"])
    assert [each.standing for each in memory.survey.page(ACTIVE).judgements] == [Standing.CONTRADICTED]
    assert [each.belief.id for each in memory.survey.page(ACTIVE, Standing.CURRENT).judgements] == [id]


def test_what_a_current_survey_knows_is_not_judged_again(memory: Memory) -> None:
    memory.remember("fetch tries 3 times", at=[FETCH])
    memory.survey.look()
    [fast] = memory.survey.page(ACTIVE).judgements
    [judged] = memory.beliefs()
    assert (fast.standing, fast.checked, fast.is_unchecked) == (judged.standing, judged.checked, judged.is_unchecked)


def test_pages_follow_each_other_across_both_stores(memory: Memory) -> None:
    from memlsp.model.belief import Limits, Scope, ScopeKind

    made = [
        memory.remember(f"Statement {n} of many", limits=Limits(scope=Scope(kind))).belief.id
        for n, kind in enumerate([ScopeKind.WORKSPACE, ScopeKind.USER] * 6)
    ]
    seen: list[str] = []
    cursor = ""
    while True:
        page = memory.survey.page(ACTIVE, after=cursor, limit=5)
        assert page.total == 12
        seen += [each.belief.id for each in page.judgements]
        if not (cursor := page.next):
            break
    assert sorted(seen) == sorted(made)
    times = [memory.belief(id).belief.created_at for id in seen]
    assert times == sorted(times, reverse=True)


def test_a_standing_of_many_is_gone_through_in_order(memory: Memory, monkeypatch: object) -> None:
    import memlsp.memory.curation.survey as module

    made = [memory.remember(f"Statement {n} of many").belief.id for n in range(8)]
    memory.survey.look()
    few, module._FEW = module._FEW, 3  # pyright: ignore[reportPrivateUsage]
    try:
        page = memory.survey.page(ACTIVE, Standing.UNBOUND, limit=5)
        rest = memory.survey.page(ACTIVE, Standing.UNBOUND, after=page.next, limit=5)
    finally:
        module._FEW = few  # pyright: ignore[reportPrivateUsage]
    assert page.total == 8
    assert sorted(each.belief.id for each in (*page.judgements, *rest.judgements)) == sorted(made)


def test_a_decided_item_leaves_the_lists_at_once(project: Project, memory: Memory) -> None:
    id = memory.remember("fetch tries 3 times", at=[FETCH]).belief.id
    project.replace("client.py", "retries=3", "retries=5")
    memory.files_changed(["client.py"])
    memory.survey.look()
    memory.survey.settled(id)
    assert memory.survey.found.waiting == memory.survey.found.fallen == ()


def test_the_thread_ends_with_the_memory(project: Project) -> None:
    with Memory.open(project.root) as memory:
        memory.survey.begin()
        thread = memory.survey._thread  # pyright: ignore[reportPrivateUsage]
    assert thread is not None
    assert not thread.is_alive()
