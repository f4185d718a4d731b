"""Secrets recognised by their shape: tokens with a prefix, key blocks, credentials in URLs and headers.

Every pattern is linear: repetitions are bounded or possessive, and a pattern that may start anywhere cannot start again
inside its last match. No pattern is compiled before a plain search finds a fixed part of it.
"""

from __future__ import annotations

from memlsp.capture.redaction.pattern_cache import PATTERNS
from memlsp.capture.redaction.spans import Secret, is_mixed, looks_random
from memlsp.capture.redaction.vocabulary import read_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# Few words are long enough to be a token; the many prefixes are tried only on these.
_LONG_WORD = PATTERNS.pattern(r"(?<![A-Za-z0-9_/+.-])(?:[A-Za-z0-9][A-Za-z0-9_.-]{12,}+|[0-9]{8,10}(?=:AA)|1(?=//0))")
_SHAPES = read_table("tokens.txt")
_PREFIXES = tuple({prefix: None for _, prefixes, _ in _SHAPES for prefix in prefixes.split(",")})
_PREFIXED = PATTERNS.pattern(f"(?:{'|'.join(f'(?P<{kind}>{shape})' for kind, _, shape in _SHAPES)})")
_LEAST_GENERATED = 24  # characters of a word that is recognised by its randomness alone
_RUN = PATTERNS.pattern(r"[A-Za-z0-9]+")
_TURNS = PATTERNS.pattern(r"[a-z]+|[A-Z]+|[0-9]+")
_HASH_CONTEXT = PATTERNS.pattern(
    r"(?i)(?:sha\d*|md5|hash|integrity|checksum|digest|h1|etag|nonce|base64|fingerprint|commit|rev|cid|trace|uuid|import"
    r"|href|src|version|build)\W{0,4}$"
)
_WEBHOOK_PARTS = ("hooks.slack.com/", "/api/webhooks/", "sig=", "X-Amz-S")
_WEBHOOK = PATTERNS.pattern(
    r"hooks\.slack\.com/(?:services|workflows)/(?P<slack>[A-Za-z0-9_/]{20,255}+)"
    r"|discord(?:app)?\.com/api/webhooks/[0-9]{10,25}/(?P<discord>[A-Za-z0-9_-]{30,128}+)"
    r"|[?&]sig=(?P<signature>[A-Za-z0-9%+/=_-]{16,255}+)"
    r"|[?&]X-Amz-(?:Signature|Security-Token)=(?P<aws>[A-Za-z0-9%+/=_-]{16,2048}+)"
)
# The greedy password reaches the last @ before a slash or a space, as in `postgres://user:p@ss@host/db`.
_USERINFO = PATTERNS.pattern(
    r"://(?:[^\s/?#:@\"'<>`]{0,128}+:(?P<password>[^\s/\"'<>`]{1,256})|(?P<token>[\w-]{20,255}+))@"
)
_AUTHORIZATION = PATTERNS.pattern(
    r"(?i)\bauthorization[\"'\\]{0,4}[ \t]{0,8}[:=,][ \t]{0,8}[\\\"'`bf]{0,4}"
    r"(?:(?P<scheme>[A-Za-z][A-Za-z0-9-]{2,20})[ \t]{1,4})?(?P<value>[A-Za-z0-9._~+/=:-]{6,8192}+)"
)
_SCHEMES = tuple(f"{scheme}{gap}" for scheme in ("earer", "asic") for gap in " \t")
_BARE_SCHEME = PATTERNS.pattern(r"\b(?:Bearer|bearer|Basic|basic)[ \t]{1,4}(?P<value>[A-Za-z0-9._~+/=-]{8,8192}+)")
_CURL = (
    r"\bcurl\b[^\n]{0,300}?[ \t](?:-u|--user|--proxy-user)[ =]?"
    r"[\"']?[^\s:\"'$<{]{1,64}:(?P<value>[^\s\"']{1,128})"
)
# Passwords on a command line, each with words; the text (in lower case) has to hold one of them.
_COMMANDS = tuple(
    (words, PATTERNS.pattern(pattern))
    for words, pattern in (
        (("curl",), _CURL),
        (("mysql",), r"\bmysql(?:dump|admin)?\b[^\n]{0,200}?[ \t]-p(?P<value>[^\s\"']{4,128})"),
        (("sshpass",), r"\bsshpass[ \t]{1,4}-p[ \t]{0,4}[\"']?(?P<value>[^\s\"']{1,128})"),
        (
            ("docker ", "docker\t"),
            r"\bdocker[ \t]{1,4}login\b[^\n]{0,200}?[ \t]-p[ \t]{1,4}[\"']?(?P<value>[^\s\"']{4,128})",
        ),
        (("redis-cli",), r"\bredis-cli\b[^\n]{0,200}?[ \t]-a[ \t]{1,4}[\"']?(?P<value>[^\s\"']{4,128})"),
        (("login ", "login\t"), r"\blogin[ \t]{1,4}[^\s]{1,64}[ \t]{1,4}password[ \t]{1,4}(?P<value>[^\s]{1,128})"),
        (("identified",), r"(?i)\bidentified[ \t]{1,4}by[ \t]{1,4}'(?P<value>[^'\n]{1,128})'"),
        (("password ", "password\t"), r"(?i)\bpassword[ \t]{1,4}'(?P<value>[^'\n]{1,128})'"),
    )
)
_BEGIN = PATTERNS.pattern(
    r"-{4,5} ?BEGIN (?:[A-Z0-9]{1,16} ){0,4}PRIVATE KEY(?: BLOCK)? ?-{4,5}|Private-Lines: [0-9]{1,4}"
)
_END = PATTERNS.pattern(r"-{4,5} ?END (?:[A-Z0-9]{1,16} ){0,4}PRIVATE KEY(?: BLOCK)? ?-{4,5}")
# Lines of base64, however they are quoted, escaped, commented or indented; the last may be short.
_KEY_GAP = r"(?:\\[nrt]|[\s\"'`#*>|,;\\])*+"
_KEY_BODY = PATTERNS.pattern(
    rf"(?:{_KEY_GAP}"
    rf"(?:[A-Za-z0-9+/]{{16,}}+={{0,2}}|[A-Za-z][A-Za-z-]{{2,20}}: [^\n\\]{{0,200}}+|(?://|\+)(?=[ \t])))*+"
    rf"(?:{_KEY_GAP}[A-Za-z0-9+/]{{1,15}}+={{0,2}}(?={_KEY_GAP}(?:--|\Z)))?+"
)
_KEY_CLOSE = PATTERNS.pattern(rf"{_KEY_GAP}{_END.pattern}")
# The same read backwards, for a key whose beginning was cut off.
_BACK_GAP = r"(?:[nrt]\\|[\s\"'`#*>|,;\\])*+"
_BACK_BODY = PATTERNS.pattern(
    rf"(?:{_BACK_GAP}={{0,2}}[A-Za-z0-9+/]{{1,15}}+(?=[^A-Za-z0-9+/]))?+(?:{_BACK_GAP}={{0,2}}[A-Za-z0-9+/]{{16,}}+)*+"
)
_KEY_CHUNK = PATTERNS.pattern(r"(?=[A-Za-z+/]*+[0-9])[A-Za-z0-9+/]{16,}+")
_LONGEST_KEY = 16 * 1024
_TEMPLATE = PATTERNS.pattern(
    r"\$\{[^}]{0,200}\}?|\$\([^)]{0,200}\)?|\{\{?[^}]{0,200}\}?\}?|<[^>]{0,200}>?|%\(\w{1,64}\)s|%[sdrv]|\$\w{1,64}|%\w{1,64}%"
    r"|\[(?:redacted:)?[A-Za-z -]{1,40}\]|\*+|•+|…|\.{3,}|x{3,}|X{3,}"
)


def token_secrets(text: str, folded: str) -> Iterator[Secret]:
    """Yield secrets, unordered and perhaps overlapping. `folded` is the text in lower case."""
    if "PRIVATE KEY" in text or "Private-Lines: " in text:
        yield from _private_keys(text)
    yield from _prefixed(text)
    if any(part in text for part in _WEBHOOK_PARTS):
        for found in _WEBHOOK.finditer(text):
            yield Secret(*found.span(found.lastgroup or 0), "webhook")
    yield from _command_passwords(text, folded)
    if "://" in text and "@" in text:
        for found in _USERINFO.finditer(text):
            name = found.lastgroup or "password"
            if not is_template(found[name]) and (name == "password" or is_mixed(found[name])):
                yield Secret(*found.span(name), "url-credentials")
    yield from _headers(text, folded)


def _command_passwords(text: str, folded: str) -> Iterator[Secret]:
    for words, pattern in _COMMANDS:
        if any(word in folded for word in words):
            for found in pattern.finditer(text):
                if not is_template(found["value"]):
                    yield Secret(*found.span("value"), "password")


def _prefixed(text: str) -> Iterator[Secret]:
    for word in _LONG_WORD.finditer(text):
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
    run = max(_RUN.findall(text, start, end), key=len, default="")
    if len(run) < 20 or min(sum(map(test, run)) for test in (str.isupper, str.islower, str.isdigit)) < 3:
        return False
    if len(_TURNS.findall(run)) < 10 or not looks_random(text[start:end], _LEAST_GENERATED):
        return False
    return _HASH_CONTEXT.search(text[max(0, start - 16) : start]) is None and not _is_text(run)


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
    left = _TEMPLATE.sub("", text)
    return left != text and sum(sign.isalnum() for sign in left) <= (3 if "{" in text else 0)


def _headers(text: str, folded: str) -> Iterator[Secret]:
    for found in _AUTHORIZATION.finditer(text) if "authorization" in folded else ():
        value = found["value"]
        scheme = (found["scheme"] or "").lower()
        if scheme in {"basic", "bearer", "token", "apikey", "negotiate", "digest", "key", "aws4-hmac-sha256"}:
            secret = is_mixed(value) or len(value) >= 16 or scheme == "basic"
        else:
            secret = looks_random(value)
        if secret and value.lower() not in {"token", "credentials", "authentication"}:
            yield Secret(*found.span("value"), "authorization")
    for found in _BARE_SCHEME.finditer(text) if any(scheme in text for scheme in _SCHEMES) else ():
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
    for begin in _BEGIN.finditer(text):
        body = _KEY_BODY.match(text, begin.end(), begin.end() + _LONGEST_KEY)
        if begin.start() < covered or body is None or not _KEY_CHUNK.search(body[0]):
            continue
        close = _KEY_CLOSE.match(text, body.end())
        covered = close.end() if close else body.end()
        yield Secret(begin.start(), covered, "private-key")
    for end in _END.finditer(text):
        body = _BACK_BODY.match(text[max(covered, end.start() - _LONGEST_KEY) : end.start()][::-1])
        if end.start() >= covered and body is not None and _KEY_CHUNK.search(body[0]):
            yield Secret(end.start() - len(body[0].rstrip()), end.end(), "private-key")
        covered = max(covered, end.end())
