"""Recognises two notations of one thing, which no sentence tells as a change."""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from collections.abc import Callable
from functools import cache
from pathlib import Path

from memlsp.code.diff.quotes import suffix_of

_Rule = tuple[re.Pattern[str], str | Callable[[re.Match[str]], str], str]


@cache
def _rules() -> defaultdict[str, list[_Rule]]:
    """The rules of notations.toml by the suffix of a file."""
    found: defaultdict[str, list[_Rule]] = defaultdict(list)
    text = Path(__file__).with_name("notations.toml").read_text(encoding="utf-8")
    for rule in tomllib.loads(text)["rule"]:
        put = _in_order if "order" in rule else rule.get("put", "")
        for suffix in rule["in"].split():
            found[suffix].append((re.compile(rule.get("order") or rule["find"]), put, rule.get("where", "")))
    return found


def _in_order(found: re.Match[str]) -> str:
    return " ".join(sorted(re.findall(r"\w+", found[0]))) + " "


_STRING = re.compile(r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|`(?:\\.|[^`\\])*`", re.DOTALL)
_PACKAGE = re.compile(r"(?<![\w.)\]])([a-z]\w*)\.(?=[A-Z])")
_IDLE_NAMES = frozenset({"Override", "SuppressWarnings", "SafeVarargs", "allow", "SuppressMessage", "rustfmt::skip"})


def says_nothing(decorator: str) -> bool:
    """True for an annotation that is for the compiler's checks alone: `Override`, `SuppressWarnings`, `allow`."""
    return decorator in _IDLE_NAMES


def is_same(old: str, new: str, path: str) -> bool:
    """True for two notations of the same code in the language of `path`: `typing.overload` and `overload`,
    `f: function()` and `f()`, `{ return x; }` and `=> x`, `new Stub()` and `new()`, `interface{}` and `any`."""
    if old == new:
        return False
    suffix = suffix_of(path)
    strings: dict[str, int] = {}
    if suffix != ".rs":  # there a quote may begin a lifetime
        old, new = (
            _STRING.sub(lambda found: f"\0{strings.setdefault(found[0], len(strings))}\0", t) for t in (old, new)
        )
    if suffix == ".go":
        old, new = _without_packages(old, new)
    left, right = old.strip(" ;"), new.strip(" ;")
    for pattern, put, where in _rules()[suffix]:
        if where in old or where in new:
            left, right = pattern.sub(put, left), pattern.sub(put, right)
    return left.split() == right.split()


def _without_packages(old: str, new: str) -> tuple[str, str]:
    """Both texts without the packages that one of them alone writes before names: `logrus.New()` and `New()`."""
    before, after = set(_PACKAGE.findall(old)), set(_PACKAGE.findall(new))
    if bool(before - after) == bool(after - before):
        return old, new
    extra = before ^ after
    left, right = (_PACKAGE.sub(lambda found: "" if found[1] in extra else found[0], text) for text in (old, new))
    return left, right
