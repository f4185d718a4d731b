"""The suite `drift`: what it mines, what it hides, how it scores, and the weights that come of it."""

from __future__ import annotations

import random
from pathlib import Path

import pygit2
import pytest

from benchmarks.judgement.drift import is_known, shipped_with
from benchmarks.judgement.drift_features import Judged, judged
from benchmarks.judgement.drift_gold import Fate, fate_of, is_kept, sentences_of
from benchmarks.judgement.drift_mining import Item, mined, repositories_in
from benchmarks.judgement.logistic_fit import Ranking, area, average_precision, fit, interval, precision_and_recall
from benchmarks.judgement.train_drift import learnt
from benchmarks.suites import run_suite
from memlsp.beliefs.standing.relevance_model import ABOUT, weights
from memlsp.model.errors import NoSuchFile

FETCH = '''import net


class Client:
    """All calls go through a zebra."""

    def fetch(self, url, tries=3):
        """{docs}"""
        for _ in range(tries):
            {body}
        return None
'''
BEFORE = FETCH.format(docs="Fetch a page; it is tried three times.", body="net.get(url)")


def repository(folder: Path, *states: str) -> Path:
    """A repository in which one file went through these states."""
    made = pygit2.init_repository(str(folder), initial_head="main")
    someone = pygit2.Signature("Ada", "ada@example.org", 1_700_000_000, 0)
    parents: list[pygit2.Oid] = []
    for state in states:
        (folder / "client.py").write_text(state, encoding="utf-8")
        made.index.add_all()
        made.index.write()
        parents = [made.create_commit("HEAD", someone, someone, "Go on", made.index.write_tree(), parents)]
    return folder


def items(folder: Path, *states: str) -> tuple[Item, ...]:
    return mined("some/where", repository(folder, *states)).items


@pytest.mark.parametrize(
    ("old", "new", "fate"),
    [
        ("Send the file.", "Send  the\n\nfile.", Fate.LEFT),
        ("Return the users name.", "Returns the user's names.", Fate.LEFT),
        ("Sends the repsonse.", "Sends the response.", Fate.LEFT),
        ("See :class:`Flask`.", "See :class:`~flask.Flask`.", Fate.REWRITTEN),
        ("See :class:`Flask`.", "See ``Flask``.", Fate.LEFT),
        ("Send the file.", "Send the file.\n\n:param mode: how to open it.", Fate.EXTENDED),
        ("It is tried three times.", "It is tried five times.", Fate.REWRITTEN),
        ("One thing. Another thing.", "Another thing. One thing.", Fate.LEFT),
    ],
)
def test_only_what_a_docstring_says_decides_what_became_of_it(old: str, new: str, fate: Fate) -> None:
    assert fate_of(old, new) is fate


def test_a_docstring_that_was_rewritten_with_the_code_is_a_positive(tmp_path: Path) -> None:
    after = FETCH.format(docs="Fetch a page; it is tried for as long as it takes.", body="net.post(url)")
    (item,) = items(tmp_path, BEFORE, after)
    assert item.positive
    assert item.symbol == "Client.fetch"
    assert item.question.statement == "Fetch a page; it is tried three times."


def test_a_docstring_that_was_left_with_other_code_is_a_negative(tmp_path: Path) -> None:
    (item,) = items(tmp_path, BEFORE, BEFORE.replace("net.get", "net.post"))
    assert not item.positive
    assert item.fate is Fate.LEFT


def test_a_change_of_layout_or_of_the_docstring_alone_is_no_item(tmp_path: Path) -> None:
    spaced = BEFORE.replace("net.get(url)", "net.get( url )")
    assert not items(tmp_path, BEFORE, spaced, spaced.replace("three times", "often"))


def test_what_is_judged_cannot_see_a_docstring(tmp_path: Path) -> None:
    after = FETCH.format(docs="Fetch a giraffe.\n\n        Over several lines.\n        ", body="net.post(url)")
    (item,) = items(tmp_path, BEFORE, after)
    question = item.question
    assert not question.old.facts.docs.strip("' ")
    assert not question.new.facts.docs.strip("' ")
    for source in (question.old_source, question.new_source):
        assert b"zebra" not in source
        assert b"giraffe" not in source
        assert b"three times" not in source
    assert all("giraffe" not in token for token in question.new.facts.tokens)


def test_sentences_that_say_something_are_judged_apart() -> None:
    text = "Send a file to the client.\n\n.. versionadded:: 0.2\n\n:param path: where the file lies on disk.\nNo."
    assert sentences_of(text, most=4) == ["Send a file to the client.", ":param path: where the file lies on disk."]
    assert len(sentences_of("This one says a thing. " * 9, most=4)) == 4


def test_a_sentence_is_kept_when_its_words_are_there() -> None:
    assert is_kept("Send a file to the client.", "First of all, sends the file\nto a client. And more.")
    assert not is_kept("Send a file to the client.", "Send a stream to the client.")


def test_clones_bare_repositories_and_nested_ones_are_found(tmp_path: Path) -> None:
    repository(tmp_path / "plain", BEFORE)
    repository(tmp_path / "psf+black" / "repo", BEFORE)
    pygit2.init_repository(str(tmp_path / "bare.git"), bare=True)
    (tmp_path / "notes").mkdir()
    assert set(repositories_in(tmp_path)) == {"plain", "psf/black", "bare"}


def test_the_area_is_the_share_of_pairs_in_order() -> None:
    assert area([0.1, 0.2, 0.3, 0.4], [False, False, True, True]) == 1
    assert area([0.1, 0.3, 0.2, 0.4], [False, False, True, True]) == 0.75
    assert area([1, 1, 1, 1], [False, False, True, True]) == 0.5


def test_average_precision_counts_from_the_top() -> None:
    assert average_precision([4, 3, 2, 1], [True, False, True, False]) == pytest.approx((1 + 2 / 3) / 2)
    assert average_precision([1, 1, 1, 1], [True, False, False, False]) == 0.25
    assert precision_and_recall([0.9, 0.6, 0.1], [True, False, True], 0.5) == (0.5, 0.5, 2)


def test_a_fit_finds_what_decides_and_is_the_same_again() -> None:
    chance = random.Random(1)
    rows = [(chance.random(), chance.random()) for _ in range(400)]
    gold = [row[0] + 0.2 * chance.random() > 0.6 for row in rows]
    found = fit(rows, gold, penalty=1.0)
    assert found.weights[0] > 10 * abs(found.weights[1])
    assert area([found.likelihood(row) for row in rows], gold) > 0.95
    assert fit(rows, gold, penalty=1.0) == found


def test_an_interval_holds_its_figure_and_is_the_same_again() -> None:
    scores, gold = [float(n % 17) for n in range(200)], [n % 17 > 9 + n % 5 for n in range(200)]
    groups = [n // 2 for n in range(200)]
    low, high = interval(Ranking.area, scores, gold, groups, draws=50)
    assert low < area(scores, gold) < high
    assert interval(Ranking.area, scores, gold, groups, draws=50) == (low, high)


def test_the_weights_that_come_with_the_program_weigh_what_is_told_of_a_change() -> None:
    assert set(weights().of) == set(ABOUT)
    assert 0 < weights().aside < weights().mark < 1
    assert weights().likelihood(dict.fromkeys(ABOUT, 0.0)) < weights().aside


def test_the_repositories_that_taught_are_known_whatever_their_folder_is_called() -> None:
    assert "pallets/flask" in shipped_with()
    assert is_known("flask")
    assert not is_known("psf/requests")


def test_what_is_learnt_has_its_figures_beside_it(tmp_path: Path) -> None:
    rows: dict[str, list[Judged]] = {}
    for name in ("one", "two"):
        states = [BEFORE]
        for n in range(6):
            docs = f"Fetch page {n}." if n % 2 else "Fetch a page; it is tried three times."
            body = "net.get(url)" if n % 2 else f"net.post(url, {n}, self.a, self.b)"
            states.append(FETCH.format(docs=docs, body=body))
        rows[name] = list(judged(items(tmp_path / name, *states)))
    content = learnt(rows, {"one": rows["one"], "two": rows["two"]})
    assert content["figures"]["items"] == sum(map(len, rows.values()))  # type: ignore[index]
    assert set(content["of"]) == set(ABOUT)  # type: ignore[arg-type]


def test_without_histories_the_suite_says_how_they_are_laid_out(tmp_path: Path) -> None:
    with pytest.raises(NoSuchFile) as error:
        run_suite("drift", tmp_path, None)
    assert "owner+name" in error.value.hint


def test_the_table_has_the_baselines_and_the_errors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    after = FETCH.format(docs="Fetch a page as often as it takes.", body="net.post(url)")
    repository(tmp_path / "data" / "zoo", BEFORE, after, after.replace("net.post", "net.put"))
    assert run_suite("drift", tmp_path / "data", tmp_path / "out.json") == 0
    printed = capsys.readouterr().out
    for expected in ("deleted names", "hand mix", "per 100 commits", "Surest and left as it was", "never saw"):
        assert expected in printed
    assert (tmp_path / "out.json").is_file()
