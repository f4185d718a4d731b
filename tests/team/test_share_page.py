"""docs/how-to/share-with-a-team.md, followed word for word: each command of its console blocks runs in its order, in
the terminal of its person, and prints what the page shows.

Ids, keys, dates and ages are those of the run: what the page shows first for one stands for it in later commands.
"""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import metadata
from pathlib import Path

import pytest
from attrs import frozen

from benchmarks.team.scratch_postgres import NoServer, scratch_server
from tests.patience import patience
from tests.team.team_world import git

if sys.platform != "linux":
    pytest.skip("the page names the data folder of Linux", allow_module_level=True)

PAGE = Path(__file__).parents[2] / "docs/how-to/share-with-a-team.md"
PEOPLE = {"ann": "Ann Ode", "ben": "Ben Ito", "owner": "Olga Nes"}
PAY = "def charge(amount, tries=3):\n    for _ in range(tries):\n        if send(amount):\n            return\n"

_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"^(\w+)\$ ((?:\\\n|.)*?)$(?<!\\)", re.MULTILINE)
_VOLATILE = re.compile(
    r"(?P<id>\b(?=[a-z0-9]*\d)[a-z][0-9a-z]{7}\b)|(?P<key>\bAAAA[\w+/]{60,}={0,2})|(?P<age>just now)"
)
_ANY = {"id": "[a-z][0-9a-z]{7}", "key": r"AAAA[\w+/]+={0,2}"}


@frozen
class Step:
    """A command of the page, whose terminal it is typed in, and what the page shows under it."""

    person: str
    command: str
    shown: str


def steps(section: str = "") -> list[Step]:
    """The commands of a section, or of all of the page but that on PostgreSQL, in their order."""
    text = PAGE.read_text(encoding="utf-8")
    parts = {part.partition("\n")[0]: part for part in text.split("\n## ")}
    chosen = [part for title, part in parts.items() if (title == section if section else title != SERVER)]
    found: list[Step] = []
    for block in (block for part in chosen for block in _BLOCK.findall(part)):
        places = list(_COMMAND.finditer(block))
        ends = [place.start() for place in places[1:]] + [len(block)]
        found += [
            Step(place[1], place[2], block[place.end() : end].strip()) for place, end in zip(places, ends, strict=True)
        ]
    return found


SERVER = "Thousands of machines"


class Terminals:
    """A home, a clone and a shell of each person. `seen` has what stands here for a volatile text of the page."""

    def __init__(self, folder: Path, **variables: str) -> None:
        self._folder, self._variables = folder, variables
        self.seen: dict[str, str] = {}
        self._where: dict[str, Path] = {}
        git(folder, "init", "-q", "--bare", str(folder / "host.git"))
        for person, name in PEOPLE.items():
            home = folder / person
            home.mkdir()
            (home / ".gitconfig").write_text(
                f"[user]\n name = {name}\n email = {person}@example.org\n"
                f'[url "{(folder / "host.git").as_uri()}"]\n insteadOf = git@example.org:acme/shop-memory.git\n'
            )
            clone = self._where[person] = home / "shop"
            if person == "ann":
                clone.mkdir()
                (clone / "pay.py").write_text(PAY)
                git(clone, "init", "-q", "-b", "main")
                git(clone, "add", "-A")
                git(clone, "commit", "-q", "-m", "pay")
            else:
                git(folder, "clone", "-q", str(folder / "ann" / "shop"), str(clone))
                git(clone, "remote", "remove", "origin")
            git(clone, "remote", "add", "origin", "https://example.org/acme/shop.git")
        pip = folder / "bin" / "pip"  # what it would install is installed, and nothing may be fetched
        pip.parent.mkdir()
        pip.write_text("#!/bin/sh\n")
        pip.chmod(0o755)

    def follow(self, step: Step) -> None:
        """Run a command, and hold what it prints against the page; a command under which the page shows nothing may
        print what it likes."""
        command = step.command
        for shown, here in self.seen.items():
            command = command.replace(shown, here)
        kept = ("PATH", "LANG", "PYTHONPATH", "TMPDIR")
        env = {name: os.environ[name] for name in kept if name in os.environ} | self._variables
        env["PATH"] = os.pathsep.join([str(self._folder / "bin"), str(Path(sys.executable).parent), env["PATH"]])
        env |= {"HOME": str(self._folder / step.person), "PGUSER": step.person}
        done = subprocess.run(
            ["sh", "-c", command],
            cwd=self._where[step.person],
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=patience(60),
        )
        assert done.returncode == 0, (step, done.stdout)
        if step.shown:
            self._compare(step.shown, done.stdout.strip())

    def _compare(self, shown: str, printed: str) -> None:
        pattern, end = "", 0
        groups: list[str] = []
        for each in _VOLATILE.finditer(shown):
            pattern += re.escape(shown[end : each.start()])
            end = each.end()
            if each["age"]:
                pattern += r"(?:just now|\d+ \w+ ago)"
            elif each[0] in self.seen:
                pattern += re.escape(self.seen[each[0]])
            elif each[0] in groups:
                pattern += rf"\{groups.index(each[0]) + 1}"
            else:
                groups.append(each[0])
                pattern += f"({_ANY[str(each.lastgroup)]})"
        match = re.fullmatch(pattern + re.escape(shown[end:]), printed)
        assert match, f"the page shows\n{shown}\nand this was printed:\n{printed}"
        self.seen |= dict(zip(groups, match.groups(), strict=True))


@pytest.fixture
def encrypted_server() -> Iterator[dict[str, str]]:
    """A server that speaks TLS, and the variables by which its clients take it for db.example.org."""
    pytest.importorskip("psycopg", reason="psycopg is not installed: pip install 'memlsp-team[postgres]'")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    try:
        with scratch_server(patience(60), "listen_addresses=127.0.0.1", f"port={port}", tls=True):
            yield {"PGHOSTADDR": "127.0.0.1", "PGPORT": str(port)}
    except NoServer as missing:
        pytest.skip(str(missing))


def test_the_page_is_what_happens(tmp_path: Path) -> None:
    terminals = Terminals(tmp_path)
    for step in steps():
        terminals.follow(step)
    assert {step.person for step in steps()} == {"ann", "ben"}


def test_the_page_is_what_happens_with_a_server(tmp_path: Path, encrypted_server: dict[str, str]) -> None:
    import psycopg  # late: may be missing

    where = {"host": "127.0.0.1", "port": encrypted_server["PGPORT"], "user": "owner", "sslmode": "require"}
    with psycopg.connect(dbname="postgres", autocommit=True, **where) as owner:  # pyright: ignore[reportArgumentType]
        owner.execute("CREATE DATABASE memlsp")
    terminals = Terminals(tmp_path, **encrypted_server)
    for step in steps(SERVER):
        terminals.follow(step)
    with psycopg.connect(dbname="memlsp", **where) as owner:  # pyright: ignore[reportArgumentType]
        assert owner.execute("SELECT count(*) FROM memlsp.workspaces").fetchone() == (1,)


def test_what_the_page_has_installed_is_offered() -> None:
    for step in steps() + steps(SERVER):
        if step.command.startswith("pip "):
            name, extra = re.fullmatch(r"pip install '([\w-]+)\[(\w+)\]'", step.command).groups()  # pyright: ignore[reportOptionalMemberAccess]
            assert extra in (metadata(name).get_all("Provides-Extra") or ())


def test_a_page_that_shows_something_else_is_noticed(tmp_path: Path) -> None:
    terminals = Terminals(tmp_path)
    terminals.follow(Step("ann", "echo k3f8a2mq is new", "p7qdxw10 is new"))
    terminals.follow(Step("ann", "echo p7qdxw10", "p7qdxw10"))
    for shown in ("k3f8a2mq is old", "q4mz8s2r", "p7qdxw10 is new\nand more"):
        with pytest.raises(AssertionError, match="the page shows"):
            terminals.follow(Step("ann", "echo p7qdxw10 is new", shown))
