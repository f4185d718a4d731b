"""Decides whether a rendered syntax node has a space between two tokens, whatever the author typed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from attrs import field, frozen

from memlsp.code.vocabulary import word_sets


class ShownToken(NamedTuple):
    """A leaf of the tree with the kind of the node that it stands in."""

    text: str
    kind: str
    parent_kind: str


@frozen(eq=False, kw_only=True)
class Notation:
    """The marks of a language that rendering and reading literals depend on. All are node kinds but `tight`."""

    wrappings: frozenset[str] = frozenset({"parenthesized_expression"})  # mean what they hold
    strings: frozenset[str] = frozenset({"string"})
    string_parts: frozenset[str] = frozenset()  # of a string that has interpolations
    numbers: frozenset[str] = frozenset()
    constants: Mapping[str, str] = field(factory=dict[str, str])  # with the text that is shown, "" for their own
    tight: frozenset[str] = frozenset()  # tokens that are shown without a space on either side
    spaced_as_written: bool = False  # white space has a meaning, so the author's is shown


def is_spaced(notation: Notation, left: ShownToken, right: ShownToken) -> bool:
    """True when a space stands between two neighbouring tokens."""
    if (right.text == ":" and right.parent_kind in _TERNARY) or (left.text == "?" and left.parent_kind in _TERNARY):
        return True
    if _is_tight(notation, left, right):
        return False
    if right.text in "([":
        is_callable = left.text[-1].isalnum() or left.text[-1] in "_)]}'\">!?"
        return not is_callable or (left.text in _SPACED_WORDS and left.kind[:1] == "'")
    if _is_bound(left, right):
        return False
    if _is_tag(left) or (_is_tag(right) and "attr" not in left.kind):
        return right.text == "/>"
    if left.parent_kind in _INTERPOLATIONS or right.parent_kind in _INTERPOLATIONS:
        return False
    return not (_is_type_bracket(left) or _is_type_bracket(right))


def _is_tag(token: ShownToken) -> bool:
    return token.text in _ANGLES and "jsx" in token.parent_kind


def _is_type_bracket(token: ShownToken) -> bool:
    return token.text in "<>" and token.parent_kind in _GENERICS


def _is_tight(notation: Notation, left: ShownToken, right: ShownToken) -> bool:
    """True for tokens that never have a space between them: brackets, commas, dots, parts of one string."""
    tight, parts = notation.tight, notation.string_parts
    if right.text in _TIGHT_BEFORE or left.text in _TIGHT_AFTER or left.text in tight:
        return True
    # A backslash behind a keyword begins a name in PHP's outermost namespace.
    begins_name = right.text == "\\" and left.kind[:1] == "'" and left.text.isalpha()
    if right.text in tight and not begins_name:
        return True
    return left.text in _OPENING or left.text[-1] == "(" or right.kind in parts or left.kind in parts


def _is_bound(left: ShownToken, right: ShownToken) -> bool:
    """True around the equals sign of an argument, behind a prefix operator and before a postfix one."""
    if left.text == "=" and left.parent_kind in _TIGHT_EQUALS:
        return True
    if right.text == "=" and right.parent_kind in _TIGHT_EQUALS:
        return True
    if left.text in _SIGNS and any(part in left.parent_kind for part in _PREFIXES):
        return True
    return right.text in ("++", "--", "?", "!") and right.parent_kind in _POSTFIX


_WORDS = word_sets(__name__)
_TIGHT_BEFORE, _TIGHT_AFTER, _TIGHT_EQUALS = (_WORDS[f"tight_{each}"] for each in ("before", "after", "equals"))
_OPENING, _SIGNS, _ANGLES, _POSTFIX = (_WORDS[each] for each in ("opening", "signs", "angles", "postfix"))
_TERNARY, _INTERPOLATIONS, _GENERICS = (_WORDS[each] for each in ("ternary", "interpolations", "generics"))
_SPACED_WORDS = _WORDS["spaced_words"]
_PREFIXES = tuple(_WORDS["prefixes"])
