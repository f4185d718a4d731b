"""Mines comments that give a reason or a rule: `NOTE:`, `HACK:`, because, must, otherwise. Only comments on lines of
their own are read, a block at a time; they are tied to the enclosing code."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from attrs import frozen

from memlsp.beliefs.mining.findings import MinedStatement, printable, with_full_stop
from memlsp.beliefs.mining.passages import sentences
from memlsp.beliefs.mining.worth import worth_of
from memlsp.code.vocabulary import patterns, texts
from memlsp.model.belief import BeliefKind

MOST_OF_A_FILE = 3
"""Proposals from the comments of one file at the most."""

_LEAST_WORTH = 4.2
_LONGEST_BLOCK = 1_200  # characters; what is longer is an essay or a disabled piece of code
_MARKERS = {suffix: sign for sign, suffixes in texts(__name__).items() for suffix in suffixes.split()}
_LINE = {"#": "hash_line", "/": "slash_line", "-": "dash_line"}
_RE = patterns(__name__)


@frozen
class CommentBlock:
    """Consecutive comment lines: their text in one line, first and last line (from 1)."""

    text: str
    first_line: int
    last_line: int


def reads(path: str) -> bool:
    """True for source files other than tests, examples and generated files."""
    return _marker(path) != "" and not _RE["elsewhere"].search(path)


def from_comments(path: str, text: str) -> list[MinedStatement]:
    """The statements in a source file's comments, the most worth first; at most `MOST_OF_A_FILE`."""
    if not reads(path) or (_RE["license"].search(text[:400]) and "generated" in text[:400].lower()):
        return []
    lines = text.splitlines()
    found = [each for block in blocks(path, lines) for each in _of_block(block, lines)]
    found.sort(key=lambda each: (-each.worth, each.first_line or 0))
    return found[:MOST_OF_A_FILE]


def blocks(path: str, lines: Sequence[str]) -> Iterator[CommentBlock]:
    """The comments of a file that stand on lines of their own."""
    line_of = _RE[_LINE[_marker(path)]]
    slash = _marker(path) == "/"
    held: list[str] = []
    first = 0
    inside = False
    for number, line in enumerate([*lines, ""], 1):
        said: str | None = None
        opened = _RE["block_open"].match(line) if slash and not inside else None
        if inside:
            said = re.sub(r"^\s*\*? ?", "", line.split("*/")[0])
            inside = "*/" not in line
        elif opened:
            said = opened[1]
            inside = not opened[2]
        elif (commented := line_of.match(line)) is not None:
            said = commented[1]
        if said is not None and said.strip() and not _RE["section"].match(said.strip()):
            if not held:
                first = number
            elif _RE["begins"].match(said.strip()) and not _RE["open_end"].search(held[-1]):
                held[-1] += "."
            held.append(said.strip())
            continue
        if held:
            yield CommentBlock(" ".join(held), first, number - 1)
            held = []


def _of_block(block: CommentBlock, lines: Sequence[str]) -> Iterator[MinedStatement]:
    text = printable(block.text)
    if not 25 <= len(text) <= _LONGEST_BLOCK or _is_code(block, lines):
        return
    if _RE["left"].search(text) or _RE["license"].search(text):
        return
    mark = _RE["mark"].match(text)
    marked = mark is not None
    text = text[mark.end() :] if mark else text
    if not (marked or _RE["tells_why"].search(text)):
        return
    statement = _statement(text, marked=marked)
    if not statement or _RE["left"].search(statement) or (not marked and _documents(block, lines)):
        return
    if _RE["fragment"].match(statement):
        return
    worth = worth_of(statement, anchored=True, marked=marked)
    score = worth.score + (1.0 if marked else 0.0)
    if not worth.score or score < _LEAST_WORTH:
        return
    kind = worth.kind
    if mark and mark["mark"] in {"HACK", "WARNING", "WARN", "CAUTION", "DANGER", "GOTCHA", "CAVEAT", "XXX"}:
        kind = BeliefKind.GOTCHA
    quote = "\n".join(lines[block.first_line - 1 : block.last_line])
    yield MinedStatement(_ended(statement), kind, quote, score, block.first_line, block.last_line)


def _statement(text: str, *, marked: bool) -> str:
    """A short comment whole; of a longer one the sentence with the reason, and the one before where that fits."""
    parts = sentences(text)
    if len(text) <= 280:
        return text
    for number, part in enumerate(parts):
        if _RE["tells_why"].search(part) or (marked and number == 0):
            before = f"{parts[number - 1]} " if number and len(parts[number - 1]) + len(part) <= 320 else ""
            return (before + part)[:400] if len(part) <= 380 else ""
    return ""


def _is_code(block: CommentBlock, lines: Sequence[str]) -> bool:
    """True for code that was commented out."""
    stripped = [
        re.sub(r"^\s*(?:#+|//+|--+|/?\*+)\s?", "", line) for line in lines[block.first_line - 1 : block.last_line]
    ]
    list_items = sum(line.startswith(("- ", "* ", "1.", "2.", "@", "$ ", "> ")) for line in stripped)
    signs = sum(not (sign.isalnum() or sign.isspace()) for line in stripped for sign in line)
    if signs * 5 > sum(map(len, stripped)):
        return True
    return sum(_RE["code_line"].search(line) is not None for line in stripped) * 3 > len(stripped) or list_items > 1


def _documents(block: CommentBlock, lines: Sequence[str]) -> bool:
    """True for a Go doc comment, which begins with the name of its definition."""
    below = lines[block.last_line] if block.last_line < len(lines) else ""
    return re.match(rf"\s*(?:func|type|var|const|package)\b.*\b{re.escape(block.text.split()[0])}\b", below) is not None


def _ended(text: str) -> str:
    first = text.partition(" ")[0]
    if first.isalpha() and first.islower():
        text = text[0].upper() + text[1:]
    return with_full_stop(text)


def _marker(path: str) -> str:
    """The sign that a comment of the language begins with; "" for other files."""
    return _MARKERS.get(PurePosixPath(path).suffix.lower(), "")
