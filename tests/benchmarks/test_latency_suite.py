"""The suite `latency`: its wire, its figures, and one small run against the real servers."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from benchmarks.reporting.machine import this_machine
from benchmarks.reporting.measures import TARGETS, Measure
from benchmarks.reporting.report import Report
from benchmarks.reporting.tables import milliseconds, table
from benchmarks.speed.clients import EMPTY, Editor, environment
from benchmarks.speed.latency import Plan, run_latency
from benchmarks.speed.vocabulary import Vocabulary, real_file
from benchmarks.speed.wire import Wire, WireError


def test_percentiles_are_the_nearest_rank() -> None:
    measure = Measure("hover", [float(number) for number in range(1, 101)])
    assert measure.at(0.5) == 50
    assert measure.at(0.95) == 95
    assert Measure("hover", [7.0]).at(0.95) == 7
    assert Measure("hover", []).at(0.5) is None


def test_a_miss_is_a_figure_above_its_target() -> None:
    assert Measure("hover", [1.9] * 20).missed is False
    assert Measure("hover", [2.1] * 20).missed is True
    assert Measure("hover", [1.0] * 18 + [9.0] * 2).missed is True
    assert Measure("something else", [1e9]).missed is False


def test_the_empty_server_answers_a_hover_over_the_wire(tmp_path: Path) -> None:
    with Editor(EMPTY, tmp_path, tmp_path) as editor:
        editor.open("a.py", "x = 1\n")
        answer, took = editor.hover(0, 0)
        assert editor.ping() > 0
    assert answer is not None
    assert 0 < took < editor.started


def test_a_server_that_ends_is_an_error_and_no_endless_wait(tmp_path: Path) -> None:
    command = (sys.executable, "-c", "raise SystemExit(0)")
    with Wire(command, framed=True, cwd=tmp_path, env=environment(tmp_path)) as wire, pytest.raises(WireError):
        wire.ask("initialize", {}, timeout=30)


def test_a_server_that_is_silent_is_an_error_after_the_time_given(tmp_path: Path) -> None:
    command = (sys.executable, "-c", "import sys; sys.stdin.buffer.read()")
    with (
        Wire(command, framed=False, cwd=tmp_path, env=environment(tmp_path)) as wire,
        pytest.raises(WireError, match="no answer"),
    ):
        wire.ask("initialize", {}, timeout=0.05)


def test_generated_statements_are_the_same_every_time_and_made_of_real_words() -> None:
    first, again = Vocabulary(3), Vocabulary(3)
    assert [first.statement() for _ in range(50)] == [again.statement() for _ in range(50)]
    assert len(first.sentences) > 1000
    assert len(first.names) > 500


def test_generated_modules_are_valid_python() -> None:
    vocabulary = Vocabulary(5)
    for _ in range(10):
        compile(vocabulary.module(10), "module.py", "exec")


def test_the_file_to_edit_is_taken_from_the_data_when_there_is_one(tmp_path: Path) -> None:
    (tmp_path / "small.py").write_text("x = 1\n", encoding="utf-8")
    (tmp_path / "app.py").write_text("y = 2\n" * 3000, encoding="utf-8")
    assert real_file(tmp_path)[0] == "app.py"
    assert len(real_file(None)[1]) > 10_000


def test_a_machine_is_told_without_its_name() -> None:
    assert set(this_machine().as_json()) == {"processor", "cores", "system", "python", "memlsp"}


def test_a_table_is_as_wide_as_its_cells() -> None:
    assert table(["name", "n"], [["a", "10"], [], ["long name", "5"]]) == (
        "name        n\n---------  --\na          10\n---------  --\nlong name   5"
    )
    assert milliseconds(1.234) == "1.23"
    assert milliseconds(123.4) == "123"


def test_a_report_is_written_with_the_keys_of_the_contract(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    Report("latency", {"met": 1}, {}, [{"measure": "hover"}], passed=True).write(path, this_machine(), "2026-01-01")
    assert set(json.loads(path.read_text(encoding="utf-8"))) == {
        "suite",
        "score",
        "baselines",
        "cases",
        "machine",
        "date",
    }


def test_a_small_run_measures_everything_against_the_real_servers(capsys: pytest.CaptureFixture[str]) -> None:
    report = run_latency(None, plan=Plan(sizes=(60,), calls=2, edits=2, starts=0, hooks=6))
    measured = {str(case["measure"]) for case in report.cases if case["where"] != "empty server"}
    assert set(TARGETS) <= measured
    assert all(case["n"] for case in report.cases if case["unit"] == "ms")
    assert report.passed
    out = capsys.readouterr().out
    assert "empty server" in out
    assert "60 beliefs" in out
