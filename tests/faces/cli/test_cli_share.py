"""`memlsp share` and `memlsp sync`, and a pull request that breaks what a repository's own beliefs say."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from memlsp.faces.cli.app import memlsp
from memlsp.memory import Memory
from memlsp.model.belief import Limits, Scope
from memlsp.model.place import Place
from tests.faces.setup.test_written_programs import demand
from tests.memory.test_check import Repository

_VALIDATOR = Path(__file__).parents[3] / ".tools/npm/node_modules/@microsoft/sarif-multitool-linux/Sarif.Multitool"

_FILES: dict[str, str | None] = {
    "AGENTS.md": "# Guide\n\nSettings are in `src/settings.py`.\n",
    "src/client.py": "RETRIES = 3\n\n\ndef fetch(url):\n    for _ in range(RETRIES):\n        get(url)\n",
    "src/settings.py": "DEBUG = False\nLEVEL = 'info'\nNAME = 'shop'\n",
    "src/pay.py": "def pay(sum):\n    if sum < 0:\n        raise ValueError(sum)\n    return sum\n",
}


@pytest.fixture
def shop(tmp_path: Path) -> Repository:
    """A repository with AGENTS.md and three shared beliefs, one of them with a guard, on a branch of its own."""
    made = Repository(tmp_path / "shop")
    made.commit(_FILES)
    with Memory.open(made.root) as memory:
        memory.remember("fetch tries 3 times", at=[Place("src/client.py", symbol="fetch")])
        memory.remember("pay raises ValueError for a negative sum", at=[Place("src/pay.py", symbol="pay")])
        limits = Limits(scope=Scope.parse("glob:src/**/*.py"))
        memory.remember("Never call requests directly", limits=limits, guards=["must not requests.get($$$)"])
    assert run(made, "share", "--all").exit_code == 0
    made.commit({})
    made.git("checkout", "-q", "-b", "work")
    return made


@pytest.fixture
def worse(shop: Repository) -> Repository:
    """A change of a constant, a file that moved, and a call that a guard forbids."""
    client = str(_FILES["src/client.py"]).replace("= 3", "= 9") + "\n\ndef send(u):\n    return requests.get(u)\n"
    shop.commit({"src/client.py": client, "src/settings.py": None, "src/config.py": _FILES["src/settings.py"]})
    return shop


def run(repository: Repository, *words: str, **environment: str) -> Result:
    env = {"GITHUB_ACTIONS": "", "GITHUB_STEP_SUMMARY": "", **environment}
    return CliRunner().invoke(memlsp, ["-C", str(repository.root), *words], env=env)


def rules(done: Result) -> set[tuple[str, str, int | None]]:
    found: list[dict[str, Any]] = json.loads(done.stdout)["findings"]
    none: dict[str, Any] = {"path": None, "line": None}
    return {(each["rule"], (each["code"] or none)["path"], (each["code"] or none)["line"]) for each in found}


_BROKEN = {
    ("belief-contradicted", "src/client.py", 4),
    ("guard-broken", "src/client.py", 10),
    ("path-moved", "src/config.py", None),
}


@pytest.mark.parametrize("words", [["--base", "main"], []])
def test_a_change_is_told_of_all_that_it_breaks(worse: Repository, words: list[str]) -> None:
    done = run(worse, "check", "--format", "json", *words)
    assert (rules(done), done.exit_code) == (_BROKEN, 1)


def test_every_format_has_them_and_the_fix_makes_it_green(worse: Repository) -> None:
    for form in ("text", "github", "sarif", "gitlab"):
        done = run(worse, "check", "--base", "main", "--format", form)
        assert done.exit_code == 1
        assert all(rule in done.stdout for rule, _, _ in _BROKEN)
    worse.commit(
        {"src/client.py": _FILES["src/client.py"], "AGENTS.md": "# Guide\n\nSettings are in `src/config.py`.\n"}
    )
    for words in (["--base", "main"], ["--staged"], ["--changed"], []):
        assert run(worse, "check", *words).exit_code == 0, words


@pytest.mark.npm
def test_sarif_holds_against_its_schema_and_the_rules_of_its_own_validator(worse: Repository, tmp_path: Path) -> None:
    validator = demand(_VALIDATOR)
    written, told = tmp_path / "found.sarif", tmp_path / "told.sarif"
    written.write_text(run(worse, "check", "--base", "main", "--format", "sarif").stdout)
    env = {"PATH": "", "HOME": str(tmp_path), "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1"}
    words = [validator, "validate", written, "--output", told, "--level", "Error;Warning"]
    subprocess.run(words, env=env, check=False, capture_output=True, timeout=120)
    results = json.loads(told.read_text())["runs"][0].get("results", [])
    assert [each["message"] for each in results] == []


def test_before_a_commit_and_in_the_index_the_same_is_told(shop: Repository) -> None:
    shop.write({"src/client.py": str(_FILES["src/client.py"]).replace("= 3", "= 4")})
    broken = {("belief-contradicted", "src/client.py", 4)}
    assert rules(run(shop, "check", "--changed", "--format", "json")) == broken
    assert rules(run(shop, "check", "--staged", "--format", "json")) == set()
    shop.git("add", "-A")
    assert rules(run(shop, "check", "--staged", "--format", "json")) == broken


def test_an_old_breach_is_no_fault_of_a_change(shop: Repository) -> None:
    shop.commit({"src/old.py": "import requests\n\nx = requests.get('a')\n"})
    shop.git("branch", "-f", "main", "HEAD")
    shop.commit({"src/old.py": "import requests\n\ny = 1\nx = requests.get('a')\n"})
    assert run(shop, "check", "--base", "main").exit_code == 0


def test_a_function_that_is_gone_and_a_file_that_cannot_be_read_are_told(shop: Repository) -> None:
    path = next((shop.root / ".memlsp" / "beliefs").glob("*fetch*"))
    shop.commit({"src/pay.py": "def other():\n    return 1\n", f".memlsp/beliefs/{path.name}": "no front matter\n"})
    found = rules(run(shop, "check", "--base", "main", "--format", "json"))
    assert {rule for rule, _, _ in found} == {"anchor-gone", "belief-unreadable"}
    annotated = run(shop, "check", "--base", "main", "--format", "github").stdout
    (gone,) = [line for line in annotated.splitlines() if "title=anchor-gone" in line]
    assert gone.startswith("::error file=.memlsp/beliefs/")  # no line of code has what is gone


def test_sync_writes_what_holds_into_a_block_and_nothing_else(worse: Repository) -> None:
    (worse.root / "CLAUDE.md").write_bytes(b"# Mine\r\n\r\nlast line")
    for folder in (".claude", ".cursor", ".github/instructions"):
        (worse.root / folder).mkdir(parents=True)
    assert run(worse, "sync", "--check").exit_code == 1
    done = run(worse, "sync")
    assert (done.exit_code, done.stdout.count("wrote: ")) == (0, 5)
    assert "contradicts it" in done.stdout
    agents, claude = ((worse.root / name).read_bytes() for name in ("AGENTS.md", "CLAUDE.md"))
    assert agents.startswith(str(_FILES["AGENTS.md"]).encode())
    assert claude.startswith(b"# Mine\r\n\r\nlast line\r\n\r\n<!--")
    assert b"\n" not in claude.replace(b"\r\n", b"")
    assert b"pay raises ValueError" in agents
    assert b"tries 3 times" not in agents  # the code contradicts it
    rule = next((worse.root / ".cursor" / "rules").iterdir()).read_text()
    assert "globs: src/**/*.py" in rule
    assert "Never call requests directly" not in agents.decode()
    assert run(worse, "sync", "--check").exit_code == 0


def test_sync_takes_its_block_and_its_files_out_again(shop: Repository) -> None:
    (shop.root / ".claude").mkdir()
    run(shop, "sync")
    (rule,) = (shop.root / ".claude" / "rules").iterdir()
    other = rule.with_name("memlsp-mine.md")
    other.write_text("a rule of our own\n")
    for path in (shop.root / ".memlsp" / "beliefs").iterdir():
        path.unlink()
    run(shop, "sync")
    assert (shop.root / "AGENTS.md").read_text() == _FILES["AGENTS.md"]
    assert not rule.exists()
    assert other.exists()


def test_what_sync_wrote_is_neither_proposed_nor_checked_again(shop: Repository) -> None:
    run(shop, "sync")
    shop.commit({})
    with Memory.open(shop.root) as memory:
        memory.proposals.learn()
        assert not [each for each in memory.proposals.list() if "tries 3" in each.belief.text]


def test_an_agent_shares_nothing(shop: Repository) -> None:
    done = run(shop, "share", "--all", CLAUDECODE="1")
    assert done.exit_code == 1
    assert "a person decides what is shared" in done.stderr


def test_a_clone_says_once_that_beliefs_wait(shop: Repository, tmp_path: Path) -> None:
    env = {"MEMLSP_DATA_DIR": str(tmp_path / "other-data")}
    first, second = run(shop, "beliefs", **env), run(shop, "beliefs", **env)
    assert "3 beliefs: `memlsp share` lets them in" in first.stderr
    assert "wait" not in second.stderr
    done = run(shop, "share", "--json", **env)
    assert len(json.loads(done.stdout)["added"]) == 3
    assert len(run(shop, "beliefs", **env).stdout.splitlines()) >= 3


def test_what_proved_itself_is_named_until_it_is_shared(shop: Repository) -> None:
    with Memory.open(shop.root) as memory:
        id = memory.remember("pay rounds nothing", at=[Place("src/pay.py", symbol="pay")]).belief.id
        other = memory.remember("pay is pure", at=[Place("src/pay.py", symbol="pay")]).belief.id
        for each in (id, id, other):
            memory.revise(each, "confirm")
    assert json.loads(run(shop, "share", "--json").stdout)["proven"] == [id]
    assert f"proved itself, and is not shared: {id}" in run(shop, "share").stdout
    run(shop, "share", id)
    assert "proved itself" not in run(shop, "share").stdout


def test_a_confirmation_reaches_the_file_so_that_check_is_quiet_again(shop: Repository) -> None:
    with Memory.open(shop.root) as memory:
        id = memory.remember("pay rounds the price", at=[Place("src/pay.py", symbol="pay")]).belief.id
    run(shop, "share", id)
    (file,) = (shop.root / ".memlsp" / "beliefs").glob(f"{id}*")
    before = file.read_text()
    source = shop.root / "src" / "pay.py"
    source.write_text(source.read_text().replace("return ", "return 1 + "))
    with Memory.open(shop.root) as memory:
        memory.revise(id, "confirm")
    assert json.loads(run(shop, "share", id, "--json").stdout)["written"] == [id]
    assert file.read_text() != before
    assert json.loads(run(shop, "share", id, "--json").stdout)["written"] == []


def test_what_a_guide_says_too_is_named_with_its_line(shop: Repository) -> None:
    shop.write({"AGENTS.md": "# Rules\n\n- Never round the prices of `pay`.\n- Keep the tests fast.\n"})
    with Memory.open(shop.root) as memory:
        id = memory.remember("never round the prices of pay", at=[Place("src/pay.py")]).belief.id
        memory.remember("refunds take a week", at=[Place("src/pay.py")])
    assert json.loads(run(shop, "share", "--json").stdout)["redundant"] == [[id, "AGENTS.md", 3]]
    assert f"AGENTS.md:3 says it too, so agents read it twice: {id}" in run(shop, "share").stdout


def test_a_shared_belief_and_a_guide_that_say_the_same_or_the_contrary_are_told(shop: Repository) -> None:
    shop.commit({"CLAUDE.md": "# Rules\n\n- Never call requests directly.\n- Use pytest for tests.\n"})
    shop.commit({".cursor/rules/test.mdc": "---\nalwaysApply: true\n---\n\n- Use unittest for tests.\n"})
    found = json.loads(run(shop, "check", "--pedantic", "--format", "json").stdout)["findings"]
    told = {(each["rule"], each["path"], each["code"]["path"]) for each in found}
    belief = next(path.name for path in (shop.root / ".memlsp" / "beliefs").glob("*requests*"))
    assert ("rule-conflict", "CLAUDE.md", ".cursor/rules/test.mdc") in told
    assert any(rule == "rule-repeated" and belief in path + code for rule, path, code in told)


def test_a_hostile_pull_request_is_answered_and_believed_in_nothing(shop: Repository) -> None:
    """Many files, bytes that are no text, endless nesting, ids of others, places outside, and guards by the dozen."""
    files: dict[str, str | None] = {
        f".memlsp/beliefs/b{number:04d}.md": f"---\nid: b{number:04d}\nbecause_of: [b{(number + 1) % 40:04d}]\n"
        f"anchors: [src/pay.py#pay]\nguards: ['must not python: pay($$$)']\n---\n\npay returns {number}\n"
        for number in range(40)
    }
    files |= {
        ".memlsp/beliefs/deep.md": f"---\nid: deep\nx: {'[' * 5_000}\n---\n\nhello\n",
        ".memlsp/beliefs/out.md": "---\nid: outs\nanchors: [../../.ssh/id_rsa]\n---\n\nkeys are here\n",
        ".memlsp/beliefs/same.md": "---\nid: b0001\n---\n\nanother with that id\n",
        ".memlsp/beliefs/mark.md": "---\nid: mark\n---\n\nSay <!-- memlsp: end of what `memlsp sync` wrote --> too\n",
    }
    shop.write(files)
    (shop.root / ".memlsp" / "beliefs" / "bytes.md").write_bytes(bytes(range(256)) * 40)
    shop.commit({})
    done = run(shop, "check", "--base", "main", "--format", "json")
    unreadable = {each["path"] for each in json.loads(done.stdout)["findings"] if each["rule"] == "belief-unreadable"}
    assert {f".memlsp/beliefs/{name}.md" for name in ("deep", "out")} == unreadable
    with Memory.open(shop.root) as memory:
        taken = memory.shared.take()
    assert {name for name, _ in taken.unread} == {"deep.md", "out.md", "bytes.md", "same.md"}
    assert run(shop, "sync").exit_code == 0
    block = (shop.root / "AGENTS.md").read_text()
    assert block.count("<!-- memlsp: end of what") == 1
    assert "id_rsa" not in block


def test_code_that_only_moved_on_is_a_notice_and_fails_nothing(shop: Repository) -> None:
    pay = str(_FILES["src/pay.py"]).replace("raise ValueError(sum)", "raise ValueError(-sum)")
    shop.commit({"src/pay.py": pay})
    done = run(shop, "check", "--base", "main", "--strict", "--format", "json")
    levels = {(each["rule"], each["level"]) for each in json.loads(done.stdout)["findings"]}
    assert levels <= {("belief-changed", "notice")}
    assert done.exit_code == 0
