"""Holds what a statement says of the callers of a symbol against them: who they are, what they hand in, and what they
do before and after.

The callers are noted at the anchor when the statement is verified, among its dependencies, each with its text. Only a
statement that says who may call looks through the workspace for others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from attrs import frozen

from memlsp.beliefs.claims.stems import word_set
from memlsp.beliefs.claims.symbol_state import label_of, name_stems, one_separator
from memlsp.beliefs.files import Files
from memlsp.beliefs.present.present_code import without_comments
from memlsp.beliefs.reasons import ReasonCode, reason
from memlsp.beliefs.rewording.rewording import arguments_of
from memlsp.beliefs.standing.related_symbols import files_with
from memlsp.beliefs.standing.uses_lookup import UsesLookup
from memlsp.capture.redaction.redaction import redact
from memlsp.code.syntax.fingerprints import digest
from memlsp.code.syntax.outline import Outline
from memlsp.code.vocabulary import patterns
from memlsp.model.belief import Anchor
from memlsp.model.standing import Reason, Standing
from memlsp.model.symbol import CALLED, CODE_KINDS, Dependency, Symbol

_RE = patterns(__name__)
_MOST_FILES, _LONGEST = 40, 4_000
_TESTS = word_set("test tests spec specs")
_OWN = word_set("self this cls super $this")


def callers_noted(text: str, symbol: Symbol, here: Outline, worktree: Files) -> tuple[Dependency, ...]:
    """The callers of a symbol, where the statement may speak of them; one entry without a name where there are none."""
    if symbol.kind not in CODE_KINDS or not (_RE["around"].search(text) or _exclusive(text, symbol)):
        return ()
    paths = files_with(worktree, here.path, (symbol.simple_name,), limit=_MOST_FILES)
    found = tuple(_callers(symbol, paths, worktree))
    return found or (Dependency(CALLED, symbol.kind, symbol.path, symbol.name, "", ""),)


def weigh_callers(text: str, anchor: Anchor, new: Symbol, worktree: Files) -> tuple[Standing, Reason] | None:
    """What other callers, and other code in those that were noted at the anchor, say against the statement."""
    noted = [each for each in anchor.depends if each.name.endswith(CALLED)]
    if not noted:
        return None
    standing, paths, name = _exclusive(text, new), {each.path for each in noted}, new.simple_name
    if standing is not None:
        paths |= set(files_with(worktree, new.path, (name,), limit=_MOST_FILES))
    before = {
        (each.path, each.symbol): _Caller(each, anchor.symbol.rpartition(".")[2]) for each in noted if each.digest
    }
    homes = {(path, caller.rpartition(".")[0]) for path, caller in before}
    for each in _callers(new, sorted(paths), worktree):
        key, caller = (each.path, each.symbol), _Caller(each, name)
        old = before.get(key)
        if old is not None and old.noted.digest == each.digest and old.name == name:
            continue
        told = None
        if old is None and standing is not None and (key[0], key[1].rpartition(".")[0]) not in homes:
            told = standing, "calls it now"
        elif _RE["order"].search(text) and caller.is_turned([old] if old else [*before.values()]):
            told = Standing.CHANGED, "calls it in another order now"
        elif old is not None and _RE["handing"].search(text) and caller.hands_others(old):
            told = Standing.CHANGED, "hands other values to it now"
        if told is not None:
            message = f"`{each.symbol or each.path}` {told[1]}: {label_of(new)}; the statement speaks of its callers"
            return told[0], reason(ReasonCode.CALL_CHANGED, message, each.path, each.symbol or None)
    return None


def _exclusive(text: str, symbol: Symbol) -> Standing | None:
    """How much another caller weighs: a statement may say that there is none, or only that one thing alone does
    something which the symbol's own code does not name."""
    if _RE["exclusive"].search(text):
        return Standing.CONTRADICTED
    active = _RE["active"].match(text)
    own = frozenset(one for token in symbol.facts.tokens for one in name_stems(token)) | name_stems(symbol.name)
    return Standing.CHANGED if active and not name_stems(active["who"]) & own else None


def _callers(symbol: Symbol, paths: Sequence[str], worktree: Files) -> Iterator[Dependency]:
    name = symbol.simple_name
    for path in dict.fromkeys((symbol.path, *paths)):
        outline = worktree.outline(path)
        if outline is None or not _TESTS.isdisjoint(re.findall(r"[a-z]+", path.lower())):
            continue
        around = UsesLookup(outline, worktree)
        for each in outline.symbols:
            ending = (call for call in each.facts.calls if call.endswith(name))
            calls = [call for call in map(one_separator, ending) if call.rpartition(".")[2] == name]
            if (each.path, each.name) == (symbol.path, symbol.name) or not calls:
                continue
            if any(_leads_to(symbol, call.rpartition(".")[0], each) for call in calls) or any(
                (used.path, used.symbol) == (symbol.path, symbol.name) for used in around.resolved(each, outline)
            ):
                source = _stored(around.text(each, outline), outline.language or "")
                yield Dependency(f"{each.name}{CALLED}", each.kind, path, each.name, digest([source]), source)


@lru_cache(maxsize=256)  # a keystroke asks for the same callers for each statement
def _stored(text: str, language: str) -> str:
    """A caller's code as it is noted."""
    return redact(without_comments(text, language)).text[:_LONGEST]


def _leads_to(symbol: Symbol, receiver: str, caller: Symbol) -> bool:
    """True where a call on `receiver` is one of this symbol: by the name of its class, or of its file."""
    last = receiver.rpartition(".")[2]
    if not last or last in _OWN:
        return caller.path == symbol.path and caller.container == symbol.container
    holder = symbol.container.rpartition(".")[2] or symbol.path.rpartition("/")[2].partition(".")[0]
    return bool(name_stems(last) & name_stems(holder))


@frozen
class _Caller:
    """A caller, and the name by which it calls."""

    noted: Dependency
    name: str

    def around(self) -> list[tuple[set[str], set[str]]]:
        """The names of the calls before and behind each of its calls."""
        called = re.findall(r"(\w+)[!?]?\s*\(", self.noted.value)
        return [(set(called[:at]), set(called[at + 1 :])) for at, each in enumerate(called) if each == self.name]

    def is_turned(self, others: Sequence[_Caller]) -> bool:
        """True where what stood only before the call in all `others` stands only behind it here, or the other way."""
        sides = [side for each in others for side in each.around()]
        if not sides:
            return False
        first, last = (set[str].intersection(*(side[at] for side in sides)) for at in (0, 1))
        return any((first - last) & (b - a) or (last - first) & (a - b) for a, b in self.around())

    def hands_others(self, former: _Caller) -> bool:
        """True where other values are handed in, and not the same by a name."""
        had, has, code = former.arguments(), self.arguments(), re.sub(r"[ \t]+", "", self.noted.value)
        same = (re.search(rf"\b{re.escape(b)}:?={re.escape(a)}(?!\w)", code) for a, b in zip(had, has, strict=False))
        return had != has and not (len(had) == len(has) and all(same))

    def arguments(self) -> list[str]:
        """What it hands in, without blanks."""
        code = self.noted.value
        calls = re.finditer(rf"(?<!\w){re.escape(self.name)}\s*\(", code)
        return ["".join(each.split()) for call in calls for each in arguments_of(code, call.end())[0]]
