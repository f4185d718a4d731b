"""The numbers of HTTP statuses that code names by their phrases (RFC 9110 and its companions)."""

from __future__ import annotations

import re

from memlsp.beliefs.vocabulary import texts
from memlsp.code.syntax.names import words

_STATUS = {
    phrase.replace(" ", ""): int(number)
    for number, phrase in re.findall(r"(\d{3}) ([a-z ]+)", texts(__name__)["phrases"])
}
_AROUND = frozenset({"status", "http", "code", "sc"})


def status_of(name: str) -> int | None:
    """The number of the status that a constant stands for: 410 for `StatusGone`, 404 for `HTTP_404_NOT_FOUND`."""
    return _STATUS.get("".join(word for word in words(name) if word not in _AROUND and not word.isdigit()))
