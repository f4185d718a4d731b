"""Statements as clauses, and acts held against them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlsp.beliefs.acts.clause import ActClause, decoded
from memlsp.beliefs.acts.statements import clauses_of
from memlsp.memory.injection.acts import Act, ActEdit, meets
from memlsp.memory.injection.command_lines import commands_of


def is_met(statement: str, act: Act) -> bool:
    found = [each for each in clauses_of(statement) if set(each.terms()) & set(act.terms())]
    return any(meets(decoded(each.encoded()), act) for each in found)


def runs(statement: str, command: str, branch: str = "work") -> bool:
    act = Act("/nonexistent", "/nonexistent", branch)
    act.run(command)
    return is_met(statement, act)


def writes(statement: str, path: str, new: str, old: str = "") -> bool:
    act = Act("/nonexistent", "/nonexistent")
    act.edits.append(ActEdit(path, old, new))
    return is_met(statement, act)


@pytest.mark.parametrize(
    ("statement", "command"),
    [
        ("nie auf main pushen", "git push origin main"),
        ("bitte keine neuen Pakete ohne Rücksprache", "npm install lodash"),
        ("on utilise yarn, pas npm", "npm ci"),
        ("no hagas push directo a main", "git push origin HEAD:main"),
        ("ask me before you delete anything in s3", "aws s3 rm s3://bucket/key"),
        ("we moved from terraform to opentofu", "terraform fmt"),
        ("kubectl on prod is read only", "kubectl --context prod delete pod api"),
        ("instead of jest use vitest", "npx jest --watch"),
        ("releases are done by the bot", "gh release create v1"),
        ("never commit directly to main", "git commit -m x && git push"),
    ],
)
def test_prohibitions_are_read_in_many_forms_and_languages(statement: str, command: str) -> None:
    assert runs(statement, command, "main")
    assert not runs(statement, "ls -la && git status", "main")


@pytest.mark.parametrize(
    ("statement", "command"),
    [
        ("use scripts/publish.sh for releases, never git push github", "bash scripts/publish.sh"),
        ("kubectl on prod is read only", "kubectl --context prod get pods"),
        ("kubectl on prod is read only", "kubectl --context dev delete pod api"),
        ("no force push on main", "git push -f origin fix/a"),
        ("you don't need to ask before running tests", "pytest"),
        ("the service does not retry and cannot be cached", "redis-cli get x"),
    ],
)
def test_what_is_allowed_or_only_reported_meets_nothing(statement: str, command: str) -> None:
    assert not runs(statement, command)


@pytest.mark.parametrize(
    "statement",
    [
        "use httpx instead of requests",
        "httpx, not requests",
        "httpx over requests",
        "requests -> httpx",
        "we moved from requests to httpx",
        "requests is gone, httpx now",
        "statt requests bitte httpx",
        "httpx au lieu de requests",
        "hemos cambiado de requests a httpx",
    ],
)
def test_what_something_replaces_is_met_where_it_is_installed_imported_or_required(statement: str) -> None:
    assert runs(statement, "uv run pip install 'requests>=2'")
    assert runs(statement, "docker compose run --rm app sh -c 'poetry add requests'")
    assert writes(statement, "app/client.py", "import requests")
    assert writes(statement, "requirements.txt", "requests==2.31\n")
    assert not runs(statement, "pip install httpx")
    assert not runs(statement, "pip uninstall requests")
    assert not writes(statement, "app/queue.py", "requests = []")
    assert not writes(statement, "app/client.py", "import httpx", old="import requests")


def test_a_script_that_is_written_meets_what_its_commands_would() -> None:
    said = "we use bun, never npm"
    assert writes(said, ".github/workflows/ci.yml", "steps:\n  - run: npm ci\n")
    assert writes(said, "Dockerfile", "FROM node:20\nRUN npm ci\n")
    assert writes(said, "package.json", '"check": "npm run lint",')
    assert not writes(said, "Dockerfile", "RUN bun install\n", old="RUN npm ci\n")
    assert not writes(said, "docs/setup.md", "We used `npm ci` once.")


def test_what_a_comment_says_is_not_met_unless_a_tool_obeys_it() -> None:
    assert not writes("no print(), use the logger", "a.py", "x = 1  # print(x) would be wrong")
    assert writes("no @ts-ignore", "a.ts", "// @ts-ignore\nx()")


def test_an_order_is_kept_by_what_ran_earlier_in_the_session() -> None:
    said = "run make migrate before the tests"
    for ran, met in (([], True), (["make migrate"], False), (["make clean"], True)):
        act = Act("/nonexistent", "/nonexistent", "work", lambda ran=ran: ran)
        act.run("pytest -q")
        assert is_met(said, act) is met


@pytest.mark.parametrize("ran", ["./ci/lint.sh", "ci/lint.sh", "bash ./ci/lint.sh", "cd . && ./ci/lint.sh -q"])
def test_a_script_that_an_order_wants_first_counts_however_it_is_started(ran: str) -> None:
    act = Act("/nonexistent", "/nonexistent", "work", lambda: [ran])
    act.run("gh pr create --fill")
    assert not is_met("before you open a PR run ./ci/lint.sh", act)


@pytest.mark.parametrize(
    ("statement", "breaks", "passes"),
    [
        ("no push without make lint", "git push", "make lint && git push"),
        ("never deploy before the tests are green", "vercel deploy", "pytest && vercel deploy"),
        ("commit only after `make check`", "git commit -m x", "make check && git commit -m x"),
        ("kein Commit ohne make lint", "git commit -m x", "make lint && git commit -m x"),
        ("pas de push sans make lint", "git push", "make lint && git push"),
        ("npm publish needs `npm run build` first", "npm publish", "npm run build && npm publish"),
    ],
)
def test_what_comes_first_is_read_in_many_forms(statement: str, breaks: str, passes: str) -> None:
    assert runs(statement, breaks)
    assert not runs(statement, passes)


@pytest.mark.parametrize(
    "statement", ["commits only on branches", "deploys only happen on mondays", "no X with long paths"]
)
def test_a_condition_that_no_act_shows_keeps_the_rule_silent(statement: str) -> None:
    assert not runs(statement, "git commit -m x && vercel deploy")


def test_a_file_that_is_gone_may_be_deleted_and_a_frozen_one_may_not() -> None:
    act = Act("/nonexistent", "/nonexistent")
    act.run("git rm -r legacy/old.py")
    assert is_met("legacy/ is frozen", act)
    assert not is_met("legacy/old.py is history", act)


def test_an_edit_meets_what_it_adds_and_not_what_it_takes_out() -> None:
    assert writes("no unwrap() outside of tests", "src/a.rs", "x.unwrap()")
    assert not writes("no unwrap() outside of tests", "tests/a.rs", "x.unwrap()")
    assert not writes("no unwrap() outside of tests", "src/a.rs", "x.unwrap_or_default()")
    assert not writes("no unwrap() outside of tests", "src/a.rs", "x", old="x.unwrap()")
    assert writes("src/gen is generated, hands off", "src/gen/a.ts", "b", old="a")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("cd a && sudo -u ci env A=1 git -C b push -f", [["git", "push"]]),
        ("npx -y vercel --prod", [["vercel"]]),
        ("uv run python -m pip install x", [["pip", "install", "x"]]),
        ("bash -lc 'rm -rf build; make'", [["rm", "build"], ["make"]]),
        ("echo $(git push)", [["echo", "$"], ["git", "push"]]),
        ("cat <<'EOF'\ngit push\nEOF\nls", [["cat"], ["ls"]]),
        ('git commit -m "a; git push"', [["git", "commit"]]),
        ("for d in a b; do (cd $d && make); done", [["for", "d", "in", "a", "b"], ["make"]]),
        ("make 2>&1 | tee log.txt", [["make"], ["tee", "log.txt"]]),
    ],
)
def test_a_line_is_read_as_the_commands_that_it_runs(line: str, words: list[list[str]]) -> None:
    assert [each.words for each in commands_of(line)] == words


@given(st.text(alphabet="ab .,;|&<>$()`'\"\\\n#-*/_:", max_size=80), st.text(max_size=80))
def test_no_line_and_no_statement_raises(line: str, statement: str) -> None:
    commands_of(line)
    for clause in clauses_of(f"never {statement} and {line}"):
        assert "\n" not in clause.encoded()
        assert decoded(clause.encoded()).encoded() == clause.encoded()


def test_a_clause_is_listed_under_few_and_rare_terms() -> None:
    (clause,) = clauses_of("Never commit .env files.")
    assert ".env" in " ".join(clause.terms())
    assert len(clause.terms()) <= 8
    assert isinstance(clause, ActClause)
