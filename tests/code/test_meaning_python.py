# ruff: noqa: E501 - a line of the table is a case
"""What changes the meaning of Python code, and what does not."""

from __future__ import annotations

import pytest

from memlsp.code.syntax.outline import outline

BEFORE = '''\
import os
from pricing import rates, RATE

LIMIT = 1_000
NAMES = ("a", "b")


def compute_tax(order, rate=0.20, *, strict=False):
    """Applies the default rate."""
    total = 0
    for line in order.lines:
        if line.taxable and ( line.price > 0):
            total += line.price * rate
    if strict and total < 0:
        raise ValueError("negative total")
    return round(total , 2)


class Courier(Base):
    SPEED = 3
    name: str = "x"

    def deliver(self, parcel):
        try:
            return self.post(parcel, timeout=30)
        except (IOError, KeyError) as error:
            log(f"failed {parcel}: {error}")
            return None

    def post(self, parcel, timeout=10):
        found = [p for p in self.items if p.id == parcel.id]
        return {"id": parcel.id, "n": len(found), "k": NAMES}
'''

NOTHING = {
    "a comment": ("    total = 0\n", "    # start\n    total = 0  # zero\n"),
    "a docstring": ('"""Applies the default rate."""', '"""Other words."""'),
    "no docstring": ('    """Applies the default rate."""\n', ""),
    "blank lines": ("    total = 0\n", "\n\n    total = 0\n\n"),
    "line breaks in a call": ("round(total , 2)", "round(\n        total,\n        2,\n    )"),
    "quotes": ('"negative total"', "'negative total'"),
    "a string prefix": ('"negative total"', 'u"negative total"'),
    "joined strings": ('"negative total"', '"negative " "total"'),
    "parentheses around a condition": ("if strict and total < 0:", "if (strict and total < 0):"),
    "parentheses around a part": ("( line.price > 0)", " line.price > 0"),
    "parentheses around a result": ("return round(total , 2)", "return (round(total , 2))"),
    "numbers": ("rate=0.20", "rate=0.2"),
    "thousands": ("1_000", "1000"),
    "a local renamed": ("total ", "amount "),
    "a loop variable renamed": (" line", " row"),
    "hints": ("(order, rate=0.20, *, strict=False):", "(order: Order, rate: float = 0.20, *, strict: bool = False) -> float:"),
    "a local's hint": ("    total = 0\n", "    total: int = 0\n"),
    "a bare declaration": ("    total = 0\n", "    seen: int\n    total = 0\n"),
    "a trailing comma": ("strict=False)", "strict=False,)"),
    "a pass": ("    total = 0\n", "    pass\n    total = 0\n"),
    "windows line ends": ("\n", "\r\n"),
    "a caught name": ("error", "problem"),
    "a comprehension's variable": ("p for p in self.items if p.id", "q for q in self.items if q.id"),
    "import order": ("import os\nfrom pricing import rates, RATE\n", "from pricing import RATE, rates\nimport os\n"),
    "a parameter renamed": ("parcel", "package"),
    "a tuple's parentheses": ('NAMES = ("a", "b")', 'NAMES = "a", "b"'),
    "class parentheses": ("class Courier(Base):", "class Courier(Base,):"),
    "the receiver renamed": ("self", "this"),
}  # fmt: skip


@pytest.mark.parametrize("edit", NOTHING)
def test_meaning_survives(edit: str) -> None:
    old, new = NOTHING[edit]
    assert old in BEFORE
    before, after = outline("a.py", BEFORE.encode()), outline("a.py", BEFORE.replace(old, new).encode())
    assert [(s.name, s.fingerprint.meaning) for s in after.symbols] == [
        (s.name, s.fingerprint.meaning) for s in before.symbols
    ]
    assert not after.has_errors


MEANING = {
    "a condition": ("line.price > 0", "line.price >= 0", "compute_tax"),
    "and to or": ("if strict and", "if strict or", "compute_tax"),
    "a literal": ("rate=0.20", "rate=0.25", "compute_tax"),
    "an exception": ("ValueError", "TypeError", "compute_tax"),
    "a message": ("negative total", "negative sum", "compute_tax"),
    "a result": ("round(total , 2)", "round(total , 3)", "compute_tax"),
    "a statement gone": ("    if strict and total < 0:\n        raise ValueError(\"negative total\")\n", "", "compute_tax"),
    "an operator": ("line.price * rate", "line.price / rate", "compute_tax"),
    "an attribute": ("order.lines", "order.rows", "compute_tax"),
    "a call": ("round(total", "floor(total", "compute_tax"),
    "a keyword argument": ("timeout=30", "timeout=60", "Courier.deliver"),
    "what is caught": ("(IOError, KeyError)", "IOError", "Courier.deliver"),
    "text of an f-string": ("failed {", "lost {", "Courier.deliver"),
    "code of an f-string": ("{parcel}", "{parcel.id}", "Courier.deliver"),
    "a default": ("timeout=10", "timeout=20", "Courier.post"),
    "a key": ('"id": parcel.id', '"key": parcel.id', "Courier.post"),
    "a filter": ("p.id == parcel.id", "p.id != parcel.id", "Courier.post"),
    "a global": ("NAMES}", "LIMIT}", "Courier.post"),
    "a base": ("(Base)", "(Other)", "Courier"),
    "a field's hint": ("name: str", "name: bytes", "Courier"),
    "a class constant": ("SPEED = 3", "SPEED = 4", "Courier.SPEED"),
    "a constant": ("1_000", "1_001", "LIMIT"),
    "a decorator": ("def compute_tax", "@cached\ndef compute_tax", "compute_tax"),
    "async": ("    def post", "    async def post", "Courier.post"),
    "locals swapped": ("total += line.price * rate", "total += rate * line.price", "compute_tax"),
    "a tuple of one": ('("a", "b")', '("a",)', "NAMES"),
    "a star": ("*, strict", "strict", "compute_tax"),
}  # fmt: skip


@pytest.mark.parametrize("edit", MEANING)
def test_meaning_changes(edit: str) -> None:
    old, new, name = MEANING[edit]
    assert old in BEFORE
    before, after = outline("a.py", BEFORE.encode()), outline("a.py", BEFORE.replace(old, new).encode())
    was, now = before.find(name), after.find(name)
    assert was is not None
    assert now is not None
    assert was.fingerprint.meaning != now.fingerprint.meaning
    assert before.module.fingerprint.meaning != after.module.fingerprint.meaning


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("def f(a, b):\n    return a - b\n", "def f(a, b):\n    return b - a\n"),
        ("def f(x):\n    y = x\n    return y\n", "def f(x):\n    y = x\n    return x\n"),
        ("def f():\n    global n\n    n = 1\n", "def f():\n    global m\n    m = 1\n"),
        ("def f():\n    global n\n    n = 1\n", "def f():\n    n = 1\n"),
        ("def f(x):\n    return x[1:]\n", "def f(x):\n    return x[:1]\n"),
        ("def f(x):\n    return x,\n", "def f(x):\n    return x\n"),
        ("def f(x):\n    return (x + 1) * 2\n", "def f(x):\n    return x + 1 * 2\n"),
        ("def f(x):\n    return lambda: x\n", "def f(x):\n    return lambda x: x\n"),
        ("def f(x):\n    a()\n    b()\n", "def f(x):\n    b()\n    a()\n"),
        ("@a\n@b\ndef f(): ...\n", "@b\n@a\ndef f(): ...\n"),
        ("def f(x):\n    return b'a'\n", "def f(x):\n    return 'a'\n"),
        ("def f(x):\n    return 1\n", "def f(x):\n    return 1.0\n"),
        ("def f(x):\n    return len\n", "def f(len):\n    return len\n"),
        ("def f(x, y):\n    return [x for x in y]\n", "def f(x, y):\n    return [x for z in y]\n"),
        ("def f(x):\n    if x:\n        a()\n    b()\n", "def f(x):\n    if x:\n        a()\n        b()\n"),
        ("def f(x):\n    return x.a\n", "def f(x):\n    return x.b\n"),
        ("def f(x):\n    return g(a=x)\n", "def f(x):\n    return g(b=x)\n"),
        ("def f(x):\n    yield x\n", "def f(x):\n    return x\n"),
        ("def f(x):\n    yield from x\n", "def f(x):\n    yield x\n"),
        ("def f(x):\n    return not x\n", "def f(x):\n    return x\n"),
        ("def f(x):\n    return x is None\n", "def f(x):\n    return x is not None\n"),
    ],
)
def test_these_are_different(first: str, second: str) -> None:
    one, other = (outline("a.py", text.encode()).find("f") for text in (first, second))
    assert one is not None
    assert other is not None
    assert one.fingerprint.meaning != other.fingerprint.meaning


def test_a_rename_keeps_the_meaning_of_a_function_that_calls_itself() -> None:
    source = "def walk(n):\n    return n and walk(n - 1)\n"
    one = outline("a.py", source.encode()).find("walk")
    other = outline("a.py", source.replace("walk", "step").encode()).find("step")
    assert one is not None
    assert other is not None
    assert one.fingerprint.meaning == other.fingerprint.meaning


def test_a_renamed_class_keeps_its_meaning_and_that_of_its_methods() -> None:
    source = "class Box:\n    def copy(self):\n        return Box(self.n)\n\n    def same(self):\n        return self.copy()\n"
    before = outline("a.py", source.encode())
    after = outline("a.py", source.replace("Box", "Crate").encode())
    assert [s.fingerprint.meaning for s in before.symbols[1:]] == [s.fingerprint.meaning for s in after.symbols[1:]]


def test_a_method_moved_inside_its_class_is_nothing() -> None:
    one = outline("a.py", b"class A:\n    def f(self): return 1\n    def g(self): return 2\n").find("A")
    other = outline("a.py", b"class A:\n    def g(self): return 2\n    def f(self): return 1\n").find("A")
    assert one is not None
    assert other is not None
    assert one.fingerprint.meaning == other.fingerprint.meaning


def test_the_order_of_dataclass_fields_and_enum_members_matters() -> None:
    for first, second in (
        ("class A:\n    a: int\n    b: int\n", "class A:\n    b: int\n    a: int\n"),
        ("class A(Enum):\n    X = 1\n    Y = 2\n", "class A(Enum):\n    Y = 2\n    X = 1\n"),
    ):
        one, other = (outline("a.py", text.encode()).find("A") for text in (first, second))
        assert one is not None
        assert other is not None
        assert one.fingerprint.meaning != other.fingerprint.meaning


def test_a_local_that_is_called_like_a_part_of_an_import_is_another_thing() -> None:
    source = "def serve(root):\n    from mcp.server.stdio import streams\n    server = build(root)\n    return server.run(streams)\n"

    def meaning(text: str) -> str:
        found = outline("a.py", text.encode()).find("serve")
        assert found is not None
        return found.fingerprint.meaning

    renamed = source.replace("server = ", "made = ").replace("server.run", "made.run")
    assert meaning(renamed) == meaning(source)
    assert meaning(source.replace("mcp.server", "mcp.client")) != meaning(source)
    assert meaning(renamed.replace("mcp.server", "mcp.client")) != meaning(source)
