"""`memlsp import`: what scripts and people read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_run import Run

FIXTURES = Path(__file__).parents[3] / "fixtures" / "transcripts"


def test_an_import_shows_each_proposal_with_its_place_and_says_what_to_do(run: Run) -> None:
    done = run("import", "codex", "--from", str(FIXTURES / "codex"), "--all")
    assert "rule: Always run the tests with `make test`." in done.stdout
    assert ".jsonl:" in done.stdout
    assert "3 new proposals" in done.stderr
    assert "memlsp review" in done.stderr
    assert "3 known before" in run("import", "codex", "--from", str(FIXTURES / "codex"), "--all").stderr
    assert "make test" in run("proposals").stdout


def test_a_dry_run_keeps_nothing(run: Run) -> None:
    done = run("import", "gemini", "--from", str(FIXTURES / "gemini"), "--all", "--dry-run")
    assert "tenacity" in done.stdout
    assert "nothing was kept" in done.stderr
    assert run("proposals").stdout == ""


def test_sessions_of_other_projects_are_counted_and_said(run: Run) -> None:
    said = run("import", "codex", "--from", str(FIXTURES / "codex")).stderr
    assert "0 new proposals, 1 of other projects (--all takes them too)" in said


def test_a_file_that_cannot_be_read_is_named(run: Run, tmp_path: Path) -> None:
    (tmp_path / "state.vscdb").write_text("no database")
    said = run("import", "cursor", "--from", str(tmp_path / "state.vscdb")).stderr
    assert "0 files of 1 read" in said
    assert f"could not be read: {tmp_path / 'state.vscdb'}" in said


def test_json_has_every_number_and_every_proposal(run: Run) -> None:
    done = json.loads(run("import", "codex", "--from", str(FIXTURES / "codex"), "--all", "--json").stdout)
    assert set(done) == {
        *("source", "dry_run", "files", "read", "sessions", "looked_at", "known", "elsewhere", "unfit", "unreadable"),
        *("events", "repeated", "stopped", "proposals", "session"),
    }
    assert (done["looked_at"], len(done["proposals"])) == (3, 3)
    assert set(done["proposals"][0]) == {"id", "text", "kind", "places", "path", "line", "session", "at", "quote"}


def test_a_program_that_has_kept_nothing_is_no_error(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "nothing"))
    assert "has kept nothing here" in run("import", "codex").stderr


def test_another_source_is_wrong_usage(run: Run) -> None:
    assert "claude-code" in run("import", "chatgpt", status=2).stderr
