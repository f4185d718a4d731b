"""The suite `contradictions` counts what is found and what is false, beside what others would say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from project import Project

from benchmarks.judgement.contradictions import by_slots, cross, outcome_of, run_contradictions
from benchmarks.judgement.contradictions_mining import mined_sets
from benchmarks.stalecode.errors import BadData
from benchmarks.stalecode.pairs import Pair, Said, pairs_in
from benchmarks.suites import run_suite

_OURS = Path(__file__).resolve().parents[2] / "fixtures" / "contradictions"
_SMALL = """
[[pattern]]
name = "ports"
conflict = [
  ["The port is 80.", "The port is 90."],
  [{ text = "The port is 80.", when = { env = "qa" } }, "The port is 81."],
]
together = [
  [{ text = "The port is 80.", at = "a.py" }, { text = "The port is 90.", at = "b.py" }],
  ["The port is 80.", "The port is fine."],
]
"""


def test_what_is_found_and_what_is_false_are_counted() -> None:
    same = Said("The port is 80.")
    pairs = [Pair(same, same, conflict=truth, origin="x") for truth in (True, True, True, False, False)]
    decided = iter([True, True, False, True, False])
    outcome = outcome_of(pairs, lambda _: next(decided))
    assert (outcome.found, outcome.conflicts, outcome.alarms, outcome.together) == (2, 3, 1, 2)
    assert not outcome.passed


def test_pairs_are_read_with_their_conditions_and_places(tmp_path: Path) -> None:
    path = tmp_path / "pairs.toml"
    path.write_text(_SMALL)
    pairs = pairs_in(path)
    assert [pair.conflict for pair in pairs] == [True, True, False, False]
    assert pairs[1].first == Said("The port is 80.", (("env", "qa"),))
    assert [by_slots(pair) for pair in pairs] == [True, False, False, False]
    with pytest.raises(BadData):
        pairs_in(tmp_path / "none.toml")


def test_our_own_pairs_are_many_and_half_of_them_are_near_misses() -> None:
    pairs = pairs_in(_OURS / "develop.toml") + pairs_in(_OURS / "held-out.toml")
    assert len(pairs) >= 200
    assert sum(not pair.conflict for pair in pairs) >= len(pairs) / 2
    patterns = [{pair.origin for pair in pairs_in(_OURS / name)} for name in ("develop.toml", "held-out.toml")]
    assert not patterns[0] & patterns[1]


def test_the_pairs_that_were_developed_on_meet_the_target() -> None:
    assert outcome_of(pairs_in(_OURS / "develop.toml"), by_slots).passed


def test_the_table_has_the_rules_of_others_and_the_json_has_none_of_the_held_out_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_suite("contradictions", None, tmp_path / "report.json", quick=True)
    shown = capsys.readouterr().out
    for way in ("memlsp", "without what was given", "word overlap of", "similarity of"):
        assert way in shown
    report = json.loads((tmp_path / "report.json").read_text())
    assert set(report["score"]) == {"recall", "false_alarms"}
    judging = {"our pairs, held out", "third author, sealed", "fourth author, sealed", "fifth author, sealed"}
    told = [case for case in report["cases"] if case["set"] in judging]
    assert {case["set"] for case in told} == judging
    assert all(case.keys() == {"set", "wrong"} for case in told)
    shared = {text for pair in pairs_in(_OURS / "opened-c.toml") for text in (pair.first.text, pair.second.text)}
    sealed = pairs_in(_OURS / "sealed-c.toml")
    secret = {text for pair in sealed for text in (pair.first.text, pair.second.text)} - shared
    written = json.dumps(report, ensure_ascii=False) + shown
    assert not any(json.dumps(text, ensure_ascii=False)[1:-1] in written for text in secret if len(text) > 20)


def test_across_true_pairs_are_pairs_that_live_together() -> None:
    made = list(cross([("a", "not a"), ("b", "not b")], "x"))
    assert [(pair.first.text, pair.second.text, pair.conflict) for pair in made] == [
        ("a", "not a", True),
        ("a", "not b", False),
        ("b", "not b", True),
        ("b", "not a", False),
    ]


def test_reverts_and_swaps_are_read_from_a_history(tmp_path: Path) -> None:
    project = Project(tmp_path / "pallets+flask" / "repo")
    project.write("requirements.txt", "simplejson==3\nwerkzeug==2\n")
    project.commit("Depend on simplejson and werkzeug")
    project.write("requirements.txt", "orjson==3\nwerkzeug==2\n")
    project.commit("Replace simplejson with orjson")
    project.write("a.py", "x = 1\n")
    project.commit("Cache the parsed configuration")
    project.git("revert", "--no-edit", "HEAD")
    sets = mined_sets(tmp_path)
    (revert,) = sets["reverts, developed on"]
    assert (revert.first.text, revert.conflict) == ("Cache the parsed configuration", True)
    swaps = {pair.first.text: pair.conflict for pair in sets["dependency swaps, developed on"]}
    assert swaps == {
        "The project depends on simplejson.": True,
        "The project depends on orjson.": False,
        "The project depends on werkzeug.": False,
    }


def test_the_suite_runs_on_what_is_here(tmp_path: Path) -> None:
    for name in (
        "develop.toml",
        "opened.toml",
        "held-out.toml",
        "opened-c.toml",
        "sealed-c.toml",
        "opened-d.toml",
        "sealed-d.toml",
        "opened-e.toml",
        "sealed-e.toml",
    ):
        (tmp_path / name).write_text(_SMALL)
    report = run_contradictions(tmp_path, None)
    assert report.score == {"recall": 0.5, "false_alarms": 0.0}
    assert not report.passed
