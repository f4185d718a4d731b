"""Secrets that a person tells in a sentence: `the password for staging is x`, `use password x`, `log in with ada / x`.

A sentence also speaks about passwords, so only a value that no word, path, version or identifier looks like counts.
Every repetition is bounded, so that the work is linear.
"""

from __future__ import annotations

from memlsp.capture.redaction.pattern_cache import PATTERNS
from memlsp.capture.redaction.spans import Secret, is_mixed
from memlsp.capture.redaction.tokens import is_template
from memlsp.capture.redaction.vocabulary import DESCRIBING, HARMLESS_LAST, PLAIN_VALUES, PROSE, TYPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

_HINTS = ("pass", "pwd", "pin ", "secret", "credential", "key ", "token ", "kennwort", "contrase", "senha")
_LOGINS = ("log in", "login", "logged in", "sign in", "signed in")
_VALUE = r"[\"'`“„]?(?P<value>[^\s\"'`”“]{6,128}+)"
_TOLD = PATTERNS.pattern(
    r"(?i)(?<![\w$./-])(?:(?P<word>passw(?:ord|ort|d)|passphrase|passcode|pwd)"
    r"|(?P<foreign>kennwort|contraseña|mot de passe|senha)"
    r"|(?P<other>pin|secret|credentials?|(?:api|access)[ -]key|token))"
    r"(?P<between>[ \t]{1,3}(?:for|of|on|to|in|at|from|für|von|vom|zum|zur|auf|im|de|del|du|da|do|pour|para)"
    r"(?:[ \t]{1,3}[\w.-]{1,40}){1,4}?)?"
    r"(?:[ \t]{0,3}(?P<sign>[:=])|[ \t]{1,3}(?P<verb>is|are|was|to|ist|lautet|war|es|est|é)"
    r"(?:[ \t](?:now|still|jetzt))?:?|(?(between)(?!)))"
    r"[ \t]{1,3}(?:(?P<user>[\w.@+-]{1,64})[ \t]{0,2}[/:][ \t]{0,2})?" + _VALUE
)
_LOGIN = PATTERNS.pattern(
    r"(?i)\b(?:log|logged|sign|signed)[ -]?in[ \t]{1,3}(?:with|as|using|via)[ \t]{1,3}"
    r"[\w.@+-]{1,64}(?P<gap>[ \t]{0,2})[/:][ \t]{0,2}" + _VALUE
)
# What is written with digits or signs and is no secret: paths and files, identifiers, versions, names of constants and
# issues, amounts, addresses, algorithms.
_KNOWN = PATTERNS.pattern(
    r"[\w.~@-]*+(?:/[\w.~@-]*+)++|[\w/.-]*\.[A-Za-z]{1,5}[0-9]?|[A-Za-z]*_\w*|v?[0-9]+(?:\.[0-9]+)+.*|[A-Z0-9_-]+"
    r"|[0-9]+[.-]?[A-Za-z]+|[\w.+-]+@[A-Za-z.-]+|-.*|\$\w+|\w+://.*|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
    r"|(?i:(?:sha|aes|rsa|md|[reh]s|base|utf|argon|pbkdf|bcrypt|scrypt|oauth|openid|http|tls|ssl|fido|ed|x|pkcs|python)"
    r"[-_]?[0-9].*)"
)
_CODE = PATTERNS.pattern(r"[(){}\[\]<>;=]|::|->")
_STRONG = PATTERNS.pattern(r"[!#$%&*?@^~](?=.)")
_NAMED = PATTERNS.pattern(r"[A-Za-z]*[0-9]{0,4}(?:-[A-Za-z]*[0-9]{0,4})*")
_JOINED = PATTERNS.pattern(r"[A-Za-z]+[&*?|][A-Za-z]+")


def told_secrets(text: str, folded: str) -> Iterator[Secret]:
    """Yield secrets, unordered and perhaps overlapping. `folded` is the text in lower case."""
    if any(hint in folded for hint in _HINTS):
        for found in _TOLD.finditer(text):
            value = _trimmed(found["value"])
            if _is_told(found, value):
                yield Secret(found.start("value"), found.start("value") + len(value), "password")
    if any(hint in folded for hint in _LOGINS):
        for found in _LOGIN.finditer(text):
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
    if len(value) < 6 or _CODE.search(value) or _KNOWN.fullmatch(bare) or is_template(value) or _JOINED.fullmatch(bare):
        return False
    word = bare.rstrip("0123456789").lower()
    if any(word in words for words in (HARMLESS_LAST, PROSE, DESCRIBING, TYPES, PLAIN_VALUES)):
        return False
    if is_mixed(bare):
        return plain or bare != value or _NAMED.fullmatch(bare) is None
    cased = any(map(str.islower, bare)) and any(map(str.isupper, bare))
    return cased and _STRONG.search(bare) is not None
