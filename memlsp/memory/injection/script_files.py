"""The files that a script on a command line writes, as `python -c` and `node -e` do. Without regular expressions."""

from __future__ import annotations

from memlsp.beliefs.acts.commands import tables

_WORDS = tables().words
_WRITES = tuple(_WORDS["code-writes"])
_MOST_LINES = 200
_LONGEST_PATH = 200


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
