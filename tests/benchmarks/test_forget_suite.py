"""The suite `forget`: it passes for ours, and its search finds what plain deleting leaves."""

from __future__ import annotations

import base64
import zlib
from pathlib import Path

import pytest

from benchmarks.privacy.forgetting import run_forget
from benchmarks.stalecode.raw_search import words_in


@pytest.mark.timeout(400)
def test_nothing_is_left_of_ours_and_the_common_ways_leave_something(capsys: pytest.CaptureFixture[str]) -> None:
    report = run_forget(quick=True)
    assert report.passed, capsys.readouterr().out
    assert report.score["left_in_store"] == report.score["left_in_copies"] == report.score["lost"] == 0
    plainly = report.baselines["DELETE, as SQLite comes"]
    assert plainly["left_in_store"] == plainly["left_in_copies"] == 1
    assert all(figures["left_in_copies"] == 1 for figures in report.baselines.values())


@pytest.mark.parametrize(
    "data",
    [
        b"... The Quartz one",
        "quartz".encode("utf-16-le"),
        "quartz".encode("utf-16-be"),
        b"quartz".hex().encode(),
        base64.b64encode(b"quartz"),
        b"\x00\x01" + zlib.compress(b'{"a": "quartz"}') + b"\x00",
    ],
)
def test_the_search_finds_a_word_in_every_form(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "some.bin").write_bytes(data)
    assert words_in(tmp_path, ["quartz", "absent"]) == {"quartz": {"some.bin"}}
