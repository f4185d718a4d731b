"""Holds the lines of a document against two states of the code: what held in the older and does not in the newer.

A line counts with all the versions that it had: what it names held if it held when the name was first written there, or
when the line was last changed. What never held is not told, so that a placeholder or a misread word stays quiet.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from pathlib import PurePosixPath

from attrs import frozen

from memlsp.beliefs.mining.stated_names import NameForm, StatedLine, StatedName, is_denied
from memlsp.capture.git.line_births import LineVersion
from memlsp.memory.check.claims import difference_in
from memlsp.memory.check.code_state import CodeState, CodeStates, family_of, is_sample, words_in
from memlsp.model.check import SHOWN, CheckRule, StatementFinding
from memlsp.model.one_line import plain

_SAME_LINE = 0.6  # ratio of a line of code and what it was, where it was only edited


@frozen
class _Statement:
    """A line of a document, with its versions, the newest first."""

    document: str
    line: StatedLine
    versions: Sequence[LineVersion]


class StatementCheck:
    """Judges lines against the state `new`; `states` has the older ones. `pedantic` tells of what never was, too."""

    def __init__(self, states: CodeStates, new: CodeState, *, pedantic: bool = False) -> None:
        self._states = states
        self._new = new
        self._pedantic = pedantic

    def judge(self, document: str, line: StatedLine, versions: Sequence[LineVersion]) -> list[StatementFinding]:
        """What is false in a line, with the versions of the line, the newest first; where it never held, none, or what
        names something that is not there."""
        said = _Statement(document, line, versions)
        found = self._held(said) if versions else []
        return found or (list(self._never_true(said)) if self._pedantic else [])

    def _held(self, said: _Statement) -> list[StatementFinding]:
        document, line, versions = said.document, said.line, said.versions
        found: dict[tuple[int, int], StatementFinding] = {}
        for name in line.names:
            one = self._name_finding(said, name)
            if one is not None:
                found.setdefault((one.start, one.end), one)
        if not found and not line.is_code and not is_denied(line.text):
            for old in self._olds(versions, ""):
                one = difference_in(line, document, self._states.pair(old, self._new))
                if one is not None:
                    return [one]
        return list(found.values())

    def _never_true(self, said: _Statement) -> Iterator[StatementFinding]:
        folder = said.document.rpartition("/")[0]
        around = [each.text.rstrip("/") for each in said.line.names if each.text.endswith("/")]
        for name in said.line.names if not is_denied(said.line.text) else ():
            is_path = name.form is NameForm.PATH and "/" in name.text.strip("/")
            if is_path and not (self._new.find_inner(name.text, around) or self._new.find_path(name.text, folder)):
                is_missing = not self._new.ignores(posixpath.normpath(posixpath.join(folder, name.text)))
            else:
                runner, _, script = name.text.rpartition(" ")
                family = family_of(runner) if name.form is NameForm.COMMAND and runner else "own"
                is_missing = family != "own" and (family, script) not in self._new.commands
            if is_missing:
                message = f"`{name.text}` is not there, and was not when the line was written"
                place, shown = (said.document, said.line.number, name.start, name.end), plain(said.line.text, SHOWN)
                yield StatementFinding(CheckRule.NEVER_TRUE, *place, shown, message)

    def _olds(self, versions: Sequence[LineVersion], text: str) -> Iterator[CodeState]:
        """The states in which a text of the line was first written there, and in which the line was last changed."""
        having = [each for each in versions if text in each.text] or versions[:1]
        for commit in dict.fromkeys((having[-1].commit, versions[0].commit)):
            state = self._states.at(commit)
            if state is not None and commit != self._new.commit:
                yield state

    # --- names

    def _name_finding(self, said: _Statement, name: StatedName) -> StatementFinding | None:
        if name.form is NameForm.PATH:
            return self._path_finding(said, name)
        if name.form is NameForm.MODULE:
            return self._module_finding(said, name)
        if name.form is NameForm.COMMAND:
            return self._command_finding(said, name)
        if name.form is NameForm.PLAIN:
            return self._dependency_finding(said, name) or self._moved_symbol(said, name)
        missing = [word for word in words_in(name.text) if word not in self._new.words]
        if b"-" in b"".join(missing) and name.form is NameForm.WORD and not name.text.startswith("--"):
            missing = [word for word in missing if not self._new.words & _spellings(word.decode())]
        elif missing and name.text.startswith("--") and self._new.declared_commands.declares(name.text):
            missing = []
        if not missing:
            return self._moved_symbol(said, name)
        for old in self._olds(said.versions, name.text):
            if self._states.pair(old, self._new).had_words(missing, in_settings=not name.text.startswith("--")):
                message = f"`{name.text}` is named, and is nowhere in the code any more"
                return self._finding(CheckRule.NAME_GONE, said, name, message, old)
        return None

    def _command_finding(self, said: _Statement, name: StatedName) -> StatementFinding | None:
        own = self._own_command_finding(said, name)
        if own is not None or "--" in name.text:
            return own
        runner, _, script = name.text.rpartition(" ")
        known = family_of(runner), script
        is_own = known[0] == "own"
        if is_own:
            runner, script = name.text.split(" ")[:2]
        if known in self._new.commands or (is_own and self._new.words & _spellings(script)):
            return None
        for old in self._olds(said.versions, script):
            pair = self._states.pair(old, self._new)
            is_ours = is_own and old.is_program(runner)
            if known in old.commands or (is_ours and any(pair.had_words([each]) for each in _spellings(script))):
                message = f"`{name.text}` is named, and nothing defines `{script}` any more"
                return self._finding(CheckRule.COMMAND_GONE, said, name, message, old)
        return None

    def _own_command_finding(self, said: _Statement, name: StatedName) -> StatementFinding | None:
        """The finding where a program of this repository had a command or an option, and has it no more."""
        program, *words = name.text.split(" ")
        option = words.pop() if words and words[-1].startswith("--") else ""
        is_known = program.endswith(("_.", "_--")) or program in self._new.declared_commands.programs
        for old in self._olds(said.versions, option or program):
            if not (is_known or program in old.made_programs):
                continue
            gone, message = self._lost_command(old, program, words, option)
            if not message:
                continue
            is_open = self._new.declared_commands.is_open and self._new.words & _spellings(gone)
            is_gone = self._new.declared_commands.is_surely_gone(gone, old.declared_commands, self._new.made_programs)
            if not is_open and (is_gone or gone == program):
                return self._finding(CheckRule.COMMAND_GONE, said, name, message, old)
        return None

    def _lost_command(self, old: CodeState, program: str, words: list[str], option: str) -> tuple[str, str]:
        """The program, command or option that an older state had and the code has no more, with the message."""
        was, now = old.declared_commands, self._new.declared_commands
        depth, place = was.find(words)
        new_depth, new_place = now.find(words[:depth])
        programs = self._new.made_programs
        if depth and programs and program in old.made_programs and program not in programs:
            return program, f"nothing here makes a program `{program}` any more"
        if new_depth < depth:
            gone = words[new_depth]
            return gone, f"{_quoted([program, *words[:new_depth]])} has no command `{gone}` any more"
        if option and was.has_option(place, option) and not now.has_option(new_place, option):
            return option, f"{_quoted([program, *words[:depth]])} has no option `{option}` any more"
        return "", ""

    def _dependency_finding(self, said: _Statement, name: StatedName) -> StatementFinding | None:
        wanted = name.text.lower()
        if wanted in self._new.dependencies or name.text.encode() in self._new.words:
            return None
        for old in self._olds(said.versions, name.text):
            if wanted in old.dependencies:
                message = f"`{name.text}` is named, and is no dependency any more"
                return self._finding(CheckRule.NAME_GONE, said, name, message, old)
        return None

    def _path_finding(self, said: _Statement, name: StatedName) -> StatementFinding | None:
        folder = said.document.rpartition("/")[0]
        around = [
            each.text.rstrip("/")
            for each in said.line.names
            if each.form is NameForm.PATH and each.text.endswith("/") and each.start < name.start
        ]
        here = self._new.find_inner(name.text, around) or self._new.find_path(name.text, folder)
        if here is not None and name.at_line is not None:
            return self._line_finding(said, name, here)
        for old in self._olds(said.versions, name.text.rpartition("/")[2]):
            inner = old.find_inner(name.text, around)
            was = inner or (old.find_path(name.text, folder) if here is None else None)
            if was is None or ("/" not in name.text and is_sample(was)):
                continue
            if was != here and not self._new.files.exists(was) and not self._new.ignores(was):
                return self._gone_finding(said, name, old, was)
        return self._gone_before(said, name, folder) if here is None and "/" in name.text.strip("/") else None

    def _gone_before(self, said: _Statement, name: StatedName, folder: str) -> StatementFinding | None:
        """The finding where a path was never there while the line was, but before."""
        for path in (posixpath.normpath(name.text), posixpath.normpath(posixpath.join(folder, name.text))):
            last = self._states.at(self._states.removed.get(path, ""))
            if last is not None and not self._new.ignores(path):
                return self._gone_finding(said, name, last, path)
        return None

    def _gone_finding(self, said: _Statement, name: StatedName, old: CodeState, was: str) -> StatementFinding:
        moved = self._moved_to(old, was)
        if not moved:
            message = f"`{name.text}` is named, and {was} is gone"
            return self._finding(CheckRule.PATH_GONE, said, name, message, old)
        message, place = f"`{name.text}` is named, and is {moved} now", (moved, None)
        shown = said.line.text[name.start : name.end]  # in a drawn tree the last part alone, which has no new words
        is_whole = name.form is NameForm.PATH and shown.startswith(name.text)
        replacement = _rewritten(name.text, was, moved) + shown[len(name.text) :] if is_whole else ""
        return self._finding(CheckRule.PATH_MOVED, said, name, message, old, replacement=replacement, code=place)

    def _module_finding(self, said: _Statement, name: StatedName) -> StatementFinding | None:
        path = name.text.replace(".", "/")
        if any(self._new.find_path(f"{path}{end}", "") for end in ("", ".py")):
            return None
        found = (
            (old, old.find_path(f"{path}.py", "") or old.find_path(path, ""))
            for old in self._olds(said.versions, name.text)
        )
        return next((self._gone_finding(said, name, old, was) for old, was in found if was is not None), None)

    def _moved_to(self, old: CodeState, path: str) -> str:
        """Where a file or folder went: that which has its content, else the only new one with its name; "" if gone."""
        changed = self._states.pair(old, self._new).changed
        gone = {each.path: each.old for each in changed if each.old is not None and each.new is None}
        come = {each.new: each.path for each in changed if each.old is None and each.new is not None}
        if path in gone:
            same = come.get(gone[path])
            if same is not None:
                return same
        else:
            inner = Counter(
                come[id].removesuffix(was.removeprefix(path))
                for was, id in gone.items()
                if was.startswith(f"{path}/") and id in come and come[id].endswith(was.removeprefix(path))
            )
            if inner:
                return inner.most_common(1)[0][0]
        alike = [each for each in self._new.named_alike(path) if not old.files.exists(each)]
        common = path.rpartition("/")[2] in {"__init__.py", "index.ts", "index.js", "mod.rs", "README.md", "main.go"}
        return alike[0] if len(alike) == 1 and not common else ""

    def _line_finding(self, said: _Statement, name: StatedName, path: str) -> StatementFinding | None:
        """The finding where the line that `path:12` names stands elsewhere now, or is gone."""
        assert name.at_line is not None
        now = (self._new.data(path) or b"").decode("utf-8", "replace").split("\n")
        for old in self._olds(said.versions, f"{name.text.rpartition('/')[2]}:{name.at_line}"):
            was = old.find_path(name.text, said.document.rpartition("/")[0])
            text = (old.data(was) or b"").decode("utf-8", "replace").split("\n") if was else []
            meant = text[name.at_line - 1].strip() if name.at_line <= len(text) else ""
            here = now[name.at_line - 1].strip() if name.at_line <= len(now) else ""
            if len(meant) < 4 or SequenceMatcher(None, here, meant).ratio() > _SAME_LINE:
                continue
            at = [number for number, each in enumerate(now, 1) if each.strip() == meant]
            where, to, place = "no longer there", "", min(name.at_line, len(now))
            if len(at) == 1:
                where, to, place = f"line {at[0]} now", f"{name.text}:{at[0]}", at[0]
            message = f"line {name.at_line} of {path} was “{plain(meant, 60)}”, which is {where}"
            return self._finding(CheckRule.LINE_MOVED, said, name, message, old, to, (path, place))
        return None

    def _moved_symbol(self, said: _Statement, name: StatedName) -> StatementFinding | None:
        """The finding where a file that the line names defined the name, and has it no more."""
        word, folder = name.text.strip("@()").rpartition(".")[2], said.document.rpartition("/")[0]
        for other in said.line.names:
            path = self._new.find_path(other.text, folder) if other.form is NameForm.PATH else None
            if path is None or len(word) < 4 or self._has_symbol(self._new, path, word):
                continue
            for old in self._olds(said.versions, word):
                if self._has_symbol(old, path, word):
                    message = f"`{word}` is not in {path} any more"
                    return self._finding(CheckRule.SYMBOL_MOVED, said, name, message, old, code=(path, None))
        return None

    def _has_symbol(self, state: CodeState, path: str, word: str) -> bool:
        """True when a file defines, imports or exports a name."""
        data = state.data(path) or b""
        if word.encode() not in data:
            return False
        taken = re.compile(
            rf"(?m)^.*\b(?:import|from|require|use|include|using|export)\b.*\b{re.escape(word)}\b".encode()
        )
        outline = state.files.outline(path)
        return taken.search(data) is not None or (
            outline is not None and any(each.simple_name == word for each in outline.symbols)
        )

    def _finding(
        self,
        rule: CheckRule,
        said: _Statement,
        named: StatedName,
        message: str,
        old: CodeState,
        replacement: str = "",
        code: tuple[str, int | None] = ("", None),
    ) -> StatementFinding:
        place, shown = (said.document, said.line.number, named.start, named.end), plain(said.line.text, SHOWN)
        return StatementFinding(rule, *place, shown, message, replacement, *code, held_at=old.commit)


def _quoted(words: Sequence[str]) -> str:
    """A command as a message names it; `cargo run -- sync` by its words alone."""
    named = [each for each in words if not each.endswith(("_--", "_."))]
    return f"`{' '.join(named)}`" if named else "the program"


def _spellings(part: str) -> frozenset[bytes]:
    """How code writes the name of a part of a command line: `list-all`, list_all, listAll, ListAll."""
    parts = part.split("-")
    camel = "".join(each.capitalize() for each in parts)
    return frozenset(each.encode() for each in (part, "_".join(parts), camel, camel[0].lower() + camel[1:]))


def _rewritten(text: str, was: str, now: str) -> str:
    """The path as the document would write it: as short, and with the slash at its end."""
    end = "/" if text.endswith("/") else ""
    short = len(PurePosixPath(text).parts) < len(PurePosixPath(was).parts)
    depth = len(PurePosixPath(re.sub(r"^(?:\.\.?/)+", "", text)).parts)
    return ("/".join(now.split("/")[-depth:]) if short else now) + end
