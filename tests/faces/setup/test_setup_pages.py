"""The pages show what is written."""

from __future__ import annotations

import re
from pathlib import Path

from docs.generate.setup_pages import filled, stale
from memlsp.faces.setup.clients.all_clients import CLIENTS
from memlsp.faces.setup.clients.client import ClientKind

PAGES = Path(__file__).resolve().parents[3] / "docs" / "how-to"


def test_every_page_shows_the_files_as_init_writes_them() -> None:
    assert list(stale(PAGES)) == [], "python -m docs.generate.setup_pages"


def test_every_agent_has_its_files_on_a_page() -> None:
    text = "".join(page.read_text() for page in PAGES.glob("*.md"))
    shown = set(re.findall(r"<!-- files of ([a-z-]+) for user -->", text))
    assert shown >= {client.name for client in CLIENTS if client.kind is ClientKind.AGENT}


def test_a_page_that_lags_behind_is_noticed() -> None:
    page = "# X\n\n<!-- files of zed for user -->\nold\n<!-- end of files -->\nafter\n"
    new = filled(page)
    assert "`~/.config/zed/settings.json`" in new
    assert "old" not in new
    assert new.endswith("<!-- end of files -->\nafter\n")
    assert filled(new) == new
