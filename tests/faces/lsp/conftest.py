"""One project, one server and one editor for each module of tests that can share them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from lsp_editor import Editor, editor
from project import Project, shop


@pytest.fixture(scope="module")
def shared_project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The shop, for all tests of a module."""
    return shop(tmp_path_factory.mktemp("work") / "shop")


@pytest.fixture(scope="module")
def shared_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data folder of that editor's server."""
    return tmp_path_factory.mktemp("lsp-data")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared(shared_project: Project, shared_data: Path) -> AsyncIterator[Editor]:
    """An editor on the shop that asks for what a command lacks, for all tests of a module."""
    options = {"memlsp": {"asks": True, "lens": {"holding": True}}}
    async with editor(shared_project.root, shared_data, options=options) as session:
        yield session
