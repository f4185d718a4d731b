"""What Windows and macOS do otherwise: found in the source, and shown with their paths."""

from __future__ import annotations

import ntpath
import os
import subprocess
import sys
from pathlib import Path, PureWindowsPath

import pytest
from platforms.posix_only import findings, unencoded
from project import shop

from memlsp.code.languages.detection import language_of
from memlsp.faces.setup import programs
from memlsp.model.place import Place

ROOT = Path(__file__).resolve().parents[2]
MODULES = sorted((ROOT / "memlsp").rglob("*.py"))
TEXT_OF_DEVELOPERS = {"memlsp/recall/static_encoder.py"}  # written by the training of the encoder alone

PLANTED = """
import fcntl
import os, signal, sys

def stop(process):
    os.killpg(process, signal.SIGKILL)

def size():
    return os.statvfs("/").f_bavail if sys.platform != "win32" else 0

def modest():
    try:
        os.nice(5)
    except AttributeError:
        pass
"""


def test_no_module_uses_what_only_posix_has_without_asking_for_it() -> None:
    found = {
        f"{path.relative_to(ROOT).as_posix()}:{line}": used
        for path in MODULES
        for line, used in findings(path.read_text("utf-8"))
    }
    assert found == {}


def test_the_search_for_posix_finds_what_is_planted() -> None:
    assert sorted(findings(PLANTED)) == [(2, "fcntl"), (6, "os.killpg"), (6, "signal.SIGKILL")]


def test_no_module_leaves_encoding_or_line_ends_to_the_machine() -> None:
    found = [
        f"{path.relative_to(ROOT).as_posix()}:{line}: {told}"
        for path in MODULES
        for line, told in unencoded(path.read_text("utf-8"))
        if path.relative_to(ROOT).as_posix() not in TEXT_OF_DEVELOPERS
    ]
    assert found == []


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("path.read_text()", "read_text without an encoding"),
        ("path.read_text('utf-8')", ""),
        ("path.write_text(text, encoding='utf-8')", "write_text without encoding and newline"),
        ("open(name)", "open of text without an encoding"),
        ("open(name, 'rb')", ""),
        ("subprocess.run(words, text=True)", "run of text without an encoding"),
    ],
)
def test_the_search_for_encodings_finds_what_is_planted(line: str, told: str) -> None:
    assert [found for _, found in unencoded(line)] == ([told] if told else [])


@pytest.mark.parametrize(
    ("typed", "path", "line", "symbol"),
    [
        (r"src\app.py:120", "src/app.py", 120, None),
        (r"src\app.py#Flask.route", "src/app.py", None, "Flask.route"),
        (r"C:\work\shop\src\app.py:7", "C:/work/shop/src/app.py", 7, None),
        (r"C:\work\shop\pay.py", "C:/work/shop/pay.py", None, None),
        (r"\\server\share\pay.py:3", "//server/share/pay.py", 3, None),
    ],
)
def test_a_place_may_be_typed_as_windows_writes_it(typed: str, path: str, line: int | None, symbol: str | None) -> None:
    place = Place.parse(typed)
    assert (place.path, place.line, place.symbol) == (path, line, symbol)
    assert PureWindowsPath(place.path) == PureWindowsPath(typed.partition("#")[0].removesuffix(f":{line}"))


@pytest.mark.parametrize("name", [r"C:\work\app.py", r"src\Deep\App.PY", "//server/share/app.py"])
def test_a_language_is_known_by_the_name_of_a_file_on_windows(name: str) -> None:
    assert language_of(name) == "python"
    assert language_of(ntpath.basename(name)) == "python"


def test_a_hook_of_windows_names_its_program_with_quotes_that_windows_reads() -> None:
    line = programs.shell_line([r"C:\Program Files\Python\python.exe", "-m", "memlsp"], "win32")
    assert line == r'"C:\Program Files\Python\python.exe" -m memlsp'


def test_a_code_page_without_our_marks_prints_their_numbers_and_no_error(tmp_path: Path) -> None:
    folder = shop(tmp_path / "shop").root
    environ = {**os.environ, "MEMLSP_DATA_DIR": str(tmp_path / "data"), "PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"}
    words = [
        sys.executable,
        "-m",
        "memlsp",
        "remember",
        "fetch gives up after 3 retries, naïve",
        "--at",
        "client.py#fetch",
    ]
    done = subprocess.run(words, cwd=folder, env=environ, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    listed = subprocess.run([*words[:3], "beliefs"], cwd=folder, env=environ, capture_output=True, check=False)
    assert "naïve".encode("cp1252") in listed.stdout
    assert rb"\u" in listed.stdout
    assert listed.returncode == 0
