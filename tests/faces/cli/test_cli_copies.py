"""`memlsp export`, `import PATH`, `backup`, `restore` and `move`: what scripts and people read."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_run import Run
from project import Project, shop

from memlsp.memory.transfer.export_file import HEADING


def _remember(run: Run, text: str, *words: str) -> str:
    return run("remember", text, *words).stdout.strip()


def test_an_export_prints_where_it_is_and_an_import_what_it_brought(run: Run, tmp_path: Path) -> None:
    id = _remember(run, "Ships on Fridays")
    path = tmp_path / "shop.jsonl"
    done = run("export", "--to", str(path))
    assert done.stdout == f"{path}\n"
    assert "1 belief with 1 revision" in done.stderr
    other = shop(tmp_path / "other").root
    assert run("-C", str(other), "import", str(path)).stdout == f"{id}\n"
    assert "1 known" in run("-C", str(other), "import", str(path)).stderr
    told = run.json("-C", str(other), "import", str(path))
    assert (told["known"], told["added"], told["sealed"]) == (1, [], True)


def test_an_export_goes_to_standard_output(run: Run) -> None:
    _remember(run, "Ships on Fridays")
    assert run("export", "--to", "-").stdout_bytes.startswith(HEADING)


def test_what_an_import_brought_is_taken_back_as_it_says(run: Run, tmp_path: Path) -> None:
    _remember(run, "Ships on Fridays")
    run("export", "--to", str(tmp_path / "shop.jsonl"))
    other = str(shop(tmp_path / "other").root)
    batch = run("-C", other, "import", str(tmp_path / "shop.jsonl")).stderr.split()[-1]
    run("-C", other, "undo", "--import", batch)
    assert run.json("-C", other, "beliefs") == []


def test_an_import_brings_back_nothing_that_was_taken_back_and_says_so(run: Run, tmp_path: Path) -> None:
    id = _remember(run, "Ships on Fridays")
    run("export", "--to", str(tmp_path / "shop.jsonl"))
    run("revise", id, "retire")
    again = run("import", str(tmp_path / "shop.jsonl"))
    assert "1 of those known are no longer held true here" in again.stderr
    assert run.json("beliefs") == []


def test_trust_and_locks_are_for_a_person_at_a_terminal(run: Run, tmp_path: Path) -> None:
    _remember(run, "Ships on Fridays")
    run("export", "--to", str(tmp_path / "shop.jsonl"))
    for option in ("--trust", "--keep-locks"):
        assert "at a terminal" in run("import", str(tmp_path / "shop.jsonl"), option, status=1).stderr


def test_a_person_is_shown_what_would_be_trusted_before_it_is(
    run: Run, tmp_path: Path, attended: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    id = _remember(run, "Ships on Fridays")
    run("export", "--to", str(tmp_path / "shop.jsonl"))
    monkeypatch.setenv("MEMLSP_DATA_DIR", str(tmp_path / "another machine"))
    no = run("import", str(tmp_path / "shop.jsonl"), "--trust", stdin="n\n")
    assert "1 added (nothing was written" in no.stderr
    assert run.json("beliefs") == []
    assert id in run("import", str(tmp_path / "shop.jsonl"), "--trust", stdin="y\n").stdout
    assert [each["id"] for each in run.json("beliefs")] == [id]


def test_what_another_machine_wrote_waits_as_a_proposal(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _remember(run, "Ships on Fridays")
    run("export", "--to", str(tmp_path / "shop.jsonl"))
    monkeypatch.setenv("MEMLSP_DATA_DIR", str(tmp_path / "another machine"))
    assert "1 proposed" in run("import", str(tmp_path / "shop.jsonl")).stderr
    assert "Ships on Fridays" in run("proposals").stdout


def test_a_name_that_is_neither_a_program_nor_a_file_is_wrong_usage(run: Run) -> None:
    said = run("import", "claude-cod", status=2).stderr
    assert "did you mean claude-code?" in said
    assert "--trust" in run("import", "codex", "--trust", status=2).stderr
    assert "no such file" in run("import", "./nothing", status=1).stderr


def test_a_vault_of_an_earlier_version_is_not_read(run: Run, tmp_path: Path) -> None:
    (tmp_path / ".memlsp-vault.json").write_text("{}")
    said = run("import", str(tmp_path), status=1).stderr
    assert "vaults are no longer read" in said
    assert "the memory that wrote it has what it holds" in said


def test_a_backup_is_verified_listed_and_restored(run: Run, tmp_path: Path, attended: None) -> None:
    _remember(run, "Ships on Fridays")
    path = str(tmp_path / "shop.db")
    assert "whole, and written on this machine" in run("backup", path).stderr
    assert run.json("backup", "--verify", path)["problem"] == ""
    _remember(run, "Ships on Mondays")
    assert "Nothing was changed" in run("restore", path, stdin="n\n").stderr
    done = run("restore", path, stdin="y\n").stderr
    assert "Replace this memory by the 1 belief of the backup" in done
    assert "memlsp restore brings it back" in done
    assert len(run.json("beliefs")) == 1
    assert {each["format"] for each in run.json("backup", "--list")} == {"backup"}


def test_a_backup_that_is_not_well_is_told_with_a_status(run: Run, tmp_path: Path) -> None:
    _remember(run, "Ships on Fridays")
    path = tmp_path / "shop.db"
    run("backup", str(path))
    path.write_bytes(path.read_bytes()[:-4096])
    assert "not well" in run("backup", "--verify", str(path), status=1).stderr
    assert run("restore", str(path), "--yes", status=1).stderr


def test_restoring_asks_and_does_nothing_where_there_is_nobody(run: Run, tmp_path: Path) -> None:
    _remember(run, "Ships on Fridays")
    run("backup", str(tmp_path / "shop.db"))
    assert "nobody to ask" in run("restore", str(tmp_path / "shop.db"), status=1).stderr
    assert "only a person" in run("restore", str(tmp_path / "shop.db"), "--yes", "--agent", "x", status=1).stderr


def test_a_renamed_project_is_told_and_has_its_memory_again(
    run: Run, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    _remember(run, "Ships on Fridays")
    target = project.root.with_name("store")
    project.root.rename(target)
    monkeypatch.chdir(target)
    assert "memlsp move --from" in run("status").stdout
    assert "memlsp move --from" in run("doctor").stdout
    (found,) = run.json("move", "--list")
    assert (found["beliefs"], found["roots"]) == (1, [str(project.root)])
    assert "nobody to ask" in run("move", status=1).stderr
    assert "only a person" in run("move", "--yes", "--agent", "x", status=1).stderr
    assert "would move 1 belief" in run("move", "--dry-run").stderr
    assert run.json("move", "--yes")["beliefs"] == 1
    assert len(run.json("beliefs")) == 1


def test_two_memories_become_one(run: Run, tmp_path: Path) -> None:
    fork = shop(tmp_path / "fork").root
    id = run("-C", str(fork), "remember", "Ships on Fridays").stdout.strip()
    path = str(tmp_path / "fork.jsonl")
    run("-C", str(fork), "export", "--to", path)
    assert "dry run" in run("import", path, "--dry-run").stderr
    assert run("import", path).stdout == f"{id}\n"
    assert run.json("import", path)["known"] == 1
