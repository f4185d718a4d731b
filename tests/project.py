"""A small project in a real git repository, for tests that need one."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pygit2
from pygit2.enums import RepositoryState

TAX = '''"""Taxes."""

from pricing.rates import RATE


def compute_tax(net: float) -> float:
    """The tax on a net price."""
    return round(net * RATE, 2)


class Invoice:
    """What a customer owes."""

    def total(self, net: float) -> float:
        """Net and tax."""
        return net + compute_tax(net)
'''
RATES = "RATE = 0.20\n"
CLIENT = '''import time


def fetch(url, retries=3, timeout=30):
    """Get a page."""
    for attempt in range(retries):
        try:
            return get(url, timeout=timeout)
        except IOError:
            time.sleep(attempt)
    raise TimeoutError(url)
'''

_ENVIRONMENT = {
    "GIT_AUTHOR_NAME": "Ann Ode",
    "GIT_AUTHOR_EMAIL": "ann@example.org",
    "GIT_COMMITTER_NAME": "Ann Ode",
    "GIT_COMMITTER_EMAIL": "ann@example.org",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_SYSTEM": "/dev/null",
    "PATH": "/usr/local/bin:/usr/bin:/bin",
}


class Project:
    """Files in a git repository at `root`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir(parents=True, exist_ok=True)
        made = pygit2.init_repository(root, initial_head="main")  # in this process: git would be started three times
        made.config["user.name"] = "Ann Ode"
        made.config["user.email"] = "ann@example.org"
        made.free()

    def git(self, *words: str, **environment: str) -> str:
        """Run git there; its output."""
        surroundings = _ENVIRONMENT | environment
        done = subprocess.run(
            ["git", *words], cwd=self.root, env=surroundings, check=True, capture_output=True, text=True, timeout=60
        )
        return done.stdout

    def write(self, path: str, text: str) -> Path:
        """Write a file."""
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        return target

    def replace(self, path: str, old: str, new: str) -> None:
        """Edit a file; `old` must be there."""
        text = (self.root / path).read_text(encoding="utf-8")
        assert old in text
        self.write(path, text.replace(old, new))

    def commit(self, message: str) -> str:
        """Commit everything; the hash."""
        repository = pygit2.Repository(self.root)
        try:
            if repository.state() is RepositoryState.NONE and not (self.root / ".gitattributes").exists():
                return _committed(repository, message)
        finally:
            repository.free()
        self.git("add", "--all")  # what git alone knows how to do: end a merge, convert lines
        self.git("commit", "--quiet", "--message", message)
        return self.git("rev-parse", "HEAD").strip()


def _committed(repository: pygit2.Repository, message: str) -> str:
    """As `git add --all` and `git commit` do it, without starting either."""
    repository.index.add_all()
    repository.index.write()
    parents: list[pygit2.Oid] = [] if repository.head_is_unborn else [repository.head.peel(pygit2.Commit).id]
    tree = repository.index.write_tree()
    assert not parents or repository[parents[0]].peel(pygit2.Tree).id != tree, "there is nothing to commit"
    who = pygit2.Signature("Ann Ode", "ann@example.org")
    return str(repository.create_commit("HEAD", who, who, f"{message}\n", tree, parents))


def shop(root: Path) -> Project:
    """A project with taxes, rates and a client, committed once."""
    project = Project(root)
    project.write("pricing/__init__.py", "")
    project.write("pricing/tax.py", TAX)
    project.write("pricing/rates.py", RATES)
    project.write("client.py", CLIENT)
    project.commit("Add the shop")
    return project
