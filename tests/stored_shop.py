"""The project whose store an earlier memlsp wrote, as fixtures/stores/make.py and the tests of that store make it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import apsw
from project import CLIENT, RATES, TAX, Project

from memlsp.store.core.database import connect

STORES = Path(__file__).parents[1] / "fixtures" / "stores"
LAYOUTS = tuple(sorted(path.stem for path in STORES.glob("*.sql")))

WRITTEN = datetime(2026, 11, 29, 2, tzinfo=UTC)
"""Shortly after the last of the stores was written: what expires with time has not expired."""

REMOTE = "https://example.org/acme/shop.git"
KEY = "shop-a45fafdccd"

STATEMENTS = (
    ("The default rate is 20 %, agreed with finance", "--at", "pricing/rates.py", "--kind", "decision"),
    ("Rates are constants", "--at", "pricing/rates.py", "--kind", "rule"),
    ("Prices are net", "--at", "pricing/tax.py#Invoice.total", "--kind", "fact"),
    ("fetch retries three times, the API drops one call in ten", "--at", "client.py#fetch", "--kind", "decision"),
    ("fetch retries five times", "--at", "client.py#fetch", "--kind", "fact"),
    ("compute_tax rounds to two places", "--at", "pricing/tax.py#compute_tax"),
    ("compute_tax never reads a file", "--at", "pricing/tax.py#compute_tax", "--guard", "must not open($$$)"),
    ("The pool has 20 connections", "--when", "env=staging", "--stale-after", "90d"),
    ("All pages are fetched by client.fetch", "--scope", "**/*.py"),
    ("Run make migrate before the tests", "--kind", "procedure"),
    ("Never commit .env", "--kind", "rule"),
    ("Releases happen on Tuesdays", "--kind", "decision"),
    ("Use pnpm here, npm breaks the lockfile", "--kind", "rule"),
    ("The wait between attempts grows: the API blocks whoever hurries", "--at", "client.py#fetch", "--kind", "gotcha"),
    ("total adds the tax once", "--at", "pricing/tax.py#Invoice.total"),
    ("We use httpx instead of requests", "--kind", "preference"),
    ("The région is eu-west-1 — «Frankfurt»", "--kind", "fact"),
    ("An agent thinks that timeouts are in seconds", "--at", "client.py#fetch", "--agent", "claude"),
)
"""What is remembered, each with the words that `memlsp remember` gets."""

ASKED = (
    ("beliefs", "--all"),
    ("audit",),
    ("receipts",),
    ("episodes",),
    ("threads",),
    ("handoff", "list"),
    ("conflicts",),
    ("proposals",),
    ("events",),
)
"""What is asked of the store, by the memlsp that wrote it and by this one."""


def made_shop(root: Path) -> Project:
    """The shop in a repository whose commit has the same hash wherever it is made."""
    shop = Project(root)
    for path, text in (("pricing/tax.py", TAX), ("pricing/rates.py", RATES), ("client.py", CLIENT)):
        shop.write(path, text)
    shop.write("AGENTS.md", "# Rules\n\n- Never push to main without a review.\n- Tests run with pytest.\n")
    date = "2026-11-01T10:00:00+0000"
    shop.git("remote", "add", "origin", REMOTE)
    shop.git("add", ".")
    shop.git("commit", "--quiet", "--message", "Add the shop", GIT_AUTHOR_DATE=date, GIT_COMMITTER_DATE=date)
    return shop


def stored(layout: str, path: Path) -> Path:
    """The store of a fixture as a file at `path`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = connect(path, apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE)
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 0)  # the tables of a search index are written as they were
    connection.execute((STORES / f"{layout}.sql").read_text("utf-8")).fetchall()
    connection.close()
    return path
