"""A server in which somebody types for long keeps no more than its caches hold."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from project import Project
from robust_world import Editor

from benchmarks.reporting.machine import resident_megabytes

FILES = 60
WARMING, ROUNDS = 8, 12
LARGEST_GROWTH = 10.0
"""MB for 720 edits once the caches are full; the leak that this is for kept some 25 kB an edit, or 18 MB."""

BODY = "\n".join(f"def f{number}(a, b=1):\n    x = a + {number}\n    return x * b\n" for number in range(30))


@pytest.mark.skipif(resident_megabytes(os.getpid()) is None, reason="this system does not tell what a process holds")
def test_the_memory_of_a_server_stays_while_somebody_types_for_long(project: Project, tmp_path: Path) -> None:
    paths = [f"pkg/m{number}.py" for number in range(FILES)]
    for path in paths:
        project.write(path, BODY)
    project.commit("Sixty modules")
    with Editor(project.root, tmp_path / "data", fresh=True) as editor:
        for path in paths:
            editor.open(path, BODY)
        for path in paths[::10]:
            editor.remember(path, 1, "f0 multiplies by b")
        _type(editor, paths, range(WARMING))
        before = resident_megabytes(editor.process)
        _type(editor, paths, range(WARMING, WARMING + ROUNDS))
        after = resident_megabytes(editor.process)
        assert before is not None
        assert after is not None
        assert after - before < LARGEST_GROWTH, (before, after)


def _type(editor: Editor, paths: list[str], rounds: range) -> None:
    """Give each document another text in each round, and look at every tenth."""
    for each in rounds:
        for number, path in enumerate(paths):
            editor.change(path, {"text": BODY.replace("a + 3", f"a + {1000 * each + number}")})
            if number % 10 == 0:
                assert editor.hover(path, 0)
                editor.diagnostics(path)
    assert editor.diagnostics(paths[-1]) is not None  # all before it is read
