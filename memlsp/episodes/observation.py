"""The signs by which an event is assigned to a task: words, files, symbols, names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from attrs import astuple, field, frozen

from memlsp.code.syntax.names import words
from memlsp.model.event import Event, EventKind

MOST_WORDS = 60
"""The first words and names of one event, which are compared."""

_TOKEN = re.compile(r"[^\W\d]\w*")
_QUOTED = re.compile(r"`([^`]{2,80})`")


# Issue numbers and the subjects of merges name the branch that work came from, not its topic.
_NUMBER = re.compile(r"(?:\b(?:GH|PR|issue|pull request)[-\s]?)?#\d+\b|\bGH-\d+\b", re.IGNORECASE)
_MERGE = re.compile(
    r"^\s*merged? (?:pull request|branch|remote|commit|tag|upstream|master|main|with|from|in)\b", re.IGNORECASE
)
_EMPTY = frozenset(Path(__file__).with_name("stop_words.txt").read_text(encoding="utf-8").split())
_ENDINGS = ("ations", "ation", "ings", "ing", "ies", "ied", "ers", "er", "es", "ed", "s", "e", "y")


@frozen
class Signs:
    """The signs of one or several events, as plain sets that can be united and stored.

    `words` has the stems of prompts and messages, `paths` the files written, `seen` the files only read, `symbols` the
    changed symbols as `PATH#dotted.name`, `names` the identifiers that an edit added or removed.
    """

    words: frozenset[str] = field(default=frozenset(), converter=frozenset[str])
    paths: frozenset[str] = field(default=frozenset(), converter=frozenset[str])
    seen: frozenset[str] = field(default=frozenset(), converter=frozenset[str])
    symbols: frozenset[str] = field(default=frozenset(), converter=frozenset[str])
    names: frozenset[str] = field(default=frozenset(), converter=frozenset[str])

    def __bool__(self) -> bool:
        return bool(self.words or self.paths or self.seen or self.symbols or self.names)

    def __or__(self, other: Signs) -> Signs:
        both = zip(astuple(self, recurse=False), astuple(other, recurse=False), strict=True)
        return Signs(*(mine | theirs for mine, theirs in both))


NOTHING = Signs()
"""No signs."""


def signs_of(event: Event) -> Signs:
    """The signs of an event, from what was visible when it happened."""
    changed = [ref for change in event.changes for ref in (change.old, change.new) if ref is not None]
    names = [name for change in event.changes for name in names_in(change.sentence)]
    names += [part for ref in changed for part in ref.name.split(".")]
    said = event.text if event.kind in _SAID else ""
    is_written = event.kind in _WRITING
    return Signs(
        words=list(stems(said))[:MOST_WORDS],
        paths=event.paths if is_written else (),
        seen=() if is_written else event.paths,
        symbols=[f"{ref.path}#{ref.name}" for ref in changed],
        names=[name for name in dict.fromkeys(names) if len(name) > 1][:MOST_WORDS],
    )


_SAID = frozenset({EventKind.PROMPT, EventKind.PLAN, EventKind.COMMIT, EventKind.NOTE})
_WRITING = frozenset({EventKind.EDIT, EventKind.FILES, EventKind.COMMIT})


def without_references(text: str) -> str:
    """A subject without issue numbers; "" for that of a merge."""
    return "" if _MERGE.match(text) else _NUMBER.sub(" ", text).strip()


@lru_cache(maxsize=4_096)
def first_said(text: str) -> str:
    """The first line of a prompt or a commit's message, without references."""
    return without_references(text.strip().partition("\n")[0])


def stems(text: str) -> Iterable[str]:
    """The stems of a text without stop words, each once, in order; identifiers are split (`fetchUser` -> fetch, user)
    and kept whole too."""
    found: dict[str, None] = {}
    for token in _TOKEN.findall(without_references(text)):
        parts = words(token)
        for part in (*parts, token.lower()) if len(parts) > 1 else parts:
            if len(part) > 1 and part not in _EMPTY:
                found[stem(part)] = None
    return found


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """A word without its ending, where four letters remain: `parsing`, `parses` and `parser` have one stem."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word


def names_in(sentence: str) -> list[str]:
    """The identifiers that a sentence about a change names, in order."""
    return [name for quoted in _QUOTED.findall(sentence) for name in _TOKEN.findall(quoted)]
