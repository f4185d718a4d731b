"""The short path for hooks: keep the records of one payload, and look up what the hook answers.

A hook is a process of its own for every observation, with 40 ms for all of it. So it understands nothing: it completes
records (key, time, place), redacts and cuts them, and writes them in one transaction, or to the spool. The settler
understands them later; the hook starts one where none runs. The answer was worked out then.

Order matters twice: redaction comes before storing and before cutting, and an acknowledged record is durable.
"""

from __future__ import annotations

import os
import time

from memlsp.capture.private_files import data_folder
from memlsp.capture.redaction.event_filter import Screen
from memlsp.capture.workspace.workspace_cache import KnownWorkspace, find_workspace, is_no_project
from memlsp.memory.ingest.hook_lookup import HookLookup
from memlsp.memory.ingest.records import completed
from memlsp.store.core import hook_connection
from memlsp.store.tables.journal import Caps, append, pending

TYPE_CHECKING = False  # as in typing, without importing it
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memlsp.memory.ingest.hook_lookup import ContextRequest
    from memlsp.store.core.database import Database

    Record = dict[str, object]

LONGEST_SAID = 9_500
"""The most characters of one answer."""

_STORE = "memory.db"
_CUT_DOWN = frozenset({"compact", "clear"})


class HookResult:
    """The result of one hook. `said` is text for the agent, `message` a line for the person, `decision` is "", "ask" or
    "deny" about the act at hand; `fate` is `stored`, `spooled`, `nothing` or `lost`; `trouble` is for the log, "" for
    none."""

    def __init__(self, fate: str = "nothing", said: str = "", trouble: str = "") -> None:
        self.fate = fate
        self.said = said
        self.message = self.decision = ""
        self.trouble = trouble

    def met(self, trouble: str) -> None:
        """Add a line for the log."""
        self.trouble = f"{self.trouble}; {trouble}" if self.trouble else trouble


def ingest_payload(
    records: Sequence[Record],
    folder: str,
    asked: ContextRequest | None = None,
    *,
    now_ms: int | None = None,
    data: str | None = None,
) -> HookResult:
    """Keep the records of one payload, and look up the answer. `folder` is the agent's working folder, absolute.

    Durable when it returns with the fate `stored` or `spooled`. Errors of the disk are part of the result; any
    exception is a bug, and then nothing may be acknowledged.
    """
    if (not records and asked is None) or is_no_project(folder):
        return HookResult()
    now = time.time_ns() // 1_000_000 if now_ms is None else now_ms
    data = data_folder() if data is None else data
    where = find_workspace(folder, data)
    if where is None:
        return HookResult("lost" if records else "nothing", trouble="the folder belongs to no workspace")
    screen = Screen(where.root, data)
    made = [completed(record, where, folder, now, screen) for record in records]
    return _HookIngest(where, folder, data, now, screen).pass_in(made, asked)


def prepare() -> None:
    """Compile the patterns of redaction and keep them, as the first hook would have to. Up to a second; nothing when
    done."""
    from memlsp.capture.redaction.redaction import redact

    redact("prepared")


class _HookIngest:
    """The store and settings of one workspace, for one hook."""

    def __init__(self, where: KnownWorkspace, folder: str, data: str, now: int, screen: Screen) -> None:
        self._where = where
        self._folder = folder
        self._data = data
        self._now = now
        self._store = _store_of(where, data)
        self._settings = settings = screen.settings
        self._caps = Caps(settings.text, settings.output, settings.session, settings.day)

    def pass_in(self, records: Sequence[Record], asked: ContextRequest | None) -> HookResult:
        done = HookResult()
        try:
            connection = hook_connection.opened(self._store)
        except hook_connection.Unready as reason:
            self._aside(records, str(reason), done)
        else:
            self._kept(connection, records, asked, done)
        if done.fate in {"stored", "spooled"}:
            self._wake(done)
        return done

    def _kept(
        self, connection: Database, records: Sequence[Record], asked: ContextRequest | None, done: HookResult
    ) -> None:
        try:
            connection.execute("BEGIN IMMEDIATE")
            behind = asked is not None and pending(connection)
            append(connection, records, self._now, self._caps)
            if asked is not None:
                self._look_up(connection, asked, done, records=records, behind=behind)
            connection.execute("COMMIT")
            done.fate = "stored" if records else "nothing"
        except Exception as error:
            reason = hook_connection.reason_of(error)
            if reason == "damaged":
                hook_connection.suspect(self._store)
            _undo(connection, "ROLLBACK")
            done.said = ""
            self._aside(records, reason, done)
            if asked is not None and reason in {"locked", "full", "read-only"}:
                self._look_up(connection, asked, done, note=False)  # reading needs no lock

    def _aside(self, records: Sequence[Record], reason: str, done: HookResult) -> None:
        if reason == "damaged":
            hook_connection.suspect(self._store)
        worth = [record for record in records if not record.get("dropped")]
        if not worth:
            return  # a folder that is off leaves no trace, and what is not counted coming in need not be going out
        from memlsp.store.core.spool import spool  # late: mostly the store takes them

        try:
            spool(self._store, worth, self._now)
            done.fate = "spooled"
            if reason not in {"missing", "empty", "locked"}:
                done.met(f"spooled, the store is {reason}")
        except Exception as error:
            done.fate = "lost"
            done.met(f"the store is {reason}, and the spool takes nothing: {type(error).__name__}: {error}")

    # -- what is said -----------------------------------------------------------------------------------------------

    def _look_up(
        self,
        connection: Database,
        asked: ContextRequest,
        done: HookResult,
        *,
        records: Sequence[Record] = (),
        behind: bool = False,
        note: bool = True,
    ) -> None:
        """Look up the answer; a failure here never costs an observation. `behind`: events wait to be understood.
        Without `note` nothing is written."""
        try:
            connection.execute("SAVEPOINT injection")
            lookup = HookLookup(connection, self._where.root, self._data, self._now, self._settings, note=note)
            lookup.answer(asked, self._folder, forgot=_forgot(records), behind=behind)
            connection.execute("RELEASE injection")
        except Exception as error:
            done.met(f"nothing said: {type(error).__name__}: {error}")
            _undo(connection, "ROLLBACK TO injection; RELEASE injection")
        else:
            done.said, done.message = lookup.said[:LONGEST_SAID], lookup.message
            done.decision = lookup.decision

    # -- who understands it -----------------------------------------------------------------------------------------

    def _wake(self, done: HookResult) -> None:
        try:
            from memlsp.memory.ingest.start_worker import wake

            wake(self._store, self._where.root, self._data)
        except Exception as error:
            done.met(f"no settler: {type(error).__name__}: {error}")


def _forgot(records: Sequence[Record]) -> bool:
    """True when a session lost its context: after compaction, or when it was cleared."""
    return any(
        record.get("kind") == "compact" or (record.get("kind") == "session-start" and record.get("text") in _CUT_DOWN)
        for record in records
    )


def _store_of(where: KnownWorkspace, data: str) -> str:
    """The store's file. A workspace whose key changed finds its memory under the former key until a full process moves
    it; a folder made under the new key would be in the way."""
    path = os.path.join(data, "workspaces", where.key, _STORE)
    if where.former and not os.access(path, os.F_OK):
        for former in where.former:
            other = os.path.join(data, "workspaces", former, _STORE)
            if os.access(other, os.F_OK):
                return other
    return path


def _undo(connection: Database, statement: str) -> None:
    """Roll back where something is begun; whatever is wrong then, the hook goes on."""
    try:
        connection.execute(statement)
    except Exception:
        return
