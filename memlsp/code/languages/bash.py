"""Describes Bash and its relatives: sh, dash, ksh, and zsh as far as the grammar follows.

Only names that `local` declares are local. A plain word and the same word in quotes are one literal, as are the number
30 and the text "30"; an unquoted expansion is not the quoted one, for the shell splits it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from memlsp.code.languages.language_tables import by_name, read_tables
from memlsp.code.languages.literals import quoted
from memlsp.code.syntax.facts import FactCollector, literal, literal_text
from memlsp.code.syntax.language import Header, Import, Language
from memlsp.code.syntax.nodes import NameScope, Nodes
from memlsp.code.vocabulary import patterns, word_sets
from memlsp.code.workspace.paths import ancestors, folder, join

_RE = patterns(__name__)
_WORDS = word_sets(__name__)


# Literals.


def _read_string(raw: str) -> str:
    if raw[:2] == "$'":
        return quoted(raw[2:-1])
    if raw[:1] == "'":
        body = raw[1:-1]
    elif raw[:1] == '"' and len(raw) >= 2:
        body = _RE["escaped"].sub(lambda found: found[1] or "", raw[1:-1])
    elif "\n" in raw:  # a heredoc
        body = raw
    else:  # a word
        if not _RE["plain"].fullmatch(raw):
            return raw
        body = raw
    return body if body.isdigit() else quoted(body.replace("\\", "\\\\"))


# Corrections of nodes.

_ANYWHERE = NameScope("module", 0, None)  # a command's name is no local


def _command_name(tree: Nodes, node: int) -> None:
    word = node + 1
    if tree.kind[word] == "word" and tree.after[word] == len(tree.kind):
        tree.kind[word] = "command_identifier"
        tree.identifiers.append((word, _ANYWHERE))


def _function(tree: Nodes, node: int) -> None:
    for child in tree.children_so_far(node):
        if tree.field[child] == "name":
            tree.kind[child] = "command_identifier"
            return


def _declaration(tree: Nodes, node: int) -> None:
    if tree.text[node + 1] in ("local", "declare", "typeset"):
        tree.field[node + 1] = "locals"


def _heredoc(tree: Nodes, node: int) -> None:
    """The grammar leaves out the text before the first expansion."""
    at, pieces = tree.start[node], list[str]()
    for child in tree.children_so_far(node):
        if tree.kind[child] == "heredoc_content":
            tree.text[child] = ""
            continue
        pieces.append(tree.source[at : tree.start[child]].decode("utf-8", "replace"))
        at = tree.end[child]
    pieces.append(tree.source[at : tree.end[node]].decode("utf-8", "replace"))
    text = tree.grow(node, "heredoc_text", "", quoted("${}".join(pieces).replace("\\", "\\\\")))
    tree.interesting.append(text)


def _string(tree: Nodes, node: int) -> None:
    """The grammar takes white space before a `$` for a part of it, where it is a part of the text."""
    for child in tree.children_so_far(node):
        if tree.kind[child] not in ("simple_expansion", "expansion", "command_substitution"):
            continue
        sign = tree.raw(child + 1)
        space = sign[: len(sign) - len(sign.lstrip())]
        if space:
            simple = tree.kind[child] == "expansion" and tree.after[child] == child + 4
            tree.text[child + 1] = space + ("$" if simple else sign.lstrip())
            if simple:
                tree.text[child + 3] = ""


def _redirect(tree: Nodes, node: int) -> None:
    """The word around a heredoc means only whether the text is expanded."""
    for child in tree.children_so_far(node):
        if tree.kind[child] == "heredoc_start":
            tree.text[child] = "<<" if tree.raw(child)[:1] not in ("'", '"', "\\") else "<<'"
        elif tree.kind[child] == "heredoc_end":
            tree.text[child] = ""


# Definitions.


def _header(tree: Nodes, node: int, _root: int) -> Header:
    above = tree.parent[node]
    if tree.kind[node] != "variable_assignment" or tree.kind[above] != "declaration_command":
        return Header()
    return Header(modifiers=[tree.raw(each) for each in tree.children(above) if tree.kind[each] != tree.kind[node]])


def _implicit(tree: Nodes, node: int, _name: int) -> str:
    """`mode=` holds nothing."""
    return "''" if tree.kind[node] == "variable_assignment" and tree.child(node, "value") is None else ""


# Facts.


def _literal_text(tree: Nodes, node: int | None) -> str | None:
    """The literal that a string, a number or a plain word is."""
    if node is None:
        return None
    return _read_string(tree.raw(node)) if tree.kind[node] == "word" else literal_text(tree, node)


def _assigned(tree: Nodes, node: int, facts: FactCollector) -> None:
    name = tree.child(node, "name")
    if name is not None:
        facts.name(tree.render(name), _literal_text(tree, tree.child(node, "value")))


def _commanded(tree: Nodes, node: int, facts: FactCollector) -> None:
    held = tree.child(node, "name")
    if held is None:
        return
    name = tree.render(held)
    arguments = tree.fielded(node, "argument")
    if name == "return":
        if arguments:
            facts.returns.append(" ".join(tree.render(each) for each in arguments))
        return
    if name == "exit":
        code = tree.render(arguments[0]) if arguments else ""
        facts.raises.append(f"exit {code}".strip())
        return
    if name == "trap" and len(arguments) > 1:
        facts.catches.extend(tree.raw(each) for each in arguments[1:])
    facts.calls.append(name)
    for option, value in pairwise(arguments):
        text, flag = _literal_text(tree, value), tree.raw(option)
        if tree.kind[option] != "word" or flag[:1] != "-" or not text or text[:1] == "-" or "$" in text:
            continue
        if flag.startswith("--") or text.isdigit():
            facts.name(flag.lstrip("-"), text)
    for option in arguments:
        found = re.fullmatch(r"--?([\w-]+)=([\w./:-]+)", tree.raw(option))
        if found:
            facts.name(found[1], _read_string(found[2]))


def _test(tree: Nodes, node: int) -> str:
    """The text of a test without its brackets."""
    while tree.kind[node] in ("test_command", "negated_command") and tree.after[node] > node + 2:
        if tree.kind[node] == "negated_command":
            return "! " + _test(tree, next(tree.named(node), node + 1))
        held = list(tree.named(node))
        if len(held) != 1:
            break
        node = held[0]
    return tree.render(node)


def _condition(tree: Nodes, node: int, facts: FactCollector) -> None:
    found = tree.child(node, "condition")
    if found is None:
        found = next(tree.named(node), None)  # of elif
    if found is not None:
        facts.conditions.append(_test(tree, found))


def _while(tree: Nodes, node: int, facts: FactCollector) -> None:
    _condition(tree, node, facts)
    found = tree.child(node, "condition")
    if found is not None:
        facts.loops.append(f"{tree.text[node + 1]} {_test(tree, found)}")


def _either(tree: Nodes, node: int, facts: FactCollector) -> None:
    """`[[ a ]] || return` is a condition too."""
    first = node + 1
    if tree.kind[first] in ("test_command", "negated_command"):
        facts.conditions.append(f"{_test(tree, first)}")


def _for(tree: Nodes, node: int, facts: FactCollector) -> None:
    values = " ".join(tree.render(child) for child in tree.fielded(node, "value"))
    facts.loops.append(f"for {tree.render(tree.child(node, 'variable'))} in {values}".strip())


def _count(tree: Nodes, node: int, facts: FactCollector) -> None:
    parts = [tree.render(tree.child(node, field)) for field in ("initializer", "condition", "update")]
    facts.loops.append(f"for (({'; '.join(parts)}))")
    facts.conditions.append(parts[1])


def _word(tree: Nodes, node: int, facts: FactCollector) -> None:
    raw = tree.raw(node)
    if tree.kind[tree.parent[node]] not in _WORDS["holders"]:
        return  # a variable in arithmetic, an index
    if raw[:1] == "-" or _RE["plain"].fullmatch(raw):
        facts.literals.append(raw if raw[:1] == "-" else _read_string(raw))


def _as_is(tree: Nodes, node: int, facts: FactCollector) -> None:
    """A heredoc in which nothing is expanded."""
    if tree.is_leaf(node):
        literal(tree, node, facts)


def _expanded(tree: Nodes, node: int, facts: FactCollector) -> None:
    """`${retries:-3}` gives a default."""
    operator = tree.child(node, "operator")
    name = tree.first(node, "variable_name")
    if operator is None or name is None or tree.text[operator] not in _WORDS["defaults"]:
        return
    value = tree.after[operator]
    text = _literal_text(tree, value) if value < tree.after[node] else None
    variable = tree.text[name]
    facts.name(f"${variable}" if variable.isdigit() else variable, text)


def _read_import(tree: Nodes, node: int) -> Iterator[Import]:
    name, given = tree.child(node, "name"), tree.child(node, "argument")
    if name is not None and given is not None and tree.raw(name) in ("source", "."):
        found = _RE["file"].search(tree.raw(given))
        if found and found[1]:
            yield Import("", "./" + found[1].lstrip("/"), "*", tree.line(tree.start[node]))


def _locate(path: str, module: str, _name: str | None) -> list[tuple[str, tuple[str, ...]]]:
    """A sourced file, from the script's folder and the ones around it: its variable folder cannot be known."""
    places = [folder(path), *ancestors(path)]
    found = (join(place, module) for place in dict.fromkeys(places))
    return [(each, ()) for each in dict.fromkeys(found) if each and each != path]


BASH = Language(
    **read_tables(
        "bash",
        rules={
            "command": _commanded,
            **dict.fromkeys(("if_statement", "elif_clause"), _condition),
            "while_statement": _while,
            "list": _either,
            "for_statement": _for,
            "c_style_for_statement": _count,
            "heredoc_body": _as_is,
            "word": _word,
            "expansion": _expanded,
            "variable_assignment": _assigned,
        },
    ),
    corrections={
        "command_name": _command_name,
        "function_definition": _function,
        "declaration_command": _declaration,
        "heredoc_body": _heredoc,
        "heredoc_redirect": _redirect,
        "string": _string,
    },
    doc_comment=lambda text: not text.startswith(("#!", "# shellcheck", "#shellcheck")),
    read_doc=lambda text: text.lstrip("#").strip(),
    read_string_part=lambda _kind, raw: raw.replace("\n", "\\n"),
    interpolated=lambda raw: (
        raw[:1] not in ("'", "$") and (raw[:1] == '"' or "\n" in raw) and bool(_RE["runs"].search(raw))
    ),
    read_number=lambda text: (text, _read_string(text)),
    value=lambda tree, node, _name: tree.child(node, "value"),
    implicit_value=_implicit,
    **by_name(_read_string, _header, _read_import, _locate),
)
