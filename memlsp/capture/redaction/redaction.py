"""Removes secrets from text before anything is stored or cut.

Secrets are found in five ways: people mark them as `<private>`, their shape gives them away (`tokens`), their name does
(`assignments`), a sentence tells them (`prose`), or a pattern of detect-secrets matches (`detectors`).
Personal data goes where a setting asks for it.
"""

from __future__ import annotations

from memlsp.capture.redaction.pattern_cache import IGNORECASE, PATTERNS
from memlsp.capture.redaction.spans import Secret, fold, merged

TYPE_CHECKING = False  # as in typing, without importing it
if TYPE_CHECKING:
    from collections.abc import Sequence

# Also as written in JSON inside JSON, and in HTML.
_LESS, _MORE = r"(?:<|\\{1,8}u003c|&lt;)", r"(?:>|\\{1,8}u003e|&gt;)"
_OPEN = PATTERNS.pattern(rf"{_LESS}private{_MORE}", IGNORECASE)
_CLOSE = PATTERNS.pattern(rf"{_LESS}\\{{0,8}}/private{_MORE}", IGNORECASE)
_PRIVATE = ("private>", "private\\", "private&gt;")
_MARK = PATTERNS.pattern(r"\[redacted:[a-z-]{1,40}\]")
# Random and public: pictures, integrity hashes, public keys.
_PUBLIC = PATTERNS.pattern(
    r"data:[\w.+-]{1,64}/[\w.+-]{1,64}(?:;[\w.+=-]{1,64}){0,4};base64,[A-Za-z0-9+/=_-]*+"
    r"|\bsha(?:1|256|384|512)-[A-Za-z0-9+/=]{20,128}+"
    r"|\b(?:ssh-(?:rsa|ed25519|dss)|ecdsa-sha2-nistp\d{3}) [A-Za-z0-9+/=]{20,8192}+"
    r"|-----BEGIN (?:CERTIFICATE|PUBLIC KEY|RSA PUBLIC KEY)-----[A-Za-z0-9+/=\s\\]*+-----END"
)


class Redacted:
    """A text without its secrets, and their kinds in order of place (`private` first)."""

    __slots__ = ("found", "text")

    def __init__(self, text: str, found: tuple[str, ...] = ()) -> None:
        self.text = text
        self.found = found


def redact(text: str, personal: Sequence[str] = ()) -> Redacted:
    """Replace each secret by `[redacted:<kind>]`, and remove `<private>...</private>`; if one of the marks was cut off,
    remove everything up to it or after it. `personal` names kinds to remove besides: `email`, `phone`, `card`.

    Pure, linear in the length of `text`, and idempotent.
    """
    # late: many processes redact nothing
    from memlsp.capture.redaction.assignments import named_secrets
    from memlsp.capture.redaction.detectors import detected_secrets, prepare
    from memlsp.capture.redaction.prose import told_secrets
    from memlsp.capture.redaction.tokens import token_secrets

    folded = fold(text)
    private = 0
    if any(mark in folded for mark in _PRIVATE):
        text, private = _without_private(text)
        folded = fold(text)
    secrets = [*named_secrets(text, folded), *token_secrets(text, folded), *detected_secrets(text, folded)]
    secrets += told_secrets(text, folded)
    if personal:
        from memlsp.capture.redaction.personal_data import personal_data  # late: off by default

        secrets += personal_data(text, personal)
    if secrets:
        public = [found.span() for found in _PUBLIC.finditer(text)]
        marks = [found.span() for found in _MARK.finditer(text)]
        secrets = merged(secret for secret in secrets if not (_inside(secret, public) or _touches(secret, marks)))
    parts: list[str] = []
    end = 0
    for secret in secrets:
        parts += [text[end : secret.start], f"[redacted:{secret.kind}]"]
        end = secret.end
    parts.append(text[end:])
    if PATTERNS.missed and PATTERNS.can_save():
        prepare()
        PATTERNS.save()
    return Redacted("".join(parts), ("private",) * private + tuple(secret.kind for secret in secrets))


def _without_private(text: str) -> tuple[str, int]:
    """Remove private spans, which may be nested. Returns the text and the number of spans."""
    parts: list[str] = []
    count = depth = position = 0
    marks = [(found.start(), found.end(), True) for found in _OPEN.finditer(text)]
    marks += [(found.start(), found.end(), False) for found in _CLOSE.finditer(text)]
    if not marks:
        return text, 0
    for start, end, opens in sorted(marks):
        if opens:
            if depth == 0:
                parts.append(text[position:start])
                count += 1
            depth += 1
            continue
        if depth == 0:  # the opening mark was cut off
            parts.clear()
            count += 1
        depth = max(0, depth - 1)
        position = end
    if depth == 0:
        parts.append(text[position:])
    left, more = _without_private("".join(parts))  # the text around a span may form a new mark
    return left, count + more


def _inside(secret: Secret, spans: list[tuple[int, int]]) -> bool:
    return any(start <= secret.start and secret.end <= end for start, end in spans)


def _touches(secret: Secret, marks: list[tuple[int, int]]) -> bool:
    return any(start < secret.start < end or start < secret.end < end for start, end in marks)
