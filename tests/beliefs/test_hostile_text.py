"""Texts that anybody may put into a repository, each made so that a careless expression takes minutes over it."""

from __future__ import annotations

import subprocess
import sys

import pytest
from patience import patience

_UNITS = ["[", "]", "(", "`", "``", ":", "::", "1:", "a.", "a:", "|-", "*", "_", "<", "- ", "\n", " ", " \n", "a "]
_SCRIPT = """
import sys
from memlsp.beliefs.claims.quantities import quantities_in
from memlsp.beliefs.lifecycle.guards import read_guard
from memlsp.beliefs.mining.messages import from_message
from memlsp.beliefs.mining.passages import passages, plain
from memlsp.model.errors import BadValue

unit = sys.argv[1]
text = unit * (120_000 // len(unit))
plain(text)
quantities_in(text[:40_000])
list(passages(text))
from_message(text)
try:
    read_guard("must not " + text[:4_000], paths=["a.py"], scope=None)
except BadValue:
    pass
"""


@pytest.mark.parametrize("unit", _UNITS)
def test_a_repeated_sign_holds_nobody_up(unit: str) -> None:
    subprocess.run([sys.executable, "-c", _SCRIPT, unit], timeout=patience(40), check=True)
