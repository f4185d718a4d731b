"""Reading a commit into an episode: its symbol changes, each with its sentence.

Neighbouring commits share most of their text. So a syntax tree is cached from the newer commit, where it was the old
side, to the older one, where it is the new side; and only definitions that differ are read into symbols. Secrets are
redacted before sentences are made, because a sentence shortens what it quotes.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from attrs import evolve, frozen

from memlsp.capture.bounded_cache import BoundedCache
from memlsp.capture.git.libgit2 import pygit2, unreadable
from memlsp.capture.git.repository import moment_of
from memlsp.capture.history.ancestry import Ancestry, FileChange
from memlsp.capture.redaction.redaction import redact
from memlsp.code.diff.change_set import diff
from memlsp.code.diff.sentences import sentence
from memlsp.code.diff.trimmed_source import ParsedSource, parsed, trimmed
from memlsp.code.languages.detection import is_generated, is_lock, language_of
from memlsp.code.syntax.outline import outline
from memlsp.model.change import ChangeKind, Detail, SymbolChange
from memlsp.model.episode import CommitEpisode, KeptChange, PassedOver

MOST_FILES = 100
"""Files of known languages in a commit up to which it is read; larger commits are recorded by their subject alone."""

MOST_CHANGES = 200
"""Symbol changes that are kept of a commit, those that alter meaning first; the rest is counted."""

_MOST_BYTES = 8_000_000  # of source in one commit; more is a commit that nobody wrote by hand
_KEPT_BYTES = 6_000_000  # of source whose trees are kept for the next commit
_QUIET = frozenset({ChangeKind.COSMETIC})
_PLACED = frozenset({ChangeKind.ADDED, ChangeKind.RENAMED, ChangeKind.MOVED})


@frozen(eq=False)
class _State:
    """A file in a commit. `tree` is None when no definition can be left out of it."""

    source: bytes
    tree: ParsedSource | None


class CommitReader:
    """Reads commits of one repository, best in the order in which they were made or in its reverse."""

    def __init__(self, ancestry: Ancestry, personal: Sequence[str] = ()) -> None:
        self._ancestry = ancestry
        self._personal = personal
        self._states: BoundedCache[tuple[pygit2.Oid, str], _State] = BoundedCache(_KEPT_BYTES)

    def read(self, commit: pygit2.Commit) -> CommitEpisode:
        """The episode of a commit. Never raises for the contents of a repository."""
        episode = episode_of(commit, self._personal)
        try:
            parents, cut = self._ancestry.parents(commit)
            if cut or len(parents) > 1:
                return evolve(episode, passed_over=PassedOver.CUT if cut else PassedOver.MERGE)
            return self._read_changes(episode, list(self._ancestry.changed(parents[0] if parents else None, commit)))
        except unreadable():
            return evolve(episode, passed_over=PassedOver.DAMAGED)

    def _read_changes(self, episode: CommitEpisode, changed: Sequence[FileChange]) -> CommitEpisode:
        prefix = self._ancestry.prefix
        here = [evolve(f, path=f.path[len(prefix) :]) for f in changed if f.path.startswith(prefix)]
        known = [file for file in here if language_of(file.path) and not is_lock(file.path)]
        episode = evolve(episode, files=len(here))
        if len(known) > MOST_FILES:
            return evolve(episode, passed_over=PassedOver.HUGE)
        before: list[tuple[str, bytes]] = []
        after: list[tuple[str, bytes]] = []
        size = parsed_files = 0
        for file in known:
            old, new = self._state(file.path, file.before), self._state(file.path, file.after)
            if (file.before is not None and old is None) or (file.after is not None and new is None):
                continue  # without one side there is nothing to compare
            size += len(new.source) if new else 0
            if size > _MOST_BYTES:
                return evolve(episode, passed_over=PassedOver.HUGE)
            parsed_files += 1
            left, right = _texts(old, new)
            if left is not None:
                before.append((file.path, left))
            if right is not None:
                after.append((file.path, right))
        changes = diff([outline(*each) for each in before], [outline(*each) for each in after])
        return self._with_changes(evolve(episode, parsed=parsed_files, state_bytes=size), changes)

    def _with_changes(self, episode: CommitEpisode, changes: Sequence[SymbolChange]) -> CommitEpisode:
        kept = worth_keeping(changes)
        return evolve(
            episode,
            changes=without_secrets(kept[:MOST_CHANGES], self._personal),
            cosmetic=len(changes) - len(kept),
            more=max(len(kept) - MOST_CHANGES, 0),
        )

    def _state(self, path: str, blob: pygit2.Oid | None) -> _State | None:
        """The text and tree of a file; None when it is absent, binary, too long or generated. Raises KeyError when its
        object is missing."""
        if blob is None:
            return None
        key = (blob, path)
        found = self._states.get(key)
        if found is not None:
            return found
        source = self._ancestry.data(blob)
        if source is None and not self._ancestry.holds(blob):
            raise KeyError(blob)
        if source is None or is_generated(path, source):
            return None
        found = _State(source, parsed(path, source))
        self._states.put(key, found, len(source))
        return found


def _texts(old: _State | None, new: _State | None) -> tuple[bytes | None, bytes | None]:
    """The two texts of a file, without the definitions that are in both where they can be left out."""
    if old and new and old.tree and new.tree:
        return trimmed(old.tree, new.tree)
    return old and old.source, new and new.source


def worth_keeping(changes: Sequence[SymbolChange]) -> list[SymbolChange]:
    """The changes that are more than layout and comments, those that alter meaning first."""
    kept = [change for change in changes if not change.kinds <= _QUIET]
    return sorted(kept, key=lambda change: not (change.alters_meaning or change.kinds & _PLACED))


def episode_of(commit: pygit2.Commit, personal: Sequence[str] = ()) -> CommitEpisode:
    """The author, date and subject of a commit, redacted and on one line each, without its content. `personal` data is
    redacted besides secrets, here and below."""
    return CommitEpisode(
        commit=str(commit.id),
        author=redact(_line(commit.author.raw_name), personal).text,
        date=moment_of(commit.committer.time),  # an author's date may be years older than its place in history
        subject=redact(_line(commit.raw_message), personal).text,
    )


def without_secrets(changes: Sequence[SymbolChange], personal: Sequence[str] = ()) -> tuple[KeptChange, ...]:
    """The changes with their sentences, without secrets. Most commits hold none, which one search shows."""
    changes = clean(changes, personal)
    sentences = [sentence(change) for change in changes]
    if redact("\n".join(sentences), personal).found:
        sentences = [redact(each, personal).text for each in sentences]
    return tuple(
        KeptChange(change.kinds, change.old, change.new, text) for change, text in zip(changes, sentences, strict=True)
    )


def clean(changes: Sequence[SymbolChange], personal: Sequence[str] = ()) -> Sequence[SymbolChange]:
    """The changes without secrets in their details."""
    details = [_spelt(change, detail) for change in changes for detail in change.details]
    if not redact("\n".join(details), personal).found:
        return changes
    return [
        evolve(change, details=tuple(_redacted(change, detail, personal) for detail in change.details))
        for change in changes
    ]


def _spelt(change: SymbolChange, detail: Detail) -> str:
    name = _name_of(change, detail)
    return "\n".join(f"{name} = {text}" for text in (detail.old, detail.new) if text)


def _redacted(change: SymbolChange, detail: Detail, personal: Sequence[str]) -> Detail:
    name = _name_of(change, detail)
    return evolve(
        detail, old=_without_secrets(name, detail.old, personal), new=_without_secrets(name, detail.new, personal)
    )


def _without_secrets(name: str, text: str | None, personal: Sequence[str]) -> str | None:
    if not text:
        return text
    found = redact(f"{name} = {text}", personal)
    if not found.found:
        return text
    clean = found.text.removeprefix(f"{name} = ")
    return clean if clean != found.text else f"[redacted:{found.found[0]}]"


def _name_of(change: SymbolChange, detail: Detail) -> str:
    ref = change.new or change.old
    return detail.name or (ref.name.rpartition(".")[2] if ref else "") or "value"


def _line(raw: bytes) -> str:
    text = raw.decode("utf-8", "replace").strip().split("\n", 1)[0]
    return "".join(c for c in text if unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Zl", "Zp")).strip()
