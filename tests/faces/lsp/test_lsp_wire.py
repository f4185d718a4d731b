"""The requests of the editor extension: that every answer is what its type says, on a project with all there is."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from attrs import define
from lsp_editor import Editor, editor, plain_of, within
from lsprotocol import types
from project import Project, shop
from pygls.exceptions import JsonRpcException
from store_lock import locked
from wire_check import problems

from docs.generate import wire_types as generated
from memlsp import Memory
from memlsp.faces.lsp.requests.wire import REQUESTS, wire_types
from memlsp.model.belief import Author, AuthorKind, BeliefKind, Limits, Scope, ScopeKind
from memlsp.model.caller import Caller
from memlsp.model.handoff import HandoffNotes
from memlsp.model.place import Place

pytestmark = pytest.mark.asyncio(loop_scope="module")

SHAPES = "def area(width, height):\n    if width < 0:\n        raise ValueError(width)\n    return width * height\n"
TODO = "    # TODO: round to the currency\n    return round"


@define
class Refused:
    """What an editor is told of what cannot be done."""

    code: int
    message: str
    hint: str
    missing: bool


@define
class Seeded:
    """An editor on a project in which every kind of thing is remembered, and the ids by what they are."""

    editor: Editor
    ids: dict[str, str]

    async def ask(self, method: str, **params: object) -> dict[str, Any]:
        """Ask, and hold the answer against its type."""
        answer = await self.editor.ask(method, **params)
        assert list(problems(answer, wire_types()[REQUESTS[f"memlsp/{method}"][1]])) == []
        return answer

    async def refused(self, method: str, **params: object) -> Refused:
        """Ask for what cannot be; the error."""
        with pytest.raises(JsonRpcException) as caught:
            await self.editor.ask(method, **params)
        data = plain_of(caught.value.data)
        assert list(problems(data, wire_types()["Problem"])) == []
        return Refused(caught.value.code, caught.value.message, data["hint"], data["missing"])


def seed(project: Project, data: Path) -> dict[str, str]:
    """Every kind, scope and standing of belief, a conflict, a proposal, an episode, a thread, a handoff, a receipt."""
    ids: dict[str, str] = {}
    agent = Author("helper", AuthorKind.AGENT)
    project.write("shapes.py", SHAPES)
    project.commit("Measure areas")
    fetch, tax = Place("client.py", symbol="fetch"), Place("pricing/tax.py", symbol="compute_tax")
    then = datetime(2026, 1, 1, tzinfo=UTC)
    with Memory.open(project.root, data_dir=data, clock=lambda: then) as memory:
        kept = memory.remember("The freeze ends soon", limits=Limits(expires_at=then + timedelta(days=30)))
        ids["expired"] = kept.belief.id
    with Memory.open(project.root, data_dir=data) as memory:

        def keep(name: str, text: str, *places: Place, **more: Any) -> None:
            by = Caller(folder=project.root, **{key: more.pop(key) for key in ("author", "session") if key in more})
            limits = Limits(**{key: more.pop(key) for key in ("conditions", "stale_after", "scope") if key in more})
            ids[name] = memory.remember(text, at=places, **more, limits=limits, by=by).belief.id

        keep("here", "The `fetch` timeout is 30 seconds.", fetch)
        keep("there", "The `fetch` timeout is 90 seconds.", tax, author=agent, session="s1")
        keep("rests", "Callers wait for `fetch`.", Place("client.py"), because_of=[ids["here"]], stale_after=30)
        keep("contradicted", "fetch gives up after 3 retries", fetch, kind=BeliefKind.GOTCHA)
        keep("orphaned", "an area is never negative", Place("shapes.py", symbol="area"), kind=BeliefKind.RULE)
        keep("glob", "Prices are never floats here", scope=Scope(ScopeKind.GLOB, "pricing/**"))
        keep("guarded", "Nobody prints", scope=Scope(ScopeKind.WORKSPACE), guards=["must not python: print($$$)"])
        keep("staging", "The pool has 20 connections", conditions=(("env", "staging"),))
        keep("user", "I prefer short names", scope=Scope(ScopeKind.USER), kind=BeliefKind.PREFERENCE)
        keep("procedure", "Run make migrate, then the tests", kind=BeliefKind.PROCEDURE)
        keep("locked", "compute_tax rounds to cents", tax)
        memory.revise(ids["locked"], "lock")
        keep("former", "RATE is agreed with sales", tax)
        ids["new"] = memory.revise(ids["former"], "supersede", text="RATE is agreed with finance").belief.id
        keep("retired", "fetch is slow", fetch)
        memory.revise(ids["retired"], "retire")
        memory.review.propose("fetch should back off", by=Caller(author=agent))
        ids["proposal"] = memory.proposals.list()[0].belief.id
        memory.recall("how long does fetch wait, token=abcdef0123456789abcdef0123456789abcd", asker="mcp:helper")
        memory.onboard()
        memory.proposals.learn()
        project.replace("client.py", "retries=3", "retries=5")
        body = SHAPES.removeprefix("def area").replace("height)", "height, depth)", 1)
        project.write("shapes.py", f"def volume{body}\n\ndef volumes{body}")
        project.replace("pricing/tax.py", "    return round", TODO)
        memory.files_changed(None)
        memory.events.saved("client.py")
        memory.events.saved("pricing/tax.py")
        memory.events.command("pytest -q", exit_code=1, folder="", output="1 failed", milliseconds=900, key="run-1")
        memory.events.settle(60)
        memory.handoffs.write("Round the tax", HandoffNotes(next_steps=("round refunds",)), by="helper")
    return ids


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def seeded(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Seeded]:
    """One editor for all tests here."""
    folder = tmp_path_factory.mktemp("wire")
    project = shop(folder / "shop")
    ids = seed(project, folder / "data")
    async with editor(project.root, folder / "data") as session:
        session.open("client.py")
        yield Seeded(session, ids)


def listed(answer: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The beliefs of an answer, by id."""
    return {belief["id"]: belief for group in answer["groups"] for belief in group["beliefs"]}


# --- the shapes ------------------------------------------------------------------------------------------------------


async def test_the_extension_is_written_from_these_types() -> None:
    assert generated.written() == generated.PLACE.read_text(encoding="utf-8")


async def test_every_request_of_the_table_is_served(seeded: Seeded) -> None:
    for method in REQUESTS:
        error = await seeded.refused(method.removeprefix("memlsp/"), id=7, scope=7, uri=7, line=7, text=7)
        assert error.code == -32602, method
        assert error.hint or error.message, method


@pytest.mark.parametrize("params", [["a list"], "a text", 3])
async def test_parameters_that_are_no_object_are_refused(seeded: Seeded, params: object) -> None:
    asked = seeded.editor.client.protocol.send_request_async(  # pyright: ignore[reportUnknownMemberType]
        "memlsp/review", params
    )
    with pytest.raises(JsonRpcException, match="expected an object"):
        await asked


# --- beliefs ---------------------------------------------------------------------------------------------------------


async def test_a_file_is_told_by_symbol_in_its_order(seeded: Seeded) -> None:
    answer = await seeded.ask("beliefs", scope="file", uri=seeded.editor.uri("client.py"))
    assert [(group["label"], group["line"]) for group in answer["groups"]] == [("this file", 1), ("fetch", 4)]
    ids = seeded.ids
    assert set(listed(answer)) == {ids["rests"], ids["here"], ids["contradicted"]}
    assert answer["total"] == 3


async def test_a_glob_comes_after_the_symbols_of_a_file_that_it_covers(seeded: Seeded) -> None:
    answer = await seeded.ask("beliefs", scope="file", uri=seeded.editor.uri("pricing/tax.py"))
    assert [group["label"] for group in answer["groups"]] == ["compute_tax", "pricing/**"]


async def test_a_workspace_is_told_by_path_without_what_is_the_users_own(seeded: Seeded) -> None:
    answer = await seeded.ask("beliefs", scope="workspace", uri=seeded.editor.root.as_uri())
    assert [group["label"] for group in answer["groups"]] == [
        "whole workspace",
        "pricing/**",
        "client.py",
        "pricing/tax.py",
        "shapes.py",
    ]
    shown = listed(answer)
    assert seeded.ids["user"] not in shown
    assert {seeded.ids["retired"], seeded.ids["former"], seeded.ids["proposal"]}.isdisjoint(shown)
    assert shown[seeded.ids["contradicted"]]["standing"] == "contradicted"
    assert shown[seeded.ids["expired"]]["standing"] == "expired"
    assert shown[seeded.ids["orphaned"]]["candidates"]


async def test_what_is_the_users_own_is_told_by_kind(seeded: Seeded) -> None:
    answer = await seeded.ask("beliefs", scope="user")
    assert [group["label"] for group in answer["groups"]] == ["preference"]
    assert set(listed(answer)) == {seeded.ids["user"]}


async def test_beliefs_are_chosen_by_standing_kind_and_words(seeded: Seeded) -> None:
    async def chosen(**filters: object) -> set[str]:
        answer = await seeded.ask("beliefs", scope="workspace", **filters)
        return set(listed(answer))

    ids = seeded.ids
    assert await chosen(standings=["orphaned", "expired"]) == {ids["orphaned"], ids["expired"]}
    assert await chosen(standings=["retired"]) == {ids["retired"]}
    assert await chosen(kinds=["procedure"]) == {ids["procedure"]}
    assert await chosen(query="CLIENT.PY retries") == {ids["contradicted"]}
    assert await chosen(query="no such words") == set()


async def test_a_limit_cuts_the_list_and_not_the_count(seeded: Seeded) -> None:
    whole = await seeded.ask("beliefs", scope="workspace")
    cut = await seeded.ask("beliefs", scope="workspace", limit=2)
    assert len(listed(cut)) == 2
    assert cut["total"] == whole["total"] == len(listed(whole))


async def test_an_unsaved_buffer_speaks_for_its_file(seeded: Seeded) -> None:
    uri = seeded.editor.uri("pricing/tax.py")
    seeded.editor.open("pricing/tax.py")
    seeded.editor.replace("pricing/tax.py", "def compute_tax", "\n\ndef compute_tax")
    answer = await seeded.ask("beliefs", scope="file", uri=uri)
    moved = next(group for group in answer["groups"] if group["label"] == "compute_tax")
    assert moved["line"] == 8
    seeded.editor.close("pricing/tax.py")


# --- a belief --------------------------------------------------------------------------------------------------------


async def test_every_belief_has_a_page(seeded: Seeded) -> None:
    for name, id in seeded.ids.items():
        page = await seeded.ask("belief", id=id)
        assert page["belief"]["id"] == id, name
        assert page["belief"]["root"] == seeded.editor.root.as_uri()
        assert [node["here"] for node in page["nodes"]].count(True) == 1
        known = {node["id"] for node in page["nodes"]}
        assert all({link["from_id"], link["to_id"]} <= known for link in page["links"])


async def test_a_page_shows_the_code_before_and_after_and_how_sure_we_are(seeded: Seeded) -> None:
    page = await seeded.ask("belief", id=seeded.ids["contradicted"])
    (change,) = page["changes"]
    assert "-def fetch(url, retries=3, timeout=30):" in change["lines"]
    assert "+def fetch(url, retries=5, timeout=30):" in change["lines"]
    assert [revision["action"] for revision in page["revisions"]] == ["remember"]
    assert page["revisions"][0]["how"]


async def test_a_page_tells_where_it_was_served_without_secrets(seeded: Seeded) -> None:
    page = await seeded.ask("belief", id=seeded.ids["here"])
    assert page["served_total"] == 1
    (served,) = page["served"]
    assert served["asker"] == "mcp:helper"
    assert "abcdef0123456789" not in served["query"]


async def test_the_graph_goes_two_steps_in_both_directions(seeded: Seeded) -> None:
    ids = seeded.ids
    page = await seeded.ask("belief", id=ids["rests"])
    links = {(link["from_id"], link["to_id"], link["kind"]) for link in page["links"]}
    assert (ids["rests"], ids["here"], "because_of") in links
    assert {ids["here"], ids["there"]} in [{one, other} for one, other, kind in links if kind == "contradicts"]
    page = await seeded.ask("belief", id=ids["former"])
    links = {(link["from_id"], link["to_id"], link["kind"]) for link in page["links"]}
    assert (ids["new"], ids["former"], "superseded_by") in links


async def test_a_graph_is_never_larger_than_twelve(seeded: Seeded) -> None:
    made = [
        (await seeded.ask("remember", text=f"Consequence {n}", uri=seeded.editor.root.as_uri(), because_of=[base]))
        for base in [seeded.ids["procedure"]]
        for n in range(15)
    ]
    page = await seeded.ask("belief", id=seeded.ids["procedure"])
    assert len(page["nodes"]) == 12
    for each in made:
        assert (await seeded.editor.run("forget", each["belief"]["id"]))["ok"]
    assert len((await seeded.ask("belief", id=seeded.ids["procedure"]))["nodes"]) == 1


async def test_what_may_be_done_is_what_can_be_done(seeded: Seeded) -> None:
    async def actions(name: str) -> list[str]:
        page = await seeded.ask("belief", id=seeded.ids[name])
        return page["actions"]

    assert "unlock" in await actions("locked")
    assert "lock" in await actions("here")
    assert "rollback" not in await actions("here")
    assert await actions("retired") == ["rollback", "forget"]
    assert await actions("proposal") == ["admit", "reject", "forget"]


async def test_a_belief_that_is_not_there_is_missing(seeded: Seeded) -> None:
    error = await seeded.refused("belief", id="zzzzzzzz")
    assert "zzzzzzzz" in error.message
    assert error.missing is True
    assert error.hint


# --- the review ------------------------------------------------------------------------------------------------------


async def test_the_queue_counts_all_and_shows_the_first(seeded: Seeded) -> None:
    queue = await seeded.ask("review")
    assert queue["conflicts"] == 1
    assert queue["proposals"] == 1
    assert queue["stale"] >= 3
    assert len(queue["items"]) == queue["conflicts"] + queue["stale"] + queue["proposals"]
    assert [item["impact"] for item in queue["items"]] == sorted((i["impact"] for i in queue["items"]), reverse=True)
    first = await seeded.ask("review", limit=1)
    assert first["items"] == queue["items"][:1]
    assert first["stale"] == queue["stale"]
    assert (await seeded.ask("review", limit=0))["items"] == []


async def test_an_item_shows_the_code_that_it_is_about(seeded: Seeded) -> None:
    item = await seeded.ask("reviewItem", id=seeded.ids["contradicted"])
    assert item["kind"] == "stale"
    assert any(line.startswith("+def fetch") for change in item["changes"] for line in change["lines"])
    conflict = "+".join(sorted([seeded.ids["here"], seeded.ids["there"]]))
    item = await seeded.ask("reviewItem", id=conflict)
    assert item["kind"] == "conflict"
    assert len(item["beliefs"]) == 2


async def test_a_decision_is_told_and_taken_back(seeded: Seeded) -> None:
    known = seeded.ids["proposal"]
    decided = await seeded.ask("decide", id=known, choice="admit", text="fetch should back off, says Ann")
    assert decided["belief"]["status"] == "active"
    assert decided["said"].startswith("Admitted: ")
    taken = await seeded.ask("undo")
    assert taken["choice"] == "admit"
    assert taken["belief"]["status"] == "proposed"
    assert "Taken back" in taken["said"]


async def test_a_decision_is_not_taken_back_in_the_place_of_another(seeded: Seeded) -> None:
    known = seeded.ids["proposal"]
    await seeded.ask("decide", id=known, choice="reject")
    with pytest.raises(JsonRpcException, match=r"the last decision of .* is another"):
        await seeded.ask("undo", item=seeded.ids["contradicted"])
    with pytest.raises(JsonRpcException, match="`item`: expected a text"):
        await seeded.ask("undo", item=3)
    assert (await seeded.ask("undo", item=known))["item"] == known


async def test_both_sides_of_a_conflict_can_be_kept_apart_by_a_condition(seeded: Seeded) -> None:
    conflict = "+".join(sorted([seeded.ids["here"], seeded.ids["there"]]))
    decided = await seeded.ask("decide", id=conflict, choice="apart", conditions=["env=staging"])
    assert decided["belief"]["conditions"] == ["env=staging"]
    assert (await seeded.ask("undo"))["item"] == conflict
    assert (await seeded.ask("review"))["conflicts"] == 1


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"choice": "wish"}, "not a choice"),
        ({"choice": "supersede"}, "supersede needs"),
        ({"choice": "scope", "conditions": ["staging"]}, "not a condition"),
        ({}, "`choice` is missing"),
        ({"choice": "confirm", "note": 3}, "expected a text"),
    ],
)
async def test_a_decision_that_cannot_be_read_changes_nothing(
    seeded: Seeded, params: dict[str, object], said: str
) -> None:
    error = await seeded.refused("decide", id=seeded.ids["contradicted"], **params)
    assert said in error.message
    assert (await seeded.ask("reviewItem", id=seeded.ids["contradicted"]))["kind"] == "stale"


# --- what happened ---------------------------------------------------------------------------------------------------


async def test_the_timeline_is_told_in_pages_that_leave_nothing_out(seeded: Seeded) -> None:
    whole = await seeded.ask("timeline", limit=1000)
    assert {"episode", "commit", "belief"} <= {entry["what"] for entry in whole["entries"]}
    assert [thread["text"] for thread in whole["threads"]] == ["TODO: round to the currency"]
    assert not whole["more"]
    pages: list[dict[str, Any]] = []
    before: dict[str, object] = {}
    while True:
        page = await seeded.ask("timeline", limit=2, **before)
        pages += page["entries"]
        assert bool(page["threads"]) == (not before)
        if not page["more"]:
            break
        before = {"before": page["entries"][-1]["at"]}
    assert pages == whole["entries"]


async def test_an_episode_is_told_with_what_was_done(seeded: Seeded) -> None:
    whole = await seeded.ask("timeline")
    known = next(entry["id"] for entry in whole["entries"] if entry["what"] == "episode")
    episode = await seeded.ask("episode", id=known)
    assert episode["paths"]
    assert (await seeded.refused("episode", id="nothing")).missing is True


async def test_a_moment_that_is_none_is_refused(seeded: Seeded) -> None:
    assert "not a moment" in (await seeded.refused("timeline", before="yesterday")).message


# --- remembering -----------------------------------------------------------------------------------------------------


async def test_a_place_is_the_innermost_symbol(seeded: Seeded) -> None:
    uri = seeded.editor.uri("client.py")
    assert await seeded.ask("place", uri=uri, line=8) == {
        "path": "client.py",
        "symbol": "fetch",
        "line": 4,
        "beliefs": 3,
        "workspace": "shop",
    }
    assert (await seeded.ask("place", uri=uri, line=1))["symbol"] == ""


async def test_a_commit_is_told_by_the_symbols_that_it_changed(seeded: Seeded, tmp_path: Path) -> None:
    uri = seeded.editor.root.as_uri()
    newest = await seeded.ask("commit", uri=uri)
    assert newest["subject"] == "Measure areas"
    assert [(each["path"], each["symbol"], each["line"]) for each in newest["symbols"]] == [("shapes.py", "area", None)]
    first = await seeded.ask("commit", uri=uri, commit="HEAD~1")
    assert {each["symbol"] for each in first["symbols"]} >= {"fetch", "compute_tax", "Invoice"}
    error = await seeded.refused("commit", uri=uri, commit="nothing")
    assert error.missing is True


@pytest.mark.parametrize(
    ("where", "scope"),
    [
        ({"line": 4}, "symbol"),
        ({"symbol": "fetch"}, "symbol"),
        ({"line": 4, "scope": "file"}, "file"),
        ({}, "file"),
        ({"line": 4, "scope": "workspace"}, "workspace"),
        ({"line": 4, "scope": "glob", "glob": "pricing/**"}, "glob:pricing/**"),
        ({"line": 4, "scope": "user"}, "user"),
    ],
)
async def test_a_statement_is_kept_where_it_is_said_to_apply(
    seeded: Seeded, where: dict[str, object], scope: str
) -> None:
    uri = seeded.editor.uri("client.py")
    kept = await seeded.ask("remember", text=f"Said for {where}", uri=uri, kind="fact", **where)
    belief = kept["belief"]
    assert belief["scope"] == scope
    assert belief["kind"] == "fact"
    assert belief["source"] == "lsp:test editor"
    gone = await seeded.editor.run("forget", belief["id"])
    assert gone["ok"]
    assert gone["left"] == []


async def test_a_statement_is_kept_with_its_limits_and_further_places(seeded: Seeded) -> None:
    until_ = (datetime.now(UTC) + timedelta(days=30)).replace(microsecond=0)
    kept = await seeded.ask(
        "remember",
        text="Both know the rate",
        uri=seeded.editor.uri("client.py"),
        symbol="fetch",
        also=["pricing/tax.py#compute_tax"],
        conditions=["env=staging", "region=eu"],
        because_of=[seeded.ids["here"]],
        until=until_.isoformat(),
    )
    belief = kept["belief"]
    assert {anchor["path"] for anchor in belief["anchors"]} == {"client.py", "pricing/tax.py"}
    assert belief["conditions"] == ["env=staging", "region=eu"]
    assert belief["because_of"] == [seeded.ids["here"]]
    assert belief["expires_at"] == until_.strftime("%Y-%m-%dT%H:%M:%SZ")
    assert (await seeded.editor.run("forget", belief["id"]))["ok"]


async def test_what_contradicts_it_and_what_was_taken_out_is_said(seeded: Seeded) -> None:
    uri = seeded.editor.root.as_uri()
    kept = await seeded.ask("remember", text="The `fetch` timeout is 45 seconds.", uri=uri)
    assert kept["conflicts"]
    assert (await seeded.editor.run("forget", kept["belief"]["id"]))["ok"]
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    kept = await seeded.ask("remember", text=f"The token is {secret}", uri=uri)
    assert secret not in kept["belief"]["text"]
    assert kept["notices"] == ["A secret in it was taken out before it was kept."]
    assert (await seeded.editor.run("forget", kept["belief"]["id"]))["ok"]


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"text": " "}, "`text` is missing"),
        ({"text": "x", "kind": "wish"}, "not known: 'wish'"),
        ({"text": "x", "scope": "symbol"}, "which symbol"),
        ({"text": "x", "scope": "glob"}, "`glob` is missing"),
        ({"text": "x", "line": 0}, "expected a whole number"),
        ({"text": "x", "line": True}, "expected a whole number"),
        ({"text": "x", "symbol": "nothing"}, "nothing"),
        ({"text": "x", "also": ["#"]}, "not a place"),
        ({"text": "x", "because_of": "x"}, "expected a list"),
        ({"text": "x", "until": "soon"}, "not a moment"),
        ({"text": "x" * 5000}, "5,000 characters"),
    ],
)
async def test_what_cannot_be_kept_is_said_and_nothing_is_kept(
    seeded: Seeded, params: dict[str, object], said: str
) -> None:
    before = (await seeded.ask("beliefs", scope="workspace"))["total"]
    error = await seeded.refused("remember", **{"uri": seeded.editor.uri("client.py"), **params})
    assert said in error.message
    assert (await seeded.ask("beliefs", scope="workspace"))["total"] == before


async def test_no_refusal_is_a_box_or_a_failure_in_the_log(seeded: Seeded) -> None:
    seeded.editor.client.messages.clear()
    seeded.editor.client.log_messages.clear()
    await seeded.refused("belief", id="zzzzzzzz")
    await seeded.refused("decide", id="zzzzzzzz", choice="confirm")
    assert seeded.editor.said() == []
    assert seeded.editor.client.log_messages == []


async def test_doctor_says_what_it_looked_at(seeded: Seeded) -> None:
    checks = (await seeded.ask("doctor"))["checks"]
    assert {"workspace", "git", "parsers"} <= {check["name"] for check in checks}
    assert all(not check["advice"] for check in checks if check["ok"])


async def test_a_belief_is_revised_by_a_request_and_by_the_command_of_that_name(seeded: Seeded) -> None:
    root, uri = seeded.editor.root.as_uri(), seeded.editor.uri("pricing/tax.py")
    id = (await seeded.ask("remember", text="compute_tax is called once an order", uri=uri, line=6))["belief"]["id"]
    assert (await seeded.ask("revise", id=id, action="lock", uri=root))["belief"]["locked"] is True
    assert (await seeded.editor.run("unlock", id, None, root))["belief"]["locked"] is False
    limited = await seeded.ask("revise", id=id, action="scope", conditions=["env=staging, os=linux"])
    assert limited["belief"]["conditions"] == ["env=staging", "os=linux"]
    tied = await seeded.ask("revise", id=id, action="reanchor", place="client.py#fetch")
    assert [spot["symbol"] for spot in tied["belief"]["anchors"]] == ["fetch"]
    newer = await seeded.ask("revise", id=id, action="supersede", text="compute_tax is called twice an order")
    assert newer["id"] != id
    forgotten = await seeded.ask("forget", id=newer["id"])
    assert forgotten["id"] == newer["id"]
    assert forgotten["removed"]
    assert (await seeded.refused("forget", id=newer["id"])).missing


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({}, "`action` is missing"),
        ({"action": "admit"}, "not known: 'admit'"),
        ({"action": "supersede"}, "supersede needs"),
        ({"action": "scope"}, "a condition such as env=staging is missing"),
        ({"action": "reanchor", "place": "#"}, "not a place"),
        ({"action": "lock", "note": 3}, "expected a text"),
    ],
)
async def test_a_revision_that_cannot_be_read_changes_nothing(
    seeded: Seeded, params: dict[str, object], said: str
) -> None:
    before = await seeded.ask("belief", id=seeded.ids["glob"])
    assert said in (await seeded.refused("revise", id=seeded.ids["glob"], **params)).message
    assert len((await seeded.ask("belief", id=seeded.ids["glob"]))["revisions"]) == len(before["revisions"])


async def test_a_place_and_a_question_are_answered_as_by_the_commands(seeded: Seeded) -> None:
    uri = seeded.editor.uri("client.py")
    why = await seeded.ask("why", uri=uri, symbol="fetch")
    by_command = await seeded.editor.run("why", uri, "fetch")
    assert {**why, "ok": True} == by_command
    assert why["place"] == "client.py#fetch"
    found = await seeded.ask("recall", query="how long does fetch wait", uri=uri, line=4, typing=True)
    assert seeded.ids["here"] in [hit["id"] for hit in found["hits"]]
    assert (await seeded.ask("recall", query="fetch", uri=seeded.editor.root.as_uri()))["hits"]
    assert "`typing`" in (await seeded.refused("recall", query="fetch", typing="yes")).message


async def test_a_handoff_is_shown_and_taken_by_a_request(seeded: Seeded) -> None:
    entries = (await seeded.ask("timeline", limit=1000))["entries"]
    (id,) = [each["id"] for each in entries if each["what"] == "handoff"]
    shown = await seeded.ask("handoff", id=id)
    assert (shown["id"], shown["lines"]) == (id, ["task: Round the tax", "next: round refunds"])
    assert "taken by" not in shown["head"]
    assert "taken by" in (await seeded.ask("handoff", id=id, claim=True))["head"]
    entries = (await seeded.ask("timeline", limit=1000))["entries"]
    assert [each["detail"] for each in entries if each["what"] == "handoff"] == ["claimed"]
    assert (await seeded.refused("handoff", id="nothing")).missing


async def test_a_thread_is_closed_by_a_request(seeded: Seeded) -> None:
    (thread,) = (await seeded.ask("timeline"))["threads"][:1]
    closed = await seeded.ask("closeThread", id=thread["id"], note="it was done")
    assert closed["thread"]["open"] is False
    assert (await seeded.refused("closeThread", id="nothing")).missing


async def test_conditions_are_lifted_by_an_empty_text(seeded: Seeded) -> None:
    known = seeded.ids["staging"]
    assert (await seeded.editor.run("scope", known, "  "))["belief"]["conditions"] == []
    assert (await seeded.editor.run("scope", known, "env=staging"))["belief"]["conditions"] == ["env=staging"]


async def test_a_request_may_be_taken_back(project: Project, tmp_path: Path) -> None:
    async with editor(project.root, tmp_path / "data") as session:
        session.open("client.py")
        await session.remember("client.py", 1, "It is open")
        (store,) = session.root.parent.glob("data/workspaces/*/memory.db")
        params = {"uri": session.uri("client.py"), "line": 1, "text": "Written while the store is locked"}
        with locked(store):  # so its answer cannot come before it is taken back
            asked = session.client.protocol.send_request("memlsp/remember", params, msg_id="taken-back")  # pyright: ignore[reportUnknownMemberType]
            session.client.cancel_request(types.CancelParams("taken-back"))
            with pytest.raises(JsonRpcException, match="cancel"):
                await within(asyncio.wrap_future(asked))
        assert await session.remember("client.py", 1, "The server goes on")


async def test_the_exchange_of_a_team_is_told_and_done(tmp_path: Path) -> None:
    project = shop(tmp_path / "shop")
    project.git("init", "--quiet", "--bare", str(tmp_path / "exchange.git"))
    async with editor(project.root, tmp_path / "data") as one:
        seeded = Seeded(one, {})
        assert (await seeded.ask("team"))["address"] == ""
        with Memory.open(project.root, data_dir=tmp_path / "data") as memory:
            memory.remember("Use pnpm here")
            memory.team.on(str(tmp_path / "exchange.git"))
        told = await seeded.ask("team", sync=True)
        assert told["address"].endswith("exchange.git")
        assert (told["machines"], told["waiting"], told["problem"]) == (0, 0, "")
