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
