"""The suite `episodes`: scores, streams without gold in reach, and what is lost."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.work.episodes import run_episodes
from benchmarks.work.episodes_scores import BASELINES, b_cubed
from benchmarks.work.episodes_streams import part_of

_LABELS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=20)


def test_b_cubed_is_one_for_the_gold_itself_and_known_for_one_cluster() -> None:
    assert b_cubed([0, 0, 1], ["x", "x", "y"]).f1 == 1
    one = b_cubed([0, 0, 1, 1], [5, 5, 5, 5])
    assert (one.precision, one.recall) == (0.5, 1)


@given(_LABELS)
def test_b_cubed_turns_precision_into_recall_when_both_sides_change_places(labels: list[tuple[int, int]]) -> None:
    gold, given_labels = [a for a, _ in labels], [b for _, b in labels]
    there, back = b_cubed(gold, given_labels), b_cubed(given_labels, gold)
    assert there.precision == pytest.approx(back.recall)
    assert 0 < there.f1 <= 1


class _Repository:
    """A repository with commits at given minutes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True)
        self._git("init", "-q", "-b", "main")

    def _git(self, *words: str, minute: int = 0) -> str:
        date = f"{1_700_000_000 + 60 * minute} +0000"
        names = {f"GIT_{who}_{what}": "x@y.z" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        done = subprocess.run(
            ["git", *words],
            cwd=self.folder,
            env={"PATH": "/usr/bin:/bin:/usr/local/bin", **names, "GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()

    def commit(self, subject: str, path: str, text: str, minute: int) -> list[int | str]:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        self._git("add", "-A")
        self._git("commit", "-q", "-m", subject, minute=minute)
        return [1_700_000_000 + 60 * minute, self._git("rev-parse", "HEAD")]


def test_two_tasks_in_different_places_are_told_apart_and_lost_pairs_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    repository = _Repository(tmp_path / "owner+shop")
    repository.commit("Begin", "README.md", "a shop\n", -5_000)
    dates, carts = list[list[int | str]](), list[list[int | str]]()
    for step in range(3):
        body = "\n".join(f"    parsed_zone_{n} = parse_zone(text, {n})" for n in range(step + 1))
        dates.append(
            repository.commit(f"Parse zone {step}", "dates/zones.py", f"def parse_zone(text):\n{body}\n", 600 * step)
        )
        body = "\n".join(f"    total_{n} = price * quantity + {n}" for n in range(step + 1))
        carts.append(
            repository.commit(
                f"Cart total {step}", "carts/total.py", f"def cart_total(price, quantity):\n{body}\n", 600 * step + 300
            )
        )
    pairs = [
        ["owner/shop", "1", "2", dates, carts],
        ["owner/shop", "1", "3", dates, [[1_700_000_000, "0" * 40]]],
        ["owner/gone", "4", "5", dates, carts],
    ]
    (tmp_path / "natural-pairs.json").write_text(json.dumps(pairs))

    report = run_episodes(tmp_path)
    printed = capsys.readouterr().out
    part = part_of("owner/shop")
    assert report.score[f"{part} F1"] == 1
    assert report.baselines["one cluster"][f"{part} P"] == 0.5
    assert report.baselines.keys() >= BASELINES.keys()
    assert report.score["lost"] == 2
    assert "owner/shop 1+3: 1 commits are not in the clone" in printed
    assert "owner/gone 4+5: no clone" in printed
