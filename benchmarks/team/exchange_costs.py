"""What an exchange of a team costs, beside `git fetch` alone and beside a table of JSON with an index on the workspace.

Git: the first fetch of many writers and a fetch with nothing new. PostgreSQL: many workspaces in one table, an empty
poll and all lines of a workspace, bytes of a line. The lines are of the size that a signed belief has.
"""

from __future__ import annotations

import base64
import hashlib
import random
import statistics
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter

import psycopg
from memlsp_team.exchange.exchange import open_exchange

_WORDS = ["charge", "tries", "three", "times", "since", "the", "API", "drops", "one", "call", "in", "ten", "cache"]


def _key(number: int) -> str:
    return hashlib.md5(str(number).encode(), usedforsecurity=False).hexdigest()


def _line(number: int) -> str:
    """A line of some 500 bytes: a statement, its place, and a signature that does not compress."""
    chance = random.Random(number)  # noqa: S311 - data to measure with
    statement = " ".join(chance.choices(_WORDS, k=20))
    signature = base64.b64encode(chance.randbytes(64)).decode()
    return (
        f'{{"v":1,"id":"{_key(number)[:8]}","clock":"{number:020d}","kind":"decision","at":["src/pay.py#charge"],'
        f'"statement":"{statement}","why":"{statement[::-1]}","parents":["{_key(number - 1)}"],"sig":"{signature}"}}'
    )


def _timed(act: Callable[..., object], *values: object) -> float:
    """The milliseconds that a call took."""
    started = perf_counter()
    act(*values)
    return (perf_counter() - started) * 1000


def spread(times: Sequence[float]) -> tuple[float, float]:
    """The median and the 95th percentile."""
    return statistics.median(times), statistics.quantiles(times, n=20)[-1]


def git_costs(writers: int, lines: int, rounds: int) -> tuple[dict[str, float], dict[str, float]]:
    """Milliseconds of the exchange in git, and of `git fetch` alone."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        host = folder / "host.git"
        subprocess.run(["git", "init", "--quiet", "--bare", str(host)], check=True)
        script: list[str] = []
        for writer in range(writers):
            numbers = range(writer * lines, (writer + 1) * lines)
            content = "".join(f"{_key(number)} {_line(number)}\n" for number in numbers)
            script.append(
                f"commit refs/memlsp/v1/{_key(writer)[:16]}\ncommitter m <m> 946684800 +0000\ndata 0\n"
                f"M 100644 inline 00000.lines\ndata {len(content)}\n{content}\n"
            )
        words = ["git", f"--git-dir={host}", "fast-import", "--quiet"]
        subprocess.run(words, input="".join(script).encode(), check=True)
        exchange = open_exchange(host.as_uri(), folder / "side")
        started = perf_counter()
        pull = exchange.pull("")
        first = (perf_counter() - started) * 1000
        assert len(pull.lines) == writers * lines
        nothing = [_timed(exchange.pull, pull.cursor) for _ in range(rounds)]
        bare = folder / "bare.git"
        subprocess.run(["git", "init", "--quiet", "--bare", str(bare)], check=True)
        fetch = ["git", f"--git-dir={bare}", "fetch", "-q", host.as_uri(), "+refs/memlsp/v1/*:refs/memlsp/v1/*"]
        first_alone = _timed(lambda: subprocess.run(fetch, check=True))
        nothing_alone = [_timed(lambda: subprocess.run(fetch, check=True)) for _ in range(rounds)]
    ours, theirs = spread(nothing), spread(nothing_alone)
    return (
        {"first": first, "nothing new p50": ours[0], "nothing new p95": ours[1]},
        {"first": first_alone, "nothing new p50": theirs[0], "nothing new p95": theirs[1]},
    )


def _workspace(number: int) -> str:
    return f"github.com/team-{number % 50}/repository-{number}"


def _fill(owner: psycopg.Connection, statement: bytes, rows: Sequence[tuple[str, ...]]) -> None:
    with owner.cursor() as cursor, cursor.copy(statement) as copy:
        for row in rows:
            copy.write_row(row)


def load(address: str, workspaces: int, rows: int, writers: int) -> tuple[float, float]:
    """Fill both tables by COPY; the seconds that each took."""
    each = rows // workspaces
    with psycopg.connect(address, autocommit=True) as owner:
        owner.execute("CREATE ROLE team")
        owner.execute("CREATE ROLE ann LOGIN IN ROLE team")
        owner.execute("CREATE TABLE naive (id bigserial PRIMARY KEY, body jsonb NOT NULL)")
        owner.execute("CREATE INDEX ON naive ((body->>'workspace'), id)")
        owner.execute("GRANT SELECT ON naive TO ann")
        owner.execute("SELECT memlsp.admit(%s, 'team')", [_workspace(0)])
        for number in range(1, workspaces):
            owner.execute("INSERT INTO memlsp.workspaces VALUES (%s, 'team')", [_workspace(number)])
        spent = [0.0, 0.0]
        for start in range(0, workspaces, 50):  # a transaction of its own for each, as if they had been written so
            values: list[tuple[str, str, str, str]] = []
            for workspace in range(start, min(start + 50, workspaces)):
                for number in range(workspace * each, (workspace + 1) * each):
                    writer = _key(number % writers)[:16]
                    values.append((_workspace(workspace), writer, _key(number), _line(number)))
            naive = [
                (f'{{"workspace":"{workspace}","writer":"{writer}","key":"{key}","line":{text}}}',)
                for workspace, writer, key, text in values
            ]
            spent[0] += _timed(_fill, owner, b"COPY memlsp.lines (workspace, writer, key, text) FROM STDIN", values)
            spent[1] += _timed(_fill, owner, b"COPY naive (body) FROM STDIN", naive)
        owner.execute("VACUUM (ANALYZE) memlsp.lines")
        owner.execute("VACUUM (ANALYZE) naive")
    return spent[0] / 1000, spent[1] / 1000


def _read(connection: psycopg.Connection, workspace: str, last: int) -> int:
    """Read from the naive table; the next cursor."""
    query = "SELECT id, body FROM naive WHERE body->>'workspace' = %s AND id > %s ORDER BY id LIMIT 2000"
    found = connection.execute(query, [workspace, last]).fetchall()
    return found[-1][0] if found else last


def postgres_costs(server: Path, workspaces: int, rows: int, rounds: int) -> tuple[dict[str, float], dict[str, float]]:
    """Milliseconds of an empty poll and of all lines of a workspace, and the bytes of a line: ours, and the naive."""
    owner, ann = (f"postgresql://{role}@/postgres?host={server}" for role in ("owner", "ann"))
    with psycopg.connect(owner, autocommit=True) as connection:
        sizes = connection.execute(
            "SELECT pg_total_relation_size('memlsp.lines'), pg_total_relation_size('naive'),"
            " (SELECT avg(octet_length(text)) FROM memlsp.lines)::int"
        ).fetchone()
    assert sizes is not None
    chance = random.Random(7)  # noqa: S311 - a choice of workspaces
    times = [list[float]() for _ in range(4)]
    with psycopg.connect(ann, autocommit=True, prepare_threshold=None) as plain:
        for _ in range(rounds):
            workspace = _workspace(chance.randrange(workspaces))
            exchange = open_exchange(ann, server, workspace)
            exchange.own(_key(1)[:16])  # connected, as a poller is
            times[0].append(_timed(exchange.pull, ""))
            cursor = exchange.pull("").cursor
            times[1].append(_timed(exchange.pull, cursor))
            exchange.close()
            times[2].append(_timed(_read, plain, workspace, 0))
            times[3].append(_timed(_read, plain, workspace, _read(plain, workspace, 0)))
    full, empty, naive_full, naive_empty = map(spread, times)
    text = float(sizes[2])
    return (
        _costs(empty, full, sizes[0] / rows) | {"bytes of text": text},
        _costs(naive_empty, naive_full, sizes[1] / rows) | {"bytes of text": text},
    )


def _costs(empty: tuple[float, float], full: tuple[float, float], size: float) -> dict[str, float]:
    return {"empty p50": empty[0], "empty p95": empty[1], "all p50": full[0], "all p95": full[1], "bytes a line": size}
