"""The lines of AGENTS.md and guides that name a place are known at that place, with nothing to admit."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from memlsp.faces.cli.app import memlsp
from memlsp.memory import Memory
from tests.project import Project

GUIDE = """# Guide

- `compute_tax` rounds half up, see `pricing/tax.py`.
- Settings are in `pricing/tax.py`.
- Run `total` first.
- Retries in `client.py`: `fetch` tries three times.

```python
compute_tax(1)
```

<!-- memlsp: written by `memlsp sync` from .memlsp/beliefs; edits here are lost -->
- `compute_tax` is known already.
<!-- memlsp: end of what `memlsp sync` wrote -->
"""


@pytest.fixture
def guided(project: Project, memory: Memory) -> Memory:
    project.write("AGENTS.md", GUIDE)
    project.write("docs/notes.md", "- `compute_tax` is slow.\n")
    memory.files_changed(None)
    return memory


@pytest.mark.parametrize(
    ("path", "symbol", "lines"),
    [
        ("pricing/tax.py", "compute_tax", [3]),
        ("pricing/tax.py", "", [3, 4]),
        ("client.py", "fetch", [6]),
        ("pricing/tax.py", "fetch", []),  # a common word, and the line names another file
        ("other.py", "total", []),
    ],
)
def test_a_place_has_the_lines_that_name_it(guided: Memory, path: str, symbol: str, lines: list[int]) -> None:
    found = guided.documents.at(path, symbol)
    assert [each.line for each in found] == lines
    assert {each.document for each in found} <= {"AGENTS.md"}


def test_an_edit_of_the_document_counts_at_once(guided: Memory, project: Project) -> None:
    assert guided.documents.at("pricing/tax.py", "compute_tax")
    project.write("AGENTS.md", "# Guide\n\nNothing.\n")
    guided.files_changed(["AGENTS.md"])
    assert guided.documents.at("pricing/tax.py", "compute_tax") == ()


def test_why_lists_them(guided: Memory, project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project.root)
    told = CliRunner().invoke(memlsp, ["why", "pricing/tax.py#compute_tax"]).stdout
    assert "AGENTS.md:3 says: `compute_tax` rounds half up, see `pricing/tax.py`." in told
    read = json.loads(CliRunner().invoke(memlsp, ["why", "pricing/tax.py#compute_tax", "--json"]).stdout)
    assert [(each["document"], each["line"]) for each in read["documents"]] == [("AGENTS.md", 3)]
