"""A memory in which one sentence stands wherever a sentence can come to stand."""

from __future__ import annotations

import base64
import re
import sqlite3
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from project import Project

from memlsp import Memory
from memlsp.model.belief import Author, AuthorKind
from memlsp.model.caller import Caller
from memlsp.model.handoff import HandoffNotes
from memlsp.model.place import Place

SECRET = "Quartzlantern invoices of Vexholm Brothers are rounded down because their auditor Plimsoll asked for it"
RARE = ("quartzlantern", "vexholm", "plimsoll")
OTHER = "The client gives up after thirty seconds because the gateway does"
FETCH = Place("client.py", symbol="fetch")
TAX = Place("pricing/tax.py", symbol="compute_tax")
AGENT = Author("Claude Code", AuthorKind.AGENT)


class Clock:
    """A clock that moves when it is told to."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 21, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


def barred(memory: Memory, id: str) -> None:
    """Let an id never come back, as forgetting does it."""
    memory._store.copies._run("INSERT INTO forgotten_id VALUES (?)", (id,))  # pyright: ignore[reportPrivateUsage]


def observe(memory: Memory, clock: Clock, kind: str, text: str = "", session: str = "s1", **more: object) -> None:
    """An event of an agent's session."""
    clock.now += timedelta(seconds=1)
    at = int(clock.now.timestamp() * 1000)
    record = {"key": f"{session}{kind}{at}", "at": at, "kind": kind, "text": text, "branch": "main"}
    memory.events.take([{**record, "source": "claude-code", "session": session, **more}])


def saturate(memory: Memory, project: Project, clock: Clock) -> str:
    """Say the sentence, quote it, search for it, hand it over, put it into code; its belief's id."""
    observe(memory, clock, "prompt", f"Please remember: {SECRET}")
    observe(memory, clock, "say", f"Noted. {SECRET}. " * 9)
    observe(memory, clock, "command", f"echo '{SECRET}'", ok=False, exit=1, output=f"sh: {SECRET}: not found\n" * 9)
    observe(memory, clock, "tool", "search", tool="grep", extra={"pattern": SECRET})
    observe(memory, clock, "plan", plan=[[SECRET, "pending"], ["write the tests", "completed"]])
    project.replace("pricing/tax.py", "    return round", f"    # TODO: {SECRET}\n    return round")
    observe(memory, clock, "edit", paths=["pricing/tax.py"])
    project.replace("client.py", "retries=3", "retries=5")
    observe(memory, clock, "edit", paths=["client.py"])
    memory.events.settle()
    belief = memory.remember(
        SECRET, at=[TAX], kind=None, by=Caller(folder=project.root, author=AGENT, session="s1", source="mcp")
    ).belief
    memory.revise(belief.id, "confirm", by=Caller(note=f"he said again: {SECRET}", author=AGENT))
    memory.remember(OTHER, at=[FETCH], by=Caller(folder=project.root))
    memory.recall(SECRET)
    memory.recall("auditor Plimsoll", asker="mcp")
    memory.handoffs.write(
        SECRET, HandoffNotes(done=[SECRET], next_steps=[f"ask: {SECRET}"]), by="claude-code", session="s1"
    )
    memory.handoffs.refresh(["pricing/tax.py", "client.py"], [("claude-code", "s1")])
    memory.why(TAX, base=project.root)
    project.replace("pricing/tax.py", f"    # TODO: {SECRET}\n", "")
    observe(memory, clock, "edit", paths=["pricing/tax.py"])
    memory.events.settle()
    return belief.id


def standing_in(folder: Path, *rare: str) -> Iterator[tuple[str, str]]:
    """(file, word) for every word that stands in a file below `folder`: as bytes, as UTF-16, as base64, in zlib
    streams, and in every value of every table of a database, inflated. Written apart from what the product searches
    with."""
    for path in sorted(folder.rglob("*")):
        if not path.is_file():
            continue
        data = path.read_bytes()
        for text in (data, data.replace(b"\0", b""), *_inflated(data), *_values(path, data)):
            lowered = text.lower()
            for word in rare or RARE:
                coded = base64.b64encode(word.encode())[:-4]
                if word.encode() in lowered or coded in text:
                    yield path.name, word


def _inflated(data: bytes) -> Iterator[bytes]:
    for found in re.finditer(rb"\x78[\x01\x5e\x9c\xda]", data):
        inflater = zlib.decompressobj()
        out = b""
        for at in range(found.start(), len(data), 512):
            try:
                out += inflater.decompress(data[at : at + 512])
            except zlib.error:
                break
            if inflater.eof or len(out) > 1 << 20:
                break
        if out:
            yield out


def _values(path: Path, data: bytes) -> Iterator[bytes]:
    if not data.startswith(b"SQLite format 3"):
        return
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        tables = [str(row[0]) for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        for table in tables:
            try:
                rows = connection.execute(f'SELECT * FROM "{table}"').fetchall()
            except sqlite3.DatabaseError:
                continue  # an index that the standard library's SQLite cannot read: its insides are tables of their own
            for value in (value for row in rows for value in row):
                if isinstance(value, str):
                    yield value.encode()
                elif isinstance(value, bytes):
                    yield value
                    yield from _inflated(value)
    finally:
        connection.close()
