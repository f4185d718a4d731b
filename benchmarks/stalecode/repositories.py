"""Which histories rules and weights may be developed on, and which judge them. Fixed here, so that nobody chooses late.

A repository of `JUDGE` may not be read for choosing a weight, a rule or a model, and no encoder may be trained on it.
"""

from __future__ import annotations

DEVELOP = ("pallets/flask", "pallets/click", "encode/httpx", "gin-gonic/gin", "junit-team/junit4")
"""Python, Go and Java."""

JUDGE = (
    "psf/requests",
    "httpie/cli",
    "tornadoweb/tornado",
    "hynek/structlog",
    "modelcontextprotocol/python-sdk",
    "google/gson",
    "spf13/cobra",
    "BurntSushi/ripgrep",
    "guzzle/guzzle",
    "square/okio",
)
"""Python, Java, Go, Rust, PHP and Kotlin: three languages that nothing was developed on."""


def part_of(repository: str) -> str:
    """`develop`, `judge`, or `other` for a repository that is in neither list."""
    return "develop" if repository in DEVELOP else "judge" if repository in JUDGE else "other"
