"""The suite `scale`: its words, its kept stores, and one small run against real servers."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from benchmarks.codememory.peers import peers_of
from benchmarks.speed.scale import run_scale
from benchmarks.speed.scale_peers import BATCH, ask_peer
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


_PEER = """
from stalecode.serve import serve


class Peer:
    def begin(self, folder, data):
        self.notes = {}

    def learn(self, notes):
        self.notes.update((note["id"], set(note["text"].split())) for note in notes)

    def recall(self, text, k):
        asked = set(text.split())
        return {"ids": sorted(self.notes, key=lambda id: -len(asked & self.notes[id]))[:k]}


serve(Peer())
"""


def test_another_memory_learns_the_same_statements_and_is_asked_the_same(cache: Path, tmp_path: Path) -> None:
    adapter = tmp_path / "adapter.py"
    adapter.write_text(_PEER)
    kept = kept_store(cache, SIZE)
    questions = [ScaleWords(cache, seed=5).question() for _ in range(6)]
    [start] = peers_of([f"mine={sys.executable} {adapter}"]).values()
    figures = ask_peer(start, kept.plain, questions, warm_up=2)
    assert figures.reached == SIZE
    assert len(figures.asked) == 4


def test_a_peer_that_is_slow_to_learn_is_asked_at_what_it_reached(cache: Path, tmp_path: Path) -> None:
    adapter = tmp_path / "adapter.py"
    adapter.write_text(_PEER)
    kept = kept_store(cache, 4 * BATCH)
    [start] = peers_of([f"mine={sys.executable} {adapter}"]).values()
    assert ask_peer(start, kept.plain, [], warm_up=2, learning=0).reached == BATCH


def test_a_peer_that_errs_is_told_by_name(cache: Path, tmp_path: Path) -> None:
    adapter = tmp_path / "adapter.py"
    adapter.write_text(
        _PEER.replace("self.notes.update", "raise OSError('the disk is full')\n        self.notes.update")
    )
    [start] = peers_of([f"mine={sys.executable} {adapter}"]).values()
    with pytest.raises(BadValue, match="mine: OSError: the disk is full"):
        ask_peer(start, kept_store(cache, SIZE).plain, [], warm_up=0)
