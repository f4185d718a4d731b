from __future__ import annotations

import os
from collections.abc import Callable, Generator
from pathlib import Path

import pygit2
import pytest
from mcp import Client
from mcp.server import Server
from mcp_types import Implementation

from memlsp.faces.mcp.protocol import build
from memlsp.faces.mcp.workspace import Workspaces
from memlsp.memory import Memory

BILLING = '''\
RATE = 0.20


def total(net):
    """The sum to pay."""
    return net * (1 + RATE)


def refund(order):
    return order.paid
'''


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data folder, for this process and for those that it starts."""
    folder = tmp_path / "data"
    monkeypatch.setenv("MEMLSP_DATA_DIR", str(folder))
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    return folder


@pytest.fixture(scope="session")
def fill() -> Callable[[Path], Path]:
    """Makes a folder a repository with one commit and hands it back."""

    def make(root: Path) -> Path:
        root.mkdir()
        (root / "billing.py").write_text(BILLING)
        repository = pygit2.init_repository(root)
        repository.index.add_all()
        repository.index.write()
        author = pygit2.Signature("Ann", "ann@example.org", 1_760_000_000, 0)
        repository.create_commit("HEAD", author, author, "Bill with tax", repository.index.write_tree(), [])
        return root

    return make


@pytest.fixture
def make_project(tmp_path: Path, fill: Callable[[Path], Path]) -> Callable[[str], Path]:
    """Makes a repository of this name and says where."""
    return lambda name: fill(tmp_path / name)


@pytest.fixture
def project(make_project: Callable[[str], Path], data: Path) -> Path:
    return make_project("shop")


@pytest.fixture
def server(project: Path) -> Generator[Server[dict[str, object]]]:
    workspaces = Workspaces(str(project))
    yield build(workspaces)
    workspaces.close()


@pytest.fixture
def memory(project: Path) -> Generator[Memory]:
    """The same memory, opened a second time as another program would."""
    with Memory.open(project) as opened:
        yield opened


@pytest.fixture(params=["legacy", "auto"])
def mode(request: pytest.FixtureRequest) -> str:
    """Both eras of the protocol: the initialize handshake, and 2026-07-28 with server/discover."""
    return str(request.param)


@pytest.fixture
def connect(server: Server[dict[str, object]], mode: str) -> Callable[[], Client]:
    """A client called "Test Agent", to be entered with `async with`."""
    return lambda: Client(server, mode=mode, client_info=Implementation(name="Test Agent", version="1"))


@pytest.fixture(scope="session")
def environment() -> dict[str, str]:
    """What a started program gets besides the data folder."""
    return {name: os.environ[name] for name in ("PATH", "LANG", "SYSTEMROOT") if name in os.environ}
