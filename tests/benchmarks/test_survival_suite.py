from __future__ import annotations

import json
from pathlib import Path

import pygit2
import pytest

from benchmarks.history.survival import run_survival
from benchmarks.history.survival_oracle import clones_in, load_methods
from memlsp.model.errors import NoSuchFile

START = 1_700_000_000


def commit(folder: Path, files: dict[str, str | None], subject: str = "change") -> str:
    repository = pygit2.Repository(str(folder))
    for path, text in files.items():
        place = folder / path
        if text is None:
            place.unlink()
            repository.index.remove(path)
        else:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, "utf-8")
            repository.index.add(path)
    repository.index.write()
    parents = [] if repository.head_is_unborn else [repository.head.peel(pygit2.Commit).id]
    count = sum(1 for _ in repository.walk(parents[0])) if parents else 0
    who = pygit2.Signature("Ada", "ada@example.org", START + 60 * count, 0)
    return str(repository.create_commit("HEAD", who, who, subject, repository.index.write_tree(), parents))


def clerk(tries: int, note: str = "") -> str:
    return (
        f"class Clerk {{\n  {note}\n  int send(Letter letter) {{\n    for (int i = 0; i < {tries}; i++) {{\n"
        "      office.post(letter, stamps.take(i));\n    }\n    return office.count(letter);\n  }\n}\n"
    )


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """An oracle that speaks of one method of one repository, and of another that is not there."""
    project = tmp_path / "data" / "someone+clerk"
    pygit2.init_repository(str(project), initial_head="main")
    born = commit(project, {"Clerk.java": clerk(3)})
    told = commit(project, {"Clerk.java": clerk(3, "// says how")})
    moved = commit(project, {"Clerk.java": None, "src/Clerk.java": clerk(3, "// says how")})
    changed = commit(project, {"src/Clerk.java": clerk(9, "// says how")})
    method = {
        "repositoryName": "clerk",
        "startCommitHash": changed,
        "file": "src/Clerk.java",
        "element": "send",
        "startLine": 3,
        "endLine": 8,
        "commits": [
            {"commitHash": changed, "changeTags": ["BODY"]},
            {"commitHash": moved, "changeTags": ["FILE_MOVE"]},
            {"commitHash": told, "changeTags": ["DOCUMENTATION"]},
            {"commitHash": born, "changeTags": ["INTRODUCTION"]},
        ],
    }
    oracle = tmp_path / "data" / "SQMLab+history-finder"
    pygit2.init_repository(str(oracle), initial_head="main")
    folder = "oracle/codeshovel-oracle-updated"
    commit(
        oracle,
        {
            f"{folder}/001-clerk-Clerk-send.json": json.dumps(method),
            f"{folder}/002-gone-A-b.json": json.dumps({**method, "repositoryName": "gone"}),
        },
    )
    return tmp_path / "data"


def test_a_method_that_is_found_again_at_every_commit_scores_one(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = run_survival(data)
    assert report.score["all meaning f1"] == 1.0
    assert report.score["all all f1"] == 1.0
    assert report.score["lost"] == 0.0
    assert report.score["introduction"] == 1.0
    assert report.baselines["git log -L"]["all meaning f1"] < 1.0  # it does not follow the file
    printed = capsys.readouterr().out
    assert "Not here: gone (1)" in printed
    assert [case["stopped"] for case in report.cases] == [""]  # and the second look said the same


def test_a_commit_that_gold_does_not_have_costs_precision(data: Path) -> None:
    commit(data / "someone+clerk", {"src/Clerk.java": clerk(12)})
    path = data / "SQMLab+history-finder" / "oracle/codeshovel-oracle-updated/001-clerk-Clerk-send.json"
    content = json.loads(path.read_text("utf-8"))
    content["startCommitHash"] = str(pygit2.Repository(str(data / "someone+clerk")).head.peel(pygit2.Commit).id)
    commit(data / "SQMLab+history-finder", {str(path.relative_to(data / "SQMLab+history-finder")): json.dumps(content)})
    report = run_survival(data)
    assert report.score["all meaning p"] == 0.75
    assert report.score["all meaning r"] == 1.0


def test_what_git_said_before_is_not_asked_again(data: Path, tmp_path: Path) -> None:
    report = run_survival(data)
    (case,) = report.cases
    earlier = tmp_path / "report.json"
    earlier.write_text(json.dumps({"cases": [{**case, "git": ["0" * 40]}]}))
    again = run_survival(data, cache=earlier)
    assert again.cases[0]["git"] == ["0" * 40]
    assert again.cases[0]["told"] == case["told"]


def test_a_folder_without_oracles_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NoSuchFile, match="no oracle"):
        load_methods(tmp_path)


def test_clones_are_known_by_their_name_however_they_lie(tmp_path: Path) -> None:
    pygit2.init_repository(str(tmp_path / "plain"))
    pygit2.init_repository(str(tmp_path / "owner+named"))
    pygit2.init_repository(str(tmp_path / "team+tool" / "repo"), bare=True)
    assert {"plain", "named", "tool", "team"} <= clones_in(tmp_path).keys()
