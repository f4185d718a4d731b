"""The rows of `fixtures/relevance`: well formed, dealt out evenly, and read from clones where the code is public."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pygit2
import pytest

from benchmarks.judgement.relevance_rows import relevance_rows
from memlsp.model.errors import NoSuchFile

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "relevance"
GOLD = {"contradicted", "changed", "quiet"}
BEFORE = "def rate():\n    return 1\n\n\ndef other():\n    return 2\n"


def raw(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("half", ["open", "sealed"])
@pytest.mark.parametrize("name", ["classes.jsonl", "whole.jsonl", "tried.jsonl"])
def test_every_row_of_invented_code_names_a_symbol_and_an_edit(name: str, half: str) -> None:
    wrong: list[str] = []
    for row in relevance_rows(FOLDER / half / name):
        path, _, symbol = row.at.partition("#")
        named = symbol.rpartition(".")[2] in row.before.get(path, "")
        differs = any(row.before.get(each) != text for each, text in row.after.items())
        if not named or not differs or row.gold not in GOLD:
            wrong.append(row.id)
    assert not wrong


@pytest.mark.parametrize("name", ["classes.jsonl", "real.jsonl"])
def test_the_halves_share_no_row_and_are_dealt_out_evenly(name: str) -> None:
    halves = [raw(f"{half}/{name}") for half in ("open", "sealed")]
    ids = [{row["id"] for row in half} for half in halves]
    assert not ids[0] & ids[1]
    counts = [Counter((row["class"], row["gold"]) for row in half) for half in halves]
    assert all(abs(counts[0][cell] - counts[1][cell]) <= 1 for cell in counts[0] | counts[1])


@pytest.mark.parametrize("half", ["open", "sealed"])
def test_rows_of_real_code_hold_references_and_a_licence_in_place_of_the_code(half: str) -> None:
    wrong = [
        row["id"]
        for row in raw(f"{half}/real.jsonl")
        if not row["licence"] or not all(part.keys() == {"commit", "lines"} for part in row["before"].values())
    ]
    assert not wrong


def clone(folder: Path) -> str:
    """A clone `ada/shop` with one file; its commit."""
    repository = pygit2.init_repository(str(folder / "ada+shop"), bare=True)
    tree = repository.TreeBuilder()
    tree.insert("rate.py", repository.create_blob(BEFORE.encode()), pygit2.enums.FileMode.BLOB)
    someone = pygit2.Signature("Ada", "ada@example.org", 1_700_000_000, 0)
    return str(repository.create_commit("HEAD", someone, someone, "one", tree.write(), []))


def written(folder: Path, commit: str, after: object) -> Path:
    row = {
        "id": "a/b/1",
        "lang": "python",
        "class": "made",
        "repo": f"ada/shop@{commit}",
        "licence": "MIT",
        "statement": "`other` gives 2",
        "kind": "fact",
        "at": "rate.py#other",
        "before": {"rate.py": {"commit": commit, "lines": [[1, 2], [5, 6]]}},
        "after": {"rate.py": after},
        "gold": "contradicted",
        "why": "It gives 3.",
    }
    file = folder / "rows.jsonl"
    file.write_text(json.dumps(row), encoding="utf-8")
    return file


def test_an_excerpt_is_read_from_the_clone_and_the_edit_done_to_it(tmp_path: Path) -> None:
    commit = clone(tmp_path)
    [row] = relevance_rows(written(tmp_path, commit, {"edits": [[4, 4, ["    return 3"]]]}), tmp_path)
    assert row.before == {"rate.py": "def rate():\n    return 1\ndef other():\n    return 2\n"}
    assert row.after == {"rate.py": "def rate():\n    return 1\ndef other():\n    return 3\n"}


def test_an_edit_can_insert_and_remove_lines(tmp_path: Path) -> None:
    commit = clone(tmp_path)
    edits: list[list[object]] = [[1, 2, []], [4, 3, ["    # why"]]]
    [row] = relevance_rows(written(tmp_path, commit, {"edits": edits}), tmp_path)
    assert row.after == {"rate.py": "def other():\n    # why\n    return 2\n"}


def test_without_clones_rows_of_real_code_are_left_out(tmp_path: Path) -> None:
    assert not list(relevance_rows(written(tmp_path, clone(tmp_path), {"edits": []})))


def test_a_missing_clone_or_commit_is_an_error(tmp_path: Path) -> None:
    commit = clone(tmp_path)
    file = written(tmp_path, commit, {"edits": []})
    with pytest.raises(NoSuchFile):
        list(relevance_rows(file, tmp_path / "elsewhere"))
    with pytest.raises(NoSuchFile):
        list(relevance_rows(written(tmp_path, "0" * 40, {"edits": []}), tmp_path))
