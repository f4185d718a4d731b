"""Beliefs that name paths, commands and identifiers, with and without a place."""

from __future__ import annotations

from datetime import timedelta

from bench import Bench

from memlsp.model.standing import Standing


def _project(bench: Bench) -> None:
    bench.write("Makefile", "VERSION := 1\n\ntest lint: deps\n\tpytest\n\ndeps:\n\tpip install .\n")
    bench.write("package.json", '{"scripts": {"build": "tsc", "test:unit": "jest"}}')
    bench.write("pyproject.toml", '[project.scripts]\nserve = "app:main"\n')
    bench.write("justfile", "release version:\n    echo {{version}}\n")
    bench.write("config/limits.toml", "max_upload = 5000000\n[retry]\ntimes = 3\n")
    bench.write("app.py", "def serve_forever(port):\n    return port\n")


def test_a_belief_that_names_nothing_is_unbound(bench: Bench) -> None:
    _project(bench)
    belief = bench.remember("We meet on Tuesdays")
    assert bench.standing(belief) is Standing.UNBOUND


def test_a_path_that_goes_contradicts(bench: Bench) -> None:
    _project(bench)
    belief = bench.remember("Limits are kept in config/limits.toml")
    assert bench.standing(belief) is Standing.CURRENT
    bench.delete("config/limits.toml")
    assert bench.standing(belief) is Standing.CONTRADICTED
    assert bench.judge(belief).reasons[0].code == "path-removed"


def test_a_path_that_is_renamed_is_followed_by_its_content(bench: Bench) -> None:
    _project(bench)
    belief = bench.remember("Limits are kept in `config/limits.toml`")
    bench.move("config/limits.toml", "settings/limits.toml")
    assert bench.standing(belief) is Standing.CARRIED
    assert "settings/limits.toml" in bench.judge(belief).reasons[0].message


def test_a_path_that_was_never_there_is_not_missed(bench: Bench) -> None:
    _project(bench)
    assert bench.standing(bench.remember("Put and/or read it in docs/missing.md")) is Standing.UNBOUND


def test_commands_are_looked_up_where_projects_define_them(bench: Bench) -> None:
    _project(bench)
    beliefs = {
        "Makefile": bench.remember("Run `make lint` before a commit"),
        "package.json": bench.remember("npm run test:unit covers the parser"),
        "pyproject.toml": bench.remember("start it with uv run serve"),
        "justfile": bench.remember("`just release` tags"),
    }
    assert all(bench.standing(belief) is Standing.CURRENT for belief in beliefs.values())
    bench.replace("Makefile", "test lint:", "test:")
    bench.replace("package.json", "test:unit", "unit")
    bench.replace("pyproject.toml", "serve", "start")
    bench.replace("justfile", "release", "publish")
    for path, belief in beliefs.items():
        assert bench.standing(belief) is Standing.CONTRADICTED, bench.told(belief)
        assert bench.judge(belief).reasons[0].code == "command-removed"
        assert bench.judge(belief).reasons[0].path == path


def test_make_sure_is_no_command(bench: Bench) -> None:
    _project(bench)
    assert bench.standing(bench.remember("make sure to test")) is Standing.UNBOUND


def test_an_identifier_that_is_nowhere_any_more_contradicts(bench: Bench) -> None:
    _project(bench)
    belief = bench.remember("`serve_forever` blocks")
    bench.move("app.py", "main.py")
    assert bench.standing(belief) is Standing.CURRENT, bench.told(belief)
    bench.replace("main.py", "serve_forever", "serve")
    assert bench.standing(belief) is Standing.CONTRADICTED
    assert bench.judge(belief).reasons[0].code == "identifier-removed"


def test_a_renamed_symbol_does_not_break_the_statement_that_names_it(bench: Bench) -> None:
    _project(bench)
    belief = bench.remember("`serve_forever` blocks", "app.py#serve_forever")
    bench.replace("app.py", "serve_forever", "run_forever")
    assert bench.standing(belief) is Standing.CARRIED, bench.told(belief)


def test_a_deleted_symbol_that_the_statement_names_is_orphaned(bench: Bench) -> None:
    _project(bench)
    belief = bench.remember("`serve_forever` in app.py blocks", "app.py#serve_forever")
    bench.write("app.py", "x = 1\n")
    assert bench.standing(belief) is Standing.ORPHANED, bench.told(belief)


def test_an_anchored_belief_still_checks_the_paths_that_it_names(bench: Bench) -> None:
    _project(bench)
    belief = bench.remember("the port comes from config/limits.toml", "app.py#serve_forever")
    bench.delete("config/limits.toml")
    assert bench.standing(belief) is Standing.CONTRADICTED


def test_a_date_that_has_passed_expires(bench: Bench) -> None:
    _project(bench)
    belief = bench.remember("the port is fixed", "app.py#serve_forever", expires_in=timedelta(days=2))
    bench.now += timedelta(days=3)
    assert bench.standing(belief) is Standing.EXPIRED
    bench.replace("app.py", "return port", "return port + 1")
    assert bench.standing(belief) is Standing.EXPIRED
    bench.write("app.py", "")
    assert bench.standing(belief) is Standing.ORPHANED


def test_configuration_keys_hold_beliefs(bench: Bench) -> None:
    _project(bench)
    belief = bench.remember("uploads are limited to 5 MB", "config/limits.toml#max_upload")
    bench.replace("config/limits.toml", "[retry]", "[again]")
    assert bench.standing(belief) is Standing.CURRENT, bench.told(belief)
    bench.replace("config/limits.toml", "5000000", "9000000")
    assert bench.standing(belief) is Standing.CONTRADICTED, bench.told(belief)


NGINX = """
user www;
worker_processes 4;

http {
    server {
        listen 8080;
        root /srv/www;
        index index.html;
    }
}

events {
    worker_connections 1024;
}
"""


def test_lines_of_an_unknown_language_hold_beliefs(bench: Bench) -> None:
    bench.write("nginx.conf", NGINX)
    belief = bench.remember("nginx listens on port 8080", "nginx.conf:6")
    bench.write("nginx.conf", "# a comment\n\n" + bench.read("nginx.conf"))
    assert bench.standing(belief) is Standing.CURRENT, bench.told(belief)
    assert bench.judge(belief).ties[0].line == 8
    bench.replace("nginx.conf", "worker_connections 1024", "worker_connections 2048")
    assert bench.standing(belief) is Standing.CURRENT, bench.told(belief)
    bench.replace("nginx.conf", "listen 8080", "listen 9090")
    assert bench.standing(belief) is Standing.CONTRADICTED, bench.told(belief)
    bench.write("nginx.conf", "user www;\n")
    assert bench.standing(belief) is Standing.ORPHANED, bench.told(belief)


def test_lines_of_an_unknown_language_move_with_their_file(bench: Bench) -> None:
    bench.write("nginx.conf", NGINX)
    belief = bench.remember("nginx listens on port 8080", "nginx.conf:6")
    bench.move("nginx.conf", "deploy/nginx.conf")
    assert bench.standing(belief) is Standing.CARRIED, bench.told(belief)


def test_a_file_that_is_nested_without_end_defines_no_command(bench: Bench) -> None:
    bench.write("package.json", '{"scripts": {"lint": "eslint"}}')
    belief = bench.remember("npm run lint comes before a commit")
    bench.write("package.json", "[" * 200_000)
    assert bench.standing(belief) is Standing.CONTRADICTED
