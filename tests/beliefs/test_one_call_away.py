"""A value that a symbol has from one call away belongs to it, where the statement speaks of that value."""

from __future__ import annotations

import pytest
from bench import Bench

from memlsp.model.standing import Standing

RATE = "applies a rate of 0.2"
LIMIT = "pulls at most 5 items"
FUNCTION = "def rate():\n    return 0.2\n\n\ndef total(x):\n    return x * (1 + rate())\n"
METHOD = (
    "class Bill:\n    def rate(self):\n        return 0.2\n\n"
    "    def total(self, x):\n        return x * (1 + self.rate())\n"
)
BASE = (
    "class Tax:\n    def rate(self):\n        return 0.2\n\n\n"
    "class Bill(Tax):\n    def total(self, x):\n        return self.rate() * x\n"
)
DEFAULT = (
    "class Pool:\n    def __init__(self, limit=5):\n        self.limit = limit\n\n"
    "    def pull(self, q):\n        return q[: self.limit]\n"
)
MADE = (
    "package pool\n\ntype Pool struct {\n\tlimit int\n}\n\nfunc NewPool() *Pool {\n\treturn &Pool{limit: 5}\n}\n\n"
    "func (p *Pool) Pull(q []int) []int {\n\treturn q[:p.limit]\n}\n"
)
RAISED = "def find(key):\n    raise KeyError(key)\n\n\ndef load(key):\n    return find(key)\n"


@pytest.mark.parametrize(
    ("path", "code", "symbol", "said", "old", "new"),
    [
        ("bill.py", FUNCTION, "total", RATE, "0.2", "0.25"),
        ("bill.py", METHOD, "Bill.total", RATE, "0.2", "0.25"),
        ("bill.py", BASE, "Bill.total", RATE, "0.2", "0.25"),
        ("pool.py", DEFAULT, "Pool.pull", LIMIT, "limit=5", "limit=9"),
        ("pool.go", MADE, "Pool.Pull", LIMIT, "limit: 5", "limit: 9"),
        ("load.py", RAISED, "load", "raises KeyError for what is unknown", "KeyError", "LookupError"),
    ],
)
def test_a_statement_that_names_the_former_value_is_contradicted(
    bench: Bench, path: str, code: str, symbol: str, said: str, old: str, new: str
) -> None:
    bench.write(path, code)
    belief = bench.remember(said, f"{path}#{symbol}")
    bench.replace(path, old, new)
    judgement = bench.judge(belief)
    assert judgement.standing is Standing.CONTRADICTED
    assert judgement.reasons[0].code == "dependency-changed"


def test_a_statement_that_has_the_callees_name_is_to_be_looked_at(bench: Bench) -> None:
    bench.write("bill.py", FUNCTION)
    belief = bench.remember("applies the usual rate", "bill.py#total")
    bench.replace("bill.py", "0.2", "0.25")
    judgement = bench.judge(belief)
    assert judgement.standing is Standing.CHANGED
    assert judgement.reasons[0].message == "`total` uses `rate`, which returns `0.25` and not `0.2` in bill.py"


def test_a_statement_of_something_else_stays_current_and_says_why(bench: Bench) -> None:
    bench.write("bill.py", FUNCTION)
    belief = bench.remember("takes the sum before discounts", "bill.py#total")
    bench.replace("bill.py", "0.2", "0.25")
    judgement = bench.judge(belief)
    assert judgement.standing is Standing.CURRENT
    assert [reason.code for reason in judgement.reasons] == ["untouched"]


def test_a_callee_that_returns_no_constant_any_more_has_lost_it(bench: Bench) -> None:
    bench.write("bill.py", FUNCTION)
    belief = bench.remember(RATE, "bill.py#total")
    bench.replace("bill.py", "return 0.2", "return settings.rate")
    judgement = bench.judge(belief)
    assert judgement.standing is Standing.CONTRADICTED
    assert "no longer returns `0.2`" in judgement.reasons[0].message


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("a.py", 'SEPARATOR = "a "\n', 'SEPARATOR = "a"\n'),
        ("a.py", 'SEPARATOR = "a  b"\n', 'SEPARATOR = "a b"\n'),
        ("a.go", 'package a\n\nconst SEPARATOR = "a "\n', 'package a\n\nconst SEPARATOR = "a"\n'),
        ("a.ts", 'export const SEPARATOR = "a ";\n', 'export const SEPARATOR = "a";\n'),
        ("a.c", '#define SEPARATOR "%"\n', "#define SEPARATOR '%'\n"),
    ],
)
def test_white_space_and_quotes_that_matter_in_a_string_are_a_part_of_its_value(
    bench: Bench, path: str, old: str, new: str
) -> None:
    bench.write(path, old)
    belief = bench.remember("what stands between two cells", f"{path}#SEPARATOR")
    bench.write(path, new)
    assert bench.standing(belief) is Standing.CHANGED


def test_all_of_a_macro_counts_where_it_is_expanded(bench: Bench) -> None:
    bench.write("a.c", "#define SQUARE(x) ((x) * (x))\n\nint area(int a) {\n    return SQUARE(a);\n}\n")
    belief = bench.remember("the area is the square of the side", "a.c#area")
    bench.replace("a.c", "* (x)", "+ (x)")
    assert bench.standing(belief) is Standing.CHANGED


def test_a_default_that_a_header_gives_to_a_free_function_is_its_default(bench: Bench) -> None:
    bench.write("a.h", "int send(int a, int tries = 3);\n")
    bench.write("a.cpp", '#include "a.h"\n\nint send(int a, int tries) {\n    return a * tries;\n}\n')
    belief = bench.remember("tries three times by default", "a.cpp#send")
    bench.replace("a.h", "= 3", "= 5")
    assert bench.standing(belief) is Standing.CONTRADICTED


GATE = (
    "def may_enter(guest):\n    return guest.age >= 18 and guest.invited\n\n\n"
    "def open_door(guest):\n    if may_enter(guest):\n        unlock()\n"
)
PLAIN = "guest.age >= 18 and guest.invited"
LISTED = (
    "const CLOSED = new Set(['monday', 'sunday']);\n\n"
    "function isClosed(day) {\n  return CLOSED.has(day);\n}\n\n"
    "export function visit(day) {\n  if (!isClosed(day)) enter();\n}\n"
)
FIELD = {
    "Options.cs": "class DoorOptions\n{\n    public int Tries { get; set; } = 3;\n}\n",
    "Door.cs": (
        "class Door\n{\n    private readonly DoorOptions _options;\n\n    public void Open()\n    {\n"
        "        for (var i = 0; i < _options.Tries; i++) Push();\n    }\n}\n"
    ),
}


@pytest.mark.parametrize(
    ("said", "old", "new", "standing"),
    [
        ("opens to guests of 18 years and more", ">= 18", ">= 16", Standing.CONTRADICTED),
        ("only who is invited comes in", "and guest.invited", "or guest.invited", Standing.CHANGED),
        ("the lock turns twice", "guest.age >= 18", "guest.age > 18", Standing.CURRENT),
        ("opens to guests of 18 years and more", PLAIN, f"({PLAIN})", Standing.CURRENT),
    ],
)
def test_what_a_callee_does_counts_where_the_statement_speaks_of_it(
    bench: Bench, said: str, old: str, new: str, standing: Standing
) -> None:
    bench.write("gate.py", GATE)
    belief = bench.remember(said, "gate.py#open_door")
    bench.replace("gate.py", old, new)
    assert bench.standing(belief) is standing


@pytest.mark.parametrize(
    ("said", "standing"),
    [("nobody comes in on a sunday", Standing.CHANGED), ("calls enter without a ticket", Standing.CURRENT)],
)
def test_a_constant_that_a_callee_uses_counts_where_the_statement_speaks_of_it(
    bench: Bench, said: str, standing: Standing
) -> None:
    bench.write("visit.js", LISTED)
    belief = bench.remember(said, "visit.js#visit")
    bench.replace("visit.js", "['monday', 'sunday']", "['monday']")
    assert bench.standing(belief) in {standing, *([Standing.CONTRADICTED] if standing is Standing.CHANGED else [])}


def test_the_value_of_a_field_of_a_typed_object_is_its_classs(bench: Bench) -> None:
    for path, text in FIELD.items():
        bench.write(path, text)
    belief = bench.remember("pushes three times", "Door.cs#Door.Open")
    bench.replace("Options.cs", "= 3", "= 5")
    assert bench.standing(belief) is Standing.CONTRADICTED


def test_a_module_by_the_custom_of_bundlers_is_looked_for_in_src(bench: Bench) -> None:
    bench.write("src/rates.ts", "export const RATE = 0.2;\n")
    code = 'import { RATE } from "@/rates";\nexport function bill(x: number) {\n  return x * RATE;\n}\n'
    bench.write("src/web/bill.ts", code)
    belief = bench.remember(RATE, "src/web/bill.ts#bill")
    bench.replace("src/rates.ts", "0.2", "0.3")
    assert bench.standing(belief) is Standing.CONTRADICTED


def test_an_attribute_that_is_read_elsewhere_now_did_not_become_another(bench: Bench) -> None:
    test = "        if len(q) > self.limit:\n            raise OverflowError(q)\n"
    head = (
        "class Pool:\n    def __init__(self, limit=5, name='pool'):\n"
        "        self.limit = limit\n        self.name = name\n\n"
    )
    bench.write("pool.py", f"{head}    def pull(self, q):\n{test}        return [*q, self.name]\n")
    belief = bench.remember("pulls at most 5 items, more is an OverflowError", "pool.py#Pool.pull")
    now = "    def pull(self, q):\n        self._check(q)\n        return [*q, self.name]\n"
    bench.write("pool.py", f"{head}    def _check(self, q):\n{test}\n{now}")
    assert bench.judge(belief).standing.holds


def test_a_denial_of_one_case_is_not_broken_in_another(bench: Bench) -> None:
    end = "    return entry.size <= most\n"
    bench.write("walk.py", f"def walk(entry, most):\n    if entry.size is None:\n        return True\n{end}")
    belief = bench.remember("when the size is unknown the entry is read rather than skipped", "walk.py#walk")
    bench.replace("walk.py", end, f"    if entry.size > most:\n        skipped(entry)\n{end}")
    assert bench.standing(belief) is not Standing.CONTRADICTED


_ORDER = """from shop.errors import Refused
from shop.log import log


def order(cart, customer):
    log(customer)
    if not cart.items:
        raise Refused("an empty cart")
    total = sum(item.price for item in cart.items)
    if total > 900:
        raise Refused("too much for one order")
    return total
"""
_TAKEN_APART = """from shop.errors import Refused
from shop.log import log, trace


def order(cart, customer, currency):
    trace(customer)
    _check(cart)
    return currency.rounded(sum(item.price for item in cart.items))


def _check(cart):
    if not cart.items:
        raise Refused("an empty cart")
    if sum(item.price for item in cart.items) > 900:
        raise Refused("too much for one order")
"""


@pytest.mark.parametrize("place", ["order.py#order", "order.py"])
@pytest.mark.parametrize("said", ["raises Refused for an empty cart", "one order costs at most 900"])
def test_what_a_new_function_does_that_is_called_is_not_gone(bench: Bench, place: str, said: str) -> None:
    bench.write("order.py", _ORDER)
    belief = bench.remember(said, place)
    bench.write("order.py", _TAKEN_APART)
    assert bench.judge(belief).standing is Standing.CHANGED  # other things changed as well


@pytest.mark.parametrize("place", ["order.py#order", "order.py"])
@pytest.mark.parametrize(
    ("said", "old", "new"),
    [
        ("raises Refused for an empty cart", 'raise Refused("an empty cart")', "return 0"),
        ("one order costs at most 900", "> 900", "> 1200"),
    ],
)
def test_what_the_new_function_does_otherwise_is_gone(bench: Bench, place: str, said: str, old: str, new: str) -> None:
    bench.write("order.py", _ORDER)
    belief = bench.remember(said, place)
    bench.write("order.py", _TAKEN_APART.replace('raise Refused("too much for one order")', "return").replace(old, new))
    assert bench.judge(belief).standing is Standing.CONTRADICTED


BUSY = """
def send(order):
    if repeatable(order):
        post(order)
    return post(order)


def repeatable(order):
    return order.kind != "payment"
"""


@pytest.mark.parametrize(
    ("code", "symbol", "said", "old", "new"),
    [
        (DEFAULT, "Pool.pull", LIMIT, "self.limit = limit", "self.limit = min(limit, 3)"),
        (BUSY, "send", "A payment is never repeated", 'order.kind != "payment"', "order.total > 0"),
    ],
)
def test_a_change_one_call_away_that_a_statement_speaks_of_is_an_alarm(
    bench: Bench, code: str, symbol: str, said: str, old: str, new: str
) -> None:
    bench.write("away.py", code)
    belief = bench.remember(said, f"away.py#{symbol}")
    bench.replace("away.py", old, new)
    judged = bench.judge(belief)
    assert judged.standing in {Standing.CHANGED, Standing.CONTRADICTED}
    assert not judged.aside


@pytest.mark.parametrize(
    ("code", "symbol", "said", "old", "new"),
    [
        (
            "def area(side):\n    return round(side ** 3, 2)\n",
            "area",
            "the area grows with the third power of a side",
            "** 3",
            "** 2",
        ),
        (
            "MODE = 0o750\n\n\ndef make(folder):\n    folder.mkdir(mode=MODE)\n",
            "make",
            "a folder is made with mode 0750",
            "0o750",
            "0o755",
        ),
    ],
)
def test_an_amount_written_in_another_way_is_contradicted(
    bench: Bench, code: str, symbol: str, said: str, old: str, new: str
) -> None:
    bench.write("amount.py", code)
    belief = bench.remember(said, f"amount.py#{symbol}")
    bench.replace("amount.py", old, new)
    assert bench.standing(belief) is Standing.CONTRADICTED
