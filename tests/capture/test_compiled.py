"""Patterns are compiled once, and a kept one is the same as a compiled one."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlsp.capture.redaction import detectors, tokens
from memlsp.capture.redaction.pattern_cache import PATTERNS, PatternCache
from memlsp.capture.redaction.redaction import redact
from memlsp.capture.redaction.spans import fold

_PAGE = (
    "class Client:\n    def login(self, user: str, password: str | None = None) -> Token:\n"
    '        token = self.session.get("api_key", timeout=30)\n        return Token(token)\n'
    "The key is rotated; see 2ac89889f4cc330eabd50f295dcef02828522c69 and https://example.org/a@b.\n"
) * 12


@pytest.fixture(autouse=True)
def bytecode_is_written(monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction]
    monkeypatch.setattr(sys, "dont_write_bytecode", False)


def _kept(folder: Path) -> PatternCache:
    redact(_PAGE)
    cache = PatternCache("redaction", str(folder))
    for pattern, flags in PATTERNS.patterns:
        cache.compiled(pattern, flags)
        cache.pattern(pattern, flags)
    assert cache.save()
    return PatternCache("redaction", str(folder))


def test_a_kept_pattern_is_equal_to_a_compiled_one(tmp_path: Path) -> None:
    cache = _kept(tmp_path)
    assert len(PATTERNS.patterns) > 60
    for pattern, flags in PATTERNS.patterns:
        assert cache.compiled(pattern, flags) == re.compile(pattern, flags)
    assert not cache.missed


@pytest.mark.parametrize("harm", ["cut", "changed", "empty", "other"])
def test_a_damaged_file_is_compiled_anew(tmp_path: Path, harm: str) -> None:
    _kept(tmp_path)
    (path,) = tmp_path.glob("*.patterns")
    data = path.read_bytes()
    middle = len(data) // 2
    damaged = {
        "cut": data[:-5],
        "changed": data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :],
        "empty": b"",
        "other": data.replace(b"memlsp patterns 1", b"memlsp patterns 0"),
    }
    path.write_bytes(damaged[harm])
    cache = PatternCache("redaction", str(tmp_path))
    assert cache.compiled(r"a+", 0) == re.compile(r"a+")
    assert cache.missed


def test_a_file_that_everybody_may_write_is_not_run(tmp_path: Path) -> None:
    _kept(tmp_path)
    (path,) = tmp_path.glob("*.patterns")
    pattern, flags = PATTERNS.patterns[0]
    trusted = PatternCache("redaction", str(tmp_path))
    trusted.compiled(pattern, flags)
    assert not trusted.missed
    path.chmod(0o666)
    cache = PatternCache("redaction", str(tmp_path))
    cache.compiled(pattern, flags)
    assert cache.missed


def test_a_changed_pattern_is_not_answered_by_the_old_one(tmp_path: Path) -> None:
    old = PatternCache("one", str(tmp_path))
    assert old.pattern("ab?").findall("ab a") == ["ab", "a"]
    assert old.save()
    new = PatternCache("one", str(tmp_path))
    assert new.pattern("ab").findall("ab a") == ["ab"]
    assert new.missed


def test_a_folder_that_cannot_be_made_keeps_nothing_and_harms_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache = PatternCache("one", str(tmp_path / "file" / "folder"))
    assert cache.pattern("a").match("a") is not None
    assert not cache.save()


def test_a_package_that_belongs_to_somebody_else_has_its_patterns_in_the_data_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMLSP_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setattr("memlsp.capture.redaction.pattern_cache.__file__", str(tmp_path / "file" / "compiled.py"))
    (tmp_path / "file").write_text("")
    cache = PatternCache("one")
    assert cache.pattern("ab?").match("ab") is not None
    assert cache.save()
    assert [path.parent.name for path in tmp_path.rglob("*.patterns")] == ["patterns"]
    again = PatternCache("one")
    assert again.pattern("ab?").match("ab") is not None
    assert not again.missed


def test_a_page_is_redacted_in_a_fresh_process_without_importing_what_is_slow() -> None:
    redact(_PAGE)
    packages = str(Path(pytest.__file__).parent.parent)
    root = str(Path(tokens.__file__).parents[3])
    program = (
        f"import sys; sys.path[:0] = [{root!r}, {packages!r}]; before = set(sys.modules)\n"
        "from memlsp.capture.redaction.redaction import redact\n"
        f"redact({_PAGE!r}); print(' '.join(sorted(set(sys.modules) - before)))"
    )
    command = [sys.executable, "-I", "-S", "-c", program]
    subprocess.run(command, capture_output=True, timeout=60, check=True)  # may have to compile
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    with_os = {"os", "posixpath", "ntpath", "genericpath", "stat", "_stat", "_collections_abc"}
    assert loaded <= {"memlsp", "zlib", "math", "binascii", "_sre", "__future__"} | with_os


@given(st.from_regex(re.compile(tokens._PREFIXED.pattern), fullmatch=True))  # pyright: ignore[reportPrivateUsage]
def test_every_token_begins_with_one_of_the_prefixes(text: str) -> None:
    assert text.startswith(tokens._PREFIXES)  # pyright: ignore[reportPrivateUsage]


@pytest.mark.parametrize("name", tokens._COMMANDS)  # pyright: ignore[reportPrivateUsage]
def test_a_password_on_a_command_line_has_the_words_that_are_looked_for(name: str) -> None:
    words = tokens._COMMANDS[name]  # pyright: ignore[reportPrivateUsage]
    pattern = tokens._RE[f"command_{name}"]  # pyright: ignore[reportPrivateUsage]

    @given(st.from_regex(re.compile(pattern.pattern), fullmatch=True))
    def holds(text: str) -> None:
        assert any(word in fold(text) for word in words)

    holds()


def test_a_detector_is_asked_about_whatever_it_could_find() -> None:
    detectors.prepare()
    found = detectors._DETECTORS  # pyright: ignore[reportPrivateUsage]
    assert len(found) > 20

    @given(st.data())
    def holds(data: st.DataObject) -> None:
        detector = data.draw(st.sampled_from(found))
        compiled = re.compile(detector.pattern.pattern, detector.pattern.flags)
        text = data.draw(st.from_regex(compiled, fullmatch=True))
        assert detector.might_find(text, fold(text), max(map(len, text.split())))

    holds()


@pytest.mark.skipif(sys.platform == "win32", reason="modes say nothing there")
def test_what_is_kept_in_the_data_folder_is_for_its_owner_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = tmp_path / "data"
    monkeypatch.setenv("MEMLSP_DATA_DIR", str(data))
    cache = PatternCache("redaction")
    monkeypatch.setattr(cache, "_writable", lambda: str(data / "patterns"))
    cache.pattern("a+b")
    cache.compiled("a+b", 0)
    cache.missed = True
    assert cache.save()
    (file,) = (data / "patterns").iterdir()
    assert [place.stat().st_mode & 0o777 for place in (data, file.parent, file)] == [0o700, 0o700, 0o600]
