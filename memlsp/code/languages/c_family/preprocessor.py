"""Hides macros from the parser of C and C++ where the preprocessor would have rewritten the text.

A grammar without a preprocessor stumbles over macros that stand where no name can: `API int f(void);`, a lone
`Q_OBJECT`, `class EXPORT Shape`, `list_for_each(a, b) {`. Those are covered as conditionals are.
"""

from __future__ import annotations

import re
from itertools import islice

from memlsp.code.languages.c_family.conditionals import CoveredSource
from memlsp.code.vocabulary import BytePatterns

_RE = BytePatterns(__name__)
_GIVEN_AT_MOST = 3  # macros in the head of one template


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
        for found in _RE["lone"].finditer(bytes(self.plain)):
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
                if (not found[1] or _RE["starts"].match(follows)) if given else not _RE["function"].match(follows):
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
        for found in _RE["class"].finditer(bytes(self.plain)):
            end = self._with_arguments(found.end(1))
            if _RE["named"].match(bytes(self.plain[end : end + 200])):
                self.cover(found.start(1), end)

    def _prefixes(self) -> None:
        for _ in range(3):  # `API INLINE int f()`
            covered = False
            for found in _RE["prefix"].finditer(bytes(self.plain)):
                end = self._with_arguments(found.end(1))
                before = self.before(found.start())
                if before >= 0 and self.plain[before] not in b";{}:>)":
                    continue
                follows = bytes(self.plain[end : end + 300])
                if _RE["declared"].match(follows) or _RE["before_word"].match(follows) or self._makes(end):
                    self.cover(found.start(1), end)
                    covered = True
            if not covered:
                return

    def _makes(self, end: int) -> bool:
        """True before a constructor with a list of initialisers: `API Shape(int a) : area(a) {`."""
        named = _RE["maker"].match(self.plain, end)
        if named is None:
            return False
        closed = self.closed(named.end() - 1)
        return closed != named.end() - 1 and _RE["made"].match(self.plain, closed) is not None

    def _macros_within(self) -> None:
        """`if CONSTEXPR (a)`, `enum : int {`, `int a UNUSED)`, `template <class T, ENABLE_IF(a)>`, `DEFINE(int, a);`"""
        for pattern in (_RE["in_head"], _RE["behind_name"]):
            for found in pattern.finditer(bytes(self.plain)):
                self.cover(*found.span(found.lastindex or 1))
        for template in _RE["template"].finditer(bytes(self.plain)):
            stop = self.plain.find(b"\n\n", template.end(), template.end() + 1200)
            for found in islice(
                _RE["given"].finditer(self.plain, template.end() - 1, stop if stop > 0 else template.end() + 600),
                _GIVEN_AT_MOST,
            ):
                start, opened = found.start(1), found.end() - 1
                closed = self.closed(opened)
                if closed != opened and bytes(self.plain[(at := self.after(closed)) : at + 1]) in (b">", b","):
                    self.cover(start + 3, closed)
                    self.out[start : start + 3] = b"int"
        for found in _RE["alone"].finditer(bytes(self.plain)):
            closed = self.closed(found.end())
            if bytes(self.plain[closed : closed + 1]) == b";" and _RE["types"].search(self.plain, found.end(), closed):
                before = self.before(found.start(1))
                if before < 0 or self.plain[before] in b";{}>":
                    self.cover(found.start(1), closed)

    def _macros_behind(self) -> None:
        for found in _RE["behind"].finditer(bytes(self.plain)):
            end = self._with_arguments(found.end(1))
            after = self.after(end)
            if bytes(self.plain[after : after + 2]).startswith((b"{", b"->")):
                self.cover(found.start(1), end)
        for found in _RE["instance"].finditer(bytes(self.plain)):
            self.cover(found.start(), found.end())
        for found in _RE["placed"].finditer(bytes(self.plain)):
            end = self.closed(self.plain.index(b"(", found.start()))
            if bytes(self.plain[self.after(end) :][:1]) in (b"=", b",", b":"):
                self.cover(found.start(), end)

    def _macros_at_end(self) -> None:
        """`int f(const char *, ...) PRINTF_LIKE(1, 2);`"""
        for found in _RE["trailing"].finditer(bytes(self.plain)):
            closed = self.closed(found.end() - 1)
            behind = _RE["after"].match(self.plain, closed) if closed != found.end() - 1 else None
            if behind is None or b"=" in found[0]:
                continue
            start, end = behind.start(1), self._with_arguments(behind.end(1))
            if bytes(self.plain[(after := self.after(end)) : after + 1]) == b";":
                self.cover(start, end)

    def _loops(self) -> None:
        """`list_for_each(entry, list) {` is read as `while`, as long as that fits into its name."""
        for found in _RE["loop"].finditer(bytes(self.plain)):
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
                return _RE["listed"].search(before[:-1]) is not None
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
