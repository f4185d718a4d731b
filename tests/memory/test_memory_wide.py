from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st
from project import Project
from thorough import examples

from memlsp import Memory
from memlsp.beliefs.lifecycle.admission import Draft, Maker, admit
from memlsp.beliefs.lifecycle.revisions import retire
from memlsp.memory.judging.ordering import ScopedBeliefs, covers
from memlsp.model.belief import Author, Belief, Limits, Reference, ReferenceKind, Revision, Scope, ScopeKind
from memlsp.model.caller import Caller
from memlsp.model.place import Place
from memlsp.model.standing import Standing
from memlsp.store.store import open_store

ANN = Author("Ann")
NOW = datetime(2026, 1, 1, tzinfo=UTC)
PATHS = ("a.py", "src/a.py", "src/deep/b.py")
NAMES = ("fetch", "Client.fetch", "fetch()", "other", "")
SCOPES = (
    Scope(ScopeKind.USER),
    Scope(ScopeKind.WORKSPACE),
    Scope(ScopeKind.FILE),
    *(Scope(ScopeKind.GLOB, pattern) for pattern in ("*.py", "src/**", "src/*.py", "!a.py", "b.py")),
)
BELIEFS = st.lists(
    st.tuples(st.sampled_from(SCOPES), st.lists(st.sampled_from(NAMES), max_size=3), st.booleans()), max_size=12
)


def belief_of(scope: Scope, names: list[str]) -> tuple[Belief, Revision]:
    belief, revision = admit(Draft("it is so"), Maker(ANN, "python", NOW))
    references = tuple(Reference(ReferenceKind.IDENTIFIER, name, "a.py") for name in names)
    return evolve(belief, scope=scope, references=references), revision


@settings(max_examples=examples(30), deadline=None)
@given(drawn=BELIEFS)
def test_what_is_found_for_a_place_is_what_reading_everything_finds(
    drawn: list[tuple[Scope, list[str], bool]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    with open_store(tmp_path_factory.mktemp("wide") / "memory.db") as store:
        for scope, names, active in drawn:
            belief, revision = belief_of(scope, names)
            store.add(belief, revision)
            if not active:
                store.change(*retire(belief, Maker(ANN, "python", NOW)))
        wide = ScopedBeliefs((store,))
        for path in PATHS:
            for name in ("fetch", "other", "absent", ""):
                everything = store.scoped((ScopeKind.USER, ScopeKind.WORKSPACE, ScopeKind.GLOB))
                expected = {
                    each.id
                    for each in everything
                    if covers(each, path) or (name and any(r.simple_name == name for r in each.references))
                }
                assert {each.id for each in wide.at(path, name)} == expected


def test_a_kept_judgement_ends_with_the_date_of_its_belief(project: Project) -> None:
    moment = [NOW]
    with Memory.open(project.root, clock=lambda: moment[0]) as memory:
        watching = memory.watch(lambda _: None)
        try:
            place = Place("pricing/tax.py", symbol="compute_tax")
            until = NOW + timedelta(days=60)
            memory.remember(
                "freeze until spring", at=[place], limits=Limits(expires_at=until), by=Caller(folder=project.root)
            )
            assert memory.findings("pricing/tax.py") == ()
            moment[0] = until
            (finding,) = memory.findings("pricing/tax.py")
            assert finding.standing is Standing.EXPIRED
        finally:
            watching.stop()


def test_a_wide_belief_that_is_remembered_or_replaced_is_seen_at_once(memory: Memory, project: Project) -> None:
    (line,) = [
        number
        for number, text in enumerate((project.root / "client.py").read_text().splitlines(), 1)
        if "def fetch(" in text
    ]
    assert memory.applying("client.py", line) == ()
    glob = memory.remember("clients never raise", limits=Limits(scope=Scope(ScopeKind.GLOB, "client*.py")))
    named = memory.remember("everything goes through `fetch`", limits=Limits(scope=Scope(ScopeKind.WORKSPACE)))
    assert {j.belief.id for j in memory.applying("client.py", line)} == {glob.belief.id, named.belief.id}
    memory.revise(glob.belief.id, "retire")
    replaced = memory.revise(named.belief.id, "supersede", text="everything that reads goes through `fetch`")
    assert [j.belief.id for j in memory.applying("client.py", line)] == [replaced.belief.id]
