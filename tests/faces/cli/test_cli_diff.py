"""`memlsp diff` as people and scripts meet it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from command_run import Run, parsed
from project import Project

from memlsp.faces.cli.app import memlsp


def test_nothing_changed_is_said(run: Run) -> None:
    assert run("diff").stdout == "nothing changed\n"


def test_a_changed_constant_stands_under_its_file_with_both_values(run: Run, project: Project) -> None:
    project.replace("pricing/rates.py", "0.20", "0.25")
    assert "pricing/rates.py\n  `RATE` went from 0.2 to 0.25.\n" in run("diff").stdout


def test_the_belief_that_a_change_breaks_stands_at_what_broke_it(run: Run, project: Project) -> None:
    text = "compute_tax applies the default 20 % rate"
    id = run("remember", text, "--at", "pricing/tax.py#compute_tax").stdout.strip()
    project.replace("pricing/rates.py", "0.20", "0.25")
    shown = run("diff").stdout
    assert f"contradicts fact {id[:8]}: {text}" in shown
    (file,) = run.json("diff")["files"]
    (change,) = file["changes"]
    assert [(belief["id"], belief["standing"]) for belief in change["beliefs"]] == [(id, "contradicted")]


def test_two_commits_say_nothing_of_beliefs(run: Run, project: Project) -> None:
    run("remember", "compute_tax applies the default 20 % rate", "--at", "pricing/tax.py#compute_tax")
    project.replace("pricing/rates.py", "0.20", "0.25")
    project.git("commit", "-q", "-a", "-m", "Raise")
    found = run.json("diff", "HEAD~1", "HEAD")
    assert found["files"][0]["changes"][0]["beliefs"] == []
    assert len(found["old"]) == len(found["new"]) == 40


@pytest.mark.parametrize("words", [("HEAD~1", "HEAD"), ("HEAD~1..HEAD",), ("HEAD~1...HEAD",), ("HEAD^!",), ("HEAD~1",)])
def test_a_range_is_read_as_git_reads_it(run: Run, project: Project, words: tuple[str, ...]) -> None:
    project.replace("pricing/rates.py", "0.20", "0.25")
    project.git("commit", "-q", "-a", "-m", "Raise")
    assert "`RATE` went from 0.2 to 0.25." in run("diff", *words).stdout


def test_only_layout_is_one_line(run: Run, project: Project) -> None:
    project.replace("pricing/rates.py", "RATE = 0.20", "# the usual one\nRATE  =  0.20")
    assert run("diff").stdout == "1 file changed in layout, comments or notation only: pricing/rates.py\n"


def test_paths_limit_what_is_told(run: Run, project: Project) -> None:
    project.replace("pricing/rates.py", "0.20", "0.25")
    assert run("diff", "--", "client.py").stdout == "nothing changed\n"
    for path in ("pricing", "pricing/rates.py", "pricing/*.py", "."):
        assert "RATE" in run("diff", "--", path).stdout
        assert "RATE" in run("diff", "HEAD", "--", path).stdout
    assert "RATE" in run("diff", "pricing/rates.py").stdout
    assert "no such file in either state: nowhere.py" in run("diff", "--", "nowhere.py", status=1).stderr
    assert "outside of the workspace" in run("diff", "--", "../x.py", status=1).stderr


def test_staged_is_told_apart_from_what_is_on_disk(run: Run, project: Project) -> None:
    project.replace("pricing/rates.py", "0.20", "0.25")
    assert run("diff", "--staged").stdout == "nothing changed\n"
    project.git("add", "pricing/rates.py")
    project.replace("pricing/rates.py", "0.25", "0.30")
    assert "from 0.2 to 0.25" in run("diff", "--staged").stdout
    assert "from 0.2 to 0.3" in run("diff").stdout
    assert run.json("diff", "--staged")["new"] == "index"


def test_added_removed_and_renamed_files_are_told_as_such(run: Run, project: Project) -> None:
    (project.root / "fresh.py").write_text("def one():\n    return 1\n\n\nclass Two:\n    x = 1\n", "utf-8")
    shutil.move(project.root / "client.py", project.root / "caller.py")
    (project.root / "pricing/rates.py").unlink()
    shown = run("diff").stdout
    assert "fresh.py (added, 3 symbols: `one`, `Two`)\n" in shown
    assert "caller.py (renamed from client.py; nothing else changed)\n" in shown
    assert "pricing/rates.py (removed" in shown
    statuses = {file["path"]: file["status"] for file in run.json("diff")["files"]}
    assert statuses == {"fresh.py": "added", "caller.py": "renamed", "pricing/rates.py": "removed"}


def test_binary_and_generated_files_are_only_named(run: Run, project: Project) -> None:
    (project.root / "logo.png").write_bytes(b"\x89PNG\0\0")
    (project.root / "uv.lock").write_text("x = 1\n", "utf-8")
    shown = run("diff").stdout
    assert "1 binary file added: logo.png\n" in shown
    assert "1 generated file added: uv.lock\n" in shown


def test_callers_of_what_was_renamed_follow_in_one_line(run: Run, project: Project) -> None:
    (project.root / "a.py").write_text(
        "def fetch(url, tries):\n    for _ in range(tries):\n        if get(url):\n            return True\n"
        "    return False\n"
        "\n\ndef use(url):\n    return fetch(url, 3)\n",
        "utf-8",
    )
    project.git("add", "a.py")
    project.git("commit", "-q", "-m", "a")
    text = (project.root / "a.py").read_text("utf-8")
    (project.root / "a.py").write_text(text.replace("fetch", "fetch_all"), "utf-8")
    shown = run("diff").stdout
    assert "`fetch` renamed to `fetch_all`.\n" in shown
    assert "writes the new name of `fetch`: use\n" in shown


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("nonsense",), "no commit 'nonsense'"),
        (("HEAD~99",), "no commit 'HEAD~99'"),
        (("HEAD", "HEAD", "HEAD"), "two revisions can be compared"),
        (("--staged", "HEAD", "HEAD"), "what is staged is compared with one revision"),
    ],
)
def test_what_cannot_be_compared_is_one_line_and_status_1(run: Run, words: tuple[str, ...], told: str) -> None:
    result = run("diff", *words, status=1)
    assert told in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_folder_without_git_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MEMLSP_DATA_DIR", str(tmp_path / "data"))
    result = CliRunner().invoke(memlsp, ["diff"])
    assert result.exit_code == 1
    assert "no git repository holds" in result.stderr


def test_a_shallow_clone_says_that_it_is_one(run: Run, project: Project, tmp_path: Path) -> None:
    project.replace("pricing/rates.py", "0.20", "0.25")
    project.git("commit", "-q", "-a", "-m", "Raise")
    project.git("clone", "-q", "--depth", "1", f"file://{project.root}", str(tmp_path / "shallow"))
    result = CliRunner().invoke(memlsp, ["-C", str(tmp_path / "shallow"), "diff", "HEAD~1", "HEAD"])
    assert result.exit_code == 1
    assert "the clone is shallow" in result.stderr


def test_a_project_before_its_first_commit_has_only_additions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMLSP_DATA_DIR", str(tmp_path / "data"))
    root = tmp_path / "new"
    root.mkdir()
    Project(root)
    (root / "a.py").write_text("def one():\n    return 1\n", "utf-8")
    monkeypatch.chdir(root)
    result = CliRunner().invoke(memlsp, ["diff"])
    assert result.stdout == "a.py (added, 1 symbol: `one`)\n"
    assert parsed(CliRunner().invoke(memlsp, ["diff", "--json"]))["old"] is None
