"""Decides whether the new text of a symbol means what the former one meant.

The new text is brought back to the former names (of dependencies, imports, constants that stand for a literal), both
texts to one spelling, and both are parsed. Equal meanings are then exact: a list of tokens cannot tell locals apart,
their bindings can.
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence

from attrs import frozen

from memlsp.beliefs.claims.arithmetic import joined_strings
from memlsp.beliefs.claims.symbol_state import one_separator
from memlsp.beliefs.files import Files
from memlsp.beliefs.rewording.extraction import new_helpers
from memlsp.beliefs.rewording.normal_form import is_same_code
from memlsp.beliefs.rewording.spelling import IN_CLASSES, inlined_arguments, lacks_name, replaced, same_spelling
from memlsp.code.syntax.outline import Outline
from memlsp.code.syntax.outline import outline as outline_of
from memlsp.code.syntax.regions import source_of
from memlsp.model.belief import Anchor
from memlsp.model.symbol import VALUE_KINDS, Dependency, Symbol, SymbolKind

_LARGEST = 40_000  # characters of a text that is worth reading twice
_KEPT = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
    |(?P<string>\br\#*".*?"\#*|\"{3}.*?\"{3}|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|'(?:\\.|[^'\\\n])'|'(?:\\.|[^'\\\n])*'(?!\w))""",
    re.VERBOSE | re.DOTALL,
)
_NAMED = frozenset({"python", "kotlin", "csharp"})  # callers may write the names of parameters
_PLACED = frozenset({"ruby"})  # what is private follows from the place
_OTHER_COMMENTS = frozenset({"python", "ruby", "bash"})  # `//` begins none
_HIDDEN = re.compile("\x00(\\d+)\x00")


@frozen
class Reworded:
    """The result for texts that mean the same, with the constants that replaced literals."""

    named: tuple[str, ...] = ()


def reworded(
    anchor: Anchor,
    new: Symbol,
    outline: Outline,
    depends: Sequence[Dependency],
    names: Mapping[str, str],
    files: Files,
    text: str,
) -> Reworded | None:
    """Compare `text`, the new state, with the anchor's snapshot; None when they do not mean the same. `names` maps new
    names to the former ones."""
    old = anchor.snapshot
    language = outline.language or ""
    if not old or len(old) > _LARGEST or len(text) > _LARGEST or language == "" or outline.has_errors:
        return None
    if language in _PLACED and anchor.verified.facts.modifiers != new.facts.modifiers:
        return None
    kept: list[str] = []
    before, after = _hide(old, language, kept), _hide(text, language, kept)
    if new.path == anchor.path and _is_opened_elsewhere(anchor.verified, new, before, after):
        return None
    for name, former in names.items():
        after = replaced(after, name, former)
    if new.simple_name and anchor.verified.simple_name:
        after = replaced(after, new.simple_name, anchor.verified.simple_name)
    if new.path != anchor.path:
        before, after = _unguarded(before), _unguarded(after)
    after = _as_imported(before, after, outline, anchor, depends)
    named: list[str] = []
    for name, value, definition, alias in _stand_ins(anchor, new, outline, depends, files):
        hidden = _hide(value, language, kept)
        gone = after.replace(_hide(definition, language, kept), "") if definition else after
        there = re.compile(rf"(?<![\w.:$]){re.escape(name)}(?![\w$])")
        if not there.search(gone):
            continue
        simple = alias or re.fullmatch(r"-?[\w.]+|\x00\d+\x00|[\w.:]+\([\w.:, ]*\)", hidden.strip()) is not None
        after = there.sub(lambda _, value=hidden, simple=simple: value if simple else f"({value})", gone)
        if not alias:
            named.append(name)
    for helper in new_helpers(anchor, new, outline, depends, files):
        inlined = _inlined(after, helper, files, language, kept)
        if inlined is not None:
            after = inlined
            named.append(helper.name)
    owner = anchor.verified.name.split(".")
    before, after = same_spelling(
        before, after, language, owner[-1] if new.kind.is_container else "".join(owner[-2:-1])
    )
    before, after = _shown(before, kept), _shown(after, kept)
    same = _meaning(anchor.path, before, language, new) == _meaning(anchor.path, after, language, new)
    if not same:
        same = is_same_code(_alone(before, language, new), _alone(after, language, new), language)
    return Reworded(tuple(named)) if same else None


def _meaning(path: str, text: str, language: str, symbol: Symbol) -> tuple[str, ...]:
    """The meaning of a text, with the parameter names where callers write them."""
    found = outline_of(path, _alone(text, language, symbol).encode())
    every = [p.name for each in found.symbols for p in each.facts.parameters]
    offered = [name for name in every if language in _NAMED or name.endswith(":")]
    return (found.module.fingerprint.meaning, *offered)


def _alone(text: str, language: str, symbol: Symbol) -> str:
    """The text as a file of its own."""
    plain = textwrap.dedent(text)
    start = "<?php\n" if language == "php" and not plain.startswith("<?") else ""
    inside = language in IN_CLASSES or start
    wrapped = inside and not symbol.kind.is_container and bool(symbol.container)
    return start + (f"class X {{\n{plain}\n}}\n" if wrapped else plain)


# --- texts without what stands in strings and comments


def _hide(text: str, language: str, kept: list[str]) -> str:
    text = joined_strings(text)
    if language == "rust":
        text = inlined_arguments(text)
    if language in _OTHER_COMMENTS:
        return text  # its names are brought back as they are; a string that has one of them is not the same

    def hide(found: re.Match[str]) -> str:
        if found["comment"] is not None:
            return " "
        kept.append(found[0])
        return f"\x00{len(kept) - 1}\x00"

    hidden = _KEPT.sub(hide, text)
    for index, string in enumerate(kept):  # one number for one text
        first = kept.index(string)
        if first != index:
            hidden = hidden.replace(f"\x00{index}\x00", f"\x00{first}\x00")
    return hidden


def _shown(text: str, kept: Sequence[str]) -> str:
    return _HIDDEN.sub(lambda found: kept[int(found[1])], text)


_GUARD = re.compile(
    r"^((?:\s*(?:\#\[[^\n]*\]|@[^\n]*))*\s*)(?:(?:pub(?:\s*\([^)]*\))?|export\s+default|export|public|protected|private)\s+)+"
)


def _unguarded(text: str) -> str:
    """The text without visibility modifiers, which a move to another file brings with it."""
    return _GUARD.sub(r"\1", text)


def _is_opened_elsewhere(old: Symbol, new: Symbol, before: str, after: str) -> bool:
    """True when a line above the text, such as `private:`, changed its visibility."""
    said, says = set(old.facts.modifiers) & _ACCESS, set(new.facts.modifiers) & _ACCESS
    gone = any(re.search(rf"\b{word}\b", before) is None for word in said - says)
    return gone or any(re.search(rf"\b{word}\b", after) is None for word in says - said)


_ACCESS = frozenset({"public", "protected", "private"})


# --- names as they are imported


def _as_imported(before: str, after: str, outline: Outline, anchor: Anchor, depends: Sequence[Dependency]) -> str:
    """The new text with imported names written as in the former text."""
    places = {(d.path, d.symbol) for d in anchor.depends}
    known = {d.name for d in anchor.depends}
    after = _as_depended(after, anchor, depends)
    mine = {one_separator(d.name): (d.path, d.symbol) for d in depends}
    for each in outline.imports:
        local, module = each.local, each.module.removeprefix("static ").strip("./")
        if not re.fullmatch(r"\w+", local):
            continue
        tail = re.split(r"\.|::|/", module)[-1].removeprefix("node:")
        if (
            each.name not in {None, "*", "default", local}
            and lacks_name(before, local)
            and not lacks_name(before, each.name or "")
        ):
            after = replaced(after, local, each.name or local)
        elif (
            each.name is None
            and tail != local
            and lacks_name(before, local)
            and re.search(rf"\b{re.escape(tail)}\.", before)
        ):
            after = re.sub(rf"(?<![\w.]){re.escape(local)}(?=\.)", tail, after)
        for inner in set(re.findall(rf"(?<![\w.:]){re.escape(local)}(?:\.|::)(\w+)", after)):
            whole = rf"(?<![\w.:]){re.escape(local)}(?:\.|::){re.escape(inner)}(?!\w)"
            if re.search(whole, before) or not re.search(rf"(?<![\w.:]){re.escape(inner)}(?!\w)", before):
                continue
            place = mine.get(f"{local}.{inner}")
            if place is not None:
                own = place in places
            elif inner in known:
                own = any(d.name == inner and _is_of_module(d.path, each.name or tail) for d in anchor.depends)
            else:
                own = _is_sure(each.module, inner)
            if own:
                after = re.sub(whole, inner, after)
        if each.name not in {None, "*"} and tail:
            holder = rf"(?:{re.escape(module)}|{re.escape(tail)})"
            qualified = re.search(rf"(?<![\w.:]){holder}(?:\.|::){re.escape(local)}(?!\w)", before)
            if qualified and not re.search(rf"(?<![\w.:]){re.escape(local)}(?!\w)", before):
                after = re.sub(rf"(?<![\w.:]){re.escape(local)}(?!\w)", qualified[0], after)
    return after


def _as_depended(after: str, anchor: Anchor, depends: Sequence[Dependency]) -> str:
    """The text with the former names of dependencies that have the same place and another name here."""
    known = {d.name for d in anchor.depends}
    for dependency in depends:
        if dependency.name in known or not dependency.digest:
            continue
        same = (d for d in anchor.depends if (d.path, d.symbol) == (dependency.path, dependency.symbol) and d.digest)
        former = next(same, None)
        if former is not None and all(d.name != former.name for d in depends):
            written = r"(?:\.|::)".join(re.escape(part) for part in dependency.name.split("."))
            after = re.sub(rf"(?<![\w.:$]){written}(?![\w$])", former.name, after)
    return after


def _is_of_module(path: str, module: str) -> bool:
    parts = re.split(r"/|\.", path)
    return module in parts


def _is_sure(module: str, inner: str) -> bool:
    """True for types and for the standard library: another library's function of the same name is another one."""
    head = re.split(r"\.|::|/|:", module.removeprefix("static "))[0]
    return inner[:1].isupper() or head in {"std", "core", "alloc", "java", "node"} or head in sys.stdlib_module_names


# --- constants and aliases in the place of what they stand for


def _stand_ins(
    anchor: Anchor, new: Symbol, outline: Outline, depends: Sequence[Dependency], files: Files
) -> Iterator[tuple[str, str, str, bool]]:
    """Names that are new here, the text that they stand for, and their definition where it lies in the symbol."""
    known = {one_separator(d.name) for d in anchor.depends}
    for dependency in depends:
        if one_separator(dependency.name) in known or dependency.kind not in {*VALUE_KINDS, SymbolKind.TYPE}:
            continue
        there = outline if dependency.path == outline.path else files.outline(dependency.path)
        symbol = there.find(dependency.symbol) if there is not None else None
        value = _value(symbol, files) if symbol is not None else None
        if value:
            parts = dependency.name.split(".")
            last = dependency.symbol.rpartition(".")[2]
            name = ".".join(parts[: parts.index(last) + 1]) if last in parts else dependency.name
            for written in dict.fromkeys((name, name.replace(".", "::"))):
                yield written, value, "", dependency.kind is SymbolKind.TYPE
    if not new.kind.is_container:
        return
    members = {name for name, _ in anchor.verified.facts.members}
    data = files.read(new.path) or b""
    for symbol in outline.symbols:
        if symbol.container == new.name and symbol.kind in VALUE_KINDS and symbol.simple_name not in members:
            value = _value(symbol, files)
            if value:
                lines = data[: symbol.span.end_byte].count(b"\n")
                whole = data.split(b"\n")[symbol.span.start_line : lines + 1]
                definition = b"\n".join(whole).decode("utf-8", "replace").strip()
                for prefix in ("", f"{new.simple_name}.", "this.", "Self::", "self.", "cls."):
                    yield f"{prefix}{symbol.simple_name}", value, definition, False


_ASSIGNED = re.compile(r"(?<![=<>!:])=(?![=>])\s*(?P<value>.+?)\s*[;,]?\s*$", re.DOTALL)


def _value(symbol: Symbol, files: Files) -> str | None:
    if any(modifier in {"var", "let", "mut"} for modifier in symbol.facts.modifiers):
        return None  # it may be another by the time it is read
    found = _ASSIGNED.search(source_of(symbol, files.read(symbol.path) or b""))
    value = found["value"] if found else None
    return value if value and len(value) <= 200 and "\n\n" not in value else None


# --- helpers of one expression, read where they are called


def _inlined(text: str, helper: Symbol, files: Files, language: str, kept: list[str]) -> str | None:
    """The text with calls of a helper replaced by its returned expression; None when it does more than return one."""
    if helper.facts.decorators or not (helper.facts.parameters or helper.facts.returns):
        return None
    source = _hide(source_of(helper, files.read(helper.path) or b""), language, kept)
    body = _EXPRESSION_PYTHON.search(source) if language == "python" else _EXPRESSION.search(source)
    if body is None:
        return None
    expression = " ".join(body["body"].split())
    names = [re.sub(r"^(?:&?mut |&|\*|\.\.\.)", "", p.name) for p in helper.facts.parameters]
    names = [name for name in names if name not in {"self", "cls", "&mut self", "&self"}]
    call = re.compile(rf"(?:(?<![\w.:])(?:\w+(?:\.|::))|(?<![\w.:]))(?:await\s+)?{re.escape(helper.simple_name)}\s*\(")
    found = call.search(text)
    if found is None:
        return None
    while found is not None:
        arguments, end = arguments_of(text, found.end())
        if len(arguments) != len(names) or end < 0:
            return None
        given = dict(zip(names, (_bare(each) for each in arguments), strict=True))
        inner = re.sub(r"(?<![\w.$:])[^\W\d]\w*", lambda m, given=given: given.get(m[0], m[0]), expression)
        text = f"{text[: found.start()]}({inner}){text[end:]}"
        found = call.search(text, found.start() + len(inner) + 2)
    return text


_EXPRESSION = re.compile(
    r"(?:\{|=>)\s*(?:return\b\s*)?(?P<body>(?!let\b|const\b|var\b|if\b|for\b|match\b|while\b)[^;{}]+?)\s*;?\s*\}?\s*;?\s*$"
)
_EXPRESSION_PYTHON = re.compile(r":\s*\n\s*return\b[ \t]*(?P<body>[^\n]+)\s*$")


def _bare(argument: str) -> str:
    argument = re.sub(r"^&(?:mut\s+)?", "", argument.strip())
    return argument if re.fullmatch(r"[\w.\x00]+", argument) else f"({argument})"


def arguments_of(text: str, start: int) -> tuple[list[str], int]:
    """The arguments after an opening parenthesis, and the end of the call; -1 when it does not end."""
    depth, begin, found = 0, start, list[str]()
    for index in range(start, len(text)):
        sign = text[index]
        if sign in "([{":
            depth += 1
        elif sign in ")]}" and depth:
            depth -= 1
        elif sign == ")" or (sign == "," and not depth):
            if text[begin:index].strip():
                found.append(text[begin:index])
            begin = index + 1
            if sign == ")":
                return found, index + 1
    return [], -1
