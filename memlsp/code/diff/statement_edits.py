"""The edit script of a definition: the smallest list of statement edits that an alignment shows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from attrs import define, field, frozen

from memlsp.code.diff.alignment import AlignmentTree, increasing, is_block
from memlsp.code.vocabulary import texts
from memlsp.model.change import Detail, DetailKind, detail_kinds

_SHORT = 14  # characters below which an expression is shown with what is around it
_WIDE = 44  # characters up to which it grows
_WIDEST = 160  # the same for arguments and bare names, which say nothing without what is around them
_WHOLE = 72  # characters up to which a changed expression is shown whole
_SEPARATE = 4  # changes inside of one statement that are reported one by one


@frozen
class StatementEdit:
    """One edit, as a detail of a kind STATEMENT_..., a compound statement by its first line.

    For CHANGED, `old` and `new` are the smallest differing parts, None for nothing, and `name` is the statement; for
    MOVED `new` says where to; for WRAPPED and UNWRAPPED `new` and `old` are the statement around. `header` is True
    outside of any body: a signature, a decorator."""

    detail: Detail
    header: bool = False


def edits_between(old: AlignmentTree, new: AlignmentTree, *, data: bool = False) -> tuple[StatementEdit, ...]:
    """The edits between two aligned trees, in the order of the new one. With `data`, entries of tables and lists count
    as statements."""
    return _EditScript(old, new, data=data).run()


@define(eq=False)
class _Difference:
    """A difference inside a statement: the pair of nodes that holds it, and the node that came or went."""

    old: int
    new: int
    came: int = -1
    went: int = -1


@define(eq=False)
class _EditScript:
    old: AlignmentTree
    new: AlignmentTree
    data: bool = False
    differences: dict[tuple[int, int], list[_Difference]] = field(
        factory=lambda: defaultdict[tuple[int, int], list[_Difference]](list)
    )
    edits: list[tuple[int, int, StatementEdit]] = field(factory=list[tuple[int, int, StatementEdit]])
    heads: list[str] = field(factory=list[str])  # of the definition before and after, where it is another kind of node

    def run(self) -> tuple[StatementEdit, ...]:
        if self.old.ids[0] != self.new.ids[0]:
            self._pairs()
        if len(self.heads) == 2 and self.heads[0] != self.heads[1]:
            self._add(0, 0, DetailKind.STATEMENT_CHANGED, (self.heads[1], self.heads[0], self.heads[1]), header=True)
        for (a, b), differences in self.differences.items():
            self._changed(a, b, differences)
        self.edits.sort(key=lambda entry: entry[:2])
        return tuple(dict.fromkeys(edit for _, _, edit in self.edits))

    # --- finding

    def _pairs(self) -> None:
        old, new = self.old, self.new
        waiting = [(0, 0)]
        seen: set[tuple[int, int]] = set()
        while waiting:
            a, b = waiting.pop()
            if (a, b) in seen or old.ids[a] == new.ids[b]:
                continue
            seen.add((a, b))
            if a and (old.kind(a) != new.kind(b) or old.is_leaf(a) or new.is_leaf(b)):
                self._in_statement(_Difference(a, b))
                waiting += self._inside(b)
                continue
            left, right = old.children(a), new.children(b)
            positions = {child: index for index, child in enumerate(right)}
            within = [(i, positions[old.match[x]]) for i, x in enumerate(left) if old.match[x] in positions]
            kept = {i for i, _ in increasing(within)}
            for x in left:
                if old.match[x] < 0:
                    self._gone(x, a, b)
            for y in right:
                x = new.match[y]
                if x < 0:
                    self._came(y, a, b)
                    waiting += self._inside(y)
                    continue
                if old.parent[x] != a or left.index(x) not in kept:
                    self._moved(x, y, a, b)
                waiting.append((x, y))

    def _inside(self, at: int) -> Iterator[tuple[int, int]]:
        """The outermost pairs below a new node that has no partner."""
        new = self.new
        inner, stop = at + 1, new.end[at]
        while inner < stop:
            if new.match[inner] > 0:
                yield new.match[inner], inner
                inner = new.end[inner]
            else:
                inner += 1

    def _gone(self, x: int, a: int, b: int) -> None:
        old = self.old
        if self._is_whole(x, 1):
            self.heads.append(_text(old, x, deep=True))
            return
        if is_block(old.kind(x)) and any(old.match[inner] > 0 for inner in range(x + 1, old.end[x])):
            for child in old.children(x):
                if old.match[child] < 0:
                    self._gone(child, a, b)
            return
        if not self._is_statement(old, x):
            self._in_statement(_Difference(a, b, went=x))
            return
        kept = [inner for inner in range(x + 1, old.end[x]) if old.match[inner] > 0 and self._is_statement(old, inner)]
        place = self._place_before(x)
        if kept:
            outer = [k for k in kept if not any(o < k < old.end[o] for o in kept)]
            text = _text(self.new, old.match[outer[0]])
            self._add(place, x, DetailKind.STATEMENT_UNWRAPPED, (text, _text(old, x), None))
            return
        self._add(place, x, DetailKind.STATEMENT_REMOVED, ("", _text(old, x), None))

    def _came(self, y: int, a: int, b: int) -> None:
        new = self.new
        if self._is_whole(1, y):
            self.heads.append(_text(new, y, deep=True))
            return
        if is_block(new.kind(y)) and self._inside(y):  # around a lone statement
            for child in new.children(y):
                if new.match[child] < 0:
                    self._came(child, a, b)
            return
        if not self._is_statement(new, y):
            self._in_statement(_Difference(a, b, came=y))
            return
        outer = next((each for x, each in self._inside(y) if self._is_statement(new, each) and self._held(x, y)), None)
        if outer is None:
            self._add(y, 0, DetailKind.STATEMENT_ADDED, ("", None, _text(new, y)))
            return
        inside = _text(new, outer)
        around = _around(inside, _text(new, y, deep=True))
        self._add(y, 0, DetailKind.STATEMENT_WRAPPED, (inside, None, around))

    def _is_whole(self, x: int, y: int) -> bool:
        """True for the one node of the whole definition."""
        alone = self.old.end[1:2] == self.old.end[:1] and self.new.end[1:2] == self.new.end[:1]
        return alone and x == y == 1

    def _held(self, x: int, y: int) -> bool:
        """True when what held the old node holds the new one too, further out: it was not under another statement."""
        up = self.old.parent[x]
        while up > 0 and self.old.match[up] < 0:
            up = self.old.parent[up]
        return self.old.match[max(up, 0)] < y < self.new.end[self.old.match[max(up, 0)]]

    def _moved(self, x: int, y: int, a: int, b: int) -> None:
        old, new = self.old, self.new
        if not self._is_statement(new, y) or not self._is_statement(old, x):
            self._in_statement(_Difference(a, b))
            return
        if old.parent[x] != a:
            former, holder = _holder(old, old.parent[x]), _holder(new, new.parent[y])
            if former and old.match[former] in (-1, holder):
                return  # its former holder is gone, which is reported, or only its braces are
            if not holder and not former:
                return
            inside = f"into {_around(_text(new, y), _text(new, holder))}"
            where = inside if holder else f"out of {_around(_text(old, x), _text(old, former))}"
        else:
            siblings = new.children(b)
            at = siblings.index(y)
            if at + 1 < len(siblings) and new.match[siblings[at + 1]] > 0:
                where = f"before {_text(new, siblings[at + 1])}"
            elif at:
                where = f"after {_text(new, siblings[at - 1])}"
            else:
                where = "to the front"
        self._add(y, 0, DetailKind.STATEMENT_MOVED, (_text(new, y), None, where))

    def _place_before(self, x: int) -> int:
        """The place of a removed node in the new order: behind its former predecessor."""
        while x > 0:
            x -= 1
            if self.old.match[x] > 0:
                return self.old.match[x]
        return 0

    def _add(
        self, place: int, then: int, deed: DetailKind, said: tuple[str, str | None, str | None], *, header: bool = False
    ) -> None:
        """Add an edit of which something is `said`: a name, or what came or went."""
        name, old, new = said
        if (old or new if deed in _TWO_SIDED else name) and (deed is not DetailKind.STATEMENT_CHANGED or old != new):
            self.edits.append((place, then, StatementEdit(Detail(deed, name, old or None, new or None), header)))

    # --- changes inside of a statement

    def _in_statement(self, difference: _Difference) -> None:
        b = difference.came if difference.came >= 0 else difference.new
        while b > 0 and not (self._is_statement(self.new, b) and self.new.match[b] >= 0):
            b = self.new.parent[b]
        self.differences[max(0, self.new.match[b]), b].append(difference)

    def _changed(self, a: int, b: int, differences: Sequence[_Difference]) -> None:
        header = b == 0 or (self.new.parent[b] == 0 and not self.data)
        statement = _text(self.new, b) if b else ""
        pair = self._smallest(differences, a, b)
        texts = self._texts(*pair)
        separate = max(len(text) for text in texts) > _WHOLE and len(differences) > 1
        for difference in differences[: _SEPARATE if separate else 1]:
            is_one = separate or len(differences) == 1
            old, new = self._one(difference, a, b) if is_one else texts
            place = (difference.new, difference.old) if separate else (b, a)
            self._add(*place, DetailKind.STATEMENT_CHANGED, (statement, old, new), header=header)

    def _one(self, difference: _Difference, a: int, b: int) -> tuple[str, str]:
        x, y = self._smallest([difference], a, b)
        old, new = self._texts(x, y)
        is_large = max(len(old), len(new)) > _WHOLE or is_block(self.new.kind(y)) or not y
        came, went = (
            "" if at < 0 else _text(side, at) for side, at in ((self.new, difference.came), (self.old, difference.went))
        )
        # a short one says nothing without what is around it, of which is shown what is next to it
        is_said = max(len(came), len(went)) >= _SHORT or not (old and new)
        return (went, came) if is_large and is_said and (came or went) else (old, new)

    def _smallest(self, differences: Sequence[_Difference], a: int, b: int) -> tuple[int, int]:
        """The smallest pair that holds all differences, grown to an expression that a reader recognises."""
        x, y = differences[0].old, differences[0].new
        for difference in differences[1:]:
            x, y = _common(self.old, x, difference.old), _common(self.new, y, difference.new)
        while x != a and y != b and self.old.match[x] != y:
            x, y = self.old.parent[x], self.new.parent[y]
        if x <= a or y <= b:
            return a, b
        while True:
            up, over = self.old.parent[x], self.new.parent[y]
            if not a or up < a or over < b or self.old.match[up] != over or self._is_enough((x, y), (up, over)):
                return x, y
            x, y = up, over

    def _is_enough(self, pair: tuple[int, int], around: tuple[int, int]) -> bool:
        """True where a pair says what it is, or what is around it is too much to show."""
        now, then = self._texts(*pair), self._texts(*around)
        kind = self.new.kind(pair[1])
        is_part = "argument" in kind or all(text.isidentifier() for text in now)
        if max(len(text) for text in then) > (_WIDEST if is_part else _WIDE) or is_block(self.new.kind(around[1])):
            return True
        return min(len(text) for text in now) >= _SHORT and not _is_list(kind)

    def _texts(self, x: int, y: int) -> tuple[str, str]:
        return (_text(self.old, x) if x else "", _text(self.new, y) if y else "")

    def _is_statement(self, side: AlignmentTree, at: int) -> bool:
        if at <= 0:
            return False
        parent = side.parent[at]
        if parent == 0:
            return side.node[parent] < 0 and not side.kind(at).endswith("identifier")
        kind = side.kind(at)
        if is_block(side.kind(parent)) and side.kind(at)[:1] != "'":
            return not is_block(kind)
        if kind.endswith(_STATEMENTS):
            return True
        return self.data and _is_table(side.kind(parent)) and kind[:1] != "'"


_TWO_SIDED = detail_kinds("statement_added statement_removed statement_changed")
_STATEMENTS, _TABLES = (tuple(texts(__name__)[each].split()) for each in ("statements", "tables"))


def _is_table(kind: str) -> bool:
    return kind.endswith(_TABLES) or kind.startswith("array") or kind in ("token_tree", "composite_literal", "union")


def _is_list(kind: str) -> bool:
    """True for lists that need what stands before them: the arguments of a call."""
    return "argument" in kind or "parameter" in kind


def _common(side: AlignmentTree, a: int, b: int) -> int:
    """The smallest node that holds both nodes."""
    while not (a <= b < side.end[a]):
        a = side.parent[a]
    return a


def _holder(side: AlignmentTree, at: int) -> int:
    """The statement that a block belongs to, 0 for the definition itself."""
    while at > 0 and is_block(side.kind(at)):
        at = side.parent[at]
    return at if side.parent[at] > 0 else 0


def _around(inside: str, around: str) -> str:
    """A statement that holds another one without a block, up to that one."""
    return around.partition(inside)[0].rstrip(" :{=>-") or around


def _text(side: AlignmentTree, at: int, *, deep: bool = False) -> str:
    """A node in print; a compound statement without its body. With `deep`, a body may be inside of an expression."""
    tree, node = side.tree, side.node[at]
    if node < 0:
        return ""
    stop = tree.after[node]
    child = node + 1
    while child < stop:
        if is_block(tree.kind[child]) and tree.after[child] > child + 1:
            head = tree.render_range(node, child).rstrip(" :{=>-")
            if head:
                return head
        child = child + 1 if deep else tree.after[child]
    return tree.render(node).rstrip(" ;,")
