"""Secrets recognised by their name: `password: x`, `"api_key": "..."`, `DB_PASSWORD=...`, `--token x`.

Finds names first and reads only the text after a name, so the work is linear. How a value is written tells a secret
from code: `token = get_token()`, `password=None`, `api_key: str` and `os.environ["API_KEY"]` are code and stay.
"""

from __future__ import annotations

from memlsp.capture.redaction.pattern_cache import PATTERNS
from memlsp.capture.redaction.spans import Secret, is_mixed, looks_random
from memlsp.capture.redaction.tokens import is_template
from memlsp.capture.redaction.vocabulary import (
    DESCRIBING,
    HARMLESS_BEFORE,
    HARMLESS_LAST,
    KEY_OWNERS,
    PASS_OWNERS,
    PLAIN_VALUES,
    PROSE,
    SECRET_ENDINGS,
    TYPES,
    read_patterns,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

_RE = read_patterns("assignments")
_HINTS = ("pass", "pwd", "secret", "token", "key", "cred", "auth")
_ENDING = PATTERNS.pattern(rf"(?:{'|'.join(SECRET_ENDINGS)})$")
_MOST_CACHED = 4096  # names whose words and kinds are cached; importing `functools` would cost the hook 5 ms
_WORDS_OF: dict[str, tuple[str, ...]] = {}
_KIND_OF: dict[tuple[str, ...], tuple[str, bool]] = {}
_LONGEST_NAME = 64
_LONGEST_VALUE = 64 * 1024
_JUDGED = 128  # as in the pattern `bare`
_INSIDE = {quote: PATTERNS.pattern(rf"(?:[^{quote}\\\n]|\\.)*+") for quote in "\"'`"}
_COMPARISONS = frozenset({"==", "===", "!=", "!=="})
_NOT_FOR_BARE = _COMPARISONS | {","}
_ENCODINGS = frozenset(
    {"base64", "base32", "sha256", "sha512", "sha-256", "bcrypt2", "argon2", "argon2id", "utf-8", "utf-16"}
)
_OWNERS = ("api", "access", "private", "account")  # words before `key` that are no hint themselves


class _Name:
    """A name that may be a secret's, and its place. `flag` is True for `--password`. It is not `sure` for `token_url`
    or `next_token`: then only a value that looks generated counts."""

    __slots__ = ("end", "flag", "kind", "start", "sure", "words")

    def __init__(self, start: int, end: int, words: tuple[str, ...], kind: str, *, sure: bool, flag: bool) -> None:
        self.start = start
        self.end = end
        self.words = words
        self.kind = kind
        self.sure = sure
        self.flag = flag


def named_secrets(text: str, folded: str) -> Iterator[Secret]:
    """Yield secrets, unordered and perhaps overlapping. `folded` is the text in lower case."""
    hints = _hints(text, folded)
    covered = 0
    for name in _names(text, folded, hints):
        secret = _assigned(text, name) if name.start >= covered else None
        if secret is not None:
            covered = secret.end
            yield secret
    if "</" in text and (hints or "contrase" in folded or "kennwort" in folded):
        for found in _RE["element"].finditer(text):
            words = _words(found["name"])
            kind, sure = _kind(words)
            if kind and _is_literal(found["value"], words, sure=sure):
                yield Secret(*found.span("value"), kind)
    yield from _mentioned(text, hints)


def _hints(text: str, folded: str) -> list[tuple[int, int]]:
    if not any(word in folded for word in _HINTS):
        return []
    if len(folded) != len(text):  # some capital letters become two in lower case
        return [found.span() for found in _RE["hint"].finditer(text)]
    places: list[tuple[int, int]] = []
    for word in _HINTS:
        start = folded.find(word)
        while start >= 0:
            places.append((start, start + len(word)))
            start = folded.find(word, start + 1)
    places.sort()
    return places


def _names(text: str, folded: str, hints: list[tuple[int, int]]) -> Iterator[_Name]:
    end = 0
    for hint, stop in hints:
        if hint < end:
            continue
        start = hint
        while start > end and hint - start < _LONGEST_NAME and _in_name(text[start - 1]):
            start -= 1
        end = stop
        while end < len(text) and end - stop < _LONGEST_NAME and _in_name(text[end]):
            end += 1
        while end > stop and text[end - 1] == "-":  # `key->value`
            end -= 1
        flag = text.startswith("--", start, end)
        while text[start] == "-":
            start += 1
        words = _words(text[start:end])
        kind, sure = _kind(words)
        if kind:
            yield _Name(start, end, words, kind, sure=sure, flag=flag)
    if hints and (" key" in folded or " token" in folded):
        for found in _RE["spaced"].finditer(text):
            words = _words(found[0])
            yield _Name(found.start(), found.end(), words, _kind(words)[0] or "key", sure=True, flag=False)


def _in_name(sign: str) -> bool:
    return sign.isalnum() or sign in "_$-"


def _words(name: str) -> tuple[str, ...]:
    words = _WORDS_OF.get(name)
    if words is None:
        if len(_WORDS_OF) > _MOST_CACHED:
            _WORDS_OF.clear()
        words = _WORDS_OF[name] = tuple(word.lower() for word in _RE["word"].findall(name))
    return words


def _kind(words: tuple[str, ...]) -> tuple[str, bool]:
    """Return the kind of secret that this name means ("" for none), and whether the name alone is enough."""
    known = _KIND_OF.get(words)
    if known is None:
        if len(_KIND_OF) > _MOST_CACHED:
            _KIND_OF.clear()
        known = _KIND_OF[words] = _classified(words)
    return known


def _classified(words: tuple[str, ...]) -> tuple[str, bool]:
    kind = ""
    for before, word in zip(("", *words), words, strict=False):
        if word == "key" and before in KEY_OWNERS:
            kind = "api-key" if before == "api" else "key"
        elif word == "pass" and (before in PASS_OWNERS or words == ("pass",)):
            kind = kind or "password"
        elif word == "auth" and words in {("auth",), ("", "auth")}:
            kind = "auth"
        else:
            ending = _ENDING.search(word)
            kind = SECRET_ENDINGS[ending[0]] if ending else kind
    last = next((word for word in reversed(words) if not word.isdigit()), "")
    sure = (
        last not in HARMLESS_LAST
        and words[:1]
        and words[0] not in HARMLESS_BEFORE
        and words not in {("pass",), ("auth",)}
    )
    return kind, bool(sure)


def _assigned(text: str, name: _Name) -> Secret | None:
    followed = _RE["followed"].match(text, name.end)
    if followed is None:
        return None
    sign = followed["sign"] or ("" if followed["space"] else "=")
    start = followed.end()
    opening = text[name.start - 1] if name.start else ""
    if followed["close"] and opening not in "\"'`[":
        return None  # the quote closes a text that ends with a name
    if not sign and not name.flag:
        return None
    if sign == ":" and (block := _RE["block"].match(text, start)):
        literal = name.sure and not is_template(block["value"])
        return Secret(block.start("value"), block.end("value"), name.kind) if literal else None
    opened = _RE["opening"].match(text, start)
    if opened is not None:
        end, closed = _closing(text, opened.end(), opened["quote"])
        value = text[opened.end() : min(end, opened.end() + _JUDGED)]
        secret = _is_quoted_secret(text, value, sign, name, closed=closed, close=followed["close"])
        return Secret(opened.end(), end, name.kind) if secret else None
    if followed["hint"] or sign in _NOT_FOR_BARE:
        return None
    return _assigned_bare(text, name, start, sign=sign, spaced=bool(followed["gap"]) or not sign)


def _assigned_bare(text: str, name: _Name, start: int, *, sign: str, spaced: bool) -> Secret | None:
    bare = _RE["bare"].match(text, start)
    value = _cut(text, name, bare[0], sign) if bare is not None else ""
    if not value or not _is_bare_secret(text, name, value, start, sign=sign, spaced=spaced):
        return None
    end = start + len(value)
    if len(value) == _JUDGED and (rest := _RE["bare_rest"].match(text, end)):
        end = rest.end()
    return Secret(start, end, name.kind)


def _closing(text: str, start: int, quote: str) -> tuple[int, bool]:
    stop = min(len(text), start + _LONGEST_VALUE)
    if len(quote) == 1:
        inside = _INSIDE[quote].match(text, start, stop)
        end = inside.end() if inside else start
        return end, text.startswith(quote, end)
    line = text.find("\n", start, stop)
    stop = line if line >= 0 else stop
    end = text.find(quote, start, stop)
    return (end, True) if end >= 0 else (stop, False)


def _is_quoted_secret(text: str, value: str, sign: str, name: _Name, *, closed: bool, close: str) -> bool:
    if not closed:  # cut off, or the quote closes an earlier one
        return name.sure and is_mixed(value) and not _RE["brackets"].search(value)
    if sign in _COMPARISONS and (len(value) < 4 or (name.kind == "token" and not is_mixed(value))):
        return False  # `password == "-"` compares with a mark, `token == "root"` with a word of a grammar
    if sign == ",":
        # `define("DB_PASSWORD", "x")` gives a value; `("password", "username")` does not
        gives = name.sure and _RE["giving"].search(text[: name.start][-40:]) is not None
        if not close or not (gives or looks_random(value)):
            return False
    return _is_literal(value, name.words, sure=name.sure, kind=name.kind)


def _is_literal(value: str, words: tuple[str, ...], *, sure: bool, kind: str = "") -> bool:
    """Return True when a literal is a secret, not a placeholder, a reference or a sentence."""
    plain = value.strip()
    if not plain or _is_placeholder(plain):
        return False
    if not sure:
        if kind == "auth":
            return looks_random(plain, 8)
        return looks_random(plain, 16) and not _is_public(plain) and not _RE["uuid"].fullmatch(plain)
    if _is_public(plain):
        return False
    inner = _words(plain)
    if " " in plain:
        return not (set(inner) & PROSE or (inner and _kind(inner)[0])) or is_mixed(plain)
    if _RE["dashed"].fullmatch(plain) and inner:  # the name of something: `csrf_token`, `string`
        return not (set(inner) <= set(words) or _kind(inner)[0] or plain in TYPES or plain.lower() in DESCRIBING)
    return True


def _cut(text: str, name: _Name, value: str, sign: str) -> str:
    before = text[name.start - 1] if name.start else ""
    if before in "?&" and before:
        return _RE["parameter_end"].split(value, maxsplit=1)[0]
    if before == ";" or ";" in value[:-1]:
        value = value.partition(";")[0]
    if before in "{(," and before:
        value = _RE["argument_end"].split(value, maxsplit=1)[0] if "(" not in value else value
    value = value.rstrip(",;") if sign else value.rstrip(".,;)")
    while value.endswith((")", "}", "]")) and not any(opening in value for opening in "([{"):
        value = value[:-1]
    return value


def _is_bare_secret(text: str, name: _Name, value: str, start: int, *, sign: str, spaced: bool) -> bool:
    """Return True when a bare word is a secret, not code that fetches one, a type, or a word of a sentence."""
    inner = _words(value)
    if _is_placeholder(value) or _is_public(value) or _describes(value, name):
        return False
    if not name.sure:
        return looks_random(value, 16) and not _RE["uuid"].fullmatch(value) and not _RE["reference"].fullmatch(value)
    if value.isdigit():
        return name.kind == "password" and len(value) >= 4 and not _in_code(text, start)
    looks = _looks_secret(value, inner)
    return _is_secret_word(text, name, value, start, sign=sign, spaced=spaced) if looks is None else looks


def _looks_secret(value: str, inner: tuple[str, ...]) -> bool | None:
    """Decide by the characters of a value that belongs to the name of a secret; None where these do not tell."""
    word = _RE["identifier"].fullmatch(value) is not None
    exclaimed = value.endswith("!") and is_mixed(value)  # a password may end so, a macro has no digits
    if not word and not exclaimed and _RE["reference"].fullmatch(value):
        return looks_random(value, 20) and not any(sign in value for sign in "([{")
    if looks_random(value) or (not word and is_mixed(value)):
        return True
    if _RE["type_signs"].search(value) or (_kind(inner)[0] and not is_mixed(value)):
        return False  # a type (`list[str]`, `Option<String>`), or the name of another secret
    return None


def _describes(value: str, name: _Name) -> bool:
    """True for a word that says what a value is, and for signs alone."""
    inner = set(_words(value))
    if value in TYPES or value.lower() in DESCRIBING or (inner and inner <= set(name.words)):
        return True
    return not any(sign.isalnum() for sign in value)


def _is_secret_word(text: str, name: _Name, value: str, start: int, *, sign: str, spaced: bool) -> bool:
    """Decide by the context whether a word is a password or an identifier."""
    if name.flag:
        return not (value.isupper() and value.isalpha()) and value.lower() not in PROSE | PLAIN_VALUES
    if sign == "=" and not spaced:
        return _is_set_to_secret(text, name, value, start)
    if _in_code(text, start):
        return False
    first, alone = _leading(text, name), _rest(text, start + len(value)) == ""
    if sign == "=":
        return alone and first and is_mixed(value) and len(value) >= 6
    if first:
        return alone or is_mixed(value)
    return is_mixed(value) or (alone and spaced and value.islower() and value not in PROSE)


def _is_set_to_secret(text: str, name: _Name, value: str, start: int) -> bool:
    """Decide for `NAME=word`, as shells, connection strings and addresses have it."""
    if text[: name.start].endswith(";"):  # a connection string
        return name.kind == "password" or is_mixed(value)
    quoted = text[start + len(value) : start + len(value) + 1] in {'"', "'", "\\"}  # the end of a text in quotes
    if is_mixed(value) and (quoted or (name.start and text[name.start - 1] in "?&")):
        return True
    if text[name.start : name.end].isupper():
        return True
    return not _in_code(text, start) and (_leading(text, name) or is_mixed(value))


def _is_placeholder(value: str) -> bool:
    lowered = value.lower().strip(".,;:!?")
    return (
        is_template(value)
        or lowered in PLAIN_VALUES
        or _RE["asking"].match(lowered) is not None
        or (len(lowered) > 1 and _RE["same"].fullmatch(lowered[:64]) is not None)
    )


def _is_public(value: str) -> bool:
    """Return True for a path or a URL, which only locates a secret."""
    where = _RE["where"].match(value)
    return where is not None and not looks_random(value.rpartition("/")[2], 20)


def _leading(text: str, name: _Name) -> bool:
    line = text.rfind("\n", max(0, name.start - 200), name.start) + 1
    before = text[max(line, name.start - 200) : name.start]
    return _RE["first"].fullmatch(before) is not None


def _rest(text: str, start: int) -> str:
    stop = text.find("\n", start, start + 200)
    rest = text[start : stop if stop >= 0 else start + 200]
    return _RE["comment"].sub("", rest).strip(" \t\r.\"'`")


def _in_code(text: str, start: int) -> bool:
    line = text.rfind("\n", max(0, start - 200), start) + 1
    stop = text.find("\n", start, start + 200)
    around = text[max(line, start - 200) : stop if stop >= 0 else start + 200]
    return _RE["code"].search(around) is not None


def _mentioned(text: str, hints: list[tuple[int, int]]) -> Iterator[Secret]:
    """Yield secrets of prose, `the password is Tr0ub4dor&3`, `staging token 9f8c...`, that look generated."""
    end = 0
    for hint, _ in hints:
        found = _mention(text, hint, end)
        if found is not None:
            end = found.end()
            kind = _kind_of_mention(found)
            if kind:
                start = found.start("value")
                yield Secret(start, start + len(_mentioned_value(found)), kind)


def _mention(text: str, hint: int, end: int) -> re.Match[str] | None:
    """The mention of a name at `hint`, the word before that says whose it is included; None where it begins before
    `end`."""
    for owner in _OWNERS if hint and text[hint - 1] in " -" else ():
        start = hint - 1 - len(owner)
        if start >= end and text[start : hint - 1].lower() == owner and (found := _RE["mentioned"].match(text, start)):
            return found
    return _RE["mentioned"].match(text, hint) if hint >= end else None


def _mentioned_value(found: re.Match[str]) -> str:
    return found["value"].rstrip(".,;:!?)")


def _kind_of_mention(found: re.Match[str]) -> str:
    """The kind of secret that a mention holds, "" for none."""
    value, verb = _mentioned_value(found), found["verb"]
    if _RE["uuid"].fullmatch(value) or (not verb and _RE["hash"].fullmatch(value)) or _is_placeholder(value):
        return ""
    typed = verb and found["name"].lower().startswith("pass") and _RE["typed"].fullmatch(value)
    if typed and value.lower() not in _ENCODINGS:
        return "password"
    least = 16 if not verb else 6 if found["quote"] else 8
    chosen = (
        verb
        and is_mixed(value)
        and len(value) >= least
        and not value.isalnum()
        and not _RE["reference"].fullmatch(value)
    )
    if (looks_random(value, least) or chosen) and not _is_public(value):
        return _kind(_words(found["name"]))[0] or "token"
    return ""
