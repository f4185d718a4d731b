"""The doorway: what looks like a secret is taken out of a text before anything is stored or cut.

Found in four ways: what people mark as `<private>`, what is secret by its own shape (`tokens`), what is secret by the
name it is given (`assignments`), and what the detectors of detect-secrets know; and personal data where a setting asks
for it (`personal`).
"""

from __future__ import annotations

from memlsp.capture.redaction.compiled_patterns import DOORWAY, IGNORECASE
from memlsp.capture.redaction.spans import Secret, fold, merged

TYPE_CHECKING = False  # as in typing, without importing it
if TYPE_CHECKING:
    from collections.abc import Sequence

# Also as JSON inside JSON and as HTML write it.
_LESS, _MORE = r"(?:<|\\{1,8}u003c|&lt;)", r"(?:>|\\{1,8}u003e|&gt;)"
_OPEN = DOORWAY.pattern(rf"{_LESS}private{_MORE}", IGNORECASE)
_CLOSE = DOORWAY.pattern(rf"{_LESS}\\{{0,8}}/private{_MORE}", IGNORECASE)
_PRIVATE = ("private>", "private\\", "private&gt;")
_MARK = DOORWAY.pattern(r"\[redacted:[a-z-]{1,40}\]")
# Random on purpose, and public: pictures, integrity hashes, public keys.
_PUBLIC = DOORWAY.pattern(
    r"data:[\w.+-]{1,64}/[\w.+-]{1,64}(?:;[\w.+=-]{1,64}){0,4};base64,[A-Za-z0-9+/=_-]*+"
    r"|\bsha(?:1|256|384|512)-[A-Za-z0-9+/=]{20,128}+"
    r"|\b(?:ssh-(?:rsa|ed25519|dss)|ecdsa-sha2-nistp\d{3}) [A-Za-z0-9+/=]{20,8192}+"
    r"|-----BEGIN (?:CERTIFICATE|PUBLIC KEY|RSA PUBLIC KEY)-----[A-Za-z0-9+/=\s\\]*+-----END"
)


class Redacted:
    """A text without its secrets, and the kinds of those that were in it, in order of place (`private` first)."""

    __slots__ = ("found", "text")

    def __init__(self, text: str, found: tuple[str, ...] = ()) -> None:
        self.text = text
        self.found = found

    def __repr__(self) -> str:
        return f"Redacted({self.text!r}, {self.found!r})"


def redact(text: str, personal: Sequence[str] = ()) -> Redacted:
    """`text` with each secret replaced by `[redacted:<kind>]`, and `<private>...</private>` removed altogether (a
    `<private>` that is never closed hides the rest, a `</private>` that was never opened what is before it: the other
    half was cut off). `personal` names what is taken out besides: `email`, `phone`, `card`.

    Pure and linear in the length of `text`; redacting twice changes nothing more.
    """
    # late: many processes take nothing in
    from memlsp.capture.redaction.assignments import named_secrets
    from memlsp.capture.redaction.detectors import detected_secrets, prepare
    from memlsp.capture.redaction.tokens import token_secrets

    folded = fold(text)
    private = 0
    if any(mark in folded for mark in _PRIVATE):
        text, private = _without_private(text)
        folded = fold(text)
    secrets = [*named_secrets(text, folded), *token_secrets(text, folded), *detected_secrets(text, folded)]
    if personal:
        from memlsp.capture.redaction.personal_data import personal_data  # late: off unless somebody asked for it

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
    if DOORWAY.missed and DOORWAY.can_keep():
        prepare()
        DOORWAY.keep()
    return Redacted("".join(parts), ("private",) * private + tuple(secret.kind for secret in secrets))


def _without_private(text: str) -> tuple[str, int]:
    """Spans may be nested: everything from the first mark to the last that closes it goes."""
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
        if depth == 0:  # its beginning was cut off
            parts.clear()
            count += 1
        depth = max(0, depth - 1)
        position = end
    if depth == 0:
        parts.append(text[position:])
    left, more = _without_private("".join(parts))  # what stood around a span may make a mark
    return left, count + more


def _inside(secret: Secret, spans: list[tuple[int, int]]) -> bool:
    return any(start <= secret.start and secret.end <= end for start, end in spans)


def _touches(secret: Secret, marks: list[tuple[int, int]]) -> bool:
    """True when a secret is part of the mark that an earlier redaction left."""
    return any(start < secret.start < end or start < secret.end < end for start, end in marks)
