"""The suite `birth` counts what was found, missed and wrongly taken for false."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.judgement.birth import run_birth
from memlsp.model.errors import NoSuchFile

_CODE = "def total(price, rate=0.2):\n    return price * (1 + rate)\n"
_SAID = (
    ("total applies 25 % by default", "contradicted"),
    ("total must apply 25 % by default", "ahead"),
    ("total applies 20 % by default", "fine"),
    ("total is generous", "contradicted"),
)


def test_found_and_missed_and_false_alarms_are_counted_and_the_sealed_half_is_named_by_counts_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for half in ("open", "sealed"):
        rows = [
            {
                "id": f"{half}-{n}",
                "files": {"a.py": _CODE},
                "at": "a.py#total",
                "statement": said,
                "kind": "",
                "outcome": wanted,
            }
            for n, (said, wanted) in enumerate(_SAID)
        ]
        (tmp_path / f"{half}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    report = run_birth(tmp_path)
    assert (report.score["open contradicted found"], report.score["open contradicted missed"]) == (1, 1)
    assert (report.score["sealed ahead found"], report.score["sealed fine taken for false"]) == (1, 0)
    assert report.passed
    assert "sealed-" not in capsys.readouterr().out + json.dumps([dict(case) for case in report.cases])


def test_a_folder_without_statements_is_said_to_be_one(tmp_path: Path) -> None:
    with pytest.raises(NoSuchFile, match="no statements"):
        run_birth(tmp_path)
