"""The suites are run from a checkout, from any working directory, and are no part of an installed memlsp."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner

import memlsp
from benchmarks import suites
from benchmarks.reporting.report import Report
from benchmarks.speed.clients import environment
from benchmarks.suites import SUITES
from memlsp.faces.cli.app import memlsp as command
from memlsp.model.errors import BadValue

ROOT = Path(__file__).resolve().parents[2]


def test_a_suite_runs_in_a_folder_that_has_benchmarks_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "benchmarks").mkdir()
    (tmp_path / "benchmarks" / "__init__.py").write_text("raise SystemExit('the wrong folder')\n")
    ended = subprocess.run(
        [sys.executable, "-m", "memlsp", "eval", "edits", "--only", "no case has this name"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "memlsp" in ended.stdout


def test_programs_that_the_suites_start_find_them_from_any_folder(tmp_path: Path) -> None:
    words = [sys.executable, "-P", "-c", "import benchmarks.suites; print(benchmarks.__file__)"]
    ended = subprocess.run(words, cwd=tmp_path, env=environment(tmp_path), capture_output=True, text=True, check=True)
    assert Path(ended.stdout.strip()).parents[1] == ROOT


def test_outside_a_checkout_eval_says_in_one_line_where_the_suites_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memlsp, "__file__", str(tmp_path / "site-packages" / "memlsp" / "__init__.py"))
    ended = CliRunner().invoke(command, ["eval", "edits"])
    assert (ended.exit_code, ended.stdout) == (1, "")
    assert ended.stderr.count("\n") == 1
    assert "clone the repository" in ended.stderr


def test_the_wheel_is_made_of_the_package_alone() -> None:
    packaging = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    assert packaging["packages"]["find"]["include"] == ["memlsp", "memlsp.*"]
    assert list(packaging["package-data"]) == ["memlsp"]


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make on this machine")
def test_make_runs_a_suite_with_its_arguments_and_names_all_without_one() -> None:
    def dry_run(*words: str) -> str:
        shown = ["make", "--dry-run", "--no-print-directory", "bench", *words]
        alone = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
        return subprocess.run(shown, cwd=ROOT, env=alone, capture_output=True, text=True, check=True).stdout

    assert dry_run("SUITE=latency", "ARGS=--quick").endswith("bin/memlsp eval latency --quick\n")
    assert "make bench needs a suite" in dry_run()
    assert set(SUITES) <= set(CliRunner().invoke(command, ["eval"]).output.split())


def test_judgement_is_the_figures_of_its_suites_and_fails_when_one_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def of(name: str, *, passed: bool) -> Callable[[Path | None, Mapping[str, object]], Report]:
        return lambda _data, _options: Report(name, {"right": 0.5}, {"words": {"right": 0.25}}, [{"id": name}], passed)

    runners = vars(suites)["_RUNNERS"]
    monkeypatch.setitem(runners, "edits", of("edits", passed=True))
    monkeypatch.setitem(runners, "birth", of("birth", passed=False))
    monkeypatch.setattr(suites, "_WITHOUT_CLONES", ("edits", "birth"))
    kept = tmp_path / "judgement.json"
    assert suites.run_suite("judgement", None, kept) == 1
    report = json.loads(kept.read_text())
    assert report["score"] == {"edits: right": 0.5, "birth: right": 0.5}
    assert report["baselines"] == {"edits: words": {"right": 0.25}, "birth: words": {"right": 0.25}}
    assert [case["suite"] for case in report["cases"]] == ["edits", "birth"]


def test_judgement_takes_no_data_of_one_suite(tmp_path: Path) -> None:
    with pytest.raises(BadValue, match="neither --data nor --only"):
        suites.run_suite("judgement", tmp_path, None)
