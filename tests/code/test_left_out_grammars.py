"""An installation without the package of a grammar reads that language's files by lines."""

from __future__ import annotations

import subprocess
import sys

import pytest

from memlsp.code.languages.detection import language_named
from memlsp.code.syntax.parser import has_grammar

_PROGRAM = """
import sys
sys.modules["tree_sitter_ruby"] = None  # as if its package were not installed
from memlsp.code.diff.trimmed_source import narrowed, parsed
from memlsp.code.syntax.outline import outline
from memlsp.code.syntax.patterns import check_guard
from memlsp.model.belief import Guard, GuardEngine
from memlsp.model.errors import BadValue

source = b"def charge(tries = 3)\\n  tries\\nend\\n" * 200
left = outline("pay.rb", source)
print([symbol.kind.value for symbol in left.symbols], left.language, left.lines)
print(parsed("pay.rb", source), narrowed("pay.rb", source, "charge"))
print([symbol.name for symbol in outline("pay.py", b"def charge(): ...\\n").symbols])
try:
    check_guard(Guard("(call) @here", False, "ruby", GuardEngine.QUERY))
except BadValue as error:
    print(error)
"""


def test_a_language_without_its_package_is_read_by_lines_and_the_others_as_ever() -> None:
    done = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "['module'] ruby 600",
        "None None",
        "['', 'charge']",
        "there is no grammar for 'ruby'",
    ]


@pytest.mark.parametrize("name", ["python", "ruby", "csharp", "toml"])
def test_an_ordinary_installation_has_every_grammar(name: str) -> None:
    language = language_named(name)
    assert language is not None
    assert has_grammar(language)
