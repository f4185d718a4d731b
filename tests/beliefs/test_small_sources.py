"""Small sources of many kinds: the source before and after, and what becomes of the statement."""

# ruff: noqa: E501 - an edit is one row of a table

from __future__ import annotations

import pytest
from bench import Bench

from memlsp.model.belief import Belief

ROWS = [
    ('m.py#Conf', 'the timeout defaults to 30 s', 'from dataclasses import dataclass\n\n@dataclass\nclass Conf:\n    timeout: int = 30\n    retries: int = 3\n', 'from dataclasses import dataclass\n\n@dataclass\nclass Conf:\n    timeout: int = 45\n    retries: int = 3\n', 'contradicted'),
    ('m.py#Conf', 'the timeout defaults to 30 s', 'from dataclasses import dataclass\n\n@dataclass\nclass Conf:\n    timeout: int = 30\n    retries: int = 3\n', 'from dataclasses import dataclass\n\n@dataclass\nclass Conf:\n    timeout: int = 30\n    retries: int = 4\n', 'changed'),
    ('m.py#Conf', 'Conf is frozen', 'from dataclasses import dataclass\n\n@dataclass(frozen=True)\nclass Conf:\n    timeout: int = 30\n', 'from dataclasses import dataclass\n\n@dataclass\nclass Conf:\n    timeout: int = 30\n', 'contradicted'),
    ('m.py#A.size', 'size is a property', 'class A:\n    @property\n    def size(self):\n        return self._n * 2\n', 'class A:\n    def size(self):\n        return self._n * 2\n', 'contradicted'),
    ('m.py#A.size', 'size is static', 'class A:\n    @staticmethod\n    def size(n):\n        return n * 2\n', 'class A:\n    @classmethod\n    def size(n):\n        return n * 2\n', 'contradicted|changed'),
    ('m.py#rows', 'rows is a generator and yields lazily', 'def rows(path):\n    for line in open(path):\n        yield line.split()\n', 'def rows(path):\n    for line in open(path):\n        pass\n    return []\n', 'contradicted|changed'),
    ('m.py#save', 'writes are protected by a lock', 'def save(path, text):\n    with lock:\n        path.write_text(text)\n', 'def save(path, text):\n    path.write_text(text)\n', 'contradicted'),
    ('m.py#users', 'users are ordered by name and deleted ones left out', "def users(db):\n    return db.execute('SELECT * FROM users WHERE deleted = 0 ORDER BY name')\n", "def users(db):\n    return db.execute('SELECT * FROM users WHERE deleted = 0')\n", 'contradicted|changed'),
    ('m.py#users', 'only rows with `deleted = 0` count', "def users(db):\n    return db.execute('SELECT * FROM users WHERE deleted = 0 ORDER BY name')\n", "def users(db):\n    return db.execute('SELECT * FROM users ORDER BY name')\n", 'contradicted'),
    ('m.py#get', 'talks to https://api.example.com/v1', "BASE = 'https://api.example.com/v1'\n\ndef get(p):\n    return http.get(BASE + p)\n", "BASE = 'https://api.example.com/v2'\n\ndef get(p):\n    return http.get(BASE + p)\n", 'contradicted|changed'),
    ('m.py#token', 'the token comes from API_TOKEN', "import os\n\ndef token():\n    return os.environ['API_TOKEN']\n", "import os\n\ndef token():\n    return os.environ['SERVICE_TOKEN']\n", 'contradicted'),
    ('m.py#setup', 'logs at INFO level', 'import logging\n\ndef setup():\n    logging.basicConfig(level=logging.INFO)\n', 'import logging\n\ndef setup():\n    logging.basicConfig(level=logging.DEBUG)\n', 'contradicted'),
    ('m.py#ok', 'compares by identity', 'def ok(a, b):\n    return a is b\n', 'def ok(a, b):\n    return a == b\n', 'changed|contradicted'),
    ('m.py#ok', 'needs both an active user and an open order', 'def ok(user, order):\n    return user.active and order.open\n', 'def ok(user, order):\n    return user.active or order.open\n', 'changed|contradicted'),
    ('m.py#clip', 'lines are clipped at 80 characters', 'def clip(s, limit=80):\n    return s[:limit]\n', 'def clip(s, limit=100):\n    return s[:limit]\n', 'contradicted'),
    ('m.py#go', 'runs four workers in threads', 'from concurrent.futures import ThreadPoolExecutor\n\ndef go(xs):\n    with ThreadPoolExecutor(max_workers=4) as pool:\n        return list(pool.map(f, xs))\n', 'from concurrent.futures import ProcessPoolExecutor\n\ndef go(xs):\n    with ProcessPoolExecutor(max_workers=4) as pool:\n        return list(pool.map(f, xs))\n', 'contradicted'),
    ('m.py#digest', 'uses SHA-256', 'import hashlib\n\ndef digest(b):\n    return hashlib.sha256(b).hexdigest()\n', 'import hashlib\n\ndef digest(b):\n    return hashlib.md5(b).hexdigest()\n', 'contradicted'),
    ('m.py#load', 'reads JSON', 'import json\n\ndef load(p):\n    return json.loads(p.read_text())\n', 'import json\n\ndef load(p):\n    return yaml.safe_load(p.read_text())\n', 'contradicted|changed'),
    ('m.py#now', 'times are in UTC', 'from datetime import datetime, UTC\n\ndef now():\n    return datetime.now(UTC)\n', 'from datetime import datetime, UTC\n\ndef now():\n    return datetime.now()\n', 'contradicted'),
    ('m.py#go', 'checks before it saves', 'def go(a):\n    check(a)\n    save(a)\n', 'def go(a):\n    save(a)\n    check(a)\n', 'changed|contradicted'),
    ('m.py#norm', 'names are stripped', 'def norm(s):\n    return s.strip().casefold()\n', 'def norm(s):\n    return s.casefold()\n', 'contradicted'),
    ('Dockerfile:4', 'the container listens on 8080', 'FROM python:3.11-slim\nWORKDIR /app\nCOPY . .\nEXPOSE 8080\nCMD ["serve"]\n', 'FROM python:3.11-slim\nWORKDIR /app\nCOPY . .\nEXPOSE 9090\nCMD ["serve"]\n', 'contradicted'),
    ('Dockerfile', 'the image is built on python:3.11-slim', 'FROM python:3.11-slim\nWORKDIR /app\nCOPY . .\nEXPOSE 8080\nCMD ["serve"]\n', 'FROM python:3.12-slim\nWORKDIR /app\nCOPY . .\nEXPOSE 8080\nCMD ["serve"]\n', 'contradicted|changed'),
]  # fmt: skip


@pytest.mark.parametrize(
    ("place", "text", "before", "after", "standings"), [pytest.param(*row, id=row[1]) for row in ROWS]
)
def test_a_small_source_is_judged_as_a_reader_would(
    bench: Bench, place: str, text: str, before: str, after: str, standings: str
) -> None:
    path = place.partition("#")[0].partition(":")[0]
    bench.write(path, before)
    belief = bench.remember(text, place)
    bench.write(path, after)
    assert bench.standing(belief) in standings.split("|"), bench.told(belief)


RATES = "RATE = 0.20\n"
TAX = (
    "from shop.rates import RATE\n\n\ndef compute_tax(amount):\n    total = amount * RATE\n    return round(total, 2)\n"
)


def _remembered(bench: Bench) -> Belief:
    bench.write("shop/__init__.py", "")
    bench.write("shop/rates.py", RATES)
    bench.write("shop/tax.py", TAX)
    return bench.remember("applies the default 20 % rate", "shop/tax.py#compute_tax")


@pytest.mark.parametrize(
    "after", [TAX.replace("\n", "\r\n").encode(), b"\xef\xbb\xbf" + TAX.encode(), TAX.replace("    ", "\t").encode()]
)
def test_line_ends_marks_and_tabs_are_layout(bench: Bench, after: bytes) -> None:
    belief = _remembered(bench)
    (bench.root / "shop/tax.py").write_bytes(after)
    bench.worktree.changed(None)
    assert bench.standing(belief) == "current", bench.told(belief)


def test_a_renamed_folder_carries_its_beliefs_and_their_dependencies(bench: Bench) -> None:
    belief = _remembered(bench)
    for name in ("__init__", "rates", "tax"):
        bench.move(f"shop/{name}.py", f"store/{name}.py")
    bench.replace("store/tax.py", "shop.rates", "store.rates")
    assert bench.standing(belief) == "carried", bench.told(belief)
    bench.replace("store/rates.py", "0.20", "0.25")
    assert bench.standing(belief) == "contradicted", bench.told(belief)


def test_a_constant_that_moves_or_is_renamed_changes_nothing_until_its_value_does(bench: Bench) -> None:
    belief = _remembered(bench)
    bench.write("shop/constants.py", "VAT_RATE = 0.20\n")
    bench.delete("shop/rates.py")
    bench.replace("shop/tax.py", "from shop.rates import RATE", "from shop.constants import VAT_RATE")
    bench.replace("shop/tax.py", "amount * RATE", "amount * VAT_RATE")
    assert bench.standing(belief).holds, bench.told(belief)
    bench.replace("shop/constants.py", "0.20", "0.25")
    assert bench.standing(belief) == "contradicted", bench.told(belief)


def test_a_key_read_through_a_loader_is_a_dependency(bench: Bench) -> None:
    bench.write("config/shop.toml", "[bank]\ntimeout = 30\nretries = 4\n")
    bench.write(
        "app/settings.py",
        "import tomllib\n\n\ndef setting(name):\n    with open('config/shop.toml', 'rb') as file:\n        return tomllib.load(file)[name]\n",
    )
    bench.write(
        "app/bank.py",
        "from app.settings import setting\n\n\ndef send(order):\n    return order.post(timeout=setting('bank.timeout'))\n",
    )
    belief = bench.remember("the bank gets 30 seconds", "app/bank.py#send")
    bench.replace("config/shop.toml", "retries = 4", "retries = 5")
    assert bench.standing(belief) == "current", bench.told(belief)
    bench.replace("config/shop.toml", "timeout = 30", "timeout = 10")
    assert bench.standing(belief) == "contradicted", bench.told(belief)
    assert "config/shop.toml" in bench.judge(belief).reasons[0].message
    bench.replace("config/shop.toml", "timeout = 10\n", "")
    assert not bench.standing(belief).holds, bench.told(belief)


def test_the_reason_names_what_is_used_and_both_values(bench: Bench) -> None:
    belief = _remembered(bench)
    bench.replace("shop/rates.py", "0.20", "0.25")
    told = bench.judge(belief).reasons[0].message
    assert told.startswith("`compute_tax` uses `RATE`, 0.2"), told
    assert "-> 0.25 in shop/rates.py" in told
    assert "20 %" in told


def test_no_secret_is_kept_with_an_anchor_or_told_in_a_reason(bench: Bench) -> None:
    key = "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc"
    bench.write("pay.py", f"def client():\n    return Stripe(api_key='{key}', retries=3)\n")
    belief = bench.remember("tried three times", "pay.py#client")
    assert key not in repr(belief)
    bench.replace("pay.py", "retries=3", "retries=4")
    judgement = bench.judge(belief)
    assert judgement.standing == "contradicted", bench.told(belief)
    assert len(judgement.reasons) == 1, bench.told(belief)
    bench.replace("pay.py", key, key[:-1] + "X")
    assert key[:-1] not in bench.told(belief)
