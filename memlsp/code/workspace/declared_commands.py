"""The commands and options of the programs that a repository makes, as its code declares them.

`command_reader.py` reads a file for itself; `DeclaredCommands` joins the files of a state, since a group is often
filled from another file.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import PurePosixPath

from attrs import define, field

_PROGRAMS = frozenset({"program", "commander"})  # variables of JavaScript

ANY = "*"
"""The options of a command that takes them from elsewhere: a function of another file, a decorator."""

CommandPlace = tuple[str, str]
"""A variable: the function around it ("" for the module) and its name. ("#", KEY) is a command of the file itself."""


_Target = tuple[str, CommandPlace]


@define
class CommandFile:
    """What one file declares. `names` has the names of each command by its place, `below` pairs of a command and the
    one that it belongs to, with the name that it gets there; `is_open` where a name is computed. `words` counts the
    strings of the file by their first word."""

    names: dict[CommandPlace, set[str]] = field(factory=dict[CommandPlace, set[str]])
    below: set[tuple[CommandPlace, CommandPlace, str]] = field(factory=set[tuple[CommandPlace, CommandPlace, str]])
    options: list[tuple[CommandPlace | None, str]] = field(factory=list[tuple[CommandPlace | None, str]])
    same: dict[CommandPlace, CommandPlace] = field(factory=dict[CommandPlace, CommandPlace])
    is_open: bool = False
    words: Counter[str] = field(factory=Counter[str])


_ROOT = "/"


class DeclaredCommands:
    """The commands of a state. `find` follows words, `has_option` asks for an option there."""

    def __init__(self, files: Iterable[tuple[str, CommandFile]]) -> None:
        self._files: dict[str, CommandFile] = dict(files)
        self.is_open = any(each.is_open for each in self._files.values())
        self._shared: dict[str, _Target] = {}
        self._modules: dict[tuple[str, str], _Target] = {}
        for path, each in self._files.items():
            parts = (PurePosixPath(path).parent.name, PurePosixPath(path).stem)
            for scope, name in (*each.names, *each.same):
                if not scope:
                    self._shared.setdefault(name, (path, ("", name)))
                    self._modules.update({(part, name): (path, ("", name)) for part in parts})

    def find(self, words: Sequence[str]) -> tuple[int, frozenset[object]]:
        """How many of the words are commands, each of the one before it, and the places of the last and those above."""
        here, above = {_ROOT}, {_ROOT}
        for depth, word in enumerate(words):
            below = {each for place in (*here, None) for each in self._below.get((place, word), ())}
            if not below:
                return depth, frozenset(above)
            here, above = below, above | below
        return len(words), frozenset(above)

    def is_surely_gone(self, gone: str, before: DeclaredCommands, programs: Collection[str]) -> bool:
        """True when a command or an option of `before` went. False where it may still be declared in a way that is not
        understood: by a command that nothing holds, under a root that is none of the programs, or by a string that
        stayed."""
        roots = {key for key in self._holders if key in self._names and key not in self._parents}
        unsure = {key for key in roots if len(roots) > 1 and self._names[key] and self._names[key].isdisjoint(programs)}
        keys = self._places_of(gone)
        commands = keys & self._names.keys()
        if not self._below or any(key not in self._parents or self._above(key) & unsure for key in commands):
            return False
        count, had = self._count(gone), before._count(gone)
        is_moved = len(keys) == len(before._places_of(gone))
        return count < had or (count == had and is_moved) or (count == had == 0)

    def _places_of(self, name: str) -> set[object]:
        """The commands with this name, or with this option."""
        keys = {key for key, names in self._names.items() if name in names}
        keys |= {key for (_, each), below in self._below.items() if each == name for key in below}
        return keys | {place for place, each in self._options if each == name}

    def _count(self, name: str) -> int:
        return sum(each.words[name] + each.words[name.removeprefix("--")] for each in self._files.values())

    def _above(self, key: object) -> set[object]:
        """The commands above one, and itself."""
        found, wanted = {key}, [key]
        while wanted:
            at = wanted.pop()
            new = self._parents.get(at, set()) - found
            found |= new
            wanted += new
        return found

    @cached_property
    def _parents(self) -> Mapping[object, set[object]]:
        found: dict[object, set[object]] = {}
        for path, each in self._files.items():
            for child, parent, _ in each.below:
                found.setdefault(self._meant(path, child), set()).add(self._meant(path, parent))
        return found

    def declares(self, option: str) -> bool:
        """True when any command has the option."""
        return any(each == option for _, each in self._options)

    def has_option(self, places: Iterable[object], option: str) -> bool:
        """True for an option of one of the commands, or of one that is not known; ANY stands for all."""
        return any((place, each) in self._options for place in (*places, None) for each in (option, ANY))

    @cached_property
    def programs(self) -> frozenset[str]:
        """The names that the code itself gives to its programs: those with commands or options."""
        roots = [key for key in self._names if key not in self._parents and key in self._holders]
        return frozenset(name for key in roots for name in self._names[key] if re.fullmatch(r"[\w.-]+", name))

    @cached_property
    def _holders(self) -> set[object]:
        with_option = ((path, place) for path, each in self._files.items() for place, _ in each.options)
        found = {self._meant(path, place) for path, place in with_option if place is not None}
        return found.union(*self._parents.values())

    @cached_property
    def _names(self) -> Mapping[object, set[str]]:
        return {(path, place): names for path, each in self._files.items() for place, names in each.names.items()}

    @cached_property
    def _below(self) -> Mapping[tuple[object, str], set[object]]:
        found: dict[tuple[object, str], set[object]] = {}
        for path, each in self._files.items():
            for child, parent, name in each.below:
                key, owner = self._meant(path, child), self._owner(path, parent)
                for one in {name} if name else self._names.get(key, set()):
                    found.setdefault((owner, one), set()).add(key)
        return found

    @cached_property
    def _options(self) -> set[tuple[object, str]]:
        found: set[tuple[object, str]] = set()
        for path, each in self._files.items():
            for place, option in each.options:
                owner = self._owner(path, place) if place is not None else None
                found.add((self._meant(path, place) if option == ANY and place is not None else owner, option))
        return found

    def _owner(self, path: str, place: CommandPlace) -> object:
        """The command that others belong to: one of its own, the root of a program, None where it is not known."""
        key = self._meant(path, place)
        if key in self._names:
            return key if key in self._parents else _ROOT
        return _ROOT if place[1] in _PROGRAMS else None

    def _meant(self, path: str, place: CommandPlace) -> object:
        """Follows a variable to the command that it holds, into other files by its name."""
        at = path, place
        for _ in range(8):
            further = self._further(*at)
            if further is None or further == at:
                break
            at = further
        return at

    def _further(self, path: str, place: CommandPlace) -> _Target | None:
        file = self._files[path]
        scope, whole = place
        head, dot, tail = whole.partition(".")
        tail = tail.removesuffix("()")
        if place in file.names:
            return None
        for same in ((scope, whole), ("", whole)):
            if same in file.same:
                return path, file.same[same]
            if same in file.names:
                return path, same
        if whole.endswith("()"):  # `build(app).add(...)` is the app, `users.build()` what the module has
            for same in ((scope, head), ("", head)):
                if same in file.same and file.same[same][1] != whole:
                    return path, same
        if (head, tail) in self._modules:
            return self._modules[head, tail]
        beside = self._modules.get((PurePosixPath(path).parent.name, whole))
        return (path, ("", tail)) if dot else beside or self._shared.get(whole)
