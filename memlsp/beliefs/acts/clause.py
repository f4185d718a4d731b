"""A clause: the acts that one part of a statement forbids or asks something of, as a line of text and back.

Hooks read clauses, so this module imports next to nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as in typing, without importing it
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    Needs = tuple[tuple[str, ...], ...]
    """Groups of conditions: of each group one is met. A condition is a kind and its value, as the constants say."""

RUN, EDIT, USE, READ, GUARD = "run", "edit", "use", "read", "guard"
"""What is done: a command runs, a file is written or deleted, either of them uses something, a file is read; an edit
adds code that a guard may forbid."""

WORD, PATH, FLAG, BRANCH, ARGUMENT, SCRIPT = "w", "p", "f", "b", "a", "x"
"""Conditions of a command: a word of its arguments and options, a path among them, an option, the branch it works on,
any argument but an option, the script that it runs."""

TEXT, HOLDS, THERE, WRITES, NEW = "t", "h", "o", "k", "e"
"""Conditions of an edit beside PATH and WORD: code that it adds, text that it touches at all, that the file is there
already, that it is there afterwards, and that it is made."""

DEPENDENCY = "d"
"""Condition of an edit: it adds a library to a manifest."""

NAME, ORDINARY = "u", "i"
"""Conditions of both: a name that is run, installed, imported, called or set in a manifest; for one that is an ordinary
word too, other code with that word is no use."""

MESSAGE = "m"
"""Condition of a commit: its message has this text (`emoji`: any sign); without one, it does not begin as conventional
commits do."""

PLACE, WITHIN = "l", "n"
"""Where it happens: a word of the line, its host, folder or branch, of the edited path or the text around; a word of
the edited path alone."""

EARLIER = "c"
"""An exemption: this command ran earlier in the same line."""

SWEEP = "*"
"""Stands in a term for the paths of a command that takes all there are, such as `git add .`."""

START, NAMED = "@start", "@file"
"""Terms of a belief without a clause: it says how to work, so that a session is told it at its start; it names a file,
whose path follows, and is told before the file is changed."""

_SHORT = 6  # a kind and the letters of a word that stands for itself alone
_FIELD, _GROUP, _ALTERNATIVE = "\x1f", "\x1e", "\x1d"
_KEYED = frozenset({WORD, PATH, FLAG, BRANCH, SCRIPT, PLACE})
_STAGING = frozenset({"@stage", "@commit", "git add", "git commit", "git stage"})


class ActClause:
    """An act of this kind meets the clause when it runs one of `commands` (a class as `@deploy`, or words as `git
    push`; none for edits), when it meets a condition of each group of `needs`, and none of `exempts`."""

    __slots__ = ("commands", "doing", "exempts", "needs")

    def __init__(
        self, doing: str, commands: Iterable[str] = (), needs: Iterable[Sequence[str]] = (), exempts: Iterable[str] = ()
    ) -> None:
        self.doing = doing
        self.commands = tuple(commands)
        self.needs: Needs = tuple(tuple(group) for group in needs if group)
        self.exempts = tuple(exempts)

    def encoded(self) -> str:
        """The clause as one line of text."""
        groups = _GROUP.join(_ALTERNATIVE.join(group) for group in self.needs)
        line = (self.doing, _ALTERNATIVE.join(self.commands), groups, _ALTERNATIVE.join(self.exempts))
        return " ".join(_FIELD.join(line).split("\n"))

    def terms(self) -> list[str]:
        """The terms under which the clause is listed: few, and as rare as it allows."""
        if self.doing == USE:
            return self._of_names()
        return self._of_commands() if self.doing == RUN else self._of_files()

    def _of_names(self) -> list[str]:
        names = [each[1:].lower() for group in self.needs[:1] for each in group]
        keys = [rarest_token(each) if "://" in each else each for each in names]
        return sorted({*keys, *(f"* {each}" for each in keys), *_text_terms(names)})

    def _of_commands(self) -> list[str]:
        keyed = next((group for group in self.needs if all(key_of(each) for each in group)), None)
        places = (each for each in keyed or () if each[0] == PLACE and len(each) > _SHORT)
        if "*" not in self.commands and any(each[1:].isalpha() for each in places):
            keyed = None  # `postgre` is met by `postgresql`, which has another key
        if keyed is None:
            return sorted({bare(each) for each in self.commands})
        programs = {each if each.startswith("@") else each.partition(" ")[0] for each in self.commands}
        found = {f"{program} {key_of(each)}" for program in programs for each in keyed}
        if any(each[0] == PATH for each in keyed):
            found |= {f"{program} {SWEEP}" for program in self.commands if program in _STAGING}
        return sorted(found)

    def _of_files(self) -> list[str]:
        for group in self.needs:
            if all(each[0] in {TEXT, WORD} for each in group):
                return _text_terms(each[1:] for each in group)
        for group in self.needs:
            keys = {
                DEPENDENCY if each == DEPENDENCY else each[1:] if each[0] == WITHIN else key_of(each)
                for each in group
                if each[0] in {PATH, WITHIN, DEPENDENCY}
            }
            if keys and all(keys):
                return sorted(f"{READ if self.doing == READ else EDIT} {key}" for key in keys)
        return []


def _text_terms(texts: Iterable[str]) -> list[str]:
    return sorted({f"text {rarest_token(each) or SWEEP}" for each in texts})


def decoded(line: str) -> ActClause:
    """The clause of a line. Raises ValueError for one that `encoded` did not write."""
    doing, commands, needs, exempts = line.split(_FIELD)
    return ActClause(
        doing,
        commands.split(_ALTERNATIVE) if commands else (),
        [group.split(_ALTERNATIVE) for group in needs.split(_GROUP)] if needs else (),
        exempts.split(_ALTERNATIVE) if exempts else (),
    )


def bare(command: str) -> str:
    """A command without its options and stars: what an act is known to run before it is looked at closely."""
    return " ".join(word for word in command.split() if not word.startswith("-") and not word.endswith("*"))


def key_of(condition: str) -> str:
    """The key under which a condition of a command is found, in lower case; "" where it has none."""
    kind, value = condition[0], condition[1:]
    if kind in {PATH, SCRIPT, BRANCH}:
        return path_key(value)
    if kind == PLACE and not value.isalnum():
        return rarest_token(value.replace("_", " "))
    return value if kind == FLAG else value.lower() if kind in _KEYED else ""


def path_key(pattern: str) -> str:
    """The key of a path pattern: its file name, the literal beginning or ending of that with a star, or its last folder
    with a slash; "" for none."""
    low = pattern.lower()
    *folders, last = (low.rstrip("*") if low.endswith(("/*", "/**")) else low).split("/")
    literal = last.removeprefix("*.") if last.startswith("*.") else last.removesuffix(".*")
    if literal and "*" not in literal and "?" not in literal:
        return last
    return next((f"{part}/" for part in reversed(folders) if part and "*" not in part and "?" not in part), "")


def path_keys(path: str) -> list[str]:
    """The keys under which patterns that may match a path are listed."""
    parts = path.lower().strip("/").split("/")
    name = parts[-1]
    keys = [name, *(f"{part}/" for part in parts)]
    for at, char in enumerate(name):
        if char == ".":
            keys.append(f"*{name[at:]}")
            if at:
                keys.append(f"{name[:at]}.*")
    return keys


def rarest_token(text: str) -> str:
    """The longest word of a text, in lower case: an edit that adds the text adds it."""
    words = "".join(char if char.isalnum() or char == "_" else " " for char in text.lower()).split()
    return max(words, key=len, default="")
