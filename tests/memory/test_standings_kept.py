"""Judgements that are kept are those that a fresh look would make, whatever happened in between."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from project import Project, shop

from memlsp import Memory
from memlsp.beliefs.files import Files
from memlsp.beliefs.standing import standing
from memlsp.model.belief import Belief, Limits
from memlsp.model.caller import Caller
from memlsp.model.place import Place
from memlsp.model.standing import Judgement, Standing

EDITS = [
    ("client.py", "retries=3", "retries=5"),
    ("client.py", "time.sleep(attempt)", "time.sleep(2 * attempt)"),
    ("client.py", "def fetch", "def load"),
    ("client.py", "timeout=30", "timeout=60"),
    ("pricing/tax.py", "round(net * RATE, 2)", "net * RATE"),
    ("pricing/tax.py", "class Invoice", "class Bill"),
    ("pricing/rates.py", "RATE = 0.20", "RATE = 0.25"),
]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return shop(tmp_path / "shop")


@pytest.fixture
def kept(project: Project, tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(project.root, data_dir=tmp_path / "data") as memory:

        def keep(text: str, *places: Place, because_of: tuple[str, ...] = ()) -> str:
            return memory.remember(text, at=places, because_of=because_of, by=Caller(folder=project.root)).belief.id

        fetch = keep("fetch gives up after 3 retries", Place("client.py", symbol="fetch"))
        keep("It sleeps between attempts", Place("client.py", symbol="fetch"))
        keep("compute_tax rounds to 2 places", Place("pricing/tax.py", symbol="compute_tax"))
        keep("An Invoice has a total", Place("pricing/tax.py", symbol="Invoice.total"))
        keep("The rate is in pricing/rates.py as `RATE`")
        keep("`compute_tax` is called by `Invoice`")
        keep("Callers wait", Place("client.py"), because_of=(fetch,))
        yield memory


def told(memory: Memory) -> dict[str, tuple[object, ...]]:
    return {
        each.belief.id: (each.standing, [reason.message for reason in each.reasons], [tie.line for tie in each.ties])
        for each in memory.beliefs()
    }


def afresh(project: Project, tmp_path: Path) -> dict[str, tuple[object, ...]]:
    with Memory.open(project.root, data_dir=tmp_path / "data") as memory:
        return told(memory)


@pytest.mark.parametrize("seed", range(6))
def test_after_any_edits_on_disk_a_kept_judgement_is_a_fresh_one(
    kept: Memory, project: Project, tmp_path: Path, seed: int
) -> None:
    chance = random.Random(seed)
    assert told(kept) == afresh(project, tmp_path)
    for _ in range(8):
        path, old, new = chance.choice(EDITS)
        text = (project.root / path).read_text(encoding="utf-8") if (project.root / path).exists() else ""
        if chance.random() < 0.15 and text:
            (project.root / path).rename(project.root / f"moved_{chance.randrange(1000)}.py")
        elif text:
            changed = text.replace(old, new) if old in text else text.replace(new, old)
            project.write(path, f"\n{changed}" if chance.random() < 0.3 else changed)
        assert told(kept) == afresh(project, tmp_path)


def test_a_buffer_speaks_and_is_silent_again(kept: Memory, project: Project) -> None:
    before = told(kept)
    text = (project.root / "client.py").read_text(encoding="utf-8")
    kept.open_buffer("client.py", text.replace("retries=3", "retries=5"), 1)
    assert [state[0] for state in told(kept).values()].count(Standing.CONTRADICTED) == 1
    kept.close_buffer("client.py")
    assert told(kept) == before


def test_only_what_a_changed_file_speaks_of_is_judged_again(
    kept: Memory, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    long_ago = 1_600_000_000
    for path in ("client.py", "pricing/tax.py", "pricing/rates.py"):
        os.utime(project.root / path, (long_ago, long_ago))
    told(kept)
    judged: list[str] = []
    judge = standing.judge_in

    def noting(belief: Belief, files: Files, *, now: datetime) -> Judgement:
        judged.append(belief.text)
        return judge(belief, files, now=now)

    monkeypatch.setattr(standing, "judge_in", noting)
    watching = kept.watch(lambda _: None)
    try:
        told(kept)
        judged.clear()
        told(kept)
        assert {"It sleeps between attempts", "compute_tax rounds to 2 places"}.isdisjoint(judged)
        kept.open_buffer("client.py", (project.root / "client.py").read_text(encoding="utf-8") + "\n", 1)
        told(kept)
        assert "It sleeps between attempts" in judged
        assert "compute_tax rounds to 2 places" not in judged
    finally:
        watching.stop()


def test_a_date_that_passes_is_noticed(project: Project, tmp_path: Path) -> None:
    now = [datetime(2026, 1, 1, tzinfo=UTC)]
    with Memory.open(project.root, data_dir=tmp_path / "dated", clock=lambda: now[0]) as memory:
        memory.remember("The freeze holds", limits=Limits(expires_at=now[0] + timedelta(days=3)))
        assert [each.standing for each in memory.beliefs()] == [Standing.UNBOUND]
        now[0] += timedelta(days=4)
        assert [each.standing for each in memory.beliefs()] == [Standing.EXPIRED]


def test_nothing_is_kept_of_what_was_forgotten(kept: Memory) -> None:
    told(kept)
    (first, *_) = kept.beliefs()
    from memlsp.model.audit import Selector, SelectorKind

    kept.forgetting.forget(Selector(SelectorKind.BELIEF, first.belief.id))
    told(kept)
    assert first.belief.id not in kept._judgements.standings._kept  # pyright: ignore[reportPrivateUsage]
