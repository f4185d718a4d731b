"""Statements as clauses, and acts held against them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlsp.beliefs.acts.clause import ActClause, decoded
from memlsp.beliefs.acts.statements import clauses_of
from memlsp.memory.injection.acts import Act, ActEdit, meets
from memlsp.memory.injection.command_lines import commands_of
from memlsp.memory.injection.git_reach import takes


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
        ("never commit generated files under lib/out/", "git add lib/out/a.js"),
        ("only the release manager may tag a release", "git tag v1.2"),
        ("only maintainers can push to main", "git push origin main"),
        ("don't check in notebooks with outputs", "git add a.ipynb"),
        ("never chmod 777", "chmod -R 777 ."),
        ("don't chown anything to root", "sudo chown root:root x"),
        ("committe nie .env Dateien", "git add .env"),
        ("pushe niemals auf main", "git push origin main"),
        ("never commit .env files nor anything under secrets/", "git add secrets/a.pem"),
        ("never drop tables in production", "psql prod -c 'DROP TABLE x'"),
        ("we deploy to Fly now, no longer to Heroku", "heroku deploy:jar app.jar"),
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
        ("only the last user can merge cells", "git merge topic"),
        ("The CLI is started with --verbose in all demos", "docker compose up"),
        ("never commit generated files under lib/out/", "git add lib/gen/a.js"),
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


@pytest.mark.parametrize(
    ("address", "met"),
    [
        ("git@github.com:acme/shop.git", True),
        ("https://github.com/acme/shop", True),
        ("https://token@github.com/acme/shop.git", True),
        ("git@gitlab.com:acme/github.git", False),
        ("/srv/git/shop.git", False),
    ],
)
@pytest.mark.parametrize(
    "statement", ["never git push github", "do not push to github", "nothing is pushed to github.com"]
)
def test_a_push_goes_where_the_configuration_of_git_says(
    tmp_path: Path, statement: str, address: str, *, met: bool
) -> None:
    (tmp_path / ".git").mkdir()
    config = f'[core]\n\tbare = false\n[remote "origin"]\n\turl = {address}\n[branch "main"]\n\tremote = origin\n'
    (tmp_path / ".git" / "config").write_text(config)
    for command in ("git push", "git push --force", "git push origin main"):
        act = Act(str(tmp_path), str(tmp_path), "main")
        act.run(command)
        assert is_met(statement, act) is met, command
    act = Act(str(tmp_path), str(tmp_path), "main")
    act.run("git push elsewhere main")
    assert not is_met(statement, act)


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
        ("lance make migrate avant les tests", "pytest", "make migrate && pytest"),
        ("ejecuta make migrate antes de los tests", "pytest", "make migrate && pytest"),
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


@pytest.mark.parametrize(
    "command",
    [
        "find vendor -name '*.map' -delete",
        "find . -path './vendor/*' -type f -exec sed -i 's/a/b/' {} +",
        "find vendor -name x | xargs rm",
        "git checkout main -- vendor/x",
        "git restore --source=HEAD~3 vendor/x",
        "git apply --directory=vendor fix.patch",
        "rsync -a --delete upstream/ vendor/",
        "truncate -s 0 vendor/x",
        "echo a | tee -a vendor/x",
        "perl -0pi -e 's/a/b/' vendor/x",
        "dd if=/dev/zero of=vendor/x",
        "curl -sSo vendor/x.js https://example.org/x.js",
        "tar xzf x.tgz -C vendor",
        "npx prettier --write vendor/x.js",
        "cat > vendor/x <<'EOF'\na\nEOF",
        "echo a >| vendor/x",
        "for f in vendor/a vendor/b; do rm $f; done",
        "D=vendor; rm -rf $D/x",
        "bash <<'EOF'\nrm vendor/x\nEOF",
        "python -c \"import shutil; shutil.rmtree('vendor')\"",
        "python -c \"import os; os.system('rm -rf vendor/x')\"",
        "python3 - <<'EOF'\np = Path('vendor/x.py')\np.write_text(p.read_text().replace('a', 'b'))\nEOF",
        "node -e \"require('fs').writeFileSync('vendor/a.js', '')\"",
    ],
)
def test_whatever_writes_a_protected_file_is_met(command: str) -> None:
    assert runs("vendor/ is a mirror, never touch it by hand", command)


@pytest.mark.parametrize(
    "command",
    [
        "find vendor -name '*.map' | wc -l",
        "find . -name '*.pyc' -not -path './vendor/*' -delete",
        "grep -rl foo src | grep -v vendor | xargs sed -i s/a/b/",
        "git checkout -- vendor/x",
        "git restore --staged vendor/x",
        "git clean -nd vendor",
        "rsync -a vendor/ /tmp/copy/",
        "tar czf vendor.tgz -C vendor .",
        "black --check vendor",
        "perl -ne 'print if /def/' vendor/x.py",
        "python -c \"print(open('vendor/x.py').read())\"",
        "python3 - <<'EOF'\ns = open('vendor/x.py').read()\nopen('out.txt', 'w').write(s)\nEOF",
    ],
)
def test_what_reads_a_protected_file_or_puts_it_back_passes(command: str) -> None:
    assert not runs("vendor/ is a mirror, never touch it by hand", command)


@pytest.mark.parametrize(
    ("statement", "breaks", "passes"),
    [
        ("before you publish the package run make check", "npm publish", "npm install"),
        ("before you publish the package run npm run check", "pnpm publish", "pnpm run check && pnpm publish"),
        ("don't let alembic autogenerate migrations", "alembic revision --autogenerate -m x", "alembic upgrade head"),
        ("never drain a node", "kubectl drain node-3", "kubectl uncordon node-3"),
        ("never exec into prod pods", "kubectl exec -it web -n prod -- bash", "kubectl exec -it web -n dev -- bash"),
        ("run terraform fmt before terraform validate", "terraform validate", "terraform fmt && terraform validate"),
        ("never push images from a laptop", "podman push a/b:1", "git push"),
        ("don't run migrations on production", "ENV=prod python manage.py migrate", "python manage.py migrate"),
        ("helm upgrades must use --atomic", "helm upgrade a b", "npm update"),
        ("run cargo with --locked here", "cargo test", "cargo test --locked"),
        ("always use --locked with cargo", "cargo build", "cargo fmt"),
        ("sign your commits with -S", "git commit -m x", "git commit -S -m x"),
        ("kubectl apply only after asking me", "kubectl apply -f x", "kubectl diff -f x"),
        ("run pytest through `make test`", "pytest -q", "make test"),
        ("never mention Claude in commit messages", "git commit -m 'x, by Claude'", "git commit -m x"),
        ("never touch the users table by hand", "psql -c 'update users set a = 1'", "psql -c 'select 1 from users'"),
        ("no raw docker run, use compose", "docker run a b", "docker compose run --rm app pytest"),
    ],
)
def test_a_subcommand_is_told_from_its_family(statement: str, breaks: str, passes: str) -> None:
    assert runs(statement, breaks)
    assert not runs(statement, passes)


@pytest.mark.parametrize(
    ("statement", "breaks", "passes"),
    [
        ("images only as webp", ("docs/a.png", "x"), ("docs/a.webp", "x")),
        ("packages never import from apps", ("packages/a.ts", "import '../apps/b'"), ("web/a.ts", "import 'apps/b'")),
        ("never create new *.md files", ("docs/a.md", "x"), ("docs/a.py", "x")),
        ("prices are integers, never floats", ("a.py", "price: float"), ("a.py", "speed: float")),
        ("never use Optional[X]", ("a.py", "def f(x: Optional[int]): ..."), ("a.py", "def f(x: int | None): ...")),
        ("no hardcoded passwords", ("a.py", "db_password = 'hunter2'"), ("a.py", "password = os.environ['P']")),
        ("never hardcode API keys", ("a.js", 'const apiKey = "x1"'), ("a.js", "const apiKey = env.apiKey")),
        ("no new dependencies", ("requirements.txt", "httpx"), ("requirements.txt", "-r base.txt")),
        ("tests must not sleep", ("tests/a.py", "sleep(2)"), ("src/a.py", "sleep(2)")),
        ("node_modules must not be edited", ("node_modules/a.js", "x"), ("src/a.js", "x")),
    ],
)
def test_an_edit_is_told_from_one_that_looks_alike(
    statement: str, breaks: tuple[str, str], passes: tuple[str, str]
) -> None:
    assert writes(statement, *breaks)
    assert not writes(statement, *passes)


@pytest.mark.parametrize(
    "statement",
    [
        "no print() except in scripts/",
        "no print() (scripts/ is fine)",
        "no print(), scripts are fine",
        "no print(), in scripts it is ok",
        "no print() anywhere but scripts/",
        "no print(), only scripts may use it",
        "print() is ok in scripts/, nowhere else",
        "no print() in production code (scripts/ may)",
        "no print(), use the logger that scripts/a.py sets up",
    ],
)
def test_a_place_that_is_excepted_is_not_met(statement: str) -> None:
    assert writes(statement, "src/a.py", "print(1)")
    assert not writes(statement, "scripts/a.py", "print(1)")


def test_git_is_met_for_the_files_that_it_takes(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=tmp_path, check=True)

    def taken(command: str) -> bool:
        act = Act(str(tmp_path), str(tmp_path), "work")
        act.run(command)
        return is_met("Never commit .env files.", act)

    git("init", "-q")
    (tmp_path / "src").mkdir()
    (tmp_path / ".env").write_text("A=1")
    assert [taken(each) for each in ("git add .", "git add -A")] == [True, True]
    assert not any(map(taken, ("git commit -am x", "git add -u", "git add src/", "cd src && git add .", "git add src")))
    git("add", "-f", ".env")
    git("commit", "-qm", "x")
    assert not any(map(taken, ("git commit -am x", "git add .")))
    (tmp_path / ".env").write_text("A=22")
    assert all(map(taken, ("git commit -am x", "git add .", "git add -u")))


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


@pytest.mark.skipif(sys.platform == "win32", reason="pipes")
def test_a_pipe_in_place_of_a_file_of_git_holds_no_act_up(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".env").write_text("A=1")
    os.mkfifo(tmp_path / ".gitignore")
    os.mkfifo(tmp_path / ".git" / "index")
    (command,) = commands_of("git add .")
    assert takes(".env", command, str(tmp_path), str(tmp_path))
