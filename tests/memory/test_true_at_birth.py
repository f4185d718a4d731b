"""A statement is held against the code when it is made: what is false is contradicted, what is planned is ahead."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memlsp.memory.memory import Memory
from memlsp.model.belief import Author, AuthorKind, BeliefKind, RevisionAction
from memlsp.model.caller import Caller
from memlsp.model.place import Place
from memlsp.model.standing import Judgement, Standing

PRICING = '''"""Prices."""

import requests

LIMIT = 50


def total(price, rate=0.2):
    return price * (1 + rate)


def fetch(url):
    answer = requests.get(url, timeout=30)
    if answer.status_code != 200:
        raise LookupError(url)
    return answer.json()


def save(row, table):
    write(table, row)
    validate(row)


def deploy():
    return "vercel deploy --prod"


def names(rows) -> list[str]:
    return [row.name for row in rows]
'''
AGENT = Caller(author=Author("Claude Code", AuthorKind.AGENT), source="mcp")


class Shop:
    """A workspace with one file."""

    def __init__(self, memory: Memory, root: Path) -> None:
        self.memory = memory
        self.file = root / "pricing.py"
        self.write(PRICING)

    def write(self, text: str) -> None:
        self.file.write_text(text, encoding="utf-8")
        self.memory.files_changed(["pricing.py"])

    def replace(self, old: str, new: str) -> None:
        text = self.file.read_text(encoding="utf-8")
        assert old in text
        self.write(text.replace(old, new))

    def say(
        self, text: str, symbol: str = "total", kind: BeliefKind | None = None, by: Caller | None = None
    ) -> Judgement:
        place = Place("pricing.py", symbol=symbol or None)
        return self.memory.remember(text, at=[place], kind=kind, by=by or Caller(folder=self.file.parent))

    def now(self, judgement: Judgement) -> Judgement:
        return self.memory.belief(judgement.belief.id)

    def settle(self) -> None:
        self.memory.handoffs.refresh(["pricing.py"])


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    root = tmp_path / "shop"
    root.mkdir()
    memory = Memory.open(root, data_dir=tmp_path / "data")
    try:
        yield Shop(memory, root)
    finally:
        memory.close()


@pytest.mark.parametrize(
    ("text", "symbol", "reason"),
    [
        ("`total` applies 25 % by default", "total", "`total` has rate=0.2, not 25 %"),
        ("`rate` defaults to 0.25", "total", "`total` has rate=0.2, not 0.25"),
        ("the request has a timeout of 10 seconds", "fetch", "`fetch` has timeout=30, not 10 seconds"),
        ("fetch raises ValueError for an unknown url", "fetch", "`fetch` raises LookupError, not ValueError"),
        ("fetch goes through httpx", "fetch", "`fetch` has requests, not httpx"),
        ("deploy runs netlify deploy", "deploy", "`deploy` has vercel, not netlify"),
        ("`deploy` raises `ValueError` without a token", "deploy", "`deploy` raises nothing"),
        ("`total` never calls `validate`, and `save` does not call `write`", "save", "`save` has write"),
        ("LIMIT is 100", "LIMIT", "`LIMIT` is 50, not 100"),
    ],
)
def test_a_description_that_the_code_contradicts_begins_as_contradicted_and_says_why(
    shop: Shop, text: str, symbol: str, reason: str
) -> None:
    judgement = shop.say(text, symbol, BeliefKind.FACT)
    assert judgement.standing is Standing.CONTRADICTED
    assert judgement.reasons[0].message == reason
    assert judgement.reasons[0].code == "code-differs"


@pytest.mark.parametrize(
    ("text", "symbol"),
    [
        ("`total` applies 20 % by default", "total"),
        ("the flyer's 25 % on bread is our margin", "total"),
        ("is the rate still 25 % by default?", "total"),
        ("the rate was 25 % until last year", "total"),
        ("retries when the gateway's timeout of 10 seconds has passed", "fetch"),
        ("fetch raises LookupError for an unknown url", "fetch"),
        ("finance reads the totals once a month", "total"),
        ("Return list of names inside dict with the key of the row", "names"),
        ("deploy runs vercel deploy", "deploy"),
        ("returns what netlify calls a deploy", "deploy"),
        ("`rate=0.25` is what the bakery hands in", "total"),
        ("the timeout defaults to half a minute", "fetch"),
        ("for another client use `httpx.get` instead", "fetch"),
    ],
)
def test_what_the_code_bears_out_or_says_nothing_of_is_current(shop: Shop, text: str, symbol: str) -> None:
    assert shop.say(text, symbol, BeliefKind.FACT).standing is Standing.CURRENT


def test_a_contradicted_description_stays_so_until_the_code_changes(shop: Shop) -> None:
    judgement = shop.say("`total` applies 25 % by default")
    shop.replace("return price * (1 + rate)", "return round(price * (1 + rate), 2)")
    assert shop.now(judgement).standing is Standing.CONTRADICTED
    shop.replace("rate=0.2", "rate=0.25")
    assert shop.now(judgement).standing is Standing.CURRENT
    shop.replace("rate=0.25", "rate=0.2")
    assert shop.now(judgement).standing is Standing.CONTRADICTED


def test_a_contradicted_description_is_settled_by_another_wording(shop: Shop) -> None:
    judgement = shop.say("`total` applies 25 % by default", by=AGENT)
    revised = shop.memory.revise(
        judgement.belief.id, RevisionAction.SUPERSEDE, text="`total` applies 20 % by default", by=AGENT
    )
    assert revised.standing is Standing.CURRENT


def test_a_wording_that_the_code_contradicts_is_noticed_when_it_replaces_a_true_one(shop: Shop) -> None:
    judgement = shop.say("`total` applies 20 % by default")
    revised = shop.memory.revise(judgement.belief.id, RevisionAction.SUPERSEDE, text="`total` applies 25 % by default")
    assert revised.standing is Standing.CONTRADICTED


def test_an_agent_that_repeats_or_confirms_a_false_description_does_not_make_it_true(shop: Shop) -> None:
    judgement = shop.say("`total` applies 25 % by default", by=AGENT)
    assert shop.say("`total` applies 25 % by default", by=AGENT).standing is Standing.CONTRADICTED
    confirmed = shop.memory.revise(judgement.belief.id, RevisionAction.CONFIRM, by=AGENT)
    assert confirmed.standing is Standing.CONTRADICTED


def test_a_person_who_confirms_a_description_has_the_last_word(shop: Shop) -> None:
    judgement = shop.say("`total` applies 25 % by default")
    assert shop.say("`total` applies 25 % by default").standing is Standing.CONTRADICTED  # said again, not looked at
    assert shop.memory.revise(judgement.belief.id, RevisionAction.CONFIRM).standing is Standing.CURRENT


def test_a_proposal_is_held_against_the_code_when_it_is_made_and_when_it_is_admitted_in_other_words(shop: Shop) -> None:
    known = shop.say("`total` applies 20 % by default")
    proposal = shop.memory.review.propose("`total` applies 25 % by default", instead_of=known.belief.id, by=AGENT)
    assert proposal.standing is Standing.CONTRADICTED
    admitted = shop.memory.revise(proposal.belief.id, RevisionAction.ADMIT, text="`total` applies 30 % by default")
    assert admitted.standing is Standing.CONTRADICTED
    assert admitted.reasons[0].message == "`total` has rate=0.2, not 30 %"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("`total` must apply 25 % by default", None),
        ("from January `total` applies 25 % by default", None),
        ("`total` applies 25 % by default", BeliefKind.RULE),
        ("We decided that `total` applies 25 % by default", None),
    ],
)
def test_what_the_code_does_not_follow_yet_is_ahead_and_raises_no_alarm(
    shop: Shop, text: str, kind: BeliefKind | None
) -> None:
    judgement = shop.say(text, kind=kind)
    assert judgement.standing is Standing.AHEAD
    assert judgement.reasons[0].code == "not-yet"
    assert shop.memory.findings("pricing.py") == ()
    assert shop.memory.attention() == ()
    assert shop.now(judgement) in shop.memory.beliefs(standings=[Standing.AHEAD])


@pytest.mark.parametrize("locked", [False, True])
def test_code_that_arrived_and_leaves_again_contradicts_the_rule(shop: Shop, locked: bool) -> None:
    judgement = shop.say("`total` must apply 25 % by default")
    if locked:
        shop.memory.revise(judgement.belief.id, RevisionAction.LOCK)
    shop.replace("rate=0.2", "rate=0.25")
    assert shop.now(judgement).standing is Standing.CURRENT
    shop.settle()
    shop.replace("rate=0.25", "rate=0.3")
    assert shop.now(judgement).standing is Standing.CONTRADICTED


def test_a_rule_whose_code_does_not_parse_has_not_arrived(shop: Shop) -> None:
    judgement = shop.say("`total` must apply 25 % by default")
    shop.replace("def total(price, rate=0.2):", "def total(price, rate=0.25:")
    shop.settle()
    shop.replace("rate=0.25:", "rate=0.2):")
    assert shop.now(judgement).standing is Standing.AHEAD


def test_a_statement_about_a_file_is_held_against_the_member_that_it_names(shop: Shop) -> None:
    assert shop.say("`total` applies 25 % by default", "").standing is Standing.CONTRADICTED
    assert shop.say("`total` applies 20 % by default", "").standing is Standing.CURRENT
