from __future__ import annotations

import pytest
from project import Project

from memlsp import Memory
from memlsp.capture.workspace.worktree import Worktree
from memlsp.code.syntax.outline import Outline
from memlsp.model.caller import Caller
from memlsp.model.place import Place


def test_a_file_of_which_nothing_is_known_is_not_parsed_for_what_is_shown(
    memory: Memory, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed: list[str] = []
    outline = Worktree.outline

    def noted(self: Worktree, path: str) -> Outline | None:
        parsed.append(path)
        return outline(self, path)

    monkeypatch.setattr(Worktree, "outline", noted)
    assert (memory.findings("client.py"), memory.lenses("client.py")) == ((), ())
    assert parsed == []
    memory.remember("fetch tries three times", at=[Place("client.py", symbol="fetch")], by=Caller(folder=project.root))
    assert [lens.spot.name for lens in memory.lenses("client.py")] == ["fetch"]


def test_why_a_file_cannot_be_read_is_said_without_anything_known_of_it(memory: Memory) -> None:
    memory.open_buffer("client.py", "x = 1\n" * 900_000, 1)
    assert memory.findings("client.py") == ()
    assert "larger than 5 MB" in (memory.problem("client.py") or "")
    assert memory.problem("client.py") is None
