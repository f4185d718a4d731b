"""Python: what an edit does to the standing of a belief. Each row is one edit of the same small shop."""

# ruff: noqa: E501 - an edit is one row of a table

from __future__ import annotations

import pytest
from bench import Bench, Edit, Row, check, moving, removing, replacing, rows, together

RATES = """
from enum import Enum

RATE = 0.20
GRACE = 60 * 60


class Status(Enum):
    OPEN = "open"
    PAID = "paid"


def round_money(amount, digits=2):
    return round(amount, digits)


class Base:
    retries = 3

    def check(self, value):
        return bool(value)
"""

ORDERS = '''
"""Orders."""

import logging
from datetime import timedelta
from functools import lru_cache

import requests
from shop.rates import GRACE, RATE, Base, Status, round_money
from tenacity import retry, stop_after_attempt

log = logging.getLogger(__name__)
TIMEOUT = timedelta(seconds=30)


def compute_tax(amount, country="DE"):
    """The tax on an amount."""
    if amount < 0:
        raise ValueError("negative amount")
    # the default rate
    total = amount * RATE
    return round_money(total)


@lru_cache(maxsize=128)
def load_country(code, encoding="utf-8"):
    with open(f"{code}.txt", encoding=encoding) as handle:
        return handle.read().strip()


@retry(stop=stop_after_attempt(3))
def fetch(url, timeout=30, verify=True):
    validate_token(url)
    response = requests.get(url, timeout=timeout, verify=verify)
    if response.status_code == 404:
        return None
    return response.json()


def validate_token(url):
    if "token" not in url:
        raise PermissionError(url)


async def notify(user, channel="mail"):
    try:
        await channel_for(channel).send(user.email)
    except ConnectionError:
        log.warning("not sent")
        return False
    return True


def channel_for(name):
    return CHANNELS[name]


CHANNELS = {"mail": object(), "sms": object()}


def sort_orders(orders):
    return sorted(orders, key=lambda order: order.date)


def ship(order):
    if order.status == Status.PAID and order.age < GRACE:
        order.ship()
        log.info("shipped %s", order.id)


class Cart(Base):
    """A cart."""

    limit = 50

    def __init__(self, owner):
        self.owner = owner
        self.items = []

    def add(self, item, count=1):
        if len(self.items) >= self.limit:
            raise OverflowError("cart is full")
        self.items.append((item, count))
        return self

    def total(self):
        return sum(item.price * count for item, count in self.items)
'''

TAX = "compute_tax applies the default 20 % rate"
FETCH = "fetch retries three times through tenacity, validates the token first and has a timeout of 30 seconds"


PATH = "shop/orders.py"


def _orders(old: str, new: str) -> Edit:
    return replacing(PATH, old, new)


def _rates(old: str, new: str) -> Edit:
    return replacing("shop/rates.py", old, new)


_move_tax = together(
    moving(PATH, "def compute_tax", "@lru_cache", "shop/taxes.py", "from shop.rates import RATE, round_money\n\n"),
    _orders("import requests\n", "import requests\nfrom shop.taxes import compute_tax\n"),
)
_move_within = moving(PATH, "def compute_tax", "@lru_cache", PATH)


def _copy(bench: Bench) -> None:
    text = bench.read("shop/orders.py")
    piece = text[text.index("def compute_tax") : text.index("@lru_cache")]
    bench.write("shop/copy.py", "from shop.rates import RATE, round_money\n\n\n" + piece)


COSMETIC: list[Row] = [
    ("a comment", "compute_tax", TAX, _orders("# the default rate", "# as the law has it\n    # since 2007")),
    ("a docstring", "compute_tax", TAX, _orders("The tax on an amount.", "Value added tax of 25 %, on an amount.")),
    ("layout", "compute_tax", TAX, _orders("amount * RATE", "(\n        amount\n        * RATE\n    )")),
    ("quotes", "compute_tax", TAX, _orders('"negative amount"', "'negative amount'")),
    ("parentheses", "compute_tax", TAX, _orders("if amount < 0:", "if (amount < 0):")),
    (
        "a local's name",
        "compute_tax",
        TAX,
        _orders(
            "total = amount * RATE\n    return round_money(total)", "tax = amount * RATE\n    return round_money(tax)"
        ),
    ),
    ("a trailing comma", "fetch", FETCH, _orders("verify=verify)", "verify=verify,)")),
    (
        "import order",
        "compute_tax",
        TAX,
        _orders("GRACE, RATE, Base, Status, round_money", "Base, GRACE, RATE, Status, round_money"),
    ),
    (
        "type hints",
        "compute_tax",
        TAX,
        _orders('(amount, country="DE"):', '(amount: float, country: str = "DE") -> float:'),
    ),
    ("blank lines above", "compute_tax", TAX, _orders('"""Orders."""', '"""Orders."""\n\n\n\n')),
    ("another function", "compute_tax", TAX, _orders("CHANNELS[name]", "CHANNELS.get(name)")),
    (
        "a function added",
        "compute_tax",
        TAX,
        _orders("def channel_for", "def other(x):\n    return x\n\n\ndef channel_for"),
    ),
    ("moved within the file", "compute_tax", TAX, _move_within),
    ("copied to another file", "compute_tax", TAX, _copy),
    ("the rate spelt otherwise", "compute_tax", TAX, _rates("RATE = 0.20", "RATE = 0.2  # percent")),
    ("another constant", "compute_tax", TAX, _rates("60 * 60", "60 * 30")),
    (
        "a method's comment for a class",
        "Cart",
        "a cart holds at most 50 items",
        _orders("self.items = []", "self.items = []  # of pairs"),
    ),
    (
        "a method added to a class",
        "Cart",
        "a cart holds at most 50 items",
        _orders("    def total(self):", "    def clear(self):\n        self.items = []\n\n    def total(self):"),
    ),
]

CARRIED: list[Row] = [
    ("renamed", "compute_tax", TAX, _orders("compute_tax", "tax_on")),
    (
        "renamed with a new comment",
        "compute_tax",
        TAX,
        together(_orders("compute_tax", "tax_on"), _orders("# the default rate", "# rate")),
    ),
    (
        "renamed and its locals too",
        "compute_tax",
        TAX,
        together(
            _orders("compute_tax", "tax_on"),
            _orders(
                "total = amount * RATE\n    return round_money(total)", "t = amount * RATE\n    return round_money(t)"
            ),
        ),
    ),
    ("moved to another file", "compute_tax", TAX, _move_tax),
    ("moved and renamed", "compute_tax", TAX, together(_move_tax, replacing("shop/taxes.py", "compute_tax", "vat"))),
    (
        "the class around it renamed",
        "Cart.add",
        "add raises OverflowError when the cart is full",
        _orders("class Cart", "class Basket"),
    ),
    ("the file renamed", "compute_tax", TAX, lambda bench: bench.move("shop/orders.py", "shop/sales.py")),
    ("a class renamed", "Cart", "a cart holds at most 50 items", _orders("class Cart", "class Basket")),
    (
        "its body extracted",
        "compute_tax",
        TAX,
        _orders(
            "    # the default rate\n    total = amount * RATE\n    return round_money(total)\n",
            "    return _rounded_tax(amount)\n\n\ndef _rounded_tax(value):\n    total = value * RATE\n    return round_money(total)\n",
        ),
    ),
]

CHANGED: list[Row] = [
    (
        "a log line",
        "fetch",
        FETCH,
        _orders("    validate_token(url)\n", "    validate_token(url)\n    log.info(url)\n"),
    ),
    ("a condition", "compute_tax", TAX, _orders("amount < 0", "amount <= 0")),
    ("a parameter added", "compute_tax", TAX, _orders('country="DE"):', 'country="DE", exempt=False):')),
    ("an unmentioned default", "compute_tax", TAX, _orders('country="DE"', 'country="FR"')),
    (
        "an exception added",
        "sort_orders",
        "sort_orders sorts by date",
        _orders("    return sorted(", "    if not orders:\n        raise LookupError\n    return sorted("),
    ),
    ("the callee's signature", "compute_tax", TAX, _rates("digits=2", "digits=3")),
    ("an unmentioned literal", "ship", "ship only sends paid orders", _orders('"shipped %s"', '"sent %s"')),
    (
        "the base class",
        "Cart",
        "a cart holds at most 50 items",
        _rates("return bool(value)", "return value is not None"),
    ),
    ("a member changed", "Cart", "a cart belongs to one owner", _orders("item.price * count", "item.price")),
    (
        "renamed and edited",
        "fetch",
        "fetch returns parsed JSON",
        together(_orders("def fetch(", "def download("), _orders("== 404", "== 410")),
    ),
]

CONTRADICTED: list[Row] = [
    ("the rate in another file", "compute_tax", TAX, _rates("0.20", "0.25")),
    ("the retries", "fetch", FETCH, _orders("stop_after_attempt(3)", "stop_after_attempt(5)")),
    (
        "the decorator gone",
        "fetch",
        "calls are retried through tenacity",
        _orders("@retry(stop=stop_after_attempt(3))\n", ""),
    ),
    ("the timeout", "fetch", FETCH, _orders("timeout=30", "timeout=60")),
    ("the token no longer validated", "fetch", FETCH, _orders("    validate_token(url)\n    response", "    response")),
    ("verification off", "fetch", "fetch verifies certificates", _orders("verify=True", "verify=False")),
    ("verification off, as a default", "fetch", "verify is on by default", _orders("verify=True", "verify=False")),
    ("verify=True in the text", "fetch", "`verify=True` is the default", _orders("verify=True", "verify=False")),
    (
        "None no longer returned",
        "fetch",
        "fetch returns None when the page is missing",
        _orders("        return None\n", "        raise LookupError(url)\n"),
    ),
    ("404 no longer special", "fetch", "fetch returns None on 404", _orders("== 404", "== 410")),
    (
        "the exception",
        "compute_tax",
        "compute_tax raises ValueError for negative amounts",
        _orders("ValueError", "TypeError"),
    ),
    (
        "the check gone",
        "compute_tax",
        "compute_tax raises ValueError for negative amounts",
        _orders('    if amount < 0:\n        raise ValueError("negative amount")\n', ""),
    ),
    (
        "the check gone, in words",
        "compute_tax",
        "negative amounts are rejected",
        _orders('    if amount < 0:\n        raise ValueError("negative amount")\n', ""),
    ),
    (
        "the catch gone",
        "notify",
        "notify catches ConnectionError and returns False",
        _orders("except ConnectionError", "except TimeoutError"),
    ),
    (
        "no longer async",
        "notify",
        "notify is async",
        together(_orders("async def notify", "def notify"), _orders("await channel_for", "channel_for")),
    ),
    ("no longer cached", "load_country", "load_country is cached", _orders("@lru_cache(maxsize=128)\n", "")),
    ("the encoding", "load_country", "files are read as utf-8", _orders('encoding="utf-8"', 'encoding="latin-1"')),
    (
        "the encoding, quoted",
        "load_country",
        "files are read as 'utf-8' by default",
        _orders('encoding="utf-8"', 'encoding="latin-1"'),
    ),
    ("the sort key", "sort_orders", "orders are sorted by date", _orders("order.date", "order.total")),
    ("the enum member used", "ship", "only paid orders are shipped", _orders("Status.PAID", "Status.OPEN")),
    ("a product of constants", "ship", "orders older than one hour are not shipped", _rates("60 * 60", "60 * 30")),
    ("an enum's value", "ship", "paid orders have the status 'paid'", _rates('PAID = "paid"', 'PAID = "settled"')),
    ("a class constant", "Cart", "a cart holds at most 50 items", _orders("limit = 50", "limit = 80")),
    (
        "a method's exception, for the class",
        "Cart",
        "a full cart raises OverflowError",
        _orders("OverflowError", "ValueError"),
    ),
    ("the base class gone", "Cart", "Cart extends Base", _orders("class Cart(Base)", "class Cart")),
    (
        "never retries",
        "sort_orders",
        "sort_orders never logs",
        _orders("    return sorted(", '    log.info("sorting")\n    return sorted('),
    ),
    (
        "a forbidden call",
        "sort_orders",
        "sort_orders must not call requests.get",
        _orders("    return sorted(", '    requests.get("http://x")\n    return sorted('),
    ),
    (
        "a forbidden catch",
        "fetch",
        "fetch does not catch KeyError",
        _orders(
            "    return response.json()",
            "    try:\n        return response.json()\n    except KeyError:\n        return {}",
        ),
    ),
    (
        "no default",
        "validate_token",
        "url has no default",
        _orders("def validate_token(url)", 'def validate_token(url="")'),
    ),
    (
        "a forbidden retry",
        "sort_orders",
        "sort_orders never retries",
        _orders("def sort_orders", "@retry\ndef sort_orders"),
    ),
    (
        "the timedelta",
        "TIMEOUT",
        "the timeout is 30 seconds",
        _orders("timedelta(seconds=30)", "timedelta(seconds=45)"),
    ),
    ("the default country", "compute_tax", "the country is 'DE' by default", _orders('country="DE"', 'country="FR"')),
    ("the count", "Cart.add", "add puts in 1 piece by default: `count` is 1", _orders("count=1", "count=2")),
    (
        "renamed, and its exception",
        "compute_tax",
        "it raises ValueError for negative amounts",
        together(_orders("compute_tax", "tax_on"), _orders("ValueError", "TypeError")),
    ),
    ("moved, and the rate", "compute_tax", TAX, together(_move_tax, _rates("0.20", "0.25"))),
]

ORPHANED: list[Row] = [
    ("deleted", "compute_tax", TAX, removing(PATH, "def compute_tax", "@lru_cache")),
    (
        "its class deleted",
        "Cart.add",
        "add raises OverflowError when the cart is full",
        lambda bench: bench.write("shop/orders.py", bench.read("shop/orders.py").partition("class Cart")[0]),
    ),
    ("its file deleted", "compute_tax", TAX, lambda bench: bench.delete("shop/orders.py")),
    ("emptied", "compute_tax", TAX, lambda bench: bench.write("shop/orders.py", "")),
]


FILES = {"shop/__init__.py": "", "shop/rates.py": RATES, PATH: ORDERS}
TABLE = {
    "current": COSMETIC,
    "carried": CARRIED,
    "changed": CHANGED,
    "contradicted": CONTRADICTED,
    "orphaned": ORPHANED,
}


@pytest.mark.parametrize(("symbol", "text", "edit", "standing"), rows(TABLE))
def test_an_edit_of_python_gives_the_standing_that_a_reader_would(
    bench: Bench, symbol: str, text: str, edit: Edit, standing: str
) -> None:
    check(bench, FILES, f"{PATH}#{symbol}", text, edit, standing)
