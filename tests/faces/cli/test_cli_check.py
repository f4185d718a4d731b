"""`memlsp check`: what people and other programs read of it, and how it ends."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from memlsp.faces.cli.app import memlsp
from memlsp.model.check import CheckRule
from tests.memory.test_check import BASE, CHANGES, Repository


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "shop")
    made.commit(BASE)
    made.git("checkout", "-q", "-b", "work")
    return made


@pytest.fixture
def worse(repository: Repository) -> Repository:
    """A branch that changes a constant and moves a file."""
    for change in ("a constant", "a file that moved"):
        repository.commit(CHANGES[change][0])
    return repository


def run(repository: Repository, *words: str, **environment: str) -> Result:
    env = {"GITHUB_ACTIONS": "", "GITHUB_STEP_SUMMARY": "", **environment}
    return CliRunner().invoke(memlsp, ["-C", str(repository.root), "check", *words], env=env)


def sarif_of(done: Result) -> dict[str, Any]:
    return json.loads(done.stdout)["runs"][0]


def test_a_person_reads_the_line_what_is_so_now_and_since_when_it_is_not(worse: Repository) -> None:
    done = run(worse, "--base", "main")
    assert done.exit_code == 1
    assert "AGENTS.md\n" in done.stdout
    told = "  4:40  value-changed  src/client.py says “MAX_TRIES = 9” now, not 5 (src/client.py:2) (held at"
    assert told in done.stdout
    assert "`src/settings.py` is named, and is src/config/settings.py now" in done.stdout
    assert done.stdout.endswith("1 false and 1 to look at; 6 lines of 1 document read.\n")


def test_green_when_nothing_is_false_and_again_after_the_fix(worse: Repository) -> None:
    worse.commit(
        {
            "AGENTS.md": str(BASE["AGENTS.md"])
            .replace("src/settings.py", "src/config/settings.py")
            .replace("MAX_TRIES` = 5", "MAX_TRIES` = 9")
        }
    )
    for words in (["--base", "main"], ["--staged"], []):
        done = run(worse, *words)
        assert (done.exit_code, done.stdout[:12]) == (0, "Nothing that")


def test_what_only_moved_fails_where_it_is_strict(repository: Repository) -> None:
    repository.commit(CHANGES["a file that moved"][0])
    assert run(repository, "--base", "main").exit_code == 0
    assert run(repository, "--base", "main", "--strict").exit_code == 1


def test_json_has_every_field(worse: Repository) -> None:
    read = json.loads(run(worse, "--base", "main", "--format", "json").stdout)
    value, moved = sorted(read["findings"], key=lambda each: each["line"])
    base = worse.git("rev-parse", "main")
    assert (read["old"], read["new"], read["documents"]) == (base, worse.git("rev-parse", "HEAD"), 1)
    assert value == {
        "rule": "value-changed",
        "level": "error",
        "path": "AGENTS.md",
        "line": 4,
        "column": 40,
        "end_column": 41,
        "statement": "- `fetch` gives up after `MAX_TRIES` = 5 attempts.",
        "message": "src/client.py says “MAX_TRIES = 9” now, not 5",
        "replacement": "9",
        "code": {"path": "src/client.py", "line": 2},
        "held_at": base,
    }
    assert (moved["level"], moved["code"]) == ("warning", {"path": "src/config/settings.py", "line": None})


def test_sarif_points_at_the_code_that_broke_the_statement(worse: Repository) -> None:
    run_ = sarif_of(run(worse, "--base", "main", "--format", "sarif"))
    rules = run_["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == [rule.value for rule in CheckRule]
    assert all(rule["help"]["markdown"] and rule["shortDescription"]["text"] for rule in rules)
    value = next(each for each in run_["results"] if each["ruleId"] == "value-changed")
    place = value["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]) == ("src/client.py", {"startLine": 2})
    (said,) = value["relatedLocations"]
    assert said["physicalLocation"]["artifactLocation"]["uri"] == "AGENTS.md"
    assert rules[value["ruleIndex"]]["id"] == value["ruleId"]


def test_a_fingerprint_is_the_same_when_the_statement_moves_to_another_line(worse: Repository) -> None:
    def marks() -> set[str]:
        results = sarif_of(run(worse, "--format", "sarif"))["results"]
        return {each["partialFingerprints"]["primaryLocationLineHash"] for each in results}

    before = marks()
    worse.commit({"AGENTS.md": "intro\n\n" + str(BASE["AGENTS.md"])})
    assert marks() == before
    assert len(before) == 2


def test_github_has_annotations_ten_of_a_kind_and_a_summary(repository: Repository, tmp_path: Path) -> None:
    lines = "".join(f"- `src/f{n}.py` has, 100 %: a, b\n" for n in range(12))
    repository.commit({"CLAUDE.md": lines, **{f"src/f{n}.py": f"x = {n}\n" for n in range(12)}})
    repository.git("branch", "-f", "main")
    repository.commit({f"src/f{n}.py": None for n in range(12)})
    summary = tmp_path / "summary.md"
    done = run(repository, "--base", "main", GITHUB_ACTIONS="true", GITHUB_STEP_SUMMARY=str(summary))
    told = [line for line in done.stdout.splitlines() if line.startswith("::")]
    assert len(told) == 10
    assert told[0] == "::error file=CLAUDE.md,line=1,col=4,title=path-gone::`src/f0.py` is named, and src/f0.py is gone"
    assert summary.read_text().count("| CLAUDE.md:") == 12


def test_gitlab_has_a_report_of_code_quality(worse: Repository) -> None:
    read = json.loads(run(worse, "--base", "main", "--format", "gitlab").stdout)
    assert {each["severity"] for each in read} == {"major", "minor"}
    assert len({each["fingerprint"] for each in read}) == 2
    assert read[0]["location"] == {"path": "AGENTS.md", "lines": {"begin": 4}}


def test_text_of_a_document_cannot_command_the_workflow(repository: Repository) -> None:
    repository.commit({"CLAUDE.md": "- `src/client.py` %0A::error::x [a](b) <b>|\n"})
    repository.git("branch", "-f", "main")
    repository.commit({"src/client.py": None})
    done = run(repository, "--base", "main", "--format", "github")
    assert not any(line.startswith("::error::") for line in done.stdout.splitlines())


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["--base", "nowhere"], 2, "there is no commit 'nowhere' here"),
        (["--base", "main", "--staged"], 2, "three questions"),
        (["--format", "xml"], 2, "is not one of"),
    ],
)
def test_a_question_that_cannot_be_answered_ends_with_two(
    repository: Repository, words: list[str], status: int, said: str
) -> None:
    done = run(repository, *words)
    assert done.exit_code == status
    assert said in done.stderr


def test_a_shallow_clone_without_the_base_says_how_to_fetch_it(worse: Repository, tmp_path: Path) -> None:
    clone = Repository(tmp_path / "clone")
    clone.git("fetch", "-q", "--depth", "1", f"file://{worse.root}", "work", "main:refs/remotes/origin/main")
    clone.git("checkout", "-q", "-b", "work", "FETCH_HEAD")
    done = run(clone, "--base", "origin/main")
    assert done.exit_code == 2
    assert "git fetch --unshallow" in done.stderr


def test_paths_limit_the_documents(worse: Repository) -> None:
    assert run(worse, "docs").exit_code == 0
    assert run(worse, "AGENTS.md").exit_code == 1
