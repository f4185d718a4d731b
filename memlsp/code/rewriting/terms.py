"""Terms: tuples of what something is and its parts, as `code_terms` reads them from code."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, TypeGuard

from memlsp.code.vocabulary import word_sets

Term = tuple[Any, ...]

_KINDS = word_sets(__name__)
_NEGATED = {"!=": "==", "!==": "===", "is not": "is", "not in": "in"}
COMPARED = frozenset({"==", "===", "is", "in", "<", *_NEGATED, ">", ">=", "<="})
"""Signs of comparisons."""

_PURE = re.compile(r"binary|boolean|comparison|unary|not_op|prefix_unary|tuple|expression_list|pointer|interpolation")
_READS = re.compile("|".join(sorted(_KINDS["reading"])))
SHADOWING = ":"


def is_term(found: object) -> TypeGuard[Term]:
    """True for a term or a list of terms, False for a word."""
    return isinstance(found, tuple)


def terms_in(term: Any, *, of_functions: bool = True) -> Iterator[Term]:
    """A term and those in it, by where they start; on request without what is in functions."""
    stack: list[Any] = [term]
    while stack:
        each = stack.pop()
        if is_term(each) and each:
            yield each
            if of_functions or each[0] != "function":
                stack.extend(reversed(each))


def names_of(term: Any) -> Counter[str]:
    """The variables in a term by where they first occur, with how often each does."""
    found = terms_in(tuple(term))
    return Counter(x[1] for x in found if len(x) > 1 and isinstance(x[1], str) and x[0] in {"name", "assign"})


def bound_names(term: Term, *, declared: bool) -> Iterator[str]:
    """The names that statements bind, without those of functions in them."""
    for each in terms_in(term, of_functions=False):
        match each:
            case ("assign", str(name), _, kind) if not declared or kind != "=":
                yield name
            case ("declare", target) | ("declaration_pattern", _, target):
                yield from names_of(target)
            case ("for" | "comp", _, target, *_):
                yield from names_of(target)
            case _:
                pass


def with_shadowing(term: Any, names: set[str]) -> Any:
    """The term with a mark at declarations of names that are declared more than once: each is another variable."""
    if not is_term(term) or not names:
        return term
    if term[:1] == ("assign",) and term[1] in names and term[3] == "":
        return (*term[:2], with_shadowing(term[2], names), SHADOWING)
    return tuple(with_shadowing(each, names) for each in term)


def shadowing_names(term: Any) -> frozenset[str]:
    """The variables of which there are several with one name."""
    return frozenset(each[1] for each in terms_in(term) if each[0] == "assign" and each[3:] == (SHADOWING,))


def plain_values(term: Any) -> frozenset[str]:
    """The variables that start as a number or a text."""
    return frozenset(each[1] for each in terms_in(term) if each[0] == "assign" and each[2][0] in {"lit", "text"})


def swapped(term: Any, name: str, value: Term) -> Any:
    """The term with a value in the place of a variable."""
    if not is_term(term):
        return term
    if len(term) == 2 and term[0] == "name":
        return value if term[1] == name else term
    if term and term[0] == "assign" and term[1] == name and value[0] == "name":
        return ("assign", value[1], *(swapped(each, name, value) for each in term[2:]))
    return tuple(swapped(each, name, value) for each in term)


def weight(term: Term) -> int:
    """0 for what has one value while its variables stay, 1 for what reads an object, 2 for the rest."""
    kind = term[0] if term else ""
    if kind in {"name", "lit", "sign", "leaf", "nothing"}:
        return 2 if kind == "sign" and term[1] in _KINDS["effects"] else 0
    own = 0
    if isinstance(kind, str) and kind not in _KINDS["plain"] and not _PURE.match(kind):
        own = 1 if _READS.search(kind) and "call" not in kind and "invocation" not in kind else 2
    return max((own, *(weight(each) for each in term if is_term(each))))


def is_truth(term: Term) -> bool:
    """True for a term whose value is true or false."""
    return term[0] in {"cmp", "not"} or (term[0] in {"and", "or"} and is_truth(term[1]) and is_truth(term[2]))


def is_number(term: Term) -> bool:
    """True for a literal that begins with a digit."""
    return term[0] == "lit" and term[1][:1].isdigit()


def is_text(term: Term) -> bool:
    """True for a text, and for a literal in quotation marks."""
    return term[0] == "text" or (term[0] == "lit" and term[1][:1] in {"'", '"'})


def pieces(term: Term) -> tuple[Term, ...]:
    """The parts of a text; a plain string is one part for each of its characters, so that the cuts do not count."""
    if term[0] == "text":
        return term[1:]
    if is_text(term):
        return tuple(("lit", each) for each in term[1][1:-1])
    return (term,)


def compared(sign: str, left: Term, right: Term) -> Term:
    """The comparison of two terms, with one notation for a test and its reversal."""
    if sign in _NEGATED:
        return ("not", compared(_NEGATED[sign], left, right))
    light = min(weight(left), weight(right)) == 0
    if sign in {"==", "==="} and light:
        left, right = sorted((left, right), key=repr)
    elif sign in {">", "<="} and light:
        turned: Term = ("cmp", "<", right, left)
        return turned if sign == ">" else ("not", turned)
    elif sign == ">=":
        return ("not", ("cmp", "<", left, right))
    return ("cmp", sign, left, right)
