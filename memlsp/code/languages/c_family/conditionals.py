"""Hides conditionals that cut through the grammar from the parser: `#if 0`, half a statement in a branch.

Comments of exactly the same length cover what no grammar can read, so every offset stays; covered text still counts.
Of a conditional that splits a statement the first branch stays, as in nearly every build; conditionals around whole
definitions stay too, and the definitions of all their branches are symbols.
"""

from __future__ import annotations

import re
from itertools import pairwise

from memlsp.code.vocabulary import BytePatterns

_RE = BytePatterns(__name__)
_FARTHEST = 2_048  # blank bytes behind which a text begins anew
_DEEPEST = 64  # conditionals inside conditionals
_BLANK = bytes(10 if byte == 10 else 32 for byte in range(256))
_NEVER, _ALWAYS = frozenset({b"0", b"false"}), frozenset({b"1", b"true"})
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def shown_conditionals(source: bytes) -> bytes:
    """`source` as the parser of a language that has conditionals and no macros should see it, with as many bytes."""
    return CoveredSource(source).run() if b"#" in source else source


def unread(text: str) -> str:
    """The significant text of a covered part: "" for `#if 0`, else without comments and layout."""
    head = re.match(r"#\s*if\s+(?:0|false)\s*(?:$|\n|//|/\*)", text)
    return "" if head else " ".join(_COMMENT.sub(" ", text).split())


_NEAR = 4000  # bytes in which a parenthesis is closed...
_PATIENT = 300  # ...until so many were not, as in text that is no code


_Conditional = list[tuple[int, int, bytes, bytes]]
"""The directives of a conditional, from `#if` to `#endif`: start, end, word and condition."""


class CoveredSource:
    """A text being covered: `plain` is without comments, strings and directives, `out` is for the parser."""

    def __init__(self, source: bytes) -> None:
        self.source = source
        self.out = bytearray(source)
        self.changed = False
        self.unclosed = 0  # parentheses that nothing near closes
        self.others: list[tuple[int, int]] = []  # directives that are no conditionals
        # comments, strings and directives blanked, as the searches below would be led astray by what they say
        self.plain = bytearray(_RE["quiet"].sub(lambda found: found[0].translate(_BLANK), source))

    def run(self) -> bytes:
        """The text for the parser, as long as the source."""
        groups = self._groups()
        self.before_conditionals()
        for group in groups:
            self._settle(group)
        self.after_conditionals()
        return bytes(self.out) if self.changed else self.source

    def before_conditionals(self) -> None:
        """Cover macros, in a language that has them."""

    def after_conditionals(self) -> None:
        """Cover macros, in a language that has them."""

    def cover(self, start: int, end: int) -> None:
        """Make a part of the text a comment."""
        while end > start and self.source[end - 1] in b" \t\r\n":
            end -= 1
        blank = bytearray(self.source[start:end].translate(_BLANK))
        if end - start >= 4:
            blank[:2], blank[-2:] = b"/*", b"*/"
        self.out[start:end] = blank
        self.plain[start:end] = self.plain[start:end].translate(_BLANK)
        self.changed = True

    # conditionals

    def _groups(self) -> list[_Conditional]:
        """The conditionals of the text, inner ones before those around them; blanks every directive."""
        done: list[_Conditional] = []
        waiting: list[_Conditional] = []
        for found in _RE["directive"].finditer(bytes(self.plain)):
            start, end = found.start() + len(found[0]) - len(found[0].lstrip()), found.end()
            self.plain[start:end] = self.plain[start:end].translate(_BLANK)
            read = _RE["conditional"].match(found[0])
            if read is None:
                self.others.append((start, end))
                continue
            word = read[1]
            if word.startswith(b"if"):
                waiting.append([])
            if not waiting:
                continue
            for asked in _RE["asked"].finditer(found[0]):  # `__has_include(<bit>)`
                a, b = found.start() + asked.start(1), found.start() + asked.end(1)
                self.out[a:b] = b"_" * (b - a)
                self.changed = True
            waiting[-1].append((start, end, word, b" ".join(read[2].split())))
            if word == b"endif":
                closed = waiting.pop()
                if len(waiting) < _DEEPEST:
                    done.append(closed)
        return done

    def _settle(self, directives: _Conditional) -> None:
        branches = [(left[1], right[0]) for left, right in pairwise(directives)]
        word, condition = directives[0][2], directives[0][3]
        if word == b"if" and condition in _NEVER:
            self._cover_never(directives, branches)
        elif (word == b"if" and condition in _ALWAYS and len(branches) > 1) or not (
            self._at_boundary(directives[0][0]) and all(self._is_whole(*branch) for branch in branches)
        ):
            self.cover(directives[0][0], directives[0][1])
            self.cover(directives[1][0], directives[-1][1])

    def _cover_never(self, directives: _Conditional, branches: list[tuple[int, int]]) -> None:
        if len(branches) == 1:
            self.cover(directives[0][0], directives[-1][1])
        elif directives[1][2] == b"else":
            self.cover(directives[0][0], directives[1][1])
            self.cover(directives[-1][0], directives[-1][1])

    def _at_boundary(self, start: int) -> bool:
        """True where a statement or declaration may begin."""
        before = self.before(start)
        if before < 0 or self.plain[before] in b";}":
            return True
        if self.plain[before] == 0x3A:  # a label or `public:`
            return self.plain[self.before(before)] not in b"?)"
        if self.plain[before] != 0x7B:
            return False
        above = self.before(before)
        return above < 0 or self.plain[above] not in b"=,({"

    def _is_whole(self, start: int, end: int) -> bool:
        """True for a branch that neither opens nor closes anything, and does not stop inside a statement."""
        body = bytes(self.plain[start:end])
        depth = 0
        for brace in _RE["braces"].findall(body):
            depth += 1 if brace in b"{(" else -1
            if depth < 0:
                return False
        return depth == 0 and body.rstrip()[-1:] in (b"", b";", b"}", b":")

    def before(self, at: int) -> int:
        """The last byte before `at` that is no white space, -1 for none."""
        width = 256
        while True:
            start = max(0, at - width)
            held = len(self.plain[start:at].rstrip())
            if held or not start:
                return start + held - 1
            if width >= _FARTHEST:
                return -1
            width *= 8

    def after(self, at: int) -> int:
        """The first byte from `at` on that is no white space, or the length."""
        width = 256
        while at < len(self.plain):
            piece = self.plain[at : at + width]
            held = len(piece.lstrip())
            if held:
                return at + len(piece) - held
            at += width
            width *= 8
        return len(self.plain)

    def closed(self, start: int) -> int:
        """Behind the parenthesis that closes the one at `start`, or `start` when nothing near does."""
        depth = 0
        near = _NEAR if self.unclosed < _PATIENT else _NEAR // 20
        for found in _RE["braces"].finditer(self.plain, start, start + near):
            depth += {b"(": 1, b")": -1}.get(found[0], 0)
            if found[0] in b"{}":
                break
            if not depth:
                return found.end()
        self.unclosed += 1
        return start
