"""The fleet of the suite `team` tells what a machine lost, brought back, or says otherwise than the rest."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from benchmarks.team.fleet import FleetResult, judged
from benchmarks.team.fleet_worker import FleetPlan

WORDS = ("kept", "gone", "given")


def machine(beliefs: Sequence[str], reached: int = 2) -> dict[str, Any]:
    return {
        "beliefs": {id: [id, []] for id in beliefs},
        "forgotten": {"gone": [reached, 2]},
        "faults": [],
        "disputed": [],
        "lines": 3,
    }


def result(tmp_path: Path, *machines: dict[str, Any], server: bytes = b"", quiet: bool = True) -> FleetResult:
    plan = FleetPlan(tmp_path, "", [[0]], 2, 3, 0.0)
    folder = tmp_path / "worker-0"
    folder.mkdir()
    said = [f"said 0 {word} zanzibar{word}" for word in WORDS]
    ended = ["ended 0 given -", "ended 0 gone -", "forgot 0 gone -"]
    for name, lines in {"ledger": [*said, *ended], "starts": ["start"] * 2, "times": ["3.5"]}.items():
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "states").write_text(json.dumps({"0": {"quiet": quiet, "machines": machines}}), encoding="utf-8")
    return judged(plan, server)


def test_machines_that_agree_hold(tmp_path: Path) -> None:
    found = result(tmp_path, machine(["kept"]), machine(["kept"]), server=b"zanzibarkept")
    assert found.holds
    assert (found.machines, found.said, found.forgotten, found.starts, found.exchanges) == (2, 3, 1, 2, [3.5])


def test_what_one_of_them_has_not_is_lost(tmp_path: Path) -> None:
    found = result(tmp_path, machine(["kept"]), machine([]))
    assert (found.lost, found.apart, found.holds) == (["kept"], [0], False)


def test_what_is_back_is_told_wherever_it_is(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    assert result(tmp_path / "a", machine(["kept", "gone"]), machine(["kept", "gone"])).returned == ["gone"]
    (tmp_path / "b").mkdir()
    assert result(tmp_path / "b", machine(["kept"]), machine(["kept"]), server=b"zanzibargone").returned == ["gone"]
    (tmp_path / "c" / "data" / "0-1").mkdir(parents=True)
    (tmp_path / "c" / "data" / "0-1" / "memory.db").write_bytes(b"...zanzibargone...")
    assert result(tmp_path / "c", machine(["kept"]), machine(["kept"])).returned == ["gone"]


@pytest.mark.parametrize(("quiet", "reached"), [(False, 2), (True, 1)])
def test_unrest_and_a_forgetting_without_an_answer_are_told(tmp_path: Path, quiet: bool, reached: int) -> None:
    found = result(tmp_path, machine(["kept"], reached), machine(["kept"], reached), quiet=quiet)
    assert (found.restless, found.unreached) == ([] if quiet else [0], ["gone"] if reached == 1 else [])
    assert not found.holds
