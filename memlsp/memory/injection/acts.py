"""Holds an act against the clauses of statements: a command line that is about to run, an edit, a file to be read.

An act is looked up by its terms (`beliefs.acts.clause`), then each clause that is found is compared. A command that
only looks meets nothing but a clause about reading.
"""

from __future__ import annotations

import os

from memlsp.beliefs.acts import clause as clauses
from memlsp.beliefs.acts.clause import EDIT, GUARD, READ, RUN, SWEEP, USE, ActClause
from memlsp.beliefs.acts.commands import runs, tables
from memlsp.memory.injection.act_edits import ActEdit
from memlsp.memory.injection.act_words import is_path, is_place, is_word, parts_of, stems
from memlsp.memory.injection.command_lines import SimpleCommand, commands_of
from memlsp.memory.injection.git_reach import pushed_to, sweeps, takes

TYPE_CHECKING = False  # as in typing, without importing it
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_TABLES = tables()

MOST_TERMS = 1_000
"""Terms of an act that are looked up, the first."""

_FIRST_SIGN = 0x2600  # characters from here on are signs, and emojis among them


class Act:
    """Something that is about to happen: the commands of a line, edits, or files that are read. `ran` gives the lines
    that ran in the session before."""

    def __init__(self, root: str, folder: str, branch: str = "", ran: Callable[[], list[str]] | None = None) -> None:
        self._ran = ran
        self._past: list[SimpleCommand] | None = None
        self.root = root
        self.folder = folder
        self.branch = branch
        self.commands: list[SimpleCommand] = []
        self.edits: list[ActEdit] = []
        self.reads: list[str] = []

    def run(self, line: str) -> None:
        """Add the commands of a line, and the files that they write."""
        branch = self.branch
        around: list[str] = []  # what the line sets for its later commands
        for each in commands_of(line):
            if each.program == "git" and each.arguments[:1] in (["checkout"], ["switch"]) and each.arguments[1:]:
                branch = each.arguments[-1]
            each.around += [*around, branch]
            if each.words[1:2] != each.words[-1:] and "use-context" in each.words:
                around.append(each.words[-1])
            if each.program == "git" and each.arguments[:1] == ["push"]:
                each.remote = pushed_to("".join(each.arguments[1:2]), self.root)
            self.commands.append(each)
            for path in each.writes:
                self.edits.append(ActEdit(self.placed(path, each.folder), "", each.text))
            for path in each.deletes:
                self.edits.append(ActEdit(self.placed(path, each.folder), removes=True))
            self.reads += [self.placed(path, each.folder) for path in each.reads]

    def past(self) -> list[SimpleCommand]:
        """The commands that ran in the session before."""
        if self._past is None:
            self._past = [each for line in (self._ran() if self._ran else ()) for each in commands_of(line)]
        return self._past

    def placed(self, path: str, folder: str = "") -> str:
        """A path as the line writes it, relative to the root where it lies there."""
        base = os.path.join(self.folder, folder) if folder else self.folder
        whole = os.path.normpath(os.path.join(base, path))
        inside = whole[len(self.root) + 1 :] if whole.startswith(f"{self.root}/") else ""
        return inside or path

    def names(self, command: SimpleCommand) -> list[str]:
        """What a command is listed under: its words from the left, its classes, the programs around it."""
        lines = (line[:3] for line in _lines(command))
        found = [" ".join(words[: at + 1]) for words in lines for at in range(len(words))]
        begins = [command.program.partition("-")[0]]  # `ansible` of `ansible-playbook`
        return [*dict.fromkeys([*found, *self.classes(command), *command.wrappers, *begins])]

    def classes(self, command: SimpleCommand) -> list[str]:
        """The classes of commands that a command is of."""
        lines = [command.words, *(each.split() for each in command.wrappers if " " in each)]  # `kubectl exec`
        found = [
            name
            for line in lines
            for words, name in _TABLES.by_program.get(line[0], ())
            if runs(" ".join(words), line, command.flags)
        ]
        if command.deletes and command.program not in {"mv", "rename"} and "mv" not in command.arguments[:1]:
            found.append("@delete")
        if command.program in _TABLES.words["sql"]:
            said = " ".join(command.data).lower().split()
            changes = [word for word in _TABLES.words["sql-verbs"] if word in said]
            found += [f"@{word}" for word in changes if word != "update"]
            found += ["@written"] if changes else []
        found += [_TABLES.scripts[word] for word in parts_of(_task(command)) if word in _TABLES.scripts]
        return list(dict.fromkeys(found))

    def terms(self) -> list[str]:
        """The terms under which clauses about this act are listed."""
        found: dict[str, None] = {}
        for command in (*self.commands, *(each for edit in self.edits for each in edit.commands)):
            names = self.names(command)
            found.update(dict.fromkeys(names))
            keys = dict.fromkeys(self._keys(command))
            heads = [command.program, *command.wrappers, *(name for name in names if name.startswith("@")), "*"]
            found.update((f"{head} {key}", None) for head in heads for key in keys)
            if sweeps(command):
                found.update((f"{name} {SWEEP}", None) for name in names)
        for edit in self.edits:
            keys = (*clauses.path_keys(edit.path), *stems(parts_of(edit.path)))
            found.update((f"{EDIT} {key}", None) for key in keys)
            found[f"text {SWEEP}"] = None
            if edit.requires:
                found[f"{EDIT} {clauses.DEPENDENCY}"] = None
            words = dict.fromkeys((*parts_of(edit.path), *edit.words))
            found.update((f"text {word}", None) for word in stems(words))
        for path in self.reads:
            found.update((f"{READ} {key}", None) for key in clauses.path_keys(path))
        return list(found)[:MOST_TERMS]

    def _keys(self, command: SimpleCommand) -> Iterable[str]:
        for path in command.deletes:
            yield from clauses.path_keys(self.placed(path, command.folder))
        yield from (*command.flags, command.program, *clauses.path_keys(self.placed(command.program, command.folder)))
        for text in (*command.around, *command.remote, command.folder, *(command.data if _queries(command) else ())):
            yield text.lower()
            yield from stems(parts_of(text))
        for branch in _branches(command):
            yield from clauses.path_keys(branch)
        for word in command.arguments:
            low = word.lower()
            yield low
            yield from stems(parts_of(word))
            yield from clauses.path_keys(self.placed(word, command.folder))
        for flag in command.flags:
            yield from stems(parts_of(flag))


def meets(clause: ActClause, act: Act) -> bool:
    """True when the act is one that the clause speaks of."""
    doing = clause.doing
    if doing == READ:
        return any(all(any(is_path(path, each[1:]) for each in group) for group in clause.needs) for path in act.reads)
    if doing in {EDIT, USE, GUARD} and any(_held(clause, edit.holds) for edit in act.edits):
        return True
    if doing not in {RUN, USE}:
        return False
    ordered = any(each[0] == clauses.EARLIER for each in clause.exempts)  # what a script does is not done now
    written = () if ordered else (command for edit in act.edits for command in edit.commands)
    return any(_command_meets(clause, act, command) for command in (*act.commands, *written))


def _lines(command: SimpleCommand) -> list[list[str]]:
    """The words of a command, and those with the program around it."""
    return [command.words, *([each, *command.words] for each in command.wrappers if " " not in each)]


def _queries(command: SimpleCommand) -> bool:
    return command.program in _TABLES.words["sql"]


def _command_meets(clause: ActClause, act: Act, command: SimpleCommand) -> bool:
    named = clause.commands
    if command.looks and clause.doing != USE and not _is_meant(named, command):
        return False
    own = act.classes(command) if any(each[0] == "@" for each in named) else ()

    def is_named(name: str) -> bool:
        if name[0] == "@":
            return name in own
        runs_it = (runs(name, words, command.flags) for words in _lines(command))
        return name == "*" or name in command.wrappers or any(runs_it)

    return any(map(is_named, named)) and _held(clause, lambda each: _holds(each, act, command))


def _is_meant(named: Iterable[str], command: SimpleCommand) -> bool:
    """True for a command that only looks where it is named itself: a reader, or one by its subcommand."""
    if command.program in named:
        return command.program in _TABLES.words["readers"]
    exact = any(" " in each and runs(each, command.words, command.flags) for each in named)
    return exact and not command.flags & _TABLES.words["harmless"]


def _held(clause: ActClause, holds: Callable[[str], bool]) -> bool:
    return all(any(map(holds, group)) for group in clause.needs) and not any(map(holds, clause.exempts))


def _holds(condition: str, act: Act, command: SimpleCommand) -> bool:
    """True when a condition holds for a command."""
    kind, value = condition[0], condition[1:]
    if kind == clauses.FLAG:
        return value in command.flags or (value.startswith("--") and value in command.around)
    if kind == clauses.WORD:
        return any(is_word(each, value) for each in _own_words(command))
    if kind == clauses.PATH:
        paths = [act.placed(each, command.folder) for each in (*command.arguments, *command.deletes)]
        named = any(is_path(path, value) for path in paths)
        return named or (sweeps(command) and takes(value, command, act.root, act.folder))
    if kind == clauses.BRANCH:
        return any(is_path(each.lower(), value) for each in _branches(command))
    if kind == clauses.PLACE:
        return _is_at(value, act, command)
    if kind in {clauses.NAME, clauses.ORDINARY}:
        return _runs_name(value, act, command)
    if kind == clauses.SCRIPT:
        return is_path(act.placed(_script(command), command.folder), value)
    if kind == clauses.MESSAGE:
        return _message_has(value, command)
    if kind == clauses.ARGUMENT:
        return bool(set(command.arguments[1:]) - {".", ".."}) and not {"-r", "-e"} & command.flags
    return kind == clauses.EARLIER and _ran_earlier(value, act, command)


def _is_at(place: str, act: Act, command: SimpleCommand) -> bool:
    """True when a command works at a place: a word of it, or the name of a host."""
    data = command.data if _queries(command) else ()
    around = (*command.around, *command.remote, command.folder, *data)
    if not place.isalnum():
        return any(place in text.lower() for text in (*command.words, *around))
    paths = (act.placed(each, command.folder) for each in command.arguments)
    words = (word for text in (*around, *paths) for word in parts_of(text))
    return any(is_place(each, place) for each in (*_own_words(command), *words))


def _ran_earlier(wanted: str, act: Act, command: SimpleCommand) -> bool:
    """True when a command, or one of a class, ran before this one or is it."""
    if wanted[0] == "@":
        return any(wanted in act.classes(each) for each in (*command.earlier, *act.past()))
    return any(_ran(wanted, each) for each in (command, *command.earlier, *act.past()))


def _message_has(value: str, command: SimpleCommand) -> bool:
    """True when the message of a commit has a text, any sign for `emoji`; for "" when it is not a conventional one."""
    text = " ".join([*command.data, *command.arguments]).lower()
    if value:
        return any(ord(char) > _FIRST_SIGN for char in text) if value == "emoji" else value in text
    head, colon, rest = (command.data or ["a: "])[0].partition(":")
    name = head.partition("(")[0].rstrip("!")
    return not (colon and name.isalpha() and name.islower() and rest.startswith(" "))


def _ran(wanted: str, command: SimpleCommand) -> bool:
    """True when a command has all the words of the wanted one, whatever stands between them."""
    own = {word.removeprefix("./") for word in (*command.words, *command.flags, *command.wrappers)}
    runners = _TABLES.words["script-runners"]
    if not own.isdisjoint(runners):  # `pnpm check` for `npm run check`
        own |= {*runners, "run"}
    words = (word.removeprefix("./") for word in wanted.split())
    return all(word in own or _TABLES.aliases.get(word) in own for word in words)


def _runs_name(name: str, act: Act, command: SimpleCommand) -> bool:
    """True when a command is of that name, installs it, hands something to it, or runs it in its turn."""
    low = name.lower()
    program = _TABLES.aliases.get(low, low)
    if f"{command.program.lower()}-".startswith(f"{program}-") or program in command.wrappers:
        looking = _TABLES.words["looking"].intersection(command.arguments[:2])
        return not (looking or command.flags & _TABLES.words["harmless"])
    if not command.looks and not low.isalnum() and any(_is_name(word.lower(), low) for word in command.words):
        return True
    takes = not command.looks and (command.words[:2] in _IMAGES or not _TAKING.isdisjoint(act.classes(command)))
    packages = (each for word in command.arguments[1:] for each in _package(word)) if takes else ()
    return any(f"{each}.".startswith(f"{low}.") for each in packages)


def _is_name(word: str, name: str) -> bool:
    return word.rstrip(",") == name or ("://" in name and word.startswith(name))


_TAKING = frozenset(("@install", "@push", "@deploy", "@upload"))
_IMAGES = [[program, sub] for program in ("docker", "podman") for sub in ("run", "pull", "create")]


def _package(word: str) -> tuple[str, str]:
    """The name of a package, image or remote without its version and extras; and its scope."""
    low = word.lower().lstrip("@").partition("@")[0]
    for mark in ("==", ">", "<", "~", "[", ":"):
        low = low.partition(mark)[0]
    return low.rpartition("/")[2], low.partition("/")[0]


def _own_words(command: SimpleCommand) -> list[str]:
    words = (*command.words, *command.flags, *command.remote)
    return [part for word in words for part in (word.lower(), *parts_of(word))]


def _task(command: SimpleCommand) -> str:
    """The name of the script or task that a command runs; "" for none."""
    words = command.words
    if words[0] in {"make", "just", "task", "rake", "nx", "turbo", "invoke"} and len(words) > 1:
        return words[1]
    if words[0] in {"npm", "pnpm", "yarn", "bun", "composer", "deno"} and words[1:2] in (["run"], ["run-script"]):
        return words[2] if len(words) > 2 else ""
    script = _script(command)
    return script.rpartition("/")[2] if script.endswith((".sh", ".py", ".js", ".ts", ".rb", ".ps1")) else ""


def _script(command: SimpleCommand) -> str:
    words = command.words
    return words[1] if words[0] in _TABLES.words["interpreters"] and len(words) > 1 else words[0]


def _branches(command: SimpleCommand) -> list[str]:
    """The branches that a command of git works on."""
    classes = (name for words, name in _TABLES.by_program.get(command.program, ()) if words == command.words[:3])
    if "@open-pr" in classes:
        return command.arguments[2:]
    if command.program != "git" or not command.arguments:
        return []
    here = command.around[-1] if command.around else ""
    if command.arguments[0] == "push":
        named = command.arguments[2:]
        found = [each.rpartition(":")[2].lstrip("+").removeprefix("refs/heads/") for each in named]
        return [each if each != "HEAD" else here for each in found] or [here]
    if command.arguments[0] == "rebase" and len(command.arguments) > 2:
        return command.arguments[2:]
    return [here]
