"""Brings the lists of acts up to date in stores that an earlier memlsp, or earlier rules, have written."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

from memlsp.beliefs.acts.belief_acts import acts_of
from memlsp.beliefs.acts.statements import VERSION
from memlsp.store import Store
from memlsp.store.tables.acts import ACTS_READ

_AT_ONCE = 200  # beliefs of one transaction


def list_acts(store: Store, deadline: float, cancelled: Callable[[], bool]) -> None:
    """Read the acts of all active beliefs again where other rules read them, until `deadline` (of `monotonic`). What
    was begun goes on at the next call."""
    known, _, after = (store.workspace_info(ACTS_READ) or "").partition(" ")
    if store.read_only or (known == VERSION and not after):
        return
    after = after if known == VERSION else "-"
    while monotonic() < deadline and not cancelled():
        ids = store.active_ids(after, _AT_ONCE)
        store.list_acts([(belief, acts_of(belief)) for belief in store.several(ids)])
        after = ids[-1] if ids else ""
        store.set_info(ACTS_READ, f"{VERSION} {after}".strip())
        if not ids:
            return
