"""Storing records of observations before they are processed.

A hook's whole process has 40 ms, so this module imports nothing slow. A record is a plain dictionary, the same in a
spool file and in `append`; its maker has redacted it, and then cut it with `shortened`:

`key` (the same for the same observation), `at` (milliseconds since 1970, UTC), `kind` (a value of `EventKind`),
`source`, `session`, `text`, `output`, `root` (the checkout that it was seen in, absolute), `paths` (relative to it,
posix), `ok`, `exit`, `tool`, `ms`, `folder`, `branch`, `commit`, `extra` (keys that no reader knew), `found` (kinds of
secrets taken out), `cut` (characters cut off), `plan` (pairs of text and status). All but `key`, `at` and `kind` may be
absent. A record with `dropped` is counted for that reason and not kept.
"""

from __future__ import annotations

import os
import zlib
from _blake2 import blake2b

from memlsp.store.core.file_handles import try_lock

TYPE_CHECKING = False  # as in typing, without importing it
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any  # what JSON from outside may hold: looked at before it is used

    from memlsp.store.core.database import Database, Value

KINDS = frozenset(
    (
        *("session-start", "session-end", "prompt", "say", "read", "tool", "command", "edit", "files", "plan"),
        *("compact", "commit", "checkout", "merge", "rebase", "reset", "stash", "note"),
    )
)
"""The values of `EventKind`."""

_ALWAYS = KINDS - {"read", "tool", "command", "edit", "files"}  # few, and what episodes begin and end with

TEXT = 4_000
OUTPUT = 2_000
"""Characters of a text and of an output that are kept of one event."""

SESSION = 10_000
DAY = 50_000
"""Events that are kept of one session and of one day; of those that episodes begin and end with twice as many."""

SETTLING = ".settling"
"""Suffix of the lock file of the process that processes the events of a store."""

_LONG = 240  # characters from which a text is kept in a place of its own, once
_SHORT = 200  # characters of a session's name, a tool's, a branch's
_MOST_PATHS = 200
_MOST_PLAN = 100
_MOST_EXTRA = 4_000  # characters of JSON
_LISTS = (list, tuple)
_MAPPINGS = (dict,)
_DAY_MS = 86_400_000
_MARK = "\n[... {} characters left out ...]\n"
_MARK_ROOM = 46


class Caps:
    """The most that is kept: characters of a text and of an output, events of a session and of a day."""

    def __init__(self, text: int = TEXT, output: int = OUTPUT, session: int = SESSION, day: int = DAY) -> None:
        self.text = text
        self.output = output
        self.session = session
        self.day = day


_CAPS = Caps()


class Counts:
    """How many records were stored, repeated and dropped, which together are all; `ids` are the stored events."""

    def __init__(self) -> None:
        self.ids: list[int] = []
        self.repeated = 0
        self.dropped = 0

    @property
    def stored(self) -> int:
        """The number of stored records."""
        return len(self.ids)


def append(
    connection: Database,
    records: Iterable[Mapping[str, object]],
    now_ms: int,
    caps: Caps | None = None,
    *,
    drained: bool = False,
) -> Counts:
    """Store each record once, and count all of them, inside the caller's transaction.

    `drained` counts them as coming from the spool. An unreadable record counts as dropped."""
    counts = Counts()
    tallies: dict[tuple[str, str, str], int] = {}
    for record in records:
        source = _word(record.get("source")) if isinstance(record, dict) else ""
        if drained:
            _add(tallies, source, "drained")
        _add(tallies, source, "received")
        reason = _keep(connection, record, source, now_ms, caps or _CAPS, counts, tallies)
        if reason:
            counts.dropped += 1
            _add(tallies, source, "dropped", reason)
    for (source, what, reason), number in tallies.items():
        count(connection, source, what, reason, number)
    return counts


def count(connection: Database, source: str, what: str, reason: str = "", number: int = 1) -> None:
    """Add to a tally."""
    connection.execute(
        "INSERT INTO tally VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET number = number + excluded.number",
        (source, what, reason, number),
    )


def pending(connection: Database) -> bool:
    """True when an event was not processed yet. Cheap enough to poll."""
    return connection.execute("SELECT 1 FROM event WHERE settled = 0 LIMIT 1").get is not None


def is_being_settled(store: str) -> bool:
    """True while a process processes the events of the store at this path; False when that is unknown."""
    try:
        handle = os.open(store + SETTLING, os.O_RDWR)
    except OSError:
        return False
    try:
        return not try_lock(handle)
    finally:
        os.close(handle)


def shortened(text: str, most: int) -> tuple[str, int]:
    """The beginning and the end of a text, at most `most` characters with the mark between them, and the number of
    characters left out. A text that is short enough, or was shortened before, is unchanged."""
    if len(text) <= most:
        return text, 0
    room = most - _MARK_ROOM
    if room <= 0:
        return text[:most], len(text) - most
    tail = room // 4
    left_out = len(text) - room
    return text[: room - tail] + _MARK.format(left_out) + text[len(text) - tail :], left_out


def key_of(key: str) -> bytes:
    """The stored form of a record's key: its 16 bytes in hexadecimal, else a digest of 16 bytes."""
    if len(key) == 32:
        try:
            return bytes.fromhex(key)
        except ValueError:
            pass
    return blake2b(key.encode("utf-8", "replace"), digest_size=16).digest()


def packed(value: object) -> bytes:
    """A value as JSON, compressed where that is smaller."""
    plain = json_line(value).encode("utf-8", "replace")
    small = zlib.compress(plain, 6) if len(plain) > 80 else plain
    return small if len(small) < len(plain) else plain


def passage(connection: Database, text: str) -> int:
    """The id of a long text, which is stored once."""
    data = text.encode("utf-8", "replace")
    digest = blake2b(data, digest_size=16).digest()
    known = connection.execute("SELECT id FROM passage WHERE digest = ?", (digest,)).get
    if isinstance(known, int):
        return known
    return _inserted(connection, "passage", "digest, data", (digest, zlib.compress(data, 6)))


def tree(connection: Database, root: str) -> int:
    """The id of a checkout."""
    return row_id(connection, "event_tree", "root", (root,))


def row_id(connection: Database, table: str, columns: str, values: tuple[Value, ...]) -> int:
    """The id of the row with these values, which is inserted where there is none."""
    marks = ", ".join("?" * len(values))
    known = connection.execute(f"SELECT id FROM {table} WHERE ({columns}) = ({marks})", values).get
    return known if isinstance(known, int) else _inserted(connection, table, columns, values)


def _inserted(connection: Database, table: str, columns: str, values: tuple[Value, ...]) -> int:
    marks = ", ".join("?" * len(values))
    id = connection.execute(f"INSERT INTO {table} ({columns}) VALUES ({marks}) RETURNING id", values).get
    assert isinstance(id, int)
    return id


def _keep(
    connection: Database,
    record: Mapping[str, object],
    source: str,
    now_ms: int,
    caps: Caps,
    counts: Counts,
    tallies: dict[tuple[str, str, str], int],
) -> str:
    if not isinstance(record, dict):
        return "unreadable"
    reason = record.get("dropped")
    if reason:
        return _word(reason)
    key, at, kind = record.get("key"), record.get("at"), record.get("kind")
    if not (isinstance(key, str) and key and isinstance(at, int) and isinstance(kind, str) and kind in KINDS):
        return "unreadable"
    digest = key_of(key)
    if _is_known(connection, digest, at, record.get("near")):
        counts.repeated += 1
        _add(tallies, source, "repeated")
        return ""
    at = min(max(at, 0), 1 << 47)
    session, kept_of_session = _session(connection, source, _word(record.get("session")), at)
    day = now_ms // _DAY_MS
    of_day = connection.execute("SELECT events FROM event_day WHERE day = ?", (day,)).get or 0
    room = 2 if kind in _ALWAYS else 1
    if kept_of_session >= caps.session * room:
        return "cap-session"
    if of_day >= caps.day * room:
        return "cap-day"
    id = _insert(connection, record, (digest, at, kind, session), caps)
    connection.execute(
        # records of the spool arrive after later ones
        "UPDATE session SET events = events + 1, began = min(began, ?1), last = max(last, ?1),"
        " ended = CASE WHEN ?2 THEN max(ifnull(ended, 0), ?1) WHEN ended < ?1 THEN NULL ELSE ended END WHERE id = ?3",
        (at, kind == "session-end", session),
    )
    connection.execute(
        "INSERT INTO event_day VALUES (?, 1, ?) ON CONFLICT DO UPDATE SET events = events + 1", (day, id)
    )
    counts.ids.append(id)
    _add(tallies, source, "stored")
    for kind_found in _list(record.get("found")):
        _add(tallies, source, "redacted", _word(kind_found))
    return ""


def _is_known(connection: Database, digest: bytes, at: int, near: object) -> bool:
    """True when the observation was stored before: under its key or, when keys are made of time spans, under the key of
    a neighbouring span within the milliseconds of `near`."""
    if connection.execute("SELECT 1 FROM event WHERE key = ?", (digest,)).get is not None:
        return True
    window, *keys = _list(near) or [0]
    if type(window) is not int:
        return False
    for each in keys[:2]:
        seen = connection.execute("SELECT at FROM event WHERE key = ?", (key_of(_text(each)),)).get
        if isinstance(seen, int) and abs(seen - at) < window:
            return True
    return False


def _insert(connection: Database, record: Mapping[str, object], known: tuple[Value, ...], caps: Caps) -> int:
    text, cut_text = shortened(_text(record.get("text")), caps.text)
    output, cut_output = shortened(_text(record.get("output")), caps.output)
    paths = dict.fromkeys(path for each in _list(record.get("paths")) if (path := _text(each)))
    files = [row_id(connection, "event_file", "path", (path[:1024],)) for path in list(paths)[:_MOST_PATHS]]
    cut = record.get("cut")
    cut = (cut if isinstance(cut, int) else 0) + cut_text + cut_output
    long = len(text) > _LONG
    apart = len(output) > _LONG
    root = _text(record.get("root"))
    body = _body(record, files, "" if apart else output, cut)
    id = _inserted(
        connection,
        "event",
        "key, at, kind, session, text, words, output, tree, body",
        (
            *known,
            None if long else text,
            passage(connection, text) if long else None,
            passage(connection, output) if apart else None,
            tree(connection, root[:4096]) if root else None,
            packed(body) if body else None,
        ),
    )
    for file in files:
        connection.execute("INSERT OR IGNORE INTO event_path VALUES (?, ?)", (file, id))
    return id


def _body(record: Mapping[str, object], files: list[int], output: str, cut: int) -> dict[str, object]:
    """The fields that no query uses; `event_repository` reads them."""
    ok, number, took = record.get("ok"), record.get("exit"), record.get("ms")
    plan = [[_text(each[0])[:500], _word(each[1])] for each in _list(record.get("plan")) if _is_pair(each)]
    extra: Any = record.get("extra")
    body: dict[str, object] = {
        "p": files,
        "o": output,
        "k": int(ok) if isinstance(ok, bool) else None,
        "x": int(number) if isinstance(number, int) else None,
        "t": _word(record.get("tool")),
        "m": int(took) if isinstance(took, (int, float)) and 0 <= took < 1 << 40 else None,
        "f": _text(record.get("folder"))[:1024],
        "b": _word(record.get("branch")),
        "c": _word(record.get("commit")),
        "e": _bounded(extra) if type(extra) in _MAPPINGS else None,
        "s": [_word(each) for each in _list(record.get("found"))],
        "u": cut,
        "l": plan[:_MOST_PLAN],
    }
    return {name: value for name, value in body.items() if value or (value is not None and name in "kx")}


def _session(connection: Database, source: str, name: str, at: int) -> tuple[int, int]:
    found = connection.execute("SELECT id, events FROM session WHERE source = ? AND name = ?", (source, name)).get
    if found is not None:
        return found[0], found[1]
    return _inserted(connection, "session", "source, name, began, last, events", (source, name, at, at, 0)), 0


def _bounded(extra: dict[Any, Any]) -> dict[str, object]:
    kept: dict[str, object] = {}
    room = _MOST_EXTRA
    for name, value in extra.items():
        try:
            size = len(json_line(value))
        except (TypeError, ValueError, RecursionError):
            size = room + 1
        if len(kept) < 100:
            kept[_word(name)] = value if size <= room else None
            room -= size if size <= room else 0
    return kept


def _add(tallies: dict[tuple[str, str, str], int], source: str, what: str, reason: str = "") -> None:
    place = (source, what, reason)
    tallies[place] = tallies.get(place, 0) + 1


def _is_pair(value: Any) -> bool:
    return type(value) in _LISTS and len(value) == 2


def _list(value: Any) -> list[Any]:
    return list(value) if type(value) in _LISTS else []


def _word(value: object) -> str:
    return _text(value)[:_SHORT]


def _text(value: object) -> str:
    """A text that can be written as UTF-8: half of a surrogate pair becomes `?`; "" for any other value."""
    return value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else ""


try:
    # importing `json` compiles patterns, a quarter of a hook's time; these are the functions that it calls
    from _json import encode_basestring, make_encoder

    def _refused(value: object) -> object:
        raise TypeError(f"not JSON: {type(value).__name__}")

    def json_line(value: object) -> str:
        """A value as JSON in one line. Raises TypeError or ValueError for a value that JSON does not have."""
        # markers (to find a circle), default, strings, indent, separators, sort keys, skip odd keys, allow infinity
        return "".join(make_encoder({}, _refused, encode_basestring, None, ":", ",", False, False, False)(value, 0))

except ImportError:  # another implementation of Python

    def json_line(value: object) -> str:
        """A value as JSON in one line. Raises TypeError or ValueError for a value that JSON does not have."""
        import json

        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
