"""A change in nothing that a statement speaks of interrupts nobody, and a rule is not broken by what enforces it."""

from __future__ import annotations

import pytest
from bench import Bench

from memlsp.model.standing import Standing

ADD = "def add(name):\n    return save(name.strip())\n"
FETCH = "def fetch(url):\n    status = get(url)\n    return retry(url, status)\n"
READ = "def read(session, key):\n    return session.find(key)\n"
LOAD = "def load(url):\n    return cached(url)\n"


@pytest.mark.parametrize(
    ("code", "rule", "old", "new"),
    [
        (
            ADD,
            "the name must not be empty",
            "    return",
            "    if not name:\n        raise ValueError('empty')\n    return",
        ),
        (FETCH, "does not retry on 404", "    return", "    if status == 404:\n        return None\n    return"),
        (
            READ,
            "never read with a closed session",
            "    return",
            "    if session.closed:\n        raise RuntimeError('closed session')\n    return",
        ),
        (
            ADD,
            "refuses a name that is not unique",
            "    return",
            "    if name in names:\n        log.info('the name is not unique')\n        raise Taken(name)\n    return",
        ),
        (
            LOAD,
            "must be safe without network",
            "    return cached(url)",
            "    try:\n        return requests.get(url)\n    except OSError:\n        return cached(url)",
        ),
    ],
)
def test_a_negated_rule_is_not_contradicted_by_the_edit_that_enforces_it(
    bench: Bench, code: str, rule: str, old: str, new: str
) -> None:
    bench.write("app.py", code)
    belief = bench.remember(rule, f"app.py#{code.partition('(')[0].removeprefix('def ')}")
    bench.replace("app.py", old, new)
    assert bench.standing(belief) is Standing.CHANGED


@pytest.mark.parametrize(
    ("code", "rule", "old", "new"),
    [
        (
            FETCH,
            "does not retry on 404",
            "    return",
            "    if status == 404:\n        return retry(url, 0)\n    return",
        ),
        (ADD, "must not raise", "    return", "    if not name:\n        raise ValueError(name)\n    return"),
        (ADD, "never logs the name", "    return", "    log.info('the name is %s', name)\n    return"),
    ],
)
def test_a_negated_rule_is_contradicted_by_the_edit_that_breaks_it(
    bench: Bench, code: str, rule: str, old: str, new: str
) -> None:
    bench.write("app.py", code)
    belief = bench.remember(rule, f"app.py#{code.partition('(')[0].removeprefix('def ')}")
    bench.replace("app.py", old, new)
    assert bench.standing(belief) is Standing.CONTRADICTED


HANDLE = """
def handle(method, path):
    if method not in ("GET", "HEAD"):
        raise PermissionError(method)
    if path == "/old":
        return redirect("/new", 301)
    return page(path)
"""


def test_a_second_statement_about_a_function_is_left_alone_where_its_own_claims_stayed(bench: Bench) -> None:
    bench.write("web.py", HANDLE)
    methods = bench.remember('others than "GET" and "HEAD" are refused', "web.py#handle")
    moved = bench.remember("an old path is redirected with 301", "web.py#handle")
    bench.replace("web.py", "301", "308")
    assert bench.judge(methods).standing is Standing.CHANGED
    assert bench.judge(methods).aside
    assert bench.standing(moved) is Standing.CONTRADICTED


@pytest.mark.parametrize(
    ("said", "old", "new"),
    [
        ("cells are separated by tabs", "SEPARATOR = '\\t'\n", "SEPARATOR = ':'\n"),
        ("indented by four blanks", "INDENT = '    '\n", "INDENT = '  '\n"),
        ("a hundred users are kept", "USERS = 100\n", "USERS = 250\n"),
        ("waits a second and a half", "WAIT_MS = 1500\n", "WAIT_MS = 15\n"),
        ("only GET and HEAD are allowed", "METHODS = ['GET', 'HEAD']\n", "METHODS = ['GET', 'HEAD', 'POST']\n"),
    ],
)
def test_what_a_statement_says_in_other_words_than_the_code_is_lost_with_it(
    bench: Bench, said: str, old: str, new: str
) -> None:
    bench.write("a.py", old)
    belief = bench.remember(said, f"a.py#{old.partition(' ')[0]}")
    bench.write("a.py", new)
    assert bench.standing(belief) is Standing.CONTRADICTED


@pytest.mark.parametrize(
    ("path", "symbol", "old", "new"),
    [
        ("a.py", "SIZE", "SIZE = 64 * (1 << 10)\n", "SIZE = 65536\n"),
        ("a.py", "URL", "URL = 'https://a.example/v1'\n", "URL = 'https://a.example' + '/v1'\n"),
        ("a.py", "f", "def f(*, a=1, b=2):\n    return a, b\n", "def f(*, b=2, a=1):\n    return a, b\n"),
        (
            "a.go",
            "F",
            "package a\n\nfunc F(x interface{}) bool { return x == nil }\n",
            "package a\n\nfunc F(x any) bool { return x == nil }\n",
        ),
        (
            "a.cs",
            "T.F",
            "class T {\n  int F(int x) => x + Step;\n}\n",
            "class T {\n  int F(int x) { return x + Step; }\n}\n",
        ),
        ("a.kt", "f", "fun f(x: Int) = x + step\n", "fun f(x: Int): Int {\n    return x + step\n}\n"),
        (
            "a.rs",
            "m",
            'fn m(limit: u32) -> String {\n    format!("{} left", limit)\n}\n',
            'fn m(limit: u32) -> String {\n    format!("{limit} left")\n}\n',
        ),
        (
            "a.js",
            "load",
            "export const load = async (path) => {\n  return await read(path);\n};\n",
            "export async function load(path) {\n  return await read(path);\n}\n",
        ),
    ],
)
def test_the_same_meaning_in_another_spelling_stays_current(
    bench: Bench, path: str, symbol: str, old: str, new: str
) -> None:
    bench.write(path, old)
    belief = bench.remember("what everybody here relies on", f"{path}#{symbol}")
    bench.write(path, new)
    assert bench.standing(belief).holds


@pytest.mark.parametrize(
    ("path", "symbol", "rule", "old", "new"),
    [
        (
            "a.go",
            "Run",
            "never runs with a closed session",
            'package a\n\nfunc Run(s *Session) error {\n\treturn s.Execute("x")\n}\n',
            (
                "package a\n\nfunc Run(s *Session) error {\n\tif s.Closed() {\n\t\treturn ErrClosed\n\t}\n"
                '\treturn s.Execute("x")\n}\n'
            ),
        ),
        (
            "a.rb",
            "add",
            "the name must not be empty",
            "def add(name)\n  save(name.strip)\nend\n",
            "def add(name)\n  raise ArgumentError, 'empty' if name.empty?\n  save(name.strip)\nend\n",
        ),
        (
            "a.ts",
            "get",
            "must never use http",
            "export function get(url: string) {\n  return client.get(url, {});\n}\n",
            "export function get(url: string) {\n  return client.get(url, { http2: true });\n}\n",
        ),
    ],
)
def test_a_test_of_the_forbidden_state_and_a_numbered_name_break_no_rule(
    bench: Bench, path: str, symbol: str, rule: str, old: str, new: str
) -> None:
    bench.write(path, old)
    belief = bench.remember(rule, f"{path}#{symbol}")
    bench.write(path, new)
    assert bench.standing(belief) is not Standing.CONTRADICTED


def test_the_forbidden_act_in_a_test_breaks_the_rule(bench: Bench) -> None:
    bench.write("a.py", "def run(s):\n    return s.execute('x')\n")
    belief = bench.remember("must never close the session", "a.py#run")
    bench.replace("a.py", "    return", "    if s.close():\n        raise RuntimeError\n    return")
    assert bench.standing(belief) is Standing.CONTRADICTED


def test_a_negation_in_a_relative_clause_denies_nothing_before_it(bench: Bench) -> None:
    bench.write("a.py", "def read(p):\n    if not allowed(p):\n        raise PermissionError(p)\n    return p\n")
    belief = bench.remember("raises PermissionError for a path that is not allowed", "a.py#read")
    bench.replace("a.py", "PermissionError", "FileNotFoundError")
    assert bench.standing(belief) is Standing.CONTRADICTED


_LOCKED = "def run(name, secret):\n    with FileLock(name):\n        work(name, secret)\n"


@pytest.mark.parametrize(
    ("statement", "line", "aside"),
    [
        ("run happens under the file lock", "    log.debug('locking %s', name)\n", True),
        ("work is done while the lock is held", "    self.logger.info('unlocked %s', name)\n", True),
        ("the secret never leaves run as it is", "    log.info('working with %s', secret)\n", False),
        ("nothing is logged here", "    log.debug('locking %s', name)\n", False),
        ("run happens under the file lock", "    log.debug('locking %s', name)\n    name = name.lower()\n", False),
    ],
)
def test_a_line_that_only_logs_is_an_alarm_only_where_the_statement_speaks_of_it(
    bench: Bench, statement: str, line: str, *, aside: bool
) -> None:
    bench.write("locked.py", _LOCKED)
    belief = bench.remember(statement, "locked.py#run")
    bench.replace("locked.py", "    with FileLock", f"{line}    with FileLock")
    assert bench.judge(belief).aside is aside


@pytest.mark.parametrize(
    ("path", "before", "after", "same"),
    [
        (
            "a.go",
            "package a\n\nfunc wait() time.Duration { return 30 * time.Second }\n",
            "30_000 * time.Millisecond",
            True,
        ),
        (
            "a.go",
            "package a\n\nfunc wait() time.Duration { return 30 * time.Second }\n",
            "3_000 * time.Millisecond",
            False,
        ),
        ("a.py", "def wait():\n    return timedelta(hours=24)\n", "timedelta(days=1)", True),
        ("a.py", "def wait():\n    return timedelta(hours=24)\n", "timedelta(days=2)", False),
        ("a.rs", "fn wait() -> Duration { Duration::from_secs(5) }\n", "Duration::from_millis(5_000)", False),
        ("a.py", "def wait():\n    return pause_seconds(5)\n", "pause_millis(5_000)", False),
        ("a.kt", "fun wait(): Long { return MINUTES.toSeconds(2) }\n", "120", True),
        ("a.kt", "fun wait(): Long { return MINUTES.toSeconds(2) }\n", "HOURS.toSeconds(2)", False),
    ],
)
def test_an_amount_in_another_unit_is_the_same(bench: Bench, path: str, before: str, after: str, *, same: bool) -> None:
    bench.write(path, before)
    belief = bench.remember("wait gives the time between two tries", f"{path}#wait")
    old = before.partition("return ")[2].strip(" }\n") or "Duration::from_secs(5)"
    bench.replace(path, old, after)
    assert bench.judge(belief).standing.holds is same


@pytest.mark.parametrize(
    ("statement", "line", "aside"),
    [
        ("the second half is sent after the first", "log.info('%s and %s', first, second)", True),
        ("the second half must be sent after the first", "log.info('%s and %s', first, second)", False),
        ("the second half is sent after the first", "parts_total.inc(2)", True),
        ("the second half is sent after the first", "metrics.record('parts', second)", True),
        ("the second half is sent after the first", "second.rest.append(first)", False),
        ("the second half is secret until the first is sent", "log.info('%s and %s', first, second)", False),
    ],
)
def test_a_line_for_a_monitor_is_no_alarm(bench: Bench, statement: str, line: str, *, aside: bool) -> None:
    bench.write("parts.py", "def deliver(box):\n    first, second = box.halves()\n    send(first)\n    send(second)\n")
    belief = bench.remember(statement, "parts.py#deliver")
    bench.replace("parts.py", "    send(first)", f"    {line}\n    send(first)")
    assert bench.judge(belief).aside is aside


def test_a_test_in_two_with_a_log_between_is_no_alarm(bench: Bench) -> None:
    bench.write(
        "gate.py", "def enter(card):\n    if card.old or card.lost:\n        raise Refused(card)\n    open_gate()\n"
    )
    belief = bench.remember("a card that is old or lost is refused", "gate.py#enter")
    split = "if card.old:\n        log.info('old card')\n        raise Refused(card)\n    if card.lost:"
    bench.replace("gate.py", "if card.old or card.lost:", split)
    assert bench.judge(belief).aside


@pytest.mark.parametrize(
    ("statement", "old", "new", "aside"),
    [
        ("Nobody borrows while a fine is open", "ofDays(14)", "ofHours(336)", True),
        ("Nobody borrows while a fine is open", "ofDays(14)", "ofDays(21)", True),
        ("Nobody borrows for longer than the span", "ofDays(14)", "ofDays(21)", False),
        ("Somebody waits half of what others do", "ofDays(14)", "ofDays(21)", False),
        ("Nobody borrows for more than 28 days", "ofDays(14)", "ofDays(21)", False),
        ("Nobody borrows for more than 28 days", "count > 5", "count > 6", True),
        ("A sixth loan is refused", "count > 5", "count >= 5", False),
    ],
)
def test_another_amount_of_something_else_is_no_alarm(
    bench: Bench, statement: str, old: str, new: str, *, aside: bool
) -> None:
    bench.write(
        "Loans.java",
        """
        class Loans {
            private static final Duration SPAN = Duration.ofDays(14);

            Loan lend(Guest guest) {
                if (guest.fines().isOpen() || guest.count > 5) {
                    throw new Refused(guest);
                }
                return new Loan(guest, SPAN);
            }
        }
        """,
    )
    belief = bench.remember(statement, "Loans.java#Loans.lend")
    bench.replace("Loans.java", old, new)
    assert bench.judge(belief).aside is aside


# -- a whole file or class ------------------------------------------------------------------------------------------

ORDERS = '''
LIMIT = 50
DAYS = 14


def place(order, stock):
    """Take an order."""
    if order.amount > stock.left(order.item):
        raise SoldOut("the item is sold out")
    stock.take(order.item, order.amount)
    return order.saved()


def as_json(order):
    return json.dumps({"id": order.id, "items": order.items})


def find(text):
    return [order for order in every() if text in order.title]
'''


@pytest.mark.parametrize(
    ("statement", "old", "new", "speaks"),
    [
        ("An order takes its items from the stock", "text in order.title", "text in order.title.lower()", False),
        ("An order takes its items from the stock", "stock.take(", "warehouse.take(", True),
        ("The stock goes down by the amount", "is sold out", "cannot be had now", False),  # a message alone
        ("The term is the one that the law gives", "DAYS = 14", "DAYS = 30", True),  # nobody can tell what means it
        ("Every answer is JSON", "text in order.title", "text in order.label", True),  # any of them may break it
        ("Every answer is JSON", "def find(", "def page():\n    return 'ok'\n\n\ndef find(", True),
        ("Every answer is JSON", "def find(", "def page():\n    return json.dumps([])\n\n\ndef find(", False),
        (
            "Stock and amount are known to exactly one function",
            "text in order.title",
            "text in order.label]\n\n\ndef page():\n    return ['ok'",
            True,
        ),
        ("An order takes its items from the stock", "def find(", "def page():\n    return 'ok'\n\n\ndef find(", False),
    ],
)
def test_of_a_file_only_a_change_of_what_the_statement_speaks_of_interrupts(
    bench: Bench, statement: str, old: str, new: str, *, speaks: bool
) -> None:
    bench.write("orders.py", ORDERS)
    belief = bench.remember(statement, "orders.py")
    bench.replace("orders.py", old, new)
    judged = bench.judge(belief)
    assert (not judged.holds) is speaks, judged.reasons
