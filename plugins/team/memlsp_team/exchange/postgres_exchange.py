"""An exchange in PostgreSQL, for teams that already run one: rows that are added, and read behind a cursor.

No session keeps anything on the server (no prepared statements, settings or notifications), so that a pooler in
transaction mode may stand between. Readers poll.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from importlib import resources
from typing import TYPE_CHECKING, Any, TypeVar

from memlsp.model.errors import ExchangeUnavailable, MemlspError, Refused
from memlsp.model.one_line import plain
from memlsp_team.exchange.addresses import LOOPBACK, shown
from memlsp_team.exchange.lines import Line, Pull, check_lines, fault_of

if TYPE_CHECKING:
    from psycopg import Connection

_MOST_ROWS, _ENOUGH = 2000, 32 << 20  # of one pull: lines, bytes after which it ends
_BATCH = 500  # lines that one statement adds
_ENCRYPTED = frozenset({"require", "verify-ca", "verify-full"})
_RENEWAL = "have the owner of the database run: memlsp team init-server ADDRESS"
_ADMIT = "SELECT memlsp.admit('WORKSPACE', 'ROLE')"
_ADMISSION = f"ask the owner of the database to make you a member of the team's role, and for: {_ADMIT}"
_SERVER = "SELECT max(number), EXISTS (SELECT FROM memlsp.workspaces WHERE workspace = %s) FROM memlsp.migrations"
_ADD = """
INSERT INTO memlsp.lines (workspace, writer, key, text)
SELECT %s, %s, key, text FROM unnest(%s::uuid[], %s::text[]) AS new (key, text) ON CONFLICT DO NOTHING
"""
# A transaction takes its number when it begins to write, and its rows appear when it ends: a later number may appear
# before an earlier one. Below the oldest number that is still open nothing can appear any more.
_PULL = """
SELECT xid::text, seq, writer, key, text FROM (
  SELECT *, sum(octet_length(text)) OVER (ORDER BY xid, seq) - octet_length(text) AS before FROM (
    SELECT * FROM memlsp.lines
    WHERE workspace = %(workspace)s AND xid < pg_snapshot_xmin(pg_current_snapshot())
      AND (xid, seq) > (%(xid)s::xid8, %(seq)s::bigint)
    ORDER BY xid, seq LIMIT %(rows)s) AS next) AS bounded
WHERE before < %(bytes)s ORDER BY bounded.xid, bounded.seq
"""
_BEGIN = "SELECT pg_snapshot_xmax(pg_current_snapshot())::text, set_config('statement_timeout', '60s', true)"
_CHECK = """
SELECT extract(epoch FROM clock_timestamp())::float8, (SELECT count(*) FROM memlsp.lines
  WHERE workspace = %s AND xid >= pg_snapshot_xmin(pg_current_snapshot()))
"""

_Result = TypeVar("_Result")
_Rows = Callable[[str, Sequence[object] | Mapping[str, object]], list[tuple[Any, ...]]]
"""Runs a statement with its values, and returns its rows."""


class PostgresExchange:
    """The rows of one workspace. A role of the database stands for a person or a group: it reads where it is a member
    of the workspace's team, and a writer belongs to the role that published first. What was taken away leaves the files
    of the server with its vacuum, its log and its backups."""

    def __init__(self, address: str, workspace: str) -> None:
        self._address, self._workspace = address, workspace
        self._parameters = connection_parameters(address)
        self._connection: Connection | None = None
        self._newest = 0  # number of a transaction, when the last one of ours began

    def publish(self, writer: str, lines: Sequence[Line]) -> None:
        """See `Exchange`. Raises Refused for the writer of another role."""
        check_lines(writer, lines)

        def act(rows: _Rows) -> None:
            rows("INSERT INTO memlsp.writers (writer) VALUES (%s) ON CONFLICT DO NOTHING", [writer])
            if not rows("SELECT 1 FROM memlsp.writers WHERE writer = %s", [writer]):
                raise Refused(f"the writer {writer[:16]} belongs to another role of the database", "use another writer")
            there, given = self._keys(rows, writer), {line.key for line in lines}
            if there - given:
                rows("SELECT memlsp.withdraw(%s, %s, %s::uuid[])", [self._workspace, writer, list(there - given)])
            new = [line for line in lines if line.key not in there]
            for batch in (new[start : start + _BATCH] for start in range(0, len(new), _BATCH)):
                keys, texts = [line.key for line in batch], [line.text.decode() for line in batch]
                rows(_ADD, [self._workspace, writer, keys, texts])

        self._in_transaction(act)

    def own(self, writer: str) -> frozenset[str] | None:
        """See `Exchange`."""
        return self._in_transaction(lambda rows: self._keys(rows, writer)) or None

    def _keys(self, rows: _Rows, writer: str) -> frozenset[str]:
        query = "SELECT key FROM memlsp.lines WHERE workspace = %s AND writer = %s"
        return frozenset(key.hex for (key,) in rows(query, [self._workspace, writer]))

    def pull(self, cursor: str) -> Pull:
        """See `Exchange`. A transaction that stays open anywhere in the cluster holds back what came after it began."""
        known = re.fullmatch(r"([0-9]{1,18}):([0-9]{1,18})", cursor)
        start = known.groups() if known else ("0", "0")

        def act(rows: _Rows) -> list[tuple[Any, ...]]:
            restored = int(start[0]) >= self._newest  # from a copy, since the cursor was given: then all is read
            xid, seq = ("0", "0") if restored else start
            values = {"workspace": self._workspace, "xid": xid, "seq": seq, "rows": _MOST_ROWS, "bytes": _ENOUGH}
            return rows(_PULL, values)

        found = self._in_transaction(act)
        lines = [(str(writer), Line(key.hex, text.encode())) for _, _, writer, key, text in found]
        faults = {(writer, fault) for writer, line in lines if (fault := fault_of(line))}
        more = len(found) == _MOST_ROWS or sum(len(line.text) for _, line in lines) >= _ENOUGH
        read = tuple(each for each in lines if not fault_of(each[1]))
        return Pull(read, "{}:{}".format(*found[-1]) if found else ":".join(start), more, tuple(sorted(faults)))

    def check(self) -> str:
        """See `Exchange`; also the lines that wait for a transaction which is still open."""
        before = time.time()
        now, waiting = self._in_transaction(lambda rows: rows(_CHECK, [self._workspace]))[0]
        ahead = now - (before + time.time()) / 2
        return f"{shown(self._address)}: PostgreSQL answers, its clock is {ahead:+.1f} s off, {waiting} lines wait"

    def close(self) -> None:
        """See `Exchange`."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _in_transaction(self, act: Callable[[_Rows], _Result]) -> _Result:
        """Do `act` in one transaction; again, where a connection that was kept has ended."""
        kept = self._connection is not None
        try:
            with _errors(self._address):
                return self._once(act)
        except MemlspError as error:
            self.close()
            if not kept or not isinstance(error, ExchangeUnavailable):
                raise
        return self._in_transaction(act)

    def _once(self, act: Callable[[_Rows], _Result]) -> _Result:
        connection, new = self._connection, self._connection is None
        if connection is None:
            connection = self._connection = _connected(self._parameters)
        with connection.transaction(), connection.cursor() as cursor:

            def rows(query: str, values: Sequence[object] | Mapping[str, object]) -> list[tuple[Any, ...]]:
                cursor.execute(query.encode(), values)
                return cursor.fetchall() if cursor.description else []

            self._newest = int(rows(_BEGIN, [])[0][0])
            if new:
                (number, member), *_ = rows(_SERVER, [self._workspace])
                if _check_number(number):
                    raise Refused(f"the tables of the server are of an older memlsp ({number})", _RENEWAL)
                if not member:
                    raise Refused(f"no team of yours has {plain(self._workspace, 80)} on this server", _ADMISSION)
            return act(rows)


def init_server(address: str, workspace: str = "", team: str = "") -> str:
    """Make the tables or bring them up to date, and say in a line what is there. With `workspace`, the members of the
    role `team` share its lines from now on. Run it as the owner of the database, also after restoring a copy. Raises
    Refused where a newer memlsp was here, ExchangeUnavailable."""
    parameters = connection_parameters(address)
    with _errors(address), _connected(parameters) as connection, connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(hashtext('memlsp'))")
        connection.execute("CREATE SCHEMA IF NOT EXISTS memlsp")
        connection.execute(
            "CREATE TABLE IF NOT EXISTS memlsp.migrations"
            " (number int PRIMARY KEY, made timestamptz NOT NULL DEFAULT now())"
        )
        found = connection.execute("SELECT coalesce(max(number), 0) FROM memlsp.migrations").fetchone()
        number = found[0] if found else 0
        _check_number(number)
        for part in _parts()[number:]:
            connection.execute(part)
            number += 1
            connection.execute("INSERT INTO memlsp.migrations (number) VALUES (%s)", [number])
        connection.execute(  # rows of a copy can have numbers that this server has not reached
            "UPDATE memlsp.lines SET xid = pg_current_xact_id() WHERE xid >= pg_snapshot_xmax(pg_current_snapshot())"
        )
        if workspace:
            connection.execute("SELECT memlsp.admit(%s, quote_ident(%s)::regrole)", [workspace, team])
        share = f"the members of {plain(team, 60)} share this workspace" if workspace else f"for a team: {_ADMIT}"
        return f"{shown(address)}: tables number {number}; {share}"


def _parts() -> list[bytes]:
    """The numbered parts of the schema, the first at 0."""
    text = resources.files("memlsp_team.exchange").joinpath("postgres_schema.sql").read_bytes()
    return re.split(rb"^-- part [0-9]+\n", text, flags=re.MULTILINE)[1:]


def _check_number(number: int) -> int:
    """How many parts the server lacks. Raises Refused where it has more than this memlsp knows."""
    known = len(_parts())
    if number > known:
        raise Refused(f"the tables of the server are newer ({number}) than this memlsp ({known})", "update memlsp")
    return known - number


def _connected(parameters: dict[str, Any]) -> Connection:
    import psycopg  # late: an extra

    return psycopg.connect(**parameters, autocommit=True, prepare_threshold=None)


def connection_parameters(address: str) -> dict[str, Any]:
    """What libpq is given for an address. Raises Refused for a connection that would not be encrypted."""
    with _errors(address):
        from psycopg.conninfo import conninfo_to_dict  # late: an extra

        given: dict[str, Any] = {"connect_timeout": 15, "tcp_user_timeout": 60_000, "application_name": "memlsp"}
        given |= conninfo_to_dict(address)
    names = ("host", "hostaddr", "service")
    places = ",".join(str(given.get(name) or os.environ.get(f"PG{name.upper()}", "")) for name in names)
    hosts = [host for host in places.split(",") if host]
    if not all(host in LOOPBACK or host.startswith(("/", "@")) for host in hosts):
        mode = given.setdefault("sslmode", "require")
        if mode not in _ENCRYPTED:
            raise Refused(
                f"not encrypted: {shown(address)}: sslmode={mode} beyond this machine",
                "use sslmode=verify-full, which knows the server by its certificate, or at least require",
            )
    return given


@contextmanager
def _errors(address: str) -> Generator[None]:
    """Raise ExchangeUnavailable or Refused for what psycopg raises, or for its absence."""
    try:
        import psycopg  # late: an extra
    except ImportError as error:
        raise Refused("an exchange in PostgreSQL needs psycopg 3", "pip install 'memlsp-team[postgres]'") from error
    try:
        yield
    except psycopg.OperationalError as error:
        raise ExchangeUnavailable(
            f"PostgreSQL cannot be reached: {shown(address)}: {plain(str(error), 200)}", "see whether psql connects"
        ) from error
    except (psycopg.errors.UndefinedTable, psycopg.errors.InvalidSchemaName) as error:
        raise Refused(f"no tables of memlsp: {shown(address)}", _RENEWAL) from error
    except psycopg.Error as error:
        raise Refused(f"PostgreSQL refused: {shown(address)}: {plain(str(error), 200)}", _ADMISSION) from error
