"""The suite `injection` counts what is told rightly, what in vain, and the prompts that are left in silence."""

from __future__ import annotations

from math import isnan
from pathlib import Path

import pytest
from project import Project as CheckedOut

from benchmarks.injection import sessions, train
from benchmarks.injection.histories import history_projects
from benchmarks.injection.injection import OURS, ToldPrompt, agreement, run_injection, score
from benchmarks.injection.projects import BEARS, FOREIGN, OWN, AskedPrompt, ToldProject, projects_in
from memlsp.memory.injection import relevance
from memlsp.model.errors import NoSuchFile

_CASES = Path(__file__).resolve().parents[2] / "fixtures" / "injection"


def answer(gold: str, told: str, sort: str, tokens: int = 0) -> ToldPrompt:
    return ToldPrompt("p", AskedPrompt("q", "text", frozenset(gold), sort), tuple(told), tokens, tokens)


def test_precision_is_of_what_is_told_and_recall_of_what_bears() -> None:
    figures = score([answer("ab", "ac", BEARS, 30), answer("", "d", OWN, 10), answer("", "", FOREIGN)])
    assert (figures["precision"], figures["recall"]) == (1 / 3, 1 / 2)
    assert (figures["silence, own"], figures["silence, foreign"]) == (0, 1)
    assert (figures["tokens"], figures["tokens a session"]) == (40 / 3, 40)
    assert isnan(score([answer("a", "", BEARS)])["precision"])


def test_a_workspace_is_told_every_statement_and_asked_as_the_hook_asks() -> None:
    project = projects_in(_CASES / "open" / "projects.jsonl")[0]
    with ToldProject(project) as world:
        assert set(world.lines) == {each.id for each in project.statements}
        assert world.told("thanks, looks good", "s") == []
        asked = {prompt.id: world.told(prompt.text, prompt.id) for prompt in project.prompts}
    assert any(asked.values())


def test_no_project_is_in_both_halves() -> None:
    halves = [{each.name for each in projects_in(_CASES / half / "projects.jsonl")} for half in ("open", "sealed")]
    assert [len(half) for half in halves] == [10, 10]
    assert not halves[0] & halves[1]


def test_two_readers_agree_on_most_prompts() -> None:
    same, _, asked = agreement(_CASES / "open", projects_in(_CASES / "open" / "projects.jsonl")).partition("/")
    assert int(asked) == 40
    assert int(same) >= 36


def test_all_systems_are_asked_and_no_sealed_case_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    report = run_injection(_CASES, None, quick=True)
    sealed = {prompt.text for each in projects_in(_CASES / "sealed" / "projects.jsonl") for prompt in each.prompts}
    assert not sealed & {str(case["prompt"]) for case in report.cases}
    assert not any(text in capsys.readouterr().out for text in sealed)
    assert report.baselines["projects, sealed: nothing"]["silence, foreign"] == 1
    assert report.baselines["projects, open: FTS5, the best five"]["recall"] > 0.5
    assert f"projects, open: {OURS}" in report.baselines


def test_the_weights_in_use_tell_little_in_vain_where_they_were_made() -> None:
    projects = projects_in(_CASES / "open" / "projects.jsonl")[:3]
    rows = [row for project in projects for row in train.candidates(project)]
    found = train.marked(rows, [relevance.score((1.0, *row.numbers)) for row in rows], projects, relevance.MARK)
    assert found.right > 0
    assert found.precision >= 0.5


def test_a_history_becomes_statements_and_the_subjects_of_later_changes(
    project: CheckedOut, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchmarks.injection.histories._LATER", 1)
    monkeypatch.setattr("benchmarks.injection.histories._STATEMENTS", 1)
    body = 'def total(net):\n    """Adds the tax of the country to a net price."""\n    return net * {}\n'
    project.write("billing.py", body.format("1.2"))
    project.commit("Begin")
    project.write("billing.py", body.format("1.25"))
    project.commit("Raise the rate that invoices apply since January")
    data = tmp_path / "data"
    data.mkdir()
    (data / "acme+billing").symlink_to(project.root)
    (found,) = history_projects(data, tmp_path / "checkouts")
    told = "Adds the tax of the country to a net price."
    assert told in [each.text for each in found.statements]
    assert [(each.text, each.sort) for each in found.prompts] == [
        ("Raise the rate that invoices apply since January", BEARS)
    ]
    with ToldProject(found) as world:
        assert "billing.py total" in world.told("add the tax of the country to a net price", "s")


def test_missing_cases_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(NoSuchFile):
        projects_in(tmp_path / "none.jsonl")


# -- sessions -------------------------------------------------------------------------------------------------------

SHOP = '''
about = "a shop"
stale = ["rate"]
[[files]]
path = "tax.py"
text = """
RATE = 0.2


def tax(net):
    return net * RATE
"""
[[statements]]
id = "cents"
by = "person"
text = "Amounts are integers in cents"
scope = "*.py"
marks = ["integers in cents"]
[[statements]]
id = "rate"
by = "person"
text = "tax applies a rate of 0.2"
at = "tax.py#tax"
marks = ["a rate of 0\\\\.2"]
[[statements]]
id = "office"
by = "person"
text = "The office is in Bern"
marks = ["in Bern"]
[[statements]]
id = "typed"
by = "person"
said = "fix the sum. And never commit .env files."
text = "Never commit .env files"
marks = ["commit .env"]
[[statements]]
id = "task"
by = "person"
said = "fix the sum of the second page"
text = ""
marks = []
[[changes]]
path = "tax.py"
text = """
RATE = 0.25


def tax(net):
    return net * RATE
"""
[[sessions]]
prompt = "Round the tax"
bears = ["cents"]
[[sessions.acts]]
kind = "edit"
path = "tax.py"
old = "net * RATE"
new = "round(net * RATE, 2)"
must = ["cents", "office"]
'''


def test_a_session_is_played_through_all_doors_and_what_came_in_time_is_counted(tmp_path: Path) -> None:
    (tmp_path / "shop.toml").write_text(SHOP, encoding="utf-8")
    (case,) = sessions.cases_in(tmp_path)
    played = sessions.play(case)
    assert (played.kept, played.said, played.invented, played.tasks) == (1, 1, 0, 1)
    (session,) = played.sessions
    assert session.needed == (("cents", True), ("office", False))
    assert session.told == {"cents", "typed"}
    assert session.doubted == {"rate"}  # the code says 0.25
    assert sessions.score(played.sessions)["in time"] == 1


def test_the_sessions_of_both_halves_hold_together_and_are_not_the_same() -> None:
    halves = [sessions.cases_in(_CASES / half / "sessions") for half in ("open", "sealed")]
    assert not {each.name for each in halves[0]} & {each.name for each in halves[1]}
    for case in (*halves[0], *halves[1]):
        ids = case.statements.keys()
        for session in case.sessions:
            named = {*session["bears"], *(id for act in session["acts"] for id in act.get("must", ()))}
            assert named <= ids, case.name
        assert case.stale <= ids
