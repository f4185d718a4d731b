"""Brings code to a normal form in which rewritings that keep the meaning are equal.

A function becomes a decision tree: what follows a branch is read inside of it, `and`, `or` and `not` are tests of their
own, and a negated test has its branches swapped. So guards, early returns, `else`, nested tests and De Morgan's laws
are one thing. A local that is read once, right behind its assignment, is its value; a loop that fills a list or looks
for one element is the expression for it; texts that are put together are one thing however they are written.

What cannot be told apart safely stays as it is written: calls keep their order, and code that is too large has no
normal form.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from memlsp.beliefs.claims.stems import word_set
from memlsp.beliefs.rewording.code_terms import (
    Term,
    TermReader,
    count,
    formatted,
    functions_in,
    is_term,
    is_truth,
    names_in_order,
    names_of,
    plain_values,
    shadowing_names,
    swapped,
    waits,
    weight,
)
from memlsp.code.languages.detection import language_named
from memlsp.code.syntax.parser import parse

_LANGUAGES = word_set("python javascript typescript tsx go java csharp c cpp php kotlin rust ruby")
_MOST_STEPS, _LARGEST = 20_000, 6_000  # statements read, of all functions; terms of one branch
_PUSHED = 60  # terms of what follows a branch, up to which it is read inside of both ways
_TRUE, _FALSE = ("lit", "true"), ("lit", "false")
_WAYS = ((("return", _TRUE),), (("return", _FALSE),))
_END: Term = (("return",),)
_AGAIN: Term = (("continue",),)


def is_same_code(before: str, after: str, language: str) -> bool:
    """True when two texts of a language have one normal form."""
    if language not in _LANGUAGES:
        return False
    one = _normal_form(before, language)
    return one is not None and one == _normal_form(after, language)


def _normal_form(text: str, language: str) -> Term | None:
    described = language_named(language)
    tree = parse(described, text.encode()) if described is not None else None
    if tree is None or tree.has_errors:
        return None
    try:
        return _Normalizer(iter(range(_MOST_STEPS))).block(TermReader(tree).statements(0), ())
    except (_TooLarge, RecursionError):
        return None


class _TooLarge(Exception):
    """The normal form has more parts than are looked at."""


class _Normalizer:
    """Normalizes the statements of one function; nested functions have one of their own."""

    def __init__(self, steps: Iterator[int], body: Term = (), depth: int = 0) -> None:
        self._steps = steps
        self._depth = depth
        self._sizes: dict[int, tuple[int, Term]] = {}
        self._used = names_of(body)  # how often each name occurs in the function
        self._plain = plain_values(body)  # locals that hold numbers or texts

    def _step(self) -> None:
        if next(self._steps, None) is None:
            raise _TooLarge

    def block(self, statements: Sequence[Term], rest: Term, free: frozenset[str] = frozenset()) -> Term:
        """The statements before `rest`; `free` are the locals that nothing but these and `rest` reads."""
        after = rest
        for statement in reversed(statements):
            # what follows a way out in the same list may be another's: a label, or code that a condition leaves in
            dead = rest if statement[0] in _LEAVING and rest is not after else ()
            rest = self._before(statement, rest, free) + dead
        return rest

    def _apart(self, statements: Sequence[Term], rest: Term, free: frozenset[str]) -> Term:
        """Statements that are not the end of the function: a local is only theirs if no other place has its name."""
        own = names_of(statements)
        return self.block(statements, rest, frozenset(x for x in free if own[x] == self._used[x]))

    def _before(self, statement: Any, rest: Term, free: frozenset[str]) -> Term:
        """One statement in front of what follows it, which is in normal form."""
        self._step()
        match statement[0]:
            case "if":
                test, then, other = self._value(statement[1]), statement[2], statement[3]
                if self._size(rest) <= _PUSHED or _leaves(then) or _leaves(other):
                    return self._test(test, self.block(then, rest, free), self.block(other, rest, free))
                return self._test(test, self._apart(then, (), free), self._apart(other, (), free)) + rest
            case "return" if len(statement) > 1:
                return self._return(self._value(statement[1]))
            case "return" | "raise" | "break" | "continue":
                return ((statement[0], *map(self._value, statement[1:])),)
            case "assign":
                _, name, value, kind = statement
                if name in self._plain and value[:1] == ("binary",) and value[2] == ("name", name):
                    return (("update", value[1], value[2], self._value(value[3])), *rest)
                return self._assign(name, self._value(value), kind, rest, free)
            case "declare":
                return rest
            case "for":
                _, kind, pattern, source, body = statement
                loop = ("for", kind, self._value(pattern), self._value(source), self._apart(body, _AGAIN, free))
                found = _search(loop, rest)
                return (("return", found),) if found is not None else (loop, *rest)
            case _:
                return (self._value(statement, free), *rest)

    def _value(self, term: Any, free: frozenset[str] = frozenset()) -> Any:
        """An expression, or a statement without a notation of its own, with all that is in it in normal form."""
        if not is_term(term) or not term:
            return term
        match term[0]:
            case "function":
                return self._function(term)
            case "block":
                return ("block", self._apart(term[1], (), free))
            case "if" | "assign" | "for" | "return" | "raise" | "declare":
                return ("block", self._apart((term,), (), free))
            case "comp":
                _, kind, pattern, source, made = term
                return ("comp", kind, self._value(pattern), self._value(source), self.block(made, _AGAIN))
            case "yield":
                return ("yield", *(self._value(each) for each in term[1:]))
            case _:
                return _simplified(tuple(self._value(each, free) for each in term))

    def _function(self, term: Term) -> Term:
        _, kind, head, kept, local, body = term
        inner = _Normalizer(self._steps, body, self._depth + 1)
        captured = {name for each in functions_in(body) for name in names_of(each)}
        done = (self._value(head), inner.block(body, _END, frozenset(local) - captured - shadowing_names(body)))
        for at, name in enumerate(names_in_order(done)):
            if (name in local and name not in kept) or name.startswith(f"\N{SECTION SIGN}{self._depth + 1}."):
                done = swapped(done, name, ("name", f"\N{SECTION SIGN}{self._depth}.{at}"))
        return ("function", kind, *done)

    def _return(self, value: Term) -> Term:
        if value == ("nothing",):
            return _END
        if value[0] == "cond":
            return self._test(value[1], self._return(value[2]), self._return(value[3]))
        if value[0] in {"and", "or"} and is_truth(value):
            return self._test(value, *_WAYS)
        return (("return", value),)

    def _test(self, test: Term, then: Term, other: Term) -> Term:
        self._step()
        match test[0]:
            case "not":
                return self._test(test[1], other, then)
            case "and":
                return self._test(test[1], self._test(test[2], then, other), other)
            case "or":
                return self._test(test[1], then, self._test(test[2], then, other))
            case _:
                pass
        if is_truth(test) and (then, other) in (_WAYS, _WAYS[::-1]):
            return (("return", test if (then, other) == _WAYS else ("not", test)),)
        found = (("if", test, then, other),)
        size = 1 + _size(test) + self._size(then) + self._size(other)
        if size > _LARGEST:
            raise _TooLarge
        self._sizes[id(found)] = size, found
        return found

    def _size(self, term: Term) -> int:
        """The terms in statements. Ways of a branch may share theirs, so those of branches are remembered."""
        known = self._sizes.get(id(term))
        return known[0] if known is not None else _size(term)

    def _assign(self, name: str, value: Term, kind: str, rest: Term, free: frozenset[str]) -> Term:
        if value[0] == "cond" and self._size(rest) <= _PUSHED:
            ways = (self._assign(name, each, kind, rest, free) for each in value[2:])
            return self._test(value[1], *ways)
        filled = _filled(name, value, rest)
        if filled is not None:
            return self._assign(name, filled, kind, rest[1:], free)
        if name in free and kind in {"", "="} and _may_inline(name, value, rest):
            return self._again(swapped(rest, name, value))
        return (("assign", name, value, kind if kind != "=" else ""), *rest)

    def _again(self, rest: Term) -> Term:
        """Statements in normal form in which a value took the place of a name: they may be simpler now."""
        found: Term = ()
        for each in reversed(rest):
            match each:
                case ("if", test, then, other):
                    found = self._test(_simplified(test), self._again(then), self._again(other)) + found
                case ("return", value):
                    found = self._return(_simplified_whole(value))
                case _:
                    found = (_simplified_whole(each), *found)
        return found


def _size(term: Any) -> int:
    return 1 + sum(map(_size, term)) if is_term(term) else 1


def _leaves(statements: Sequence[Term]) -> bool:
    if not statements:
        return False
    last = statements[-1]
    return last[0] in _LEAVING or (last[0] == "if" and _leaves(last[2]) and _leaves(last[3]))


_LEAVING = frozenset({"return", "raise", "break", "continue"})


# --- a local that is read right behind its assignment


def _may_inline(name: str, value: Term, rest: Term) -> bool:
    """True where all that reads a local would get the same from its value."""
    reads = count(rest, name)
    if not reads or _rebinds(rest, {name}):
        return False
    needs = weight(value)
    if needs == 0:
        return not _rebinds(rest, set(names_of(value)))
    return reads == 1 and _first(rest[0], name) == _FOUND


def _rebinds(term: Any, names: set[str]) -> bool:
    match term:
        case ("assign", name, *_):
            if name in names:
                return True
        case ("update" | "set" | "for" | "comp", _, target, *_):
            if names & set(names_of(target)):
                return True
        case _:
            pass
    return is_term(term) and any(_rebinds(each, names) for each in term)


_FOUND, _EFFECT = 1, 2


def _first(term: Any, name: str) -> int:
    """What comes first when a term is worked out: the variable, or an effect. 0 for neither."""
    if not is_term(term) or not term or (term[0] == "function" and not count(term, name)):
        return 0
    if len(term) == 2 and term[0] == "name":
        return _FOUND if term[1] == name else 0
    kind = term[0]
    if kind in {"if", "and", "or", "cond"}:
        return _first(term[1], name) or (_EFFECT if weight(term) or count(term, name) else 0)
    if kind in {"for", "comp"}:
        _, _, _, source, *inside = list[Any](term)
        return _EFFECT if count(inside, name) else _first(source, name) or _EFFECT
    reads_target = kind == "update" and count(term[1:-1], name)
    if reads_target or kind in {"block", "function"} or (isinstance(kind, str) and _LOOP.search(kind)):
        return _EFFECT
    found = next((found for each in term if (found := _first(each, name))), 0)
    if found or kind in _ARGUMENTS or kind in {"sign", "lit", "leaf", "nothing"}:
        return found
    own = tuple(each for each in term if not is_term(each) or each[:1] == ("sign",))
    return _EFFECT if weight(own) == _EFFECT else 0


_LOOP = re.compile(r"while|for|do_|loop|try_(?!expression)|with|switch|match|select|defer|go_")
_ARGUMENTS = frozenset({"arguments", "argument_list", "value_arguments", "value_argument", "argument", "return"})


# --- loops that are an expression


_EMPTY = {("list",): "list", ("array",): "list", ("call", ("name", "set"), ("argument_list",)): "set"}
_ADDING = {"append": "list", "push": "list", "add": "set"}


def _filled(name: str, value: Term, rest: Term) -> Term | None:
    """The expression for a list that starts empty and that the next loop fills."""
    made = _EMPTY.get(tuple(each for each in value if each not in _BRACKETS))
    if made is None or not rest or rest[0][0] != "for":
        return None
    _, kind, pattern, source, body = rest[0]
    if kind not in {"in", "of"}:
        return None
    leaves = None if waits(body) else _leaves_of(body, lambda end: _added(end, name, made))
    if leaves is None or count(leaves, name) or count(source, name):
        return None
    return ("comp", made, pattern, source, leaves)


_BRACKETS = (("sign", "["), ("sign", "]"), ("sign", "("), ("sign", ")"))


def _added(end: Term, name: str, made: str) -> Term | None:
    if end == _AGAIN:
        return end
    match end:
        case ((_, (_, ("name", target), _, ("leaf", verb)), (_, *arguments)), ("continue",)):
            held = [each for each in arguments if each not in _BRACKETS]
            if target == name and _ADDING.get(verb) == made and len(held) == 1:
                return (("yield", held[0]), *_AGAIN)
        case _:
            pass
    return None


def _leaves_of(body: Term, read: Callable[[Term], Term | None]) -> Term | None:
    """A tree of tests with each of its ends read; None where an end is something else."""
    if body and body[0][0] == "if" and len(body) == 1:
        _, test, then, other = body[0]
        ways = (_leaves_of(then, read), _leaves_of(other, read))
        return None if None in ways else (("if", test, *ways),)
    return read(body)


def _search(loop: Term, rest: Term) -> Term | None:
    """The expression for a loop that returns true or false for the first element that passes a test."""
    _, kind, pattern, source, body = loop
    for found, name in ((_TRUE, "any"), (_FALSE, "all")):
        other = _FALSE if found == _TRUE else _TRUE
        if kind in {"in", "of"} and not waits(body) and rest == (("return", other),):
            ends = _leaves_of(body, lambda end, found=found: end if end in ((("return", found),), _AGAIN) else None)
            if ends is not None and ends != _AGAIN:
                return ("search", name, pattern, source, ends)
    return None


# --- calls that are another notation


def _simplified(term: Term) -> Term:
    """A call that fills a text, maps a list, or looks for an element, in the notation of the loop."""
    match term:
        case ("call", ("name", "any" | "all" as name), (("comp", "each", pattern, source, made))):
            found = _TRUE if name == "any" else _FALSE
            ends = _found(made, found)
            return term if ends is None else ("search", name, pattern, source, ends)
        case ("call", ("attribute", ("lit", text), _, ("leaf", "format")), arguments):
            return formatted(text, "{}", [each for each in arguments[1:] if each[0] != "sign"]) or term
        case ("call_expression", ("member_expression", source, _, ("leaf", verb)), arguments) if verb in _OVER:
            held = [each for each in arguments[1:] if each not in _BRACKETS]
            return _over(verb, source, held[0]) or term if len(held) == 1 else term
        case _:
            return term


def _simplified_whole(term: Any) -> Any:
    return _simplified(tuple(map(_simplified_whole, term))) if is_term(term) and term else term


def _found(made: Term, found: Term) -> Term | None:
    tests = _leaves_of(made, lambda end: end)
    if tests is None:
        return None
    yes, no = (("return", found),), _AGAIN

    def settle(end: Term) -> Term:
        if end == _AGAIN:
            return end
        value = end[0][1]
        turned = value[0] == "not"
        test = value[1] if turned else value
        ways = (yes, no) if (found == _TRUE) != turned else (no, yes)
        return (("if", test, *ways),)

    return _leaves_of(made, settle)


_OVER = frozenset({"map", "filter", "some", "every"})


def _over(verb: str, source: Term, given: Term) -> Term | None:
    """`xs.filter(f).map(g)` as the loop that it stands for, where the functions are written out."""
    match given:
        case ("function", "lambda", (*head,), (("return", value),)) if ("sign", "async") not in head:
            names = [each for each in head if each[0] != "sign"]
            pattern = _lone_name(names[0]) if len(names) == 1 else None
        case _:
            return None
    if pattern is None:
        return None
    inner = source if source[0] == "comp" and source[1] == "list" else None
    if verb == "map":
        if inner is not None and inner[4][0][0] == "if":
            at = inner[2]
            value = swapped(value, pattern[1], at)
            kept = _leaves_of(inner[4], lambda end: end if end == _AGAIN or end[0] == ("yield", at) else None)
            if kept is None:
                return None
            made = _leaves_of(kept, lambda end: end if end == _AGAIN else (("yield", value), *_AGAIN))
            return ("comp", "list", at, inner[3], made)
        return ("comp", "list", pattern, source, (("yield", value), *_AGAIN))
    ways = ((("yield", pattern), *_AGAIN), _AGAIN)
    if verb != "filter":
        yes = (("return", _TRUE if verb == "some" else _FALSE),)
        ways = (yes, _AGAIN) if verb == "some" else (_AGAIN, yes)
    tests = _tests(value, *ways)
    name = {"some": "any", "every": "all"}.get(verb)
    return ("comp", "list", pattern, source, tests) if name is None else ("search", name, pattern, source, tests)


def _tests(test: Term, then: Term, other: Term) -> Term:
    if test[0] == "not":
        return _tests(test[1], other, then)
    if test[0] == "and":
        return _tests(test[1], _tests(test[2], then, other), other)
    if test[0] == "or":
        return _tests(test[1], then, _tests(test[2], then, other))
    return (("if", test, then, other),)


def _lone_name(term: Any) -> Term | None:
    while is_term(term) and term and term[0] != "name":
        held = [each for each in term[1:] if is_term(each) and each not in _BRACKETS]
        if len(held) != 1:
            return None
        term = held[0]
    return term if is_term(term) and term else None
