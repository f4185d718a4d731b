"""Checks whether a belief's source still says it: documents and comments, whose words can be looked for."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from memlsp.beliefs.files import Files
from memlsp.beliefs.mining.findings import printable
from memlsp.beliefs.reasons import ReasonCode, reason
from memlsp.model.belief import Evidence, EvidenceKind
from memlsp.model.errors import MemlspError
from memlsp.model.standing import Reason

CHECKED_KINDS = frozenset({EvidenceKind.DOCUMENT, EvidenceKind.COMMENT})
"""Evidence that lies in files of the workspace."""

_MARGIN = re.compile(r"^\s*(?:(?:#+|//+[/!]?|--+|/\*+|\*+/?|;+|%+|>+|[-+\u2022]|\d{1,3}[.)])(?=\s|$)\s*)?|\s*\*+/\s*$")


def missing_source(evidence: Evidence, worktree: Files, elsewhere: Iterable[str] = ()) -> Reason | None:
    """Why a passage no longer supports a belief; None while it stands in its file, or cannot be looked for.

    `elsewhere` are other files that it may have moved to with its code. Line breaks, indentation and comment marks do
    not matter.
    """
    if evidence.kind not in CHECKED_KINDS or not evidence.path:
        return None
    wanted = _plain(evidence.quote)
    gone = True
    for path in dict.fromkeys((evidence.path, *elsewhere)):
        try:
            data = worktree.read(path)
        except (MemlspError, OSError):
            return None  # what cannot be read now says nothing
        if data is None:
            continue
        gone = gone and path != evidence.path
        if wanted in _text(data):
            from memlsp.beliefs.mining.documents import dead_status  # late: few beliefs are from documents

            status = dead_status(path, data.decode("utf-8", "replace"))
            return _told(f"{path} is {printable(status)[:80]} now", evidence) if status else None
    return _told(f"{evidence.path} is gone" if gone else f"{evidence.path} no longer says so", evidence)


def _told(message: str, evidence: Evidence) -> Reason:
    return reason(ReasonCode.SOURCE_CHANGED, message, evidence.path)


@lru_cache(maxsize=32)
def _text(data: bytes) -> str:
    return _plain(data.decode("utf-8", "replace"))


def _plain(text: str) -> str:
    return " ".join(printable(_MARGIN.sub(" ", line)) for line in text.splitlines() if line.strip()).replace("  ", " ")
