"""What the statement does not speak of is `changed`, never `contradicted`; what a reader would see broken is."""

# ruff: noqa: E501 - an edit is one row of a table

from __future__ import annotations

import pytest
from bench import Bench

SOURCE = '''
import logging
import time
import requests
from app.models import Status

log = logging.getLogger(__name__)
MAX_ATTEMPTS = 3
PAGE = 30


def fetch(url, timeout=30, page_size=30, connect_timeout=5, strict=False):
    """Fetch."""
    for attempt in range(MAX_ATTEMPTS):
        try:
            response = requests.get(url, timeout=timeout)
        except requests.Timeout:
            log.warning("timeout %s", url)
            time.sleep(2 ** attempt)
            continue
        if response.status_code >= 500:
            raise IOError("server")
        items = response.json()["items"][:page_size]
        if not items:
            return None
        return sorted(items, key=lambda item: item["date"])
    raise TimeoutError(url)


def save(order, session):
    order.validate()
    if order.total > 18 and order.status == Status.PAID:
        session.add(order)
        session.commit()
        return True
    return False


def parse(text, sep=","):
    rows = [line.split(sep) for line in text.splitlines() if line]
    return [row[0].strip().lower() for row in rows]


class Store:
    """A store."""

    table = "orders"

    def get(self, key):
        return self.data.get(key)

    def put(self, key, value):
        with self.lock:
            self.data[key] = value

    def close(self):
        self.data.clear()
'''

# symbol, statement, old text, new text, standing
ROWS = [
    # another thing of the same value
    ("fetch", "fetch has a timeout of 30 seconds", "page_size=30", "page_size=50", "changed"),
    ("fetch", "the page size is 30", "timeout=30, page", "timeout=60, page", "changed"),
    ("fetch", "timeout defaults to 30", "timeout=30, page", "timeout=60, page", "contradicted"),
    ("fetch", "the connect timeout is 5 s", "connect_timeout=5", "connect_timeout=9", "contradicted"),
    ("fetch", "retries three times", "MAX_ATTEMPTS = 3", "MAX_ATTEMPTS = 4", "contradicted"),
    ("fetch", "retries three times", "PAGE = 30", "PAGE = 31", "current"),
    ("fetch", "items are sorted by date", 'log.warning("timeout %s", url)', 'log.warning("late %s", url)', "changed"),
    ("fetch", "items are sorted by date", '["date"]', '["price"]', "contradicted"),
    ("fetch", "items are sorted by date", "return sorted(items, key=lambda item: item[\"date\"])", "return items", "contradicted"),
    ("fetch", "raises IOError on server errors", ">= 500", ">= 400", "changed"),
    ("fetch", "raises IOError for status codes of at least 500", ">= 500", "> 500", "contradicted"),
    ("fetch", "raises IOError for status codes of at least 500", ">= 500", ">= 400", "contradicted"),
    ("fetch", "raises IOError on server errors", 'IOError("server")', 'OSError("server")', "contradicted"),
    ("fetch", "raises IOError on server errors", "TimeoutError", "ValueError", "changed"),
    ("fetch", "catches requests.Timeout", "requests.Timeout", "requests.ConnectionError", "contradicted"),
    ("fetch", "backs off exponentially", "time.sleep(2 ** attempt)", "time.sleep(2 * attempt)", "changed"),
    ("fetch", "waits between attempts", "            time.sleep(2 ** attempt)\n", "", "contradicted"),
    ("fetch", "returns None when there are no items", "return None", "return []", "contradicted"),
    ("fetch", "returns None when there are no items", "if not items:", "if len(items) < 2:", "changed"),
    ("fetch", "strict is off by default", "strict=False", "strict=True", "contradicted"),
    ("fetch", "strict mode is optional", "strict=False", "strict", "contradicted"),
    ("fetch", "fetch uses requests", "requests.get(url, timeout=timeout)", "httpx.get(url, timeout=timeout)", "changed"),
    ("fetch", "must not use time.sleep in new code", "page_size=30", "page_size=31", "changed"),
    ("fetch", "never writes to the disk", "return None", 'open("x", "w")', "contradicted"),
    ("fetch", "does not retry on HTTP 500", ">= 500", ">= 501", "contradicted"),
    ("fetch", "fetch is the only way to the network", "return None", "return []", "changed"),
    ("save", "only paid orders are saved", "Status.PAID", "Status.OPEN", "contradicted"),
    ("save", "orders are validated before they are saved", "    order.validate()\n", "", "contradicted"),
    ("save", "saves the order in a session", "        session.commit()\n", "", "changed"),
    ("save", "the session is committed", "        session.commit()\n", "", "contradicted"),
    ("save", "totals over 18 are saved", "> 18", "> 21", "contradicted"),
    ("save", "totals over 18 are saved", "> 18", ">= 18", "contradicted"),
    ("save", "save returns True when it was stored", "return True", "return order", "contradicted"),
    ("save", "save tells whether it was stored", "return True", "return order", "changed"),
    ("save", "save never raises", "    return False", '    raise ValueError("no")', "contradicted"),
    ("save", "save never raises KeyError", "    return False", '    raise ValueError("no")', "changed"),
    ("save", "save never logs totals", "    return False", '    log.info("skipped")\n    return False', "changed"),
    ("save", "save never logs the total", "    return False", '    log.info("skipped %s", order.total)\n    return False', "contradicted"),
    ("save", "save makes no network calls", "    return False", "    requests.post(order.url)\n    return False", "contradicted"),
    ("save", "save does not use transactions", "    return False", "    return None", "changed"),
    ("parse", "fields are separated by ','", 'sep=","', 'sep=";"', "contradicted"),
    ("parse", "names are lower-cased", ".lower()", "", "contradicted"),
    ("parse", "blank lines are skipped", " if line]", "]", "changed"),
    ("parse", "white space is stripped", ".strip()", "", "contradicted"),
    ("parse", "the first column counts", "row[0]", "row[1]", "changed"),
    ("parse", "does not take a default separator", "    rows =", "    print(text)\n    rows =", "changed"),
    ("Store", "puts are guarded by a lock", "        with self.lock:\n            self.data[key] = value", "        self.data[key] = value", "contradicted"),
    ("Store", "the table is called 'orders'", 'table = "orders"', 'table = "sales"', "contradicted"),
    ("Store", "Store has three methods", "    def close(self):\n        self.data.clear()\n", "", "contradicted"),
    ("Store", "`Store.close` clears the data", "def close(self)", "def shutdown(self)", "contradicted"),
    ("Store", "a store keeps orders by key", "def close(self)", "def shutdown(self)", "changed"),
    ("Store", "a store keeps orders by key", "        self.data.clear()", "        self.data = {}", "changed"),
    ("Store", "a store must not call requests.get", "    def close(self):", "    def load(self):\n        return requests.get(self.url)\n\n    def close(self):", "contradicted"),
    ("Store", "a store must not call requests.get", "    def close(self):", "    def size(self):\n        return len(self.data)\n\n    def close(self):", "current"),
    ("", "nothing here writes to the disk", "    return False", "    return None", "changed"),
    ("", "this module never calls subprocess.run", "def parse", "def other():\n    return 1\n\n\ndef parse", "current"),
    ("", "this module never calls subprocess.run", "def parse", "def other():\n    return subprocess.run([])\n\n\ndef parse", "contradicted"),
    ("", "the page size is 30", "PAGE = 30", "PAGE = 50", "contradicted"),
    ("", "retries are limited to 3", "MAX_ATTEMPTS = 3", "MAX_ATTEMPTS = 5", "contradicted"),
    ("", "a word on this file", "# nothing", "# nothing", "current"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("symbol", "text", "old", "new", "standing"),
    [pytest.param(*row, id=f"{row[1]} / {row[3].strip()}") for row in ROWS],
)
def test_only_what_the_statement_names_contradicts_it(
    bench: Bench, symbol: str, text: str, old: str, new: str, standing: str
) -> None:
    bench.write("app/models.py", 'from enum import Enum\n\n\nclass Status(Enum):\n    OPEN = "o"\n    PAID = "p"\n')
    bench.write("app/work.py", SOURCE + "\n# nothing\n")
    belief = bench.remember(text, f"app/work.py#{symbol}" if symbol else "app/work.py")
    bench.replace("app/work.py", old, new)
    assert bench.standing(belief) == standing, bench.told(belief)


def test_a_name_with_a_number_is_quoted_whole(bench: Bench) -> None:
    bench.write("a.py", "def connect(verify=True, http2=False):\n    return Config(verify, http2=http2).context\n")
    belief = bench.remember("connect takes http2, for the transports share one context", "a.py#connect")
    bench.write("a.py", "def connect(verify=True):\n    return default_context(verify)\n")
    assert "the statement says “http2”" in bench.told(belief)
