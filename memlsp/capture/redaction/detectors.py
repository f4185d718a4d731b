"""The detectors of detect-secrets, for their patterns alone.

Nothing is verified: verification is what would go to the network, and it is never called. Importing them costs 0.15 s,
because each imports an HTTP client for it, so their patterns are read once for an installed version and kept.
"""

from __future__ import annotations

import os
import sys

from memlsp.capture.redaction.compiled_patterns import DOORWAY
from memlsp.capture.redaction.spans import Secret

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

    # kind, pattern, flags, fixed parts of which one is in every match, shortest match or 0 when it may hold spaces
    Row = tuple[str, str, int, tuple[str, ...], int]

_LONG_RUN = DOORWAY.pattern(r"[A-Za-z0-9+/=_.:-]{10,}+")  # the shortest that any of them finds
_IGNORECASE = 2


class _Detector:
    """One pattern, and what a text must have before it is worth compiling."""

    __slots__ = ("folds", "kind", "least", "parts", "pattern")

    def __init__(self, row: Row) -> None:
        self.kind, source, flags, self.parts, self.least = row
        self.folds = bool(flags & _IGNORECASE)
        self.pattern: re.Pattern[str] = DOORWAY.pattern(source, flags)

    def might_find(self, text: str, folded: str, longest: int) -> bool:
        where = folded if self.folds else text
        return longest >= self.least and (not self.parts or any(part in where for part in self.parts))


_DETECTORS: list[_Detector] = []


def detected_secrets(text: str, folded: str) -> Iterator[Secret]:
    """What the detectors find; not in order, perhaps overlapping. `folded` is the text in lower case."""
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
    """Have their patterns known, so that they can be kept."""
    _detectors()


def _detectors() -> list[_Detector]:
    if not _DETECTORS:
        rows: tuple[Row, ...] = DOORWAY.fact(f"detect-secrets {_version()}", _read)
        _DETECTORS.extend(_Detector(row) for row in rows)
    return _DETECTORS


def _read() -> tuple[Row, ...]:
    from memlsp.capture.redaction.detector_patterns import rows  # late: once for an installed version

    return rows()


def _version() -> str:
    """A stamp of the installed package, from the folder that it would be imported from."""
    for folder in sys.path:
        try:
            stamp = os.stat(os.path.join(folder, "detect_secrets", "__version__.py"))
        except (OSError, ValueError):
            continue
        return f"{stamp.st_mtime_ns} {stamp.st_size}"
    return ""


def _could_be(text: str) -> bool:
    """Generated tokens have digits; long names in source code have few or none."""
    return sum(map(str.isdigit, text)) >= 2


def _joined(text: str, position: int) -> bool:
    return 0 <= position < len(text) and (text[position].isalnum() or text[position] in "_+/")
