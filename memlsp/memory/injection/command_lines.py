"""Reads a command line as the commands that it runs, with what each does to files.

What stands in quotes with blanks in it, in a message or in a heredoc, is data, except for a shell that is handed its
commands so. Without regular expressions: a hook has no time to compile any.
"""

from __future__ import annotations

from memlsp.beliefs.acts.commands import runs, tables
from memlsp.memory.injection.line_words import LineWord, LineWords, flags_of, is_assignment, is_flag, without_documents

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
        self.words = [word for word in words if not is_flag(word)]
        self.flags = flags_of(words)
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


class _Parts:
    """The parts of a command: its words, the quoted texts, the files read and written, and the text that it writes."""

    def __init__(self, given: list[LineWord], documents: list[str]) -> None:
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
        line, documents = without_documents(line)
        words: list[LineWord] = []
        values: dict[str, list[str]] = {}
        lexed = LineWords(line)
        for word in lexed.found:
            if not word.mark or word.text in {">", ">>", "<", "<<"}:
                words += _expanded(word, values)
                continue
            if words and len(self.found) < MOST_COMMANDS:
                folder = self._read_one(_Parts(words, documents), folder, around, depth)
                _assign(words, values)
            words = []
        for each in lexed.inner:
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
        if program in _WORDS["interpreters"]:
            script = ScriptFiles(_code_of(words, data, text))
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
            filled = [LineWord(each) for word in inner for each in (roots if word == "{}" else [word])]
            self._read_one(_Parts(filled, []), folder, around, depth + 1)


def _assign(words: list[LineWord], values: dict[str, list[str]]) -> None:
    """Keep what a command gives to variables: `A=b`, `for a in b c`."""
    first = words[0].text
    if first == "for" and [each.text for each in words[2:3]] == ["in"]:
        values[words[1].text] = [each.text for each in words[3:]][:_MOST_VALUES]
    for each in words if all(is_assignment(each.text) for each in words) else ():
        name, _, value = each.text.partition("=")
        values[name] = [value]


def _expanded(word: LineWord, values: dict[str, list[str]]) -> list[LineWord]:
    """The word with the values of the variable in it."""
    name = word.text.partition("$")[2].strip("{").partition("/")[0].rstrip("}")
    if name not in values:
        return [word]
    texts = [word.text.replace(f"${{{name}}}", each).replace(f"${name}", each) for each in values[name]]
    return [LineWord(text, data=word.data) for text in texts]


def _lines_within(program: str, words: list[str], data: list[str], text: str) -> tuple[list[str], list[str]]:
    """The lines that a shell is handed, here or by `ssh`, and the host of these."""
    if program in _WORDS["shells"]:
        if any(word in {"-c", "-lc", "-ec"} for word in words):
            return data[:1] or words[-1:], []
        return [text] if text and all(map(is_flag, words[1:])) else [], []
    if program == "eval":
        return data[:1] or words[-1:], []
    hosts = [word for word in words[1:] if not is_flag(word)] if program == "ssh" else []
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
    return text if all(map(is_flag, words[1:])) or words[1:2] == ["-"] else ""


def _unwrapped(words: list[str], around: list[str], wrappers: list[str]) -> list[str]:
    """The words from the program on, without keywords, assignments and programs that run another."""
    rest = list(words)
    while rest:
        inner = _led_to(rest, around, wrappers)
        if inner is None:
            break
        rest = inner
    return rest


def _led_to(rest: list[str], around: list[str], wrappers: list[str]) -> list[str] | None:
    """The words that the first of these lead to; None where they begin with the program itself."""
    head = _name(rest[0])
    if rest[0] in _WORDS["keywords"]:
        return rest[1:]
    if is_assignment(rest[0]):
        around.append(rest[0])
        return rest[1:]
    if head == "python" and "-m" in rest[1:3]:
        wrappers.append(head)
        return rest[rest.index("-m") + 1 :]
    if head in _WORDS["interpreters"] and "".join(rest[1:2]).rpartition("/")[2] in _TABLES.by_program:
        wrappers.append(head)
        return [rest[1].rpartition("/")[2], *rest[2:]]
    compose = rest[1:2] == ["compose"] and head in {"docker", "podman"}
    at = 2 if compose else 1
    pair = f"{head}{'-compose' if compose else ''} {rest[at] if len(rest) > at else ''}"
    if pair in _TABLES.runners and len(rest) > at + 1:
        around += rest[: at + 1]
        wrappers += [head, " ".join(rest[: at + 1])]
        return _run_elsewhere(head, pair, rest[at + 1 :], around)
    if head in _WORDS["wrappers"] and len(rest) > 1:
        wrappers.append(head)
        inner = _past_options(rest[1:], head)
        return inner[1:] if head == "timeout" and inner and inner[0][:1].isdigit() else inner
    return None


def _run_elsewhere(head: str, pair: str, words: list[str], around: list[str]) -> list[str] | None:
    """The command that a program such as `npm exec` or `docker run` is given; None for a container's name alone."""
    inner = _past_options(words, pair)
    around += [word for word in words[: len(words) - len(inner)] if word.startswith("--")]
    if not head.startswith(("docker", "podman", "kubectl")):
        return inner
    if len(inner) < 2:
        return None
    before = inner.index("--") if "--" in inner else 1
    around += inner[:before]
    return _past_options(inner[before:], "")


def _past_options(words: list[str], program: str) -> list[str]:
    valued = _TABLES.valued.get(program, ())
    at = 0
    while at < len(words) and (words[at].startswith("-") or is_assignment(words[at])):
        at += 2 if words[at] in valued else 1
    return words[at:]


def _effects(made: SimpleCommand, words: list[str]) -> None:
    """Fill in what the command does to files, and drop options before the subcommand with their values."""
    program = made.program
    made.words = [program, *_without_leading(words[1:], made)]
    sub = made.arguments[0] if made.arguments else ""
    effect, named = _effect(made)
    outputs = _outputs(made, words)
    if effect:
        _affect(made, effect, named, outputs)
    elif program == "git" and sub in {"checkout", "restore"}:
        made.writes += _restored(made, words)
    elif program == "find":
        made.reads += _found_files(words[1:])
    elif program in _WORDS["readers"] - {"echo", "printf", "for"} or program == "sed":
        made.reads += made.arguments
    if effect != "copy" and (program != "tar" or "-x" in made.flags or "x" in sub):
        made.writes += outputs
    made.looks = not (made.writes or made.deletes) and _looks(made, sub)


def _affect(made: SimpleCommand, effect: str, named: list[str], outputs: list[str]) -> None:
    """Fill in what a command with an effect of its own does to the files that it names."""
    if effect == "delete":
        made.deletes = named
    elif effect == "move":
        made.deletes = named[:-1]
        made.writes += _landed(named[:-1], named[-1:])
    elif effect == "copy":
        made.reads += named[:-1]
        contents = made.program == "rsync" and "".join(named[:1]).endswith("/")  # what is in the folder
        made.writes += outputs or (named[-1:] if contents else _landed(named[:-1], named[-1:]))
        made.deletes += named[-1:] if "--delete" in made.flags else []
    elif effect == "write":
        made.writes += named
    elif effect == "script":
        made.writes += named if made.data else named[1:]
        made.text = " ".join(made.data or named[:1])


def _effect(made: SimpleCommand) -> tuple[str, list[str]]:
    """What the command does to files, and the words that name these."""
    for command, effect in _TABLES.effects.get(made.program, ()):
        pattern = " ".join(command)
        if runs(pattern, made.words, made.flags):
            return effect, made.words[sum(not is_flag(word) for word in command) :]
    return "", []


def _outputs(made: SimpleCommand, words: list[str]) -> list[str]:
    """The values of options that name a file which is written."""
    found: list[str] = []
    options = _TABLES.outputs.get(made.program, ())
    for at, word in enumerate(words):
        name, sign, value = word.partition("=")
        if name in options or (is_flag(word) and word[1] != "-" and f"-{word[-1]}" in options):
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
    end = next((at for at, word in enumerate(words) if is_flag(word) or word in {"!", "("}), len(words))
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
        if not is_flag(word):
            kept.append(word)
        elif "=" in word:
            made.around.append(word.partition("=")[2])
        elif not kept and word in valued:
            value = next(rest, "")
            made.around.append(value)
            if word == "-C" and made.program == "git":
                made.folder = f"{made.folder}/{value}".lstrip("/") if value[:1] != "/" else value
    return kept


def _name(word: str) -> str:
    """The name of a program; a script in a folder of the workspace keeps its path."""
    if word.startswith(("/usr/", "/bin/", "/opt/", "/home/")) or "/bin/" in f"/{word}":
        word = word.rpartition("/")[2]
    word = word.removesuffix(".exe").removesuffix(".cmd").removeprefix("./")
    if word.startswith(("python3", "pip3")):
        word = word.split("3")[0]
    return _TABLES.aliases.get(word, word)


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
        paths = self._paths_in(line, said, texts)
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

    def _paths_in(self, line: str, said: list[tuple[str, str, str]], texts: list[str]) -> list[str]:
        """The paths that a line speaks of, itself or by variables; the one that it gives a value to has them then."""
        paths = (
            ["/".join(texts)]
            if "join(" in line
            else [text for before, text, after in said if _is_path(before, text, after)]
        )
        used = _names_in(line)
        paths += [each for known in self._paths if known in used for each in self._paths[known]]
        given, sign, _ = line.partition("=")
        name = given.split()[-1:]
        if sign and name and name[0].lstrip("$").isidentifier():
            self._paths[name[0]] = paths
        return paths


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
