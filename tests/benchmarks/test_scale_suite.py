"""The suite `scale`: its words, its kept stores, and one small run against real servers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.speed.scale import run_scale
from benchmarks.speed.scale_stores import PlainSearch, kept_store
from benchmarks.speed.scale_words import ScaleWords
from memlsp.memory import Memory
from memlsp.model.errors import BadValue

SIZE = 96


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of kept stores, shared by the tests: reading the words takes seconds."""
    return tmp_path_factory.mktemp("kept")


def test_the_same_seed_gives_the_same_statements_and_questions(cache: Path) -> None:
    one, other = ScaleWords(cache, seed=3), ScaleWords(cache, seed=3)
    assert [one.statement() for _ in range(50)] == [other.statement() for _ in range(50)]
    assert [one.question() for _ in range(50)] == [other.question() for _ in range(50)]


def test_there_are_words_enough_that_a_million_memories_hold_rare_ones(cache: Path) -> None:
    words = ScaleWords(cache)
    assert len(words.sentences) > 8_000
    assert len({words.statement() for _ in range(5_000)}) > 4_000


def test_a_store_is_made_once_and_found_again(cache: Path) -> None:
    made = kept_store(cache, SIZE)
    note = (cache / f"scale-{SIZE}" / "made.json").stat().st_mtime_ns
    again = kept_store(cache, SIZE)
    assert again == made
    assert (cache / f"scale-{SIZE}" / "made.json").stat().st_mtime_ns == note


def test_a_store_of_another_layout_is_made_again(cache: Path) -> None:
    kept_store(cache, SIZE)
    path = cache / f"scale-{SIZE}" / "made.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "layout": "older"}))
    kept_store(cache, SIZE)
    assert json.loads(path.read_text())["layout"] != "older"


def test_a_store_whose_folder_was_moved_is_made_again(cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept_store(cache, SIZE)
    path = cache / f"scale-{SIZE}" / "made.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "place": "/elsewhere"}))
    kept = kept_store(cache, SIZE)
    assert "its folder was moved" in capsys.readouterr().out
    with Memory.open(kept.generated.root, data_dir=kept.generated.data) as memory:
        assert memory.recall("string").hits


def test_the_store_and_the_baseline_hold_the_same_statements(cache: Path) -> None:
    kept = kept_store(cache, SIZE)
    with Memory.open(kept.generated.root, data_dir=kept.generated.data) as memory, PlainSearch(kept.plain) as plain:
        beliefs = [judgement.belief for judgement in memory.beliefs()]
        assert len(beliefs) == SIZE
        for belief in beliefs[:: SIZE // 6]:
            assert belief.id in plain.ask(belief.text)


def test_the_baseline_takes_no_question_for_a_query(cache: Path) -> None:
    with PlainSearch(kept_store(cache, SIZE).plain) as plain:
        assert plain.ask('" OR NEAR( * : ^') == plain.ask("OR NEAR")
        assert plain.ask("") == []


def test_a_size_that_is_none_is_refused(cache: Path) -> None:
    with pytest.raises(BadValue):
        run_scale(cache, only="many")


def test_a_small_run_measures_everything(cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = run_scale(cache, quick=True, sizes=(SIZE,))
    measured = {str(case["measure"]) for case in report.cases if "p95" in case}
    assert {"recall", "plain FTS5", "hover", "lens", "recall while written to", "remember while read"} <= measured
    assert f"plain FTS5, {SIZE}" in report.baselines
    assert "MISSED" not in capsys.readouterr().out  # nothing is asked for at this size
