"""The suite `contradictions`: which pairs of statements contradict each other, and which live together.

Four sorts of pairs: our own with their near misses (`develop.toml`, on which the rules were made; `opened.toml`, which
judged the first of them; `held-out.toml`, which judges; by a third author `opened-c.toml` for developing and
`sealed-c.toml`, which judges), what BEAM's makers call contradictions in conversations, commits with the commits that
reverted them, and what a project depended on with the commit that replaced it. Of the
last three some conversations and repositories are for developing and the others judge. Beside our rules stand the two
that other memories use, with thresholds that were fitted on `develop.toml`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from attrs import frozen

from benchmarks.reporting.report import Report
from benchmarks.reporting.tables import fraction, percent, table
from benchmarks.stalecode.baselines import best_threshold, similarity
from benchmarks.stalecode.pairs import Pair, Said, pairs_in
from memlsp.beliefs.claims.stems import prose_words, stem
from memlsp.beliefs.contradiction.contradiction import contradiction_between

RECALL, FALSE_ALARMS = 0.85, 0.05
"""What the design asks for: of the conflicts at least, and of the pairs that live together less than."""


_OPEN = {
    "our pairs, developed on": "develop.toml",
    "our pairs, opened since": "opened.toml",
    "third author, opened": "opened-c.toml",
    "fourth author, opened": "opened-d.toml",
    "fifth author, opened": "opened-e.toml",
}
_JUDGING = {
    "our pairs, held out": "held-out.toml",
    "third author, sealed": "sealed-c.toml",
    "fourth author, sealed": "sealed-d.toml",
    "fifth author, sealed": "sealed-e.toml",
}
"""Sets of which neither report nor JSON has a word."""


@frozen
class Outcome:
    """What one way did with one set of pairs."""

    found: int
    conflicts: int
    alarms: int
    together: int

    @property
    def passed(self) -> bool:
        """True when the design's targets are met."""
        return self.found >= RECALL * self.conflicts and self.alarms < FALSE_ALARMS * self.together


Way = Callable[[Pair], bool]


def run_contradictions(folder: Path, data: Path | None, *, quick: bool = False) -> Report:
    """Measure, and print the table. `folder` holds our pairs, `data` clones (BEAM, and repositories with a history),
    without which their rows are left out; `quick` leaves them out too. Passes when the targets are met on both sets of
    ours that judge; the score is that of the held-out pairs."""
    sets = {name: pairs_in(folder / file) for name, file in (_OPEN | _JUDGING).items()}
    if data is not None and not quick:
        from benchmarks.judgement.contradictions_mining import mined_sets

        sets.update(mined_sets(data))
    ways = ways_fitted(sets["our pairs, developed on"])
    rows: list[Sequence[str]] = []
    scores: dict[str, dict[str, float]] = {}
    wrong: list[Mapping[str, object]] = []
    passed = True
    for name, pairs in sets.items():
        for way, decide in ways.items():
            outcome = outcome_of(pairs, decide)
            rows.append(_row(name if way == "memlsp" else "", way, outcome))
            scores[f"{name}: {way}"] = _score(outcome)
            if way == "memlsp":
                wrong += [_case(name, pair) for pair in pairs if decide(pair) is not pair.conflict]
                passed = passed and (name not in _JUDGING or outcome.passed)
        rows.append(())
    print(table(("pairs", "by", "conflicts found", "", "false alarms", ""), rows[:-1], left=2))
    if not quick and data is None:
        print("\nwithout --data: a folder with clones of mohammadtavakoli78/BEAM and of repositories adds three sets")
    return Report("contradictions", scores.pop("our pairs, held out: memlsp"), scores, wrong, passed=passed)


def outcome_of(pairs: Sequence[Pair], decide: Way) -> Outcome:
    """Count what `decide` calls a conflict."""
    called = [(pair.conflict, decide(pair)) for pair in pairs]
    return Outcome(
        sum(truth and said for truth, said in called),
        sum(truth for truth, _ in called),
        sum(said and not truth for truth, said in called),
        sum(not truth for truth, _ in called),
    )


# --- ways


def ways_fitted(pairs: Sequence[Pair]) -> dict[str, Way]:
    """Our rules, the same without conditions and places that were given, and the rules of others with the
    thresholds that do best on these pairs."""
    overlap, likeness = _best(pairs, word_overlap), _best(pairs, alike)
    return {
        "memlsp": by_slots,
        "without what was given": lambda pair: contradiction_between(pair.first.text, pair.second.text) is not None,
        f"word overlap of {overlap:.2f} or more": lambda pair: word_overlap(pair) >= overlap,
        f"similarity of {likeness:.2f} or more": lambda pair: alike(pair) >= likeness,
    }


def by_slots(pair: Pair) -> bool:
    """Our rules, with conditions and places. Of two statements that are tied to different files only what both name
    can be meant by both, as `beliefs.contradicting` has it for beliefs."""
    one, other = pair.first, pair.second
    if one.at and other.at and one.at != other.at:
        return False
    special, same = bool(one.at) is not bool(other.at), bool(one.at)
    clash = contradiction_between(one.text, other.text, one.when, other.when, special=special, same_place=same)
    return clash is not None


def word_overlap(pair: Pair) -> float:
    """The words that two statements share, of all that they have."""
    one, other = _words(pair.first.text), _words(pair.second.text)
    return len(one & other) / len(one | other) if one | other else 0.0


def alike(pair: Pair) -> float:
    """The cosine of their counts of three signs in a row."""
    return similarity(pair.first.text, pair.second.text)


def _words(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in prose_words(text))


def _best(pairs: Sequence[Pair], measure: Callable[[Pair], float]) -> float:
    return best_threshold([(measure(pair), pair.conflict) for pair in pairs])


# --- the table


def _row(name: str, way: str, outcome: Outcome) -> Sequence[str]:
    return (
        name,
        way,
        fraction(outcome.found, outcome.conflicts),
        percent(outcome.found, outcome.conflicts),
        fraction(outcome.alarms, outcome.together),
        percent(outcome.alarms, outcome.together),
    )


def _score(outcome: Outcome) -> dict[str, float]:
    return {
        "recall": outcome.found / outcome.conflicts if outcome.conflicts else 0.0,
        "false_alarms": outcome.alarms / outcome.together if outcome.together else 0.0,
    }


def _case(name: str, pair: Pair) -> Mapping[str, object]:
    """A wrong decision for the JSON. Of pairs that judge only the set is told, so that nobody mends a rule by them; of
    others' data no text is kept."""
    wrong = "missed" if pair.conflict else "false alarm"
    if name in _OPEN:
        return {"set": name, "wrong": wrong, "pattern": pair.origin, "texts": [pair.first.text, pair.second.text]}
    return {"set": name, "wrong": wrong} if name in _JUDGING else {"set": name, "wrong": wrong, "in": pair.origin}


def cross(pairs: Sequence[tuple[str, str]], origin: str, most: int = 3) -> Iterator[Pair]:
    """True pairs as conflicts, and each first statement with up to `most` other second ones as pairs that live
    together."""
    for number, (first, second) in enumerate(pairs):
        yield Pair(Said(first), Said(second), conflict=True, origin=origin)
        others = [other for at, (_, other) in enumerate(pairs) if at != number and other != second]
        for step in range(min(most, len(others))):
            yield Pair(Said(first), Said(others[(number + step * 7) % len(others)]), conflict=False, origin=origin)
