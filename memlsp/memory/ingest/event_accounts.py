"""Check that every received event is accounted for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from memlsp.model.view import HealthCheck
from memlsp.store import Store
from memlsp.store.core import spool


def event_accounts(store: Store) -> Iterator[HealthCheck]:
    """The number of received, stored, repeated and dropped events, and whether they add up."""
    tallies = store.journal.tallies()
    waiting = spool.waiting(str(store.path))
    kept = store.journal.counted()
    total: Counter[str] = Counter()
    for tally in tallies:
        total[tally.what] += tally.number
    received, stored, repeated, dropped = (total[what] for what in ("received", "stored", "repeated", "dropped"))
    if not (received or waiting):
        yield HealthCheck("captured", ok=None, message="nothing yet", advice="memlsp init sets up agents and editors")
        return
    wrong: list[str] = []
    if received != stored + repeated + dropped:
        wrong.append(f"{received} received, {stored + repeated + dropped} accounted for")
    if stored != kept["events"] + total["aged"]:
        wrong.append(f"{stored} stored, {kept['events']} there and {total['aged']} gone with age")
    yield HealthCheck(
        "captured",
        ok=not wrong,
        message=f"{received} received = {stored} stored + {repeated} repeated + {dropped} dropped;"
        f" {kept['events']} there now, {total['aged']} gone with age, {total['redacted']} secrets taken out"
        + "".join(f"; {each}" for each in wrong),
        advice="report this: an event was lost or counted twice" if wrong else "",
    )
    reasons: Counter[str] = Counter()
    for tally in tallies:
        if tally.what == "dropped":
            reasons[tally.reason] += tally.number
    if reasons:
        told = ", ".join(f"{number} {_WORDS.get(reason, reason)}" for reason, number in reasons.most_common())
        yield HealthCheck("dropped", ok=None, message=told)
    yield HealthCheck(
        "spooled",
        ok=None if waiting else True,
        message=f"{total['drained']} drained, {waiting} deliveries wait",
        advice="memlsp settle takes them in" if waiting else "",
    )
    damaged = spool.damaged(str(store.path))
    if damaged:
        yield HealthCheck(
            "spool",
            ok=None,
            message=f"{len(damaged)} deliveries could not be read, the last {damaged[-1]}",
            advice=f"look at them or delete them; each goes by itself after {spool.KEPT_DAMAGED} days",
        )
    yield HealthCheck(
        "settled",
        ok=None if kept["unsettled"] else True,
        message=f"{kept['unsettled']} events wait to be understood" if kept["unsettled"] else "all events",
        advice="memlsp settle does it now" if kept["unsettled"] else "",
    )


_WORDS = {
    "off": "while capture was off",
    "ignored": "of ignored files",
    "unreadable": "that could not be read",
    "cap-session": "beyond the cap of a session",
    "cap-day": "beyond the cap of a day",
    "own-tool": "of our own tools",
}
