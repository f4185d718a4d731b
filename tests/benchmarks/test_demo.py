"""The demo of the README goes through, on this very checkout."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="the demo clones this checkout, and this is none")
def test_the_demo_shows_a_contradiction_and_an_answer_to_an_agent() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.demo"], cwd=ROOT, capture_output=True, text=True, timeout=110, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    said = " ".join(done.stdout.split())
    assert "[contradicted]" in said
    assert "4000 → 8000" in said
    assert said.index("An agent asks over MCP") < said.rindex("at most 8,000 characters")
