"""Finds the files and folders that a statement rules over, where nobody named a place: "never use print in c.py"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime

from memlsp.beliefs.claims.references import path_meant
from memlsp.beliefs.lifecycle.anchors import anchor_at
from memlsp.capture.workspace.worktree import Worktree
from memlsp.code.vocabulary import patterns
from memlsp.model.belief import Anchor, Scope, ScopeKind
from memlsp.model.errors import MemlspError

_RE = patterns(__name__)


def ruled_places(text: str, worktree: Worktree, now: datetime) -> tuple[Sequence[Anchor], Scope]:
    """Anchors at the files that a statement rules over, or the scope of the folder that it does. A file that is a means
    (`use scripts/publish.sh`) is named by a reference and ties nothing: then the scope is the workspace."""
    tied = list(_ruled_paths(text, worktree))
    if len(tied) == 1 and (worktree.root / tied[0]).is_dir():
        return (), Scope(ScopeKind.GLOB, f"{tied[0]}/**")
    anchors: list[Anchor] = []
    for path in tied:
        with suppress(MemlspError):
            anchors.append(anchor_at(worktree, path, line=None, symbol=None, now=now))
    return anchors, Scope(ScopeKind.FILE if anchors else ScopeKind.WORKSPACE)


def named_paths(text: str, worktree: Worktree) -> list[tuple[str, str]]:
    """The files and folders of the workspace that a text names: as written, and from the root."""
    words = dict.fromkeys(found[0].rstrip(".") for found in _RE["path"].finditer(text))
    return [(word, path) for word in words if {".", "/"} & {*word} and (path := path_meant(word, worktree)) is not None]


def _ruled_paths(text: str, worktree: Worktree) -> Iterator[str]:
    for written, target in named_paths(text, worktree):
        at = text.find(written)
        before, behind = text[:at].rstrip("`'\""), text[at + len(written) :].lstrip("`'\"")
        if _RE["located_in"].search(before) or (not before.strip() and _RE["subject_of"].match(behind)):
            yield target
