"""Holds an act against the clauses of statements: a command line that is about to run, an edit, a file to be read.

An act is looked up by its terms (`beliefs.acts.clause`), then each clause that is found is compared. A command that
only looks meets nothing but a clause about reading.
"""

from __future__ import annotations

import os

from memlsp.beliefs.acts import clause as clauses
from memlsp.beliefs.acts.clause import EDIT, GUARD, READ, RUN, SWEEP, ActClause
from memlsp.beliefs.acts.commands import runs, tables
from memlsp.memory.injection.command_lines import SimpleCommand, commands_of

TYPE_CHECKING = False  # as in typing, without importing it
if TYPE_CHECKING:
    from collections.abc import Iterable

_TABLES = tables()

MOST_TERMS = 400
"""Terms of an act that are looked up, the first."""

_MOST_FILES = 2_000  # of a folder, where a command takes all there are
_SAMPLES = (".example", ".sample", ".template", ".dist", ".md", ".tpl")
_PROSE = (".md", ".rst", ".txt", ".adoc", ".mdx")


class ActEdit:
    """Text that is about to be written: `path` relative to the root. `old` and `new` are "" where nobody says."""

    __slots__ = ("_around", "added", "low_new", "low_old", "new", "old", "path", "removes")

    def __init__(self, path: str, old: str = "", new: str = "", *, removes: bool = False) -> None:
        self.path = path
        self.old = old
        self.new = new
        self.removes = removes
        self.low_old, self.low_new = old.lower(), new.lower()
        self.added = frozenset(_words_of(new)).difference(_words_of(old))
        self._around: list[str] = []

    def around(self) -> list[str]:
        """The words of the path, and of the text before and after."""
        if not self._around:
            self._around = list({*_split(self.path), *_split(self.old[:4_000]), *_split(self.new[:4_000])})
        return self._around


class Act:
    """Something that is about to happen: the commands of a line, edits, or files that are read."""

    __slots__ = ("branch", "commands", "edits", "folder", "reads", "root")

    def __init__(self, root: str, folder: str, branch: str = "") -> None:
        self.root = root
        self.folder = folder
        self.branch = branch
        self.commands: list[SimpleCommand] = []
        self.edits: list[ActEdit] = []
        self.reads: list[str] = []

    def run(self, line: str) -> None:
        """Add the commands of a line, and the files that they write."""
        branch = self.branch
        for each in commands_of(line):
            if each.program == "git" and each.arguments[:1] in (["checkout"], ["switch"]) and each.arguments[1:]:
                branch = each.arguments[-1]
            each.around.append(branch)
            self.commands.append(each)
            for path in each.writes:
                self.edits.append(ActEdit(self.placed(path, each.folder), "", each.text))
            for path in each.deletes:
                self.edits.append(ActEdit(self.placed(path, each.folder), removes=True))
            self.reads += [self.placed(path, each.folder) for path in each.reads]

    def placed(self, path: str, folder: str = "") -> str:
        """A path as the line writes it, relative to the root where it lies there."""
        base = os.path.join(self.folder, folder) if folder else self.folder
        whole = os.path.normpath(os.path.join(base, path))
        inside = whole[len(self.root) + 1 :] if whole.startswith(f"{self.root}/") else ""
        return inside or path

    def names(self, command: SimpleCommand) -> list[str]:
        """What a command is listed under: its words from the left, its classes, the programs around it."""
        words = command.words[:3]
        found = [" ".join(words[: at + 1]) for at in range(len(words))]
        return [*dict.fromkeys([*found, *self.classes(command), *command.wrappers])]

    def classes(self, command: SimpleCommand) -> list[str]:
        """The classes of commands that a command is of."""
        found = [
            name
            for words, name in _TABLES.by_program.get(command.program, ())
            if runs(" ".join(words), command.words, command.flags)
        ]
        if command.program in _TABLES.words["sql"]:
            said = " ".join(command.data).lower().split()
            found += [f"@{word}" for word in ("drop", "truncate", "delete") if word in said]
        task = _task(command)
        if task:
            found += [_TABLES.scripts[word] for word in _split(task) if word in _TABLES.scripts]
        return list(dict.fromkeys(found))

    def terms(self) -> list[str]:
        """The terms under which clauses about this act are listed."""
        found: dict[str, None] = {}
        for command in self.commands:
            names = self.names(command)
            found.update(dict.fromkeys(names))
            keys = dict.fromkeys(self._keys(command))
            heads = [command.program, *(name for name in names if name.startswith("@")), "*"]
            found.update((f"{head} {key}", None) for head in heads for key in keys)
            if _sweeps(command):
                found.update((f"{name} {SWEEP}", None) for name in names)
        for edit in self.edits:
            found.update((f"{EDIT} {key}", None) for key in (*clauses.path_keys(edit.path), *_stems(_split(edit.path))))
            found[f"text {SWEEP}"] = None
            found.update((f"text {word}", None) for word in _stems(dict.fromkeys(_words_of(edit.new))))
        for path in self.reads:
            found.update((f"{READ} {key}", None) for key in clauses.path_keys(path))
        return list(found)[:MOST_TERMS]

    def _keys(self, command: SimpleCommand) -> Iterable[str]:
        yield from command.flags
        for text in (*command.around, command.folder, *(command.data if _queries(command) else ())):
            yield text.lower()
            yield from _stems(_split(text))
        for branch in _branches(command):
            yield from clauses.path_keys(branch)
        for word in command.arguments:
            low = word.lower()
            yield low
            yield from _stems(_split(word))
            yield from clauses.path_keys(self.placed(word, command.folder))
        for flag in command.flags:
            yield from _stems(_split(flag))


def meets(clause: ActClause, act: Act) -> bool:
    """True when the act is one that the clause speaks of."""
    if clause.doing == RUN:
        return any(_command_meets(clause, act, command) for command in act.commands)
    if clause.doing in {EDIT, GUARD}:
        return any(_edit_meets(clause, edit) for edit in act.edits)
    return any(all(any(_is_path(path, each[1:]) for each in group) for group in clause.needs) for path in act.reads)


def _queries(command: SimpleCommand) -> bool:
    return command.program in _TABLES.words["sql"]


def _command_meets(clause: ActClause, act: Act, command: SimpleCommand) -> bool:
    named = clause.commands
    if command.looks and not (command.program in named and command.program in _TABLES.words["readers"]):
        return False
    own = act.classes(command) if any(each[0] == "@" for each in named) else ()
    if not any(
        each == "*"
        or (each in own if each[0] == "@" else each in command.wrappers or runs(each, command.words, command.flags))
        for each in named
    ):
        return False
    return all(any(_holds(each, act, command) for each in group) for group in clause.needs) and not any(
        _holds(each, act, command) for each in clause.exempts
    )


def _holds(condition: str, act: Act, command: SimpleCommand) -> bool:
    """True when a condition holds for a command."""
    kind, value = condition[0], condition[1:]
    if kind == clauses.FLAG:
        return value in command.flags or (value.endswith("*") and any(f.startswith(value[:-1]) for f in command.flags))
    if kind == clauses.WORD:
        return any(_is_word(each, value) for each in _own_words(command))
    if kind == clauses.PATH:
        paths = [act.placed(each, command.folder) for each in command.arguments]
        return any(_is_path(path, value) for path in paths) or (_sweeps(command) and _lies_there(value, act, command))
    if kind == clauses.BRANCH:
        return any(_is_path(each.lower(), value) for each in _branches(command))
    if kind == clauses.PLACE:
        own = _own_words(command)
        about = [*command.around, command.folder, *(act.placed(each, command.folder) for each in command.arguments)]
        data = command.data if _queries(command) else ()
        if not value.isalnum():  # the name of a host
            return any(value in text.lower() for text in (*command.words, *command.around, command.folder, *data))
        return any(_same_word(each, value) for each in (*own, *(w for text in (*about, *data) for w in _split(text))))
    if kind == clauses.SCRIPT:
        return _is_path(act.placed(_script(command), command.folder), value)
    if kind == clauses.MESSAGE:
        said = (command.data or [""])[0]
        return bool(said) and not _is_conventional(said)
    if kind == clauses.ARGUMENT:
        return bool(set(command.arguments[1:]) - {".", ".."}) and not {"-r", "-e"} & command.flags
    if kind == clauses.EARLIER:
        return any(runs(value, each.words, each.flags) or value in act.classes(each) for each in command.earlier)
    return False


def _edit_meets(clause: ActClause, edit: ActEdit) -> bool:
    return all(any(_edit_holds(each, edit) for each in group) for group in clause.needs) and not any(
        _edit_holds(each, edit) for each in clause.exempts
    )


def _edit_holds(condition: str, edit: ActEdit) -> bool:
    kind, value = condition[0], condition[1:]
    if kind == clauses.PATH:
        return _is_path(edit.path, value)
    if edit.removes:
        return False
    if kind == clauses.TEXT:
        low = value.lower()
        return (
            not edit.path.endswith(_PROSE)
            and low in edit.low_new
            and _count(edit.low_new, low) > _count(edit.low_old, low)
        )
    if kind == clauses.HOLDS:
        low = value.lower()
        return bool(_count(edit.low_new, low) or _count(edit.low_old, low))
    if kind == clauses.THERE:
        return bool(edit.old)
    if kind == clauses.IMPORT:
        return any(
            _count(line, value)
            and line not in edit.old
            and any(mark in line for mark in ("import", "require", "from ", "use ", "include"))
            for line in edit.new.split("\n")
        )
    if kind == clauses.WORD:
        return not edit.added.isdisjoint((value, f"{value}s", f"{value}es"))
    if kind == clauses.PLACE:
        if not value.isalnum():
            return any(value in text for text in (edit.path.lower(), edit.low_old, edit.low_new))
        return any(_same_word(each, value) for each in edit.around())
    if kind == clauses.WITHIN:
        return any(_same_word(each, value) for each in _split(edit.path))
    return False


def _is_conventional(message: str) -> bool:
    head, colon, rest = message.partition(":")
    name = head.partition("(")[0].rstrip("!")
    return bool(colon) and name.isalpha() and name.islower() and rest.startswith(" ")


def _count(text: str, part: str) -> int:
    """How often a text holds a piece of code; names count as whole ones."""
    found, at = 0, text.find(part)
    while at >= 0:
        end = at + len(part)
        starts = not (part[0].isalnum() or part[0] == "_") or not (
            at and (text[at - 1].isalnum() or text[at - 1] == "_")
        )
        ends = not (part[-1].isalnum() or part[-1] == "_") or not (
            end < len(text) and (text[end].isalnum() or text[end] == "_")
        )
        found += starts and ends
        at = text.find(part, end)
    return found


def _words_of(text: str) -> list[str]:
    """The words of a text, and the parts of those in camel case or with underscores."""
    text = "".join(char if char.isalnum() or char == "_" else " " for char in text[:60_000])
    return [part for word in text.split() for part in (word.lower(), *(_split(word) if _is_joined(word) else ()))]


def _is_joined(word: str) -> bool:
    return "_" in word or (not word.islower() and not word.isupper())


def _stems(words: Iterable[str]) -> Iterable[str]:
    """Words as a clause may name them: without an `s` too."""
    for word in words:
        yield word
        if word.endswith("s") and len(word) > 3:
            yield word[:-1]
            if word.endswith("es"):
                yield word[:-2]


def _own_words(command: SimpleCommand) -> list[str]:
    return [part for word in (*command.words, *command.flags) for part in (word.lower(), *_split(word))]


def _is_word(word: str, value: str) -> bool:
    return word == value or (word.startswith(value) and word[len(value) :] in {"s", "es"})


def _same_word(word: str, value: str) -> bool:
    """True where a word of a place is meant: `prod` in `production`."""
    return _is_word(word, value) or (len(value) > 3 and word.startswith(value) and word.isalpha())


def _split(text: str) -> list[str]:
    """The words of a path, a name or an option, in lower case; camel case is taken apart."""
    found: list[str] = []
    word = ""
    for char in text:
        if not char.isalnum() or (char.isupper() and word and not word[-1].isupper()):
            if word:
                found.append(word.lower())
            word = ""
        if char.isalnum():
            word += char
    if word:
        found.append(word.lower())
    return found


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
    if command.program != "git" or not command.arguments:
        return []
    here = command.around[-1]
    if command.arguments[0] == "push":
        named = command.arguments[2:]
        found = [each.rpartition(":")[2].lstrip("+").removeprefix("refs/heads/") for each in named]
        return [each if each != "HEAD" else here for each in found] or [here]
    if command.arguments[0] == "rebase" and len(command.arguments) > 2:
        return command.arguments[2:]
    return [here]


def _sweeps(command: SimpleCommand) -> bool:
    """True for a command that takes all files there are: `git add .`, `git commit -a`."""
    if command.program != "git" or not command.arguments:
        return False
    sub, *rest = command.arguments
    if sub in {"add", "stage"}:
        return bool({"-A", "--all"} & command.flags) or any(
            each in {".", "*", "./", ":/"} or each.endswith("/") for each in rest
        )
    return sub == "commit" and bool({"-a", "--all"} & command.flags)


def _lies_there(pattern: str, act: Act, command: SimpleCommand) -> bool:
    """True when a file of this pattern lies where the command looks, and no line of a .gitignore names it."""
    base = os.path.join(act.folder, command.folder) if command.folder else act.folder
    folders = {base, act.root, *(os.path.join(base, each) for each in command.arguments[1:] if each.endswith("/"))}
    for folder in sorted(folders):
        head, _, name = pattern.rstrip("/").rpartition("/")
        try:
            listed = os.listdir(os.path.join(folder, head) if head and "*" not in head else folder)[:_MOST_FILES]
        except OSError:
            continue
        for each in listed:
            if _is_path(each, name) and not _ignored(f"{head}/{each}" if head else each, {folder, act.root}):
                return True
    return False


def _ignored(path: str, folders: Iterable[str]) -> bool:
    for folder in folders:
        try:
            with open(os.path.join(folder, ".gitignore"), encoding="utf-8", errors="replace") as file:
                lines = file.read(100_000).split("\n")
        except OSError:
            continue
        ignored = False
        for line in lines:
            rule = line.strip()
            if rule and rule[0] != "#" and _is_path(path, rule.lstrip("!").lstrip("/")):
                ignored = rule[0] != "!"
        if ignored:
            return True
    return False


def _is_path(path: str, pattern: str) -> bool:
    """True when a path is the one that a pattern names, or lies in the folder that it names."""
    low, wanted = path.lower().removeprefix("./").rstrip("/"), pattern.lower()
    if wanted.endswith(".*") and low.endswith(_SAMPLES):
        return False
    if wanted.endswith("/"):
        return f"/{wanted}" in f"/{low}/"
    if "*" not in wanted and "?" not in wanted:
        return f"/{low}".endswith(f"/{wanted}")
    parts = low.split("/")
    return any(_glob("/".join(parts[at:]), wanted) for at in range(len(parts)))


def _glob(text: str, pattern: str) -> bool:
    """True when a text fits a pattern of `*` (no slash), `**` and `?`."""
    if not pattern:
        return not text
    if pattern.startswith("**"):
        rest = pattern[2:].removeprefix("/")
        return any(_glob(text[at:], rest) for at in range(len(text) + 1))
    if pattern[0] == "*":
        end = text.find("/")
        return any(_glob(text[at:], pattern[1:]) for at in range((len(text) if end < 0 else end) + 1))
    return bool(text) and (pattern[0] == text[0] or pattern[0] == "?") and _glob(text[1:], pattern[1:])
