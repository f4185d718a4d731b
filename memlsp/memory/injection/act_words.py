"""Words, names and paths of an act, compared with those of a clause. Without regular expressions."""

from __future__ import annotations

from memlsp.beliefs.acts.commands import tables

TYPE_CHECKING = False  # as in typing, without importing it
if TYPE_CHECKING:
    from collections.abc import Iterable

MOST_READ = 60_000
"""Characters of a text that are read."""

_SAMPLES = (".example", ".sample", ".template", ".dist", ".md", ".tpl")
_SIGNS = {at: " " for at in range(128) if not (chr(at).isalnum() or chr(at) == "_")}
_SHORT = 5  # letters
_FUNCTIONS = tables().words["functions"]


def parts_of(text: str) -> list[str]:
    """The words of a path, a name or an option, in lower case; camel case is taken apart."""
    found: list[str] = []
    word = ""
    for char in text:
        if not char.isalnum() or (char.isupper() and word and not word[-1].isupper()):
            if word:
                found.append(word.lower())
            word = ""
        if char.isalnum():
            word += char
    return [*found, word.lower()] if word else found


def words_of(text: str) -> list[str]:
    """The words of a text, each once, and the parts of those in camel case or with underscores."""
    found: list[str] = []
    for word in dict.fromkeys(text[:MOST_READ].translate(_SIGNS).split()):
        found.append(word.lower())
        if "_" in word or not (word.islower() or word.isupper()):
            found += parts_of(word)
    return found


def stems(words: Iterable[str]) -> Iterable[str]:
    """Words as a clause may name them: without an `s` too."""
    for word in words:
        yield word
        if word.endswith("s") and len(word) > 3:
            yield word[:-1]
            if word.endswith("es"):
                yield word[:-2]


def is_word(word: str, value: str) -> bool:
    """True for the word or its plural."""
    return word == value or (word.startswith(value) and word[len(value) :] in {"s", "es"})


def is_place(word: str, value: str) -> bool:
    """True where a word of a place is meant: `report` in `reporting`, and not `prod` in `products`."""
    more = len(word) - len(value)
    return is_word(word, value) or (len(value) > _SHORT and more < _SHORT and word.startswith(value) and word.isalpha())


def count(text: str, part: str) -> int:
    """How often a text holds a piece of code; names count as whole ones, names of functions not as methods."""
    found, at = 0, text.find(part)
    method = "._" if part[-1:] == "(" and part[:-1] in _FUNCTIONS else "_"
    while at >= 0:
        end = at + len(part)
        before, after = text[at - 1] if at else " ", text[end] if end < len(text) else " "
        starts = not _in_name(part[0]) or not (before.isalnum() or before in method)
        found += starts and not (_in_name(part[-1]) and _in_name(after))
        at = text.find(part, end)
    return found


def _in_name(char: str) -> bool:
    return char.isalnum() or char == "_"


def is_path(path: str, pattern: str) -> bool:
    """True when a path is the one that a pattern names, or lies in the folder that it names."""
    low, wanted = path.lower().removeprefix("./").rstrip("/"), pattern.lower()
    if wanted.endswith(".*") and low.endswith(_SAMPLES):
        return False
    if wanted.endswith("/"):
        return f"/{wanted}" in f"/{low}/"
    if "*" not in wanted and "?" not in wanted:
        return f"/{low}".endswith(f"/{wanted}")
    parts = low.split("/")
    return any(_fits("/".join(parts[at:]), wanted) for at in range(len(parts)))


def _fits(text: str, pattern: str) -> bool:
    """True when a text fits a pattern of `*` (no slash), `**` and `?`."""
    if not pattern:
        return not text
    if pattern.startswith("**"):
        rest = pattern[2:].removeprefix("/")
        return any(_fits(text[at:], rest) for at in range(len(text) + 1))
    if pattern[0] == "*":
        end = text.find("/")
        return any(_fits(text[at:], pattern[1:]) for at in range((len(text) if end < 0 else end) + 1))
    return bool(text) and (pattern[0] == text[0] or pattern[0] == "?") and _fits(text[1:], pattern[1:])
