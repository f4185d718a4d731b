"""The numbers of HTTP statuses that code names by their phrases (RFC 9110 and its companions)."""

from __future__ import annotations

import re

from memlsp.code.syntax.names import words

_STATUS = {
    phrase.replace(" ", ""): int(number)
    for number, phrase in re.findall(
        r"(\d{3}) ([a-z ]+)",
        "200 ok, 201 created, 202 accepted, 204 no content, 206 partial content, 301 moved permanently, 302 found, "
        "303 see other, 304 not modified, 307 temporary redirect, 308 permanent redirect, 400 bad request, "
        "401 unauthorized, 402 payment required, 403 forbidden, 404 not found, 405 method not allowed, "
        "406 not acceptable, 408 request timeout, 409 conflict, 410 gone, 411 length required, "
        "412 precondition failed, 413 request entity too large, 413 payload too large, 415 unsupported media type, "
        "418 teapot, 422 unprocessable entity, 423 locked, 425 too early, 426 upgrade required, "
        "428 precondition required, 429 too many requests, 451 unavailable for legal reasons, "
        "500 internal server error, 501 not implemented, 502 bad gateway, 503 service unavailable, "
        "504 gateway timeout, 507 insufficient storage",
    )
}
_AROUND = frozenset({"status", "http", "code", "sc"})


def status_of(name: str) -> int | None:
    """The number of the status that a constant stands for: 410 for `StatusGone`, 404 for `HTTP_404_NOT_FOUND`."""
    return _STATUS.get("".join(word for word in words(name) if word not in _AROUND and not word.isdigit()))
