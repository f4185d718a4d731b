"""The suite `recall`: histories become tasks that know nothing of the future, and systems are asked alike."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from benchmarks.codememory.conversations import beam, locomo
from benchmarks.codememory.mining import mined
from benchmarks.codememory.peers import Peer, peers_of
from benchmarks.codememory.records import Note, Task, gold_path, read_gold, read_records, write_records
from benchmarks.codememory.replay import Asked, Paired, Score, replay
from benchmarks.codememory.systems import Answer, Grep, Newest, PlainText, SplitText, System
from benchmarks.codememory.wording import says_enough, task_text
from benchmarks.recall.recall import run_recall
from benchmarks.stalecode.repositories import DEVELOP, JUDGE, part_of
from memlsp.model.errors import BadValue, NoSuchFile

_FIXTURE = Path(__file__).parents[2] / "fixtures" / "codememory" / "ledger.jsonl"


class _Repository:
    """A repository with commits that are a minute apart."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        self._minute = 0
        self.git("init", "-q", "-b", "main")

    def git(self, *words: str) -> str:
        self._minute += 1
        date = f"{1_700_000_000 + 60 * self._minute} +0000"
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

    def commit(self, message: str, **files: str) -> str:
        for name, text in files.items():
            (self.folder / f"{name}.py").write_text(text, encoding="utf-8")
        self.git("add", ".")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")


def _function(name: str, value: int) -> str:
    return f"def {name}(order):\n    total = order.total * {value}\n    return total\n"


def test_a_task_needs_the_commits_that_changed_its_symbols_and_nothing_that_came_later(tmp_path: Path) -> None:
    made = _Repository(tmp_path / "shop")
    born = made.commit("Work out the price of an order", price=_function("price", 2))
    made.commit("Work out the weight of parcels", weight=_function("weight", 3))
    made.commit("Weigh parcels with their boxes", weight=_function("weight", 4))
    raised = made.commit("Raise prices for the summer season", price=_function("price", 5))
    later = made.commit("Lower prices again after summer season", price=_function("price", 6))
    found = mined(made.folder)
    assert found.gold[raised] == {born}
    assert found.gold[later] == {born, raised}
    assert found.notes == 5
    ids = [record.id for record in found.records if isinstance(record, Note)]
    at = found.records.index(next(r for r in found.records if isinstance(r, Task) and r.id == raised))
    known = [record.id for record in found.records[:at] if isinstance(record, Note)]
    assert raised not in known
    assert later not in known
    assert ids.index(raised) == len(known)


def test_gold_follows_a_symbol_through_its_renames(tmp_path: Path) -> None:
    made = _Repository(tmp_path / "shop")
    made.commit("Begin", other=_function("other", 1))
    born = made.commit("Work out the price of an order", price=_function("price", 2))
    renamed = made.commit("Call prices what customers call them", price=_function("cost_of_order", 2))
    asked = made.commit("Raise prices for the summer season", price=_function("cost_of_order", 5))
    assert mined(made.folder).gold[asked] == {born, renamed}


def test_a_merge_is_one_task_with_all_that_it_brought_and_is_asked_before_any_of_it(tmp_path: Path) -> None:
    made = _Repository(tmp_path / "shop")
    born = made.commit("Work out the price of an order", price=_function("price", 2))
    made.commit("Work out the weight of parcels", weight=_function("weight", 3))
    made.git("checkout", "-q", "-b", "side")
    one = made.commit("Raise prices for the summer season", price=_function("price", 5))
    made.git("checkout", "-q", "main")
    made.commit("Weigh parcels with their boxes", weight=_function("weight", 4))
    made.git("merge", "-q", "--no-ff", "-m", "Merge pull request #3 from someone/side", "side")
    merge = made.git("rev-parse", "HEAD")
    found = mined(made.folder)
    assert found.gold[merge] == {born}
    lines = [record.id for record in found.records]
    assert lines.index(merge) < lines.index(one)
    assert "Raise prices" in next(r.text for r in found.records if isinstance(r, Task) and r.id == merge)


def test_the_text_of_a_task_points_to_no_commit_issue_or_link() -> None:
    text = task_text(
        [
            "Keep cookies when a session ends (#1234)\n\nAs 0a1b2c3d did, see https://example.org/pull/7.\n",
            "Fixes #99\nCo-authored-by: A <a@b.c>\nSigned-off-by: B <b@b.c>\n",
        ]
    )
    assert "Keep cookies when a session ends" in text
    for told in ("1234", "0a1b2c3d", "https", "99", "Co-authored", "Signed-off"):
        assert told not in text


@pytest.mark.parametrize(
    "message",
    ['Revert "Keep cookies when a session ends"', "Bump tox from 4 to 5", "fixup! Keep cookies", "Release 2.0"],
)
def test_housekeeping_is_no_task(message: str) -> None:
    assert not says_enough(task_text([message]))


def test_no_repository_judges_what_was_developed_on_it() -> None:
    assert not set(DEVELOP) & set(JUDGE)
    assert len(set(JUDGE)) >= 8
    assert {part_of(name) for name in (*DEVELOP, *JUDGE)} == {"develop", "judge"}
    assert part_of("somebody/else") == "other"


def test_notes_and_tasks_come_back_from_their_file_as_they_went_in(tmp_path: Path) -> None:
    records = list(read_records(_FIXTURE))
    copy = tmp_path / "copy.jsonl"
    write_records(copy, records, read_gold(_FIXTURE))
    assert list(read_records(copy)) == records
    assert read_gold(copy) == read_gold(_FIXTURE)
    assert "gold" not in copy.read_text(encoding="utf-8")


def test_a_line_that_is_neither_note_nor_task_is_named(tmp_path: Path) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"task": "1", "text": "x"}\n{"other": 1}\n', encoding="utf-8")
    with pytest.raises(ValueError, match=r"bad\.jsonl, line 2"):
        list(read_records(bad))


class _Watching:
    """Answers with all that it knows, and notes what that was."""

    name = "watching"

    def __init__(self) -> None:
        self.known: list[str] = []
        self.asked: list[tuple[str, ...]] = []
        self.closed = False

    def learn(self, notes: Sequence[Note]) -> None:
        self.known += [note.id for note in notes]

    def recall(self, text: str, k: int) -> Answer:
        self.asked.append(tuple(self.known))
        return Answer(tuple(self.known[:k]))

    def close(self) -> None:
        self.closed = True


def test_a_system_knows_at_a_task_what_stands_before_it_and_is_closed_at_the_end() -> None:
    system = _Watching()
    replay("ledger", read_records(_FIXTURE), lambda: read_gold(_FIXTURE), lambda: system)
    before: list[str] = []
    expected: list[tuple[str, ...]] = []
    for record in read_records(_FIXTURE):
        if isinstance(record, Note):
            before.append(record.id)
        else:
            expected.append(tuple(before))
    assert system.asked == expected
    assert system.closed


def test_scores_are_what_the_gold_says() -> None:
    one = Asked("r", "a", 2, (False, True, True), (100, 300, 2_000), 0.01)
    two = Asked("r", "b", 1, (False,), (10,), 0.02)
    score = Score.of([one, two])
    assert (score.recall, score.whole, score.some) == (0.5, 0.5, 0.5)
    assert score.mrr == 0.25
    assert score.within == 0.25  # the third place does not fit into 1,200 tokens
    assert score.tokens == 1_005
    paired = Paired.of([one, two], [two, Asked("r", "a", 2, (True,), (5,), 0.0)])
    assert (paired.won, paired.lost, paired.same) == (1, 0, 1)
    assert paired.least <= paired.more == 0.25 <= paired.most


@pytest.mark.parametrize("make", [Newest, Grep, PlainText, SplitText])
def test_baselines_answer_with_what_they_learnt_and_take_any_question(make: type[System]) -> None:
    system = make()
    notes = [record for record in read_records(_FIXTURE) if isinstance(record, Note)]
    system.learn(notes)
    ids = {note.id for note in notes}
    for question in ("Retry a transfer", '"', "a:b OR (c", "\0", "", "x" * 100_000, "NEAR(", "*"):
        answer = system.recall(question, 3)
        assert len(answer.ids) <= 3
        assert set(answer.ids) <= ids
    system.close()


def test_the_suite_runs_on_its_own_fixture_and_puts_baselines_beside_ours(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    report = run_recall(_FIXTURE.parent)
    assert {"newest", "grep", "FTS5", "FTS5, names split", "memlsp, as beliefs"} <= set(report.baselines)
    assert report.baselines["FTS5"]["other recall@10"] == 1
    assert report.baselines["memlsp, as beliefs"]["other recall@10"] > 0.8
    assert "+/- FTS5" in capsys.readouterr().out
    again = run_recall(_FIXTURE.parent)
    found = [{key: value for key, value in case.items() if key != "ms"} for case in report.cases]
    assert found == [{key: value for key, value in case.items() if key != "ms"} for case in again.cases]
    assert json.dumps(found)
    assert gold_path(_FIXTURE).is_file()


_PEER = """
from stalecode.serve import serve

class Last:
    def begin(self, folder, data): self.ids = []
    def learn(self, notes): self.ids += [note["id"] for note in notes]
    def recall(self, text, k):
        print("chatter that is no answer")
        return {"ids": self.ids[-k:]}

serve(Last())
"""


def test_another_memory_is_asked_in_a_process_of_its_own_and_may_print_what_it_likes(tmp_path: Path) -> None:
    adapter = tmp_path / "adapter.py"
    adapter.write_text(_PEER, encoding="utf-8")
    (make,) = peers_of([f"last={sys.executable} {adapter}"]).values()
    peer = make()
    notes = [record for record in read_records(_FIXTURE) if isinstance(record, Note)]
    peer.learn(notes)
    assert peer.recall("anything", 2).ids == (notes[-2].id, notes[-1].id)
    peer.close()


def test_the_adapter_that_the_documentation_shows_works_as_it_stands(tmp_path: Path) -> None:
    page = (_FIXTURE.parents[2] / "docs" / "how-to" / "measure-a-memory.md").read_text(encoding="utf-8")
    adapter = tmp_path / "adapter.py"
    adapter.write_text(page.partition("```python\n")[2].partition("```")[0], encoding="utf-8")
    report = run_recall(_FIXTURE.parent, peers=[f"shown={sys.executable} {adapter}"])
    assert report.baselines["shown"]["other recall@10"] > 0.5


def test_a_memory_that_ends_before_its_time_is_named_with_its_last_words(tmp_path: Path) -> None:
    adapter = tmp_path / "adapter.py"
    adapter.write_text("raise SystemExit('no model here')", encoding="utf-8")
    with pytest.raises(BadValue, match=r"broken: ended.*no model here"):
        Peer("broken", [sys.executable, str(adapter)])


@pytest.mark.parametrize("entry", ["nothing", "=command", "name=", "name=   "])
def test_a_peer_without_name_or_command_is_refused(entry: str) -> None:
    with pytest.raises(BadValue, match="NAME=COMMAND"):
        peers_of([entry])


def _clone(folder: Path, **files: object) -> Path:
    """A repository that holds some JSON files, their paths with `__` for the slash."""
    made = _Repository(folder)
    for name, content in files.items():
        path = made.folder / f"{name.replace('__', '/')}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content), encoding="utf-8")
    made.commit("Publish")
    return made.folder


def test_a_conversation_of_locomo_becomes_turns_and_questions_with_their_evidence(tmp_path: Path) -> None:
    turns = [{"speaker": "Ada", "dia_id": f"D1:{n}", "text": f"word{n}"} for n in range(1, 12)]
    later = [{"speaker": "Bob", "dia_id": "D10:1", "text": "last", "blip_caption": "a boat"}]
    asked: list[dict[str, object]] = [
        {"question": "Which word?", "evidence": ["D1:3; D10:1"], "category": 1},
        {"question": "Never said?", "evidence": [], "category": 5},
        {"question": "A turn that is not there?", "evidence": ["D9:9"], "category": 4},
    ]
    said = {"session_10": later, "session_1": turns, "speaker_a": "Ada"}
    sample = {"sample_id": "c1", "qa": asked, "conversation": said}
    folder = _clone(tmp_path / "l", data__locomo10=[sample])
    (found,) = locomo(folder)
    notes = [record for record in found.records if isinstance(record, Note)]
    assert [note.id for note in notes] == [*(f"D1:{n}" for n in range(1, 12)), "D10:1"]
    assert "a boat" in notes[-1].text
    assert found.gold == {"c1/0": {"D1:3", "D10:1"}}
    assert set(found.kinds.values()) == {"several turns"}


def test_a_conversation_of_beam_takes_its_evidence_however_deep_it_is_written(tmp_path: Path) -> None:
    messages = [[{"role": "user", "id": n, "content": f"word{n}"} for n in range(5)]]
    asked = {
        "knowledge_update": [{"question": "Which?", "source_chat_ids": {"old": [1], "new": [[3]]}}],
        "abstention": [{"question": "Never said?"}],
    }
    folder = _clone(
        tmp_path / "b",
        chats__100K__2__chat=[{"turns": messages}],
        chats__100K__2__probing_questions__probing_questions=asked,
    )
    (found,) = beam(folder)
    assert found.gold == {"2/0": {"1", "3"}}
    assert set(found.kinds.values()) == {"knowledge update"}


def test_any_clone_is_read_when_it_is_asked_for_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def cache(_name: str) -> Path:
        return tmp_path / "cache"

    monkeypatch.setattr("benchmarks.recall.recall.user_cache_path", cache)
    made = _Repository(tmp_path / "somebody+shop")
    made.commit("Work out the price of an order", price=_function("price", 2))
    made.commit("Work out the weight of parcels", weight=_function("weight", 3))
    made.commit("Raise prices for the summer season", price=_function("price", 5))
    with pytest.raises(NoSuchFile):
        run_recall(tmp_path)
    assert len(run_recall(tmp_path, only="shop").cases) == len(run_recall(tmp_path, only="shop").baselines) + 1
    assert capsys.readouterr().out.count("reading somebody/shop") == 1


def test_what_others_answered_in_an_earlier_report_is_not_asked_again_and_what_we_answered_is(tmp_path: Path) -> None:
    first = run_recall(_FIXTURE.parent)
    cases = [{**case, "found": [], "tokens": [7]} for case in first.cases]
    kept = tmp_path / "earlier.json"
    kept.write_text(json.dumps({"cases": cases}), encoding="utf-8")
    again = run_recall(_FIXTURE.parent, cache=kept)
    assert again.baselines["FTS5"]["other recall@10"] == 0
    assert again.score["other recall@10"] == first.score["other recall@10"] > 0
    kept.write_text("no report", encoding="utf-8")
    assert run_recall(_FIXTURE.parent, cache=kept).baselines["FTS5"]["other recall@10"] == 1
