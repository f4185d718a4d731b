"""Secrets that a person tells in a sentence: `the password for staging is x`, `use password x`, `log in with ada / x`.

A sentence also speaks about passwords, so only a value that no word, path, version or identifier looks like counts.
Every repetition is bounded, so that the work is linear.
"""

from __future__ import annotations

from memlsp.capture.redaction.spans import Secret, is_mixed
from memlsp.capture.redaction.tokens import is_template
from memlsp.capture.redaction.vocabulary import DESCRIBING, HARMLESS_LAST, PLAIN_VALUES, PROSE, TYPES, read_patterns

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

_HINTS = ("pass", "pwd", "pin ", "secret", "credential", "key ", "token ", "kennwort", "contrase", "senha")
_LOGINS = ("log in", "login", "logged in", "sign in", "signed in")
_RE = read_patterns("prose")


def told_secrets(text: str, folded: str) -> Iterator[Secret]:
    """Yield secrets, unordered and perhaps overlapping. `folded` is the text in lower case."""
    if any(hint in folded for hint in _HINTS):
        for found in _RE["told"].finditer(text):
            value = _trimmed(found["value"])
            if _is_told(found, value):
                yield Secret(found.start("value"), found.start("value") + len(value), "password")
    if any(hint in folded for hint in _LOGINS):
        for found in _RE["login"].finditer(text):
            value = _trimmed(found["value"])
            if _is_secret(value, plain=found["gap"] != ""):
                yield Secret(found.start("value"), found.start("value") + len(value), "password")


def _is_told(found: re.Match[str], value: str) -> bool:
    if found["sign"] and not (found["between"] or found["foreign"]):
        return False  # an assignment
    if found["user"] and (found["other"] or "").lower()[:10] != "credential":
        return False
    direct = not (found["sign"] or found["verb"])
    if direct and found["other"]:
        return False
    # directly behind, a lone word with digits is taken for a password, one with dashes for a name
    sure = "-" not in value if direct else not found["other"] and found["verb"] != "to"
    return _is_secret(value, plain=sure or found["user"] is not None)


def _trimmed(value: str) -> str:
    """Leave out what ends the sentence; an exclamation mark may be the password's own."""
    return value.rstrip(".,;:?)")


def _is_secret(value: str, *, plain: bool) -> bool:
    """True for what no word looks like. `plain` also admits a word with digits at its end, such as `horse7`."""
    bare = value.rstrip("!")
    if (
        len(value) < 6
        or _RE["code"].search(value)
        or _RE["known"].fullmatch(bare)
        or is_template(value)
        or _RE["joined"].fullmatch(bare)
    ):
        return False
    word = bare.rstrip("0123456789").lower()
    if any(word in words for words in (HARMLESS_LAST, PROSE, DESCRIBING, TYPES, PLAIN_VALUES)):
        return False
    if is_mixed(bare):
        return plain or bare != value or _RE["named"].fullmatch(bare) is None
    cased = any(map(str.islower, bare)) and any(map(str.isupper, bare))
    return cased and _RE["strong"].search(bare) is not None
