"""The git history as commit episodes with their symbol changes, indexed by symbol. Derived from git, like a cache."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from typing import Any

import apsw
from attrs import frozen

from memlsp.model.change import ChangeKind, SymbolRef
from memlsp.model.episode import CommitEpisode, HistoryKept, KeptChange, PassedOver
from memlsp.model.symbol import SymbolKind
from memlsp.store.core import rows
from memlsp.store.core.database import Database, Row, placeholders, scalar
from memlsp.store.core.file_lock import turn
from memlsp.store.core.transactions import StoreRepository, read, write
from memlsp.store.search import work_index
from memlsp.store.tables import cache
from memlsp.store.tables.journal import row_id

_TABLES = ("past_change", "commit_episode", "past_symbol", "past_file")
_COLUMNS = "hash, at, author, subject, passed_over, files, parsed, cosmetic, more, state_bytes, told"
_MOST_NAMES = 200  # bound to one query
_MOST_SCANS = 50
_SCANS = "onboarded"


@frozen
class CompletedScan:
    """A completed reading of the history: the commit it began at, the bound on commits, and how many there were."""

    head: str
    most: int
    total: int


@frozen
class RecordedChange:
    """A change that a commit made to a symbol, with the episode of the commit."""

    episode: CommitEpisode
    change: KeptChange


def keep(connection: Database, episode: CommitEpisode) -> bool:
    """Write an episode with its changes; False, and nothing is written, when the commit is known already."""
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
    return {digest.hex() for (digest,) in connection.execute("SELECT hash FROM commit_episode")}


def episode(connection: Database, commit: str) -> CommitEpisode | None:
    """The episode of a commit, by its full hash."""
    query = f"SELECT {_COLUMNS} FROM commit_episode WHERE hash = ?"
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
    """The summary of a commit with at most `most` names and sentences; cheaper than its episode."""
    query = "SELECT subject, author, at, told FROM commit_episode WHERE hash = ?"
    found = connection.execute(query, (bytes.fromhex(commit),)).fetchall()
    if not found:
        return None
    subject, author, at, data = found[0]
    changes = json.loads(zlib.decompress(data))
    refs = (new or old for _, old, new, _ in changes)
    names = dict.fromkeys(f"{ref[0]}#{ref[1]}" for ref in refs if ref and ref[1])
    return CommitSummary(subject, author, _date(at), tuple(names)[:most], tuple(change[3] for change in changes[:most]))


def episodes(
    connection: Database, limit: int, since: datetime | None = None, until: datetime | None = None
) -> list[CommitEpisode]:
    """The latest episodes of all branches that were read, by the time of their commits, which the two times bound."""
    query = f"SELECT {_COLUMNS} FROM commit_episode WHERE at >= ? AND at <= ? ORDER BY at DESC, seq LIMIT ?"
    bounds = since.timestamp() if since else 0, until.timestamp() if until else 1 << 53
    return [_episode(row) for row in connection.execute(query, (*bounds, max(limit, 0)))]


def steps(
    connection: Database, path: str, names: Sequence[str] | None = None, *, limit: int = 1_000, moved: bool = False
) -> list[RecordedChange]:
    """The changes after which a symbol of one of these names (None: any) stood in a file, or that removed one. With
    `moved` only changes that renamed or moved it. On any branch, by the time of their commits, newest first."""
    return _steps(connection, "c.symbol", path, names, " AND c.former IS NOT NULL" if moved else "", limit)


def departures(connection: Database, path: str, names: Sequence[str], *, limit: int = 1_000) -> list[RecordedChange]:
    """The changes that renamed or moved a symbol with one of these names away; on any branch, newest first."""
    return _steps(connection, "c.former", path, names, "", limit)


def _steps(
    connection: Database, column: str, path: str, names: Sequence[str] | None, condition: str, limit: int
) -> list[RecordedChange]:
    chosen = [] if names is None else list(dict.fromkeys(names))[:_MOST_NAMES]
    among = "" if names is None else f" AND s.name IN ({placeholders(chosen)})"
    columns = ", ".join(f"e.{name}" for name in _COLUMNS.split(", "))
    query = (
        f"SELECT c.position, {columns} FROM past_file f JOIN past_symbol s ON s.file = f.id"
        f" JOIN past_change c ON {column} = s.id JOIN commit_episode e ON e.seq = c.episode"
        f" WHERE f.path = ?{among}{condition} ORDER BY e.at DESC, e.seq, c.position LIMIT ?"
    )
    found: list[RecordedChange] = []
    read: dict[str, CommitEpisode] = {}
    for row in connection.execute(query, (rows.clean(path), *map(rows.clean, chosen), max(limit, 0))):
        position: int = row[0]
        commit: str = row[1].hex()
        if commit not in read:
            read[commit] = _episode(row[1:])
        found.append(RecordedChange(read[commit], read[commit].changes[position]))
    return found


def counted(connection: Database) -> HistoryKept:
    """The history in numbers; `git_bytes` is left open."""
    total = connection.execute(
        "SELECT count(*), total(passed_over = ''), total(changes), total(cosmetic), total(more), total(state_bytes),"
        " max(at), min(at) FROM commit_episode"
    ).fetchall()[0]
    passed = connection.execute(
        "SELECT passed_over, count(*) FROM commit_episode WHERE passed_over != '' GROUP BY passed_over ORDER BY 1"
    ).fetchall()
    return HistoryKept(
        commits=int(total[0]),
        episodes=int(total[1]),
        passed_over=tuple((str(why), int(count)) for why, count in passed),
        changes=int(total[2]),
        cosmetic=int(total[3]),
        more=int(total[4]),
        symbols=scalar(connection, "SELECT count(*) FROM past_symbol"),
        bytes=_size(connection) if total[0] else 0,
        state_bytes=int(total[5]),
        newest=_date(total[6]) if total[6] is not None else None,
        oldest=_date(total[7]) if total[7] is not None else None,
    )


def scans(connection: Database) -> list[CompletedScan]:
    """The completed scans, the latest first."""
    words = (entry.split(":") for entry in (cache.info(connection, _SCANS) or "").split())
    return [CompletedScan(head, int(most), int(total)) for head, most, total in words]


def add_scan(connection: Database, scan: CompletedScan) -> None:
    """Record a completed scan; the latest 50 are kept."""
    kept = [scan, *(other for other in scans(connection) if other.head != scan.head)][:_MOST_SCANS]
    cache.set_info(connection, _SCANS, " ".join(f"{each.head}:{each.most}:{each.total}" for each in kept))


def _symbol(connection: Database, ref: SymbolRef) -> int:
    file = row_id(connection, "past_file", "path", (rows.clean(ref.path),))
    return row_id(connection, "past_symbol", "file, name", (file, rows.clean(ref.name)))


def _size(connection: Database) -> int:
    """Bytes of the history's tables and their indexes, as SQLite lays them out."""
    names = f"SELECT name FROM sqlite_schema WHERE tbl_name IN ({placeholders(_TABLES)})"
    try:
        return scalar(connection, f"SELECT sum(pgsize) FROM dbstat WHERE name IN ({names})", _TABLES)
    except apsw.SQLError:  # an SQLite that was built without the table of sizes
        size = "sum(length(told) + length(author) + length(subject) + 80 + changes * 32)"
        return scalar(connection, f"SELECT {size} FROM commit_episode")


def packed(changes: Iterable[KeptChange]) -> bytes:
    """Symbol changes as bytes, in their order."""
    return rows.pack_clean(changes_to_json(changes))


def unpacked(data: bytes) -> tuple[KeptChange, ...]:
    """The changes of `packed`."""
    return changes_from_json(json.loads(zlib.decompress(data)))


def changes_to_json(changes: Iterable[KeptChange]) -> list[list[object]]:
    """Symbol changes as JSON values."""
    return [[sorted(change.kinds), _ref(change.old), _ref(change.new), change.sentence] for change in changes]


def changes_from_json(value: Iterable[Sequence[Any]]) -> tuple[KeptChange, ...]:
    """The symbol changes of JSON values."""
    return tuple(
        KeptChange(frozenset(map(ChangeKind, kinds)), _ref_of(old), _ref_of(new), sentence)
        for kinds, old, new, sentence in value
    )


def _ref(ref: SymbolRef | None) -> list[str] | None:
    return None if ref is None else [ref.path, ref.name, ref.kind.value]


def _ref_of(entry: Sequence[str] | None) -> SymbolRef | None:
    return None if entry is None else SymbolRef(entry[0], entry[1], SymbolKind(entry[2]))


def _episode(row: Row | Sequence[Any]) -> CommitEpisode:
    hash_, at, author, subject, passed_over, files, parsed, cosmetic, more, state_bytes, data = row
    return CommitEpisode(
        commit=hash_.hex(),
        author=author,
        date=_date(at),
        subject=subject,
        changes=unpacked(data),
        passed_over=PassedOver(passed_over) if passed_over else None,
        files=files,
        parsed=parsed,
        cosmetic=cosmetic,
        more=more,
        state_bytes=state_bytes,
    )


def _date(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


class HistoryRepository(StoreRepository):
    """Commit episodes and their symbol changes. Writing them does not advance the store's version."""

    keep = write(keep)
    known = read(known)
    episode = read(episode)
    episodes = read(episodes)
    steps = read(steps)
    departures = read(departures)
    scans = read(scans)
    add_scan = write(add_scan)
    counted = read(counted)

    def turn(self) -> AbstractContextManager[bool]:
        """Hold the lock for reading the history into this store while the block runs; False when another holds it."""
        return turn(f"{self._transactions.path}.reading")
