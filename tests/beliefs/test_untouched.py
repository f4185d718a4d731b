"""A change in a small part of a large function, away from what a statement speaks of, leaves the belief current."""

from __future__ import annotations

import pytest
from bench import Bench

from memlsp.model.standing import Standing

LARGE = """
def import_orders(path, store, limit=100):
    with open(path, encoding="utf-8") as file:
        header = file.readline().strip().split(";")
        positions = {name: index for index, name in enumerate(header)}
        seen = set()
        for number, line in enumerate(file, start=2):
            cells = line.rstrip().split(";")
            if len(cells) != len(header):
                store.reject(number, "wrong width")
                continue
            key = cells[positions["order"]]
            if key in seen:
                store.reject(number, "twice")
                continue
            seen.add(key)
            amount = float(cells[positions["amount"]].replace(",", "."))
            if amount < 0:
                raise ValueError(f"negative amount in line {number}")
            store.save(key, amount, cells[positions["customer"]])
            if len(seen) >= limit:
                break
    store.close()
    return len(seen)
"""
SMALL = "def area(width, height):\n    size = width * height\n    return round(size, 2)\n"
STATEMENT = "Orders that stand there twice are rejected"
ASIDE = ('encoding="utf-8"', 'encoding="latin-1"')


def test_an_edit_away_from_the_statement_leaves_it_current_and_says_so(bench: Bench) -> None:
    bench.write("orders.py", LARGE)
    belief = bench.remember(STATEMENT, "orders.py#import_orders")
    bench.replace("orders.py", *ASIDE)
    judgement = bench.judge(belief)
    assert judgement.standing is Standing.CURRENT
    (reason,) = judgement.reasons
    assert reason.code == "untouched"
    assert "latin-1" in reason.message


def test_a_symbol_that_moved_as_well_is_carried(bench: Bench) -> None:
    bench.write("orders.py", LARGE)
    belief = bench.remember(STATEMENT, "orders.py#import_orders")
    bench.replace("orders.py", *ASIDE)
    bench.move("orders.py", "incoming.py")
    assert bench.standing(belief) is Standing.CARRIED
    assert "untouched" in {reason.code for reason in bench.judge(belief).reasons}


@pytest.mark.parametrize(
    ("statement", "old", "new"),
    [
        (STATEMENT, "if key in seen:", "if key in seen and number:"),
        ("Files are read as UTF-8", *ASIDE),
        ("It is slow and nobody minds", *ASIDE),
        ("Orders that stand there twice never stop the import", *ASIDE),
        (STATEMENT, "limit=100", "limit=200"),
        (STATEMENT, "def import_orders(path, store, limit=100)", "def import_orders(path, store, mode, limit=100)"),
    ],
    ids=["touches its words", "says it in other spelling", "names nothing", "rules out", "default", "parameter"],
)
def test_what_is_not_clear_is_for_a_person_to_look_at(bench: Bench, statement: str, old: str, new: str) -> None:
    bench.write("orders.py", LARGE)
    belief = bench.remember(statement, "orders.py#import_orders")
    bench.replace("orders.py", old, new)
    assert not bench.standing(belief).holds, bench.told(belief)


def test_everything_bears_on_everything_in_a_small_function(bench: Bench) -> None:
    bench.write("shapes.py", SMALL)
    belief = bench.remember("The width counts", "shapes.py#area")
    bench.replace("shapes.py", "round(size, 2)", "round(size, 4)")
    assert bench.standing(belief) is Standing.CHANGED


def test_a_parameter_that_the_statement_names_and_that_is_renamed_is_no_small_matter(bench: Bench) -> None:
    bench.write("orders.py", LARGE)
    belief = bench.remember("`limit` is how many orders are read at the most", "orders.py#import_orders")
    bench.replace("orders.py", "limit", "most")
    assert bench.standing(belief) is Standing.CONTRADICTED


def test_changes_that_mostly_make_a_docstring_false_are_marked_as_likely(bench: Bench) -> None:
    bench.write("shapes.py", SMALL)
    belief = bench.remember(
        "Compute a size.\n\n:param width: how wide it is\n:param height: how high it is", "shapes.py#area"
    )
    bench.replace("shapes.py", "def area(width, height):", "def area(width, height, depth, unit=None):")
    bench.replace("shapes.py", "width * height", "convert(width, unit) * convert(height, unit) * depth")
    (tie,) = bench.judge(belief).ties
    assert tie.standing is Standing.CHANGED
    assert tie.likely


def test_a_change_that_is_seldom_told_in_words_is_not_marked(bench: Bench) -> None:
    bench.write("shapes.py", SMALL)
    belief = bench.remember("Sizes are what architects call them", "shapes.py#area")
    bench.replace("shapes.py", "round(size, 2)", "round(size, 4)")
    (tie,) = bench.judge(belief).ties
    assert tie.standing is Standing.CHANGED
    assert not tie.likely
