"""Baselines of the suite `secrets`: a list of patterns as memories of agents have it, and plain detect-secrets."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

# Fourteen, as several of the peers have them (their lists differ in detail and are alike in what they leave out).
_LIST = tuple(
    re.compile(pattern)
    for pattern in (
        r"sk-[A-Za-z0-9_-]{20,}",
        r"sk-ant-[A-Za-z0-9_-]{20,}",
        r"ghp_[A-Za-z0-9]{36}",
        r"github_pat_[A-Za-z0-9_]{22,}",
        r"glpat-[A-Za-z0-9_-]{20,}",
        r"xoxb-[A-Za-z0-9-]{20,}",
        r"AKIA[0-9A-Z]{16}",
        r"AIza[0-9A-Za-z_-]{35}",
        r"npm_[A-Za-z0-9]{36}",
        r"eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}",
        r"(?i)bearer\s+[A-Za-z0-9._~+/=-]{20,}",
        r"(?i)(?:api[_-]?key|apikey)[\"']?\s*[:=]\s*[\"']?[A-Za-z0-9_-]{16,}",
        r"(?i)(?:secret|token|password)[\"']?\s*[:=]\s*[\"']?[^\s\"']{16,}",
        r"(?is)<private>.*?</private>",
    )
)


def with_patterns(text: str) -> str:
    """The text without what the fourteen patterns match."""
    for pattern in _LIST:
        text = pattern.sub("[REDACTED]", text)
    return text


@contextmanager
def with_detect_secrets() -> Generator[Callable[[str], str]]:
    """A function that takes out what detect-secrets finds in a file with the text, with all of its plugins and filters
    as they are by default. Nothing is verified."""
    from detect_secrets.core.secrets_collection import SecretsCollection  # late: 0.3 s, with an unused HTTP client
    from detect_secrets.settings import default_settings

    with tempfile.TemporaryDirectory() as folder, default_settings():
        path = Path(folder) / "text.txt"

        def clean(text: str) -> str:
            path.write_text(text, encoding="utf-8")
            found = SecretsCollection()
            found.scan_file(str(path))
            values = {secret.secret_value or "" for _, secret in found} - {""}
            for value in sorted(values, key=len, reverse=True):
                text = text.replace(value, "[REDACTED]")
            return text

        yield clean
