"""Texts that anybody may put into a repository, each made so that a careless expression takes minutes over it."""

from __future__ import annotations

import subprocess
import sys

from patience import patience

_SCRIPT = """
from memlsp.beliefs.claims.quantities import quantities_in
from memlsp.beliefs.lifecycle.guards import read_guard
from memlsp.beliefs.mining.messages import from_message
from memlsp.beliefs.mining.passages import passages, plain
from memlsp.model.errors import BadValue

for unit in [*"[](`:*_<\\n ", "``", "::", "1:", "a.", "a:", "|-", "- ", " \\n", "a "]:
    print(repr(unit), flush=True)
    text = unit * (120_000 // len(unit))
    plain(text)
    quantities_in(text[:4_000])
    list(passages(text))
    from_message(text)
    try:
        read_guard("must not " + text[:4_000], paths=["a.py"], scope=None)
    except BadValue:
        pass
"""


def test_a_repeated_sign_holds_nobody_up() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _SCRIPT], timeout=patience(60), check=True, capture_output=True, text=True
    )
    assert done.stdout.splitlines()[-1] == "'a '"
