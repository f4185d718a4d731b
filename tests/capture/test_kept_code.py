"""What one process compiled, the next one loads."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PROGRAM = """
import builtins, sys
from memlsp.capture.redaction import pattern_cache
folder = sys.argv[1]
made = pattern_cache.PatternCache.__init__
pattern_cache.PatternCache.__init__ = lambda self, name, place=None: made(self, name, place or folder)
from memlsp.kept_code import keep_compiled
keep_compiled()
compiled = []
real = builtins.compile
builtins.compile = lambda source, *more, **extra: compiled.append(source) or real(source, *more, **extra)
from attrs import frozen
from memlsp.code.vocabulary import patterns
@frozen
class Place:
    path: str
    line: int = 1
assert Place("a") == Place("a", 1) and hash(Place("a")) == hash(Place("a", 1)) and Place("a") != Place("b")
assert repr(Place("a", 2)) == "Place(path='a', line=2)"
assert patterns("memlsp.beliefs.lifecycle.admission")["rule"].search("never log a token")
print(sum("def __init__" in str(source) for source in compiled))
"""


def compiled_in_a_process(folder: Path) -> int:
    """How many classes were compiled."""
    command = [sys.executable, "-c", PROGRAM, str(folder)]
    environment = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPATH": str(Path(__file__).parents[2]), "PATH": ""}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment, timeout=60)
    return int(done.stdout)


def test_methods_of_classes_are_compiled_once_for_all_processes(tmp_path: Path) -> None:
    first, second = compiled_in_a_process(tmp_path), compiled_in_a_process(tmp_path)
    assert first > 0
    assert second == 0


def test_a_damaged_file_is_made_anew(tmp_path: Path) -> None:
    compiled_in_a_process(tmp_path)
    (file,) = tmp_path.iterdir()
    file.write_bytes(file.read_bytes()[:-20])
    assert compiled_in_a_process(tmp_path) > 0
    assert compiled_in_a_process(tmp_path) == 0


def test_an_attrs_that_compiles_otherwise_is_left_alone() -> None:
    program = """
import attr._make as made
from memlsp.kept_code import keep_compiled
def other(script, names, filename=""): exec(script, names)
made._compile_and_eval = other
keep_compiled()
assert made._compile_and_eval is other
del made._compile_and_eval
keep_compiled()
assert not hasattr(made, "_compile_and_eval")
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
