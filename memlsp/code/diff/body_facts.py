"""What two bodies do differently, from their facts alone: the source of the older one is not there any more.

Facts hold local names as they were written. A local that occurs on one side only is taken for a renamed one and made
anonymous before texts are compared, so that a rename is never told as a change.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from typing import TypeVar

from memlsp.model.change import Detail, DetailKind
from memlsp.model.symbol import Facts, NamedValue

_ALIKE = 0.5  # conditions, returns and loop headers less alike than this are not versions of one another
_PAIRED_AT_MOST = 24
_TEXT_COMPARED = 240

# A string, or an identifier that is neither an attribute (`x.name`) nor the name of an argument (`name=`).
_NAME = re.compile(
    r"""(?P<string>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`)"""
    r"""|(?<![\w$])(?<!(?<!\.)\.)(?P<name>[^\W\d][\w$]*|\$[\w$]*)(?!\s*=[^=>])""",
    re.DOTALL,
)
_KEY_BEFORE = re.compile(r"[{,]\s*$")
# Words of the languages that stand where a name could, and are none.
_WORDS = frozenset(
    re.findall(
        r"\w+",
        """
        and or not in is if else elif for while do of as from with await async yield return raise throw new typeof
        instanceof void delete lambda let const var match case when try catch except finally this self Self super cls
        true false null None True False nil undefined ref mut move dyn impl fn func function range go defer select
        default static final class struct enum loop break continue where unsafe
        val fun unless elsif elseif foreach rescue ensure begin end until then redo retry next object done fi esac
        eq ne lt le gt ge nt ot ef
        """,
    )
)
_Item = TypeVar("_Item")
_PIECE = re.compile(r"\w+|[^\w\s]")


class NameNormalizer:
    """How the texts of one side are read: known renames applied, locals that the other side lacks made anonymous."""

    def __init__(self, renames: Mapping[str, str], anonymous: frozenset[str]) -> None:
        self._renames = renames
        self._anonymous = anonymous

    def __call__(self, text: str) -> str:
        """The text as it is compared."""
        numbers: dict[str, str] = {}

        def replace(found: re.Match[str]) -> str:
            name = found["name"]
            if name is None or _is_key(found):
                return found[0]
            name = self._renames.get(name, name)
            if name in self._anonymous:
                return numbers.setdefault(name, f"·{len(numbers)}")
            return name

        return _NAME.sub(replace, text)


def normalizers(old: Facts, new: Facts, renames: Mapping[str, str]) -> tuple[NameNormalizer, NameNormalizer]:
    """How to read the old and the new texts so that equal code is equal text. `renames` are old names to new ones."""
    before = {renames.get(name, name) for name in _names_in(old)}
    after = _names_in(new)
    fixed = _fixed_names(old) | _fixed_names(new) | {name for name in before | after if name[:1].isupper()}  # types
    return (
        NameNormalizer(renames, frozenset(before - after - fixed)),
        NameNormalizer({}, frozenset(after - before - fixed)),
    )


def body_details(old: Facts, new: Facts, renames: Mapping[str, str]) -> list[Detail]:
    """Calls, exceptions, conditions, returns, loops and literals that are different, in the order of their weight."""
    read_old, read_new = normalizers(old, new, renames)
    details: list[Detail] = []
    # An exception is constructed where it is raised: that is one thing, not two.
    old_calls = [text for text in old.calls if text not in old.raises]
    new_calls = [text for text in new.calls if text not in new.raises]
    details += _gained_and_lost(
        old_calls, new_calls, read_old, read_new, DetailKind.CALL_ADDED, DetailKind.CALL_REMOVED
    )
    details += _gained_and_lost(
        old.raises, new.raises, read_old, read_new, DetailKind.RAISE_ADDED, DetailKind.RAISE_REMOVED
    )
    details += _gained_and_lost(
        old.catches, new.catches, read_old, read_new, DetailKind.CATCH_ADDED, DetailKind.CATCH_REMOVED
    )
    details += _versions(old.conditions, new.conditions, read_old, read_new, DetailKind.CONDITION)
    details += _versions(old.returns, new.returns, read_old, read_new, DetailKind.RETURN)
    details += _versions(old.loops, new.loops, read_old, read_new, DetailKind.LOOP)
    details += literal_details(old, new, renames)
    return details


def literal_details(old: Facts, new: Facts, renames: Mapping[str, str]) -> list[Detail]:
    """Literals that went, came or changed: those with a name by that name, then the others in source order."""
    defaults = {parameter.name.rstrip(":") for side in (old, new) for parameter in side.parameters if parameter.default}
    lost, gained = _differing_values(old.values, new.values, defaults, renames)
    details: list[Detail] = []
    explained_old: Counter[str] = Counter()
    explained_new: Counter[str] = Counter()
    for name in dict.fromkeys([value.name for value in lost] + [value.name for value in gained]):
        befores = [value.value for value in lost if value.name == name]
        afters = [value.value for value in gained if value.name == name]
        explained_old.update(befores)
        explained_new.update(afters)
        for before, after in _aligned(befores, afters):
            details.append(Detail(DetailKind.LITERAL, name, before, after))
    for side, explained in ((old, explained_old), (new, explained_new)):
        explained.update(p.default for p in side.parameters if p.default)
    left_old = _without(old.literals, Counter(new.literals) + explained_old)
    left_new = _without(new.literals, Counter(old.literals) + explained_new)
    details += [Detail(DetailKind.LITERAL, "", before, after) for before, after in _aligned(left_old, left_new)]
    return details


def _differing_values(
    old: Sequence[NamedValue], new: Sequence[NamedValue], skipped: set[str], renames: Mapping[str, str]
) -> tuple[list[NamedValue], list[NamedValue]]:
    before = [NamedValue(renames.get(value.name, value.name), value.value) for value in old]
    spare_new, spare_old = Counter(new), Counter(before)
    lost = [value for value in before if value.name not in skipped and not _take(spare_new, value)]
    gained = [value for value in new if value.name not in skipped and not _take(spare_old, value)]
    for value in list(lost):
        # The same value under a name that only this side has: a local variable was renamed.
        heir = next((other for other in gained if other.value == value.value), None)
        if heir is not None and value.name not in {v.name for v in new} and heir.name not in {v.name for v in before}:
            lost.remove(value)
            gained.remove(heir)
    return lost, gained


def _gained_and_lost(
    old: Sequence[str],
    new: Sequence[str],
    read_old: Callable[[str], str],
    read_new: Callable[[str], str],
    gain: DetailKind,
    loss: DetailKind,
) -> list[Detail]:
    before = {read_old(text): text for text in reversed(old)}
    after = {read_new(text): text for text in reversed(new)}
    gained = [text for key, text in reversed(after.items()) if key not in before]
    lost = [text for key, text in reversed(before.items()) if key not in after]
    return [Detail(gain, text, None, text) for text in gained] + [Detail(loss, text, text, None) for text in lost]


def _versions(
    old: Sequence[str],
    new: Sequence[str],
    read_old: Callable[[str], str],
    read_new: Callable[[str], str],
    kind: DetailKind,
) -> list[Detail]:
    """Pair the texts that differ with the most alike of the other side."""
    spare_new = Counter(read_new(text) for text in new)
    spare_old = Counter(read_old(text) for text in old)
    lost = [(read_old(text), text) for text in old if not _take(spare_new, read_old(text))]
    gained = [(read_new(text), text) for text in new if not _take(spare_old, read_new(text))]
    scored = [
        (_text_similarity(before, after), i, j)
        for i, (before, _) in enumerate(lost[:_PAIRED_AT_MOST])
        for j, (after, _) in enumerate(gained[:_PAIRED_AT_MOST])
    ]
    partner: dict[int, int] = {}
    taken: set[int] = set()
    for score, i, j in sorted(scored, key=lambda entry: (-entry[0], entry[1], entry[2])):
        if score >= _ALIKE and i not in partner and j not in taken:
            partner[i] = j
            taken.add(j)
    details = [
        Detail(kind, "", text, gained[partner[i]][1] if i in partner else None) for i, (_, text) in enumerate(lost)
    ]
    return details + [Detail(kind, "", None, text) for j, (_, text) in enumerate(gained) if j not in taken]


def _text_similarity(old: str, new: str) -> float:
    left, right = _PIECE.findall(old[:_TEXT_COMPARED]), _PIECE.findall(new[:_TEXT_COMPARED])
    return SequenceMatcher(None, left, right, autojunk=False).ratio()


def _aligned(old: Sequence[str], new: Sequence[str]) -> Iterable[tuple[str | None, str | None]]:
    for index in range(max(len(old), len(new))):
        yield old[index] if index < len(old) else None, new[index] if index < len(new) else None


def _without(texts: Sequence[str], spare: Counter[str]) -> list[str]:
    left = Counter(spare)
    return [text for text in texts if not _take(left, text)]


def _take(spare: Counter[_Item], item: _Item) -> bool:
    if spare[item] > 0:
        spare[item] -= 1
        return True
    return False


def _is_key(found: re.Match[str]) -> bool:
    """True for `name` in `{name: ...}`, which is part of what the code says."""
    rest = found.string[found.end() : found.end() + 1]
    return rest == ":" and bool(_KEY_BEFORE.search(found.string[: found.start()]))


def _fixed_names(facts: Facts) -> set[str]:
    return {name.partition(".")[0] for name in facts.uses}


def _names_in(facts: Facts) -> set[str]:
    names = {parameter.name for parameter in facts.parameters}
    for text in (*facts.calls, *facts.raises, *facts.catches, *facts.conditions, *facts.returns, *facts.loops):
        names.update(found["name"] for found in _NAME.finditer(text) if found["name"] and not _is_key(found))
    return names - _WORDS
