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
REGION = "eu-west-1"


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
        ("The default region is us-east-1", "REGION", "`REGION` is 'eu-west-1', not us-east-1"),
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
    "text", ["The region is eu-west-1", "The region is read-only", "The region is never us-east-1"]
)
def test_a_text_that_the_code_has_or_of_another_shape_is_nothing_against_a_statement(shop: Shop, text: str) -> None:
    assert shop.say(text, "REGION", BeliefKind.FACT).standing is Standing.CURRENT


_DELIVERY = """from functools import lru_cache
from threading import Lock

RETRIED = (408, 429, 503)
_LOCK = Lock()


class Queue:
    def __init__(self, size, *, flush_on_overflow=False):
        self.size = size

    @property
    def free(self):
        return self.size - 1

    def _drain(self):
        return sorted(self.rows, key=lambda row: row.created)

    def take(self):
        with _LOCK:
            return self.rows.pop(0)


@lru_cache
def place(code: str) -> str:
    if not code:
        raise LookupNotFound(code)
    return code.upper()


def strict(code):
    if len(code) > 8:
        raise ValueError(code)
    return 1 if code else 0
"""


@pytest.mark.parametrize(
    ("text", "symbol", "reason"),
    [
        ("flushes on overflow by default", "Queue", "`Queue` has flush_on_overflow=False"),
        ("_drain is public", "Queue._drain", "`Queue._drain` is private, not public"),
        (
            "hands them out newest first",
            "Queue._drain",
            "`Queue._drain` sorts by key=lambda row: row.created, not newest first",
        ),
        ("the queue is lifo", "Queue.take", "`Queue.take` takes with `.pop(0)`, not lifo"),
        ("take is lock-free", "Queue.take", "`Queue.take` has `with _LOCK`"),
        ("place is not cached", "place", "`place` has `@lru_cache`"),
        ("lower-cases the code", "place", "`place` has `upper`, not lower-cases"),
        ("returns None when the code is missing", "place", "`place` raises LookupNotFound, not None"),
        ("strict never raises", "strict", "`strict` raises ValueError"),
        ("strict returns 2 for a code", "strict", "`strict` returns 1 or 0, not 2"),
        ("codes have at most 12 letters, code length", "strict", None),
    ],
)
def test_declarations_orders_and_abilities_are_held_against_the_code(
    shop: Shop, text: str, symbol: str, reason: str | None
) -> None:
    shop.write(_DELIVERY)
    judgement = shop.say(text, symbol, BeliefKind.FACT)
    assert [each.message for each in judgement.reasons] == ([reason] if reason else [])


@pytest.mark.parametrize(
    ("text", "symbol"),
    [
        ("`flush_on_overflow` is optional", "Queue"),
        ("does not flush on overflow by default", "Queue"),
        ("the callback takes three arguments", "place"),
        ("hands them out oldest first", "Queue.take"),
        ("oldest first", "Queue._drain"),
        ("nothing is sorted newest first here", "Queue._drain"),
        ("is first in, first out", "Queue.take"),
        ("with an empty code it is not cached", "place"),
        ("upper-cases the code", "place"),
        ("retries on 408 and 429, not on 502", "RETRIED"),
        ("three codes are retried", "RETRIED"),
        ("never raises on short codes", "strict"),
        ("returns 1 for a code", "strict"),
    ],
)
def test_what_declarations_orders_lists_and_abilities_bear_out_is_current(shop: Shop, text: str, symbol: str) -> None:
    shop.write(_DELIVERY)
    assert shop.say(text, symbol, BeliefKind.FACT).standing is Standing.CURRENT


def test_a_manifest_and_a_schedule_are_held_against_what_is_said_of_them(shop: Shop) -> None:
    root = shop.file.parent
    (root / "pyproject.toml").write_text('[project]\nrequires-python = ">=3.10"\nlicense = "MIT"\n', encoding="utf-8")
    (root / "ci.yml").write_text('on:\n  schedule:\n    - cron: "30 6 * * 1"\n', encoding="utf-8")
    said = [
        ("needs Python 3.8", "pyproject.toml", "pyproject.toml has python 3.10, not Python 3.8"),
        ("needs Python 3.10", "pyproject.toml", ""),
        ("tested with Python 3.12", "pyproject.toml", ""),
        ("the license is Apache-2.0", "pyproject.toml", "pyproject.toml has mit, not Apache-2.0"),
        ("runs every day", "ci.yml", "ci.yml runs on Monday, not every day"),
        ("runs on Mondays", "ci.yml", ""),
    ]
    for text, path, reason in said:
        made = shop.memory.remember(text, at=[Place(path)], kind=BeliefKind.FACT, by=Caller(folder=root))
        assert "".join(each.message for each in made.reasons) == reason, text


def test_a_current_statement_says_which_of_its_claims_the_code_bore_out(shop: Shop) -> None:
    assert shop.say("`total` applies 20 % by default").checked == ("20 %",)
    vague = shop.say("the discount is generous")
    assert (vague.standing, vague.checked, vague.is_unchecked) == (Standing.CURRENT, (), True)
    false = shop.say("`total` applies 25 % by default")
    assert (false.checked, false.is_unchecked) == ((), False)


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


COUNTING = """def send(row, state):
    tries = 0
    while not retry_after(row):
        tries += 1
"""


@pytest.mark.parametrize("text", ["tries is 25 when it gives up", "a certificate error is never retried"])
def test_what_is_counted_up_and_a_case_of_failure_are_nothing_against_a_statement(shop: Shop, text: str) -> None:
    shop.write(COUNTING)
    assert shop.say(text, "send", BeliefKind.FACT).standing is Standing.CURRENT
