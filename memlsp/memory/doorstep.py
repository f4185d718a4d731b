"""The door's short way in: what a hook brings is taken and kept, and what it may say is looked up.

A hook is a process of its own for every observation, and all of it has 40 ms. So nothing is understood here: records
are completed (key, time, place), redacted, cut, and written in one transaction, or left in the spool. Whoever holds the
settler's turn understands them later; where nobody does, a settler is started. What is said was worked out then.

Order matters twice: redaction comes before storing and before cutting, and what is acknowledged is durable.
"""

from __future__ import annotations

import os
import time
from _blake2 import blake2b

from memlsp.capture.screening import Screen
from memlsp.capture.whereabouts import Whereabouts, data_folder, found, head
from memlsp.store import quick
from memlsp.store.journal import Caps, append, shortened, spelled
from memlsp.store.spool import spool

TYPE_CHECKING = False  # as in typing, without importing it
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, Protocol

    from memlsp.capture.settings import Settings
    from memlsp.store.database import Database

    Record = dict[str, object]

    class Asked(Protocol):
        """What a hook may be told now. `kind` is `brief`, `note` or `remedy`; `paths` are those about to be read or
        changed; `command` and `output` a failing command and what it printed."""

        kind: str
        paths: list[str]
        command: str
        output: str
        source: str
        session: str


LONGEST_SAID = 9_500
"""Characters that are said at once."""

_STORE = "memory.db"
_SEEN = 10_000
"""Characters from either end of a text that are looked at. Of what is cut away between them nothing is kept, and what
is kept ends 7,000 characters before the cut and more, so that no secret that the cut parted shows its other half."""

_CUT_DOWN = frozenset({"compact", "clear"})

_SAME = 2_000
"""Milliseconds within which an identical payload without an id of its own is the same observation: agents that find a
hook in two of their files run it twice."""


class Visit:
    """What became of a hook's visit. `said` is text for the agent; `fate` is `stored`, `spooled`, `nothing` or `lost`;
    `trouble` is for the log, "" when there was none."""

    __slots__ = ("fate", "said", "trouble")

    def __init__(self, fate: str = "nothing", said: str = "", trouble: str = "") -> None:
        self.fate = fate
        self.said = said
        self.trouble = trouble

    def met(self, trouble: str) -> None:
        """Note something for the log."""
        self.trouble = f"{self.trouble}; {trouble}" if self.trouble else trouble


def visit(
    records: Sequence[Record],
    folder: str,
    asked: Asked | None = None,
    *,
    now_ms: int | None = None,
    data: str | None = None,
) -> Visit:
    """Keep the records of one payload, and look up what is asked for. `folder` is where the agent works, absolute.

    Durable when it returns with the fate `stored` or `spooled`. Raises nothing for what is on the disk; what else it
    raises is a bug, and then nothing may be acknowledged.
    """
    if not records and asked is None:
        return Visit()
    now = time.time_ns() // 1_000_000 if now_ms is None else now_ms
    data = data_folder() if data is None else data
    where = found(folder, data)
    if where is None:
        return Visit("lost" if records else "nothing", trouble="the folder belongs to no workspace")
    screen = Screen(where.root, data)
    completed = [_completed(record, where, folder, now, screen) for record in records]
    return _Doorstep(where, folder, data, now, screen).pass_in(completed, asked)


class _Doorstep:
    """One workspace's doorstep, for one visit."""

    def __init__(self, where: Whereabouts, folder: str, data: str, now: int, screen: Screen) -> None:
        self._where = where
        self._folder = folder
        self._data = data
        self._now = now
        self._store = _store_of(where, data)
        settings = screen.settings
        self._caps = Caps(settings.text, settings.output, settings.session, settings.day)

    def pass_in(self, records: Sequence[Record], asked: Asked | None) -> Visit:
        done = Visit()
        try:
            connection = quick.opened(self._store)
        except quick.Unready as reason:
            self._aside(records, str(reason), done)
        else:
            self._kept(connection, records, asked, done)
        if done.fate in {"stored", "spooled"}:
            self._wake(done)
        return done

    def _kept(self, connection: Database, records: Sequence[Record], asked: Asked | None, done: Visit) -> None:
        try:
            connection.execute("BEGIN IMMEDIATE")
            append(connection, records, self._now, self._caps)
            if asked is not None:
                self._look_up(connection, asked, forgot=_forgot(records), done=done)
            connection.execute("COMMIT")
            done.fate = "stored" if records else "nothing"
        except Exception as error:
            reason = quick.reason_of(error)
            if reason == "damaged":
                quick.suspect(self._store)
            _rolled_back(connection)
            done.said = ""
            self._aside(records, reason, done)
            if asked is not None and reason in {"locked", "full", "read-only"}:
                self._look_up(connection, asked, forgot=False, done=done, note=False)  # reading needs no lock

    def _aside(self, records: Sequence[Record], reason: str, done: Visit) -> None:
        if reason == "damaged":
            quick.suspect(self._store)
        worth = [record for record in records if not record.get("dropped")]
        if not worth:
            return  # a folder that is off leaves no trace, and what is not counted coming in need not be going out
        try:
            spool(self._store, worth, self._now)
            done.fate = "spooled"
            if reason not in {"missing", "empty", "locked"}:
                done.met(f"spooled, the store is {reason}")
        except Exception as error:
            done.fate = "lost"
            done.met(f"the store is {reason}, and the spool takes nothing: {type(error).__name__}: {error}")

    # -- what is said -----------------------------------------------------------------------------------------------

    def _look_up(self, connection: Database, asked: Asked, *, forgot: bool, done: Visit, note: bool = True) -> None:
        """Failing here never costs an observation."""
        try:
            done.said = self._found(connection, asked, forgot=forgot, note=note)[:LONGEST_SAID]
        except Exception as error:
            done.met(f"nothing said: {type(error).__name__}: {error}")

    def _found(self, connection: Database, asked: Asked, *, forgot: bool, note: bool) -> str:
        from memlsp.store import notes  # late: most visits say nothing

        key = notes.session_key(asked.source, asked.session)
        if asked.kind == "brief":
            if forgot and note and key:
                notes.forgotten(connection, key)
            branch = head(self._where.root)[0]
            return notes.briefing(connection, key, branch, self._where.root, self._now)
        if asked.kind == "remedy":
            from memlsp.episodes.skeletons import failure_of, skeleton

            remedy = notes.remedy_for(connection, skeleton(asked.command), failure_of(asked.output))
            told: list[notes.Note] = [] if remedy is None else [remedy]
        else:
            told = []
            for path in asked.paths:
                inside = _inside(path, self._folder, self._where.root)
                if inside:
                    told += notes.notes_at(connection, inside, notes.stamp_of(f"{self._where.root}/{inside}"))
        if key:
            told = notes.unsaid(connection, key, told)
            if note:
                notes.said(connection, key, [mark for _, mark in told], self._now)
        return "\n".join(dict.fromkeys(sentence for sentence, _ in told))

    # -- who understands it -----------------------------------------------------------------------------------------

    def _wake(self, done: Visit) -> None:
        try:
            from memlsp.memory.waking import wake

            wake(self._store, self._where.root, self._data)
        except Exception as error:
            done.met(f"no settler: {type(error).__name__}: {error}")


def _forgot(records: Sequence[Record]) -> bool:
    """True when a session lost what it was told: after compaction, and when it was cleared."""
    return any(
        record.get("kind") == "compact" or (record.get("kind") == "session-start" and record.get("text") in _CUT_DOWN)
        for record in records
    )


def _store_of(where: Whereabouts, data: str) -> str:
    """The store's file. A workspace whose key changed finds its memory under the former one until a full process moves
    it, and a folder made at the new place would be in the way."""
    path = os.path.join(data, "workspaces", where.key, _STORE)
    if where.former and not os.access(path, os.F_OK):
        for former in where.former:
            other = os.path.join(data, "workspaces", former, _STORE)
            if os.access(other, os.F_OK):
                return other
    return path


# -- completing a record ------------------------------------------------------------------------------------------


def _completed(record: Record, where: Whereabouts, folder: str, now: int, screen: Screen) -> Record:
    """The record with its place and key, redacted and then cut. One whose text cannot be redacted goes without it."""
    source, session = str(record.get("source", "")), str(record.get("session", ""))
    place = os.path.join(folder, str(record.get("folder") or ""))
    record = dict(record)
    if "paths" in record:
        inside = (_inside(path, place, where.root) for path in _list(record["paths"]) if isinstance(path, str))
        record["paths"] = list(dict.fromkeys(path for path in inside if path))
    dropped = record.get("dropped")
    dropped = dropped or (screen.why_off(source, session, place) and "off") or screen.sift(record)
    if dropped:
        return {"source": source, "dropped": dropped}
    made: Record = {name: value for name, value in record.items() if name not in _TEXTS}
    at = made.get("at")
    made["at"] = at if isinstance(at, int) and at > 0 else now
    if not made.get("key"):
        made["key"] = _key(record, now)
    made["root"] = where.root
    made["folder"] = _inside(place, folder, where.root)
    if not made.get("branch"):
        made["branch"], commit = head(where.root)
        made.setdefault("commit", commit)
    try:
        _redact(record, made, screen.settings)
    except Exception:  # it must never be kept as it came
        for name in _TEXTS:
            made.pop(name, None)
        made["found"] = ["unredactable"]
    return made


_TEXTS = ("text", "output", "extra", "plan")


def _redact(record: Record, made: Record, settings: Settings) -> None:
    from memlsp.capture.redaction import redact  # late: not every record has a text

    kinds = [str(kind) for kind in _list(record.get("found"))]
    cut = 0

    def clean(text: str) -> str:
        redacted = redact(text, settings.personal)
        kinds.extend(redacted.found)
        return redacted.text

    for name, most in (("text", settings.text), ("output", settings.output)):
        value = record.get(name)
        if isinstance(value, str) and value:
            seen, unseen = _window(value.replace("\0", ""))
            made[name], left_out = shortened(clean(seen), most)
            cut += unseen + left_out
    extra = record.get("extra")
    if isinstance(extra, dict) and extra:
        made["extra"] = _extra(extra, clean)  # pyright: ignore[reportUnknownArgumentType] - JSON has strings as keys
    if "plan" in record:
        items = [_list(each) for each in _list(record["plan"])]
        made["plan"] = [[clean(str(item[0])), str(item[1])] for item in items if len(item) == 2]
    if kinds:
        made["found"] = kinds
    if cut:
        made["cut"] = cut


def _window(text: str) -> tuple[str, int]:
    """A text, or of a very long one both ends, and how much is not seen; whole where something in it is only a secret
    as a whole."""
    if len(text) <= 2 * _SEEN or "-----BEGIN" in text or "private>" in text.lower():
        return text, 0
    unseen = len(text) - 2 * _SEEN
    return f"{text[:_SEEN]}\n[...]\n{text[-_SEEN:]}", unseen


def _extra(extra: dict[str, object], clean: Callable[[str], str]) -> Record:
    """Unknown keys with their values. The name of a key can make its value a secret, so both are looked at together;
    a value with something in it is kept as the text that it is without."""
    kept: Record = {}
    for name, value in extra.items():
        if value is None or isinstance(value, (bool, int, float)):
            kept[name] = value
            continue
        try:
            cleaned = _each_cleaned(value, clean)
            text = spelled({name: cleaned})
        except (TypeError, ValueError, RecursionError):
            kept[name] = None
            continue
        seen, _ = _window(text)
        safe = clean(seen)
        kept[name] = cleaned if safe == text else safe
    return kept


def _each_cleaned(value: object, clean: Callable[[str], str]) -> object:
    """A JSON value with each text in it cleaned as what it is: a log line between quotes and braces looks like code."""
    if isinstance(value, str):
        return clean(value) if len(value) <= 2 * _SEEN else value  # the longer ones as part of the whole
    inner: Any = value
    if isinstance(inner, list):
        return [_each_cleaned(each, clean) for each in inner]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    if isinstance(inner, dict):
        return {name: _each_cleaned(each, clean) for name, each in inner.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    return value


def _key(record: Record, now: int) -> str:
    """The same for what came twice at once; `_SAME` tells what is at once."""
    told = repr([record.get(name) for name in ("source", "session", "kind", "tool", "text", "paths", "ok")])
    return blake2b(f"{now // _SAME} {told}".encode("utf-8", "replace"), digest_size=16).hexdigest()


def _inside(path: str, folder: str, root: str) -> str:
    """A path as agents write it, relative to the root with posix separators; "" for one outside of it."""
    if not path or "\0" in path:
        return ""
    whole = os.path.normpath(os.path.join(folder, path.removeprefix("file://")))
    for top in (root, os.path.realpath(root)):
        if whole == top:
            return "."
        if whole.startswith(top.rstrip(os.sep) + os.sep):
            return whole[len(top.rstrip(os.sep)) + 1 :].replace(os.sep, "/")
    real = os.path.realpath(whole)
    if real != whole and real.startswith(root.rstrip(os.sep) + os.sep):
        return real[len(root.rstrip(os.sep)) + 1 :].replace(os.sep, "/")
    return ""


def _list(value: object) -> list[object]:
    return list(value) if isinstance(value, (list, tuple)) else []  # pyright: ignore[reportUnknownArgumentType]


def _rolled_back(connection: Database) -> None:
    try:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
    except Exception:
        return
