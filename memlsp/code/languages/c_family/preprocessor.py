"""Hides macros from the parser of C and C++ where the preprocessor would have rewritten the text.

A grammar without a preprocessor stumbles over macros that stand where no name can: `API int f(void);`, a lone
`Q_OBJECT`, `class EXPORT Shape`, `list_for_each(a, b) {`. Those are covered as conditionals are.
"""

from __future__ import annotations

import re
from itertools import islice

from memlsp.code.languages.c_family.conditionals import CoveredSource

_UPPER = rb"[A-Z][A-Z0-9_]{2,}"
_LONE = re.compile(rb"^([ \t]*)(" + _UPPER + rb")\b[ \t]*(?=[(\r\n])", re.MULTILINE)
_PREFIX = re.compile(
    # possessive, and of arguments nested once: whatever ends a template's head could begin the next one
    rb"^[ \t]*+(?:(?:static|inline|extern|virtual|constexpr|explicit|friend"
    rb"|template[ \t]*+<[^;{}<>\n]*+(?:<[^;{}<>\n]*+>[^;{}<>\n]*+)*+>)[ \t]++){0,8}+("
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
_TEMPLATE = re.compile(rb"\btemplate\s*<")
_GIVEN = re.compile(rb"[<,]\s*(" + _UPPER + rb")\(")
_GIVEN_AT_MOST = 3  # macros in the head of one template
_ALONE = re.compile(rb"^[ \t]*(" + _UPPER + rb")(?=\()", re.MULTILINE)
_TYPES = re.compile(rb"\b(?:int|char|long|short|unsigned|signed|float|double|bool|void|const|struct)\b")
_PLACED = re.compile(rb"__attribute__\s*\(\(")
_INSTANCE = re.compile(rb"^[ \t]*extern[ \t]+template\b[^;{}]*;", re.MULTILINE)
_STARTS = re.compile(
    rb"(?:static|inline|extern|virtual|constexpr|explicit|template|const|unsigned|void|bool|int|char|auto|class|struct"
    rb"|if|for|while|switch|public|private|protected|namespace|typedef|using|friend|enum|long|double|float)\b"
)
_FUNCTION = re.compile(rb"(?!(?:if|while|for|switch|do|return|else)\b)\w+\s*\(")


def shown(source: bytes) -> bytes:
    """`source` as the parser should see it, with as many bytes."""
    return _Macros(source).run()


class _Macros(CoveredSource):
    def before_conditionals(self) -> None:
        self._lone_macros()
        self._class_macros()
        self._prefixes()
        self._macros_behind()
        self._macros_at_end()
        self._macros_within()
        self._loops()

    def after_conditionals(self) -> None:
        for start, end in self.others:
            if self._in_list(start):
                self.cover(start, end)

    def _lone_macros(self) -> None:
        """Macros on a line of their own, without a semicolon, before something that begins anew."""
        for found in _LONE.finditer(bytes(self.plain)):
            start, end = found.start(2), found.end()
            given = bytes(self.plain[end : end + 1]) == b"("
            if given:
                closed = self.closed(end)
                if b"EACH" in found[2]:
                    continue  # a loop
                if closed == end or self.plain[closed : closed + 200].split(b"\n", 1)[0].strip():
                    continue
                end = closed
            if not given and self._brings_elements(start, end):
                self.cover(start, end)
            elif self._begins_anew(start, end):
                after = self.after(end)
                follows = bytes(self.plain[after : after + 200])
                # without arguments it may be a type on a line of its own, before the function's name
                if (not found[1] or _STARTS.match(follows)) if given else not _FUNCTION.match(follows):
                    self.cover(start, end)

    def _brings_elements(self, start: int, end: int) -> bool:
        """True for a macro that holds the first elements of a list, commas included."""
        before, after = self.before(start), self.after(end)
        if before < 0 or self.plain[before] not in b",{" or after >= len(self.plain):
            return False
        return self.plain[after] == 0x7B or self._is_element(after)

    def _begins_anew(self, start: int, end: int) -> bool:
        """True between two statements or declarations: one ends before the range, and another begins after it."""
        before, after = self.before(start), self.after(end)
        if before >= 0 and self.plain[before] not in b";{}:" and not self._ends_template(before):
            return False
        if after >= len(self.plain):
            return True
        if self.plain[after] == 0x7D and before >= 0 and self.plain[before] == 0x7B:
            return False  # the one member of an enumeration
        return chr(self.plain[after]).isalpha() or self.plain[after] in b"_~[}"

    def _is_element(self, at: int) -> bool:
        """True where an element of a list begins, so that a comma would be missing before it."""
        return self.plain[self.before(at)] != 0x2C and re.match(rb"\w+\s*[,(]", self.plain[at : at + 120]) is not None

    def _ends_template(self, at: int) -> bool:
        line = bytes(self.plain[self.plain.rfind(b"\n", 0, at) + 1 : at + 1]).strip()
        return line.startswith(b"template") and line.endswith(b">")

    def _class_macros(self) -> None:
        for found in _CLASS.finditer(bytes(self.plain)):
            end = self._with_arguments(found.end(1))
            if _NAMED.match(bytes(self.plain[end : end + 200])):
                self.cover(found.start(1), end)

    def _prefixes(self) -> None:
        for _ in range(3):  # `API INLINE int f()`
            covered = False
            for found in _PREFIX.finditer(bytes(self.plain)):
                end = self._with_arguments(found.end(1))
                before = self.before(found.start())
                if before >= 0 and self.plain[before] not in b";{}:>)":
                    continue
                follows = bytes(self.plain[end : end + 300])
                if _DECLARED.match(follows) or _BEFORE_WORD.match(follows) or self._makes(end):
                    self.cover(found.start(1), end)
                    covered = True
            if not covered:
                return

    def _makes(self, end: int) -> bool:
        """True before a constructor with a list of initialisers: `API Shape(int a) : area(a) {`."""
        named = _MAKER.match(self.plain, end)
        if named is None:
            return False
        closed = self.closed(named.end() - 1)
        return closed != named.end() - 1 and _MADE.match(self.plain, closed) is not None

    def _macros_within(self) -> None:
        """`if CONSTEXPR (a)`, `enum : int {`, `int a UNUSED)`, `template <class T, ENABLE_IF(a)>`, `DEFINE(int, a);`"""
        for pattern in (_IN_HEAD, _BEHIND_NAME):
            for found in pattern.finditer(bytes(self.plain)):
                self.cover(*found.span(found.lastindex or 1))
        for template in _TEMPLATE.finditer(bytes(self.plain)):
            stop = self.plain.find(b"\n\n", template.end(), template.end() + 1200)
            for found in islice(
                _GIVEN.finditer(self.plain, template.end() - 1, stop if stop > 0 else template.end() + 600),
                _GIVEN_AT_MOST,
            ):
                start, opened = found.start(1), found.end() - 1
                closed = self.closed(opened)
                if closed != opened and bytes(self.plain[(at := self.after(closed)) : at + 1]) in (b">", b","):
                    self.cover(start + 3, closed)
                    self.out[start : start + 3] = b"int"
        for found in _ALONE.finditer(bytes(self.plain)):
            closed = self.closed(found.end())
            if bytes(self.plain[closed : closed + 1]) == b";" and _TYPES.search(self.plain, found.end(), closed):
                before = self.before(found.start(1))
                if before < 0 or self.plain[before] in b";{}>":
                    self.cover(found.start(1), closed)

    def _macros_behind(self) -> None:
        for found in _BEHIND.finditer(bytes(self.plain)):
            end = self._with_arguments(found.end(1))
            after = self.after(end)
            if bytes(self.plain[after : after + 2]).startswith((b"{", b"->")):
                self.cover(found.start(1), end)
        for found in _INSTANCE.finditer(bytes(self.plain)):
            self.cover(found.start(), found.end())
        for found in _PLACED.finditer(bytes(self.plain)):
            end = self.closed(self.plain.index(b"(", found.start()))
            if bytes(self.plain[self.after(end) :][:1]) in (b"=", b",", b":"):
                self.cover(found.start(), end)

    def _macros_at_end(self) -> None:
        """`int f(const char *, ...) PRINTF_LIKE(1, 2);`"""
        for found in _TRAILING.finditer(bytes(self.plain)):
            closed = self.closed(found.end() - 1)
            behind = _AFTER.match(self.plain, closed) if closed != found.end() - 1 else None
            if behind is None or b"=" in found[0]:
                continue
            start, end = behind.start(1), self._with_arguments(behind.end(1))
            if bytes(self.plain[(after := self.after(end)) : after + 1]) == b";":
                self.cover(start, end)

    def _loops(self) -> None:
        """`list_for_each(entry, list) {` is read as `while`, as long as that fits into its name."""
        for found in _LOOP.finditer(bytes(self.plain)):
            opened = found.end() - 1
            closed, start = self.closed(opened), found.start(2)
            after = self.after(closed)
            if (
                closed == opened
                or opened - start < 5
                or bytes(self.plain[after : after + 1]) in (b";", b",", b")", b"")
            ):
                continue
            before = self.before(start)
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
        after = self.after(end)
        return self.closed(after) if bytes(self.plain[after : after + 1]) == b"(" else end
