"""The suite `edits`: what it runs, how it scores, and what it says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import suites
from benchmarks.judgement.edits import Outcome, run_case
from benchmarks.stalecode.baselines import BASELINES, Verdict, mtime, path_exists, raw_hash, verdict_of
from benchmarks.stalecode.grid import Case, Grid, Rename, Replace, edited
from benchmarks.suites import SUITES, run_suite
from memlsp.model.errors import BadValue, NoSuchFile

BASE = {"tax.py": "RATE = 0.2\n\n\ndef tax(net):\n    return net * RATE\n\n\ndef other():\n    return 1\n"}
CASE = """
[[case]]
id = "{name}"
group = "cosmetic"
cell = "comment"
belief = "The tax is a share of the net price"
at = "tax.py#tax"
steps = [{{ old = "    return net * RATE", new = "{new}" }}]
expect = "{expect}"
why = "For a test."
"""


def grid(folder: Path, *cases: tuple[str, str, str]) -> Path:
    """A grid of one language; each case is its name, what replaces the body, and the gold."""
    base = folder / "python" / "base"
    base.mkdir(parents=True)
    (base / "tax.py").write_text(BASE["tax.py"], encoding="utf-8")
    text = "\n".join(CASE.format(name=name, new=new, expect=expect) for name, new, expect in cases)
    (folder / "python" / "edits.toml").write_text(text, encoding="utf-8")
    return folder


def case(*steps: Replace | Rename, expect: str = "current", at: str = "tax.py#tax") -> Case:
    """A case about `tax`."""
    return Case("python", "one", "cosmetic", "comment", "The tax is a share", at, steps, expect, "For a test.")


def outcome_of(one: Case) -> Outcome:
    """What comes of a case on `BASE`."""
    return run_case(Grid("python", BASE, (one,), {}, {one.at: (4, 5)}), one)


COMMENT = "    # a share\\n    return net * RATE"


def test_a_run_in_which_all_is_right_ends_with_zero_and_writes_its_figures(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written = tmp_path / "result.json"
    data = grid(tmp_path / "grid", ("commented", COMMENT, "current"))
    assert run_suite("edits", data, written) == 0
    result = json.loads(written.read_text(encoding="utf-8"))
    assert set(result) == {"suite", "score", "baselines", "cases", "machine", "date"}
    assert result["score"] == {"cases": 1, "right": 1, "strict": 1.0, "trust": 1.0}
    assert result["baselines"]["raw hash"] == {"strict": 0.0, "trust": 0.0}
    assert result["baselines"]["path exists"] == {"strict": 1.0, "trust": 1.0}
    assert result["cases"][0]["got"] == "current"
    assert "1/1" in capsys.readouterr().out


def test_a_wrong_answer_ends_with_one_and_is_told_with_belief_gold_and_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = grid(tmp_path, ("fine", COMMENT, "current"), ("bad-gold", COMMENT, "orphaned"))
    assert run_suite("edits", data, None) == 1
    out = capsys.readouterr().out
    assert "python cosmetic/comment bad-gold: expected orphaned, got current" in out
    assert "The tax is a share of the net price" in out
    assert "1/2" in out


def test_only_narrows_the_run_to_the_cases_whose_name_holds_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = grid(tmp_path, ("fine", COMMENT, "current"), ("bad-gold", COMMENT, "orphaned"))
    assert run_suite("edits", data, None, only="python/cosmetic/comment/fine") == 0
    assert "1/1" in capsys.readouterr().out


def test_a_place_that_is_not_there_is_an_error_of_that_case_alone(tmp_path: Path) -> None:
    outcome = outcome_of(case(at="tax.py#nowhere"))
    assert outcome.got == "error"
    assert "nowhere" in outcome.reason
    assert not outcome.right
    assert not outcome.trusted
    assert list(tmp_path.iterdir()) == []


def test_a_sealed_set_is_counted_and_its_cases_are_never_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = grid(tmp_path / "grid", ("open-one", COMMENT, "orphaned"))
    (data / "python" / "edits.toml").rename(data / "python" / "edits-a.toml")
    sealed = CASE.format(name="sealed-one", new=COMMENT, expect="orphaned")
    (data / "python" / "edits-b.toml").write_text(sealed, encoding="utf-8")
    written = tmp_path / "result.json"
    assert run_suite("edits", data, written) == 1
    out, text = capsys.readouterr().out, written.read_text(encoding="utf-8")
    assert "open-one: expected orphaned, got current" in out
    assert "open-one" in text
    assert "sealed-one" not in out + text
    score = json.loads(text)["score"]
    assert (score["cases"], score["a cases"], score["b cases"], score["b strict"]) == (2, 1, 1, 0.0)


def test_data_that_is_no_grid_is_said(tmp_path: Path) -> None:
    with pytest.raises(BadValue, match="no edit grid"):
        run_suite("edits", tmp_path, None)


def test_a_package_without_fixtures_asks_for_the_data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(suites, "__file__", str(tmp_path / "site" / "benchmarks" / "suites.py"))
    with pytest.raises(NoSuchFile) as caught:
        run_suite("edits", None, None)
    assert "--data" in caught.value.hint


def test_an_unknown_suite_is_refused_with_the_names_of_those_there_are() -> None:
    with pytest.raises(BadValue) as caught:
        run_suite("survial", None, None)
    assert all(name in caught.value.hint for name in SUITES)


@pytest.mark.parametrize(
    ("steps", "hashed", "timed", "there"),
    [
        ((Replace("tax.py", "RATE = 0.2\n", "RATE = 0.3\n"),), Verdict.HOLDS, Verdict.STALE, Verdict.HOLDS),
        ((Replace("tax.py", "net * RATE", "RATE * net"),), Verdict.STALE, Verdict.STALE, Verdict.HOLDS),
        ((Replace("tax.py", "def tax(", "def tax_on("),), Verdict.STALE, Verdict.STALE, Verdict.HOLDS),
        ((Rename("tax.py", "taxes.py"),), Verdict.GONE, Verdict.GONE, Verdict.GONE),
    ],
)
def test_the_baselines_say_what_their_tools_would(
    steps: tuple[Replace | Rename, ...], hashed: Verdict, timed: Verdict, there: Verdict
) -> None:
    after = edited(BASE, steps)
    judged = [judge("tax.py", (4, 5), BASE, after) for judge in (raw_hash, mtime, path_exists)]
    assert judged == [hashed, timed, there]


def test_a_standing_is_weighed_in_the_words_that_a_baseline_has() -> None:
    assert verdict_of("carried") is Verdict.HOLDS
    assert verdict_of("contradicted") is Verdict.STALE
    assert verdict_of("orphaned") is Verdict.GONE


def test_trust_is_right_when_both_say_that_something_is_wrong() -> None:
    outcome = Outcome(case(expect="contradicted"), "changed", "", ())
    assert not outcome.right
    assert outcome.trusted


def test_an_answer_that_differs_when_opened_anew_is_wrong() -> None:
    assert not Outcome(case(), "current", "", (), fresh="changed").right


def test_every_baseline_judges_every_case() -> None:
    outcome = outcome_of(case(Replace("tax.py", "    return 1", "    return 2")))
    assert [name for name, _ in outcome.verdicts] == list(BASELINES)
    assert outcome.right, outcome
