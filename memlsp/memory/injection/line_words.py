"""The words and operators of a command line, and the lines within it. Without regular expressions, as its reader."""

from __future__ import annotations


class LineWord:
    """A word of a line: `mark` for an operator, `data` for a quoted text with blanks."""

    def __init__(self, text: str, *, data: bool = False, mark: bool = False) -> None:
        self.text = text
        self.data = data
        self.mark = mark


class LineWords:
    """A line taken apart: `found` are its words and operators, with one at the end; `inner` are the lines within, which
    stand in `$(...)` or backticks."""

    def __init__(self, line: str) -> None:
        self.found: list[LineWord] = []
        self.inner: list[str] = []
        self._line = line
        self._text: list[str] = []  # of the word that is read
        self._quoted = self._spaced = False
        at = 0
        while at < len(line):
            at += self._read(at, line[at], line[at : at + 2])
        self._end()
        self._mark(";")

    def _read(self, at: int, char: str, pair: str) -> int:
        """Read what stands at a place; the number of characters."""
        if char in "'\"":
            return self._quote(at, char)
        if char == "\\" and len(pair) > 1:
            self._text += [pair[1]] if pair[1] != "\n" else []
            return 2
        if char == "`" or pair == "$(":
            return self._line_within(at, char)
        if char == "#" and not self._text and not self._quoted:
            return _until(self._line.find("\n", at), self._line) - at
        if char == "&" and (self._line[at - 1 : at] == ">" or pair == "&>"):
            self._text += [char] if self._line[at - 1 : at] == ">" else []  # 2>&1
        elif char in "<>":
            return self._redirection(at, pair)
        elif char.isspace() or char in ";|()&":
            self._end()
            if char in "\n;|()&":
                self._mark(";")
        else:
            self._text.append(char)
        return 1

    def _quote(self, at: int, mark: str) -> int:
        stop = _closing(self._line, at)
        part = self._line[at + 1 : stop]
        if mark == '"':
            self._collect(part)
        self._text.append(part)
        self._quoted, self._spaced = True, self._spaced or any(map(str.isspace, part))
        return stop + 1 - at

    def _line_within(self, at: int, char: str) -> int:
        start = at + (2 if char == "$" else 1)
        stop = self._line.find("`", start) if char == "`" else _bracket(self._line, start - 1)
        stop = _until(stop, self._line)
        self.inner.append(self._line[start:stop])
        self._text.append("$")
        return stop + 1 - at

    def _redirection(self, at: int, pair: str) -> int:
        if "".join(self._text).isdigit():
            self._text = []  # the number of a stream
        self._end()
        size = 2 if pair in {">>", "<<", ">|"} else 1
        self._mark(self._line[at : at + size].rstrip("|"))
        return size + self._line.startswith("<", at + size)

    def _end(self) -> None:
        if self._text or self._quoted:
            self.found.append(LineWord("".join(self._text), data=self._quoted and self._spaced))
        self._text, self._quoted, self._spaced = [], False, False

    def _mark(self, text: str) -> None:
        self.found.append(LineWord(text, mark=True))

    def _collect(self, text: str) -> None:
        at = text.find("$(")
        while at >= 0:
            stop = _bracket(text, at + 1)
            if stop < 0:
                return
            self.inner.append(text[at + 2 : stop])
            at = text.find("$(", stop)


def without_documents(line: str) -> tuple[str, list[str]]:
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


def is_flag(word: str) -> bool:
    """True for an option."""
    return len(word) > 1 and word[0] == "-"


def flags_of(words: list[str]) -> set[str]:
    """The options among the words, short ones also by themselves: `-am` as `-a` and `-m`."""
    found: set[str] = set()
    for word in words:
        if is_flag(word):
            name = word.partition("=")[0]
            found.add(name)
            if name[1] != "-" and 2 < len(name) <= 5 and name[1:].lstrip("0").isalpha():
                found.update(f"-{char}" for char in name[1:])
            elif name[1] != "-" and name[1].isalpha() and len(name) > 2 and not name[2].isalpha():
                found.add(name[:2])
        elif len(word) > 1 and word[0] == "+" and words[:1] == ["git"]:
            found.add("--force")  # a refspec
    return found


def is_assignment(word: str) -> bool:
    """True for `NAME=value`."""
    name, sign, _ = word.partition("=")
    return bool(sign) and name.isidentifier()


def _until(stop: int, line: str) -> int:
    return len(line) if stop < 0 else stop


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
