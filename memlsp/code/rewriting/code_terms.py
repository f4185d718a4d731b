"""Code as nested terms, one notation for what languages write in different ways: tests, branches, assignments, loops.

A term is a tuple: what it is, then its parts. A list of statements is a tuple of terms. What has no common notation is
the kind of its node and its parts, word for word.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from memlsp.code.rewriting.terms import (
    COMPARED,
    Term,
    bound_names,
    compared,
    is_number,
    is_text,
    names_of,
    pieces,
    terms_in,
    with_shadowing,
)
from memlsp.code.syntax.tree import Tree
from memlsp.code.vocabulary import word_sets, word_table

_KINDS = word_sets(__name__)
"""Kinds of nodes of the grammars, and signs."""

_HOLD_SCOPES = _KINDS["scopes"] | {"statement_list", "expression_statement"}
_LEAVING = {kind: what for kind, (what,) in word_table(__name__, "leaving").items()}
_STATEMENTS = frozenset({*_LEAVING.values(), "if", "assign", "set", "update", "for", "declare"})
_DECLARED = _KINDS["assignments"] - {"assignment", "assignment_expression", "assignment_statement"}
_COMPREHENSIONS = {"list_comprehension": "list", "generator_expression": "each", "set_comprehension": "set"}
_FUNCTION = re.compile(r"function|method|lambda|arrow|func_literal|closure|constructor")
_LAMBDA = re.compile(r"lambda|arrow|func_literal|closure|function_expression|anonymous")
_NOTHING = {language: what for language, (what,) in word_table(__name__, "nothing").items()}
_TRUTH = {"True": "true", "False": "false"}

_MARKS = frozenset("rbut")  # of strings that are more than text


class TermReader:
    """Reads the nodes of one tree as terms."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._silent = frozenset(tree.silent)
        self._variables = {index for index, _ in tree.identifiers}
        self._language = tree.language.name

    # --- statements

    def statements(self, node: int | None) -> tuple[Term, ...]:
        """The statements in a node, or that it is."""
        if node is None or node in self._silent:
            return ()
        tree, kind = self._tree, self._tree.kind[node]
        if kind in _KINDS["lists"] or kind in _KINDS["elses"] or kind in _KINDS["wrapped"]:
            return self._handed_on(node, tuple(each for child in tree.named(node) for each in self._held(child, kind)))
        if kind in _KINDS["ifs"]:
            return self._branch(node)
        if kind in _KINDS["declarations"]:
            return self._declaration(node)
        return self._one(node, kind)

    def _handed_on(self, node: int, found: tuple[Term, ...]) -> tuple[Term, ...]:
        """The statements, with C's `T x = f(); return x;` as `return f();` where the function gives a T."""
        match found[-2:]:
            case (
                ("declaration", typed, ("init_declarator", target, ("sign", "="), value)),
                ("return", ("name", _) as given),
            ):
                tree, around = self._tree, node
                while around > 0 and not _FUNCTION.search(tree.kind[around]):
                    around = tree.parent[around]
                declared, head = self.term(tree.child(around, "type")), self.term(tree.child(around, "declarator"))
                if typed in {declared, ("leaf", "auto")} and _points(target) == (given, _points(head)[1]):
                    return (*found[:-2], ("return", value))
            case _:
                pass
        return found

    def _held(self, node: int, around: str) -> tuple[Term, ...]:
        """The statements of a node in a list; a block among statements has names of its own."""
        if self._tree.kind[node] in _KINDS["scopes"] and around in _HOLD_SCOPES:
            return (("block", self.statements(node)),)
        return self.statements(node)

    def _one(self, node: int, kind: str) -> tuple[Term, ...]:
        tree = self._tree
        if kind in _LEAVING:
            held = [each for each in tree.named(node) if each not in self._silent]
            value = self._values(held)
            return ((_LEAVING[kind], value) if value is not None else (_LEAVING[kind],),)
        if kind in _KINDS["assignments"] or kind in _KINDS["augmented"]:
            return self._assignment(node, kind)
        if kind in _KINDS["each"]:
            found = self._each(node)
            if found is not None:
                return (found,)
        if "update_expression" in kind or kind in {"inc_statement", "dec_statement", "postfix_unary_expression"}:
            target = next(tree.named(node), None)
            sign = next((tree.text[each] for each in tree.children(node) if tree.text[each] in {"++", "--"}), None)
            if target is not None and sign:
                return (("update", sign[0], self.term(target), ("lit", "1")),)
        return (self.term(node),)

    def _values(self, nodes: Sequence[int]) -> Term | None:
        if not nodes:
            return None
        if len(nodes) == 1 and self._tree.kind[nodes[0]] in {"argument_list", "expression_list"}:
            return self._values(list(self._tree.named(nodes[0])))
        return self.term(nodes[0]) if len(nodes) == 1 else ("tuple", *map(self.term, nodes))

    def _branch(self, node: int) -> tuple[Term, ...]:
        tree, kind = self._tree, self._tree.kind[node]
        test = self.term(tree.child(node, "condition"))
        if tree.has_word(node, "unless"):
            test = ("not", test)
        then: list[Term] = []
        others: list[int] = []
        ended = False
        for child in tree.children(node):
            if tree.kind[child] in _KINDS["elses"] or tree.field[child] == "alternative" or ended:
                others.append(child)
            elif tree.text[child] in _KINDS["branch_ends"] and kind not in {"elif_clause", "elsif"}:
                ended = True
            elif tree.field[child] in {"consequence", "body"} and not tree.kind[child].startswith("'"):
                then += self.statements(child)
        return (*self.statements(tree.child(node, "initializer")), ("if", test, tuple(then), self._others(others)))

    def _value_of_branch(self, node: int) -> Term:
        """A branch where a value is wanted: a choice between two, if it is no more than that."""
        read = self._branch(node)
        if len(read) == 1 and len(read[0][2]) == len(read[0][3]) == 1:
            _, test, (then,), (other,) = read[0]
            if not {then[0], other[0]} & _STATEMENTS:
                return ("cond", test, then, other)
        return ("block", read)

    def _others(self, nodes: Sequence[int]) -> tuple[Term, ...]:
        found: tuple[Term, ...] = ()
        for node in reversed(nodes):
            if self._tree.kind[node].startswith("'"):
                continue
            read = self.statements(node)
            joined = found and len(read) == 1 and read[0][0] == "if"
            found = (("if", read[0][1], read[0][2], found),) if joined else read
        return found

    def _declaration(self, node: int) -> tuple[Term, ...]:
        tree = self._tree
        inner = [
            child
            for child in tree.named(node)
            if tree.kind[child] in _KINDS["assignments"] or tree.kind[child] == "variable_declaration"
        ]
        kind = self._declared_type(node)
        found = [each for child in inner for each in self.statements(child)]
        if not inner or self._language in {"c", "cpp"} or tree.has_word(node, "using"):
            return (self._whole(node),)
        return tuple((*each[:3], kind) if each[0] == "assign" else each for each in found)

    def _declared_type(self, node: int) -> str:
        """The type that converts the value, in languages where a declaration may."""
        tree = self._tree
        written = tree.child(node, "type")
        text = tree.render(written) if written is not None else ""
        return text if text in {"byte", "short", "char", "float", "double", "long"} else ""

    def _assignment(self, node: int, kind: str) -> tuple[Term, ...]:
        tree = self._tree
        left = self._first(node, "left", "name", "pattern", "declared", "declarator")
        right = self._first(node, "right", "value")
        sign = next((tree.text[c] for c in tree.children(node) if tree.text[c].endswith("=") and tree.is_leaf(c)), "=")
        if left is None or (kind == "property_declaration" and tree.first(node, "getter", "setter") is not None):
            return (self._whole(node),)
        target = self._target(left)
        if right is None:
            return (("declare", target),) if kind != "var_spec" else (self._whole(node),)
        value = self._expression(right)
        if sign not in {"=", ":="}:
            return (("update", sign[:-1], target, value),)
        if target[0] == "name":
            operator = value[0] == "binary" and value[2] == target and self._language != "python"
            if operator:
                return (("update", value[1], target, value[3]),)
            return (("assign", target[1], value, "" if kind in _DECLARED or self._is_free() else "="),)
        return (("set", "=", target, value),)

    def _first(self, node: int, *fields: str) -> int | None:
        """The child in the first of these fields that has one."""
        return next((found for each in fields if (found := self._tree.child(node, each)) is not None), None)

    def _expression(self, node: int) -> Term:
        return self._values([node]) or ("tuple",)

    def _is_free(self) -> bool:
        """True where an assignment declares."""
        return self._language in {"python", "ruby", "php"}

    def _target(self, node: int) -> Term:
        found = self._expression(node)
        while found[0] == "variable_declaration" and len(found) == 2:
            found = found[1]
        return found

    def _each(self, node: int) -> Term | None:
        tree = self._tree
        clause = tree.first(node, "range_clause")
        holder = node if clause is None else clause
        pattern, source = self._first(holder, "left", "pattern", "name"), self._first(holder, "right", "value")
        body = tree.child(node, "body")
        if tree.kind[node] == "foreach_statement" and self._language == "php":
            return None
        if pattern is None or source is None or body is None or tree.child(node, "alternative") is not None:
            return None
        kind = "range" if clause is not None else tree.text[tree.child(node, "operator") or 0] or "in"
        kind += " await" if tree.has_word(node, "await") or tree.has_word(node, "async") else ""
        return ("for", kind, self._target(pattern), self._expression(source), self.statements(body))

    # --- expressions

    def term(self, node: int | None) -> Term:
        """The term of an expression, or of anything else."""
        if node is None:
            return ("none",)
        tree = self._tree
        node = tree.inner(node)
        kind, text = tree.kind[node], tree.text[node]
        if tree.is_leaf(node):
            return self._leaf(node, kind, text)
        if kind in _KINDS["choices"]:
            return self._choice(node)
        if kind in _COMPREHENSIONS:
            return self._comprehension(node)
        if _FUNCTION.search(kind) and tree.child(node, "body") is not None:
            return self._function(node)
        if kind in _KINDS["ifs"]:
            return self._value_of_branch(node)
        if kind in _KINDS["lists"]:
            return ("block", self.statements(node))
        parts = [child for child in tree.named(node) if child not in self._silent]
        if kind.startswith(("binary", "boolean", "comparison")) and len(parts) == 2:
            return self._operation(node, parts)
        if len(parts) == 1 and self._is_negation(node, kind):
            return ("not", self.term(parts[0]))
        if kind in {"string", "template_string"}:
            return self._text(node)
        if kind == "boolean_literal":
            return ("lit", tree.render(node))
        return self._whole(node)

    def _is_negation(self, node: int, kind: str) -> bool:
        tree = self._tree
        signs = (tree.text[each] for each in tree.children(node) if tree.kind[each].startswith("'"))
        return ("unary" in kind or kind == "not_operator") and next(signs, "") in {"!", "not"}

    def _leaf(self, node: int, kind: str, text: str) -> Term:
        if kind.startswith("'"):
            return ("sign", text)
        if text == _NOTHING.get(self._language):
            return ("nothing",)
        if node in self._variables:
            return ("name", text)
        if "char" in kind or "rune" in kind:  # its quotes make it another value than a text
            return ("leaf", f"{kind} {text}")
        if kind in self._tree.language.literals or text in {"true", "false"}:
            return ("lit", _TRUTH.get(text, text))
        return ("leaf", text)

    def _whole(self, node: int) -> Term:
        """A node word for word: its kind, and its parts."""
        tree = self._tree
        found: list[Term] = []
        for child in tree.children(node):
            if child in self._silent or (tree.is_leaf(child) and tree.text[child] in {"", ";"}):
                continue
            if tree.field[child] in {"body", "consequence", "alternative"} or tree.kind[child] in _KINDS["lists"]:
                found.append(("block", self.statements(child)))
            elif tree.is_leaf(child) or tree.kind[child] not in _LEAVING | dict.fromkeys(_KINDS["declarations"], ""):
                found.append(self.term(child))
            else:
                found.append(("block", self.statements(child)))
        if self._language == "kotlin" and found and found[0][0] == "not" and "expression" in tree.kind[node]:
            return ("not", (tree.kind[node], found[0][1], *found[1:]))  # its grammar reads `!a.b()` as `(!a).b()`
        if tree.kind[node] == "object_pattern" and not any(each[0] == "rest_pattern" for each in found):
            found.sort(key=repr)  # each is taken by its name
        return (tree.kind[node], *found)

    def _choice(self, node: int) -> Term:
        tree = self._tree
        named = list(tree.named(node))
        if len(named) != 3:
            return self._whole(node)
        test, then, other = (named[1], named[0], named[2]) if self._language == "python" else named
        return ("cond", self.term(test), self.term(then), self.term(other))

    def _operation(self, node: int, parts: Sequence[int]) -> Term:
        left, right = map(self.term, parts)
        sign = " ".join(self._tree.text[c] for c in self._tree.children(node) if self._tree.kind[c].startswith("'"))
        if sign in {"and", "&&"}:
            return ("and", left, right)
        if sign in {"or", "||"}:
            return ("or", left, right)
        if sign in COMPARED:
            return compared(sign, left, right)
        if sign in {"+", "."} and self._language in _KINDS["joins"] and (is_text(left) or is_text(right)):
            return ("text", *pieces(left), *pieces(right))
        numeric = right[:1] == ("binary",) and right[1] in {"*", "**", "-", "/", "%"}
        if is_number(left) and not is_number(right) and (sign == "*" or (sign == "+" and numeric)):
            left, right = right, left
        return ("binary", sign, left, right)

    def _text(self, node: int) -> Term:
        """A string that has code in it."""
        tree, found = self._tree, list[Term]()
        for child in tree.children(node):
            kind = tree.kind[child]
            if kind in {"interpolation", "template_substitution"}:
                held = list(tree.named(child))
                if len(held) != 1:
                    return self._whole(node)
                found.append(self.term(held[0]))
            elif kind in {"string_content", "string_fragment"}:
                found += pieces(("lit", f"'{tree.text[child]}'"))
            elif kind not in {"string_start", "string_end", "'`"} or tree.text[child][:1].lower() in _MARKS:
                return self._whole(node)
        return ("text", *found)

    def _comprehension(self, node: int) -> Term:
        tree = self._tree
        clauses = list(tree.named(node))
        fors = [each for each in clauses if tree.kind[each] == "for_in_clause"]
        ifs = [each for each in clauses if tree.kind[each] == "if_clause"]
        if len(fors) != 1 or tree.has_word(fors[0], "async"):
            return self._whole(node)
        made: tuple[Term, ...] = (("yield", self.term(clauses[0])),)
        for each in reversed(ifs):
            made = (("if", self.term(next(tree.named(each))), made, ()),)
        target, source = self._target(tree.child(fors[0], "left") or 0), self.term(tree.child(fors[0], "right"))
        return ("comp", _COMPREHENSIONS[tree.kind[node]], target, source, made)

    def _function(self, node: int) -> Term:
        tree = self._tree
        body = tree.child(node, "body")
        head: list[Term] = []
        bound: list[str] = []
        for child in tree.children(node):
            if child == body or child in self._silent:
                continue
            read = self.term(child)
            head.append(read)
            if "parameter" in tree.field[child] or "parameter" in tree.kind[child]:
                bound += names_of(read)
        assert body is not None
        statements = self.statements(body)
        if self._language in {"rust", "ruby"} or tree.kind[body] not in _KINDS["lists"]:  # its last term is its value
            statements = _returned(statements)
        kind = "lambda" if _LAMBDA.search(tree.kind[node]) else "function"
        made = () if kind == "lambda" else tuple(bound)
        elsewhere = (each for each in terms_in(statements) if each[0] in ("global_statement", "nonlocal_statement"))
        outer = {name for each in elsewhere for name in names_of(each)}
        local = [name for name in bound_names(statements, declared=not self._is_free()) if name not in outer]
        if not self._is_free():
            names = Counter(bound_names(statements, declared=True))
            statements = with_shadowing(statements, {name for name, times in names.items() if times > 1})
        return ("function", kind, tuple(head), made, tuple(dict.fromkeys((*bound, *local))), statements)


def _points(declarator: Term) -> tuple[Term, int]:
    """What a declarator of C declares, and the number of its stars."""
    stars = 0
    while declarator[:2] == ("pointer_declarator", ("sign", "*")) and len(declarator) == 3:
        declarator, stars = declarator[2], stars + 1
    return declarator, stars


def _returned(statements: tuple[Term, ...]) -> tuple[Term, ...]:
    """The statements of a body whose last expression is its value."""
    if not statements:
        return ()
    last = statements[-1]
    if last[0] == "if":
        return (*statements[:-1], (*last[:2], _returned(last[2]), _returned(last[3])))
    if last[0] in _STATEMENTS or "statement" in last[0]:
        return statements
    return (*statements[:-1], ("return", last))
