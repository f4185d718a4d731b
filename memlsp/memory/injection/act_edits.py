"""An edit that is about to happen, and the conditions of clauses that it meets. What it takes out meets nothing."""

from __future__ import annotations

from memlsp.beliefs.acts import clause as clauses
from memlsp.beliefs.acts.commands import tables
from memlsp.memory.injection import act_words
from memlsp.memory.injection.act_words import count, parts_of, words_of
from memlsp.memory.injection.command_lines import SimpleCommand, commands_of

_WORDS = tables().words
_COMMENTS = ("# ", "//", "-- ", "/*", "* ", "*/", "<!--")
_MOST_WRITTEN = 200  # lines of a script that are read as commands


class ActEdit:
    """Text that is about to be written: `path` relative to the root. `old` and `new` are "" where nobody says, `words`
    are those of `new`, `code` is what it adds without comments, `commands` what that runs where the file is a script or
    a configuration."""

    def __init__(self, path: str, old: str = "", new: str = "", *, removes: bool = False) -> None:
        self.path, self.old, self.new, self.removes = path, old, new, removes
        self.name = path.rpartition("/")[2].lower()
        plain = self._is("prose") and not self._is("manifests")
        before, after = (old, new) if plain else (_code_of(old), _code_of(new))
        self.low_old, self.low_new = ("", "") if plain else (before.lower(), after.lower())
        self.words = words_of(after)
        self.added = frozenset(self.words).difference(words_of(before))
        known = frozenset(before.split("\n"))
        lines = () if plain else after[: act_words.MOST_READ].split("\n")
        self.code = [line for line in lines if line not in known and line.strip()]
        self.commands = self._commands() if self._is("scripts-files") else []
        self._around: list[str] = []

    def _is(self, sort: str) -> bool:
        return any(each in self.name if each[0] != "." else self.name.endswith(each) for each in _WORDS[sort])

    def _commands(self) -> list[SimpleCommand]:
        """The commands that added lines of a script, a Makefile, a Dockerfile or a pipeline run."""
        found: list[SimpleCommand] = []
        for line in self.code[:_MOST_WRITTEN]:
            text = line.strip().removeprefix("- ").lstrip("@-")
            key, colon, value = text.partition(": ")
            if colon and " " not in key.strip():
                text = value.strip().rstrip(",").strip("\"'")
            head, _, rest = text.partition(" ")
            text = rest if head in {"RUN", "CMD", "ENTRYPOINT", "sh", "bat"} and rest else text
            if text[:1] == "[":
                text = " ".join(part.strip("\"' ") for part in text.strip("[]").split(","))
            found += commands_of(text)
        ci = ["ci"] if any(each in self.path for each in (".github/", ".gitlab-ci", "Jenkinsfile", ".circleci")) else []
        for each in found:
            each.around += [self.path, *ci]
        return found

    @property
    def requires(self) -> bool:
        """True when it adds a library to a manifest that was not there before in another version."""
        known = {*words_of(self.old), *_WORDS["settings"]}
        lines = self.code if self._is("manifests") else ()
        bare = self.name.startswith("requirements")  # there a name alone is one
        return any(
            words_of(line)
            and words_of(line)[0] not in known
            and (any(map(str.isdigit, line)) or (bare and line[0].isalpha()))
            for line in lines
        )

    def around(self) -> list[str]:
        """The words of the path, and of the text before and after."""
        if not self._around:
            self._around = list({*parts_of(self.path), *parts_of(self.old[:4_000]), *parts_of(self.new[:4_000])})
        return self._around

    def holds(self, condition: str) -> bool:
        """True when a condition of a clause holds."""
        kind, value = condition[0], condition[1:]
        if kind == clauses.PATH:
            outside = self.path[:1] == "/" != value[:1]  # a copy somewhere else
            return not outside and act_words.is_path(self.path, value)
        if self.removes:
            return False
        if kind in {clauses.NAME, clauses.ORDINARY}:
            return self._uses(value.lower(), ordinary=kind == clauses.ORDINARY)
        if kind in {clauses.TEXT, clauses.HOLDS, clauses.FLAG, clauses.WORD}:
            return self._says(kind, value)
        if kind == clauses.PLACE:
            if not value.isalnum():
                return any(value in text.lower() for text in (self.path, self.old, self.new))
            return any(act_words.is_place(each, value) for each in self.around())
        if kind == clauses.WITHIN:
            return any(act_words.is_place(each, value) for each in parts_of(self.path))
        if kind == clauses.THERE:
            return bool(self.old)
        if kind == clauses.NEW:
            return not self.old
        return kind == clauses.WRITES or (kind == clauses.DEPENDENCY and self.requires)

    def _says(self, kind: str, value: str) -> bool:
        """True when the change is in a text, a flag or a word."""
        low = value.lower()
        if kind == clauses.TEXT:
            return low in self.low_new and count(self.low_new, low) > count(self.low_old, low)
        if kind == clauses.HOLDS:
            changed = set(self.low_old.split("\n")).symmetric_difference(self.low_new.split("\n"))
            return any(count(line, low) for line in changed)
        if kind == clauses.FLAG:
            return any(value in line.split() for line in self.code)
        return not self.added.isdisjoint((value, f"{value}s", f"{value}es"))

    def _uses(self, name: str, *, ordinary: bool) -> bool:
        """True when it uses a name: imports or calls it, or sets it in a manifest; one that is no `ordinary` word where
        it writes it at all as code."""
        if "://" in name:
            return count(self.new.lower(), name) > count(self.old.lower(), name)
        if self.name == f"{tables().aliases.get(name, name)}file":
            return True
        settings = name.isalnum() and self.name.startswith((f"{name}.", f".{name}"))
        if not self.old and (settings or f"{name}/" in f"/{self.path.lower()}"):
            return True  # its settings, or files in its folder
        if count(self.low_old, name) and count(self.low_new, name) <= count(self.low_old, name):
            return False
        if not ordinary:
            return bool(count(self.low_new, name)) or (name.isalpha() and name in self.added and bool(self.code))
        manifest = self._is("manifests")
        for line in self.code:
            text = line.lower().replace(f"{name}-", " ")
            used = manifest or not _WORDS["using"].isdisjoint(words_of(line)) or count(text, f"{name}(")
            if used and (count(text, name) or name in parts_of(line)):
                return True
        return False


def _code_of(text: str) -> str:
    """A text without what comments and docstrings say in it, but for what tools obey or people search for."""
    if not any(mark in text for mark in ("#", "//", "--", "/*", "* ", "<!", _DOC, "'''")):
        return text
    found: list[str] = []
    end = ""
    for line in text.split("\n"):
        bare = line.strip()
        begun = next((close for begin, close in _BLOCKS if bare.startswith(begin)), "")
        if end or begun:
            closed = (end or begun) in (bare if end else bare[3:])
            end = "" if closed else end or begun
            found.append(line if _obeyed(line) else "")
        else:
            found.append(_uncommented(line))
    return "\n".join(found)


_DOC = '"' * 3
_BLOCKS = ((_DOC, _DOC), ("'''", "'''"), ("/*", "*/"), ("<!--", "-->"), ("{/*", "*/"), ("{#", "#}"))


def _uncommented(line: str) -> str:
    whole = f"{line.lstrip()} ".startswith(_COMMENTS)
    marks = [0] if whole else [at for mark in (" # ", " // ", " -- ", " /* ", "<!--") if (at := line.find(mark)) >= 0]
    return next((line[:at] for at in marks if not _obeyed(line[at:])), line)


def _obeyed(comment: str) -> bool:
    return any(word in comment for word in _WORDS["directives"])
