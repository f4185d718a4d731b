"""What a hook may say at once: read from tables that were filled beforehand, in a process that has 40 ms in all.

It imports next to nothing, and takes any connection to a store. Whatever it gives back was made one harmless line, cut
and escaped when it was written, and stands only as long as the file that it speaks of is the same.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False  # as in typing, without importing it
if TYPE_CHECKING:
    from collections.abc import Iterable

    from memlsp.store.core.database import Database

    Note = tuple[str, str]
    """What to say, and the mark under which it is said once in a session."""

    Part = tuple[str, int | None, list[tuple[str, str, str]]]
    """A heading, the time (milliseconds) whose age stands in it, and lines with the file (or "") and the stamp of it
    that each holds for."""

AGE = "\x00"
"""Stands in a heading for how long ago something was: the one thing that is not known beforehand."""

PATH_LENGTH = 1_000
"""Characters of a path that is asked about; a longer one is none of ours."""

_FIELD = "\x1f"

_MINUTE = 60_000
_HOUR = 60 * _MINUTE
_DAY = 24 * _HOUR


def session_key(source: str, session: str) -> str:
    """How a session is named in these tables: two programs may have a session of the same name. "" without a name."""
    return f"{source} {session}" if session else ""


def stamp_of(file: str) -> str:
    """The stamp of a file: its time of change in nanoseconds and its size; "" for one that is not there."""
    try:
        found = os.stat(file)  # noqa: PTH116 - pathlib is a tenth of a hook's time
    except (OSError, ValueError):
        return ""
    return f"{found.st_mtime_ns}:{found.st_size}"


def briefing(connection: Database, session: str = "", branch: str = "", root: str = "", now: int = 0) -> str:
    """What is told at the start of a session; "" when there is nothing to say.

    A `session` (its key) that is known, because it lost its context or goes on, is told of its own work; any other of
    what the last ones left. `now` is in milliseconds since 1970. Lines about a file under `root` that is another by now
    are left out."""
    rows: list[tuple[str, str, str]] = [
        (row[0], row[1], row[2])
        for row in connection.execute(
            "SELECT session, branch, parts FROM briefing WHERE session IN (?, '') AND branch IN (?, '')",
            (session, branch),
        )
    ]
    if not rows:
        return ""
    rows.sort(key=lambda row: (row[0] == session, row[1] == branch), reverse=True)
    return assembled(rows[0][2], root, now)


def composed(parts: Iterable[Part]) -> str:
    """A briefing as it is stored: a row for each heading and each line, fields apart by a control character, which no
    text in it has. (JSON would be a tenth of a hook's time.)"""
    rows: list[str] = []
    for heading, at, told in parts:
        rows.append(_FIELD.join(("", "" if at is None else str(at), heading)))
        rows += [_FIELD.join((path or "-", stamp, line)) for line, path, stamp in told]
    return "\n".join(rows)


def assembled(stored: str, root: str, now: int) -> str:
    """The text of a stored briefing: ages filled in, lines that no longer fit their file left out, and headings of
    nothing but such."""
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
        if path == "-" or not root or second == stamp_of(f"{root}/{path}"):
            if heading:
                lines.append(heading)
            heading, awaited = "", False
            lines.append(text)
    if heading and not awaited:
        lines.append(heading)
    return "\n".join(lines)


def notes_at(connection: Database, path: str, stamp: str) -> list[Note]:
    """What is to be said before a file is read or changed, most trusted first: sentence and mark.

    `path` is relative to the root; nothing is said of a file that has another stamp than the one it was judged with,
    or of a belief that was revised since."""
    if not stamp or len(path) > PATH_LENGTH:
        return []
    found = connection.execute(
        "SELECT n.sentence, n.mark FROM note n JOIN belief b ON b.id = n.belief AND b.updated_at = n.revised"
        " WHERE n.path = ? AND n.stamp = ? AND b.status = 'active' ORDER BY n.position",
        (path, stamp),
    )
    return [(row[0], row[1]) for row in found]


def remedy_for(connection: Database, skeleton: str, failure: str) -> Note | None:
    """What helped when the program of this skeleton failed in this way before; None when that is not known."""
    program = skeleton.partition(" ")[0]
    if not program or not failure:
        return None
    found = connection.execute("SELECT sentence FROM remedy WHERE program = ? AND failure = ?", (program, failure))
    for row in found:
        return row[0], f"remedy {failure}"
    return None


def unsaid(connection: Database, session: str, notes: Iterable[Note]) -> list[Note]:
    """Those of the notes that a session was not told yet."""
    return [
        note
        for note in notes
        if not connection.execute("SELECT 1 FROM said WHERE session = ? AND mark = ?", (session, note[1])).fetchall()
    ]


def said(connection: Database, session: str, marks: Iterable[str], at: int) -> None:
    """Note that a session was told what has these marks. Writes; may be part of a transaction."""
    for mark in marks:
        connection.execute("INSERT OR IGNORE INTO said VALUES (?, ?, ?)", (session, mark, at))


_PUT_OFF = "briefing put off"


def put_off(connection: Database, session: str, at: int) -> None:
    """Note that a session began before it was understood what others left, and was told nothing. Writes."""
    said(connection, session, [_PUT_OFF], at)


def made_good(connection: Database, session: str, branch: str = "", root: str = "", now: int = 0) -> str:
    """What a session is told for which the briefing was put off; "" for any other and while there is still nothing.

    One that has work of its own by now is past being told. Writes."""
    if unsaid(connection, session, [("", _PUT_OFF)]):
        return ""
    works = bool(connection.execute("SELECT 1 FROM briefing WHERE session = ?", (session,)).fetchall())
    text = "" if works else briefing(connection, "", branch, root, now)
    if works or text:
        connection.execute("DELETE FROM said WHERE session = ? AND mark = ?", (session, _PUT_OFF))
    return text


def forgotten(connection: Database, session: str) -> None:
    """A session lost its context: what it was told may be told again. Writes; may be part of a transaction."""
    connection.execute("DELETE FROM said WHERE session = ?", (session,))


def age(at: int, now: int) -> str:
    """How long before `now` something was, both in milliseconds: "5 minutes ago"; "just now" where clocks differ."""
    passed = now - at
    if passed < _MINUTE:
        return "just now"
    for span, unit in ((_DAY, "day"), (_HOUR, "hour"), (_MINUTE, "minute")):
        if passed >= span:
            number = passed // span
            return f"{number} {unit} ago" if number == 1 else f"{number} {unit}s ago"
    return "just now"
