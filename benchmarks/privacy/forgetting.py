"""The suite `forget`: is forgotten text really gone, with embeddings, exports and backups present?

Every memory carries a word of its own that stands nowhere else. Some are forgotten, by id, by their words, by session,
by file and by person; then every file is searched for the words by code that shares nothing with the product's own
search. Beside it stand ways in which a store of this kind is commonly emptied, over the same texts: a table, an FTS5
index, a vector for each text, an export and a backup.
"""

from __future__ import annotations

import json
import random
import string
import struct
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import perf_counter

import apsw
from attrs import frozen

from benchmarks.reporting.report import Report
from benchmarks.reporting.tables import fraction, table
from benchmarks.stalecode.raw_search import words_in
from memlsp.memory import Memory
from memlsp.model.audit import Selector, SelectorKind
from memlsp.model.belief import Author, AuthorKind
from memlsp.model.caller import Caller
from memlsp.model.place import Place
from memlsp.model.recall import RecallOptions
from memlsp.store.core.database import connect

_MEMORIES = 120
_QUICK = 40
_AGENT = Author("Claude Code", AuthorKind.AGENT)
_LEAVING = Author("Quentin Osterhagen")


@frozen
class Said:
    """One memory: its word, its text, and how it is forgotten ("" for one that stays)."""

    word: str
    text: str
    way: str


@frozen
class Outcome:
    """What a way left: of the forgotten words those that stand in the store's own files, and in copies; of those that
    stay, how many are gone; seconds for all of it."""

    name: str
    in_store: frozenset[str]
    in_copies: frozenset[str]
    lost: int
    seconds: float


def run_forget(*, quick: bool = False) -> Report:
    """Run it and print the table. It passes when no word is left and nothing else is lost."""
    said = _statements(_QUICK if quick else _MEMORIES)
    with tempfile.TemporaryDirectory(prefix="memlsp-eval-") as folder:
        here = Path(folder)
        ours, notes = _ours(here / "ours", said)
        outcomes = [ours, *(_bare(here / name.replace(" ", "-"), name, said, way) for name, way in _WAYS.items())]
    gone = [each.word for each in said if each.way]
    kept = len(said) - len(gone)
    head = ("forgotten, and still found", "in the store", "in copies", "others lost", "seconds")
    print(f"{len(said)} memories, {len(gone)} forgotten by id, words, session, file and person; {notes}\n")
    print(
        table(
            head,
            [
                (
                    each.name,
                    fraction(len(each.in_store), len(gone)),
                    fraction(len(each.in_copies), len(gone)),
                    fraction(each.lost, kept),
                    f"{each.seconds:.1f}",
                )
                for each in outcomes
            ],
        )
    )
    return Report(
        suite="forget",
        score=_figures(outcomes[0], len(gone), kept),
        baselines={each.name: _figures(each, len(gone), kept) for each in outcomes[1:]},
        cases=[
            {
                "word": each.word,
                "forgotten_by": each.way,
                "left_in_store": each.word in ours.in_store,
                "left_in_copies": each.word in ours.in_copies,
            }
            for each in said
            if each.way
        ],
        passed=not ours.in_store and not ours.in_copies and not ours.lost,
    )


def _figures(outcome: Outcome, gone: int, kept: int) -> dict[str, float]:
    return {
        "left_in_store": len(outcome.in_store) / gone,
        "left_in_copies": len(outcome.in_copies) / gone,
        "lost": outcome.lost / kept,
        "seconds": round(outcome.seconds, 2),
    }


def _statements(number: int) -> list[Said]:
    chance = random.Random(20261121)  # noqa: S311 - nothing secret, and the same in every run
    ways = ("id", "", "query", "", "session", "", "file", "", "person", "")
    found: list[Said] = []
    for each in range(number):
        word = "zq" + "".join(chance.choices(string.ascii_lowercase, k=9))
        text = f"The {word} service answers late on day {each}, so that its callers wait {each % 7 + 2} seconds"
        found.append(Said(word, text, ways[each % len(ways)]))
    return found


# -- memlsp ------------------------------------------------------------------------------------------------------------


def _ours(folder: Path, said: Sequence[Said]) -> tuple[Outcome, str]:
    root, data, copies = folder / "project", folder / "data", folder / "copies"
    for each in (root, data, copies):
        each.mkdir(parents=True)
    for name in ("kept.py", "left.py"):
        (root / name).write_text("def call():\n    return 1\n")
    subprocess.run(["git", "init", "--quiet", str(root)], check=True, capture_output=True)
    with Memory.open(root, data_dir=data) as memory:
        memory.events.settle()
        ids = _remembered(memory, said)
        vectors = memory.vectors.refresh(120)
        memory.copies.export(copies / "all.jsonl")
        memory.copies.backup(copies / "all.db")
        started = perf_counter()
        for selector in _selectors(said, ids):
            memory.forgetting.forget(selector)
        seconds = perf_counter() - started
        stay = [each for each in said if not each.way]
        there = {judgement.belief.id for judgement in memory.beliefs()}
        lost = sum(ids[each.word] not in there for each in stay)
        lost += sum(not memory.recall(f"{each.word} service", RecallOptions(work=False)).hits for each in stay[:20])
    gone = {each.word for each in said if each.way}
    outcome = Outcome(
        "memlsp forget", frozenset(words_in(data, gone)), frozenset(words_in(copies, gone)), lost, seconds
    )
    made = f"{vectors} vectors" if vectors else "no encoder, so no vectors"
    return outcome, f"{made}, an export and a backup; {_mean(len(_selectors(said, ids)), seconds)} a time"


def _mean(number: int, seconds: float) -> str:
    return f"{1000 * seconds / max(number, 1):.0f} ms"


def _remembered(memory: Memory, said: Sequence[Said]) -> dict[str, str]:
    """The ids by word. Each was talked of before in a session, and asked for afterwards."""
    ids: dict[str, str] = {}
    for number, each in enumerate(said):
        session = "s-left" if each.way == "session" else "s-kept"
        record: dict[str, object] = {"key": f"k{number}", "at": 1_795_000_000_000 + number, "kind": "prompt"}
        if each.way in {"session", "id"}:
            text = f"Please keep in mind: {each.text}"
            memory.events.take([{**record, "source": "claude-code", "session": session, "text": text}])
        ids[each.word] = memory.remember(
            each.text,
            at=[Place("left.py" if each.way == "file" else "kept.py", symbol="call")],
            by=Caller(
                folder=memory.workspace.root,
                author=_LEAVING if each.way == "person" else _AGENT,
                session=session if each.way == "session" else "",
            ),
        ).belief.id
        if number % 4 == 0:
            memory.recall(each.text)
            memory.revise(ids[each.word], "confirm", by=Caller(note=f"said again: {each.text}"))
    memory.events.settle()
    return ids


def _selectors(said: Sequence[Said], ids: Mapping[str, str]) -> list[Selector]:
    found = [Selector(SelectorKind.BELIEF, ids[each.word]) for each in said if each.way == "id"]
    found += [Selector(SelectorKind.QUERY, f"{each.word} service") for each in said if each.way == "query"]
    return [
        *found,
        Selector(SelectorKind.SESSION, "s-left"),
        Selector(SelectorKind.FILE, "left.py"),
        Selector(SelectorKind.PERSON, _LEAVING.name),
    ]


# -- as it is commonly done --------------------------------------------------------------------------------------------


def _bare(folder: Path, name: str, said: Sequence[Said], way: tuple[bool, bool, bool]) -> Outcome:
    """A table, an index, vectors, an export and a backup; the rows are deleted, one transaction for each."""
    secure, secure_index, anew = way
    store, copies = folder / "store", folder / "copies"
    for each in (store, copies):
        each.mkdir(parents=True)
    connection = connect(store / "memory.db", apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE)
    connection.execute("PRAGMA journal_mode = wal")
    connection.execute(f"PRAGMA secure_delete = {int(secure)}")
    connection.execute(
        "CREATE TABLE memory (id INTEGER PRIMARY KEY, text TEXT, meta BLOB);"
        "CREATE VIRTUAL TABLE found USING fts5(text, tokenize = 'porter unicode61');"
        "CREATE TABLE vector (id INTEGER PRIMARY KEY, data BLOB)"
    )
    if secure_index:
        connection.execute("INSERT INTO found (found, rank) VALUES ('secure-delete', 1)")
    for number, each in enumerate(said):
        connection.execute("BEGIN")
        connection.execute("INSERT INTO memory VALUES (?, ?, ?)", (number, each.text, json.dumps([each.text] * 9)))
        connection.execute("INSERT INTO found (rowid, text) VALUES (?, ?)", (number, each.text))
        connection.execute("INSERT INTO vector VALUES (?, ?)", (number, struct.pack("<64f", *[0.5] * 64)))
        connection.execute("COMMIT")
    (copies / "all.jsonl").write_text("\n".join(json.dumps({"text": each.text}) for each in said))
    connection.execute("VACUUM INTO ?", (str(copies / "all.db"),))
    started = perf_counter()
    for number, each in enumerate(said):
        if each.way:
            connection.execute("BEGIN")
            for name_, key in (("memory", "id"), ("found", "rowid"), ("vector", "id")):
                connection.execute(f"DELETE FROM {name_} WHERE {key} = ?", (number,))  # noqa: S608 - names of ours
            connection.execute("COMMIT")
    if anew:
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    seconds = perf_counter() - started
    gone = {each.word for each in said if each.way}
    in_store = frozenset(words_in(store, gone))
    left = connection.execute("SELECT count(*) FROM memory").get
    connection.close()
    assert isinstance(left, int)
    lost = len(said) - len(gone) - left
    return Outcome(name, in_store, frozenset(words_in(copies, gone)), lost, seconds)


_WAYS: Mapping[str, tuple[bool, bool, bool]] = {
    # name: (secure_delete, secure-delete of the index, VACUUM and an emptied log)
    "DELETE, as SQLite comes": (False, False, False),
    "DELETE with secure_delete": (True, False, False),
    "the same, and of the index": (True, True, False),
    "the same, VACUUM, log emptied": (True, True, True),
    "VACUUM without secure_delete": (False, False, True),
}
