"""Wraps generated text so that the pages keep to the layout that tests/docs/test_layout.py holds."""

from __future__ import annotations

import re

WIDTH = 100  # columns
LONGEST_PARAGRAPH = 6  # lines
_SPAN = re.compile(r"`[^`]{1,60}`")
_MARKER = re.compile(r"[-+*>|#:]+|\d+[.)]")  # would begin a list, a quote or a heading at the start of a line


def wrapped(text: str, indent: str = "") -> str:
    """Break the text at spaces into lines of at most WIDTH columns; spans of code stay whole."""
    kept = _SPAN.sub(lambda found: found[0].replace(" ", "\0"), text)
    first = text[: len(text) - len(text.lstrip())]
    lines = [first]
    for word in kept.split():
        if not lines[-1].strip() or len(lines[-1]) + 1 + len(word) <= WIDTH:
            lines[-1] += f" {word}" if lines[-1].strip() else word
        elif _MARKER.fullmatch(word):
            lines[-1], _, last = lines[-1].rpartition(" ")
            lines.append(f"{indent}{last} {word}")
        else:
            lines.append(f"{indent}{word}")
    return "\n".join(lines).replace("\0", " ")


def entry(name: str, about: str, indent: str = "") -> str:
    """An item of a list: a name and its description."""
    return wrapped(f"{indent}- {name}: {about}" if about else f"{indent}- {name}", f"{indent}  ")
