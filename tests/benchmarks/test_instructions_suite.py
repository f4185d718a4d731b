"""The suite `instructions`: lines are mined from repairs, judged where they stood, and sealed ones are not told."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from benchmarks.judgement.instructions import dead_references, path_exists, raw_hash, read_states, run_instructions
from benchmarks.judgement.instructions_mining import born_true, candidates, git, part_of, states
from memlsp.model.errors import NoSuchFile

_BEFORE = """# Guide

- The server starts in `src/server.py`.
- The client lives in `src/client.py`.
- Never write to `data/<name>/out.txt` from a test.
- Run `npm run lint` first.
- Ask before you merge.
"""


def _commit(folder: Path, subject: str, **files: str | None) -> str:
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_dot_", ".")
        if text is None:
            path.unlink()
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    who = ["-c", "user.name=A", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", "-C", folder, "add", "-A"], check=True)
    subprocess.run(["git", "-C", folder, *who, "commit", "-q", "--allow-empty", "-m", subject], check=True)
    return git(folder, "rev-parse", "HEAD").strip()


@pytest.fixture
def history(tmp_path: Path) -> tuple[Path, str]:
    """A history in which `src/server.py` is renamed, the guide repaired later; the folder, and the repair's parent."""
    folder = tmp_path / "clones" / "some+project"
    folder.mkdir(parents=True)
    subprocess.run(["git", "-C", folder, "init", "-q", "-b", "main"], check=True)
    _commit(folder, "start", AGENTS_dot_md=_BEFORE, src__server_dot_py="a = 1\n", src__client_dot_py="b = 1\n")
    stale = _commit(folder, "rename", src__server_dot_py=None, src__web_dot_py="a = 1\n", src__client_dot_py="b = 2\n")
    repaired = _BEFORE.replace("src/server.py", "src/web.py")
    _commit(folder, "docs: fix a stale path", AGENTS_dot_md=repaired)
    for number in range(21):
        _commit(folder, f"work {number}")
    return folder, stale


def test_a_repaired_line_is_a_candidate_and_was_true_once(history: tuple[Path, str]) -> None:
    folder, stale = history
    (row,) = candidates("some/project", folder)
    assert (row.commit, row.file, row.line, row.group) == (stale, "AGENTS.md", 3, "path")
    assert born_true(folder, row) == "yes"


def test_a_state_holds_no_text_and_the_lines_that_were_left_alone(history: tuple[Path, str]) -> None:
    folder, stale = history
    (row,) = states(candidates("some/project", folder), {"some/project": folder})
    assert (row["commit"], row["quiet"]) == (stale, [[1, 1], [4, 7]])
    assert [each["line"] for each in row["stale"]] == [3]  # type: ignore[union-attr]
    assert "server" not in json.dumps(row)


def test_the_baselines_name_what_they_are_there_to_name(history: tuple[Path, str]) -> None:
    folder, stale = history
    assert path_exists(folder, stale, "AGENTS.md") == {3}
    assert dead_references(folder, stale, "AGENTS.md") == {3, 6}
    assert raw_hash(folder, stale, "AGENTS.md") == {3, 4}


def _rows(history: tuple[Path, str], fixtures: Path) -> None:
    folder, _ = history
    fixtures.mkdir()
    for part in ("open", "sealed"):
        found = states(candidates("some/project", folder), {"some/project": folder})
        (fixtures / f"{part}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in found))


def test_the_suite_counts_both_halves_and_tells_the_open_one(
    history: tuple[Path, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _rows(history, tmp_path / "rows")
    report = run_instructions(tmp_path / "rows", tmp_path / "clones")
    assert report.baselines["path exists"] == {
        "open precision": 1,
        "open recall": 1,
        "sealed precision": 1,
        "sealed recall": 1,
    }
    assert report.baselines["raw hash"]["open precision"] == 0.5
    assert len(report.cases) == 1
    assert "1 stale and 5 quiet lines" in capsys.readouterr().out


def test_alarms_are_counted_by_the_labels_of_a_second_reader(history: tuple[Path, str], tmp_path: Path) -> None:
    fixtures = tmp_path / "rows"
    _rows(history, fixtures)
    place = {"repository": "some/project", "commit": history[1], "file": "AGENTS.md"}
    rows = [{**place, "line": 3, "label": "false"}, {**place, "line": 4, "label": "holds"}]
    (fixtures / "read-again.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    score = run_instructions(fixtures, tmp_path / "clones").score
    assert score["read again false"] == 1
    assert "read again holds" not in score


def test_without_clones_or_rows_it_says_what_it_needs(tmp_path: Path, history: tuple[Path, str]) -> None:
    with pytest.raises(NoSuchFile, match="needs histories"):
        run_instructions(tmp_path, None)
    with pytest.raises(NoSuchFile, match="no rows"):
        run_instructions(tmp_path / "none", tmp_path / "clones")


def test_the_rows_of_this_checkout_can_be_read_and_lie_in_their_half() -> None:
    rows = list(read_states(Path(__file__).resolve().parents[2] / "fixtures" / "instructions"))
    assert sum(len(row.stale) for row in rows) >= 300
    assert len({row.repository for row in rows}) >= 40
    assert all(part_of(row.repository) == row.part for row in rows)
    assert not any(row.stale.keys() & row.quiet for row in rows)
