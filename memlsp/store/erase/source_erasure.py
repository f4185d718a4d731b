"""Erasing what is known of a session or a file. Every function works inside the caller's transaction."""

from __future__ import annotations

from collections import Counter
from typing import Any

from memlsp.model.symbol import CONSTANTS, HOME
from memlsp.store.core.database import Database, delete_rows, text_column
from memlsp.store.erase.search_patterns import FORGOTTEN, edited, leaves
from memlsp.store.search import work_index

_WORDS = 6
_LONG = 40
"""Words and characters from which a text of a session is searched for elsewhere; shorter ones are not telling."""


def event_texts(connection: Database, session: str) -> tuple[list[str], list[str]]:
    """The long texts of the events of a session (by its name), and those of all other events."""
    mine: dict[str, None] = {}
    others: dict[str, None] = {}
    query = (
        "SELECT s.name, e.text, w.data, o.data FROM event e JOIN session s ON s.id = e.session"
        " LEFT JOIN passage w ON w.id = e.words LEFT JOIN passage o ON o.id = e.output"
    )
    for name, *values in connection.execute(query):
        for value in values:
            for text in leaves(value) if value else ():
                if len(text) >= _LONG and len(text.split()) >= _WORDS:
                    (mine if name == session else others)[text] = None
    return list(mine), list(others)


def remove_session(connection: Database, session: str, removed: Counter[str]) -> None:
    """Erase the events of the sessions of this name, of any program, with what was derived from them alone."""
    sources = text_column(connection, "SELECT DISTINCT source FROM session WHERE name = ?", (session,))
    known = "SELECT session FROM handoff UNION SELECT session FROM episode_session UNION SELECT session FROM said"
    keys = [f"{source} {session}" for source in sources]
    keys += [key for key in text_column(connection, known) if key.partition(" ")[2] == session or key == session]
    removed["events"] += _gone(
        connection, "DELETE FROM event WHERE session IN (SELECT id FROM session WHERE name = ?)", session
    )
    for key in dict.fromkeys((session, *keys)):
        removed["handoffs"] += _gone(connection, "DELETE FROM handoff WHERE session = ?", key)
        for table in ("said", "briefing"):
            connection.execute(f"DELETE FROM {table} WHERE session = ?", (key,))
        alone = (
            "SELECT id FROM episode WHERE id IN (SELECT episode FROM episode_session WHERE session = ?)"
            " AND (SELECT count(*) FROM episode_session WHERE episode = episode.id) = 1"
        )
        for id in text_column(connection, alone, (key,)):
            removed["episodes"] += _remove_episode(connection, id)
        connection.execute("DELETE FROM episode_session WHERE session = ?", (key,))
    connection.execute("DELETE FROM briefing")  # any of them may mention it
    connection.execute("DELETE FROM session WHERE name = ?", (session,))


def remove_file(connection: Database, path: str, removed: Counter[str]) -> None:
    """Erase what is known of a file: notes, threads, baselines, histories, and the changes of its symbols."""
    for table, column, noun in (
        ("note", "path", "notes"),
        ("noted", "path", ""),
        ("note_leans", "path", ""),
        ("note_leans", "source", ""),
        ("thread", "path", "threads"),
        ("thread_lost", "path", "threads"),
        ("thread_stood", "path", "threads"),
        ("event_state", "path", "file states"),
    ):
        number = _gone(connection, f"DELETE FROM {table} WHERE {column} = ?", path)
        if noun:
            removed[noun] += number
    for key in text_column(connection, "SELECT key FROM history"):
        if key.split(":", 3)[-1].partition("#")[0] == path:
            removed["symbol histories"] += _gone(connection, "DELETE FROM history WHERE key = ?", key)
    connection.execute("DELETE FROM briefing")
    _out_of_history(connection, path, removed)
    _out_of_events(connection, path, removed)
    _out_of_episodes(connection, path, removed)
    _out_of_anchors(connection, path, removed)


def _out_of_history(connection: Database, path: str, removed: Counter[str]) -> None:
    file = connection.execute("SELECT id FROM past_file WHERE path = ?", (path,)).get
    if not isinstance(file, int):
        return
    marked = "SELECT id FROM past_symbol WHERE file = ?"
    episodes = connection.execute(
        f"SELECT DISTINCT episode FROM past_change WHERE symbol IN ({marked}) OR former IN ({marked})", (file, file)
    ).fetchall()
    for (seq,) in episodes:
        data = connection.execute("SELECT told FROM commit_episode WHERE seq = ?", (seq,)).get
        after = edited(data, lambda changes: [_without_change(change, path) for change in changes])
        connection.execute("UPDATE commit_episode SET told = ? WHERE seq = ?", (after, seq))
        removed["commits"] += 1
    connection.execute(f"DELETE FROM past_change WHERE symbol IN ({marked})", (file,))
    connection.execute(f"UPDATE past_change SET former = NULL WHERE former IN ({marked})", (file,))
    connection.execute("DELETE FROM past_symbol WHERE file = ?", (file,))
    connection.execute("DELETE FROM past_file WHERE id = ?", (file,))


def _without_change(change: Any, path: str) -> Any:
    """A symbol change (of `history.packed`), emptied when it names the file: changes are known by their position."""
    return [[], None, None, ""] if any(ref and ref[0] == path for ref in change[1:3]) else change


def _out_of_events(connection: Database, path: str, removed: Counter[str]) -> None:
    file = connection.execute("SELECT id FROM event_file WHERE path = ?", (path,)).get
    if not isinstance(file, int):
        return
    mine = connection.execute(
        "SELECT e.id, e.body, e.changes, (SELECT count(*) FROM event_path WHERE event = e.id)"
        " FROM event e JOIN event_path p ON p.event = e.id WHERE p.file = ?",
        (file,),
    ).fetchall()
    for id, body, changes, files in mine:
        removed["events"] += 1
        if files == 1:
            connection.execute("DELETE FROM event WHERE id = ?", (id,))
            continue
        kept = edited(body, lambda read: {**read, "p": [p for p in read.get("p", ()) if p != file]}) if body else None
        others = edited(changes, lambda each: [c for c in each if _without_change(c, path) == c]) if changes else None
        connection.execute("UPDATE event SET body = ?, changes = ? WHERE id = ?", (kept, others, id))
    connection.execute("DELETE FROM event_path WHERE file = ?", (file,))
    connection.execute("DELETE FROM event_file WHERE id = ?", (file,))


def _out_of_episodes(connection: Database, path: str, removed: Counter[str]) -> None:
    query = "SELECT DISTINCT episode FROM episode_symbol WHERE path = ?"
    for (id,) in connection.execute(query, (path,)).fetchall():
        removed["episodes"] += 1
        files = connection.execute("SELECT count(DISTINCT path) FROM episode_symbol WHERE episode = ?", (id,)).get
        if files == 1:
            _remove_episode(connection, str(id))
            continue
        body, draft = connection.execute("SELECT body, draft FROM episode WHERE id = ?", (id,)).fetchall()[0]
        after = edited(body, lambda value: without_path(value, path))
        drafted = edited(draft, lambda value: without_path(value, path)) if draft else None
        connection.execute("UPDATE episode SET body = ?, draft = ? WHERE id = ?", (after, drafted, id))
    connection.execute("DELETE FROM episode_symbol WHERE path = ?", (path,))


def without_path(value: Any, path: str) -> Any:
    """A JSON value without a file: lists and mappings lose what names it, and sentences that do become a mark."""
    if isinstance(value, str):
        return FORGOTTEN if path in value else value
    if isinstance(value, list):
        return [without_path(each, path) for each in value if not _names(each, path)]  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, dict):
        return {key: without_path(each, path) for key, each in value.items() if path not in str(key)}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    return value


def _names(value: Any, path: str) -> bool:
    """True for a path, a place in it, and a list or mapping that holds one of these directly."""
    if isinstance(value, str):
        return value == path or value.startswith(f"{path}#")
    if isinstance(value, list):
        return any(isinstance(each, (str, list, dict)) and _names(each, path) for each in value)  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, dict):
        return any(isinstance(each, (str, dict)) and _names(each, path) for each in value.values())  # pyright: ignore[reportUnknownVariableType]
    return False


def _out_of_anchors(connection: Database, path: str, removed: Counter[str]) -> None:
    """Take the code of a file out of anchors in other files that use it, former ones too."""
    for table, column in (("anchor", "value"), ("revision", "former")):
        for row, data in connection.execute(f"SELECT rowid, {column} FROM {table} WHERE {column} != ''").fetchall():
            after = edited(data, lambda value: _without_uses(value, path))
            if after != data:
                connection.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (after, row))
                removed["anchors"] += 1


def _without_uses(value: Any, path: str) -> Any:
    """An anchor, or a former belief with its anchors, without the text of what it uses of a file."""
    if not isinstance(value, dict):
        return value
    held: dict[str, Any] = value  # pyright: ignore[reportUnknownVariableType]
    if "anchors" in held:
        return {**held, "anchors": [_without_uses(each, path) for each in held["anchors"]]}
    return {**held, "depends": [_without_use(each, path) for each in held.get("depends", ())]}


def _without_use(used: dict[str, Any], path: str) -> dict[str, Any]:
    code, mark, constants = used["value"].partition(CONSTANTS)
    kept = [line for line in constants.split("\n") if not line.startswith(f"{path}{HOME}")]
    return {**used, "value": "" if used["path"] == path else "\n".join((f"{code}{mark}{kept[0]}", *kept[1:]))}


def _remove_episode(connection: Database, id: str) -> int:
    connection.execute("UPDATE event SET episode = NULL WHERE episode = ?", (id,))
    work_index.leave(connection, work_index.EPISODE, id)
    return _gone(connection, "DELETE FROM episode WHERE id = ?", id)


def _gone(connection: Database, statement: str, value: str) -> int:
    return delete_rows(connection, statement, (value,))
