"""Secrets recognised by their shape: tokens with a prefix, key blocks, credentials in URLs and headers.

Every pattern is linear: repetitions are bounded or possessive, and a pattern that may start anywhere cannot start again
inside its last match. No pattern is compiled before a plain search finds a fixed part of it.
"""

from __future__ import annotations

from memlsp.capture.redaction.pattern_cache import PATTERNS
from memlsp.capture.redaction.spans import Secret, is_mixed, looks_random
from memlsp.capture.redaction.vocabulary import read_patterns, read_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_RE = read_patterns("tokens")
_SHAPES = read_table("tokens.txt")
_PREFIXES = tuple({prefix: None for _, prefixes, _ in _SHAPES for prefix in prefixes.split(",")})
_PREFIXED = PATTERNS.pattern(f"(?:{'|'.join(f'(?P<{kind}>{shape})' for kind, _, shape in _SHAPES)})")
_LEAST_GENERATED = 24  # characters of a word that is recognised by its randomness alone
_WEBHOOK_PARTS = ("hooks.slack.com/", "/api/webhooks/", "sig=", "X-Amz-S")
_SCHEMES = tuple(f"{scheme}{gap}" for scheme in ("earer", "asic") for gap in " \t")
# Passwords on a command line, each with words; the text (in lower case) has to hold one of them.
_COMMANDS = {
    "curl": ("curl",),
    "mysql": ("mysql",),
    "sshpass": ("sshpass",),
    "docker": ("docker ", "docker\t"),
    "redis_cli": ("redis-cli",),
    "login": ("login ", "login\t"),
    "identified": ("identified",),
    "password": ("password ", "password\t"),
}
_LONGEST_KEY = 16 * 1024


def token_secrets(text: str, folded: str) -> Iterator[Secret]:
    """Yield secrets, unordered and perhaps overlapping. `folded` is the text in lower case."""
    if "PRIVATE KEY" in text or "Private-Lines: " in text:
        yield from _private_keys(text)
    yield from _prefixed(text)
    if any(part in text for part in _WEBHOOK_PARTS):
        for found in _RE["webhook"].finditer(text):
            yield Secret(*found.span(found.lastgroup or 0), "webhook")
    yield from _command_passwords(text, folded)
    if "://" in text and "@" in text:
        for found in _RE["userinfo"].finditer(text):
            name = found.lastgroup or "password"
            if not is_template(found[name]) and (name == "password" or is_mixed(found[name])):
                yield Secret(*found.span(name), "url-credentials")
    yield from _headers(text, folded)


def _command_passwords(text: str, folded: str) -> Iterator[Secret]:
    for name, words in _COMMANDS.items():
        if any(word in folded for word in words):
            for found in _RE[f"command_{name}"].finditer(text):
                if not is_template(found["value"]):
                    yield Secret(*found.span("value"), "password")


def _prefixed(text: str) -> Iterator[Secret]:
    for word in _RE["long_word"].finditer(text):
        found = _PREFIXED.match(text, word.start()) if text.startswith(_PREFIXES, word.start()) else None
        if found is None:
            if len(word[0]) >= _LEAST_GENERATED and _is_generated(text, *word.span()):
                yield Secret(*word.span(), "generated")
            continue
        kind = found.lastgroup or "token"
        if kind == "jwt" and not _is_jwt(found[0]):
            continue
        if kind == "apikey" and not looks_random(found[0][3:]):
            continue
        if kind in _WORDY and not any(sign.isdigit() for sign in found[0][8:]):
            continue  # a placeholder: `xoxb-your-token-here`
        if not is_template(found[0].rpartition("_")[2]):
            yield Secret(found.start(), found.end(), _KINDS.get(kind, f"{kind}-token"))


def _is_generated(text: str, start: int, end: int) -> bool:
    """Return True for a word that looks generated (capitals, small letters and digits in many turns), unless its
    context says that it is a hash or it is readable base64. Catches tokens with unknown prefixes."""
    if text[end : end + 1] in {"/", "+", "=", "("} or (start and text[start - 1] in "%$#@"):
        return False
    run = max(_RE["run"].findall(text, start, end), key=len, default="")
    if len(run) < 20 or min(sum(map(test, run)) for test in (str.isupper, str.islower, str.isdigit)) < 3:
        return False
    if len(_RE["turns"].findall(run)) < 10 or not looks_random(text[start:end], _LEAST_GENERATED):
        return False
    return _RE["hash_context"].search(text[max(0, start - 16) : start]) is None and not _is_text(run)


def _is_text(word: str) -> bool:
    from binascii import a2b_base64  # late, here and below: few texts need it, and `base64` would import `re`

    try:
        decoded = a2b_base64(word[: len(word) // 4 * 4])
    except ValueError:
        return False
    return all(32 <= sign < 127 or sign in b"\t\r\n" for sign in decoded)


_WORDY = frozenset({"slack", "gitlab", "docker", "figma", "grafana", "supabase", "planetscale", "linear"})
_KINDS = {"jwt": "jwt", "aws": "aws-key", "google": "google-key", "apikey": "api-key", "age": "private-key"}


def is_template(text: str) -> bool:
    """Return True when nothing is left without placeholders: `${X}`, `{x}`, `<x>`, `%s`, `***`."""
    left = _RE["template"].sub("", text)
    return left != text and sum(sign.isalnum() for sign in left) <= (3 if "{" in text else 0)


def _headers(text: str, folded: str) -> Iterator[Secret]:
    for found in _RE["authorization"].finditer(text) if "authorization" in folded else ():
        value = found["value"]
        scheme = (found["scheme"] or "").lower()
        if scheme in {"basic", "bearer", "token", "apikey", "negotiate", "digest", "key", "aws4-hmac-sha256"}:
            secret = is_mixed(value) or len(value) >= 16 or scheme == "basic"
        else:
            secret = looks_random(value)
        if secret and value.lower() not in {"token", "credentials", "authentication"}:
            yield Secret(*found.span("value"), "authorization")
    for found in _RE["bare_scheme"].finditer(text) if any(scheme in text for scheme in _SCHEMES) else ():
        value = found["value"]
        if _is_pair(value) if found[0][:5].lower() == "basic" else is_mixed(value) and len(value) >= 12:
            yield Secret(*found.span("value"), "authorization")


def _is_pair(value: str) -> bool:
    from binascii import a2b_base64

    try:
        decoded = a2b_base64(value[:1024] + "=" * (-len(value[:1024]) % 4), strict_mode=True).decode("utf-8")
    except ValueError:
        return False
    return ":" in decoded and decoded.isprintable()


def _is_jwt(value: str) -> bool:
    """Return True when the first part is base64 of a JSON object, as in the header of a JWT."""
    from binascii import a2b_base64

    head = value.partition(".")[0][:64].replace("-", "+").replace("_", "/")
    try:
        decoded = a2b_base64(head[: len(head) // 4 * 4])
    except ValueError:
        return False
    return decoded.lstrip().startswith(b'{"')


def _private_keys(text: str) -> Iterator[Secret]:
    """Yield key blocks, also those cut off at either end; a marker without a key beside it is only mentioned."""
    covered = 0
    for begin in _RE["begin"].finditer(text):
        body = _RE["key_body"].match(text, begin.end(), begin.end() + _LONGEST_KEY)
        if begin.start() < covered or body is None or not _RE["key_chunk"].search(body[0]):
            continue
        close = _RE["key_close"].match(text, body.end())
        covered = close.end() if close else body.end()
        yield Secret(begin.start(), covered, "private-key")
    for end in _RE["end"].finditer(text):
        body = _RE["back_body"].match(text[max(covered, end.start() - _LONGEST_KEY) : end.start()][::-1])
        if end.start() >= covered and body is not None and _RE["key_chunk"].search(body[0]):
            yield Secret(end.start() - len(body[0].rstrip()), end.end(), "private-key")
        covered = max(covered, end.end())
