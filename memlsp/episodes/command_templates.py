"""Templates of command lines (paths, numbers and texts replaced) and digests of failures.

Hooks and ingestion must agree on both, so this module serves both, without imports and regular expressions: a hook has
no time to compile any.
"""

from __future__ import annotations

from _blake2 import blake2b

TYPE_CHECKING = False  # as in typing, without importing it
if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST = 400
"""Characters that are read of a command line, and of one line of output."""

MOST_LINES = 400
"""The last lines of an output, which are read."""

# Here and in no table of words: a hook imports this module, and has no time to read TOML.
_SKIPPED = frozenset(
    {"cd", "export", "set", "source", ".", "echo", "true", "pushd", "popd", "unset", "sleep", "ulimit"}
)
"""Commands that only prepare the one that is meant."""

_RUNNERS = frozenset(
    {"sudo", "env", "time", "timeout", "nice", "nohup", "exec", "command", "npx", "bunx", "pnpx", "xvfb-run"}
)
_RUN = frozenset({"uv", "poetry", "pdm", "hatch", "rye", "pipenv", "pixi", "conda", "bundle"})
"""`uv run pytest` is pytest."""

_PYTHONS = ("python", "python3", "py")

_SEPARATORS = ("&&", "||", ";", "|", "&", "\n")


def command_template(command: str) -> str:
    """A command line as its program, subcommands and options, with `P` for paths, `#` for numbers and `T` for quoted
    texts with spaces; "" when there is no command.

    Of several commands the first that does something counts, without its pipe, redirections, runners (`uv run`,
    `python -m`, `sudo`), assignments and `cd` before it.
    """
    for words in _commands(command):
        named = _program(words)
        if not named or named[0] in _SKIPPED:
            continue
        return " ".join(" ".join([named[0], *_template_words(named[1:])]).split())  # a quote may hold a line break
    return ""


def program(template: str) -> str:
    """The program of a template."""
    return template.partition(" ")[0]


def decisive_line(output: str) -> str:
    """The line of a failing command's output that says why, without colours; "" without output. This is a failed test,
    else the error (of a compiler the first, of a traceback the last), else the last line."""
    lines = _lines(output)
    best, best_rank = "", 0
    for line in lines:
        rank = _rank(line)
        # the last traceback ended the run; of other errors the first caused the rest
        if rank > best_rank or (rank == best_rank and rank in {_RAISED, _PLAIN}):
            best, best_rank = line, rank
    return best.strip().removeprefix("E   ").strip()


def failure_digest(output: str) -> str:
    """A digest of the decisive line without paths and numbers, the same whenever a command fails so; "" when the line
    does not tell the failure apart from others."""
    line = decisive_line(output)
    if not line or _rank(line) < _COMPLAINT:
        return ""
    template = [_template_word(word) for word in line[:LONGEST].split()]
    # "AssertionError" by itself, or "error: P", is how very different things fail
    telling = [word for word in template if any(char.isalpha() for char in word) and word.strip(":,.#()") not in _VAGUE]
    if len(telling) < 2 and not any("::" in word for word in telling):
        return ""
    return blake2b(" ".join(template).encode("utf-8", "replace"), digest_size=8).hexdigest()


def names_a_file(output: str) -> bool:
    """True when the decisive line names a file, but no test: the same error in another file is another failure."""
    words = decisive_line(output).split()
    return any("P" in _template_word(word).strip("'\"`()[]{},:;").split(":") for word in words) and not any(
        "::" in word for word in words
    )


# --- command lines -------------------------------------------------------------------------------------------------


def _commands(command: str) -> Iterator[list[str]]:
    words: list[str] = []
    for word, bare in _words(command[:LONGEST]):
        if bare and word in _SEPARATORS:
            if words:
                yield words
            words = []
        else:
            words.append(word)
    if words:
        yield words


def _words(command: str) -> Iterator[tuple[str, bool]]:
    """Each word without its quotes, and whether it had none; separators are words of their own."""
    word, quoted, position = "", False, 0
    while position < len(command):
        char = command[position]
        if char in "'\"":
            text, position = _quoted(command, position)
            word, quoted = word + text, True
            continue
        if char == "\\" and position + 1 < len(command):
            position += 1
            word += command[position].strip("\n")
        elif char.isspace() or (char in ";|&\n" and not _is_redirection(command, position)):
            if word or quoted:
                yield word, not quoted
            word, quoted = "", False
            if char in ";|&\n":
                double = command[position : position + 2] in {"&&", "||"}
                yield char * (1 + double), True
                position += double
        else:
            word += char
        position += 1
    if word or quoted:
        yield word, not quoted


def _quoted(command: str, start: int) -> tuple[str, int]:
    end = command.find(command[start], start + 1)
    return (command[start + 1 :], len(command)) if end < 0 else (command[start + 1 : end], end + 1)


def _is_redirection(command: str, position: int) -> bool:
    """True for the `&` of `2>&1` and `&>`."""
    around = command[max(position - 1, 0) : position + 2]
    return command[position] == "&" and (around.startswith(">") or around.endswith(">")) and "&&" not in around


def _program(words: list[str]) -> list[str]:
    """The words from the program on, without runners and assignments."""
    rest = list(words)
    while rest:
        word = rest[0].rpartition("/")[2].removesuffix(".exe")
        if "=" in word and word.partition("=")[0].replace("_", "").isalnum():
            rest = rest[1:]
        elif word in _RUNNERS:
            rest = rest[1:]
            while rest and (rest[0].startswith("-") or rest[0][:1].isdigit()):
                rest = rest[1:]
        elif len(rest) > 2 and _runs_another(word, rest[1]):
            rest = rest[2:]
        else:
            return ["T" if len(word.split()) != 1 else word, *rest[1:]]
    return []


def _runs_another(word: str, next_word: str) -> bool:
    if word in _RUN:
        return next_word in {"run", "exec"}
    return next_word == "-m" and word.rstrip("0123456789.") in _PYTHONS


def _template_words(words: list[str]) -> Iterator[str]:
    after_arrow = False
    for word in words:
        redirects = ">" in word[:3] or word.startswith("<")
        if not redirects and not after_arrow:
            yield _template_word(word)
        after_arrow = redirects and word[-1] in "<>"


def _template_word(word: str) -> str:
    """A word with `P` for a path (a test in it keeps its name), `#` for a number, `T` for a sentence."""
    if len(word.split()) > 1:
        return "T"
    if "::" in word:
        path, _, test = word.partition("::")
        return f"{_template_word(path)}::{_numberless(test)}"
    name, sign, value = word.partition("=")
    if sign and name.startswith("-"):
        return f"{name}={_template_word(value)}"
    inner = word.strip("'\"`()[]{},:;")
    if "/" in inner or "\\" in inner or inner == "." or _is_file(inner):
        return word.replace(inner, "P")
    return _numberless(word)


def _is_file(word: str) -> bool:
    stem, dot, suffix = word.rpartition(".")
    return bool(dot and stem) and suffix.isalnum() and suffix.islower() and len(suffix) <= 4 and stem[-1:].isalnum()


def _numberless(word: str) -> str:
    kept: list[str] = []
    for char in _hexless(word):
        if char.isdigit():
            if kept[-1:] != ["#"]:
                kept.append("#")
        else:
            kept.append(char)
    return "".join(kept)


def _hexless(word: str) -> str:
    bare = word.strip("'\"`()[]{}<>,:;.")
    digits = bare.removeprefix("0x")
    long_enough = bare != digits or (len(digits) >= 7 and any(char.isdigit() for char in digits))
    if digits and long_enough and all(char in "0123456789abcdefABCDEF" for char in digits):
        return word.replace(bare, "0")
    return word


# --- output --------------------------------------------------------------------------------------------------------

_FAILED, _RAISED, _COMPLAINT, _PLAIN, _CLOSING = 5, 4, 3, 2, 1

_TEST_STARTS = ("FAILED ", "--- FAIL: ", "● ", "FAIL: ", "ERROR: ")
_COMPLAINTS = (
    *("error:", "error[", "error TS", "Error:", "ERROR ", "ERR!", "fatal:", "panicked at", "panic:"),
    *("No module named", ": not found", "command not found", "not installed", "No such ", "no such "),
    *(
        "unrecognized ",
        "Permission denied",
        "not recognized as",
        "cannot find",
        "Could not",
        "undefined:",
        "unexpected",
    ),
)
_VAGUE = frozenset({"P", "AssertionError", "assert", "Error", "error", "ERROR", "fatal", "FAILED", "FAIL", "failed"})
_CLOSINGS = ("make: ***", "make[", "exit status", "Exit code", "npm error A complete log", "npm ERR! A complete log")
_RULES = frozenset("=-_~#* ")


def _rank(line: str) -> int:
    words = line.strip()
    if not words or _RULES.issuperset(words):
        return 0
    if words.startswith(_CLOSINGS) or words.startswith("==="):
        return _CLOSING
    if words.startswith(_TEST_STARTS) or (words.startswith("test ") and words.endswith("FAILED")):
        return _FAILED
    if _raises(words.removeprefix("E   ").lstrip()):
        return _RAISED
    if any(sign in words for sign in _COMPLAINTS):
        return _COMPLAINT
    return _PLAIN


def _raises(words: str) -> bool:
    """True for the end of a traceback, such as `package.SomeError: message`."""
    name, colon, _ = words.partition(":")
    last = name.rpartition(".")[2]
    if not last[:1].isupper() or not name.replace(".", "").replace("_", "").isalnum():
        return False
    return last.endswith(("Error", "Exception", "Interrupt", "Timeout", "Refused")) and (bool(colon) or words == name)


def _lines(output: str) -> list[str]:
    rows = output[-LONGEST * MOST_LINES :].splitlines()[-MOST_LINES:]
    return [line for row in rows if (line := _colourless(row[:LONGEST]).rstrip())]


def _colourless(row: str) -> str:
    if "\x1b" not in row:
        return row
    parts = row.split("\x1b")
    kept = [parts[0]]
    for part in parts[1:]:
        position = 1 if part[:1] == "[" else 0
        while position < len(part) and not part[position].isalpha():
            position += 1
        kept.append(part[position + 1 :])
    return "".join(kept)
