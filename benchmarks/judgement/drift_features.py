"""The items of the suite `drift` as they are judged: numbers beside each statement, and the gold apart from them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from attrs import frozen

from benchmarks.judgement.drift_gold import Fate, is_kept, sentences_of
from benchmarks.judgement.drift_mining import Item, Question
from benchmarks.judgement.logistic_fit import Fit, fit
from memlsp.beliefs.claims.case import case_of
from memlsp.beliefs.claims.claim_check import broken_claims
from memlsp.beliefs.standing.relevance_model import ABOUT, change_features
from memlsp.model.change import DetailKind

NAMES = tuple(ABOUT)
PENALTY = 60.0  # found on the training repositories: 20 and 200 are as good
_SENTENCES = 4  # judged of one docstring
_INTERFACE = frozenset(
    {
        DetailKind.PARAMETER_ADDED,
        DetailKind.PARAMETER_REMOVED,
        DetailKind.PARAMETER_RENAMED,
        DetailKind.DEFAULT,
        DetailKind.RAISE_ADDED,
        DetailKind.RAISE_REMOVED,
    }
)


@frozen
class Judged:
    """One statement beside one change. `numbers` come in the order of `NAMES`; `statement` and what follows are for
    printing."""

    repository: str
    commit: str
    numbers: tuple[float, ...]
    baselines: Mapping[str, float]
    positive: bool
    contradicted: bool
    fate: Fate
    symbol: str
    statement: str
    told: str
    details: tuple[str, ...]


def judged(items: Iterable[Item]) -> Iterator[Judged]:
    """Each docstring as one statement."""
    for item in items:
        yield _of(item, item.question.statement, positive=item.positive)


def judged_by_sentence(items: Iterable[Item]) -> Iterator[Judged]:
    """Each sentence of a docstring as a statement of its own; at most four of one docstring."""
    for item in items:
        for sentence in sentences_of(item.question.statement, most=_SENTENCES):
            yield _of(item, sentence, positive=not is_kept(sentence, item.told))


def _of(item: Item, statement: str, *, positive: bool) -> Judged:
    question = item.question
    case = case_of(statement, question.old, question.new, question.details)
    broken = bool(broken_claims(case))
    numbers = change_features(case, contradicted=broken)
    return Judged(
        repository=item.repository,
        commit=item.commit,
        numbers=tuple(numbers[name] for name in NAMES),
        baselines=_baselines(statement, question),
        positive=positive,
        contradicted=broken,
        fate=item.fate,
        symbol=f"{item.path}#{item.symbol}",
        statement=statement,
        told=item.told,
        details=tuple(f"{d.kind.value} {d.name} {d.old or ''} -> {d.new or ''}"[:100] for d in question.details[:6]),
    )


def _baselines(statement: str, question: Question) -> dict[str, float]:
    """What one would try first: the size of the edit, deleted names that the statement has, and a mix by hand."""
    before, after = Counter(question.old.facts.tokens), Counter(question.new.facts.tokens)
    size = (before - after).total() + (after - before).total()
    share = size / max(1, before.total() + after.total())
    names = {token for token in (before.keys() - after.keys()) if re.fullmatch(r"[^\W\d]\w{2,}", token)}
    deleted = len(names & set(re.findall(r"\w+", statement)))
    interface = any(detail.kind in _INTERFACE for detail in question.details)
    return {
        "edit size": float(size),
        "edit share": share,
        "deleted names": float(deleted),
        "hand mix": share + 0.3 * min(deleted, 3) + 0.5 * interface,
    }


def fitted(rows: Sequence[Judged]) -> Fit:
    """The weights that these rows teach."""
    return fit([row.numbers for row in rows], [row.positive for row in rows], penalty=PENALTY)
