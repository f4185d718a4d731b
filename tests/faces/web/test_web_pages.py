"""What the pages show, and what is decided on them."""

from __future__ import annotations

import re

import pytest
from project import Project
from web_site import Site

from memlsp import Memory
from memlsp.model.belief import BeliefStatus
from memlsp.model.place import Place
from memlsp.model.recall import RecallOptions


def test_today_shows_what_broke_and_what_waits(site: Site) -> None:
    text = site.page("/")
    assert "<code>retries</code> from 3 to 5" in text
    waits, broke = text.partition('id="waits"')[2].split('id="broke"')
    assert "1 stale belief" in waits
    assert "fetch tries" not in waits  # once is enough
    assert "fetch tries" in broke
    assert "No agent was told anything yet" in text


def test_today_counts_the_tokens_of_each_agent(site: Site) -> None:
    site.memory.recall("how often do we retry", RecallOptions(session="claude-code s1"), asker="claude-code")
    text = site.page("/")
    assert "claude-code" in text
    assert f"{site.memory.tellings().days[0].tokens:,}" in text


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        ("", {"fetch", "prices"}),
        ("q=rounded", {"prices"}),
        ("q=round+cents", {"prices"}),
        ("q=zebra", set[str]()),
        ("standing=contradicted", {"fetch"}),
        ("standing=current", {"prices"}),
        ("standing=retired", set[str]()),
        ("standing=proposed", set[str]()),
        ("scope=file", {"prices"}),
        ("scope=symbol&standing=contradicted", {"fetch"}),
        ("author=Ann+Ode", {"fetch", "prices"}),
        ("author=Bob", set[str]()),
        ("age=day", {"fetch", "prices"}),
        ("age=older-year", set[str]()),
        ("under=pricing/", {"prices"}),
        ("kind=nonsense&scope=nonsense&age=nonsense", {"fetch", "prices"}),
    ],
)
def test_beliefs_are_filtered(site: Site, asked: str, shown: set[str]) -> None:
    text = site.page(f"/beliefs?{asked}").partition("</form>\n<form")[2]
    assert {word for word in ("fetch", "prices") if f"{word} " in text.partition("<tbody>")[2]} == shown


def test_a_list_is_read_page_by_page(site: Site, memory: Memory) -> None:
    for number in range(60):
        memory.remember(f"Statement number {number} of many")
    first = site.page("/beliefs")
    following = first.partition('rel="next" href="')[2].partition('"')[0].replace("&amp;", "&")
    second = site.page(following.partition("8765")[2])
    assert (first.count('name="id"'), second.count('name="id"')) == (50, 12)
    assert "Next 50" not in second
    assert ">62<" in first


def test_a_belief_is_shown_with_its_code_before_and_after(site: Site) -> None:
    broken = site.memory.survey.found.fallen[0].belief
    text = site.page(f"/belief/{broken.id}")
    assert "retries=3" in text.partition('class="del"')[2].partition("</span></span>")[0]
    assert "retries=5" in text.partition('class="add"')[2]
    assert broken.text in site.page(f"/belief/{broken.id[:5]}")
    assert "no belief" in site.page("/belief/nonesuch", 404)


def test_a_conflict_is_the_standing_of_both_sides_and_is_settled_from_either(site: Site, memory: Memory) -> None:
    at = [Place("pricing/rates.py")]
    ids = [memory.remember(f"A prompt may be repeated at most {n} times", at=at).belief.id for n in (3, 5)]
    (conflict,) = memory.conflicts.open()
    memory.survey.look()
    assert re.search(r"<b>2</b> .*in conflict", site.page("/"))
    assert "<b>1</b>" in site.page("/").partition("/beliefs?standing=current")[2].partition("</li>")[0]
    nodes = {each[0]: each[2] for each in site.client.get("/graph.json").json()["nodes"]}
    assert [nodes[id] for id in ids] == ["conflict", "conflict"]
    for path in (
        "/beliefs?q=prompt",
        "/beliefs?standing=conflict",
        "/graph?under=pricing/rates",
        f"/review?item={conflict.id.replace('+', '%2B')}",
    ):
        assert site.page(path).count("</span>in conflict<") == 2, path
    for id in ids:
        text = site.page(f"/belief/{id}")
        assert "</span>in conflict<" in text.partition("<h1")[0]
        assert f'href="/review?item={conflict.id.replace("+", "%2B")}">Settle…' in text
        assert "The code is as it was verified" not in text  # that is no answer to it
    answer = site.post("/settle", item=conflict.id, action="both")
    first, second = (memory.belief(each).belief.text for each in (conflict.first, conflict.second))
    assert f"Keep both: “{first}” and “{second}”" in site.said(answer)
    site.undo(answer)
    answer = site.post("/settle", item=conflict.id, action="first")
    assert f"Keep the first: “{memory.belief(conflict.first).belief.text}”" in site.said(answer)
    assert "</span>in conflict<" not in site.page("/beliefs?q=prompt")


def test_names_in_sentences_are_code_and_nothing_else_is_markup(site: Site, memory: Memory) -> None:
    id = memory.remember("`open_file` says <b>no</b> to `<img src=x>`", at=[Place("pricing/rates.py")]).belief.id
    text = site.page(f"/belief/{id}").partition("<h1")[2].partition("</h1>")[0]
    assert "<code>open_file</code> says &lt;b&gt;no&lt;/b&gt; to <code>&lt;img src=x&gt;</code>" in text


def test_what_was_done_to_a_belief_is_said_in_the_past(site: Site) -> None:
    for path in ("/", "/timeline"):
        assert '<span class="muted">remembered' in site.page(path)


def test_many_are_decided_at_once_and_taken_back_at_once(site: Site) -> None:
    ids = [each.belief.id for each in site.memory.beliefs()]
    answer = site.post("/decide", id=[*ids, "nonesuch"], action="retire", note="old", back="/beliefs?q=fetch")
    assert answer.headers["location"].startswith("/beliefs?q=fetch&said=")
    said = site.said(answer)
    assert "No longer true: 2 beliefs" in said
    assert "nonesuch" in said
    assert {site.memory.belief(id).belief.status for id in ids} == {BeliefStatus.RETIRED}
    assert site.memory.revisions(ids[0])[-1].source == "web"
    assert "Taken back: 2 beliefs" in site.undo(answer)
    assert {site.memory.belief(id).belief.status for id in ids} == {BeliefStatus.ACTIVE}
    assert site.post("/undo", said=answer.headers["location"].rpartition("=")[2]).status_code == 404


def test_a_belief_is_superseded_and_comes_back(site: Site) -> None:
    id = site.memory.survey.found.fallen[0].belief.id
    assert site.post("/decide", id=id, action="supersede").status_code == 400
    answer = site.post("/decide", id=id, action="supersede", text="fetch tries 5 times")
    assert site.memory.belief(id).belief.status is BeliefStatus.SUPERSEDED
    site.undo(answer)
    assert site.memory.belief(id).belief.status is BeliefStatus.ACTIVE


def test_scope_needs_a_condition(site: Site) -> None:
    id = site.memory.beliefs()[0].belief.id
    assert site.post("/decide", id=id, action="scope").status_code == 400
    assert site.post("/decide", id=id, action="scope", text="env=staging, os=linux").status_code == 303
    assert site.memory.belief(id).belief.conditions == (("env", "staging"), ("os", "linux"))


def test_a_review_item_is_settled_and_taken_back(site: Site) -> None:
    item = site.memory.survey.found.waiting[0]
    assert item.question in site.page("/review")
    answer = site.post("/settle", item=item.id, action="confirm", back="/review")
    assert "Still true: “fetch tries 3 times" in site.said(answer)
    assert "Nothing waits" in site.page("/review")
    assert site.memory.review.queue() == ()
    assert "Taken back: Still true: “fetch tries" in site.undo(answer)
    assert [each.id for each in site.memory.review.queue()] == [item.id]


def test_a_decision_that_was_built_on_is_not_taken_back(site: Site) -> None:
    item = site.memory.survey.found.waiting[0]
    answer = site.post("/settle", item=item.id, action="confirm")
    site.memory.revise(item.id, "retire")
    assert site.post("/undo", said=answer.headers["location"].rpartition("=")[2]).status_code == 409


def test_a_session_is_shown_step_by_step_with_its_tokens(site: Site) -> None:
    id = site.memory.beliefs()[0].belief.id
    site.memory.record_telling("act", [id], "x" * 400, asker="claude-code", session="claude-code s/1", about="client")
    of_session = {"source": "claude-code", "session": "s/1"}
    site.memory.events.take(
        [
            {**of_session, "kind": "prompt", "at": 1_790_000_000_000, "key": "k1", "text": "be patient"},
            {**of_session, "kind": "command", "at": 1_790_000_001_000, "key": "k2", "text": "pytest -q"},
        ]
    )
    assert "/session/claude-code/s%2F1" in site.page("/sessions")
    text = site.page("/session/claude-code/s%2F1")
    assert text.index("be patient") < text.index("pytest -q") < text.index("memlsp told 1 belief")
    assert "+101" in text
    assert "fetch tries 3 times" in text
    assert "/session/claude-code/s%2F1" in site.page("/receipts")
    assert site.client.get("/session/claude-code/none").status_code == 404


def test_the_timeline_goes_by_days_and_spans(site: Site, project: Project) -> None:
    for zoom in ("day", "week", "month", "year", "nonsense"):
        assert "fetch tries 3 times" in site.page(f"/timeline?zoom={zoom}")
    assert "Nothing happened then" in site.page("/timeline?zoom=week&day=2001-01-01")
    for day in ("0001-01-01", "9999-12-31", "2026-99-99", "x" * 99):
        site.page(f"/timeline?zoom=year&day={day}")


def test_the_timeline_counts_more_than_it_lists(site: Site, memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memlsp.faces.web.pages._MOST_ENTRIES", 2)
    memory.remember("Retries wait longer")
    memory.review.propose("Every request goes through fetch")
    [bar] = re.findall(r'<meter [^>]*value="([1-9]\d*)"', site.page("/timeline?zoom=month"))
    [year] = re.findall(r'<meter [^>]*value="([1-9]\d*)"', site.page("/timeline?zoom=year"))
    listed = memory.episodes.timeline(limit=50)
    assert int(bar) == int(year) == len(listed) >= 3


def test_storage_shows_files_and_runs_the_doctor_when_asked(site: Site) -> None:
    text = site.page("/storage")
    assert "memory.db" in text
    assert "Run the checks" in text
    checked = site.page("/storage?checks=1")
    assert "SQLite" in checked
    assert "a damaged store is set aside" not in checked  # it is well


def test_the_graph_has_a_table_of_nodes_and_links(site: Site, memory: Memory) -> None:
    base = memory.beliefs()[0].belief.id
    top = memory.remember("Retries wait longer", at=[Place("client.py", symbol="fetch")], because_of=[base]).belief.id
    text = site.page("/graph")
    assert f'data-id="{base}"' in text
    links = text.partition('id="graph-links"')[2]
    assert links.index(f"/belief/{top}") < links.index("rests on") < links.index(f"/belief/{base}")
    assert "pricing/tax.py" not in site.page("/graph?under=client")


def test_the_table_of_the_graph_is_read_page_by_page(
    site: Site, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        memory.remember(f"Statement number {number} of many")
    monkeypatch.setattr("memlsp.faces.web.pages._ROWS", 4)
    first = site.page("/graph")
    following = first.partition('rel="next" href="')[2].partition('"')[0].replace("&amp;", "&")
    second = site.page(following.partition("8765")[2])
    assert (first.count("data-id="), second.count("data-id=")) == (4, 3)
    assert 'rel="next"' not in second


def test_the_picture_of_the_graph_follows_what_is_written(site: Site, memory: Memory) -> None:
    base = memory.beliefs()[0].belief.id
    fetch = Place("client.py", symbol="fetch")
    said = "fetch tries 3 times: the API drops one call in ten"
    assert [base, said, "contradicted", "client.py", "fetch"] in site.client.get("/graph.json").json()["nodes"]
    top = memory.remember("Retries wait\u202e longer", at=[fetch], because_of=[base]).belief.id
    found = site.client.get("/graph.json").json()
    assert [top, base, "rests on"] in found["links"]
    assert [top, "Retries wait longer", "", "client.py", "fetch"] in found["nodes"]
    memory.revise(top, "retire")
    assert top not in str(site.client.get("/graph.json").json())
    assert "pricing" not in site.client.get("/graph.json?under=client").text
    assert site.stranger().get("/graph.json").status_code == 303


def test_static_files_stay_in_their_folder(site: Site) -> None:
    for path in ("/static/../server.py", "/static/%2e%2e/server.py", "/static//etc/passwd"):
        assert site.client.get(path).status_code == 404
    assert site.client.get("/static/page.css").headers["content-type"].startswith("text/css")
