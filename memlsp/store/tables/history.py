"""What the git history was read into: commit episodes, and their symbol changes by symbol. Derived, like a cache."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

import apsw
from attrs import frozen

from memlsp.model.change import ChangeKind, SymbolRef
from memlsp.model.episode import CommitEpisode, HistoryKept, KeptChange, PassedOver
from memlsp.model.symbol import SymbolKind
from memlsp.store.core import rows
from memlsp.store.core.database import Database, Row
from memlsp.store.search import work_index

_TABLES = ("past_change", "commit_episode", "past_symbol", "past_file")
_COLUMNS = "hash, at, author, subject, passed_over, files, parsed, cosmetic, more, state_bytes, told"
_MOST_NAMES = 200  # bound to one query
_MOST_READINGS = 50
_READ = "onboarded"


@frozen
class CompletedScan:
    """A reading that came to its end: from which commit it began, how many were asked for at the most, how many there
    were."""

    head: str
    most: int
    total: int


@frozen
class RecordedChange:
    """One change of one commit, found by a symbol. `episode` holds all its changes; `change` is the one meant."""

    episode: CommitEpisode
    change: KeptChange


def keep(connection: Database, episode: CommitEpisode) -> bool:
    """Write an episode with its changes; False, and nothing is written, when the commit is there already."""
    seq = connection.execute(
        "INSERT INTO commit_episode (hash, at, author, subject, passed_over, files, parsed, changes, cosmetic, more,"
        " state_bytes, told) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (hash) DO NOTHING RETURNING seq",
        (
            bytes.fromhex(episode.commit),
            int(episode.date.timestamp()),
            rows.clean(episode.author),
            rows.clean(episode.subject),
            episode.passed_over.value if episode.passed_over else "",
            episode.files,
            episode.parsed,
            len(episode.changes),
            episode.cosmetic,
            episode.more,
            episode.state_bytes,
            packed(episode.changes),
        ),
    ).get
    if not isinstance(seq, int):
        return False
    for position, change in enumerate(episode.changes):
        here = change.new or change.old
        if here is None:
            continue
        symbol = _symbol(connection, here)
        former = _symbol(connection, change.old) if change.old and change.new else None
        connection.execute(
            "INSERT INTO past_change (symbol, episode, position, former) VALUES (?, ?, ?, ?)",
            (symbol, seq, position, former if former != symbol else None),
        )
    work_index.enter_commit(connection, episode)
    return True


def known(connection: Database) -> set[str]:
    """The full hashes of the commits that were read."""
    return {row[0].hex() for row in connection.execute("SELECT hash FROM commit_episode")}


def episode(connection: Database, commit: str) -> CommitEpisode | None:
    """The episode of a commit, by its full hash."""
    query = f"SELECT {_COLUMNS} FROM commit_episode WHERE hash = ?"  # noqa: S608 - names of ours
    found = connection.execute(query, (bytes.fromhex(commit),)).fetchall()
    return _episode(found[0]) if found else None


@frozen
class CommitSummary:
    """A commit in a few lines: who, when, what, and the first of its symbols (`path#name`) and sentences."""

    subject: str
    author: str
    at: datetime
    names: tuple[str, ...]
    sentences: tuple[str, ...]


def brief(connection: Database, commit: str, most: int) -> CommitSummary | None:
    """What an answer tells of a commit, at most so many names and sentences; its changes are not made into values."""
    query = "SELECT subject, author, at, told FROM commit_episode WHERE hash = ?"
    found = connection.execute(query, (bytes.fromhex(commit),)).fetchall()
    if not found:
        return None
    subject, author, at, told = found[0]
    changes = json.loads(zlib.decompress(told))
    refs = (new or old for _, old, new, _ in changes)
    names = dict.fromkeys(f"{ref[0]}#{ref[1]}" for ref in refs if ref and ref[1])
    return CommitSummary(subject, author, _date(at), tuple(names)[:most], tuple(change[3] for change in changes[:most]))


def episodes(connection: Database, limit: int) -> list[CommitEpisode]:
    """The latest episodes, by the time of their commits."""
    query = f"SELECT {_COLUMNS} FROM commit_episode ORDER BY at DESC, seq LIMIT ?"  # noqa: S608 - as above
    return [_episode(row) for row in connection.execute(query, (max(limit, 0),))]


def steps_of(
    connection: Database, path: str, names: Sequence[str] | None, limit: int, *, moved: bool = False
) -> list[RecordedChange]:
    """The changes after which a symbol of one of these names stood in a file, or that took one away; None for all
    symbols of the file. With `moved` only those that gave it another name or place. By the time of their commits,
    newest first; at most `limit`."""
    chosen = list(dict.fromkeys(names))[:_MOST_NAMES] if names is not None else None
    among = "" if chosen is None else f" AND s.name IN ({', '.join('?' * len(chosen))})"
    if moved:
        among += " AND c.former IS NOT NULL"
    columns = ", ".join(f"e.{column.strip()}" for column in _COLUMNS.split(","))
    query = (
        f"SELECT c.position, {columns} FROM past_file f JOIN past_symbol s ON s.file = f.id"  # noqa: S608 - as above
        " JOIN past_change c ON c.symbol = s.id JOIN commit_episode e ON e.seq = c.episode"
        f" WHERE f.path = ?{among} ORDER BY e.at DESC, e.seq, c.position LIMIT ?"
    )
    return _steps(connection.execute(query, (rows.clean(path), *map(rows.clean, chosen or ()), max(limit, 0))))


def departures(connection: Database, path: str, names: Sequence[str], limit: int) -> list[RecordedChange]:
    """The changes by which a symbol that had one of these names in a file got another name or place, newest first."""
    chosen = list(dict.fromkeys(names))[:_MOST_NAMES]
    columns = ", ".join(f"e.{column.strip()}" for column in _COLUMNS.split(","))
    query = (
        f"SELECT c.position, {columns} FROM past_file f JOIN past_symbol s ON s.file = f.id"  # noqa: S608 - as above
        " JOIN past_change c ON c.former = s.id JOIN commit_episode e ON e.seq = c.episode"
        f" WHERE f.path = ? AND s.name IN ({', '.join('?' * len(chosen))})"
        " ORDER BY e.at DESC, e.seq, c.position LIMIT ?"
    )
    return _steps(connection.execute(query, (rows.clean(path), *map(rows.clean, chosen), max(limit, 0))))


def _steps(found: Iterable[Row]) -> list[RecordedChange]:
    steps: list[RecordedChange] = []
    read: dict[str, CommitEpisode] = {}
    for row in found:
        commit: str = row[1].hex()
        if commit not in read:
            read[commit] = _episode(row[1:])
        position: int = row[0]
        steps.append(RecordedChange(read[commit], read[commit].changes[position]))
    return steps


def counted(connection: Database) -> HistoryKept:
    """What is kept, in numbers."""
    total = connection.execute(
        "SELECT count(*), total(passed_over = ''), total(changes), total(cosmetic), total(more), total(state_bytes),"
        " max(at), min(at) FROM commit_episode"
    ).fetchall()[0]
    passed = connection.execute(
        "SELECT passed_over, count(*) FROM commit_episode WHERE passed_over != '' GROUP BY passed_over ORDER BY 1"
    ).fetchall()
    symbols = connection.execute("SELECT count(*) FROM past_symbol").get
    return HistoryKept(
        commits=int(total[0]),
        episodes=int(total[1]),
        passed_over=tuple((str(why), int(count)) for why, count in passed),
        changes=int(total[2]),
        cosmetic=int(total[3]),
        more=int(total[4]),
        symbols=int(symbols or 0),
        bytes=size_of(connection, _TABLES) if total[0] else 0,
        state_bytes=int(total[5]),
        newest=_date(total[6]) if total[6] is not None else None,
        oldest=_date(total[7]) if total[7] is not None else None,
    )


def clear(connection: Database) -> None:
    """Forget the history; it can be read again."""
    for table in _TABLES:
        connection.execute(f"DELETE FROM {table}")  # noqa: S608 - names of ours
    work_index.leave_all(connection, work_index.COMMIT)
    connection.execute("DELETE FROM info WHERE key = ?", (_READ,))


def scans(connection: Database) -> list[CompletedScan]:
    """The scans that came to their end, the latest first."""
    value = connection.execute("SELECT value FROM info WHERE key = ?", (_READ,)).get
    words = (entry.split(":") for entry in value.split()) if isinstance(value, str) else ()
    return [CompletedScan(head, int(most), int(total)) for head, most, total in words]


def add_scan(connection: Database, reading: CompletedScan) -> None:
    """Note that a reading came to its end; the latest are kept."""
    kept = [reading, *(other for other in scans(connection) if other.head != reading.head)][:_MOST_READINGS]
    value = " ".join(f"{each.head}:{each.most}:{each.total}" for each in kept)
    connection.execute("INSERT OR REPLACE INTO info VALUES (?, ?)", (_READ, value))


def _symbol(connection: Database, ref: SymbolRef) -> int:
    file = _number(connection, "past_file (path)", "past_file WHERE path = ?", (rows.clean(ref.path),))
    place = (file, rows.clean(ref.name))
    return _number(connection, "past_symbol (file, name)", "past_symbol WHERE file = ? AND name = ?", place)


def _number(connection: Database, into: str, where: str, values: tuple[str | int, ...]) -> int:
    found = connection.execute(f"SELECT id FROM {where}", values).get  # noqa: S608 - names of ours
    if found is None:
        marks = ", ".join("?" * len(values))
        found = connection.execute(f"INSERT INTO {into} VALUES ({marks}) RETURNING id", values).get  # noqa: S608
    assert isinstance(found, int)
    return found


def size_of(connection: Database, tables: Sequence[str]) -> int:
    """Bytes of tables and their indexes, as SQLite lays them out."""
    marks = ", ".join("?" * len(tables))
    try:
        size = connection.execute(
            "SELECT sum(pgsize) FROM dbstat WHERE name IN"  # noqa: S608 - marks alone
            f" (SELECT name FROM sqlite_schema WHERE tbl_name IN ({marks}))",
            tables,
        ).get
    except apsw.SQLError:  # an SQLite that was built without the table of sizes
        if "commit_episode" not in tables:
            return 0
        size = connection.execute(
            "SELECT total(length(told) + length(author) + length(subject) + 80 + changes * 32) FROM commit_episode"
        ).get
    return int(size or 0)


def packed(changes: Iterable[KeptChange]) -> bytes:
    """Symbol changes as bytes, in their order."""
    told = [[sorted(change.kinds), _ref(change.old), _ref(change.new), change.sentence] for change in changes]
    return zlib.compress(json.dumps(told, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "replace"), 6)


def unpacked(data: bytes) -> tuple[KeptChange, ...]:
    """What `packed` was given."""
    return tuple(_change(entry) for entry in json.loads(zlib.decompress(data)))


def _ref(ref: SymbolRef | None) -> list[str] | None:
    return None if ref is None else [ref.path, ref.name, ref.kind.value]


def _episode(row: Row | Sequence[Any]) -> CommitEpisode:
    hash_, at, author, subject, passed_over, files, parsed, cosmetic, more, state_bytes, told = row
    return CommitEpisode(
        commit=hash_.hex(),
        author=author,
        date=_date(at),
        subject=subject,
        changes=unpacked(told),
        passed_over=PassedOver(passed_over) if passed_over else None,
        files=files,
        parsed=parsed,
        cosmetic=cosmetic,
        more=more,
        state_bytes=state_bytes,
    )


def _change(entry: Sequence[Any]) -> KeptChange:
    kinds, old, new, sentence = entry
    return KeptChange(frozenset(ChangeKind(kind) for kind in kinds), _ref_of(old), _ref_of(new), sentence)


def _ref_of(entry: Sequence[str] | None) -> SymbolRef | None:
    return None if entry is None else SymbolRef(entry[0], entry[1], SymbolKind(entry[2]))


def _date(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
