"""Secrets found by the patterns of detect-secrets' detectors.

Their verification, which would use the network, is never called. Importing them takes 0.15 s, since each imports an
HTTP client, so the patterns are read once for an installed version and cached.
"""

from __future__ import annotations

import os
import sys

from memlsp.capture.redaction.pattern_cache import IGNORECASE, PATTERNS
from memlsp.capture.redaction.spans import Secret

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Iterator

    # kind, pattern, flags, fixed parts of which every match has one (in lower case when it ignores case), and the
    # length of the shortest match, 0 when one may contain white space
    Row = tuple[str, str, int, tuple[str, ...], int]

# Left out are detectors whose patterns take more than linear time on hostile input and whose secrets our own rules find
# (Cloudant, IBM, JWT, npm, OpenAI, Softlayer), that do not point at the secret (PrivateKey), and that raise false
# alarms in source code (BasicAuth, high entropy, keyword, public IP).
_PLUGINS = (
    *("artifactory", "aws", "azure_storage_key", "discord", "github_token", "gitlab_token", "mailchimp", "pypi_token"),
    *("sendgrid", "slack", "square_oauth", "stripe", "telegram_token", "twilio"),
)
_LONG_RUN = PATTERNS.pattern(r"[A-Za-z0-9+/=_.:-]{10,}+")  # the shortest that any of them finds


class _Detector:
    __slots__ = ("folds", "kind", "least", "parts", "pattern")

    def __init__(self, row: Row) -> None:
        self.kind, source, flags, self.parts, self.least = row
        self.folds = bool(flags & IGNORECASE)
        self.pattern: re.Pattern[str] = PATTERNS.pattern(source, flags)

    def might_find(self, text: str, folded: str, longest: int) -> bool:
        where = folded if self.folds else text
        return longest >= self.least and (not self.parts or any(part in where for part in self.parts))


_DETECTORS: list[_Detector] = []


def detected_secrets(text: str, folded: str) -> Iterator[Secret]:
    """Yield secrets, unordered and perhaps overlapping. `folded` is the text in lower case."""
    if not any(_could_be(run[0]) for run in _LONG_RUN.finditer(text)):
        return
    longest = max(map(len, text.split()))
    for detector in _detectors():
        if not detector.might_find(text, folded, longest):
            continue
        pattern = detector.pattern
        for found in pattern.finditer(text):
            group = next((number for number in range(1, pattern.groups + 1) if len(found[number] or "") >= 16), 0)
            start, end = found.span(group)
            while start < end and not text[start].isalnum():
                start += 1
            while end > start and not text[end - 1].isalnum() and text[end - 1] not in "=_-":
                end -= 1
            whole = not _joined(text, start - 1) and not _joined(text, end)
            if whole and _could_be(text[start:end]):
                yield Secret(start, end, detector.kind)


def prepare() -> None:
    """Register all patterns, so that the cache can store them."""
    _detectors()


def _detectors() -> list[_Detector]:
    if not _DETECTORS:
        rows: tuple[Row, ...] = PATTERNS.value(f"detect-secrets {_version()}", _read)
        _DETECTORS.extend(_Detector(row) for row in rows)
    return _DETECTORS


def _read() -> tuple[Row, ...]:
    from importlib import import_module  # late, both: once for an installed version

    from memlsp.capture.redaction.pattern_compiler import fixed_parts, may_hold_space, parsed_pattern

    rows: list[Row] = []
    for module in _PLUGINS:
        plugin = import_module(f"detect_secrets.plugins.{module}")
        own = (each for each in vars(plugin).values() if getattr(each, "__module__", "") == plugin.__name__)
        denylist: Iterable[re.Pattern[str]] = next(each.denylist for each in own if hasattr(each, "denylist"))
        for pattern in denylist:
            flags = int(pattern.flags)
            tree = parsed_pattern(pattern.pattern, flags)
            parts = tuple(part.lower() if flags & IGNORECASE else part for part in fixed_parts(tree))
            least = 0 if may_hold_space(tree) else int(tree.getwidth()[0])
            rows.append((module.replace("_", "-"), pattern.pattern, flags, parts, least))
    return tuple(rows)


def _version() -> str:
    """Return a stamp of the installed package, without importing it."""
    for folder in sys.path:
        try:
            stamp = os.stat(os.path.join(folder, "detect_secrets", "__version__.py"))
        except (OSError, ValueError):
            continue
        return f"{stamp.st_mtime_ns} {stamp.st_size}"
    return ""


def _could_be(text: str) -> bool:
    """Return True for text with digits: generated tokens have some, long names in source code few or none."""
    return sum(map(str.isdigit, text)) >= 2


def _joined(text: str, position: int) -> bool:
    return 0 <= position < len(text) and (text[position].isalnum() or text[position] in "_+/")
