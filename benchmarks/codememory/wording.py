"""A commit message as a task: what its author set out to do, without what points to other commits or to a tracker."""

from __future__ import annotations

import re
from collections.abc import Sequence

_LONGEST = 1_500  # characters of a task
_LEAST_WORDS = 4
_WORD = re.compile(r"[^\W\d_]{4,}")  # no list of stop words of any system decides what a task is

_TRAILER = re.compile(
    r"(?im)^\s*(?:signed-off-by|co-?authored-by|reviewed-by|acked-by|tested-by|reported-by|change-id|bug|issue|pr"
    r"|pull request|see also|refs?|closes?|closed|fix(?:e[sd])?|resolves?|piperorigin-revid|committed via|cc"
    r"|cherry picked from|this reverts|\(cherry picked)\b\s*[:#(-]?.*(?:#\d+|https?://|[0-9a-f]{7,40}|@).*$"
)
_URL = re.compile(r"https?://\S+")
_NUMBER = re.compile(r"\(?(?:\b[\w.-]+/[\w.-]+)?(?:#|\b(?:gh|issue|pr|bug)[ -]?#?)\d+\)?", re.IGNORECASE)
_HASH = re.compile(r"\b(?=[0-9a-f]*\d)[0-9a-f]{7,40}\b")
_CHORE = re.compile(
    r"(?i)^(?:revert|fixup!|squash!|merge\b|bump|release|prepare|version\b|changelog"
    r"|update (?:dev )?(?:dep|require|changelog)|\[maven-release"
    r"|back to dev|start version|auto|chore\(deps|\[pre-commit)"
)


def task_text(messages: Sequence[str]) -> str:
    """What the commits of a task say that they do, without hashes, numbers of issues, links and signatures; "" for
    housekeeping (releases, version bumps, reverts), whose words tell of no task."""
    if any(_CHORE.match(message.strip()) for message in messages):
        return ""
    parts: list[str] = []
    for message in messages:
        text = message.strip().replace("\r\n", "\n")
        for pattern in (_TRAILER, _URL, _NUMBER, _HASH):
            text = pattern.sub("", text)
        text = re.sub(r"[ \t]+", " ", text)
        text = re.sub(r"\n\s*\n+", "\n\n", text).strip()
        if text and text not in parts:
            parts.append(text)
    return "\n\n".join(parts)[:_LONGEST].strip()


def says_enough(text: str) -> bool:
    """True when it holds four words of four letters or more."""
    return len({word.lower() for word in _WORD.findall(text)}) >= _LEAST_WORDS
