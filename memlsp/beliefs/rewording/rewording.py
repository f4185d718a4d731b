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

from memlsp.beliefs.claims.arithmetic import joined_strings
from memlsp.beliefs.claims.symbol_state import listed, one_separator
from memlsp.beliefs.files import Files
from memlsp.beliefs.rewording.extraction import new_helpers
from memlsp.beliefs.rewording.spelling import IN_CLASSES, inlined_arguments, lacks_name, replaced, same_spelling
from memlsp.code.rewriting.normal_form import is_same_code
from memlsp.code.syntax.language import Import
from memlsp.code.syntax.outline import Outline
from memlsp.code.syntax.outline import outline as outline_of
from memlsp.code.syntax.regions import source_of
from memlsp.code.vocabulary import patterns
from memlsp.model.belief import Anchor
from memlsp.model.symbol import VALUE_KINDS, Dependency, Symbol, SymbolKind

_RE = patterns(__name__)

_LARGEST = 40_000  # characters of a text that is worth reading twice
_NAMED = frozenset({"python", "kotlin", "csharp"})  # callers may write the names of parameters
_PLACED = frozenset({"ruby"})  # what is private follows from the place
_OTHER_COMMENTS = frozenset({"python", "ruby", "bash"})  # `//` begins none
_HIDDEN = re.compile("\x00(\\d+)\x00")


def reworded(
    anchor: Anchor,
    new: Symbol,
    outline: Outline,
    depends: Sequence[Dependency],
    names: Mapping[str, str],
    files: Files,
    text: str,
) -> tuple[str, ...] | None:
    """Compare `text`, the new state, with the anchor's snapshot: the constants and helpers that took the place of code
    where both mean the same, else None. `names` maps new names to the former ones."""
    verified, language = anchor.verified, outline.language or ""
    if outline.has_errors or not language or not 0 < len(anchor.snapshot) <= _LARGEST or len(text) > _LARGEST:
        return None
    kept: list[str] = []
    before, after = _hide(anchor.snapshot, language, kept), _hide(text, language, kept)
    if _is_opened_elsewhere(anchor, new, before, after, language):
        return None
    own = {new.simple_name: verified.simple_name} if new.simple_name and verified.simple_name else {}
    for name, former in (*names.items(), *own.items()):
        after = replaced(after, name, former)
    if new.path != anchor.path:
        before, after = _unguarded(before), _unguarded(after)
    after = _as_imported(before, after, outline, anchor, depends)
    named: list[str] = []
    for name, value, definition, alias in _stand_ins(anchor, new, outline, depends, files):
        hidden, defined = _hide(value, language, kept), _hide(definition, language, kept)
        spelled_out = _spelled_out(after, name, hidden, defined, alias=alias)
        if spelled_out is not None:
            after = spelled_out
            named += () if alias else (name,)
    for helper in new_helpers(anchor, new, outline, depends, files):
        inlined = _inlined(after, helper, files, language, kept)
        if inlined is not None:
            after = inlined
            named.append(helper.name)
    *outer, last = verified.name.split(".")
    owner = last if new.kind.is_container else "".join(outer[-1:])
    before, after = same_spelling(before, after, language, owner)
    before, after = _shown(before, kept), _shown(after, kept)
    before, after = _alone(before, language, new), _alone(after, language, new)
    same = _meaning(anchor.path, before, language) == _meaning(anchor.path, after, language)
    return tuple(named) if same or is_same_code(before, after, language) else None


def _meaning(path: str, text: str, language: str) -> tuple[str, ...]:
    """The meaning of a text, with the parameter names where callers write them."""
    found = outline_of(path, text.encode())
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

    hidden = _RE["kept"].sub(hide, text)
    for index, string in enumerate(kept):  # one number for one text
        first = kept.index(string)
        if first != index:
            hidden = hidden.replace(f"\x00{index}\x00", f"\x00{first}\x00")
    return hidden


def _shown(text: str, kept: Sequence[str]) -> str:
    return _HIDDEN.sub(lambda found: kept[int(found[1])], text)


def _unguarded(text: str) -> str:
    """The text without visibility modifiers, which a move to another file brings with it."""
    return _RE["guard"].sub(r"\1", text)


def _is_opened_elsewhere(anchor: Anchor, new: Symbol, before: str, after: str, language: str) -> bool:
    """True when a line above the text, such as `private:`, changed its visibility."""
    old, now = anchor.verified.facts.modifiers, new.facts.modifiers
    if language in _PLACED and old != now:
        return True
    if new.path != anchor.path:
        return False
    said, says = set(old) & _ACCESS, set(now) & _ACCESS
    gone = any(re.search(rf"\b{word}\b", before) is None for word in said - says)
    return gone or any(re.search(rf"\b{word}\b", after) is None for word in says - said)


_ACCESS = frozenset({"public", "protected", "private"})


# --- names as they are imported


def _as_imported(before: str, after: str, outline: Outline, anchor: Anchor, depends: Sequence[Dependency]) -> str:
    """The new text with imported names written as in the former text."""
    places = {(d.path, d.symbol) for d in anchor.depends}
    after = _as_depended(after, anchor, depends)
    mine = {one_separator(d.name): (d.path, d.symbol) for d in depends}
    for each in outline.imports:
        local, module = each.local, each.module.removeprefix("static ").strip("./")
        if not re.fullmatch(r"\w+", local):
            continue
        tail = re.split(r"\.|::|/", module)[-1].removeprefix("node:")
        if lacks_name(before, local):
            after = _as_named_there(before, after, each, tail)
        for inner in set(re.findall(rf"(?<![\w.:]){re.escape(local)}(?:\.|::)(\w+)", after)):
            whole = rf"(?<![\w.:]){re.escape(local)}(?:\.|::){re.escape(inner)}(?!\w)"
            if re.search(whole, before) or not re.search(_alone_as(inner), before):
                continue
            place = mine.get(f"{local}.{inner}")
            if place in places if place is not None else _is_own(inner, each.module, each.name or tail, anchor):
                after = re.sub(whole, inner, after)
        if each.name not in {None, "*"} and tail:
            after = _as_qualified(before, after, local, (module, tail))
    return after


def _as_named_there(before: str, after: str, each: Import, tail: str) -> str:
    """The new text with the name that a thing has where it is imported from, if the former text has that."""
    if each.name not in {None, "*", "default", each.local}:
        return after if lacks_name(before, each.name or "") else replaced(after, each.local, each.name or "")
    if each.name is None and tail != each.local and re.search(rf"\b{re.escape(tail)}\.", before):
        return re.sub(rf"(?<![\w.]){re.escape(each.local)}(?=\.)", tail, after)
    return after


def _alone_as(name: str) -> str:
    return rf"(?<![\w.:]){re.escape(name)}(?!\w)"


def _as_qualified(before: str, after: str, local: str, holders: Sequence[str]) -> str:
    """The new text with an imported name behind its module, where the former text has it only so."""
    holder = "|".join(map(re.escape, holders))
    qualified = re.search(rf"(?<![\w.:])(?:{holder})(?:\.|::){re.escape(local)}(?!\w)", before)
    if qualified is None or re.search(_alone_as(local), before):
        return after
    return re.sub(_alone_as(local), qualified[0], after)


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


def _is_own(name: str, module: str, file: str, anchor: Anchor) -> bool:
    """True when the former text meant a name of this module by the name alone."""
    named = [d for d in anchor.depends if d.name == name]
    return any(file in re.split(r"/|\.", d.path) for d in named) if named else _is_sure(module, name)


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


def _spelled_out(text: str, name: str, value: str, definition: str, *, alias: bool) -> str | None:
    """The text with a value in the place of its name; None where it has no such name beside the definition."""
    text = text.replace(definition, "") if definition else text
    there = re.compile(rf"(?<![\w.:$]){re.escape(name)}(?![\w$])")
    if not there.search(text):
        return None
    simple = alias or re.fullmatch(r"-?[\w.]+|\x00\d+\x00|[\w.:]+\([\w.:, ]*\)", value.strip()) is not None
    return there.sub(lambda _: value if simple else f"({value})", text)


def _value(symbol: Symbol, files: Files) -> str | None:
    if any(modifier in {"var", "let", "mut"} for modifier in symbol.facts.modifiers):
        return None  # it may be another by the time it is read
    found = _RE["assigned"].search(source_of(symbol, files.read(symbol.path) or b""))
    value = found["value"] if found else None
    return value if value and len(value) <= 200 and "\n\n" not in value else None


# --- helpers of one expression, read where they are called


def _inlined(text: str, helper: Symbol, files: Files, language: str, kept: list[str]) -> str | None:
    """The text with calls of a helper replaced by its returned expression; None when it does more than return one."""
    if helper.facts.decorators or not (helper.facts.parameters or helper.facts.returns):
        return None
    source = _hide(source_of(helper, files.read(helper.path) or b""), language, kept)
    body = _RE["expression_python"].search(source) if language == "python" else _RE["expression"].search(source)
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


def _bare(argument: str) -> str:
    argument = re.sub(r"^&(?:mut\s+)?", "", argument.strip())
    return argument if re.fullmatch(r"[\w.\x00]+", argument) else f"({argument})"


def arguments_of(text: str, start: int) -> tuple[list[str], int]:
    """The arguments after an opening parenthesis, and the end of the call; -1 when it does not end."""
    found, end = listed(text, start, closing=")")
    return ([part for part in found if part.strip()], end + 1) if end >= 0 else ([], -1)
