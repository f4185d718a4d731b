"""Aligns the nodes of two syntax trees.

After GumTree (Falleri et al., "Fine-grained and accurate source code differencing", 2014): equal subtrees are paired
from the largest down, then their ancestors by shared descendants, then the rest inside each pair in order. Subtrees are
compared by interned labels, so there are no collisions; a local that was renamed throughout is the same local.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher

from attrs import define, field

from memlsp.code.syntax.tree import Tree
from memlsp.code.vocabulary import word_sets

MOST = 6000  # nodes of one side; larger ones are not aligned
_LEAST = 3  # nodes of a subtree that is paired anywhere
_SHARED = 0.4  # share of descendants from which ancestors are paired
_ALIKE = 0.45  # share of leaves from which children of one kind are paired
_GAP = 40  # children of a gap that are aligned by similarity
_AMBIGUOUS = 12  # equal subtrees that are compared by context


@define(eq=False, slots=True)
class AlignmentTree:
    """The significant nodes of some ranges of a tree, numbered in source order; 0 is the root of all. `ids` are equal
    for equal subtrees of both sides, `end` is behind the last descendant, `match` the partner or -1."""

    tree: Tree
    node: list[int] = field(factory=lambda: [-1])
    parent: list[int] = field(factory=lambda: [-1])
    end: list[int] = field(factory=lambda: [0])
    label: list[str] = field(factory=lambda: [""])
    local: list[int] = field(factory=lambda: [-1])
    ids: list[int] = field(factory=list[int])
    match: list[int] = field(factory=list[int])

    def children(self, at: int) -> list[int]:
        """The direct children."""
        found: list[int] = []
        child, stop = at + 1, self.end[at]
        while child < stop:
            found.append(child)
            child = self.end[child]
        return found

    def is_leaf(self, at: int) -> bool:
        """True without children."""
        return self.end[at] == at + 1

    def leaves(self, at: int) -> list[int]:
        """The ids of the leaves below."""
        return [self.ids[inner] for inner in range(at, self.end[at]) if self.is_leaf(inner)]

    def kind(self, at: int) -> str:
        """The node's kind, "" for the root."""
        return self.tree.kind[self.node[at]] if at else ""

    def field_name(self, at: int) -> str:
        """The name of the node's field in its parent, "" for none."""
        return self.tree.field[self.node[at]] if at else ""


def alignment_tree(
    tree: Tree, ranges: Sequence[tuple[int, int]], local: dict[int, int], skipped: Sequence[tuple[int, int]] = ()
) -> AlignmentTree | None:
    """The nodes of some ranges without those `skipped`; None for more than `MOST` nodes."""
    made = AlignmentTree(tree)
    place: dict[int, int] = {}
    open_: list[int] = []
    jumps = dict(skipped)
    for first, after in ranges:
        at = first
        while at < after:
            if at in jumps:
                at = max(at + 1, jumps[at])
                continue
            if tree.key[at]:
                above = tree.parent[at]
                while above >= 0 and above not in place:
                    above = tree.parent[above]
                mine = len(made.node)
                if mine > MOST:
                    return None
                up = place.get(above, 0)
                while open_ and open_[-1] != up:
                    made.end[open_.pop()] = mine
                open_.append(mine)
                place[at] = mine
                made.node.append(at)
                made.parent.append(up)
                made.end.append(mine + 1)
                made.label.append(_label(tree, at))
                made.local.append(local.get(at, -1))
            at += 1
    for left in open_:
        made.end[left] = len(made.node)
    made.end[0] = len(made.node)
    made.match = [-1] * len(made.node)
    return made


def _label(tree: Tree, at: int) -> str:
    # without the number of children; a statement is the same one alone and in a block, which has no field for it
    key = tree.key[at]
    label = key if tree.is_leaf(at) else key.rpartition("/")[0]
    return label.partition(":")[2] if tree.kind[at].endswith("_statement") else label


def align(old: AlignmentTree, new: AlignmentTree, renames: dict[str, str] | None = None) -> None:
    """Fill `match` of both sides. `renames` maps old names to new ones that are known to be the same."""
    names = _local_names(old), _local_names(new)
    if names[0] - names[1] and names[1] - names[0]:
        _intern(old, new, {}, anonymous=True, renames=renames or {})
        _pair_up(old, new)
        variables = _voted(old, new)
        old.match = [-1] * len(old.node)
        new.match = [-1] * len(new.node)
    else:
        variables = {}
    _intern(old, new, variables, anonymous=False, renames=renames or {})
    _pair_up(old, new)


def _local_names(side: AlignmentTree) -> set[str]:
    return {side.tree.text[side.node[at]] for at, variable in enumerate(side.local) if variable >= 0}


def _voted(old: AlignmentTree, new: AlignmentTree) -> dict[int, str]:
    """The new variables that are renamed old ones, with the old name, by votes of paired places."""
    old_names, new_names = _local_names(old), _local_names(new)
    votes: Counter[tuple[int, int]] = Counter()
    for a, b in enumerate(old.match):
        if b > 0 and old.local[a] >= 0 and new.local[b] >= 0:
            votes[old.local[a], new.local[b]] += 1
    called_old = {v: old.tree.text[old.node[at]] for at, v in enumerate(old.local) if v >= 0}
    called_new = {v: new.tree.text[new.node[at]] for at, v in enumerate(new.local) if v >= 0}
    found: dict[int, str] = {}
    taken: set[int] = set()
    for (a, b), _ in votes.most_common():
        if a in taken or b in found or called_old[a] in new_names or called_new[b] in old_names:
            continue
        taken.add(a)
        found[b] = called_old[a]
    return found


def _intern(
    old: AlignmentTree, new: AlignmentTree, variables: dict[int, str], *, anonymous: bool, renames: dict[str, str]
) -> None:
    """Number the different subtrees of both sides."""
    known: dict[tuple[str, tuple[int, ...]], int] = {}
    for side in (old, new):
        side.ids = [0] * len(side.node)
        below: defaultdict[int, list[int]] = defaultdict(list)
        for at in range(len(side.node) - 1, -1, -1):
            label = side.label[at]
            if side.local[at] >= 0:
                name = variables.get(side.local[at]) if side is new else None
                head = label.partition("=")[0]
                label = f"{head}=$" if anonymous else f"{head}={name}" if name else label
            elif side is old and renames and side.is_leaf(at):
                head, _, text = label.partition("=")
                label = f"{head}={renames.get(text, text)}"
            made = (label, tuple(reversed(below.pop(at, []))))
            side.ids[at] = known.setdefault(made, len(known))
            below[side.parent[at]].append(side.ids[at])


def _pair_up(old: AlignmentTree, new: AlignmentTree) -> None:
    old.match[0] = new.match[0] = 0
    if old.ids[0] == new.ids[0]:
        _pair_all(old, new, 0, 0)
        return
    _frames(old, new)
    _equal_subtrees(old, new)
    _ancestors(old, new)
    _remainders(old, new)


def _frames(old: AlignmentTree, new: AlignmentTree) -> None:
    """Pair the definitions and their bodies, however much of them changed."""
    waiting = [(0, 0)]
    while waiting:
        a, b = waiting.pop()
        left, right = old.children(a), new.children(b)
        labels = Counter(old.label[x] for x in left), Counter(new.label[y] for y in right)
        there = {new.label[y]: y for y in right}
        for x in left:
            label, kind = old.label[x], old.kind(x)
            if labels[0][label] != 1 or labels[1][label] != 1 or old.is_leaf(x):
                continue
            y = there[label]
            if old.ids[x] != new.ids[y] and (not a or is_block(kind)):
                old.match[x], new.match[y] = y, x
                if not is_block(kind):
                    waiting.append((x, y))


def _pair_all(old: AlignmentTree, new: AlignmentTree, a: int, b: int) -> None:
    for step in range(old.end[a] - a):
        old.match[a + step] = b + step
        new.match[b + step] = a + step


def _equal_subtrees(old: AlignmentTree, new: AlignmentTree) -> None:
    groups: dict[int, tuple[list[int], list[int]]] = {}
    for at in range(1, len(old.node)):
        if old.end[at] - at >= _LEAST:
            groups.setdefault(old.ids[at], ([], []))[0].append(at)
    for at in range(1, len(new.node)):
        if new.ids[at] in groups:
            groups[new.ids[at]][1].append(at)
    both = [group for group in groups.values() if group[1]]
    both.sort(key=lambda group: group[0][0] - old.end[group[0][0]])
    for olds, news in both:
        left = [at for at in olds if old.match[at] < 0]
        right = [at for at in news if new.match[at] < 0]
        for a, b in _by_context(old, new, left, right):
            if old.match[a] < 0 and new.match[b] < 0:
                _pair_all(old, new, a, b)


def _by_context(
    old: AlignmentTree, new: AlignmentTree, left: Sequence[int], right: Sequence[int]
) -> Iterable[tuple[int, int]]:
    """The pairs of equal subtrees, best first: in order where there are equally many, else by their context."""
    if len(left) == len(right):
        return zip(left, right, strict=True)
    if max(len(left), len(right)) > _AMBIGUOUS:
        return ()
    ranked = sorted(
        (-_context(old, new, a, b), abs(i - j), a, b) for i, a in enumerate(left) for j, b in enumerate(right)
    )
    return [(a, b) for _, _, a, b in ranked]


def _context(old: AlignmentTree, new: AlignmentTree, a: int, b: int) -> int:
    """A score of the equal nodes around two equal subtrees: ancestors and neighbours."""
    score = 0
    up, over = old.parent[a], new.parent[b]
    while up > 0 and over > 0 and old.label[up] == new.label[over] and score < 8:
        score += 2 if old.ids[up] == new.ids[over] else 1
        up, over = old.parent[up], new.parent[over]
    behind = old.end[a] < len(old.ids) and new.end[b] < len(new.ids) and old.ids[old.end[a]] == new.ids[new.end[b]]
    before = old.ids[a - 1] == new.ids[b - 1]
    return score + 4 * behind + 4 * before


def _ancestors(old: AlignmentTree, new: AlignmentTree) -> None:
    for a in range(len(old.node) - 1, 0, -1):
        if old.match[a] >= 0 or old.is_leaf(a):
            continue
        votes: Counter[int] = Counter()
        shared: Counter[int] = Counter()
        for inner in range(a + 1, old.end[a]):
            partner = old.match[inner]
            if partner <= 0:
                continue
            up = new.parent[partner]
            while up > 0:
                shared[up] += 1
                if new.match[up] < 0 and new.label[up] == old.label[a]:
                    votes[up] = shared[up]
                up = new.parent[up]
        best, most = -1, 0.0
        for b in votes:
            dice = 2 * shared[b] / (old.end[a] - a - 1 + new.end[b] - b - 1)
            if dice > most:
                best, most = b, dice
        if best > 0 and most >= _SHARED:
            old.match[a], new.match[best] = best, a


def _remainders(old: AlignmentTree, new: AlignmentTree) -> None:
    """Pair the remaining children of pairs, in order."""
    waiting = [0]
    while waiting:
        a = waiting.pop()
        b = old.match[a]
        if b < 0:
            continue
        if old.ids[a] != new.ids[b]:
            _align_children(old, new, old.children(a), new.children(b))
        waiting += [child for child in old.children(a) if old.match[child] >= 0]


def _align_children(old: AlignmentTree, new: AlignmentTree, left: Sequence[int], right: Sequence[int]) -> None:
    positions = {b: j for j, b in enumerate(right)}
    anchors = increasing([(i, positions[old.match[a]]) for i, a in enumerate(left) if old.match[a] in positions])
    anchors.append((len(left), len(right)))
    i = j = 0
    for up_to_i, up_to_j in anchors:
        gap_left = [a for a in left[i:up_to_i] if old.match[a] < 0]
        gap_right = [b for b in right[j:up_to_j] if new.match[b] < 0]
        if gap_left and gap_right:
            _fill_gap(old, new, gap_left, gap_right)
        i, j = up_to_i + 1, up_to_j + 1


def increasing(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest subsequence of pairs (sorted by their first number) whose second numbers rise."""
    best: list[tuple[int, int]] = []
    lengths: list[int] = []
    came: list[int] = []
    for index, (_, second) in enumerate(pairs):
        longest, before = 0, -1
        for other in range(max(0, index - 200), index):
            if pairs[other][1] < second and lengths[other] > longest:
                longest, before = lengths[other], other
        lengths.append(longest + 1)
        came.append(before)
    if not lengths:
        return []
    at = max(range(len(lengths)), key=lambda index: lengths[index])
    while at >= 0:
        best.append(pairs[at])
        at = came[at]
    return best[::-1]


def _fill_gap(old: AlignmentTree, new: AlignmentTree, left: list[int], right: list[int]) -> None:
    equal = SequenceMatcher(None, [old.ids[a] for a in left], [new.ids[b] for b in right], autojunk=False)
    for block in equal.get_matching_blocks():
        for step in range(block.size):
            _pair_all(old, new, left[block.a + step], right[block.b + step])
    left = [a for a in left if old.match[a] < 0][:_GAP]
    right = [b for b in right if new.match[b] < 0][:_GAP]
    alone = len(left) == 1 and len(right) == 1
    scores = {
        (i, j): score
        for i, a in enumerate(left)
        for j, b in enumerate(right)
        if (score := _likeness(old, new, a, b, alone=alone)) > 0
    }
    for i, j in _best_chain(scores, len(left), len(right)):
        old.match[left[i]], new.match[right[j]] = right[j], left[i]


def _best_chain(scores: Mapping[tuple[int, int], float], rows: int, columns: int) -> Iterator[tuple[int, int]]:
    """The pairs of the greatest sum that keep the order of both sides: a table of sums, read backwards."""
    table = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    for i in range(rows - 1, -1, -1):
        for j in range(columns - 1, -1, -1):
            table[i][j] = max(table[i + 1][j], table[i][j + 1], table[i + 1][j + 1] + scores.get((i, j), 0.0))
    i = j = 0
    while i < rows and j < columns:
        if (i, j) in scores and table[i][j] == table[i + 1][j + 1] + scores[i, j]:
            yield i, j
            i, j = i + 1, j + 1
        elif table[i][j] == table[i + 1][j]:
            i += 1
        else:
            j += 1


def _likeness(old: AlignmentTree, new: AlignmentTree, a: int, b: int, *, alone: bool) -> float:
    """The likelihood that `a` became `b`, children of one pair in one gap; 0 when it did not."""
    if old.is_leaf(a) and new.is_leaf(b):
        return 0.5 if old.field_name(a) == new.field_name(b) else 0.0
    where = old.field_name(a)
    in_place = bool(where) and where == new.field_name(b)
    if old.kind(a) != new.kind(b):
        return 0.3 if in_place and not is_block(old.kind(a)) and not is_block(new.kind(b)) else 0.0
    alike = _leaves_alike(old, new, a, b)
    if alike < _ALIKE and _begin_alike(old, new, a, b):
        alike = _ALIKE  # `x.y = ...`, whatever is assigned
    if in_place or (alone and is_block(old.kind(a))):
        return 0.4 + alike
    return alike if alike >= _ALIKE else 0.0


def _begin_alike(old: AlignmentTree, new: AlignmentTree, a: int, b: int) -> bool:
    """True when the first three leaves are equal."""
    left, right = old.leaves(a)[:3], new.leaves(b)[:3]
    return len(left) == 3 and left == right


def _leaves_alike(old: AlignmentTree, new: AlignmentTree, a: int, b: int) -> float:
    left, right = Counter(old.leaves(a)), Counter(new.leaves(b))
    total = left.total() + right.total()
    return 2 * (left & right).total() / total if total else 1.0


_BLOCKS = word_sets(__name__)["blocks"]


def is_block(kind: str) -> bool:
    """True for nodes whose children are statements or members."""
    return kind in _BLOCKS or kind.endswith(("block", "body", "compound_statement", "statement_list"))
