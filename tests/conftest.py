"""What tests of several rooms share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from project import Project, shop

from memlsp import Memory
from memlsp.faces.cli.speaking import VARIABLES


@pytest.fixture(autouse=True)
def _data_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction] - pytest calls it
    """No test reaches the data folder of whoever runs it."""
    monkeypatch.setenv("MEMLSP_DATA_DIR", str(tmp_path_factory.mktemp("data")))
    for name in VARIABLES:  # an agent may run the tests, and must not speak in them
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A small shop in a git repository."""
    return shop(tmp_path / "shop")


@pytest.fixture
def memory(project: Project) -> Iterator[Memory]:
    """The shop's memory."""
    with Memory.open(project.root) as opened:
        yield opened
