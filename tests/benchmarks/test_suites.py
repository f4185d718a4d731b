"""The suites are run from a checkout, from any working directory, and are no part of an installed memlsp."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

import memlsp
from benchmarks.speed.clients import environment
from benchmarks.suites import SUITES
from memlsp.faces.cli.app import memlsp as command

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
