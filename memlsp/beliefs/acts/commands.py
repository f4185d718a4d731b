"""The tables of `commands.txt`: what commands do, whichever program does it, and how a command line is read. Hooks read
them too."""

from __future__ import annotations

import os

TYPE_CHECKING = False  # as in typing, without importing it
if TYPE_CHECKING:
    from collections.abc import Iterable

_FILE = os.path.join(os.path.dirname(__file__), "commands.txt")  # noqa: PTH118, PTH120 - pathlib takes too long


class CommandTables:
    """`by_program` gives the commands of each program as (their words, their class); `scripts` the class that a word in
    the name of a script says. `words` are lists of words by their name; `runners` are pairs of words that run another
    command; `reading` the subcommands of a program that change nothing, `valued` its options with a value, `aliases`
    its usual name, `flags` the other forms of an option, `twins` the programs that take the same commands. `effects`
    gives as `by_program` what commands do to the files that they name, `outputs` the options of a program that name a
    file which is written."""

    __slots__ = (
        *("aliases", "by_program", "effects", "flags", "outputs", "reading", "runners", "scripts", "twins", "valued"),
        "words",
    )

    def __init__(self) -> None:
        sections: dict[str, list[str]] = {}
        lines: list[str] = []
        with open(_FILE, encoding="utf-8") as file:  # noqa: PTH123
            for line in file.read().split("\n"):
                if line[:1] == "[":
                    lines = sections.setdefault(line.strip("[]"), [])
                elif line and line[0] != "#":
                    lines.append(line)
        twins = [line.split() for line in sections.pop("twins")]
        self.twins = {word: words for words in twins for word in words}
        self.by_program = self._by_program(sections.pop("commands"), "@")
        self.effects = self._by_program(sections.pop("effects"), "")
        self.scripts = {word: f"@{name}" for name, words in _pairs(sections.pop("scripts")) for word in words}
        self.reading = _by_name(sections.pop("reading"))
        self.aliases = {word: name for name, words in _pairs(sections.pop("aliases")) for word in words}
        self.flags = {flag: line.split() for line in sections.pop("flags") for flag in line.split()}
        self.runners = frozenset(pair for line in sections.pop("runners") for pair in line.split(", "))
        self.valued = _by_name(sections.pop("valued"))
        self.outputs = _by_name(sections.pop("outputs"))
        self.words = {name: frozenset(" ".join(each).split()) for name, each in sections.items()}

    def _by_program(self, lines: list[str], sign: str) -> dict[str, list[tuple[list[str], str]]]:
        found: dict[str, list[tuple[list[str], str]]] = {}
        for line in lines:
            name, _, commands = line.partition(": ")
            for command in commands.split(", "):
                program, *rest = command.split()
                for each in self.twins.get(program, (program,)):
                    found.setdefault(each, []).append(([each, *rest], f"{sign}{name}"))
        return found


_kept: list[CommandTables] = []


def tables() -> CommandTables:
    """The tables, read once."""
    if not _kept:
        _kept.append(CommandTables())
    return _kept[0]


def runs(command: str, words: list[str], flags: Iterable[str]) -> bool:
    """True when a command of these words (without options) and options is the one that the pattern names."""
    at = 0
    for word in command.split():
        if word.startswith("-"):
            if word not in flags:
                return False
        elif at >= len(words) or not (words[at] == word or (word[-1] == "*" and words[at].startswith(word[:-1]))):
            return False
        else:
            at += 1
    return True


def _pairs(lines: list[str]) -> list[tuple[str, list[str]]]:
    """Lines of a name and, behind a colon, words."""
    return [(name, words.split()) for name, _, words in (line.partition(": ") for line in lines)]


def _by_name(lines: list[str]) -> dict[str, list[str]]:
    """The words of lines for each of the names before the colon."""
    return {name: words for names, words in _pairs(lines) for name in names.split("|")}
