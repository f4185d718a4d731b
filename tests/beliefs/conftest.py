"""A workspace to edit."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench import Bench


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """An empty workspace."""
    return Bench(tmp_path)
