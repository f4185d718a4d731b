"""`memlsp check`: a sentence that was true and is not any more is told, everything else stays quiet."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from memlsp.beliefs.contradiction.contradiction import Contradiction, contradiction_between
from memlsp.memory.check import rule_pairs
from memlsp.memory.check.repository_check import CheckReport, check_repository
from memlsp.model.check import CheckRule, StatementFinding
from memlsp.model.errors import BadValue, Refused

Files = dict[str, str | None]

BASE: Files = {
    "AGENTS.md": """# Guide

- The client lives in `src/client.py`; start reading at `src/client.py:2`.
- `fetch` gives up after `MAX_TRIES` = 5 attempts.
- Run `make lint` before you push, and `npm run build` for the page.
- Python 3.11 or later.
- There are 2 workers in `src/workers/`.
- Never create `src/helpers.py`.
- Read `path/to/your/file.py` first.

| what | where |
|---|---|
| settings | `src/settings.py` |
""",
    "src/client.py": "# the client\nMAX_TRIES = 5\n\n\ndef fetch(url):\n    for _ in range(MAX_TRIES):\n        pass\n",
    "src/settings.py": "DEBUG = False\nLEVEL = 'info'\nNAME = 'shop'\n",
    "src/workers/mail.py": "def send():\n    return 1\n",
    "src/workers/sms.py": "def send():\n    return 2\n",
    "Makefile": "lint:\n\truff check\n",
    "package.json": '{"scripts": {"build": "vite build"}}\n',
    "pyproject.toml": '[project]\nname = "shop"\nrequires-python = ">=3.11"\n',
}


class Repository:
    """A git repository that commits whole states."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir()
        self.git("init", "-q", "-b", "main")

    def git(self, *words: str) -> str:
        who = ["-c", "user.name=A", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]
        done = subprocess.run(["git", "-C", self.root, *who, *words], check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def write(self, files: Files) -> None:
        for name, text in files.items():
            path = self.root / name
            if text is None:
                path.unlink()
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)

    def commit(self, files: Files) -> str:
        self.write(files)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "work")
        return self.git("rev-parse", "HEAD")

    def check(self, **how: str | bool) -> CheckReport:
        return check_repository(self.root, **how)  # pyright: ignore[reportArgumentType]


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "shop")
    made.commit(BASE)
    made.git("checkout", "-q", "-b", "work")
    return made


def only(report: CheckReport) -> StatementFinding:
    (found,) = report.findings
    return found


CHANGES: dict[str, tuple[Files, CheckRule, int, str]] = {
    "a file that moved": (
        {"src/settings.py": None, "src/config/settings.py": BASE["src/settings.py"]},
        CheckRule.PATH_MOVED,
        13,
        "src/config/settings.py",
    ),
    "a file that is gone": ({"src/settings.py": None}, CheckRule.PATH_GONE, 13, ""),
    "a line that moved": (
        {"src/client.py": "# the client\nimport time\n\n" + str(BASE["src/client.py"]).partition("\n")[2]},
        CheckRule.LINE_MOVED,
        3,
        "src/client.py:4",
    ),
    "a constant": ({"src/client.py": str(BASE["src/client.py"]).replace("5", "9")}, CheckRule.VALUE_CHANGED, 4, "9"),
    "a target": ({"Makefile": "check:\n\truff check\n"}, CheckRule.COMMAND_GONE, 5, ""),
    "a script": ({"package.json": '{"scripts": {"bundle": "vite build"}}\n'}, CheckRule.COMMAND_GONE, 5, ""),
    "a version in the settings": (
        {"pyproject.toml": str(BASE["pyproject.toml"]).replace("3.11", "3.12")},
        CheckRule.VALUE_CHANGED,
        6,
        "3.12",
    ),
    "a count": ({"src/workers/push.py": "def send():\n    return 3\n"}, CheckRule.COUNT_CHANGED, 7, "3"),
}


@pytest.mark.parametrize("change", CHANGES, ids=str)
def test_what_a_branch_makes_false_is_told_at_its_line(repository: Repository, change: str) -> None:
    files, rule, line, replacement = CHANGES[change]
    before = repository.git("rev-parse", "HEAD")
    repository.commit(files)
    found = only(CheckReport(tuple(f for f in repository.check(base="main").findings if f.line == line), 0, 0))
    assert (found.rule, found.path, found.replacement, found.held_at) == (rule, "AGENTS.md", replacement, before)
    assert found.statement == str(BASE["AGENTS.md"]).split("\n")[line - 1].strip()


@pytest.mark.parametrize("change", CHANGES, ids=str)
def test_the_same_is_told_of_files_on_disk_and_of_what_is_staged(repository: Repository, change: str) -> None:
    files, rule, line, _ = CHANGES[change]
    repository.write(files)
    assert (rule, line) in {(each.rule, each.line) for each in repository.check().findings}
    assert repository.check(staged=True).findings == ()
    repository.git("add", "-A")
    assert (rule, line) in {(each.rule, each.line) for each in repository.check(staged=True).findings}


def test_a_check_writes_nothing_into_git(repository: Repository) -> None:
    repository.write({"src/settings.py": "DEBUG = True\n", "new.txt": "new\n"})
    objects = repository.root / ".git" / "objects"
    before = sorted(path.name for path in objects.rglob("*"))
    repository.check()
    repository.check(base="main")
    assert sorted(path.name for path in objects.rglob("*")) == before


@pytest.mark.parametrize(
    "files",
    [
        pytest.param({"src/client.py": f"{BASE['src/client.py']}\n\ndef other():\n    return 5\n"}, id="what stands"),
        pytest.param({"AGENTS.md": "# Guide\n\nNothing.\n", "src/settings.py": None}, id="a sentence that went too"),
        pytest.param({"docs/new.md": "See `src/nothing.py`.\n"}, id="a new document"),
        pytest.param({"src/helpers.py": "X = 1\n"}, id="what is forbidden"),
    ],
)
def test_everything_else_is_quiet(repository: Repository, files: Files) -> None:
    repository.commit(files)
    assert repository.check(base="main").findings == ()


def test_what_never_held_is_never_told(repository: Repository) -> None:
    repository.commit({"AGENTS.md": "# Guide\n\nSee `src/nowhere.py`, `make fly` and `no_such_name`.\n"})
    repository.commit({"src/settings.py": None})
    assert repository.check().findings == ()


def test_a_line_is_held_against_the_commit_that_brought_it_also_when_the_file_was_renamed(
    repository: Repository,
) -> None:
    brought = repository.git("rev-parse", "HEAD")
    repository.commit({"AGENTS.md": None, "CLAUDE.md": BASE["AGENTS.md"]})
    repository.commit({"src/settings.py": None})
    found = only(repository.check())
    assert (found.path, found.rule, found.held_at) == ("CLAUDE.md", CheckRule.PATH_GONE, brought)


def test_a_typo_that_is_mended_does_not_make_a_line_young(repository: Repository) -> None:
    repository.commit({"src/settings.py": None})
    repository.commit({"AGENTS.md": str(BASE["AGENTS.md"]).replace("| settings |", "| Settings |")})
    assert only(repository.check()).line == 13


def test_a_path_that_was_gone_before_it_was_written_is_told_for_it_once_was(repository: Repository) -> None:
    repository.commit({"src/settings.py": None, "AGENTS.md": "# Guide\n"})
    repository.commit({"AGENTS.md": "# Guide\n\nSettings are in `src/settings.py`.\n"})
    assert only(repository.check()).rule is CheckRule.PATH_GONE


def test_a_document_of_the_past_and_generated_files_are_left_out(repository: Repository) -> None:
    repository.commit(
        {
            "docs/adr/0001-x.md": "# Use x\n\nStatus: superseded by 0002\n\n## Decision\n\nSee `src/settings.py`.\n",
            ".gitignore": "src/settings.py\n",
        }
    )
    repository.git("rm", "-q", "--cached", "src/settings.py")
    repository.commit({})
    assert repository.check(base="main").findings == ()


def test_a_base_that_is_not_there_is_an_error_and_never_green(repository: Repository) -> None:
    with pytest.raises(BadValue, match="no commit 'no-such-branch'"):
        repository.check(base="no-such-branch")
    apart = repository.git("commit-tree", repository.git("write-tree"), "-m", "with no parent")
    with pytest.raises(Refused, match="no commit in common"):
        repository.check(base=apart)


def test_a_merge_under_way_is_told_where_it_is_asked_what_is_staged(repository: Repository) -> None:
    repository.commit({"src/settings.py": "DEBUG = 1\n"})
    repository.git("checkout", "-q", "main")
    repository.commit({"src/settings.py": "DEBUG = 2\n"})
    with pytest.raises(subprocess.CalledProcessError):
        repository.git("merge", "work")
    with pytest.raises(Refused, match="what is staged cannot be read"):
        repository.check(staged=True)
    assert repository.check().findings == ()


def test_new_words_are_offered_only_where_they_fit_what_stands_there(repository: Repository) -> None:
    drawn, imported = "```\nsrc/\n├── settings.py\n```\n", "```python\nfrom src.settings import LEVEL\n```\n"
    guide = f"{drawn}\nSee `src/settings.py:2`.\n\n{imported}"
    repository.commit({"AGENTS.md": guide})
    repository.commit({"src/settings.py": None, "src/config.py": BASE["src/settings.py"]})
    offered = {each.line: each.replacement for each in repository.check().findings}
    assert offered == {3: "", 6: "src/config.py:2", 9: ""}


def test_paths_are_those_of_the_folder_that_asks(repository: Repository) -> None:
    repository.commit({"src/AGENTS.md": "Settings: `settings.py`\n"})
    repository.commit({"src/settings.py": None})
    found = check_repository(repository.root / "src", paths=["AGENTS.md"]).findings
    assert [each.path for each in found] == ["src/AGENTS.md"]


def test_rules_are_compared_for_the_documents_that_are_asked_about_alone(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared: list[str] = []

    def remembered(one: str, other: str, *, special: bool, same_place: bool) -> Contradiction | None:
        compared.append(other)
        return contradiction_between(one, other, special=special, same_place=same_place)

    monkeypatch.setattr(rule_pairs, "contradiction_between", remembered)
    rules = {
        "AGENTS.md": "Sign every commit.",
        "CLAUDE.md": "Use pytest for tests.",
        "GEMINI.md": "Use unittest for tests.",
    }
    repository.commit({path: f"- {rule}\n" for path, rule in rules.items()})
    told = {path: check_repository(repository.root, paths=[path]).findings for path in ("CLAUDE.md", "GEMINI.md")}
    assert told["CLAUDE.md"] == ()
    assert [each.rule for each in told["GEMINI.md"]] == [CheckRule.RULE_CONFLICT]
    assert compared == [rules["CLAUDE.md"], rules["GEMINI.md"], rules["GEMINI.md"]]


def test_a_folder_without_git_or_commits_is_told_so(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="no git repository"):
        check_repository(tmp_path)
    subprocess.run(["git", "-C", tmp_path, "init", "-q"], check=True)
    with pytest.raises(Refused, match="no commit yet"):
        check_repository(tmp_path)


def test_hostile_documents_are_read_in_time(repository: Repository) -> None:
    """Deep trees, long lines, broken text, and links that lead out."""
    hostile = "\n".join(
        [
            "# x",
            "`" * 5_000,
            "(" * 1_900,
            "│   " * 400 + "├── x",
            "a/" * 900 + "b.py",
            "npm" + " -a" * 600,
            "[x](../../../etc/passwd) `../../../../etc/passwd:1`",
            "`" + "a.b(" * 400 + "`",
            "\x00\ufffd `\x00.py`",
        ]
    )
    repository.commit({"AGENTS.md": hostile})
    assert repository.check().findings == ()


@pytest.mark.parametrize("ignore", [".gitignore", "docs/.gitignore"])
def test_what_a_build_makes_is_not_missed(repository: Repository, ignore: str) -> None:
    repository.commit(
        {"CLAUDE.md": "- Read `docs/rules/index.md`.\n", "docs/rules/index.md": "x\n", "docs/a.txt": "a\n"}
    )
    rule = "docs/rules/\n" if ignore == ".gitignore" else "/rules/\n"
    repository.commit({"docs/rules/index.md": None, ignore: rule})
    assert not [each for each in repository.check().findings if each.path == "CLAUDE.md"]
    repository.commit({ignore: "nothing\n"})
    assert [each.rule for each in repository.check().findings if each.path == "CLAUDE.md"] == [CheckRule.PATH_GONE]


@pytest.mark.parametrize(
    "line",
    ["Layers run in this order: auth, then cache and log.", "- `auth` \u2192 `cache` \u2192 `log` is the way in."],
)
def test_an_order_that_a_line_gives_is_held_against_the_list(repository: Repository, line: str) -> None:
    repository.commit({"AGENTS.md": f"# Guide\n\n{line}\n", "src/app.py": "LAYERS = [auth, cache, log]\n"})
    repository.git("branch", "-f", "main", "HEAD")
    repository.commit({"src/app.py": "LAYERS = [auth, cache, log, trace]\n"})
    assert repository.check(base="main").findings == ()
    repository.commit({"src/app.py": "LAYERS = [cache, auth, log]\n"})
    told = only(repository.check(base="main"))
    assert (told.rule, told.line, told.message) == (CheckRule.VALUE_CHANGED, 3, "src/app.py has cache, auth, log now")
