import hashlib
import json
from collections.abc import Sequence
from typing import cast

from memlsp_team.exchange.lines import Line, Pull, check_lines

Rows = dict[str, dict[str, bytes]]
"""The lines of each writer by their keys: what a table with the columns writer, key and text would hold."""


class DictExchange:
    """Keeps beliefs in a dict. Two memories that are given the same `rows` share what their people said."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows

    def publish(self, writer: str, lines: Sequence[Line]) -> None:
        check_lines(writer, lines)
        if lines:
            self.rows[writer] = {line.key: line.text for line in lines}  # whole or not at all
        else:
            self.rows.pop(writer, None)

    def own(self, writer: str) -> frozenset[str] | None:
        return frozenset(self.rows[writer]) if writer in self.rows else None

    def pull(self, cursor: str) -> Pull:
        seen, now, lines = _versions(cursor), dict[str, str](), list[tuple[str, Line]]()
        for writer, rows in list(self.rows.items()):
            now[writer] = hashlib.sha256("".join(rows).encode()).hexdigest()
            if seen.get(writer) != now[writer]:
                lines += [(writer, Line(key, text)) for key, text in rows.items()]
        return Pull(tuple(lines), json.dumps(now))

    def check(self) -> str:
        return f"a dict with the lines of {len(self.rows)} writers"

    def close(self) -> None:
        pass


def _versions(cursor: str) -> dict[str, str]:
    try:
        read: object = json.loads(cursor)
    except ValueError:
        return {}  # another exchange's, or damaged: everything is read
    return cast("dict[str, str]", read) if isinstance(read, dict) else {}
