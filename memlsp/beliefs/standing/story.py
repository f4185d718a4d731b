"""The reason why a belief does not hold, in a few words: what an editor underlines has room for no sentence."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memlsp.code.diff.quotes import code_pair
from memlsp.code.vocabulary import patterns, texts
from memlsp.model.standing import Judgement, Reason, Tie

_RE = patterns(__name__)
_LONGEST = 64
_WINDOW = 20  # characters of each side of a change
_SHORT = texts(__name__)


def reasons_at(judgement: Judgement, tie: Tie | None) -> Sequence[Reason]:
    """The reasons at one place of a belief, those of the whole belief where the place has none of its own."""
    own = tie.reasons if tie is not None and (tie.standing is judgement.standing or not tie.standing.holds) else ()
    return own or judgement.reasons


def brief_of(reason: Reason | None, symbol: str, path: str) -> tuple[str, str]:
    """A reason in about 64 characters, as it reads at `symbol` of a file, and the words of the statement that it is
    about ("": none are named): ("tries 3 → 5", "three")."""
    message = " ".join(reason.message.split()).rstrip(". ") if reason is not None else ""
    said = _RE["said"].search(message)
    text = _without_label(_RE["unsaid"].sub("", message), symbol)
    for name, words in _SHORT.items():
        text = _RE[name].sub(lambda found, words=words: words.format(found["what"]), text)
    text = _RE["uses"].sub(_used, text.removesuffix(f" in {path}"))
    for number in range(1, 6):
        text = _RE[f"change_{number}"].sub(_arrow, text)
    return _shortened(text), (said[1] or "") if said else ""


def _without_label(text: str, symbol: str) -> str:
    """The text without its subject where that is the place itself; a member keeps its own name."""
    found = _RE["label"].match(text)
    name = found["name"] if found else None
    if found is None or (name is None and symbol) or text[found.end() :].startswith("is "):
        return text
    rest = text[found.end() :]
    if name is None or name == symbol or symbol.endswith(f".{name}"):
        return rest
    return f"{_bare(name.removeprefix(f'{symbol}.'))} {rest}" if name.startswith(f"{symbol}.") else text


def _used(found: re.Match[str]) -> str:
    parts = found["values"].split(" -> ")  # a type of a function has an arrow of its own
    old, new = (" -> ".join(side) for side in (parts[: len(parts) // 2], parts[len(parts) // 2 :]))
    place = (found["place"] or "").rpartition("/")
    return f"{_bare(found['name'])} {_change(old, new)}{f' in {place[2]}' if place[1] else place[2]}"


def _arrow(found: re.Match[str]) -> str:
    parts = found.groupdict("")
    words = (parts.get("verb", ""), _bare(parts.get("name", "")), _change(found["old"], found["new"]))
    return " ".join(filter(None, words))


def _change(old: str, new: str) -> str:
    sides = code_pair(old.strip("`"), new.strip("`"), _WINDOW)
    return " \N{RIGHTWARDS ARROW} ".join(_bare(side) for side in sides)


def _bare(span: str) -> str:
    """A name or number without the marks of code."""
    inside = span.strip("`")
    return inside if _RE["plain"].fullmatch(inside) else span


def _shortened(text: str) -> str:
    """As many whole clauses as there is room for, the first at least."""
    ends = [found.start() for found in _RE["clause"].finditer(text)]
    if len(text) > _LONGEST and ends:
        text = text[: max((end for end in ends if end <= _LONGEST), default=ends[0])]
    return text
