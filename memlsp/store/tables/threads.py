"""Work left open: threads, and the remarks (TODOs, stubs) by which they are recognised in files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC

from attrs import frozen

from memlsp.model.errors import NotFound
from memlsp.model.symbol import Symbol
from memlsp.model.thread import Thread, ThreadKind
from memlsp.store.core.database import Value, placeholders
from memlsp.store.core.rows import clean, converter, milliseconds, pack, unpack
from memlsp.store.core.transactions import StoreRepository

_BODY = "SELECT body FROM thread"
_MOST_LOST = 2_000


@frozen
class KeptThread:
    """A thread with the symbol that held it when last seen, by which its place is found again; None outside symbols."""

    thread: Thread
    symbol: Symbol | None = None
    root: str = ""  # the checkout that it was seen in, as an event names it


@frozen
class LostRemark:
    """A remark or stub that is gone from its place."""

    kind: ThreadKind
    mark: str
    path: str
    symbol: str


@frozen
class StandingRemark:
    """A remark or stub in a file; `line` is from 1."""

    kind: ThreadKind
    mark: str
    symbol: str
    line: int


class ThreadRepository(StoreRepository):
    """Work that was left open."""

    def write(
        self,
        kept: Iterable[KeptThread] = (),
        *,
        dropped: Sequence[str] = (),
        lost: Iterable[LostRemark] = (),
        stood: Mapping[str, Sequence[StandingRemark]] | None = None,
        committed: bool = False,
    ) -> None:
        """Write new states of threads, delete the `dropped` ones, and record the remarks that files lost. `stood` are
        the remarks that files of a plain folder hold now. `committed` clears the lost remarks first."""
        states, losses = list(kept), list(lost)
        if not (states or dropped or losses or stood or committed):
            return
        with self._writing() as connection:
            if committed:
                connection.execute("DELETE FROM thread_lost")
            for loss in losses[:_MOST_LOST]:
                values = (loss.kind.value, clean(loss.mark), clean(loss.path), clean(loss.symbol))
                connection.execute("INSERT OR IGNORE INTO thread_lost VALUES (?, ?, ?, ?)", values)
            for path, held in (stood or {}).items():
                body = pack([[each.kind.value, each.mark, each.symbol, each.line] for each in held])
                connection.execute("INSERT OR REPLACE INTO thread_stood VALUES (?, ?)", (clean(path), body))
            for id in dropped:
                connection.execute("DELETE FROM thread WHERE id = ?", (id,))
            for state in states:
                connection.execute("INSERT OR REPLACE INTO thread VALUES (?, ?, ?, ?, ?, ?, ?, ?)", _row(state))
            if states or dropped:
                connection.execute("UPDATE thread_generation SET number = number + 1")

    def generation(self) -> int:
        """A number that moves when threads changed, in any process."""
        return self._number("SELECT number FROM thread_generation")

    def resolve(self, prefix: str) -> KeptThread:
        """The thread whose id begins so. Raises NotFound when there is none, or more than one."""
        sought = prefix.strip().lower()
        sql = f"{_BODY} WHERE substr(id, 1, ?) = ? ORDER BY id LIMIT 6"
        found = self._found(sql, (len(sought), clean(sought))) if sought else []
        exact = [each for each in found if each.thread.id == sought]
        if len(found) == 1 or exact:
            return (exact or found)[0]
        if not found:
            raise NotFound(f"no thread {prefix!r}", "memlsp threads --all lists them")
        raise NotFound(f"several threads begin with {prefix!r}", ", ".join(each.thread.id for each in found))

    def open(
        self, path: str | None = None, kinds: Sequence[ThreadKind] | None = None, *, limit: int | None = None
    ) -> list[KeptThread]:
        """The open threads, newest first; with `path` those of one file."""
        return self._listed("closed IS NULL", path, kinds, limit)

    def closed(
        self, path: str | None = None, kinds: Sequence[ThreadKind] | None = None, *, limit: int | None = None
    ) -> list[KeptThread]:
        """The closed threads, the latest opened first."""
        return self._listed("closed IS NOT NULL", path, kinds, limit)

    def marked(self, kind: ThreadKind, mark: str) -> list[KeptThread]:
        """All threads of a mark, open or closed, newest first."""
        return self._found(f"{_BODY} WHERE kind = ? AND mark = ? ORDER BY opened DESC, id", (kind.value, clean(mark)))

    def paths(self, kinds: Sequence[ThreadKind]) -> list[str]:
        """The files that threads of these kinds are or were about, those with open ones first."""
        sql = (
            f"SELECT path FROM thread WHERE path != '' AND kind IN ({placeholders(kinds)})"
            " GROUP BY path ORDER BY count(*) = count(closed), max(opened) DESC"
        )
        return self._texts(sql, tuple(kind.value for kind in kinds))

    def lost(self, kind: ThreadKind, mark: str) -> list[LostRemark]:
        """The remarks or stubs of this mark that were lost since the last commit."""
        sql = "SELECT kind, mark, path, symbol FROM thread_lost WHERE kind = ? AND mark = ?"
        rows = self._rows(sql, (kind.value, clean(mark)))
        return [LostRemark(ThreadKind(row[0]), row[1], row[2], row[3]) for row in rows]

    def stood(self, path: str) -> list[StandingRemark] | None:
        """The remarks that a file of a plain folder held when it was last read; None when it never was."""
        rows = self._rows("SELECT body FROM thread_stood WHERE path = ?", (clean(path),))
        if not rows:
            return None
        return [StandingRemark(ThreadKind(row[0]), row[1], row[2], row[3]) for row in unpack(rows[0][0])]

    def _listed(
        self, condition: str, path: str | None, kinds: Sequence[ThreadKind] | None, limit: int | None
    ) -> list[KeptThread]:
        sql, values = f"{_BODY} WHERE {condition}", list[Value]()
        if path is not None:
            sql += " AND path = ?"
            values.append(clean(path))
        if kinds is not None:
            sql += f" AND kind IN ({placeholders(kinds)})"
            values += [kind.value for kind in kinds]
        sql += " ORDER BY opened DESC, id LIMIT ?"
        values.append(-1 if limit is None else limit)
        return self._found(sql, values)

    def _found(self, sql: str, values: Sequence[Value]) -> list[KeptThread]:
        structure = converter(omit_defaults=True).structure
        return [structure(unpack(body), KeptThread) for (body,) in self._rows(sql, values)]


def _row(kept: KeptThread) -> tuple[Value, ...]:
    thread = kept.thread
    times = [
        None if time is None else milliseconds(time if time.tzinfo else time.replace(tzinfo=UTC))
        for time in (thread.opened_at, thread.closed_at)
    ]
    place = (clean(thread.path), clean(thread.symbol), clean(thread.mark))
    body = pack(converter(omit_defaults=True).unstructure(kept))
    return (clean(thread.id), thread.kind.value, *place, *times, body)
