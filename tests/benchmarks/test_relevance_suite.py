"""The suite `relevance` counts what is said of each row, and tells no sealed one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.judgement.relevance import run_relevance
from memlsp.model.errors import NoSuchFile

_CODE = "def charge(tries=3, wait=2):\n    return tries * wait\n"
_ROWS = (
    ("it tries three times", "tries=3", "tries=5", "contradicted"),
    ("it tries three times", "tries=3, wait=2", "wait=2, tries=3", "changed"),
    ("it tries three times", "tries * wait", "(tries * wait)", "quiet"),
    ("it waits two seconds", "tries * wait", "(tries * wait)", "contradicted"),
)


def _write(folder: Path, part: str) -> None:
    rows = [
        {
            "id": f"{part}-{number}",
            "lang": "python",
            "class": "numbers",
            "repo": "",
            "statement": said,
            "kind": "fact",
            "at": "pay.py#charge",
            "before": {"pay.py": _CODE},
            "after": {"pay.py": _CODE.replace(old, new)},
            "gold": gold,
            "why": "",
        }
        for number, (said, old, new, gold) in enumerate(_ROWS)
    ]
    (folder / part).mkdir(parents=True)
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / part / "classes.jsonl").write_text(lines, encoding="utf-8")


def test_each_row_counts_where_gold_and_answer_put_it_and_sealed_rows_are_not_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for part in ("open", "sealed"):
        _write(tmp_path, part)
    report = run_relevance(tmp_path, None)
    counts = report.score
    assert (counts["open contradicted"], counts["open silent"], counts["open quiet"]) == (1, 1, 1)
    assert counts["sealed rows"] == 4
    assert counts["sealed found"] == pytest.approx(2 / 3)
    assert not report.passed
    shown = capsys.readouterr().out + json.dumps([dict(case) for case in report.cases])
    assert "open-3" in shown
    assert "sealed-" not in shown


def test_quick_leaves_the_sealed_rows_alone(tmp_path: Path) -> None:
    for part in ("open", "sealed"):
        _write(tmp_path, part)
    assert "sealed rows" not in run_relevance(tmp_path, None, quick=True).score


def test_a_folder_without_rows_is_said_to_have_none(tmp_path: Path) -> None:
    with pytest.raises(NoSuchFile, match="no rows"):
        run_relevance(tmp_path, None)
