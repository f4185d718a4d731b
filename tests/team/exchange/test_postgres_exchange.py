"""The exchange in PostgreSQL: the contract, roles, cursors beside open transactions, and the tables."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from memlsp_team.exchange import postgres_exchange
from memlsp_team.exchange.exchange import Exchange, open_exchange
from memlsp_team.exchange.postgres_exchange import connection_parameters, init_server

from memlsp.model.errors import ExchangeUnavailable, Refused
from tests.team.exchange.exchange_contract import ANN, BEN, ExchangeContract, Open, line, pulled

if TYPE_CHECKING:
    from psycopg import Connection

WORKSPACE, OTHER = "github.com/acme/billing", "github.com/acme/payroll"
Ask = Callable[..., list[tuple[Any, ...]]]


def address(server: Path, role: str) -> str:
    return f"postgresql://{role}@/postgres?host={server}"


def connected(server: Path, role: str) -> Connection:
    import psycopg  # late: may be missing

    return psycopg.connect(address(server, role), autocommit=True)


def ask(server: Path, role: str, query: str, *values: object) -> list[tuple[Any, ...]]:
    """Run a statement as a role; its rows."""
    with connected(server, role) as connection:
        cursor = connection.execute(query.encode(), values or None)
        return cursor.fetchall() if cursor.description else []


@pytest.fixture(scope="session")
def tables(server: Path) -> Path:
    """A server with the tables and four roles: ann and ben of one team, eve of the other, nobody of none."""
    for team in ("billing", "payroll"):
        ask(server, "owner", f'CREATE ROLE "{team} team"')
    for role, team in (("ann", "billing"), ("ben", "billing"), ("eve", "payroll")):
        ask(server, "owner", f'CREATE ROLE {role} LOGIN IN ROLE "{team} team"')
    ask(server, "owner", "CREATE ROLE nobody LOGIN")
    init_server(address(server, "owner"), WORKSPACE, "billing team")
    init_server(address(server, "owner"), OTHER, "payroll team")
    return server


@pytest.fixture
def empty(tables: Path) -> Path:
    """The server, with nothing published."""
    ask(tables, "owner", "TRUNCATE memlsp.lines, memlsp.writers")
    return tables


@pytest.fixture
def as_role(empty: Path, tmp_path: Path) -> Iterator[Callable[..., Exchange]]:
    """Opens the exchange as a role of the database."""
    made: list[Exchange] = []

    def as_role(role: str, workspace: str = WORKSPACE) -> Exchange:
        made.append(open_exchange(address(empty, role), tmp_path, workspace))
        return made[-1]

    yield as_role
    for exchange in made:
        exchange.close()


class TestPostgresExchange(ExchangeContract):
    @pytest.fixture
    def opened(self, as_role: Callable[..., Exchange]) -> Open:
        return lambda _machine: as_role("ann")

    @pytest.fixture
    def folder_of(self, tmp_path: Path) -> Callable[[str], Path]:
        return lambda machine: tmp_path / machine


INSERT = "INSERT INTO memlsp.lines"


class TestRoles:
    def test_a_writer_belongs_to_the_role_that_published_first(self, as_role: Callable[..., Exchange]) -> None:
        as_role("ann").publish(ANN, [line(1)])
        with pytest.raises(Refused, match="belongs to another role"):
            as_role("ben").publish(ANN, [line(2)])
        with pytest.raises(Refused, match="belongs to another role"):
            as_role("ben").publish(ANN, [])
        assert pulled(as_role("ben"))[0] == {ANN: {1}}

    @pytest.mark.parametrize(
        "statement",
        [
            f"{INSERT} (workspace, writer, key, text) VALUES ('{WORKSPACE}', '{ANN}', '{2:032x}', '{{}}')",
            f"{INSERT} (workspace, writer, key, text) VALUES ('{OTHER}', '{BEN}', '{2:032x}', '{{}}')",
            f"{INSERT} (workspace, writer, key, text, xid) VALUES ('{WORKSPACE}', '{BEN}', '{2:032x}', '{{}}', '3')",
            f"{INSERT} OVERRIDING SYSTEM VALUE VALUES ('{WORKSPACE}', '{BEN}', '{2:032x}', '{{}}', '3', 3)",
            f"INSERT INTO memlsp.writers (writer, role) VALUES ('{1:016x}', 'ann')",
            "UPDATE memlsp.lines SET text = '{}'",
            "DELETE FROM memlsp.lines",
            "TRUNCATE memlsp.lines",
            "UPDATE memlsp.writers SET role = 'ben'",
            "DELETE FROM memlsp.writers",
            "UPDATE memlsp.workspaces SET team = '\"billing team\"'",
            f"SELECT memlsp.admit('{OTHER}', '\"billing team\"')",
            "ALTER TABLE memlsp.lines DISABLE ROW LEVEL SECURITY",
            "CREATE TABLE memlsp.trap (x int)",
        ],
    )
    def test_a_member_can_add_lines_of_writers_of_its_own_and_nothing_else(
        self, as_role: Callable[..., Exchange], empty: Path, statement: str
    ) -> None:
        import psycopg  # late: may be missing

        as_role("ann").publish(ANN, [line(1)])
        as_role("ben").publish(BEN, [line(3)])
        before = ask(empty, "owner", "SELECT * FROM memlsp.lines ORDER BY seq")
        with pytest.raises((psycopg.errors.InsufficientPrivilege, psycopg.errors.CheckViolation)):
            ask(empty, "ben", statement)
        assert ask(empty, "owner", "SELECT * FROM memlsp.lines ORDER BY seq") == before

    @pytest.mark.parametrize("role", ["ben", "eve"])
    def test_withdrawing_takes_lines_of_writers_of_its_own_alone(
        self, as_role: Callable[..., Exchange], empty: Path, role: str
    ) -> None:
        as_role("ann").publish(ANN, [line(1)])
        withdraw = "SELECT memlsp.withdraw(%s, %s, %s::uuid[])"
        ask(empty, role, withdraw, WORKSPACE, ANN, [line(1).key])
        assert pulled(as_role("ann"))[0] == {ANN: {1}}
        ask(empty, "ann", withdraw, WORKSPACE, ANN, [line(1).key])
        assert pulled(as_role("ann"))[0] == {}

    @pytest.mark.parametrize("role", ["eve", "nobody"])
    def test_who_is_not_of_the_team_reads_and_writes_nothing(
        self, as_role: Callable[..., Exchange], empty: Path, role: str
    ) -> None:
        as_role("ann").publish(ANN, [line(1)])
        stranger = as_role(role)
        for act in (lambda: stranger.pull(""), lambda: stranger.publish(BEN, [line(2)]), lambda: stranger.own(ANN)):
            with pytest.raises(Refused) as refused:
                act()
            assert "member" in refused.value.hint
        assert ask(empty, "owner", "SELECT count(*) FROM memlsp.lines") == [(1,)]

    def test_no_setting_of_a_session_opens_another_workspace(
        self, as_role: Callable[..., Exchange], empty: Path
    ) -> None:
        import psycopg  # late: may be missing

        as_role("ann").publish(ANN, [line(1)])
        with connected(empty, "eve") as connection:
            connection.execute("SET memlsp.workspace = 'github.com/acme/billing'")
            connection.execute("SET search_path = memlsp")
            assert connection.execute("SELECT count(*) FROM lines").fetchone() == (0,)
            assert connection.execute("SELECT workspace FROM workspaces").fetchall() == [(OTHER,)]
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute("SET ROLE ann")
            connection.execute('SET ROLE "payroll team"')
            assert connection.execute("SELECT count(*) FROM lines").fetchone() == (0,)

    def test_a_team_whose_role_is_gone_shuts_nobody_else_out(
        self, as_role: Callable[..., Exchange], empty: Path
    ) -> None:
        ask(empty, "owner", "CREATE ROLE gone")
        ask(empty, "owner", "INSERT INTO memlsp.workspaces VALUES ('old', 'gone'::regrole)")
        ask(empty, "owner", "DROP ROLE gone")
        as_role("ann").publish(ANN, [line(1)])
        assert pulled(as_role("ben"))[0] == {ANN: {1}}
        with pytest.raises(Refused):
            as_role("ann", "old").pull("")
        ask(empty, "owner", "DELETE FROM memlsp.workspaces WHERE workspace = 'old'")


ADD = "INSERT INTO memlsp.lines (workspace, writer, key, text) VALUES (%s, %s, %s, '{}')"


class TestCursors:
    def test_a_transaction_that_ends_late_is_read_where_the_naive_cursor_loses_it(
        self, as_role: Callable[..., Exchange], empty: Path
    ) -> None:
        ann = as_role("ann")
        ann.publish(ANN, [line(1)])
        cursor = ann.pull("").cursor
        last = ask(empty, "ann", "SELECT max(seq) FROM memlsp.lines")[0][0]
        with connected(empty, "ann") as slow:
            with slow.transaction():
                slow.execute(ADD, (WORKSPACE, ANN, line(2).key))
                ask(empty, "ann", ADD, WORKSPACE, ANN, line(3).key)
                naive = ask(empty, "ann", "SELECT key, seq FROM memlsp.lines WHERE seq > %s", last)
                meanwhile = ann.pull(cursor)
                assert "1 lines wait" in ann.check()
            later = ask(empty, "ann", "SELECT key FROM memlsp.lines WHERE seq > %s", max(seq for _, seq in naive))
        assert meanwhile.lines == ()
        assert {each.key for _, each in ann.pull(meanwhile.cursor).lines} == {line(2).key, line(3).key}
        assert {key.hex for key, *_ in naive + later} == {line(3).key}

    def test_eight_writers_with_open_transactions_lose_no_row(
        self, as_role: Callable[..., Exchange], empty: Path, record_property: Callable[[str, object], None]
    ) -> None:
        writers = [f"{number:016x}" for number in range(8)]
        for writer in writers:
            ask(empty, "ann", "INSERT INTO memlsp.writers (writer) VALUES (%s)", writer)

        def write(writer: str) -> None:
            with connected(empty, "ann") as connection:
                for count in range(60):
                    with connection.transaction():
                        connection.execute(ADD, (WORKSPACE, writer, f"{int(writer, 16) * 100 + count:032x}"))
                        connection.execute("SELECT pg_sleep(0.003 * random())")  # others begin and end meanwhile

        ours, naive, cursor, last = set[str](), set[str](), "", 0
        reader = as_role("ann")
        with ThreadPoolExecutor(len(writers)) as pool, connected(empty, "ann") as plain:
            running = [pool.submit(write, writer) for writer in writers]
            while True:
                over = all(each.done() for each in running)
                pull = reader.pull(cursor)
                cursor = pull.cursor
                ours |= {each.key for _, each in pull.lines}
                for seq, key in plain.execute("SELECT seq, key FROM memlsp.lines WHERE seq > %s", (last,)).fetchall():
                    naive.add(key.hex)
                    last = max(last, seq)
                if over:
                    break
            for each in running:
                each.result()
        record_property("rows of 480 by seq alone", len(naive))
        assert len(ours) == 480

    def test_transactions_are_read_in_the_order_of_their_numbers(
        self, as_role: Callable[..., Exchange], empty: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(postgres_exchange, "_MOST_ROWS", 2)
        as_role("ann").publish(ANN, [line(number) for number in (8, 9, 10, 11, 100)])
        for number in (8, 9, 10, 11, 100):
            ask(empty, "owner", "UPDATE memlsp.lines SET xid = %s WHERE key = %s", str(number), line(number).key)
        found: list[int] = []
        cursors: list[str] = [""]
        while (pull := as_role("ben").pull(cursors[-1])).lines:
            found += [int(each.key, 16) for _, each in pull.lines]
            cursors.append(pull.cursor)
        assert found == [8, 9, 10, 11, 100]
        assert [cursor.partition(":")[0] for cursor in cursors] == ["", "9", "11", "100"]

    @pytest.mark.parametrize(("name", "limit"), [("_MOST_ROWS", 7), ("_ENOUGH", 200)])
    def test_a_bounded_pull_says_that_there_is_more(
        self, as_role: Callable[..., Exchange], monkeypatch: pytest.MonkeyPatch, name: str, limit: int
    ) -> None:
        monkeypatch.setattr(postgres_exchange, name, limit)
        as_role("ann").publish(ANN, [line(number) for number in range(40)])
        first = as_role("ben").pull("")
        assert first.more
        assert 0 < len(first.lines) < 40
        assert pulled(as_role("ben"))[0] == {ANN: set(range(40))}

    def test_a_server_that_was_restored_from_a_copy_is_read_again(
        self, as_role: Callable[..., Exchange], empty: Path
    ) -> None:
        ann = as_role("ann")
        ann.publish(ANN, [line(1), line(2)])
        assert pulled(ann, "900000000000:5")[0] == {ANN: {1, 2}}
        ask(empty, "owner", "UPDATE memlsp.lines SET xid = '900000000000'")
        assert pulled(ann)[0] == {}
        init_server(address(empty, "owner"))
        assert pulled(ann, "900000000000:5")[0] == {ANN: {1, 2}}

    def test_a_line_of_another_form_is_a_fault_of_its_writer(
        self, as_role: Callable[..., Exchange], empty: Path
    ) -> None:
        as_role("ann").publish(ANN, [line(1)])
        for number, text in enumerate(["[]", "{\n}", '{"ä"}', ""]):
            add = "INSERT INTO memlsp.lines (workspace, writer, key, text) VALUES (%s, %s, %s, %s)"
            ask(empty, "ann", add, WORKSPACE, ANN, f"{50 + number:032x}", text)
        pull = as_role("ben").pull("")
        assert pull.lines == ((ANN, line(1)),)
        assert pull.faults == ((ANN, "a line is not one JSON object in ASCII"),)


class TestConnections:
    def test_a_connection_that_was_ended_meanwhile_is_made_again(
        self, as_role: Callable[..., Exchange], empty: Path
    ) -> None:
        end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'ann' AND pid <> pg_backend_pid()"
        ann = as_role("ann")
        for count in range(1, 4):
            ann.publish(ANN, [line(number) for number in range(count)])
            ask(empty, "owner", end)
            assert len(ann.own(ANN) or ()) == count
            ask(empty, "owner", end)

    def test_a_transaction_that_was_ended_leaves_nothing(self, as_role: Callable[..., Exchange], empty: Path) -> None:
        ask(
            empty,
            "owner",
            "CREATE FUNCTION public.die() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS"
            " $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NEW; END $$;"
            "CREATE TRIGGER die AFTER INSERT ON memlsp.lines FOR EACH STATEMENT EXECUTE FUNCTION public.die()",
        )
        with pytest.raises(ExchangeUnavailable):
            as_role("ann").publish(ANN, [line(1)])
        ask(empty, "owner", "DROP FUNCTION public.die CASCADE")
        assert pulled(as_role("ben"))[0] == {}
        as_role("ann").publish(ANN, [line(1)])
        assert pulled(as_role("ben"))[0] == {ANN: {1}}

    def test_nothing_is_kept_in_the_session(self, as_role: Callable[..., Exchange], empty: Path) -> None:
        """What a pooler in transaction mode would hand to the next client."""
        ask(
            empty,
            "owner",
            "CREATE VIEW memlsp.kept AS SELECT (SELECT count(*) FROM pg_prepared_statements) AS prepared,"
            " current_setting('statement_timeout') AS timeout;"
            "CREATE TABLE public.seen (prepared bigint, timeout text); GRANT INSERT ON public.seen TO PUBLIC;"
            "GRANT SELECT ON memlsp.kept TO PUBLIC;"
            "CREATE FUNCTION public.look() RETURNS trigger LANGUAGE plpgsql AS"
            " $$ BEGIN INSERT INTO public.seen SELECT * FROM memlsp.kept; RETURN NEW; END $$;"
            "CREATE TRIGGER look AFTER INSERT ON memlsp.lines FOR EACH STATEMENT EXECUTE FUNCTION public.look()",
        )
        ann = as_role("ann")
        for count in range(1, 12):
            ann.publish(ANN, [line(number) for number in range(count)])
            ann.pull("")
        assert set(ask(empty, "owner", "SELECT * FROM public.seen")) == {(0, "1min")}
        ask(empty, "owner", "DROP FUNCTION public.look CASCADE; DROP VIEW memlsp.kept; DROP TABLE public.seen")

    def test_a_server_that_is_not_there_is_said_without_the_password(self, tmp_path: Path) -> None:
        pytest.importorskip("psycopg")
        lost = open_exchange(f"postgresql://ann:secret@/memory?host={tmp_path}", tmp_path, WORKSPACE)
        with pytest.raises(ExchangeUnavailable) as offline:
            lost.pull("")
        assert "secret" not in str(offline.value)
        assert offline.value.hint

    @pytest.mark.parametrize("mode", ["disable", "allow", "prefer"])
    @pytest.mark.parametrize("host", ["db.example.org", "10.0.0.1", "localhost,db.example.org"])
    def test_what_would_not_be_encrypted_is_refused(self, tmp_path: Path, mode: str, host: str) -> None:
        pytest.importorskip("psycopg")
        with pytest.raises(Refused, match="not encrypted"):
            open_exchange(f"postgresql://ann@{host}/memory?sslmode={mode}", tmp_path, WORKSPACE)

    def test_the_environment_does_not_turn_encryption_off(self, monkeypatch: pytest.MonkeyPatch) -> None:
        pytest.importorskip("psycopg")
        monkeypatch.setenv("PGSSLMODE", "disable")
        assert connection_parameters("postgresql://db.example.org/memory")["sslmode"] == "require"
        assert connection_parameters("postgresql://db.example.org/m?sslmode=verify-full")["sslmode"] == "verify-full"
        assert "sslmode" not in connection_parameters("postgresql://localhost/memory")
        monkeypatch.setenv("PGHOST", "db.example.org")
        assert connection_parameters("postgresql:///memory")["sslmode"] == "require"

    def test_without_psycopg_the_command_that_installs_it_is_told(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(sys.modules, "psycopg", None)
        with pytest.raises(Refused, match="psycopg") as refused:
            open_exchange("postgresql://localhost/memory", tmp_path, WORKSPACE)
        assert "pip install 'memlsp-team[postgres]'" in refused.value.hint


class TestTables:
    def test_making_them_again_changes_nothing(self, as_role: Callable[..., Exchange], empty: Path) -> None:
        as_role("ann").publish(ANN, [line(1)])
        with ThreadPoolExecutor(3) as pool:
            numbers = list(pool.map(init_server, [address(empty, "owner")] * 3))
        assert all("admit" in each for each in numbers)
        assert ask(empty, "owner", "SELECT count(*) FROM memlsp.migrations") == [(len(set(numbers)),)]
        assert pulled(as_role("ann"))[0] == {ANN: {1}}

    def test_tables_of_a_newer_memlsp_are_left_alone(self, as_role: Callable[..., Exchange], empty: Path) -> None:
        ask(empty, "owner", "INSERT INTO memlsp.migrations (number) VALUES (99)")
        try:
            for act in (lambda: as_role("ann").pull(""), lambda: init_server(address(empty, "owner"))):
                with pytest.raises(Refused, match="newer") as refused:
                    act()
                assert refused.value.hint == "update memlsp"
        finally:
            ask(empty, "owner", "DELETE FROM memlsp.migrations WHERE number = 99")

    def test_a_database_without_them_says_who_can_make_them(self, server: Path, tmp_path: Path) -> None:
        there = f"postgresql://owner@/template1?host={server}"
        with pytest.raises(Refused, match="no tables") as refused:
            open_exchange(there, tmp_path, WORKSPACE).pull("")
        assert "init-server" in refused.value.hint

    def test_a_role_that_may_not_make_them_is_refused(self, tables: Path) -> None:
        with pytest.raises(Refused, match="permission denied"):
            init_server(address(tables, "ann"), OTHER, "billing team")
