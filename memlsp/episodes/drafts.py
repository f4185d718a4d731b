"""Open episodes: stretches of work, and drafts made of them.

A stretch is the unit that moves when work turns out to belong to another task: a prompt with all that an agent did for
it, a run of edits in an editor, a commit. A draft is an open episode: its stretches in order of their beginning.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from attrs import define, evolve, frozen

from memlsp.episodes.observation import NOTHING, Signs
from memlsp.model.episode import CommandRun, KeptChange
from memlsp.store.core.rows import converter

if TYPE_CHECKING:
    import cattrs

MOST_COMMANDS = 100  # of one stretch: the latest
MOST_CHANGES = 100
MOST_STRETCHES = 80
"""Stretches of one draft; beyond it neighbours are joined."""

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
"""Crockford's base 32, as in the ids of beliefs."""


@frozen
class Stretch:
    """Work that stays together. `key` is the key of its first event; times are milliseconds since 1970."""

    key: str
    began: int
    last: int
    source: str
    session: str = ""
    branch: str = ""
    signs: Signs = NOTHING
    prompt: str = ""  # the request, "" without one
    subject: str = ""  # of the commit that it is
    events: tuple[int, ...] = ()  # the ids of stored events, in order of arrival
    number: int = 0  # of events, stored or not
    paths: tuple[str, ...] = ()  # written, in order of the first touch
    changes: tuple[KeptChange, ...] = ()
    commands: tuple[CommandRun, ...] = ()
    commits: tuple[str, ...] = ()
    tests: bool | None = None  # whether the last test run worked
    undone: bool = False  # its changes were thrown away
    taken: tuple[str, ...] = ()  # the written paths that git took back
    committed: bool = False  # its changes are in a commit
    bound: bool = False  # it is known where it belongs: what was written, and the commit that holds it

    def joined(self, other: Stretch) -> Stretch:
        """Both as one; `other` is the later one."""
        return evolve(
            self,
            began=min(self.began, other.began),
            last=max(self.last, other.last),
            branch=other.branch or self.branch,
            signs=self.signs | other.signs,
            prompt=self.prompt or other.prompt,
            subject=self.subject or other.subject,
            events=self.events + other.events,
            number=self.number + other.number,
            paths=tuple(dict.fromkeys(self.paths + other.paths)),
            changes=tuple(dict.fromkeys(self.changes + other.changes))[-MOST_CHANGES:],
            commands=(self.commands + other.commands)[-MOST_COMMANDS:],
            commits=tuple(dict.fromkeys(self.commits + other.commits)),
            tests=self.tests if other.tests is None else other.tests,
            undone=other.undone if other.paths else self.undone,
            taken=tuple(path for path in self.taken if path not in other.paths) + other.taken,
            committed=other.committed if other.paths else self.committed,
            bound=self.bound or other.bound,
        )


@define
class EpisodeDraft:
    """An open episode. `left_at` is the time its branch was left, `ended` has its sessions that are over."""

    id: str
    stretches: tuple[Stretch, ...]
    left_at: int | None = None
    ended: tuple[str, ...] = ()

    @property
    def began(self) -> int:
        """When its first event happened."""
        return min(stretch.began for stretch in self.stretches)

    @property
    def last(self) -> int:
        """When its latest event happened."""
        return max(stretch.last for stretch in self.stretches)

    @property
    def signs(self) -> Signs:
        """The union of its stretches' signs."""
        signs = NOTHING
        for stretch in self.stretches:
            signs |= stretch.signs
        return signs

    @property
    def branch(self) -> str:
        """The branch it was last seen on, "" when none is known."""
        return next((stretch.branch for stretch in reversed(self.stretches) if stretch.branch), "")

    @property
    def sessions(self) -> tuple[str, ...]:
        """Its sessions as `SOURCE SESSION`, in order; sources without sessions are left out."""
        return tuple(dict.fromkeys(strand(each.source, each.session) for each in self.stretches if each.session))

    @property
    def is_committed(self) -> bool:
        """True when all that it changed is in commits."""
        written = [stretch for stretch in self.stretches if stretch.paths and not stretch.undone]
        return bool(written) and all(stretch.committed for stretch in written)

    def replaced(self, stretch: Stretch) -> None:
        """Replace the stretch of the same key, or add it."""
        if any(each.key == stretch.key for each in self.stretches):
            self.stretches = tuple(stretch if each.key == stretch.key else each for each in self.stretches)
        else:
            self.stretches = tuple(sorted((*self.stretches, stretch), key=lambda each: (each.began, each.key)))

    def without(self, key: str) -> None:
        """Remove a stretch."""
        self.stretches = tuple(each for each in self.stretches if each.key != key)

    def shorten(self) -> None:
        """Join the oldest neighbours of one source while there are too many stretches."""
        while len(self.stretches) > MOST_STRETCHES:
            pairs = zip(self.stretches, self.stretches[1:], strict=False)
            same = (n for n, (a, b) in enumerate(pairs) if (a.source, a.session) == (b.source, b.session))
            at = next(same, 0)
            one = self.stretches[at].joined(self.stretches[at + 1])
            self.stretches = (*self.stretches[:at], one, *self.stretches[at + 2 :])


def strand(source: str, session: str) -> str:
    """The key of a strand of work: each session of an agent is one, the editor is one."""
    return f"{source} {session}".strip()


def derived_id(letter: str, *parts: str) -> str:
    """The id of what begins with an event: `letter` and seven digits. Derived from `parts` alone, so that an event that
    is delivered twice makes one."""
    number = int.from_bytes(blake2b("\0".join(parts).encode("utf-8", "replace"), digest_size=8).digest())
    return letter + "".join(ALPHABET[(number >> (5 * place)) & 31] for place in range(7))


def draft_value(draft: EpisodeDraft) -> Any:
    """A draft as JSON values."""
    return _converter().unstructure(draft)


def draft_of(value: Any) -> EpisodeDraft:
    """The draft of such values. Unknown keys are ignored, missing ones take their default."""
    return _converter().structure(value, EpisodeDraft)


@lru_cache(maxsize=1)
def _converter() -> cattrs.Converter:
    made = converter(in_milliseconds=True, omit_defaults=True).copy()
    # sorted, so that the same draft is the same text
    made.register_unstructure_hook_func(lambda type_: getattr(type_, "__origin__", None) is frozenset, sorted)
    return made
