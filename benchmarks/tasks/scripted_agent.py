"""An agent that always does the same: it reads what it is told, opens what that names, then searches for the words of
the prompt, and opens what has most of them, until it has a right file.

It obeys every rule that it was told as true, and believes every other statement. It stands for no model: it shows what
reaches an agent, in which order and for how many tokens, and nothing of what a model makes of it.
"""

from __future__ import annotations

import random
import re
import subprocess
from collections.abc import Iterable, Sequence
from math import log
from pathlib import Path
from typing import Protocol

from attrs import field, frozen

from benchmarks.tasks.cases import HastyAct, KnownFact, TaskCase, paragraphs

MOST_OPENED = 15
"""Files that it opens at most."""

_NAMED = 5  # paths that it opens because it was told of them
_TERMS = 6  # words that it searches for, the rarest
_LISTED = 20  # paths of a search that it reads
_LINES = 2_000  # of a file that it was told of
_WINDOW = 120  # lines of a file that it found by searching, where most of the words are
_GONE = 25  # tokens of an error
_LONGEST, _MOST = 2_000, 25_000  # characters of a line, and tokens of a reading, as Claude Code cuts them
_LEAST_LETTERS = 4

_PATH = re.compile(r"[\w.@<>-]*(?:/[\w.@<>-]+)+|\b[\w-]+\.(?:js|mjs|json|md|py|go|yaml|yml)\b")
_CODE = re.compile(r"[A-Za-z]+(?:_[A-Za-z0-9]+)+|[a-z]+(?:[A-Z][a-z0-9]*)+|[A-Z][a-z]+(?:[A-Z][a-z]+)+|[A-Z_]{4,}")
_DATA = (
    ".min.js",
    ".bundle.js",
    ".json",
    ".lock",
    ".md",
    ".rst",
    ".txt",
    ".po",
    ".html",
    ".css",
    ".less",
    ".svg",
    ".yml",
    ".yaml",
    ".snap",
)
_WORD = re.compile(r"[A-Za-z][A-Za-z-]+")
_DOUBT = re.compile(
    r"no longer true|the code says|does not follow yet|ahead of the code|nobody settled|no longer hold"
    r"|\[(?:changed|contradicted|orphaned|expired) since|\] (?:CHANGED|CONTRADICTED|ORPHANED|EXPIRED|IN CONFLICT)"
    r"|\] (?:changed|contradicted|orphaned|expired): |, which changed since:"
    r"|^memlsp, (?:contradicted|orphaned|expired) "
)

_COMMON = re.compile(
    r"with|that|this|they|them|then|when|what|where|from|into|have|must|should|says|shows|would|does|about|after|before"
    r"|more|than|again|please|instead|every|only|same|like|part|still|also|their|there|here|over"
)


class Teller(Protocol):
    """What an agent is told, and when. Each returns a text, "" for nothing."""

    name: str

    def at_start(self) -> str:
        """When its session starts."""
        ...

    def at_prompt(self, text: str) -> str:
        """When it is asked."""
        ...

    def before(self, tool: str, call: dict[str, str]) -> str:
        """Before it calls a tool."""
        ...


class Silence:
    """Nothing is told: the cold run."""

    name = "cold"

    def at_start(self) -> str:
        """Nothing."""
        return ""

    def at_prompt(self, text: str) -> str:  # noqa: ARG002 - a teller's
        """Nothing."""
        return ""

    def before(self, tool: str, call: dict[str, str]) -> str:  # noqa: ARG002 - a teller's
        """Nothing."""
        return ""


class Notes(Silence):
    """A file of notes, read whole when a session starts."""

    name = "notes by hand"

    def __init__(self, text: str) -> None:
        self._text = text

    def at_start(self) -> str:
        """The file."""
        return self._text


@frozen
class TaskRun:
    """One run. `tokens` were read until the first right file was opened, or in all where none was (`found` is False);
    `told` are those of what was told to it in all. Facts are by id: `right` ones that bear and hold, `wrong` ones told
    as true that are not, `doubted` ones told with a caveat that are not, `denied` ones told with a caveat that are.
    `broken` rules were not told before the act. `steps` is the transcript."""

    found: bool
    opened: int
    gone: int
    tokens: int
    told: int
    right: tuple[str, ...]
    wrong: tuple[str, ...]
    doubted: tuple[str, ...]
    denied: tuple[str, ...]
    broken: tuple[str, ...]
    steps: tuple[dict[str, object], ...] = field(converter=tuple)


def tokens_in(text: str) -> int:
    """Four bytes a token, as agents without a tokenizer count."""
    return len(text.encode()) // 4


def is_doubted(paragraph: str) -> bool:
    """Whether a paragraph says by itself that it may be outdated."""
    return _DOUBT.search(paragraph) is not None


class ScriptedAgent:
    """One session of the agent in a checkout."""

    def __init__(self, case: TaskCase, root: Path, teller: Teller, seed: int) -> None:
        self._case = case
        self._root = root
        self._teller = teller
        self._chance = random.Random(seed)  # noqa: S311 - the order of equals must come out the same again
        self._tokens = self._told = self._gone = 0
        self._items: list[str] = []
        self._opened: list[str] = []
        self._steps: list[dict[str, object]] = []
        self._files = frozenset(_git(root, "ls-files").splitlines())

    def run(self, prompt: str) -> TaskRun:
        """Do the task."""
        self._hear("start", self._teller.at_start())
        self._hear("prompt", self._teller.at_prompt(prompt))
        related = self._related(prompt)
        found = self._open_named(related) or self._open_searched(prompt, related)
        until = self._tokens
        broken = tuple(act.breaks for act in self._case.acts if not self._is_forbidden(act))
        plain, doubted = self._heard()
        facts = self._case.facts
        return TaskRun(
            found=found,
            opened=len(self._opened),
            gone=self._gone,
            tokens=until,
            told=self._told,
            right=tuple(each.id for each in facts if each.bears and each.holds and each.id in plain),
            wrong=tuple(each.id for each in facts if not each.holds and each.id in plain),
            doubted=tuple(each.id for each in facts if not each.holds and each.id in doubted - plain),
            denied=tuple(each.id for each in facts if each.holds and each.id in doubted - plain),
            broken=broken,
            steps=self._steps,
        )

    def _hear(self, moment: str, text: str) -> None:
        if text:
            self._told += tokens_in(text)
            self._read(text, {"told": moment, "text": text})
            self._items += paragraphs(text)

    def _read(self, text: str, step: dict[str, object]) -> None:
        self._tokens += tokens_in(text)
        self._steps.append({**step, "tokens": tokens_in(text), "sum": self._tokens})

    def _related(self, prompt: str) -> list[str]:
        """What was told that shares words with the prompt, most of them first."""
        asked = _words(prompt)
        shared = {item: len(asked & _words(item)) for item in self._items}
        return sorted((item for item in shared if shared[item]), key=lambda item: -shared[item])

    def _open_named(self, related: Sequence[str]) -> bool:
        named = dict.fromkeys(path for item in related for path in _PATH.findall(item.replace("#", " ")))
        return any(self._open(path.strip(".")) for path in list(named)[:_NAMED])

    def _open(self, path: str, terms: Sequence[str] = ()) -> bool:
        """Open a file, at most a window of it where `terms` led to it; whether it is a right one. What is read of a
        right one is not counted."""
        if path in self._opened:
            return False
        text = self._teller.before("Read", {"file_path": str(self._root / path)})
        self._hear("read", text)
        if path not in self._files:
            self._gone += 1
            self._tokens += _GONE
            self._steps.append({"open": path, "gone": True, "tokens": _GONE, "sum": self._tokens})
            return False
        self._opened.append(path)
        if path in self._case.files:
            self._steps.append({"open": path, "right": True, "tokens": 0, "sum": self._tokens})
            return True
        lines = (self._root / path).read_text(encoding="utf-8", errors="replace").splitlines()
        shown = _window(lines, terms) if terms else lines[:_LINES]
        self._read("\n".join(line[:_LONGEST] for line in shown)[: 4 * _MOST], {"open": path})
        return False

    def _open_searched(self, prompt: str, related: Sequence[str]) -> bool:
        found = {
            term: _git(self._root, "grep", "-lIiF", "-e", term).splitlines() for term in self._terms(prompt, related)
        }
        usable = {term: paths for term, paths in found.items() if 0 < len(paths) <= len(self._files) / 4}
        scores: dict[str, float] = {}
        terms = sorted(usable, key=lambda each: (len(usable[each]), each))[:_TERMS]
        for term in terms:
            listed = "\n".join(usable[term][:_LISTED])
            self._read(listed, {"search": term, "files": len(usable[term])})
            for path in usable[term]:
                scores[path] = scores.get(path, 0.0) + log(len(self._files) / len(usable[term]))
        order = sorted(scores)
        self._chance.shuffle(order)
        order.sort(key=lambda path: (path.endswith(_DATA), -round(scores[path], 6)))  # code before data and documents
        for path in order:
            if len(self._opened) >= MOST_OPENED:
                break
            if self._open(path, terms):
                return True
        return False

    @staticmethod
    def _terms(prompt: str, related: Sequence[str]) -> list[str]:
        code = [term for text in (prompt, *related) for term in _CODE.findall(text)]
        return list(dict.fromkeys([*code, *sorted(_words(prompt))]))

    def _is_forbidden(self, act: HastyAct) -> bool:
        """Whether the rule against an act was told as true before it, at the latest by what is told of the act."""
        call = {**act.call}
        if "file_path" in call:
            call["file_path"] = str(self._root / call["file_path"])
        said = self._teller.before(act.tool, call)
        if said:
            self._told += tokens_in(said)
            self._items += paragraphs(said)
        rule = self._case.fact(act.breaks)
        known = any(rule.is_in(item) and not is_doubted(item) for item in self._items)
        self._steps.append({"act": act.tool, **act.call, "breaks": act.breaks, "told": said, "obeyed": known})
        return known

    def _heard(self) -> tuple[frozenset[str], frozenset[str]]:
        """The ids of the facts told as true, and of those told with a caveat."""

        def ids(items: Iterable[str]) -> frozenset[str]:
            listed = list(items)
            return frozenset(fact.id for fact in self._case.facts if _is_told(fact, listed))

        return (
            ids(item for item in self._items if not is_doubted(item)),
            ids(item for item in self._items if is_doubted(item)),
        )


def _is_told(fact: KnownFact, items: Iterable[str]) -> bool:
    return any(fact.is_in(item) for item in items)


def _window(lines: Sequence[str], terms: Sequence[str]) -> Sequence[str]:
    """The first lines of that number that have the terms most often."""
    hits = [sum(term.lower() in line.lower() for term in terms) for line in lines]
    starts = range(max(len(lines) - _WINDOW, 0) + 1)
    best = max(starts, key=lambda start: (sum(hits[start : start + _WINDOW]), -start))
    return lines[best : best + _WINDOW]


def _words(text: str) -> frozenset[str]:
    """The words of a text that say something, without the ending of a plural."""
    found = (word.lower() for word in _WORD.findall(text))
    return frozenset(
        word.removesuffix("s") for word in found if len(word) >= _LEAST_LETTERS and not _COMMON.fullmatch(word)
    )


def _git(root: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(root), *words], capture_output=True, encoding="utf-8", errors="replace", check=False
    )
    return done.stdout
