"""The labelled lines of documents: what counts as found, and that our labels can be read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.documents.labels import DocumentScore, documents_in, mined, print_documents, score
from memlsp.model.errors import NoSuchFile

_LABELS = Path(__file__).parents[2] / "fixtures" / "corrections" / "documents"
_TEXT = """# Harbor

- Never call `send()` in a request,
  it waits.

## Project Structure

- `api/`: the routes
- `web/`: the pages
"""
_LINES = {"1": "", "3": "rule", "4": "<3", "6": "", "8": "fact", "9": "decision?"}


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    """Both halves, of one made-up document each, with its text in `data`."""
    row = {"repo": "own/harbor", "commit": "0" * 40, "path": "AGENTS.md", "licence": "", "lines": _LINES}
    for half in ("open", "sealed"):
        (tmp_path / f"{half}.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    folder = tmp_path / "data" / "own+harbor"
    folder.mkdir(parents=True)
    (folder / "AGENTS.md").write_text(_TEXT, encoding="utf-8")
    return tmp_path


def test_a_range_is_right_when_what_binds_is_in_it(labels: Path) -> None:
    (document,) = documents_in(labels / "open.jsonl", labels / "data")
    assert score(document, {(4, 4)}) == DocumentScore(right=1, wrong=0, found=1, binding=1)
    assert score(document, {(6, 6), (8, 8)}) == DocumentScore(right=0, wrong=2, found=0, binding=1)


def test_lines_that_people_would_label_differently_do_not_count(labels: Path) -> None:
    (document,) = documents_in(labels / "open.jsonl", labels / "data")
    assert score(document, {(9, 9)}) == DocumentScore(right=0, wrong=0, found=0, binding=1)


def test_what_memlsp_proposes_is_scored_beside_the_baselines(labels: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert mined("AGENTS.md", _TEXT) == {(3, 4)}
    scores = print_documents(labels, labels / "data")
    assert scores["sealed documents: memlsp"] == {"precision": 1.0, "recall": 1.0}
    assert scores["sealed documents: every list item"] == {"precision": 0.5, "recall": 1.0}
    assert "keyword list" in capsys.readouterr().out


def test_a_missing_clone_is_named(labels: Path) -> None:
    with pytest.raises(NoSuchFile, match=r"AGENTS\.md of own/harbor"):
        documents_in(labels / "open.jsonl", labels)


def test_no_repository_is_in_both_halves() -> None:
    repositories: list[set[str]] = []
    for half in ("open", "sealed"):
        rows = [json.loads(line) for line in (_LABELS / f"{half}.jsonl").read_text(encoding="utf-8").splitlines()]
        repositories.append({row["repo"] for row in rows})
    assert len(repositories[0]) > 10
    assert not repositories[0] & repositories[1]
