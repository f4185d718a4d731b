from __future__ import annotations

from pathlib import Path

import pytest
from hook_world import HookWorld
from project import Project


@pytest.fixture
def world(project: Project, tmp_path: Path) -> HookWorld:
    """The shop, with a memory that was opened before."""
    made = HookWorld(project.root, tmp_path / "data")
    made.make_store()
    return made
