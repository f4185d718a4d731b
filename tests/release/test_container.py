"""The container, the devcontainer, the formula and the forms for issues, as far as they can be read without Docker."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from memlsp.code.syntax.outline import outline
from release.formula import TEMPLATE, formula

ROOT = Path(__file__).resolve().parents[2]
DOCKERFILE = (ROOT / "Dockerfile").read_text("utf-8")


def test_the_dockerfile_parses() -> None:
    assert not outline("Dockerfile", DOCKERFILE.encode()).has_errors


def test_the_container_runs_memlsp_as_somebody_who_is_not_root() -> None:
    lines = [line for line in DOCKERFILE.splitlines() if line and not line.startswith(("#", " "))]
    assert re.fullmatch(r"FROM python:3\.\d+-slim", lines[0])
    assert lines.index("USER memlsp") < lines.index('ENTRYPOINT ["memlsp"]')
    assert [line for line in lines if line.startswith("USER")] == ["USER memlsp"]


def test_only_the_wheel_and_its_constraints_go_into_the_container() -> None:
    (copied,) = re.findall(r"^COPY (.+) \S+$", DOCKERFILE, re.MULTILINE)
    allowed = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    assert allowed == ["*", *(f"!{name}" for name in copied.split())]


def test_the_devcontainer_runs_what_the_makefile_has() -> None:
    described = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text("utf-8"))
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    make, *wanted = described["postCreateCommand"].split()
    assert make == "make"
    assert set(wanted) <= set(targets)


def test_the_formula_names_the_archive_and_its_digest(tmp_path: Path) -> None:
    archive = tmp_path / "memlsp-1.2.3.tar.gz"
    archive.write_bytes(b"source")
    text = formula((ROOT / TEMPLATE).read_text("utf-8"), archive, "1.2.3")
    assert "/releases/download/v1.2.3/memlsp-1.2.3.tar.gz" in text
    assert re.search(r'sha256 "[0-9a-f]{64}"', text)
    if shutil.which("ruby"):
        (tmp_path / "memlsp.rb").write_text(text, "utf-8")
        assert "OK" in subprocess.check_output(["ruby", "-c", str(tmp_path / "memlsp.rb")], encoding="utf-8")


@pytest.mark.parametrize(
    "form", sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("[!c]*.yml")), ids=lambda form: form.stem
)
def test_a_form_for_issues_has_what_github_asks_of_it(form: Path) -> None:
    read = yaml.safe_load(form.read_text("utf-8"))
    assert read["name"]
    assert read["description"]
    fields = [each for each in read["body"] if each["type"] in {"textarea", "input", "dropdown"}]
    assert len({each["id"] for each in fields}) == len(read["body"])
    assert all(each["attributes"]["label"] for each in fields)
