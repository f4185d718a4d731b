"""The second look at a past reads what the first one found, and the cache is harmless whatever becomes of it."""

from __future__ import annotations

import os
import pickle
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from history_world import Repository, subjects

from memlsp.capture.history import parse_cache, predecessors
from memlsp.capture.history.compact_symbols import pack_symbols, unpack_symbols
from memlsp.capture.history.parse_cache import ParseCache
from memlsp.capture.history.past import symbol_history
from memlsp.code.syntax.outline import Outline, outline
from memlsp.model.episode import SymbolHistory


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "project")


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths of all sources that are read into outlines."""
    seen: list[str] = []

    def watched(path: str, source: bytes) -> Outline:
        seen.append(path)
        return outline(path, source)

    monkeypatch.setattr(predecessors, "outline", watched)
    return seen


def fetch(timeout: int = 30, key: str = "url") -> str:
    return f"""
def fetch(url):
    session = make_session("{key}")
    for attempt in range(3):
        reply = session.get(url, timeout={timeout})
        if reply.status_code < 500:
            return reply.json()
    raise Unreachable(url)
"""


def write_past(repository: Repository, key: str = "url") -> None:
    repository.commit("one", {"a.py": fetch(key=key)})
    repository.commit("two", {"a.py": fetch(60, key)})
    repository.commit("moved", {"a.py": None, "lib/a.py": fetch(60, key)})
    for n in range(4):
        repository.commit(f"elsewhere {n}", {"b.py": f"X = {n}\n"})
    repository.commit("three", {"lib/a.py": fetch(90, key)})


def forget_outlines() -> None:
    predecessors.forget()


def look(repository: Repository, cache: ParseCache | None) -> SymbolHistory:
    forget_outlines()
    history = symbol_history(repository.root, "lib/a.py", "fetch", kept=cache)
    assert subjects(history) == ["three", "two", "one"]
    return history


def test_the_second_look_parses_nothing_and_says_the_same(
    repository: Repository, tmp_path: Path, parsed: list[str]
) -> None:
    write_past(repository)
    without = look(repository, None)
    assert look(repository, ParseCache(tmp_path / "data")) == without
    parsed.clear()
    cache = ParseCache(tmp_path / "data")
    assert look(repository, cache) == without
    assert parsed == []
    cache.close()


def test_after_another_commit_only_that_one_is_read(repository: Repository, tmp_path: Path, parsed: list[str]) -> None:
    write_past(repository)
    cache = ParseCache(tmp_path / "data")
    look(repository, cache)
    repository.commit("four", {"lib/a.py": fetch(120)})
    parsed.clear()
    forget_outlines()
    history = symbol_history(repository.root, "lib/a.py", "fetch", kept=cache)
    assert subjects(history) == ["four", "three", "two", "one"]
    assert parsed == ["lib/a.py"]
    cache.close()


def test_another_version_of_the_program_reads_for_itself(
    repository: Repository, tmp_path: Path, parsed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write_past(repository)
    cache = ParseCache(tmp_path / "data")
    look(repository, cache)
    monkeypatch.setattr(parse_cache, "_program", lambda: "another")
    parsed.clear()
    look(repository, cache)
    assert parsed
    cache.close()


def test_a_definition_with_a_secret_is_not_kept(repository: Repository, tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    write_past(repository, secret)
    cache = ParseCache(tmp_path / "data")
    history = look(repository, cache)
    assert look(repository, cache) == history
    cache.close()
    held = b"".join(file.read_bytes() for file in (tmp_path / "data").rglob("*") if file.is_file())
    assert secret.encode() not in held
    assert all(secret.encode() not in zipped for zipped in _unzipped(tmp_path / "data" / "parses" / "rows.db"))


def _unzipped(database: Path) -> list[bytes]:
    import zlib

    with sqlite3.connect(database) as opened:
        values = [bytes(value) for (value,) in opened.execute("SELECT value FROM kept") if value is not None]
    opened.close()
    found: list[bytes] = []
    for value in values:
        try:
            found.append(zlib.decompress(value))
        except zlib.error:
            found.append(value)
    assert found
    return found


def test_sentences_about_secrets_do_not_hold_them(repository: Repository) -> None:
    first, second = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8", "ghp_" + "z9Y8x7W6v5" * 3 + "u4T3s2"
    repository.commit(f"use {first}", {"a.py": fetch(key=first)})
    repository.commit("rotate", {"a.py": fetch(key=second)})
    told = repr(symbol_history(repository.root, "a.py", "fetch"))
    assert first not in told
    assert second not in told


def _cut_short(folder: Path) -> None:
    file = folder / "parses" / "rows.db"
    file.write_bytes(file.read_bytes()[:3000])


def _overwrite(folder: Path) -> None:
    (folder / "parses" / "rows.db").write_bytes(b"no database at all" * 100)


def _scramble_values(folder: Path) -> None:
    with sqlite3.connect(folder / "parses" / "rows.db") as opened:
        opened.execute("UPDATE kept SET value = x'00ff00ff'")
    opened.close()


def _swap_values(folder: Path) -> None:
    with sqlite3.connect(folder / "parses" / "rows.db") as opened:
        opened.execute("UPDATE kept SET value = (SELECT value FROM kept ORDER BY rowid LIMIT 1)")
    opened.close()


def _drop_table(folder: Path) -> None:
    with sqlite3.connect(folder / "parses" / "rows.db") as opened:
        opened.execute("DROP TABLE kept")
    opened.close()


@pytest.mark.parametrize("harm", [_cut_short, _overwrite, _scramble_values, _swap_values, _drop_table])
def test_a_damaged_cache_is_as_good_as_none(
    repository: Repository, tmp_path: Path, harm: Callable[[Path], None]
) -> None:
    write_past(repository)
    data = tmp_path / "data"
    cache = ParseCache(data)
    expected = look(repository, cache)
    cache.close()
    harm(data)
    for _ in range(2):
        cache = ParseCache(data)
        assert look(repository, cache) == expected
        cache.close()


def test_nothing_in_a_cache_is_unpickled(tmp_path: Path) -> None:
    cache = ParseCache(tmp_path)
    cache.put({"key": b"value"})
    cache.close()
    marker = tmp_path / "executed"

    class Harm:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return os.mkdir, (str(marker),)

    with sqlite3.connect(tmp_path / "parses" / "rows.db") as opened:
        opened.execute("UPDATE kept SET value = ?", (pickle.dumps(Harm()),))
    opened.close()
    cache = ParseCache(tmp_path)
    assert cache.get("key") is None
    cache.close()
    assert not marker.exists()


@pytest.mark.skipif(os.name != "posix", reason="rights of files are a thing of POSIX")
def test_nobody_else_may_read_it(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        cache = ParseCache(tmp_path)
        cache.put({"key": b"value"})
        files = list((tmp_path / "parses").iterdir())
        assert files
        assert {file.stat().st_mode & 0o777 for file in files} == {0o600}
        assert (tmp_path / "parses").stat().st_mode & 0o777 == 0o700
        cache.close()
    finally:
        os.umask(before)


def test_a_folder_that_cannot_be_written_does_without(repository: Repository, tmp_path: Path) -> None:
    write_past(repository)
    (tmp_path / "file").write_text("no folder")
    cache = ParseCache(tmp_path / "file")
    look(repository, cache)
    assert cache.get("anything") is None
    cache.close()


def test_clearing_leaves_nothing_and_the_cache_can_be_used_again(tmp_path: Path) -> None:
    cache = ParseCache(tmp_path)
    cache.put({"key": b"value"})
    cache.clear()
    assert not (tmp_path / "parses").exists()
    assert cache.get("key") is None
    cache.put({"key": b"again"})
    assert cache.get("key") == b"again"
    cache.close()


def test_two_processes_share_it(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from memlsp.capture.history.parse_cache import ParseCache\n"
        "cache = ParseCache(Path(sys.argv[1]))\n"
        "for n in range(30): cache.put({f'{sys.argv[2]}{n}': b'x' * 500})\n"
        "cache.close()\n"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", script, str(tmp_path), name], stderr=subprocess.PIPE) for name in "ab"
    ]
    for process in running:
        _, errors = process.communicate(timeout=60)
        assert (process.returncode, errors) == (0, b"")
    cache = ParseCache(tmp_path)
    kept = sum(cache.get(f"{name}{n}") is not None for name in "ab" for n in range(30))
    cache.close()
    assert kept > 30  # what could not be written while the other wrote is only slower next time


def test_the_cache_stays_within_bounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parse_cache, "_LARGEST", 400_000)
    cache = ParseCache(tmp_path)
    for n in range(60):
        cache.put({f"{n}-{part}": os.urandom(4_000) for part in range(5)})
    cache.close()
    assert sum(file.stat().st_size for file in (tmp_path / "parses").iterdir()) < 800_000


def test_a_packed_symbol_is_the_same_symbol() -> None:
    source = b"""
class Clerk(Person, metaclass=Meta):
    '''Sends \xc3\xa4 letter.'''
    LIMIT: int = 3
    @traced("x", deep=True)
    async def send(self, letter: Letter, *, tries=3) -> int | None:
        while self.open and tries < LIMIT:
            try:
                return await self.office.post(letter, timeout=2.5)
            except Closed:
                raise Lost(letter) from None
"""
    symbols = [(symbol, index) for index, symbol in enumerate(outline("a.py", source).symbols)]
    assert unpack_symbols(pack_symbols(symbols)) == symbols


@pytest.mark.parametrize("data", [b"", b"\x00", b"x" * 50, pickle.dumps([1]), pack_symbols([])[:-3]])
def test_bytes_of_another_kind_are_not_taken_for_symbols(data: bytes) -> None:
    with pytest.raises(ValueError, match="not a packed symbol"):
        unpack_symbols(data)
