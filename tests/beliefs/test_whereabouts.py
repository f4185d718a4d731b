"""Finding an anchor's symbol again: renames, moves, look-alikes, swaps, half-typed files."""

from __future__ import annotations

import pytest
from bench import Bench

from memlsp.beliefs.lifecycle.verification import renew
from memlsp.model.standing import Standing

FIRST = '''
def first(orders, limit):
    """The first."""
    kept = [order for order in orders if order.total > limit]
    return sorted(kept, key=lambda order: order.date)
'''
SECOND = """
def second(path, encoding):
    with open(path, encoding=encoding) as handle:
        return handle.read().splitlines()[1:]
"""
THIRD = """
def third(rows, columns):
    table = {column: [] for column in columns}
    for row in rows:
        table[row.column].append(row.value)
    return table
"""


def _named(source: str, old: str, new: str) -> str:
    return source.replace(f"def {old}(", f"def {new}(")


def test_bodies_that_swap_names_are_followed_by_body(bench: Bench) -> None:
    bench.write("a.py", FIRST + SECOND)
    one = bench.remember("sorts by date", "a.py#first")
    two = bench.remember("skips the header", "a.py#second")
    bench.write("a.py", _named(FIRST, "first", "second") + _named(SECOND, "second", "last"))
    assert [(t.symbol, t.standing) for t in bench.judge(one).ties] == [("second", Standing.CARRIED)], bench.told(one)
    assert [(t.symbol, t.standing) for t in bench.judge(two).ties] == [("last", Standing.CARRIED)], bench.told(two)


def test_a_twin_that_was_there_before_is_not_taken_for_the_deleted_one(bench: Bench) -> None:
    bench.write("a.py", FIRST + _named(FIRST, "first", "other"))
    belief = bench.remember("sorts by date", "a.py#first")
    bench.write("a.py", _named(FIRST, "first", "other"))
    judgement = bench.judge(belief)
    assert judgement.standing is Standing.ORPHANED, bench.told(belief)
    assert [c.symbol for c in judgement.ties[0].candidates] == ["other"]


def test_a_twin_in_another_file_is_not_taken_for_the_deleted_one(bench: Bench) -> None:
    bench.write("a.py", FIRST)
    bench.write("b.py", FIRST)
    bench.write("c.py", _named(FIRST, "first", "other"))
    belief = bench.remember("sorts by date", "a.py#first")
    bench.write("a.py", "x = 1\n")
    assert bench.standing(belief) is Standing.ORPHANED, bench.told(belief)


def test_a_similar_one_that_was_there_before_is_not_taken_either(bench: Bench) -> None:
    similar = _named(FIRST, "first", "other").replace("order.date", "order.total")
    bench.write("a.py", FIRST + similar)
    belief = bench.remember("keeps the large ones", "a.py#first")
    bench.write("a.py", similar)
    judgement = bench.judge(belief)
    assert judgement.standing is Standing.ORPHANED, bench.told(belief)
    assert [c.symbol for c in judgement.ties[0].candidates] == ["other"]


def test_a_new_twin_beside_the_original_changes_nothing(bench: Bench) -> None:
    bench.write("a.py", FIRST)
    belief = bench.remember("sorts by date", "a.py#first")
    bench.write("a.py", FIRST + _named(FIRST, "first", "copy"))
    assert bench.standing(belief) is Standing.CURRENT


def test_a_copy_does_not_take_the_belief_from_the_edited_original(bench: Bench) -> None:
    bench.write("a.py", FIRST)
    belief = bench.remember("sorts by date", "a.py#first")
    edited = FIRST.replace("order.date", "order.age")
    bench.write("a.py", edited + _named(FIRST, "first", "first_old"))
    judgement = bench.judge(belief)
    assert judgement.ties[0].symbol == "first"
    assert judgement.standing is Standing.CONTRADICTED, bench.told(belief)


def test_two_equally_good_heirs_are_both_named_and_none_is_chosen(bench: Bench) -> None:
    bench.write("a.py", FIRST + SECOND)
    belief = bench.remember("sorts by date", "a.py#first")
    bench.write("a.py", _named(FIRST, "first", "alpha") + _named(FIRST, "first", "beta") + SECOND)
    judgement = bench.judge(belief)
    assert judgement.standing is Standing.ORPHANED, bench.told(belief)
    assert sorted(c.symbol for c in judgement.ties[0].candidates) == ["alpha", "beta"]
    assert judgement.reasons[0].code == "symbol-ambiguous"


def test_a_function_moved_into_a_class_is_carried(bench: Bench) -> None:
    bench.write("a.py", FIRST + SECOND)
    belief = bench.remember("skips the header", "a.py#second")
    inside = SECOND.strip("\n").replace("\n", "\n    ")
    bench.write("a.py", FIRST + "\n\nclass Reader:\n    @staticmethod\n    " + inside + "\n")
    assert bench.judge(belief).ties[0].symbol == "Reader.second", bench.told(belief)


def test_a_method_moved_to_another_class_is_carried(bench: Bench) -> None:
    body = "    def total(self):\n        return sum(item.price * item.count for item in self.items if item.paid)\n"
    bench.write(
        "a.py", f"class Cart:\n{body}\n    def clear(self):\n        self.items = []\n\n\nclass Order:\n    pass\n"
    )
    belief = bench.remember("only paid items count", "a.py#Cart.total")
    bench.write("a.py", f"class Cart:\n    def clear(self):\n        self.items = []\n\n\nclass Order:\n{body}")
    judgement = bench.judge(belief)
    assert (judgement.standing, judgement.ties[0].symbol) == (Standing.CARRIED, "Order.total"), bench.told(belief)


def test_a_move_that_leaves_a_wrapper_behind_is_followed(bench: Bench) -> None:
    bench.write("a.py", FIRST + THIRD)
    belief = bench.remember("groups by column", "a.py#third")
    bench.write("tables.py", THIRD)
    bench.write("a.py", "import tables\n" + FIRST + "\n\ndef third(*args):\n    return tables.third(*args)\n")
    judgement = bench.judge(belief)
    assert (judgement.standing, judgement.ties[0].path) == (Standing.CARRIED, "tables.py"), bench.told(belief)


def test_a_renamed_file_of_short_names_takes_its_beliefs_along(bench: Bench) -> None:
    bench.write("prices.py", "TAX = 0.2\n")
    belief = bench.remember("prices have a tax of 20 %", "prices.py")
    bench.move("prices.py", "rates.py")
    assert bench.standing(belief) is Standing.CARRIED


def test_a_renamed_file_takes_its_file_beliefs_along(bench: Bench) -> None:
    bench.write("orders.py", FIRST + SECOND)
    belief = bench.remember("nothing here talks to the network", "orders.py")
    bench.move("orders.py", "sales/orders.py")
    judgement = bench.judge(belief)
    assert (judgement.standing, judgement.ties[0].path) == (Standing.CARRIED, "sales/orders.py"), bench.told(belief)


def test_overloads_of_one_name_are_told_apart_by_their_meaning(bench: Bench) -> None:
    bench.write(
        "a.py",
        """
        class A:
            @property
            def x(self):
                return self._x + 1

            @x.setter
            def x(self, value):
                self._x = value - 1
        """,
    )
    belief = bench.remember("setting x takes one off", "a.py:8")
    bench.replace("a.py", "return self._x + 1", "return self._x + 2")
    assert bench.standing(belief) is Standing.CURRENT, bench.told(belief)
    bench.replace("a.py", "value - 1", "value - 3")
    assert not bench.standing(belief).holds


@pytest.mark.parametrize(
    "broken",
    [
        FIRST.replace("def first(orders, limit):", "def first(orders, lim") + SECOND,
        FIRST.replace("    kept = [", "    kept = [[[") + SECOND,
        FIRST.replace("def first", "def fi rst") + SECOND + "\n# first\n",
        FIRST.replace("return sorted(", "return sorted(((") + SECOND,
    ],
)
def test_half_typed_code_raises_no_alarm(bench: Bench, broken: str) -> None:
    bench.write("a.py", FIRST + SECOND)
    belief = bench.remember("sorts by date", "a.py#first")
    bench.write("a.py", broken)
    assert bench.standing(belief).holds, bench.told(belief)
    bench.write("a.py", FIRST + SECOND)
    assert bench.standing(belief) is Standing.CURRENT


def test_an_error_elsewhere_does_not_hide_a_change(bench: Bench) -> None:
    bench.write("a.py", FIRST + SECOND)
    belief = bench.remember("sorts by date", "a.py#first")
    bench.write("a.py", FIRST.replace("order.date", "order.age") + SECOND + "\n\ndef later(:\n")
    assert bench.standing(belief) is Standing.CONTRADICTED, bench.told(belief)


def test_an_unreadable_file_is_said_to_be_one(bench: Bench) -> None:
    bench.write("a.py", FIRST)
    belief = bench.remember("sorts by date", "a.py#first")
    (bench.root / "a.py").write_bytes(b"\0\1\2" * 50)
    bench.worktree.changed(None)
    assert bench.judge(belief).reasons[0].code == "unreadable", bench.told(belief)


def test_a_confirmation_takes_the_anchor_where_it_is_now(bench: Bench) -> None:
    bench.write("a.py", FIRST + SECOND)
    belief = bench.remember("sorts by date", "a.py#first")
    bench.write("a.py", _named(FIRST, "first", "by_date").replace("> limit", ">= limit") + SECOND)
    assert not bench.standing(belief).holds or bench.standing(belief) is Standing.CARRIED
    renewal = renew(belief, bench.worktree, now=bench.now)
    assert [anchor.symbol for anchor in renewal.anchors] == ["by_date"]
    assert renewal.anchors[0].provenance == ("renamed from first",)


def test_the_worst_of_several_anchors_decides(bench: Bench) -> None:
    bench.write("a.py", FIRST + SECOND)
    belief = bench.remember("read and sorted by date", "a.py#first", "a.py#second")
    bench.write("a.py", _named(FIRST, "first", "renamed") + SECOND.replace("[1:]", "[2:]"))
    judgement = bench.judge(belief)
    assert [tie.standing for tie in judgement.ties] == [Standing.CARRIED, Standing.CHANGED]
    assert judgement.standing is Standing.CHANGED
    assert judgement.reasons[0].symbol == "second"
