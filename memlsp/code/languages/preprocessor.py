"""What the parser of C and C++ is shown instead of the text that the preprocessor would have rewritten.

A grammar without a preprocessor stumbles over conditionals that cut through a statement, over `#if 0`, and over macros
that stand where no name can: `API int f(void);`, a lone `Q_OBJECT`, `class EXPORT Shape`. Those are covered by comments
of exactly their length, so that every offset stays what it was; what was covered still counts as text.

Of a conditional that splits a statement the first branch is taken, as nearly every build does; conditionals around
whole definitions stay as they are, and the definitions of all their branches are symbols.
"""

from __future__ import annotations

import re
from itertools import pairwise

from attrs import define, field

_QUIET = re.compile(
    rb"""//(?:\\\r?\n|[^\n])*|/\*.*?(?:\*/|\Z)|(?<![\w])(?:u8|[uUL])?R"([^()\\\s]{0,16})\(.*?\)\1\""""
    rb"""|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])*'""",
    re.DOTALL,
)
_DIRECTIVE = re.compile(rb"^[ \t]*#(?:\\\r?\n|[^\n])*", re.MULTILINE)
_CONDITIONAL = re.compile(rb"\s*#\s*(ifdef|ifndef|if|elifdef|elifndef|elif|else|endif)\b\s*(.*)", re.DOTALL)
_BLANK = bytes(10 if byte == 10 else 32 for byte in range(256))
_UPPER = rb"[A-Z][A-Z0-9_]{2,}"
_LONE = re.compile(rb"^([ \t]*)(" + _UPPER + rb")\b[ \t]*(?=[(\r\n])", re.MULTILINE)
_PREFIX = re.compile(
    rb"^[ \t]*(?:(?:static|inline|extern|virtual|constexpr|explicit|friend|template[ \t]*<[^;{}\n]*>)[ \t]+)*("
    + _UPPER
    + rb")\b[ \t]*(?=[(\w])",
    re.MULTILINE,
)
_DECLARED = re.compile(
    rb"[ \t]+(?:(?:static|inline|extern|virtual|constexpr|explicit|const|unsigned|signed|struct|enum|union|class|long"
    rb"|typename|[A-Z][A-Z0-9_]{3,})\s+)*~?\w[\w:]*(?:<[^;(){}]*>)?(?:\s+const\b)?(?:[ \t]*[*&]+[ \t\r\n]*|\s+)"
    rb"(?:operator\b|[\w:~]+\s*[(;=\[{])"
)
_CLASS = re.compile(rb"\b(?:class|struct|union)[ \t]+(" + _UPPER + rb")\b(?=[ \t]*(?:\(|\w))")
_NAMED = re.compile(rb"\s*[A-Za-z_]\w*(?:::\w+)*(?:<[^;{}]*>)?\s*(?:final\b\s*)?(?:\{|:(?!:))")
_BEHIND = re.compile(rb"\)[ \t]*(?:const[ \t]*)?(" + _UPPER + rb")\b(?=\s*(?:[({]|->))")
_LISTED = re.compile(rb"(?:\benum(?:\s+(?:class\s+|struct\s+)?\w+)?(?:\s*:\s*[\w:]+)?|[=,({])\s*$")
_LOOP = re.compile(rb"^([ \t]*)(\w*(?:for_?each|FOR_?EACH)\w*)[ \t]*\(", re.MULTILINE)
_TRAILING = re.compile(rb"^[ \t]*(?!(?:if|while|for|switch|return|else|do|case)\b)[\w \t*&:<>,]+\(", re.MULTILINE)
_AFTER = re.compile(rb"[ \t\r\n]*(" + _UPPER + rb")\b")
_BEFORE_WORD = re.compile(
    rb"\s+(?:template|class|friend|static|inline|constexpr|virtual|explicit|using|typedef|namespace)\b"
)
_MAKER = re.compile(rb"\s+~?[A-Za-z_]\w*\s*\(")
_MADE = re.compile(rb"\s*(?:noexcept\s*)?:(?!:)")
_IN_HEAD = re.compile(rb"\bif[ \t]+(" + _UPPER + rb")[ \t]*(?=\()|\benum[ \t]*(:[ \t]*[\w:]+)\s*(?=\{)")
_BEHIND_NAME = re.compile(
    rb"[\w&*>]\s*\b(?!(?:const|struct|union|enum|unsigned|signed|class|typename|return|volatile|sizeof)\b)"
    rb"[a-z_]\w*[ \t]+(" + _UPPER + rb")(?=\s*[),])"
)
_ASKED = re.compile(rb"\(\s*(<[^>\n]*>)\s*\)")
_TEMPLATE = re.compile(rb"\btemplate\s*<")
_GIVEN = re.compile(rb"[<,]\s*(" + _UPPER + rb")\(")
_ALONE = re.compile(rb"^[ \t]*(" + _UPPER + rb")(?=\()", re.MULTILINE)
_TYPES = re.compile(rb"\b(?:int|char|long|short|unsigned|signed|float|double|bool|void|const|struct)\b")
_PLACED = re.compile(rb"__attribute__\s*\(\(")
_INSTANCE = re.compile(rb"^[ \t]*extern[ \t]+template\b[^;{}]*;", re.MULTILINE)
_STARTS = re.compile(
    rb"(?:static|inline|extern|virtual|constexpr|explicit|template|const|unsigned|void|bool|int|char|auto|class|struct"
    rb"|public|private|protected|namespace|typedef|using|friend|enum|long|double|float)\b"
)
_FUNCTION = re.compile(rb"(?!(?:if|while|for|switch|do|return|else)\b)\w+\s*\(")
_BRACES = re.compile(rb"[{}()]")
_NEVER, _ALWAYS = frozenset({b"0", b"false"}), frozenset({b"1", b"true"})
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def shown(source: bytes) -> bytes:
    """`source` as the parser should see it, with as many bytes."""
    return _Covering(source).run()


def shown_conditionals(source: bytes) -> bytes:
    """The same of a language that has conditionals and no macros: C#."""
    return _Covering(source).run(macros=False) if b"#" in source else source


def unread(text: str) -> str:
    """What a covered part still says: "" for `#if 0`, else its text without comments and layout."""
    head = re.match(r"#\s*if\s+(?:0|false)\s*(?:$|\n|//|/\*)", text)
    return "" if head else " ".join(_COMMENT.sub(" ", text).split())


@define(eq=False, slots=True)
class _Group:
    """A conditional: where its directives are, the first `#if` and the last `#endif` among them."""

    directives: list[tuple[int, int, bytes, bytes]] = field(factory=list[tuple[int, int, bytes, bytes]])


class _Covering:
    def __init__(self, source: bytes) -> None:
        self.source = source
        self.out = bytearray(source)
        self.changed = False
        self.others: list[tuple[int, int]] = []  # directives that are no conditionals
        # comments, strings and directives blanked, as the searches below would be led astray by what they say
        self.plain = bytearray(_QUIET.sub(lambda found: found[0].translate(_BLANK), source))

    def run(self, *, macros: bool = True) -> bytes:
        groups = self._groups()
        if macros:
            self._lone_macros()
            self._class_macros()
            self._prefixes()
            self._macros_behind()
            self._macros_at_end()
            self._macros_within()
            self._loops()
        for group in groups:
            self._settle(group)
        for start, end in self.others if macros else ():
            if self._in_list(start):
                self._cover(start, end)
        return bytes(self.out) if self.changed else self.source

    def _cover(self, start: int, end: int) -> None:
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

    def _groups(self) -> list[_Group]:
        """The conditionals of the text, inner ones before those around them; blanks every directive."""
        done: list[_Group] = []
        waiting: list[_Group] = []
        for found in _DIRECTIVE.finditer(bytes(self.plain)):
            start, end = found.start() + len(found[0]) - len(found[0].lstrip()), found.end()
            self.plain[start:end] = self.plain[start:end].translate(_BLANK)
            read = _CONDITIONAL.match(found[0])
            if read is None:
                self.others.append((start, end))
                continue
            word = read[1]
            if word.startswith(b"if"):
                waiting.append(_Group())
            if not waiting:
                continue
            for asked in _ASKED.finditer(found[0]):  # `__has_include(<bit>)`
                a, b = found.start() + asked.start(1), found.start() + asked.end(1)
                self.out[a:b] = b"_" * (b - a)
                self.changed = True
            waiting[-1].directives.append((start, end, word, b" ".join(read[2].split())))
            if word == b"endif":
                done.append(waiting.pop())
        return done

    def _settle(self, group: _Group) -> None:
        directives = group.directives
        branches = [(left[1], right[0]) for left, right in pairwise(directives)]
        word, condition = directives[0][2], directives[0][3]
        if word == b"if" and condition in _NEVER:
            self._cover_never(directives, branches)
        elif (word == b"if" and condition in _ALWAYS and len(branches) > 1) or not (
            self._at_boundary(directives[0][0]) and all(self._is_whole(*branch) for branch in branches)
        ):
            self._cover(directives[0][0], directives[0][1])
            self._cover(directives[1][0], directives[-1][1])

    def _cover_never(self, directives: list[tuple[int, int, bytes, bytes]], branches: list[tuple[int, int]]) -> None:
        if len(branches) == 1:
            self._cover(directives[0][0], directives[-1][1])
        elif directives[1][2] == b"else":
            self._cover(directives[0][0], directives[1][1])
            self._cover(directives[-1][0], directives[-1][1])

    def _at_boundary(self, start: int) -> bool:
        """True where a statement or declaration may begin."""
        before = self._before(start)
        if before < 0 or self.plain[before] in b";}":
            return True
        if self.plain[before] == 0x3A:  # a label or `public:`
            return self.plain[self._before(before)] not in b"?)"
        if self.plain[before] != 0x7B:
            return False
        above = self._before(before)
        return above < 0 or self.plain[above] not in b"=,({"

    def _is_whole(self, start: int, end: int) -> bool:
        """True for a branch that neither opens nor closes anything, and does not stop inside a statement."""
        body = bytes(self.plain[start:end])
        depth = 0
        for brace in _BRACES.findall(body):
            depth += 1 if brace in b"{(" else -1
            if depth < 0:
                return False
        return depth == 0 and body.rstrip()[-1:] in (b"", b";", b"}", b":")

    def _before(self, at: int) -> int:
        """The last byte before `at` that is no white space, -1 for none."""
        width = 256
        while True:
            start = max(0, at - width)
            held = len(self.plain[start:at].rstrip())
            if held or not start:
                return start + held - 1
            width *= 8

    def _after(self, at: int) -> int:
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

    # macros

    def _closed(self, start: int) -> int:
        """Behind the parenthesis that closes the one at `start`, or `start` when nothing near does."""
        depth = 0
        for found in _BRACES.finditer(self.plain, start, start + 4000):
            depth += {b"(": 1, b")": -1}.get(found[0], 0)
            if found[0] in b"{}":
                break
            if not depth:
                return found.end()
        return start

    def _lone_macros(self) -> None:
        """Macros on a line of their own, without a semicolon, before something that begins anew."""
        for found in _LONE.finditer(bytes(self.plain)):
            end = found.end()
            given = bytes(self.plain[end : end + 1]) == b"("
            if given:
                closed = self._closed(end)
                if closed == end or self.plain[closed : closed + 200].split(b"\n", 1)[0].strip():
                    continue
                end = closed
            before, after = self._before(found.start(2)), self._after(end)
            missing = before >= 0 and self.plain[before] in b",{" and after < len(self.plain)
            if missing and not given and (self.plain[after] == 0x7B or self._is_element(after)):
                self._cover(found.start(2), end)  # elements of a list that a macro brings along
                continue
            if before >= 0 and self.plain[before] not in b";{}:" and not self._ends_template(before):
                continue
            if after < len(self.plain) and not (chr(self.plain[after]).isalpha() or self.plain[after] in b"_~[}"):
                continue
            if after < len(self.plain) and self.plain[after] == 0x7D and before >= 0 and self.plain[before] == 0x7B:
                continue  # the one member of an enumeration
            follows = bytes(self.plain[after : after + 200])
            if given and found[1] and not _STARTS.match(follows):
                continue
            if not given and _FUNCTION.match(follows):
                continue  # a type on a line of its own, before the function's name
            self._cover(found.start(2), end)

    def _is_element(self, at: int) -> bool:
        """True where an element of a list begins, so that a comma would be missing before it."""
        return self.plain[self._before(at)] != 0x2C and re.match(rb"\w+\s*[,(]", self.plain[at : at + 120]) is not None

    def _ends_template(self, at: int) -> bool:
        line = bytes(self.plain[self.plain.rfind(b"\n", 0, at) + 1 : at + 1]).strip()
        return line.startswith(b"template") and line.endswith(b">")

    def _class_macros(self) -> None:
        for found in _CLASS.finditer(bytes(self.plain)):
            end = self._with_arguments(found.end(1))
            if _NAMED.match(bytes(self.plain[end : end + 200])):
                self._cover(found.start(1), end)

    def _prefixes(self) -> None:
        for _ in range(3):  # `API INLINE int f()`
            covered = False
            for found in _PREFIX.finditer(bytes(self.plain)):
                end = self._with_arguments(found.end(1))
                before = self._before(found.start())
                if before >= 0 and self.plain[before] not in b";{}:>)":
                    continue
                follows = bytes(self.plain[end : end + 300])
                if _DECLARED.match(follows) or _BEFORE_WORD.match(follows) or self._makes(end):
                    self._cover(found.start(1), end)
                    covered = True
            if not covered:
                return

    def _makes(self, end: int) -> bool:
        """True before a constructor with a list of what it makes: `API Shape(int a) : area(a) {`."""
        named = _MAKER.match(self.plain, end)
        if named is None:
            return False
        closed = self._closed(named.end() - 1)
        return closed != named.end() - 1 and _MADE.match(self.plain, closed) is not None

    def _macros_within(self) -> None:
        """`if CONSTEXPR (a)`, `enum : int {`, `int a UNUSED)`, `template <class T, ENABLE_IF(a)>`, `DEFINE(int, a);`"""
        for pattern in (_IN_HEAD, _BEHIND_NAME):
            for found in pattern.finditer(bytes(self.plain)):
                self._cover(*found.span(found.lastindex or 1))
        for template in _TEMPLATE.finditer(bytes(self.plain)):
            stop = self.plain.find(b"\n\n", template.end(), template.end() + 1200)
            for found in _GIVEN.finditer(self.plain, template.end() - 1, stop if stop > 0 else template.end() + 600):
                start, opened = found.start(1), found.end() - 1
                closed = self._closed(opened)
                if closed != opened and bytes(self.plain[(at := self._after(closed)) : at + 1]) in (b">", b","):
                    self._cover(start + 3, closed)
                    self.out[start : start + 3] = b"int"
        for found in _ALONE.finditer(bytes(self.plain)):
            closed = self._closed(found.end())
            if bytes(self.plain[closed : closed + 1]) == b";" and _TYPES.search(self.plain, found.end(), closed):
                before = self._before(found.start(1))
                if before < 0 or self.plain[before] in b";{}>":
                    self._cover(found.start(1), closed)

    def _macros_behind(self) -> None:
        for found in _BEHIND.finditer(bytes(self.plain)):
            end = self._with_arguments(found.end(1))
            after = self._after(end)
            if bytes(self.plain[after : after + 2]).startswith((b"{", b"->")):
                self._cover(found.start(1), end)
        for found in _INSTANCE.finditer(bytes(self.plain)):
            self._cover(found.start(), found.end())
        for found in _PLACED.finditer(bytes(self.plain)):
            end = self._closed(self.plain.index(b"(", found.start()))
            if bytes(self.plain[self._after(end) :][:1]) in (b"=", b",", b":"):
                self._cover(found.start(), end)

    def _macros_at_end(self) -> None:
        """`int f(const char *, ...) PRINTF_LIKE(1, 2);`"""
        for found in _TRAILING.finditer(bytes(self.plain)):
            closed = self._closed(found.end() - 1)
            behind = _AFTER.match(self.plain, closed) if closed != found.end() - 1 else None
            if behind is None or b"=" in found[0]:
                continue
            start, end = behind.start(1), self._with_arguments(behind.end(1))
            if bytes(self.plain[(after := self._after(end)) : after + 1]) == b";":
                self._cover(start, end)

    def _loops(self) -> None:
        """`list_for_each(entry, list) {` is read as `while`, as long as that fits into its name."""
        for found in _LOOP.finditer(bytes(self.plain)):
            opened = found.end() - 1
            closed, start = self._closed(opened), found.start(2)
            after = self._after(closed)
            if (
                closed == opened
                or opened - start < 5
                or bytes(self.plain[after : after + 1]) in (b";", b",", b")", b"")
            ):
                continue
            before = self._before(start)
            if before < 0 or self.plain[before] in b";{})":
                self.out[start:opened] = b"while".ljust(opened - start)
                self.changed = True

    def _in_list(self, start: int) -> bool:
        """True inside an initialiser, an enumeration or arguments, where the grammar allows no directive."""
        for _ in range(4):
            before = bytes(self.plain[max(0, start - 400) : start]).rstrip()
            if not before or before[-1:] in b";}":
                return False
            if before[-1:] == b"{":
                return _LISTED.search(before[:-1]) is not None
            if before[-1:] in b",(=":
                return True
            word = re.search(rb"\w+$", before)
            if word is None:
                return False
            start -= min(start, 400) - (len(before) - len(word[0])) if start >= 400 else start - word.start()
        return False

    def _with_arguments(self, end: int) -> int:
        """Behind the arguments that follow a macro's name, when some do."""
        after = self._after(end)
        return self._closed(after) if bytes(self.plain[after : after + 1]) == b"(" else end
