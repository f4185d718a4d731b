"""The result of a suite, and its JSON for scripts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from attrs import frozen

from benchmarks.reporting.machine import Machine


@frozen
class Report:
    """One run. `score` and `baselines` hold numbers by name; `passed` decides the exit status."""

    suite: str
    score: Mapping[str, float]
    baselines: Mapping[str, Mapping[str, float]]
    cases: Sequence[Mapping[str, object]]
    passed: bool

    def write(self, path: Path, machine: Machine, date: str) -> None:
        """Write it as JSON. Raises OSError when the file cannot be written."""
        content = {
            "suite": self.suite,
            "score": dict(self.score),
            "baselines": {name: dict(score) for name, score in self.baselines.items()},
            "cases": [dict(case) for case in self.cases],
            "machine": machine.as_json(),
            "date": date,
        }
        path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
