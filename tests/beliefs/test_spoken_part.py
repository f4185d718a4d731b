"""An edit in another part of a function than the one that a statement speaks of interrupts nobody."""

from __future__ import annotations

import pytest
from bench import Bench

from memlsp.model.standing import Standing

ORDER = """
def order(cart, address, *, notify=True):
    if not cart.items:
        raise ValueError("nothing was chosen")
    total = sum(item.price for item in cart.items)
    if address.is_island:
        total += surcharge(address)
    receipt = store.save(cart, total)
    if notify:
        mail.send(address.owner, receipt)
    return receipt
"""
ISLAND = "Addresses on an island pay a surcharge"
MAILED = "The owner gets the receipt by mail"


def _edited(bench: Bench, statement: str, old: str, new: str) -> tuple[Standing, bool]:
    bench.write("shop.py", ORDER)
    belief = bench.remember(statement, "shop.py#order")
    bench.replace("shop.py", old, new)
    judged = bench.judge(belief)
    return judged.standing, judged.aside


@pytest.mark.parametrize(
    ("statement", "old", "new"),
    [
        (ISLAND, "    return receipt", "    return receipt.number"),
        (ISLAND, "mail.send(address.owner, receipt)", "mail.queue(address.owner, receipt)"),
        ("Nothing chosen is a `ValueError`", "store.save(cart, total)", "store.save(cart, round(total, 2))"),
        ("Nothing chosen is a `ValueError`", "    if notify:", "    if notify and total > 0:"),
    ],
)
def test_an_edit_of_another_part_is_no_alarm(bench: Bench, statement: str, old: str, new: str) -> None:
    assert _edited(bench, statement, old, new) == (Standing.CHANGED, True)


@pytest.mark.parametrize(
    ("statement", "old", "new"),
    [
        (ISLAND, "surcharge(address)", "fee(address)"),  # what it says
        (ISLAND, "if address.is_island:", "if address.is_far:"),  # a branch around it
        (MAILED, "    if notify:", "    if notify and total > 0:"),
        (MAILED, "receipt = store.save(cart, total)", "receipt = store.draft(cart, total)"),  # what it reads
        (MAILED, "    if notify:", "    if cart.gift:\n        return receipt\n    if notify:"),  # a way out before it
    ],
)
def test_an_edit_that_the_spoken_part_depends_on_is_an_alarm(bench: Bench, statement: str, old: str, new: str) -> None:
    standing, aside = _edited(bench, statement, old, new)
    assert standing in {Standing.CHANGED, Standing.CONTRADICTED}
    assert not aside


def test_an_edit_inside_the_block_that_a_statement_names_is_an_alarm(bench: Bench) -> None:
    bench.write(
        "a.py", "def run(jobs):\n    for job in jobs.urgent:\n        start(job)\n    tidy()\n    return done()\n"
    )
    belief = bench.remember("Urgent jobs are all run", "a.py#run")
    bench.replace("a.py", "        start(job)", "        start(job, late=True)")
    assert not bench.judge(belief).aside


def test_a_statement_that_shares_no_word_with_the_code_is_always_an_alarm(bench: Bench) -> None:
    assert _edited(bench, "Works as agreed with Marta", "    return receipt", "    return receipt.number") == (
        Standing.CHANGED,
        False,
    )


@pytest.mark.parametrize("statement", ["oldest rows come first", "rows come in ascending order", "the newest is last"])
def test_an_argument_that_a_call_gets_is_of_the_part_that_speaks_of_the_call(bench: Bench, statement: str) -> None:
    bench.write("rows.py", "def listed(rows):\n    return sorted(rows, key=lambda row: row.created)\n")
    belief = bench.remember(statement, "rows.py#listed")
    bench.replace("rows.py", "row.created)", "row.created, reverse=True)")
    judged = bench.judge(belief)
    assert judged.standing in {Standing.CHANGED, Standing.CONTRADICTED}
    assert not judged.aside


SEAT = """
def seat(hall, guest, wanted):
    # nobody on the black list gets in
    if guest.id in hall.banned:
        raise Refused(guest)
    row = hall.rows[wanted.row]
    price = row.price * factor(guest)
    if price > guest.limit and not retryable(guest):
        price = guest.limit
    try:
        place = row.take(wanted.number)
        paid = charge(guest, price)
    except Full:
        place = hall.waiting(guest)
    noted = hall.ledger.append(place)
    mail(guest, place)
    return noted
"""
BLACK = "Whoever is on the black list stays out, however early they came and whatever they are willing to pay"
LIMITED = "The price never exceeds the limit of the guest, whatever factor the season and the hall bring with them"
PAYING = "Every guest is charged, rich or poor, old or young, member or stranger, early or late"
CHARGED = "The guest is charged for a place that was taken, and for one on the list of those who wait as well"


def _seated(bench: Bench, statement: str, old: str, new: str) -> tuple[Standing, bool]:
    bench.write("hall.py", SEAT)
    belief = bench.remember(statement, "hall.py#seat")
    bench.replace("hall.py", old, new)
    judged = bench.judge(belief)
    return judged.standing, judged.aside


@pytest.mark.parametrize(
    ("statement", "old", "new"),
    [
        (BLACK, "mail(guest, place)", "queue(guest, place)"),
        (BLACK, "price = guest.limit", "price = round(guest.limit)"),
        (LIMITED, "mail(guest, place)", "queue(guest, place)"),
        (LIMITED, "hall.waiting(guest)", "hall.standing(guest)"),
    ],
)
def test_an_edit_that_shares_little_with_a_long_statement_is_no_alarm(
    bench: Bench, statement: str, old: str, new: str
) -> None:
    assert _seated(bench, statement, old, new) == (Standing.CHANGED, True)


@pytest.mark.parametrize(
    ("statement", "old", "new"),
    [
        (BLACK, "guest.id in hall.banned", "guest.id in hall.old"),  # a comment above says it
        (CHARGED, "except Full:", "except Closed:"),  # what handles it
        ("A guest whose card can be retried may go over the limit", "not retryable(guest)", "not late(guest)"),
        (LIMITED, "price > guest.limit and not", "price > guest.limit and wanted.row and not"),  # a test around it
        (
            PAYING,
            "        paid = charge(guest, price)",
            "        if wanted.row:\n            paid = charge(guest, price)",
        ),
        ("The ledger notes the place", "return noted", "return None"),  # what its variable was given
    ],
)
def test_an_edit_of_what_a_long_statement_speaks_of_is_an_alarm(
    bench: Bench, statement: str, old: str, new: str
) -> None:
    standing, aside = _seated(bench, statement, old, new)
    assert standing in {Standing.CHANGED, Standing.CONTRADICTED}
    assert not aside


def test_what_is_no_longer_awaited_is_an_alarm_wherever_it_stands(bench: Bench) -> None:
    bench.write(
        "door.ts",
        """
        export async function close(door: Door, guests: Guest[]) {
          if (guests.some((guest) => guest.inside)) {
            throw new Occupied(door);
          }
          await door.lock();
          lights.off(door.hall);
        }
        """,
    )
    belief = bench.remember("Guests who are inside keep the door from closing, as `Occupied` says", "door.ts#close")
    bench.replace("door.ts", "await door.lock()", "door.lock()")
    judged = bench.judge(belief)
    assert (judged.standing, judged.aside) == (Standing.CHANGED, False)
