"""Reads a command line as the commands that it runs, with what each does to files.

What stands in quotes with blanks in it, in a message or in a heredoc, is data, except for a shell that is handed its
commands so. Without regular expressions: a hook has no time to compile any.
"""

from __future__ import annotations

from memlsp.beliefs.acts.commands import runs, tables

LONGEST = 8_000
"""Characters of a line that are read."""

MOST_COMMANDS = 40
"""Commands of a line that are read."""

_TABLES = tables()
_WORDS = _TABLES.words

_DEEPEST = 4  # lines within lines
_MOST_VALUES = 20  # of a loop
_MOST_LINES = 200  # of a script in a line, as of `python -c`
_LONGEST_PATH = 200
_WRITES = tuple(_WORDS["code-writes"])


class SimpleCommand:
    """One command. `words` are the program and what follows without options, `flags` the options (`-am` also as `-a`
    and `-m`), `data` the quoted texts. `folder` is where it runs, "" for where the line begins; `around` are words that
    say where it runs (`gpu03` of `ssh gpu03 ...`, assignments). `reads`, `writes` and `deletes` are paths, `text` is
    what it writes there. `earlier` are the commands before it, `remote` the words of the address that it pushes to;
    `looks` is True for one that changes nothing."""

    def __init__(self, words: list[str], parts: _Parts, folder: str, around: list[str], wrappers: list[str]) -> None:
        self.words = [word for word in words if not _is_flag(word)]
        self.flags = _flags(words)
        self.data, self.reads, self.writes, self.text = parts.data, parts.reads, parts.writes, parts.text
        self.folder = folder
        self.around = around
        self.wrappers = wrappers
        self.remote: list[str] = []
        self.earlier: list[SimpleCommand] = []
        self.deletes: list[str] = []
        self.looks = False

    @property
    def program(self) -> str:
        """The program, without its folder."""
        return self.words[0] if self.words else ""

    @property
    def arguments(self) -> list[str]:
        """The words behind the program, without options."""
        return self.words[1:]


class _Word:
    """A word of a line: `mark` for an operator, `data` for a quoted text with blanks."""

    def __init__(self, text: str, *, data: bool = False, mark: bool = False) -> None:
        self.text = text
        self.data = data
        self.mark = mark


class _Parts:
    """The parts of a command: its words, the quoted texts, the files read and written, and the text that it writes."""

    def __init__(self, given: list[_Word], documents: list[str]) -> None:
        self.words: list[str] = []
        self.data: list[str] = []
        self.reads: list[str] = []
        self.writes: list[str] = []
        self.text = ""
        rest = iter(given)
        for word in rest:
            if not word.mark:
                (self.data if word.data else self.words).append(word.text)
                continue
            target = next((following.text for following in rest), "")
            if word.text == "<<":
                self.text = documents.pop(0) if documents else self.text
            elif target and not target.startswith("&") and target != "/dev/null":
                (self.reads if word.text == "<" else self.writes).append(target)
        if self.words[:1] in (["echo"], ["printf"]):
            self.text = " ".join([*self.data, *self.words[1:]])


def commands_of(line: str) -> list[SimpleCommand]:
    """The commands that a line runs, in order. Never raises."""
    reader = _LineReader()
    try:  # noqa: SIM105  a hook has no time for contextlib
        reader.read(line[:LONGEST], "", [], 0)
    except (IndexError, ValueError, RecursionError):
        pass  # what was read before the place that nobody can read counts
    for at, each in enumerate(reader.found):
        each.earlier = reader.found[:at]
    return reader.found


class _LineReader:
    """Reads a line, and the lines within it: what it found so far are the commands of both, in order."""

    def __init__(self) -> None:
        self.found: list[SimpleCommand] = []

    def read(self, line: str, folder: str, around: list[str], depth: int) -> None:
        """Read a line that begins in a folder; `around` are words that say where it runs."""
        if depth > _DEEPEST:
            return
        line, documents = _without_documents(line)
        words: list[_Word] = []
        inner: list[str] = []
        values: dict[str, list[str]] = {}
        for word in _lexed(line, inner):
            if not word.mark or word.text in {">", ">>", "<", "<<"}:
                words += _expanded(word, values)
                continue
            if words and len(self.found) < MOST_COMMANDS:
                folder = self._read_one(_Parts(words, documents), folder, around, depth)
                _assign(words, values)
            words = []
        for each in inner:
            self.read(each, folder, around, depth + 1)

    def _read_one(self, parts: _Parts, folder: str, around: list[str], depth: int) -> str:
        """Read one command; the folder in which the next one runs."""
        data, text, around = parts.data, parts.text, [*around]
        wrappers: list[str] = []
        words = _unwrapped(parts.words, around, wrappers) or (["cat"] if parts.writes else [])
        if not words:
            return folder
        program = words[0] = _name(words[0])
        if program == "cd" and len(words) > 1:
            return words[1] if words[1].startswith(("/", "~")) or not folder else f"{folder}/{words[1]}"
        lines, host = _lines_within(program, words, data, "" if parts.writes else text)
        for each in lines:
            self.read(each, "" if host else folder, [*around, *host], depth + 1)
        if lines:
            return folder
        if program in _WORDS["shells"] and len(words) > 1 and not words[1].startswith("-"):
            wrappers.append(words.pop(0))
        if "xargs" in wrappers and self.found:
            words += _piped(self.found)
        if program in _WORDS["sql"] and text:
            data.append(text)
        made = SimpleCommand(words, parts, folder, around, wrappers)
        _effects(made, words)
        self.found.append(made)
        if program == "find":
            self._read_found(made, words, folder, around, depth)
        script = ScriptFiles(_code_of(words, data, text) if program in _WORDS["interpreters"] else "")
        made.writes += script.writes
        made.deletes += script.deletes
        for each in script.lines:
            self.read(each, folder, around, depth + 1)
        return folder

    def _read_found(self, made: SimpleCommand, words: list[str], folder: str, around: list[str], depth: int) -> None:
        """Read what `find` does with the files that it finds."""
        roots = made.reads
        if "-delete" in words:
            made.deletes, made.looks = roots, False
        at = next((at for at, word in enumerate(words) if word in {"-exec", "-execdir", "-ok"}), len(words))
        inner = [word for word in words[at + 1 :] if word not in {";", "+"}]
        if inner and depth < _DEEPEST:
            filled = [_Word(each) for word in inner for each in (roots if word == "{}" else [word])]
            self._read_one(_Parts(filled, []), folder, around, depth + 1)


def _assign(words: list[_Word], values: dict[str, list[str]]) -> None:
    """Keep what a command gives to variables: `A=b`, `for a in b c`."""
    first = words[0].text
    if first == "for" and [each.text for each in words[2:3]] == ["in"]:
        values[words[1].text] = [each.text for each in words[3:]][:_MOST_VALUES]
    for each in words if all(_is_assignment(each.text) for each in words) else ():
        name, _, value = each.text.partition("=")
        values[name] = [value]


def _expanded(word: _Word, values: dict[str, list[str]]) -> list[_Word]:
    """The word with the values of the variable in it."""
    name = word.text.partition("$")[2].strip("{").partition("/")[0].rstrip("}")
    if name not in values:
        return [word]
    texts = [word.text.replace(f"${{{name}}}", each).replace(f"${name}", each) for each in values[name]]
    return [_Word(text, data=word.data) for text in texts]


def _lines_within(program: str, words: list[str], data: list[str], text: str) -> tuple[list[str], list[str]]:
    """The lines that a shell is handed, here or by `ssh`, and the host of these."""
    if program in _WORDS["shells"]:
        if any(word in {"-c", "-lc", "-ec"} for word in words):
            return data[:1] or words[-1:], []
        return [text] if text and all(map(_is_flag, words[1:])) else [], []
    if program == "eval":
        return data[:1] or words[-1:], []
    hosts = [word for word in words[1:] if not _is_flag(word)] if program == "ssh" else []
    return (data[:1] or ([" ".join(hosts[1:])] if len(hosts) > 1 else [])) if hosts else [], hosts[:1]


def _piped(found: list[SimpleCommand]) -> list[str]:
    """The words that come down a pipe: those of the command that lists them, not of filters behind it."""
    passing = _WORDS["filters"]
    listing = next((each for each in reversed(found) if each.program not in passing or each.arguments[1:]), found[-1])
    return listing.reads if listing.program == "find" else listing.arguments


def _code_of(words: list[str], data: list[str], text: str) -> str:
    """The program that an interpreter is handed in its line; "" for one that runs a file."""
    at = next((at for at, word in enumerate(words) if word in {"-c", "-e", "-E", "-p", "--eval", "-pe", "-ne"}), 0)
    if at:
        return "\n".join([*data, *words[at + 1 : at + 2]])
    return text if all(map(_is_flag, words[1:])) or words[1:2] == ["-"] else ""


def _unwrapped(words: list[str], around: list[str], wrappers: list[str]) -> list[str]:
    """The words from the program on, without keywords, assignments and programs that run another."""
    rest = list(words)
    while rest:
        head = _name(rest[0])
        compose = rest[1:2] == ["compose"] and head in {"docker", "podman"}
        at = 2 if compose else 1
        pair = f"{head}{'-compose' if compose else ''} {rest[at] if len(rest) > at else ''}"
        if rest[0] in _WORDS["keywords"]:
            rest = rest[1:]
        elif _is_assignment(rest[0]):
            around.append(rest.pop(0))
        elif head == "python" and "-m" in rest[1:3]:
            wrappers.append(head)
            rest = rest[rest.index("-m") + 1 :]
        elif head in _WORDS["interpreters"] and "".join(rest[1:2]).rpartition("/")[2] in _TABLES.by_program:
            wrappers.append(head)
            rest = [rest[1].rpartition("/")[2], *rest[2:]]
        elif pair in _TABLES.runners and len(rest) > at + 1:
            around += rest[: at + 1]
            wrappers += [head, " ".join(rest[: at + 1])]
            inner = _past_options(rest[at + 1 :], pair)
            around += [word for word in rest[at + 1 : len(rest) - len(inner)] if word.startswith("--")]
            if head.startswith(("docker", "podman", "kubectl")):
                if len(inner) < 2:  # an image or pod alone
                    break
                before = inner.index("--") if "--" in inner else 1
                around += inner[:before]
                inner = _past_options(inner[before:], "")
            rest = inner
        elif head in _WORDS["wrappers"] and len(rest) > 1:
            wrappers.append(head)
            rest = _past_options(rest[1:], head)
            if head == "timeout" and rest and rest[0][:1].isdigit():
                rest = rest[1:]
        else:
            break
    return rest


def _past_options(words: list[str], program: str) -> list[str]:
    valued = _TABLES.valued.get(program, ())
    at = 0
    while at < len(words) and (words[at].startswith("-") or _is_assignment(words[at])):
        at += 2 if words[at] in valued else 1
    return words[at:]


def _effects(made: SimpleCommand, words: list[str]) -> None:
    """Fill in what the command does to files, and drop options before the subcommand with their values."""
    program = made.program
    made.words = [program, *_without_leading(words[1:], made)]
    sub = made.arguments[0] if made.arguments else ""
    effect, named = _effect(made)
    outputs = _outputs(made, words)
    if effect == "delete":
        made.deletes = named
    elif effect == "move":
        made.deletes = named[:-1]
        made.writes += _landed(named[:-1], named[-1:])
    elif effect == "copy":
        made.reads += named[:-1]
        contents = program == "rsync" and "".join(named[:1]).endswith("/")  # what is in the folder
        made.writes += outputs or (named[-1:] if contents else _landed(named[:-1], named[-1:]))
        made.deletes += named[-1:] if "--delete" in made.flags else []
    elif effect == "write":
        made.writes += named
    elif effect == "script":
        made.writes += named if made.data else named[1:]
        made.text = " ".join(made.data or named[:1])
    elif program == "git" and sub in {"checkout", "restore"}:
        made.writes += _restored(made, words)
    elif program == "find":
        made.reads += _found_files(words[1:])
    elif program in _WORDS["readers"] - {"echo", "printf", "for"} or program == "sed":
        made.reads += made.arguments
    if effect != "copy" and (program != "tar" or "-x" in made.flags or "x" in sub):
        made.writes += outputs
    made.looks = not (made.writes or made.deletes) and _looks(made, sub)


def _effect(made: SimpleCommand) -> tuple[str, list[str]]:
    """What the command does to files, and the words that name these."""
    for command, effect in _TABLES.effects.get(made.program, ()):
        pattern = " ".join(command)
        if runs(pattern, made.words, made.flags):
            return effect, made.words[sum(not _is_flag(word) for word in command) :]
    return "", []


def _outputs(made: SimpleCommand, words: list[str]) -> list[str]:
    """The values of options that name a file which is written."""
    found: list[str] = []
    options = _TABLES.outputs.get(made.program, ())
    for at, word in enumerate(words):
        name, sign, value = word.partition("=")
        if name in options or (_is_flag(word) and word[1] != "-" and f"-{word[-1]}" in options):
            found += [value] if sign else words[at + 1 : at + 2]
    return found


def _restored(made: SimpleCommand, words: list[str]) -> list[str]:
    """The files that git takes from another commit. What it puts back as it was last changes nothing."""
    sub, *rest = made.arguments
    if {"-b", "-B", "--orphan", "--staged"} & made.flags:
        return []
    if sub == "restore":
        at = next((at for at, word in enumerate(words) if word.startswith(("--source", "-s"))), 0)
        sign, source = words[at].partition("=")[1:]
        source = source if sign else "".join(words[at + 1 : at + 2])
        files = [word for word in rest if word != source] if at else []
    elif "--" in words:
        at = words.index("--")
        source, files = words[at - 1] if words[at - 1] != "checkout" else "", words[at + 1 :]
    else:
        source, files = "".join(rest[:1]), rest[1:]
    return [] if source in {"", "HEAD", "@"} else files


def _found_files(words: list[str]) -> list[str]:
    """The folders in which `find` looks, with the pattern of a name that it looks for."""
    end = next((at for at, word in enumerate(words) if _is_flag(word) or word in {"!", "("}), len(words))
    wanted = [
        words[at + 1]
        for at in range(end, len(words) - 1)
        if words[at] in {"-name", "-iname", "-path", "-wholename"} and words[at - 1] not in {"!", "-not"}
    ]
    named = wanted[0].removeprefix("./").removeprefix("*/") if wanted else ""
    folders = words[:end] or ["."]
    return [f"{each.rstrip('/')}/{named}" if named else each for each in folders]


def _landed(sources: list[str], targets: list[str]) -> list[str]:
    """The files that copies become."""
    if not targets or "." in targets[0].rstrip("/").rpartition("/")[2].lstrip("."):
        return targets
    return [f"{targets[0].rstrip('/')}/{each.rstrip('/').rpartition('/')[2]}" for each in sources]


def _looks(made: SimpleCommand, sub: str) -> bool:
    program, flags, number = made.program, made.flags, len(made.arguments)
    if flags & _WORDS["harmless"] - {"--version"} or ("--version" in flags and number < 2):
        return True
    if program in _WORDS["readers"] or program == "sed":
        return True
    if sub == "help" or (sub == "version" and number < 2) or sub in _TABLES.reading.get(program, ()):
        return True
    if program != "git":
        return program not in {"npm", "make"} and not _WORDS["looking"].isdisjoint(made.arguments[:2])
    if sub in {"tag", "branch"}:
        return bool({"-l", "--list"} & flags) or (number < 2 and not {"-d", "-D", "-m", "-M"} & flags)
    listed = made.arguments[1:2] in (["list"], ["show"], ["status"], ["get"]) or bool({"--get", "-v", "--list"} & flags)
    return listed and sub in _WORDS["git-listing"]


def _without_leading(words: list[str], made: SimpleCommand) -> list[str]:
    """The words without options; the value of one before the subcommand goes to `around`."""
    kept: list[str] = []
    valued = _TABLES.valued.get(made.program, ())
    rest = iter(words)
    for word in rest:
        if not _is_flag(word):
            kept.append(word)
        elif "=" in word:
            made.around.append(word.partition("=")[2])
        elif not kept and word in valued:
            value = next(rest, "")
            made.around.append(value)
            if word == "-C" and made.program == "git":
                made.folder = f"{made.folder}/{value}".lstrip("/") if value[:1] != "/" else value
    return kept


def _is_flag(word: str) -> bool:
    return len(word) > 1 and word[0] == "-"


def _flags(words: list[str]) -> set[str]:
    found: set[str] = set()
    for word in words:
        if _is_flag(word):
            name = word.partition("=")[0]
            found.add(name)
            if name[1] != "-" and 2 < len(name) <= 5 and name[1:].lstrip("0").isalpha():
                found.update(f"-{char}" for char in name[1:])
            elif name[1] != "-" and name[1].isalpha() and len(name) > 2 and not name[2].isalpha():
                found.add(name[:2])
        elif len(word) > 1 and word[0] == "+" and words[:1] == ["git"]:
            found.add("--force")  # a refspec
    return found


def _is_assignment(word: str) -> bool:
    name, sign, _ = word.partition("=")
    return bool(sign) and name.isidentifier()


def _name(word: str) -> str:
    """The name of a program; a script in a folder of the workspace keeps its path."""
    if word.startswith(("/usr/", "/bin/", "/opt/", "/home/")) or "/bin/" in f"/{word}":
        word = word.rpartition("/")[2]
    word = word.removesuffix(".exe").removesuffix(".cmd").removeprefix("./")
    if word.startswith(("python3", "pip3")):
        word = word.split("3")[0]
    return _TABLES.aliases.get(word, word)


# -- words ------------------------------------------------------------------------------------------------------------


def _lexed(line: str, inner: list[str]) -> list[_Word]:
    """The words and operators of a line; what stands in `$(...)` or backticks goes to `inner`."""
    found: list[_Word] = []
    text: list[str] = []
    quoted = spaced = False
    at = 0

    def end() -> None:
        nonlocal text, quoted, spaced
        if text or quoted:
            found.append(_Word("".join(text), data=quoted and spaced))
        text, quoted, spaced = [], False, False

    while at < len(line):
        char, pair = line[at], line[at : at + 2]
        step = 1
        if char in "'\"":
            stop = _closing(line, at)
            part = line[at + 1 : stop]
            _collect(part if char == '"' else "", inner)
            text.append(part)
            quoted, spaced, step = True, spaced or any(map(str.isspace, part)), stop + 1 - at
        elif char == "\\" and len(pair) > 1:
            text += [pair[1]] if pair[1] != "\n" else []
            step = 2
        elif char == "`" or pair == "$(":
            start = at + len(pair if char == "$" else char)
            stop = line.find("`", start) if char == "`" else _bracket(line, start - 1)
            stop = len(line) if stop < 0 else stop
            inner.append(line[start:stop])
            text.append("$")
            step = stop + 1 - at
        elif char == "#" and not text and not quoted:
            stop = line.find("\n", at)
            step = (len(line) if stop < 0 else stop) - at
        elif char == "&" and (line[at - 1 : at] == ">" or (pair == "&>")):
            text += [char] if line[at - 1 : at] == ">" else []  # 2>&1
        elif char.isspace() or char in ";|()&<>":
            if char in "<>" and "".join(text).isdigit():
                text = []  # the number of a stream
            end()
            if char in "<>":
                step = 2 if pair in {">>", "<<", ">|"} else 1
                found.append(_Word(line[at : at + step].rstrip("|"), mark=True))
                step += line.startswith("<", at + step)
            elif char in "\n;|()&":
                found.append(_Word(";", mark=True))
        else:
            text.append(char)
        at += step
    end()
    return [*found, _Word(";", mark=True)]


def _collect(text: str, inner: list[str]) -> None:
    at = text.find("$(")
    while at >= 0:
        stop = _bracket(text, at + 1)
        if stop < 0:
            return
        inner.append(text[at + 2 : stop])
        at = text.find("$(", stop)


def _closing(line: str, start: int) -> int:
    mark, at = line[start], start + 1
    while at < len(line) and line[at] != mark:
        at += 2 if line[at] == "\\" and mark == '"' else 1
    return min(at, len(line))


def _bracket(line: str, start: int) -> int:
    depth = 0
    for at in range(start, len(line)):
        depth += (line[at] == "(") - (line[at] == ")")
        if depth == 0:
            return at
    return -1


def _without_documents(line: str) -> tuple[str, list[str]]:
    """The line without the bodies of its heredocs, and these."""
    if "<<" not in line or "\n" not in line:
        return line, []
    kept: list[str] = []
    bodies: list[str] = []
    waiting: list[str] = []
    body: list[str] = []
    for each in line.split("\n"):
        if waiting:
            if each.strip() == waiting[0]:
                waiting.pop(0)
                bodies.append("\n".join(body))
                body = []
            else:
                body.append(each)
            continue
        kept.append(each)
        for part in each.split("<<")[1:]:
            name = part.lstrip("-").split()[0] if part.lstrip("-").split() else ""
            name = name.strip("'\"\\;&|)")
            if name and not part.startswith("<") and (name[0].isalpha() or name[0] == "_"):
                waiting.append(name)
    if waiting:
        bodies.append("\n".join(body))
    return "\n".join(kept), bodies


# -- scripts -----------------------------------------------------------------------------------------------------------


class ScriptFiles:
    """What a script in any language does to files: paths that it `writes` and `deletes`, and the command `lines` that
    it hands to a shell. A path is a quoted text, or a variable that was given one."""

    def __init__(self, code: str) -> None:
        self.writes: list[str] = []
        self.deletes: list[str] = []
        self.lines: list[str] = []
        self._paths: dict[str, list[str]] = {}
        for line in code.replace(";", "\n").split("\n")[:_MOST_LINES]:
            self._read(line.strip())

    def _read(self, line: str) -> None:
        said = _quoted(line)
        texts = [text for _, text, _ in said]
        paths = [text for before, text, after in said if _is_path(before, text, after)]
        if "join(" in line:
            paths = ["/".join(texts)]
        used = _names_in(line)
        paths += [each for known in self._paths if known in used for each in self._paths[known]]
        given, sign, _ = line.partition("=")
        if sign and given.split() and given.split()[-1].lstrip("$").isidentifier():
            self._paths[given.split()[-1]] = paths
        if any(each in line for each in _WORDS["code-runs"]):
            self.lines.append(" ".join(texts))
        elif any(f".{each}" in line for each in _WORDS["code-copies"]):
            self.writes += paths[-1:]
        elif any(each in line for each in _WORDS["code-writes"]):
            direct = [text for before, text, _ in said if before.endswith(_WRITES) and text.isidentifier()]
            removes = any(each in line for each in ("unlink", "remove", "rm", "delete"))
            (self.deletes if removes else self.writes).extend([*paths, *direct])
        elif "open(" in line and not _WORDS["code-modes"].isdisjoint(texts):
            self.writes += paths


def _quoted(line: str) -> list[tuple[str, str, str]]:
    """The quoted texts of a line, each with what stands before and behind it."""
    found: list[tuple[str, str, str]] = []
    at = 0
    while at < len(line):
        if line[at] in "'\"`":
            end = line.find(line[at], at + 1)
            end = len(line) if end < 0 else end
            found.append((line[:at].rstrip(), line[at + 1 : end], line[end + 1 :].lstrip()))
            at = end
        at += 1
    return found


def _is_path(before: str, text: str, after: str) -> bool:
    """True for a text that names a file, and is neither read nor what is written."""
    if before.endswith(("write(", "readFileSync(", "readFile(")) or after.startswith(").read"):
        return False
    if before.endswith("open(") and after.startswith(")"):
        return False
    signs = "/" in text or ("." in text and text[-1:].isalnum())
    return signs and len(text) < _LONGEST_PATH and not any(map(str.isspace, text)) and "://" not in text


def _names_in(line: str) -> set[str]:
    """The names that a line uses, without the one that it gives a value to."""
    given, sign, rest = line.partition("=")
    text = rest if sign and len(given.split()) <= 2 and "(" not in given else line
    return set("".join(char if char.isalnum() or char in "_$" else " " for char in text).split())
