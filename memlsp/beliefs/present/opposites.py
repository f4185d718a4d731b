"""Holds one of two opposites that a statement claims against the code, which may do the other: UTC or local time,
stdout or stderr, lower or upper case, up or down, soft or hard deletes, now or later.

`patterns.toml` has each pair by what people say (`said_utc`) and by what code writes (`code_utc`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memlsp.beliefs.claims.claims import Claims
from memlsp.beliefs.claims.clause_roles import is_conditional, speaks_here
from memlsp.beliefs.present.present_code import Finding, PresentCode, without_comments
from memlsp.beliefs.vocabulary import patterns

_RE = patterns(__name__)
_GROUPS = [
    group.split()
    for group in (
        "utc local",
        "stdout stderr",
        "lower upper",
        "half_even half_up round_up round_down",
        "soft_delete hard_delete",
        "later now",
        "append overwrite",
        "deep shallow",
        "cascade restrict",
        "threads processes",
        "smallest largest",
        "case_sensitive case_blind",
        "checked_certificates unchecked_certificates",
    )
]


def opposites_found(claims: Claims, code: PresentCode) -> Iterator[Finding]:
    """The findings about opposites: the code has exactly one of the others, and not the one said."""
    source = without_comments(code.source, code.language)
    for group in _GROUPS:
        said = [(name, found) for name in group if (found := _RE[f"said_{name}"].search(claims.text))]
        if len(said) != 1:
            continue
        ((name, found),) = said
        at = found.start()
        if not speaks_here(claims, code.subject, at):
            continue
        has = {each: written for each in group if (written := _RE[f"code_{each}"].search(source))}
        if name in has:
            yield Finding(found[0])
        elif len(has) == 1 and not is_conditional(claims.text, at) and not _is_beyond(name, code):
            (written,) = has.values()
            yield code.differs(found[0], f"has `{written[0].strip('.( ')}`")


def _is_beyond(name: str, code: PresentCode) -> bool:
    """True where a function that is called does it."""
    return any(
        _RE[f"code_{name}"].search(re.sub(r" (?=\()|(?<=[.(]) | (?=\.)", "", " ".join(each.facts.tokens)))
        for each in code.reached
    )
