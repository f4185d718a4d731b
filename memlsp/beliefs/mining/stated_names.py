"""Reads a Markdown document line by line for what its lines name: paths, commands, names and values.

Shallow on purpose: a name counts only where it once led to something, so a misread word finds nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum

from attrs import frozen

from memlsp.code.vocabulary import patterns

_RE = patterns(__name__)
_LONGEST_LINE = 2_000  # characters
_ALIASES = {"go": "golang", "msrv": "rust", "nodejs": "node"}
_COUNTS = ["", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
_SHELLS = frozenset({"sh", "bash", "shell", "console", "zsh", "shell-session", "powershell"})


class NameForm(StrEnum):
    """What a name leads to."""

    PATH = "path"
    MODULE = "module"  # `pkg.part`: a module by its dotted name
    COMMAND = "command"  # `npm run build`, `make test`
    PLAIN = "plain"  # a word as others: a name only beside the file that has it, or in a list of dependencies
    WORD = "word"  # an identifier, an option, a package: something that stands in the code


@frozen
class StatedName:
    """A name in a line: `text` without marks, `start` and `end` are characters of the line. `at_line` is that of
    `path:12`."""

    form: NameForm
    text: str
    start: int
    end: int
    at_line: int | None = None


@frozen
class StatedLine:
    """A line of a document that may say something; `number` is from 1. What a clause forbids, or says of the past, is
    none of its names."""

    number: int
    text: str
    names: tuple[StatedName, ...]
    is_code: bool = False


def stated_lines(text: str, *, is_record: bool = False) -> Iterator[StatedLine]:
    """The lines of a document that name something, or state a number or an order. Left out are blocks that are neither
    commands nor a drawn tree of folders, and of a record of a decision what was before it."""
    before = _RE["before_decision" if is_record else "denied_heading"]
    denied = 0  # depth of a heading under which everything is past
    for number, line, language, tree in _lines_in_blocks(text):
        heading = re.match(r"(#{2,6})\s|\*\*[^*]+\*\*", line) if language is None else None
        depth = len(heading[1] or "#######") if heading else 0
        if heading and (denied >= depth or not denied):
            denied = depth if before.search(heading[0] if heading[1] is None else line) else 0
        names = _claimed_names(line) if language is None else _code_names(line, language, tree)
        if not denied and (names or (language is None and re.search(r"\d|\border\b[^:]*:", line))):
            yield StatedLine(number, line, names, is_code=language is not None)


def _lines_in_blocks(text: str) -> Iterator[tuple[int, str, str | None, list[str]]]:
    """The lines behind the front matter, each with the language of its block of code (None in prose) and a list that
    the lines of one block share."""
    lines = text.split("\n")
    first = lines.index("---", 1) + 1 if lines[0].rstrip() == "---" and "---" in lines[1:] else 0
    fence, language, tree = "", None, list[str]()
    for number, line in enumerate(lines[first:], first + 1):
        mark = _RE["fence"].match(line)
        if mark and (not fence or (mark["fence"].startswith(fence) and not mark["language"])):
            fence, tree = "" if fence else mark["fence"], []
            language = mark["language"].lower() if fence else None
        elif len(line) <= _LONGEST_LINE:
            yield number, line, language, tree


def _code_names(line: str, language: str, tree: list[str]) -> tuple[StatedName, ...]:
    names = tuple(_tree_names(line, tree)) if language in {"", "text", "txt", "plaintext"} else ()
    if not names and language in {"", *_SHELLS}:
        names = tuple(_shell_names(line, is_command=language != ""))
    return (*names, *_imported_names(line), *_addresses(line))


def _claimed_names(line: str) -> tuple[StatedName, ...]:
    """The names of a line of prose, without those of clauses that forbid and of links that lead out."""
    away = [found.span() for found in _RE["clause"].finditer(line) if is_denied(found[0])]
    away += [found.span() for found in _RE["outside_link"].finditer(line)]
    return tuple(each for each in _prose_names(line) if not any(start <= each.start < end for start, end in away))


def is_denied(text: str) -> bool:
    """True for a clause that forbids, plans or tells what was."""
    return _RE["denied"].search(text) is not None


def values_in(text: str) -> Iterator[tuple[str, int, int]]:
    """The numbers of a line, and the code spans that may be values, with their places."""
    for found in _RE["value"].finditer(text):
        if found.start("value") > 3 or not re.match(r"\s*\d+\.\s", text):  # not the number of an item
            yield found["value"].strip(",_"), *found.span("value")
    for found in _RE["code"].finditer(text):
        code = found["code"].strip("\"' ")
        if _RE["code_value"].fullmatch(code):
            yield code, *found.span("code")


def counts_in(text: str) -> Iterator[tuple[int, str, int, int]]:
    """The numbers that count something: the number, the noun, and the place of the number."""
    for found in _RE["counted"].finditer(text):
        count = found["count"].lower()
        yield int(count) if count.isdigit() else _COUNTS.index(count), found["noun"].lower(), *found.span("count")


def subject_of(text: str) -> frozenset[str]:
    """The words of a line that say what a value is of."""
    words = {found[0].lower() for found in re.finditer(r"[A-Za-z]{4,}|\bGo\b", text)}
    return frozenset({_ALIASES.get(word, word) for word in words if not _RE["idle"].fullmatch(word)})


def _prose_names(line: str) -> Iterator[StatedName]:
    spans = [(found.start("code"), found.end("code")) for found in _RE["code"].finditer(line)]
    if not spans and line.startswith(("    ", "\t")):
        yield from _own_commands(line, 0)  # a block of code that is indented
    for start, end in spans:
        yield from _span_names(line[start:end].rstrip(), start)
    for found in _RE["link"].finditer(line):
        target = found["target"].split("#")[0]
        if target and not re.match(r"\w+:", target):
            yield from _path(target, found.start("target"), quoted=True)
    yield from _addresses(line)
    for found in _RE["at_reference"].finditer(line):
        yield from _path(found["path"], found.start("path"), quoted=False)
    for found in _RE["bare_path"].finditer(line):
        linked = line[max(0, found.start() - 2) : found.start()] == "]("
        if not linked and not any(start <= found.start() < end for start, end in spans):
            yield from _path(found[0], found.start(), quoted=False)
    for found in _RE["bare_name"].finditer(line):
        if not any(start <= found.start() < end for start, end in spans):
            yield StatedName(NameForm.WORD, found[0], found.start(), found.end())


def _span_names(code: str, start: int) -> Iterator[StatedName]:
    """What a code span names."""
    yield from _own_commands(code, start)
    if _RE["placeholder"].search(code):
        return
    commands = list(_command_names(code, start))
    if commands or _RE["shell_word"].match(code):
        yield from commands
        return
    paths = list(_path(code, start, quoted=True)) if " " not in code.strip() else []
    if paths:
        yield from paths
        return
    for found in _RE["word"].finditer(code):
        is_plain = not _RE["namelike"].search(found["name"] + ("()" if code[found.end() :].startswith("(") else ""))
        if is_plain and found["name"] != code.strip("@- "):
            continue
        form = NameForm.PLAIN if is_plain else NameForm.WORD
        yield StatedName(form, found["name"], start + found.start("name"), start + found.end("name"))
        if found.start() == 0 and " " not in code and "(" in code:
            return  # of a call only what is called


def _addresses(line: str) -> Iterator[StatedName]:
    return (StatedName(NameForm.WORD, found[0], *found.span()) for found in _RE["address"].finditer(line))


def _imported_names(line: str) -> Iterator[StatedName]:
    """The module that a line of Python imports, as a path, and what it takes of it."""
    found = _RE["imported"].match(line)
    if found:
        group = "module" if found["module"] else "whole"
        yield StatedName(NameForm.MODULE, found[group], *found.span(group))
        for each in re.finditer(r"[A-Za-z_]\w*", found["names"] or ""):
            start = found.start("names") + each.start()
            yield StatedName(NameForm.WORD, each[0], start, start + len(each[0]))


def _own_commands(code: str, start: int) -> Iterator[StatedName]:
    """Calls of programs that may be those of the repository: `acme db migrate`, and each option that it is given."""
    for found in _RE["own_call"].finditer(code):
        if _RE["shell_word"].match(found["program"] + " ") and " " not in found["program"]:
            continue
        call = found["program"].replace(" ", "_") + found["words"]
        if found["words"]:
            yield StatedName(NameForm.COMMAND, call, start + found.start("program"), start + found.end("words"))
        for option in _RE["option"].finditer(found["rest"]):
            at = start + found.start("rest") + option.start()
            yield StatedName(NameForm.COMMAND, f"{call} {option[0]}", at, at + len(option[0]))


def _shell_names(line: str, *, is_command: bool) -> Iterator[StatedName]:
    told = re.sub(r"(?:^|\s)#.*", "", line)
    if is_command:
        yield from _own_commands(told, 0)
    if not _RE["placeholder"].search(told):
        yield from _command_names(told, 0, is_command=is_command)


def _command_names(code: str, start: int, *, is_command: bool = False) -> Iterator[StatedName]:
    """The scripts and targets that a command line runs, and the paths that it is given."""
    any_command = is_command
    for found in _RE["command"].finditer(code):
        any_command = True
        call = f"{found['runner'] or found['maker']} {found['script'] or found['target']}"
        yield StatedName(NameForm.COMMAND, call, start + found.start(), start + found.end())
    tool = _RE["shell_word"].match(code.lstrip("$ "))
    if any_command or tool:
        for found in _RE["bare_path"].finditer(code):
            yield from _path(found[0], start + found.start(), quoted=False)
        for found in _RE["option"].finditer("" if tool and not _RE["own_program"].match(tool[0]) else code):
            yield StatedName(NameForm.WORD, found[0], start + found.start(), start + found.end())


def _path(text: str, start: int, *, quoted: bool) -> Iterator[StatedName]:
    told = text.strip().rstrip(".,;:")
    found = _RE["path_line"].match(told)
    path, line = (found["path"], int(found["line"])) if found else (told, None)
    wanted = path.removeprefix("./")
    if _RE["placeholder"].search(path) or _RE["no_path"].search(path) or len(wanted) > 200:
        return
    folder = r"[\w.@+()\[\] -]+(?:/[\w.@+()\[\]-]+)*/|[\w.@+-]+(?:/[\w.@+()\[\]-]+)+"
    is_folder = (quoted or path.endswith("/")) and re.fullmatch(folder, wanted) is not None
    if is_folder or _RE["file_name"].search(wanted):
        at = start + text.index(told)
        yield StatedName(NameForm.PATH, path, at, at + len(told), line)


def _tree_names(line: str, above: list[str]) -> Iterator[StatedName]:
    """The path of a line of a drawn tree of folders; `above` are the folders around it, changed in place."""
    found = _RE["tree"].match(line)
    if not found:
        if re.fullmatch(r"\s*[\w.@/-]+/\s*(?:#.*)?", line):
            above[:] = [line.split("#", maxsplit=1)[0].strip().strip("/")]
        return
    name = found["name"].rstrip("/")
    depth = len(found["indent"].expandtabs(4)) // 4 + 1
    del above[depth:]
    above += [""] * (depth - len(above))
    above.append(name)
    path = "/".join(part for part in above if part)
    if not _RE["placeholder"].search(path) and name not in {"...", "…", "etc"}:
        yield StatedName(NameForm.PATH, path, found.start("name"), found.end("name"))
