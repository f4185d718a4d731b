"""Describes Ruby, with Rakefiles, Gemfiles and the like.

A bare `private` is a modifier of the methods below it, as is `private def`. The grammar keeps heredocs apart from their
use; `_heredoc` moves the text of a plain one back to its place.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator

from memlsp.code.languages.language_tables import by_name, read_tables
from memlsp.code.languages.literals import quoted, single
from memlsp.code.syntax.facts import FactCollector, dotted
from memlsp.code.syntax.language import Header, Import, Language, never
from memlsp.code.syntax.nodes import Nodes
from memlsp.code.vocabulary import word_sets
from memlsp.code.workspace.paths import ancestors, folder, join
from memlsp.model.symbol import Parameter, SymbolKind

_WORDS = word_sets(__name__)
_OF_METHODS = _WORDS["visibilities"] | {"private_class_method", "public_class_method"}
_DECLARING = _OF_METHODS | {"attr_accessor", "attr_reader", "attr_writer", "attr"}


# Strings.

_PERCENT = re.compile(r"%([qQiIwWrsx]?)[^\w\s]")


def _interpolated(raw: str) -> bool:
    found = _PERCENT.match(raw)
    plain = raw[:1] == "'" or (found is not None and found[1] in ("q", "w", "i", "s"))
    return not plain and "#{" in raw


def _read_string(raw: str) -> str:
    found = _PERCENT.match(raw)
    if found is not None:
        body = raw[found.end() : -1]
        return single(body) if found[1] == "q" else quoted(body, continued=True)
    if raw[:1] == "'":
        return single(raw[1:-1])
    return quoted(raw[1:-1], continued=True).replace("\\#", "#") if len(raw) >= 2 and raw[:1] == '"' else raw


# Corrections of nodes.


def _call(tree: Nodes, node: int) -> None:
    """`private def f` is `f`, and `require` an import."""
    method = tree.child(node, "method")
    if method is None or method != node + 1:
        return
    word = tree.text[method]
    if word in ("require", "require_relative", "load"):
        if tree.first(tree.child(node, "arguments"), "string") is not None:
            tree.kind[node] = "import"
            tree.imports.append(node)
    elif word in _OF_METHODS:
        given = tree.child(node, "arguments")
        if given is not None and tree.kind[given] == "visible_arguments":
            tree.kind[node], tree.text[method] = "visible_call", ""


def _arguments(tree: Nodes, node: int) -> None:
    """Mark the arguments of `private def f` as visible: the method stands for them."""
    call = tree.parent[node]
    if tree.kind[call] == "call" and tree.text[call + 1] in _OF_METHODS:
        held = [child for child in tree.children_so_far(node) if tree.kind[child][:1] != "'"]
        if len(held) == 1 and tree.kind[held[0]] in ("method", "singleton_method"):
            tree.kind[node] = "visible_arguments"


def _body(tree: Nodes, node: int) -> None:
    """A bare `private` is a modifier of the methods below."""
    for child in tree.children_so_far(node):
        if tree.kind[child] == "identifier" and tree.text[child] in _WORDS["visibilities"]:
            tree.kind[child], tree.text[child] = "visibility", ""


def _pair(tree: Nodes, node: int) -> None:
    """`:a => 1` is `a: 1`."""
    key = node + 1
    if tree.kind[key] == "simple_symbol" and re.fullmatch(r":\w+[?!]?", tree.text[key]):
        tree.kind[key], tree.text[key] = "hash_key_symbol", tree.text[key][1:]
        arrow = tree.after[key]
        if tree.text[arrow] == "=>":
            tree.text[arrow] = ":"


_LONGEST_WAY = 4000  # nodes between a heredoc's beginning and its body


def _heredoc(tree: Nodes, node: int) -> None:
    """Give the place where a heredoc is used its text; a plain one is a string there and nothing here."""
    before = (at for at in range(max(0, node - _LONGEST_WAY), node) if tree.kind[at] == "heredoc_beginning")
    at = next((begin for begin in before if tree.text[begin][:2] == "<<"), None)
    if at is None:
        return
    woven = tree.first(node, "interpolation") is not None
    end = tree.first(node, "heredoc_end")
    source = tree.source[tree.start[node] : tree.start[end] if end is not None else tree.end[node]]
    body = source.decode("utf-8", "replace").replace("\r\n", "\n").removeprefix("\n")
    mark = tree.text[at]
    if mark.startswith("<<~"):
        body = textwrap.dedent(body)
    raw = "'" in mark
    body = body.rstrip(" \t")
    if woven:
        tree.text[at] = _around(tree, node)
        for child in tree.children_so_far(node):
            if tree.kind[child] != "interpolation":
                tree.text[child] = ""
        return
    tree.kind[at], tree.text[at] = "string", single(body) if raw else quoted(body, continued=True)
    tree.kind[node] = "quiet_heredoc"
    for leaf in range(node + 1, len(tree.kind)):
        tree.text[leaf] = ""


def _around(tree: Nodes, node: int) -> str:
    """The text around the interpolations of a heredoc."""
    pieces = (tree.text[child] or "#{}" for child in tree.children_so_far(node) if tree.kind[child] != "heredoc_end")
    text = "".join(pieces).removeprefix("\\n")
    return '"' + re.sub(r"(?:(?<=\\n)|^) +", "", text) + '"'


# Definitions.


def _refine(tree: Nodes, node: int, kind: SymbolKind) -> SymbolKind | None:
    if tree.kind[node] == "assignment":
        right = tree.child(node, "right")
        if right is not None and tree.kind[right] == "call" and _made(tree, right):
            return SymbolKind.CLASS
    return kind


def _made(tree: Nodes, call: int) -> bool:
    """`Struct.new(:a)`, `Data.define(:a)`: a class that is made and gets a name."""
    receiver, method = tree.child(call, "receiver"), tree.child(call, "method")
    if receiver is None or method is None:
        return False
    return tree.text[receiver] in _WORDS["makers"] and tree.text[method] in ("new", "define")


def _parameters(tree: Nodes, node: int) -> Iterator[Parameter]:
    for child in tree.named(tree.child(node, "parameters")):
        kind = tree.kind[child]
        name = tree.render(tree.child(child, "name"))
        default = tree.rendered(tree.child(child, "value"))
        if kind == "keyword_parameter":
            yield Parameter(f"{name}:", None, default)
        elif kind == "optional_parameter":
            yield Parameter(name, None, default)
        else:
            yield Parameter(tree.render(child).replace(" ", ""))


def _visibility(tree: Nodes, node: int) -> str:
    """The visibility of a method, from its place or from a later `private :name`; "" by default."""
    body = tree.parent[node]
    while body > 0 and tree.kind[body] in ("visible_call", "visible_arguments"):
        body = tree.parent[body]
        word = tree.raw(body + 1) if tree.kind[body] == "visible_call" else ""
        if word:
            return word
    if tree.kind[body] not in ("body_statement", "program"):
        return ""
    return tree.worked_out(body, _visibilities).get(node, "")


def _visibilities(tree: Nodes, body: int) -> dict[int, str]:
    now = ""
    found: dict[int, str] = {}
    by_name: dict[str, int] = {}
    for child in tree.children(body):
        kind = tree.kind[child]
        if kind == "visibility":
            now = tree.raw(child)
        elif kind in ("method", "singleton_method"):
            if now and kind == "method":
                found[child] = now
            by_name[tree.raw(child + 2) if kind == "method" else tree.render(tree.child(child, "name"))] = child
        elif kind == "call" and tree.text[child + 1] in _OF_METHODS:
            for each in tree.named(tree.child(child, "arguments")):
                method = by_name.get(tree.text[each].lstrip(":"))
                if method is not None:
                    found[method] = tree.text[child + 1]
    return found


def _modifiers(tree: Nodes, node: int) -> Iterator[str]:
    visible = _visibility(tree, node)
    if visible and visible not in ("public", "public_class_method"):
        yield "private" if visible == "private_class_method" else visible
    above = tree.parent[tree.parent[node]] if tree.parent[node] > 0 else 0
    if tree.kind[node] == "singleton_method" or tree.kind[above] == "singleton_class":
        yield "static"


def _header(tree: Nodes, node: int, _root: int) -> Header:
    kind = tree.kind[node]
    if kind in ("method", "singleton_method"):
        return Header(_parameters(tree, node), None, _modifiers(tree, node))
    if kind == "simple_symbol":
        return Header(modifiers=(tree.raw(tree.parent[tree.parent[node]] + 1),))
    if kind in ("class", "module"):
        return Header(modifiers=("namespace",) if kind == "module" else (), bases=_bases(tree, node))
    return Header()


def _bases(tree: Nodes, node: int) -> Iterator[str]:
    yield from map(tree.render, tree.named(tree.child(node, "superclass")))
    for child in tree.children(tree.child(node, "body")):
        if tree.kind[child] == "call" and tree.text[child + 1] in _WORDS["mixing"]:
            yield from map(tree.render, tree.named(tree.child(child, "arguments")))


def _value(tree: Nodes, node: int, name: int) -> int | None:
    right, names = tree.child(node, "right"), list(tree.named(tree.child(node, "left")))
    return None if right is None else tree.counterpart(name, names, right, "right_assignment_list", "array")


# Facts.


def _called(tree: Nodes, node: int, facts: FactCollector) -> None:
    method, receiver = tree.child(node, "method"), tree.child(node, "receiver")
    name = tree.render(method) if method is not None else "call"
    if receiver is None and name in _DECLARING:
        return
    if receiver is None and name in _WORDS["raising"]:
        _raised(tree, node, facts)
        return
    above = dotted(tree, receiver) + "." if receiver is not None and _is_named(tree, receiver) else ""
    facts.calls.append((above + name).replace("&.", "."))
    block = tree.child(node, "block")
    if block is not None and name in _WORDS["each"]:
        names = tree.render(tree.child(block, "parameters")).strip("| ")
        held = tree.render(receiver)
        facts.loops.append(f"for {names} in {held}" if name == "each" and held else f"{(above + name)} {names}".strip())


def _is_named(tree: Nodes, receiver: int) -> bool:
    """True when the receiver of a call starts with a name, which then identifies the call."""
    at = tree.inner(receiver)
    while tree.kind[at] == "call" and tree.child(at, "receiver") is not None:
        at = tree.inner(at + 1)
    return tree.kind[at] in _WORDS["names"]


def _raised(tree: Nodes, node: int, facts: FactCollector) -> None:
    first = next(tree.named(tree.child(node, "arguments")), None)
    if first is None:
        return
    first = tree.inner(first)
    if tree.kind[first] == "string":
        facts.raises.append("RuntimeError")
        return
    receiver = tree.child(first, "receiver") if tree.kind[first] == "call" else None
    facts.raises.append(dotted(tree, receiver if receiver is not None else first))


def _rescued(tree: Nodes, node: int, facts: FactCollector) -> None:
    listed = tree.child(node, "exceptions")
    caught = (dotted(tree, each) for each in tree.named(listed))
    facts.catches.extend(["StandardError"] if listed is None else caught)


def _last(tree: Nodes, node: int, facts: FactCollector) -> None:
    """The last expression of a method is its result without `return`, unless it is a command."""
    body = tree.child(node, "body")
    if body is None:
        return
    held = [body]
    if tree.kind[body] == "body_statement":
        held = [child for child in tree.named(body) if tree.kind[child] not in _WORDS["afterwards"]]
    if not held:
        return
    last = tree.inner(held[-1])
    kind = tree.kind[last]
    if kind in _WORDS["results"] or (kind == "call" and _is_value(tree, last)):
        facts.returns.append(tree.render(last))


def _is_value(tree: Nodes, call: int) -> bool:
    block = tree.child(call, "block")
    answering = tree.child(call, "receiver") is not None or tree.first(call, "argument_list") is not None
    return answering and (block is None or tree.kind[block] == "block") and tree.raw(call + 1) not in _WORDS["raising"]


def _read_import(tree: Nodes, node: int) -> Iterator[Import]:
    path = tree.first(tree.child(node, "arguments"), "string")
    if path is not None and tree.text[path]:
        module = tree.text[path].strip("'")
        beside = tree.text[node + 1] == "require_relative" and module[:1] != "."
        yield Import("", f"./{module}" if beside else module, "*", tree.line(tree.start[node]))


def _locate(path: str, module: str, _name: str | None) -> list[tuple[str, tuple[str, ...]]]:
    """A required file beside this one, or under a `lib` around it."""
    file = module if module.endswith(".rb") else f"{module}.rb"
    if module.startswith("."):
        found = join(folder(path), file)
        return [(found, ())] if found else []
    tries = [join(root, "lib", file) for root in ancestors(path)]
    tries += [join(root, file) for root in ancestors(path)]
    return [(each, ()) for each in dict.fromkeys(tries) if each]


_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def _neighbours(path: str, name: str) -> list[str]:
    """The files in which an autoloader looks for a constant: beside the file and in the folder of its name."""
    if not name[:1].isupper():
        return []
    file = _HUMP.sub("_", name.partition(".")[0]).lower() + ".rb"
    places = (folder(path), path.removesuffix(".rb"), folder(folder(path)))
    return [each for each in dict.fromkeys(join(place, file) for place in places) if each and each != path]


def _is_doc(text: str) -> bool:
    return not re.match(
        r"#!|#\s*(?:-\*-|rubocop:|frozen_string_literal|encoding:|typed:|:nocov:|:nodoc:|TODO|FIXME)", text
    )


def _read_doc(text: str) -> str:
    if text.startswith("=begin"):
        return re.sub(r"^=(?:begin|end).*$", "", text, flags=re.MULTILINE).strip()
    return text.lstrip("#").strip()


RUBY = Language(
    **read_tables(
        "ruby",
        rules={
            "call": _called,
            "method": _last,
            "singleton_method": _last,
            "rescue": _rescued,
            "rescue_modifier": _rescued,
        },
    ),
    corrections={
        "call": _call,
        "argument_list": _arguments,
        "body_statement": _body,
        "program": _body,
        "pair": _pair,
        "heredoc_body": _heredoc,
    },
    doc_comment=_is_doc,
    read_string_part=lambda kind, raw: raw if kind == "escape_sequence" else raw.replace("\n", "\\n"),
    owner=lambda text: text.replace("::", ".").lstrip("."),
    implicit_modifiers=lambda tree, node: (
        " ".join(_modifiers(tree, node)) if tree.kind[node] in ("method", "singleton_method") else ""
    ),
    fields=never,
    **by_name(_read_doc, _interpolated, _read_string, _refine, _header, _value, _read_import, _locate, _neighbours),
)
