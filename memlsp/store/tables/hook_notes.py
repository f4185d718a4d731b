"""The notes, remedies and briefings that hooks say, read from prepared tables by a process that has 40 ms.

This module imports next to nothing and works on any connection to a store. Each text is one line that was cut and
escaped when it was written, and is only valid while its file is unchanged.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False  # as in typing, without importing it
if TYPE_CHECKING:
    from collections.abc import Iterable

    from memlsp.store.core.database import Database

    Note = tuple[str, str]
    """A sentence, and the mark under which it is said once in a session."""

    Line = tuple[str, tuple[tuple[str, str], ...]]
    """A line, and the files that it speaks of, each with its stamp."""

    Part = tuple[str, int | None, list[Line]]
    """A heading, the time (milliseconds) of the age in it, and lines."""

AGE = "\x00"
"""Placeholder in a heading for the age of something, which is not known beforehand."""

MOST_NOTES = 3
"""Notes of a file that are told at once."""

_LONGEST_FILE = 1_000_000  # characters of a file in which an edit is sought

PATH_LENGTH = 1_000
"""Characters of a path up to which it is looked up."""

_FIELD = "\x1f"
_FILE = "\x1e"

_MINUTE = 60_000
_HOUR = 60 * _MINUTE
_DAY = 24 * _HOUR


def session_key(source: str, session: str) -> str:
    """The key of a session in these tables, since two programs may use the same name; "" without a name."""
    return f"{source} {session}" if session else ""


def stamp_of(file: str) -> str:
    """The stamp of a file: its time of change in nanoseconds and its size; "" for a missing one."""
    try:
        found = os.stat(file)  # noqa: PTH116 - pathlib is a tenth of a hook's time
    except (OSError, ValueError):
        return ""
    return f"{found.st_mtime_ns}:{found.st_size}"


def briefing(
    connection: Database, session: str = "", branch: str = "", root: str = "", now: int = 0, *, behind: bool = False
) -> str | None:
    """The briefing at the start of a session; "" when there is none, None when it has to be put off.

    A known `session` (its key), which goes on or lost its context, gets its own work, without lines about changed files
    under `root`. Another one gets what the last sessions left; not yet while events wait to be understood (`behind`) or
    a file of it has changed since, for git may have taken back what it tells. `now` is in milliseconds since 1970."""
    rows: list[tuple[str, str, str]] = [
        (row[0], row[1], row[2])
        for row in connection.execute(
            "SELECT session, branch, parts FROM briefing WHERE session IN (?, '') AND branch IN (?, '')",
            (session, branch),
        )
    ]
    if not rows:
        return None if behind else ""
    rows.sort(key=lambda row: (row[0] == session, row[1] == branch), reverse=True)
    stored = rows[0][2]
    if not rows[0][0] and (behind or not all(_is_valid(row, root) for row in stored.split("\n") if row)):
        return None
    return assembled(stored, root, now)


def composed(parts: Iterable[Part]) -> str:
    """The stored form of a briefing: a row for each heading and line, with fields separated by a control character that
    no text has. (JSON would take a tenth of a hook's time.)"""
    rows: list[str] = []
    for heading, at, lines in parts:
        rows.append(_FIELD.join(("", "" if at is None else str(at), heading)))
        for line, files in lines:
            named = [each for each in files if each[0].isprintable()]
            paths, stamps = (_FILE.join(each[field] for each in named) for field in (0, 1))
            rows.append(_FIELD.join((paths or "-", stamps, line)))
    return "\n".join(rows)


def assembled(stored: str, root: str, now: int) -> str:
    """The text of a stored briefing: with ages, and without lines about changed files and headings that lost all
    lines."""
    lines: list[str] = []
    heading, awaited = "", False
    for row in stored.split("\n") if stored else ():
        path, second, text = row.split(_FIELD, 2)
        if not path:
            if heading and not awaited:
                lines.append(heading)
            heading = text.replace(AGE, age(int(second), now)) if second else text
            awaited = False
            continue
        awaited = awaited or bool(heading)
        if _is_valid(row, root):
            if heading:
                lines.append(heading)
            heading, awaited = "", False
            lines.append(text)
    if heading and not awaited:
        lines.append(heading)
    return "\n".join(lines)


def _is_valid(row: str, root: str) -> bool:
    """False for a line of a stored briefing that speaks of a file which changed since."""
    paths, stamps, _ = row.split(_FIELD, 2)
    if paths in {"", "-"} or not root:
        return True
    files = zip(paths.split(_FILE), stamps.split(_FILE), strict=True)
    return all(stamp_of(f"{root}/{path}") == stamp for path, stamp in files)


def notes_at(connection: Database, path: str, stamp: str, file: str = "", old: str = "") -> list[Note]:
    """The notes for an agent that is about to read or change a file, most trusted first, at most MOST_NOTES.

    `path` is relative to the root. There are none for a file whose stamp changed since it was judged, or about a belief
    that was revised since. Of an edit that takes `old` out of `file` there are those of the symbols that it touches,
    and then those of the whole file."""
    if not stamp or len(path) > PATH_LENGTH:
        return []
    found = connection.execute(
        "SELECT n.sentence, n.mark, n.first, n.last FROM note n JOIN belief b"
        " ON b.id = n.belief AND b.updated_at = n.revised"
        " WHERE n.path = ? AND n.stamp = ? AND b.status = 'active' ORDER BY n.position",
        (path, stamp),
    )
    rows: list[tuple[str, str, int, int]] = [(row[0], row[1], row[2], row[3]) for row in found]
    lines = lines_of(file, old) if old.strip() and any(row[2] for row in rows) else []
    if lines:
        touched = [row for row in rows if any(row[2] <= last and first <= row[3] for first, last in lines)]
        rows = [*touched, *(row for row in rows if not row[2])]
    return [(row[0], row[1]) for row in rows[:MOST_NOTES]]


def lines_of(file: str, old: str) -> list[tuple[int, int]]:
    """The lines of a file in which a text stands, first and last, from 1; where it stands there not as a whole, or
    often, each of its lines that the file has once. [] where nobody can tell."""
    try:
        with open(file, encoding="utf-8", errors="replace") as opened:  # noqa: PTH123 - as above
            text = opened.read(_LONGEST_FILE)
    except (OSError, ValueError):
        return []
    at = text.find(old)
    if at >= 0 and text.find(old, at + 1) < 0:
        first = text.count("\n", 0, at) + 1
        return [(first, first + old.rstrip("\n").count("\n"))]
    places: dict[str, list[int]] = {line: [] for line in old.split("\n") if line.strip()}
    for number, line in enumerate(text.split("\n"), 1):
        if line in places:
            places[line].append(number)
    return [(each[0], each[0]) for each in places.values() if len(each) == 1]


def remedy_for(connection: Database, skeleton: str, failure: str) -> Note | None:
    """The sentence about what helped when the program of this skeleton failed in this way before; None when unknown."""
    program = skeleton.partition(" ")[0]
    if not program or not failure:
        return None
    found = connection.execute("SELECT sentence FROM remedy WHERE program = ? AND failure = ?", (program, failure))
    for row in found:
        return row[0], f"remedy {failure}"
    return None


def unsaid(connection: Database, session: str, notes: Iterable[Note]) -> list[Note]:
    """The notes that a session was not told yet."""
    return [
        note
        for note in notes
        if not connection.execute("SELECT 1 FROM said WHERE session = ? AND mark = ?", (session, note[1])).fetchall()
    ]


def knows_acts(connection: Database, session: str) -> bool:
    """True when a session was told of an act."""
    query = "SELECT 1 FROM said WHERE session = ? AND mark LIKE '% act' LIMIT 1"
    return bool(connection.execute(query, (session,)).fetchall())


def said(connection: Database, session: str, marks: Iterable[str], at: int) -> None:
    """Record the marks that a session was told. Writes; may be part of a transaction."""
    for mark in marks:
        connection.execute("INSERT OR IGNORE INTO said VALUES (?, ?, ?)", (session, mark, at))


_PUT_OFF = "briefing put off"


def put_off(connection: Database, session: str, at: int) -> None:
    """Record that a session began before its briefing was prepared, and was told nothing. Writes."""
    said(connection, session, [_PUT_OFF], at)


def made_good(
    connection: Database, session: str, branch: str = "", root: str = "", now: int = 0, *, behind: bool = False
) -> str:
    """The briefing that was put off for a session; "" for any other session, while there is none, and once the session
    has work of its own. Writes."""
    if unsaid(connection, session, [("", _PUT_OFF)]):
        return ""
    works = bool(connection.execute("SELECT 1 FROM briefing WHERE session = ?", (session,)).fetchall())
    text = "" if works else briefing(connection, "", branch, root, now, behind=behind) or ""
    if works or text:
        connection.execute("DELETE FROM said WHERE session = ? AND mark = ?", (session, _PUT_OFF))
    return text


def forgotten(connection: Database, session: str) -> None:
    """Let a session that lost its context be told everything again. Writes; may be part of a transaction."""
    connection.execute("DELETE FROM said WHERE session = ?", (session,))


def age(at: int, now: int) -> str:
    """How long `at` is before `now` (milliseconds), as "5 minutes ago"; "just now" when clocks differ."""
    passed = now - at
    for span, unit in ((_DAY, "day"), (_HOUR, "hour"), (_MINUTE, "minute")):
        if passed >= span:
            number = passed // span
            return f"{number} {unit} ago" if number == 1 else f"{number} {unit}s ago"
    return "just now"


def tokens(text: str) -> int:
    """The tokens that a text counts as: four bytes of UTF-8 each, rounded up, its line end included."""
    return -(-(len(text.encode("utf-8", "replace")) + 1) // 4)
