"""Brings code to a normal form in which rewritings that keep the meaning are equal.

A function becomes a decision tree: what follows a branch is read inside of it, `and`, `or` and `not` are tests of their
own, and a negated test has its branches swapped. So guards, early returns, `else`, nested tests and De Morgan's laws
are one thing. A local that is read once, right behind its assignment, is its value; texts that are joined are one thing
however they are written. A loop and the expression for it are two.

What cannot be told apart safely stays as it is written: calls keep their order, and code that is too large has no
normal form.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from memlsp.code.languages.detection import language_named
from memlsp.code.rewriting import terms
from memlsp.code.rewriting.code_terms import TermReader
from memlsp.code.rewriting.terms import Term, is_term, is_truth, names_of, swapped, weight
from memlsp.code.syntax.parser import parse
from memlsp.code.syntax.tree import Tree
from memlsp.code.vocabulary import word_sets

_LANGUAGES, _TYPED = (word_sets(__name__)[each] for each in ("languages", "typed"))
_MOST_STEPS, _LARGEST = 20_000, 6_000  # statements read, of all functions; terms of one branch
_PUSHED = 60  # terms of what follows a branch, up to which it is read inside of both ways
_SPLIT = 500  # terms of what reads a local that is true or false
_TRUE, _FALSE = ("lit", "true"), ("lit", "false")
_WAYS = ((("return", _TRUE),), (("return", _FALSE),))
_END: Term = (("return",),)
_AGAIN: Term = (("continue",),)


def is_same_code(before: str, after: str, language: str) -> bool:
    """True when two texts of a language have one normal form."""
    described = language_named(language)
    return described is not None and is_same_node(*((parse(described, text.encode()), 0) for text in (before, after)))


def is_same_node(before: tuple[Tree | None, int], after: tuple[Tree | None, int]) -> bool:
    """True when two nodes, each of a tree of one language, have one normal form."""
    one = _normal_form(*before)
    return one is not None and one == _normal_form(*after)


def _normal_form(tree: Tree | None, node: int) -> Term | None:
    if tree is None or tree.has_errors or (language := tree.language.name) not in _LANGUAGES:
        return None
    try:
        normalizer = _Normalizer(iter(range(_MOST_STEPS)), typed=language in _TYPED)
        return normalizer.block(TermReader(tree).statements(node), ())
    except (_TooLarge, RecursionError):
        return None


class _TooLarge(Exception):
    """The normal form has more parts than are looked at."""


class _Normalizer:
    """Normalizes the statements of one function; nested functions have one of their own."""

    def __init__(self, steps: Iterator[int], body: Term = (), depth: int = 0, *, typed: bool) -> None:
        self._steps = steps
        self._depth = depth
        self._typed = typed
        self._sizes: dict[int, tuple[int, Term]] = {}
        self._used = names_of(body)  # how often each name occurs in the function
        self._plain = terms.plain_values(body)  # locals that hold numbers or texts

    def _step(self) -> None:
        if next(self._steps, None) is None:
            raise _TooLarge

    def block(self, statements: Sequence[Term], rest: Term, free: frozenset[str] = frozenset()) -> Term:
        """The statements before `rest`; `free` are the locals that nothing but these and `rest` reads."""
        after, statements = rest, self._parted(statements, free)
        for statement in reversed(statements):
            # what follows a way out in the same list may be another's: a label, or code that a condition leaves in
            dead = rest if statement[0] in _LEAVING and rest is not after else ()
            rest = self._before(statement, rest, free) + dead
        return rest

    def _parted(self, statements: Sequence[Term], free: frozenset[str]) -> Sequence[Term]:
        """The statements with a branch for a local that is true or false, around those that read it."""
        for at, statement in enumerate(statements):
            if statement[0] != "assign" or statement[1] not in free or statement[3] not in {"", "="}:
                continue
            name, value = statement[1:3]
            if not is_truth(value) and not (self._typed and value[0] in {"and", "or"}):
                continue
            behind = statements[at + 1 :]
            reading = [place for place, each in enumerate(behind, 1) if names_of(each)[name]]
            inside = tuple(behind[: reading[-1]]) if reading else ()
            if len(reading) > 1 and _size(inside) <= _SPLIT and not _rebinds(inside, {name}):
                ways = (swapped(inside, name, each) for each in (_TRUE, _FALSE))
                return [*statements[:at], ("if", value, *ways), *behind[reading[-1] :]]
        return statements

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
                inside = self._apart(body, _AGAIN, free)
                return (("for", kind, self._value(pattern), self._value(source), inside), *rest)
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
                return tuple(self._value(each, free) for each in term)

    def _function(self, term: Term) -> Term:
        _, kind, head, kept, local, body = term
        inner = _Normalizer(self._steps, body, self._depth + 1, typed=self._typed)
        functions = (each for each in terms.terms_in(body, of_functions=False) if each[0] == "function")
        captured = {name for each in functions for name in names_of(each)}
        free = frozenset(local) - captured - terms.shadowing_names(body)
        done = (self._value(head), inner.block(body, _END, free))
        for at, name in enumerate(names_of(done)):
            if (name in local and name not in kept) or name.startswith(f"\N{SECTION SIGN}{self._depth + 1}."):
                done = swapped(done, name, ("name", f"\N{SECTION SIGN}{self._depth}.{at}"))
        return ("function", kind, *done)

    def _return(self, value: Term) -> Term:
        if value == ("nothing",):
            return _END
        if value[0] == "cond":
            return self._test(value[1], self._return(value[2]), self._return(value[3]))
        if value[0] in {"and", "or"} and (self._typed or is_truth(value)):
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
            case "lit" if test in {_TRUE, _FALSE}:
                return then if test == _TRUE else other
            case _:
                pass
        if (self._typed or is_truth(test)) and (then, other) in (_WAYS, _WAYS[::-1]):
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
        if name in free and kind in {"", "="} and _may_inline(name, value, rest):
            return self._again(swapped(rest, name, value))
        return (("assign", name, value, kind if kind != "=" else ""), *rest)

    def _again(self, rest: Term) -> Term:
        """Statements in normal form in which a value took the place of a name: they may be simpler now."""
        found: Term = ()
        for each in reversed(rest):
            match each:
                case ("if", test, then, other):
                    found = self._test(test, self._again(then), self._again(other)) + found
                case ("return", value):
                    found = self._return(value)
                case _:
                    found = (each, *found)
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
    reads = names_of(rest)[name]
    if not reads or _rebinds(rest, {name}):
        return False
    needs = weight(value)
    if needs == 0 and not _rebinds(rest, set(names_of(value))):
        return True
    return reads == 1 and _first(rest[0], name) == _FOUND


def _rebinds(term: Any, names: set[str]) -> bool:
    for each in terms.terms_in(term):
        match each:
            case ("assign", name, *_) if name in names:
                return True
            case ("update" | "set" | "for" | "comp", _, target, *_) if names & set(names_of(target)):
                return True
            case _:
                pass
    return False


_FOUND, _EFFECT = 1, 2


def _first(term: Any, name: str) -> int:
    """What comes first when a term is worked out: the variable, or an effect. 0 for neither."""
    if not is_term(term) or not term or (term[0] == "function" and not names_of(term)[name]):
        return 0
    if len(term) == 2 and term[0] == "name":
        return _FOUND if term[1] == name else 0
    return _first_within(term, name)


def _first_within(term: Term, name: str) -> int:
    kind = term[0]
    if kind in {"if", "and", "or", "cond"}:
        return _first(term[1], name) or (_EFFECT if weight(term) or names_of(term)[name] else 0)
    if kind in {"for", "comp"}:
        _, _, _, source, *inside = list[Any](term)
        return _EFFECT if names_of(inside)[name] else _first(source, name) or _EFFECT
    if _is_effect(term, name):
        return _EFFECT
    found = next((found for each in term if (found := _first(each, name))), 0)
    if found or kind in _ARGUMENTS or kind in {"sign", "lit", "leaf", "nothing"}:
        return found
    own = tuple(each for each in term if not is_term(each) or each[:1] == ("sign",))
    return _EFFECT if weight(own) == _EFFECT else 0


def _is_effect(term: Term, name: str) -> bool:
    """True for what may do something before it reads the variable."""
    kind = term[0]
    reads_target = kind == "update" and names_of(term[1:-1])[name] > 0
    return reads_target or kind in {"block", "function"} or (isinstance(kind, str) and _LOOP.search(kind) is not None)


_LOOP = re.compile(r"while|for|do_|loop|try_(?!expression)|with|switch|match|select|defer|go_")
_ARGUMENTS = frozenset({"arguments", "argument_list", "value_arguments", "value_argument", "argument", "return"})
