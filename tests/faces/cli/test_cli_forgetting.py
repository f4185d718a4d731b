"""`memlsp forget` and `memlsp user`: what is shown, what is asked, what is printed."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_run import Run

TEXT = "The plumbago ledger rounds down to whole cents"


@pytest.fixture
def run(run: Run) -> Run:
    """Call memlsp in the shop's folder; a test looks at the exit status itself."""
    return Run(status=None)


def remembered(run: Run, text: str = TEXT, *more: str) -> str:
    return run("remember", text, *more).stdout.strip()


def test_it_refuses_to_forget_unasked_where_nobody_can_answer(run: Run) -> None:
    id = remembered(run)
    done = run("forget", id)
    assert done.exit_code == 1
    assert "--yes says that you are sure" in done.stderr
    assert run("belief", id).exit_code == 0


def test_a_dry_run_shows_what_would_go_and_takes_nothing(run: Run) -> None:
    id = remembered(run)
    done = run("forget", id, "--dry-run")
    assert (done.exit_code, TEXT in done.stdout) == (0, True)
    assert "would go, or lose these words: 1 belief, 1 revision" in done.stderr
    assert "nothing was taken" in done.stderr
    assert run("belief", id).exit_code == 0


def test_forgetting_prints_what_went_and_what_was_searched(run: Run) -> None:
    id = remembered(run)
    done = run("forget", id, "--yes")
    assert done.exit_code == 0, done.stderr
    assert "forgotten: 1 belief" in done.stderr
    assert "searched, nothing found (receipt 1)" in done.stderr
    assert run("belief", id).exit_code == 1
    listed = run("forget", "--receipts")
    assert "a belief: 1 belief, 1 revision" in listed.stdout
    assert "plumbago" not in listed.stdout


def test_scripts_get_json(run: Run) -> None:
    id = remembered(run)
    preview = run.json("forget", id, "--dry-run")
    assert [belief["id"] for belief in preview["beliefs"]] == [id]
    receipt = run.json("forget", id, "--yes")
    assert (receipt["removed"]["beliefs"], receipt["left"], receipt["by"]) == (1, [], "belief")
    assert run.json("forget", "--receipts") == [receipt]


@pytest.mark.parametrize("words", [(), ("bx", "--query", "plumbago"), ("--file", "a.py", "--workspace")])
def test_one_thing_is_named(run: Run, words: tuple[str, ...]) -> None:
    done = run("forget", *words)
    assert done.exit_code == 2
    assert "name one thing to forget" in done.stderr


def test_an_agent_is_told_why_it_may_not(run: Run) -> None:
    id = remembered(run)
    done = run("forget", id, "--yes", "--agent", "Claude Code")
    assert done.exit_code == 1
    assert "a person stands behind" in done.stderr
    assert "only a person" in run("forget", "--query", "plumbago", "--yes", "--agent", "Claude Code").stderr
    assert run("belief", id).exit_code == 0


def test_what_stands_in_a_copy_alone_is_taken_out_by_its_words(run: Run, tmp_path: Path) -> None:
    id = remembered(run)
    run("export", "--to", str(tmp_path / "all.jsonl"))
    before = (tmp_path / "all.jsonl").read_text()
    run("forget", id, "--yes")
    (tmp_path / "all.jsonl").write_text(before)  # as if that had been interrupted
    assert "1 copy" in run("forget", "--query", "plumbago ledger", "--yes").stderr
    assert "plumbago" not in (tmp_path / "all.jsonl").read_text()
    assert run("forget", "--query", "plumbago ledger", "--yes").exit_code == 1


def test_each_selector_reaches_its_beliefs(run: Run) -> None:
    remembered(run, TEXT, "--at", "client.py")
    assert "1 belief" in run("forget", "--query", "plumbago ledger", "--yes").stderr
    remembered(run, TEXT, "--at", "client.py")
    assert "1 belief" in run("forget", "--file", "client.py", "--yes").stderr
    remembered(run, TEXT, "--at", "client.py")
    assert "1 belief" in run("forget", "--person", "Ann Ode", "--yes").stderr
    remembered(run, TEXT, "--at", "client.py")
    assert "1 belief" in run("forget", "--workspace", "--yes").stderr
    assert run("forget", "--session", "nobody", "--yes").exit_code == 1


def test_the_users_own_beliefs_are_listed_exported_and_deleted(run: Run, tmp_path: Path) -> None:
    id = remembered(run, "I prefer plumbago returns", "--scope", "user")
    remembered(run)
    assert run("user", "list").stdout == f"{id}  preference: I prefer plumbago returns\n"
    assert [belief["id"] for belief in run.json("user", "list")] == [id]
    done = run("user", "export", str(tmp_path / "mine.jsonl"))
    assert done.exit_code == 0, done.stderr
    assert "plumbago returns" in (tmp_path / "mine.jsonl").read_text()
    assert run("user", "delete").exit_code == 1
    assert run("user", "delete", "--yes").exit_code == 0
    assert run("user", "list").stdout == ""
    assert TEXT in run("beliefs").stdout


def test_the_users_own_beliefs_are_exported_with_the_flags_of_other_exports(run: Run, tmp_path: Path) -> None:
    remembered(run, "I prefer plumbago returns", "--scope", "user")
    assert run.json("user", "export", "--to", str(tmp_path / "mine.jsonl"))["beliefs"] == 1
    assert run("user", "export", "--to", "-").stdout == run("export", "--user", "--to", "-").stdout
    assert run("user", "export", "a.jsonl", "--to", "b.jsonl").exit_code == 2
