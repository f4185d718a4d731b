"""A small project in a real git repository, for tests that need one."""

from __future__ import annotations

import subprocess
from pathlib import Path

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
        self.git("init", "--quiet", "--initial-branch", "main")
        self.git("config", "user.name", "Ann Ode")
        self.git("config", "user.email", "ann@example.org")

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
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", message)
        return self.git("rev-parse", "HEAD").strip()


def shop(root: Path) -> Project:
    """A project with taxes, rates and a client, committed once."""
    project = Project(root)
    project.write("pricing/__init__.py", "")
    project.write("pricing/tax.py", TAX)
    project.write("pricing/rates.py", RATES)
    project.write("client.py", CLIENT)
    project.commit("Add the shop")
    return project
