"""The suite `corrections` counts what was kept rightly, what wrongly, and how much around it."""

from __future__ import annotations

import json
from math import isnan
from pathlib import Path
from statistics import fmean

import pytest

from benchmarks.corrections import former_rules
from benchmarks.corrections.corrections import (
    HALVES,
    READERS,
    KeptStatement,
    LabelledPrompt,
    cases_in,
    run_corrections,
    score,
    verdict,
)
from benchmarks.stalecode.grading import drawn_interval
from memlsp.model.errors import NoSuchFile

_CASES = Path(__file__).resolve().parents[2] / "fixtures" / "corrections"
_LASTS = LabelledPrompt("fix it. we use ruff here", ("we use ruff here",), "rule", False, "a/b", "made up")
_TASK = LabelledPrompt("fix the test", (), "", False, "c/d", "made up")


def test_what_agrees_with_a_passage_is_found_and_all_else_is_a_false_alarm() -> None:
    verdicts = [
        verdict(_LASTS, [KeptStatement("We use ruff.", "rule", person=False)]),
        verdict(_LASTS, [KeptStatement("Fix it.")]),
        verdict(_LASTS, []),
        verdict(_TASK, [KeptStatement("Fix the test.")]),
        verdict(_TASK, []),
    ]
    figures = score(verdicts)
    assert (figures["precision"], figures["recall"], figures["f1"]) == (1 / 3, 1 / 3, 1 / 3)
    assert (figures["kinds"], figures["scopes"]) == (1, 1)
    assert (figures["words in a passage"], figures["words of the passages"]) == (1, 3 / 4)


def test_a_share_of_nothing_is_no_number() -> None:
    assert isnan(score([verdict(_TASK, [])])["precision"])


def test_bounds_are_drawn_by_whole_groups() -> None:
    assert drawn_interval([[1.0, 0.0], [0.0, 1.0]], fmean) == (0.5, 0.5)
    assert all(map(isnan, drawn_interval([], fmean)))


def test_the_rules_of_the_first_version_still_say_what_they_said() -> None:
    assert former_rules.kept("Always use `ruff` here.\nfix the test\nno, use pnpm instead of npm") == [
        "Always use `ruff` here.",
        "use pnpm instead of npm",
    ]
    assert former_rules.kept("the endpoint moved to /v2") == []


def test_only_two_repositories_are_in_both_halves_one_of_each_author() -> None:
    halves = [{case.source for case in cases_in(_CASES / name)} for name in ("open", "sealed")]
    assert len(halves[0] & halves[1]) <= 2


def test_the_cases_are_many_and_more_than_half_of_them_hold_nothing_that_lasts() -> None:
    cases = [*cases_in(_CASES / "open"), *cases_in(_CASES / "sealed")]
    assert len(cases) >= 600
    assert sum(not case.lasting for case in cases) > len(cases) / 2
    assert all(passage in case.text for case in cases for passage in case.lasting)


def test_every_reader_is_asked_and_no_sealed_case_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    report = run_corrections(_CASES, quick=True)
    printed = capsys.readouterr().out
    assert set(report.baselines) == {f"{half}: {name}" for half in HALVES for name in READERS} - {"sealed: memlsp"}
    sealed = {case.text for case in cases_in(_CASES / "sealed")}
    assert not sealed & {str(case["text"]) for case in report.cases}
    assert not any(text in printed for text in sealed if len(text) > 20)


def test_a_case_in_doubt_is_left_out_and_a_folder_without_cases_is_an_error(tmp_path: Path) -> None:
    row: dict[str, object] = {
        "text": "x",
        "keep": False,
        "kind": "",
        "scope": "",
        "lasting": [],
        "source": "a/b:c",
        "origin": "own",
    }
    (tmp_path / "a.jsonl").write_text("\n".join(json.dumps(each) for each in (row, row | {"unsure": True})))
    assert [case.source for case in cases_in(tmp_path)] == ["a/b"]
    with pytest.raises(NoSuchFile):
        cases_in(tmp_path / "none")
