"""What tests of several rooms share."""

from __future__ import annotations

import gc
import os
import re
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from project import Project, shop
from thorough import examples

from memlsp import Memory
from memlsp.faces.caller import VARIABLES
from memlsp.store.core import store_file
from memlsp.store.core.database import Database

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # a shell ignores it in what it starts in the background, and every child of a test would inherit that
    signal.signal(signal.SIGINT, signal.default_int_handler)

# without bytecode on disk each of the thousand processes that tests start compiles what it imports, which is more than
# half of what a short one costs
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# what is imported and collected stays, and looking through all of it for garbage again and again is a fifth of what
# tests cost that make many objects
gc.disable()


def pytest_collection_finish() -> None:
    """Leave out of later collections what there is now."""
    gc.collect()
    gc.freeze()
    gc.enable()


# most tests make a repository and a store, and a disk takes longer to keep both than they take
_MEMORY, _ROOM = "/dev/shm", 2 << 30
with suppress(AttributeError, OSError):  # there is none
    _disk = os.statvfs(_MEMORY)
    if "TMPDIR" not in os.environ and _disk.f_bavail * _disk.f_frsize >= _ROOM and not _disk.f_flag & os.ST_NOEXEC:
        tempfile.tempdir = _MEMORY

# a busy machine is no fault of what is tested
settings.register_profile(
    "memlsp", max_examples=examples(100), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("memlsp")

MakeFolder = Callable[[str], Path]

_NUMBERS = count()
"""pytest finds a free number for a folder by reading the names of all others, which with thousands of tests is most of
what a small one costs."""


@pytest.fixture(scope="module", autouse=True)
def _folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[MakeFolder]:  # pyright: ignore[reportUnusedFunction] - asked for by name
    """Makes an empty folder. All of a module go with its last test, unless one failed."""
    failed, made, here = request.session.testsfailed, list[Path](), Path.cwd()

    def make(name: str) -> Path:
        made.append(tmp_path_factory.getbasetemp() / f"{name}-{next(_NUMBERS)}")
        made[-1].mkdir(mode=0o700)
        return made[-1]

    yield make
    os.chdir(here)  # who starts a settler goes to the folder of the store first
    if request.session.testsfailed == failed:
        for folder in made:
            shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def tmp_path(request: pytest.FixtureRequest, _folder: MakeFolder) -> Path:
    """An empty folder of the test's own."""
    return _folder(re.sub(r"\W", "_", request.node.name)[:30])  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType] - pytest says nothing of its nodes


@pytest.fixture(autouse=True)
def _data_folder(_folder: MakeFolder, monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction] - pytest calls it
    """No test reaches the data folder of whoever runs it."""
    folder = _folder("data")
    monkeypatch.setenv("MEMLSP_DATA_DIR", str(folder))
    for name in VARIABLES:  # an agent may run the tests, and must not speak in them
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="session")
def _fresh(tmp_path_factory: pytest.TempPathFactory) -> bytes:  # pyright: ignore[reportUnusedFunction] - asked for by name
    """The file of a store that nothing was written to."""
    path = tmp_path_factory.mktemp("fresh") / "memory.db"
    store_file.open_database(path, read_only_ok=False).connection.close()
    return path.read_bytes()


@pytest.fixture(autouse=True)
def _copied_stores(request: pytest.FixtureRequest, _fresh: bytes, monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction] - pytest calls it
    """A fresh store is the same bytes wherever it is made: they are made once and copied, or making stores would be a
    fifth of what the tests cost. The rooms in which the making itself is tested go without."""
    if request.path.parent.name in {"store", "robustness"}:
        return
    really = store_file._made  # pyright: ignore[reportPrivateUsage] - the one place that knows that a file is not there

    def made(path: Path) -> Database:
        with suppress(OSError):
            if not any(path.with_name(path.name + suffix).exists() for suffix in ("", "-wal", "-shm")):
                path.touch(mode=0o600)
                path.write_bytes(_fresh)
        return really(path)

    monkeypatch.setattr(store_file, "_made", made)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A small shop in a git repository."""
    return shop(tmp_path / "shop")


@pytest.fixture
def memory(project: Project) -> Iterator[Memory]:
    """The shop's memory."""
    with Memory.open(project.root) as opened:
        yield opened
