"""Claims in plain words: exceptions without backticks, counted entries, sums, locks, tests turned round, and methods taken
out of a class's other methods."""

# ruff: noqa: E501 - an edit is one row of a table

from __future__ import annotations

import pytest
from bench import Bench
from hypothesis import given
from hypothesis import strategies as st

from memlsp.beliefs.claims.arithmetic import folded, same_value
from memlsp.beliefs.claims.claim_check import entries

ROWS = [
    ('a.py#f', 'It raises a value error when the amount is negative', 'def f(a):\n    if a < 0:\n        raise ValueError(a)\n    return a\n', 'def f(a):\n    if a < 0:\n        raise KeyError(a)\n    return a\n', 'contradicted'),
    ('a.py#f', 'Negative amounts give a ValueError', 'def f(a):\n    if a < 0:\n        raise ValueError(a)\n    return a\n', 'def f(a):\n    if a < 0:\n        raise KeyError(a)\n    return a\n', 'contradicted'),
    ('a.py#f', 'A missing key gives a key error', 'def f(a):\n    if a < 0:\n        raise KeyError(a)\n    return a\n', 'def f(a):\n    if a < 0:\n        return None\n    return a\n', 'contradicted'),
    ('A.java#A.f', 'Throws an illegal state exception when closed', 'class A {\n int f(int a) { if (a < 0) throw new IllegalStateException("x"); return a; }\n}\n', 'class A {\n int f(int a) { if (a < 0) throw new IOException("x"); return a; }\n}\n', 'contradicted'),
    ('a.py#f', 'Timeouts are swallowed', 'def f(a):\n    try:\n        go(a)\n    except TimeoutError:\n        return None\n', 'def f(a):\n    try:\n        go(a)\n    except KeyError:\n        return None\n', 'contradicted'),
    ('a.py#f', 'Connection errors are retried', 'def f(a):\n    for i in range(3):\n        try:\n            return go(a)\n        except ConnectionError:\n            pass\n', 'def f(a):\n    for i in range(3):\n        try:\n            return go(a)\n        except ValueError:\n            pass\n', 'contradicted'),
    ('a.py#ZONES', 'There are three zones', 'ZONES = ("a", "b", "c")\n', 'ZONES = ("a", "b", "c", "d")\n', 'contradicted'),
    ('a.py#DELAYS', 'Retries happen at four delays', 'DELAYS = [1, 2, 4, 8]\n', 'DELAYS = [1, 2, 4, 8, 16]\n', 'contradicted'),
    ('a.js#LOCALES', 'We support three locales', 'export const LOCALES = ["de", "fr", "it"];\n', 'export const LOCALES = ["de", "fr"];\n', 'contradicted'),
    ('a.py#TIERS', 'Two tiers exist', 'TIERS = {"free": 0, "pro": 10}\n', 'TIERS = {"free": 0, "pro": 10, "max": 20}\n', 'contradicted'),
    ('a.py#f', 'It tries the three mirrors in turn', 'MIRRORS = ["a", "b", "c"]\ndef f():\n    for m in MIRRORS:\n        go(m)\n', 'MIRRORS = ["a", "b"]\ndef f():\n    for m in MIRRORS:\n        go(m)\n', 'contradicted'),
    ('a.go#Grades', 'Three grades are sold', 'package a\n\nvar Grades = []string{"a", "b", "c"}\n', 'package a\n\nvar Grades = []string{"a", "b"}\n', 'contradicted'),
    ('A.java#A.GRADES', 'Three grades are sold', 'class A {\n static final String[] GRADES = {"a", "b", "c"};\n}\n', 'class A {\n static final String[] GRADES = {"a", "b"};\n}\n', 'contradicted'),
    ('A.java#A.GRADES', 'Three grades are sold', 'class A {\n static final List<String> GRADES = List.of("a", "b", "c");\n}\n', 'class A {\n static final List<String> GRADES = List.of("a", "b");\n}\n', 'contradicted'),
    ('a.rs#GRADES', 'Three grades are sold', 'const GRADES: [&str; 3] = ["a", "b", "c"];\n', 'const GRADES: [&str; 2] = ["a", "b"];\n', 'contradicted'),
    ('a.py#f', 'It waits 20 seconds', 'def f(a):\n    wait(20)\n    return a\n', 'def f(a):\n    wait(4 * 5)\n    return a\n', 'current'),
    ('a.py#f', 'It waits a while', 'def f(a):\n    wait(1000)\n    return a\n', 'def f(a):\n    wait(1_000)\n    return a\n', 'current'),
    ('a.py#HOUR', 'An hour', 'HOUR = 60 * 60\n', 'HOUR = 3600\n', 'current'),
    ('a.py#f', 'waits an hour', 'HOUR = 60 * 60\ndef f():\n    wait(HOUR)\n', 'HOUR = 3600\ndef f():\n    wait(HOUR)\n', 'current'),
    ('a.py#A', 'waits an hour', 'class A:\n    hour = 60 * 60\n    def f(self):\n        wait(self.hour)\n', 'class A:\n    hour = 3600\n    def f(self):\n        wait(self.hour)\n', 'current'),
    ('a.js#f', 'waits an hour', 'function f() { wait(60 * 60 * 1000); }\n', 'function f() { wait(3_600_000); }\n', 'current'),
    ('a.py', 'waits an hour', 'HOUR = 60 * 60\ndef f():\n    wait(HOUR)\n', 'HOUR = 3600\ndef f():\n    wait(HOUR)\n', 'current'),
    ('a.py#f', 'It waits 20 seconds', 'def f(a):\n    wait(20)\n    return a\n', 'def f(a):\n    wait(4 * 6)\n    return a\n', 'contradicted'),
    ('a.py#Cart', 'A cart adds up its lines', 'class Cart:\n    def total(self):\n        s = 0\n        for l in self.lines:\n            s += l.price * l.count\n        if s > 100:\n            s = s - 5\n        return s\n', 'class Cart:\n    def total(self):\n        return self._reduced(self._sum())\n    def _sum(self):\n        s = 0\n        for l in self.lines:\n            s += l.price * l.count\n        return s\n    def _reduced(self, s):\n        if s > 100:\n            s = s - 5\n        return s\n', 'carried'),
    ('a.py#Cart', 'A cart adds up its lines', 'class Cart:\n    def total(self):\n        s = 0\n        for l in self.lines:\n            s += l.price * l.count\n        return s\n', 'class Cart:\n    def total(self):\n        return self._sum()\n    def _sum(self):\n        s = 0\n        for l in self.lines:\n            s += l.price * l.count\n        return s\n', 'carried'),
    ('A.java#A.f', 'Writes are locked', 'class A {\n void f() { lock.lock(); try { x++; } finally { lock.unlock(); } }\n}\n', 'class A {\n void f() { x++; }\n}\n', 'contradicted'),
    ('A.java#A.f', 'Updates hold the lock', 'class A {\n void f() { lock.lock(); x++; lock.unlock(); }\n}\n', 'class A {\n void f() { x++; }\n}\n', 'contradicted'),
    ('a.py#f', 'The counter is updated under a lock', 'def f(self):\n    with self._lock:\n        self.n += 1\n', 'def f(self):\n    self.n += 1\n', 'contradicted'),
    ('a.rs#f', 'Takes the lock before it touches the map', 'fn f(m: &M) { let g = m.lock(); g.touch(); }\n', 'fn f(m: &M) { m.touch(); }\n', 'contradicted'),
    ('a.js#f', 'It holds the lock while it writes', 'async function f() { await lock.lock(); write(); lock.unlock(); }\n', 'async function f() { write(); }\n', 'contradicted'),
    ('a.py#f', 'Inactive users are skipped', 'def f(us):\n    for u in us:\n        if not u.active:\n            continue\n        send(u)\n', 'def f(us):\n    for u in us:\n        if u.active:\n            continue\n        send(u)\n', 'contradicted'),
    ('a.py#f', 'Only admins may delete', 'def f(u):\n    if not u.is_admin:\n        raise Forbidden()\n    delete()\n', 'def f(u):\n    if u.is_admin:\n        raise Forbidden()\n    delete()\n', 'contradicted'),
    ('a.py#f', 'True when the token has expired', 'def f(t):\n    return t.expired\n', 'def f(t):\n    return not t.expired\n', 'contradicted'),
    ('a.py#f', 'An empty cart is refused', 'def f(cart):\n    if len(cart) == 0:\n        raise Refused()\n    go(cart)\n', 'def f(cart):\n    if len(cart) != 0:\n        raise Refused()\n    go(cart)\n', 'contradicted'),
    ('a.py#f', 'Only admins may delete', 'def f(u):\n    if not u.is_admin:\n        deny()\n    else:\n        delete()\n', 'def f(u):\n    if u.is_admin:\n        delete()\n    else:\n        deny()\n', 'current'),
    ('a.js#f', 'Drafts are not published', 'function f(p) { if (!p.draft) { publish(p); } }\n', 'function f(p) { if (p.draft) { publish(p); } }\n', 'contradicted'),
]  # fmt: skip


@pytest.mark.parametrize(
    ("place", "text", "before", "after", "standing"), [pytest.param(*row, id=f"{row[1]}: {row[4]}") for row in ROWS]
)
def test_plain_words_are_held_against_the_code(
    bench: Bench, place: str, text: str, before: str, after: str, standing: str
) -> None:
    path = place.partition("#")[0]
    bench.write(path, before)
    belief = bench.remember(text, place)
    bench.write(path, after)
    assert bench.standing(belief) == standing, bench.told(belief)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x = 60 * 60", "x = 3600"),
        ("f(4 * 5, 1)", "f(20, 1)"),
        ("return 2 ** 10", "return 1024"),
        ("1 << 20", "1048576"),
        ("x = 7 + 3 * 2", "x = 13"),
        ("[10 - 3]", "[7]"),
        ("0x10 * 2", "32"),
    ],
)
def test_a_sum_is_what_it_makes(one: str, other: str) -> None:
    assert same_value(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x = a / 60 * 60", "x = a / 3600"),
        ("x = a - 2 + 1", "x = a - 3"),
        ("'60 * 60'", "'3600'"),
        ("7 / 2", "3"),
        ("x = 3 - 5", "x = 2"),
        ("x = 010 * 2", "x = 20"),
        ("x = 2 * 3 .real", "x = 6 .imag"),
        ("2.5 * 2", "5"),
        ("9 ** 999", "1"),
    ],
)
def test_what_is_no_plain_sum_stays_as_it_is(one: str, other: str) -> None:
    assert not same_value(one, other)


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.sampled_from("*+"))
def test_a_sum_of_any_two_whole_numbers_is_its_result(left: int, right: int, sign: str) -> None:
    result = left * right if sign == "*" else left + right
    assert folded(f"wait({left} {sign} {right})") == f"wait({result})"


@given(st.text(max_size=60))
def test_folding_reads_any_text_and_folds_it_once(text: str) -> None:
    assert folded(folded(text)) == folded(text)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("('a', 'b', 'c')", 3),
        ("[1, [2, 3], 4,]", 3),
        ("{'a, b': 1, 'c': {2: 3}}", 2),
        ("[]string{'a', 'b'}", 2),
        ("List.of('a', 'b', 'c')", 3),
        ("new Set(['a', 'b'])", 2),
        ("frozenset({1, 2, 3, 4})", 4),
        ("f(a, b)", None),
        ("a + b", None),
        ("(1)", None),
        ("]", None),
        ("", None),
    ],
)
def test_entries_are_counted_where_a_collection_is_written_out(text: str, count: int | None) -> None:
    assert entries(text) == count
