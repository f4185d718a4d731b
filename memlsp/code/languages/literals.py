"""Spells literals that mean the same in one way, in every language."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation

_SUFFIX = re.compile(r"(?<=[0-9.])[a-z][a-z0-9]*$")
_ESCAPE = re.compile(r"\\(\r\n|.)|(\r\n|\n)|(')", re.DOTALL)


def quoted(body: str, *, continued: bool = False) -> str:
    r"""A string's body as written (escapes included) between single quotes: `it\'s` and `it's` come out alike.

    With `continued` a backslash before a line break joins the lines, as Python and JavaScript have it.
    """

    def spell(found: re.Match[str]) -> str:
        escaped, line, quote = found.groups()
        if quote:
            return "\\'"
        if line:
            return "\\n"
        if escaped in ('"', "`"):
            return escaped
        if continued and escaped in ("\n", "\r\n"):
            return ""
        return "\\" + escaped

    return "'" + _ESCAPE.sub(spell, body) + "'"


def decimal(raw: str, *, floats_differ: bool, suffixes: bool = False) -> tuple[str, str]:
    """A number as shown and as compared: `1_000` is 1000, `0.20` is 0.2, `0x10` is shown as written and equals 16. With
    `floats_differ` 1.0 is not 1; with `suffixes` a type suffix (`10u32`, `10L`) is compared and not shown."""
    text = raw.replace("_", "").lower()
    suffix = ""
    if suffixes and not text.startswith(("0x", "0b", "0o")):
        found = _SUFFIX.search(text)
        if found and not re.fullmatch(r"e[0-9]+", found[0]):
            suffix, text = found[0], text[: found.start()]
    try:
        if text[:2] in ("0x", "0o", "0b"):
            return text, f"{int(text, 0)}{suffix}"
        if text.isdigit():
            plain = text.lstrip("0") or "0"
            return plain, plain + suffix
        value = Decimal(text)
        if abs(value.adjusted()) > 40:
            return text, text + suffix
        plain = format(value.normalize(), "f")
        if floats_differ and "." not in plain:
            plain += ".0"
        # C's grammar has the minus in the number; -2 is compared as it always was
        return (text if text.lstrip("-").isdigit() else plain), plain + suffix
    except (InvalidOperation, ValueError):
        return text + suffix, text + suffix


def single(body: str) -> str:
    r"""A string whose only escapes are `\\` and `\'`, respelt for double quotes and then by `quoted`."""

    def spell(found: re.Match[str]) -> str:
        return found[0] if found[1] else "\\\\"

    return quoted(re.sub(r"\\([\\'])|\\", spell, body))
